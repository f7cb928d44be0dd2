// The page of `tendril view`: connects to the program that served it and builds the scene from its
// first message. The robot file can be shown beside it and changed: the program opens what is sent to it.
import './style.css';
import './panel/editor.css';
import './touch.css';
import 'uplot/dist/uPlot.min.css';
import { applyTheme, currentTheme } from './theme.js';
import { Link } from './link.js';
import { Page } from './page.js';
import { Editor } from './panel/editor.js';
import { Messages } from './panel/status.js';

applyTheme(currentTheme());
const token = new URLSearchParams(location.search).get('token') ?? '';
const link = new Link(token);

// What a person typed stays, whatever others open meanwhile.
function showFiles(page) {
    const editor = new Editor({ open: (name, text) => link.open(name, text) });
    let shown = null;
    link.on('hello', async ({ live, file, opened }) => {
        if (!live || shown === opened) return;
        if (shown === null) page.takeEditor(editor);
        const first = shown === null;
        shown = opened;
        const text = await link.file().catch(({ message }) => editor.refuse(message));
        if (text === undefined) return;
        if (first || (!editor.typed && editor.text.value !== text)) editor.put(file, text);
    });
    link.on('opened', ({ name }) => {
        editor.given = editor.text.value;
        editor.say(`The program shows ${name}. The file on the disk stays as it is: Save keeps this text.`);
    });
    link.on('refused', ({ message }) => editor.refuse(message));
}

try {
    const page = new Page(link, token);
    window.tendril = page; // for the console, and for tests
    showFiles(page);
    link.connect();
} catch (error) {
    new Messages().show('error', 'The scene cannot be drawn', error.message, { stay: true });
}
