// Debian's Chromium, headless, with WebGL in software; nothing leaves this machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--ignore-gpu-blocklist',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-default-apps',
    '--mute-audio',
];

export async function openBrowser() {
    const folder = mkdtempSync(join(tmpdir(), 'tendril-view-'));
    const context = await chromium.launchPersistentContext(folder, {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        headless: true,
        args: FLAGS,
        viewport: { width: 1280, height: 720 },
        acceptDownloads: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return {
        context,
        async close() {
            await context.close();
            rmSync(folder, { recursive: true, force: true });
        },
    };
}

// How long a test waits for what must come, however busy the machine is.
export const PATIENCE_MS = 120000;

// A page that remembers what went wrong in it and where it wanted to go.
export async function openPage(context, address) {
    const page = await context.newPage();
    page.problems = [];
    page.asked = [];
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) page.problems.push(message.text());
    });
    page.on('pageerror', (error) => page.problems.push(String(error)));
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(address);
    return page;
}

// What the page holds, as plain numbers.
export const tip = (page, rod = 0) =>
    page.evaluate((i) => {
        const { frame } = window.tendril;
        return Array.from(frame.rods[i].slice(-7, -4));
    }, rod);

export const time = (page) => page.evaluate(() => window.tendril.frame.time);

export const ready = (page) =>
    page.waitForFunction(() => Boolean(window.tendril?.frame));

// Until the program has said how it goes so many times more.
export const statuses = (page, count) =>
    page.evaluate(
        (wanted) =>
            new Promise((done) => {
                let seen = 0;
                window.tendril.link.on('status', () => ++seen === wanted && done());
            }),
        count,
    );

// As on a phone or a tablet.
export async function pointByFingers(page) {
    const touch = await page.context().newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    return touch;
}

// Pixels in software take most of a machine: a test that looks at none of them does without, once
// the first picture is there.
export const spareThePixels = (page) =>
    page.evaluate(() => {
        window.tendril.stage.renderer.render = () => {};
    });
