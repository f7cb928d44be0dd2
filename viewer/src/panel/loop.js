// What surrounds the robot: the latest readings of its sensors, and a switch for each controller.
import { element } from '../dom.js';
import { readable } from '../units.js';

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
    constructor({ sensors = [], controllers = [] }, send) {
        this.sensors = sensors;
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
        if (sensors.length)
            this.node.append(
                element(
                    'dl',
                    { class: 'readings' },
                    ...sensors.flatMap(({ name }, i) => [
                        element('dt', { text: name, title: name }),
                        this.values[i],
                    ]),
                ),
            );
    }

    get empty() {
        return !this.sensors.length && !this.switches.length;
    }

    // From each status.
    show({ readings = [], controls = [] }) {
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
