// Opens the page of a `tendril view` that runs somewhere else on this machine, as it was installed there, and has the solver
// behind it answer: the tip of the first rod must follow an input.
//     node test/installed.mjs ADDRESS
import assert from 'node:assert/strict';
import { openBrowser, openPage, ready, tip } from './browser.mjs';

const address = process.argv[2];
const { origin } = new URL(address);
const browser = await openBrowser();
try {
    const page = await openPage(browser.context, address);
    const answers = [];
    page.on('response', (answer) => answers.push(answer));
    await page.reload();
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    const before = await tip(page);
    await page.locator('#number-0').fill('3');
    await page.locator('#number-0').press('Enter');
    await page.waitForFunction(
        (from) => {
            const { frame } = window.tendril;
            const now = frame.rods[0].slice(-7, -4);
            return frame.inputs[0] === 3 && Math.hypot(...now.map((x, d) => x - from[d])) > 0.01;
        },
        before,
    );
    for (const end of ['page.js', 'page.css', '.woff2'])
        assert(answers.some((answer) => answer.ok() && answer.url().endsWith(end)), `no ${end} came`);
    for (const url of page.asked) assert(url.startsWith(origin) || /^(blob|data|ws)/.test(url), url);
    assert.deepEqual(page.problems, []);
    console.log(`page: ${await page.title()}, ${answers.length} files, its tip follows the input`);
} finally {
    await browser.close();
}
