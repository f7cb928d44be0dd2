// The library in the browser in place of the program: it runs in a worker and says the same words as
// the program does over its socket.
import { Link } from '../link.js';

const PATIENCE_MS = 3000; // with a step that does not end, before another robot is opened elsewhere
const LONGEST_MS = 250; // a page that is hidden draws nothing, and is told all the same

// When what has come is drawn.
function drawn(action) {
    let done = false;
    const once = () => {
        if (!done) action();
        done = true;
    };
    requestAnimationFrame(once);
    setTimeout(once, LONGEST_MS);
}

export class LocalLink extends Link {
    constructor() {
        super('');
        this.local = true; // another robot takes the place of this one without a new page
    }

    start() {
        return new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    }

    // The run that a file describes, as a table; `message` says why it ended early, or not at all. A signal stops it.
    run(name, text, files, signal) {
        const worker = this.start();
        return new Promise((done, fail) => {
            signal.addEventListener('abort', () => done({ message: 'The run was stopped.' }));
            worker.onmessage = ({ data }) => done(data);
            worker.onerror = (event) => fail(new Error(event.message));
            worker.postMessage({ run: { name, text, files } });
        }).finally(() => worker.terminate());
    }

    connect() {
        this.worker?.terminate();
        this.worker = this.start();
        this.worker.onmessage = ({ data }) => this.receive(data);
        this.worker.onerror = (event) => this.tell('broken', { message: event.message });
    }

    // A robot file by its text, with files that it names, { name: bytes }. Answered by `opened` or
    // `refused`.
    open(name, text, files = {}) {
        this.worker.postMessage({ open: { name, text, files } });
        clearTimeout(this.patience);
        this.patience = setTimeout(() => {
            this.connect();
            this.worker.postMessage({ open: { name, text, files } });
        }, PATIENCE_MS);
    }

    // Texts and frames as of a socket, some at once; what only the worker says has a type.
    receive(data) {
        if (data.type === 'opening') clearTimeout(this.patience);
        if (!data.told) {
            this.tell(data.type, data);
            return;
        }
        data.told.forEach((words) => super.receive(words));
        drawn(() => this.worker.postMessage({ taken: true }));
    }

    send(message) {
        this.worker.postMessage({ ask: JSON.stringify(message) });
    }
}
