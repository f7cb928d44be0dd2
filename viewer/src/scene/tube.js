// A rod as a tube: its section carried along by the poses of its points, closed at both ends. Its
// vertices are moved in place, so that a frame costs no allocation.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from 'three';

const SIDES = 24;
const SQUARE = 10; // exponent of the superellipse that stands for a rectangle

function indices(rings) {
    const list = [];
    for (let i = 0; i + 1 < rings; i++) {
        for (let k = 0; k < SIDES; k++) {
            const a = i * SIDES + k,
                b = i * SIDES + ((k + 1) % SIDES);
            list.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
        }
    }
    return list;
}

// x and y axes of the frame that a quaternion (w, x, y, z) at q[at] stands for, into axes.
function sectionAxes(q, at, axes) {
    const w = q[at],
        x = q[at + 1],
        y = q[at + 2],
        z = q[at + 3];
    axes[0] = 1 - 2 * (y * y + z * z);
    axes[1] = 2 * (x * y + w * z);
    axes[2] = 2 * (x * z - w * y);
    axes[3] = 2 * (x * y - w * z);
    axes[4] = 1 - 2 * (x * x + z * z);
    axes[5] = 2 * (y * z + w * x);
    axes[6] = 2 * (x * z + w * y);
    axes[7] = 2 * (y * z - w * x);
    axes[8] = 1 - 2 * (x * x + y * y);
}

// Rings beyond the tip make a rounded cap: radius factor, and how far out in radii. The base is
// flat.
const CAP = [
    [0, 0.35],
    [0.6, 0.32],
    [0.92, 0.18],
];

// The outline of a section of half-width and half-height 1, and its normals, as [x, y, nx, ny].
function outline(exponent) {
    const power = (x, e) => Math.sign(x) * Math.abs(x) ** e;
    return Array.from({ length: SIDES }, (_, k) => {
        const c = Math.cos((2 * Math.PI * (k + 0.5)) / SIDES),
            s = Math.sin((2 * Math.PI * (k + 0.5)) / SIDES);
        const nx = power(c, 2 - 2 / exponent),
            ny = power(s, 2 - 2 / exponent),
            length = Math.hypot(nx, ny);
        return [power(c, 2 / exponent), power(s, 2 / exponent), nx / length, ny / length];
    });
}

export class Tube {
    // halves: of width and height, {x, y}, one number a point each; offset: of the centre, in the
    // section
    constructor(halves, { offset = [0, 0], rectangle = false } = {}) {
        this.halves = halves;
        this.points = halves.x.length;
        this.offset = offset;
        this.outline = outline(rectangle ? SQUARE : 2);
        this.rings = this.points + 2 * CAP.length;
        this.axes = new Float32Array(9);
        const geometry = new BufferGeometry();
        this.position = new BufferAttribute(new Float32Array(3 * SIDES * this.rings), 3);
        this.normal = new BufferAttribute(new Float32Array(3 * SIDES * this.rings), 3);
        this.position.setUsage(DynamicDrawUsage);
        this.normal.setUsage(DynamicDrawUsage);
        geometry.setAttribute('position', this.position);
        geometry.setAttribute('normal', this.normal);
        geometry.setIndex(indices(this.rings));
        this.geometry = geometry;
    }

    // poses: 7 numbers a point; first: the point of the rod where the tube begins
    update(poses, first = 0) {
        const last = this.points - 1;
        let ring = 0;
        for (const [factor] of CAP) this.setRing(ring++, poses, first, 0, factor, 0);
        for (let i = 0; i <= last; i++) this.setRing(ring++, poses, first, i, 1, 0);
        for (let k = CAP.length - 1; k >= 0; k--)
            this.setRing(ring++, poses, first, last, CAP[k][0], CAP[k][1]);
        this.position.needsUpdate = true;
        this.normal.needsUpdate = true;
    }

    setRing(ring, poses, first, point, factor, out) {
        const at = 7 * (first + point);
        const a = this.axes,
            [ox, oy] = this.offset;
        sectionAxes(poses, at + 3, a);
        const p = this.position.array,
            n = this.normal.array;
        const hx = this.halves.x[point],
            hy = this.halves.y[point];
        const along = out * Math.min(hx, hy),
            tip = Math.sign(out) * (1 - factor);
        for (let k = 0, v = 3 * SIDES * ring; k < SIDES; k++, v += 3) {
            const [ex, ey, nx, ny] = this.outline[k];
            const x = ox + hx * factor * ex,
                y = oy + hy * factor * ey;
            for (let d = 0; d < 3; d++) {
                p[v + d] = poses[at + d] + x * a[d] + y * a[3 + d] + along * a[6 + d];
                n[v + d] = factor * (nx * a[d] + ny * a[3 + d]) + tip * a[6 + d];
            }
        }
    }
}
