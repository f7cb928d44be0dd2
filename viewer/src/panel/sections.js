// The panel at the side and the tools in the bar.
import { byId, element, iconButton } from '../dom.js';

function section(title, ...content) {
    return element('section', { class: `section part-${title.toLowerCase()}` }, element('h2', { text: title }), ...content);
}

function checkbox(id, label, checked, action) {
    const box = element('input', { type: 'checkbox', id, onchange: action });
    box.checked = checked;
    return element('label', { class: 'check', for: id }, box, label);
}

function viewSection({ look, frames, arrows, reach, plots }, { live, robot }) {
    const views = [
        ['corner', 'Corner', '1'],
        ['front', 'Front', '2'],
        ['side', 'Side', '3'],
        ['top', 'Top', '4'],
    ];
    return section(
        'View',
        element(
            'div',
            { class: 'views', role: 'group', 'aria-label': 'Look from' },
            ...views.map(([view, label, key]) =>
                element('button', {
                    type: 'button',
                    class: 'text',
                    text: label,
                    title: `${label} (${key})`,
                    onclick: () => look(view),
                }),
            ),
        ),
        element(
            'div',
            { class: 'checks' },
            checkbox('show-frames', 'Frames', false, frames),
            ...(robot.arrows?.length ? [checkbox('show-arrows', 'Loads', false, arrows)] : []),
            ...(live && robot.actuators?.length ? [checkbox('reach', 'Drag to reach', false, reach)] : []),
            checkbox('show-plots', 'Plots', !byId('plots').hidden, plots),
        ),
    );
}

export function buildPanel(inputs, loop, choices, modes, actions, hello) {
    const parts = [section('Inputs', inputs), viewSection(actions, hello)];
    if (!loop.empty) parts.splice(1, 0, section('Loop', loop.node));
    if (hello.live) parts.unshift(section('Model', choices, modes));
    byId('panel').replaceChildren(...parts);
}

export function buildTools({ edit, picture, record, inputs, table, theme, help }) {
    const recording = iconButton('record', 'Record an animation', '', record);
    recording.id = 'record';
    const file = iconButton('file', 'Save the inputs as a file', '', inputs);
    file.id = 'save-inputs';
    const robot = iconButton('edit', 'The robot file: change it, open another', 'o', edit);
    robot.id = 'show-file';
    byId('tools').replaceChildren(
        robot,
        iconButton('picture', 'Save a picture', 's', picture),
        recording,
        file,
        iconButton('table', 'Save the plots as a table', '', table),
        iconButton('theme', 'Light or dark', 't', theme),
        iconButton('help', 'Keys', '?', help),
    );
}

export function sayRecording(on) {
    const button = byId('record');
    const label = on ? 'Stop recording and save' : 'Record an animation';
    button.classList.toggle('recording', on);
    button.setAttribute('aria-label', label);
    button.setAttribute('aria-pressed', on);
    button.title = label;
}
