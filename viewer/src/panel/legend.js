// What the colours of actuators mean.
import { byId, capital, element } from '../dom.js';
import { farthestTip } from '../protocol.js';
import { readable, shortNumber } from '../units.js';
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

// Of other shapes beside the robot's.
function other(title, colour, id) {
    const swatch = element('span', { class: 'swatch' });
    swatch.style.background = cssColour(colour);
    return element(
        'div',
        { class: 'scale-row' },
        element('span', { text: title }),
        swatch,
        element('span', { class: 'end', id }),
    );
}

// A scale for each kind.
export function showLegend({ ghosts = [], estimates }, actuators, colours) {
    const rows = [...new Set(actuators.map(({ kind }) => kind))].map((kind) => {
        const all = actuators.filter((actuator) => actuator.kind === kind);
        const ramp = isRoom(all[0]) ? colours.room : colours.line;
        return scale(capital(all[0].effort), ramp, largestOf(all), all[0].unit);
    });
    ghosts.forEach((name, k) => name && rows.push(other(name, colours.ghosts[k], `apart-${k}`)));
    if (estimates)
        rows.push(
            other('Estimate', colours.estimate, 'believed-apart'),
            other('± 2 σ', colours.estimate, 'band'),
        );
    byId('legend').replaceChildren(...rows);
}

function sayApart(id, frame, rods, size) {
    const label = byId(id);
    if (!label) return;
    label.parentElement.hidden = !rods?.length;
    if (!rods?.length) return;
    const apart = farthestTip(frame, rods);
    const text = `tip ${readable(apart, 'm')} away, ${shortNumber((100 * apart) / size, 2)} %`;
    if (label.textContent !== text) label.textContent = text;
}

// The band of two deviations: how wide it is, and how much wider it is drawn.
function sayBand({ width, times, group }) {
    const label = byId('band');
    if (!label) return;
    label.parentElement.hidden = !group.visible;
    if (!group.visible) return;
    const text = `${readable(width, 'm')}${times > 1 ? `, drawn ${times} × as wide` : ''}`;
    if (label.textContent !== text) label.textContent = text;
}

// How far the tips of ghosts and estimate are from the robot's, of the rod where it is farthest; parts of its longest rod.
export function showApart(frame, { size, band }) {
    frame.ghosts.forEach((rods, k) => sayApart(`apart-${k}`, frame, rods, size));
    sayApart('believed-apart', frame, frame.estimate, size);
    sayBand(band);
}
