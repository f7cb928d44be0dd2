// The same rods as they are under another model, or as they are believed to be: drawn through the robot, or beside it.
import { Group, Mesh, MeshStandardMaterial } from 'three';
import { Tube } from './tube.js';

const THROUGH = 0.38; // opacity
const GAP = 0.25; // between two that stand beside one another, of the robot's size

// How far rods reach along a direction.
function reach(rods, { x, y, z }) {
    let [low, high] = [Infinity, -Infinity];
    for (const poses of rods)
        for (let i = 0; i < poses.length; i += 7) {
            const at = x * poses[i] + y * poses[i + 1] + z * poses[i + 2];
            if (at < low) low = at;
            if (at > high) high = at;
        }
    return { low, high };
}

export class Other {
    // halves: of a rod's section, as drawn
    constructor(rods, halves) {
        this.group = new Group();
        this.group.visible = false;
        this.tubes = rods.map((rod) => new Tube(halves(rod), { rectangle: Boolean(rod.width) }));
        this.material = new MeshStandardMaterial({ roughness: 0.6 });
        this.stand(false);
        for (const { geometry } of this.tubes) {
            const mesh = new Mesh(geometry, this.material);
            mesh.frustumCulled = false;
            this.group.add(mesh);
        }
    }

    paint(colour) {
        this.material.color.setHex(colour);
    }

    // Beside the robot, or through it.
    stand(beside) {
        this.away = 0; // from where it is
        this.material.transparent = !beside;
        this.material.opacity = beside ? 1 : THROUGH;
        this.material.needsUpdate = true;
    }

    // rods: poses of each, null: there is none
    update(rods) {
        this.group.visible = rods !== null;
        if (rods) this.tubes.forEach((tube, i) => tube.update(rods[i]));
        else this.away = 0;
    }
}

// Sets how far each goes in that direction, so that they stand in a row and none meets the one before; never nearer again, so that they
// do not swing with it. shapes: rods of each of the others, null where there is none.
export function setRow(others, robot, shapes, direction, size) {
    let edge = reach(robot, direction).high;
    others.forEach((other, k) => {
        if (!shapes[k]) return;
        const { low, high } = reach(shapes[k], direction);
        other.away = Math.max(other.away, edge - low + GAP * size);
        other.group.position.copy(direction).multiplyScalar(other.away);
        edge = high + other.away;
    });
}
