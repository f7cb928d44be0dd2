// Pulling at the robot, or dragging it to a place that its actuators bring it to: a press near a rod or on a free body takes hold of it; the force is
// proportional to how far the pointer, or the target of the arrow keys, has gone since, in the plane through that point that faces
// the viewer. It does not depend on how the robot moves meanwhile: a force that did, with the delay
// of the way to the page and back, would feed energy into every swing.
import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import { WideLine } from './lines.js';

const REACH = 16; // pixels from the middle of a thin rod within which a press takes hold of it
const BODY_REACH = 26;
const FINGER = 2; // times as far, with a finger
const SEND_EVERY_MS = 30;

// The nearest thing to a place on the canvas that can be held: {rod, i} or {body}, with its
// distance in pixels.
function nearest(stage, frame, robot, { x, y, wider }) {
    const best = { distance: Infinity };
    const point = new Vector3();
    const look = (xyz, at, reach, radius, what) => {
        const seen = stage.project(point.fromArray(xyz, at));
        const distance = Math.hypot(seen.x - x, seen.y - y);
        if (
            distance <= Math.max(wider * reach, radius * stage.pixelsPerMetre(point)) &&
            distance < best.distance &&
            !seen.behind
        )
            Object.assign(best, { distance, what });
    };
    robot.bodies.forEach((body, k) => {
        if (body.grip && frame.bodies[k].attached)
            look(frame.bodies[k].pose, 0, BODY_REACH, 0, { body: k });
    });
    robot.rods.forEach((rod, k) => {
        if (!rod.grips?.length) return;
        for (let i = 1; i < rod.points; i++)
            look(frame.rods[k], 7 * i, REACH, rod.radius[i], { rod: k, i });
    });
    return best.what ?? null;
}

export class Grab {
    // ask: () => ({frame, hello, allowed}); tell: {grab(what), pull(force), release(), shown(place,
    // newtons)}
    constructor(stage, ask, tell) {
        Object.assign(this, { stage, ask, tell });
        this.held = null;
        this.reaching = false; // what is dragged is pulled, or brought to the pointer by the inputs
        this.band = new WideLine(2, 4, { depthTest: false });
        this.band.visible = false;
        this.band.renderOrder = 10;
        stage.scene.add(this.band);
        this.ray = new Raycaster();
        this.plane = new Plane();
        this.target = new Vector3();
        this.listen(stage.canvas);
    }

    listen(canvas) {
        // before the orbit controls, which must not turn the view meanwhile
        canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
        canvas.addEventListener('pointermove', (event) => this.move(event));
        for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
            canvas.addEventListener(end, (event) => this.held?.press?.pointerId === event.pointerId && this.release());
        }
    }

    place(event) {
        const box = this.stage.canvas.getBoundingClientRect();
        const wider = event.pointerType === 'touch' ? FINGER : 1;
        return { x: event.clientX - box.left, y: event.clientY - box.top, box, wider };
    }

    // A second finger means the view, not the robot: what the first one holds is let go, and both are given to the view.
    handOver() {
        const first = this.held.press;
        this.release();
        const { pointerId, pointerType, clientX, clientY, isPrimary } = first;
        this.handing = true;
        this.stage.canvas.dispatchEvent(
            new PointerEvent('pointerdown', { pointerId, pointerType, clientX, clientY, isPrimary, bubbles: true }),
        );
        this.handing = false;
    }

    press(event) {
        if (this.handing) return;
        if (!event.isPrimary) {
            if (this.held?.press) this.handOver();
            return;
        }
        const { frame, hello, allowed } = this.ask();
        if (event.button !== 0 || !frame || !allowed || event.shiftKey || event.ctrlKey) return;
        const what = nearest(this.stage, frame, hello.robot, this.place(event));
        if (!what) return;
        event.stopImmediatePropagation();
        this.stage.canvas.setPointerCapture(event.pointerId);
        this.stage.canvas.classList.add('pulling');
        this.take(what);
        if (this.held) this.held.press = event;
    }

    take(what, byKey = false) {
        const { frame, hello } = this.ask();
        this.held = { ...what, byKey, sent: 0 };
        this.start = this.point(frame);
        this.target.copy(this.start);
        this.held.place =
            'rod' in what ? { rod: what.rod, s: hello.robot.rods[what.rod].s[what.i] } : what;
        this.held.reaching = this.reaching;
        if (!this.reaching) this.tell.grab(this.held.place);
        this.update();
    }

    // From the keyboard: the tip of the first rod, of the next one, and after the last nothing.
    takeNext() {
        const { frame, hello, allowed } = this.ask();
        if (!frame || !allowed) return;
        const { rods } = hello.robot;
        const after = this.held?.byKey ? this.held.rod : -1;
        const next = rods.findIndex((rod, k) => k > after && rod.grips?.length);
        if (next < 0) {
            this.release();
            return;
        }
        this.stage.canvas.focus(); // arrows are for the scene now
        this.take({ rod: next, i: rods[next].points - 1 }, true);
    }

    // Moves what pulls: to the right and up as the viewer sees it, in parts of the robot's size.
    nudge(right, up) {
        const { size } = this.ask().hello.robot;
        const axis = new Vector3();
        const { camera } = this.stage;
        camera.updateMatrixWorld(); // it may have moved since the last picture
        this.target.addScaledVector(axis.setFromMatrixColumn(camera.matrixWorld, 0), right * size);
        this.target.addScaledVector(axis.setFromMatrixColumn(camera.matrixWorld, 1), up * size);
        this.held.sent = 0;
        this.update();
    }

    point(frame) {
        const { rod, i, body } = this.held;
        if (body !== undefined) return new Vector3().fromArray(frame.bodies[body].pose);
        return new Vector3().fromArray(frame.rods[rod], 7 * i);
    }

    move(event) {
        if (!this.held || this.held.byKey) {
            this.hover(event);
            return;
        }
        if (event.pointerId !== this.held.press.pointerId) return;
        const { x, y, box } = this.place(event);
        this.ray.setFromCamera(
            new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height),
            this.stage.camera,
        );
        const facing = this.stage.camera.getWorldDirection(new Vector3());
        this.plane.setFromNormalAndCoplanarPoint(facing, this.start);
        if (this.ray.ray.intersectPlane(this.plane, this.target)) this.update();
    }

    hover(event) {
        const { frame, hello, allowed } = this.ask();
        if (!frame || event.buttons) return;
        const near = allowed && nearest(this.stage, frame, hello.robot, this.place(event)) !== null;
        this.stage.canvas.classList.toggle('near', near);
    }

    // For every move of the pointer and every frame.
    update() {
        const { frame, hello, allowed } = this.ask();
        if (this.held && (!allowed || (this.held.taken && !frame.grab))) this.drop();
        if (!this.held) {
            this.watch(frame, hello);
            return;
        }
        this.held.taken ||= frame.grab !== null; // the program has it; later frames tell if no more
        const from = this.point(frame);
        if (this.held.reaching) {
            this.aim(from);
            return;
        }
        const force = this.target.clone().sub(this.start).multiplyScalar(hello.force_scale);
        const now = performance.now();
        if (now - this.held.sent >= SEND_EVERY_MS) {
            this.held.sent = now;
            this.tell.pull(force.toArray());
        }
        this.draw(from, this.target, force.length());
    }

    // The inputs follow the pointer: the robot is to bring what is held there.
    aim(from) {
        const now = performance.now();
        if (now - this.held.sent >= SEND_EVERY_MS && !this.target.equals(this.aimed ?? from)) {
            this.held.sent = now;
            this.aimed = this.target.clone();
            this.tell.reach(this.held.place, this.target.toArray());
        }
        this.draw(from, this.target, from.distanceTo(this.target), 'm');
    }

    // Somebody else pulls.
    watch(frame, hello) {
        if (!frame?.grab) {
            this.hide();
            return;
        }
        const from = new Vector3().fromArray(frame.grab);
        const force = new Vector3().fromArray(frame.grab, 3);
        this.draw(from, force.clone().divideScalar(hello.force_scale).add(from), force.length());
    }

    draw(from, to, size, unit = 'N') {
        this.band.setSegments([...from.toArray(), ...to.toArray()]);
        this.band.material.color.setHex(this.stage.colours.pull);
        this.band.visible = true;
        this.tell.shown(this.stage.project(to), size, unit);
        this.stage.invalidate();
    }

    hide() {
        if (!this.band.visible) return;
        this.band.visible = false;
        this.tell.shown(null, 0);
        this.stage.invalidate();
    }

    // Without a word to the program, which has let go by itself.
    drop() {
        this.held = null;
        this.stage.canvas.classList.remove('pulling');
        this.hide();
    }

    release() {
        if (!this.held) return;
        const { reaching } = this.held;
        this.drop();
        if (!reaching) this.tell.release();
    }
}
