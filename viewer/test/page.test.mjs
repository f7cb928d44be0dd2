// The page against a stand-in for the program: what it shows and what it asks for, with everything
// that a real solver does rarely brought about at will.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE_MS, openBrowser, openPage, ready, spareThePixels, statuses, tip } from './browser.mjs';
import { Fake, fakeFrame, fakeHello } from './fake.mjs';
import { frameLayout, readFrame, tipOf } from '../src/protocol.js';
import { readable, readableUnit } from '../src/units.js';

let browser;
let fake;

before(async () => {
    browser = await openBrowser();
});
after(() => browser.close());
afterEach(async () => {
    for (const page of browser.context.pages().slice(1)) await page.close();
    fake?.close();
});

async function openDrawn(change) {
    fake = new Fake(change);
    const page = await openPage(browser.context, await fake.listen());
    await ready(page);
    return page;
}

async function open(change) {
    const page = await openDrawn(change);
    await spareThePixels(page);
    return page;
}

// Waits until the stand-in has heard a message that holds these fields.
async function heard(fields, also = () => true) {
    const fits = (message) =>
        Object.entries(fields).every(([key, value]) => message[key] === value) && also(message);
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
        const found = fake.heard.find(fits);
        if (found) return found;
        await new Promise((done) => setTimeout(done, 30));
    }
    assert.fail(`never heard ${JSON.stringify(fields)}, but ${JSON.stringify(fake.heard)}`);
}

test('a frame is read where its layout says', () => {
    const hello = fakeHello();
    const layout = frameLayout(hello);
    const state = { time: 1.5, curvature: 0, inputs: [1, 2, 3, 4], playing: true };
    Object.assign(state, { curvature: 1, estimate: true, ghosts: ['eba', null, 'srl', null] });
    const bytes = fakeFrame(hello, state);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const frame = readFrame(layout, buffer);
    assert.equal(frame.time, 1.5);
    assert.equal(frame.playing, true);
    assert.deepEqual([...frame.inputs], [1, 2, 3, 4]);
    assert.equal(frame.actuators[1].effort, 2);
    assert.equal(frame.actuators[2].effort, 3);
    const height = (curvature) => Math.sin(0.3 * curvature) / curvature; // of an arc
    assert.ok(Math.abs(tipOf(frame, 0)[2] - height(1)) < 1e-6);
    assert.ok(Math.abs(tipOf({ rods: frame.ghosts[0] }, 0)[2] - height(0.8)) < 1e-6);
    assert.equal(frame.ghosts[1], null);
    assert.ok(Math.abs(tipOf({ rods: frame.ghosts[2] }, 0)[2] - height(0.4)) < 1e-6);
    assert.ok(Math.abs(frame.spread[0].at(-3) - 4e-8) < 1e-14);
    assert.ok(Math.abs(tipOf({ rods: frame.estimate }, 0)[2] - height(0.9)) < 1e-6);
    assert.equal(readFrame(layout, buffer.slice(0, buffer.byteLength - 4)), null);
    assert.throws(() => frameLayout({ ...hello, frame: { floats: 7 } }), /7 numbers/);
});

test('obstacles and what they do to the rods have their place in a frame', () => {
    const { rods } = fakeHello().robot;
    const hello = { robot: { rods, obstacles: [{}, {}], touches: true }, inputs: [] };
    const { points } = rods[0];
    const layout = frameLayout(hello);
    assert.equal(layout.floats, 7 * points + 14 + 3 * points + 5 + 2 + 6);
    const floats = Float32Array.from({ length: layout.floats }, (_, i) => i);
    const buffer = new ArrayBuffer(16 + 4 * layout.floats);
    new DataView(buffer).setUint32(0, 0x31464454, true);
    new Float32Array(buffer, 16).set(floats);
    const frame = readFrame(layout, buffer);
    assert.equal(frame.obstacles[1][0], 7 * points + 7);
    assert.equal(frame.contacts[0].length, 3 * points);
    assert.equal(frame.contacts[0][0], 7 * points + 14);
    assert.equal(frame.energy[0], 10 * points + 14);
});

test('quantities are shown in units that read well', () => {
    assert.equal(readable(0.012, 'm'), '12 mm');
    assert.equal(readable(6e4, 'Pa'), '60 kPa');
    assert.equal(readable(Math.PI / 2, 'rad'), '90 °');
    assert.deepEqual(readableUnit('N', 10), { factor: 1, label: 'N' });
});

test('the page loads without errors and asks nothing of other hosts', async () => {
    const page = await openDrawn();
    await statuses(page, 4);
    assert.deepEqual(page.problems, []);
    const { origin } = new URL(fake.address);
    assert.deepEqual(
        page.asked.filter((url) => !url.startsWith(origin)),
        [],
    );
    assert.equal(await page.title(), 'stand-in – Tendril');
});

test('what is drawn is the robot: the canvas is not of one colour', async () => {
    const page = await openDrawn();
    const colours = await page.evaluate(() => {
        const { stage } = window.tendril;
        stage.draw();
        const copy = document.createElement('canvas');
        copy.width = copy.height = 100;
        const context = copy.getContext('2d');
        context.drawImage(stage.canvas, 0, 0, 100, 100);
        const { data } = context.getImageData(0, 0, 100, 100);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4)
            seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
    });
    assert.ok(colours > 50, `${colours} colours`);
});

test('the robot fills the picture, whole, from every side and on every screen', async () => {
    const page = await openDrawn();
    for (const [width, height] of [[1280, 720], [390, 844], [844, 390]]) {
        await page.setViewportSize({ width, height });
        for (const key of ['1', '2', '3']) {
            await page.keyboard.press(key);
            await page.waitForFunction(([w, h]) => innerWidth === w && innerHeight === h, [width, height]);
            // of the canvas: how much of it the rod spans, and how far in its ends are
            await page.waitForFunction(() => {
                const { stage, frame } = window.tendril;
                const { clientWidth: w, clientHeight: h } = stage.canvas;
                const Vector = stage.camera.position.constructor;
                const seen = Array.from({ length: frame.rods[0].length / 7 }, (_, i) =>
                    stage.project(new Vector().fromArray(frame.rods[0], 7 * i)),
                );
                const [x, y] = [seen.map((p) => p.x / w), seen.map((p) => p.y / h)];
                const span = (list) => Math.max(...list) - Math.min(...list);
                const inside = [...x, ...y].every((part) => part > 0.02 && part < 0.98);
                return inside && Math.max(span(x), span(y)) > 0.4; // with room for where it swings
            });
        }
    }
});

test('without WebGL the page says so', async () => {
    fake = new Fake();
    const page = await browser.context.newPage();
    await page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(await fake.listen());
    await page.getByText('The scene cannot be drawn').waitFor();
});

test('every control has a name that a screen reader can say', async () => {
    const page = await open();
    const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, input, select, canvas')]
            .filter(
                (node) =>
                    !(
                        node.getAttribute('aria-label') ||
                        node.labels?.length ||
                        node.textContent.trim()
                    ),
            )
            .map((node) => node.outerHTML),
    );
    assert.deepEqual(nameless, []);
});

test('at 1280 x 720 nothing leaves the window', async () => {
    const page = await open({ driving: false });
    fake.status = { held: false, ratio: 0.43, behind_s: 12.4 };
    await page.waitForFunction(() =>
        document.getElementById('pace').textContent.includes('not held'),
    );
    const outside = await page.evaluate(() =>
        [...document.querySelectorAll('.bar *, .plots *, .stage *')]
            .filter((node) => node.getClientRects().length && !node.closest('.chips, svg'))
            .map((node) => [node.outerHTML.slice(0, 80), node.getBoundingClientRect()])
            .filter(
                ([, box]) =>
                    box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1,
            )
            .map(([text]) => text),
    );
    assert.deepEqual(outside, []);
    const panel = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.querySelector('.panel');
        return scrollWidth - clientWidth;
    });
    assert.equal(panel, 0, 'something in the panel is cut off');
    const bar = await page.evaluate(() =>
        [...document.querySelector('.bar').children].map((node) => {
            const { left, right } = node.getBoundingClientRect();
            return { left, right };
        }),
    );
    for (let i = 1; i < bar.length; i++)
        assert.ok(bar[i].left >= bar[i - 1].right, 'parts of the bar overlap');
});

// WCAG 2.1: 4.5 for text of normal size
test('text has the contrast of level AA, light and dark', async () => {
    const sheet = readFileSync(new URL('../src/style.css', import.meta.url), 'utf8');
    const colours = (block) =>
        Object.fromEntries(
            [...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]),
        );
    const light = colours(sheet.match(/:root \{([^}]*)\}/)[1]);
    const dark = { ...light, ...colours(sheet.match(/data-theme='dark'\] \{([^}]*)\}/)[1]) };
    const channel = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const luminance = (hex) =>
        [1, 3, 5]
            .map((i) => channel(parseInt(hex.slice(i, i + 2), 16) / 255))
            .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (a, b) => {
        const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    const pairs = [
        ['text', 'surface'],
        ['text', 'raised'],
        ['text', 'scene'],
        ['quiet', 'surface'],
        ['quiet', 'scene'],
        ['quiet', 'raised'],
        ['good', 'accent-soft'],
        ['warn', 'warn-soft'],
        ['bad', 'bad-soft'],
        ['text', 'bad-soft'],
        ['accent-text', 'accent'],
    ];
    for (const theme of [light, dark]) {
        for (const [front, back] of pairs) {
            const ratio = contrast(theme[front], theme[back]);
            assert.ok(ratio >= 4.5, `${front} on ${back}: ${ratio.toFixed(2)}`);
        }
    }
});

test('a slider, its keys and its number ask for a value in SI', async () => {
    const page = await open();
    await page.locator('#slider-0').fill('5');
    assert.ok(Math.abs((await heard({ do: 'set', input: 0 })).value - 5) < 0.03);
    await page.locator('#number-2').fill('45');
    await page.locator('#number-2').press('Enter');
    assert.equal((await heard({ do: 'set', input: 2 })).value, 45000);
    await page.locator('#slider-1').focus();
    await page.keyboard.press('ArrowRight');
    assert.ok((await heard({ do: 'set', input: 1 })).value > 0);
});

test('an input that was set can follow the file again', async () => {
    const page = await open();
    const release = page.getByRole('button', { name: 'east: follow the file again' });
    assert.equal(await release.isVisible(), false);
    await page.locator('#slider-0').fill('5');
    await release.click();
    await heard({ do: 'follow', input: 0 });
    await release.waitFor({ state: 'hidden' });
});

test('readings come as they are, and controllers are switched', async () => {
    const page = await open();
    const reading = (name) => page.locator(`[data-sensor="${name}"]`).textContent();
    assert.match(await page.locator('.loop').innerText(), /^place\s+brake\s+camera\.x\s+\S+( mm)?\s+motor\s+\S+( mA)?$/);
    await page.waitForFunction(() =>
        document.querySelector('[data-sensor="motor"]').textContent.includes('mA'),
    );
    assert.equal(await reading('motor'), '-250 mA');
    const first = await reading('camera.x');
    assert.match(first, /^1[2-9][.\d]* mm$/);
    await page.waitForFunction(
        (before) => document.querySelector('[data-sensor="camera.x"]').textContent !== before,
        first,
    );
    const place = page.getByLabel('place', { exact: true });
    const brake = page.getByLabel('brake', { exact: true });
    assert.deepEqual([await place.isChecked(), await brake.isChecked()], [true, false]);
    await place.uncheck();
    await heard({ do: 'switch', controller: 0, value: 0 });
    await brake.check();
    await heard({ do: 'switch', controller: 1, value: 1 });
    fake.controls = [true, true]; // somebody else switched it on again
    await page.waitForFunction(() => document.getElementById('controller-0').checked);
});

test('space, full stop and r play, step and reset', async () => {
    const page = await open();
    await page.keyboard.press('Space');
    await heard({ do: 'pause' });
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.keyboard.press('.');
    await heard({ do: 'step' });
    await page.keyboard.press('r');
    await heard({ do: 'reset' });
    await page.keyboard.press('Space');
    await heard({ do: 'play' });
});

test('keys typed into a number are not commands', async () => {
    const page = await open();
    await page.locator('#number-0').focus();
    await page.keyboard.type('.5');
    await page.keyboard.press('Enter');
    await heard({ do: 'set', input: 0, value: 0.5 });
    assert.equal(
        fake.heard.some((message) => message.do === 'step'),
        false,
    );
});

test('arrows turn the view when the scene has the focus', async () => {
    const page = await open();
    const eye = () => page.evaluate(() => window.tendril.stage.camera.position.toArray());
    const first = await eye();
    await page.locator('#canvas').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    const second = await eye();
    const turned = Math.hypot(...first.map((x, i) => x - second[i]));
    assert.ok(turned > 0.01, `moved by ${turned}`);
});

test('a drag on the rod takes hold of it, pulls towards the pointer and lets go', async () => {
    const page = await open();
    await page.keyboard.press('2'); // from the front: x to the right, z up
    const at = await page.evaluate(() => {
        const { stage, frame } = window.tendril;
        const V = stage.camera.position.constructor;
        const box = stage.canvas.getBoundingClientRect();
        const seen = stage.project(new V(...frame.rods[0].slice(-7, -4)));
        return { x: box.left + seen.x, y: box.top + seen.y };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y, { steps: 4 });
    const held = await heard({ do: 'grab', rod: 0 });
    assert.ok(Math.abs(held.s - 0.3) < 0.02);
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.002);
    assert.match(await page.locator('#pull').textContent(), /N$/);
    const { force } = await heard({ do: 'pull' }, (message) => message.force[0] > 0.1);
    assert.ok(Math.abs(force[2]) < 0.3 * force[0], JSON.stringify(force));
    await page.mouse.up();
    await heard({ do: 'release' });
    await page.locator('#pull').waitFor({ state: 'hidden' });
});

test('the tip is pulled from the keyboard: g takes hold, arrows pull, Escape lets go', async () => {
    const page = await open();
    await page.keyboard.press('2'); // from the front: x to the right, z up
    await page.keyboard.press('g');
    assert.ok(Math.abs((await heard({ do: 'grab', rod: 0 })).s - 0.3) < 1e-9);
    await page.keyboard.press('ArrowRight');
    const { force } = await heard({ do: 'pull' }, (message) => message.force[0] > 0.1);
    assert.ok(Math.abs(force[2]) < 0.1 * force[0], JSON.stringify(force));
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.002);
    await page.keyboard.press('Escape');
    await heard({ do: 'release' });
    await page.locator('#pull').waitFor({ state: 'hidden' });
});

test('what the program let go is not pulled any longer', async () => {
    const page = await open();
    await page.keyboard.press('g');
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => window.tendril.grab.held.taken);
    fake.state.grab = null;
    await page.waitForFunction(() => window.tendril.grab.held === null);
    const pulls = fake.heard.filter((message) => message.do === 'pull').length;
    await statuses(page, 4);
    assert.equal(fake.heard.filter((message) => message.do === 'pull').length, pulls);
});

test('a model with other places to pull leaves view and plots as they are', async () => {
    const page = await open();
    await page.locator('#canvas').focus();
    await page.keyboard.press('ArrowRight');
    const eye = () => page.evaluate(() => window.tendril.stage.camera.position.toArray());
    const [before, kept] = [await eye(), await page.evaluateHandle(() => window.tendril.plots)];
    const { robot } = fake.hello;
    const rods = [{ ...robot.rods[0], grips: [0.3] }];
    fake.change({ model: 'eba', robot: { ...robot, rods } });
    await page.waitForFunction(() => window.tendril.hello.model === 'eba');
    assert.deepEqual(await eye(), before);
    assert.ok(await page.evaluate((plots) => window.tendril.plots === plots, kept));
});

test('another robot in the place of the first is shown', async () => {
    const page = await open();
    fake.change({ robot: { ...fake.hello.robot, name: 'another' } });
    await page.waitForFunction(() => document.title === 'another – Tendril');
    await ready(page);
    assert.equal(await page.locator('.message').count(), 0);
});

test('a free body can be pulled too', async () => {
    const page = await open();
    const at = await page.evaluate(() => {
        const { stage, frame } = window.tendril;
        const Vector = stage.camera.position.constructor;
        const box = stage.canvas.getBoundingClientRect();
        const seen = stage.project(new Vector(...frame.bodies[1].pose.slice(0, 3)));
        return { x: box.left + seen.x, y: box.top + seen.y };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 50, { steps: 4 });
    await heard({ do: 'grab', body: 1 });
    await heard({ do: 'pull' }, (message) => message.force[2] > 0.1);
    await page.mouse.up();
    await heard({ do: 'release' });
});

test('a drag beside the robot turns the view and pulls nothing', async () => {
    const page = await open();
    await page.mouse.move(150, 150);
    await page.mouse.down();
    await page.mouse.move(250, 180, { steps: 4 });
    await page.mouse.up();
    assert.equal(
        fake.heard.some((message) => message.do === 'grab'),
        false,
    );
});

// Fingers on the screen: each a place, or none when they are lifted.
async function fingersOn(page) {
    const touch = await page.context().newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    return (type, ...places) =>
        touch.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: places.map(([x, y], id) => ({ x, y, id })),
        });
}

const tipOnScreen = (page) =>
    page.evaluate(() => {
        const { stage, frame } = window.tendril;
        const { left, top } = stage.canvas.getBoundingClientRect();
        const { x, y } = stage.project(stage.camera.position.clone().set(...frame.rods[0].slice(-7, -4)));
        return [left + x, top + y];
    });

const viewOf = (page) =>
    page.evaluate(() => {
        const { camera, controls } = window.tendril.stage;
        const arm = camera.position.clone().sub(controls.target);
        return { far: arm.length(), turned: Math.atan2(arm.y, arm.x) };
    });

test('one finger turns the view or pulls, two move it nearer, also where the first is on the robot', async () => {
    const page = await open();
    const fingers = await fingersOn(page);
    const first = await viewOf(page);
    await fingers('touchStart', [150, 150]);
    await fingers('touchMove', [190, 150]);
    await fingers('touchMove', [230, 150]);
    await fingers('touchEnd');
    const turned = await viewOf(page);
    assert.ok(Math.abs(turned.turned - first.turned) > 0.1, 'it turns');
    assert.ok(Math.abs(turned.far - first.far) < 1e-6 * first.far);
    assert.equal(fake.heard.some((message) => message.do === 'grab'), false);

    let [x, y] = await tipOnScreen(page);
    await fingers('touchStart', [x, y]);
    await fingers('touchMove', [x + 40, y]);
    await heard({ do: 'grab', rod: 0 });
    await heard({ do: 'pull' }, ({ force }) => Math.hypot(...force) > 0);
    await fingers('touchEnd');
    await heard({ do: 'release' });

    fake.heard.length = 0;
    [x, y] = await tipOnScreen(page);
    const before = await viewOf(page);
    await fingers('touchStart', [x, y]);
    await heard({ do: 'grab' });
    await fingers('touchStart', [x, y], [x + 60, y]);
    await heard({ do: 'release' }); // it was not meant
    fake.heard.length = 0;
    for (const gap of [80, 110, 140]) await fingers('touchMove', [x, y], [x + gap, y]);
    await fingers('touchEnd');
    const after = await viewOf(page);
    assert.ok(after.far < 0.7 * before.far, `nearer: ${before.far} to ${after.far}`);
    assert.deepEqual(fake.heard.filter(({ do: what }) => ['grab', 'pull'].includes(what)), []);
    assert.deepEqual(page.problems, []);
});

test('model, scheme, step and speed can be chosen, and a model to compare with', async () => {
    const page = await open();
    await page.locator('#model').selectOption('eba');
    await heard({ do: 'model', name: 'eba' });
    // schemes belong to the model
    await page.locator('#scheme option[value=newmark]').waitFor({ state: 'attached' });
    await page.locator('#step').fill('2');
    await page.locator('#step').press('Enter');
    assert.equal((await heard({ do: 'model', step: 0.002 })).step, 0.002);
    await page.getByText('Compare with other models').click();
    await page.getByLabel('cosserat').check();
    await heard({ do: 'ghost', name: 'cosserat', value: 1 });
    await page.waitForFunction(() => window.tendril.robot.ghosts[0].group.visible);
    await page.getByText(/^tip .* away, .* %$/).waitFor();
    await page.getByLabel('cosserat').uncheck();
    await heard({ do: 'ghost', name: 'cosserat', value: 0 });
    await page.waitForFunction(() => !window.tendril.robot.ghosts[0].group.visible);
    await page.getByLabel('Speed').selectOption('0.25');
    await heard({ do: 'speed', value: 0.25 });
});

test('a ghost stands beside the robot, with its name, in view, and its tip is plotted', async () => {
    const page = await openDrawn();
    assert.equal(await page.locator('.beside').isHidden(), true);
    await page.locator('#number-0').fill('4');
    await page.locator('#number-0').press('Enter');
    await page.getByText('Compare with other models').click();
    await page.locator('#ghost-eba').check();
    await page.getByLabel('Side by side').check();
    await page.locator('.model-label', { hasText: 'eba' }).waitFor();
    await page.waitForFunction(() => {
        const { robot, frame, stage } = window.tendril;
        const most = (rods) => Math.max(...rods[0].filter((_, i) => i % 7 === 0)); // of x
        const shift = robot.ghosts[0].group.position;
        const points = [frame.rods[0], frame.ghosts[0][0]].flatMap((poses, k) =>
            [0, 140].map((at) => {
                const point = robot.apart.clone().set(...poses.slice(at, at + 3));
                return stage.project(k ? point.add(shift) : point);
            }),
        );
        const { clientWidth, clientHeight } = stage.canvas;
        const seen = points.every(
            ({ x, y }) => x > 0 && y > 0 && x < clientWidth && y < clientHeight,
        );
        // to the right of the robot as it is seen: both tips lean that way, and the ghost's base is beyond
        return seen && shift.length() > 0.25 * robot.size && points[2].x > points[1].x && most(frame.rods) > 0.05;
    });
    await page.waitForFunction(() => window.tendril.plots.history.ghosts[0][0][0].at(-1) !== null);
    assert.match(await page.locator('.plot').first().locator('.chips').textContent(), /^xyzeba$/);
    // it moves with the view, also while no frame comes
    await page.evaluate(() => (window.tendril.receive = () => {}));
    await page.keyboard.press('3');
    await page.waitForFunction(() => {
        const { x, y } = window.tendril.robot.ghosts[0].group.position;
        return y > 0.2 * window.tendril.robot.size && Math.abs(x) < 1e-9 * y;
    });
    await page.keyboard.press('b');
    await page.waitForFunction(() => window.tendril.robot.ghosts[0].group.position.length() === 0);
    await page.waitForFunction(() => [...document.querySelectorAll('.model-label')].every(({ hidden }) => hidden));
});

const able = (...names) => names.map((name) => ({ name, title: name, can: true, why: '', schemes: ['fixed'] }));

test('four models stand in a row, each with its colour, clock and cost, and none of their names over another', async () => {
    const names = ['eba', 'ebr', 'srl', 'rom', 'tubes'];
    const page = await openDrawn({ models: able('cosserat', ...names) });
    await page.getByText('Compare with other models').click();
    for (const name of names.slice(0, 4)) {
        await page.locator(`#ghost-${name}`).check();
        await heard({ do: 'ghost', name, value: 1 });
        await page.waitForFunction((model) => window.tendril.hello.ghosts.includes(model), name);
    }
    await page.waitForFunction(() => document.getElementById('ghost-tubes').disabled);
    await page.getByLabel('Side by side').check();
    await page.locator('.model-label', { hasText: /^rom, \d+\.\d\d s, 0\.4 ms a step$/ }).waitFor();
    assert.equal(await page.locator('.compared', { hasText: 'srl' }).locator('.cost').textContent(), '0.3 ms');
    // along the row each is beyond the one before; all are in view
    await page.waitForFunction(() => {
        const { robot, stage, frame } = window.tendril;
        const far = robot.ghosts.map(({ group }) => group.position.dot(robot.apart));
        const ends = robot.ghosts.map(({ group }, k) =>
            stage.project(robot.apart.clone().set(...frame.ghosts[k][0].slice(-7, -4)).add(group.position)),
        );
        const { clientWidth } = stage.canvas;
        return far.every((x, k) => x > (far[k - 1] ?? 0) + 0.2 * robot.size) && ends.every(({ x }) => x > 0 && x < clientWidth);
    });
    const colours = await page.evaluate(() =>
        window.tendril.robot.ghosts.map(({ material }) => material.color.getHex()),
    );
    assert.equal(new Set(colours).size, 4);
    const boxes = await page.locator('.model-label:visible').evaluateAll((all) =>
        all.map((node) => node.getBoundingClientRect().toJSON()),
    );
    assert.equal(boxes.length, 5);
    for (const [i, a] of boxes.entries())
        for (const b of boxes.slice(i + 1))
            assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, 'names overlap');
    // one in the middle goes: the others keep colour and place
    await page.locator('#ghost-ebr').uncheck();
    await page.waitForFunction(() => !window.tendril.robot.ghosts[1].group.visible);
    assert.equal(await page.evaluate(() => window.tendril.robot.ghosts[2].group.visible), true);
    assert.match(await page.locator('#apart-2').locator('..').textContent(), /^srl/);
    assert.deepEqual(page.problems, []);
});

test('a band of two deviations lies around the estimate, as wide as its covariance, or wider by a number that is told', async () => {
    const page = await open({ estimates: [{ name: 'weight', unit: 'N' }] });
    // The ring at the tip, which stands along z: as far as each of its points is out along its normal n.
    const reaches = () =>
        page.evaluate(() => {
            const { array } = window.tendril.robot.band.tubes[0].position;
            const ring = array.subarray(3 * 24 * 24, 3 * 24 * 25); // four of the base, then the points: the last of 21
            return Array.from({ length: 24 }, (_, k) => {
                const angle = ((k + 0.5) * Math.PI) / 12;
                return Math.cos(angle) * ring[3 * k] + Math.sin(angle) * ring[3 * k + 1];
            });
        });
    // A circle of 12 mm and `times` two deviations of what is unsure along n: sqrt(n' C n).
    const check = async (times, spread) => {
        const [xx, xy, , yy] = spread;
        Object.assign(fake.state, { estimate: true, spread });
        await page.waitForFunction(
            ([most, factor]) => {
                const { robot, frame } = window.tendril;
                const shown = robot.frame?.spread?.[0].at(-3);
                return frame.spread && Math.abs(shown - most) < 1e-6 * most && robot.band.times === factor;
            },
            [yy, times],
        );
        (await reaches()).forEach((far, k) => {
            const angle = ((k + 0.5) * Math.PI) / 12;
            const [c, s] = [Math.cos(angle), Math.sin(angle)];
            const wanted = 0.012 + 2 * times * Math.sqrt(xx * c * c + 2 * xy * c * s + yy * s * s);
            assert.ok(Math.abs(far - wanted) < 1e-5 * wanted, `${far}, not ${wanted}`);
        });
    };
    await check(20, [1e-8, 0, 0, 4e-8, 0, 0]);
    await page.getByText('400 µm, drawn 20 × as wide').waitFor();
    await check(1, [9e-6, 1.3e-5, 0, 3.6e-5, 0, 0]); // large enough to be seen as it is
    await page.waitForFunction(() => document.getElementById('band').textContent === '12 mm');
    fake.state.estimate = false;
    await page.waitForFunction(() => !window.tendril.robot.band.group.visible);
    await page.locator('#band').waitFor({ state: 'hidden' });
});

test('sliders and colours grow with what a controller asks for; inputs of one kind have one unit', async () => {
    const page = await open();
    Object.assign(fake.state.inputs, [25, 0.4]);
    await page.waitForFunction(() => Number(document.getElementById('slider-0').max) === 30);
    assert.equal(await page.locator('.input.beyond').count(), 0);
    assert.equal(await page.locator('#number-0').inputValue(), '25');
    assert.equal(await page.locator('#number-1').inputValue(), '0.4');
    await page.locator('#legend', { hasText: '30 N' }).waitFor();
    // another hello, as of every change, is still of the same robot
    await page.evaluate(() => (window.still = true));
    fake.change({ speed: 2 });
    await page.waitForFunction(() => window.tendril.hello.speed === 2);
    assert.equal(await page.evaluate(() => window.still), true);
});

test('what an estimator believes is drawn, and told with its deviation', async () => {
    const page = await open({ estimates: [{ name: 'weight', unit: 'N' }] });
    const text = (name) => page.locator(`[data-estimate="${name}"]`).textContent();
    Object.assign(fake.state, { estimate: true });
    fake.status = { estimates: [-0.0598, 0.0063], believed: [0.0121, 0.0002, null, null] };
    await page.waitForFunction(() => window.tendril.robot.estimate.group.visible);
    await page.getByText('-59.8 ± 6.3 mN').waitFor();
    assert.equal(await text('camera.x'), '12.10 ± 0.20 mm');
    assert.equal(await text('motor'), '–');
    await page.locator('#believed-apart').waitFor();
    fake.state.estimate = false;
    await page.waitForFunction(() => !window.tendril.robot.estimate.group.visible);
    await page.locator('#believed-apart').waitFor({ state: 'hidden' });
});

test('a model that cannot compute the robot is not to be chosen, and it is said why', async () => {
    const page = await open();
    assert.equal(await page.locator('#model option[value=srl]').isDisabled(), true);
    await page.getByText('1 model cannot compute this robot').click();
    await page.getByText('it has no chambers').waitFor();
});

test('a failure is shown in the words of the solver and stays until time goes on', async () => {
    const page = await open();
    fake.state.playing = false;
    fake.say({ type: 'failure', message: 'no convergence after 50 iterations', time: 0.42 });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
        await alert.textContent(),
        /0\.420 s.*no convergence after 50 iterations.*last good state/,
    );
    await page.keyboard.press('r');
    await alert.waitFor({ state: 'detached' });
});

test('the page says by how much real time is not held', async () => {
    const page = await open();
    fake.status = { held: false, ratio: 0.43, behind_s: 1.24 };
    await page.locator('#pace', { hasText: 'real time not held: 0.43 ×, 1.2 s behind' }).waitFor();
    fake.change({ speed: 0.5 });
    await page.locator('#pace', { hasText: '0.5 × real time not held: 0.21 ×' }).waitFor();
});

test('who watches cannot move anything but may ask to drive', async () => {
    const page = await open({ driving: false });
    await page.getByText('watching').waitFor();
    assert.equal(await page.locator('#slider-0').isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Pause' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Drive' }).click();
    await heard({ do: 'drive' });
    await page.waitForFunction(() => !document.getElementById('slider-0').disabled);
});

test('a lost connection is said, and mended when the program is back', async () => {
    const page = await open();
    fake.refuses = true;
    fake.sockets.forEach((socket) => socket.destroy());
    await page.getByText('The connection is lost').waitFor();
    fake.refuses = false;
    await page.getByText('The connection is lost').waitFor({ state: 'detached' });
});

test('frames of another size are told, not drawn', async () => {
    fake = new Fake({ frame: { floats: 7, ghost_floats: 0 } });
    const page = await openPage(browser.context, await fake.listen());
    await page.getByText('do not fit together').waitFor();
});

test('a picture, an animation and the inputs are saved as files', async () => {
    const page = await openDrawn();
    const save = async (name) => {
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name }).click(),
        ]);
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const picture = await save('Save a picture');
    assert.equal(picture.name, 'stand-in.png');
    assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
    assert.ok(picture.bytes.length > 5000);
    const width = await page.evaluate(() => window.tendril.stage.canvas.clientWidth);
    assert.equal(picture.bytes.readUInt32BE(16), 2 * width); // twice as sharp as the page
    const inputs = await save('Save the inputs as a file');
    assert.equal(inputs.name, 'stand-in-inputs.yaml');
    await page.getByRole('button', { name: 'Record an animation' }).click();
    const drawn = await page.evaluate(() => window.tendril.stage.framesDrawn);
    await page.waitForFunction((n) => window.tendril.stage.framesDrawn > n + 20, drawn);
    const animation = await save('Stop recording and save');
    assert.equal(animation.name, 'stand-in.webm');
    assert.equal(animation.bytes.readUInt32BE(0), 0x1a45dfa3); // the mark of EBML
    assert.ok(animation.bytes.length > 2000);
});

test('dark and light, frames, plots and help work from the keyboard', async () => {
    const page = await openDrawn();
    const first = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press('t');
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), first);
    await page.keyboard.press('t');
    await page.keyboard.press('f');
    assert.equal(await page.locator('#show-frames').isChecked(), true);
    await page.keyboard.press('p');
    assert.equal(await page.locator('#plots').isVisible(), false);
    await page.keyboard.press('p');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('modes are listed, one is chosen, swings as far as the slider says, and left', async () => {
    const page = await open();
    await page.keyboard.press('m');
    await heard({ do: 'modes' }, (message) => !('mode' in message));
    const rows = page.locator('.mode:not(.heads)');
    await rows.nth(2).waitFor();
    assert.deepEqual(await rows.allInnerTexts().then((all) => all.map((text) => text.split(/\s*\n\s*/))), [
        ['1', '3.5 Hz', '0.022', 'oscillates'],
        ['2', '8 Hz', '1', 'decays'],
        ['3', '12.25 Hz', '-0.01', 'flutters'],
    ]);
    assert.equal(await page.locator('#mode-0').isChecked(), true);
    await page.getByText('One swing takes 286 ms; shown in 1.5 s.').waitFor();
    await page.getByText('The 3 slowest of 30.').waitFor();
    await page.waitForFunction(() => document.getElementById('pace').textContent === 'mode 1');
    await page.getByLabel('Mode 3: 12.25 Hz, damping ratio -0.01, flutters').check();
    await heard({ do: 'modes', mode: 2 });
    await page.getByText('One swing takes 81.6 ms and grows').waitFor();
    await page.locator('#amplitude').fill('25');
    await heard({ do: 'modes', value: 0.25 });
    assert.equal(await page.evaluate(() => window.tendril.grabState().allowed), false);
    await page.getByRole('button', { name: 'Back to the simulation' }).click();
    await heard({ do: 'modes', mode: null });
    await page.getByRole('button', { name: 'Modes', exact: true }).waitFor();
    assert.equal(await page.locator('#amplitude').isVisible(), false);
    assert.deepEqual(page.problems, []);
});

test('who watches sees which mode is shown and cannot choose; a small window holds the list', async () => {
    const page = await open({ mode: 1, driving: false });
    await page.setViewportSize({ width: 1024, height: 640 });
    await page.getByText('Mode 2 is shown.').waitFor();
    assert.equal(await page.locator('#modes').isDisabled(), true);
    await page.keyboard.press('m');
    await statuses(page, 4);
    assert.deepEqual(fake.heard, []);
    fake.change({ mode: null });
    fake.showModes({ mode: 1 });
    await page.locator('#mode-2').waitFor();
    assert.equal(await page.locator('#mode-2').isDisabled(), true);
    assert.equal(await page.locator('#mode-1').isChecked(), true);
    const [list, panel] = await page.evaluate(() =>
        ['.modes', '#panel'].map((name) => {
            const { top, bottom, left, right } = document
                .querySelector(name)
                .getBoundingClientRect();
            return { top, bottom, left, right };
        }),
    );
    assert.ok(list.bottom <= panel.bottom + 1 && list.top >= panel.top - 1, 'up or down');
    assert.ok(list.left >= panel.left && list.right <= panel.right, 'sideways');
});

test('the tip follows the frames to where the arm bends', async () => {
    const page = await open();
    fake.state.inputs[0] = 6;
    await page.waitForFunction(() => window.tendril.frame.rods[0].at(-7) > 0.05);
    assert.ok((await tip(page))[0] > 0.05);
});

test('a tension below 0 is taken as 0, with a word; one beyond the slider is marked', async () => {
    const page = await open();
    await page.fill('#number-0', '-5');
    await page.press('#number-0', 'Enter');
    await heard({ do: 'set', input: 0, value: 0 });
    await page.getByText('never negative').waitFor();
    await page.fill('#number-0', '1e4');
    await page.press('#number-0', 'Enter');
    await heard({ do: 'set', input: 0, value: 1e4 });
    assert.equal(await page.locator('.input.beyond').count(), 1);
});

test('the plots are saved as a table in SI units', async () => {
    const page = await open();
    await page.waitForFunction(() => window.tendril.plots.history.time.length > 3);
    const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByLabel('Save the plots as a table').click(),
    ]);
    const [head, first] = readFileSync(await saved.path(), 'utf8').split('\n');
    assert.match(head, /^time \[s\],arm\.x \[m\],arm\.y \[m\],arm\.z \[m\],kinetic \[J\]/);
    assert.match(head, /,ratio$/);
    assert.equal(first.split(',').length, head.split(',').length);
    await page.getByText('Compare with other models').click();
    await page.locator('#ghost-eba').check();
    await page.waitForFunction(() => window.tendril.plots.history.ghosts[0][0][2].at(-1) !== null);
    const [withGhost, row] = await page.evaluate(() => {
        const lines = window.tendril.plots.table(window.tendril.hello).trim().split('\n');
        return [lines[0], lines.at(-1)];
    });
    assert.match(withGhost, /,ratio,eba: arm\.x \[m\],eba: arm\.y \[m\],eba: arm\.z \[m\]$/);
    assert.ok(Math.abs(Number(row.split(',').at(-1)) - 0.3) < 1e-3);
});

test('the axes of the world turn with the view', async () => {
    const page = await open();
    const ends = () =>
        page.$$eval('#axes line', (all) => all.map((line) => Number(line.getAttribute('y2'))));
    await page.evaluate(() => {
        window.tendril.look('front');
        window.tendril.stage.draw();
    });
    const [x, , z] = await ends();
    assert.ok(Math.abs(x) < 0.5 && z < -18, `seen from the front, z is up: ${x} ${z}`);
});
