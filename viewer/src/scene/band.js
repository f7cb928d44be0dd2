// How sure an estimate is of where it is: a sheath around its rods, two deviations wide on every side. Where that is too thin to be seen
// it is drawn wider, by a round number that the page tells.
import { Group, Mesh, MeshStandardMaterial } from 'three';
import { Tube } from './tube.js';

const DEVIATIONS = 2;
const SEEN = [0.012, 0.1]; // of the robot's size: the widest place is drawn no thinner, and no more than that where it is enlarged
const WANTED = 0.025;
const LEAST = 1e-9; // of the robot's size: less is nothing

// 1, 2, 5, 10, ...: the first that makes this as wide as wanted.
function roundTimes(width, wanted) {
    if (width >= wanted) return 1;
    const power = 10 ** Math.floor(Math.log10(wanted / width));
    return [1, 2, 5, 10].map((lead) => lead * power).find((times) => times * width >= wanted);
}

export class Band {
    constructor(rods, halves, size) {
        this.size = size;
        this.times = 1; // as wide as it is
        this.width = null; // m, at the widest place
        this.group = new Group();
        this.group.visible = false;
        this.tubes = rods.map((rod) => new Tube(halves(rod), { rectangle: Boolean(rod.width) }));
        this.material = new MeshStandardMaterial({
            roughness: 0.9,
            transparent: true,
            opacity: 0.22,
            depthWrite: false,
        });
        for (const { geometry } of this.tubes) {
            const mesh = new Mesh(geometry, this.material);
            mesh.frustumCulled = false;
            this.group.add(mesh);
        }
    }

    paint(colour) {
        this.material.color.setHex(colour);
    }

    measure(spread) {
        let most = 0;
        for (const numbers of spread)
            for (let i = 0; i < numbers.length; i += 6)
                most = Math.max(most, numbers[i], numbers[i + 3], numbers[i + 5]);
        return DEVIATIONS * Math.sqrt(most);
    }

    // Other than before only where that is too thin, or too much.
    choose(width) {
        const drawn = (this.times * width) / this.size;
        const fits = drawn >= SEEN[0] && (this.times === 1 || drawn <= SEEN[1]);
        if (!fits) this.times = roundTimes(width, WANTED * this.size);
    }

    // rods and spread: of the estimate, null: there is none
    update(rods, spread) {
        const known = Boolean(rods && spread?.every((numbers) => Number.isFinite(numbers[0])));
        this.width = known ? this.measure(spread) : null;
        this.group.visible = known && this.width > LEAST * this.size;
        if (!this.group.visible) return;
        this.choose(this.width);
        this.tubes.forEach((tube, i) =>
            tube.updateWider(rods[i], spread[i], DEVIATIONS * this.times),
        );
    }
}
