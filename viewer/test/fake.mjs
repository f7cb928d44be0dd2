// A stand-in for the program: a made-up arm of constant curvature that follows two tendons, told in
// the words of docs/view-protocol.md. It lets tests bring about at will what a solver does rarely:
// a failure, time that is not held, a second page that drives. Run alone, it serves the page for
// work on it:
//     node test/fake.mjs [PORT]
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2',
};
const POINTS = 21;
const LENGTH = 0.3;

const FAKE_MODES = [
    { frequency: 3.5, damping: 0.022, kind: 'oscillates' },
    { frequency: 8, damping: 1, kind: 'decays' },
    { frequency: 12.25, damping: -0.01, kind: 'flutters' },
];

export function fakeHello(change = {}) {
    const s = Array.from({ length: POINTS }, (_, i) => (i * LENGTH) / (POINTS - 1));
    return {
        type: 'hello',
        protocol: 1,
        version: '0',
        live: true,
        opened: 0,
        file: 'arm.yaml',
        driving: true,
        watchers: 1,
        robot: {
            name: 'stand-in',
            size: LENGTH,
            gravity: [0, 0, -9.81],
            rods: [
                {
                    name: 'arm',
                    length: LENGTH,
                    points: POINTS,
                    s,
                    radius: s.map(() => 0.012),
                    width: null,
                    height: null,
                    envelope: 0.02,
                    grips: [0.1, 0.2, 0.3],
                },
            ],
            actuators: [
                {
                    name: 'east',
                    kind: 'tendon',
                    effort: 'tension',
                    unit: 'N',
                    rod: 0,
                    points: POINTS,
                    input: 0,
                    given: 'tension',
                    from: 0,
                    to: LENGTH,
                    largest: 10,
                },
                {
                    name: 'west',
                    kind: 'tendon',
                    effort: 'tension',
                    unit: 'N',
                    rod: 0,
                    points: POINTS,
                    input: 1,
                    given: 'tension',
                    from: 0,
                    to: LENGTH,
                    largest: 10,
                },
                {
                    name: 'air',
                    kind: 'chamber',
                    effort: 'pressure',
                    unit: 'Pa',
                    rod: 0,
                    points: 0,
                    offset: [0, 0.005],
                    radius: 0.003,
                    from: 0,
                    to: LENGTH,
                    input: 2,
                    given: 'pressure',
                    largest: 6e4,
                },
            ],
            bodies: [
                {
                    name: 'disc',
                    rod: 0,
                    shape: 'cylinder',
                    radius: 0.02,
                    height: 0.002,
                    size: null,
                    centre: [0, 0, 0],
                    grip: false,
                },
                {
                    name: 'plate',
                    rod: null,
                    shape: 'box',
                    radius: null,
                    height: null,
                    size: [0.04, 0.03, 0.02],
                    centre: [0, 0, 0.01],
                    grip: true,
                },
            ],
        },
        frame: {
            floats: 7 * POINTS + 2 * (3 * POINTS + 2) + 2 + 2 * 8 + 5 + 4 + 2 + 6,
            ghost_floats: 7 * POINTS,
        },
        inputs: [
            { name: 'east', unit: 'N', kind: 'tension', value: 0, min: 0, max: 10, follows: true },
            { name: 'west', unit: 'N', kind: 'tension', value: 0, min: 0, max: 10, follows: true },
            {
                name: 'air',
                unit: 'Pa',
                kind: 'pressure',
                value: 3e4,
                min: 0,
                max: 6e4,
                follows: true,
            },
            {
                name: 'gravity.z',
                unit: 'm/s^2',
                kind: 'gravity',
                value: -9.81,
                min: -20,
                max: 20,
                follows: true,
            },
        ],
        sensors: [
            { name: 'camera.x', unit: 'm' },
            { name: 'motor', unit: 'A' },
        ],
        controllers: [
            { name: 'place', on: true },
            { name: 'brake', on: false },
        ],
        models: [
            { name: 'cosserat', title: 'rods', can: true, why: '', schemes: ['bdf2', 'bdf-alpha'] },
            { name: 'eba', title: 'segments', can: true, why: '', schemes: ['newmark'] },
            { name: 'srl', title: 'links', can: false, why: 'it has no chambers', schemes: [] },
        ],
        model: 'cosserat',
        scheme: 'bdf2',
        step: 0.01,
        speed: 1,
        playing: true,
        ghosts: [null, null, null, null],
        mode: null,
        force_scale: 20,
        replay: null,
        ...change,
    };
}

// p and q of an arc in the x-z plane, and the tendons beside it.
function arc(curvature, side) {
    const poses = [],
        beside = [];
    for (let i = 0; i < POINTS; i++) {
        const s = (i * LENGTH) / (POINTS - 1),
            angle = curvature * s;
        const x = Math.abs(curvature) < 1e-6 ? 0 : (1 - Math.cos(angle)) / curvature;
        const z = Math.abs(curvature) < 1e-6 ? s : Math.sin(angle) / curvature;
        poses.push(x, 0, z, Math.cos(angle / 2), 0, Math.sin(angle / 2), 0);
        beside.push(x + side * Math.cos(angle), 0, z - side * Math.sin(angle));
    }
    return { poses, beside };
}

export function fakeFrame(hello, { time, curvature, inputs, grab, ghosts, estimate, spread, playing }) {
    const { poses, beside } = arc(curvature, 0.018);
    const tip = poses.slice(-7);
    const floats = [
        ...poses,
        ...beside,
        inputs[0],
        LENGTH,
        ...arc(curvature, -0.018).beside,
        inputs[1],
        LENGTH,
        inputs[2],
        1e-5,
        ...tip,
        1,
        0.15,
        0.1,
        0,
        1,
        0,
        0,
        0,
        1,
        0.01,
        0.02 * curvature ** 2,
        0.03,
        0,
        0.01,
        ...inputs,
        3,
        1,
        ...(grab ?? [0, 0, 0, 0, 0, 0]),
    ];
    (ghosts ?? []).forEach((there, k) => there && floats.push(...arc((0.8 - 0.2 * k) * curvature, 0).poses));
    if (estimate) {
        floats.push(...arc(0.9 * curvature, 0).poses);
        for (let i = 0; i < POINTS; i++) floats.push(...(spread ?? [1e-8, 0, 0, 4e-8, 0, 0]).map((x) => x * (i / (POINTS - 1)) ** 2));
    }
    const bytes = Buffer.alloc(16 + 4 * floats.length);
    bytes.writeUInt32LE(0x31464454, 0);
    const flags = (ghosts ?? []).reduce(
        (all, there, k) => all | (there ? 16 << k : 0),
        (playing ? 2 : 0) | (grab ? 4 : 0) | (estimate ? 8 : 0),
    );
    bytes.writeUInt32LE(flags, 4);
    bytes.writeDoubleLE(time, 8);
    floats.forEach((x, i) => bytes.writeFloatLE(x, 16 + 4 * i));
    return bytes;
}

// ---------------------------------------------------------------- WebSocket, as little as needed
function socketFrame(data) {
    const body = Buffer.from(data);
    const head =
        body.length < 126
            ? Buffer.from([0, body.length])
            : Buffer.from([0, 126, body.length >> 8, body.length & 255]);
    head[0] = 0x80 | (typeof data === 'string' ? 1 : 2);
    return Buffer.concat([head, body]);
}

// Messages of a browser: masked, short, whole.
function readMessages(state, chunk, take) {
    state.rest = Buffer.concat([state.rest ?? Buffer.alloc(0), chunk]);
    for (;;) {
        const { rest } = state;
        if (rest.length < 6) return;
        let size = rest[1] & 127,
            at = 2;
        if (size === 126) {
            size = rest.readUInt16BE(2);
            at = 4;
        }
        if (rest.length < at + 4 + size) return;
        const mask = rest.subarray(at, at + 4);
        const body = Buffer.from(rest.subarray(at + 4, at + 4 + size)).map(
            (byte, i) => byte ^ mask[i % 4],
        );
        if ((rest[0] & 15) === 1) take(JSON.parse(body.toString()));
        state.rest = rest.subarray(at + 4 + size);
    }
}

export class Fake {
    constructor(change) {
        this.hello = fakeHello(change);
        this.state = {
            time: 0,
            curvature: 0,
            inputs: this.hello.inputs.map(({ value }) => value),
            grab: null,
            playing: true,
        };
        this.follows = this.hello.inputs.map(() => true);
        this.controls = this.hello.controllers.map(({ on }) => on);
        this.heard = [];
        this.sockets = new Set();
        this.server = createServer((request, response) => this.serve(request, response));
        this.server.on('upgrade', (request, socket) => this.upgrade(request, socket));
    }

    async listen(port = 0) {
        await new Promise((done) => this.server.listen(port, '127.0.0.1', done));
        this.timer = setInterval(() => this.tick(), 25);
        this.address = `http://127.0.0.1:${this.server.address().port}/?token=T`;
        return this.address;
    }

    close() {
        clearInterval(this.timer);
        this.sockets.forEach((socket) => socket.destroy());
        this.server.close();
    }

    serve(request, response) {
        const { pathname } = new URL(request.url, 'http://localhost');
        if (pathname === '/file') {
            response.writeHead(200, { 'Content-Type': 'text/plain' }).end('tendril: 1\n');
            return;
        }
        const file = join(DIST, pathname === '/' ? 'index.html' : pathname);
        if (!existsSync(file)) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { 'Content-Type': TYPES[extname(file)] });
        createReadStream(file).pipe(response);
    }

    upgrade(request, socket) {
        if (this.refuses) {
            socket.destroy();
            return;
        }
        const key = createHash('sha1')
            .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
            .digest('base64');
        socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
                `Sec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: tendril\r\n\r\n`,
        );
        this.sockets.add(socket);
        const state = {};
        socket.on('data', (chunk) => readMessages(state, chunk, (message) => this.take(message)));
        socket.on('close', () => this.sockets.delete(socket));
        socket.on('error', () => this.sockets.delete(socket));
        this.say(this.hello);
    }

    say(message) {
        const data = Buffer.isBuffer(message) ? message : JSON.stringify(message);
        this.sockets.forEach((socket) => socket.write(socketFrame(data)));
    }

    // Some fields of the hello change, and the page is told.
    change(fields) {
        Object.assign(this.hello, fields);
        this.say(this.hello);
    }

    take(message) {
        this.heard.push(message);
        const { state } = this;
        const actions = {
            play: () => this.change({ playing: (state.playing = true) }),
            pause: () => this.change({ playing: (state.playing = false) }),
            step: () => this.advance(0.01),
            reset: () => Object.assign(state, { time: 0, curvature: 0, grab: null }),
            set: () => {
                state.inputs[message.input] = message.value;
                this.follows[message.input] = false;
            },
            follow: () => {
                this.follows[message.input] = true;
            },
            model: () =>
                this.change({
                    model: message.name ?? this.hello.model,
                    step: message.step ?? this.hello.step,
                }),
            ghost: () => {
                const ghosts = this.hello.ghosts.map((name) =>
                    message.name === null || (name === message.name && message.value === 0) ? null : name,
                );
                if (message.value !== 0 && message.name !== null && !ghosts.includes(message.name))
                    ghosts[ghosts.indexOf(null)] = message.name;
                state.ghosts = ghosts;
                this.change({ ghosts });
            },
            switch: () => {
                this.controls[message.controller] = message.value !== 0;
            },
            modes: () => this.showModes(message),
            drive: () => this.change({ driving: true }),
            grab: () => {
                state.grab = [0, 0, LENGTH, 0, 0, 0];
            },
            pull: () => {
                if (state.grab) state.grab = [0, 0, LENGTH, ...message.force];
            },
            release: () => {
                state.grab = null;
            },
            'export-inputs': () =>
                this.say({ type: 'inputs', name: 'stand-in-inputs.yaml', yaml: 'tendril: 1\n' }),
        };
        actions[message.do]?.();
    }

    showModes({ mode = this.hello.mode ?? 0 }) {
        if (mode !== null && this.hello.mode === null)
            this.say({ type: 'modes', total: 30, note: '', period: 1.5, modes: FAKE_MODES });
        if (mode !== this.hello.mode) this.change({ mode });
    }

    advance(dt) {
        const { state } = this;
        const target =
            0.6 * (state.inputs[0] - state.inputs[1]) + (state.grab ? 2 * state.grab[3] : 0);
        state.curvature += (target - state.curvature) * Math.min(5 * dt, 1);
        state.time += dt;
    }

    tick() {
        if (this.state.playing) this.advance(0.025);
        this.say(fakeFrame(this.hello, this.state));
        this.say({
            type: 'status',
            time: this.state.time,
            playing: this.state.playing,
            ratio: 1,
            held: true,
            behind_s: 0,
            iterations: 3,
            step_seconds: 2e-4,
            ghosts: this.hello.ghosts.map((name, k) => name && { time: this.state.time, iterations: 2, step_seconds: 1e-4 * (k + 1) }),
            cpu: 0.1,
            watchers: 1,
            driving: this.hello.driving,
            follows: this.follows,
            grabbed: false,
            readings: [0.0125 + 0.001 * this.state.time, -0.25],
            controls: this.controls,
            ...this.status,
        });
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const fake = new Fake();
    console.log(await fake.listen(Number(process.argv[2] ?? 0)));
}
