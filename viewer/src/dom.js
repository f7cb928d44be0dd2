// Small helpers for elements.

export function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
        else if (name === 'text') node.textContent = value;
        else node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children);
    return node;
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1).replaceAll('_', ' ');

export const byId = (id) => document.getElementById(id);

const SHAPES = {
    play: 'M7 4.5v15l12.5-7.5z',
    pause: 'M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z',
    step: 'M5 4.5v15l9.5-7.5zM16 4.5h3v15h-3z',
    reset: 'M12 5V1.5L6.5 6 12 10.5V7.2a5.6 5.6 0 1 1-5.4 7H4.3A7.9 7.9 0 1 0 12 5z',
    picture:
        'M4 5h16v14H4zm2 2v8.6l4-4 3 3 2.4-2.4L18 15V7zm9 1.2a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z',
    record: 'M12 5.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z',
    file: 'M6 3h8l5 5v13H6zm7 1.8V9h4.2zM9 12v1.6h6V12zm0 3.4V17h6v-1.6z',
    edit: 'M4 20v-4.2L15.4 4.4a1.5 1.5 0 0 1 2.1 0l2.1 2.1a1.5 1.5 0 0 1 0 2.1L8.2 20zm2-2h1.4l7.9-7.9-1.4-1.4L6 16.6z',
    table: 'M4 4h16v16H4zm2 2v3h5V6zm7 0v3h5V6zM6 11v3h5v-3zm7 0v3h5v-3zM6 16v2h5v-2zm7 0v2h5v-2z',
    theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
    help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-.9 12.6h1.9v1.9h-1.9zm.9-9c2 0 3.3 1.2 3.3 2.9 0 1.5-.9 2.1-1.6 2.7-.6.5-.8.8-.8 1.6h-1.8c0-1.5.6-2.2 1.4-2.9.6-.5 1-.8 1-1.4 0-.7-.6-1.2-1.5-1.2-1 0-1.6.6-1.7 1.6H8.5c.1-2 1.5-3.3 3.5-3.3z',
};

export function icon(name) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    const path = document.createElementNS(space, 'path');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    path.setAttribute('d', SHAPES[name]);
    path.setAttribute('fill-rule', 'evenodd');
    svg.append(path);
    return svg;
}

export function iconButton(name, label, key, action) {
    return element(
        'button',
        {
            type: 'button',
            class: 'icon',
            'aria-label': label,
            title: key ? `${label} (${key})` : label,
            onclick: action,
        },
        icon(name),
    );
}
