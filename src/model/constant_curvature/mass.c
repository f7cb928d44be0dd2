// model/constant_curvature/mass.c - the mass matrix: what each coordinate alone accelerates.
//
// A coordinate of segment i bends and stretches i and carries all beyond it along as one rigid
// body, so a column needs i, the composite of what lies beyond, and the way from there to the base.
#include "model/constant_curvature/chain.h"

// ---------------------------------------------------------------- composites
// The arc as a rigid body about its base: from int r and int r r', r = A a + B b.
static composite arc_composite(double mass, const arc_motion *m) {
    const double(*Q)[N_COLUMNS] = m->integrals.Q;
    double AA = mass * Q[1][1], AB = mass * Q[1][5], BB = mass * Q[3][5];
    composite c = {.mass = mass};
    c.moment = vec3_madd(vec3_scale(m->a, mass * Q[0][1]), mass * Q[0][5], m->b);
    double trace =
        AA * vec3_dot(m->a, m->a) + 2.0 * AB * vec3_dot(m->a, m->b) + BB * vec3_dot(m->b, m->b);
    mat3 aa = mat3_outer(m->a, m->a), ab = mat3_outer(m->a, m->b), bb = mat3_outer(m->b, m->b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.inertia.m[i][j] = (i == j ? trace : 0.0) - AA * aa.m[i][j] -
                                AB * (ab.m[i][j] + ab.m[j][i]) - BB * bb.m[i][j];
    return c;
}

// ---------------------------------------------------------------- columns of one segment
typedef struct column {  // a coordinate that accelerates alone
    vec3 moment, force;  // at the base of its segment
    double M[N_LOCAL];   // what the segment's own coordinates feel
} column;

static void add_at(const arc_motion *m, const arc_point *p, vec3 moment, vec3 force, column *out) {
    vec3 arm = vec3_sub(p->at.p, m->base.p);
    out->moment = vec3_add(out->moment, vec3_add(moment, vec3_cross(arm, force)));
    out->force = vec3_add(out->force, force);
    for (int k = 0; k < N_LOCAL; k++)
        out->M[k] += vec3_dot(p->turn_by_q[k], moment) + vec3_dot(p->by_q[k], force);
}

// A rigid body at a point, moved by coordinate k.
static void add_body(const arc_motion *m, const arc_point *p, const composite *b, int k,
                     column *out) {
    vec3 w = p->turn_by_q[k], v = p->by_q[k];
    vec3 moment = vec3_add(mat3_mul_vec(&b->inertia, w), vec3_cross(b->moment, v));
    add_at(m, p, moment, vec3_madd(vec3_cross(w, b->moment), b->mass, v), out);
}

// The velocity's parts (A, A', B, B') by coordinate k.
static void parts_by(const arc_motion *m, int k, vec3 part[N_ROWS]) {
    const mat3 *R = &m->base.R;
    part[0] = vec3_zero();
    if (k == 2) {
        part[1] = mat3_column(R, 2);
        part[3] = mat3_mul_vec(R, vec3_make(m->u[0], m->u[1], 0.0));
        part[2] = part[4] = vec3_zero();
        return;
    }
    part[1] = vec3_zero();
    part[2] = vec3_scale(m->a, 2.0 * m->u[k]);
    part[3] = vec3_scale(mat3_column(R, k), m->l);
    part[4] = vec3_scale(m->b, 2.0 * m->u[k]);
}

static void add_arc(const chain *c, int i, const arc_motion *m, const vec3 part[][N_ROWS], int k,
                    column *out) {
    static const int at[N_ROWS] = {0, 1, 3, 5, 7};
    double mass = arc_mass(c, i, m);
    vec3 F[N_ROWS];
    for (int r = 0; r < N_ROWS; r++) {
        F[r] = vec3_zero();
        for (int j = 1; j < N_ROWS; j++)
            F[r] = vec3_madd(F[r], mass * m->integrals.Q[r][at[j]], part[k][j]);
    }
    for (int l = 0; l < c->per; l++)
        for (int r = 1; r < N_ROWS; r++) out->M[l] += vec3_dot(part[l][r], F[r]);
    out->force = vec3_add(out->force, F[0]);
    vec3 moment = vec3_add(vec3_cross(m->a, F[1]), vec3_cross(m->b, F[3]));
    out->moment = vec3_add(out->moment, moment);
}

// ---------------------------------------------------------------- bodies within a segment
typedef struct within {  // of one segment: its columns, and the composite of all from its base on
    column columns[N_LOCAL];
    composite all;
} within;

static void add_rigid(const chain *c, const arc_motion *m, const arc_point *p, const composite *b,
                      within *w) {
    for (int k = 0; k < c->per; k++) add_body(m, p, b, k, &w->columns[k]);
    add_composite(&w->all, b, vec3_sub(p->at.p, m->base.p));
}

static void add_sections(const chain *c, const segment *s, const arc_motion *m, within *w) {
    const mat3 J = mat3_diag(vec3_load(s->rotary));
    const section_rule *rule = arc_rule(c, m);
    for (int n = 0; n < rule->n; n++) {
        arc_point p = arc_point_at(m, rule->x[n]);
        composite b = {.inertia = turned_inertia(&p.at.R, &J)};
        b.inertia = mat3_scale(&b.inertia, rule->weight[n]);
        add_rigid(c, m, &p, &b, w);
    }
}

static int add_riders(const chain *c, int i, int r, const arc_motion *m, within *w) {
    for (; r >= 0 && c->riders[r].segment == i; r--) {
        const rider *body = &c->riders[r];
        arc_point p = arc_point_at(m, body->x);
        composite b = {body->mass, mat3_mul_vec(&p.at.R, body->moment),
                       turned_inertia(&p.at.R, &body->inertia)};
        add_rigid(c, m, &p, &b, w);
    }
    return r;
}

static void fill_segment(const chain *c, int i, const arc_motion *m, within *w) {
    vec3 part[N_LOCAL][N_ROWS];
    const segment *s = &c->segments[i];
    composite own = arc_composite(arc_mass(c, i, m), m);
    for (int k = 0; k < c->per; k++) parts_by(m, k, part[k]);
    for (int k = 0; k < c->per; k++)
        add_arc(c, i, m, (const vec3(*)[N_ROWS])part, k, &w->columns[k]);
    add_composite(&w->all, &own, vec3_zero());
    if (s->rotary[0] > 0.0 || s->rotary[1] > 0.0 || s->rotary[2] > 0.0) add_sections(c, s, m, w);
}

// A row of segment i: down the chain from the base of segment i.
static void fill_row(const chain *c, const arc_motion *arcs, int i, const column *from,
                     double *row) {
    const int per = c->per;
    for (int l = 0; l < per; l++) row[i * per + l] = from->M[l];
    for (int j = i - 1; j >= 0; j--) {
        const arc_point *end = &arcs[j].end;
        vec3 arm = vec3_sub(arcs[i].base.p, end->at.p);
        vec3 moment = vec3_add(from->moment, vec3_cross(arm, from->force));
        for (int l = 0; l < per; l++)
            row[j * per + l] =
                vec3_dot(end->turn_by_q[l], moment) + vec3_dot(end->by_q[l], from->force);
    }
}

void arcs_mass_matrix(const chain *c, const arc_motion *arcs, double *M) {
    composite beyond = {0};
    int r = c->n_riders - 1;
    for (int i = c->n - 1; i >= 0; i--) {
        const arc_motion *m = &arcs[i];
        within w = {0};
        if (i + 1 < c->n) add_rigid(c, m, &m->end, &beyond, &w);
        fill_segment(c, i, m, &w);
        r = add_riders(c, i, r, m, &w);
        for (int k = 0; k < c->per; k++)
            fill_row(c, arcs, i, &w.columns[k], M + (i * c->per + k) * c->n_q);
        beyond = w.all;
    }
    for (int i = 0; i < c->n_q; i++)
        for (int k = i + 1; k < c->n_q; k++) M[i * c->n_q + k] = M[k * c->n_q + i];
}
