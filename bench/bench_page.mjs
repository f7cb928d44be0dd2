// `tendril view` with its page open in Chromium: pictures that the page draws, frames that the program
// sends, steps that it computes, real time held, and what part of a core the program takes.
//     TENDRIL=build/tendril node bench/bench_page.mjs [SECONDS] [FILE...]
// Frames, steps and time are those that a second reader sees, which draws nothing: a page that is
// short of processor time shows the robot late, and its own clock would be taken for the solver's.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { basename } from 'node:path';
import { openBrowser, openPage, ready } from '../viewer/test/browser.mjs';
import { TOKEN, example, startView } from '../viewer/test/program.mjs';

const TICKS = 100; // of the clock in /proc, per second

// User and system time of a process so far, s.
function processSeconds(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

// Payload and kind of the first WebSocket message in the bytes, and where the next begins; null: it
// is not whole yet.
function firstMessage(bytes) {
    if (bytes.length < 10) return null;
    let [size, at] = [bytes[1] & 127, 2];
    if (size === 126) [size, at] = [bytes.readUInt16BE(2), 4];
    else if (size === 127) [size, at] = [Number(bytes.readBigUInt64BE(2)), 10];
    if (bytes.length < at + size) return null;
    return { binary: (bytes[0] & 15) === 2, body: bytes.subarray(at, at + size), next: at + size };
}

// A reader of all frames: how many there were, and the time of the last.
function readFrames(address) {
    const { hostname, port, origin } = new URL(address);
    const reader = { frames: 0, time: 0 };
    const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        Origin: origin,
        'Sec-WebSocket-Version': 13,
        'Sec-WebSocket-Protocol': 'tendril',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    let rest = Buffer.alloc(0);
    const take = (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        for (let found; (found = firstMessage(rest)); rest = rest.subarray(found.next)) {
            if (!found.binary) continue;
            reader.frames++;
            reader.time = found.body.readDoubleLE(8);
        }
    };
    const asked = request({ hostname, port, path: `/ws?token=${TOKEN}`, headers });
    asked.on('upgrade', (_, socket, head) => {
        reader.close = () => socket.destroy();
        take(head);
        socket.on('data', take);
    });
    asked.end();
    return reader;
}

async function measure(page, reader, pid, seconds) {
    const look = async () => ({
        wall: performance.now() / 1000,
        used: processSeconds(pid),
        ...reader,
        ...(await page.evaluate(() => ({
            drawn: window.tendril.stage.framesDrawn,
            shown: window.tendril.frame.time,
            step: window.tendril.hello.step,
        }))),
    });
    const looks = [await look()];
    while (looks.at(-1).wall - looks[0].wall < seconds) {
        await page.waitForTimeout(500);
        looks.push(await look());
    }
    const [first, last] = [looks[0], looks.at(-1)];
    const per = (name) => (last[name] - first[name]) / (last.wall - first.wall);
    const late = looks.map(({ time, shown }) => Math.max(time - shown, 0)).sort((a, b) => a - b);
    return [
        per('drawn').toFixed(1),
        per('frames').toFixed(1),
        (per('time') / first.step).toFixed(0),
        per('time').toFixed(3),
        per('used').toFixed(3),
        (1e3 * late[late.length >> 1]).toFixed(0),
    ];
}

const [seconds = 10, ...files] = process.argv.slice(2);
if (!files.length) files.push(example('two-segment-arm.yaml'), example('stewart-gough.yaml'));
const browser = await openBrowser();
console.log('robot,pictures_per_s,frames_per_s,steps_per_s,real_time_ratio,cores,page_late_ms');
for (const file of files) {
    const view = await startView(file);
    const page = await openPage(browser.context, view.address);
    const reader = readFrames(view.address);
    await ready(page);
    await page.waitForTimeout(2000);
    const row = await measure(page, reader, view.pid, Number(seconds));
    console.log([basename(file, '.yaml'), ...row].join(','));
    reader.close();
    await page.close();
    await view.stop();
}
await browser.close();
