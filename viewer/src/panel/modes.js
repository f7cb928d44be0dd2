// The modes about the present equilibrium: a list, and how far the chosen one swings.
import { element } from '../dom.js';
import { readable, shortNumber } from '../units.js';

const AMPLITUDE = 10; // % of the longest rod, as the program begins

const UNDAMPED = 1e-9; // damping ratio that is none

const SHOWN = {
    decays: 'It does not swing, it dies away; shown to and fro.',
    diverges: 'It does not swing, it grows: the robot leaves this equilibrium. Shown to and fro.',
    neutral: 'It moves freely; shown to and fro.',
};

function swingWords({ kind, frequency }, period) {
    if (SHOWN[kind]) return SHOWN[kind];
    const grows = kind === 'flutters' ? ' and grows' : '';
    return `One swing takes ${readable(1 / frequency, 's')}${grows}; shown in ${period} s.`;
}

function heads() {
    const texts = ['', '', 'Frequency', 'Damping', 'Kind'];
    return element(
        'div',
        { class: 'mode heads', 'aria-hidden': 'true' },
        ...texts.map((text) => element('span', { text })),
    );
}

export class Modes {
    // send: what goes to the program
    constructor(send) {
        this.send = send;
        this.list = [];
        this.shown = null;
        this.open = element('button', {
            type: 'button',
            class: 'text',
            id: 'modes',
            onclick: () => this.toggle(),
        });
        this.rows = element('div', {
            class: 'modes-list',
            role: 'radiogroup',
            'aria-label': 'Modes',
        });
        this.amplitude = element('input', {
            type: 'range',
            min: 0,
            max: 50,
            step: 1,
            value: AMPLITUDE,
            id: 'amplitude',
            'aria-label': 'Amplitude in per cent of the length',
            oninput: () => this.swing(),
        });
        this.percent = element('output', { class: 'unit', for: 'amplitude' });
        this.words = element('p', { class: 'quiet', id: 'mode-words' });
        this.details = element(
            'div',
            { class: 'modes-open' },
            this.rows,
            element(
                'div',
                { class: 'amplitude' },
                element('label', { for: 'amplitude', text: 'Amplitude' }),
                this.amplitude,
                this.percent,
            ),
            this.words,
        );
        this.node = element('div', { class: 'modes' }, this.open, this.details);
        this.show(null);
    }

    toggle() {
        if (this.shown === null) this.open.textContent = 'Finding the modes…';
        this.send(this.shown === null ? { do: 'modes' } : { do: 'modes', mode: null });
    }

    choose(mode) {
        this.send({ do: 'modes', mode });
    }

    // At most one message for each picture drawn.
    swing() {
        this.sayAmplitude();
        if (this.asking) return;
        this.asking = true;
        requestAnimationFrame(() => {
            this.asking = false;
            if (this.shown !== null)
                this.send({ do: 'modes', value: Number(this.amplitude.value) / 100 });
        });
    }

    sayAmplitude() {
        this.percent.value = `${this.amplitude.value} %`;
        this.amplitude.setAttribute('aria-valuetext', `${this.amplitude.value} % of the length`);
    }

    // The program found them.
    fill({ modes, total, note, period }) {
        this.list = modes;
        this.period = period;
        const more = total > modes.length ? `The ${modes.length} slowest of ${total}. ` : '';
        this.note = `${more}${note}`.trim();
        this.rows.replaceChildren(heads(), ...modes.map((mode, i) => this.row(mode, i)));
        this.amplitude.value = AMPLITUDE;
        this.sayAmplitude();
        this.unseen = true;
        this.show(this.shown);
    }

    row({ frequency, damping, kind }, index) {
        const hertz = shortNumber(frequency, 4);
        const ratio = shortNumber(Math.abs(damping) > UNDAMPED ? damping : 0, 2);
        const radio = element('input', {
            type: 'radio',
            name: 'mode',
            id: `mode-${index}`,
            'aria-label': `Mode ${index + 1}: ${hertz} Hz, damping ratio ${ratio}, ${kind}`,
            onchange: () => this.choose(index),
        });
        radio.disabled = this.disabled;
        return element(
            'label',
            { class: 'mode' },
            radio,
            element('span', { text: String(index + 1) }),
            element('span', { class: 'number', text: `${hertz} Hz` }),
            element('span', { class: 'number', text: ratio }),
            element('span', { class: `kind ${kind}`, text: kind }),
        );
    }

    // From each hello: the mode that is shown, or null.
    show(mode) {
        this.shown = mode;
        this.details.hidden = mode === null;
        this.open.textContent = mode === null ? 'Modes' : 'Back to the simulation';
        this.open.title = mode === null ? 'Find the modes (m)' : 'Back to the simulation (m)';
        if (mode === null) return;
        const radio = this.rows.querySelector(`#mode-${mode}`);
        if (radio) radio.checked = true;
        const chosen = this.list[mode];
        this.words.replaceChildren(
            ...[chosen ? swingWords(chosen, this.period) : `Mode ${mode + 1} is shown.`, this.note]
                .filter(Boolean)
                .map((text) => element('span', { text: `${text} ` })),
        );
        this.comeIntoView();
    }

    // Once for each list, whichever of list and hello comes first.
    comeIntoView() {
        if (this.unseen) this.node.scrollIntoView({ block: 'nearest' });
        this.unseen = false;
    }

    enable(on) {
        this.disabled = !on;
        for (const control of this.node.querySelectorAll('button, input')) control.disabled = !on;
    }
}
