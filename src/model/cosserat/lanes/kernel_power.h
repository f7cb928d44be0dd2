// model/cosserat/lanes/kernel_power.h - what is dissipated and done in a motion: as energy.c and work.c, in lanes. Part of
// kernel.h.

// W/m of damping and drag at a node.
LANE_FUNCTION lane node_dissipation(const kernel *k, const kernel_motion *m, int node,
                                    const int d) {
    const plan_number *st = station_of(k, node);
    const kernel_own *own = &m->own[OWN(node)];
    const lane3 q = own->q, speed = lane3_make(lane_abs(q.x), lane_abs(q.y), lane_abs(q.z));
    const lane3 drag =
        lane3_add(lane3_mul(number3(st + STATION_DRAG), speed), number3(st + STATION_LINEAR));
    lane sum = lane3_dot(drag, lane3_mul(q, q));
    for (int i = 0; i < d; i++) {
        const lane rate = k->c0 * m->x[d * node + i] + own->h[i];
        sum += st[STATION_B + i] * rate * rate;
    }
    return sum;
}

// Power of a load, world force and moment, then those of the body, at a section with the pose R.
LANE_FUNCTION lane load_power(const kernel *k, int slot, const lane33 *R, lane3 Om, lane3 V) {
    const lane3 w = lane33_tmul(R, Om), q = lane33_tmul(R, V);
    return lane3_dot(given3(k, slot), V) + lane3_dot(given3(k, slot + 3), Om) +
           lane3_dot(given3(k, slot + 6), q) + lane3_dot(given3(k, slot + 9), w);
}

LANE_FUNCTION lane3 far_speed(const kernel_bound *far) {
    return lane3_sub(far->v, lane3_cross(far->p, far->a));
}

// W of all loads.
LANE_FUNCTION lane loads_power(const kernel *k, const kernel_motion *m) {
    const lane_plan *plan = k->plan;
    lane sum = lane_all(0.0);
    for (int index = 0; index < n_elements_of(plan); index++) {
        const plan_element *e = &plan->elements[index];
        const kernel_bound *far = &m->bounds[index + 1];
        for (int i = 0; e->spread && i < n_nodes_in(e); i++) {
            const kernel_own *own = &m->own[OWN(e->node + i)];
            sum += k->t[e->b + i] *
                   load_power(k, e->given + LOAD_SPREAD, &m->nodes[e->node + i].R, own->Om, own->V);
        }
        if (e->ends) sum += load_power(k, e->given + LOAD_END, &far->R, far->a, far_speed(far));
    }
    return sum;
}

// J of the work of an actuator from the recorded strains to those of now, by the mean of its efforts.
LANE_FUNCTION lane actuator_work(const kernel *k, const kernel_motion *m, int which,
                                 const lane *before, lane_mask jumped, const int d) {
    const lane_plan *plan = k->plan;
    const plan_actuator *a = &plan->actuators[which];
    const lane given = given_at(k, GIVEN_EFFORTS + which);
    const lane given_before = recorded(k, plan->given_past + which);
    lane from = given_before, to = given;
    if (a->effort >= 0) {
        from = recorded(k, plan->y1 + plan->efforts + a->effort);
        to = m->x[d * n_nodes_of(plan) + a->effort];
    }
    const lane stretched = k->t[a->law + LAW_STRETCH] * (to - from);
    if (a->effort < 0) from = lane_pick(jumped, to, from);
    const lane effort = 0.5 * (from + to);
    if (a->effort >= 0 && a->from_rest) return effort * (given - given_before);
    const lane longer = measure_of(k, a, m->x, d) - measure_of(k, a, before, d);
    return -(a->sign * effort) * (longer - stretched);
}

// Of the step that is about to be accepted; S: the wrench at the base.
LANE_FUNCTION void count_step(const kernel *k, const kernel_motion *m, lane6 S, lane_mask jumped,
                              lane *result, const int d) {
    const lane_plan *plan = k->plan;
    const kernel_bound *base = &m->bounds[0];
    lane dissipation = lane_all(0.0), work = lane_all(0.0), before[KERNEL_UNKNOWNS];
    for (int index = 0; index < n_elements_of(plan); index++) {
        const plan_element *e = &plan->elements[index];
        for (int i = 0; i < n_nodes_in(e); i++)
            dissipation += k->t[e->b + i] * node_dissipation(k, m, e->node + i, d);
    }
    for (int i = 0; i < d * n_nodes_of(plan); i++) before[i] = recorded(k, plan->y1 + i);
    for (int which = 0; which < plan->n_actuators; which++)
        work += actuator_work(k, m, which, before, jumped, d);
    result[RESULT_DISSIPATION] = dissipation;
    result[RESULT_LOAD] = loads_power(k, m);
    // - n . V - m . Om, by the spatial wrench and velocity
    result[RESULT_BASE] = -(lane3_dot(S.a, base->a) + lane3_dot(S.l, base->v));
    result[RESULT_WORK] = work;
}

// J of bodies that ride along: kinetic.
LANE_FUNCTION lane riders_kinetic(const kernel *k, const kernel_motion *m) {
    lane sum = lane_all(0.0);
    for (int index = 0; index < n_elements_of(k->plan); index++) {
        const plan_element *e = &k->plan->elements[index];
        const kernel_bound *far = &m->bounds[index + 1];
        if (!e->riders) continue;
        const lane_rigid b = rider_at(k, e, &far->R);
        const lane3 Om = far->a, V = far_speed(far);
        sum += 0.5 * (b.mass * lane3_dot(V, V) + lane3_dot(Om, lane33_mul(&b.J, Om))) +
               lane3_dot(V, lane3_cross(Om, b.moment));
    }
    return sum;
}

// J of weight.
LANE_FUNCTION lane weight_energy(const kernel *k, const kernel_motion *m) {
    const lane3 gravity = given3(k, GIVEN_GRAVITY);
    lane sum = lane_all(0.0);
    for (int index = 0; index < n_elements_of(k->plan); index++) {
        const plan_element *e = &k->plan->elements[index];
        const kernel_bound *far = &m->bounds[index + 1];
        for (int i = 0; i < n_nodes_in(e); i++)
            sum -= k->t[e->b + i] * station_of(k, e->node + i)[STATION_MASS] *
                   lane3_dot(gravity, m->nodes[e->node + i].p);
        if (!e->riders) continue;
        const lane_rigid b = rider_at(k, e, &far->R);
        sum -= lane3_dot(gravity, lane3_madd(b.moment, b.mass, far->p));
    }
    return sum;
}

// J of weight, and of bodies that ride along all.
LANE_FUNCTION lane energy_of_inputs(const kernel *k, const kernel_motion *m) {
    return weight_energy(k, m) + riders_kinetic(k, m);
}
