// model/virtual_power/forces.c - all that acts on a chain, as generalised forces.
#include <stdio.h>
#include <string.h>

#include "model/virtual_power/virtual_power.h"
#include "math/pi.h"

situation situation_of(const virtual_power *c, const arm *a, const double *inputs, slip_law law) {
    vec3 g = environment_gravity(&c->around, inputs, 1.0);
    return (situation){.inputs = inputs,
                       .gravity = mat3_tmul_vec(&a->base.R, g),
                       .loads = 1.0,
                       .tension = 1.0,
                       .friction = 1.0,
                       .law = law,
                       .around = environment_is_uniform(&c->around) ? NULL : &c->around};
}

// In the frame of the base.
static vec6 wrench_of(const arm *a, const arm_memory *m, const disc_load *load,
                      const double *inputs) {
    const disc_motion *d = &m->discs[load->disc];
    const point_now at = {&d->R, d->p, d->velocity};
    return load_at(&load->of, inputs, 1.0, &a->base, &at, NULL);
}

static void add_loads(const arm *a, const arm_memory *m, const situation *s) {
    for (int i = 0; i < a->n_loads; i++) {
        const disc_load *load = &a->loads[i];
        vec6 *at = &m->wrenches[load->disc];
        *at = vec6_madd(*at, s->loads, wrench_of(a, m, load, s->inputs));
    }
}

double load_power(const arm *a, const arm_memory *m, const situation *s) {
    double sum = 0.0;
    for (int i = 0; i < a->n_loads; i++) {
        const disc_motion *d = &m->discs[a->loads[i].disc];
        vec6 w = wrench_of(a, m, &a->loads[i], s->inputs);
        sum += vec3_dot(w.a, d->turn) + vec3_dot(w.l, d->velocity);
    }
    return sum;
}

// ---------------------------------------------------------------- surroundings
// Drag, magnets and a fluid; weight comes by itself.
static void add_surroundings(const arm *a, arm_memory *m, const situation *s) {
    const surroundings around = surroundings_at(s->around, s->inputs, s->loads, &a->base);
    for (int i = 0; i < a->chain.n; i++) {
        const disc_motion *d = &m->discs[i];
        point_answer out = {.lost = 0.0};
        environment_add(vec3_zero(), &around, &a->chain.segments[i].around,
                        &(point_now){&d->R, d->p, d->velocity}, &out, NULL);
        m->wrenches[i] = vec6_add(m->wrenches[i], out.wrench);
        m->rubbed += out.lost;
        m->pushed += out.given;
    }
}

// ---------------------------------------------------------------- obstacles
touch_now disc_touch(const arm *a, const arm_memory *m, int i, bool moves) {
    const disc_motion *d = &m->discs[i];
    return touch_on(&a->base, &d->R, d->p, d->turn, d->velocity, moves);
}

static void add_touches(const arm *a, arm_memory *m, bool alone, bool moves) {
    for (int i = 0; i < a->touch.n_points && !alone; i++) {
        const touch_now now = disc_touch(a, m, i, moves);
        const touch_answer out = touch_in(&a->touch, &m->touch, i, &a->base.R, &now, NULL);
        m->wrenches[i] = vec6_add(m->wrenches[i], out.wrench);
        m->rubbed += out.lost;
        m->pushed += out.given;
    }
}

// ---------------------------------------------------------------- drives
// A given tension; or from how much shorter the path is than what was pulled out left of it.
effort_state drive_tension(const arm *a, const drive *d, const situation *s, const double *q) {
    const double given = actuator_given(d->a, s->inputs, s->tension);
    if (d->a->control == CONTROL_EFFORT) return (effort_state){given, 0.0, 1.0};
    double by_q[N_LOCAL], length = d->straight;
    for (int i = 0; i < d->end; i++) length -= path_gain(&a->chain, d, i, q, by_q);
    return effort_now(d->a, actuator_supply(d->a, given, s->tension, s->engines), 0.0, length);
}

static void add_ideal(const arm *a, const drive *d, double tension, const double *q, double *Q) {
    const chain *c = &a->chain;
    for (int i = 0; i < d->end && tension != 0.0; i++) {
        double by_q[N_LOCAL];
        path_gain(c, d, i, q, by_q);
        for (int k = 0; k < c->per; k++) Q[i * c->per + k] += tension * by_q[k];
    }
}

static double friction_loss(const drive *d, const disc_contact *k) {
    double sum = 0.0;
    for (int i = 0; i + 1 < d->end && k->mu > 0.0; i++)
        sum += k->mu * contact_size(d, k, i) * k->slip[i] * k->rates[i];
    return sum;
}

static void keep_along(const drive *d, const disc_contact *k, double tension, bool ideal, int n,
                       double *out) {
    for (int i = 0; i <= n; i++) {
        out[i] = tension;
        if (!ideal && k->mu > 0.0 && i + 1 < d->end)
            tension -= k->mu * contact_size(d, k, i) * k->slip[i];
    }
}

// Wrenches of all drives on the discs, or forces; tensions (n_drives x n + 1) may be NULL.
static void add_drives(const arm *a, arm_memory *m, const situation *s, const double *q,
                       const double *rates, double *tensions) {
    const chain *c = &a->chain;
    const bool ideal = c->options.contact == TD_CONTACT_IDEAL;
    m->lost = m->stored = 0.0;
    m->slack = 0;
    for (int j = 0; j < c->n_drives; j++) {
        const drive *d = &c->drives[j];
        double tension = drive_tension(a, d, s, q).effort;
        m->slack += tension <= 0.0 && !d->pushes;
        m->stored += 0.5 * d->yield * tension * tension;
        if (ideal) {
            add_ideal(a, d, tension, q, m->actuation);
        } else if (tension != 0.0) {
            solve_contact(c, d, q, rates, m->discs, tension, s->law, s->friction, &m->contact);
            add_contact(c, d, m->discs, q, &m->contact, m->wrenches);
            m->lost += friction_loss(d, &m->contact);
        }
        if (tensions)
            keep_along(d, &m->contact, tension, ideal || tension == 0.0, c->n,
                       tensions + j * (c->n + 1));
    }
}

static void evaluate(const arm *a, arm_memory *m, const situation *s, const double *q,
                     const double *rates, double *tensions) {
    const chain *c = &a->chain;
    move_chain(c, q, rates, m->discs);
    memset(m->wrenches, 0, sizeof *m->wrenches * (size_t)c->n);
    memset(m->actuation, 0, sizeof(double) * (size_t)c->n_q);
    bool ideal = c->options.contact == TD_CONTACT_IDEAL;
    if (!ideal) {
        add_drives(a, m, s, q, rates, tensions);
        project_wrenches(c, m->discs, m->wrenches, m->actuation);
        memset(m->wrenches, 0, sizeof *m->wrenches * (size_t)c->n);
    } else {
        add_drives(a, m, s, q, rates, tensions);
    }
    m->rubbed = m->pushed = 0.0;
    add_loads(a, m, s);
    add_touches(a, m, s->alone, rates != NULL);
    if (s->around) add_surroundings(a, m, s);
    add_weight(c, m->discs, vec3_scale(s->gravity, s->loads), m->wrenches);
    if (s->accelerations) accelerate_chain(c, s->accelerations, m->discs);
    if (rates) add_inertial(c, m->discs, m->wrenches);
    project_wrenches(c, m->discs, m->wrenches, m->Q);
    add_elastic(c, q, rates, m->Q);
    for (int k = 0; k < c->n_q; k++) m->Q[k] += m->actuation[k];
}

void find_forces(const arm *a, arm_memory *m, const situation *s, const double *q,
                 const double *rates) {
    evaluate(a, m, s, q, rates, NULL);
}

void keep_tensions(const arm *a, arm_memory *m, const situation *s, const double *q,
                   const double *rates) {
    evaluate(a, m, s, q, rates, m->tensions);
}

td_status check_arcs(const arm *a, const double *q, char *message) {
    const chain *c = &a->chain;
    for (int i = 0; i < c->n; i++) {
        const double *at = q + i * c->per;
        double angle = hypot(at[0], at[1]) * c->segments[i].length;
        if (angle < PI) continue;
        snprintf(
            message, MODEL_MESSAGE_SIZE,
            "rod '%s': subsegment %d (to s = %.4g m) would bend by %.3g rad; an arc between two "
            "discs ends at half a turn: loads or step are too large",
            a->name, i + 1, c->segments[i].s, angle);
        return TD_ERR_VALUE;
    }
    return TD_OK;
}
