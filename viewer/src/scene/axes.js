// The axes of the world as the viewer sees them, in a corner of the scene: x red, y green, z blue.
import { Vector3 } from 'three';
import { byId } from '../dom.js';

const SPACE = 'http://www.w3.org/2000/svg';
const HALF = 32; // pixels
const ARM = 20;
const AXES = [
    ['x', [1, 0, 0]],
    ['y', [0, 1, 0]],
    ['z', [0, 0, 1]],
];

function part(tag, attributes) {
    const node = document.createElementNS(SPACE, tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
}

export class Axes {
    constructor(stage) {
        this.stage = stage;
        const svg = byId('axes');
        this.parts = AXES.map(([name, direction]) => {
            const line = part('line', { class: `axis-${name}`, x1: 0, y1: 0 });
            const label = part('text', { class: `axis-${name}` });
            label.textContent = name;
            svg.append(line, label);
            return { line, label, direction: new Vector3(...direction) };
        });
        svg.setAttribute('viewBox', `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`);
        this.seen = new Vector3();
    }

    update() {
        const { camera } = this.stage;
        camera.updateMatrixWorld(); // it may have moved since the last picture
        const turn = camera.matrixWorldInverse;
        const key = turn.elements.slice(0, 11).join();
        if (key === this.key) return;
        this.key = key;
        for (const { line, label, direction } of this.parts) {
            const { x, y } = this.seen.copy(direction).transformDirection(turn);
            line.setAttribute('x2', (ARM * x).toFixed(1));
            line.setAttribute('y2', (-ARM * y).toFixed(1));
            label.setAttribute('x', ((ARM + 7) * x).toFixed(1));
            label.setAttribute('y', (4 - (ARM + 7) * y).toFixed(1));
        }
    }
}
