// A picture, an animation, a file: made here and handed to the browser's downloads.
import { element } from './dom.js';

const ANIMATION_RATE = 30;
const SHARP = 2; // pixels of a picture per pixel of the page, at least

export function download(blob, name) {
    const link = element('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function fileName(robot, ending) {
    return `${(robot || 'robot')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')}.${ending}`;
}

// Twice as sharp as an ordinary screen, for print.
export function savePicture(stage, name) {
    const { renderer } = stage;
    const ratio = renderer.getPixelRatio();
    renderer.setPixelRatio(Math.max(ratio, SHARP));
    stage.draw(); // the canvas keeps its pixels only until the browser has shown them
    stage.canvas.toBlob((blob) => download(blob, name), 'image/png');
    renderer.setPixelRatio(ratio);
    stage.draw();
}

export class Recorder {
    constructor(stage) {
        this.stage = stage;
        this.recorder = null;
    }

    get recording() {
        return this.recorder !== null;
    }

    start(name) {
        const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((kind) =>
            window.MediaRecorder?.isTypeSupported(kind),
        );
        if (!type) return false;
        const chunks = [];
        this.recorder = new MediaRecorder(this.stage.canvas.captureStream(ANIMATION_RATE), {
            mimeType: type,
            videoBitsPerSecond: 12e6,
        });
        this.recorder.ondataavailable = (event) => chunks.push(event.data);
        this.recorder.onstop = () => download(new Blob(chunks, { type: 'video/webm' }), name);
        this.recorder.start();
        this.stage.invalidate();
        return true;
    }

    stop() {
        this.recorder?.stop();
        this.recorder = null;
    }
}
