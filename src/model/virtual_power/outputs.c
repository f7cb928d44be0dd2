// model/virtual_power/outputs.c - what can be read off a trajectory.
#include "model/virtual_power/virtual_power.h"

static int segment_around(const chain *c, double s) {
    int i = 0;
    while (i + 1 < c->n && s > c->segments[i].s) i++;
    return i;
}

// The motion of the chain as kept, in the scratch of its memory.
static const disc_motion *moved(const arm *a, const arm_memory *m) {
    move_chain(&a->chain, m->solve.q, m->solve.v, m->discs);
    return m->discs;
}

// Moments of core and rods against bending and twist. Forces inside are not known in this model,
// which does without them: 0.
static void store_section(const chain *c, int i, double x, const arm_memory *m, td_sample *out) {
    const double *q = m->solve.q + i * c->per, *rates = m->solve.v + i * c->per;
    const segment *s = &c->segments[i];
    double Q[N_LOCAL] = {0.0, 0.0, 0.0}, tau = c->per == 3 ? q[2] * x : 0.0;
    add_elastic_of(c, i, q, rates, Q);
    vec3 u = {0.0 - q[1], q[0], 0.0}, moment = {Q[1] / s->length, -Q[0] / s->length, 0.0};
    double cs = cos(tau), sn = sin(tau);
    vec3_store(out->strain, vec3_make(cs * u.x + sn * u.y, cs * u.y - sn * u.x,
                                      c->per == 3 ? q[2] / s->length : 0.0));
    vec3_store(out->strain + 3, vec3_make(0.0, 0.0, 1.0));
    vec3_store(out->wrench, vec3_make(cs * moment.x + sn * moment.y, cs * moment.y - sn * moment.x,
                                      c->per == 3 ? -Q[2] : 0.0));
    vec3_store(out->wrench + 3, vec3_zero());
}

point_motion move_point(const chain *c, const double *q, const double *rates, double s,
                        disc_motion *discs) {
    move_chain(c, q, rates, discs);
    const disc_motion base = {.R = mat3_identity()};
    const int i = segment_around(c, s), k = i * c->per;
    const disc_motion *near = i ? &discs[i - 1] : &base;
    double part = s - (i ? c->segments[i - 1].s : 0.0), x = part / c->segments[i].length;
    double own[N_LOCAL] = {q[k], q[k + 1], c->per == 3 ? q[k + 2] * x : 0.0};
    double own_rates[N_LOCAL] = {rates[k], rates[k + 1], c->per == 3 ? rates[k + 2] * x : 0.0};
    local_motion l = move_locally(part, c->per, own, own_rates, c->options.printed_omega);
    vec3 to = mat3_mul_vec(&near->R, l.p);
    vec3 velocity = vec3_add(near->velocity, vec3_cross(near->turn, to));
    return (point_motion){.R = mat3_mul(&near->R, &l.R),
                          .p = vec3_add(near->p, to),
                          .turn = vec3_add(near->turn, mat3_mul_vec(&near->R, l.turn)),
                          .velocity = vec3_add(velocity, mat3_mul_vec(&near->R, l.velocity)),
                          .segment = i,
                          .x = x};
}

td_sample power_sample(const void *compiled, const void *memory, int rod, double s) {
    const virtual_power *c = compiled;
    const arm *a = &c->arms[rod];
    const arm_memory *m = &((const power_memory *)memory)->arms[rod];
    point_motion at = move_point(&a->chain, m->solve.q, m->solve.v, s, m->discs);
    td_sample out = {.pose = pose_in(&a->base, &at.R, at.p)};
    store_twist(&at.R, at.turn, at.velocity, out.velocity);
    store_section(&a->chain, at.segment, at.x, m, &out);
    touch_sample(&a->touch, &m->touch, rod, s, &out);
    return out;
}

void power_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context) {
    const virtual_power *c = compiled;
    for (int i = 0; i < c->n_arms; i++)
        touch_visit(&c->arms[i].touch, &((const power_memory *)memory)->arms[i].touch, visit,
                    context);
}

td_body_state power_body(const void *compiled, const void *memory, int body) {
    const virtual_power *c = compiled;
    place_on_arm at = c->bodies[body];
    const arm *a = &c->arms[at.arm];
    const mat3 still = mat3_identity();
    td_body_state out = {.attached = true};
    if (at.index < 0) {
        out.pose = pose_in(&a->base, &still, vec3_zero());
        return out;
    }
    const disc_motion *d = &moved(a, &((const power_memory *)memory)->arms[at.arm])[at.index];
    out.pose = pose_in(&a->base, &d->R, d->p);
    store_twist(&d->R, d->turn, d->velocity, out.velocity);
    return out;
}

// ---------------------------------------------------------------- reactions
// What surroundings do to what does not move.
static vec6 surrounding_still(const arm *a, const situation *at) {
    const surroundings around = surroundings_at(at->around, at->inputs, at->loads, &a->base);
    const mat3 same = mat3_identity();
    point_answer out = {.lost = 0.0};
    environment_add(vec3_zero(), &around, &a->still.around,
                    &(point_now){&same, vec3_zero(), vec3_zero()}, &out, NULL);
    return out.wrench;
}

// The world holds the base against all that acts on the discs, inertia among it.
vec6 power_reaction(const void *compiled, const void *memory, int rod, td_end end,
                    const double *inputs) {
    const virtual_power *c = compiled;
    const arm *a = &c->arms[rod];
    arm_memory *m = &((const power_memory *)memory)->arms[rod];
    situation at = situation_of(c, a, inputs, SLIP_NONE);
    if (end == TD_TIP) return vec6_zero();
    at.accelerations = m->solve.a;
    touch_stay(&a->touch, &m->touch, inputs);
    find_forces(a, m, &at, m->solve.q, m->solve.v);
    vec6 sum = {vec3_cross(a->still.moment, at.gravity), vec3_scale(at.gravity, a->still.mass)};
    if (at.around) sum = vec6_add(sum, surrounding_still(a, &at));
    for (int i = 0; i < a->chain.n; i++) {
        const vec6 w = m->wrenches[i];
        sum.a = vec3_add(sum.a, vec3_add(w.a, vec3_cross(m->discs[i].p, w.l)));
        sum.l = vec3_add(sum.l, w.l);
    }
    return (vec6){vec3_neg(mat3_mul_vec(&a->base.R, sum.a)),
                  vec3_neg(mat3_mul_vec(&a->base.R, sum.l))};
}

vec6 power_acceleration(const void *compiled, const void *memory, int body) {
    const virtual_power *c = compiled;
    const place_on_arm at = c->bodies[body];
    const arm *a = &c->arms[at.arm];
    const arm_memory *m = &((const power_memory *)memory)->arms[at.arm];
    if (at.index < 0) return vec6_zero();
    moved(a, m);
    accelerate_chain(&a->chain, m->solve.a, m->discs);
    const disc_motion *d = &m->discs[at.index];
    return (vec6){mat3_tmul_vec(&d->R, d->turn_rate), mat3_tmul_vec(&d->R, d->acceleration)};
}

// ---------------------------------------------------------------- tendons and rods
td_actuator_state power_actuator(const void *compiled, const void *memory, int index) {
    const virtual_power *c = compiled;
    place_on_arm at = c->tendons[index];
    const chain *ch = &c->arms[at.arm].chain;
    const drive *d = &ch->drives[at.index];
    const arm_memory *m = &((const power_memory *)memory)->arms[at.arm];
    const double *along = m->tensions + at.index * (ch->n + 1);
    double length = d->straight;
    for (int i = 0; i < d->end; i++) {
        double by_q[N_LOCAL];
        length -= path_gain(ch, d, i, m->solve.q, by_q);
    }
    td_actuator_state out = actuator_state_of(d->a, along[0], length);
    out.end_effort = along[d->end - 1];
    return out;
}

double power_effort(const void *compiled, const void *memory, int index, double s) {
    const virtual_power *c = compiled;
    place_on_arm at = c->tendons[index];
    const chain *ch = &c->arms[at.arm].chain;
    const arm_memory *m = &((const power_memory *)memory)->arms[at.arm];
    return m->tensions[at.index * (ch->n + 1) + segment_around(ch, s)];
}

// ---------------------------------------------------------------- energy
double weight_of(const arm *a, const arm_memory *m, vec3 gravity) {
    const chain *c = &a->chain;
    double mass = 0.0;
    for (int i = 0; i < c->n; i++) mass += c->segments[i].mass;
    return weight_energy(c, m->discs, mat3_tmul_vec(&a->base.R, gravity)) -
           mass * vec3_dot(gravity, a->base.p);
}

static double surrounding_at(const se3 *base, const disc_motion *d, const point_body *b,
                             const surroundings *around, const surroundings *by) {
    const mat3 R = d ? mat3_mul(&base->R, &d->R) : base->R;
    const point_now at = {&R, d ? se3_mul_point(base, d->p) : base->p, vec3_zero()};
    return by ? surrounding_power(around, by, b, &at) : surrounding_energy(around, b, &at);
}

double surrounding_of(const arm *a, const arm_memory *m, const surroundings *around,
                      const surroundings *by) {
    double sum = surrounding_at(&a->base, NULL, &a->still.around, around, by);
    for (int i = 0; i < a->chain.n; i++)
        sum += surrounding_at(&a->base, &m->discs[i], &a->chain.segments[i].around, around, by);
    return sum;
}

static void add_energy(const virtual_power *c, const arm *a, const arm_memory *m,
                       const double *inputs, td_energy *sum) {
    sum->kinetic += kinetic_energy(&a->chain, moved(a, m));
    sum->gravity += weight_of(a, m, environment_gravity(&c->around, inputs, 1.0));
    if (!environment_is_uniform(&c->around)) {
        const surroundings around = surroundings_at(&c->around, inputs, 1.0, NULL);
        sum->gravity += surrounding_of(a, m, &around, NULL);
    }
    sum->elastic += elastic_energy(&a->chain, m->solve.q);
    for (int i = 0; i < a->touch.n_points; i++)
        sum->elastic += touch_energy(&a->touch, &m->touch, m->touch.frames, inputs, i,
                                     se3_mul_point(&a->base, m->discs[i].p));
}

td_energy power_energy(const void *compiled, const void *memory, const double *inputs) {
    const virtual_power *c = compiled;
    const power_memory *m = memory;
    td_energy sum = {0};
    for (int i = 0; i < c->n_arms; i++) add_energy(c, &c->arms[i], &m->arms[i], inputs, &sum);
    return sum;
}
