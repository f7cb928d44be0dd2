// Model, scheme, step, and the model of the ghost.
import { element } from '../dom.js';

function field(label, control, id) {
    control.id = id;
    return element('div', { class: 'field' }, element('label', { for: id, text: label }), control);
}

function fill(select, options, value) {
    select.replaceChildren(...options);
    select.value = value ?? '';
}

export class Choices {
    // beside(): the ghost through the robot, or beside it
    constructor(send, beside) {
        this.model = element('select', {
            onchange: () => send({ do: 'model', name: this.model.value }),
        });
        this.scheme = element('select', {
            onchange: () => send({ do: 'model', scheme: this.scheme.value }),
        });
        this.step = element('input', {
            type: 'number',
            min: 0,
            step: 'any',
            'aria-label': 'Time step in ms',
            onkeydown: (event) => {
                if (event.key === 'Enter') this.step.blur();
            },
        });
        this.step.addEventListener('change', () => {
            const step = Number(this.step.value) / 1000;
            if (step > 0) send({ do: 'model', step });
        });
        this.ghost = element('select', {
            onchange: () => send({ do: 'ghost', name: this.ghost.value || null }),
        });
        this.beside = element('input', { type: 'checkbox', id: 'beside', onchange: beside });
        this.besideLabel = element(
            'label',
            { class: 'check beside', for: 'beside', hidden: true, title: 'Side by side (b)' },
            this.beside,
            'Side by side',
        );
        this.why = element('p', { class: 'quiet' });
        this.node = element(
            'div',
            { class: 'choices' },
            field('Model', this.model, 'model'),
            field('Scheme', this.scheme, 'scheme'),
            field('Step, ms', this.step, 'step'),
            field('Ghost', this.ghost, 'ghost'),
            this.besideLabel,
            this.why,
        );
    }

    // From each hello.
    show(hello) {
        const option = ({ name, title, can, why }) =>
            element('option', {
                value: name,
                text: name,
                disabled: !can,
                title: can ? title : why,
            });
        fill(this.model, hello.models.map(option), hello.model);
        const model = hello.models.find(({ name }) => name === hello.model);
        const schemes = model?.schemes ?? [hello.scheme];
        fill(
            this.scheme,
            schemes.map((name) => element('option', { value: name, text: name })),
            hello.scheme,
        );
        if (document.activeElement !== this.step)
            this.step.value = Number((1000 * hello.step).toPrecision(6));
        const others = hello.models
            .filter(({ name, can }) => can && (name !== hello.model || name === hello.ghost))
            .map(option);
        fill(this.ghost, [element('option', { value: '', text: 'none' }), ...others], hello.ghost);
        this.sayWhy(hello.models.filter(({ can }) => !can));
    }

    showBeside(possible, on) {
        this.besideLabel.hidden = !possible;
        this.beside.checked = on;
    }

    sayWhy(others) {
        this.why.replaceChildren();
        if (!others.length) return;
        const count = others.length > 1 ? `${others.length} models` : '1 model';
        this.why.append(
            element(
                'details',
                {},
                element('summary', {
                    text: `${count} cannot compute this robot`,
                }),
                element(
                    'dl',
                    {},
                    ...others.flatMap(({ name, why }) => [
                        element('dt', { text: name }),
                        element('dd', { text: why }),
                    ]),
                ),
            ),
        );
    }

    enable(on) {
        for (const control of [this.model, this.scheme, this.step, this.ghost])
            control.disabled = !on;
    }
}
