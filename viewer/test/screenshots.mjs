// Pictures of robots for the documents, made with the real program:
//     TENDRIL=build/tendril npm run screenshots            into docs/images/view-*.png
// Each robot is shown at a moment that says something, and the camera is the page's own. Where other
// work on the machine kept time from being held meanwhile, the picture is taken again.
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage, ready } from './browser.mjs';
import { example, startView } from './program.mjs';

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const TRIES = 6;

// Lets the page go on to a time and no further, so that the picture is of that moment.
async function until(page, time) {
    await page.evaluate((end) => {
        const shown = window.tendril;
        for (const name of ['receive', 'showStatus']) {
            const take = shown[name];
            shown[name] = (message) => shown.frame?.time >= end || take.call(shown, message);
        }
    }, time);
    await page.waitForFunction((end) => window.tendril.frame.time >= end, time);
    await page.evaluate(() => window.tendril.plots.draw());
    await page.waitForTimeout(500);
}

async function pullTip(page, dx, dy) {
    const at = await page.evaluate(() => {
        const { stage, frame } = window.tendril;
        const Vector = stage.camera.position.constructor;
        const box = stage.canvas.getBoundingClientRect();
        const seen = stage.project(new Vector(...frame.rods[0].slice(-7, -4)));
        return { x: box.left + seen.x, y: box.top + seen.y };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + dx, at.y + dy, { steps: 8 });
    await page.waitForTimeout(1500);
}

async function compareWith(page, names) {
    await page.getByText('Compare with other models').click();
    for (const name of names) await page.locator(`#ghost-${name}`).check();
    await page.waitForFunction((n) => window.tendril.frame.ghosts.filter(Boolean).length === n, names.length);
}

async function ghosts(page, names, time) {
    await compareWith(page, names);
    await until(page, time);
}

async function beside(page, names, time) {
    await page.getByLabel('Pause').click();
    await compareWith(page, names);
    await page.getByLabel('Side by side').check();
    await page.getByLabel('Play').click();
    await until(page, time);
    await page.keyboard.press('1');
    await page.waitForTimeout(300);
}

async function mode(page, index) {
    await page.keyboard.press('m');
    await page.locator(`#mode-${index}`).check();
    await page.waitForFunction(() => Math.hypot(...window.tendril.frame.rods[0].slice(-7, -5)) > 0.03); // in whichever plane it swings
}

const SHOTS = [
    { name: 'two-segment-arm', file: 'two-segment-arm.yaml', act: (page) => until(page, 1.5) },
    { name: 'rods', file: 'rone-arm.yaml', dark: true, act: (page) => until(page, 1.5) },
    { name: 'three-chambers', file: 'three-chambers.yaml', act: (page) => until(page, 1.3) },
    { name: 'platform', file: 'stewart-gough.yaml', act: (page) => until(page, 4.6) },
    { name: 'modes', file: 'two-segment-arm.yaml', act: (page) => mode(page, 2) },
    {
        name: 'pulled',
        file: 'arm.yaml',
        set: ['name=arm', 'rods.arm.damping={time: 20 ms}', 'inputs.pull=0 N'],
        act: (page) => pullTip(page, 170, 60),
    },
    { name: 'guidewire', file: 'guidewire.yaml', act: (page) => until(page, 1.6) },
    {
        name: 'ghost',
        file: 'liu-arm.yaml',
        dark: true,
        act: (page) => ghosts(page, ['cosserat'], 2.5),
    },
    { name: 'beside', file: 'two-segment-arm.yaml', act: (page) => beside(page, ['eba', 'srl', 'constant_curvature'], 1.5) },
];

// The least ratio to real time that the plot shows.
const leastRatio = (page) =>
    page.evaluate(() => Math.min(...window.tendril.plots.history.ratio.map((x) => x ?? 1)));

const browser = await openBrowser();

async function take({ name, file, set = [], dark, act }) {
    const view = await startView(
        example(file),
        '--paused',
        ...set.flatMap((each) => ['--set', each]),
    );
    const page = await openPage(browser.context, view.address);
    await ready(page);
    await page.keyboard.press('Space');
    if (dark) await page.keyboard.press('t');
    await act(page);
    await page.screenshot({ path: `${IMAGES}/view-${name}.png` });
    const ratio = await leastRatio(page);
    if (dark) await page.keyboard.press('t');
    if (page.problems.length) throw new Error(`${name}: ${page.problems.join('; ')}`);
    await page.close();
    await view.stop();
    console.log(`view-${name}.png, real time ${ratio.toFixed(2)}`);
    return ratio;
}

const only = process.argv.slice(2);
for (const shot of SHOTS) {
    if (only.length && !only.includes(shot.name)) continue;
    for (let i = 0; i < TRIES && (await take(shot)) < 0.97;) i++;
}
await browser.close();
