// Names under models that stand beside one another.
import { Box3, Vector3 } from 'three';
import { byId, element } from '../dom.js';

const NEAR = 110; // pixels between two that would touch
const LINE = 22;
const HALF = 40; // of a name's width

export class Labels {
    constructor() {
        this.nodes = [0, 1].map(() => element('div', { class: 'model-label', hidden: true }));
        byId('canvas').after(...this.nodes);
        this.point = new Vector3();
        this.box = new Box3();
    }

    show(stage, { robot, frame, hello }) {
        const on = Boolean(robot?.ghost.apart && frame?.ghost);
        for (const node of this.nodes) node.hidden = !on;
        if (!on) return;
        const { ghost, size } = robot;
        const x = this.put(this.nodes[0], stage, frame.rods, new Vector3(), size, hello.model);
        this.put(this.nodes[1], stage, frame.ghost, ghost.group.position, size, hello.ghost, x);
    }

    // Below the lowest point, between the bases. last: where the name before is, so that this one makes room for it.
    // Returns where it is.
    put(node, stage, rods, shift, size, text, last = -Infinity) {
        this.box.makeEmpty();
        for (const poses of rods) this.box.expandByPoint(this.point.fromArray(poses));
        this.box.getCenter(this.point);
        for (const poses of rods)
            for (let i = 2; i < poses.length; i += 7)
                this.point.z = Math.min(this.point.z, poses[i]);
        this.point.z -= 0.07 * size;
        const seen = stage.project(this.point.add(shift));
        const down = seen.x - last < NEAR ? LINE : 0;
        const { x, y } = this.besideLegend(seen.x, seen.y + down);
        if (node.textContent !== text) node.textContent = text;
        node.hidden = seen.behind;
        node.style.transform = `translate(-50%, 0) translate(${Math.round(x)}px, ${Math.round(y)}px)`;
        return x;
    }

    // Not on the legend: right of it where that is not far, or above it.
    besideLegend(x, y) {
        const { offsetLeft, offsetWidth, offsetTop } = byId('legend');
        const free = offsetLeft + offsetWidth + HALF;
        if (y + LINE < offsetTop || x > free) return { x, y };
        return free - x < NEAR ? { x: free, y } : { x, y: offsetTop - LINE };
    }
}
