// model/cosserat/around.c - see around.h.
#include "model/cosserat/around.h"

#include "environment/drift.h"
#include "math/block.h"
#include "model/cosserat/contact.h"

// ---------------------------------------------------------------- added mass
typedef struct own_motion {  // in the section's own axes
    vec3 V;                  // m/s
    drift fluid;
} own_motion;

static own_motion own_motion_of(vec3 added, const around_motion *at, vec3 current) {
    const mat3 *R = &at->T.R;
    const vec3 w = mat3_tmul_vec(R, at->Om), V = mat3_tmul_vec(R, at->V);
    const vec3 q = vec3_sub(V, mat3_tmul_vec(R, current));
    return (own_motion){V, drift_of(added, w, q, vec3_add(at->q_t, vec3_cross(w, V)))};
}

typedef struct change {  // world
    vec3 th, V, Om;
} change;

// Of force and moment on the section, world, by a small change.
static vec6 pushed_by(vec3 added, const around_motion *at, vec3 current, const own_motion *m,
                      change x) {
    const mat3 *R = &at->T.R;
    const vec3 dV = mat3_tmul_vec(R, vec3_add(x.V, vec3_cross(at->V, x.th)));
    const vec3 dq = vec3_sub(dV, mat3_tmul_vec(R, vec3_cross(current, x.th)));
    const vec3 dw = mat3_tmul_vec(R, vec3_add(x.Om, vec3_cross(at->Om, x.th)));
    vec3 de = vec3_add(vec3_cross(dw, m->V), vec3_cross(m->fluid.w, dV));
    de = vec3_madd(de, at->c0, dV);
    const vec6 by = drift_by(added, &m->fluid, dw, dq, de);
    const vec3 turn = mat3_tmul_vec(R, x.th);
    return (vec6){vec3_neg(mat3_mul_vec(R, vec3_add(by.a, vec3_cross(turn, m->fluid.wrench.a)))),
                  vec3_neg(mat3_mul_vec(R, vec3_add(by.l, vec3_cross(turn, m->fluid.wrench.l))))};
}

static void add_column(mat3 *m, int k, vec3 x) {
    m->m[0][k] += x.x, m->m[1][k] += x.y, m->m[2][k] += x.z;
}

static void add_drift(vec3 added, const around_motion *at, vec3 current, point_answer *sum,
                      around_slopes *slopes) {
    const own_motion m = own_motion_of(added, at, current);
    const vec3 force = mat3_mul_vec(&at->T.R, m.fluid.wrench.l);
    sum->wrench.l = vec3_sub(sum->wrench.l, force);
    sum->wrench.a = vec3_sub(sum->wrench.a, mat3_mul_vec(&at->T.R, m.fluid.wrench.a));
    sum->given -= vec3_dot(force, current);
    for (int k = 0; k < 3 && slopes; k++) {
        const vec3 unit = {k == 0, k == 1, k == 2}, none = {0.0, 0.0, 0.0};
        const vec6 by_th = pushed_by(added, at, current, &m, (change){unit, none, none});
        const vec6 by_V = pushed_by(added, at, current, &m, (change){none, unit, none});
        const vec6 by_Om = pushed_by(added, at, current, &m, (change){none, none, unit});
        add_column(&slopes->f_th, k, by_th.l), add_column(&slopes->l_th, k, by_th.a);
        add_column(&slopes->f_V, k, by_V.l), add_column(&slopes->l_V, k, by_V.a);
        add_column(&slopes->f_Om, k, by_Om.l), add_column(&slopes->l_Om, k, by_Om.a);
    }
}

// ---------------------------------------------------------------- nodes
point_answer around_of_node(const rod_memory *m, const element *e, int i, const around_motion *at,
                            around_slopes *slopes) {
    const around_node *n = &e->around[i];
    point_answer sum = {.lost = 0.0};
    point_slopes by;
    if (slopes) by = (point_slopes){{0.0}, {0.0}};
    environment_add(vec3_zero(), m->around, &n->body, &(point_now){&at->T.R, at->T.p, at->V}, &sum,
                    slopes ? &by : NULL);
    if (slopes)
        *slopes = (around_slopes){.l_th = block33_at(by.by_motion, 0, 0),
                                  .l_p = block33_at(by.by_motion, 0, 3),
                                  .f_th = block33_at(by.by_motion, 3, 0),
                                  .f_p = block33_at(by.by_motion, 3, 3),
                                  .f_V = block33_at(by.by_velocity, 3, 3)};
    const around_motion still = {.T = at->T};
    if (vec3_dot(n->added, n->added) > 0.0)
        add_drift(n->added, at->c0 != 0.0 ? at : &still, m->around->current, &sum, slopes);
    return sum;
}

// ---------------------------------------------------------------- bodies
vec6 around_of_body(const point_body *b, const surroundings *s, const se3 *T, double *by_z) {
    point_answer sum = {.lost = 0.0};
    point_slopes by = {{0.0}, {0.0}};
    environment_add(vec3_zero(), s, b, &(point_now){&T->R, T->p, vec3_zero()}, &sum,
                    by_z ? &by : NULL);
    if (by_z) contact_add_spatial(T->p, sum.wrench.l, by.by_motion, by_z);
    return vec6_make(vec3_add(sum.wrench.a, vec3_cross(T->p, sum.wrench.l)), sum.wrench.l);
}

vec6 around_of_end(const rod_memory *m, int k, const se3 *T, int w, double *by_z) {
    double Z[36] = {0.0};
    const point_body *b = &m->loads[k].end_around;
    if (point_body_is_plain(b)) return vec6_zero();
    const vec6 on = around_of_body(b, m->around, T, by_z ? Z : NULL);
    for (int i = 0; i < 36 && by_z; i++) by_z[w * (i / 6) + i % 6] += Z[i];
    return on;
}

// ---------------------------------------------------------------- energies and powers
around_energy around_energy_at(const around_node *n, const surroundings *s, vec3 p, quat h,
                               vec3 q) {
    const mat3 R = quat_to_mat3(h);
    const vec3 drifts = vec3_sub(q, mat3_tmul_vec(&R, s->current));
    return (around_energy){surrounding_energy(s, &n->body, &(point_now){&R, p, drifts}),
                           drift_energy(n->added, drifts)};
}

around_energy around_energy_of(const rod *r, const surroundings *s, const double *inputs,
                               const double *nodes, const double *bounds) {
    around_energy sum = {0.0, 0.0};
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double *y = nodes + (size_t)(e->node + i) * Y_SIZE;
            const around_energy one = around_energy_at(&e->around[i], s, vec3_load(y + Y_P),
                                                       quat_load(y + Y_H), vec3_load(y + Y_Q));
            sum.potential += e->quadrature[i] * one.potential;
            sum.kinetic += e->quadrature[i] * one.kinetic;
        }
        for (int i = 0; bounds && i < e->n_riders; i++) {
            const se3 T = state_pose(bounds + (size_t)(k + 1) * Y_SIZE);
            sum.potential +=
                number_value(e->riders[i].attached, inputs) *
                surrounding_energy(s, &e->riders[i].around, &(point_now){&T.R, T.p, vec3_zero()});
        }
    }
    return sum;
}

void around_power(const rod *r, const rod_memory *m, const surroundings *s, double *lost,
                  double *given) {
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const size_t node = (size_t)(e->node + i);
            const double *y = m->nodes + node * Y_SIZE;
            const se3 T = state_pose(y);
            const around_motion at = {.T = T,
                                      .Om = mat3_mul_vec(&T.R, vec3_load(y + Y_W)),
                                      .V = mat3_mul_vec(&T.R, vec3_load(y + Y_Q)),
                                      .q_t = vec3_load(m->rate + node * F_SIZE + F_Q),
                                      .c0 = 1.0};
            point_answer out = {.lost = 0.0};
            environment_add(vec3_zero(), s, &e->around[i].body, &(point_now){&T.R, T.p, at.V}, &out,
                            NULL);
            add_drift(e->around[i].added, &at, s->current, &out, NULL);
            *lost += e->quadrature[i] * out.lost;
            *given += e->quadrature[i] * out.given;
        }
    }
}
