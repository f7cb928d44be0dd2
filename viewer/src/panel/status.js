// Whether real time is held, who drives, and messages over the scene.
import { byId, element } from '../dom.js';
import { shortNumber } from '../units.js';

// What small screens leave out stands before and after the text.
function pace({ held, ratio, behind_s: behind, playing }, speed, mode) {
    if (mode !== null) return { text: `mode ${mode + 1}`, mood: 'quiet' };
    if (!playing) return { text: 'paused', mood: 'quiet' };
    const asked = speed === 1 ? 'real time' : `${speed} × real time`;
    if (held) return { text: asked, mood: 'good' };
    const lost = behind >= 0.05 ? `, ${shortNumber(behind, 2)} s behind` : '';
    const text = `${shortNumber(ratio * speed, 2)} ×`;
    return { before: `${asked} not held: `, text, after: lost, mood: 'warn' };
}

export class Status {
    constructor(drive) {
        this.pace = element('span', { class: 'pill', id: 'pace' });
        // said aloud when it changes in kind, not with every digit
        this.spoken = element('span', { class: 'spoken', role: 'status' });
        this.effort = element('span', { class: 'effort', id: 'effort' });
        this.role = element('span', {
            class: 'pill quiet',
            id: 'role',
            hidden: true,
            text: 'watching',
        });
        this.drive = element('button', {
            type: 'button',
            class: 'text',
            id: 'drive',
            hidden: true,
            text: 'Drive',
            onclick: drive,
        });
        byId('status').replaceChildren(this.effort, this.pace, this.spoken, this.role, this.drive);
    }

    // mode: the one that is shown in place of the simulation, or null
    show(status, speed, mode = null) {
        const { before = '', text, after = '', mood } = pace(status, speed, mode);
        const whole = before + text + after;
        if (mood !== this.mood) this.spoken.textContent = whole;
        this.mood = mood;
        if (this.pace.textContent !== whole) {
            const wide = (words) => element('span', { class: 'wide', text: words });
            this.pace.replaceChildren(wide(before), text, wide(after));
            this.pace.title = whole;
        }
        this.pace.className = `pill ${mood}`;
        const share = Number.isFinite(status.cpu)
            ? `${Math.round(100 * status.cpu)} % of a core`
            : '';
        this.effort.textContent = share;
        const ms = shortNumber(1e3 * status.step_seconds);
        this.effort.title = `a step takes ${ms} ms, ${shortNumber(status.iterations)} iterations`;
    }

    showRole(driving, live) {
        this.role.hidden = driving || !live;
        this.drive.hidden = driving || !live;
    }

    replay(name) {
        this.pace.textContent = name;
        this.pace.className = 'pill quiet';
    }
}

export class Messages {
    constructor() {
        this.parent = byId('messages');
    }

    show(kind, title, text, { stay = false } = {}) {
        this.remove(kind);
        const close = element('button', {
            type: 'button',
            class: 'text',
            'aria-label': 'Close the message',
            text: 'Close',
        });
        const box = element(
            'div',
            { class: `message ${kind}`, role: kind === 'failure' ? 'alert' : 'status' },
            element('div', {}, element('strong', { text: title }), element('p', { text })),
            close,
        );
        close.addEventListener('click', () => box.remove());
        this.parent.append(box);
        if (!stay) setTimeout(() => box.remove(), 8000);
    }

    remove(kind) {
        this.parent.querySelector(`.${kind}`)?.remove();
    }
}
