// model/cosserat/lanes/kernel_tip.h - the tip of a recorded robot, for arrays that stay on a GPU: part of what includes
// kernel.h with LANE_WIDTH 1 and KERNEL_TIP.

// A unit quaternion w, x, y, z of a rotation: by its largest component.
LANE_FUNCTION void turn_to_quaternion(const double *R, double *q) {
    const double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8],
                         R[8] - R[0] - R[4]};
    const double w = R[7] - R[5], x = R[2] - R[6], y = R[3] - R[1];
    const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[most]) most = i;
    const double r = sqrt(1.0 + t[most]), f = 0.5 / r;
    const double all[4][4] = {{0.5 * r, f * w, f * x, f * y},
                              {f * w, 0.5 * r, f * xy, f * xz},
                              {f * x, f * xy, 0.5 * r, f * yz},
                              {f * y, f * xz, f * yz, 0.5 * r}};
    const double sign = all[most][0] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) q[i] = sign * all[most][i];
}

// position, quaternion, w, q (GPU_TIP); velocities by the polynomial through the nodes, as samples have them
LANE_FUNCTION void find_tip(kernel *k, kernel_motion *m, double *out, const int d) {
    recall(k, m, d);
    const int last = n_elements_of(k->plan) - 1;
    const plan_element *e = &k->plan->elements[last];
    const kernel_bound *far = &m->bounds[last + 1];
    lane3 w = lane3_zero(), q = lane3_zero();
    double R[9];
    for (int i = 0; i < 9; i++) R[i] = lane_number(far->R.m[i]);
    for (int i = 0; i < e->n; i++) {
        w = lane3_madd(w, lane_of(k->t[k->plan->tip + i]), m->own[e->node + i].w);
        q = lane3_madd(q, lane_of(k->t[k->plan->tip + i]), m->own[e->node + i].q);
    }
    const lane all[9] = {far->p.x, far->p.y, far->p.z, w.x, w.y, w.z, q.x, q.y, q.z};
    for (int i = 0; i < 9; i++) out[i < 3 ? i : i + 4] = lane_number(all[i]);
    turn_to_quaternion(R, out + 3);
}
