// model/cosserat/lanes/kernel_matrix.h - the matrix of a step, its factors, and the answer to a residual. Part of kernel.h.

// ---------------------------------------------------------------- the matrix
// G += s (a b' - (a.b) 1) = s [b]^[a]^
LANE_FUNCTION void add_product(lane33 *G, lane s, lane3 a, lane3 b) {
    const lane3 sa = lane3_scale(a, s);
    const lane x = sa.x * b.x, y = sa.y * b.y, z = sa.z * b.z;
    G->m[0] -= y + z, G->m[1] += sa.x * b.y, G->m[2] += sa.x * b.z;
    G->m[3] += sa.y * b.x, G->m[4] -= x + z, G->m[5] += sa.y * b.z;
    G->m[6] += sa.z * b.x, G->m[7] += sa.z * b.y, G->m[8] -= x + y;
}

// G += s [v]^
LANE_FUNCTION void add_hat(lane33 *G, lane s, lane3 v) {
    const lane3 w = lane3_scale(v, s);
    G->m[1] -= w.z, G->m[2] += w.y;
    G->m[3] += w.z, G->m[5] -= w.x;
    G->m[6] -= w.y, G->m[7] += w.x;
}

LANE_FUNCTION void add_scaled(lane33 *G, lane s, const lane33 *H) {
    for (int i = 0; i < 9; i++) G->m[i] += s * H->m[i];
}

LANE_FUNCTION lane33 lane33_zero(void) {
    lane33 out;
    for (int i = 0; i < 9; i++) out.m[i] = lane_all(0.0);
    return out;
}

// A column c of the block of rows of node i and columns of node j: - R_i' g, g in the world.
LANE_FUNCTION void put_column(lane *to, int size, const lane33 *R_i, lane3 g) {
    const lane3 column = lane33_tmul(R_i, g);
    to[0] = -column.x, to[size] = -column.y, to[2 * size] = -column.z;
}

LANE_FUNCTION lane3 column_of(const lane33 *R, int c) {
    return lane3_make(R->m[c], R->m[3 + c], R->m[6 + c]);
}

// The whole block: - R_i' G R_j,
LANE_FUNCTION void put_block(lane *to, int size, const lane33 *R_i, const lane33 *G,
                             const lane33 *R_j) {
    const lane33 GR = lane33_product(G, R_j);
    for (int c = 0; c < 3; c++) put_column(to + c, size, R_i, column_of(&GR, c));
}

// - R_i' [v]^ R_j,
LANE_FUNCTION void put_hat(lane *to, int size, const lane33 *R_i, lane3 v, const lane33 *R_j) {
    for (int c = 0; c < 3; c++) put_column(to + c, size, R_i, lane3_cross(v, column_of(R_j, c)));
}

// and - s R_i' R_j.
LANE_FUNCTION void put_turn(lane *to, int size, const lane33 *R_i, lane s, const lane33 *R_j) {
    for (int c = 0; c < 3; c++) put_column(to + c, size, R_i, lane3_scale(column_of(R_j, c), s));
}

// c0 (c0 rhoA + drag), drag as the mean of its three axes
LANE_FUNCTION lane inertia_of(const kernel *k, lane3 q, const plan_number *st) {
    const lane3 drag =
        lane3_make(2.0 * st[STATION_DRAG] * lane_abs(q.x) + st[STATION_LINEAR],
                   2.0 * st[STATION_DRAG + 1] * lane_abs(q.y) + st[STATION_LINEAR + 1],
                   2.0 * st[STATION_DRAG + 2] * lane_abs(q.z) + st[STATION_LINEAR + 2]);
    return k->c0 * (k->c0 * st[STATION_MASS] + (1.0 / 3.0) * (drag.x + drag.y + drag.z));
}

// What all columns take of a node.
LANE_FUNCTION void set_inertias(const kernel *k, kernel_motion *m, const int nodes) {
    EACH_NODE(i, nodes) {
        const plan_number *st = station_of(k, i);
        kernel_own *own = &m->own[OWN(i)];
        own->inertia = inertia_of(k, own->q, st);
        own->rotary =
            lane33_turned(&m->nodes[i].R, lane3_scale(number3(st + STATION_J), k->c0 * k->c0));
    }
}

// The columns of the curvature u of one node, with world increments X: th = w X, dp = X x lever, and for the wrench
// beyond, spatial, dS = (Sa X, X x sl). Of the load X x term, of (l + p' x F) asked X, both at the nodes.
typedef struct bend_columns {
    lane33 Sa;
    lane3 sl;
    lane w[OWN(KERNEL_NODES - 1) + 1];  // in the element at hand
    lane3 lever[OWN(KERNEL_NODES - 1) + 1];
    lane3 F[OWN(KERNEL_NODES - 1) + 1];  // dF = X x F
} bend_columns;

// What acts at a far side, which turns with weight b about node j.
LANE_FUNCTION void bend_end(const kernel *k, const kernel_motion *m, int index, lane b, lane3 pivot,
                            lane3 gravity, bend_columns *c) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    const lane one = lane_all(1.0);
    const lane3 L = lane3_scale(lane3_sub(far->p, pivot), b);
    if (CARRIES(e, ends)) {
        const int at = e->given + LOAD_END;
        const lane3 F_body = lane33_mul(&far->R, given3(k, at + 6));
        const lane3 M_body = lane33_mul(&far->R, given3(k, at + 9));
        add_hat(&c->Sa, -b, M_body);
        add_product(&c->Sa, one, L, lane3_add(given3(k, at), F_body));
        add_product(&c->Sa, -b, F_body, far->p);
        c->sl = lane3_madd(c->sl, b, F_body);
    }
    if (!CARRIES(e, riders)) return;
    const lane_rigid body = rider_at(k, e, &far->R);
    const lane c2 = k->c0 * k->c0;
    const lane3 v = lane3_scale(lane3_madd(lane3_scale(L, body.mass), b, body.moment), c2);
    add_scaled(&c->Sa, -c2 * b, &body.J);
    add_product(&c->Sa, c2, L, body.moment);
    add_product(&c->Sa, b, body.moment, gravity);
    add_product(&c->Sa, -one, L, far->W);
    add_product(&c->Sa, one, v, far->p);
    c->sl = lane3_sub(c->sl, v);
}

// The element of node j (`within`), or one beyond it, which is carried along.
LANE_FUNCTION void bend_element(const kernel *k, kernel_motion *m, const plan_element *e,
                                int within, int j, lane b, lane3 pivot, bend_columns *c,
                                const int n) {
    const plan_number *A = k->t + e->A, *Q = k->t + e->Q;
    kernel_node *nodes = m->nodes + e->node;
    EACH_NODE(q, n) {
        const lane w = within ? lane_of(A[q * n + j]) : b;
        const lane3 lever = lane3_scale(lane3_sub(nodes[q].p, pivot), w);
        lane3 a = lever;
        if (within) {
            a = lane3_zero();
            for (int i = 0; i < n; i++)
                a = lane3_madd(a, lane_of(A[q * n + i] * A[i * n + j]), nodes[i].slope);
        }
        c->w[OWN(q)] = w, c->lever[OWN(q)] = lever;
        nodes[q].term = lane3_scale(a, m->own[OWN(e->node + q)].inertia);
    }
    TEAM_MEETS(k);
    EACH_NODE(q, n) {
        const kernel_own *own = &m->own[OWN(e->node + q)];
        const lane w = c->w[OWN(q)];
        lane3 F = lane3_zero();
        for (int i = 0; i < n; i++) F = lane3_madd(F, lane_of(Q[q * n + i]), nodes[i].term);
        c->F[OWN(q)] = F;
        lane33 asked = lane33_zero();
        add_scaled(&asked, w, &own->rotary);
        add_product(&asked, w, nodes[q].slope, own->F);
        add_product(&asked, lane_all(-1.0), F, nodes[q].slope);
        nodes[q].asked = asked;
    }
    TEAM_MEETS(k);
}

// dS at the near side of an element that is moved.
LANE_FUNCTION void bend_near(const kernel *k, const kernel_motion *m, const plan_element *e,
                             bend_columns *c, const int n) {
    const plan_number *b = k->t + e->b;
    for (int q = 0; q < n; q++) {
        const kernel_node *at = &m->nodes[e->node + q];
        add_scaled(&c->Sa, -b[q] * c->w[OWN(q)], &m->own[OWN(e->node + q)].rotary);
        add_product(&c->Sa, lane_of(-b[q]), c->lever[OWN(q)], at->f);
        add_product(&c->Sa, lane_of(b[q]), at->term, at->p);
        c->sl = lane3_madd(c->sl, lane_of(-b[q]), at->term);
    }
}

LANE_FUNCTION void bend_rows(const kernel *k, const kernel_motion *m, int index, int moved,
                             const lane33 *R_j, const bend_columns *c, lane *J, const int size,
                             const int d, const int n) {
    const plan_element *e = &k->plan->elements[index];
    const plan_number *Q = k->t + e->Q;
    const lane3 N_far = m->N_far[index];
    const lane one = lane_all(1.0);
    KERNEL_LOOP
    EACH_NODE(i, n) {
        const kernel_node *at = &m->nodes[e->node + i];
        const kernel_own *own = &m->own[OWN(e->node + i)];
        lane *to = J + d * OWN(e->node + i) * size;
        lane33 G = c->Sa;
        lane3 dN = lane3_scale(c->sl, -one);
        add_product(&G, one, c->sl, at->p);
        if (moved) {
            for (int q = 0; q < n; q++)
                add_scaled(&G, lane_of(-Q[i * n + q]), &m->nodes[e->node + q].asked);
            add_product(&G, -one, c->lever[OWN(i)], N_far);
            add_hat(&G, c->w[OWN(i)], own->M);
            dN = lane3_madd(lane3_add(dN, c->F[OWN(i)]), c->w[OWN(i)], own->N);
        }
        put_block(to, size, &at->R, &G, R_j);
        if (d == 3) continue;
        put_hat(to + 3 * size, size, &at->R, dN, R_j);
    }
}

LANE_FUNCTION void fill_bends(const kernel *k, kernel_motion *m, lane3 gravity, int own, int j,
                              lane *J, const int size, const int d) {
    const lane_plan *plan = k->plan;
    const kernel_node *at = &m->nodes[plan->elements[own].node + j];
    const lane b = lane_of(k->t[plan->elements[own].b + j]);
    bend_columns c;
    c.Sa = lane33_zero(), c.sl = lane3_zero();
    for (int index = n_elements_of(plan) - 1; index >= 0; index--) {
        const plan_element *e = &plan->elements[index];
        const int n = n_nodes_in(e), moved = index >= own;
        if (moved) {
            bend_end(k, m, index, b, at->p, gravity, &c);
            bend_element(k, m, e, index == own, j, b, at->p, &c, n);
        }
        bend_rows(k, m, index, moved, &at->R, &c, J, size, d, n);
        if (moved && index) bend_near(k, m, e, &c, n);
    }
}

// The columns of shear and stretch v: dp = w X, df = f X, dS = (sa x X, s X).
typedef struct stretch_columns {
    lane3 sa;
    lane s;
    lane w[KERNEL_NODES], f[KERNEL_NODES], F[KERNEL_NODES];
    lane3 asked[KERNEL_NODES];  // d(l + p' x F) = asked x X
} stretch_columns;

LANE_FUNCTION void stretch_end(const kernel *k, const kernel_motion *m, int index, lane b,
                               stretch_columns *c) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    if (CARRIES(e, ends)) {
        const int at = e->given + LOAD_END;
        c->sa =
            lane3_madd(c->sa, -b, lane3_add(given3(k, at), lane33_mul(&far->R, given3(k, at + 6))));
    }
    if (!CARRIES(e, riders)) return;
    const lane_rigid body = rider_at(k, e, &far->R);
    const lane c2 = k->c0 * k->c0;
    c->s -= c2 * body.mass * b;
    c->sa = lane3_madd(
        c->sa, -b, lane3_sub(lane3_scale(lane3_madd(body.moment, body.mass, far->p), c2), far->W));
}

LANE_FUNCTION void stretch_element(const kernel *k, const kernel_motion *m, const plan_element *e,
                                   int within, int j, lane b, stretch_columns *c, const int n) {
    const plan_number *A = k->t + e->A, *Q = k->t + e->Q;
    const kernel_node *nodes = m->nodes + e->node;
    for (int q = 0; q < n; q++) {
        c->w[q] = within ? lane_of(A[q * n + j]) : b;
        c->f[q] = c->w[q] * m->own[OWN(e->node + q)].inertia;
    }
    for (int q = 0; q < n; q++) {
        lane F = lane_all(0.0);
        for (int i = 0; i < n; i++) F += Q[q * n + i] * c->f[i];
        c->F[q] = F;
        c->asked[q] = lane3_scale(nodes[q].slope, F);
    }
    if (within) c->asked[j] = lane3_sub(c->asked[j], m->own[OWN(e->node + j)].F);
}

LANE_FUNCTION void stretch_rows(const kernel *k, const kernel_motion *m, int index, int moved,
                                const lane33 *R_j, const stretch_columns *c, lane *J,
                                const int size, const int n) {
    const plan_element *e = &k->plan->elements[index];
    const plan_number *Q = k->t + e->Q;
    const lane3 N_far = m->N_far[index];
    KERNEL_LOOP
    for (int i = 0; i < n; i++) {
        const kernel_node *at = &m->nodes[e->node + i];
        lane *to = J + 6 * (e->node + i) * size;
        lane3 dM = lane3_madd(c->sa, -c->s, at->p);
        lane dN = c->s;
        if (moved) {
            for (int q = 0; q < n; q++) dM = lane3_madd(dM, lane_of(-Q[i * n + q]), c->asked[q]);
            dM = lane3_madd(dM, c->w[i], N_far);
            dN -= c->F[i];
        }
        put_hat(to, size, &at->R, dM, R_j);
        put_turn(to + 3 * size, size, &at->R, dN, R_j);
    }
}

LANE_FUNCTION void fill_stretches(const kernel *k, const kernel_motion *m, int own, int j, lane *J,
                                  const int size) {
    const lane_plan *plan = k->plan;
    const kernel_node *at = &m->nodes[plan->elements[own].node + j];
    const lane b = lane_of(k->t[plan->elements[own].b + j]);
    stretch_columns c;
    c.sa = lane3_zero(), c.s = lane_all(0.0);
    for (int index = n_elements_of(plan) - 1; index >= 0; index--) {
        const plan_element *e = &plan->elements[index];
        const int n = n_nodes_in(e), moved = index >= own;
        if (moved) {
            stretch_end(k, m, index, b, &c);
            stretch_element(k, m, e, index == own, j, b, &c, n);
        }
        stretch_rows(k, m, index, moved, &at->R, &c, J, size, n);
        for (int q = 0; q < n && moved && index; q++) {
            const kernel_node *node = &m->nodes[e->node + q];
            const plan_number weight = k->t[e->b + q];
            c.sa = lane3_madd(c.sa, weight * c.w[q], node->f);
            c.sa = lane3_madd(c.sa, -weight * c.f[q], node->p);
            c.s -= weight * c.f[q];
        }
    }
}

LANE_FUNCTION void fill_matrix(const kernel *k, kernel_motion *m, lane3 gravity, lane *J,
                               const int size, const int d) {
    set_inertias(k, m, n_nodes_of(k->plan));
    TEAM_MEETS(k);
    for (int own = 0; own < n_elements_of(k->plan); own++) {
        const plan_element *e = &k->plan->elements[own];
        KERNEL_LOOP
        for (int j = 0; j < n_nodes_in(e); j++) {
            const int first = d * (e->node + j);
            fill_bends(k, m, gravity, own, j, J + first, size, d);
            if (d == 6) fill_stretches(k, m, own, j, J + first + 3, size);
        }
    }
    EACH_NODE(node, n_nodes_of(k->plan)) {
        const plan_number *st = station_of(k, node);
        lane *to = J + d * OWN(node) * size + d * node;
        for (int i = 0; i < d; i++)
            to[i * (size + 1)] += st[STATION_K + i] + k->c0 * st[STATION_B + i];
        add_curvatures(k, m, node, to, size, d);
    }
#ifndef KERNEL_TEAM
    if (n_border_of(k->plan)) fill_border(k, m, J, d * n_nodes_of(k->plan), size, d);
#endif
}

#ifdef KERNEL_TEAM
#include "model/cosserat/lanes/kernel_team.h"
#else
// Rows are taken by threes, of which every size is a multiple: what is read serves three of them, whose sums do not
// wait for one another.

// Takes what three rows from c on say out of the three from i on: J_i -= sum_k f_k J_k.
LANE_FUNCTION void eliminate(lane *J, int i, int c, const int size) {
    const lane *one = J + c * size, *two = one + size, *three = two + size;
    lane f[3][3];
    for (int r = 0; r < 3; r++) {
        lane *row = J + (i + r) * size;
        row[c] = f[r][0] = row[c] * one[c];
        row[c + 1] = f[r][1] = (row[c + 1] - f[r][0] * one[c + 1]) * two[c + 1];
        row[c + 2] = f[r][2] =
            (row[c + 2] - f[r][0] * one[c + 2] - f[r][1] * two[c + 2]) * three[c + 2];
    }
    for (int j = c + 3; j < size; j++) {
        const lane x = one[j], y = two[j], z = three[j];
        for (int r = 0; r < 3; r++) {
            lane *to = J + (i + r) * size + j;
            *to = *to - f[r][0] * x - f[r][1] * y - f[r][2] * z;
        }
    }
}

// The three rows from c on among themselves; the diagonal becomes its reciprocals.
LANE_FUNCTION void factor_three(lane *J, int c, const int size) {
    lane *one = J + c * size, *two = one + size, *three = two + size;
    one[c] = 1.0 / one[c];
    const lane f = two[c] = two[c] * one[c];
    for (int j = c + 1; j < size; j++) two[j] -= f * one[j];
    two[c + 1] = 1.0 / two[c + 1];
    const lane g = three[c] = three[c] * one[c];
    const lane h = three[c + 1] = (three[c + 1] - g * one[c + 1]) * two[c + 1];
    for (int j = c + 2; j < size; j++) three[j] = three[j] - g * one[j] - h * two[j];
    three[c + 2] = 1.0 / three[c + 2];
}

// L U in place, without pivoting.
LANE_FUNCTION void factor(const kernel *k, kernel_motion *m, lane *J, const int size) {
    (void)k, (void)m;
    KERNEL_LOOP
    for (int c = 0; c < size; c += 3) {
        factor_three(J, c, size);
        KERNEL_LOOP
        for (int i = c + 3; i < size; i += 3) eliminate(J, i, c, size);
    }
}

// residual = (L U)^-1 residual
LANE_FUNCTION void solve(const kernel *k, kernel_motion *m, const lane *J, const int size) {
    lane *x = m->residual;
    (void)k;
    for (int i = 0; i < size; i += 3) {
        const lane *one = J + i * size, *two = one + size, *three = two + size;
        lane a = x[i], b = x[i + 1], c = x[i + 2];
        for (int j = 0; j < i; j++) a -= one[j] * x[j], b -= two[j] * x[j], c -= three[j] * x[j];
        b -= two[i] * a;
        c = c - three[i] * a - three[i + 1] * b;
        x[i] = a, x[i + 1] = b, x[i + 2] = c;
    }
    for (int i = size - 3; i >= 0; i -= 3) {
        const lane *one = J + i * size, *two = one + size, *three = two + size;
        lane a = x[i], b = x[i + 1], c = x[i + 2];
        for (int j = size - 1; j >= i + 3; j--)  // what was found last comes last
            a -= one[j] * x[j], b -= two[j] * x[j], c -= three[j] * x[j];
        x[i + 2] = c = c * three[i + 2];
        x[i + 1] = b = (b - two[i + 2] * c) * two[i + 1];
        x[i] = (a - one[i + 1] * b - one[i + 2] * c) * one[i];
    }
}
#endif
