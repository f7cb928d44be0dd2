// A recorded run: its frames, and a clock of the page's own that plays them.
import { readFrames } from './protocol.js';

export class Replay {
    // show(frame, index): draws one; changed(): playing or not
    constructor(layout, buffer, show, changed) {
        this.frames = readFrames(layout, buffer);
        Object.assign(this, { show, changed });
        this.index = 0;
        this.speed = 1;
        this.playing = false;
    }

    get begin() {
        return this.frames[0].time;
    }
    get end() {
        return this.frames.at(-1).time;
    }
    get time() {
        return this.frames[this.index].time;
    }

    seek(index) {
        this.index = Math.min(Math.max(Math.round(index), 0), this.frames.length - 1);
        this.clock = this.time;
        this.show(this.frames[this.index], this.index);
    }

    // The last frame not after this time.
    seekTime(time) {
        let low = 0,
            high = this.frames.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.frames[middle].time <= time) low = middle;
            else high = middle - 1;
        }
        this.seek(low);
    }

    step(count) {
        this.setPlaying(false);
        this.seek(this.index + count);
    }

    setPlaying(playing) {
        if (playing === this.playing) return;
        if (playing && this.index === this.frames.length - 1) this.seek(0);
        this.playing = playing;
        this.changed();
        if (playing) {
            this.clock = this.time;
            this.before = performance.now();
            requestAnimationFrame((now) => this.tick(now));
        }
    }

    tick(now) {
        if (!this.playing) return;
        const clock = this.clock + (this.speed * Math.max(now - this.before, 0)) / 1000;
        this.before = now;
        this.seekTime(clock);
        this.clock = clock;
        if (clock >= this.end) this.setPlaying(false);
        else requestAnimationFrame((later) => this.tick(later));
    }
}
