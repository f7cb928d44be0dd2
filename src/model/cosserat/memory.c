// model/cosserat/memory.c - laying out a trajectory, and taking over a shape.
#include <math.h>
#include <string.h>

#include "model/cosserat/scheme.h"

// ---------------------------------------------------------------- layout
static void layout_shape(const rod *r, arena *keep, arena *work, rod_memory *m) {
    const size_t n = (size_t)r->n_nodes, n_bounds = (size_t)r->n_elements + 1;
    const size_t n_ends = r->ridden ? 6 * (size_t)r->n_elements : 0;
    m->nodes = ARENA_TAKE(keep, double, n *Y_SIZE);
    m->bounds = ARENA_TAKE(keep, double, n_bounds *Y_SIZE);
    m->inner = ARENA_TAKE(keep, double, r->n_inner);
    m->then = m->inner;
    m->came = rod_is_fed(r) && r->n_inner ? ARENA_TAKE(work, double, r->n_inner) : NULL;
    m->elapsed = HUGE_VAL;
    m->lengths = ARENA_TAKE(keep, double, 3);
    for (int i = 0; i < 3; i++) {
        m->fields[i] = ARENA_TAKE(keep, double, n *F_SIZE);
        m->ends[i] = ARENA_TAKE(keep, double, n_ends);
    }
    m->rate = ARENA_TAKE(keep, double, n *F_SIZE);
    m->end_rate = ARENA_TAKE(keep, double, n_ends);
    m->history = ARENA_TAKE(work, double, n *F_SIZE);
    m->end_history = ARENA_TAKE(work, double, n_ends);
    m->trial = ARENA_TAKE(work, double, n *Y_SIZE);
    m->trial_bounds = ARENA_TAKE(work, double, n_bounds *Y_SIZE);
    m->strains = ARENA_TAKE(work, double, n * 6);
    m->loads = ARENA_TAKE(work, element_loads, r->n_elements);
    m->around = r->around ? ARENA_TAKE(work, surroundings, 1) : NULL;
}

static void layout_actuators(const rod *r, arena *keep, arena *work, rod_memory *m) {
    for (int i = 0; i < 3; i++) m->efforts[i] = ARENA_TAKE(keep, double, r->n_efforts);
    m->tensions = ARENA_TAKE(keep, double, r->n_points);
    m->grips = ARENA_TAKE(keep, double, r->n_points);
    for (int i = 0; i < 3; i++) m->passed[i] = ARENA_TAKE(keep, double, r->n_points);
    m->passed_rate = ARENA_TAKE(keep, double, r->n_points);
    m->passed_history = ARENA_TAKE(work, double, r->n_points);
    m->given_now = ARENA_TAKE(keep, double, r->n_actuators);
    m->given = ARENA_TAKE(work, double, r->n_actuators);
    m->trial_efforts = ARENA_TAKE(work, double, r->n_efforts);
    m->trial_tensions = ARENA_TAKE(work, double, r->n_points);
    m->trial_grips = ARENA_TAKE(work, double, r->n_points);
    m->trial_passed = ARENA_TAKE(work, double, r->n_points);
}

static void layout_contact(const rod *r, arena *keep, arena *work, rod_memory *m) {
    const size_t n = (size_t)r->n_obstacles, touching = (size_t)r->n_nodes + 1;  // and the tip
    const size_t slips = CONTACT_KEPT * n * touching;
    m->obstacles = ARENA_TAKE(work, se3, n);
    m->frames = ARENA_TAKE(keep, se3, n);  // doubles only
    m->slips = ARENA_TAKE(keep, double, slips);
    m->trial_slips = ARENA_TAKE(work, double, slips);
    m->last = ARENA_TAKE(work, double, n *touching);
    m->pace = ARENA_TAKE(work, double, 1);
    m->sticks = ARENA_TAKE(keep, double, 1);
    m->held = ARENA_TAKE(work, double, n *touching);
    m->pieces = ARENA_TAKE(work, int, n *touching);
    m->touching_in = ARENA_TAKE(work, double, r->n_obstacles ? r->n_elements : 0);
}

void rod_layout(const cosserat *c, const rod *r, arena *keep, arena *work, rod_memory *out) {
    rod_memory m = {.r = r};
    layout_shape(r, keep, work, &m);
    layout_actuators(r, keep, work, &m);
    layout_contact(r, keep, work, &m);
    if (r->follows) stretch_layout(r, keep, work, &m);
    if (rod_is_fed(r) || r->follows) {
        m.view = ARENA_TAKE(work, rod, 1);
        m.view_elements = ARENA_TAKE(work, element, r->n_elements);
        m.view_weights = ARENA_TAKE(work, double, r->n_nodes);
        m.view_row = ARENA_TAKE(work, double, r->n_nodes);
    }
    m.carried = ARENA_TAKE(work, double, rod_is_fed(r) ? r->n_nodes *F_SIZE : 0);
    const int places = r->meets ? r->n_nodes + r->n_elements + 1 : 0;
    m.pushes = ARENA_TAKE(work, vec6, places);
    m.levers = ARENA_TAKE(work, mat3, r->meets ? r->n_elements + 1 : 0);
    m.pushed = ARENA_TAKE(keep, vec6, places);  // doubles only
    for (int i = 0; i < 4; i++) m.unknowns[i] = ARENA_TAKE(work, double, c->scheme->n_unknowns(r));
    m.own = c->scheme->layout(r, keep, work);
    if (out) *out = m;
}

// ---------------------------------------------------------------- a rod as it is now
const rod *rod_of_length(const rod *compiled, const rod_memory *m, double length) {
    if (!m->view) return compiled;
    *m->view = *compiled;
    m->view->length = length;
    m->view->elements = m->view_elements;
    for (int k = 0; k < compiled->n_elements; k++) {
        element *e = &m->view_elements[k];
        *e = compiled->elements[k];
        const double ratio = element_ratio(compiled, e, length);
        e->s0 = element_place(compiled, e, 0.0, length);
        e->length *= ratio;
        e->quadrature = m->view_weights + e->node;
        for (int i = 0; i < e->n_nodes; i++)
            e->quadrature[i] = ratio * compiled->elements[k].quadrature[i];
    }
    if (compiled->follows) stretch_view(compiled, m);
    return m->view;
}

void rod_prepare_obstacles(const rod *compiled, rod_memory *m, const double *inputs) {
    for (int i = 0; i < compiled->n_obstacles; i++)
        m->obstacles[i] = obstacle_frame(&compiled->obstacles[i], inputs);
}

void rod_prepare(const rod *compiled, rod_memory *m, const double *inputs, double scale) {
    m->r = rod_of_length(compiled, m, rod_length_at(compiled, inputs));
    rod_loads_at(m->r, inputs, scale, m->loads);
    if (compiled->around) *m->around = surroundings_at(compiled->around, inputs, scale, NULL);
    rod_given_at(m->r, inputs, scale, m->given);
    m->given_share = scale;
    rod_prepare_obstacles(compiled, m, inputs);
}

#define MOST_STRAIN 9.0  // v may leave its rest value by this much: ten times the length

td_status memory_check(const rod *r, const rod_memory *m, char *message) {
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double *x = m->strains + (size_t)(e->node + i) * 6;
            vec3 v = vec3_add(e->stations[i].v_rest, vec3_load(x + 3));
            if (vec3_norm(vec3_load(x + 3)) <= MOST_STRAIN && v.z > 0.0) continue;
            return tell(
                message, TD_ERR_VALUE,
                "rod '%s': its stretch would be %.3g (shear %.3g, %.3g) between s = %.4g and "
                "%.4g m: the loads are far outside what a linear section law describes",
                r->name, v.z, v.x, v.y, e->s0, e->s0 + e->length);
        }
    }
    return TD_OK;
}

static void copy(double *to, const double *from, size_t n) {
    if (n) memcpy(to, from, sizeof(double) * n);
}

void memory_rest_tendons(const rod *r, rod_memory *m) {
    for (int i = 1; i < 3; i++) copy(m->passed[i], m->passed[0], (size_t)r->n_points);
    for (int i = 0; i < r->n_points; i++) m->passed_rate[i] = 0.0;
}

static void keep_inner(const rod *r, rod_memory *m) {
    for (int k = 0; k < r->n_elements && r->n_inner; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes && e->laws; i++) {
            const law_past past = element_past(e, i, m->then, m->elapsed);
            law_keep(&e->laws[i], &past, m->strains + (size_t)(e->node + i) * 6,
                     m->inner + (past.z - m->then));
        }
    }
}

void memory_accept(const rod *r, rod_memory *m) {
    keep_inner(r, m);
    copy(m->nodes, m->trial, Y_SIZE * (size_t)r->n_nodes);
    copy(m->bounds, m->trial_bounds, Y_SIZE * (size_t)(r->n_elements + 1));
    for (int i = 0; i < r->n_nodes; i++) {
        double *to = m->fields[0] + (size_t)i * F_SIZE;
        const double *y = m->nodes + (size_t)i * Y_SIZE;
        copy(to + F_U, m->strains + (size_t)i * 6, 6);
        copy(to + F_W, y + Y_W, 3);
        copy(to + F_Q, y + Y_Q, 3);
    }
    for (int k = 0; k < r->n_elements && r->ridden; k++) {
        copy(m->ends[0] + 6 * k, m->bounds + (k + 1) * Y_SIZE + Y_W, 3);
        copy(m->ends[0] + 6 * k + 3, m->bounds + (k + 1) * Y_SIZE + Y_Q, 3);
    }
    m->lengths[0] = r->length;
    copy(m->efforts[0], m->trial_efforts, (size_t)r->n_efforts);
    copy(m->tensions, m->trial_tensions, (size_t)r->n_points);
    copy(m->grips, m->trial_grips, (size_t)r->n_points);
    copy(m->passed[0], m->trial_passed, (size_t)r->n_points);
    copy(m->given_now, m->given, (size_t)r->n_actuators);
    for (int i = 0; i < r->n_obstacles; i++) m->frames[i] = m->obstacles[i];
    copy(m->slips, m->trial_slips,
         CONTACT_KEPT * (size_t)r->n_obstacles * ((size_t)r->n_nodes + 1));
    *m->sticks = 1.0;
}
