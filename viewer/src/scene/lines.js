// Lines that are some pixels wide, whatever the distance: tendons, the rubber band, axes. Their
// points are moved in place.
import { GreaterDepth } from 'three';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';

export class WideLine extends LineSegments2 {
    // points: of a chain of segments
    constructor(points, width, options = {}) {
        const geometry = new LineSegmentsGeometry();
        geometry.setPositions(new Float32Array(6 * Math.max(points - 1, 1)));
        super(geometry, new LineMaterial({ linewidth: width, ...options }));
        this.frustumCulled = false;
        this.count = points;
    }

    // The same line where something is before it, faintly: a tendon within its rod.
    seenThrough(opacity) {
        const { linewidth } = this.material;
        const hidden = new LineSegments2(
            this.geometry,
            new LineMaterial({ linewidth, transparent: true, opacity, depthFunc: GreaterDepth, depthWrite: false }),
        );
        hidden.frustumCulled = false;
        return hidden;
    }

    // xyz: three numbers a point
    setChain(xyz) {
        const { data } = this.geometry.attributes.instanceStart;
        for (let i = 0; i + 1 < this.count; i++) {
            for (let d = 0; d < 6; d++) data.array[6 * i + d] = xyz[3 * i + d];
        }
        data.needsUpdate = true;
    }

    setSegments(xyz) {
        const { data } = this.geometry.attributes.instanceStart;
        data.array.set(xyz);
        data.needsUpdate = true;
    }
}
