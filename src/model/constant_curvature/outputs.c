// model/constant_curvature/outputs.c - what can be read off a trajectory.
#include "model/constant_curvature/constant_curvature.h"

static place_on_arm place_at(const arm *a, int index, double s) {
    const chain *c = &a->chain;
    int i = 0;
    while (i + 1 < c->n && s > c->segments[i].end) i++;
    double start = c->segments[i].end - c->segments[i].length;
    return (place_on_arm){index, i, fmin(1.0, fmax(0.0, (s - start) / c->segments[i].length))};
}

// The motion of the arcs as kept, in the scratch of its memory.
static frame_motion moved_to(const arm *a, const arm_memory *m, place_on_arm at) {
    arcs_move(&a->chain, m->solve.q, m->solve.v, m->solve.a, vec3_zero(), m->arcs);
    if (at.segment < 0) return m->arcs[0].base;
    return arc_point_at(&m->arcs[at.segment], at.x).at;
}

// What changes the sections of a segment, as its material: moment about x and y, and tension.
static void add_section_drives(const chain *c, int at, const double *q, const double *efforts,
                               double wrench[3]) {
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        if (!d->a->kind->sections || at < d->first || at >= d->end) continue;
        const vec6 slope = arc_density(c, d, at, q).slope;
        const double factor = d->a->sign * efforts[i];
        wrench[0] += factor * slope.a.x;
        wrench[1] += factor * slope.a.y;
        wrench[2] += factor * slope.l.z;
    }
}

// Strain and the moment and tension of the material, which are constant along a segment. Shear
// forces do not appear in this model: 0.
td_sample arcs_sample(const void *compiled, const void *memory, int rod, double s) {
    const constant_curvature *c = compiled;
    const arm *a = &c->arms[rod];
    const arm_memory *m = &((const arcs_memory *)memory)->arms[rod];
    place_on_arm at = place_at(a, rod, s);
    frame_motion f = moved_to(a, m, at);
    td_sample out = {.pose = pose_in(&a->base, &f.R, f.p)};
    store_twist(&f.R, f.turn, f.velocity, out.velocity);
    const double length = a->chain.segments[at.segment].length,
                 *u = m->solve.q + at.segment * a->chain.per;
    vec3_store(out.strain, vec3_make(0.0 - u[1] / length, u[0] / length, 0.0));
    vec3_store(out.strain + 3,
               vec3_make(0.0, 0.0, local_length(&a->chain, at.segment, m->solve.q) / length));
    const arc_past kept = {m->past.inner, 0.0};
    double wrench[3];
    arc_wrench(&a->chain, &kept, at.segment, m->solve.q, m->solve.v, wrench);
    add_section_drives(&a->chain, at.segment, m->solve.q, m->efforts, wrench);
    vec3_store(out.wrench, vec3_make(wrench[0], wrench[1], 0.0));
    vec3_store(out.wrench + 3, vec3_make(0.0, 0.0, wrench[2]));
    touch_sample(&a->touch, &m->touch, rod, s, &out);
    return out;
}

void arcs_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context) {
    const constant_curvature *c = compiled;
    for (int i = 0; i < c->n_arms; i++)
        touch_visit(&c->arms[i].touch, &((const arcs_memory *)memory)->arms[i].touch, visit,
                    context);
}

td_body_state arcs_body(const void *compiled, const void *memory, int body) {
    const constant_curvature *c = compiled;
    place_on_arm at = c->bodies[body];
    const arm *a = &c->arms[at.arm];
    frame_motion f = moved_to(a, &((const arcs_memory *)memory)->arms[at.arm], at);
    td_body_state out = {.pose = pose_in(&a->base, &f.R, f.p), .attached = true};
    store_twist(&f.R, f.turn, f.velocity, out.velocity);
    return out;
}

// ---------------------------------------------------------------- reactions
vec6 arcs_reaction(const void *compiled, const void *memory, int rod, td_end end,
                   const double *inputs) {
    const constant_curvature *c = compiled;
    const arm *a = &c->arms[rod];
    arm_memory *m = &((const arcs_memory *)memory)->arms[rod];
    const situation at = arcs_situation(c, a, inputs);
    if (end == TD_TIP) return vec6_zero();
    touch_stay(&a->touch, &m->touch, inputs);
    arcs_move(&a->chain, m->solve.q, m->solve.v, m->solve.a, vec3_neg(at.gravity), m->arcs);
    arm_find_wrenches(a, m, &at, true, false);
    const vec6 sum = arcs_add_inertia(&a->chain, m->arcs, m->wrenches, m->Q);
    return (vec6){vec3_neg(mat3_mul_vec(&a->base.R, sum.a)),
                  vec3_neg(mat3_mul_vec(&a->base.R, sum.l))};
}

vec6 arcs_acceleration(const void *compiled, const void *memory, int body) {
    const constant_curvature *c = compiled;
    const place_on_arm at = c->bodies[body];
    const frame_motion f =
        moved_to(&c->arms[at.arm], &((const arcs_memory *)memory)->arms[at.arm], at);
    return (vec6){mat3_tmul_vec(&f.R, f.turn_rate), mat3_tmul_vec(&f.R, f.acceleration)};
}

// ---------------------------------------------------------------- actuators
td_actuator_state arcs_actuator(const void *compiled, const void *memory, int index) {
    const constant_curvature *c = compiled;
    const int at = c->drive_arm[index], k = c->drive_index[index];
    const chain *ch = &c->arms[at].chain;
    const drive *d = &ch->drives[k];
    const arm_memory *m = &((const arcs_memory *)memory)->arms[at];
    td_actuator_state out =
        actuator_state_of(d->a, m->efforts[k], drive_measure(ch, d, m->solve.q));
    if (d->unknown >= 0 && d->a->from_rest)  // what is rigid gives way a little in motion
        out.supplied += effort_yield(d->a) * (m->efforts[k] - m->held[d->unknown]);
    return out;
}

// ---------------------------------------------------------------- energy
static double pressed_energy(const arm *a, const arm_memory *m, const double *inputs) {
    double sum = 0.0;
    for (int i = 0; i < a->chain.n_loads; i++)
        if (a->chain.loads[i].touch >= 0)
            sum += touch_energy(&a->touch, &m->touch, m->touch.frames, inputs,
                                a->chain.loads[i].touch, arm_touch(a, m, i, false).T.p);
    return sum;
}

td_energy arcs_energy(const void *compiled, const void *memory, const double *inputs) {
    const constant_curvature *c = compiled;
    const arcs_memory *m = memory;
    td_energy sum = {0};
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        const arm_memory *am = &m->arms[i];
        arcs_move(&a->chain, am->solve.q, am->solve.v, NULL, vec3_zero(), am->arcs);
        sum.kinetic += arcs_kinetic_energy(&a->chain, am->arcs);
        sum.gravity += arm_weight_energy(a, am, environment_gravity(&c->around, inputs, 1.0));
        if (a->n_around) {
            const surroundings around = surroundings_at(&c->around, inputs, 1.0, NULL);
            sum.gravity += arm_surrounding_energy(a, am, &around, NULL);
        }
        const arc_past kept = {am->past.inner, 0.0};
        sum.elastic += arcs_elastic_energy(&a->chain, &kept, am->solve.q) +
                       arcs_stop_energy(&a->chain, am->solve.q);
        sum.elastic += pressed_energy(a, am, inputs);
    }
    return sum;
}
