// `tendril view` under load: many viewers of one robot on loopback, one of which never reads, and the
// one that drives asks for something at random all the time.
//     TENDRIL=build/tendril node test/load.mjs [SECONDS] [FILE] [SEED]
// It fails when a reader is short of frames, statuses, the last state or anything that all are told, when
// a viewer is closed, when the program ends, or when its memory grows after all that it keeps has been filled once.
import { readFileSync } from 'node:fs';
import { example, startView } from './program.mjs';
import { MOST_GHOSTS } from '../src/protocol.js';
import { connect, pongMessage, reader, textMessage } from './socket.mjs';

const VIEWERS = 50;
const ASKED_PER_SECOND = 20;
const LONGEST_SILENCE_MS = 3000; // of statuses, which come four times a second
const LEAST_FRAMES_PER_S = 5;
const MOST_GROWTH_KB = 8 << 10; // of resident memory, over what there is when all that is kept has been filled
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

function residentKb(pid) {
    return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
}

const range = (numbers) => `${Math.min(...numbers)} to ${Math.max(...numbers)}`;

const view = await startView(file);
const problems = [];
const viewers = [];
for (let i = 0; i < VIEWERS; i++) {
    viewers.push(new Viewer(i !== VIEWERS - 1));
    await viewers.at(-1).open(view.address);
}
const readers = viewers.filter(({ reads }) => reads);
const driver = readers[0];
while (!readers.every(({ hello }) => hello)) await sleep(50);

// The last minute is kept, and as many models as there may be, the one whose snapshots are largest twice: until that is full, memory grows by
// what is meant.
async function fillPast() {
    const { speed, models } = driver.hello;
    const largest = ['cosserat', ...models.filter(({ name, can }) => can && name !== 'cosserat').map(({ name }) => name)].slice(0, MOST_GHOSTS);
    for (const message of [
        { do: 'model', name: 'cosserat' },
        ...largest.map((name) => ({ do: 'ghost', name })),
        { do: 'speed', value: 100 },
        { do: 'play' },
    ])
        driver.send(message);
    await sleep(500);
    const first = driver.status.past;
    for (let s = 0; s < LONGEST_FILL_S && driver.status.past <= first; s++) await sleep(1000);
    if (driver.status.past <= first) problems.push('the last minute was not filled');
    for (const message of [{ do: 'ghost', name: null }, { do: 'reset' }, { do: 'speed', value: speed }])
        driver.send(message);
    await sleep(1000);
    return residentKb(view.pid);
}
const full = await fillPast();

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
        memory.push({ at: elapsed(), kb: residentKb(view.pid) });
        sampled += 0.25;
        if (memory.length % 240 === 0)
            console.log(`${elapsed().toFixed(0)} s: ${memory.at(-1).kb} kB, ${asked} messages`);
    }
    await sleep(1000 / ASKED_PER_SECOND);
}

// ---------------------------------------------------------------- what must hold
const peak = (from, to) =>
    Math.max(...memory.filter(({ at }) => at >= from * seconds && at < to * seconds).map(({ kb }) => kb));
const peaks = [0, 1, 2, 3].map((quarter) => peak(quarter / 4, (quarter + 1) / 4));
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
if (driver.told.inputs !== exports)
    problems.push(`${exports} files were asked for, ${driver.told.inputs} came`);

const frames = readers.map(({ frames }) => frames);
const statuses = readers.map(({ statuses }) => statuses);
const silence = Math.max(...readers.map(({ silence }) => silence));
const lost = readers.filter(({ closed }) => closed).length;
if (lost) problems.push(`${lost} readers were closed`);
if (Math.min(...frames) < LEAST_FRAMES_PER_S * seconds) problems.push('a reader is short of frames');
if (Math.min(...frames) < 0.5 * Math.max(...frames)) problems.push('frames are not shared evenly');
if (silence > LONGEST_SILENCE_MS) problems.push('a reader is short of statuses');
if (Math.max(...peaks) > MOST_KB) problems.push(`memory is beyond ${MOST_KB} kB`);
if (Math.max(...peaks) > full + MOST_GROWTH_KB) problems.push('memory grows');

console.log(`${VIEWERS} viewers, one of which never reads, ${seconds} s, ${asked} messages`);
console.log(`frames of a reader: ${range(frames)}; statuses: ${range(statuses)}`);
console.log(`longest wait for a status: ${silence.toFixed(0)} ms`);
console.log(`memory, peaks of quarters: ${peaks.join(', ')} kB; when all that is kept was full ${full} kB`);
console.log(`the driver was told: ${JSON.stringify(driver.told)}; last error: ${driver.error ?? 'none'}`);
for (const { socket } of viewers) socket.destroy();
const code = await view.stop();
if (code !== 0) problems.push(`the program ended with ${code}`);
for (const problem of problems) console.error(`load: ${problem}`);
process.exit(problems.length ? 1 : 0);
