// Frames along the rods and of the bodies, on request: x red, y green, z blue.
import { WideLine } from './lines.js';

const ALONG = 9; // frames on a rod
const COLOURS = [
    [0.86, 0.2, 0.18],
    [0.16, 0.6, 0.28],
    [0.18, 0.42, 0.9],
];

function rotate(q, at, axis) {
    const w = q[at],
        x = q[at + 1],
        y = q[at + 2],
        z = q[at + 3];
    if (axis === 0) return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
    if (axis === 1) return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
    return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

function stations(points) {
    const count = Math.min(ALONG, points);
    return Array.from({ length: count }, (_, i) =>
        Math.round((i * (points - 1)) / Math.max(count - 1, 1)),
    );
}

export class Frames {
    constructor({ rods, bodies }, size) {
        this.length = 0.06 * size;
        this.stations = rods.map((rod) => stations(rod.points));
        const count = this.stations.flat().length + bodies.length;
        this.segments = new Float32Array(18 * count);
        this.line = new WideLine(3 * count + 1, 2, { vertexColors: true });
        this.line.geometry.setColors(this.colours(count));
        this.line.visible = false;
    }

    colours(count) {
        const list = [];
        for (let i = 0; i < count; i++) {
            for (const colour of COLOURS) list.push(...colour, ...colour);
        }
        return new Float32Array(list);
    }

    update(frame) {
        let at = 0;
        const put = (pose, start, shown) => {
            for (let axis = 0; axis < 3; axis++) {
                const e = rotate(pose, start + 3, axis);
                for (let d = 0; d < 3; d++) {
                    const p = shown ? pose[start + d] : 0;
                    this.segments[at + d] = p;
                    this.segments[at + 3 + d] = p + (shown ? this.length * e[d] : 0);
                }
                at += 6;
            }
        };
        frame.rods.forEach((poses, i) => this.stations[i].forEach((k) => put(poses, 7 * k, true)));
        frame.bodies.forEach(({ pose, attached }) =>
            put(pose, 0, attached && Number.isFinite(pose[0])),
        );
        this.line.setSegments(this.segments);
    }
}
