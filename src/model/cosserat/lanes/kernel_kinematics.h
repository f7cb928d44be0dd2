// model/cosserat/lanes/kernel_kinematics.h - poses and velocities of nodes from strains and their rates. Part of kernel.h,
// which includes it once for each of its own inclusions.

// ---------------------------------------------------------------- poses
typedef struct lane6 {
    lane3 a, l;
} lane6;

LANE_FUNCTION lane6 lane6_make(lane3 a, lane3 l) {
    lane6 out;
    out.a = a, out.l = l;
    return out;
}

// [x, y]; `still`: the linear part of y is zero
LANE_FUNCTION lane6 lane6_bracket(lane6 x, lane6 y, int still) {
    lane3 l = lane3_cross(x.l, y.a);
    return lane6_make(lane3_cross(x.a, y.a), still ? l : lane3_add(l, lane3_cross(x.a, y.l)));
}

LANE_FUNCTION lane6 lane6_madd(lane6 x, lane s, lane6 y) {
    return lane6_make(lane3_madd(x.a, s, y.a), lane3_madd(x.l, s, y.l));
}

LANE_FUNCTION lane6 lane6_scale(lane6 x, lane s) {
    return lane6_make(lane3_scale(x.a, s), lane3_scale(x.l, s));
}

LANE_FUNCTION lane6 lane6_sub(lane6 x, lane6 y) {
    return lane6_make(lane3_sub(x.a, y.a), lane3_sub(x.l, y.l));
}

// se3_magnus4
LANE_FUNCTION lane6 magnus4(plan_number d, const lane6 g[2]) {
    lane6 mean = lane6_scale(lane6_make(lane3_add(g[0].a, g[1].a), lane3_add(g[0].l, g[1].l)),
                             lane_of(0.5 * d));
    return lane6_madd(mean, lane_of(0.14433756729740644113 * d * d), lane6_bracket(g[0], g[1], 0));
}

// se3_magnus6; `still`: the linear part of the strain is the same at all three points
LANE_FUNCTION lane6 magnus6(plan_number d, const lane6 g[3], int still) {
    const lane r = lane_of(1.2909944487358056284 * d), s = lane_of((10.0 / 3.0) * d);  // sqrt(15)/3
    lane6 y1 = lane6_scale(g[1], lane_of(d)), y2, y3;
    y2.a = lane3_scale(lane3_sub(g[2].a, g[0].a), r);
    y3.a = lane3_scale(lane3_madd(lane3_add(g[0].a, g[2].a), lane_all(-2.0), g[1].a), s);
    y2.l = y3.l = lane3_zero();
    if (!still) {
        y2.l = lane3_scale(lane3_sub(g[2].l, g[0].l), r);
        y3.l = lane3_scale(lane3_madd(lane3_add(g[0].l, g[2].l), lane_all(-2.0), g[1].l), s);
    }
    lane6 b = lane6_bracket(y1, y2, still);
    lane6 inner = lane6_sub(lane6_make(lane3_add(y3.a, y3.a), lane3_add(y3.l, y3.l)), b);
    lane6 c = lane6_bracket(y1, inner, 0);
    lane6 left = lane6_madd(lane6_madd(b, lane_all(20.0), y1), lane_all(1.0), y3),
          right = lane6_madd(y2, lane_all(1.0 / 60.0), c);
    lane6 psi = lane6_madd(y1, lane_all(1.0 / 12.0), y3);
    return lane6_madd(psi, lane_all(1.0 / 240.0), lane6_bracket(left, right, 0));
}

// exp of a twist, by series in the squared angle: c_k = 1/k! - t^2/(k+2)! + ...
LANE_FUNCTION void pose_step(kernel *k, lane6 x, lane33 *R, lane3 *p) {
    lane t2 = lane3_dot(x.a, x.a);
    k->turn = lane_pick(lane_less(t2, k->turn), k->turn, t2);  // a NaN stays
    lane c5 = lane_all(1.0 / 51090942171709440000.0), c4 = lane_all(1.0 / 2432902008176640000.0);
    c5 = 1.0 / -121645100408832000.0 + t2 * c5, c4 = 1.0 / -6402373705728000.0 + t2 * c4;
    c5 = 1.0 / 355687428096000.0 + t2 * c5, c4 = 1.0 / 20922789888000.0 + t2 * c4;
    c5 = 1.0 / -1307674368000.0 + t2 * c5, c4 = 1.0 / -87178291200.0 + t2 * c4;
    c5 = 1.0 / 6227020800.0 + t2 * c5, c4 = 1.0 / 479001600.0 + t2 * c4;
    c5 = 1.0 / -39916800.0 + t2 * c5, c4 = 1.0 / -3628800.0 + t2 * c4;
    c5 = 1.0 / 362880.0 + t2 * c5, c4 = 1.0 / 40320.0 + t2 * c4;
    c5 = 1.0 / -5040.0 + t2 * c5, c4 = 1.0 / -720.0 + t2 * c4;
    c5 = 1.0 / 120.0 + t2 * c5, c4 = 1.0 / 24.0 + t2 * c4;
    const lane c3 = 1.0 / 6.0 - t2 * c5, c2 = 0.5 - t2 * c4, c1 = 1.0 - t2 * c3;
    const lane3 u = x.a, cu = lane3_scale(u, c2), w = lane3_scale(u, c1);
    const lane xx = cu.x * u.x, yy = cu.y * u.y, zz = cu.z * u.z;
    const lane xy = cu.x * u.y, xz = cu.x * u.z, yz = cu.y * u.z;
    R->m[0] = 1.0 - (yy + zz), R->m[1] = xy - w.z, R->m[2] = xz + w.y;
    R->m[3] = xy + w.z, R->m[4] = 1.0 - (xx + zz), R->m[5] = yz - w.x;
    R->m[6] = xz - w.y, R->m[7] = yz + w.x, R->m[8] = 1.0 - (xx + yy);
    const lane3 uv = lane3_cross(u, x.l);
    *p = lane3_madd(lane3_madd(x.l, c2, uv), c3, lane3_cross(u, uv));
}

// The strain at a point of an element: at rest, plus the polynomial through the nodes.
LANE_FUNCTION lane6 strain_at(const kernel *k, const plan_element *e, const lane *x,
                              const plan_number *row, const int d, const int n) {
    lane6 g = lane6_make(number3(k->t + e->rest), number3(k->t + e->rest + 3));
    for (int j = 0; j < n; j++) {
        const lane *at = x + d * j;
        g.a.x += row[j] * at[0], g.a.y += row[j] * at[1], g.a.z += row[j] * at[2];
        if (d == 3) continue;
        g.l.x += row[j] * at[3], g.l.y += row[j] * at[4], g.l.z += row[j] * at[5];
    }
    return g;
}

// What a Magnus step turns and moves.
LANE_FUNCTION void magnus_step(kernel *k, const plan_element *e, const lane *x, int step,
                               const int d, const int n, lane33 *turn, lane3 *move) {
    const plan_number *row = k->t + e->rows + k->plan->points * n * step;
    const plan_number length = k->t[e->d + step];
    lane6 g[3], psi;
    g[0] = strain_at(k, e, x, row, d, n);
    g[1] = strain_at(k, e, x, row + n, d, n);
    if (k->plan->points == 2) {
        psi = magnus4(length, g);
    } else {
        g[2] = strain_at(k, e, x, row + 2 * n, d, n);
        psi = magnus6(length, g, d == 3);
    }
    pose_step(k, psi, turn, move);
}

// Does anything need the pose at an element's far side?
LANE_FUNCTION int far_matters(const kernel *k, int index) {
    const plan_element *e = &k->plan->elements[index];
    return KERNEL_TIP || index + 1 < n_elements_of(k->plan) || CARRIES(e, ends) ||
           CARRIES(e, riders) || TOUCHES(k);
}

// (R, p) times (turn, move)
LANE_FUNCTION void go_on(lane33 *R, lane3 *p, const lane33 *turn, lane3 move) {
    *p = lane3_add(*p, lane33_mul(R, move));
    *R = lane33_product(R, turn);
}

#ifdef KERNEL_TEAM
// Each its own step, then products of 2, 4, 8 of them: R, p from the base to each node.
LANE_FUNCTION void place_nodes(kernel *k, kernel_motion *m, const int index, const int d,
                               const int n) {
    const plan_element *e = &k->plan->elements[index];
    kernel_bound *far = &m->bounds[index + 1];
    kernel_node *at = &m->nodes[k->node];
    lane33 R, turn;
    lane3 p, move;
    magnus_step(k, e, m->x, k->node, d, n, &turn, &move);
    R = turn, p = move;
    if (k->node == 0) {
        R = m->bounds[index].R, p = m->bounds[index].p;
        go_on(&R, &p, &turn, move);
    }
    KERNEL_LOOP
    for (int reach = 1; reach < n; reach *= 2) {
        at->R = R, at->p = p;
        TEAM_MEETS(k);
        if (k->node >= reach) {
            const lane33 own_R = R;
            const lane3 own_p = p;
            R = m->nodes[k->node - reach].R, p = m->nodes[k->node - reach].p;
            go_on(&R, &p, &own_R, own_p);
        }
        TEAM_MEETS(k);
    }
    at->R = R, at->p = p;
    if (!far_matters(k, index)) return;
    TEAM_MEETS(k);
    magnus_step(k, e, m->x, n, d, n, &turn, &move);
    R = m->nodes[n - 1].R, p = m->nodes[n - 1].p;
    go_on(&R, &p, &turn, move);
    far->R = R, far->p = p;
}
#else
LANE_FUNCTION void place_nodes(kernel *k, kernel_motion *m, const int index, const int d,
                               const int n) {
    const plan_element *e = &k->plan->elements[index];
    lane33 R = m->bounds[index].R, turn;
    lane3 p = m->bounds[index].p, move;
    for (int step = 0; step < n + far_matters(k, index); step++) {
        magnus_step(k, e, m->x + d * e->node, step, d, n, &turn, &move);
        go_on(&R, &p, &turn, move);
        if (step < n) m->nodes[e->node + step].R = R, m->nodes[e->node + step].p = p;
    }
    m->bounds[index + 1].R = R, m->bounds[index + 1].p = p;
}
#endif

// ---------------------------------------------------------------- velocities
// Velocity of an element's far side: (a, v) += b_i (R u_t, p x R u_t + nu).
LANE_FUNCTION void far_velocity(const kernel *k, kernel_motion *m, const int index, const int d,
                                const int n) {
    const plan_element *e = &k->plan->elements[index];
    const plan_number *b = k->t + e->b;
    lane3 a = m->bounds[index].a, v = m->bounds[index].v;
    for (int i = 0; i < n; i++) {
        const kernel_node *at = &m->nodes[e->node + i];
        lane3 moves = lane3_cross(at->p, at->f);
        if (d == 6) moves = lane3_add(moves, m->own[OWN(e->node + i)].nu);
        a = lane3_madd(a, lane_of(b[i]), at->f);
        v = lane3_madd(v, lane_of(b[i]), moves);
    }
    m->bounds[index + 1].a = a, m->bounds[index + 1].v = v;
}

// p' = R v, f = R u_t, nu = R v_t; then sums from the near side, as in collocation.h.
LANE_FUNCTION void set_velocities(const kernel *k, kernel_motion *m, const int index, const int d,
                                  const int n) {
    const plan_element *e = &k->plan->elements[index];
    const plan_number *A = k->t + e->A;
    const kernel_bound *near = &m->bounds[index];
    const lane3 V_b = lane3_sub(near->v, lane3_cross(near->p, near->a));
    kernel_node *nodes = m->nodes + e->node;
    EACH_NODE(i, n) {
        kernel_node *at = &nodes[i];
        kernel_own *own = &m->own[OWN(e->node + i)];
        const lane *x = m->x + d * (e->node + i), *h = own->h;
        lane3 v = number3(station_of(k, e->node + i) + STATION_V);
        at->f = lane33_mul(
            &at->R, lane3_make(k->c0 * x[0] + h[0], k->c0 * x[1] + h[1], k->c0 * x[2] + h[2]));
        if (d == 6) {
            v = lane3_add(v, lane3_make(x[3], x[4], x[5]));
            own->nu = lane33_mul(
                &at->R, lane3_make(k->c0 * x[3] + h[3], k->c0 * x[4] + h[4], k->c0 * x[5] + h[5]));
        }
        at->slope = lane33_mul(&at->R, v);
    }
    TEAM_MEETS(k);
    if (far_matters(k, index)) far_velocity(k, m, index, d, n);
    EACH_NODE(q, n) {
        kernel_own *own = &m->own[OWN(e->node + q)];
        lane3 O = lane3_zero();
        for (int j = 0; j < n; j++) O = lane3_madd(O, lane_of(A[q * n + j]), nodes[j].f);
        own->Om = lane3_add(near->a, O);
        nodes[q].term = lane3_cross(O, nodes[q].slope);
        if (d == 6) nodes[q].term = lane3_add(nodes[q].term, own->nu);
    }
    TEAM_MEETS(k);
    EACH_NODE(q, n) {
        kernel_own *own = &m->own[OWN(e->node + q)];
        lane3 V = lane3_add(V_b, lane3_cross(near->a, lane3_sub(nodes[q].p, near->p)));
        for (int j = 0; j < n; j++) V = lane3_madd(V, lane_of(A[q * n + j]), nodes[j].term);
        own->V = V;
        own->w = lane33_tmul(&nodes[q].R, own->Om);
        own->q = lane33_tmul(&nodes[q].R, V);
    }
}

LANE_FUNCTION void start_at_base(const kernel *k, kernel_motion *m) {
    kernel_bound *base = &m->bounds[0];
    for (int i = 0; i < 9; i++) base->R.m[i] = given_at(k, GIVEN_R + i);
    base->p = given3(k, GIVEN_P);
    base->a = given3(k, GIVEN_OM);
    base->v = lane3_add(given3(k, GIVEN_V), lane3_cross(base->p, base->a));
}
