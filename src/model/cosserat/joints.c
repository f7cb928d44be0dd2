// model/cosserat/joints.c - what holds the tip of a rod, or a hinge, in a frame of a body or the
// world.
//
// Rows of a joint, with a and b axes fixed in the frame and in what is held:
//
//     clamp      log(R_held R_frame')           revolute   across1 . b, across2 . b, moment . a
//     universal  a . b, moment . a, moment . b  all        p_held - p_frame
//     prismatic  as a clamp, but of the shift its parts across a, and force . a: what it holds is a body, and its
//                force acts on both where that is
//
// and d(a . b) = (phi_held - phi_frame) . (b x a). A chain is put together by moving the frames
// of its joints from where they fit the rest shape to where they belong; on the way a joint gives
// a little, so that straight rods, which hardly stretch or not at all, may pass.
#include <stdio.h>
#include <string.h>

#include "model/cosserat/assembly.h"

#define GIVE 3e-3  // at the start of the way, in units of L^3/EI

se3 joint_frame(const assembly_problem *p, int j, const body_motion *holder) {
    se3 F = joint_of(p, j)->place;
    if (joint_of(p, j)->driven) {
        base_motion place = frame_at(&joint_of(p, j)->frame, p->turn, p->base_inputs, NULL);
        F = (se3){quat_to_mat3(place.h), place.p};
    }
    const double open = 1.0 - p->fraction, *gap = p->own->gaps + 6 * j;
    if (open > 0.0) {
        mat3 turn = so3_exp(vec3_scale(vec3_load(gap), open));
        F.R = mat3_mul(&turn, &F.R);
        F.p = vec3_madd(F.p, open, vec3_load(gap + 3));
    }
    return holder ? se3_mul(&holder->T, &F) : F;
}

// ---------------------------------------------------------------- the gap
// The smallest rotation of the frame after which it fits what is held.
static vec3 turn_to_fit(const joint *j, const joint_motion *at) {
    vec3 a = mat3_mul_vec(&at->frame.R, j->axis);
    if (j->kind == TD_CLAMP || j->kind == TD_PRISMATIC) {
        mat3 back = mat3_transpose(&at->frame.R), turn = mat3_mul(&at->held.R, &back);
        return so3_log(&turn);
    }
    if (j->kind == TD_REVOLUTE)
        return quat_log(quat_between(a, mat3_mul_vec(&at->held.R, j->axis)));
    if (j->kind == TD_UNIVERSAL) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis2), across = vec3_madd(a, -vec3_dot(a, b), b);
        if (vec3_norm(across) < 1e-6) across = vec3_perpendicular(b);
        return quat_log(quat_between(a, across));
    }
    return vec3_zero();
}

// Less what a joint that slides lets free.
static vec3 shift_of(const joint *j, const joint_motion *at) {
    const vec3 shift = vec3_sub(at->held.p, at->frame.p);
    if (j->kind != TD_PRISMATIC) return shift;
    const vec3 a = mat3_mul_vec(&at->frame.R, j->axis);
    return vec3_madd(shift, -vec3_dot(a, shift), a);
}

void joint_gap(const joint *j, const joint_motion *at, const se3 *holder, double gap[6]) {
    vec3 turn = turn_to_fit(j, at), shift = shift_of(j, at);
    vec3_store(gap, holder ? mat3_tmul_vec(&holder->R, turn) : turn);
    vec3_store(gap + 3, holder ? mat3_tmul_vec(&holder->R, shift) : shift);
}

void joint_mismatch(const assembly_problem *p, int j, double *distance, double *angle) {
    const joint_motion *at = &p->own->joints[j];
    *distance = vec3_norm(shift_of(joint_of(p, j), at));
    *angle = vec3_norm(turn_to_fit(joint_of(p, j), at));
}

int hinge_rod(const cosserat *c, int body) {
    if (c->bodies[body].body >= 0) return -1;
    for (int i = 0; i < c->n_rods; i++)
        if (c->rods[i].base_body == body) return i;
    for (int k = 0; k < c->n_joints; k++)
        if (c->joints[k].rod >= 0 && c->joints[k].holder == body) return c->joints[k].rod;
    return -1;
}

void joint_name(const cosserat *c, const joint *j, char *out, size_t size) {
    if (j->rod >= 0) {
        snprintf(out, size, "the tip of rod '%s'", c->rods[j->rod].name);
        return;
    }
    const int rod_index = hinge_rod(c, j->held);
    if (rod_index < 0) snprintf(out, size, "the body '%s'", c->bodies[j->held].name);
    else
        snprintf(out, size, "the %s of rod '%s'",
                 c->rods[rod_index].base_body == j->held ? "base" : "tip", c->rods[rod_index].name);
}

// ---------------------------------------------------------------- rows
double joint_give(const assembly_problem *p) {
    return p->own->gives ? GIVE * (1.0 - p->fraction) * p->a->length / p->a->force : 0.0;
}

void joint_rows(const assembly_problem *p, int k, double *rows) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    vec3 shift = vec3_sub(at->held.p, at->frame.p);
    vec3_store(rows + j->n_reactions - 3, vec3_madd(shift, joint_give(p), at->force));
    vec3 a = mat3_mul_vec(&at->frame.R, j->axis);
    if (j->kind == TD_CLAMP || j->kind == TD_PRISMATIC) {
        vec3_store(rows, turn_to_fit(j, at));
        if (j->kind == TD_CLAMP) return;
        const vec3 open = vec3_madd(shift, joint_give(p), at->force);
        for (int i = 0; i < 2; i++)
            rows[3 + i] = vec3_dot(mat3_mul_vec(&at->frame.R, j->across[i]), open);
        rows[5] = vec3_dot(at->force, a);
    } else if (j->kind == TD_REVOLUTE) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis);
        rows[0] = vec3_dot(mat3_mul_vec(&at->frame.R, j->across[0]), b);
        rows[1] = vec3_dot(mat3_mul_vec(&at->frame.R, j->across[1]), b);
        rows[2] = vec3_dot(at->moment, a);
    } else if (j->kind == TD_UNIVERSAL) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis2);
        rows[0] = vec3_dot(a, b);
        rows[1] = vec3_dot(at->moment, a);
        rows[2] = vec3_dot(at->moment, b);
    }
}

// ---------------------------------------------------------------- tangents
static void put_row(double *m, int row, vec3 v, double factor) {
    m[6 * row] = factor * v.x;
    m[6 * row + 1] = factor * v.y;
    m[6 * row + 2] = factor * v.z;
}

// dp = z_l - p x z_a
static void put_position(double *m, int row, vec3 point, double factor) {
    mat3 hat = mat3_hat(point);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) m[6 * (row + i) + k] = -factor * hat.m[i][k];
        m[6 * (row + i) + 3 + i] = factor;
    }
}

// d(a . b), with a in the frame and b in what is held
static void put_angle(double *by_held, double *by_holder, int row, vec3 a, vec3 b) {
    put_row(by_held, row, vec3_cross(b, a), 1.0);
    put_row(by_holder, row, vec3_cross(b, a), -1.0);
}

// d(moment . a), with a turning with what `by` belongs to; reactions are 6 here
static void put_moment(double *by, double *by_reaction, int row, vec3 moment, vec3 a) {
    put_row(by, row, vec3_cross(a, moment), 1.0);
    put_row(by_reaction, row, a, 1.0);
}

// The last three rows of a joint that slides, with n across it, or along it, in the frame:
//     d(n . (p_held - p_frame)) = n . ((z_held - z_holder) at p_held),    d(n . F) = z_holder . (n x F)
static void slide(const joint_motion *at, const joint *j, double give, double *by_held,
                  double *by_holder, double *by_reaction) {
    memset(by_held + 18, 0, 18 * sizeof *by_held);
    memset(by_holder + 18, 0, 18 * sizeof *by_holder);
    memset(by_reaction + 18, 0, 18 * sizeof *by_reaction);
    for (int i = 0; i < 3; i++) {
        const vec3 n = mat3_mul_vec(&at->frame.R, i < 2 ? j->across[i] : j->axis);
        const double share = i < 2 ? give : 1.0;
        if (i < 2) {
            put_row(by_held, 3 + i, vec3_cross(at->held.p, n), 1.0);
            vec3_store(by_held + 6 * (3 + i) + 3, n);
            for (int l = 0; l < 6; l++) by_holder[6 * (3 + i) + l] = -by_held[6 * (3 + i) + l];
        }
        const vec3 turned = vec3_scale(vec3_cross(n, at->force), share);
        double *to = by_holder + 6 * (3 + i);
        vec3_store(to, vec3_add(vec3_load(to), turned));
        vec3_store(by_reaction + 6 * (3 + i) + 3, vec3_scale(n, share));
    }
}

void joint_tangent(const assembly_problem *p, int k, double *by_held, double *by_holder,
                   double *by_reaction) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    const int n = j->n_reactions;
    memset(by_held, 0, sizeof(double) * 6 * (size_t)n);
    memset(by_holder, 0, sizeof(double) * 6 * (size_t)n);
    memset(by_reaction, 0, sizeof(double) * (size_t)(n * n));
    put_position(by_held, n - 3, at->held.p, 1.0);
    put_position(by_holder, n - 3, at->frame.p, -1.0);
    for (int i = n - 3; i < n; i++) by_reaction[i * n + i] = joint_give(p);
    vec3 a = mat3_mul_vec(&at->frame.R, j->axis);
    if (j->kind == TD_CLAMP || j->kind == TD_PRISMATIC) {
        // of dexp(c) c = c, which is the same Newton step: phi_held - R_held R_frame' phi_frame
        mat3 back = mat3_transpose(&at->frame.R), turn = mat3_mul(&at->held.R, &back);
        for (int i = 0; i < 3; i++) {
            by_held[7 * i] = 1.0;
            for (int l = 0; l < 3; l++) by_holder[6 * i + l] = -turn.m[i][l];
        }
        if (j->kind == TD_PRISMATIC) slide(at, j, joint_give(p), by_held, by_holder, by_reaction);
    } else if (j->kind == TD_REVOLUTE) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis);
        for (int i = 0; i < 2; i++)
            put_angle(by_held, by_holder, i, mat3_mul_vec(&at->frame.R, j->across[i]), b);
        put_moment(by_holder, by_reaction, 2, at->moment, a);
    } else if (j->kind == TD_UNIVERSAL) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis2);
        put_angle(by_held, by_holder, 0, a, b);
        put_moment(by_holder, by_reaction, 1, at->moment, a);
        put_moment(by_held, by_reaction, 2, at->moment, b);
    }
}
