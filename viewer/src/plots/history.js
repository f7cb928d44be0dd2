// What the plots draw: columns of numbers over time, trimmed to what can be seen.
import { ENERGIES, MOST_GHOSTS } from '../protocol.js';

export const WINDOW = 10; // s that a live plot shows
const MOST = 12000; // frames
const TRIM = 600; // at once, so that trimming is rare

const known = (x) => (Number.isFinite(x) ? x : null);

export class History {
    // tracked: see trackedOf
    constructor(tracked, inputs) {
        this.tracked = tracked;
        this.inputs = inputs;
        this.clear();
    }

    clear() {
        const columns = (count) => Array.from({ length: count }, () => []);
        this.time = [];
        this.tip = this.tracked.map(() => columns(3));
        // tips of each ghost, by rods, and the models that they are of
        this.ghosts = Array.from({ length: MOST_GHOSTS }, () => this.tracked.map(() => columns(3)));
        this.models = this.ghosts.map(() => null);
        this.energy = columns(ENERGIES.length);
        this.input = columns(this.inputs);
        this.iterations = [];
        this.ratio = [];
    }

    // Another model in the place of a ghost begins with nothing.
    name(models) {
        models.forEach((model, k) => {
            if (!model || model === this.models[k]) return;
            this.models[k] = model;
            for (const column of this.ghosts[k].flat()) column.fill(null);
        });
    }

    // Time that goes back takes away what was later.
    push(frame) {
        const later = this.time.findIndex((t) => t > frame.time);
        if (later >= 0) for (const column of this.columns()) column.splice(later);
        const last = this.time.at(-1);
        if (last === frame.time) return false;
        this.time.push(frame.time);
        const push = (columns, place) => columns.forEach((column, d) => column.push(known(place[d])));
        this.tracked.forEach(({ place }, i) => {
            push(this.tip[i], place(frame));
            this.ghosts.forEach((all, k) => push(all[i], frame.ghosts[k] ? place({ rods: frame.ghosts[k] }) : []));
        });
        this.energy.forEach((column, i) => column.push(known(frame.energy[i])));
        this.input.forEach((column, i) => column.push(known(frame.inputs[i])));
        this.iterations.push(known(frame.iterations));
        this.ratio.push(known(frame.ratio));
        return true;
    }

    columns() {
        return [
            this.time,
            ...this.tip.flat(),
            ...this.energy,
            ...this.input,
            this.iterations,
            this.ratio,
            ...this.ghosts.flat(2),
        ];
    }

    trim() {
        const { time } = this;
        if (time.length <= TRIM) return;
        if (time[TRIM] > time.at(-1) - WINDOW && time.length < MOST + TRIM) return;
        for (const column of this.columns()) column.splice(0, TRIM);
    }
}
