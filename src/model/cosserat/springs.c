// model/cosserat/springs.c - springs and dampers of joints: what they do to the body that is held, and to the one
// that holds it.
//
// With the frame of the joint, its axis a and origin f, and what is held at p with the rotation R,
//
//     prismatic  x = a.(p - f)       revolute  x = the angle of R about a, within half a turn
//     effort     e = -(k (x - rest) + d x_t) + what its motor pushes with,   a force e a at p, or a moment e a
//
// and dx = a.dp or a.z_a, where the joint holds the other ways; on a body, which moves with z_h, with z - z_h in
// place of z, and da = z_h x a. The holder has the opposite of what is held.
#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"

typedef struct spring {
    vec3 axis;  // world
    bool turns;
    double x, rate;
} spring;

static double angle_about(vec3 axis, const mat3 *frame, const mat3 *held) {
    const mat3 R = mat3_tmul(frame, held);
    const quat q = quat_from_mat3(&R);
    const double s = vec3_dot(axis, quat_vector(q));
    return 2.0 * atan2(q.w < 0.0 ? -s : s, fabs(q.w));
}

// a: spatial velocity of what is held, less that of its holder.
static spring spring_at(const joint *j, const se3 *frame, const se3 *held, vec6 a) {
    spring s = {.axis = mat3_mul_vec(&frame->R, j->axis), .turns = j->kind == TD_REVOLUTE};
    if (s.turns) {
        s.x = angle_about(j->axis, &frame->R, &held->R);
        s.rate = vec3_dot(s.axis, a.a);
    } else {
        s.x = vec3_dot(s.axis, vec3_sub(held->p, frame->p));
        s.rate = vec3_dot(s.axis, vec3_add(a.l, vec3_cross(a.a, held->p)));
    }
    return s;
}

static double stretch_of(const joint *j, const spring *s, const double *inputs, double share) {
    return s->x - share * number_value(j->spring.rest, inputs);
}

static joint_push push_at(const joint *j, const spring *s, const cosserat_memory *m,
                          const double *inputs, double share) {
    if (!j->motor) return (joint_push){0};
    const supply from =
        actuator_supply(j->motor, number_value(j->motor->value, inputs), share, m->engines);
    return actuator_push(j->motor, from, s->turns, s->x);
}

typedef struct joint_pull {  // along x
    double effort;
    double stiffness, damping;  // with which it falls
} joint_pull;

static joint_pull pull_at(const assembly_problem *p, const joint *j, const spring *s) {
    const joint_push push = push_at(j, s, p->m, p->inputs, p->fraction);
    const double stretch = stretch_of(j, s, p->base_inputs, p->fraction);
    return (joint_pull){push.effort - j->spring.stiffness * stretch - j->spring.damping * s->rate,
                        j->spring.stiffness - push.by_x, j->spring.damping};
}

// The effort as a spatial wrench at p.
static vec6 as_wrench(const spring *s, vec3 p, double effort) {
    const vec3 e = vec3_scale(s->axis, effort);
    return s->turns ? vec6_make(e, vec3_zero()) : wrench_at(p, vec3_zero(), e);
}

vec6 spring_wrench(const assembly_problem *p, int body, const body_motion *b, double *by_z,
                   double *by_a) {
    const int k = p->c->bodies[body].spring;
    if (by_a) memset(by_a, 0, 36 * sizeof *by_a);
    if (k < 0) return vec6_zero();
    const joint *j = joint_of(p, k);
    const spring s = spring_at(j, &p->own->joints[k].frame, &b->T, b->a);
    const vec3 at = b->T.p;
    const joint_pull now = pull_at(p, j, &s);
    const double effort = now.effort, stiffness = now.stiffness, damping = now.damping;
    for (int i = 0; i < 6 && (by_z || by_a); i++) {
        double unit[6] = {0.0}, column[6];
        unit[i] = 1.0;
        const vec6 z = vec6_load(unit);
        const vec3 dp = vec3_add(z.l, vec3_cross(z.a, at));
        if (by_a) {
            const double rate = vec3_dot(s.axis, s.turns ? z.a : dp);
            vec6_store(column, as_wrench(&s, at, -damping * rate));
            for (int r = 0; r < 6; r++) by_a[6 * r + i] = column[r];
        }
        if (!by_z) continue;
        for (int r = 0; r < 6; r++) column[r] = b->by_z[6 * r + i];
        const vec6 da = vec6_load(column);
        const vec3 dv = vec3_add(vec3_add(da.l, vec3_cross(da.a, at)), vec3_cross(b->a.a, dp));
        const double dx = vec3_dot(s.axis, s.turns ? z.a : dp),
                     rate = vec3_dot(s.axis, s.turns ? da.a : dv);
        vec6 dS = as_wrench(&s, at, -stiffness * dx - damping * rate);
        if (!s.turns) dS.a = vec3_add(dS.a, vec3_cross(dp, vec3_scale(s.axis, effort)));
        vec6_store(column, dS);
        for (int r = 0; r < 6; r++) by_z[6 * r + i] += column[r];
    }
    return as_wrench(&s, at, effort);
}

// ---------------------------------------------------------------- between bodies
// Against the rate of x, `factor` times its answer to a relative velocity.
static vec6 by_rate(const spring *s, vec3 p, double factor, vec6 a) {
    const vec3 moved = vec3_add(a.l, vec3_cross(a.a, p));
    return as_wrench(s, p, factor * vec3_dot(s->axis, s->turns ? a.a : moved));
}

// How the wrench of a spring changes: `z` and `turn` are the relative motion and the holder's turn, `da` how the
// relative velocity a changes, dp the way of what is held.
static vec6 spring_change(const joint_pull *now, const spring *s, vec3 p, vec6 a, vec6 z, vec3 turn,
                          vec6 da, vec3 dp) {
    const vec3 axis = vec3_cross(turn, s->axis), moved = vec3_add(z.l, vec3_cross(z.a, p));
    const vec3 speed = vec3_add(a.l, vec3_cross(a.a, p));
    const vec3 faster = vec3_add(vec3_add(da.l, vec3_cross(da.a, p)), vec3_cross(a.a, dp));
    const double dx = vec3_dot(s->axis, s->turns ? z.a : moved);
    const double rate =
        vec3_dot(s->axis, s->turns ? da.a : faster) + vec3_dot(axis, s->turns ? a.a : speed);
    vec6 out = as_wrench(s, p, -now->stiffness * dx - now->damping * rate);
    const spring turned = {.axis = axis, .turns = s->turns};
    out = vec6_add(out, as_wrench(&turned, p, now->effort));
    if (!s->turns) out.a = vec3_add(out.a, vec3_cross(dp, vec3_scale(s->axis, now->effort)));
    return out;
}

vec6 spring_between(const assembly_problem *p, int k, double *by_held, double *by_holder,
                    double *by_a) {
    const joint *j = joint_of(p, k);
    const body_motion *held = &p->own->bodies[p->c->bodies[j->held].place];
    const body_motion *holder = &p->own->bodies[p->c->bodies[j->holder].place];
    const vec6 a = vec6_sub(held->a, holder->a);
    const spring s = spring_at(j, &p->own->joints[k].frame, &held->T, a);
    const vec3 at = held->T.p;
    const joint_pull now = pull_at(p, j, &s);
    double *const out[3] = {by_held, by_holder, by_a};
    for (int i = 0; i < 18; i++) {
        double unit[6] = {0.0}, column[6];
        if (!out[i / 6]) continue;
        unit[i % 6] = 1.0;
        const vec6 z = vec6_load(unit);
        const body_motion *moves = i < 6 ? held : holder;
        for (int r = 0; r < 6; r++) column[r] = moves->by_z[6 * r + i % 6];
        const vec6 da = vec6_load(column);
        vec6 change;
        if (i < 6)
            change = spring_change(&now, &s, at, a, z, vec3_zero(), da,
                                   vec3_add(z.l, vec3_cross(z.a, at)));
        else if (i < 12)
            change = spring_change(&now, &s, at, a, vec6_neg(z), z.a, vec6_neg(da), vec3_zero());
        else change = by_rate(&s, at, -now.damping, z);
        vec6_store(column, change);
        for (int r = 0; r < 6; r++) out[i / 6][6 * r + i % 6] = column[r];
    }
    return as_wrench(&s, at, now.effort);
}

bool shaft_at(const assembly_problem *p, int k, shaft *out) {
    const joint *j = joint_of(p, k);
    if (!j->motor) return false;
    const body_motion *held = &p->own->bodies[p->c->bodies[j->held].place];
    const spring s = spring_at(j, &p->own->joints[k].frame, &held->T, held->a);
    const joint_push now = push_at(j, &s, p->m, p->inputs, p->fraction);
    const double lead = j->motor->lead;
    *out = (shaft){.of = j->motor, .by_turn = now.by_x * lead * lead};
    vec6_store(out->wrench, vec6_scale(as_wrench(&s, held->T.p, 1.0), 1.0 / lead));
    return true;
}

// ---------------------------------------------------------------- the current state
static vec6 body_at_fields(const double *f, se3 *T) {
    const quat h = quat_normalise(quat_load(f + B_H));
    const vec3 Om = quat_rotate(h, vec3_load(f + B_W)), V = quat_rotate(h, vec3_load(f + B_Q));
    *T = (se3){quat_to_mat3(h), vec3_load(f + B_P)};
    return vec6_make(Om, vec3_add(V, vec3_cross(T->p, Om)));
}

// found: in the shape of the step in progress, not where the last one ended.
static spring spring_in(const joint *j, const cosserat_memory *m, bool found) {
    const body_memory *b = m->bodies;
    se3 held, holder, frame = j->place;
    vec6 a = body_at_fields(found ? b[j->held].trial : b[j->held].fields[0], &held);
    if (j->holder >= 0) {
        const double *f = found ? b[j->holder].trial : b[j->holder].fields[0];
        a = vec6_sub(a, body_at_fields(f, &holder));
        frame = se3_mul(&holder, &frame);
    }
    return spring_at(j, &frame, &held, a);
}

static spring spring_now(const joint *j, const cosserat_memory *m) {
    return spring_in(j, m, false);
}

void springs_take_engines(const cosserat *c, const cosserat_memory *m, const double *inputs) {
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        if (!j->motor) continue;
        const spring s = spring_in(j, m, true);
        push_at(j, &s, m, inputs, 1.0);
    }
}

vec6 spring_effort_now(const cosserat *c, const cosserat_memory *m, int k, const double *inputs) {
    const joint *j = &c->joints[k];
    const spring s = spring_now(j, m);
    const double effort =
        -j->spring.stiffness * stretch_of(j, &s, inputs, 1.0) - j->spring.damping * s.rate;
    const double push = j->motor ? m->springs[N_SPRING * k + SHAFT_TORQUE] / j->motor->lead : 0.0;
    return as_wrench(&s, vec3_zero(), effort + push);
}

double springs_energy(const cosserat *c, const cosserat_memory *m, const double *inputs) {
    double sum = 0.0;
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        if (!j->springs) continue;
        const spring s = spring_now(j, m);
        const double x = stretch_of(j, &s, inputs, 1.0);
        const double torque = m->springs[N_SPRING * k + SHAFT_TORQUE];
        sum += 0.5 * j->spring.stiffness * x * x;
        if (j->motor) sum += 0.5 * j->motor->yield * torque * torque;
    }
    return sum;
}

double springs_loss(const cosserat *c, const cosserat_memory *m) {
    double sum = 0.0;
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        if (!j->springs) continue;
        const spring s = spring_now(j, m);
        sum += j->spring.damping * s.rate * s.rate;
    }
    return sum;
}

// Of m->springs at the end of the last step. `since`: the work counts from there.
double springs_work(const cosserat *c, cosserat_memory *m, const double *inputs, bool since) {
    double sum = 0.0;
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        double *past = m->springs + N_SPRING * k;
        if (!j->springs) continue;
        const spring s = spring_now(j, m);
        const double rest = number_value(j->spring.rest, inputs);
        const double pull = j->spring.stiffness * (s.x - rest);
        const joint_push push = push_at(j, &s, m, inputs, 1.0);
        if (since) sum -= 0.5 * (pull + past[SPRING_PULL]) * (rest - past[SPRING_REST]);
        if (since)
            sum +=
                0.5 * (push.torque + past[SHAFT_TORQUE]) * (push.supplied - past[SHAFT_SUPPLIED]);
        past[SPRING_PULL] = pull, past[SPRING_REST] = rest;
        past[SHAFT_TORQUE] = push.torque, past[SHAFT_TURN] = push.turn;
        past[SHAFT_SUPPLIED] = push.supplied;
    }
    return sum;
}

td_actuator_state shaft_state(const cosserat *c, const cosserat_memory *m, const actuator *a) {
    int k = 0;
    while (c->joints[k].motor != a) k++;
    const double *now = m->springs + N_SPRING * k;
    return (td_actuator_state){.effort = now[SHAFT_TORQUE],
                               .end_effort = now[SHAFT_TORQUE],
                               .measure = now[SHAFT_TURN],
                               .supplied = now[SHAFT_SUPPLIED]};
}
