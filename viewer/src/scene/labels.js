// Names under models that stand beside one another, each with its clock and what a step of it takes.
import { Box3, Vector3 } from 'three';
import { byId, element } from '../dom.js';
import { MOST_GHOSTS } from '../protocol.js';
import { shortNumber } from '../units.js';

const ROOM = 12; // pixels between two
const LINE = 22;
const NARROW = 600; // a scene that has room for names alone

const words = (name, cost, width) =>
    cost && width > NARROW ? `${name}, ${cost.time.toFixed(2)} s, ${shortNumber(1e3 * cost.step_seconds, 2)} ms a step` : name;

export class Labels {
    constructor() {
        this.nodes = Array.from({ length: 1 + MOST_GHOSTS }, () =>
            element('div', { class: 'model-label', hidden: true }),
        );
        byId('canvas').after(...this.nodes);
        this.point = new Vector3();
        this.box = new Box3();
    }

    show(stage, { robot, frame, hello, costs }) {
        const on = Boolean(robot?.apart && frame?.ghosts.some(Boolean));
        this.taken = []; // of the screen
        this.put(0, stage, on ? frame.rods : null, new Vector3(), robot, hello?.model, costs?.main);
        robot?.ghosts.forEach(({ group }, k) => {
            const rods = on && hello.ghosts[k] ? frame.ghosts[k] : null;
            this.put(1 + k, stage, rods, group.position, robot, hello?.ghosts[k], costs?.ghosts[k]);
        });
    }

    // Below the lowest point, between the bases; lower still where another is already.
    put(i, stage, rods, shift, robot, name, cost) {
        const node = this.nodes[i];
        node.hidden = rods === null;
        if (!rods) return;
        this.box.makeEmpty();
        for (const poses of rods) this.box.expandByPoint(this.point.fromArray(poses));
        this.box.getCenter(this.point);
        for (const poses of rods)
            for (let k = 2; k < poses.length; k += 7) this.point.z = Math.min(this.point.z, poses[k]);
        this.point.z -= 0.07 * robot.size;
        const seen = stage.project(this.point.add(shift));
        const text = words(name, cost, stage.canvas.clientWidth);
        if (node.textContent !== text) node.textContent = text;
        node.hidden = seen.behind;
        const half = 0.5 * node.offsetWidth;
        const { x, y } = this.freePlace(seen, half, stage.canvas);
        node.style.transform = `translate(-50%, 0) translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    }

    freePlace(seen, half, { clientWidth: width, clientHeight: height }) {
        const x = Math.min(Math.max(seen.x, half), width - half);
        let y = Math.min(seen.y, height - LINE);
        const meets = (one) => Math.abs(one.x - x) < one.half + half + ROOM && Math.abs(one.y - y) < LINE;
        const begun = y;
        while (this.taken.some(meets)) y += LINE;
        if (y > height - LINE) for (y = begun; this.taken.some(meets); ) y -= LINE; // no room below
        this.taken.push({ x, y, half });
        return { x, y };
    }
}
