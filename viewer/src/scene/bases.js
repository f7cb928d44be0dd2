// Where rods are held in the world: a flange under each base, wide enough for the tendons.
import { CylinderGeometry, Group, Mesh, MeshStandardMaterial } from 'three';

export const FLANGE = 0.02; // thickness, of the robot's size

// The rod, its guides and its tendons where they enter, with some room.
function flangeRadius(rod, base, tendons, size) {
    let radius = Math.max(1.6 * Math.max(...rod.radius), 1.15 * (rod.envelope ?? 0), 0.03 * size);
    for (const { points } of tendons) {
        const reach = Math.hypot(points[0] - base[0], points[1] - base[1], points[2] - base[2]);
        if (reach < 0.3 * size) radius = Math.max(radius, 1.25 * reach);
    }
    return radius;
}

// A rod that stands on a free body or at the tip of another rod has no flange of its own, nor one that nothing holds.
function isHeld({ on, free }) {
    return (on === undefined || on === null) && !free;
}

export class Bases {
    constructor(robot, size) {
        this.robot = robot;
        this.size = size;
        this.group = new Group();
        this.material = new MeshStandardMaterial({ roughness: 0.7 });
        this.meshes = null;
    }

    // At the first frame, which tells where the tendons enter.
    make(frame) {
        const height = FLANGE * this.size;
        return this.robot.rods.map((rod, i) => {
            if (!isHeld(rod)) return null;
            const own = frame.actuators.filter((_, k) => {
                const { rod: on, from, points } = this.robot.actuators[k];
                return on === i && from === 0 && points > 0;
            });
            const radius = flangeRadius(rod, frame.rods[i], own, this.size);
            const geometry = new CylinderGeometry(radius, radius, height, 48).rotateX(Math.PI / 2);
            const mesh = new Mesh(geometry.translate(0, 0, -0.5 * height), this.material);
            mesh.frustumCulled = false;
            this.group.add(mesh);
            return mesh;
        });
    }

    paint(colours) {
        this.material.color.setHex(colours.base);
    }

    update(frame) {
        this.meshes ??= this.make(frame);
        this.meshes.forEach((mesh, i) => {
            if (!mesh) return;
            const pose = frame.rods[i];
            mesh.position.set(pose[0], pose[1], pose[2]);
            mesh.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
        });
    }
}
