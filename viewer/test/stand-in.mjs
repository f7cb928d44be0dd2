// A page that a stand-in for the program serves, for tests: what it is told, and what it asks for.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { PATIENCE_MS, openBrowser, openPage, ready, spareThePixels } from './browser.mjs';
import { Fake } from './fake.mjs';

export let browser;
export let fake; // of the page that was opened last

// For a file of tests: a browser for all of them, pages and stand-in for each.
export function aBrowserForAll() {
    before(async () => {
        browser = await openBrowser();
    });
    after(() => browser.close());
    afterEach(async () => {
        for (const page of browser.context.pages().slice(1)) await page.close();
        fake?.close();
    });
}

export async function standIn(change) {
    fake = new Fake(change);
    return fake.listen();
}

export async function openDrawn(change) {
    const page = await openPage(browser.context, await standIn(change));
    await ready(page);
    return page;
}

// Where nothing is looked at.
export async function open(change) {
    const page = await openDrawn(change);
    await spareThePixels(page);
    return page;
}

// Waits until the stand-in has heard a message that holds these fields.
export async function heard(fields, also = () => true) {
    const fits = (message) =>
        Object.entries(fields).every(([key, value]) => message[key] === value) && also(message);
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
        const found = fake.heard.find(fits);
        if (found) return found;
        await new Promise((done) => setTimeout(done, 30));
    }
    assert.fail(`never heard ${JSON.stringify(fields)}, but ${JSON.stringify(fake.heard)}`);
}
