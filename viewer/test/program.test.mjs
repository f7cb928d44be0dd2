// The page with the program behind it: `tendril view` itself, its solver, and Chromium.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { openBrowser, openPage, ready, spareThePixels, statuses, time, tip } from './browser.mjs';
import { TOKEN, example, runTendril, startView } from './program.mjs';

let browser;
let view;
let folder;

before(async () => {
    browser = await openBrowser();
    folder = mkdtempSync(join(tmpdir(), 'tendril-page-'));
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
    for (const page of browser.context.pages().slice(1)) await page.close();
    await view?.stop();
    view = null;
});

// The arm of ten lines, without weight, damped so that it comes to rest, its tendon slack at first.
const CALM = ['gravity=[0, 0, 0]', 'inputs.pull=0 N', 'rods.arm.damping={time: 20 ms}'].flatMap(
    (set) => ['--set', set],
);
const ARM = { length: 0.3, offset: 0.008, bendingStiffness: ((200e9 * Math.PI) / 4) * 0.5e-3 ** 4 };

async function open(what, ...options) {
    view = await startView(what, ...options);
    const page = await openPage(browser.context, view.address);
    await ready(page);
    return page;
}

const openDrawn = () => open(example('arm.yaml'), ...CALM);

async function openArm() {
    const page = await openDrawn();
    await spareThePixels(page);
    return page;
}

// A tendon at a constant offset bends a rod that is free of other loads into an arc of curvature T
// d / EI.
function arcTip(tension) {
    const curvature = (tension * ARM.offset) / ARM.bendingStiffness;
    const angle = curvature * ARM.length;
    return { x: (1 - Math.cos(angle)) / curvature, z: Math.sin(angle) / curvature };
}

// The tip when it has come to rest.
async function restingTip(page) {
    let before = await tip(page);
    for (let i = 0; i < 60; i++) {
        await page.waitForFunction((then) => window.tendril.frame.time > then, (await time(page)) + 0.25);
        const now = await tip(page);
        if (Math.hypot(...now.map((x, d) => x - before[d])) < 1e-6) return now;
        before = now;
    }
    assert.fail(`the tip does not come to rest: ${before}`);
}

async function typeInput(page, index, value) {
    await page.locator(`#number-${index}`).fill(String(value));
    await page.locator(`#number-${index}`).press('Enter');
}

// Types a value and waits until the program has it.
async function setInput(page, index, value) {
    await typeInput(page, index, value);
    await page.waitForFunction(
        ([i, x]) => Math.abs(window.tendril.frame.inputs[i] - x) < 1e-6,
        [index, value],
    );
}

async function onScreen(page, rod = 0) {
    return page.evaluate((i) => {
        const { stage, frame } = window.tendril;
        const Vector = stage.camera.position.constructor;
        const box = stage.canvas.getBoundingClientRect();
        const seen = stage.project(new Vector(...frame.rods[i].slice(-7, -4)));
        return { x: box.left + seen.x, y: box.top + seen.y };
    }, rod);
}

test('the page loads without errors, time passes, nothing else is asked for', async () => {
    const page = await openDrawn();
    const first = await time(page);
    await page.waitForFunction((t) => window.tendril.frame.time > t + 0.2, first);
    assert.deepEqual(page.problems, []);
    const { origin } = new URL(view.address);
    assert.deepEqual(
        page.asked.filter((url) => !url.startsWith(origin)),
        [],
    );
    assert.equal(await page.locator('.message').count(), 0);
});

test('the slider of a tendon bends the arm to its side, as far as theory says', async () => {
    const page = await openArm();
    assert.ok(Math.hypot(...(await tip(page)).map((x, d) => x - [0, 0, ARM.length][d])) < 1e-6);
    await page.locator('#slider-0').fill('3');
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.01);
    const [x, y, z] = await restingTip(page);
    const arc = arcTip(3);
    assert.ok(Math.abs(x - arc.x) < 0.005 * ARM.length, `${x} instead of ${arc.x}`);
    assert.ok(Math.abs(z - arc.z) < 0.005 * ARM.length, `${z} instead of ${arc.z}`);
    assert.ok(Math.abs(y) < 1e-6);
});

test('dragging the tip deflects it towards the pointer; let go, it comes back', async () => {
    const page = await openDrawn();
    await page.keyboard.press('2'); // from the front: x to the right, z up
    const at = await onScreen(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 120, at.y, { steps: 5 });
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.005);
    assert.ok(
        Math.abs((await tip(page))[1]) < 0.003,
        'it goes to the side, not towards the viewer',
    );
    await page.mouse.up();
    await page.waitForFunction(() => Math.abs(window.tendril.frame.rods[0].at(-7)) < 1e-4);
});

test('pause holds time, a step is one step, reset goes back to the start', async () => {
    const page = await openArm();
    await page.waitForFunction(() => window.tendril.frame.time > 0.3);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.waitForFunction(() => !window.tendril.frame.playing); // it may come after the word
    const held = await time(page);
    await statuses(page, 3);
    assert.equal(await time(page), held);
    await page.keyboard.press('.');
    await page.waitForFunction((t) => window.tendril.frame.time > t, held);
    assert.ok(Math.abs((await time(page)) - held - 0.002) < 1e-9);
    await page.keyboard.press('r');
    await page.waitForFunction((t) => window.tendril.frame.time < t / 2, held);
});

test('another model, scheme and step take over and find the same arm', async () => {
    const page = await openArm();
    await setInput(page, 0, 2);
    await page.locator('#model').selectOption('eba');
    await page.waitForFunction(() => window.tendril.hello.model === 'eba');
    const [x] = await restingTip(page);
    assert.ok(Math.abs(x - arcTip(2).x) < 0.02 * ARM.length, `${x} instead of ${arcTip(2).x}`);
    await page.locator('#model').selectOption('cosserat');
    await page.waitForFunction(() => window.tendril.hello.model === 'cosserat');
    await page.locator('#scheme').selectOption('bdf2');
    await page.waitForFunction(() => window.tendril.hello.scheme === 'bdf2');
    await page.locator('#step').fill('4');
    await page.locator('#step').press('Enter');
    await page.waitForFunction(() => Math.abs(window.tendril.hello.step - 0.004) < 1e-12);
    assert.equal(await page.locator('.message.error').count(), 0);
});

test('other models come as ghosts, stand where the first does and keep its time', async () => {
    const page = await openDrawn();
    await setInput(page, 0, 2);
    await page.getByText('Compare with other models').click();
    await page.locator('#ghost-constant_curvature').check();
    await page.locator('#ghost-eba').check();
    await page.waitForFunction(() => window.tendril.frame.ghosts.filter(Boolean).length === 2);
    await restingTip(page);
    const apart = await page.evaluate(() => {
        const { frame } = window.tendril;
        return frame.ghosts
            .filter(Boolean)
            .map(([rod]) => Math.hypot(...[-7, -6, -5].map((i) => rod.at(i) - frame.rods[0].at(i))));
    });
    assert.ok(Math.max(...apart) < 0.02 * ARM.length, `${apart} m apart`);
    await page.waitForFunction(() => {
        const { costs, hello } = window.tendril;
        const all = [costs.main, ...costs.ghosts.filter((_, k) => hello.ghosts[k])];
        return all.length === 3 && all.every(({ time, step_seconds }) => time === costs.main.time && step_seconds > 0);
    });
    await page.locator('#ghost-constant_curvature').uncheck();
    await page.locator('#ghost-eba').uncheck();
    await page.waitForFunction(() => !window.tendril.frame.ghosts.some(Boolean));
});

test('what nobody told of is found on the page, live and in the past', async () => {
    view = await startView(example('payload.yaml'));
    const page = await openPage(browser.context, view.address);
    await ready(page);
    await spareThePixels(page);
    const said = () => Math.abs(window.tendril.costs.main.time - window.tendril.frame.time) < 1e-9;
    const weight = async () => {
        const words = await page.locator('[data-estimate="weight"]').textContent();
        const [value, deviation] = words.match(/-?[\d.]+/g).map(Number);
        return { value, deviation };
    };
    await page.waitForFunction(() => window.tendril.frame.time > 1.5);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => !window.tendril.frame.playing);
    const apart = () =>
        page.evaluate(() => {
            const { rods, estimate } = window.tendril.frame;
            return Math.hypot(...[-7, -6, -5].map((i) => estimate[0].at(i) - rods[0].at(i)));
        });
    assert.ok((await apart()) > 0 && (await apart()) < 2e-3);
    await page.waitForFunction(said); // of this moment
    const { value, deviation } = await weight();
    assert.ok(Math.abs(value + 60) < 4 * deviation, `${value} ± ${deviation} mN`);
    await page.evaluate(() => window.tendril.rewind(0.5));
    await page.waitForFunction(() => window.tendril.frame.time <= 0.5);
    await page.waitForFunction(said);
    const before = await weight();
    assert.ok(Math.abs(before.value) < 4 * before.deviation, `${before.value} mN in the past`);
    assert.ok((await apart()) < 2e-3);
});

test('a step that fails is told in words, and the robot stays where it was', async () => {
    const page = await openArm();
    await setInput(page, 0, 1);
    const good = await restingTip(page);
    await typeInput(page, 0, 300000);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
        await alert.textContent(),
        /The solver stopped at .* did not converge.*last good state/s,
    );
    const left = await tip(page);
    assert.ok(Math.hypot(...left.map((x, d) => x - good[d])) < 1e-6, `${left} instead of ${good}`);
    await page.reload(); // who opens the page later is told too
    await ready(page);
    await alert.waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.keyboard.press('r');
    await alert.waitFor({ state: 'detached' });
    await page.waitForFunction(() => window.tendril.frame.time < 0.5);
});

test('a wall stands where it is, and pushes the arm that leans on it', async () => {
    const page = await open(example('leaning-arm.yaml'), '--paused');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.tendril.frame.contacts[0].some((x) => x < -1));
    const { at, corners, arrow } = await page.evaluate(() => {
        const { frame, robot } = window.tendril;
        robot.update(frame);
        const [mesh] = robot.obstacles.meshes;
        const { arrows, segments } = robot.obstacles;
        const drawn = segments.findIndex((x) => x !== 0);
        return {
            at: mesh.position.x,
            corners: mesh.geometry.attributes.position.count,
            arrow: arrows.visible && segments[drawn + 3] - segments[drawn],
        };
    });
    assert.ok(Math.abs(at - 0.07) < 1e-6, `the wall is at ${at}`);
    assert.ok(corners > 3);
    assert.ok(arrow < 0, 'the arrow points away from the wall');
    assert.deepEqual(page.problems, []);
});

// What the page has drawn of a wire in a vessel: the wall, and each arrow with what it should be.
const drawnInVessel = (page) =>
    page.evaluate(() => {
        const { frame, robot } = window.tendril;
        robot.update(frame);
        const [wall] = robot.obstacles.meshes;
        const { arrows, segments } = robot.obstacles;
        const forces = Array.from(frame.contacts[0]);
        const shafts = [];
        for (let at = 0; at < segments.length; at += 18) {
            const shaft = [0, 1, 2].map((d) => segments[at + 3 + d] - segments[at + d]);
            const force = forces.slice(at / 6, at / 6 + 3);
            if (Math.hypot(...shaft) > 0) shafts.push({ shaft, force });
        }
        return {
            wall: {
                visible: wall.visible,
                seenThrough: wall.material.transparent,
                corners: wall.geometry.attributes.position.count,
            },
            arrows: arrows.visible,
            shafts,
        };
    });

for (const name of ['guidewire', 'branching-vessel'])
    test(`the wire of ${name}.yaml goes live into its vessel, which pushes it`, async () => {
        const page = await open(example(`${name}.yaml`), '--paused');
        await spareThePixels(page);
        const started = await time(page);
        const outside = await tip(page);
        await page.keyboard.press('Space');
        await page.waitForFunction((t) => window.tendril.frame.time > t + 0.5, started);
        const inside = await tip(page);
        assert.ok(inside[2] - outside[2] > 0.01, 'it goes in');
        await page.waitForFunction(() => window.tendril.frame.contacts[0].some((x) => Math.abs(x) > 1));
        const seen = await drawnInVessel(page);
        assert.ok(seen.wall.visible && seen.wall.seenThrough);
        assert.ok(seen.wall.corners > 100, `${seen.wall.corners} corners`);
        assert.ok(seen.arrows && seen.shafts.length > 0, 'arrows are drawn');
        for (const { shaft, force } of seen.shafts) {
            const cosine =
                shaft.reduce((sum, x, d) => sum + x * force[d], 0) /
                (Math.hypot(...shaft) * Math.hypot(...force));
            assert.ok(cosine > 0.999, 'each along its force');
        }
        await page.waitForFunction(() => { // the view widens for them
            const { robot, stage } = window.tendril;
            const { clientWidth, clientHeight } = stage.canvas;
            const Vector = stage.camera.position.constructor;
            const shown = robot.obstacles.segments;
            for (let k = 0; k < shown.length; k += 18) {
                if (!shown.subarray(k, k + 18).some((x) => x !== 0)) continue;
                const { x, y } = stage.project(new Vector().fromArray(shown, k));
                if (!(x > 0 && y > 0 && x < clientWidth && y < clientHeight)) return false;
            }
            return true;
        });
        assert.equal(await page.getByRole('alert').count(), 0);
        assert.deepEqual(page.problems, []);
    });

test('a recorded run is replayed: scrubbing shows what was recorded', async () => {
    const out = join(folder, 'arm');
    runTendril(
        'run',
        example('arm.yaml'),
        '--out',
        out,
        '--quiet',
        '--csv',
        '--set',
        'record.every=20 ms',
    );
    const page = await open(out);
    assert.deepEqual(page.problems, []);
    const frames = await page.evaluate(() => window.tendril.replay.frames.length);
    assert.equal(frames, 51);
    await page.waitForFunction(() => window.tendril.frame.time > 0.1); // it plays by itself
    await page.locator('#scrub').fill(String(frames - 1));
    assert.ok(Math.abs((await time(page)) - 1) < 1e-9);
    await page.waitForFunction(() => document.getElementById('clock').value === '1.000 s');
    const last = await tip(page);
    const recorded = lastTip(out);
    assert.ok(
        Math.hypot(...last.map((x, d) => x - recorded[d])) < 1e-6,
        `${last} instead of ${recorded}`,
    );
    await page.locator('#scrub').fill('0');
    assert.equal(await time(page), 0);
    await page.keyboard.press('.');
    assert.ok(Math.abs((await time(page)) - 0.02) < 1e-9);
    await page.keyboard.press(',');
    assert.equal(await time(page), 0);
    assert.equal(await page.locator('#model').count(), 0);
});

test('the replay of a run that failed says why it ended', async () => {
    const out = join(folder, 'failed');
    const much = 'inputs.pull={ramp: {from: 0, to: 300 kN, start: 50 ms, duration: 50 ms}}';
    assert.throws(() => runTendril('run', example('arm.yaml'), '--out', out, '--set', much));
    const page = await open(out);
    await page.getByText(/^failed: .*did not converge/).waitFor();
    await page.getByText('replay, cosserat').waitFor();
});

test('an equilibrium is shown without a time line, under the name of its folder', async () => {
    const out = join(folder, 'at-rest');
    runTendril('statics', example('arm.yaml'), '--out', out);
    const page = await open(out);
    assert.equal(await page.title(), 'at-rest – Tendril');
    assert.equal(await page.locator('#timeline').isVisible(), false);
    await page.keyboard.press('Space'); // there is nothing to play
    await page.keyboard.press('.');
    assert.equal(await time(page), 0);
    assert.deepEqual(page.problems, []);
});

// The tip at the end of the run, from its table.
function lastTip(out) {
    const [head, ...rows] = readFileSync(join(out, 'tip.csv'), 'utf8')
        .trim()
        .split('\n')
        .map((row) => row.split(','));
    return ['x', 'y', 'z'].map((name) => Number(rows.at(-1)[head.indexOf(`arm.${name} [m]`)]));
}

test('the inputs as they are go to a file that the program takes', async () => {
    const page = await openArm();
    await setInput(page, 0, 1.25);
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#save-inputs').click(),
    ]);
    const file = join(folder, 'saved.yaml');
    const text = readFileSync(await download.path(), 'utf8');
    writeFileSync(file, text);
    assert.match(text, /pull: *1\.25/);
    runTendril(
        'run',
        file,
        '--quiet',
        '--out',
        join(folder, 'saved'),
        '--set',
        'simulation.time.end=10 ms',
    );
});

test('the robot file is changed beside the robot: a mistake is told with its line, what is opened is shown to all', async () => {
    const page = await openArm();
    const watcher = await openPage(browser.context, view.address);
    await ready(watcher);
    await spareThePixels(watcher);
    await page.bringToFront();
    await page.click('#show-file');
    const text = await page.inputValue('#file');
    await page.fill('#file', text.replace('length: 0.3', 'lenght: 0.3'));
    await page.click('#run');
    await page.locator('#said.bad', { hasText: "unknown key 'lenght'" }).waitFor();
    const [line] = (await page.textContent('#said')).match(/^arm\.yaml:(\d+):/).slice(1);
    assert.equal(text.split('\n')[line - 1].trim(), 'length: 0.3');
    assert.equal(await page.textContent('.lines .bad'), `${line}\n`);
    await page.waitForFunction((before) => window.tendril.frame.time > before, await time(page)); // the robot goes on

    await page.fill('#file', text.replace('length: 0.3', 'length: 0.6'));
    await page.keyboard.press('Control+Enter');
    for (const one of [page, watcher]) {
        await one.bringToFront();
        await one.waitForFunction(() => window.tendril.frame && window.tendril.hello.robot.rods[0].length === 0.6);
        assert.ok(Math.abs((await tip(one))[2] - 0.6) < 1e-6, 'nothing bends it');
    }
    assert.match(await watcher.inputValue('#file'), /length: 0.6/);
    assert.equal(await watcher.locator('#run').isDisabled(), true); // it does not drive
    await page.bringToFront();
    await page.setInputFiles('#files', example('three-chambers.yaml'));
    await page.waitForFunction(() => window.tendril.frame && window.tendril.hello.robot.actuators[0]?.kind === 'chamber');
    assert.deepEqual([...page.problems, ...watcher.problems], []);
});

test('a robot file is neither read nor put by who lacks the token, or from another origin', async () => {
    view = await startView(example('arm.yaml'));
    const { origin } = new URL(view.address);
    const text = readFileSync(example('arm.yaml'), 'utf8');
    const ask = (token, headers = {}, body = null) =>
        fetch(`${origin}/file?token=${token}`, body ? { method: 'POST', headers, body } : {});
    assert.equal(await (await ask(TOKEN)).text(), text);
    assert.equal((await ask('another-token')).status, 403);
    assert.equal((await ask('another-token', { origin }, text)).status, 403);
    assert.equal((await ask(TOKEN, { origin: 'http://elsewhere.example' }, text)).status, 403);
    assert.equal((await ask(TOKEN, {}, text)).status, 403);
    assert.equal((await ask(TOKEN, { origin }, '#'.repeat(2 << 20))).ok, false);
    assert.deepEqual(await (await ask(TOKEN, { origin }, text)).json(), { type: 'opened', message: '' });
    assert.ok(view.running());
});

test('one drives, others watch, and may take over', async () => {
    const first = await openArm();
    const second = await openPage(browser.context, view.address);
    await ready(second);
    await second.getByText('watching').waitFor();
    assert.equal(await second.locator('#slider-0').isDisabled(), true);
    await second.getByRole('button', { name: 'Drive' }).click();
    await second.waitForFunction(() => !document.getElementById('slider-0').disabled);
    await first.bringToFront();
    await first.getByText('watching').waitFor();
    await first.close();
    assert.ok(view.running());
});

test('a wrong token is refused', async () => {
    view = await startView(example('arm.yaml'), ...CALM);
    const wrong = view.address.replace(TOKEN, 'another-token');
    assert.equal((await fetch(view.address)).status, 200);
    assert.equal((await fetch(wrong)).status, 403);
    assert.equal((await fetch(view.address.replace(/\?.*/, ''))).status, 403);
    const page = await openPage(browser.context, view.address);
    await ready(page);
    const opened = (token) =>
        page.evaluate(
            (given) =>
                new Promise((done) => {
                    const socket = new WebSocket(
                        `ws://${location.host}/ws?token=${given}`,
                        'tendril',
                    );
                    socket.onopen = () => {
                        socket.close();
                        done(true);
                    };
                    socket.onerror = () => done(false);
                }),
            token,
        );
    assert.equal(await opened(TOKEN), true);
    assert.equal(await opened('another-token'), false);
});

// Status of the answer to a request to switch to a WebSocket, with this Origin.
function upgradeStatus(address, origin) {
    const { hostname, port } = new URL(address);
    const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': 13,
        'Sec-WebSocket-Protocol': 'tendril',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...(origin ? { Origin: origin } : {}),
    };
    return new Promise((done, fail) => {
        const asked = request({ hostname, port, path: `/ws?token=${TOKEN}`, headers });
        asked.on('upgrade', (answer, socket) => {
            socket.destroy();
            done(answer.statusCode);
        });
        asked.on('response', (answer) => {
            answer.resume();
            done(answer.statusCode);
        });
        asked.on('error', fail);
        asked.end();
    });
}

test('a page of another origin is refused, even with the token', async () => {
    view = await startView(example('arm.yaml'), ...CALM);
    const { origin, host } = new URL(view.address);
    assert.equal(await upgradeStatus(view.address, origin), 101);
    assert.equal(await upgradeStatus(view.address, 'http://elsewhere.example'), 403);
    assert.equal(await upgradeStatus(view.address, null), 403);
    const stranger = createServer((_, response) =>
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>hello</p>'),
    );
    await new Promise((done) => stranger.listen(0, '127.0.0.1', done));
    const page = await openPage(browser.context, `http://127.0.0.1:${stranger.address().port}/`);
    const opened = await page.evaluate(
        (address) =>
            new Promise((done) => {
                const socket = new WebSocket(address, 'tendril');
                socket.onopen = () => done(true);
                socket.onerror = () => done(false);
            }),
        `ws://${host}/ws?token=${TOKEN}`,
    );
    stranger.close();
    assert.equal(opened, false);
});

// A cantilever swings at (1.8751/L)^2 sqrt(EI/rho A)/2 pi, its tip by a tenth of the length at first.
test('readings of the loop arrive, a controller that is switched off says nothing, and it is asked for more', async () => {
    const page = await open(example('finger-valve.yaml'), '--set', 'inputs.wanted=15 kPa');
    await spareThePixels(page);
    const pressure = () => page.locator('[data-sensor="gauge"]').textContent();
    await page.waitForFunction(() =>
        /^1[45][.\d]* kPa$/.test(document.querySelector('[data-sensor="gauge"]').textContent),
    );
    await page.getByLabel('regulator', { exact: true }).uncheck();
    // the valve is closed: its opening is the signal of its input, which is 0
    await page.waitForFunction(() => window.tendril.frame.inputs[0] === 0);
    await page.waitForFunction((t) => window.tendril.frame.time > t + 1.2, await time(page));
    assert.match(await pressure(), /^1[3-6][.\d]* kPa$/);  // it holds what it has
    await page.getByLabel('regulator', { exact: true }).check();
    await page.waitForFunction(() => window.tendril.frame.inputs[0] !== 0);
    const wanted = page.getByLabel('wanted in kPa', { exact: true });
    await wanted.fill('22');
    await wanted.press('Enter');
    await page.waitForFunction(() =>
        /^2[123][.\d]* kPa$/.test(document.querySelector('[data-sensor="gauge"]').textContent),
    );
    assert.deepEqual(page.problems, []);
});

test('the arm swings in its modes as theory says, and goes on where it was', async () => {
    const page = await openArm();
    await page.waitForFunction(() => window.tendril.frame.time > 0.1);
    await page.getByRole('button', { name: 'Modes', exact: true }).click();
    await page.locator('#mode-0').waitFor();
    const [first] = await page.evaluate(() => window.tendril.modes.list);
    const line = 7850 * Math.PI * 0.5e-3 ** 2;
    const expected =
        ((1.8751 / ARM.length) ** 2 * Math.sqrt(ARM.bendingStiffness / line)) / (2 * Math.PI);
    assert.ok(Math.abs(first.frequency / expected - 1) < 0.01, `${first.frequency} Hz`);
    assert.equal(first.kind, 'oscillates');
    // The farthest of the tip, once it has come near to what is wanted.
    const reach = (wanted) =>
        page.evaluate(
            (near) =>
                new Promise((done) => {
                    let [most, frames] = [0, 0];
                    const watch = () => {
                        const [x, y] = window.tendril.frame.rods[0].slice(-7, -5);
                        most = Math.max(most, Math.hypot(x, y));
                        if (++frames > 40 && most > near) done(most);
                        else requestAnimationFrame(watch);
                    };
                    watch();
                }),
            0.97 * wanted,
        );
    const tenth = await reach(0.1 * ARM.length);
    assert.ok(tenth < 0.1001 * ARM.length, `${tenth} m`);
    await page.locator('#amplitude').fill('20');
    const fifth = await reach(0.2 * ARM.length);
    assert.ok(fifth < 0.2001 * ARM.length, `${fifth} m`);
    const held = await time(page);
    await page.keyboard.press('m');
    await page.waitForFunction((t) => window.tendril.frame.time > t + 0.1, held);
    const [x, y] = await tip(page);
    assert.ok(Math.hypot(x, y) < 1e-6, 'back at rest');
    assert.deepEqual(page.problems, []);
});

test('time goes back to any moment of the last minute, and on from there', async () => {
    const page = await openArm();
    await page.waitForFunction(() => window.tendril.frame.time > 0.7);
    await typeInput(page, 0, 3);
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.03);
    const rewind = page.getByRole('slider', { name: 'Go back in time' });
    await rewind.waitFor();
    await rewind.evaluate((slider) => {
        slider.value = 0.4;
        slider.dispatchEvent(new Event('input'));
        slider.dispatchEvent(new Event('change'));
    });
    await page.waitForFunction(() => window.tendril.frame.time <= 0.4);
    assert.ok((await time(page)) > 0.2);
    const [x, , z] = await tip(page);
    assert.ok(Math.abs(x) < 1e-6 && Math.abs(z - ARM.length) < 1e-6, 'straight, as it was then');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => window.tendril.frame.time > 0.8);
    assert.ok(Math.abs((await tip(page))[0]) < 1e-6, 'the tendon is as slack as it was');
    const now = await time(page);
    await page.keyboard.press('[');
    await page.waitForFunction((t) => window.tendril.frame.time < t, now);
    assert.deepEqual(page.problems, []);
});

test('dragged to a place, the tip is brought there by the tendons', async () => {
    // held while it is dragged, so that the pointer meets it
    const page = await open(example('two-segment-arm.yaml'), '--paused', '--set', 'gravity=[0, 0, 0]');
    await page.keyboard.press('2');
    await page.keyboard.press('e');
    assert.ok(await page.getByLabel('Drag to reach').isChecked());
    const at = await onScreen(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y + 15, { steps: 5 });
    await page.waitForFunction(() => window.tendril.frame.inputs.some((x) => x > 1.5));
    await page.mouse.up();
    assert.equal(await page.evaluate(() => window.tendril.frame.grab), null);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => {
        const { frame, grab } = window.tendril;
        const [x, y, z] = frame.rods[0].slice(-7, -4);
        return Math.hypot(x - grab.aimed.x, y - grab.aimed.y, z - grab.aimed.z) < 0.01;
    });
    assert.deepEqual(page.problems, []);
});

test('loads and what holds the robot are drawn as arrows, and balance', async () => {
    const page = await open(example('follower.yaml'), '--paused', '--set', 'loads.jet.force=[0.2 N, 0, 0.1 N]');
    await page.keyboard.press('l');
    await page.waitForFunction(() => // loads and reactions
        window.tendril.robot.arrows.kinds.every(({ segments }) => segments.some((x) => x !== 0)),
    );
    const shown = await page.evaluate(() => {
        const { robot, frame, hello } = window.tendril;
        const kinds = hello.robot.arrows.map(({ kind }) => kind);
        return {
            kinds,
            visible: robot.arrows.group.visible,
            forces: frame.arrows.map(({ force }) => Array.from(force)),
        };
    });
    assert.ok(shown.visible);
    assert.ok(shown.kinds.includes('load') && shown.kinds.includes('reaction'));
    assert.ok(Math.abs(Math.hypot(...shown.forces[0]) - Math.hypot(0.2, 0.1)) < 1e-6, `${shown.forces[0]}`);
    for (const k of [0, 1, 2]) // without weight, at rest
        assert.ok(Math.abs(shown.forces.reduce((sum, force) => sum + force[k], 0)) < 1e-6, JSON.stringify(shown.forces));
    assert.deepEqual(page.problems, []);
});

test('what nothing holds has no flange, and the ground lies below what stands on it', async () => {
    const flanges = async (page) => {
        await page.waitForFunction(() => window.tendril.robot?.bases.meshes);
        return page.evaluate(() => window.tendril.robot.bases.meshes.filter(Boolean).length);
    };
    assert.equal(await flanges(await open(example('arm.yaml'), '--paused')), 1);
    await view.stop();
    assert.equal(await flanges(await open(example('eel.yaml'), '--paused')), 0);
    await view.stop();
    const page = await open(example('arm-on-arm.yaml'), '--paused');
    const { ground, stand } = await page.evaluate(() => {
        const { hello, frame, ground } = window.tendril;
        const i = hello.robot.bodies.findIndex(({ name }) => name === 'stand');
        const { size, centre } = hello.robot.bodies[i];
        return { ground: ground.group.position.z, stand: frame.bodies[i].pose[2] + centre[2] - 0.5 * size[2] };
    });
    assert.ok(ground <= stand + 1e-6, `ground at ${ground}, the stand ends at ${stand}`);
});

test('an arm of bodies alone is shown and moved, as far as its file allows', async () => {
    const page = await open(example('parts/six-joints.yaml'));
    const place = () =>
        page.evaluate(() => {
            const { hello, frame } = window.tendril;
            const i = hello.robot.bodies.findIndex(({ name }) => name === 'hand');
            return Array.from(frame.bodies[i].pose.subarray(0, 3));
        });
    const first = await place();
    const index = await page.evaluate(() => window.tendril.hello.inputs.findIndex(({ name }) => name === 'turn'));
    assert.deepEqual(
        await page.locator(`#slider-${index}`).evaluate(({ min, max }) => [Number(min), Number(max)]),
        [-2.9, 2.9], // limits of the file
    );
    await typeInput(page, index, 90);
    await page.waitForFunction((i) => Math.abs(window.tendril.frame.inputs[i] - Math.PI / 2) < 1e-6, index);
    const turned = await place();
    [-first[1], first[0], first[2]].forEach((x, k) => assert.ok(Math.abs(turned[k] - x) < 1e-5, `${turned}, from ${first}`));
    // it is plotted, since there is no tip
    assert.match(await page.locator('.plot').first().innerText(), /^Body, m/);
    await page.waitForFunction(([i, x]) => Math.abs(window.tendril.plots.history.tip[i][0].at(-1) - x) < 1e-5, [5, turned[0]]);
    assert.deepEqual(page.problems, []);
});

test('a magnet beside the robot is drawn, and in sight', async () => {
    const page = await open(example('magnetic-catheter.yaml'), '--paused');
    await page.waitForFunction(() => window.tendril.robot.fields.segments.some((x) => x !== 0));
    const { pixels, width, height } = await page.evaluate(() => {
        const { robot, stage } = window.tendril;
        const Vector = stage.camera.position.constructor;
        const ends = [0, 3].map((at) => new Vector().fromArray(robot.fields.segments, at));
        const { clientWidth, clientHeight } = stage.canvas;
        return { pixels: ends.map((p) => stage.project(p)), width: clientWidth, height: clientHeight };
    });
    for (const { x, y } of pixels)
        assert.ok(x > 0 && x < width && y > 0 && y < height, `an end at ${x}, ${y}`);
    assert.ok(Math.hypot(pixels[0].x - pixels[1].x, pixels[0].y - pixels[1].y) > 10);
    assert.deepEqual(page.problems, []);
});

test('modes that the program cannot find are refused in its words', async () => {
    const page = await open(example('leaning-arm.yaml'), '--paused', '--model', 'rom');
    await spareThePixels(page);
    await page.keyboard.press('m');
    await page.getByText('has obstacles').waitFor();
    assert.equal(await page.locator('#amplitude').isVisible(), false);
});

test('the program ends cleanly with a page open', async () => {
    const page = await openArm();
    assert.equal(await view.stop(), 0);
    view = null;
    await page.getByText('The connection is lost').waitFor();
});
