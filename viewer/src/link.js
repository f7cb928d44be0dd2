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
