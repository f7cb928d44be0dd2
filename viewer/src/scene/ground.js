// The ground: a plain plane with a grid whose step is a round length.
import { BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments } from 'three';

const LINES = 40;  // each way from the middle

export function roundStep(length) {
    const power = 10 ** Math.floor(Math.log10(length));
    const lead = length / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

function gridLines(step, keep) {
    const reach = LINES * step;
    const points = [];
    for (let i = -LINES; i <= LINES; i++) {
        if (!keep(i)) continue;
        points.push(-reach, i * step, 0, reach, i * step, 0, i * step, -reach, 0, i * step, reach, 0);
    }
    return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
}

// size: of the robot; height: z of the ground
export function makeGround(size, height, middle) {
    const step = roundStep(size / 5);
    const group = new Group();
    const minor = new LineSegments(gridLines(step, (i) => i % 5 !== 0), new LineBasicMaterial());
    const major = new LineSegments(gridLines(step, (i) => i % 5 === 0), new LineBasicMaterial());
    group.add(minor, major);
    const snap = (x) => 5 * step * Math.round(x / (5 * step));
    group.position.set(snap(middle.x), snap(middle.y), height);
    return {
        group,
        step,
        paint(colours) {
            minor.material.color.setHex(colours.gridMinor);
            major.material.color.setHex(colours.gridMajor);
        },
    };
}
