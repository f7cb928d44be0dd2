// A WebSocket of `tendril view` without a browser: as few bytes of the standard as its messages need.
import { request } from 'node:http';
import { TOKEN } from './program.mjs';

// Resolves to the socket and what came with the answer; refused: with the code of the answer.
export function connect(address) {
    const { hostname, port, origin } = new URL(address);
    const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        Origin: origin,
        'Sec-WebSocket-Version': 13,
        'Sec-WebSocket-Protocol': 'tendril',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const asked = request({ hostname, port, path: `/ws?token=${TOKEN}`, headers });
    return new Promise((done, fail) => {
        asked.on('error', fail);
        asked.on('response', ({ statusCode }) => fail(new Error(`refused: ${statusCode}`)));
        asked.on('upgrade', (_, socket, head) => done({ socket, head }));
        asked.end();
    });
}

// Payload of the first message in the bytes, and where the next begins; null: it is not whole yet.
function firstMessage(bytes) {
    if (bytes.length < 2) return null;
    let [size, at] = [bytes[1] & 127, 2];
    if (size >= 126 && bytes.length < 10) return null;
    if (size === 126) [size, at] = [bytes.readUInt16BE(2), 4];
    else if (size === 127) [size, at] = [Number(bytes.readBigUInt64BE(2)), 10];
    if (bytes.length < at + size) return null;
    return { kind: bytes[0] & 15, body: bytes.subarray(at, at + size), next: at + size };
}

// Takes pieces of what comes, and tells of whole messages: frames as bytes, texts as objects, pings as bytes.
export function reader({ frame, text, ping }) {
    let rest = Buffer.alloc(0);
    return (bytes) => {
        rest = rest.length ? Buffer.concat([rest, bytes]) : bytes;
        for (let found; (found = firstMessage(rest)); rest = rest.subarray(found.next)) {
            if (found.kind === 2) frame(found.body);
            else if (found.kind === 1) text?.(JSON.parse(found.body.toString()));
            else if (found.kind === 9) ping?.(found.body);
        }
    };
}

// The answer to a ping, without which the program hangs up after five minutes, as on who has gone.
export function pongMessage(body) {
    return Buffer.concat([Buffer.from([0x8a, 0x80 | body.length, 0, 0, 0, 0]), body]);
}

// A text of a client, masked by zeros.
export function textMessage(text) {
    const body = Buffer.from(text);
    const head = body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, 0, 0];
    const bytes = Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), body]);
    if (body.length >= 126) bytes.writeUInt16BE(body.length, 2);
    return bytes;
}
