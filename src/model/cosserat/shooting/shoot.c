// model/cosserat/shooting/shoot.c - see shoot.h.
#include "model/cosserat/shooting/shoot.h"

#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "model/cosserat/shooting/equations.h"

// A section that turns by more than this over one integration step is not a rod any more: the shot
// has blown up and the rest of it would be noise.
#define MAX_TURN 3.0

// ---------------------------------------------------------------- what is summed beside the state
// The unknowns whose influence one shot carries along.
typedef struct columns {
    variation t;
    int first, n;           // of the unknowns
    bool beside;            // unknown efforts, or the motion of the tip, are a matter
    lanes3 p[LANE_GROUPS];  // variation of the position
} columns;

static void sum_measures(shooting *s, const section *at, const point *a, double weight) {
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        const route_point *route = ra->n_efforts ? section_route(ra, at) : NULL;
        if (!route) continue;
        s->measures[ra->effort] += weight * actuator_counted(ra->a, route, a->u, a->v).value;
    }
}

// An unknown effort takes sign * slope from the body wrench of its own column.
static void set_push(const shooting *s, const section *at, const point *a, const columns *c,
                     strain_lanes *push) {
    memset(push, 0, sizeof *push * (size_t)c->t.n_groups);
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        const route_point *route = ra->n_efforts ? section_route(ra, at) : NULL;
        const int column = 6 + ra->effort - c->first;
        if (!route || column < 0 || column >= c->n) continue;
        vec6 w = vec6_scale(actuator_density(ra->a, route, a->u, a->v).slope, ra->a->sign);
        strain_lanes *to = push + column / LANES;
        const int lane = column % LANES;
        to->u.x[lane] = w.a.x, to->u.y[lane] = w.a.y, to->u.z[lane] = w.a.z;
        to->v.x[lane] = w.l.x, to->v.y[lane] = w.l.y, to->v.z[lane] = w.l.z;
    }
}

static void sum_measures_by(shooting *s, const section *at, const point *a, double weight,
                            const columns *c, const strain_lanes *dx) {
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        const route_point *route = ra->n_efforts ? section_route(ra, at) : NULL;
        if (!route) continue;
        vec6 k = vec6_scale(actuator_counted(ra->a, route, a->u, a->v).slope, weight);
        double *row = s->measures_by + ra->effort * shooting_unknowns(s->r) + c->first;
        for (int j = 0; j < c->n; j++) {
            const strain_lanes *d = dx + j / LANES;
            const int lane = j % LANES;
            row[j] += k.a.x * d->u.x[lane] + k.a.y * d->u.y[lane] + k.a.z * d->u.z[lane] +
                      k.l.x * d->v.x[lane] + k.l.y * d->v.y[lane] + k.l.z * d->v.z[lane];
        }
    }
}

// t_s at one stage of an integration step, which counts by `weight`.
static void vary(shooting *s, const section *at, const point *a, double weight, const variation *t,
                 variation *t_s, columns *c) {
    if (!c->beside) {
        point_tangents(a, t, t_s);
        return;
    }
    strain_lanes push[LANE_GROUPS], dx[LANE_GROUPS];
    lanes3 dp_s[LANE_GROUPS];
    set_push(s, at, a, c, push);
    point_tangents_pushed(a, t, push, t_s, dx, dp_s);
    for (int g = 0; g < t->n_groups; g++) {
        lanes3 dp = lanes3_scale(weight, &dp_s[g]);
        c->p[g] = lanes3_add(&c->p[g], &dp);
    }
    if (s->r->n_efforts) sum_measures_by(s, at, a, weight, c, dx);
}

// ---------------------------------------------------------------- stepping along the rod
// out = y + a k
static void combine(const double *y, double a, const double *k, double *out) {
    for (int i = 0; i < Y_SIZE; i++) out[i] = y[i] + a * k[i];
}

static void combine_variations(const variation *t, double a, const variation *k, variation *out) {
    for (int g = 0; g < t->n_groups; g++)
        for (int i = 0; i < T_SIZE; i++) out->t[g][i] = t->t[g][i] + a * k->t[g][i];
    out->n_groups = t->n_groups;
}

static void clear_variation(int n_groups, variation *t) {
    t->n_groups = n_groups;
    memset(t->t, 0, sizeof t->t[0] * (size_t)n_groups);
}

typedef struct step_data {  // what one integration step sees
    section left;
    const station *mid_station;
    const double *mid_history;
    double ds;
} step_data;

static void step_euler(shooting *s, const step_data *d, double *y, double *x, columns *c) {
    double k[Y_SIZE];
    variation kt;
    point a;
    point_derivative(s, &d->left, y, c != NULL, k, x, &a);
    if (s->r->n_efforts) sum_measures(s, &d->left, &a, d->ds);
    combine(y, d->ds, k, y);
    if (!c) return;
    vary(s, &d->left, &a, d->ds, &c->t, &kt, c);
    combine_variations(&c->t, d->ds, &kt, &c->t);
}

static void step_rk4(shooting *s, const step_data *d, double *y, double *x, columns *c) {
    static const double reach[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[Y_SIZE] = {0}, sum[Y_SIZE] = {0}, stage[Y_SIZE], unused[6];
    variation kt, sum_t, stage_t;
    point a;
    section places[3] = {d->left, d->left, d->left};  // left end, middle, right end
    places[1].st = d->mid_station, places[1].history = d->mid_history, places[1].half = true;
    places[2].st++, places[2].history += F_SIZE, places[2].node++;
    if (c) clear_variation(c->t.n_groups, &sum_t), clear_variation(c->t.n_groups, &kt);
    for (int i = 0; i < 4; i++) {
        const section *at = &places[(int)(2.0 * reach[i])];
        const double counts = weight[i] * d->ds / 6.0;
        combine(y, reach[i] * d->ds, k, stage);
        point_derivative(s, at, stage, c != NULL, k, i ? unused : x, &a);
        if (s->r->n_efforts) sum_measures(s, at, &a, counts);
        combine(sum, weight[i], k, sum);
        if (!c) continue;
        combine_variations(&c->t, reach[i] * d->ds, &kt, &stage_t);
        vary(s, at, &a, counts, &stage_t, &kt, c);
        combine_variations(&sum_t, weight[i], &kt, &sum_t);
    }
    combine(y, d->ds / 6.0, sum, y);
    if (c) combine_variations(&c->t, d->ds / 6.0, &sum_t, &c->t);
}

// ---------------------------------------------------------------- the ends of elements
// Point loads at an element's end: n(s+) = n(s-) - F, and the same for the moment.
static void jump(const element_loads *load, double *y, variation *v) {
    quat h = quat_load(y + Y_H);
    mat3 R = quat_to_mat3(h);
    vec3 F = mat3_mul_vec(&R, load->end_body.force), M = mat3_mul_vec(&R, load->end_body.moment);
    vec3 n = vec3_sub(vec3_load(y + Y_N), vec3_add(load->end_world.force, F));
    vec3 m = vec3_sub(vec3_load(y + Y_M), vec3_add(load->end_world.moment, M));
    vec3_store(y + Y_N, n);
    vec3_store(y + Y_M, m);
    for (int g = 0; v && g < v->n_groups; g++) {  // - d(R F) = - th x RF = RF x th
        lanes *t = v->t[g];
        lanes3 th = rotation_of(h, t + T_H);
        lanes3 dn = lanes3_load(t + T_N), F_th = lanes3_cross(F, &th);
        lanes3 dm = lanes3_load(t + T_M), M_th = lanes3_cross(M, &th);
        dn = lanes3_add(&dn, &F_th);
        dm = lanes3_add(&dm, &M_th);
        lanes3_store(t + T_N, &dn);
        lanes3_store(t + T_M, &dm);
    }
}

// R b + th x (R b0): how a body vector b0 that changes by b moves in the world.
static lanes3 world_change(const mat3 *R, vec3 world, const lanes3 *th, const lanes3 *b) {
    lanes3 turned = lanes3_mat(R, b), cross = lanes3_cross(world, th);
    return lanes3_sub(&turned, &cross);
}

static lanes3 block_times(const double *H, int column, const lanes3 *x) {
    const mat3 block = {{{H[column], H[column + 1], H[column + 2]},
                         {H[column + 12], H[column + 13], H[column + 14]},
                         {H[column + 24], H[column + 25], H[column + 26]}}};
    return lanes3_mat(&block, x);
}

// What bodies that ride there ask of the rod: n(s+) = n(s-) + F. Seen from the section's origin, so
// that the position does not enter.
static void ride(const shooting *s, int index, double *y, variation *v) {
    quat h = quat_load(y + Y_H);
    const se3 T = {quat_to_mat3(h), {0.0, 0.0, 0.0}};
    const vec6 a = {mat3_mul_vec(&T.R, vec3_load(y + Y_W)), mat3_mul_vec(&T.R, vec3_load(y + Y_Q))};
    double H[72];
    vec6 asked = rigid_wrench(&s->loads[index].end_mass, &T, a, s->c0, s->end_history + 6 * index,
                              s->gravity, v ? H : NULL);
    vec3_store(y + Y_N, vec3_add(vec3_load(y + Y_N), asked.l));
    vec3_store(y + Y_M, vec3_add(vec3_load(y + Y_M), asked.a));
    for (int g = 0; v && g < v->n_groups; g++) {
        lanes *t = v->t[g];
        lanes3 th = rotation_of(h, t + T_H), dq = lanes3_load(t + T_Q), dw = lanes3_load(t + T_W);
        const lanes3 moved[3] = {th, world_change(&T.R, a.a, &th, &dw),
                                 world_change(&T.R, a.l, &th, &dq)};
        static const int column[3] = {0, 6, 9};  // of th, dOm, dV; dp is none
        lanes3 dn = lanes3_load(t + T_N), dm = lanes3_load(t + T_M);
        for (int k = 0; k < 3; k++) {
            lanes3 F = block_times(H + 36, column[k], &moved[k]);
            lanes3 M = block_times(H, column[k], &moved[k]);
            dn = lanes3_add(&dn, &F);
            dm = lanes3_add(&dm, &M);
        }
        lanes3_store(t + T_N, &dn);
        lanes3_store(t + T_M, &dm);
    }
}

// ---------------------------------------------------------------- a shot
// One element, from y at its start to y just before the loads at its end. False: blown up.
static bool shoot_element(shooting *s, int index, int n_steps, double *y, columns *c) {
    const element *e = &s->r->elements[index];
    const double ds = e->length / (e->n_nodes - 1);
    const double *history = s->history + (size_t)e->node * F_SIZE;
    const double *mid = s->history_mid + (size_t)(e->node - index) * F_SIZE;
    const element_loads *load = &s->loads[index];
    double *nodes = s->nodes + (size_t)e->node * Y_SIZE;
    double *strains = s->strains + (size_t)e->node * 6;
    for (int j = 0; j < n_steps; j++) {
        memcpy(nodes + j * Y_SIZE, y, sizeof(double) * Y_SIZE);
        step_data d = {{e->stations + j, load, history + j * F_SIZE, index, e->node + j, false},
                       e->between + j,
                       mid + j * F_SIZE,
                       ds};
        double *x = strains + j * 6;
        if (s->options->integrator == TD_EULER) step_euler(s, &d, y, x, c);
        else step_rk4(s, &d, y, x, c);
        double turn = (fabs(x[0]) + fabs(x[1]) + fabs(x[2])) * ds;
        if (!(turn < MAX_TURN)) {
            s->blow_up = e->s0 + j * ds;
            return false;
        }
    }
    memcpy(nodes + n_steps * Y_SIZE, y, sizeof(double) * Y_SIZE);
    point a;
    section end = {e->stations + n_steps, load, history + n_steps * F_SIZE, index,
                   e->node + n_steps,     false};
    point_strain(s, &end, y, false, &a, strains + n_steps * 6);
    return true;
}

// The frame of what is pushed out of the base moves on along the rod, by the strain there.
static void add_pushed(shooting *s, double *y, columns *c) {
    const element *e = &s->r->elements[0];
    const section at = {e->stations, &s->loads[0], s->history, 0, 0, false};
    const double out = s->base.out;
    point a = {.full = false};
    double x[6], C[6];
    point_strain(s, &at, y, c != NULL, &a, x);
    vec3 u = vec3_add(at.st->u_rest, vec3_load(x)), v = vec3_add(at.st->v_rest, vec3_load(x + 3));
    vec3_store(y + Y_Q, vec3_madd(s->base.q, out, v));
    vec3_store(y + Y_W, vec3_madd(s->base.w, out, u));
    vec3_store(C, a.Cu), vec3_store(C + 3, a.Cv);
    for (int i = c ? c->first : 6; i < 6 && i < c->first + c->n; i++) {
        const double *row = a.R.m[i % 3];  // a unit force or moment, in the body frame
        const int lane = (i - c->first) % LANES, kind = i < 3 ? 3 : 0;
        lanes *t = c->t.t[(i - c->first) / LANES];
        for (int k = 0; k < 6; k++) {
            double dx = !a.full && k - k % 3 == kind ? C[k] * row[k % 3] : 0.0;
            for (int l = 0; a.full && l < 3; l++) dx += a.C[6 * k + kind + l] * row[l];
            t[k < 3 ? T_W + k : T_Q + k - 3][lane] += out * dx;
        }
    }
}

static void start_at_base(shooting *s, const double G[6], double *y, columns *c) {
    vec3_store(y + Y_P, s->base.p);
    quat_store(y + Y_H, s->base.h);
    memcpy(y + Y_N, G, 6 * sizeof(double));
    vec3_store(y + Y_Q, s->base.q);
    vec3_store(y + Y_W, s->base.w);
    if (c) {
        clear_variation(GROUPS_FOR(c->n), &c->t);
        memset(c->p, 0, sizeof c->p);
        for (int i = c->first; i < c->first + c->n && i < 6; i++)
            c->t.t[(i - c->first) / LANES][T_N + i][(i - c->first) % LANES] = 1.0;
    }
    if (s->base.out != 0.0) add_pushed(s, y, c);
}

static bool shoot_once(shooting *s, const double G[6], double *y, columns *c) {
    const rod *r = s->r;
    s->blow_up = -1.0;
    memset(s->warm, 0, sizeof s->warm);
    s->warm_factored = false;
    if (r->n_efforts) memset(s->measures, 0, sizeof(double) * (size_t)r->n_efforts);
    start_at_base(s, G, y, c);
    memcpy(s->bounds, y, sizeof(double) * Y_SIZE);
    for (int i = 0; i <= s->last_element; i++) {
        int all = r->elements[i].n_nodes - 1;
        int n_steps = i == s->last_element ? s->last_step : all;
        if (!shoot_element(s, i, n_steps, y, c)) return false;
        memcpy(s->bounds + (i + 1) * Y_SIZE, y, sizeof(double) * Y_SIZE);
        if (n_steps < all) continue;
        jump(&s->loads[i], y, c ? &c->t : NULL);
        if (r->elements[i].n_riders) ride(s, i, y, c ? &c->t : NULL);
    }
    return true;
}

// ---------------------------------------------------------------- residual and matrix
static void set_efforts(shooting *s, const double *unknown) {
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        s->efforts[i] = ra->n_efforts ? unknown[ra->effort] : s->given[i];
    }
}

// The equations of the unknown efforts.
static double balance_efforts(const shooting *s, double *residual, double *jacobian) {
    const int n = shooting_unknowns(s->r);
    double sum = 0.0;
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        if (!ra->n_efforts) continue;
        const int row = 6 + ra->effort;
        balance b = actuator_balance(ra->a, rod_supply(s->m, ra, i), s->efforts[i],
                                     s->measures[ra->effort]);
        sum += residual[row] = b.residual;
        for (int k = 0; jacobian && k < n; k++)
            sum += jacobian[n * row + k] =
                b.by_measure * s->measures_by[n * ra->effort + k] + (k == row ? b.by_effort : 0.0);
    }
    return sum;
}

// z = (th, dp + p x th) and da = (dOm, dV + dp x Om + p x dOm) of the tip, spatial.
static void read_tip_motion(const shooting *s, const double *y, const columns *c) {
    const int n = shooting_unknowns(s->r);
    const quat h = quat_load(y + Y_H);
    const mat3 R = quat_to_mat3(h);
    const vec3 p = vec3_load(y + Y_P), Om = mat3_mul_vec(&R, vec3_load(y + Y_W));
    const vec3 V = mat3_mul_vec(&R, vec3_load(y + Y_Q));
    for (int g = 0; g < c->t.n_groups; g++) {
        const lanes *t = c->t.t[g];
        lanes3 th = rotation_of(h, t + T_H), dq = lanes3_load(t + T_Q), dw = lanes3_load(t + T_W);
        lanes3 dOm = world_change(&R, Om, &th, &dw), dV = world_change(&R, V, &th, &dq);
        lanes3 p_th = lanes3_cross(p, &th), p_dOm = lanes3_cross(p, &dOm);
        lanes3 Om_dp = lanes3_cross(Om, &c->p[g]);
        lanes3 z = lanes3_add(&c->p[g], &p_th), da = lanes3_sub(&p_dOm, &Om_dp);
        da = lanes3_add(&da, &dV);
        const lanes rows[12] = {th.x,  th.y,  th.z,  z.x,  z.y,  z.z,
                                dOm.x, dOm.y, dOm.z, da.x, da.y, da.z};
        double *to = s->tip_motion + c->first + g * LANES;
        for (int l = 0; l < LANES && g * LANES + l < c->n; l++)
            for (int i = 0; i < 12; i++) to[n * i + l] = rows[i][l];
    }
}

static double read_columns(const columns *c, int n, double *jacobian) {
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < c->n; k++)
            sum += jacobian[n * i + c->first + k] = c->t.t[k / LANES][T_N + i][k % LANES];
    return sum;
}

bool shoot(shooting *s, const double *unknowns, double *residual, double *jacobian) {
    const int n = shooting_unknowns(s->r);
    double y[Y_SIZE], sum = 0.0;
    s->stats->evaluations++;
    set_efforts(s, unknowns + 6);
    if (jacobian) {
        s->stats->jacobians++;
        if (n > 6) memset(s->measures_by, 0, sizeof(double) * (size_t)(n * (n - 6)));
    } else if (!shoot_once(s, unknowns, y, NULL)) {
        return false;
    }
    for (int first = 0; jacobian && first < n; first += MOST_COLUMNS) {
        columns c = {.first = first,
                     .n = n - first < MOST_COLUMNS ? n - first : MOST_COLUMNS,
                     .beside = n > 6 || s->tip_motion};
        if (!shoot_once(s, unknowns, y, &c)) return false;
        sum += read_columns(&c, n, jacobian);
        if (s->tip_motion) read_tip_motion(s, y, &c);
    }
    for (int i = 0; i < 6; i++) sum += residual[i] = y[Y_N + i] - s->target[i];
    sum += balance_efforts(s, residual, jacobian);
    if (isfinite(sum)) return true;
    s->blow_up = s->r->length;
    return false;
}

void shoot_whole(shooting *s) {
    s->last_element = s->r->n_elements - 1;
    s->last_step = s->r->elements[s->last_element].n_nodes - 1;
    memcpy(s->target, s->tip, sizeof s->target);
}

void shoot_part(shooting *s, int node, const double target[6]) {
    int i = 0;
    while (i + 1 < s->r->n_elements && node >= s->r->elements[i + 1].node) i++;
    s->last_element = i;
    s->last_step = node - s->r->elements[i].node;
    memcpy(s->target, target, sizeof s->target);
}

void shoot_midpoints(const rod *r, td_history rule, const double *nodal, double *mid) {
    for (int i = 0; i < r->n_elements; i++) {
        const element *e = &r->elements[i];
        const double *from = nodal + (size_t)e->node * F_SIZE;
        double *to = mid + (size_t)(e->node - i) * F_SIZE;
        if (rule == TD_CUBIC) {
            midpoints(e->n_nodes, F_SIZE, from, to);
            continue;
        }
        for (int j = 0; j < (e->n_nodes - 1) * F_SIZE; j++)
            to[j] = 0.5 * (from[j] + from[j + F_SIZE]);
    }
}
