// What the plots draw: columns of numbers over time, trimmed to what can be seen.
import { ENERGIES, tipOf } from '../protocol.js';

export const WINDOW = 10; // s that a live plot shows
const MOST = 12000; // frames
const TRIM = 600; // at once, so that trimming is rare

const known = (x) => (Number.isFinite(x) ? x : null);

export class History {
    constructor(rods, inputs) {
        this.rods = rods;
        this.inputs = inputs;
        this.clear();
    }

    clear() {
        const columns = (count) => Array.from({ length: count }, () => []);
        this.time = [];
        this.tip = Array.from({ length: this.rods }, () => columns(3));
        this.ghost = Array.from({ length: this.rods }, () => columns(3)); // its tips
        this.energy = columns(ENERGIES.length);
        this.input = columns(this.inputs);
        this.iterations = [];
        this.ratio = [];
    }

    // Time that goes back takes away what was later.
    push(frame) {
        const later = this.time.findIndex((t) => t > frame.time);
        if (later >= 0) for (const column of this.columns()) column.splice(later);
        const last = this.time.at(-1);
        if (last === frame.time) return false;
        this.time.push(frame.time);
        this.tip.forEach((columns, rod) => {
            const tip = tipOf(frame, rod);
            columns.forEach((column, d) => column.push(known(tip[d])));
        });
        this.ghost.forEach((columns, rod) => {
            const tip = frame.ghost ? tipOf({ rods: frame.ghost }, rod) : [];
            columns.forEach((column, d) => column.push(known(tip[d])));
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
            ...this.ghost.flat(),
        ];
    }

    trim() {
        const { time } = this;
        if (time.length <= TRIM) return;
        if (time[TRIM] > time.at(-1) - WINDOW && time.length < MOST + TRIM) return;
        for (const column of this.columns()) column.splice(0, TRIM);
    }
}
