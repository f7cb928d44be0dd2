// model/constant_curvature/forces.c - all that acts on a chain, as generalised forces.
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

situation arcs_situation(const constant_curvature *c, const arm *a, const double *inputs) {
    return (situation){.inputs = inputs,
                       .gravity =
                           mat3_tmul_vec(&a->base.R, environment_gravity(&c->around, inputs, 1.0)),
                       .share = 1.0,
                       .given = 1.0,
                       .unknown = NULL,
                       .around = environment_is_uniform(&c->around) ? NULL : &c->around};
}

touch_now arm_touch(const arm *a, const arm_memory *m, int i, bool moves) {
    const point_load *load = &a->chain.loads[i];
    const frame_motion f = arc_point_at(&m->arcs[load->segment], load->x).at;
    return touch_on(&a->base, &f.R, f.p, f.turn, f.velocity, moves);
}

static vec6 wrench_of_obstacles(const arm *a, arm_memory *m, int i, bool moves, bool slopes) {
    const int point = a->chain.loads[i].touch;
    const touch_now now = arm_touch(a, m, i, moves);
    const touch_answer out =
        touch_in(&a->touch, &m->touch, point, &a->base.R, &now, slopes ? &m->slopes[point] : NULL);
    m->lost += out.lost;
    m->given += out.given;
    return out.wrench;
}

// Drag, magnets and a fluid; weight comes by itself.
static vec6 wrench_of_surroundings(const arm *a, arm_memory *m, const surroundings *around, int i,
                                   bool moves, bool slopes) {
    const point_load *load = &a->chain.loads[i];
    const frame_motion f = arc_point_at(&m->arcs[load->segment], load->x).at;
    const point_now now = {&f.R, f.p, moves ? f.velocity : vec3_zero()};
    point_answer out = {.lost = 0.0};
    environment_add(vec3_zero(), around, &a->around[load->around], &now, &out,
                    slopes ? &m->slopes[load->answers] : NULL);
    m->lost += out.lost;
    m->given += out.given;
    return out.wrench;
}

static vec6 wrench_of_load(const arm *a, const situation *s, int i) {
    const vec3 moment = vec3_scale(numbers_at(a->wrenches[i].moment, s->inputs), s->share),
               force = vec3_scale(numbers_at(a->wrenches[i].force, s->inputs), s->share);
    if (a->chain.loads[i].follows) return (vec6){moment, force};
    return (vec6){mat3_tmul_vec(&a->base.R, moment), mat3_tmul_vec(&a->base.R, force)};
}

// Moment and force, in the frame of the base or of the section that they follow.
void arm_find_wrenches(const arm *a, arm_memory *m, const situation *s, bool moves, bool slopes) {
    surroundings around;
    if (s->around) around = surroundings_at(s->around, s->inputs, s->share, &a->base);
    m->lost = m->given = 0.0;
    for (int i = 0; i < a->chain.n_loads; i++) {
        const point_load *load = &a->chain.loads[i];
        const bool touches = load->touch >= 0;
        m->wrenches[i] = vec6_zero();
        if (slopes && load->answers >= 0) m->slopes[load->answers] = (point_slopes){{0.0}, {0.0}};
        if (touches ? s->alone : s->touched) continue;
        if (touches) m->wrenches[i] = wrench_of_obstacles(a, m, i, moves, slopes);
        else if (load->around < 0) m->wrenches[i] = wrench_of_load(a, s, i);
        else m->wrenches[i] = wrench_of_surroundings(a, m, &around, i, moves, slopes);
    }
}

effort_state arm_effort(const arm *a, const situation *s, int i, const double *q) {
    const drive *d = &a->chain.drives[i];
    const double unknown = d->unknown >= 0 && s->unknown ? s->unknown[d->unknown] : 0.0;
    const double given = actuator_given(d->a, s->inputs, s->given);
    const supply from = actuator_supply(d->a, given, s->given, s->engines);
    return drive_now(&a->chain, d, from, unknown, s->soft, q);
}

void arm_forces(const arm *a, arm_memory *m, const situation *s, const double *q,
                const double *rates) {
    const chain *c = &a->chain;
    const size_t bytes = sizeof(double) * (size_t)c->n_q;
    memset(m->Q, 0, bytes);
    memset(m->actuation, 0, bytes);
    arcs_move(c, q, rates, s->accelerations, vec3_scale(s->gravity, -s->share), m->arcs);
    arm_find_wrenches(a, m, s, rates != NULL, false);
    arcs_add_inertia(c, m->arcs, m->wrenches, m->Q);
    arcs_add_elastic(c, &m->past, q, rates, m->Q);
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        drive_add(c, d, arm_effort(a, s, i, q).effort, q, m->actuation);
    }
    for (int k = 0; k < c->n_q; k++) m->Q[k] += m->actuation[k];
}

void arm_external_by(const constant_curvature *c, const arm *a, arm_memory *m, const double *rates,
                     const double *q, double *Q) {
    const mat3 *R = &a->base.R;
    vec3 lift = vec3_neg(mat3_tmul_vec(R, environment_gravity_rate(&c->around, rates)));
    for (int i = 0; i < a->chain.n_loads; i++) {
        vec3 moment = number_rates_at(a->wrenches[i].moment, rates);
        vec3 force = number_rates_at(a->wrenches[i].force, rates);
        bool follows = a->chain.loads[i].follows;
        m->wrenches[i].a = follows ? moment : mat3_tmul_vec(R, moment);
        m->wrenches[i].l = follows ? force : mat3_tmul_vec(R, force);
    }
    arcs_move(&a->chain, q, NULL, NULL, lift, m->arcs);
    arcs_add_inertia(&a->chain, m->arcs, m->wrenches, Q);
}

double arm_weight_energy(const arm *a, const arm_memory *m, vec3 gravity) {
    return arcs_weight_energy(&a->chain, m->arcs, mat3_tmul_vec(&a->base.R, gravity)) -
           a->mass * vec3_dot(gravity, a->base.p);
}

double arm_surrounding_energy(const arm *a, const arm_memory *m, const surroundings *around,
                              const surroundings *by) {
    double sum = 0.0;
    for (int i = 0; i < a->chain.n_loads; i++) {
        const point_load *load = &a->chain.loads[i];
        if (load->around < 0) continue;
        const frame_motion f = arc_point_at(&m->arcs[load->segment], load->x).at;
        const point_body *b = &a->around[load->around];
        const mat3 R = mat3_mul(&a->base.R, &f.R);
        const point_now at = {&R, se3_mul_point(&a->base, f.p), vec3_zero()};
        sum += by ? surrounding_power(around, by, b, &at) : surrounding_energy(around, b, &at);
    }
    return sum;
}

double arm_load_power(const arm *a, const arm_memory *m) {
    double sum = 0.0;
    for (int i = 0; i < a->chain.n_loads; i++) {
        const point_load *load = &a->chain.loads[i];
        if (load->answers >= 0) continue;
        frame_motion f = arc_point_at(&m->arcs[load->segment], load->x).at;
        vec6 w = m->wrenches[i];
        if (load->follows) w = (vec6){mat3_mul_vec(&f.R, w.a), mat3_mul_vec(&f.R, w.l)};
        sum += vec3_dot(w.a, f.turn) + vec3_dot(w.l, f.velocity);
    }
    return sum;
}

td_status arm_check(const arm *a, const double *q, double room, char *message) {
    const chain *c = &a->chain;
    const int i = arcs_beyond(c, q, room);
    if (i < 0) return TD_OK;
    return tell(message, TD_ERR_VALUE,
                "rod '%s': segment %d (to s = %.4g m) would bend by %.3g rad and be %.3g times as "
                "long as at rest: loads or step are too large",
                a->name, i + 1, c->segments[i].end, hypot(q[i * c->per], q[i * c->per + 1]),
                local_length(c, i, q) / c->segments[i].length);
}
