// What surrounds the robot: the latest readings of its sensors, and a switch for each controller.
import { element } from '../dom.js';
import { readable, readableBand } from '../units.js';

class Switch {
    constructor({ name, on }, index, send) {
        this.box = element('input', {
            type: 'checkbox',
            id: `controller-${index}`,
            onchange: () => {
                this.touched = performance.now();
                send({ do: 'switch', controller: index, value: this.box.checked ? 1 : 0 });
            },
        });
        this.box.checked = on;
        this.node = element('label', { class: 'check', for: this.box.id }, this.box, name);
    }

    // Not right after it was switched: what is on the way is older.
    show(on) {
        if (performance.now() - (this.touched ?? -1000) >= 400) this.box.checked = on;
    }
}

export class Loop {
    constructor({ sensors = [], controllers = [], estimates = null }, send) {
        this.sensors = sensors;
        this.numbers = estimates ?? [];
        const line = (kind) => (each) =>
            element('dd', { class: kind, 'data-estimate': each.name, text: '–' });
        this.estimates = this.numbers.map(line('reading'));
        this.believed = estimates ? sensors.map(line('believed')) : [];
        this.values = sensors.map(({ name }) =>
            element('dd', { class: 'reading', 'data-sensor': name, text: '–' }),
        );
        this.switches = controllers.map((one, i) => new Switch(one, i, send));
        this.node = element('div', { class: 'loop' });
        if (controllers.length)
            this.node.append(
                element(
                    'div',
                    { class: 'checks', role: 'group', 'aria-label': 'Controllers' },
                    ...this.switches.map(({ node }) => node),
                ),
            );
        if (this.numbers.length)
            this.node.append(
                element('h3', { text: 'Estimates' }),
                element(
                    'dl',
                    { class: 'readings' },
                    ...this.numbers.flatMap(({ name }, i) => [
                        element('dt', { text: name, title: name }),
                        this.estimates[i],
                    ]),
                ),
            );
        if (estimates && sensors.length)
            this.node.append(element('h3', { text: 'Readings, and what is believed' }));
        if (sensors.length)
            this.node.append(
                element(
                    'dl',
                    { class: 'readings' },
                    ...sensors.flatMap(({ name }, i) => [
                        element('dt', { text: name, title: name }),
                        this.values[i],
                        this.believed[i] ?? '',
                    ]),
                ),
            );
    }

    get empty() {
        return !this.sensors.length && !this.switches.length && !this.numbers.length;
    }

    // From each status.
    show({ readings = [], controls = [], estimates = [], believed = [] }) {
        const band = (list, units, node, i) => {
            const text = readableBand(list[2 * i], list[2 * i + 1], units[i].unit);
            if (node.textContent !== text) node.textContent = text;
        };
        this.estimates.forEach((node, i) => band(estimates, this.numbers, node, i));
        this.believed.forEach((node, i) => band(believed, this.sensors, node, i));
        readings.forEach((value, i) => {
            const text = readable(value, this.sensors[i].unit);
            if (this.values[i].textContent !== text) this.values[i].textContent = text;
        });
        controls.forEach((on, i) => this.switches[i].show(on));
    }

    enable(on) {
        for (const { box } of this.switches) box.disabled = !on;
    }
}
