// A plain server of files for the page without a server: what any web server would do.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE =
    process.env.STATIC ?? fileURLToPath(new URL('../../results/page', import.meta.url));
const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
    '.json': 'application/json',
    '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2',
};

export async function serveFiles() {
    const server = createServer((request, answer) => {
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
        const file = join(PAGE, path === '/' ? 'index.html' : path);
        if (!existsSync(file) || !statSync(file).isFile()) {
            answer.writeHead(404).end();
            return;
        }
        answer.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
        createReadStream(file).pipe(answer);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return {
        address: `http://127.0.0.1:${server.address().port}/`,
        close: () => server.close(),
    };
}
