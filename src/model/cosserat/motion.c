// model/cosserat/motion.c - an assembly in motion as src/solve asks for it, at any instant and without
// a time formula.
//
//     q    strains of all rods, at their nodes; frames of all free bodies (solve/chart.h)
//     l    unknown efforts of all rods, then reactions of all joints
//     r    b_i (K x + B x_t - (M, N)) at each node, moment about its origin and force of each body,
//          then the equations of efforts and joints
//
// so that a potential gives a symmetric stiffness and the mass is symmetric. Time formulas give
// velocities at the nodes a rate, c0 w + h. Here c0 = 0, and all of it is h: with W the linear map
// from strain rates and base motions to velocities,
//
//     w = W(q) v,     w_t = W a + (dW/dt) v
//
// where the second term, which is quadratic in velocities, is a difference along the motion.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/quadrature.h"
#include "model/cosserat/motion.h"

// ---------------------------------------------------------------- order
static int n_efforts(const assembly_problem *p) {
    int n = 0;
    for (int i = 0; i < p->a->n_rods; i++) n += p->c->rods[p->a->rods[i]].n_efforts;
    return n;
}

// From (q, l) to a point of assembly.h.
void motion_to_point(const assembly_problem *p, const double *q, const double *l, double *point) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const int k = p->c->rods[a->rods[i]].n_efforts, n = a->first[i + 1] - a->first[i] - k;
        copy_doubles(n, point + a->first[i], q);
        copy_doubles(k, point + a->first[i] + n, l);
        q += n, l += k;
    }
    copy_doubles(7 * a->n_bodies, point + a->first[a->n_rods], q);
    copy_doubles(a->n_reactions, point + a->first[a->n_rods] + 7 * a->n_bodies, l);
}

static void from_point(const assembly_problem *p, const double *point, double *q, double *l) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const int k = p->c->rods[a->rods[i]].n_efforts, n = a->first[i + 1] - a->first[i] - k;
        copy_doubles(n, q, point + a->first[i]);
        copy_doubles(k, l, point + a->first[i] + n);
        q += n, l += k;
    }
    copy_doubles(7 * a->n_bodies, q, point + a->first[a->n_rods]);
    copy_doubles(a->n_reactions, l, point + a->first[a->n_rods] + 7 * a->n_bodies);
}

// b_i of each row of a rod, and the wrench on a body about its own origin.
static void to_rows(const assembly_problem *p, const double *residual, double *r) {
    const assembly *a = p->a;
    double *own = r + p->own->n_moving;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *one = p->m->rods[a->rods[i]].r;  // as long as it is now
        const double *from = residual + a->first[i];
        const int d = (a->first[i + 1] - a->first[i] - one->n_efforts) / one->n_nodes;
        for (int k = 0; k < one->n_elements; k++)
            for (int j = 0; j < one->elements[k].n_nodes; j++)
                for (int c = 0; c < d; c++) *r++ = one->elements[k].quadrature[j] * *from++;
        for (int k = 0; k < one->n_efforts; k++) *own++ = *from++;
    }
    const double *from = residual + a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, from += 6, r += 6) {
        const vec6 S = vec6_load(from);
        vec3_store(r, vec3_sub(vec3_cross(p->own->bodies[k].T.p, S.l), S.a));
        vec3_store(r + 3, vec3_neg(S.l));
    }
    copy_doubles(a->n_reactions, own, from);
}

// ---------------------------------------------------------------- rates as histories
// Strain rates and motions of bodies v; rates of velocities stay.
void motion_set_rates(const assembly_problem *p, const double *point, const double *v) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &p->c->rods[a->rods[i]];
        rod_memory *m = &p->m->rods[a->rods[i]];
        const int d = unknowns_per_node(r);
        for (int k = 0; k < r->n_nodes; k++) {
            double *to = m->history + (size_t)k * F_SIZE + F_U;
            memset(to, 0, 6 * sizeof *to);
            if (v) memcpy(to, v + d * k, sizeof *v * (size_t)d);
        }
        if (v) v += d * r->n_nodes;
    }
    const double *pose = point + a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, pose += 7) {
        double *to = p->m->bodies[a->bodies[k]].history;
        memset(to, 0, 7 * sizeof *to);
        if (!v) continue;
        vec3_store(to + B_P, vec3_load(v + 3));
        quat_store(to + B_H, quat_rate(quat_load(pose + B_H), vec3_load(v)));
        v += 6;
    }
}

static void clear_accelerations(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        for (int k = 0; k < r->n_nodes; k++)
            memset(m->history + (size_t)k * F_SIZE + F_W, 0, 6 * sizeof(double));
        memset(m->end_history, 0, r->ridden ? sizeof(double) * 6 * (size_t)r->n_elements : 0);
        memset(m->passed_history, 0, sizeof(double) * (size_t)r->n_points);
    }
    for (int k = 0; k < p->a->n_bodies; k++)
        memset(p->m->bodies[p->a->bodies[k]].history + B_W, 0, 6 * sizeof(double));
}

static void add_six(double *to, double factor, const double *y) {
    for (int i = 0; i < 3; i++) to[i] += factor * y[Y_W + i], to[3 + i] += factor * y[Y_Q + i];
}

// Accelerations += factor times the velocities of the shape last evaluated; what tendons slide by is
// counted where `slides`.
static void add_velocities(const assembly_problem *p, double factor, bool slides) {
    assembly_publish(p);
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        for (int k = 0; k < r->n_nodes; k++)
            add_six(m->history + (size_t)k * F_SIZE + F_W, factor, m->trial + (size_t)k * Y_SIZE);
        for (int k = 0; k < r->n_elements && r->ridden; k++)
            add_six(m->end_history + 6 * k, factor, m->trial_bounds + (size_t)(k + 1) * Y_SIZE);
        for (int k = 0; k < r->n_points && slides; k++)
            m->passed_history[k] += factor * m->trial_passed[k];
    }
    for (int k = 0; k < p->a->n_bodies; k++) {
        body_memory *m = &p->m->bodies[p->a->bodies[k]];
        for (int i = 0; i < 6; i++) m->history[B_W + i] += factor * m->trial[B_W + i];
    }
}

// ---------------------------------------------------------------- along the motion
static double larger(double a, double b) {
    return b > a ? b : a;
}

// 1/s: how fast it moves, as an angle; of what holds it too.
double motion_speed(const assembly_problem *p, const double *v) {
    const assembly *a = p->a;
    double most = 0.0;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &p->c->rods[a->rods[i]];
        const int d = unknowns_per_node(r);
        for (int k = 0; v && k < d * r->n_nodes; k++)
            most = larger(most, fabs(v[k]) * (k % d < 3 ? r->length : 1.0));
        if (v) v += d * r->n_nodes;
        if (r->base_body >= 0 || !p->base_rates) continue;
        const base_motion b = rod_base_at(r, 1.0, p->base_inputs, p->base_rates);
        most = larger(most, larger(vec3_norm(b.w), vec3_norm(b.q) / a->length));
    }
    for (int k = 0; v && k < a->n_bodies; k++, v += 6)
        most =
            larger(most, larger(vec3_norm(vec3_load(v)), vec3_norm(vec3_load(v + 3)) / a->length));
    for (int k = 0; k < a->n_joints && p->base_rates; k++) {
        if (!joint_of(p, k)->driven) continue;
        const base_motion b = frame_at(&joint_of(p, k)->frame, 1.0, p->base_inputs, p->base_rates);
        most = larger(most, larger(vec3_norm(b.w), vec3_norm(b.q) / a->length));
    }
    return most;
}

// The point that is reached from `from` after t with the velocity v.
void motion_go_on(const assembly_problem *p, const double *from, double t, const double *v,
                  double *to) {
    const assembly *a = p->a;
    memcpy(to, from, sizeof(double) * (size_t)n_point(a));
    for (int i = 0; i < a->n_rods; i++) {
        const int n = a->first[i + 1] - a->first[i] - p->c->rods[a->rods[i]].n_efforts;
        for (int k = 0; k < n; k++) to[a->first[i] + k] += t * *v++;
    }
    to += a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, to += 7, v += 6) {
        const quat h = quat_mul(quat_load(to + B_H), quat_exp(vec3_scale(vec3_load(v), t)));
        vec3_store(to, vec3_madd(vec3_load(to), t, vec3_load(v + 3)));
        quat_store(to + B_H, quat_normalise(h));
    }
}

typedef struct bases {  // what moves them, at an instant
    const double *places, *rates, *accelerations;
} bases;

bool motion_evaluate(assembly_problem *p, const double *point, const double *places,
                     const double *rates) {
    p->base_inputs = places;
    p->base_rates = rates;
    assembly_prepare(p);
    return assembly_evaluate(p, point, p->own->residual);
}

// (dW/dt) v by a central difference of fourth order.
static bool add_convection(assembly_problem *p, const double *point, const double *v,
                           const bases *b) {
    static const double weights[5] = {1.0 / 12.0, -8.0 / 12.0, 0.0, 8.0 / 12.0, -1.0 / 12.0};
    p->base_inputs = b->places;
    p->base_rates = b->rates;
    const double speed = motion_speed(p, v), e = MOTION_REACH / speed;
    double *at = p->own->points[4], *places = p->m->half_loads;
    if (!(speed > 0.0)) return true;
    for (int i = 0; i < 5; i++) {
        const double t = (i - 2) * e;
        if (i == 2) continue;
        for (int k = 0; k < p->c->n_inputs; k++)
            places[k] = b->places[k] + (b->rates ? t * b->rates[k] : 0.0);
        memcpy(at, point, sizeof(double) * (size_t)n_point(p->a));
        if (v) motion_go_on(p, point, t, v, at);
        motion_set_rates(p, at, v);
        if (!motion_evaluate(p, at, places, b->rates)) return false;
        add_velocities(p, weights[i] / e, true);
    }
    return true;
}

// By the rods themselves: a state that was only written has no problems yet.
static bool any_rubs(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        const rod_problem one = {
            .r = r, .m = &p->m->rods[p->a->rods[i]], .touches = r->n_obstacles > 0};
        if (problem_rubs(&one)) return true;
    }
    return false;
}

// The shape of the configuration with its velocities and accelerations, into the trials, and the residual
// of assembly.h in own->residual.
bool motion_move(assembly_problem *p, const solve_instant *at, const configuration *c) {
    const bases b = {at->places, at->place_rates, at->place_accelerations};
    double *point = p->own->points[3];
    p->inputs = at->inputs;
    p->c0 = 0.0;
    p->sudden = at->sudden;
    p->following = true;
    motion_to_point(p, c->q, c->l, point);
    clear_accelerations(p);
    if ((c->a || b.accelerations) && !at->odd) {
        motion_set_rates(p, point, c->a);
        if (!motion_evaluate(p, point, b.places, b.accelerations)) return false;
        add_velocities(p, 1.0, false);
    }
    const bool even = !at->odd || any_rubs(p);  // friction by speed is odd
    if (even && (c->v || b.rates) && !add_convection(p, point, c->v, &b)) return false;
    motion_set_rates(p, point, c->v);
    return motion_evaluate(p, point, b.places, b.rates);
}

static void residual(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers) {
    assembly_problem *p = of;
    (void)powers;
    if (!motion_move(p, at, c)) {
        r[0] = (double)NAN;  // what follows is refused as not finite
        return;
    }
    to_rows(p, p->own->residual, r);
}

static const char *lacks_potential(void *of, const solve_instant *at) {
    assembly_problem *p = of;
    p->inputs = at->inputs;
    p->base_inputs = at->places;
    p->base_rates = NULL;
    assembly_prepare(p);
    if (assembly_rubs(p)) return "tendons rub";
    return assembly_has_potential(p) ? NULL : "loads have no potential";
}

// ---------------------------------------------------------------- rods that are fed
// The material keeps its distance from the tip: it moves past a node by element_passed for a metre that is fed, so that its
// strain has the rate X_t + passed X_s L_t.
static void add_fed_strains(const space_scheme *scheme, const rod *r, double by, const double *X,
                            double *kappa) {
    const int d = unknowns_per_node(r);
    double row[GAUSS_MAX];
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const double *here = X + d * e->node;
        double *to = kappa + d * e->node;
        for (int i = 0; i < e->n_nodes; i++, to += d) {
            const double passed = element_passed(r, e, e->shares[i]);
            past_weight_slopes(scheme, r, e, e->shares[i], row);
            for (int j = 0; j < d * e->n_nodes; j++)
                to[j % d] += by * passed / e->length * row[j / d] * here[j];
        }
    }
}

static void fed(void *of, const configuration *c, int input, double *kappa) {
    const assembly_problem *p = of;
    const double *X = c->q;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = p->m->rods[p->a->rods[i]].r;
        const int n = n_strains(r);
        if (is_driven_by(&r->feed, input)) add_fed_strains(p->c->scheme, r, r->feed.gain, X, kappa);
        X += n, kappa += n;
    }
}

// ---------------------------------------------------------------- a part
static const mechanics motion_mechanics = {.residual = residual,
                                           .slopes = motion_slopes,
                                           .outputs = motion_output_slopes,
                                           .fed = fed,
                                           .relaxing = motion_relaxing,
                                           .strains = motion_strains,
                                           .lacks_potential = lacks_potential};

static void set_units(const assembly_problem *p, double *unit, double *effort_unit) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &p->c->rods[a->rods[i]];
        const int d = unknowns_per_node(r);
        for (int k = 0; k < d * r->n_nodes; k++) *unit++ = k % d < 3 ? 1.0 / r->length : 1.0;
        for (int k = 0; k < r->n_actuators; k++)
            for (int j = 0; j < r->actuators[k].n_efforts; j++)
                *effort_unit++ = r->actuators[k].effort_scale;
    }
    for (int k = 0; k < 6 * a->n_bodies; k++) *unit++ = k % 6 < 3 ? 1.0 : a->length;
    for (int k = 0; k < a->n_reactions; k++) *effort_unit++ = a->force;
}

// Velocities of the state as it is: of the last step, or none.
static void recall_velocities(const assembly_problem *p, double *v) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &p->c->rods[a->rods[i]];
        const int d = unknowns_per_node(r);
        for (int k = 0; k < r->n_nodes; k++, v += d)
            copy_doubles(d, v, p->m->rods[a->rods[i]].rate + (size_t)k * F_SIZE + F_U);
    }
    for (int k = 0; k < a->n_bodies; k++, v += 6) {
        const double *f = p->m->bodies[a->bodies[k]].fields[0];
        vec3_store(v, vec3_load(f + B_W));
        vec3_store(v + 3, quat_rotate(quat_load(f + B_H), vec3_load(f + B_Q)));
    }
}

void motion_layout(const cosserat *c, const assembly *a, arena *work, assembly_memory *m) {
    int efforts = 0;
    for (int i = 0; i < a->n_rods; i++) efforts += c->rods[a->rods[i]].n_efforts;
    const int n = a->first[a->n_rods] - efforts;
    m->n_moving = n + 6 * a->n_bodies;
    m->moving.q = ARENA_TAKE(work, double, n + 7 * a->n_bodies);
    m->moving.v = ARENA_TAKE(work, double, m->n_moving);
    m->moving.a = ARENA_TAKE(work, double, m->n_moving);
    m->moving.l = ARENA_TAKE(work, double, efforts + a->n_reactions);
    m->moving_unit = ARENA_TAKE(work, double, m->n_moving + efforts + a->n_reactions);
}

solve_part cosserat_motion(const void *compiled, void *memory, int index) {
    static const double present[3] = {1.0, 0.0, 0.0};
    const cosserat *c = compiled;
    const assembly *a = &c->assemblies[index];
    assembly_problem p = {.c = c, .a = a, .m = memory};
    const int efforts = n_efforts(&p), strains = a->first[a->n_rods] - efforts;
    if (c->options.space != TD_COLLOCATION) return (solve_part){.how = &motion_mechanics};
    solve_part out = {.how = &motion_mechanics,
                      .name = a->n_rods ? c->rods[a->rods[0]].name : "",
                      .n_x = strains + 7 * a->n_bodies,
                      .n_q = strains + 6 * a->n_bodies,
                      .n_l = efforts + a->n_reactions,
                      .n_frames = a->n_bodies,
                      .n_slopes = motion_slopes_scratch(c, a),
                      .judged = true};
    out.n_relaxing = motion_n_relaxing(c, a, &out.n_flows);
    if (!memory) return out;
    assembly_memory *own = &((cosserat_memory *)memory)->assemblies[index];
    p.own = own, p.fraction = p.turn = 1.0, p.stats = &own->asked_stats;
    own->asked = p;
    out.of = &own->asked;
    out.m = &own->moving;
    out.unit = own->moving_unit;
    out.effort_unit = own->moving_unit + out.n_q;
    set_units(&p, own->moving_unit, own->moving_unit + out.n_q);
    for (int i = 0; i < a->n_rods; i++) {
        rod_memory *m = &p.m->rods[a->rods[i]];
        m->r = rod_of_length(&c->rods[a->rods[i]], m, m->lengths[0]);
    }
    assembly_recall(&p, present, own->points[3]);
    from_point(&p, own->points[3], own->moving.q, own->moving.l);
    recall_velocities(&p, own->moving.v);
    memset(own->moving.a, 0, sizeof(double) * (size_t)out.n_q);
    return out;
}

static coordinate_words strain_words(const rod *r, int k) {
    const int d = unknowns_per_node(r), i = k % d;
    coordinate_words out = {.rod = r->index, .body = -1, .unit = i < 3 ? "1/m" : "1"};
    snprintf(out.what, sizeof out.what, "node%d.%s_%c", k / d + 1, i < 3 ? "curvature" : "strain",
             "xyz"[i % 3]);
    return out;
}

coordinate_words cosserat_coordinate(const void *compiled, int part, int k) {
    const cosserat *c = compiled;
    const assembly *a = &c->assemblies[part];
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        const int n = n_strains(r);
        if (k < n) return strain_words(r, k);
        k -= n;
    }
    const int body = a->bodies[k / 6];
    const char *const word = frame_words[k % 6];
    coordinate_words out = {.rod = -1, .body = c->bodies[body].body, .unit = frame_units[k % 6]};
    const int of = hinge_rod(c, body);
    if (of >= 0) out.rod = c->rods[of].index;
    snprintf(out.what, sizeof out.what, "%s%s",
             of < 0                          ? ""
             : c->rods[of].base_body == body ? "hinge."
                                             : "slider.",
             word);
    return out;
}

// ---------------------------------------------------------------- taking it over
// The shape in the trials, with its rates in the histories, becomes the current one.
static void accept_rod(const rod *r, rod_memory *m) {
    const size_t n = (size_t)r->n_nodes * F_SIZE,
                 n_ends = r->ridden ? 6 * (size_t)r->n_elements : 0;
    memory_accept(m->r, m);
    memset(m->grips, 0, sizeof(double) * (size_t)r->n_points);
    memset(m->slips, 0,  // it is a new beginning: nothing sticks yet
           sizeof(double) * CONTACT_KEPT * (size_t)r->n_obstacles * ((size_t)r->n_nodes + 1));
    memcpy(m->rate, m->history, sizeof(double) * n);
    memcpy(m->end_rate, m->end_history, sizeof(double) * n_ends);
    memcpy(m->passed_rate, m->passed_history, sizeof(double) * (size_t)r->n_points);
    for (int i = 1; i < 3; i++) {
        memcpy(m->fields[i], m->fields[0], sizeof(double) * n);
        memcpy(m->ends[i], m->ends[0], sizeof(double) * n_ends);
        memcpy(m->efforts[i], m->efforts[0], sizeof(double) * (size_t)r->n_efforts);
        memcpy(m->passed[i], m->passed[0], sizeof(double) * (size_t)r->n_points);
        m->lengths[i] = m->lengths[0];
    }
}

td_status cosserat_take(const void *compiled, void *memory, const model_call *call, int index,
                        const solve_instant *at, const configuration *x) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    const solve_part part = cosserat_motion(c, m, index);
    assembly_problem *p = part.of;
    if (!motion_move(p, at, x)) return TD_ERR_NOT_FINITE;
    assembly_publish(p);
    for (int i = 0; i < p->a->n_rods; i++) {
        rod_memory *mr = &m->rods[p->a->rods[i]];
        const td_status possible = memory_check(mr->r, mr, call->message);
        if (possible < 0) return possible;
        accept_rod(&c->rods[p->a->rods[i]], mr);
    }
    for (int k = 0; k < p->a->n_bodies; k++) {
        body_memory *b = &m->bodies[p->a->bodies[k]];
        body_rest(b);
        memcpy(b->rate, b->history, sizeof(double) * B_SIZE);
    }
    for (int i = 0; i < 3 && p->a->n_reactions; i++)
        copy_doubles(p->a->n_reactions, m->reactions[i] + p->a->reaction, x->l + n_efforts(p));
    *m->time = (cosserat_time){.levels = 1.0};
    p->own->kept->closed = 0.0;
    return TD_OK;
}

// Joints must fit where a shape is set.
double cosserat_finish(const void *compiled, void *memory, const model_call *call,
                       const solve_instant *at, shape_origin from, td_status *status) {
    const cosserat *c = compiled;
    (void)at;
    if (from != SHAPE_MOVED) springs_work(c, memory, call->inputs, false);
    if (from == SHAPE_IN_EQUILIBRIUM) *status = cosserat_rested(c, memory, call);
    for (int i = 0; i < c->n_assemblies && from == SHAPE_SET && *status >= 0; i++) {
        assembly_problem p = assembly_at(c, i, memory, call);
        *status = assembly_check_closed(&p, call->message);
    }
    return 0.0;
}

step_scheme cosserat_scheme(const void *compiled, double dt) {
    const td_options *o = &((const cosserat *)compiled)->options;
    const double past[2] = {dt, dt};
    if (o->scheme == TD_SDIRK2) return step_scheme_sdirk2(dt);
    const time_formula f = time_formula_make(o->scheme, o->alpha, dt, past, 3);
    const int levels = f.c[2] != 0.0 ? 3 : f.c[1] != 0.0 ? 2 : 1;
    return (step_scheme){.n_stages = 1,
                         .n_levels = levels,
                         .rate = f.d1 != 0.0,
                         .stages = {{f.c0, {f.c[0], f.c[1], f.c[2]}, f.d1, 1.0}}};
}
