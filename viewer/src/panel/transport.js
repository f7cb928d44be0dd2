// Time: reset, step, play or pause, speed, and the clock. The same for a live robot and a replay;
// what the buttons do is the caller's.
import { element, icon, iconButton } from '../dom.js';

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Transport {
    // actions: {toggle, step, reset, speed(x), back?}
    constructor(parent, actions) {
        this.play = iconButton('play', 'Play', 'space', actions.toggle);
        this.play.classList.add('primary');
        this.step = iconButton('step', 'One step', '.', actions.step);
        this.reset = iconButton('reset', 'Reset', 'r', actions.reset);
        this.speed = element('select', {
            'aria-label': 'Speed',
            title: 'Speed',
            onchange: () => actions.speed(Number(this.speed.value)),
        });
        this.clock = element('output', { class: 'clock', 'aria-label': 'Time', id: 'clock' });
        this.buttons = [this.reset, this.play, this.step, this.speed];
        parent.replaceChildren(this.reset, this.play, this.step, this.speed, this.clock);
        this.setSpeed(1);
    }

    setSpeed(speed) {
        const choices = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
        this.speed.replaceChildren(
            ...choices.map((x) => element('option', { value: x, text: `${x} ×` })),
        );
        this.speed.value = String(speed);
    }

    setPlaying(playing) {
        if (this.playing === playing) return;
        this.playing = playing;
        this.play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
        this.play.title = `${playing ? 'Pause' : 'Play'} (space)`;
        this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
    }

    setTime(time) {
        this.clock.value = `${time.toFixed(3)} s`;
    }

    enable(on) {
        this.buttons.forEach((button) => {
            button.disabled = !on;
        });
    }
}
