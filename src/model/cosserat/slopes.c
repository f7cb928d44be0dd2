// model/cosserat/slopes.c - see slopes.h.
#include "model/cosserat/slopes.h"

#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/columns.h"

// ---------------------------------------------------------------- fields
static int rod_fields(const rod *r) {
    return F_SIZE * r->n_nodes + (r->ridden ? 6 * r->n_elements : 0) + rod_is_fed(r);
}

int rod_field(const cosserat *c, const assembly *a, int i) {
    int sum = 0;
    for (int k = 0; k < i; k++) sum += rod_fields(&c->rods[a->rods[k]]);
    return sum;
}

int end_field(const cosserat *c, const assembly *a, int i) {
    return rod_field(c, a, i) + F_SIZE * c->rods[a->rods[i]].n_nodes;
}

int length_field(const cosserat *c, const assembly *a, int i) {
    return rod_field(c, a, i + 1) - 1;
}

int body_field(const cosserat *c, const assembly *a, int k) {
    return rod_field(c, a, a->n_rods) + B_SIZE * k;
}

int rod_bound(const cosserat *c, const assembly *a, int i) {
    int sum = 0;
    for (int k = 0; k < i; k++) sum += 12 * (c->rods[a->rods[k]].n_elements + 1);
    return sum;
}

int touch_point_of(const cosserat *c, const assembly *a, int i) {
    int sum = 0;
    for (int k = 0; k < i; k++)
        if (rod_remembers(&c->rods[a->rods[k]])) sum += c->rods[a->rods[k]].n_nodes + 1;
    return sum;
}

int n_fields(const cosserat *c, const assembly *a) {
    return body_field(c, a, a->n_bodies);
}

bool assembly_has_slopes(const cosserat *c, const assembly *a, char *message) {
    const scheme_ports *ports = c->scheme->ports;
    const char *why = NULL;
    const rod *r = &c->rods[0];
    for (int i = 0; i < a->n_rods && !why; i++) {
        r = &c->rods[a->rods[i]];
        if (!ports || !ports->directions) why = "another scheme than collocation solves it";
        else if (r->touch) why = "bodies that ride on it touch obstacles";
    }
    if (!why && a->meets) why = "parts touch one another";
    if (why)
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%.80s': its motion has no exact derivative, because %s", r->name, why);
    return !why;
}

// ---------------------------------------------------------------- sections that follow their stretch
#define STRETCH_REACH 1e-3

bool rod_has_sections_that_follow(const rod *r) {
    return r->follows && !r->kirchhoff;
}

bool assembly_by_stretch(const assembly_problem *p, int i, const double *point, double *sides,
                         double *by) {
    const rod *compiled = &p->c->rods[p->a->rods[i]];
    const rod_memory *m = p->own->problems[i].m;
    const int n = n_change(p->a);
    const double before = *m->stretch, e = STRETCH_REACH;
    bool found = true;
    assembly_problem held = *p;
    held.following = false;
    for (int k = 0; k < 5; k++) {
        *m->stretch = before + (k == 4 ? 0.0 : (k < 2 ? 1.0 : 2.0) * (k % 2 ? -e : e));
        stretch_view(compiled, m);
        found = assembly_evaluate(&held, point, k == 4 ? p->own->residual : sides + k * n) && found;
    }
    for (int k = 0; k < n; k++)
        by[k] =
            (8.0 * (sides[k] - sides[n + k]) - (sides[2 * n + k] - sides[3 * n + k])) / (12.0 * e);
    return found;
}

// ---------------------------------------------------------------- where coordinates stand

coordinate coordinate_at(const cosserat *c, const assembly *a, int k) {
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        const int n = a->first[i + 1] - a->first[i] - r->n_efforts, d = n / r->n_nodes;
        if (k < n)
            return (coordinate){a->first[i] + k, rod_field(c, a, i) + F_SIZE * (k / d) + k % d, -1,
                                0};
        k -= n;
    }
    if (k < 6 * a->n_bodies)
        return (coordinate){a->first[a->n_rods] + 6 * (k / 6), -1, k / 6, k % 6};
    k -= 6 * a->n_bodies;
    for (int i = 0; i < a->n_rods; i++) {
        const int own = c->rods[a->rods[i]].n_efforts;
        if (k < own) return (coordinate){a->first[i + 1] - own + k, -1, -1, 0};
        k -= own;
    }
    return (coordinate){a->first[a->n_rods] + 6 * a->n_bodies + k, -1, -1, 0};
}

static void put_column(double *a, int row, int m, int column, int n, const double *x) {
    for (int i = 0; i < n; i++) a[(row + i) * m + column] = x[i];
}

void direct_z(const assembly_problem *p, int first, int m, double *change, double *history) {
    for (int j = 0; j < m; j++) {
        const coordinate at = coordinate_at(p->c, p->a, first + j);
        if (at.body < 0) {
            change[at.change * m + j] = 1.0;
            continue;
        }
        const body_memory *b = &p->m->bodies[p->a->bodies[at.body]];
        double z[6] = {0.0}, turning[4];
        z[at.axis] = 1.0;  // at the origin; spatial: z_l = dp + p x phi
        if (at.axis < 3)
            vec3_store(z + 3, vec3_cross(p->own->bodies[at.body].T.p, unit_vec3(at.axis)));
        put_column(change, at.change, m, j, 6, z);
        if (at.axis >= 3) continue;
        quat_store(turning, quat_mul(quat_half(unit_vec3(at.axis)), quat_load(b->history + B_H)));
        put_column(history, body_field(p->c, p->a, at.body) + B_H, m, j, 4, turning);
    }
}

void direct_rates(const assembly_problem *p, const mat3 *present, int first, int m,
                  double *history) {
    for (int j = 0; j < m; j++) {
        const coordinate at = coordinate_at(p->c, p->a, first + j);
        if (at.node_field >= 0) history[at.node_field * m + j] = 1.0;
        if (at.body < 0) continue;
        const int field = body_field(p->c, p->a, at.body);
        if (at.axis >= 3) {
            history[(field + B_P + at.axis - 3) * m + j] = 1.0;
            continue;
        }
        // in its own axes it stays while the body moves on
        const vec3 w = mat3_tmul_vec(&present[at.body], unit_vec3(at.axis));
        const mat3 *R = &p->own->bodies[at.body].T.R;
        const quat h = quat_load(p->m->bodies[p->a->bodies[at.body]].trial + B_H);
        double turning[4];
        quat_store(turning, quat_mul(quat_half(mat3_mul_vec(R, w)), h));
        put_column(history, field + B_H, m, j, 4, turning);
    }
}

// ---------------------------------------------------------------- memory
typedef struct slopes_memory {
    double *z, *da;              // (n_bodies 6 x m each) motions of the bodies
    double *base, *tip;          // (12 x m), (6 x m)
    double *tips, *wrench, *dp;  // (n_rods 6 x m), (6 x m), (3 x m)
    double *rest;                // of a rod
} slopes_memory;

static size_t place(const cosserat *c, const assembly *a, int m, double *at, slopes_memory *out) {
    const size_t w = (size_t)m, bodies = 6 * w * (size_t)a->n_bodies;
    slopes_memory s;
    double **const parts[] = {&s.z, &s.da, &s.base, &s.tip, &s.tips, &s.wrench, &s.dp, &s.rest};
    size_t rest = 0, sum = 0;
    for (int i = 0; i < a->n_rods; i++) {
        const size_t own = c->scheme->ports->directions_scratch(&c->rods[a->rods[i]], m);
        rest = own > rest ? own : rest;
    }
    const size_t sizes[] = {bodies, bodies, 12 * w, 6 * w, 6 * w * (size_t)a->n_rods,
                            6 * w,  3 * w,  rest};
    for (int i = 0; i < 8; i++) {
        if (at) *parts[i] = at + sum;
        sum += sizes[i];
    }
    if (at) *out = s;
    return sum;
}

size_t assembly_directions_scratch(const cosserat *c, const assembly *a, int m) {
    return place(c, a, m, NULL, NULL);
}

// ---------------------------------------------------------------- bodies
// The rows of B_H by a rotation in the world: h' = (0, phi) h/2.
static void put_quaternion(quat h, const double *phi, int w, double *out) {
    double by[12];
    for (int k = 0; k < 3; k++) {
        const quat turn = {0.0, k == 0 ? 0.5 : 0.0, k == 1 ? 0.5 : 0.0, k == 2 ? 0.5 : 0.0};
        double column[4];
        quat_store(column, quat_mul(turn, h));
        for (int i = 0; i < 4; i++) by[3 * i + k] = column[i];
    }
    dense_mul(4, 3, w, 1.0, by, phi, out);
}

// Om = 2 vec(h_t h*) by the history of h_t.
static void put_turning(quat h, const double *history, int w, double *out) {
    double by[12];
    for (int k = 0; k < 4; k++) {
        const quat unit = {k == 0 ? 2.0 : 0.0, k == 1 ? 2.0 : 0.0, k == 2 ? 2.0 : 0.0,
                           k == 3 ? 2.0 : 0.0};
        const vec3 v = quat_vector(quat_mul(unit, quat_conj(h)));
        by[k] = v.x, by[4 + k] = v.y, by[8 + k] = v.z;
    }
    dense_mul(3, 4, w, 1.0, by, history, out);
}

static quat pose_of_body(const assembly_problem *p, int k) {
    return quat_load(p->m->bodies[p->a->bodies[k]].trial + B_H);
}

// Motions (z, da), into s->z and da; of histories alone: (dOm, dV + p x dOm).
static void move_body(const assembly_problem *p, const assembly_directions *d, int k,
                      const slopes_memory *s) {
    const int w = d->m;
    const size_t bytes = sizeof(double) * 6 * (size_t)w;
    const body_motion *b = &p->own->bodies[k];
    double *z = s->z + 6 * k * w, *da = s->da + 6 * k * w;
    memset(z, 0, bytes);
    memset(da, 0, bytes);
    if (d->history) {
        const double *h = d->history + (size_t)body_field(p->c, p->a, k) * (size_t)w;
        put_turning(pose_of_body(p, k), h + B_H * w, w, da);
        memcpy(da + 3 * w, h + B_P * w, bytes / 2);
        columns_add_cross(1.0, b->T.p, da, w, da + 3 * w);
    }
    if (d->change)
        memcpy(z, d->change + (size_t)(p->a->first[p->a->n_rods] + 6 * k) * (size_t)w, bytes);
}

// The rows of its balance, without rods and joints. da is that of histories alone and becomes all of it.
static void balance_body(const assembly_problem *p, const assembly_directions *d, int k,
                         const slopes_memory *s, double *rows) {
    const int w = d->m, body = p->a->bodies[k];
    const body_motion *b = &p->own->bodies[k];
    const double *past = p->m->bodies[body].history + B_W;
    double by_z[36], H[72], by_a[36], L[36], *z = s->z + 6 * k * w, *da = s->da + 6 * k * w;
    body_balance(p, body, b, by_z);
    rigid_wrench(&p->c->bodies[body].mass, &b->T, b->a, p->c0, past, p->gravity, H);
    for (int i = 0; i < 36; i++) by_a[i] = H[12 * (i / 6) + 6 + i % 6];
    dense_mul(6, 6, w, 1.0, by_z, z, rows);
    dense_madd(6, 6, w, -1.0, by_a, da, rows);
    if (p->c->bodies[body].spring >= 0) {
        spring_wrench(p, body, b, NULL, by_a);
        dense_madd(6, 6, w, 1.0, by_a, da, rows);
    }
    dense_madd(6, 6, w, 1.0, b->by_z, z, da);
    if (!d->history) return;
    for (int i = 0; i < 6; i++) {
        double unit[6] = {0.0}, column[6];
        unit[i] = 1.0;
        vec6_store(column, rigid_wrench(&p->c->bodies[body].mass, &b->T, vec6_zero(), 0.0, unit,
                                        vec3_zero(), NULL));
        for (int j = 0; j < 6; j++) L[6 * j + i] = column[j];
    }
    dense_madd(6, 6, w, -1.0, L, d->history + (size_t)(body_field(p->c, p->a, k) + B_W) * (size_t)w,
               rows);
}

// Pose, and velocities in the body: Ad^-1 (da + [a, z]).
static void put_body_fields(const assembly_problem *p, const assembly_directions *d, int k,
                            const slopes_memory *s) {
    const int w = d->m;
    const body_motion *b = &p->own->bodies[k];
    const double *z = s->z + 6 * k * w, *da = s->da + 6 * k * w;
    const se3 back = se3_inverse(&b->T);
    const mat6 Ad = se3_adjoint(&back), ad = se3_ad_matrix(b->a), turn = mat6_mul(&Ad, &ad);
    double *to = d->fields + (size_t)body_field(p->c, p->a, k) * (size_t)w;
    memcpy(to + B_P * w, z + 3 * w, sizeof(double) * 3 * (size_t)w);
    columns_add_cross(-1.0, b->T.p, z, w, to + B_P * w);
    put_quaternion(pose_of_body(p, k), z, w, to + B_H * w);
    dense_mul(6, 6, w, 1.0, &turn.m[0][0], z, to + B_W * w);
    dense_madd(6, 6, w, 1.0, &Ad.m[0][0], da, to + B_W * w);
}

// ---------------------------------------------------------------- joints
static int place_of(const assembly_problem *p, int body) {
    return p->c->bodies[body].place;
}

// rows += factor d(M + point x F, F): reaction (n x m, or NULL), point moves with z
static void push(const assembly_directions *d, vec3 point, vec3 force, int n,
                 const double *reaction, const double *z, double factor, const slopes_memory *s,
                 double *rows) {
    const int w = d->m;
    memcpy(s->dp, z + 3 * w, sizeof(double) * 3 * (size_t)w);
    columns_add_cross(-1.0, point, z, w, s->dp);
    columns_add_cross(-factor, force, s->dp, w, rows);
    if (!reaction) return;
    const double *dF = reaction + (n - 3) * w;
    if (n == 6) columns_add(3 * w, factor, reaction, rows);
    columns_add_cross(factor, point, dF, w, rows);
    columns_add(3 * w, factor, dF, rows + 3 * w);
}

static const double *reaction_of(const assembly_problem *p, const assembly_directions *d,
                                 const joint *j) {
    if (!d->change) return NULL;
    const int row = p->a->first[p->a->n_rods] + 6 * p->a->n_bodies + j->reaction - p->a->reaction;
    return d->change + (size_t)row * (size_t)d->m;
}

// da is that of both bodies as it has become: see balance_body.
static void add_spring(const assembly_problem *p, int k, const slopes_memory *s, int w,
                       double *bodies) {
    const joint *j = joint_of(p, k);
    double by[2][36], by_a[36], part[36];
    spring_between(p, k, by[0], by[1], by_a);
    const int at[2] = {place_of(p, j->held), place_of(p, j->holder)};
    for (int row = 0; row < 2; row++)
        for (int side = 0; side < 2; side++) {
            const double factor = row ? -1.0 : 1.0, velocity = side ? -factor : factor;
            double *rows = bodies + 6 * at[row] * w;
            dense_madd(6, 6, w, factor, by[side], s->z + 6 * at[side] * w, rows);
            // by_z has what comes by way of z; the rest of da is that of histories
            dense_madd(6, 6, w, velocity, by_a, s->da + 6 * at[side] * w, rows);
            dense_mul(6, 6, 6, 1.0, by_a, p->own->bodies[at[side]].by_z, part);
            dense_madd(6, 6, w, -velocity, part, s->z + 6 * at[side] * w, rows);
        }
}

static void add_joint(const assembly_problem *p, const assembly_directions *d, int k,
                      const slopes_memory *s) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    const int w = d->m, n = j->n_reactions, first = p->a->first[p->a->n_rods];
    const double *reaction = reaction_of(p, d, j), *held;
    double by_held[36], by_holder[36], by_reaction[36];
    double *bodies = d->residual + (size_t)first * (size_t)w;
    double *rows = bodies + (6 * p->a->n_bodies + j->reaction - p->a->reaction) * w;
    joint_tangent(p, k, by_held, by_holder, by_reaction);
    if (j->rod >= 0) {
        held = s->tips + 6 * rod_of_joint(p, k) * w;
    } else {
        const int body = place_of(p, j->held);
        held = s->z + 6 * body * w;
        push(d, at->held.p, at->force, n, reaction, held, 1.0, s, bodies + 6 * body * w);
    }
    dense_mul(n, 6, w, 1.0, by_held, held, rows);
    if (reaction) dense_madd(n, n, w, 1.0, by_reaction, reaction, rows);
    if (j->holder < 0) return;
    const int body = place_of(p, j->holder);
    const double *z = s->z + 6 * body * w;
    push(d, joint_point(j, at), at->force, n, reaction, j->kind == TD_PRISMATIC ? held : z, -1.0, s,
         bodies + 6 * body * w);
    dense_madd(n, 6, w, 1.0, by_holder, z, rows);
    if (springs_between(j)) add_spring(p, k, s, w, bodies);
}

// ---------------------------------------------------------------- rods
static void add_rod(const assembly_problem *p, const assembly_directions *d, int i,
                    const slopes_memory *s) {
    const assembly *a = p->a;
    const rod_problem *one = &p->own->problems[i];
    const int w = d->m, body = one->r->base_body;
    const size_t at = (size_t)rod_field(p->c, a, i) * (size_t)w,
                 ends = (size_t)end_field(p->c, a, i) * (size_t)w,
                 own = (size_t)a->first[i] * (size_t)w, half = sizeof(double) * 6 * (size_t)w;
    rod_directions r = {.m = w,
                        .x = d->change ? d->change + own : NULL,
                        .unit = d->each ? a->first[i] : -1,
                        .history = d->history ? d->history + at : NULL,
                        .residual = d->residual ? d->residual + own : NULL,
                        .fields = d->fields + at,
                        .tip_motion = s->tips + 6 * i * w,
                        .base_wrench = s->wrench};
    if (one->r->ridden)
        r.ends = d->history ? d->history + ends : NULL, r.end_fields = d->fields + ends;
    const size_t points = 6 * (size_t)touch_point_of(p->c, a, i) * (size_t)w;
    if (d->loads && rod_remembers(one->r)) r.loads = d->loads + points;
    if (d->poses && rod_remembers(one->r)) r.poses = d->poses + points;
    if (d->bounds) r.bounds = d->bounds + (size_t)rod_bound(p->c, a, i) * (size_t)w;
    if (body >= 0) {
        memcpy(s->base, s->z + 6 * place_of(p, body) * w, half);
        memcpy(s->base + 6 * w, s->da + 6 * place_of(p, body) * w, half);
        r.base = s->base;
    }
    if (a->tips[i] >= 0 && d->change) {
        const joint *j = joint_of(p, a->tips[i]);
        const double *reaction = reaction_of(p, d, j);
        memset(s->tip, 0, half);
        memcpy(s->tip + 3 * w, reaction + (j->n_reactions - 3) * w, half / 2);
        if (j->n_reactions == 6) memcpy(s->tip, reaction, half / 2);
        r.tip = s->tip;
    }
    p->c->scheme->ports->directions(one, &r, s->rest);
    if (body >= 0 && d->residual)
        columns_add(6 * w, 1.0, s->wrench,
                    d->residual +
                        (size_t)(a->first[a->n_rods] + 6 * place_of(p, body)) * (size_t)w);
}

void directions_of_assembly(const assembly_problem *p, const assembly_directions *d,
                            double *scratch) {
    const assembly *a = p->a;
    slopes_memory s;
    place(p->c, a, d->m, scratch, &s);
    for (int k = 0; k < a->n_bodies; k++) {
        double *rows = s.base;  // where nobody asks
        if (d->residual) rows = d->residual + (size_t)(a->first[a->n_rods] + 6 * k) * (size_t)d->m;
        move_body(p, d, k, &s);
        balance_body(p, d, k, &s, rows);
        put_body_fields(p, d, k, &s);
    }
    for (int i = 0; i < a->n_rods; i++) add_rod(p, d, i, &s);
    for (int k = 0; k < a->n_joints && d->residual; k++) add_joint(p, d, k, &s);
}
