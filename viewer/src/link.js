// The connection to the program: JSON messages both ways, binary frames from it. When it breaks,
// the page tries again, more and more slowly.

const LONGEST_WAIT_MS = 5000;

export class Link extends EventTarget {
    constructor(token) {
        super();
        this.token = token;
        this.wait = 250;
        this.opened = false;
    }

    connect() {
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        this.socket = new WebSocket(
            `${scheme}://${location.host}/ws?token=${encodeURIComponent(this.token)}`,
            'tendril',
        );
        this.socket.binaryType = 'arraybuffer';
        this.socket.onopen = () => {
            this.wait = 250;
            this.opened = true;
            this.tell('open');
        };
        this.socket.onmessage = (event) => this.receive(event.data);
        this.socket.onclose = () => {
            this.tell('closed', { before: this.opened });
            setTimeout(() => this.connect(), this.wait);
            this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
        };
    }

    receive(data) {
        if (data instanceof ArrayBuffer) {
            this.tell('frame', data);
            return;
        }
        const message = JSON.parse(data);
        this.tell(message.type, message);
    }

    // The robot file that is shown, as text.
    async file() {
        const answer = await fetch(this.fileAddress());
        if (!answer.ok) throw new Error(`the program answered ${answer.status}`);
        return answer.text();
    }

    // A robot file by its text, in the place of the one that is shown. Answered by `opened` or `refused`.
    async open(name, text) {
        const address = `${this.fileAddress()}&name=${encodeURIComponent(name)}`;
        try {
            const answer = await fetch(address, { method: 'POST', body: text || '\n' });
            if (!answer.ok) throw new Error(`the program answered ${answer.status}`);
            const { type, message } = await answer.json();
            const place = Math.max(message.indexOf(`${name}:`), 0); // without its folder
            this.tell(type, { name, message: message.slice(place) });
        } catch ({ message }) {
            this.tell('refused', { name, message });
        }
    }

    fileAddress() {
        return `/file?token=${encodeURIComponent(this.token)}`;
    }

    tell(type, detail) {
        this.dispatchEvent(new CustomEvent(type, { detail }));
    }

    on(type, action) {
        this.addEventListener(type, (event) => action(event.detail));
    }

    send(message) {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    }
}
