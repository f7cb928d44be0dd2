// Quantities as people read them: the program speaks SI, the page shows mm, kPa, degrees.

const PREFIXES = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
];
const PLAIN = new Set(['m/s^2', 'kg', '', 'K']);

// The unit in which numbers up to `largest` read well: {factor, label}; shown = SI / factor.
export function readableUnit(unit, largest) {
    if (unit === 'rad') return { factor: Math.PI / 180, label: '°' };
    if (unit === '1' || unit === 'no unit') return { factor: 1, label: '' };
    if (unit === 'm^3')
        return largest < 1e-3 ? { factor: 1e-6, label: 'cm³' } : { factor: 1, label: 'm³' };
    const label = unit.replace('^2', '²').replace('^3', '³').replace('N m', 'N·m');
    if (PLAIN.has(unit) || !(largest > 0)) return { factor: 1, label };
    if (unit === 'm' && largest >= 1) return { factor: 1, label };
    const [factor, prefix] = PREFIXES.find(([size]) => largest >= 0.999 * size) ?? PREFIXES.at(-1);
    return { factor, label: prefix + label };
}

// Of inputs: those that are of one kind are read in one unit.
export function inputUnits(inputs) {
    const largest = new Map();
    const key = ({ unit, kind }) => `${unit} ${kind}`;
    for (const input of inputs) {
        const size = Math.max(...[input.min, input.max, input.value].map((x) => Math.abs(x) || 0));
        largest.set(key(input), Math.max(largest.get(key(input)) ?? 0, size));
    }
    return inputs.map((input) => readableUnit(input.unit, largest.get(key(input))));
}

// 1, 1.5, 2, 3, 5, 7.5, 10 and so on: the first that is not less.
export function roundUp(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * [1, 1.5, 2, 3, 5, 7.5, 10].find((lead) => lead * power >= 0.999 * x);
}

// Few digits, no exponent where none is needed.
export function shortNumber(x, digits = 3) {
    if (!Number.isFinite(x)) return '–';
    if (x === 0) return '0';
    const size = Math.abs(x);
    if (size >= 1e5 || size < 1e-4) return x.toExponential(Math.max(digits - 2, 0));
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return String(Number(x.toFixed(Math.min(places, 6))));
}

export function readable(x, unit) {
    const { factor, label } = readableUnit(unit, Math.abs(x));
    return `${shortNumber(x / factor)} ${label}`.trim();
}

// A number and its deviation in one unit, to two digits of that; a dash where it is not known.
export function readableBand(x, deviation, unit) {
    if (!Number.isFinite(x ?? NaN)) return '–';
    const { factor, label } = readableUnit(unit, Math.max(Math.abs(x), deviation));
    const size = deviation / factor;
    if (!(size > 1e-6 && size < 1e6)) return `${shortNumber(x / factor)} ± ${shortNumber(size, 2)} ${label}`.trim();
    const places = Math.max(0, 1 - Math.floor(Math.log10(size)));
    return `${(x / factor).toFixed(places)} ± ${size.toFixed(places)} ${label}`.trim();
}
