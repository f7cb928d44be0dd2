// model/cosserat/drive_columns.c - see drive_columns.h.
#include "model/cosserat/drive_columns.h"

#include <string.h>

#include "math/dense.h"
#include "model/cosserat/columns.h"
#include "solve/engines.h"

// Levels of numbers and of their rates, the acceleration, and what a stage begins with.
enum { LEVELS = 3, N_BLOCKS = 2 * LEVELS + 5 };

// ---------------------------------------------------------------- what is there
// Of the motors and valves before number `index`, on rods and in joints.
static int first_number(const cosserat *c, int index) {
    int n = 0;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        if (actuator_is_driven(a) && a->engine.index < index) n += engine_n_numbers(&a->engine);
    }
    return n;
}

int drive_numbers(const cosserat *c) {
    return first_number(c, INT32_MAX);
}

// Angles have a speed of their own in the memory, other numbers their values alone.
static bool has_speed(const engine *e, int j) {
    return e->kind == ENGINE_MOTOR && j == 0;
}

typedef struct own_place {  // of a number beyond the state
    int block, row;
} own_place;

// Into `to` (NULL: count them alone): for each number past levels, with the speeds of angles, and their acceleration.
static int list_memory(const cosserat *c, int n_levels, own_place *to, int most) {
    int n = 0;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        if (!actuator_is_driven(a)) continue;
        const int first = first_number(c, a->engine.index);
        for (int j = 0; j < engine_n_numbers(&a->engine); j++) {
            const bool speed = has_speed(&a->engine, j);
            for (int level = 1; level < n_levels; level++)
                for (int rate = 0; rate <= speed; rate++, n++)
                    if (to && n < most)
                        to[n] = (own_place){rate ? LEVELS + level : level, first + j};
            if (!speed) continue;
            if (to && n < most) to[n] = (own_place){2 * LEVELS, first + j};
            n++;
        }
    }
    return n;
}

int drive_memory(const cosserat *c, int n_levels) {
    return is_one_step(c) ? 0 : list_memory(c, n_levels, NULL, 0);
}

// ---------------------------------------------------------------- memory
size_t drive_columns_doubles(const cosserat *c, int m) {
    const size_t n = (size_t)drive_numbers(c);
    return N_BLOCKS * n * (size_t)m + 2 * (size_t)drive_memory(c, LEVELS);
}

void drive_columns_place(const cosserat *c, double *at, step_columns *s) {
    const size_t block = (size_t)drive_numbers(c) * (size_t)s->m;
    double **const blocks[N_BLOCKS] = {&s->q[0],   &s->q[1],   &s->q[2],  &s->q_t[0],
                                       &s->q_t[1], &s->q_t[2], &s->q_tt,  &s->q_star,
                                       &s->v_star, &s->q_next, &s->v_next};
    s->n_numbers = drive_numbers(c);
    for (int i = 0; i < N_BLOCKS; i++) *blocks[i] = at + (size_t)i * block;
    s->own_numbers = (int *)(void *)(at + N_BLOCKS * block);
}

static double *block_of(const step_columns *s, int block) {
    if (block < LEVELS) return s->q[block];
    return block < 2 * LEVELS ? s->q_t[block - LEVELS] : s->q_tt;
}

static own_place *places_of(const step_columns *s) {
    return (own_place *)(void *)s->own_numbers;
}

void drive_columns_begin(const cosserat *c, step_columns *s, int own, int n_levels, bool past) {
    const size_t m = (size_t)s->m, bytes = sizeof(double) * (size_t)s->n_numbers * m;
    const int n_own = drive_memory(c, n_levels), first = s->n_c - s->n_numbers;
    list_memory(c, n_levels, places_of(s), n_own);
    for (int i = 0; i <= 2 * LEVELS && s->n_numbers; i++) memset(block_of(s, i), 0, bytes);
    for (int j = 0; j < s->n_numbers; j++) {
        s->q[0][(size_t)j * m + (size_t)(first + j)] = 1.0;
        s->q_t[0][(size_t)j * m + (size_t)(s->n_c + first + j)] = 1.0;
    }
    for (int k = 0; k < n_own && past; k++) {
        const own_place x = places_of(s)[k];
        block_of(s, x.block)[(size_t)x.row * m + (size_t)(own + k)] = 1.0;
    }
    for (int level = 1; level < LEVELS && !past && s->n_numbers; level++) {
        memcpy(s->q[level], s->q[0], bytes);
        memcpy(s->q_t[level], s->q_t[0], bytes);
    }
}

// ---------------------------------------------------------------- a stage
typedef struct stage_drive {
    const engine *e;
    int first;         // number
    int row;           // of its effort in the unknowns of the assembly
    engine_rows rows;  // where the stage left it
    double J[ENGINE_NUMBERS * ENGINE_NUMBERS];
    int pivot[ENGINE_NUMBERS];
} stage_drive;

static stage_drive engine_in(const assembly_problem *p, const step_columns *s, const substep *sub,
                             const actuator *a) {
    const engine *e = &a->engine;
    const engines *all = s->call->engines;
    const double c0 = sub->formula.c0;
    engine_point at = {.command = number_value(a->value, sub->inputs),
                       .effort = all->stages[e->index].effort,
                       .torque = all->found[e->index].torque};
    memcpy(at.y, all->found[e->index].y, sizeof at.y);
    memcpy(at.rate, all->rates[e->index], sizeof at.rate);
    stage_drive d = {.e = e, .first = first_number(p->c, e->index)};
    d.rows = engine_rows_at(e, &at);
    const int n = d.rows.n;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            d.J[j * n + k] = d.rows.K[j][k] + c0 * (d.rows.D[j][k] + c0 * d.rows.M[j][k]);
    if (!lu_factor(n, d.J, d.pivot)) ((step_columns *)s)->incomplete = true;
    return d;
}

static stage_drive drive_at(const assembly_problem *p, const step_columns *s, const substep *sub,
                            int i, const rod_actuator *ra) {
    const rod *r = p->own->problems[i].r;
    stage_drive d = engine_in(p, s, sub, ra->a);
    d.row = p->a->first[i] + n_strains(r) + ra->effort + ra->n_efforts - 1;
    return d;
}

// d residual/d supplied of its effort's equation: 0 where it is slack, whose row sees no strain.
static double by_supply(const actuator *a, const double *row, int n_strains) {
    bool counts = false;
    for (int k = 0; k < n_strains; k++) counts = counts || row[k] != 0.0;
    if (!counts) return 0.0;
    if (a->control != CONTROL_GAS) return a->from_rest ? -1.0 : 1.0;
    engine_stage none = {.fixed = true}, one = {.fixed = true, .star = {1.0}};
    const supply from[2] = {{.share = 1.0, .stage = &none}, {.share = 1.0, .stage = &one}};
    return actuator_balance(a, from[1], 0.0, a->rest).residual -
           actuator_balance(a, from[0], 0.0, a->rest).residual;
}

// Numbers without the effort, of one engine, into q_next.
static void solve_free(const step_columns *s, const substep *sub, const stage_drive *d,
                       const td_number *told, const double w[3]) {
    const int n = d->rows.n, m = s->m;
    const double c0 = sub->formula.c0;
    double *to = s->q_next + (size_t)d->first * (size_t)m;
    memset(to, 0, sizeof(double) * (size_t)(n * m));
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            const size_t from = (size_t)(d->first + k) * (size_t)m;
            const double M = d->rows.M[j][k];
            columns_add(m, c0 * (c0 * M + d->rows.D[j][k]), s->q_star + from, to + j * m);
            columns_add(m, c0 * M, s->v_star + from, to + j * m);
        }
        if (told->gain == 0.0 || !is_asked(s, told->input)) continue;
        const double by = d->rows.by_command[j] * told->gain;
        to[j * m + start_column(s, told->input)] += by * w[0];
        to[j * m + end_column(s, told->input)] += by * w[1];
    }
    lu_solve_many(n, d->J, d->pivot, m, to);
}

// (q*, v*) = -(sum c_l (q_l, q'_l) + d1 (q', q''))/c0
static void find_stars(const step_columns *s, const stage_drive *d, const time_formula *f) {
    const int count = d->rows.n * s->m;
    const size_t at = (size_t)d->first * (size_t)s->m;
    memset(s->q_star + at, 0, sizeof(double) * (size_t)count);
    memset(s->v_star + at, 0, sizeof(double) * (size_t)count);
    for (int l = 0; l < LEVELS; l++) {
        columns_add(count, -f->c[l] / f->c0, s->q[l] + at, s->q_star + at);
        columns_add(count, -f->c[l] / f->c0, s->q_t[l] + at, s->v_star + at);
    }
    columns_add(count, -f->d1 / f->c0, s->q_t[0] + at, s->q_star + at);
    columns_add(count, -f->d1 / f->c0, s->q_tt + at, s->v_star + at);
}

// Of a free body among the unknowns of its assembly.
static int body_row(const assembly_problem *p, int body) {
    return p->a->first[p->a->n_rods] + 6 * p->c->bodies[body].place;
}

// What numbers without the effort do by the shaft of a joint: its torque falls as they turn it on.
static void load_shafts(const assembly_problem *p, step_columns *s, const substep *sub,
                        const double w[3]) {
    for (int k = 0; k < p->a->n_joints; k++) {
        shaft x;
        if (!shaft_at(p, k, &x)) continue;
        const joint *j = joint_of(p, k);
        const stage_drive d = engine_in(p, s, sub, x.of);
        const double by = -x.by_turn * engine_travel(d.e);
        find_stars(s, &d, &sub->formula);
        solve_free(s, sub, &d, &x.of->value, w);
        for (int side = 0; side < (j->holder >= 0 ? 2 : 1); side++) {
            double *rows = s->R + (size_t)body_row(p, side ? j->holder : j->held) * (size_t)s->m;
            for (int r = 0; r < 6; r++)
                columns_add(s->m, (side ? -by : by) * x.wrench[r],
                            s->q_next + (size_t)d.first * (size_t)s->m, rows + r * s->m);
        }
    }
}

void drive_columns_load(const assembly_problem *p, step_columns *s, const substep *sub) {
    double w[N_ROLES][3];
    stage_input_weights(s, sub, w);
    if (s->n_numbers) load_shafts(p, s, sub, w[AS_LOAD]);
    for (int i = 0; i < p->a->n_rods && s->n_numbers; i++) {
        const rod *r = p->own->problems[i].r;
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *ra = &r->actuators[k];
            if (!actuator_is_driven(ra->a)) continue;
            const stage_drive d = drive_at(p, s, sub, i, ra);
            const double *row = s->J + (size_t)d.row * (size_t)n_change(p->a);
            const double by = by_supply(ra->a, row + p->a->first[i], n_strains(r));
            find_stars(s, &d, &sub->formula);
            solve_free(s, sub, &d, &ra->a->value, w[AS_LOAD]);
            columns_add(s->m, by * engine_travel(d.e), s->q_next + (size_t)d.first * (size_t)s->m,
                        s->R + (size_t)d.row * (size_t)s->m);
        }
    }
}

// With how its effort answers, dT (m), the numbers of an engine and their rates.
static void take_numbers(const step_columns *s, const substep *sub, const stage_drive *d,
                         const double *dT) {
    const double c0 = sub->formula.c0;
    const int count = d->rows.n * s->m;
    const size_t at = (size_t)d->first * (size_t)s->m;
    double by[ENGINE_NUMBERS] = {0.0};
    memcpy(by, d->rows.by_effort, sizeof(double) * (size_t)d->rows.n);
    lu_solve(d->rows.n, d->J, d->pivot, by);
    for (int j = 0; j < d->rows.n; j++)
        columns_add(s->m, -by[j], dT, s->q_next + at + (size_t)(j * s->m));
    columns_scale(count, c0, s->q_next + at, s->v_next + at);
    columns_add(count, -c0, s->q_star + at, s->v_next + at);
    columns_scale(count, c0, s->v_next + at, s->q_tt + at);
    columns_add(count, -c0, s->v_star + at, s->q_tt + at);
}

// dT = by_turn (d turn - d supplied), the latter by the numbers without the effort; into v_next for now.
static void take_shafts(const assembly_problem *p, const step_columns *s, const substep *sub) {
    for (int k = 0; k < p->a->n_joints; k++) {
        shaft x;
        if (!shaft_at(p, k, &x)) continue;
        const joint *j = joint_of(p, k);
        const stage_drive d = engine_in(p, s, sub, x.of);
        const size_t at = (size_t)d.first * (size_t)s->m;
        double *dT = s->v_next + at;
        columns_scale(s->m, -x.by_turn * engine_travel(d.e), s->q_next + at, dT);
        for (int side = 0; side < (j->holder >= 0 ? 2 : 1); side++) {
            const double *z = s->X + (size_t)body_row(p, side ? j->holder : j->held) * (size_t)s->m;
            for (int r = 0; r < 6; r++)
                columns_add(s->m, (side ? -1.0 : 1.0) * x.by_turn * x.wrench[r], z + r * s->m, dT);
        }
        take_numbers(s, sub, &d, dT);
    }
}

void drive_columns_take(const assembly_problem *p, step_columns *s, const substep *sub) {
    if (s->n_numbers) take_shafts(p, s, sub);
    for (int i = 0; i < p->a->n_rods && s->n_numbers; i++) {
        const rod *r = p->own->problems[i].r;
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *ra = &r->actuators[k];
            if (!actuator_is_driven(ra->a)) continue;
            const stage_drive d = drive_at(p, s, sub, i, ra);
            take_numbers(s, sub, &d, s->X + (size_t)d.row * (size_t)s->m);
        }
    }
}

static void move_on(double *levels[LEVELS], double **next) {
    double *const oldest = levels[2];
    levels[2] = levels[1], levels[1] = levels[0], levels[0] = *next;
    *next = oldest;
}

void drive_columns_accept(step_columns *s) {
    if (s->n_numbers == 0) return;
    move_on(s->q, &s->q_next);
    move_on(s->q_t, &s->v_next);
}

void drive_columns_join(step_columns *s) {
    const size_t bytes = sizeof(double) * (size_t)s->n_numbers * (size_t)s->m;
    if (bytes == 0) return;
    memcpy(s->q[1], s->q[2], bytes);
    memcpy(s->q_t[1], s->q_t[2], bytes);
}

void drive_columns_end(const cosserat *c, const step_columns *s, int own, int n_levels) {
    const size_t m = (size_t)s->m, wide = (size_t)s->out->n_columns;
    const int first = s->n_c - s->n_numbers, n_own = drive_memory(c, n_levels);
    for (int j = 0; j < s->n_numbers; j++) {
        const size_t row = (size_t)(first + j);
        stage_put_row(s, s->q[0] + (size_t)j * m, s->out->after + row * wide);
        stage_put_row(s, s->q_t[0] + (size_t)j * m, s->out->after + ((size_t)s->n_c + row) * wide);
        stage_put_row(s, s->q_tt + (size_t)j * m, s->out->beside + row * wide);
    }
    for (int k = 0; k < n_own; k++) {
        const own_place x = places_of(s)[k];
        stage_put_row(s, block_of(s, x.block) + (size_t)x.row * m,
                      s->out->after + (size_t)(own + k) * wide);
    }
}

void drive_columns_fix(const step_columns *s, bool fixed) {
    const engines *all = s->call->engines;
    for (int i = 0; i < s->n_numbers && i < all->n; i++) {
        engine_stage *at = &all->stages[i];
        if (at->fixed == fixed) continue;
        for (int k = 0; k < N_ENGINE; k++) {
            const double star = at->star[k];
            at->star[k] = fixed ? all->found[i].y[k] : star - all->rates[i][k] / at->cv;
        }
        at->fixed = fixed;
    }
}
