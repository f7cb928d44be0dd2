// The robot of the hello message as things in the scene, moved by frames.
import { Box3, Group, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { Arrows } from './arrows.js';
import { Bodies } from './bodies.js';
import { rampColour } from './colours.js';
import { Frames } from './frames.js';
import { Band } from './band.js';
import { Other, setRow } from './other.js';
import { MOST_GHOSTS } from '../protocol.js';
import { roundUp } from '../units.js';
import { WideLine } from './lines.js';
import { Extent, boxesAlong } from './extent.js';
import { Fields } from './fields.js';
import { Obstacles } from './obstacles.js';
import { Bases, FLANGE } from './bases.js';
import { Shadows } from './shadows.js';
import { Tube } from './tube.js';

// Of the robot's size: a thinner rod is drawn this thick, to be seen at all.
const THINNEST = 0.0042;
const ROOM = 0.1; // around the robot, of its size
const LABEL = 0.14; // the same, below models that stand beside one another
const HIDDEN = 0.6; // opacity of a tendon within its rod

// Half-width and half-height of the section at each point, as drawn.
function drawnHalves(rod, size, factor = 1) {
    const half = (list, share) =>
        Float32Array.from(list, (x) => factor * Math.max(share * x, THINNEST * size));
    if (rod.width) return { x: half(rod.width, 0.5), y: half(rod.height, 0.5) };
    const radius = half(rod.radius, 1);
    return { x: radius, y: radius };
}

// The points of its rod that a room in it runs along, at least two.
function roomSpan({ from, to }, { s }) {
    const first = s.findIndex((x) => x >= from - 1e-9);
    const last = s.filter((x) => x <= to + 1e-9).length - 1;
    const count = Math.max(last - first + 1, 2);
    return { first: Math.min(first, s.length - count), count };
}

// An actuator without points of its own lies in its rod; one without a radius, a motor of a joint or a muscle, is not seen.
export function isRoom({ points, radius }) {
    return points === 0 && radius > 0;
}

// Of the end of the colour scale; what was not recorded counts as nothing.
function shareOf(value, largest) {
    return largest > 0 && Number.isFinite(value) ? Math.abs(value) / largest : 0;
}

// By the radius of the rod.
function thicker(boxes, { radius, width, height }) {
    const most = width ? 0.5 * Math.hypot(Math.max(...width), Math.max(...height)) : Math.max(...radius);
    return boxes.map((box) => (box.isEmpty() ? box : box.expandByScalar(most)));
}

function lowestOf(poses) {
    let low = Infinity;
    for (let i = 2; i < poses.length; i += 7) low = Math.min(low, poses[i]);
    return low;
}

export class Robot {
    constructor(hello) {
        const { rods, actuators = [], bodies = [] } = hello.robot;
        // scales of colours grow with what is seen
        this.description = { rods, actuators: actuators.map((one) => ({ ...one })), bodies };
        this.floating = !hello.robot.obstacles?.length;
        this.size = hello.robot.size;
        this.group = new Group();
        this.rods = rods.map((rod, i) =>
            this.makeRod(
                rod,
                actuators.some((a) => a.rod === i && isRoom(a)),
            ),
        );
        const halves = (factor) => (rod) => drawnHalves(rod, this.size, factor);
        this.ghosts = Array.from(
            { length: MOST_GHOSTS },
            (_, k) => new Other(rods, halves(1.02 + 0.01 * k)),
        );
        this.apart = null; // the direction in which ghosts stand beside the robot; null: they do not
        this.estimate = new Other(rods, halves(1.02 + 0.01 * MOST_GHOSTS));
        this.band = new Band(rods, halves(1), this.size);
        this.group.add(...this.ghosts.map(({ group }) => group), this.estimate.group, this.band.group);
        this.actuators = actuators.map((actuator) =>
            isRoom(actuator)
                ? this.makeRoom(actuator, rods[actuator.rod])
                : actuator.points > 0
                  ? this.makeLine(actuator)
                  : {},
        );
        this.bodies = new Bodies(bodies, this.size);
        this.obstacles = new Obstacles(hello.robot, this.size);
        this.group.add(this.obstacles.group);
        this.fields = new Fields(hello.robot, this.size);
        this.group.add(this.fields.group);
        // a body that carries obstacles looks as they do
        const carriers = (hello.robot.obstacles ?? []).map(({ on }) => on);
        this.bodies.meshes.forEach((mesh, i) => carriers.includes(i) || this.group.add(mesh));
        this.arrows = new Arrows(hello.robot, this.size);
        this.group.add(this.arrows.group);
        this.shadows = new Shadows([...this.rods.map(({ mesh }) => mesh), ...this.bodies.meshes]);
        this.group.add(this.shadows.group);
        this.bases = new Bases(hello.robot, this.size);
        this.group.add(this.bases.group);
        this.frames = new Frames(this.description, this.size);
        this.group.add(this.frames.line);
    }

    add(object) {
        object.frustumCulled = false;
        this.group.add(object);
        return object;
    }

    // A rod with rooms in it is drawn so that they show through.
    makeRod(rod, soft) {
        const tube = new Tube(drawnHalves(rod, this.size), { rectangle: Boolean(rod.width) });
        const material = new MeshStandardMaterial({
            roughness: 0.5,
            transparent: soft,
            opacity: soft ? 0.34 : 1,
            depthWrite: !soft,
        });
        return { tube, soft, mesh: this.add(new Mesh(tube.geometry, material)) };
    }

    makeLine(actuator) {
        const line = this.add(new WideLine(actuator.points, 2.6));
        return { line, hidden: this.add(line.seenThrough(HIDDEN)) };
    }

    makeRoom(actuator, rod) {
        const { first, count } = roomSpan(actuator, rod);
        const radius = new Float32Array(count).fill(actuator.radius);
        const tube = new Tube({ x: radius, y: radius }, { offset: actuator.offset });
        const mesh = this.add(
            new Mesh(tube.geometry, new MeshStandardMaterial({ roughness: 0.5 })),
        );
        return { tube, mesh, first, rod: actuator.rod };
    }

    // Where it is, with some room.
    bounds(frame) {
        const bodies = frame.bodies.map((state, k) => this.bodyBox(state, this.description.bodies[k]));
        const own = [
            ...frame.rods.flatMap((poses, k) => thicker(boxesAlong(poses, 7), this.description.rods[k])),
            ...frame.actuators.flatMap(({ points }) => boxesAlong(points, 3)),
            ...bodies,
        ];
        const robot = new Extent(own).whole();
        const around = [
            ...this.obstacles.bounds(frame, robot),
            ...this.obstacles.arrowBounds(frame),
            this.fields.bounds(frame, robot),
            ...this.arrows.bounds(frame),
        ];
        this.arrange(frame);
        const beside = this.ghosts.flatMap(({ group }, k) =>
            frame.rods.flatMap((_, rod) => {
                const there = this.apart && frame.ghosts[k];
                return boxesAlong(there ? frame.ghosts[k][rod] : [], 7).map((box) => box.translate(group.position));
            }),
        );
        const below = this.apart ? LABEL * this.size : 0;
        const roomy = (box) => {
            if (box.isEmpty()) return box;
            box.min.z -= below;
            return box.expandByScalar(ROOM * this.size);
        };
        return new Extent([...own, ...around, ...beside].map(roomy));
    }

    // However it is turned.
    bodyBox({ pose, attached }, { radius = 0, height = 0, size }) {
        const box = new Box3();
        if (!attached || !Number.isFinite(pose[0])) return box;
        const half = size ? 0.5 * Math.hypot(...size) : Math.hypot(radius, 0.5 * height);
        return box.expandByPoint(new Vector3().fromArray(pose)).expandByScalar(Math.min(half, this.size));
    }

    // Under the bases of rods that stand; as far below those that hang or reach out as they are
    // long, and below all points of those that nothing holds. Under all bodies.
    groundHeight(frame) {
        return Math.min(
            this.bodies.lowest(frame.bodies),
            ...frame.rods.map((poses, i) => {
                const { length, free } = this.description.rods[i];
                if (free && this.floating) return lowestOf(poses) - 0.6 * length;
                const up = 1 - 2 * (poses[4] ** 2 + poses[5] ** 2); // z of the tangent at the base
                const below =
                    up > 0.35 ? FLANGE * this.size : 1.2 * length;
                return poses[2] - below;
            }),
        );
    }

    setGround(height) {
        this.shadows.group.position.z = height;
    }

    paint(colours) {
        this.colours = colours;
        this.rods.forEach(({ mesh, soft }) =>
            mesh.material.color.setHex(soft ? colours.soft : colours.rod),
        );
        this.ghosts.forEach((ghost, k) => ghost.paint(colours.ghosts[k]));
        this.band.paint(colours.estimate);
        this.estimate.paint(colours.estimate);
        this.shadows.material.color.setHex(colours.shadow);
        this.bodies.paint(colours);
        this.bases.paint(colours);
        this.obstacles.paint(colours);
        this.arrows.paint(colours);
        this.fields.paint(colours);
        if (this.frame) this.update(this.frame);
    }

    update(frame) {
        this.frame = frame;
        this.rods.forEach(({ tube }, i) => tube.update(frame.rods[i]));
        this.updateActuators(frame);
        this.bodies.update(frame.bodies);
        this.obstacles.update(frame);
        this.arrows.update(frame);
        this.fields.update(frame);
        this.bases.update(frame);
        this.shadows.update();
        this.ghosts.forEach((ghost, k) => ghost.update(frame.ghosts[k]));
        this.arrange(frame);
        this.estimate.update(frame.estimate);
        this.band.update(frame.estimate, frame.spread);
        if (this.frames.line.visible) this.frames.update(frame);
    }

    // direction: a unit vector in which ghosts stand in a row beside the robot; null: they are drawn through it
    setApart(direction) {
        this.apart = direction;
        for (const ghost of this.ghosts) ghost.stand(direction !== null);
    }

    arrange(frame) {
        if (this.apart) setRow(this.ghosts, frame.rods, frame.ghosts, this.apart, this.size);
        else for (const { group } of this.ghosts) group.position.set(0, 0, 0);
    }

    // A colour scale ends at the largest effort of its kind so far, in round numbers.
    growScales(frame) {
        const { actuators } = this.description;
        frame.actuators.forEach(({ effort }, i) => {
            const { kind, largest } = actuators[i];
            if (!(Math.abs(effort) > 1.001 * largest) || !(largest > 0)) return;
            for (const one of actuators) if (one.kind === kind) one.largest = roundUp(Math.abs(effort));
            this.grown = true;
        });
    }

    updateActuators(frame) {
        this.growScales(frame);
        frame.actuators.forEach(({ points, effort }, i) => {
            const share = shareOf(effort, this.description.actuators[i].largest);
            const { line, hidden, tube, mesh, first, rod } = this.actuators[i];
            if (line) {
                this.updateLine(line, points, share);
                hidden.visible = line.visible;
                hidden.material.color.copy(line.material.color);
                hidden.material.linewidth = line.material.linewidth;
            } else if (tube) {
                tube.update(frame.rods[rod], first);
                mesh.material.color.copy(rampColour(this.colours.room, share));
            }
        });
    }

    updateLine(line, points, share) {
        line.visible = Number.isFinite(points[0]);
        if (!line.visible) return;
        line.setChain(points);
        line.material.color.copy(rampColour(this.colours.line, share));
        line.material.linewidth = share > 0.002 ? 2.8 : 1.6;
    }

    showArrows(on) {
        this.arrows.group.visible = on;
        if (on && this.frame) this.arrows.update(this.frame);
    }

    showFrames(on) {
        this.frames.line.visible = on;
        if (on && this.frame) this.frames.update(this.frame);
    }
}
