// The row of plots: tip, energy, inputs, iterations, real time.
import { byId, element } from '../dom.js';
import { ENERGIES, trackedOf } from '../protocol.js';
import { inputUnits, readableUnit } from '../units.js';
import { History } from './history.js';
import { Plot } from './plot.js';

const DRAW_EVERY_MS = 120;
const DASHES = [[6, 4], [2, 3], [10, 3, 2, 3], [3, 6]]; // of ghosts

const scaled = (column, factor) =>
    factor === 1 ? column : column.map((x) => (x === null ? null : x / factor));

const largest = (column) => column.reduce((most, x) => Math.max(most, Math.abs(x ?? 0)), 0);

// A line that says nothing: constant at zero, or never known.
const isIdle = (column) => column.every((x) => x === null || x === 0);

const isConstant = (column) => column.every((x) => x === null || x === column[0]);

export class Plots {
    constructor(hello, seek) {
        this.live = hello.live;
        this.tracked = trackedOf(hello.robot);
        this.chosen = hello.robot.rods.length ? 0 : this.tracked.length - 1; // the tip of a chain of bodies
        this.history = new History(this.tracked, hello.inputs.length);
        this.metre = readableUnit('m', Math.min(hello.robot.size, 0.999));
        this.units = inputUnits(hello.inputs);
        // gravity matters to a plot only when it changes
        this.steady = hello.inputs.map(({ kind }) => kind === 'gravity');
        this.makePlots(hello, hello.live ? null : seek);
        byId('plots').replaceChildren(...this.plots.map(({ node }) => node));
        this.remake();
        this.observer = new ResizeObserver(() => this.plots.forEach((plot) => plot.resize()));
        this.observer.observe(byId('plots'));
    }

    // uPlot listens to the window as long as it is not told.
    close() {
        this.observer.disconnect();
        for (const { plot } of this.plots) plot?.destroy();
    }

    makePlots(hello, seek) {
        const common = { live: this.live, seek };
        const positive = (_, low, high) => [0, Math.max(high ?? 1, 1) * 1.15];
        this.tip = new Plot({
            ...common,
            title: hello.robot.rods.length ? 'Tip' : 'Body',
            select: this.choice(),
            series: [null, ...DASHES].flatMap((dash, k) =>
                ['x', 'y', 'z'].map((name, i) => ({
                    name,
                    unit: this.metre.label,
                    colour: i,
                    dash: dash ?? undefined,
                    group: dash ? k - 1 : null,
                    hidden: dash !== null,
                })),
            ),
        });
        this.energy = new Plot({
            ...common,
            title: 'Energy',
            series: ENERGIES.map((name) => ({ name, unit: 'J' })),
        });
        this.input = new Plot({
            ...common,
            title: 'Inputs',
            series: hello.inputs.map(({ name }, i) => ({
                name,
                unit: this.units[i].label,
                hidden: true,
            })),
        });
        this.iterations = new Plot({
            ...common,
            title: 'Iterations',
            range: positive,
            series: [{ name: 'iterations', unit: hello.live ? 'per step' : 'per record' }],
        });
        this.ratio = new Plot({
            ...common,
            title: 'Real-time ratio',
            range: positive,
            series: [{ name: 'ratio', unit: '' }],
        });
        this.plots = [this.tip, this.energy, this.input, this.iterations, this.ratio];
    }

    // Models of ghosts, from each hello.
    name(models) {
        this.history.name(models);
        this.tip.nameGroups(this.history.models);
    }

    choice() {
        if (this.tracked.length < 2) return null;
        const select = element(
            'select',
            { class: 'mini', 'aria-label': 'Whose way is plotted' },
            ...this.tracked.map(({ name }, i) => element('option', { value: i, text: name })),
        );
        select.value = this.chosen;
        select.addEventListener('change', () => {
            this.chosen = Number(select.value);
            this.draw();
        });
        return select;
    }

    remake() {
        this.plots.forEach((plot) => plot.make());
        this.draw();
    }

    push(frame) {
        if (!this.history.push(frame)) return;
        this.history.trim();
        const now = performance.now();
        if (now - (this.drawn ?? 0) < DRAW_EVERY_MS) return;
        this.drawn = now;
        this.draw();
    }

    draw() {
        if (byId('plots').hidden) return;
        const { time, tip, ghosts, energy, input, iterations, ratio } = this.history;
        const tips = [tip, ...ghosts].flatMap((all) => all[this.chosen]);
        this.tip.setHidden(tips.map((column, i) => i >= 3 && column.every((x) => x === null)));
        this.tip.draw(
            time,
            tips.map((column) => scaled(column, this.metre.factor)),
        );
        this.energy.setHidden(energy.map(isIdle));
        const joule = readableUnit('J', Math.max(...energy.map(largest)));
        this.energy.setLabel(joule.label);
        this.energy.draw(
            time,
            energy.map((column) => scaled(column, joule.factor)),
        );
        const idle = input.map((column, i) => isIdle(column) || (this.steady[i] && isConstant(column)));
        this.input.setHidden(idle);
        this.input.sayNone(input.length === 0 ? 'none' : 'all 0');
        this.input.draw(
            time,
            input.map((column, i) => scaled(column, this.units[i].factor)),
        );
        this.iterations.draw(time, [iterations]);
        this.ratio.draw(time, [ratio]);
    }

    // All that is kept, in SI units.
    table({ inputs }) {
        const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const heads = [
            'time [s]',
            ...this.tracked.flatMap(({ name }) => ['x', 'y', 'z'].map((d) => `${name}.${d} [m]`)),
            ...ENERGIES.map((name) => `${name} [J]`),
            ...inputs.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name)),
            'iterations',
            'ratio',
        ];
        const { ghosts, models } = this.history;
        const columns = this.history.columns().slice(0, heads.length);
        ghosts.forEach((rods, k) => {
            if (!rods.flat().some((column) => column.some((x) => x !== null))) return;
            heads.push(
                ...this.tracked.flatMap(({ name }) => ['x', 'y', 'z'].map((d) => `${models[k]}: ${name}.${d} [m]`)),
            );
            columns.push(...rods.flat());
        });
        const rows = this.history.time.map((_, i) => columns.map((column) => column[i] ?? ''));
        return [heads.map(cell), ...rows].map((row) => row.join(',')).join('\n') + '\n';
    }

    // A whole recording at once.
    fill(frames) {
        frames.forEach((frame) => this.history.push(frame));
        this.draw();
    }

    mark(time) {
        this.plots.forEach((plot) => plot.mark(time));
    }
}
