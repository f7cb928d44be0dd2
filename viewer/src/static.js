// The page without a server: the library runs in the browser, the robot file stands beside the robot.
import './style.css';
import './panel/editor.css';
import './touch.css';
import 'uplot/dist/uPlot.min.css';
import { LocalLink } from './local/link.js';
import { addressOf, fromAddress } from './local/share.js';
import { Page } from './page.js';
import { Editor } from './panel/editor.js';
import { Messages } from './panel/status.js';
import { applyTheme, currentTheme } from './theme.js';

const FIRST = 'arm.yaml';

async function load(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer;
}

// What stands beside an example, { name: bytes }.
async function filesBeside({ files }) {
    const bytesOf = async (file) =>
        new Uint8Array(await (await load(`examples/${file}`)).arrayBuffer());
    return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await bytesOf(file)])));
}

async function example(examples, name) {
    const found = examples.find((one) => one.name === name);
    if (!found) throw new Error(`there is no example '${name}'`);
    const text = await (await load(`examples/${name}`)).text();
    return { name, text, files: await filesBeside(found) };
}

// An example that was changed still reads what lies beside it.
async function sent(examples, { name, text }) {
    const found = examples.find((one) => one.name === name);
    return { name, text, files: found ? await filesBeside(found) : {} };
}

async function start() {
    applyTheme(currentTheme());
    const examples = await (await load('examples/index.json')).json();
    const link = new LocalLink();
    const page = new Page(link, '');
    const open = ({ name, text, files }) => {
        editor.put(name, text, files);
        editor.open();
    };
    const actions = {
        open: (name, text, files) => link.open(name, text, files),
        run: (name, text, files, signal) => link.run(name, text, files, signal),
        addressOf,
        choose: async (name) => {
            history.replaceState(null, '', `#example=${name}`);
            open(await example(examples, name));
        },
    };
    const editor = new Editor(actions, examples);
    page.takeEditor(editor);
    document.body.classList.add('show-file'); // small screens show the scene first
    link.on('opened', async ({ name }) => {
        page.clear(); // also where it looks the same
        editor.say(`${name} is computed here, in this browser.`);
        if (!editor.typed) return;
        const address = await addressOf(name, editor.text.value).catch(() => null); // older browsers do not deflate
        if (address) history.replaceState(null, '', address); // and is kept in it
    });
    link.on('refused', ({ message }) => editor.refuse(message));
    link.on('broken', ({ message }) =>
        page.messages.show('error', 'The library cannot run here', message, { stay: true }),
    );
    link.connect();
    window.tendril = page; // for the console, and for tests
    const show = async () => {
        const asked = await fromAddress();
        open(await (asked?.text ? sent(examples, asked) : example(examples, asked?.example ?? FIRST)));
    };
    window.addEventListener('hashchange', () => show().catch(fail));
    await show();
}

function fail(error) {
    new Messages().show('error', 'The page cannot start', error.message, { stay: true });
}

start().catch(fail);
