// The page without a server, from a plain server of files: the library in the browser against the
// program on this machine.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { openBrowser, openPage, ready, spareThePixels, tip } from './browser.mjs';
import { serveFiles } from './files.mjs';
import { example, runTendril } from './program.mjs';

let browser;
let server;
let address;
let folder;

before(async () => {
    server = await serveFiles();
    address = server.address;
    browser = await openBrowser();
    folder = mkdtempSync(join(tmpdir(), 'tendril-static-'));
});
after(async () => {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
    for (const page of browser.context.pages().slice(1)) await page.close();
});

async function open(hash = '') {
    const page = await openPage(browser.context, address + hash);
    await ready(page);
    return page;
}

// The last row of a table, by the names of its columns.
function lastRow(text) {
    const [head, ...rows] = text.trim().split('\n');
    const values = rows.at(-1).split(',').map(Number);
    return Object.fromEntries(head.split(',').map((name, i) => [name, values[i]]));
}

// Where the program's run of a file ends, by its own table.
function programTip(file) {
    const out = join(folder, 'run');
    rmSync(out, { recursive: true, force: true });
    runTendril('run', file, '--out', out, '--csv', '--quiet');
    return lastRow(readFileSync(join(out, 'tip.csv'), 'utf8'));
}

const results = (page) =>
    Promise.all([page.waitForEvent('download'), page.click('#table')]).then(async ([saved]) =>
        readFileSync(await saved.path(), 'utf8'),
    );

// What the program says of a file that it does not take.
function refusal(file) {
    try {
        runTendril('check', file);
    } catch (error) {
        return error.stderr;
    }
    assert.fail(`${file} was taken`);
}

test('the page opens with a robot that moves, and asks nothing of other hosts', async () => {
    const page = await open();
    await page.waitForFunction(() => window.tendril.frame.time > 0.3);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(address) && !url.startsWith('blob:')), []);
});

test('what is computed here is what the program computes, to rounding', async () => {
    for (const file of ['arm.yaml', 'three-chambers.yaml', 'liu-arm.yaml']) {
        const page = await open(`#example=${file}`);
        const here = lastRow(await results(page));
        const there = programTip(example(file));
        const [rod] = await page.evaluate(() => window.tendril.hello.robot.rods.map(({ name }) => name));
        ['x', 'y', 'z'].forEach((axis, k) => {
            const [a, b] = [here[`rods/${rod}/position.${k + 1} [m]`], there[`${rod}.${axis} [m]`]];
            assert.ok(Math.abs(a - b) <= 1e-12, `${file} ${axis}: ${a} in the browser, ${b} by the program`);
        });
        await page.close();
    }
});

test('a mistake in the file is told as the program tells it, with its line', async () => {
    const page = await open();
    const text = await page.inputValue('#file');
    await page.fill('#file', text.replace('length: 0.3', 'lenght: 0.3'));
    await page.click('#run');
    await page.locator('#said.bad').waitFor();
    const said = await page.textContent('#said');
    const bad = join(folder, 'arm.yaml');
    writeFileSync(bad, text.replace('length: 0.3', 'lenght: 0.3'));
    const told = refusal(bad);
    assert.ok(told.includes(said.split(': ').slice(1).join(': ').split('\n')[0]), `${said} / ${told}`);
    assert.equal(await page.textContent('.lines .bad'), '5\n');
    assert.ok(await page.evaluate(() => window.tendril.frame !== null), 'the robot before it goes on');
});

// Ten lines that a person may write, with a mistake in the sixth, and the same without.
const OWN = `tendril: 1
name: mine
rods:
  - name: arm
    length: 20 cm
    material: {youngs_modulus: 2 mm, poisson_ratio: 0.45, density: 1100}
    section: {radius: 5 mm}
tendons: [{name: pull, offset: [4 mm, 0]}]
inputs: {pull: 0.2 N}
simulation: {time: {step: 10 ms, end: 0.5 s}}
`;
const MENDED = OWN.replace('2 mm', '2 MPa');

async function ownRobot({ width, height, sheets }) {
    const page = await open();
    await page.setViewportSize({ width, height });
    if (sheets) await page.click('.for-editor');
    await page.locator('#file').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(OWN);
    await page.keyboard.press('Control+Enter');
    await page.locator('#said.bad').waitFor();
    assert.equal(await page.textContent('.lines .bad'), '6\n');
    assert.match(await page.textContent('#said'), /youngs_modulus/);

    await page.fill('#file', MENDED);
    await page.click('#run');
    await page.waitForFunction(() => window.tendril.frame && window.tendril.hello.robot.name === 'mine');
    if (sheets) await page.click('.for-panel');
    const before = await tip(page);
    await page.locator('#slider-0').focus();
    await page.keyboard.press('End'); // all that the tendon may pull
    await page.waitForFunction((x) => window.tendril.frame.rods[0].at(-7) > x + 0.01, before[0]);

    if (sheets) await page.click('.for-editor');
    const here = lastRow(await results(page));
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, MENDED);
    const there = programTip(file);
    for (const [k, axis] of ['x', 'y', 'z'].entries()) {
        const [a, b] = [here[`rods/arm/position.${k + 1} [m]`], there[`arm.${axis} [m]`]];
        assert.ok(Math.abs(a - b) <= 1e-12, `${axis}: ${a} in the browser, ${b} by the program`);
    }
    const [picture] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Save a picture').click()]);
    assert.equal(picture.suggestedFilename(), 'mine.png');
    assert.equal(readFileSync(await picture.path()).subarray(1, 4).toString(), 'PNG');
}

test('with nothing but a browser a person writes a robot, mends it, moves it and takes the results home', () =>
    ownRobot({ width: 1280, height: 720 }));
test('and on a phone', () => ownRobot({ width: 390, height: 844, sheets: true }));

test('another robot takes the place of this one, and an address carries a file', async () => {
    const page = await open();
    await spareThePixels(page);
    await page.selectOption('#example', 'three-chambers.yaml');
    await page.waitForFunction(() => window.tendril.hello?.robot.actuators[0]?.kind === 'chamber');
    await page.fill('#file', (await page.inputValue('#file')).replace(/^name:.*$/m, 'name: mine'));
    await page.click('#share');
    await page.waitForFunction(() => location.hash.includes('text='));
    const link = await page.evaluate(() => location.href);
    const other = await openPage(browser.context, link);
    await ready(other);
    assert.equal(await other.evaluate(() => window.tendril.hello.robot.name), 'mine');
    assert.deepEqual([...page.problems, ...other.problems], []);
});

test('what was typed and run is still there after the page was loaded anew', async () => {
    const page = await open();
    await page.fill('#file', (await page.inputValue('#file')).replace('tendril: 1', 'tendril: 1\nname: kept'));
    await page.click('#run');
    await page.waitForFunction(() => location.hash.includes('text='));
    await page.reload();
    await ready(page);
    assert.equal(await page.evaluate(() => window.tendril.hello.robot.name), 'kept');
});

test('a long run is stopped by the button that began it', async () => {
    const page = await open();
    await page.fill('#file', `${await page.inputValue('#file')}`.replace(/end: [^,}\n]*/, 'end: 1 h'));
    await page.click('#table');
    await page.locator('#table', { hasText: 'Stop' }).click();
    await page.getByText('The run was stopped.').waitFor();
    await page.locator('#table', { hasText: 'Results' }).waitFor();
    assert.deepEqual(page.problems, []);
});

test('a robot whose step does not end gives way to another', async () => {
    const page = await open();
    await page.evaluate(() => (window.tendril.link.worker.postMessage = () => {})); // it hears nothing
    await page.selectOption('#example', 'three-chambers.yaml');
    await page.waitForFunction(() => window.tendril.hello?.robot.actuators[0]?.kind === 'chamber');
    await page.waitForFunction(() => window.tendril.frame?.time > 0.1);
    assert.deepEqual(page.problems, []);
});

test('an example that includes a file is sent with it', async () => {
    const page = await open('#example=arm-on-arm.yaml');
    await page.click('#share');
    await page.waitForFunction(() => location.hash.includes('text='));
    const other = await openPage(browser.context, await page.evaluate(() => location.href));
    await ready(other);
    assert.equal(await other.evaluate(() => window.tendril.hello.robot.name), 'arm on arm');
});

test('a browser that draws slowly misses frames, and none of them waits for it', async () => {
    const page = await open();
    const { frames, drawn } = await page.evaluate(async () => {
        const { link, stage } = window.tendril;
        const SLOW_MS = 200;
        const count = { frames: 0, drawn: 0 };
        stage.renderer.render = () => {
            count.drawn++;
            for (const end = performance.now() + SLOW_MS; performance.now() < end; );
        };
        link.on('frame', () => count.frames++);
        while (count.drawn < 15) await new Promise((done) => setTimeout(done, SLOW_MS));
        return count;
    });
    assert.ok(frames <= drawn + 3, `${frames} frames for ${drawn} pictures`);
});

test('every example opens, or says why not', async () => {
    const page = await open();
    await spareThePixels(page);
    const names = await page.$$eval('#example option', (all) => all.map(({ value }) => value).filter(Boolean));
    assert.ok(names.length > 30, `${names.length} examples`);
    const refused = [];
    for (const name of names) {
        await page.selectOption('#example', name);
        await page.waitForFunction(
            (file) => {
                const said = document.getElementById('said');
                return said.classList.contains('bad') || said.textContent.startsWith(file);
            },
            name,
        );
        if (await page.locator('#said.bad').count()) refused.push([name, await page.textContent('#said')]);
        const lost = await page.evaluate(() =>
            window.tendril.inputs.rows.filter(({ node }) => !node.isConnected).map(({ input }) => input.name),
        );
        assert.deepEqual(lost, [], `inputs of ${name} without a slider`);
    }
    assert.deepEqual(refused, []);
});

for (const [width, height] of [[390, 844], [844, 390], [768, 1024], [1280, 720], [1920, 1080]]) {
    test(`at ${width} x ${height} the scene comes first and nothing lies off the screen`, async () => {
        const page = await open();
        await page.setViewportSize({ width, height });
        await page.waitForFunction(([w, h]) => innerWidth === w && innerHeight === h, [width, height]);
        await page.locator('#timeline').waitFor(); // it takes room of the scene
        const scene = await page.evaluate(() => {
            const { width: w, height: h } = document.getElementById('canvas').getBoundingClientRect();
            return { w, h };
        });
        assert.ok(scene.w * scene.h > 0.3 * width * height, `${scene.w} x ${scene.h}`);
        const off = await page.evaluate(() =>
            [...document.querySelectorAll('.bar button, .bar select, .sheets button')]
                .map((node) => ({ name: node.textContent || node.title, box: node.getBoundingClientRect() }))
                .filter(({ box }) => box.width > 0 && (box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1))
                .map(({ name }) => name),
        );
        assert.deepEqual(off, []);
    });
}
