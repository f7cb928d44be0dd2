// The stage: renderer, camera, light, ground. It draws when something changed, not all the time, so
// that a page at rest costs nothing.
import {
    Color,
    DirectionalLight,
    HemisphereLight,
    MOUSE,
    PerspectiveCamera,
    Scene,
    Vector3,
    WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { sceneColours } from './colours.js';

const FIELD_OF_VIEW = 32;
const EASE_MS = 160; // in which most of the way is gone
const NEARER_MS = 1500; // the same where the robot has gone away
const SMALL = 0.5; // of all that is kept in view
const LONGEST_MS = 500; // between two pictures, as far as steps of the camera go
const SHARPEST = 2; // device pixels per pixel; more costs much and shows little

// Where the camera stands for each named view, as a direction from the robot.
const VIEWS = {
    corner: [1.28, -1.15, 0.62], // in none of the planes in which robots with three or four tendons bend
    front: [0, -1, 0.08],
    side: [1, 0, 0.08],
    top: [0, -0.001, 1],
};

export class Stage {
    constructor(canvas, theme) {
        this.canvas = canvas;
        this.renderer = new WebGLRenderer({
            canvas,
            antialias: true,
            stencil: true,
            powerPreference: 'high-performance',
        });
        this.scene = new Scene();
        this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.001, 100);
        this.camera.up.set(0, 0, 1);
        this.scene.add(this.camera);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
        this.controls.addEventListener('change', () => this.invalidate());
        this.controls.addEventListener('start', () => {
            this.moved = true;
        });
        this.light();
        this.beforeDraw = [];
        this.framesDrawn = 0;
        this.setTheme(theme);
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(canvas.parentElement);
        window.addEventListener('resize', () => this.resize()); // another screen has other pixels
        this.resize();
    }

    light() {
        this.sky = new HemisphereLight(0xffffff, 0xb8c2cc, 1.9);
        this.sky.position.set(0, 0, 1);
        this.key = new DirectionalLight(0xffffff, 1.8);
        this.key.position.set(-0.6, 0.9, 0.8); // over the viewer's shoulder
        this.camera.add(this.key);
        this.scene.add(this.sky);
    }

    setTheme(theme) {
        this.theme = theme;
        this.colours = sceneColours(theme);
        this.scene.background = new Color(this.colours.background);
        this.invalidate();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
        if (!width || !height) return;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, SHARPEST));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.extent && !this.moved) this.stand(this.direction());
        this.invalidate();
    }

    // Where the camera must stand, in a direction, to see all corners and no more: a point at (x, y), z nearer, is on the screen where
    // |x - a| <= (d - z) slope. So a and d follow from the largest of x + z slope and of -x + z slope.
    placeFor(corners, direction) {
        const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
        const above = new Vector3().crossVectors(direction, right);
        const slope = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
        const fit = (axis, share) => {
            const most = (sign) => Math.max(...corners.map((c) => sign * c.dot(axis) + share * c.dot(direction)));
            const [plus, minus] = [most(1), most(-1)];
            return { at: 0.5 * (plus - minus), far: (0.5 * (plus + minus)) / share };
        };
        const wide = fit(right, slope * this.camera.aspect);
        const high = fit(above, slope);
        const depths = corners.map((c) => c.dot(direction));
        const middle = 0.5 * (Math.min(...depths) + Math.max(...depths));
        const target = right.multiplyScalar(wide.at).addScaledVector(above, high.at).addScaledVector(direction, middle);
        return { target, distance: Math.max(wide.far, high.far) - middle };
    }

    // extent: where the robot is; view: one of VIEWS, or 'same', from where it is seen now
    lookAt(extent, view = 'corner') {
        this.extent = extent.clone();
        this.moved = false;
        this.stand(view === 'same' ? this.direction() : new Vector3(...VIEWS[view]).normalize());
    }

    // A robot that is new: seen from where the one before it was, and as near as a person chose where it takes the same room.
    begin(extent) {
        if (!this.extent) {
            this.lookAt(extent);
            return;
        }
        const [before, now] = [this.extent.diagonal(), extent.diagonal()];
        const alike = Math.max(before, now) < 1.5 * Math.min(before, now);
        const middle = extent.whole().getCenter(new Vector3());
        if (this.moved && alike && this.extent.whole().containsPoint(middle)) this.extent = extent.clone();
        else this.lookAt(extent, 'same');
    }

    // To the right on the screen, level with the ground.
    rightward(view = null) {
        const from = view ? new Vector3(...VIEWS[view]) : this.direction();
        return new Vector3().crossVectors(this.camera.up, from).normalize();
    }

    // Where the camera is seen from the middle of what it looks at.
    direction() {
        return this.camera.position.clone().sub(this.controls.target).normalize();
    }

    stand(direction) {
        const radius = 0.5 * this.extent.diagonal();
        const corners = this.extent.corners();
        if (!corners.length) return; // nothing of it is known
        const { target, distance } = this.placeFor(corners, direction);
        this.controls.target.copy(target);
        this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
        this.camera.near = 0.01 * radius;
        this.camera.far = 60 * radius;
        this.camera.updateProjectionMatrix();
        this.controls.minDistance = 0.1 * radius;
        this.controls.maxDistance = 15 * radius;
        this.controls.update();
        this.invalidate();
    }

    // Steps back, little by little, from a robot that grows out of the view, and goes after one that has gone away and become small in
    // it; never once a person has chosen where to stand.
    follow(extent) {
        const now = performance.now();
        const passed = Math.min(now - (this.followed ?? now), LONGEST_MS);
        this.followed = now;
        if (this.moved || !this.extent) return;
        const part = (ms) => 1 - Math.exp(-passed / ms);
        const far = extent.diagonal() < SMALL * this.extent.diagonal();
        if (!far && this.extent.contains(extent)) return;
        this.extent.approach(this.extent.clone().union(extent), part(EASE_MS));
        if (far) this.extent.approach(extent, part(NEARER_MS));
        this.stand(this.direction());
    }

    // Turn the view by angles, for the keyboard.
    turn(azimuth, height) {
        const { target } = this.controls;
        const arm = this.camera.position.clone().sub(target);
        arm.applyAxisAngle(this.camera.up, azimuth);
        const sideways = new Vector3().crossVectors(this.camera.up, arm).normalize();
        const raised = arm.clone().applyAxisAngle(sideways, -height);
        this.moved = true;
        if (Math.abs(raised.angleTo(this.camera.up) - Math.PI / 2) < 1.5) arm.copy(raised);
        this.camera.position.copy(target).add(arm);
        this.controls.update();
    }

    zoom(factor) {
        const { target, minDistance, maxDistance } = this.controls;
        const arm = this.camera.position.clone().sub(target).multiplyScalar(factor);
        this.moved = true;
        arm.clampLength(minDistance, maxDistance);
        this.camera.position.copy(target).add(arm);
        this.controls.update();
    }

    invalidate() {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.draw();
        });
    }

    draw() {
        for (const action of this.beforeDraw) action();
        this.renderer.render(this.scene, this.camera);
        this.framesDrawn++;
    }

    pixelsPerMetre(point) {
        const distance = this.camera.position.distanceTo(point);
        return (
            (0.5 * this.canvas.clientHeight) /
            (Math.tan((0.5 * this.camera.fov * Math.PI) / 180) * distance)
        );
    }

    // A point of the world in pixels of the canvas.
    project(point) {
        this.camera.updateMatrixWorld(); // it may have moved since the last picture
        const p = point.clone().project(this.camera);
        const { clientWidth: width, clientHeight: height } = this.canvas;
        return { x: 0.5 * (p.x + 1) * width, y: 0.5 * (1 - p.y) * height, behind: p.z > 1 };
    }
}
