// The page against a stand-in for the program: what it shows and what it asks for, with everything
// that a real solver does rarely brought about at will.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openPage, pointByFingers, ready, statuses, tip } from './browser.mjs';
import { fakeHello } from './fake.mjs';
import { aBrowserForAll, browser, fake, heard, open, openDrawn, standIn } from './stand-in.mjs';

aBrowserForAll();

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
    const page = await browser.context.newPage();
    await page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(await standIn());
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

for (const [width, height] of [[390, 844], [844, 390], [768, 1024], [1024, 768], [1366, 1024]]) {
    test(`fingers find nothing smaller than 40 pixels to press at ${width} x ${height}`, async () => {
        const page = await open();
        await pointByFingers(page);
        await page.setViewportSize({ width, height });
        await page.waitForFunction((w) => innerWidth === w && matchMedia('(pointer: coarse)').matches, width);
        await page.evaluate(() => window.tendril.inputs.rows[0].ask(4)); // now there is the arrow back to the file
        const small = () =>
            page.evaluate(() =>
                [...document.querySelectorAll('button, select, input:not([type=checkbox], [type=radio]), summary, label.check, label.compared')]
                    .filter((node) => node.checkVisibility() && node.getClientRects().length)
                    .map((node) => [node.getBoundingClientRect(), node.ariaLabel || node.textContent])
                    .filter(([box]) => box.width < 39.5 || box.height < 39.5)
                    .map(([{ width: w, height: h }, name]) => `${name}: ${w} x ${h}`),
            );
        await page.getByText('Compare with other models').evaluate((node) => node.click());
        const sheets = page.locator('.sheet-button:visible');
        assert.deepEqual(await small(), []);
        for (let i = 0; i < (await sheets.count()); i++) {
            await sheets.nth(i).click();
            assert.deepEqual(await small(), []);
        }
    });
}

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

test('every input has a slider, whatever it drives and whatever was recorded of it', async () => {
    const kinds = ['tension', 'feed', 'turn', 'base', 'tip', 'spring', 'body', 'attached', 'force', 'gravity', 'unheard of'];
    const inputs = kinds.map((kind) => ({ name: kind, unit: '', kind, value: 0, min: -1, max: 1, follows: true }));
    const { robot, frame } = fakeHello();
    const floats = frame.floats + inputs.length - 4 - robot.actuators.reduce((sum, { points }) => sum + 3 * points + 2, 0);
    // nothing is told of the tendon
    const page = await openPage(browser.context, await standIn({ inputs, robot: { ...robot, actuators: [] }, frame: { ...frame, floats } }));
    await page.locator('summary', { hasText: 'Gravity' }).click();
    for (const [i, kind] of kinds.entries()) assert.ok(await page.locator(`#slider-${i}`).isVisible(), kind);
    assert.deepEqual(await page.locator('.group > summary').allTextContents(), [
        'Feed', 'Tubes', 'Base', 'Tip', 'Springs', 'Bodies', 'Other', 'Loads', 'Gravity',
    ]);
    assert.deepEqual(page.problems, []);
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

test('another robot in the place of the first is shown', async () => {
    const page = await open();
    await page.evaluate(() => {
        window.gone = 0; // plots of the first
        for (const { plot } of window.tendril.plots.plots) plot.hooks.destroy = [() => window.gone++];
    });
    fake.change({ robot: { ...fake.hello.robot, name: 'another' } });
    await page.waitForFunction(() => document.title === 'another – Tendril');
    await ready(page);
    assert.equal(await page.evaluate(() => window.gone), 5); // what stays listens to the window, and keeps all it drew
    assert.equal(await page.locator('.message').count(), 0);
});

test('a failure is shown in the words of the solver and stays until time goes on', async () => {
    const page = await open();
    Object.assign(fake.state, { playing: false, time: 0.42 });
    await page.waitForFunction(() => window.tendril.frame.time === 0.42);
    fake.say({ type: 'failure', message: 'no convergence after 50 iterations', time: 0.42 });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
        await alert.textContent(),
        /0\.420 s.*no convergence after 50 iterations.*last good state/,
    );
    await statuses(page, 4);
    assert.equal(await alert.count(), 1);
    await page.keyboard.press('r');
    await alert.waitFor({ state: 'detached' });
    // one that was on its way when the reset was asked for
    fake.say({ type: 'failure', message: 'no convergence', time: 0.42 });
    await statuses(page, 4);
    assert.equal(await alert.count(), 0);
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
    const page = await openPage(browser.context, await standIn({ frame: { floats: 7, ghost_floats: 0 } }));
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
    await page.getByText('east is never less than 0 N').waitFor();
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
