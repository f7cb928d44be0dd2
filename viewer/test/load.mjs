// `tendril view` under load: many viewers of one robot on loopback, one of which never reads, and the
// one that drives asks for something at random all the time.
//     TENDRIL=build/tendril node test/load.mjs [SECONDS] [FILE] [SEED]
// It fails when a reader is short of frames, statuses, the last state or anything that all are told, when
// a viewer is closed, when the program ends, or when its memory grows after all that it keeps has been filled once: what it
// uses, by the allocator's own count (memory.c), and what it takes of the machine.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { example, startView } from './program.mjs';
import { MOST_GHOSTS } from '../src/protocol.js';
import { connect, pongMessage, reader, textMessage } from './socket.mjs';

const VIEWERS = 50;
const ASKED_PER_SECOND = 20;
const LONGEST_SILENCE_MS = 30000; // of statuses, which come four times a second: also where the machine is busy
const LEAST_FRAMES_PER_S = 0.5;
const MOST_GROWTH_KB = { used: 4 << 10, resident: 8 << 10 }; // over the most that there was while all that is kept was filled
const MOST_LEAK_KB = 2 << 10; // the least of the last quarter over that of the first
const MOST_KB = 256 << 10;
const LONGEST_FILL_S = 300;

const seconds = Number(process.argv[2] ?? 60);
const file = process.argv[3] ?? example('controlled-arm.yaml');
let seed = Number(process.argv[4] ?? 1) >>> 0;

// ---------------------------------------------------------------- chance
// mulberry32: the same seed asks for the same.
function chance() {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}
const between = (low, high) => low + (high - low) * chance();
const pick = (list) => list[Math.floor(chance() * list.length)];

// What a person may ask, and how often: all of it valid.
function anything({ hello, time, status }) {
    const { robot, inputs, controllers, models } = hello;
    const input = Math.floor(chance() * inputs.length);
    const rod = robot.rods.findIndex(({ grips }) => grips.length > 0);
    const able = models.filter(({ can }) => can);
    const asks = [
        [8, () => ({ do: 'set', input, value: between(inputs[input].min, inputs[input].max) })],
        [4, () => ({ do: 'follow', input })],
        [2, () => ({ do: 'pause' })],
        [8, () => ({ do: 'play' })],
        [1, () => ({ do: 'step' })],
        [1, () => ({ do: 'reset' })],
        [1, () => ({ do: 'rewind', value: Math.max(0, time - between(0, 20)) })],
        [1, () => ({ do: 'speed', value: pick([0.25, 0.5, 1, 2]) })],
        [1, () => ({ do: 'export-inputs' })],
        [0.3, () => ({ do: 'model', step: pick([0.005, 0.01]) })],
        [0.3, () => ({ do: 'model', name: pick(able).name })],
        [0.4, () => ({ do: 'ghost', name: pick(able).name, value: chance() < 0.5 ? 0 : 1 })],
        [0.05, () => ({ do: 'ghost', name: null })],
        [0.3, () => ({ do: 'modes' })],
        [0.3, () => ({ do: 'modes', mode: null })],
    ];
    if (controllers.length) {
        const controller = Math.floor(chance() * controllers.length);
        asks.push([2, () => ({ do: 'switch', controller, value: chance() < 0.3 ? 0 : 1 })]);
    }
    if (rod >= 0) {
        const place = () => ({ rod, s: pick(robot.rods[rod].grips) });
        const near = () => [0, 0, 0].map(() => between(-1, 1) * robot.size);
        const force = () => near().map((x) => 0.2 * x * hello.force_scale);
        asks.push([2, () => ({ do: 'grab', ...place() })], [2, () => ({ do: 'release' })]);
        if (status?.grabbed) asks.push([6, () => ({ do: 'pull', force: force() })]);
        asks.push([0.5, () => ({ do: 'reach', ...place(), position: near() })]);
    }
    let left = chance() * asks.reduce((all, [weight]) => all + weight, 0);
    return asks.find(([weight]) => (left -= weight) < 0)[1]();
}

// ---------------------------------------------------------------- viewers
class Viewer {
    constructor(reads) {
        Object.assign(this, { reads, frames: 0, statuses: 0, silence: 0, time: 0 });
        this.told = {}; // kinds of text, and how many
    }

    async open(address) {
        const { socket, head } = await connect(address);
        this.socket = socket;
        this.heard = performance.now();
        socket.on('error', () => {});
        socket.on('close', () => (this.closed = true));
        if (!this.reads) {
            socket.pause();
            return;
        }
        const take = reader({
            frame: (body) => this.frame(body),
            text: (message) => this.text(message),
            ping: (body) => socket.write(pongMessage(body)),
        });
        take(head);
        socket.on('data', take);
    }

    frame(body) {
        this.frames++;
        this.time = body.readDoubleLE(8);
        this.last = body;
    }

    text(message) {
        this.told[message.type] = (this.told[message.type] ?? 0) + 1;
        if (message.type === 'hello') this.hello = message;
        if (message.type === 'error') this.error = message.message;
        if (message.type !== 'status') return;
        this.statuses++;
        this.status = message;
        this.hear();
    }

    hear() {
        const now = performance.now();
        this.silence = Math.max(this.silence, now - this.heard);
        this.heard = now;
    }

    send(message) {
        this.socket.write(textMessage(JSON.stringify(message)));
    }
}

// ---------------------------------------------------------------- the run
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// What the program uses, the most since it was asked last, and what it takes of the machine; kB.
function memoryOf(pid) {
    const bytes = readFileSync(counted);
    const kb = (at) => Math.round(Number(bytes.readBigInt64LE(at)) / 1024);
    const most = openSync(counted, 'r+');
    writeSync(most, Buffer.alloc(8), 0, 8, 8);
    closeSync(most);
    const resident = Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
    return { now: kb(0), used: Math.max(kb(0), kb(8)), resident };
}

// The program with what counts in it.
async function startCounted() {
    const library = join(folder, 'memory.so');
    const source = fileURLToPath(new URL('memory.c', import.meta.url));
    execFileSync(process.env.CC ?? 'cc', ['-O2', '-shared', '-fPIC', source, '-o', library]);
    Object.assign(process.env, { LD_PRELOAD: library, TENDRIL_MEMORY: counted });
    const started = await startView(file);
    delete process.env.LD_PRELOAD;
    return started;
}

const range = (numbers) => `${Math.min(...numbers)} to ${Math.max(...numbers)}`;

const folder = mkdtempSync(join(tmpdir(), 'tendril-load-'));
const counted = join(folder, 'memory.bin');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const view = await startCounted();
const problems = [];
const viewers = [];
for (let i = 0; i < VIEWERS; i++) {
    viewers.push(new Viewer(i !== VIEWERS - 1));
    await viewers.at(-1).open(view.address);
}
const readers = viewers.filter(({ reads }) => reads);
const driver = readers[0];
while (!readers.every(({ hello }) => hello)) await sleep(50);

// Until something is told that was asked for, or refused.
async function untilTold(message, ...kinds) {
    const count = () => kinds.reduce((all, kind) => all + (driver.told[kind] ?? 0), 0);
    const before = count();
    driver.send(message);
    for (let k = 0; k < 20 * LONGEST_FILL_S && count() === before; k++) await sleep(50);
}

// What the program may come to use: as many models as there may be, the one whose snapshots are largest among them twice, the last
// minute of them all, and modes and reach of every model meanwhile. Until all that has been there once, memory grows by what is meant.
async function fillAll() {
    const { speed, models, robot } = driver.hello;
    const able = ['cosserat', ...models.filter(({ name, can }) => can && name !== 'cosserat').map(({ name }) => name)];
    const most = { used: 0, resident: 0 };
    const measure = () => {
        const now = memoryOf(view.pid);
        for (const kind of Object.keys(most)) most[kind] = Math.max(most[kind], now[kind]);
    };
    const rod = robot.rods.findIndex(({ grips }) => grips.length > 0);
    for (const name of able.slice(0, MOST_GHOSTS)) await untilTold({ do: 'ghost', name }, 'hello', 'error');
    for (const name of [...able.slice(1), 'cosserat']) {
        await untilTold({ do: 'model', name }, 'hello', 'error');
        // twice: those that are shown stay until the next are found
        for (let k = 0; k < 2; k++) await untilTold({ do: 'modes' }, 'modes', 'error');
        driver.send({ do: 'modes', mode: null });
        if (rod >= 0) driver.send({ do: 'reach', rod, s: robot.rods[rod].length, position: [0.1, 0.1, 0.1].map((x) => x * robot.size) });
        await untilTold({ do: 'export-inputs' }, 'inputs');
        measure();
    }
    driver.send({ do: 'reset' });
    driver.send({ do: 'speed', value: 100 });
    driver.send({ do: 'play' });
    await sleep(500);
    const first = driver.status.past;
    for (let s = 0; s < LONGEST_FILL_S && driver.status.past <= first; s++) {
        await sleep(1000);
        measure();
    }
    if (driver.status.past <= first) problems.push('the last minute was not filled');
    for (const message of [{ do: 'ghost', name: null }, { do: 'reset' }, { do: 'speed', value: speed }])
        driver.send(message);
    await untilTold({ do: 'export-inputs' }, 'inputs');
    measure();
    return most;
}
const full = await fillAll();
console.log(`filled: at most ${full.used} kB used, ${full.resident} kB resident`);
const told = driver.told.inputs;

const began = performance.now();
const elapsed = () => (performance.now() - began) / 1000;
for (const one of readers) Object.assign(one, { frames: 0, statuses: 0, silence: 0, heard: began });
const memory = [];
let asked = 0;
let exports = 0;
let sampled = 0;
while (elapsed() < seconds && view.running()) {
    const message = anything(driver);
    driver.send(message);
    asked++;
    if (message.do === 'export-inputs') exports++;
    if (elapsed() >= sampled) {
        memory.push({ at: elapsed(), ...memoryOf(view.pid) });
        sampled += 0.25;
        if (memory.length % 240 === 0) {
            const { now, resident } = memory.at(-1);
            console.log(`${elapsed().toFixed(0)} s: ${now} kB used, ${resident} resident, ${asked} messages`);
        }
    }
    await sleep(1000 / ASKED_PER_SECOND);
}

// ---------------------------------------------------------------- what must hold
const ofQuarters = (kind, what) =>
    [0, 1, 2, 3].map((quarter) => {
        const within = memory.filter(({ at }) => Math.floor((4 * at) / seconds) === quarter);
        return what(...within.map((one) => one[kind]));
    });
const peaksOf = (kind) => ofQuarters(kind, Math.max);
const leastOf = (kind) => ofQuarters(kind, Math.min);
if (!view.running()) problems.push('the program has ended');
for (const one of readers) one.hear();

// Time is held: all readers must come to the same state, the last.
if (view.running()) {
    driver.send({ do: 'modes', mode: null });
    driver.send({ do: 'pause' });
    for (let i = 0; i < 100; i++) {
        await sleep(100);
        if (driver.hello.playing) continue;
        if (i > 10 && readers.every(({ last }) => last.equals(driver.last))) break;
    }
}
const behind = readers.filter(({ last }) => !last.equals(driver.last)).length;
if (behind) problems.push(`${behind} readers did not get the last frame`);
// One that never reads answers no ping either: after five minutes it is hung up on.
const { watchers } = driver.status;
if (watchers < readers.length) problems.push(`${watchers} watch, of ${readers.length} that read`);
const unaware = readers.filter(({ hello }) => hello.playing || hello.watchers !== watchers).length;
if (unaware) problems.push(`${unaware} readers were not told that time is held, or how many watch`);
// What everybody is told must have come to everybody, and each file that was asked for.
for (const kind of ['failure', 'note', 'modes']) {
    const counts = readers.map(({ told }) => told[kind] ?? 0);
    if (new Set(counts).size > 1) problems.push(`${kind}: readers were told ${range(counts)} times`);
}
if (driver.told.inputs - told !== exports)
    problems.push(`${exports} files were asked for, ${driver.told.inputs - told} came`);

const frames = readers.map(({ frames }) => frames);
const statuses = readers.map(({ statuses }) => statuses);
const silence = Math.max(...readers.map(({ silence }) => silence));
const lost = readers.filter(({ closed }) => closed).length;
if (lost) problems.push(`${lost} readers were closed`);
if (Math.min(...frames) < LEAST_FRAMES_PER_S * seconds) problems.push('a reader is short of frames');
if (Math.min(...frames) < 0.5 * Math.max(...frames)) problems.push('frames are not shared evenly');
if (silence > LONGEST_SILENCE_MS) problems.push('a reader is short of statuses');
for (const kind of ['used', 'resident']) {
    const most = Math.max(...peaksOf(kind));
    if (most > MOST_KB) problems.push(`${kind} memory is beyond ${MOST_KB} kB`);
    if (most > full[kind] + MOST_GROWTH_KB[kind]) problems.push(`${kind} memory grows`);
}
const least = leastOf('now');
if (least[3] > least[0] + MOST_LEAK_KB) problems.push('memory that is used stays');

console.log(`${VIEWERS} viewers, one of which never reads, ${seconds} s, ${asked} messages`);
console.log(`frames of a reader: ${range(frames)}; statuses: ${range(statuses)}`);
console.log(`longest wait for a status: ${silence.toFixed(0)} ms`);
for (const kind of ['used', 'resident'])
    console.log(`memory ${kind}, peaks of quarters: ${peaksOf(kind).join(', ')} kB; while it was filled ${full[kind]} kB`);
console.log(`memory used, least of quarters: ${least.join(', ')} kB`);
console.log(`the driver was told: ${JSON.stringify(driver.told)}; last error: ${driver.error ?? 'none'}`);
for (const { socket } of viewers) socket.destroy();
const code = await view.stop();
if (code !== 0) problems.push(`the program ended with ${code}`);
for (const problem of problems) console.error(`load: ${problem}`);
process.exit(problems.length ? 1 : 0);
