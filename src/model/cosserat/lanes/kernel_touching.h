// model/cosserat/lanes/kernel_touching.h - contact with obstacles in a step: forces at nodes and at the tip, their part of the
// matrix, and the iteration that finds out what touches. Part of kernel.h.

struct kernel_touch {
    const lane_obstacles *obstacles;
    lane places[PLAN_POINTS][3];
    lane force[PLAN_POINTS][3];  // on the rod, N/m at nodes, N at the tip
    lane slope[PLAN_POINTS][9];  // of it by shifts
    lane set, of_matrix;         // which points touch now, and in the matrix, as numbers
    lane size, size_before;      // of the last corrections
    lane cycles, part;           // how often, and what of the next one is taken: see begin_anew
    lane age;                    // of the matrix, in corrections
    lane deepest[PLAN_POINTS * PLAN_OBSTACLES];
    lane energy;  // J, of the pressure
    bool any[PLAN_POINTS];
};

LANE_FUNCTION void begin_touching(kernel_touch *t, const lane_obstacles *obstacles) {
    t->obstacles = obstacles;
    t->set = t->of_matrix = t->cycles = lane_all(0.0);
    t->size = t->size_before = lane_all(1e300);
    t->part = t->age = lane_all(1.0);
}

LANE_FUNCTION unsigned bits_of(lane_mask m) {
#if LANE_WIDTH == 1
    return m != 0;
#else
    unsigned bits = 0;
    for (int i = 0; i < LANE_WIDTH; i++) bits |= m[i] ? 1u << i : 0u;
    return bits;
#endif
}

LANE_FUNCTION lane_mask mask_of(unsigned bits) {
#if LANE_WIDTH == 1
    return -(lane_mask)(bits & 1u);
#else
    lane_mask m;
    for (int i = 0; i < LANE_WIDTH; i++) m[i] = -(long long)(bits >> i & 1u);
    return m;
#endif
}

LANE_FUNCTION lane3 force_at(const kernel_touch *t, int point) {
    return lane3_make(t->force[point][0], t->force[point][1], t->force[point][2]);
}

LANE_FUNCTION const kernel_bound *tip_of(const kernel *k, const kernel_motion *m) {
    return &m->bounds[n_elements_of(k->plan)];
}

LANE_FUNCTION void set_places(const kernel *k, const kernel_motion *m) {
    kernel_touch *t = m->touch;
    const int nodes = n_nodes_of(k->plan);
    for (int i = 0; i <= nodes; i++) {
        const lane3 p = i < nodes ? m->nodes[i].p : tip_of(k, m)->p;
        t->places[i][0] = p.x, t->places[i][1] = p.y, t->places[i][2] = p.z;
    }
}

LANE_FUNCTION void find_contacts(const kernel *k, const kernel_motion *m, lane_mask on,
                                 bool holding) {
    kernel_touch *t = m->touch;
    set_places(k, m);
    obstacles_press(t->obstacles, bits_of(on), holding, (double *)t->places, (double *)t->force,
                    (double *)t->slope, (double *)&t->set, t->any);
}

// f -= force, of the nodes of an element.
LANE_FUNCTION void take_contacts(kernel_motion *m, const plan_element *e, const int n) {
    for (int i = e->node; i < e->node + n; i++)
        m->nodes[i].f = lane3_sub(m->nodes[i].f, force_at(m->touch, i));
}

// S beyond the tip: the spatial wrench of what it touches.
LANE_FUNCTION lane6 tip_contact(const kernel *k, const kernel_motion *m) {
    const lane3 F = force_at(m->touch, n_nodes_of(k->plan));
    return lane6_make(lane3_cross(tip_of(k, m)->p, F), F);
}

// ---------------------------------------------------------------- the matrix
// A point q that touches answers to a shift by S dp. With a world increment X of the strains of node j
//
//     dp = X x lever,  lever = w (p_q - p_j)    dp = w X of stretches
//     dM_i = arm x S dp                         dN_i = b S dp
//
// w and b are weights of the sums over nodes, arms and levers those of the element at hand or of a rigid one; of the tip
// dp x F is added, which other loads have in the matrix already.
typedef struct kernel_reach {
    lane3 arm, lever;
    lane w, b;
} kernel_reach;

LANE_FUNCTION int element_of(const lane_plan *plan, int node) {
    int index = 0;
    while (index < n_elements_of(plan) &&
           node >= plan->elements[index].node + n_nodes_in(&plan->elements[index]))
        index++;
    return index;
}

// How a node and the point reach each other.
LANE_FUNCTION kernel_reach reach_of(const kernel *k, const kernel_motion *m, int point, int node) {
    const lane_plan *plan = k->plan;
    const int of_point = element_of(plan, point), of_node = element_of(plan, node);
    const plan_element *e = &plan->elements[of_node];
    const int tip = point == n_nodes_of(plan);
    const lane3 apart = lane3_sub(tip ? tip_of(k, m)->p : m->nodes[point].p, m->nodes[node].p);
    const lane zero = lane_all(0.0);
    kernel_reach r = {lane3_zero(), lane3_zero(), zero, zero};
    if (of_node > of_point) return r;
    const int n = n_nodes_in(e), j = node - e->node, q = point - e->node;
    r.w = lane_of(k->t[e->b + j]);
    if (of_node < of_point) {
        const plan_element *there = &plan->elements[tip ? 0 : of_point];
        r.b = tip ? lane_all(1.0) : lane_of(k->t[there->b + point - there->node]);
        r.arm = lane3_scale(apart, r.b);
    } else {
        const plan_number *A = k->t + e->A, *Q = k->t + e->Q;
        r.w = lane_of(A[q * n + j]);
        r.b = lane_of(Q[j * n + q]);
        for (int i = 0; i < n; i++)
            r.arm = lane3_madd(r.arm, lane_of(Q[j * n + i] * Q[i * n + q]),
                               m->nodes[e->node + i].slope);
    }
    r.lever = lane3_scale(apart, r.w);
    return r;
}

LANE_FUNCTION lane33 hat_of(lane3 v) {
    lane33 out = lane33_zero();
    add_hat(&out, lane_all(1.0), v);
    return out;
}

LANE_FUNCTION void subtract_block(lane *to, int size, const lane33 *G, const lane33 *by,
                                  lane_mask where) {
    const lane33 X = lane33_product(G, by);
    for (int i = 0; i < 9; i++) {
        lane *at = to + i / 3 * size + i % 3;
        *at = lane_pick(where, *at - X.m[i], *at);
    }
}

LANE_LARGE void add_contact(const kernel *k, const kernel_motion *m, int point, lane *J,
                            const int size, const int d) {
    const int nodes = n_nodes_of(k->plan), tip = point == nodes;
    lane33 S, shifts[KERNEL_NODES][2];
    kernel_reach reach[KERNEL_NODES];
    for (int i = 0; i < 9; i++) S.m[i] = m->touch->slope[point][i];
    lane largest = lane_all(0.0);
    for (int i = 0; i < 9; i++) largest = larger(lane_abs(S.m[i]), largest);
    const lane_mask where = lane_less(lane_all(0.0), largest);
    const lane33 pulled = hat_of(lane3_scale(force_at(m->touch, point), lane_all(-1.0)));
    for (int j = 0; j < nodes; j++) {
        const lane33 *R = &m->nodes[j].R;
        reach[j] = reach_of(k, m, point, j);
        const lane33 turn = hat_of(lane3_scale(reach[j].lever, lane_all(-1.0)));
        shifts[j][0] = lane33_product(&turn, R);
        for (int i = 0; i < 9 && d == 6; i++) shifts[j][1].m[i] = reach[j].w * R->m[i];
    }
    for (int i = 0; i < nodes; i++) {
        const lane33 *R = &m->nodes[i].R;
        const lane33 arm = hat_of(reach[i].arm);
        lane33 Rt, by = lane33_product(&arm, &S), M, N;
        if (tip) add_scaled(&by, lane_all(1.0), &pulled);
        for (int c = 0; c < 9; c++) Rt.m[c] = R->m[3 * (c % 3) + c / 3];
        M = lane33_product(&Rt, &by);
        if (d == 6) {
            by = lane33_zero();
            add_scaled(&by, reach[i].b, &S);
            N = lane33_product(&Rt, &by);
        }
        for (int j = 0; j < nodes; j++) {
            lane *to = J + d * i * size + d * j;
            subtract_block(to, size, &M, &shifts[j][0], where);
            if (d == 3) continue;
            subtract_block(to + 3, size, &M, &shifts[j][1], where);
            subtract_block(to + 3 * size, size, &N, &shifts[j][0], where);
            subtract_block(to + 3 * size + 3, size, &N, &shifts[j][1], where);
        }
    }
}

LANE_FUNCTION void add_contacts(const kernel *k, const kernel_motion *m, lane *J, const int size,
                                const int d) {
    for (int point = 0; point <= n_nodes_of(k->plan); point++)
        if (m->touch->any[point]) add_contact(k, m, point, J, size, d);
}
