// The robot file beside the robot: examples to choose from where there are any, the text, and what the reader says of it,
// with the line that it speaks of marked.
import { byId, element } from '../dom.js';
import { download } from '../exports.js';

// "arm.yaml:12:5: rods[0].length: ..." -> 12
const lineOf = (message) => Number(message.match(/^[^:\n]*:(\d+)(?::\d+)?:/)?.[1] ?? 0);

export class Editor {
    // actions: open(name, text, files), and where there is no program: run(name, text, files, signal), choose(name),
    // addressOf(name, text); examples: [{ name, title, files: [] }], null: none to choose from
    constructor(actions, examples = null) {
        this.actions = actions;
        this.name = 'robot.yaml';
        this.files = {};
        this.choice = element(
            'select',
            { id: 'example', 'aria-label': 'Example', onchange: () => this.choose() },
            element('option', { value: '', text: 'Examples' }),
            ...(examples ?? []).map(({ name, title }) => element('option', { value: name, text: title })),
        );
        this.title = element('span', { class: 'file-name' });
        this.first = examples ? this.choice : this.title;
        this.lines = element('pre', { class: 'lines', 'aria-hidden': 'true' });
        this.text = element('textarea', {
            id: 'file',
            'aria-label': 'Robot file',
            spellcheck: 'false',
            autocapitalize: 'off',
            autocomplete: 'off',
            wrap: 'off',
            oninput: () => this.changed(),
            onscroll: () => (this.lines.scrollTop = this.text.scrollTop),
            onkeydown: (event) => this.key(event),
        });
        this.said = element('p', { class: 'said', id: 'said', role: 'status' });
        this.build();
    }

    build() {
        const button = (text, title, action, id) =>
            element('button', { type: 'button', class: 'text', text, title, onclick: action, id });
        const { run, addressOf } = this.actions;
        this.run = button('Run', 'Compute this file (Ctrl+Enter)', () => this.open(), 'run');
        this.run.classList.add('primary');
        this.picker = element('input', {
            type: 'file',
            multiple: Boolean(run), // a program finds what a file names beside the one that it began with
            accept: run ? '.yaml,.yml,.csv,.stl,.txt' : '.yaml,.yml',
            hidden: true,
            'aria-label': 'Robot files',
            id: 'files',
            onchange: () => this.take([...this.picker.files]),
        });
        byId('editor').replaceChildren(
            element('div', { class: 'editor-row' }, this.first, this.run),
            element('div', { class: 'code' }, this.lines, this.text),
            this.said,
            element(
                'div',
                { class: 'editor-row' },
                button('Open…', 'A robot file of yours, with the tables it names', () =>
                    this.picker.click(),
                ),
                button('Save', 'The text as a file', () =>
                    download(new Blob([this.text.value], { type: 'application/yaml' }), this.name),
                ),
                ...(run ? [button('Results', 'The run that the file describes, as a table', () => this.table(), 'table')] : []),
                ...(addressOf ? [button('Link', 'An address that carries this file', () => this.share(), 'share')] : []),
            ),
            this.picker,
        );
    }

    key(event) {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.open();
        }
    }

    async choose() {
        if (this.choice.value) await this.actions.choose(this.choice.value);
    }

    // What is shown, and with which files beside it.
    put(name, text, files = {}) {
        this.name = this.title.textContent = name;
        this.files = files;
        this.text.value = this.given = text;
        this.choice.value = [...this.choice.options].some(({ value }) => value === name) ? name : '';
        this.changed();
        this.say('');
    }

    // What a person typed is not what was put here.
    get typed() {
        return this.text.value !== this.given;
    }

    enable(on) {
        this.run.disabled = !on;
    }

    changed() {
        const count = this.text.value.split('\n').length;
        if (count !== this.count || this.marked) this.number(count, 0);
    }

    number(count, marked) {
        this.count = count;
        this.marked = marked;
        this.lines.replaceChildren(
            ...Array.from({ length: count }, (_, i) =>
                element('span', { text: `${i + 1}\n`, class: i + 1 === marked ? 'bad' : null }),
            ),
        );
        this.lines.scrollTop = this.text.scrollTop;
    }

    open() {
        this.say('reading…');
        this.actions.open(this.name, this.text.value, this.files);
    }

    say(words, bad = false) {
        this.said.textContent = words;
        this.said.classList.toggle('bad', bad);
    }

    refuse(message) {
        const line = lineOf(message);
        this.say(message, true);
        if (line) this.mark(line);
    }

    mark(line) {
        this.number(this.text.value.split('\n').length, line);
        const height = this.text.scrollHeight / this.count;
        const top = (line - 1) * height;
        const hidden = top < this.text.scrollTop;
        if (hidden || top > this.text.scrollTop + this.text.clientHeight - height)
            this.text.scrollTop = Math.max(0, top - 3 * height);
    }

    // The first that is YAML is the robot; the others lie beside it.
    async take(chosen) {
        const robot = chosen.find(({ name }) => /\.ya?ml$/i.test(name)) ?? chosen[0];
        if (!robot) return;
        const others = await Promise.all(
            chosen
                .filter((file) => file !== robot)
                .map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]),
        );
        this.put(robot.name, await robot.text(), Object.fromEntries(others));
        this.picker.value = '';
        this.open();
    }

    // Pressed again meanwhile, the button stops the run.
    async table() {
        if (this.computing) {
            this.computing.abort();
            return;
        }
        const name = this.name.replace(/\.ya?ml$/i, '');
        const button = byId('table');
        this.computing = new AbortController();
        this.say('computing the run…');
        button.textContent = 'Stop';
        const { table, message } = await this.actions.run(this.name, this.text.value, this.files, this.computing.signal);
        button.textContent = 'Results';
        this.computing = null;
        if (table) download(new Blob([table], { type: 'text/csv' }), `${name}.csv`);
        if (message) this.refuse(message);
        else this.say(`The run of the file is in ${name}.csv.`);
    }

    async share() {
        const address = await this.actions.addressOf(this.name, this.text.value);
        history.replaceState(null, '', address);
        const left = Object.keys(this.files);
        const without = left.length && !this.choice.value ? ` Without ${left.join(', ')}.` : '';
        try {
            await navigator.clipboard.writeText(address);
            this.say(`The address of this page carries the file now; it was copied.${without}`);
        } catch {
            this.say(`The address of this page carries the file now.${without}`);
        }
    }
}
