// The ground: a round patch of grid that fades out, with a step that is a round length.
import {
    BufferGeometry,
    Color,
    Float32BufferAttribute,
    Group,
    LineBasicMaterial,
    LineSegments,
} from 'three';

const REACH = 20; // steps from the middle to the rim

export function roundStep(length) {
    const power = 10 ** Math.floor(Math.log10(length));
    const lead = length / power;
    return power * (lead >= 7 ? 10 : lead >= 3.5 ? 5 : lead >= 1.5 ? 2 : 1);
}

// Lines along x and y in pieces of one step, so that each end can have its own share of the colour.
function gridPieces(keep) {
    const points = [],
        shares = [];
    const put = (x, y) => {
        points.push(x, y, 0);
        shares.push(Math.max(0, 1 - (x * x + y * y) / (REACH * REACH)) ** 1.5);
    };
    for (let i = -REACH; i <= REACH; i++) {
        if (!keep(i)) continue;
        for (let k = -REACH; k < REACH; k++) {
            if (i * i + k * k > REACH * REACH) continue;
            put(k, i);
            put(k + 1, i);
            put(i, k);
            put(i, k + 1);
        }
    }
    return { points, shares };
}

function gridLines(keep) {
    const { points, shares } = gridPieces(keep);
    const geometry = new BufferGeometry().setAttribute(
        'position',
        new Float32BufferAttribute(points, 3),
    );
    geometry.setAttribute(
        'color',
        new Float32BufferAttribute(new Float32Array(4 * shares.length), 4),
    );
    const lines = new LineSegments(
        geometry,
        new LineBasicMaterial({ vertexColors: true, transparent: true }),
    );
    lines.renderOrder = -2;
    lines.userData.shares = shares;
    return lines;
}

function paintLines(lines, hex) {
    const { color } = lines.geometry.attributes;
    const { r, g, b } = new Color(hex);
    lines.userData.shares.forEach((share, i) => color.setXYZW(i, r, g, b, share));
    color.needsUpdate = true;
}

// size: of the robot; height: z of the ground
export function makeGround(size, height, middle) {
    const step = roundStep(size / 5);
    const group = new Group();
    const minor = gridLines((i) => i % 5 !== 0);
    const major = gridLines((i) => i % 5 === 0);
    group.add(minor, major);
    const snap = (x) => 5 * step * Math.round(x / (5 * step));
    group.position.set(snap(middle.x), snap(middle.y), height);
    group.scale.setScalar(step);
    return {
        group,
        size,
        step,
        holds: ({ x, y }) => Math.hypot(x - group.position.x, y - group.position.y) < 0.5 * REACH * step,
        paint(colours) {
            paintLines(minor, colours.gridMinor);
            paintLines(major, colours.gridMajor);
        },
    };
}
