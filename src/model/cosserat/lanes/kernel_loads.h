// model/cosserat/lanes/kernel_loads.h - what acts on nodes and far sides, the wrenches that hold it, and what is left over.
// Part of kernel.h.

// ---------------------------------------------------------------- loads
// f = R (rhoA (q_t + w x q) + drag) - rhoA g - f_ext and l = R (J w_t + w x J w) - l_ext.
LANE_FUNCTION void set_loads(const kernel *k, kernel_motion *m, const plan_element *e, int node,
                             lane3 gravity) {
    const plan_number *st = station_of(k, node);
    kernel_node *at = &m->nodes[node];
    kernel_own *own = &m->own[OWN(node)];
    const lane mass = lane_of(st[STATION_MASS]);
    const lane3 J = number3(st + STATION_J), q = own->q;
    // body: drag, mass h_q; J w and J h_w
    const lane3 speed = lane3_make(lane_abs(q.x), lane_abs(q.y), lane_abs(q.z));
    const lane3 drag = lane3_mul(
        lane3_add(lane3_mul(number3(st + STATION_DRAG), speed), number3(st + STATION_LINEAR)), q);
    lane3 f = lane3_madd(drag, mass, own->h_q);
    lane3 l = lane3_mul(J, own->h_w);
    const lane3 j = lane33_mul(&at->R, lane3_mul(J, own->w));
    if (CARRIES(e, spread)) {
        f = lane3_sub(f, given3(k, e->given + LOAD_SPREAD + 6));
        l = lane3_sub(l, given3(k, e->given + LOAD_SPREAD + 9));
    }
    lane3 inertia = lane3_madd(lane3_cross(own->Om, own->V), k->c0, own->V);
    f = lane3_madd(lane33_mul(&at->R, f), mass, lane3_sub(inertia, gravity));
    l = lane3_add(lane3_madd(lane33_mul(&at->R, l), k->c0, j), lane3_cross(own->Om, j));
    if (CARRIES(e, spread)) {
        f = lane3_sub(f, given3(k, e->given + LOAD_SPREAD));
        l = lane3_sub(l, given3(k, e->given + LOAD_SPREAD + 3));
    }
    at->f = f, own->l = l;
}

typedef struct lane_rigid {
    lane mass;
    lane3 moment;  // world: mass times centre
    lane33 J;      // world, about the origin of its frame
} lane_rigid;

LANE_FUNCTION lane_rigid rider_at(const kernel *k, const plan_element *e, const lane33 *R) {
    lane_rigid b;
    lane33 J, RJ, Rt;
    b.mass = given_at(k, e->given + LOAD_BODY);
    b.moment = lane33_mul(R, given3(k, e->given + LOAD_BODY + 1));
    for (int i = 0; i < 9; i++) J.m[i] = given_at(k, e->given + LOAD_BODY + 4 + i);
    for (int i = 0; i < 9; i++) Rt.m[i] = R->m[3 * (i % 3) + i / 3];
    RJ = lane33_product(R, &J);
    b.J = lane33_product(&RJ, &Rt);
    return b;
}

// What a body at the far side asks of the rod, about the point where it rides: rate of its momentum less its
// weight, world axes. Its velocity in the body has the rate c0 y + h.
LANE_FUNCTION void rider_asks(const kernel *k, const kernel_motion *m, int index, lane3 gravity,
                              lane3 *moment, lane3 *force) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    const lane_rigid b = rider_at(k, e, &far->R);
    const lane *h = m->end_past + 6 * index;
    const lane3 Om = far->a, V = lane3_sub(far->v, lane3_cross(far->p, far->a));
    const lane3 h_w = lane33_mul(&far->R, lane3_make(h[0], h[1], h[2]));
    const lane3 h_q = lane33_mul(&far->R, lane3_make(h[3], h[4], h[5]));
    const lane3 w_t = lane3_madd(h_w, k->c0, Om);
    const lane3 q_t = lane3_sub(lane3_madd(h_q, k->c0, V), gravity);
    const lane3 L = lane3_add(lane33_mul(&b.J, Om), lane3_cross(b.moment, V));
    const lane3 P = lane3_madd(lane3_cross(Om, b.moment), b.mass, V);
    *moment = lane3_add(lane3_add(lane33_mul(&b.J, w_t), lane3_cross(b.moment, q_t)),
                        lane3_add(lane3_cross(Om, L), lane3_cross(V, P)));
    *force = lane3_add(lane3_madd(lane3_cross(w_t, b.moment), b.mass, q_t), lane3_cross(Om, P));
}

// S at the far side += what acts there, spatial.
LANE_FUNCTION void add_end(const kernel *k, kernel_motion *m, int index, lane3 gravity, lane6 *S) {
    const plan_element *e = &k->plan->elements[index];
    kernel_bound *far = &m->bounds[index + 1];
    if (CARRIES(e, ends)) {
        const int at = e->given + LOAD_END;
        lane3 F = lane3_add(given3(k, at), lane33_mul(&far->R, given3(k, at + 6)));
        lane3 M = lane3_add(given3(k, at + 3), lane33_mul(&far->R, given3(k, at + 9)));
        S->a = lane3_add(S->a, lane3_add(M, lane3_cross(far->p, F)));
        S->l = lane3_add(S->l, F);
    }
    if (CARRIES(e, riders)) {
        lane3 M, F;
        rider_asks(k, m, index, gravity, &M, &F);
        S->a = lane3_sub(S->a, lane3_add(M, lane3_cross(far->p, F)));
        S->l = lane3_sub(S->l, F);
        far->W = F;
    }
    m->N_far[index] = S->l;
}

// N_i, M_i from the far side's S, and S at the near side: of the first element where that matters.
LANE_FUNCTION void sum_wrenches(const kernel *k, kernel_motion *m, const int index, lane6 *S,
                                int near_matters, const int n) {
    const plan_element *e = &k->plan->elements[index];
    const plan_number *Q = k->t + e->Q, *b = k->t + e->b;
    kernel_node *nodes = m->nodes + e->node;
    TEAM_MEETS(k);
    EACH_NODE(i, n) {
        kernel_own *own = &m->own[OWN(e->node + i)];
        lane3 F = lane3_zero();
        for (int q = 0; q < n; q++) F = lane3_madd(F, lane_of(Q[i * n + q]), nodes[q].f);
        own->F = F;
        own->N = lane3_sub(S->l, F);
        nodes[i].term = lane3_add(own->l, lane3_cross(nodes[i].slope, F));
    }
    TEAM_MEETS(k);
    EACH_NODE(i, n) {
        lane3 within = lane3_zero();
        for (int q = 0; q < n; q++)
            within = lane3_madd(within, lane_of(Q[i * n + q]), nodes[q].term);
        m->own[OWN(e->node + i)].M =
            lane3_sub(lane3_sub(S->a, lane3_cross(nodes[i].p, S->l)), within);
    }
    if (index == 0 && !near_matters) return;
    for (int q = 0; q < n; q++) {
        const lane minus = lane_of(-b[q]);
        S->l = lane3_madd(S->l, minus, nodes[q].f);
        S->a =
            lane3_madd(S->a, minus,
                       lane3_add(m->own[OWN(e->node + q)].l, lane3_cross(nodes[q].p, nodes[q].f)));
    }
}

// K x + B x_t - R' (M, N)
LANE_FUNCTION void set_residual(const kernel *k, kernel_motion *m, int node, const int d) {
    const plan_number *st = station_of(k, node);
    const kernel_node *at = &m->nodes[node];
    const kernel_own *own = &m->own[OWN(node)];
    const lane3 moment = lane33_tmul(&at->R, own->M);
    lane body[6];
    body[0] = moment.x, body[1] = moment.y, body[2] = moment.z;
    if (d == 6) {
        const lane3 force = lane33_tmul(&at->R, own->N);
        body[3] = force.x, body[4] = force.y, body[5] = force.z;
    }
    for (int i = 0; i < d; i++) {
        const lane x = m->x[d * node + i], rate = k->c0 * x + own->h[i];
        m->residual[d * node + i] = st[STATION_K + i] * x + st[STATION_B + i] * rate - body[i];
    }
}

// ---------------------------------------------------------------- actuators
typedef struct lane_path {  // of a tendon at a node
    lane l, inverse;        // its length per arc length, 1/l,
    lane3 t;                // direction,
    lane3 w;                // and r x t
} lane_path;

// g = v + u x r + r_s, as path_density; `at`: r_x, r_y, r_s
LANE_FUNCTION lane_path path_at(const lane6 *strain, const plan_number *at) {
    const lane3 u = strain->a, v = strain->l;
    const lane3 g = lane3_make(v.x - u.z * at[1] + at[2], v.y + u.z * at[0] + at[3],
                               v.z + (u.x * at[1] - u.y * at[0]) + at[4]);
    const lane l2 = lane3_dot(g, g) + 1e-16;
    lane_path path;
    path.l = lane_sqrt(l2);
    path.inverse = lane_rsqrt(l2, path.l);
    path.t = lane3_scale(g, path.inverse);
    path.w = lane3_make(at[1] * path.t.z, -at[0] * path.t.z, at[0] * path.t.y - at[1] * path.t.x);
    return path;
}

// (u, v) at a node, x less that at rest
LANE_FUNCTION lane6 strain_of(const kernel *k, int node, const lane *x, const int d) {
    const plan_number *st = station_of(k, node);
    lane6 g = lane6_make(
        lane3_make(st[STATION_U] + x[0], st[STATION_U + 1] + x[1], st[STATION_U + 2] + x[2]),
        number3(st + STATION_V));
    if (d == 6) g.l = lane3_add(g.l, lane3_make(x[3], x[4], x[5]));
    return g;
}

// Where an actuator's numbers of a node stand; NULL: it does not run there.
LANE_FUNCTION const plan_number *actuator_at(const kernel *k, const plan_actuator *a, int node) {
    const int i = node - a->first;
    return i >= 0 && i < a->n ? k->t + a->at + ROUTE_SIZE * i : NULL;
}

// Given, or an unknown behind the strains.
LANE_FUNCTION lane effort_of(const kernel *k, const kernel_motion *m, int which, const int d) {
    const plan_actuator *a = &k->plan->actuators[which];
    if (n_border_of(k->plan) && a->effort >= 0) return m->x[d * n_nodes_of(k->plan) + a->effort];
    return given_at(k, GIVEN_EFFORTS + which);
}

// The section law of a node += sign effort d(density)/d(u, v), of each actuator.
LANE_FUNCTION void add_actuators(const kernel *k, kernel_motion *m, int node, const int d) {
    const lane6 strain = strain_of(k, node, m->x + d * node, d);
    lane r[6];
    for (int i = 0; i < d; i++) r[i] = m->residual[d * node + i];
    KERNEL_LOOP
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        const plan_number *at = actuator_at(k, a, node);
        if (!at) continue;
        const lane effort = a->sign * effort_of(k, m, which, d);
        if (a->linear) {
            for (int c = 0; c < d; c++) r[c] += effort * at[c];
            continue;
        }
        const lane_path path = path_at(&strain, at);
        r[0] += effort * path.w.x, r[1] += effort * path.w.y, r[2] += effort * path.w.z;
        if (d == 3) continue;
        r[3] += effort * path.t.x, r[4] += effort * path.t.y, r[5] += effort * path.t.z;
    }
    for (int i = 0; i < d; i++) m->residual[d * node + i] = r[i];
}

// Its slope J += effort d^2(density)/d(u, v)^2 = effort (G'G - w w')/l with w = (r x t, t), G = [-r^, I]: see
// density_add_curvature.
LANE_FUNCTION void add_curvatures(const kernel *k, const kernel_motion *m, int node, lane *J,
                                  int size, const int d) {
    const lane6 strain = strain_of(k, node, m->x + d * node, d);
    lane sum[36];
    for (int i = 0; i < d * d; i++) sum[i] = J[i / d * size + i % d];
    KERNEL_LOOP
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        const plan_number *at = actuator_at(k, a, node);
        if (!at || a->linear) continue;
        const lane effort = a->sign * effort_of(k, m, which, d);
        const lane_path path = path_at(&strain, at);
        const plan_number x = at[0], y = at[1];
        const plan_number o = number_of(0.0), one = number_of(1.0);
        const plan_number G[6][6] = {{y * y, -x * y, o, o, o, y},
                                     {-x * y, x * x, o, o, o, -x},
                                     {o, o, x * x + y * y, -y, x, o},
                                     {o, o, -y, one, o, o},
                                     {o, o, x, o, one, o},
                                     {y, -x, o, o, o, one}};
        const lane w[6] = {path.w.x, path.w.y, path.w.z, path.t.x, path.t.y, path.t.z};
        const lane c = lane_over(effort, path.l, path.inverse);
        for (int i = 0; i < d * d; i++) sum[i] += c * (G[i / d][i % d] - w[i / d] * w[i % d]);
    }
    for (int i = 0; i < d * d; i++) J[i / d * size + i % d] = sum[i];
}
