// State frames as bytes: docs/view-protocol.md is their description. The hello message tells how
// many points each part has; from that the place of every number in a frame is known once.

const MAGIC = 0x31464454; // "TDF1", little-endian
const HEADER_BYTES = 16;
const POSE = 7; // p 3, q 4 (w, x, y, z)

const IS_PLAYING = 2;
const IS_GRABBED = 4;
const HAS_ESTIMATE = 8;
const HAS_GHOST = 16; // the first; the others follow
const SPREAD = 6; // xx, xy, xz, yy, yz, zz

export const MOST_GHOSTS = 4;

export const ENERGIES = ['kinetic', 'elastic', 'gravity', 'dissipated', 'work'];

function sum(list, size) {
    return list.reduce((total, item) => total + size(item), 0);
}

// Offsets in floats after the header.
export function frameLayout(hello) {
    const { rods, actuators = [], bodies = [], obstacles = [], touches, arrows = [] } = hello.robot;
    const touching = touches ? rods : [];
    const layout = { rods, actuators, bodies, touching, inputs: hello.inputs.length };
    let at = 0;
    const block = (size) => {
        const start = at;
        at += size;
        return start;
    };
    layout.rodAt = rods.map((rod) => block(POSE * rod.points));
    layout.actuatorAt = actuators.map(({ points }) => block(3 * points + 2));
    layout.bodyAt = bodies.map(() => block(POSE + 1));
    layout.obstacleAt = obstacles.map(() => block(POSE));
    layout.contactAt = touching.map(({ points }) => block(3 * points));
    layout.arrowAt = arrows.map(() => block(9));
    layout.energyAt = block(ENERGIES.length);
    layout.inputAt = block(layout.inputs);
    layout.effortAt = block(2);
    layout.grabAt = block(6);
    layout.floats = at;
    layout.ghostFloats = sum(rods, (rod) => POSE * rod.points);
    layout.spreadFloats = sum(rods, (rod) => SPREAD * rod.points);
    if (hello.frame && hello.frame.floats !== layout.floats) {
        throw new Error(
            `a frame has ${hello.frame.floats} numbers, this page expects ${layout.floats}`,
        );
    }
    layout.frameBytes = HEADER_BYTES + 4 * layout.floats;
    return layout;
}

function rodViews(layout, floats, start) {
    return layout.rods.map((rod, i) => {
        const from = start + layout.rodAt[i];
        return floats.subarray(from, from + POSE * rod.points);
    });
}

// How sure the positions of an estimate are: covariances at the points of each rod.
function spreadViews({ rods }, floats, start) {
    return rods.map(({ points }) => {
        const from = start;
        start += SPREAD * points;
        return floats.subarray(from, start);
    });
}

// A frame as views into the buffer, or null when it is not one of this layout.
export function readFrame(layout, buffer, offset = 0) {
    if (buffer.byteLength - offset < layout.frameBytes) return null;
    const head = new DataView(buffer, offset, HEADER_BYTES);
    if (head.getUint32(0, true) !== MAGIC) return null;
    const flags = head.getUint32(4, true);
    const estimate = (flags & HAS_ESTIMATE) !== 0;
    let count = layout.floats;
    const take = (there, size) => {
        if (!there) return null;
        const from = count;
        count += size;
        return from;
    };
    const ghostsAt = Array.from({ length: MOST_GHOSTS }, (_, k) =>
        take(flags & (HAS_GHOST << k), layout.ghostFloats),
    );
    const estimateAt = take(estimate, layout.ghostFloats);
    const spreadAt = take(estimate, layout.spreadFloats);
    if (buffer.byteLength - offset < HEADER_BYTES + 4 * count) return null;
    const floats = new Float32Array(buffer, offset + HEADER_BYTES, count);
    return {
        time: head.getFloat64(8, true),
        playing: (flags & IS_PLAYING) !== 0,
        rods: rodViews(layout, floats, 0),
        actuators: layout.actuators.map(({ points }, i) => {
            const from = layout.actuatorAt[i];
            const end = from + 3 * points;
            return {
                points: floats.subarray(from, end),
                effort: floats[end],
                measure: floats[end + 1],
            };
        }),
        bodies: layout.bodyAt.map((at) => ({
            pose: floats.subarray(at, at + POSE),
            attached: floats[at + POSE] !== 0,
        })),
        obstacles: layout.obstacleAt.map((at) => floats.subarray(at, at + POSE)),
        contacts: layout.contactAt.map((at, i) =>
            floats.subarray(at, at + 3 * layout.touching[i].points),
        ),
        arrows: layout.arrowAt.map((at) => ({
            point: floats.subarray(at, at + 3),
            force: floats.subarray(at + 3, at + 6),
            moment: floats.subarray(at + 6, at + 9),
        })),
        energy: floats.subarray(layout.energyAt, layout.energyAt + ENERGIES.length),
        inputs: floats.subarray(layout.inputAt, layout.inputAt + layout.inputs),
        iterations: floats[layout.effortAt],
        ratio: floats[layout.effortAt + 1],
        grab: flags & IS_GRABBED ? floats.subarray(layout.grabAt, layout.grabAt + 6) : null,
        ghosts: ghostsAt.map((at) => (at === null ? null : rodViews(layout, floats, at))),
        estimate: estimate ? rodViews(layout, floats, estimateAt) : null,
        spread: estimate ? spreadViews(layout, floats, spreadAt) : null,
        bytes: HEADER_BYTES + 4 * count,
    };
}

// All frames of a recording, one after the other.
export function readFrames(layout, buffer) {
    const frames = [];
    for (let at = 0; at < buffer.byteLength;) {
        const frame = readFrame(layout, buffer, at);
        if (!frame) break;
        frames.push(frame);
        at += frame.bytes;
    }
    return frames;
}

// How far the tips of other rods are from those of the robot, of the rod where it is most.
export function farthestTip(frame, rods) {
    const apart = frame.rods.map((_, rod) => {
        const [a, b] = [tipOf(frame, rod), tipOf({ rods }, rod)];
        return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    });
    return Math.max(...apart);
}

// Whose way is plotted: tips of rods, or where there are none the bodies. place(): where it is among rods and bodies
// of a frame, nothing where they are not there.
export function trackedOf({ rods, bodies = [] }) {
    if (rods.length) return rods.map(({ name }, i) => ({ name, place: (frame) => tipOf(frame, i) }));
    return bodies.map(({ name }, i) => ({ name, place: (frame) => frame.bodies?.[i].pose.subarray(0, 3) ?? [] }));
}

// The tip of a rod in a frame: the last of its points.
export function tipOf(frame, rod) {
    const points = frame.rods[rod];
    return points.subarray(points.length - POSE, points.length - POSE + 3);
}
