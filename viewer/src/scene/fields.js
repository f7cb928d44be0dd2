// Magnetic fields where inputs put them: an arrow through each dipole along its moment, and for a uniform field one beside
// the base of the robot.
import { Box3, Group, Quaternion, Vector3 } from 'three';
import { setArrow } from './arrows.js';
import { WideLine } from './lines.js';

const LENGTH = 0.22; // of an arrow, of the robot's size
const FAR = 4; // of the robot's size: magnets beyond it are not looked for

// Three numbers, each as value, gain and input.
function driven(numbers, inputs) {
    const at = (k) => numbers[k] + (numbers[k + 1] ? numbers[k + 1] * inputs[numbers[k + 2]] : 0);
    return new Vector3(at(0), at(3), at(6));
}

function turned({ orientation, rotation }, inputs) {
    const [w, x, y, z] = orientation;
    const turn = driven(rotation, inputs);
    const angle = turn.length();
    const more = new Quaternion();
    if (angle > 0) more.setFromAxisAngle(turn.divideScalar(angle), angle);
    return new Quaternion(x, y, z, w).multiply(more);
}

export class Fields {
    constructor({ fields = [] }, size) {
        this.fields = fields;
        this.size = size;
        this.group = new Group();
        this.segments = new Float32Array(18 * fields.length);
        this.arrows = new WideLine(3 * fields.length + 1, 3);
        this.arrows.visible = fields.length > 0;
        this.group.add(this.arrows);
    }

    paint(colours) {
        this.arrows.material.color.setHex(colours.pull);
    }

    // The box that holds the arrows which stand near the robot.
    bounds({ inputs }, robot) {
        const near = robot.clone().expandByScalar(FAR * this.size);
        const box = new Box3();
        for (const field of this.fields) {
            const middle = this.middleOf(field, inputs);
            if (near.containsPoint(middle)) box.expandByPoint(middle);
        }
        return box.isEmpty() ? box : box.expandByScalar(0.5 * LENGTH * this.size);
    }

    middleOf(field, inputs) {
        if (field.dipole) return driven(field.position, inputs);
        return new Vector3(-0.5 * this.size, 0, 0.5 * this.size);
    }

    update({ inputs }) {
        if (!this.arrows.visible) return;
        const length = LENGTH * this.size;
        this.segments.fill(0);
        this.fields.forEach((field, i) => {
            const along = driven(field.along, inputs);
            if (!(along.length() > 0)) return;
            if (field.dipole) along.applyQuaternion(turned(field, inputs));
            const middle = this.middleOf(field, inputs);
            along.setLength(length);
            setArrow(this.segments, 18 * i, middle.addScaledVector(along, 0.5), along);
        });
        this.arrows.setSegments(this.segments);
    }
}
