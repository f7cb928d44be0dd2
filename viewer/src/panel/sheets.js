// On small screens the scene comes first: controls, plots and the robot file are sheets over its lower
// half, one at a time, that buttons at the foot bring up and send away again.
import { byId, element } from '../dom.js';

const SHEETS = [
    ['panel', 'Controls'],
    ['plots', 'Plots'],
    ['editor', 'File'],
];

export class Sheets {
    // shown: called with the name of the sheet that is up, or null
    constructor(shown = () => {}) {
        this.shown = shown;
        this.buttons = SHEETS.map(([name, label]) =>
            element('button', {
                type: 'button',
                class: `sheet-button for-${name}`,
                text: label,
                'aria-controls': name,
                'aria-expanded': 'false',
                onclick: () => this.toggle(name),
            }),
        );
        byId('sheets').replaceChildren(...this.buttons);
    }

    get up() {
        return document.body.dataset.sheet ?? null;
    }

    // Small screens have them.
    shownHere() {
        return byId('sheets').offsetHeight > 0;
    }

    toggle(name) {
        this.show(this.up === name ? null : name);
    }

    show(name) {
        if (name) document.body.dataset.sheet = name;
        else delete document.body.dataset.sheet;
        this.buttons.forEach((button, i) =>
            button.setAttribute('aria-expanded', String(SHEETS[i][0] === name)),
        );
        this.shown(name);
    }
}
