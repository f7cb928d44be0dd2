// The same rods as they are under another model, or as they are believed to be: drawn through the robot, or beside it.
import { Group, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { Tube } from './tube.js';

const THROUGH = 0.38; // opacity
const GAP = 0.25; // between two that stand beside one another, of the robot's size

export class Other {
    // halves: of a rod's section, as drawn
    constructor(rods, halves, size) {
        this.size = size;
        this.group = new Group();
        this.group.visible = false;
        this.apart = null; // the direction in which it stands beside the robot; null: it does not
        this.widest = 0;
        this.tubes = rods.map((rod) => new Tube(halves(rod), { rectangle: Boolean(rod.width) }));
        this.material = new MeshStandardMaterial({ roughness: 0.6 });
        this.setApart(null);
        for (const { geometry } of this.tubes) {
            const mesh = new Mesh(geometry, this.material);
            mesh.frustumCulled = false;
            this.group.add(mesh);
        }
    }

    paint(colour) {
        this.material.color.setHex(colour);
    }

    // direction: a unit vector, or null
    setApart(direction) {
        this.apart = direction;
        this.widest = 0;
        this.material.transparent = direction === null;
        this.material.opacity = direction === null ? THROUGH : 1;
        this.material.needsUpdate = true;
    }

    // As far as both need not to meet; never nearer again, so that it does not swing with them.
    shift(rods, robot) {
        const along = (list) => {
            const { x, y, z } = this.apart;
            let [low, high] = [Infinity, -Infinity];
            for (const poses of list)
                for (let i = 0; i < poses.length; i += 7) {
                    const at = x * poses[i] + y * poses[i + 1] + z * poses[i + 2];
                    if (at < low) low = at;
                    if (at > high) high = at;
                }
            return [low, high];
        };
        this.widest = Math.max(this.widest, along(robot)[1] - along(rods)[0] + GAP * this.size);
        return this.apart.clone().multiplyScalar(this.widest);
    }

    // rods: poses of each, null: there is none
    update(rods, robot) {
        this.group.visible = rods !== null;
        if (!rods) return;
        this.tubes.forEach((tube, i) => tube.update(rods[i]));
        this.group.position.copy(this.apart ? this.shift(rods, robot) : new Vector3());
    }
}
