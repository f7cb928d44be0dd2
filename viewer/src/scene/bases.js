// Where rods are held in the world: a flange at each end, under a base wide enough for the tendons.
import { CylinderGeometry, Group, Mesh, MeshStandardMaterial } from 'three';

export const FLANGE = 0.02; // thickness, of the robot's size

// The rod, its guides and its tendons where they enter, with some room.
function flangeRadius(rod, base, tendons, size) {
    const wide = rod.width ? 0.5 * Math.hypot(rod.width[0], rod.height[0]) : Math.max(...rod.radius);
    let radius = Math.max((rod.width ? 1.2 : 1.6) * wide, 1.15 * (rod.envelope ?? 0), 0.03 * size);
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

    // At the first frame, which tells where the tendons enter. Under a base, and beyond a tip that the world holds.
    make(frame) {
        const height = FLANGE * this.size;
        return this.robot.rods.flatMap((rod, i) => {
            const own = frame.actuators.filter((_, k) => {
                const { rod: on, from, points } = this.robot.actuators[k];
                return on === i && from === 0 && points > 0;
            });
            const put = (radius, at, side) => {
                const geometry = new CylinderGeometry(radius, radius, height, 48).rotateX(Math.PI / 2);
                const mesh = new Mesh(geometry.translate(0, 0, 0.5 * side * height), this.material);
                mesh.frustumCulled = false;
                this.group.add(mesh);
                return { mesh, rod: i, at };
            };
            const base = isHeld(rod) ? [put(flangeRadius(rod, frame.rods[i], own, this.size), 0, -1)] : [];
            const tip = rod.tip_held ? [put(flangeRadius(rod, frame.rods[i], [], this.size), rod.points - 1, 1)] : [];
            return [...base, ...tip];
        });
    }

    paint(colours) {
        this.material.color.setHex(colours.base);
    }

    update(frame) {
        this.meshes ??= this.make(frame);
        for (const { mesh, rod, at } of this.meshes) {
            const pose = frame.rods[rod].subarray(7 * at, 7 * at + 7);
            mesh.position.set(pose[0], pose[1], pose[2]);
            mesh.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
        }
    }
}
