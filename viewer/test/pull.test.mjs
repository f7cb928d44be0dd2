// The scene against a stand-in for the program: turning the view, and pulling at the robot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointByFingers, statuses } from './browser.mjs';
import { aBrowserForAll, fake, heard, open } from './stand-in.mjs';

aBrowserForAll();

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
    const touch = await pointByFingers(page);
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
