// A robot file in an address, and back: deflated, in letters that addresses may hold. Nothing is sent
// to anybody: what stands behind # stays in the browser.

async function through(stream, bytes) {
    const piped = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

const toLetters = (bytes) =>
    btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');

const fromLetters = (letters) =>
    Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

export async function addressOf(name, text) {
    const bytes = new TextEncoder().encode(text);
    const packed = await through(new CompressionStream('deflate-raw'), bytes);
    const address = new URL(location.href);
    address.hash = `file=${encodeURIComponent(name)}&text=${toLetters(packed)}`;
    return address.href;
}

// The file that the address carries, { name, text }, the example that it names, { example }, or null.
export async function fromAddress(hash = location.hash) {
    const words = new URLSearchParams(hash.slice(1));
    if (words.has('example')) return { example: words.get('example') };
    if (!words.has('text')) return null;
    const bytes = await through(
        new DecompressionStream('deflate-raw'),
        fromLetters(words.get('text')),
    );
    return { name: words.get('file') || 'robot.yaml', text: new TextDecoder().decode(bytes) };
}
