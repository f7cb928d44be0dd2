// What the robot runs into: surfaces at their poses, rooms and vessels that one sees through, and the forces on
// the rods as arrows that end at them.
import {
    BackSide,
    Box3,
    BufferAttribute,
    BufferGeometry,
    DoubleSide,
    FrontSide,
    Group,
    Mesh,
    MeshStandardMaterial,
    Vector3,
} from 'three';
import { setArrow } from './arrows.js';
import { boxesAlong } from './extent.js';
import { WideLine } from './lines.js';

const LONGEST = 0.16; // arrow, of the robot's size
const LEAST = 0.02; // of the largest force so far: less is not drawn
const REACH = 3; // around the robot, of its size: as far as obstacles count for the camera

function surface({ points, triangles }) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
    geometry.setIndex(triangles);
    geometry.computeVertexNormals();
    geometry.computeBoundingBox();
    return geometry;
}

// A wall seen from its far side is a pane.
function behind(geometry) {
    const look = { roughness: 0.8, side: BackSide, transparent: true, opacity: 0.2, depthWrite: false };
    const pane = new Mesh(geometry, new MeshStandardMaterial(look));
    pane.frustumCulled = false;
    return pane;
}

export class Obstacles {
    constructor(robot, size) {
        const { obstacles = [], rods, touches } = robot;
        this.group = new Group();
        this.size = size;
        this.largest = 0;
        this.meshes = obstacles.map(({ room, on, endless, ...shape }) => {
            const material = new MeshStandardMaterial({
                roughness: 0.8,
                side: room ? DoubleSide : FrontSide,
                transparent: room,
                opacity: room ? 0.24 : 1,
                depthWrite: !room,
            });
            const mesh = new Mesh(surface(shape), material);
            if (!room) mesh.add(behind(mesh.geometry));
            mesh.userData = { carried: on !== null, endless };
            mesh.frustumCulled = false;
            this.group.add(mesh);
            return mesh;
        });
        const points = touches ? rods.reduce((sum, rod) => sum + rod.points, 0) : 0;
        this.segments = new Float32Array(18 * points); // shaft and two barbs each
        this.arrows = new WideLine(3 * points + 1, 1.8, { depthTest: false });
        this.arrows.visible = points > 0;
        this.arrows.renderOrder = 9;
        this.group.add(this.arrows);
    }

    paint(colours) {
        for (const { material, userData, children } of this.meshes) {
            material.color.setHex(userData.carried ? colours.body : colours.obstacle);
            for (const pane of children) pane.material.color.copy(material.color);
        }
        this.arrows.material.color.setHex(colours.pull);
    }

    // Those that are near count for what is looked at.
    bounds(frame, around) {
        this.place(frame);
        const near = around.clone().expandByScalar(REACH * this.size);
        return this.meshes.flatMap((mesh) => {
            mesh.updateMatrixWorld();
            mesh.userData.stretches ??= boxesAlong(mesh.geometry.attributes.position.array, 3);
            return mesh.userData.stretches.map((stretch) => {
                const box = stretch.clone().applyMatrix4(mesh.matrixWorld);
                const seen = mesh.visible && !mesh.userData.endless && box.intersectsBox(near);
                return seen ? box.intersect(near) : new Box3();
            });
        });
    }

    place(frame) {
        frame.obstacles.forEach((pose, i) => {
            const mesh = this.meshes[i];
            mesh.visible = Number.isFinite(pose[0]);
            mesh.position.set(pose[0], pose[1], pose[2]);
            mesh.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
        });
    }

    update(frame) {
        this.place(frame);
        if (this.arrows.visible) this.updateArrows(frame);
    }

    measure({ contacts }) {
        const force = new Vector3();
        for (const forces of contacts)
            for (let k = 0; k < forces.length; k += 3) {
                const size = force.fromArray(forces, k).length();
                if (size > this.largest) this.largest = size;
            }
    }

    // put(tip, force, rod, count): each arrow that is drawn, and how many points of rods there are before it.
    eachArrow({ contacts, rods }, put) {
        const [force, tip] = [new Vector3(), new Vector3()];
        let count = 0;
        contacts.forEach((forces, i) => {
            for (let k = 0; k < forces.length; k += 3, count++) {
                force.fromArray(forces, k);
                if (!(force.length() > LEAST * this.largest)) continue;
                force.multiplyScalar((LONGEST * this.size) / this.largest);
                put(tip.fromArray(rods[i], (7 * k) / 3), force, i, count);
            }
        });
    }

    // Where the forces begin, a box for each rod.
    arrowBounds(frame) {
        this.measure(frame);
        const boxes = frame.contacts.map(() => new Box3());
        this.eachArrow(frame, (tip, force, rod) => boxes[rod].expandByPoint(tip.sub(force)));
        return boxes;
    }

    updateArrows(frame) {
        this.measure(frame);
        this.segments.fill(0);
        this.eachArrow(frame, (tip, force, _, count) => setArrow(this.segments, 18 * count, tip, force));
        this.arrows.setSegments(this.segments);
    }
}
