// Where the library runs: a worker, so that the page stays quick whatever a step takes. It opens a
// robot, lets its time pass, and posts what is told, texts and frames of docs/view-protocol.md, when the page
// has drawn what it was told before: one that draws slowly misses frames, as behind a socket, and is never late.
import makeTendril from './tendril.mjs';

const FOLDER = '/robots';
const LONGEST_NAP_MS = 200;

const library = makeTendril().then((module) => {
    module.FS.mkdir(FOLDER);
    return {
        module,
        open: module.cwrap('page_open', 'number', ['string']),
        error: module.cwrap('page_error', 'string', []),
        ask: module.cwrap('page_ask', null, ['string', 'number']),
        tick: module.cwrap('page_tick', 'number', ['number']),
        text: module.cwrap('page_text', 'string', []),
        frame: module.cwrap('page_frame', 'number', []),
        frameLength: module.cwrap('page_frame_length', 'number', []),
        run: module.cwrap('page_run', 'string', ['string']),
    };
});

let open = false;
let timer = null;
let untaken = false; // what was posted last waits to be drawn

const seconds = () => performance.now() / 1000;

function tell({ module, text, frame, frameLength }) {
    if (untaken) return;
    const told = [];
    for (let words = text(); words; words = text()) told.push(words);
    const at = frame();
    if (at) told.push(module.HEAPU8.slice(at, at + frameLength()).buffer);
    if (!told.length) return;
    untaken = true;
    self.postMessage({ told }, at ? [told.at(-1)] : []);
}

function round(tendril) {
    clearTimeout(timer);
    const next = tendril.tick(seconds());
    tell(tendril);
    const wait = Math.max(0, Math.min(1000 * (next - seconds()), LONGEST_NAP_MS));
    timer = setTimeout(() => round(tendril), wait);
}

// Files lie side by side, as they do on a disk. A name with folders keeps them.
function write({ FS }, name, content) {
    const parts = name.split('/').filter((part) => part && part !== '.' && part !== '..');
    const file = parts.pop() ?? 'robot.yaml';
    const folder = parts.reduce((path, part) => {
        const inner = `${path}/${part}`;
        if (!FS.analyzePath(inner).exists) FS.mkdir(inner);
        return inner;
    }, FOLDER);
    FS.writeFile(`${folder}/${file}`, content);
    return `${folder}/${file}`;
}

function writeAll({ module }, { name, text, files }) {
    for (const [other, bytes] of Object.entries(files)) write(module, other, bytes);
    return write(module, name, text);
}

const whyOf = (tendril) => tendril.error().replaceAll(`${FOLDER}/`, '');

// The whole run at once; a worker of its own is asked for it.
function run(tendril, what) {
    const table = tendril.run(writeAll(tendril, what));
    self.postMessage({ type: 'table', name: what.name, table, message: whyOf(tendril) });
}

function openRobot(tendril, what) {
    const { name } = what;
    self.postMessage({ type: 'opening' }); // whatever was computed before is at its end
    if (tendril.open(writeAll(tendril, what)) !== 0) {
        self.postMessage({ type: 'refused', name, message: whyOf(tendril) });
        return;
    }
    open = true;
    self.postMessage({ type: 'opened', name });
    round(tendril);
}

self.onmessage = async ({ data }) => {
    try {
        const tendril = await library;
        if (data.open) openRobot(tendril, data.open);
        else if (data.run) run(tendril, data.run);
        else if (data.taken) {
            untaken = false;
            tell(tendril);
        } else if (open) {
            tendril.ask(data.ask, new TextEncoder().encode(data.ask).length);
            round(tendril);
        }
    } catch (error) {
        self.postMessage({ type: 'broken', message: String(error) });
    }
};
