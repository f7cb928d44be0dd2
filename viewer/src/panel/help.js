// The keys, in a dialog.
import { byId, element } from '../dom.js';

const KEYS = [
    ['space', 'play, pause'],
    ['.', 'one step (in a replay: the next frame)'],
    [',', 'in a replay: the frame before'],
    ['r', 'reset, back to the start'],
    ['arrows', 'turn the view, when the scene has the focus; pull what is held'],
    ['+  -', 'nearer, farther'],
    ['1  2  3  4', 'look from a corner, the front, the side, above'],
    ['g', 'take hold of a tip, of the next one, then let go'],
    ['m', 'modes: how the robot swings about its equilibrium; again: back'],
    ['f', 'frames on the rods and bodies'],
    ['l', 'loads, and the forces and moments that hold the robot, as arrows'],
    ['[', 'a second back, within the last minute'],
    ['e', 'drag to reach: the inputs bring what is dragged to the pointer; again: a drag pulls'],
    ['b', 'other models beside the robot, or through it'],
    ['o', 'the robot file: change it, open another'],
    ['p', 'plots on, off'],
    ['t', 'light, dark'],
    ['s', 'save a picture'],
    ['?', 'this list'],
];

const POINTER = [
    ['drag on a rod', 'pull it there; the force grows with the distance'],
    ['drag elsewhere', 'turn the view'],
    ['right drag', 'move the view'],
    ['wheel', 'nearer, farther'],
    ['shift + drag', 'turn the view even on a rod'],
];

function table(rows) {
    return element(
        'dl',
        { class: 'keys' },
        ...rows.flatMap(([key, what]) => [
            element('dt', {}, element('kbd', { text: key })),
            element('dd', { text: what }),
        ]),
    );
}

export function showHelp() {
    const dialog = byId('help');
    if (dialog.open) {
        dialog.close();
        return;
    }
    const close = element('button', {
        type: 'button',
        class: 'text',
        text: 'Close',
        onclick: () => dialog.close(),
    });
    dialog.replaceChildren(
        element('h2', { id: 'help-title', text: 'Keys and pointer' }),
        table(KEYS),
        table(POINTER),
        close,
    );
    dialog.showModal();
}
