// Frames of the program as the page reads them, and quantities as it shows them; without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeFrame, fakeHello } from './fake.mjs';
import { frameLayout, readFrame, tipOf } from '../src/protocol.js';
import { readable, readableUnit } from '../src/units.js';

test('a frame is read where its layout says', () => {
    const hello = fakeHello();
    const layout = frameLayout(hello);
    const state = { time: 1.5, curvature: 0, inputs: [1, 2, 3, 4], playing: true };
    Object.assign(state, { curvature: 1, estimate: true, ghosts: ['eba', null, 'srl', null] });
    const bytes = fakeFrame(hello, state);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const frame = readFrame(layout, buffer);
    assert.equal(frame.time, 1.5);
    assert.equal(frame.playing, true);
    assert.deepEqual([...frame.inputs], [1, 2, 3, 4]);
    assert.equal(frame.actuators[1].effort, 2);
    assert.equal(frame.actuators[2].effort, 3);
    const height = (curvature) => Math.sin(0.3 * curvature) / curvature; // of an arc
    assert.ok(Math.abs(tipOf(frame, 0)[2] - height(1)) < 1e-6);
    assert.ok(Math.abs(tipOf({ rods: frame.ghosts[0] }, 0)[2] - height(0.8)) < 1e-6);
    assert.equal(frame.ghosts[1], null);
    assert.ok(Math.abs(tipOf({ rods: frame.ghosts[2] }, 0)[2] - height(0.4)) < 1e-6);
    assert.ok(Math.abs(frame.spread[0].at(-3) - 4e-8) < 1e-14);
    assert.ok(Math.abs(tipOf({ rods: frame.estimate }, 0)[2] - height(0.9)) < 1e-6);
    assert.equal(readFrame(layout, buffer.slice(0, buffer.byteLength - 4)), null);
    assert.throws(() => frameLayout({ ...hello, frame: { floats: 7 } }), /7 numbers/);
});

test('obstacles and what they do to the rods have their place in a frame', () => {
    const { rods } = fakeHello().robot;
    const hello = { robot: { rods, obstacles: [{}, {}], touches: true }, inputs: [] };
    const { points } = rods[0];
    const layout = frameLayout(hello);
    assert.equal(layout.floats, 7 * points + 14 + 3 * points + 5 + 2 + 6);
    const floats = Float32Array.from({ length: layout.floats }, (_, i) => i);
    const buffer = new ArrayBuffer(16 + 4 * layout.floats);
    new DataView(buffer).setUint32(0, 0x31464454, true);
    new Float32Array(buffer, 16).set(floats);
    const frame = readFrame(layout, buffer);
    assert.equal(frame.obstacles[1][0], 7 * points + 7);
    assert.equal(frame.contacts[0].length, 3 * points);
    assert.equal(frame.contacts[0][0], 7 * points + 14);
    assert.equal(frame.energy[0], 10 * points + 14);
});

test('quantities are shown in units that read well', () => {
    assert.equal(readable(0.012, 'm'), '12 mm');
    assert.equal(readable(6e4, 'Pa'), '60 kPa');
    assert.equal(readable(Math.PI / 2, 'rad'), '90 °');
    assert.deepEqual(readableUnit('N', 10), { factor: 1, label: 'N' });
});
