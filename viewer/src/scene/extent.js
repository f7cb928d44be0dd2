// Where a robot is: a box around each stretch of what is drawn. One box around all of it would hold much that is empty where a rod runs
// aslant, and the camera would stand too far off.
import { Box3, Vector3 } from 'three';

const STRETCHES = 6; // of a line

// Boxes along a line of points, `stride` numbers each.
export function boxesAlong(numbers, stride) {
    const point = new Vector3();
    const boxes = Array.from({ length: STRETCHES }, () => new Box3());
    const last = numbers.length / stride - 1;
    boxes.forEach((box, k) => {
        const [from, to] = [Math.floor((k * last) / STRETCHES), Math.ceil(((k + 1) * last) / STRETCHES)];
        for (let i = from; i <= to; i++)
            if (Number.isFinite(numbers[stride * i])) box.expandByPoint(point.fromArray(numbers, stride * i));
    });
    return boxes;
}

export class Extent {
    // boxes: as many each time of one robot; empty ones are not there
    constructor(boxes) {
        this.boxes = boxes;
    }

    clone() {
        return new Extent(this.boxes.map((box) => box.clone()));
    }

    union(other) {
        this.boxes.forEach((box, i) => box.union(other.boxes[i]));
        return this;
    }

    contains(other) {
        return this.boxes.every((box, i) => other.boxes[i].isEmpty() || box.containsBox(other.boxes[i]));
    }

    // A part of the way to another.
    approach(other, share) {
        this.boxes.forEach((box, i) => {
            if (box.isEmpty()) box.copy(other.boxes[i]);
            else if (!other.boxes[i].isEmpty()) box.min.lerp(other.boxes[i].min, share), box.max.lerp(other.boxes[i].max, share);
        });
    }

    whole() {
        return this.boxes.reduce((all, box) => all.union(box), new Box3());
    }

    diagonal() {
        return this.whole().getSize(new Vector3()).length();
    }

    corners() {
        return this.boxes
            .filter((box) => !box.isEmpty())
            .flatMap(({ min, max }) =>
                Array.from(
                    { length: 8 },
                    (_, k) => new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z),
                ),
            );
    }
}
