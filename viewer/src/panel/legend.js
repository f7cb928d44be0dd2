// What the colours of actuators mean.
import { byId, capital, element } from '../dom.js';
import { tipOf } from '../protocol.js';
import { readable } from '../units.js';
import { cssColour, cssRamp } from '../scene/colours.js';
import { isRoom } from '../scene/robot.js';

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

// A scale for each kind.
export function showLegend({ actuators = [] }, colours, ghost) {
    const rows = [...new Set(actuators.map(({ kind }) => kind))].map((kind) => {
        const all = actuators.filter((actuator) => actuator.kind === kind);
        const ramp = isRoom(all[0]) ? colours.room : colours.line;
        return scale(capital(all[0].effort), ramp, largestOf(all), all[0].unit);
    });
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
                element('span', { class: 'end', id: 'apart' }),
            ),
        );
    }
    byId('legend').replaceChildren(...rows);
}

// How far the tip of the ghost is from the robot's, of the rod where it is farthest.
export function showApart(frame) {
    const label = byId('apart');
    if (!label || !frame.ghost) return;
    const apart = frame.rods.map((_, rod) => {
        const [a, b] = [tipOf(frame, rod), tipOf({ rods: frame.ghost }, rod)];
        return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    });
    const text = `tip ${readable(Math.max(...apart), 'm')} away`;
    if (label.textContent !== text) label.textContent = text;
}
