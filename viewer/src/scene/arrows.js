// Loads on the robot, and the forces and moments that hold its ends, as arrows. A force ends where it acts; a moment is
// an arrow with two heads along its axis.
import { Box3, Group, Vector3 } from 'three';
import { WideLine } from './lines.js';

const LONGEST = 0.22; // of the robot's size
const LEAST = 0.02; // of the largest of its kind so far: less is not drawn
const NUMBERS = 18; // of an arrow: three pieces of line
const SECOND = 0.8; // where the second head of a moment is

// Writes the three pieces of an arrow that ends at `tip`.
export function setArrow(segments, at, tip, along) {
    const across = new Vector3(0, 1, 0).cross(along);
    if (across.length() < 0.1 * along.length()) across.set(1, 0, 0).cross(along);
    across.setLength(0.12 * along.length());
    const back = tip.clone().addScaledVector(along, -0.25);
    tip.clone()
        .sub(along)
        .toArray(segments, at);
    tip.toArray(segments, at + 3);
    back.clone()
        .add(across)
        .toArray(segments, at + 6);
    tip.toArray(segments, at + 9);
    back.sub(across).toArray(segments, at + 12);
    tip.toArray(segments, at + 15);
}

const sizeOf = (xyz) => Math.hypot(xyz[0], xyz[1], xyz[2]);

export class Arrows {
    constructor({ arrows = [] }, size) {
        this.size = size;
        this.group = new Group();
        // forces have one arrow, moments two
        this.kinds = ['load', 'reaction'].map((kind) => {
            const which = arrows.flatMap((arrow, i) => (arrow.kind === kind ? [i] : []));
            const numbers = 3 * NUMBERS * which.length;
            const line = new WideLine(numbers / 6 + 1, 2.4);
            this.group.add(line);
            return { kind, which, line, segments: new Float32Array(numbers) };
        });
        // what is spread along a rod has a scale of its own
        this.scales = arrows.map(({ per_length }) => (per_length ? 'spread' : 'point'));
        this.largest = { spread: 0, point: 0, moment: 0 };
        this.group.visible = false;
    }

    paint(colours) {
        for (const { kind, line } of this.kinds) line.material.color.setHex(colours[kind]);
    }

    measure(frame) {
        const { largest } = this;
        frame.arrows.forEach(({ force, moment }, i) => {
            const scale = this.scales[i];
            largest[scale] = Math.max(largest[scale], sizeOf(force) || 0);
            largest.moment = Math.max(largest.moment, sizeOf(moment) || 0);
        });
    }

    update(frame) {
        if (!this.group.visible) return;
        this.measure(frame);
        for (const { which, line, segments } of this.kinds) {
            segments.fill(0);
            which.forEach((i, k) => this.put(frame.arrows[i], this.scales[i], segments, 3 * NUMBERS * k));
            if (which.length) line.setSegments(segments);
        }
    }

    // Where each is, as long as they are shown.
    bounds(frame) {
        return (frame.arrows ?? []).map((arrow, i) => {
            const box = new Box3();
            if (!this.group.visible || !Number.isFinite(arrow.point[0])) return box;
            const { tip, push, turn } = this.drawn(arrow, this.scales[i]);
            if (push) box.expandByPoint(tip.clone().sub(push));
            if (turn) box.expandByPoint(tip.clone().add(turn));
            return box;
        });
    }

    // Force and moment in the lengths in which they are drawn; null: too small.
    drawn({ point, force, moment }, scale) {
        const along = (xyz, largest) =>
            sizeOf(xyz) > LEAST * largest
                ? new Vector3().fromArray(xyz).multiplyScalar((LONGEST * this.size) / largest)
                : null;
        return {
            tip: new Vector3().fromArray(point),
            push: along(force, this.largest[scale]),
            turn: along(moment, this.largest.moment),
        };
    }

    put(arrow, scale, segments, at) {
        const { tip, push, turn } = this.drawn(arrow, scale);
        if (push) setArrow(segments, at, tip, push);
        if (!turn) return;
        const end = tip.clone().add(turn);
        setArrow(segments, at + NUMBERS, end, turn);
        setArrow(segments, at + 2 * NUMBERS, tip.clone().addScaledVector(turn, SECOND), turn.multiplyScalar(SECOND));
    }
}
