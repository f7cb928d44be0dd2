// model/tubes/outputs.c - what can be read off a trajectory.
#include <math.h>
#include <string.h>

#include "environment/drift.h"
#include "math/interpolate.h"
#include "model/tubes/tubes.h"

typedef struct view {
    const tubes *c;
    const bundle *b;
    bundle_state *m;
    bundle_situation at;
    const double *q, *v, *a;
} view;

static bool is_shown(const bundle *b, const bundle_state *m, size_t n, size_t n_inputs) {
    const size_t bytes = n * sizeof(double), some = n_inputs * sizeof(double);
    return m->shown == b && memcmp(m->shown_q, m->solve.q, bytes) == 0 &&
           memcmp(m->shown_v, m->solve.v, bytes) == 0 &&
           memcmp(m->shown_a, m->solve.a, bytes) == 0 &&
           memcmp(m->shown_inputs, m->inputs, some) == 0 &&
           memcmp(m->shown_inputs + n_inputs, m->rates, some) == 0 &&
           memcmp(m->shown_inputs + 2 * n_inputs, m->accelerations, some) == 0;
}

// The places of the shape that is kept; they stay until something else is asked for.
static view look(const tubes *c, const void *memory, int bundle_index) {
    const bundle *b = &c->bundles[bundle_index];
    bundle_state *m = &((const tubes_memory *)memory)->bundles[bundle_index];
    const size_t n = (size_t)b->n_q, n_inputs = (size_t)c->n_inputs;
    view out = {.c = c, .b = b, .m = m, .q = m->solve.q, .v = m->solve.v, .a = m->solve.a};
    out.at = tubes_situation(c, b, m->inputs, m->rates, m->accelerations);
    out.at.moves = out.at.rubs = true;
    out.at.unknown = m->held;
    if (is_shown(b, m, n, n_inputs)) return out;
    bundle_cut(b, &m->now, m->inputs);
    if (b->touch.n) touch_stay(&b->touch, &m->now.touch, m->inputs);
    bundle_move(b, &m->now, &out.at, out.q, out.v, out.a);
    bundle_forces(b, &m->now, &out.at, out.q, out.v, out.a, m->r);
    memcpy(m->shown_q, out.q, n * sizeof(double));
    memcpy(m->shown_v, out.v, n * sizeof(double));
    memcpy(m->shown_a, out.a, n * sizeof(double));
    memcpy(m->shown_inputs, m->inputs, n_inputs * sizeof(double));
    memcpy(m->shown_inputs + n_inputs, m->rates, n_inputs * sizeof(double));
    memcpy(m->shown_inputs + 2 * n_inputs, m->accelerations, n_inputs * sizeof(double));
    m->shown = b;
    return out;
}

static view look_at_rod(const void *compiled, const void *memory, int rod, int *tube) {
    const tubes *c = compiled;
    *tube = c->tube_of[rod];
    return look(c, memory, c->bundle_of[rod]);
}

td_pose tubes_pose(const void *compiled, const void *memory, int rod, double s) {
    int j;
    const view x = look_at_rod(compiled, memory, rod, &j);
    const tube_point at = bundle_place(x.b, &x.m->now, j, s, x.q, NULL, NULL);
    const mat3 axes = tube_axes(&at.k, j);
    return pose_from(&axes, at.k.p);
}

// The force of all tubes together: what lies beyond in the element, by the polynomial through the forces on its nodes.
static vec3 force_at(const view *x, const tube_point *at) {
    const bundle *b = x->b;
    const int e = at->element;
    double grown[MOST_NODES];
    if (e < 0) return vec3_zero();
    vec3 sum = x->m->now.beyond[e + 1].force;
    if (!integration_matrix(b->per, b->gauss.c, b->gauss.bary, 1, &at->x, grown)) return sum;
    for (int k = 0; k < b->per; k++)
        sum = vec3_madd(sum, 1.0 - grown[k] / b->gauss.b[k],
                        x->m->now.on_nodes[e * b->per + k].force);
    for (int i = 0; i < b->touch.n_points && b->touch.n; i++) {
        const spot *s = &x->m->now.spots[i];
        const double along = vec3_dot(vec3_sub(s->k.p, at->k.p), mat3_column(&at->k.R, 2));
        if (s->element == e && along > 0.0) sum = vec3_add(sum, s->wrench.l);
    }
    return sum;
}

static void store_velocity(const knot *k, const mat3 *axes, int tube, double out[6]) {
    const vec3 t = mat3_column(axes, 2);
    store_twist(axes, vec3_madd(k->w, k->spin[tube], t), k->v, out);
}

// Of each tube its own moment; the force is that of all of them.
td_sample tubes_sample(const void *compiled, const void *memory, int rod, double s) {
    int j;
    const view x = look_at_rod(compiled, memory, rod, &j);
    const tube_point at = bundle_place(x.b, &x.m->now, j, s, x.q, x.v, NULL);
    const mat3 axes = tube_axes(&at.k, j);
    const tube_section sec = tube_section_at(&x.b->tubes[j], s);
    td_sample out = {.pose = pose_from(&axes, at.k.p), .strain = {at.u.x, at.u.y, at.u.z, 0, 0, 1}};
    store_velocity(&at.k, &axes, j, out.velocity);
    for (int i = at.element < 0 ? 2 : 0; i < 3; i++)
        out.wrench[i] = sec.K[i] * (out.strain[i] - sec.rest[i]);
    for (int k = 0; k < x.b->n_drives; k++) {
        const actuator *a = x.b->drives[k].a;
        const bool behind = at.element < 0;
        if (x.b->drives[k].tube != j || s < a->from || s > a->to) continue;
        if (behind && !a->kind->sections) continue;
        const route_point route = actuator_route(a, s);
        const density d = actuator_density(a, &route, at.u, (vec3){0.0, 0.0, 1.0});
        const vec3 by = vec3_scale(d.slope.a, a->sign * x.m->efforts[k]);
        if (!behind) out.wrench[0] += by.x, out.wrench[1] += by.y;
        out.wrench[2] += by.z;
    }
    vec3_store(out.wrench + 3, mat3_tmul_vec(&axes, force_at(&x, &at)));
    touch_sample(&x.b->touch, &x.m->now.touch, rod, s, &out);
    return out;
}

// ---------------------------------------------------------------- energy
// `around`: what surroundings act on there, so many times.
typedef void body_visit(void *context, const body_now *body, const point_body *around, double times,
                        const knot *k, int tube);

static void visit_bodies(const bundle *b, const bundle_memory *m, const double *inputs,
                         body_visit *to, void *context) {
    for (int node = 0; node < b->n_nodes; node++) {
        const element_now *el = &m->elements[node / b->per];
        const double weight = el->h * b->gauss.b[node % b->per];
        for (int j = 0; j < b->n; j++) {
            const tube_section *s = &m->sections[node * b->n + j];
            const body_now body = {.mass = weight * s->mass,
                                   .inertia = mat3_diag(vec3_scale(vec3_load(s->inertia), weight)),
                                   .added = vec3_scale(s->added, weight)};
            if (el->there[j] && weight > 0.0)
                to(context, &body, &s->around, weight, &m->nodes[node], j);
        }
    }
    for (int i = 0; i < b->n_riders; i++) {
        const rider *r = &b->riders[i];
        const int e = bundle_end_of(b, m, r->tube, r->mark);
        const double share = number_value(r->attached, inputs);
        const body_now body = {.mass = share * r->mass,
                               .moment = vec3_scale(r->moment, share),
                               .inertia = mat3_scale(&r->inertia, share)};
        if (!m->elements[e].behind) to(context, &body, &r->around, share, &m->ends[e], r->tube);
    }
}

typedef struct energies {
    vec3 gravity;
    const surroundings *around, *by;  // NULL: nothing acts beside weight; they do not change
    double kinetic, height;
    double power;  // W, of surroundings that change by `by`
} energies;

static void add_height(void *context, const body_now *body, const point_body *around, double times,
                       const knot *k, int tube) {
    energies *sum = context;
    const mat3 axes = tube_axes(k, tube);
    const point_now now = {&axes, k->p, vec3_zero()};
    if (sum->around && !point_body_is_plain(around)) {
        sum->height += times * surrounding_energy(sum->around, around, &now);
        if (sum->by) sum->power += times * surrounding_power(sum->around, sum->by, around, &now);
    }
    const vec3 centre = vec3_madd(mat3_mul_vec(&axes, body->moment), body->mass, k->p);
    sum->height -= vec3_dot(sum->gravity, centre);
}

static void add_energies(void *context, const body_now *body, const point_body *around,
                         double times, const knot *k, int tube) {
    energies *sum = context;
    const mat3 axes = tube_axes(k, tube);
    const vec3 spin = vec3_madd(k->w, k->spin[tube], mat3_column(&axes, 2));
    const vec3 w = mat3_tmul_vec(&axes, spin), h = mat3_mul_vec(&axes, body->moment);
    add_height(context, body, around, times, k, tube);
    sum->kinetic += 0.5 * body->mass * vec3_dot(k->v, k->v) + vec3_dot(k->v, vec3_cross(spin, h)) +
                    0.5 * vec3_dot(w, mat3_mul_vec(&body->inertia, w));
    sum->kinetic +=
        drift_energy(body->added, mat3_tmul_vec(&axes, vec3_sub(k->v, sum->around->current)));
}

double bundle_potential(const bundle *b, const bundle_memory *m, const bundle_situation *at,
                        const double *q) {
    energies sum = {.gravity = at->gravity};
    surroundings around;
    if (at->around) around = surroundings_at(at->around, at->inputs, at->share, NULL);
    if (at->around) sum.around = &around;
    visit_bodies(b, m, at->inputs, add_height, &sum);
    return bundle_elastic(b, m, q) + sum.height;
}

double bundle_field_power(const bundle *b, const bundle_memory *m, const bundle_situation *at,
                          const double *rates) {
    if (!at->around || !rates) return 0.0;
    const surroundings now = surroundings_at(at->around, at->inputs, at->share, NULL),
                       by = surroundings_rate(at->around, at->inputs, rates, at->share, NULL);
    energies sum = {.gravity = vec3_zero(), .around = &now, .by = &by};
    visit_bodies(b, m, at->inputs, add_height, &sum);
    return sum.power;
}

static double shaft_energy(const view *x) {
    const bundle *b = x->b;
    const shaft_now *s = x->m->now.shafts;
    const double base = vec3_dot(x->m->now.base.w, mat3_column(&x->m->now.base.R, 2));
    double sum = 0.0;
    for (int j = 0; j < b->n; j++) {
        double spin = x->at.alpha_t[j] + base;
        for (int i = 0; i < b->tubes[j].n_shafts; i++, s++) {
            const double *rate = x->v + b->tubes[j].first + i * b->per;
            double end = spin;
            for (int k = 0; k < b->per; k++) {
                double here = spin;
                for (int l = 0; l < b->per; l++) here += s->h * b->gauss.A[k][l] * rate[l];
                sum += 0.5 * s->h * b->gauss.b[k] * s->inertia * here * here;
                end += s->h * b->gauss.b[k] * rate[k];
            }
            spin = end;
        }
    }
    return sum;
}

td_energy tubes_energy(const void *compiled, const void *memory, const double *inputs) {
    const tubes *c = compiled;
    td_energy out = {0};
    for (int i = 0; i < c->n_bundles; i++) {
        const view x = look(c, memory, i);
        energies sum = {.gravity = environment_gravity(&c->around, inputs, 1.0)};
        const surroundings around = surroundings_at(&c->around, inputs, 1.0, NULL);
        sum.around = &around;
        visit_bodies(x.b, &x.m->now, inputs, add_energies, &sum);
        out.kinetic += sum.kinetic + shaft_energy(&x);
        out.gravity += sum.height;
        out.elastic += bundle_elastic(x.b, &x.m->now, x.q);
        for (int k = 0; k < x.b->touch.n_points && x.b->touch.n; k++)
            if (x.m->now.spots[k].element >= 0)
                out.elastic += touch_energy(&x.b->touch, &x.m->now.touch, x.m->now.touch.frames,
                                            inputs, k, x.m->now.spots[k].k.p);
    }
    return out;
}

void tubes_contacts(const void *compiled, const void *memory, contact_visit *to, void *context) {
    const tubes *c = compiled;
    for (int i = 0; i < c->n_bundles; i++)
        touch_visit(&c->bundles[i].touch, &((const tubes_memory *)memory)->bundles[i].now.touch, to,
                    context);
}

// ---------------------------------------------------------------- actuators
td_actuator_state tubes_actuator(const void *compiled, const void *memory, int index) {
    const tubes *c = compiled;
    const bundle *b = &c->bundles[c->drive_bundle[index]];
    const bundle_state *m = &((const tubes_memory *)memory)->bundles[c->drive_bundle[index]];
    const int k = c->drive_index[index];
    return actuator_state_of(b->drives[k].a, m->efforts[k], m->measures[k]);
}

// ---------------------------------------------------------------- bodies, reactions
static tube_point body_place(const tubes *c, const void *memory, int body, view *x, int *tube) {
    *x = look(c, memory, c->body_bundle[body]);
    const rider *r = &x->b->riders[c->body_rider[body]];
    *tube = r->tube;
    return bundle_place(x->b, &x->m->now, r->tube, x->b->tubes[r->tube].marks[r->mark], x->q, x->v,
                        x->a);
}

td_body_state tubes_body(const void *compiled, const void *memory, int body) {
    view x;
    int j;
    const tube_point at = body_place(compiled, memory, body, &x, &j);
    const mat3 axes = tube_axes(&at.k, j);
    td_body_state out = {.pose = pose_from(&axes, at.k.p), .attached = true};
    store_velocity(&at.k, &axes, j, out.velocity);
    return out;
}

vec6 tubes_acceleration(const void *compiled, const void *memory, int body) {
    view x;
    int j;
    const tube_point at = body_place(compiled, memory, body, &x, &j);
    const mat3 axes = tube_axes(&at.k, j);
    const vec3 t = mat3_column(&axes, 2);
    vec3 spin_t = vec3_madd(at.k.w_t, at.k.spin_t[j], t);
    spin_t = vec3_madd(spin_t, at.k.spin[j], vec3_cross(at.k.w, t));
    return (vec6){mat3_tmul_vec(&axes, spin_t), mat3_tmul_vec(&axes, at.k.v_t)};
}

// A tube in another one has the torque at its back end; the outermost all the rest.
vec6 tubes_reaction(const void *compiled, const void *memory, int rod, td_end end,
                    const double *inputs) {
    int j;
    (void)inputs;
    if (end == TD_TIP) return vec6_zero();
    const view x = look_at_rod(compiled, memory, rod, &j);
    const far_side *all = &x.m->now.beyond[0];
    const vec3 axis = mat3_column(&x.m->now.base.R, 2);
    vec6 out = {vec3_scale(axis, -all->torque[j]), vec3_zero()};
    if (j + 1 < x.b->n) return out;
    out = (vec6){vec3_neg(all->moment), vec3_neg(all->force)};
    for (int i = 0; i + 1 < x.b->n; i++) out.a = vec3_madd(out.a, all->torque[i], axis);
    return out;
}
