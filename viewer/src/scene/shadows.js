// Shadows straight down: the same shapes once more, flattened onto the ground. The stencil keeps
// them from darkening a place twice.
import {
    DoubleSide,
    Group,
    Mesh,
    MeshBasicMaterial,
    NotEqualStencilFunc,
    ReplaceStencilOp,
} from 'three';

export class Shadows {
    constructor(meshes) {
        this.material = new MeshBasicMaterial({
            transparent: true,
            opacity: 0.1,
            side: DoubleSide,
            depthWrite: false,
            stencilWrite: true,
            stencilRef: 1,
            stencilFunc: NotEqualStencilFunc,
            stencilZPass: ReplaceStencilOp,
        });
        this.group = new Group();
        this.group.scale.z = 1e-6;
        this.pairs = meshes.map((mesh) => {
            const shadow = new Mesh(mesh.geometry, this.material);
            shadow.frustumCulled = false;
            shadow.renderOrder = -1;
            this.group.add(shadow);
            return [mesh, shadow];
        });
    }

    update() {
        for (const [mesh, shadow] of this.pairs) {
            shadow.visible = mesh.visible;
            shadow.position.copy(mesh.position);
            shadow.quaternion.copy(mesh.quaternion);
        }
    }
}
