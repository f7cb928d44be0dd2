// model/cosserat/motion_slopes.c - small motions about an instant of a motion, from directions (slopes.h).
//
// With velocities w = W(q) v as fields, and their rates w_t = W a + (dW/dt) v as histories,
//
//     K z   = r_q z  + r_h (d/dt [w_q z] + (W a)_q z)
//     D z'  = r_v z' + r_h (d/dt [W z'] + w_q z')
//     M z'' = r_h W z''
//
// where r_q holds histories, r_h is the answer to those of velocities, and d/dt [.], along the motion, is a
// difference of fourth order; at rest there is none. Bodies keep their angular velocity in their own axes while
// they are turned.
#include "model/cosserat/motion.h"

#include <string.h>

#include "model/cosserat/columns.h"
#include "model/cosserat/slopes.h"

typedef struct motion_columns {
    assembly_problem *p;
    int n_q, n;        // coordinates, and with multipliers
    int first, m;      // the columns that are asked for: [first, first + m)
    double *change;    // (n_change x m)
    double *history;   // (n_fields x m)
    double *residual;  // (n_change x m)
    double *fields;    // (n_fields x m)
    double *waits;     // (n_fields x m) histories of velocities that are being summed
    mat3 *present;     // (n_bodies)
    double *scratch;
} motion_columns;

static int n_efforts_of(const cosserat *c, const assembly *a) {
    int n = 0;
    for (int i = 0; i < a->n_rods; i++) n += c->rods[a->rods[i]].n_efforts;
    return n;
}

size_t directions_place(const cosserat *c, const assembly *a, int n, double **const *parts,
                        const size_t *sizes, mat3 **present, double **scratch, double *at) {
    size_t sum = 0;
    for (int i = 0; i < n; i++) {
        if (at) *parts[i] = at + sum;
        sum += WIDEST * sizes[i];
    }
    if (at) *present = (mat3 *)(void *)(at + sum);
    sum += sizeof(mat3) / sizeof(double) * (size_t)a->n_bodies;
    if (at) *scratch = at + sum;
    const size_t directions = assembly_directions_scratch(c, a, WIDEST);
    const size_t stretches = 5 * (size_t)n_change(a) + WIDEST;
    return sum + (directions > stretches ? directions : stretches);
}

static size_t place(const cosserat *c, const assembly *a, double *at, motion_columns *out) {
    const size_t change = (size_t)n_change(a), fields = (size_t)n_fields(c, a);
    double **const parts[] = {&out->change, &out->history, &out->residual, &out->fields,
                              &out->waits};
    const size_t sizes[] = {change, fields, change, fields, fields};
    return directions_place(c, a, 5, parts, sizes, &out->present, &out->scratch, at);
}

size_t motion_slopes_scratch(const cosserat *c, const assembly *a) {
    char why[MODEL_MESSAGE_SIZE];
    motion_columns none;
    if (!assembly_has_slopes(c, a, why)) return 0;
    for (int i = 0; i < a->n_rods; i++)
        if (rod_rubs(&c->rods[a->rods[i]])) return 0;
    const size_t own = place(c, a, NULL, &none), outputs = motion_output_scratch(c, a);
    return own > outputs ? own : outputs;
}

// ---------------------------------------------------------------- directions
static void clear(const motion_columns *s) {
    const assembly_problem *p = s->p;
    memset(s->change, 0, sizeof(double) * (size_t)(n_change(p->a) * s->m));
    memset(s->history, 0, sizeof(double) * (size_t)(n_fields(p->c, p->a) * s->m));
}

static void put_z(const motion_columns *s) {
    direct_z(s->p, s->first, s->m, s->change, s->history);
}

static void put_rates(const motion_columns *s) {
    direct_rates(s->p, s->present, s->first, s->m, s->history);
}

static void ask(const motion_columns *s, bool changes) {
    const assembly_directions d = {.m = s->m,
                                   .change = changes ? s->change : NULL,
                                   .history = s->history,
                                   .residual = s->residual,
                                   .fields = s->fields};
    directions_of_assembly(s->p, &d, s->scratch);
}

// ---------------------------------------------------------------- velocities among the fields
typedef void rows_work(const motion_columns *s, int row, int n, double factor, double *sum);

// All rows of velocities, a few at a time.
static void each_velocity(const motion_columns *s, rows_work *work, double factor, double *sum) {
    const cosserat *c = s->p->c;
    const assembly *a = s->p->a;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        for (int k = 0; k < r->n_nodes; k++)
            work(s, rod_field(c, a, i) + F_SIZE * k + F_W, 6, factor, sum);
        if (r->ridden) work(s, end_field(c, a, i), 6 * r->n_elements, factor, sum);
    }
    for (int k = 0; k < a->n_bodies; k++) work(s, body_field(c, a, k) + B_W, 6, factor, sum);
}

static void add_rows(const motion_columns *s, int row, int n, double factor, double *sum) {
    for (int i = row * s->m; i < (row + n) * s->m; i++) sum[i] += factor * s->fields[i];
}

static void take_rows(const motion_columns *s, int row, int n, double factor, double *from) {
    (void)factor;
    memcpy(s->history + row * s->m, from + row * s->m, sizeof(double) * (size_t)(n * s->m));
}

// ---------------------------------------------------------------- rows
// Columns of the residual become those of a matrix (n x n), as motion.c has its rows.
static void put_matrix(const motion_columns *s, bool moves, double *to) {
    const assembly_problem *p = s->p;
    const assembly *a = p->a;
    const int m = s->m, n = s->n;
    const double *S = p->own->residual + a->first[a->n_rods];
    for (int k = 0; k < n; k++) {
        const coordinate at = coordinate_at(p->c, a, k);
        double *row = to + (size_t)k * (size_t)n + s->first;
        if (at.body < 0) {
            double by = 1.0;
            if (at.node_field >= 0) {
                int i = 0;
                while (at.change >= a->first[i + 1]) i++;
                const rod *r = p->own->problems[i].r;
                const int node = (at.node_field - rod_field(p->c, a, i)) / F_SIZE;
                int e = 0;
                while (node >= r->elements[e].node + r->elements[e].n_nodes) e++;
                by = r->elements[e].quadrature[node - r->elements[e].node];
            }
            for (int j = 0; j < m; j++) row[j] = by * s->residual[at.change * m + j];
            continue;
        }
        const double *w = s->residual + at.change * m;
        for (int j = 0; j < m; j++) {
            const vec3 dF = vec3_make(w[3 * m + j], w[4 * m + j], w[5 * m + j]);
            const vec3 dM = vec3_make(w[j], w[m + j], w[2 * m + j]);
            vec3 moment = vec3_sub(vec3_cross(p->own->bodies[at.body].T.p, dF), dM);
            if (moves) {
                const double *f = s->fields + (body_field(p->c, a, at.body) + B_P) * m + j;
                const vec3 dp = vec3_make(f[0], f[m], f[2 * m]);
                moment = vec3_add(moment, vec3_cross(dp, vec3_load(S + 6 * at.body + 3)));
            }
            double both[6];
            vec3_store(both, moment);
            vec3_store(both + 3, vec3_neg(dF));
            row[j] = both[at.axis];
        }
    }
}

// ---------------------------------------------------------------- in motion
typedef struct along {  // a motion
    const solve_instant *at;
    const configuration *c;
    const double *point;
    double speed;  // negative: it rests
} along;

// sum += d/dt of the fields of velocities along the motion
static bool add_change(const motion_columns *s, const along *w, bool z, double *sum) {
    static const double weights[5] = {1.0 / 12.0, -8.0 / 12.0, 0.0, 8.0 / 12.0, -1.0 / 12.0};
    assembly_problem *p = s->p;
    const double e = MOTION_REACH / w->speed;
    double *at = p->own->points[4], *places = p->m->half_loads;
    for (int i = 0; i < 5; i++) {
        const double t = (i - 2) * e;
        if (i == 2) continue;
        for (int k = 0; k < p->c->n_inputs; k++)
            places[k] = w->at->places[k] + (w->at->place_rates ? t * w->at->place_rates[k] : 0.0);
        memcpy(at, w->point, sizeof(double) * (size_t)n_point(p->a));
        if (w->c->v) motion_go_on(p, w->point, t, w->c->v, at);
        motion_set_rates(p, at, w->c->v);
        if (!motion_evaluate(p, at, places, w->at->place_rates)) return false;
        clear(s);
        if (z) put_z(s);
        else put_rates(s);
        ask(s, z);
        each_velocity(s, add_rows, weights[i] / e, sum);
    }
    return true;
}

// sum += (W a)_q z
static bool add_accelerated(const motion_columns *s, const along *w, double *sum) {
    assembly_problem *p = s->p;
    if (!w->c->a && !w->at->place_accelerations) return true;
    motion_set_rates(p, w->point, w->c->a);
    if (!motion_evaluate(p, w->point, w->at->places, w->at->place_accelerations)) return false;
    clear(s);
    put_z(s);
    ask(s, true);
    each_velocity(s, add_rows, 1.0, sum);
    return true;
}

// sum += w_q z' + W (what z'' is short of the acceleration in a body's own axes)
static void add_carried(const motion_columns *s, double *sum) {
    const assembly_problem *p = s->p;
    clear(s);
    put_z(s);
    for (int j = 0; j < s->m; j++) {
        const coordinate at = coordinate_at(p->c, p->a, s->first + j);
        if (at.body < 0 || at.axis >= 3) continue;
        const vec3 Om = p->own->bodies[at.body].a.a;
        const quat h = quat_load(p->m->bodies[p->a->bodies[at.body]].trial + B_H);
        const int row = body_field(p->c, p->a, at.body) + B_H;
        double turning[4];
        quat_store(turning, quat_mul(quat_half(vec3_cross(unit_vec3(at.axis), Om)), h));
        for (int i = 0; i < 4; i++) s->history[(row + i) * s->m + j] += turning[i];
    }
    ask(s, true);
    each_velocity(s, add_rows, 1.0, sum);
}

// ---------------------------------------------------------------- all of it
// Sections follow the shape: rows += r_s ds
static bool add_stretches(const motion_columns *s, const double *point) {
    const assembly_problem *p = s->p;
    const int n = n_change(p->a);
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        const size_t first = (size_t)p->a->first[i];
        double *by = s->scratch, *ds = by + n, *sides = ds + WIDEST;
        if (!rod_has_sections_that_follow(r)) continue;
        memset(ds, 0, sizeof(double) * WIDEST);
        rod_stretch_along(r, point + first, 6, s->m, s->change + first * (size_t)s->m, 6, ds);
        if (!assembly_by_stretch(p, i, point, sides, by)) return false;
        for (int k = 0; k < n; k++)
            columns_add(s->m, by[k], ds, s->residual + (size_t)k * (size_t)s->m);
    }
    return true;
}

static bool fill_stiffness(const motion_columns *s, const along *w, double *K) {
    assembly_problem *p = s->p;
    double *sum = s->waits;
    memset(sum, 0, sizeof(double) * (size_t)(n_fields(p->c, p->a) * s->m));
    if (w->speed > 0.0 && !add_change(s, w, true, sum)) return false;
    if (w->speed >= 0.0 && (!add_accelerated(s, w, sum) || !motion_move(p, w->at, w->c)))
        return false;
    clear(s);
    put_z(s);
    if (w->speed >= 0.0) each_velocity(s, take_rows, 1.0, sum);
    ask(s, true);
    if (!add_stretches(s, w->point)) return false;
    put_matrix(s, true, K);
    return true;
}

static bool fill_damping(const motion_columns *s, const along *w, double *D, double *M) {
    assembly_problem *p = s->p;
    double *sum = s->waits;
    memset(sum, 0, sizeof(double) * (size_t)(n_fields(p->c, p->a) * s->m));
    if (w->speed > 0.0 && !add_change(s, w, false, sum)) return false;
    if (w->speed >= 0.0) {
        if (!motion_move(p, w->at, w->c)) return false;
        add_carried(s, sum);
    }
    clear(s);
    put_rates(s);
    if (w->speed >= 0.0) each_velocity(s, take_rows, 1.0, sum);
    ask(s, false);
    put_matrix(s, false, D);
    clear(s);
    each_velocity(s, take_rows, 1.0, s->fields);
    ask(s, false);
    put_matrix(s, false, M);
    return true;
}

bool motion_slopes(void *of, const solve_instant *at, const configuration *c, double *K, double *D,
                   double *M, double *scratch) {
    assembly_problem *p = of;
    const assembly *a = p->a;
    const int n = n_change(a), n_q = n - n_efforts_of(p->c, a) - a->n_reactions;
    char why[MODEL_MESSAGE_SIZE];
    if (!assembly_has_slopes(p->c, a, why) || !motion_move(p, at, c)) return false;
    motion_columns s = {.p = p, .n_q = n_q, .n = n};
    place(p->c, a, scratch, &s);
    for (int k = 0; k < a->n_bodies; k++) s.present[k] = p->own->bodies[k].T.R;
    along w = {.at = at, .c = c, .point = p->own->points[3], .speed = -1.0};
    if (c->v || c->a || at->place_rates || at->place_accelerations) w.speed = motion_speed(p, c->v);
    for (s.first = 0; s.first < n; s.first += s.m) {
        s.m = n - s.first < WIDEST ? n - s.first : WIDEST;
        if (!fill_stiffness(&s, &w, K)) return false;
    }
    for (int i = 0; i < n; i++) {
        memset(D + (size_t)i * (size_t)n, 0, sizeof(double) * (size_t)n);
        memset(M + (size_t)i * (size_t)n, 0, sizeof(double) * (size_t)n);
    }
    for (s.first = 0; s.first < n_q; s.first += s.m) {
        s.m = n_q - s.first < WIDEST ? n_q - s.first : WIDEST;
        if (!fill_damping(&s, &w, D, M)) return false;
    }
    return true;
}
