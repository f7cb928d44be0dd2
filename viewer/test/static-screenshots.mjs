// Pictures of the page without a server for the documents:
//     make page-static && node viewer/test/static-screenshots.mjs NAME    into docs/images/page-NAME.png
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage, ready } from './browser.mjs';
import { serveFiles } from './files.mjs';

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const SHOTS = {
    static: { width: 1280, height: 720, file: 'guidewire.yaml', time: 2.5 },
    phone: { width: 390, height: 844, file: 'three-chambers.yaml', time: 1.3 },
};

const server = await serveFiles();
const browser = await openBrowser();
for (const name of process.argv.slice(2)) {
    const { width, height, file, time } = SHOTS[name];
    const page = await openPage(browser.context, 'about:blank');
    await page.setViewportSize({ width, height });
    await page.goto(`${server.address}#example=${file}`);
    await ready(page);
    await page.waitForFunction((end) => window.tendril.frame.time >= end, time);
    await page.screenshot({ path: `${IMAGES}/page-${name}.png` });
}
await browser.close();
server.close();
