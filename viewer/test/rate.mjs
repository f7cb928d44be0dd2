// How fast the page and the program go together: pictures drawn, frames received, real time, and
// the cores that the program uses.
//     TENDRIL=build/tendril npm run rate -- [FILE] [SECONDS]
import { readFileSync } from 'node:fs';
import { openBrowser, openPage, ready } from './browser.mjs';
import { example, startView } from './program.mjs';

const TICKS = 100; // of the clock in /proc, per second

// User and system time of a process so far, s.
function processSeconds(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

const file = process.argv[2] ?? example('two-segment-arm.yaml');
const seconds = Number(process.argv[3] ?? 10);
const view = await startView(file);
const browser = await openBrowser();
const page = await openPage(browser.context, view.address);
await ready(page);
await page.waitForTimeout(2000);

const look = () =>
    page.evaluate(() => {
        const { stage, framesShown, frame, hello } = window.tendril;
        return {
            drawn: stage.framesDrawn,
            received: framesShown,
            time: frame.time,
            step: hello.step,
            clock: performance.now() / 1000,
            said: document.getElementById('pace').textContent,
        };
    });
const [first, busy] = [await look(), processSeconds(view.pid)];
await page.waitForTimeout(1000 * seconds);
const [last, used] = [await look(), processSeconds(view.pid) - busy];
const wall = last.clock - first.clock;
const past = last.time - first.time;
const say = (what, number, digits, unit) =>
    console.log(`${what.padEnd(16)}${number.toFixed(digits).padStart(8)} ${unit}`);
say('pictures drawn', (last.drawn - first.drawn) / wall, 1, 'per second');
say('frames received', (last.received - first.received) / wall, 1, 'per second');
say('solver steps', past / first.step / wall, 1, 'per second');
say('real-time ratio', past / wall, 3, `(the page says: ${last.said})`);
say('the program', used / wall, 3, 'of a core');
await browser.close();
await view.stop();
