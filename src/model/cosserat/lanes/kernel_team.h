// model/cosserat/lanes/kernel_team.h - the inverse of the matrix where each node has its own thread: part of kernel.h.
//
// A thread has the three rows of its node. Block Gauss-Jordan in place, without pivoting: with the pivot P = J_cc,
//
//     M_i = J_ic P^-1,  J_ij -= M_i J_cj,  J_ic = -M_i    (i, j != c)
//     J_cj = P^-1 J_cj,  J_cc = P^-1
//
// All threads do the same, and a correction is then a product: no thread waits for the unknowns of another.

LANE_FUNCTION lane33 block_of(const lane *J, const int size) {
    lane33 out;
    for (int i = 0; i < 9; i++) out.m[i] = J[i / 3 * size + i % 3];
    return out;
}

LANE_FUNCTION lane33 lane33_inverse(const lane33 *a) {
    const lane *m = a->m;
    const lane3 x = lane3_make(m[0], m[1], m[2]), y = lane3_make(m[3], m[4], m[5]);
    const lane3 z = lane3_make(m[6], m[7], m[8]);
    const lane3 yz = lane3_cross(y, z);
    const lane one = 1.0 / lane3_dot(x, yz);
    const lane3 u = lane3_scale(yz, one), v = lane3_scale(lane3_cross(z, x), one);
    const lane3 w = lane3_scale(lane3_cross(x, y), one);
    lane33 out;
    out.m[0] = u.x, out.m[1] = v.x, out.m[2] = w.x;
    out.m[3] = u.y, out.m[4] = v.y, out.m[5] = w.y;
    out.m[6] = u.z, out.m[7] = v.z, out.m[8] = w.z;
    return out;
}

// a -= b c
LANE_FUNCTION void take_product(lane33 *a, const lane33 *b, const lane33 *c) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++) a->m[i] -= b->m[i / 3 * 3 + k] * c->m[3 * k + i % 3];
}

LANE_FUNCTION void factor(const kernel *k, kernel_motion *m, lane *J, const int size) {
    lane33 row[KERNEL_NODES];
    KERNEL_UNROLLED
    for (int j = 0; j < size / 3; j++) row[j] = block_of(J + 3 * j, size);
    KERNEL_UNROLLED
    for (int c = 0; c < size / 3; c++) {
        const int is_pivot = k->node == c;
        TEAM_MEETS(k);
        if (is_pivot) {
            KERNEL_UNROLLED
            for (int j = 0; j < size / 3; j++) m->nodes[j].asked = row[j];
        }
        TEAM_MEETS(k);
        const lane33 pivot = m->nodes[c].asked;
        const lane33 inverse = lane33_inverse(&pivot);
        lane33 M = lane33_product(&row[c], &inverse);
        for (int i = 0; i < 9; i++) M.m[i] = is_pivot ? -inverse.m[i] : M.m[i];
        KERNEL_UNROLLED
        for (int j = 0; j < size / 3; j++) {
            if (j == c) continue;
            for (int i = 0; i < 9; i++) row[j].m[i] = is_pivot ? 0.0 : row[j].m[i];
            take_product(&row[j], &M, &m->nodes[j].asked);
        }
        for (int i = 0; i < 9; i++) row[c].m[i] = -M.m[i];
    }
    KERNEL_UNROLLED
    for (int j = 0; j < size / 3; j++)
        for (int i = 0; i < 9; i++) J[i / 3 * size + i % 3 + 3 * j] = row[j].m[i];
}

// residual = J^-1 residual
LANE_FUNCTION void solve(const kernel *k, kernel_motion *m, const lane *J, const int size) {
    lane3 sum = lane3_zero();
    TEAM_MEETS(k);
    KERNEL_UNROLLED
    for (int j = 0; j < size; j++)
        sum = lane3_madd(sum, m->residual[j], lane3_make(J[j], J[size + j], J[2 * size + j]));
    TEAM_MEETS(k);
    lane *own = m->residual + 3 * k->node;
    own[0] = sum.x, own[1] = sum.y, own[2] = sum.z;
}
