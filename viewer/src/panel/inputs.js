// A slider and a number for every input, in groups by what they drive.
import { capital, element, iconButton } from '../dom.js';
import { inputUnits, roundUp, shortNumber } from '../units.js';

// After the actuators, each kind with what is given of it.
const OTHER = 'Other'; // whatever no group names
const GROUPS = [
    ['Feed', ['feed']],
    ['Tubes', ['turn', 'push']],
    ['Base', ['base']],
    ['Tip', ['tip']],
    ['Springs', ['spring']],
    ['Bodies', ['body', 'attached']],
    [OTHER, []],
    ['Loads', ['force', 'moment']],
    ['Gravity', ['gravity']],
];
const TUCKED = new Set(['Gravity']); // closed at first
const STEPS = 400;

class Row {
    constructor(input, index, unit, send, tell) {
        this.input = input;
        this.unit = unit;
        this.send = send;
        this.tell = tell;
        this.index = index;
        this.slider = element('input', {
            type: 'range',
            min: input.min,
            max: input.max,
            step: (input.max - input.min) / STEPS || 'any',
            'aria-label': `${input.name}, slider`,
            id: `slider-${index}`,
            oninput: () => this.slide(),
        });
        this.number = element('input', {
            type: 'number',
            step: 'any',
            'aria-label': `${input.name}${this.unit.label ? ' in ' + this.unit.label : ''}`,
            id: `number-${index}`,
            onchange: () => this.type(),
            onkeydown: (event) => {
                if (event.key === 'Enter') this.number.blur();
            }, // keys are commands again
        });
        this.release = iconButton('reset', `${input.name}: follow the file again`, '', () =>
            send({ do: 'follow', input: index }),
        );
        this.release.classList.add('small');
        this.node = element(
            'div',
            { class: 'input' },
            element(
                'label',
                { for: `number-${index}`, title: `${input.name}, ${input.kind}` },
                input.name,
                // a number without a unit says what it is
                ...(this.unit.label || input.kind === 'other' ? [] : [element('span', { class: 'quiet', text: ` ${input.kind}` })]),
            ),
            this.release,
            this.number,
            element('span', { class: 'unit', text: this.unit.label }),
            this.slider,
        );
        this.setFollows(input.follows ?? false);
        this.show(input.value);
    }

    slide() {
        this.touched = performance.now();
        this.ask(Number(this.slider.value));
        this.number.value = shortNumber(this.slider.value / this.unit.factor, 4);
    }

    type() {
        const typed = Number(this.number.value);
        if (this.number.value === '' || !Number.isFinite(typed)) return;
        this.touched = performance.now();
        const value = this.possible(typed * this.unit.factor);
        this.number.value = shortNumber(value / this.unit.factor, 4);
        this.slider.value = value;
        this.ask(value);
    }

    // A slider that does not begin below 0 is of something that has no negative: a tendon that would push is slack. What is attached
    // is there in part or as a whole.
    possible(value) {
        const { name, kind, min, max } = this.input;
        const nearest = Math.min(Math.max(value, min < 0 ? -Infinity : 0), kind === 'attached' ? max : Infinity);
        if (nearest === value) return value;
        const words = (x) => `${shortNumber(x / this.unit.factor, 4)} ${this.unit.label}`.trim();
        this.tell(`${name} is never ${value < nearest ? 'less' : 'more'} than ${words(nearest)}`, `${words(value)} is taken as that.`);
        return nearest;
    }

    // More than the slider spans is taken, and marked where a person asks for it. Where the file or a controller does the slider gets longer.
    mark(value, asked) {
        const { min, max } = this.input;
        const beyond = value < min - 1e-9 * (max - min) || value > max + 1e-9 * (max - min);
        this.node.classList.toggle('beyond', beyond && asked);
        this.number.title = beyond && asked ? 'beyond what the slider spans' : '';
        if (!beyond || asked) return;
        const room = roundUp(Math.abs(value));
        if (value > max) this.input.max = room;
        else this.input.min = -room;
        this.slider.min = this.input.min;
        this.slider.max = this.input.max;
        this.slider.step = (this.input.max - this.input.min) / STEPS;
    }

    // At most one message for each picture drawn.
    ask(value) {
        this.wanted = value;
        this.mark(value, true);
        this.setFollows(false);
        if (this.asking) return;
        this.asking = true;
        requestAnimationFrame(() => {
            this.asking = false;
            this.send({ do: 'set', input: this.index, value: this.wanted });
        });
    }

    // Not while a hand is on it: frames on the way still carry older values.
    show(value) {
        if (performance.now() - (this.touched ?? -1000) < 400 || !Number.isFinite(value)) return;
        if (value === this.shown) return;
        this.shown = value;
        this.mark(value, !this.follows);
        this.slider.value = value;
        this.slider.setAttribute(
            'aria-valuetext',
            `${shortNumber(value / this.unit.factor)} ${this.unit.label}`,
        );
        if (document.activeElement !== this.number)
            this.number.value = shortNumber(value / this.unit.factor, 4);
    }

    setFollows(follows) {
        this.follows = follows;
        this.release.hidden = follows;
        this.node.classList.toggle('held', !follows);
    }

    enable(on) {
        for (const control of [this.slider, this.number, this.release]) control.disabled = !on;
    }
}

function actuatorGroups({ actuators = [] }) {
    return [...new Set(actuators.map(({ kind }) => kind))].map((kind) => {
        const all = actuators.filter((actuator) => actuator.kind === kind);
        return [`${capital(kind)}s`, all.map(({ given }) => given)];
    });
}

export class Inputs {
    // tell: title and words about what was not taken as it was typed
    constructor({ inputs, robot }, send, tell) {
        const units = inputUnits(inputs);
        this.rows = inputs.map((input, i) => new Row({ ...input }, i, units[i], send, tell));
        this.node = element('div', { class: 'groups' });
        const groups = [...actuatorGroups(robot), ...GROUPS];
        const named = groups.flatMap(([, kinds]) => kinds);
        for (const [title, kinds] of groups) {
            const rows = this.rows.filter(({ input: { kind } }) =>
                title === OTHER ? !named.includes(kind) : kinds.includes(kind),
            );
            if (!rows.length) continue;
            this.node.append(
                element(
                    'details',
                    { class: 'group', open: !TUCKED.has(title) },
                    element('summary', { text: title }),
                    ...rows.map((row) => row.node),
                ),
            );
        }
        if (!inputs.length)
            this.node.append(element('p', { class: 'quiet', text: 'This robot has no inputs.' }));
    }

    show(values) {
        this.rows.forEach((row, i) => row.show(values[i]));
    }

    setFollows(follows) {
        this.rows.forEach((row, i) => {
            if (performance.now() - (row.touched ?? -1000) >= 400) row.setFollows(follows[i]);
        });
    }

    enable(on) {
        this.rows.forEach((row) => row.enable(on));
    }
}
