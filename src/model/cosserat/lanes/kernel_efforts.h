// model/cosserat/lanes/kernel_efforts.h - efforts that are not given: tendons by displacement, chambers by volume. Part of
// kernel.h.
//
// Their equations stand behind those of the strains, and so do they among the unknowns: elimination without pivoting
// in this order leaves them the Schur complement, whose diagonal is what rod and actuator yield together.

// The density of an actuator's measure at a node of a strain, x less that at rest, and its slope (d). That at rest is
// not counted: beside it, single precision would round off what an effort changes.
LANE_FUNCTION lane density_at(const plan_actuator *a, const plan_number *at, const lane6 *strain,
                              const lane *x, lane *slope, const int d) {
    if (!a->linear) {
        const lane_path path = path_at(strain, at);
        const lane all[6] = {path.w.x, path.w.y, path.w.z, path.t.x, path.t.y, path.t.z};
        for (int c = 0; c < d; c++) slope[c] = all[c];
        return path.l - at[ROUTE_REST];
    }
    lane value = lane_all(0.0);
    for (int c = 0; c < d; c++) slope[c] = lane_of(at[c]), value += at[c] * x[c];
    return value;
}

// int density ds of strains x (d at a node).
LANE_FUNCTION lane measure_of(const kernel *k, const plan_actuator *a, const lane *x, const int d) {
    lane sum = lane_all(0.0), slope[6];
    KERNEL_LOOP
    for (int i = 0; i < a->n; i++) {
        const plan_number *at = k->t + a->at + ROUTE_SIZE * i;
        const lane *own = x + d * (a->first + i);
        const lane6 strain = strain_of(k, a->first + i, own, d);
        sum += at[ROUTE_WEIGHT] * density_at(a, at, &strain, own, slope, d);
    }
    return sum;
}

// What is left of  gap = asked + sign yield effort - measure = 0,  of what may be slack min(slack_scale effort, gap):
// as actuator_balance.
LANE_FUNCTION void set_balances(const kernel *k, kernel_motion *m, const int first, const int d) {
    const lane_plan *plan = k->plan;
    for (int i = 0; i < n_border_of(plan); i++) m->residual[first + i] = lane_all(0.0);
    KERNEL_LOOP
    for (int which = 0; which < plan->n_actuators; which++) {
        const plan_actuator *a = &plan->actuators[which];
        if (a->effort < 0) continue;
        const plan_number *law = k->t + a->law;
        const lane given = given_at(k, GIVEN_EFFORTS + which), effort = m->x[first + a->effort];
        lane asked = law[LAW_REST] + given;
        if (a->from_rest) asked = law[LAW_REST] - given;
        const lane gap = asked - measure_of(k, a, m->x, d) + law[LAW_YIELD] * effort;
        const lane slack = law[LAW_SLACK] * effort;
        lane_mask is_slack = lane_less(slack, gap);
        if (!a->pulls_only) is_slack = lane_less(gap, gap);
        m->residual[first + a->effort] = lane_pick(is_slack, slack, gap);
        m->by_measure[a->effort] = lane_pick(is_slack, lane_all(0.0), lane_all(-1.0));
        m->by_effort[a->effort] =
            lane_pick(is_slack, lane_of(law[LAW_SLACK]), lane_of(law[LAW_YIELD]));
    }
}

// Their rows and columns of the matrix; what only fills up has a 1.
LANE_FUNCTION void fill_border(const kernel *k, const kernel_motion *m, lane *J, const int first,
                               const int size, const int d) {
    const lane_plan *plan = k->plan;
    for (int i = first; i < size; i++) {
        for (int c = 0; c < size; c++) J[i * size + c] = J[c * size + i] = lane_all(0.0);
        J[i * size + i] = lane_all(1.0);
    }
    KERNEL_LOOP
    for (int which = 0; which < plan->n_actuators; which++) {
        const plan_actuator *a = &plan->actuators[which];
        if (a->effort < 0) continue;
        const int own = first + a->effort;
        J[own * size + own] = m->by_effort[a->effort];
        for (int i = 0; i < a->n; i++) {
            const int node = a->first + i;
            const plan_number *at = k->t + a->at + ROUTE_SIZE * i;
            const lane6 strain = strain_of(k, node, m->x + d * node, d);
            lane slope[6];
            density_at(a, at, &strain, m->x + d * node, slope, d);
            for (int c = 0; c < d; c++) {
                J[(d * node + c) * size + own] = a->sign * slope[c];
                J[own * size + d * node + c] =
                    at[ROUTE_WEIGHT] * (m->by_measure[a->effort] * slope[c]);
            }
        }
    }
}

// x -= part of the efforts of a robot that is `left`; how large the whole of it is, at least `largest`.
LANE_FUNCTION lane correct_efforts(const kernel *k, kernel_motion *m, lane_mask left, lane part,
                                   lane largest, const int first) {
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        if (a->effort < 0) continue;
        const lane step = m->residual[first + a->effort];
        largest = larger(lane_abs(step) / k->t[a->law + LAW_SCALE], largest);
        m->x[first + a->effort] -= lane_pick(left, part * step, lane_all(0.0));
    }
    return largest;
}
