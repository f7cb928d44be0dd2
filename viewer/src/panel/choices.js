// Model, scheme, step, and models to compare with: ghosts.
import { element } from '../dom.js';
import { MOST_GHOSTS } from '../protocol.js';
import { shortNumber } from '../units.js';

function field(label, control, id) {
    control.id = id;
    return element('div', { class: 'field' }, element('label', { for: id, text: label }), control);
}

function fill(select, options, value) {
    select.replaceChildren(...options);
    select.value = value ?? '';
}

// The model that is chosen, with what a step of it takes, or one to compare with it.
class Row {
    // place: of the ghost, or null; change: null of the model that is chosen
    constructor({ name, title }, place, change, full) {
        this.place = place;
        this.box = element('input', {
            type: 'checkbox',
            id: `ghost-${name}`,
            disabled: full && place === null,
            onchange: () => change({ do: 'ghost', name, value: this.box.checked ? 1 : 0 }),
        });
        this.box.checked = place !== null;
        const colour = !change ? 'robot' : place === null ? 'none' : `ghost-${place}`;
        this.cost = element('span', { class: 'cost' });
        this.node = element(
            change ? 'label' : 'div',
            { class: 'compared', title: full && place === null ? `${MOST_GHOSTS} at most` : title },
            change ? this.box : '',
            element('span', { class: `swatch ${colour}` }),
            element('span', { text: name }),
            this.cost,
        );
    }

    show(cost) {
        const text = cost ? `${shortNumber(1e3 * cost.step_seconds, 2)} ms` : '';
        if (this.cost.textContent !== text) this.cost.textContent = text;
        this.cost.title = cost
            ? `a step takes ${text}, ${shortNumber(cost.iterations)} iterations; its clock: ${cost.time.toFixed(3)} s`
            : '';
    }
}

export class Choices {
    // beside(): ghosts through the robot, or beside it
    constructor(send, beside) {
        this.send = send;
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
        this.list = element('div', { class: 'compared-list', role: 'group', 'aria-label': 'Compare with' });
        this.rows = [];
        this.beside = element('input', { type: 'checkbox', id: 'beside', onchange: beside });
        this.besideLabel = element(
            'label',
            { class: 'check beside', for: 'beside', hidden: true, title: 'Side by side (b)' },
            this.beside,
            'Side by side',
        );
        this.compare = element(
            'details',
            { class: 'compare', id: 'compare' },
            element('summary', { text: 'Compare with other models' }),
            this.list,
            this.besideLabel,
        );
        this.why = element('p', { class: 'quiet' });
        this.node = element(
            'div',
            { class: 'choices' },
            field('Model', this.model, 'model'),
            field('Scheme', this.scheme, 'scheme'),
            field('Step, ms', this.step, 'step'),
            this.compare,
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
        this.fillList(hello);
        this.sayWhy(hello.models.filter(({ can }) => !can));
    }

    // Only when it is another list: a row that is being pressed stays. One that has ghosts is open.
    fillList({ models, model, ghosts, robot }) {
        const listed = JSON.stringify([models.map(({ name, can }) => can && name), model, ghosts]);
        if (listed === this.listed) return;
        const focus = document.activeElement?.id;
        if (ghosts.some(Boolean)) this.compare.open = true;
        this.listed = listed;
        const full = ghosts.every(Boolean);
        const able = models.filter(({ name, can }) => can && (name !== model || ghosts.includes(name)));
        const own = models.find(({ name }) => name === model) ?? { name: model };
        const place = (name) => (ghosts.includes(name) ? ghosts.indexOf(name) : null);
        this.own = new Row(own, null, null, false);
        this.rows = able.map((one) => new Row(one, place(one.name), this.send, full));
        this.compare.hidden = !able.length || !robot.rods.length; // only rods are drawn of ghosts
        this.list.replaceChildren(this.own.node, ...this.rows.map(({ node }) => node));
        if (focus?.startsWith('ghost-')) document.getElementById(focus)?.focus();
        this.enable(this.enabled);
        if (this.costs) this.showCosts(this.costs);
    }

    // From each status.
    showCosts(costs) {
        this.costs = costs;
        this.own?.show(costs.main);
        for (const row of this.rows) row.show(row.place === null ? null : costs.ghosts[row.place]);
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
        this.enabled = on;
        for (const control of [this.model, this.scheme, this.step]) control.disabled = !on;
        const full = this.rows.filter(({ place }) => place !== null).length === MOST_GHOSTS;
        for (const { box, place } of this.rows) box.disabled = !on || (full && place === null);
    }
}
