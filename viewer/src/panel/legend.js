// What the colours of tendons and chambers mean.
import { byId, element } from '../dom.js';
import { readable } from '../units.js';
import { cssColour, cssRamp } from '../scene/colours.js';

function scale(title, ramp, largest, unit) {
    const bar = element('span', { class: 'ramp' });
    bar.style.background = cssRamp(ramp);
    return element(
        'div',
        { class: 'scale-row' },
        element('span', { text: title }),
        element('span', { class: 'end', text: '0' }),
        bar,
        element('span', { class: 'end', text: readable(largest, unit) }),
    );
}

function largestOf(parts) {
    return Math.max(...parts.map((part) => part.largest ?? 0));
}

export function showLegend({ tendons = [], chambers = [] }, colours, ghost) {
    const rows = [];
    if (tendons.length) rows.push(scale('Tension', colours.tension, largestOf(tendons), 'N'));
    if (chambers.length) rows.push(scale('Pressure', colours.pressure, largestOf(chambers), 'Pa'));
    if (ghost) {
        const swatch = element('span', { class: 'swatch' });
        swatch.style.background = cssColour(colours.ghost);
        rows.push(
            element(
                'div',
                { class: 'scale-row' },
                element('span', { text: 'Ghost' }),
                swatch,
                element('span', { text: ghost }),
            ),
        );
    }
    byId('legend').replaceChildren(...rows);
}
