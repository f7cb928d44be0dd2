// The page as a whole: what comes from the program goes to the scene, the controls and the plots;
// what people do goes back.
import { Vector3 } from 'three';
import { byId } from './dom.js';
import { Recorder, download, fileName, savePicture } from './exports.js';
import { listenToKeys } from './keys.js';
import { Choices } from './panel/choices.js';
import { showHelp } from './panel/help.js';
import { Inputs } from './panel/inputs.js';
import { showApart, showLegend } from './panel/legend.js';
import { Loop } from './panel/loop.js';
import { Modes } from './panel/modes.js';
import { buildPanel, buildTools, sayRecording } from './panel/sections.js';
import { Sheets } from './panel/sheets.js';
import { Messages, Status } from './panel/status.js';
import { Past, Timeline } from './panel/timeline.js';
import { Transport } from './panel/transport.js';
import { Plots } from './plots/plots.js';
import { frameLayout, readFrame } from './protocol.js';
import { Replay } from './replay.js';
import { Axes } from './scene/axes.js';
import { Grab } from './scene/grab.js';
import { Labels } from './scene/labels.js';
import { makeGround } from './scene/ground.js';
import { Robot } from './scene/robot.js';
import { Stage } from './scene/stage.js';
import { chooseTheme, currentTheme } from './theme.js';
import { readable } from './units.js';

const TURN = Math.PI / 36;
const NUDGE = 0.05; // of the robot's size, for each press of an arrow while it is pulled

const GROUND = 0.6; // of the diagonal of what is seen

function disposeOf(group) {
    group.traverse(({ geometry, material }) => {
        geometry?.dispose();
        material?.dispose();
    });
}

// What is drawn of a robot; where it can be pulled changes with the model.
const drawnOf = (hello) =>
    JSON.stringify(hello.robot, (key, value) => (key === 'grips' ? undefined : value));

export class Page {
    constructor(link, token) {
        this.link = link;
        this.token = token;
        this.hello = null;
        this.frame = null;
        this.failed = null; // s, when the solver stopped
        this.stage = new Stage(byId('canvas'), currentTheme());
        this.messages = new Messages();
        this.status = new Status(() => this.send({ do: 'drive' }));
        this.transport = new Transport(byId('transport'), {
            toggle: () => this.toggle(),
            step: () => this.step(1),
            reset: () => this.reset(),
            speed: (x) => this.setSpeed(x),
        });
        this.transport.enable(false);
        this.past = new Past((time) => this.rewind(time));
        this.recorder = new Recorder(this.stage);
        this.choices = new Choices(
            (message) => this.send(message),
            () => this.toggleBeside(),
        );
        this.modes = new Modes((message) => {
            this.grab.release(); // nothing is pulled while a mode is shown
            this.send(message);
        });
        this.grab = new Grab(this.stage, () => this.grabState(), this.grabActions());
        this.stage.beforeDraw.push(() => this.drawFrame());
        const axes = new Axes(this.stage);
        const labels = new Labels();
        this.stage.beforeDraw.push(() => axes.update());
        this.stage.beforeDraw.push(() => labels.show(this.stage, this));
        buildTools(this.toolActions());
        this.sheets = new Sheets((name) => name === 'plots' && this.showPlots());
        this.listen();
        this.keys();
    }

    listen() {
        this.link.on('hello', (hello) => {
            try {
                this.greet(hello);
            } catch (error) {
                this.layout = null;
                this.messages.show(
                    'error',
                    'This page and the program do not fit together',
                    error.message,
                    { stay: true },
                );
            }
        });
        this.link.on('frame', (buffer) => this.receive(buffer));
        this.link.on('status', (status) => this.showStatus(status));
        this.link.on('failure', ({ message, time }) => {
            this.failed = time;
            this.messages.show(
                'failure',
                `The solver stopped at ${time.toFixed(3)} s`,
                `${message.replace(/\.?$/, '.')} The robot is left at its last good state.`,
                { stay: true },
            );
        });
        this.link.on('error', ({ message }) => {
            this.messages.show('error', 'Not taken', message);
            if (this.hello) this.choices.show(this.hello); // what was chosen did not come about
            this.modes.show(this.modes.shown);
        });
        this.link.on('note', ({ message }) => this.messages.show('note', 'Note', message));
        this.link.on('modes', (modes) => this.modes.fill(modes));
        this.link.on('inputs', ({ name, yaml }) =>
            download(new Blob([yaml], { type: 'application/yaml' }), name),
        );
        this.link.on('open', () => this.messages.remove('closed'));
        this.link.on('closed', ({ before }) => {
            this.enable(false);
            this.messages.show(
                'closed',
                before ? 'The connection is lost' : 'No connection',
                before
                    ? 'The program was stopped, or cannot be reached. Trying again.'
                    : 'The program does not answer. Open the address that it printed.',
                { stay: true },
            );
        });
    }

    keys() {
        const view = (name) => () => this.look(name);
        listenToKeys(
            {
                ' ': () => this.toggle(),
                '.': () => this.step(1),
                ',': () => this.step(-1),
                r: () => this.reset(),
                '[': () => this.goBack(),
                m: () => this.toggleModes(),
                f: () => this.toggleFrames(),
                l: () => this.toggleArrows(),
                e: () => this.toggleReach(),
                b: () => this.toggleBeside(),
                o: () => this.toggleFile(),
                p: () => this.togglePlots(),
                t: () => this.toggleTheme(),
                s: () => this.savePicture(),
                g: () => this.grab.takeNext(),
                '?': showHelp,
                '+': () => this.stage.zoom(0.85),
                '=': () => this.stage.zoom(0.85),
                '-': () => this.stage.zoom(1 / 0.85),
                1: view('corner'),
                2: view('front'),
                3: view('side'),
                4: view('top'),
            },
            this.stage.canvas,
            {
                ArrowLeft: () => this.arrow(-1, 0),
                ArrowRight: () => this.arrow(1, 0),
                ArrowUp: () => this.arrow(0, 1),
                ArrowDown: () => this.arrow(0, -1),
                Escape: () => this.grab.release(),
            },
        );
    }

    // Pulls at what is held, and turns the view otherwise.
    arrow(x, y) {
        if (this.grab.held) this.grab.nudge(NUDGE * x, NUDGE * y);
        else this.stage.turn(TURN * x, TURN * y);
    }

    toolActions() {
        return {
            picture: () => this.savePicture(),
            record: () => this.toggleRecording(),
            inputs: () => this.send({ do: 'export-inputs' }),
            table: () => this.saveTable(),
            theme: () => this.toggleTheme(),
            edit: () => this.toggleFile(),
            help: showHelp,
        };
    }

    send(message) {
        this.link.send(message);
    }

    // ------------------------------------------------------------ from the program
    // The first hello builds everything; a later one changes what may change. Where another robot
    // has taken the place of this one everything is built anew; where another program has, the page is its own.
    greet(hello) {
        if (this.hello !== null && (hello.opened !== this.hello.opened || drawnOf(this.hello) !== drawnOf(hello))) {
            if (hello.version !== this.hello.version) {
                location.reload();
                return;
            }
            this.clear();
        }
        const first = this.hello === null;
        this.hello = hello;
        if (first) this.build(hello);
        this.choices.show(hello);
        this.plots.name(hello.ghosts);
        this.modes.show(hello.mode ?? null);
        this.transport.setSpeed(hello.live ? hello.speed : (this.replay?.speed ?? 1));
        if (hello.live) this.transport.setPlaying(hello.playing);
        this.status.showRole(hello.driving, hello.live);
        this.enable(hello.driving || !hello.live);
        this.showLegend();
        this.standBeside(hello);
    }

    // Takes away what was built for a robot.
    clear() {
        this.grab.drop();
        this.modes.show(null);
        for (const { group } of [this.robot, this.ground].filter(Boolean)) {
            this.stage.scene.remove(group);
            disposeOf(group);
        }
        this.plots?.close();
        this.past.hide();
        this.messages.remove('failure');
        this.hello = this.frame = this.layout = this.robot = this.ground = null;
        this.fresh = false;
        this.enabled = undefined;
    }

    build(hello) {
        document.title = `${hello.robot.name || 'robot'} – Tendril`;
        byId('name').textContent = hello.robot.name || 'robot';
        document.body.classList.toggle('replay', !hello.live);
        this.layout = frameLayout(hello);
        this.robot = new Robot(hello);
        this.robot.paint(this.stage.colours);
        this.stage.scene.add(this.robot.group);
        this.inputs = new Inputs(
            hello,
            (message) => this.send(message),
            (title, words) => this.messages.show('note', title, words),
        );
        this.loop = new Loop(hello, (message) => this.send(message));
        buildPanel(
            this.inputs.node,
            this.loop,
            this.choices.node,
            this.modes.node,
            {
                look: (view) => this.look(view),
                frames: () => this.toggleFrames(),
                arrows: () => this.toggleArrows(),
                reach: () => this.toggleReach(),
                plots: () => this.togglePlots(),
            },
            hello,
        );
        this.plots = new Plots(hello, (time) => this.seekTime(time));
        if (!hello.live) this.loadReplay(hello);
    }

    async loadReplay({ model, replay: { ending } }) {
        this.status.replay(`replay, ${model}`);
        if (ending !== 'finished')
            this.messages.show('note', 'The run did not come to its end', ending, { stay: true });
        const answer = await fetch(`/replay?token=${encodeURIComponent(this.token)}`);
        if (!answer.ok) {
            this.messages.show(
                'error',
                'The recording cannot be read',
                `the program answered ${answer.status}`,
                { stay: true },
            );
            return;
        }
        this.replay = new Replay(
            this.layout,
            await answer.arrayBuffer(),
            (frame, index) => this.showReplay(frame, index),
            () => this.transport.setPlaying(this.replay.playing),
        );
        if (!this.replay.frames.length) {
            this.messages.show('error', 'Nothing to replay', 'the recording holds no frame', {
                stay: true,
            });
            return;
        }
        if (this.replay.frames.length > 1) this.timeline = new Timeline(this.replay);
        else this.togglePlots(); // an equilibrium: nothing changes over time
        this.plots.fill(this.replay.frames);
        this.replay.seek(0);
        this.fit();
        this.replay.setPlaying(this.replay.frames.length > 1);
    }

    showReplay(frame, index) {
        this.show(frame);
        this.timeline?.show(frame, index);
        this.plots.mark(frame.time);
    }

    receive(buffer) {
        const frame = this.layout && readFrame(this.layout, buffer);
        if (!frame) return;
        this.show(frame);
        this.forget(frame);
        if (this.modes.shown === null) this.plots.push(frame);
        this.transport.setPlaying(frame.playing);
    }

    // A failure is over where time is another, also when it was told after a reset was asked for.
    forget({ time }) {
        if (this.failed === null || Math.abs(time - this.failed) < 1e-6) return;
        this.messages.remove('failure');
        this.failed = null;
    }

    show(frame) {
        const first = this.frame === null;
        this.frame = frame;
        this.fresh = true;
        this.framesShown = (this.framesShown ?? 0) + 1;
        if (first) this.stand(frame);
        this.stage.invalidate();
    }

    showStatus(status) {
        this.status.show(status, this.hello.speed, this.modes.shown);
        this.status.showRole(status.driving, this.hello.live);
        this.enable(status.driving);
        this.inputs.setFollows(status.follows);
        this.past.show(status);
        this.loop.show(status);
        this.costs = { main: status, ghosts: status.ghosts ?? [] };
        this.choices.showCosts(this.costs);
    }

    // ------------------------------------------------------------ the scene
    // Ground and camera, once the first frame tells where the robot is.
    stand(frame) {
        this.groundHeight = this.robot.groundHeight(frame);
        this.bounds = this.robot.bounds(frame);
        this.layGround(this.bounds.whole());
        this.robot.setGround(this.groundHeight);
        this.stage.begin(this.bounds);
    }

    // Large enough for what is seen, below it; anew where that has become much more, or has gone away.
    layGround(box) {
        const size = Math.max(this.robot.size, GROUND * box.getSize(new Vector3()).length());
        const middle = box.getCenter(new Vector3());
        if (this.ground && size < 1.6 * this.ground.size && this.ground.holds(middle)) return;
        if (this.ground) {
            this.stage.scene.remove(this.ground.group);
            disposeOf(this.ground.group);
        }
        this.ground = makeGround(size, this.groundHeight, middle);
        this.ground.paint(this.stage.colours);
        this.stage.scene.add(this.ground.group);
        byId('scale').textContent = `grid ${readable(this.ground.step, 'm')}`;
    }

    // A recording is known in full: the view holds all of it.
    fit() {
        const every = Math.max(1, Math.floor(this.replay.frames.length / 60));
        const bounds = this.bounds.clone();
        this.replay.frames.forEach((frame, i) => {
            if (i % every === 0) bounds.union(this.robot.bounds(frame));
        });
        this.bounds = bounds;
        this.layGround(bounds.whole());
        this.stage.lookAt(bounds);
    }

    drawFrame() {
        if (!this.fresh) return;
        this.fresh = false;
        this.robot.update(this.frame);
        if (this.robot.grown) this.showLegend();
        this.transport.setTime(this.frame.time);
        this.inputs.show(this.frame.inputs);
        this.grab.update();
        showApart(this.frame, this.robot);
        if (this.replay) return;
        this.stage.follow(this.robot.bounds(this.frame));
        this.layGround(this.stage.extent.whole());
    }

    showLegend() {
        this.robot.grown = false;
        showLegend(this.hello, this.robot.description.actuators, this.stage.colours);
    }

    look(view) {
        if (!this.bounds) return;
        if (this.robot.apart && view !== 'same') this.setApart(this.stage.rightward(view));
        this.stage.lookAt(this.bounds.clone().union(this.robot.bounds(this.frame)), view);
    }

    // Ghosts through the robot, or beside it: to the right, as it is seen now.
    toggleBeside() {
        if (!this.hello?.ghosts.some(Boolean)) return;
        this.beside = !this.beside;
        this.standBeside(this.hello);
        if (this.frame) this.look('same');
    }

    standBeside({ ghosts }) {
        if (!this.robot) return;
        const on = Boolean(ghosts.some(Boolean) && this.beside);
        this.choices.showBeside(ghosts.some(Boolean), on);
        this.stage.canvas.parentElement.classList.toggle('apart', on); // names are below them, and the legend above
        if (on !== Boolean(this.robot.apart)) this.setApart(on ? this.stage.rightward() : null);
    }

    // It stands there at once, also while time is held and no frame comes.
    setApart(direction) {
        this.robot.setApart(direction);
        this.fresh = this.frame !== null;
        this.stage.invalidate();
    }

    grabState() {
        const { hello, frame } = this;
        const allowed = Boolean(hello?.live && hello.driving) && this.modes.shown === null;
        return { frame, hello, allowed };
    }

    grabActions() {
        const label = byId('pull');
        return {
            grab: (what) => this.send({ do: 'grab', ...what }),
            pull: (force) => this.send({ do: 'pull', force }),
            release: () => this.send({ do: 'release' }),
            reach: (what, position) => this.send({ do: 'reach', ...what, position }),
            shown: (place, size, unit) => {
                label.hidden = place === null;
                if (!place) return;
                label.textContent = readable(size, unit);
                const [x, y] = [Math.round(place.x + 14), Math.round(place.y - 12)];
                label.style.transform = `translate(${x}px, ${y}px)`;
            },
        };
    }

    // ------------------------------------------------------------ what people do
    enable(on) {
        const live = this.hello?.live ?? false;
        if (this.enabled === on) return;
        this.enabled = on;
        this.transport.enable(on);
        this.inputs?.enable(on && live);
        this.loop?.enable(on && live);
        this.choices.enable(on && live);
        this.modes.enable(on && live);
        this.past.enable(on && live);
        this.editor?.enable(on && live);
    }

    toggle() {
        if (this.replay) this.replay.setPlaying(!this.replay.playing);
        else this.send({ do: this.transport.playing ? 'pause' : 'play' });
        if (!this.transport.playing) this.messages.remove('failure');
    }

    step(count) {
        if (this.replay) this.replay.step(count);
        else if (count > 0) this.send({ do: 'step' });
    }

    reset() {
        this.messages.remove('failure');
        if (this.replay) {
            this.replay.seek(0);
            return;
        }
        this.grab.drop(); // as the program does
        this.send({ do: 'reset' });
    }

    // Only what is live has a past to go back to; a recording has its time line.
    rewind(time) {
        this.messages.remove('failure');
        this.grab.drop(); // as the program does
        this.send({ do: 'rewind', value: time });
    }

    goBack() {
        if (this.replay) this.replay.seekTime(this.replay.time - 1);
        else if (this.enabled && this.frame) this.rewind(this.frame.time - 1);
    }

    // ------------------------------------------------------------ the robot file
    takeEditor(editor) {
        this.editor = editor;
        document.body.classList.add('has-file');
        editor.enable(this.enabled ?? true);
    }

    // Beside the robot, or as a sheet over it.
    toggleFile() {
        if (!this.editor) return;
        if (this.sheets.shownHere()) this.sheets.toggle('editor');
        else document.body.classList.toggle('show-file');
    }

    toggleModes() {
        if (this.enabled && this.hello?.live) this.modes.toggle();
    }

    setSpeed(speed) {
        if (this.replay) this.replay.speed = speed;
        else this.send({ do: 'speed', value: speed });
    }

    seekTime(time) {
        if (!this.replay) return;
        this.replay.setPlaying(false);
        this.replay.seekTime(time);
    }

    toggleFrames() {
        if (!this.robot) return;
        const on = !this.robot.frames.line.visible;
        this.robot.showFrames(on);
        const box = byId('show-frames');
        if (box) box.checked = on;
        this.stage.invalidate();
    }

    toggleArrows() {
        if (!this.robot) return;
        const on = !this.robot.arrows.group.visible;
        this.robot.showArrows(on);
        const box = byId('show-arrows');
        if (box) box.checked = on;
        this.stage.invalidate();
    }

    // What is dragged: pulled, or brought to the pointer by the inputs.
    toggleReach() {
        const box = byId('reach');
        if (!box) return;
        this.grab.release();
        this.grab.reaching = !this.grab.reaching;
        box.checked = this.grab.reaching;
    }

    togglePlots() {
        const on = document.body.classList.toggle('no-plots');
        byId('plots').hidden = on;
        const box = byId('show-plots');
        if (box) box.checked = !on;
        if (!on) this.plots?.draw();
    }

    // As a sheet, whatever the switch for large screens says.
    showPlots() {
        if (byId('plots').hidden) this.togglePlots();
        else this.plots?.draw();
    }

    toggleTheme() {
        chooseTheme(currentTheme() === 'dark' ? 'light' : 'dark');
        this.stage.setTheme(currentTheme());
        this.robot?.paint(this.stage.colours);
        this.ground?.paint(this.stage.colours);
        this.plots?.remake();
        if (this.replay) this.plots.mark(this.replay.time);
        if (this.hello) this.showLegend();
    }

    savePicture() {
        savePicture(this.stage, fileName(this.hello?.robot.name, 'png'));
    }

    saveTable() {
        if (!this.plots) return;
        const table = new Blob([this.plots.table(this.hello)], { type: 'text/csv' });
        download(table, fileName(this.hello.robot.name, 'csv'));
    }

    toggleRecording() {
        if (this.recorder.recording) this.recorder.stop();
        else if (!this.recorder.start(fileName(this.hello?.robot.name, 'webm'))) {
            this.messages.show('error', 'No animation', 'this browser cannot record a canvas');
        }
        sayRecording(this.recorder.recording);
    }
}
