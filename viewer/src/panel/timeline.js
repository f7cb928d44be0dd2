// The time line of a replay.
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
