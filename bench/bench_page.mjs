// `tendril view` with its page open in Chromium: pictures that the page draws, frames that the program
// sends, steps that it computes, real time held, and what part of a core the program takes.
//     TENDRIL=build/tendril node bench/bench_page.mjs [SECONDS] [FILE...]
// Frames, steps and time are those that a second reader sees, which draws nothing: a page that is
// short of processor time shows the robot late, and its own clock would be taken for the solver's.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { openBrowser, openPage, ready } from '../viewer/test/browser.mjs';
import { example, startView } from '../viewer/test/program.mjs';
import { connect, reader } from '../viewer/test/socket.mjs';

const TICKS = 100; // of the clock in /proc, per second

// User and system time of a process so far, s.
function processSeconds(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

// A reader of all frames: how many there were, and the time of the last.
async function readFrames(address) {
    const { socket, head } = await connect(address);
    const seen = { frames: 0, time: 0, close: () => socket.destroy() };
    const take = reader({
        frame(body) {
            seen.frames++;
            seen.time = body.readDoubleLE(8);
        },
    });
    take(head);
    socket.on('data', take);
    return seen;
}

async function measure(page, frames, pid, seconds) {
    const look = async () => ({
        wall: performance.now() / 1000,
        used: processSeconds(pid),
        ...frames,
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
    const frames = await readFrames(view.address);
    await ready(page);
    await page.waitForTimeout(2000);
    const row = await measure(page, frames, view.pid, Number(seconds));
    console.log([basename(file, '.yaml'), ...row].join(','));
    frames.close();
    await page.close();
    await view.stop();
}
await browser.close();
