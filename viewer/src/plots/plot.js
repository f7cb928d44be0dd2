// One small plot: a title, a legend of names, a uPlot canvas.
import uPlot from 'uplot';
import { element } from '../dom.js';
import { shortNumber } from '../units.js';
import { WINDOW } from './history.js';

function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function seriesColour(i) {
    return css(`--series-${i % 8}`);
}

function axisOf(unit) {
    const font = '11px Inter, sans-serif';
    return {
        font,
        stroke: css('--quiet'),
        ticks: { show: false },
        grid: { stroke: css('--grid'), width: 1 },
        ...(unit === null
            ? { size: 22, space: 60 }
            : { size: 44, space: 28, values: (_, ticks) => ticks.map((x) => shortNumber(x, 4)) }),
    };
}

const FLAT = 1e-3; // of its size: a line that moves less is drawn as one that does not move
const SPACE = 'http://www.w3.org/2000/svg';

// A flat line still needs a range, one whose numbers differ; and a range needs air.
function paddedRange(_, low, high) {
    if (low === null || high === null) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    const room = high - low < FLAT * size ? 0.2 * size : Math.max(0.08 * (high - low), 1e-12);
    return [low - room, high + room];
}

// A piece of a dashed line, for its name.
function dashSample(dash) {
    const svg = document.createElementNS(SPACE, 'svg');
    const line = document.createElementNS(SPACE, 'line');
    const put = (node, all) => Object.entries(all).forEach(([name, value]) => node.setAttribute(name, value));
    put(svg, { width: 26, height: 4, 'aria-hidden': 'true' });
    put(line, { x1: 0, x2: 26, y1: 2, y2: 2, stroke: 'currentColor', 'stroke-width': 2, 'stroke-dasharray': dash.join() });
    svg.append(line);
    return svg;
}

export class Plot {
    // series: [{name, unit}], numbers already in that unit; live: a window that moves with time
    constructor({ title, series, live, seek, select, range }) {
        this.title = title;
        this.live = live;
        this.series = series;
        this.seek = seek;
        this.range = range ?? paddedRange;
        this.caption = element('span', { class: 'plot-title', text: title });
        this.chips = element('span', { class: 'chips' });
        this.body = element('div', { class: 'plot-body' });
        this.head = element('figcaption', {}, this.caption, select ?? '', this.chips);
        this.node = element('figure', { class: 'plot' }, this.head, this.body);
        this.hidden = series.map((each) => Boolean(each.hidden));
    }

    // The canvas is made when its place has a size, and again when the theme changes.
    make() {
        this.plot?.destroy();
        const units = [...new Set(this.series.map(({ unit }) => unit))];
        const scales = { x: { time: false, range: () => this.window() } };
        units.forEach((unit) => {
            scales[`y:${unit}`] = { range: this.range };
        });
        const shownAxes = units.slice(0, 2).map((unit, i) => ({
            ...axisOf(unit),
            scale: `y:${unit}`,
            side: i ? 1 : 3,
            grid: { ...axisOf(unit).grid, show: i === 0 },
        }));
        this.plot = new uPlot(
            {
                ...this.place(),
                padding: [6, units.length > 1 ? 0 : 10, 0, 0],
                legend: { show: false },
                cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
                scales,
                axes: [axisOf(null), ...shownAxes],
                series: [
                    {},
                    ...this.series.map(({ name, unit, colour, dash }, i) => ({
                        label: name,
                        scale: `y:${unit}`,
                        stroke: seriesColour(colour ?? i),
                        dash,
                        width: 1.75,
                        points: { show: false },
                        show: !this.hidden[i],
                    })),
                ],
            },
            [[0], ...this.series.map(() => [null])],
            this.body,
        );
        this.plot.ctx.canvas.setAttribute('role', 'img');
        this.plot.ctx.canvas.setAttribute('aria-label', `${this.title} over time`);
        this.marker = element('div', { class: 'marker', hidden: true });
        this.plot.over.append(this.marker);
        if (this.seek)
            this.plot.over.addEventListener('pointerdown', (event) =>
                this.seek(this.plot.posToVal(event.offsetX, 'x')),
            );
        this.showChips();
    }

    place() {
        const { clientWidth: width, clientHeight: height } = this.node;
        return { width: Math.max(width - 4, 60), height: Math.max(height - this.head.offsetHeight - 4, 40) };
    }

    // Not as uPlot would have it, which makes 0 to 100 of a single moment.
    window() {
        const [low, high] = [this.time?.[0] ?? 0, this.time?.at(-1) ?? 0];
        if (!this.live) return [low, Math.max(high, low + 1e-6)];
        return [Math.max(high - WINDOW, 0), Math.max(high, WINDOW)];
    }

    // One unit stands by the title, several by the names.
    showChips() {
        const shown = this.series
            .map((each, i) => ({ ...each, i }))
            .filter(({ i }) => !this.hidden[i]);
        const units = new Set(shown.map(({ unit }) => unit));
        const unit = this.label ?? (units.size === 1 ? shown[0].unit : '');
        this.caption.textContent = unit ? `${this.title}, ${unit}` : this.title;
        const single = shown.filter(({ group }) => group === undefined || group === null);
        const groups = new Map(shown.filter((each) => !single.includes(each)).map((each) => [each.group, each]));
        if (!shown.length) {
            this.chips.replaceChildren(element('span', { text: this.none ?? '' }));
            return;
        }
        if (this.series.length === 1) {
            this.chips.replaceChildren();
            return;
        }
        this.chips.replaceChildren(
            ...single.map(({ name, unit: own, colour, i }) => {
                const dot = element('i', {});
                dot.style.background = seriesColour(colour ?? i);
                return element(
                    'span',
                    { class: 'chip' },
                    dot,
                    units.size > 1 && own ? `${name}, ${own}` : name,
                );
            }),
            ...[...groups].map(([group, { dash }]) =>
                element('span', { class: 'chip' }, dashSample(dash), this.groups?.[group] ?? ''),
            ),
        );
    }

    // columns: one per series
    draw(time, columns) {
        if (!this.plot || !time.length) return;
        this.time = time;
        this.plot.setData([time, ...columns]);
    }

    // Another unit by the title than that of the series.
    setLabel(label) {
        if (label === this.label) return;
        this.label = label;
        this.showChips();
    }

    setHidden(hidden) {
        if (hidden.every((each, i) => each === this.hidden[i])) return;
        this.hidden = hidden;
        hidden.forEach((each, i) => this.plot?.setSeries(i + 1, { show: !each }));
        this.showChips();
    }

    // Names of series that stand together: the models of ghosts.
    nameGroups(names) {
        this.groups = [...names];
        this.showChips();
    }

    // What stands in place of names where no series is shown.
    sayNone(words) {
        if (words === this.none) return;
        this.none = words;
        this.showChips();
    }

    mark(time) {
        if (!this.plot) return;
        const left = this.plot.valToPos(time, 'x');
        this.marker.hidden = !Number.isFinite(left);
        this.marker.style.transform = `translateX(${left}px)`;
    }

    resize() {
        this.plot?.setSize(this.place());
    }
}
