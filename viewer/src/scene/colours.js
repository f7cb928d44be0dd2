// Colours of the scene, by theme, and the two ramps that show the efforts of actuators: lines and rooms in rods.
import { Color } from 'three';

const THEMES = {
    light: {
        background: 0xf3f5f7,
        ground: 0xe7ebef,
        gridMinor: 0xcfd7df,
        gridMajor: 0xa9b5c1,
        rod: 0x4b6378,
        soft: 0x8aa4b8,
        body: 0x93a1ae,
        disc: 0xb4c0cb,
        obstacle: 0xc9b79c,
        base: 0x2f3b47,
        ghosts: [0x7c3aed, 0xe8590c, 0xc2255c, 0x5c940d],
        estimate: 0x0d9488,
        shadow: 0x1f2933,
        pull: 0xc2410c,
        hover: 0x0f766e,
        load: 0xb91c1c,
        reaction: 0x15803d,
        line: [0x94a3b3, 0x2f7fb8, 0x2a9d8f, 0xd99a00, 0xc62828],
        room: [0xc9d6e2, 0x6db3d6, 0x2368b0, 0x4a1d96],
    },
    dark: {
        background: 0x11161c,
        ground: 0x171d24,
        gridMinor: 0x2a3541,
        gridMajor: 0x425160,
        rod: 0xa9bccd,
        soft: 0x7f98ad,
        body: 0x8492a0,
        disc: 0x5c6b7a,
        obstacle: 0x8d7d66,
        base: 0xd4dde6,
        ghosts: [0xb794f6, 0xffa94d, 0xff7eb6, 0xa9d15b],
        estimate: 0x5eead4,
        shadow: 0x000000,
        pull: 0xff9d5c,
        hover: 0x2dd4bf,
        load: 0xff7b72,
        reaction: 0x56d364,
        line: [0x6b7885, 0x4aa8e0, 0x4fc9a8, 0xf5c344, 0xff6b5e],
        room: [0x46535f, 0x4aa3cf, 0x5b8def, 0xb57bff],
    },
};

export function sceneColours(theme) {
    return THEMES[theme];
}

const mixed = new Color();
const next = new Color();

// The colour at x in 0..1 of a ramp of equally spaced stops.
export function rampColour(ramp, x) {
    const place = Math.min(Math.max(x, 0), 1) * (ramp.length - 1);
    const i = Math.min(Math.floor(place), ramp.length - 2);
    return mixed.setHex(ramp[i]).lerp(next.setHex(ramp[i + 1]), place - i);
}

export function cssColour(hex) {
    return '#' + hex.toString(16).padStart(6, '0');
}

export function cssRamp(ramp) {
    return `linear-gradient(to right, ${ramp.map(cssColour).join(', ')})`;
}
