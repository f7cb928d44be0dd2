// model/cosserat/assembly.c - the equations of an assembly: evaluated, factored, solved.
#include "model/cosserat/assembly.h"

#include <math.h>
#include <string.h>

#define SMALL_GAP 1e-4  // lengths of a rod: rods that are pressed so far do not buckle on the way

// ---------------------------------------------------------------- memory
static void layout_answers(const cosserat *c, const assembly *a, arena *keep, arena *work,
                           assembly_memory *m) {
    m->answers = ARENA_TAKE(work, rod_answer, a->n_rods);
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        int n = r->base_body >= 0 ? 6 : 0;
        if (a->tips[i] >= 0) n += c->joints[a->joints[a->tips[i]]].n_reactions;
        double *X = ARENA_TAKE(keep, double, n *(a->first[i + 1] - a->first[i]));
        double *base = ARENA_TAKE(keep, double, r->base_body >= 0 ? 6 * n : 0);
        if (!m->answers) continue;
        m->answers[i].n = n;
        m->answers[i].X = X;
        m->answers[i].base = base;
    }
}

static assembly_memory layout_assembly(const cosserat *c, const assembly *a, arena *keep,
                                       arena *work) {
    const size_t n = (size_t)n_border(a);
    assembly_memory m = {.kept = ARENA_TAKE(keep, kept_border, 1)};
    m.border = ARENA_TAKE(keep, double, n *n);
    m.pivot = ARENA_TAKE(keep, int, n);
    m.factors = ARENA_TAKE(keep, joint_factor, a->n_joints);
    m.rows = ARENA_TAKE(work, int, a->n_joints);
    m.whole = ARENA_TAKE(work, double, n *n);
    m.rests = ARENA_TAKE(work, joint_rest, a->n_joints);
    layout_answers(c, a, keep, work, &m);
    m.problems = ARENA_TAKE(work, rod_problem, a->n_rods);
    m.shares = ARENA_TAKE(work, rod_share, a->n_rods);
    m.bodies = ARENA_TAKE(work, body_motion, a->n_bodies);
    m.joints = ARENA_TAKE(work, joint_motion, a->n_joints);
    m.gaps = ARENA_TAKE(work, double, 6 * a->n_joints);
    m.body_pushes = ARENA_TAKE(work, body_push, a->n_bodies);
    m.coupling = coupling_layout(c, a, work);
    m.now = ARENA_TAKE(work, double, n_point(a));
    m.residual = ARENA_TAKE(work, double, n_change(a));
    m.change = ARENA_TAKE(work, double, n_change(a));
    m.side = ARENA_TAKE(work, double, n);
    for (int i = 0; i < 5; i++) m.points[i] = ARENA_TAKE(work, double, n_point(a));
    m.unit = ARENA_TAKE(work, double, n_change(a));
    m.seen_inputs = ARENA_TAKE(work, double, c->n_inputs);
    const solve_part part = cosserat_part(c, NULL, (int)(a - c->assemblies));
    solve_layout(&part, work, work, &m.solve);
    motion_layout(c, a, work, &m);
    return m;
}

static void layout_bodies(const cosserat *c, arena *keep, arena *work, cosserat_memory *m) {
    m->bodies = ARENA_TAKE(work, body_memory, c->n_bodies);
    for (int k = 0; k < c->n_bodies; k++) {
        body_memory b;
        for (int i = 0; i < 3; i++) b.fields[i] = ARENA_TAKE(keep, double, B_SIZE);
        b.rate = ARENA_TAKE(keep, double, B_SIZE);
        b.history = ARENA_TAKE(work, double, B_SIZE);
        b.trial = ARENA_TAKE(work, double, B_SIZE);
        if (m->bodies) m->bodies[k] = b;
    }
}

void assembly_layout(const cosserat *c, arena *keep, arena *work, cosserat_memory *m) {
    int n_reactions = 0;
    for (int k = 0; k < c->n_joints; k++) n_reactions += c->joints[k].n_reactions;
    for (int i = 0; i < 3; i++) m->reactions[i] = ARENA_TAKE(keep, double, n_reactions);
    m->springs = ARENA_TAKE(keep, double, N_SPRING * c->n_joints);
    layout_bodies(c, keep, work, m);
    m->touch = touch_layout(&c->touch, keep, work);
    m->pairs = pairs_layout(&c->contacts, keep, work);
    m->assemblies = ARENA_TAKE(work, assembly_memory, c->n_assemblies);
    for (int i = 0; i < c->n_assemblies; i++) {
        assembly_memory one = layout_assembly(c, &c->assemblies[i], keep, work);
        if (m->assemblies) m->assemblies[i] = one;
    }
}

// ---------------------------------------------------------------- the instant
assembly_problem assembly_at(const cosserat *c, int index, cosserat_memory *m,
                             const model_call *call) {
    return (assembly_problem){.c = c,
                              .a = &c->assemblies[index],
                              .m = m,
                              .own = &m->assemblies[index],
                              .inputs = call->inputs,
                              .base_inputs = call->inputs,
                              .fraction = 1.0,
                              .turn = 1.0,
                              .stats = call->stats};
}

// As rod_prepare, with what moves (length, displacements, volumes) at inputs of its own: those
// half-way where a step is split.
static void rod_prepare_motion(const rod *compiled, rod_memory *m, const double *inputs,
                               const double *base_inputs, double scale) {
    rod_prepare(compiled, m, inputs, scale);
    if (inputs == base_inputs) return;
    rod_prepare_obstacles(compiled, m, base_inputs);
    m->r = rod_of_length(compiled, m, rod_length_at(compiled, base_inputs));
    for (int i = 0; i < compiled->n_actuators; i++) {
        const actuator *a = compiled->actuators[i].a;
        if (a->control != CONTROL_EFFORT && !actuator_is_driven(a))
            m->given[i] = actuator_given(a, base_inputs, scale);
    }
}

void assembly_prepare_rod(const assembly_problem *p, int i) {
    const rod *r = &p->c->rods[p->a->rods[i]];
    rod_memory *m = &p->m->rods[p->a->rods[i]];
    rod_prepare_motion(r, m, p->inputs, p->base_inputs, p->fraction);
    m->touch = &p->m->touch;
    m->elapsed = p->sudden ? 0.0 : p->c0 > 0.0 ? p->dt : HUGE_VAL;
    past_carry_inner(m);
    p->own->problems[i] = (rod_problem){.r = m->r,
                                        .options = &p->c->options,
                                        .m = m,
                                        .c0 = p->c0,
                                        .gravity = p->gravity,
                                        .touches = r->n_obstacles > 0,
                                        .stats = p->stats};
    if (r->base_body < 0)
        p->own->problems[i].base = rod_base_at(r, p->turn, p->base_inputs, p->base_rates);
}

void assembly_prepare(assembly_problem *p) {
    p->gravity = rod_gravity_at(p->c, p->inputs, p->fraction);
    touch_move(&p->c->touch, &p->m->touch, p->base_inputs, p->base_rates, 1.0);
    for (int i = 0; i < p->a->n_rods; i++) assembly_prepare_rod(p, i);
}

void assembly_forget(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        memset(m->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        memset(m->end_history, 0, r->ridden ? sizeof(double) * 6 * (size_t)r->n_elements : 0);
        memset(m->passed_history, 0, sizeof(double) * (size_t)r->n_points);
    }
    for (int k = 0; k < p->a->n_bodies; k++)
        memset(p->m->bodies[p->a->bodies[k]].history, 0, sizeof(double) * B_SIZE);
}

// ---------------------------------------------------------------- points
static const double *pose_in(const assembly *a, const double *point, int body) {
    return point + a->first[a->n_rods] + 7 * body;
}

void assembly_recall(const assembly_problem *p, const double w[3], double *point) {
    const assembly *a = p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod_memory *m = &p->m->rods[a->rods[i]];
        p->c->scheme->recall(m->r, m, w, point + a->first[i]);
    }
    double *to = point + a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, to += 7) {
        double *const *fields = p->m->bodies[a->bodies[k]].fields;
        for (int i = 0; i < 7; i++)
            to[i] = w[0] * fields[0][i] + w[1] * fields[1][i] + w[2] * fields[2][i];
        quat_store(to + B_H, quat_normalise(quat_load(to + B_H)));
    }
    for (int i = 0; i < a->n_reactions; i++)
        to[i] = w[0] * p->m->reactions[0][a->reaction + i] +
                w[1] * p->m->reactions[1][a->reaction + i] +
                w[2] * p->m->reactions[2][a->reaction + i];
}

void assembly_move(const assembly_problem *p, const double *from, double scale,
                   const double *change, double *to) {
    const assembly *a = p->a;
    const int n = a->first[a->n_rods];
    for (int i = 0; i < n; i++) to[i] = from[i] + scale * change[i];
    from += n, change += n, to += n;
    for (int k = 0; k < a->n_bodies; k++, from += 7, change += 6, to += 7) {
        vec6 z = vec6_scale(vec6_load(change), scale);
        se3 step = se3_exp(z);
        vec3_store(to, se3_mul_point(&step, vec3_load(from)));
        // predictions along a path leave it longer or shorter than one
        quat turned = quat_mul(quat_exp(z.a), quat_load(from + B_H));
        quat_store(to + B_H, quat_normalise(turned));
    }
    for (int i = 0; i < a->n_reactions; i++) to[i] = from[i] + scale * change[i];
}

static double measure(const assembly_problem *p, const double *change, bool angles) {
    const assembly *a = p->a;
    const scheme_ports *ports = p->c->scheme->ports;
    double largest = 0.0;
    for (int i = 0; i < a->n_rods; i++) {
        const rod_problem *one = &p->own->problems[i];
        const double *own = change + a->first[i];
        double size = angles && ports->angle ? ports->angle(one, own) : ports->size(one->r, own);
        if (!(size <= largest)) largest = size;  // NaN too
    }
    change += a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, change += 6) {
        vec6 z = vec6_load(change);
        vec3 moved = vec3_add(z.l, vec3_cross(z.a, p->own->bodies[k].T.p));
        double size = fmax(vec3_norm(z.a), vec3_norm(moved) / a->length);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

double assembly_size(const assembly_problem *p, const double *change) {
    return measure(p, change, false);
}

double assembly_angle(const assembly_problem *p, const double *change) {
    return measure(p, change, true);
}

// ---------------------------------------------------------------- evaluation
static const body_motion *holder_of(const assembly_problem *p, const joint *j) {
    return j->holder < 0 ? NULL : &p->own->bodies[p->c->bodies[j->holder].place];
}

static void place_bodies(const assembly_problem *p, const double *point) {
    for (int k = 0; k < p->a->n_bodies; k++)
        p->own->bodies[k] =
            body_move(&p->m->bodies[p->a->bodies[k]], pose_in(p->a, point, k), p->c0);
}

static void set_reactions(const assembly_problem *p, const double *point) {
    const double *numbers = pose_in(p->a, point, p->a->n_bodies);
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = joint_of(p, k);
        joint_motion *at = &p->own->joints[k];
        const double *x = numbers + (j->reaction - p->a->reaction);
        at->frame = joint_frame(p, k, holder_of(p, j));
        at->moment = j->n_reactions == 6 ? vec3_load(x) : vec3_zero();
        at->force = vec3_load(x + j->n_reactions - 3);
    }
}

// Base and tip of a rod at a point.
static rod_problem *set_ends(const assembly_problem *p, int i, const double *point) {
    const assembly *a = p->a;
    rod_problem *one = &p->own->problems[i];
    const int body = one->r->base_body, tip = a->tips[i];
    if (body >= 0) {
        const int place = p->c->bodies[body].place;
        one->base = body_base(one->r, &p->own->bodies[place],
                              quat_load(pose_in(a, point, place) + B_H), p->base_rates);
    }
    if (tip >= 0) one->tip = (wrench){p->own->joints[tip].force, p->own->joints[tip].moment};
    if (p->following && one->r->follows && !one->r->kirchhoff)
        rod_stretch(&p->c->rods[a->rods[i]], one->m, point + a->first[i], 6);
    return one;
}

bool assembly_evaluate_rod(const assembly_problem *p, int i, const double *point,
                           double *residual) {
    const int first = p->a->first[i];
    return p->c->scheme->ports->evaluate(set_ends(p, i, point), point + first, residual + first);
}

static void balance_joints(const assembly_problem *p, double *bodies, double *rows) {
    const cosserat *c = p->c;
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = &c->joints[p->a->joints[k]];
        joint_motion *at = &p->own->joints[k];
        if (j->rod >= 0) {
            const rod_memory *m = &p->m->rods[j->rod];
            at->held = state_pose(m->trial_bounds + (size_t)m->r->n_elements * Y_SIZE);
        } else {
            double *row = bodies + 6 * c->bodies[j->held].place;
            at->held = p->own->bodies[c->bodies[j->held].place].T;
            vec6 on_held = wrench_at(at->held.p, at->moment, at->force);
            vec6_store(row, vec6_add(vec6_load(row), on_held));
        }
        if (j->holder >= 0) {
            double *row = bodies + 6 * c->bodies[j->holder].place;
            vec6 on_holder = wrench_at(joint_point(j, at), at->moment, at->force);
            if (springs_between(j)) {
                const vec6 spring = spring_between(p, k, NULL, NULL, NULL);
                double *held = bodies + 6 * c->bodies[j->held].place;
                vec6_store(held, vec6_add(vec6_load(held), spring));
                on_holder = vec6_add(on_holder, spring);
            }
            vec6_store(row, vec6_sub(vec6_load(row), on_holder));
        }
        joint_rows(p, k, rows + (j->reaction - p->a->reaction));
    }
}

bool assembly_balance(const assembly_problem *p, double *residual) {
    double *bodies = residual + p->a->first[p->a->n_rods], sum = 0.0;
    for (int k = 0; k < p->a->n_bodies; k++)
        vec6_store(bodies + 6 * k, body_balance(p, p->a->bodies[k], &p->own->bodies[k], NULL));
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_problem *one = &p->own->problems[i];
        if (one->r->base_body < 0) continue;
        double *row = bodies + 6 * p->c->bodies[one->r->base_body].place;
        const double *y = one->m->trial_bounds;
        vec6 S = wrench_at(vec3_load(y + Y_P), vec3_load(y + Y_M), vec3_load(y + Y_N));
        vec6_store(row, vec6_add(vec6_load(row), S));
    }
    balance_joints(p, bodies, bodies + 6 * p->a->n_bodies);
    for (int i = 0; i < n_border(p->a); i++) sum += bodies[i] * 0.0;
    return sum == 0.0;
}

void assembly_place(const assembly_problem *p, const double *point) {
    touch_move(&p->c->touch, &p->m->touch, p->base_inputs, p->base_rates, 1.0);
    place_bodies(p, point);
    set_reactions(p, point);
}

// ---------------------------------------------------------------- rods side by side
typedef struct rod_job {
    const assembly_problem *p;
    rod_work *work;
    void *context;
} rod_job;

static void do_rod(void *context, int i) {
    const rod_job *job = context;
    job->p->own->shares[i].ok = job->work(job->p, i, job->context);
}

// Each rod counts for itself while others may be at work.
static bool each_by_helpers(const assembly_problem *p, rod_work *work, void *context) {
    rod_job job = {p, work, context};
    assembly_memory *own = p->own;
    bool ok = true;
    for (int i = 0; i < p->a->n_rods; i++) {
        own->shares[i].stats = (td_stats){0};
        own->problems[i].stats = &own->shares[i].stats;
    }
    pool_run(p->m->helpers, do_rod, &job, p->a->n_rods);
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_share *share = &own->shares[i];
        own->problems[i].stats = p->stats;
        p->stats->evaluations += share->stats.evaluations;
        p->stats->jacobians += share->stats.jacobians;
        p->stats->condition = fmax(p->stats->condition, share->stats.condition);
        ok = ok && share->ok;
    }
    return ok;
}

bool assembly_each_rod(const assembly_problem *p, rod_work *work, void *context) {
    if (p->m->helpers) return each_by_helpers(p, work, context);
    for (int i = 0; i < p->a->n_rods; i++)
        if (!work(p, i, context)) return false;
    return true;
}

typedef struct evaluation {
    const double *point;
    double *residual;
} evaluation;

static bool evaluate_one(const assembly_problem *p, int i, void *context) {
    const evaluation *e = context;
    return assembly_evaluate_rod(p, i, e->point, e->residual);
}

static bool go_out(const assembly_problem *p, int i, void *context) {
    const evaluation *e = context;
    p->c->scheme->ports->go_out(set_ends(p, i, e->point), e->point + p->a->first[i]);
    return true;
}

static bool come_back(const assembly_problem *p, int i, void *context) {
    const evaluation *e = context;
    return p->c->scheme->ports->come_back(&p->own->problems[i], e->residual + p->a->first[i]);
}

bool assembly_evaluate(const assembly_problem *p, const double *point, double *residual) {
    evaluation e = {point, residual};
    assembly_place(p, point);
    if (p->a->meets)
        return assembly_each_rod(p, go_out, &e) && pairs_push(p) &&
               assembly_each_rod(p, come_back, &e) && assembly_balance(p, residual);
    return assembly_each_rod(p, evaluate_one, &e) && assembly_balance(p, residual);
}

void assembly_publish(const assembly_problem *p) {
    const scheme_ports *ports = p->c->scheme->ports;
    for (int i = 0; i < p->a->n_rods && ports->publish; i++) ports->publish(&p->own->problems[i]);
}

// ---------------------------------------------------------------- beginning and acceptance
// A hinge sits where its joint holds it.
static void place_hinge(const assembly_problem *p, const joint *j, double *point) {
    double *bodies = point + p->a->first[p->a->n_rods];
    base_motion place = frame_at(&j->frame, p->turn, p->base_inputs, NULL);
    if (j->holder >= 0) {
        const double *pose = bodies + 7 * p->c->bodies[j->holder].place;
        quat h = quat_load(pose + B_H);
        place.p = vec3_add(vec3_load(pose), quat_rotate(h, place.p));
        place.h = quat_mul(h, place.h);
    }
    double *to = bodies + 7 * p->c->bodies[j->held].place;
    vec3_store(to, place.p);
    quat_store(to + B_H, place.h);
}

void assembly_carry(const assembly_problem *p, double *point) {
    const assembly *a = p->a;
    double *bodies = point + a->first[a->n_rods];
    for (int k = 0; k < a->n_joints && a->carries; k++) {
        const joint *j = joint_of(p, k);
        if (j->rod >= 0 || j->kind != TD_CLAMP) continue;
        body_motion holder;
        if (j->holder >= 0) {
            const double *pose = bodies + 7 * p->c->bodies[j->holder].place;
            holder.T = (se3){quat_to_mat3(quat_load(pose + B_H)), vec3_load(pose)};
        }
        const se3 frame = joint_frame(p, k, j->holder >= 0 ? &holder : NULL);
        double *to = bodies + 7 * p->c->bodies[j->held].place;
        const quat h = quat_from_mat3(&frame.R), before = quat_load(to + B_H);
        const double dot = h.w * before.w + h.x * before.x + h.y * before.y + h.z * before.z;
        vec3_store(to, frame.p);
        quat_store(to + B_H, dot < 0.0 ? (quat){-h.w, -h.x, -h.y, -h.z} : h);
    }
}

void assembly_rest_point(const assembly_problem *p, double *point) {
    const assembly *a = p->a;
    memset(point, 0, sizeof(double) * (size_t)n_point(a));
    double *to = point + a->first[a->n_rods];
    for (int k = 0; k < a->n_bodies; k++, to += 7) {
        memcpy(to, p->c->bodies[a->bodies[k]].start.p, 3 * sizeof(double));
        memcpy(to + B_H, p->c->bodies[a->bodies[k]].start.q, 4 * sizeof(double));
    }
    for (int k = 0; k < a->n_joints; k++)
        if (p->c->joints[a->joints[k]].rod < 0) place_hinge(p, &p->c->joints[a->joints[k]], point);
}

bool assembly_open(assembly_problem *p, double *point) {
    p->fraction = 0.0;
    p->own->gapes = false;
    p->own->gives = p->c->options.theory == TD_KIRCHHOFF;
    memset(p->own->gaps, 0, sizeof(double) * 6 * (size_t)p->a->n_joints);
    assembly_prepare(p);
    assembly_rest_point(p, point);
    if (!assembly_evaluate(p, point, p->own->residual)) return false;
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = joint_of(p, k);
        const body_motion *holder = holder_of(p, j);
        double *gap = p->own->gaps + 6 * k;
        joint_gap(j, &p->own->joints[k], holder ? &holder->T : NULL, gap);
        for (int i = 0; i < 6; i++)
            if (fabs(gap[i]) > SMALL_GAP * p->a->length) p->own->gives = p->own->gapes = true;
    }
    return true;
}

void assembly_rest(const assembly_problem *p) {
    const assembly *a = p->a;
    const double *numbers = pose_in(a, p->own->now, a->n_bodies);
    for (int k = 0; k < a->n_bodies; k++) body_rest(&p->m->bodies[a->bodies[k]]);
    for (int i = 0; i < 3 && a->n_reactions; i++)
        memcpy(p->m->reactions[i] + a->reaction, numbers, sizeof(double) * (size_t)a->n_reactions);
}

void assembly_accept(const assembly_problem *p) {
    const assembly *a = p->a;
    const size_t bytes = sizeof(double) * (size_t)a->n_reactions;
    double **reactions = p->m->reactions;
    for (int k = 0; k < a->n_bodies; k++) body_accept(&p->m->bodies[a->bodies[k]], p->c0);
    if (!bytes) return;
    memcpy(reactions[2] + a->reaction, reactions[1] + a->reaction, bytes);
    memcpy(reactions[1] + a->reaction, reactions[0] + a->reaction, bytes);
    memcpy(reactions[0] + a->reaction, pose_in(a, p->own->now, a->n_bodies), bytes);
}

void assembly_reset(const cosserat *c, cosserat_memory *m, const model_call *call) {
    for (int i = 0; i < c->n_assemblies; i++) {
        assembly_problem p = assembly_at(c, i, m, call);
        if (p.a->alone) continue;
        assembly_forget(&p);
        assembly_open(&p, p.own->now);
        assembly_publish(&p);
        for (int k = 0; k < p.a->n_rods; k++) {
            rod_memory *mr = &m->rods[p.a->rods[k]];
            memory_accept(mr->r, mr);
        }
        assembly_rest(&p);
        *p.own->kept = (kept_border){0};
    }
    springs_work(c, m, call->inputs, false);
    touch_move(&c->touch, &m->touch, call->inputs, NULL, 1.0);
    bodies_keep_touch(c, m, SHAPE_SET);
    pairs_accept(c, m, SHAPE_SET);
}
