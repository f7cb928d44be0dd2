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

// Ends are flat with an edge that is a little rounded: rings by their part of the radius, how far they are out in radii (at the tip; the
// base is cut off), and how far their normals lean out.
const CAP = [
    [0, 0.06, 1],
    [0.9, 0.06, 0.96],
    [0.96, 0.045, 0.7],
    [1, 0, 0],
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
        for (const [factor, , lean] of CAP) this.setRing(ring++, poses, first, 0, factor, 0, -lean);
        for (let i = 0; i <= last; i++) this.setRing(ring++, poses, first, i, 1, 0, 0);
        for (let k = CAP.length - 1; k >= 0; k--)
            this.setRing(ring++, poses, first, last, ...CAP[k]);
        this.position.needsUpdate = true;
        this.normal.needsUpdate = true;
    }

    // The same, wider by so many deviations in each direction. spread: of positions, 6 numbers a point.
    updateWider(poses, spread, deviations) {
        this.wider = { spread, deviations };
        this.update(poses);
    }

    // Covariance of the position across the rod, in the axes of the section: xx, xy, yy.
    across(point) {
        const a = this.axes,
            { spread } = this.wider,
            at = 6 * point;
        const [xx, xy, xz, yy, yz, zz] = spread.subarray(at, at + 6);
        const through = (i, k) =>
            a[i] * (xx * a[k] + xy * a[k + 1] + xz * a[k + 2]) +
            a[i + 1] * (xy * a[k] + yy * a[k + 1] + yz * a[k + 2]) +
            a[i + 2] * (xz * a[k] + yz * a[k + 1] + zz * a[k + 2]);
        return [through(0, 0), through(0, 3), through(3, 3)];
    }

    setRing(ring, poses, first, point, factor, out, lean) {
        const at = 7 * (first + point);
        const a = this.axes,
            [ox, oy] = this.offset;
        sectionAxes(poses, at + 3, a);
        const p = this.position.array,
            n = this.normal.array;
        const hx = this.halves.x[point],
            hy = this.halves.y[point];
        const along = out * Math.min(hx, hy),
            side = Math.sqrt(1 - lean * lean);
        const band = this.wider ? this.across(point) : null;
        for (let k = 0, v = 3 * SIDES * ring; k < SIDES; k++, v += 3) {
            const [ex, ey, nx, ny] = this.outline[k];
            let x = ox + hx * factor * ex,
                y = oy + hy * factor * ey;
            if (band) {
                // where the ellipse of so many deviations has this normal: C n / sqrt(n' C n)
                const cx = band[0] * nx + band[1] * ny,
                    cy = band[1] * nx + band[2] * ny;
                const size = Math.sqrt(Math.max(cx * nx + cy * ny, 0));
                const times = size > 0 ? (factor * this.wider.deviations) / size : 0;
                x += times * cx;
                y += times * cy;
            }
            for (let d = 0; d < 3; d++) {
                p[v + d] = poses[at + d] + x * a[d] + y * a[3 + d] + along * a[6 + d];
                n[v + d] = side * (nx * a[d] + ny * a[3 + d]) + lean * a[6 + d];
            }
        }
    }
}
