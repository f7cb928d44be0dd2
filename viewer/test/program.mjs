// The program behind the page: `tendril view`, started for a test and stopped after it.
import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const TENDRIL =
    process.env.TENDRIL ?? fileURLToPath(new URL('../../build/tendril', import.meta.url));
export const TOKEN = 'a-token-for-tests';
export const example = (name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const DIST = fileURLToPath(new URL('../dist', import.meta.url));

export function runTendril(...args) {
    return execFileSync(TENDRIL, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// Resolves when the program has printed its address.
export async function startView(what, ...options) {
    const child = spawn(
        TENDRIL,
        ['view', what, '--no-browser', '--port', '0', '--token', TOKEN, '--page', DIST, ...options],
        { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    const ended = new Promise((done) => child.on('exit', (code) => done(code)));
    const address = await new Promise((done, fail) => {
        const listen = (text) => {
            said += text;
            const found = said.match(/http:\/\/\S+/);
            if (found) done(found[0]);
        };
        child.stdout.on('data', listen);
        child.stderr.on('data', listen);
        child.on('error', fail);
        ended.then((code) => fail(new Error(`tendril view ended with ${code}: ${said}`)));
    });
    return {
        address,
        pid: child.pid,
        running: () => child.exitCode === null,
        async stop() {
            child.kill('SIGINT');
            return ended;
        },
    };
}
