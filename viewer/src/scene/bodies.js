// Rigid bodies, discs among them: cylinders, spheres, boxes at their poses.
import { Box3, BoxGeometry, CylinderGeometry, Mesh, MeshStandardMaterial, SphereGeometry } from 'three';

// three's cylinder stands along y, a body's along z.
function cylinder(radius, height) {
    return new CylinderGeometry(radius, radius, height, 48).rotateX(Math.PI / 2);
}

function bodyGeometry(body, size) {
    if (body.shape === 'cylinder')
        return cylinder(body.radius, Math.max(body.height, 0.001 * size));
    if (body.shape === 'box')
        return new BoxGeometry(...body.size.map((side) => Math.max(side, 0.001 * size)));
    return new SphereGeometry(0.022 * size, 32, 20);
}

// Wide and flat, on a rod: it guides tendons, and should not hide them.
function isDisc(body) {
    return body.rod !== null && body.shape === 'cylinder' && body.height < 0.7 * body.radius;
}

export class Bodies {
    constructor(bodies, size) {
        this.meshes = bodies.map((body) => {
            const disc = isDisc(body);
            const material = new MeshStandardMaterial({
                roughness: 0.6,
                transparent: disc,
                opacity: disc ? 0.55 : 1,
                depthWrite: !disc,
            });
            const mesh = new Mesh(
                bodyGeometry(body, size).translate(...(body.centre ?? [0, 0, 0])),
                material,
            );
            mesh.userData.disc = disc;
            mesh.frustumCulled = false;
            return mesh;
        });
    }

    paint(colours) {
        for (const mesh of this.meshes)
            mesh.material.color.setHex(mesh.userData.disc ? colours.disc : colours.body);
    }

    // z of the lowest point of those that are there.
    lowest(states) {
        this.update(states);
        const seen = this.meshes.filter(({ visible }) => visible);
        return Math.min(...seen.map((mesh) => new Box3().setFromObject(mesh, true).min.z));
    }

    update(states) {
        states.forEach(({ pose, attached }, i) => {
            const mesh = this.meshes[i];
            mesh.visible = attached && Number.isFinite(pose[0]);
            mesh.position.set(pose[0], pose[1], pose[2]);
            mesh.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
        });
    }
}
