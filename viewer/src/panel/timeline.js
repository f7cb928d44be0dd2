// The time line of a replay, and that of the last minute of a live robot.
import { byId, element } from '../dom.js';

export class Timeline {
    constructor(replay) {
        this.replay = replay;
        this.slider = element('input', {
            type: 'range',
            min: 0,
            max: replay.frames.length - 1,
            step: 1,
            value: 0,
            id: 'scrub',
            'aria-label': 'Time line',
            oninput: () => {
                replay.setPlaying(false);
                replay.seek(Number(this.slider.value));
            },
        });
        const node = byId('timeline');
        node.replaceChildren(
            element('span', { text: `${replay.begin.toFixed(2)} s` }),
            this.slider,
            element('span', { text: `${replay.end.toFixed(2)} s` }),
        );
        node.hidden = false;
    }

    show(frame, index) {
        this.slider.value = index;
        this.slider.setAttribute('aria-valuetext', `${frame.time.toFixed(3)} s`);
    }
}

const LEAST = 0.5; // s of past that are worth a slider

// From the oldest moment that the robot can be put back to, to now.
export class Past {
    // go(time): asks for that moment
    constructor(go) {
        this.slider = element('input', {
            type: 'range',
            step: 'any',
            id: 'rewind',
            'aria-label': 'Go back in time',
            oninput: () => {
                this.held = true;
                go(Number(this.slider.value));
            },
            onchange: () => {
                this.held = false;
            },
        });
        this.begin = element('span');
        this.end = element('span');
        this.held = false;
    }

    // From each status. While the slider is held its range stays.
    show({ past, time }) {
        const node = byId('timeline');
        if (!(time - past >= LEAST) && !this.held) {
            this.hide();
            return;
        }
        if (!node.contains(this.slider)) node.replaceChildren(this.begin, this.slider, this.end);
        node.hidden = false;
        if (this.held) return;
        this.slider.min = past;
        this.slider.max = time;
        this.slider.value = time;
        this.slider.setAttribute('aria-valuetext', `${time.toFixed(1)} s`);
        this.begin.textContent = `${past.toFixed(1)} s`;
        this.end.textContent = 'now';
    }

    hide() {
        if (byId('timeline').contains(this.slider)) byId('timeline').hidden = true;
    }

    enable(on) {
        this.slider.disabled = !on;
    }
}
