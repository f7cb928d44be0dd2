// Models, ghosts, estimates and modes on the page, against a stand-in for the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statuses } from './browser.mjs';
import { aBrowserForAll, fake, heard, open, openDrawn } from './stand-in.mjs';

aBrowserForAll();

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
