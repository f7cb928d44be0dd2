// solve/part_slopes.c - see part_slopes.h.
#include "solve/part_slopes.h"

#include <string.h>

#include "math/dense.h"
#include "solve/carried.h"
#include "solve/chart.h"

// Rows that move as numbers do: plain coordinates, then those of motors and valves.
typedef struct row_range {
    int from, to;
} row_range;

static row_range numbers_of(const part_slopes *s, int which) {
    return which ? (row_range){s->n_r, s->n} : (row_range){0, n_plain(&s->x.p)};
}

static row_range coordinates_of(const part_slopes *s, int which) {
    return which ? (row_range){s->n_r, s->n} : (row_range){0, s->x.p.n_q};
}

// to += h x over these rows
static void add_range(const part_slopes *s, row_range rows, double h, const double *x, double *to) {
    for (int i = rows.from * s->columns; i < rows.to * s->columns; i++) to[i] += h * x[i];
}

// ---------------------------------------------------------------- 6 x 6
static void put(mat6 *to, int row, int column, double scale, mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) to->m[3 * row + i][3 * column + k] = scale * block.m[i][k];
}

static mat6 scaled(double s, const mat6 *x) {
    mat6 out;
    for (int i = 0; i < 36; i++) out.m[i / 6][i % 6] = s * x->m[i / 6][i % 6];
    return out;
}

static mat6 sum(const mat6 *x, const mat6 *y) {
    mat6 out;
    for (int i = 0; i < 36; i++) out.m[i / 6][i % 6] = x->m[i / 6][i % 6] + y->m[i / 6][i % 6];
    return out;
}

// Six rows of numbers: to += s A from
static void add_rows(const mat6 *A, double s, const double *from, int columns, double *to) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double x = s * A->m[i][k];
            if (x == 0.0) continue;
            for (int c = 0; c < columns; c++) to[i * columns + c] += x * from[k * columns + c];
        }
}

// ---------------------------------------------------------------- memory
void part_slopes_layout(const solve_part *p, const drive_source *drives, int n_u, int n_p, arena *a,
                        part_slopes *out) {
    drive_slopes d;
    drive_slopes_layout(drives->all, drives->n, drives->parts, drives->part, p, n_u, a, &d);
    const int n_r = part_n(p), n = n_r + d.n_numbers;
    const int n_c = part_n_coordinates(p) + d.n_numbers, n_x = 2 * n_c + p->n_kept + p->n_flows;
    const int columns = n_x + 4 * n_u + n_p;
    part_slopes s = {.n_r = n_r, .n = n, .n_c = n_c, .n_u = n_u, .n_p = n_p, .n_x = n_x};
    s.columns = columns;
    s.d = d;
    s.compact = ARENA_TAKE(a, double, d.n ? 3 * n_r *n_r : 0);
    double **const wide[] = {&s.from, &s.from_v, &s.star, &s.star_v, &s.z, &s.v, &s.a};
    linear_layout(p, n_u, n + d.n, a, &s.x);
    s.K = ARENA_TAKE(a, double, 3 * n * n);
    s.J = ARENA_TAKE(a, double, n *n);
    if (s.K) s.D = s.K + n * n, s.M = s.D + n * n;
    s.exact = ARENA_TAKE(a, double, p->n_slopes);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        *wide[i] = ARENA_TAKE(a, double, n *columns);
    s.z_t = p->n_frames ? ARENA_TAKE(a, double, n *columns) : s.v;  // the same where there are none
    s.z_tt = p->n_frames ? ARENA_TAKE(a, double, n *columns) : s.a;
    s.G = ARENA_TAKE(a, double, n *(4 * n_u + n_p));
    s.column = ARENA_TAKE(a, double, n);
    s.here = ARENA_TAKE(a, double, n);
    s.jump = ARENA_TAKE(a, double, n_u);
    s.none = ARENA_TAKE(a, double, n + n_u);
    s.stretch = ARENA_TAKE(a, double, p->n_stretches *columns);
    s.kept = ARENA_TAKE(a, double, p->n_kept *columns);
    s.kept_next = ARENA_TAKE(a, double, p->n_kept *columns);
    s.shape = ARENA_TAKE(a, double, p->n_shape *columns);
    s.wrenches = ARENA_TAKE(a, double, p->n_shape *columns);
    flows_layout(p, columns, a, &s.flows);
    s.frames = ARENA_TAKE(a, step_frame, p->n_frames);
    s.coordinate = ARENA_TAKE(a, int, n_c);
    s.pivot = ARENA_TAKE(a, int, n);
    for (int k = 0, i = 0; k < p->n_q && s.coordinate; k++)
        if (!part_holds(p, k)) s.coordinate[i++] = k;
    for (int k = 0; k < d.n_numbers && s.coordinate; k++)
        s.coordinate[n_c - d.n_numbers + k] = n_r + k;
    if (out) *out = s;
}

static size_t wide_bytes(const part_slopes *s) {
    return sizeof(double) * (size_t)s->n * (size_t)s->columns;
}

// ---------------------------------------------------------------- a stage
// Motors and valves where the stage left them.
static void load_drives(part_slopes *s, const double *inputs) {
    const engines *all = s->watch.within->call->engines;
    s->x.supplies = s->d.n ? &s->d.all : NULL;
    for (int i = 0; i < s->d.n; i++) {
        const actuator *a = s->d.of[i];
        const int index = a->engine.index;
        const engine_answer *found = &all->found[index];
        engine_point at = {.command = number_value(a->value, inputs),
                           .effort = all->stages[index].effort,
                           .torque = found->torque};
        memcpy(at.y, found->y, sizeof at.y);
        memcpy(at.rate, all->rates[index], sizeof at.rate);
        drive_slopes_put(&s->d, i, &at);
    }
}

static void load(part_slopes *s, const solve_part *p, const solve_instant *at) {
    linear_point *x = &s->x;
    const solve_memory *m = p->m;
    x->p = *p;
    x->t = at->t;
    x->lead = at->lead;
    x->rests = false;
    copy_doubles(p->n_x, x->q, m->tq);
    copy_doubles(p->n_l, x->l, m->tl);
    copy_doubles(p->n_q, x->v, m->tv);
    copy_doubles(p->n_q, x->a, m->ta);
    copy_doubles(s->n_u, x->u[0], at->inputs);
    copy_doubles(s->n_u, x->places, at->places);
    copy_doubles(s->n_u, x->u[1], at->place_rates);
    copy_doubles(s->n_u, x->u[2], at->place_accelerations);
    load_drives(s, at->inputs);
}

static void fill(part_slopes *s, linear_by by, double *matrix) {
    linear_point *x = &s->x;
    const linear_observer o = linear_residual(x);
    for (int pass = 0; pass < 2;
         pass++)  // multipliers last: what bends like a radian is known then
        for (int k = 0; k < s->n_r; k++) {
            const bool effort = k >= x->p.n_q || part_holds(&x->p, k);
            if (effort != (pass == 1)) continue;
            linear_quick_slope(x, &o, by, k, s->here, matrix + k, s->n);
            if (by == BY_Z && !effort) x->force[k] = fabs(matrix[k * s->n + k]) * x->p.unit[k];
        }
}

// K, D and M of the part alone, exactly, where it has them.
static bool find_exactly(part_slopes *s) {
    double *const to[3] = {s->K, s->D, s->M};
    const size_t n_r = (size_t)s->n_r, n = (size_t)s->n;
    if (s->d.n == 0) return linear_slopes(&s->x, s->K, s->exact);
    if (!linear_slopes(&s->x, s->compact, s->exact)) return false;
    for (size_t which = 0; which < 3; which++)
        for (size_t i = 0; i < n_r; i++)
            memcpy(to[which] + i * n, s->compact + (which * n_r + i) * n_r, sizeof(double) * n_r);
    return true;
}

static const linear_by inputs_by[4] = {BY_U, BY_PLACE, BY_U_T, BY_U_TT};

// Number j of motor e: its row of K, D, M and G.
static void fill_number(part_slopes *s, int e, int j) {
    const drive_slopes *d = &s->d;
    const engine_rows *row = &d->rows[e];
    const int n = s->n, at = (s->n_r + d->first[e] + j) * n, n_g = 4 * s->n_u + s->n_p;
    for (int k = 0; k < s->n_r; k++) {
        s->K[at + k] = row->by_effort[j] * d->by_z[e * s->n_r + k];
        s->D[at + k] = row->by_effort[j] * d->by_rate[e * s->n_r + k];
    }
    for (int f = 0; f < d->n; f++)
        for (int k = 0; k < d->rows[f].n; k++)
            s->K[at + s->n_r + d->first[f] + k] = drive_slopes_stiffness(d, e, j, f, k);
    for (int k = 0; k < row->n; k++) {
        s->D[at + s->n_r + d->first[e] + k] = row->D[j][k];
        s->M[at + s->n_r + d->first[e] + k] = row->M[j][k];
    }
    for (int w = 0; w < 4; w++)
        for (int k = 0; k < s->n_u; k++)
            s->G[(s->n_r + d->first[e] + j) * n_g + w * s->n_u + k] =
                -drive_slopes_by_input(d, e, j, inputs_by[w], k);
}

static void fill_drives(part_slopes *s) {
    const drive_slopes *d = &s->d;
    if (d->n == 0) return;
    drive_slopes_find(&s->d, &s->x, s->moves, true);
    for (int e = 0; e < d->n; e++) {
        for (int i = 0; i < s->n_r; i++) s->K[i * s->n + s->n_r + d->first[e]] = d->S[i * d->n + e];
        for (int j = 0; j < d->rows[e].n; j++) fill_number(s, e, j);
    }
}

static void find_slopes(part_slopes *s, const solve_instant *at) {
    linear_point *x = &s->x;
    const linear_observer o = linear_residual(x);
    const int n_g = 4 * s->n_u + s->n_p;
    const configuration c = {x->q, x->l, x->v, x->a};
    linear_balance(x, s->here);
    if (s->d.n) memset(s->K, 0, sizeof(double) * 3 * (size_t)(s->n * s->n));
    if (find_exactly(s)) {
        for (int k = 0; k < x->p.n_q; k++)
            x->force[k] = part_holds(&x->p, k) ? 0.0 : fabs(s->K[k * (s->n + 1)]) * x->p.unit[k];
    } else {
        fill(s, BY_Z, s->K);
        fill(s, BY_Z_T, s->D);
        fill(s, BY_Z_TT, s->M);
    }
    memset(s->G, 0, sizeof(double) * (size_t)(s->n * n_g));
    for (int k = 0; k < s->n_u; k++)
        for (int i = 0; i < (s->moves[k] ? 4 : 1); i++)
            linear_quick_slope(x, &o, inputs_by[i], k, s->here, s->G + i * s->n_u + k, n_g);
    fill_drives(s);
    for (int k = 0; k < s->n_p; k++) {
        s->by_parameter(s->context, at, &c, k, s->column);
        for (int i = 0; i < s->n; i++) s->G[i * n_g + 4 * s->n_u + k] = s->column[i];
    }
}

// ---------------------------------------------------------------- frames
// At the configuration of the stage, which began at the frame `star`.
static step_frame frame_at(const linear_point *x, int i, const double *star, double c0) {
    const solve_part *p = &x->p;
    const int n = n_plain(p), at = n + 6 * i;
    const double *point = x->q + n + 7 * i;
    const mat3 R = quat_to_mat3(quat_load(point + 3)), back = mat3_transpose(&R);
    const vec3 w = vec3_load(x->v + at), V = vec3_load(x->v + at + 3);
    const vec3 A = vec3_add(vec3_load(x->a + at + 3), vec3_cross(w, V));
    const mat6 E = se3_dexp_right_inv(vec6_scale((vec6){w, V}, 1.0 / c0));
    const mat3 w_hat = mat3_hat(w), V_hat = mat3_hat(V), A_hat = mat3_hat(A);
    const mat3 Rw = mat3_mul(&R, &w_hat), RV = mat3_mul(&R, &V_hat), RA = mat3_mul(&R, &A_hat);
    step_frame f = {0};
    mat6 to_body = {0};
    put(&to_body, 0, 0, c0, back);
    put(&to_body, 1, 1, c0, back);
    f.follow = mat6_mul(&E, &to_body);
    f.carry = mat6_identity();
    put(&f.carry, 1, 0, -1.0, mat3_hat(vec3_sub(vec3_load(point), vec3_load(star))));
    put(&f.turn, 0, 0, 1.0, R);
    put(&f.turn, 1, 1, 1.0, R);
    put(&f.turn_z, 1, 0, -1.0, mat3_mul(&RV, &back));
    put(&f.swing, 0, 0, 1.0, Rw);
    put(&f.swing, 1, 1, 1.0, Rw);
    put(&f.swing, 1, 0, -1.0, RV);
    put(&f.swing_z, 1, 0, -1.0, mat3_mul(&RA, &back));
    return f;
}

// ---------------------------------------------------------------- the equations of a stage
// J += B A over the six columns of a frame.
static void add_block(int n, const double *B, int at, const mat6 *A, double *J) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) J[i * n + at + j] += B[i * n + at + k] * A->m[k][j];
}

static bool factor(part_slopes *s, double c0) {
    const int n = s->n, plain = n_plain(&s->x.p);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int at = i * n + k;
            const bool number = k < plain || k >= s->n_r;
            s->J[at] = s->K[at] + (number ? c0 * (s->D[at] + c0 * s->M[at]) : 0.0);
        }
    for (int i = 0; i < s->x.p.n_frames; i++) {
        const step_frame *f = &s->frames[i];
        const mat6 rate = mat6_mul(&f->turn, &f->follow), swing = mat6_mul(&f->swing, &f->follow);
        const mat6 by_rate = sum(&rate, &f->turn_z), faster = scaled(c0, &rate);
        const mat6 by_swing = sum(&swing, &f->swing_z), both = sum(&faster, &by_swing);
        add_block(n, s->D, plain + 6 * i, &by_rate, s->J);
        add_block(n, s->M, plain + 6 * i, &both, s->J);
    }
    return lu_factor(n, s->J, s->pivot);
}

static void clear_held(const part_slopes *s, double *rows) {
    const solve_part *p = &s->x.p;
    for (int k = 0; k < s->n_r; k++)
        if (k >= p->n_q || part_holds(p, k))
            memset(rows + (size_t)k * (size_t)s->columns, 0, sizeof(double) * (size_t)s->columns);
}

static void clear_frames(const part_slopes *s, double *rows) {
    const size_t from = (size_t)n_plain(&s->x.p) * (size_t)s->columns;
    memset(rows + from, 0, sizeof(double) * 6 * (size_t)(s->x.p.n_frames * s->columns));
}

// z' and z'' of dv, da and z.
static void find_world_rates(part_slopes *s, const double *z) {
    const solve_part *p = &s->x.p;
    const int plain = n_plain(p), N = s->columns;
    if (p->n_frames == 0) return;
    for (int i = 0; i < 2; i++) {
        const row_range rows = numbers_of(s, i);
        const size_t from = (size_t)(rows.from * N);
        const size_t bytes = sizeof(double) * (size_t)((rows.to - rows.from) * N);
        memcpy(s->z_t + from, s->v + from, bytes);
        memcpy(s->z_tt + from, s->a + from, bytes);
    }
    clear_frames(s, s->z_t);
    clear_frames(s, s->z_tt);
    for (int i = 0; i < p->n_frames; i++) {
        const step_frame *f = &s->frames[i];
        const int at = (plain + 6 * i) * N;
        add_rows(&f->turn, 1.0, s->v + at, N, s->z_t + at);
        add_rows(&f->turn, 1.0, s->a + at, N, s->z_tt + at);
        add_rows(&f->swing, 1.0, s->v + at, N, s->z_tt + at);
        if (z) add_rows(&f->turn_z, 1.0, z + at, N, s->z_t + at);
        if (z) add_rows(&f->swing_z, 1.0, z + at, N, s->z_tt + at);
    }
    clear_held(s, s->z_t);
    clear_held(s, s->z_tt);
}

// dv (with z, or of what the stage began with alone) and what follows: da, z', z''.
static void find_rates(part_slopes *s, double c0, const double *z) {
    const solve_part *p = &s->x.p;
    const int plain = n_plain(p), N = s->columns;
    for (int which = 0; which < 2; which++) {
        const row_range rows = numbers_of(s, which);
        for (int i = rows.from * N; i < rows.to * N; i++)
            s->v[i] = c0 * ((z ? z[i] : 0.0) - s->star[i]);
    }
    clear_frames(s, s->v);
    for (int i = 0; i < p->n_frames; i++) {
        const step_frame *f = &s->frames[i];
        const int at = (plain + 6 * i) * N;
        const mat6 carried = mat6_mul(&f->follow, &f->carry);
        if (z) add_rows(&f->follow, 1.0, z + at, N, s->v + at);
        add_rows(&carried, -1.0, s->star + at, N, s->v + at);
    }
    clear_held(s, s->v);
    for (int which = 0; which < 2; which++) {
        const row_range rows = coordinates_of(s, which);
        for (int i = rows.from * N; i < rows.to * N; i++) s->a[i] = c0 * (s->v[i] - s->star_v[i]);
    }
    clear_held(s, s->a);
    find_world_rates(s, z);
}

// to -= A x, x (n x columns). Where a step begins, x of plain coordinates has a number or two in each row.
static void take_product(const part_slopes *s, const double *A, const double *x, double *to) {
    const int n = s->n, N = s->columns;
    if (!s->begins || s->x.p.n_frames > 0) {
        dense_madd(n, n, N, -1.0, A, x, to);
        return;
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < N; j++) {
            const double by = x[k * N + j];
            for (int i = 0; i < n && by != 0.0; i++) to[i * N + j] -= A[i * n + k] * by;
        }
}

// z -= G du: what an input gives and what it moves have their own way through the step.
static void add_given(part_slopes *s, double t) {
    const int n_u = s->n_u, n_g = 4 * n_u + s->n_p, N = s->columns, first = s->n_x;
    for (int k = 0; k < n_u; k++) {
        const input_slopes u = step_inputs_slopes(s->watch.within, k, t);
        for (int i = 0; i < s->n; i++) {
            const double *G = s->G + i * n_g + k;
            const double by[4] = {G[0] - G[n_u], G[n_u], G[2 * n_u], G[3 * n_u]};
            for (int w = 0; w < 4; w++)
                s->z[i * N + first + w * n_u + k] -= by[0] * u.given[w] + by[1] * u.place[w] +
                                                     by[2] * u.rate[w] + by[3] * u.acceleration[w];
        }
    }
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->n_p; k++)
            s->z[i * N + first + 4 * n_u + k] -= s->G[i * n_g + 4 * n_u + k];
}

// z -= r_s ds
static void add_stretches(part_slopes *s) {
    const int N = s->columns;
    for (int which = 0; which < s->x.p.n_stretches; which++) {
        linear_by_stretch(&s->x, which, s->column);
        for (int i = 0; i < s->n_r; i++)
            for (int k = 0; k < N; k++) s->z[i * N + k] -= s->column[i] * s->stretch[which * N + k];
    }
}

// z*, dv* of a stage that begins, after the first one's velocity v1 for h,
//
//     q* = q0 exp(h v1),   z* = H z0 + R dexp_right(h v1) h dv1,   dv* = dv0 + h da1
static void set_out(part_slopes *s, const solve_part *p, double h) {
    const int plain = n_plain(p), N = s->columns;
    memcpy(s->star, s->from, wide_bytes(s));
    memcpy(s->star_v, s->from_v, wide_bytes(s));
    if (h == 0.0) return;
    for (int i = 0; i < 2; i++) add_range(s, numbers_of(s, i), h, s->v, s->star);
    for (int i = 0; i < p->n_frames; i++) {
        const int at = plain + 6 * i;
        const double *from = p->m->q + plain + 7 * i;
        quat turned;
        const vec6 way = vec6_scale(vec6_load(s->x.v + at), h);
        const vec3 shift = quat_rotate(quat_load(from + 3), se3_exp_turn(way, &turned));
        const mat3 R = quat_to_mat3(quat_mul(quat_load(from + 3), turned));
        mat6 carry = {0}, turn = {0};
        put(&turn, 0, 0, h, R);
        put(&turn, 1, 1, h, R);
        put(&carry, 1, 0, -1.0, mat3_hat(shift));
        const mat6 D = se3_dexp_right(way);
        const mat6 advance = mat6_mul(&turn, &D);
        add_rows(&carry, 1.0, s->from + at * N, N, s->star + at * N);
        add_rows(&advance, 1.0, s->v + at * N, N, s->star + at * N);
    }
    clear_held(s, s->star);
    for (int i = 0; i < 2; i++) add_range(s, coordinates_of(s, i), h, s->a, s->star_v);
}

// ---------------------------------------------------------------- bases that carry along
// How c (a motion of the space) and y of a base change in a direction, per unit.
typedef struct carried_slope {
    vec6 c, y;
} carried_slope;

static carried_slope slope_between(const base_carry *plus, const base_carry *minus, double width) {
    const se3 back = se3_inverse(&minus->c), c = se3_mul(&plus->c, &back);
    return (carried_slope){vec6_scale(se3_log(&c), 1.0 / width),
                           vec6_scale(vec6_sub(plus->y, minus->y), 1.0 / width)};
}

static void add_six(vec6 x, double *to, int columns) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) to[i * columns] += y[i];
}

// One column of a frame that began at `from`.
static void carry_column(const solve_part *p, int frame, const carried_slope *d, int N,
                         double *star, double *star_v) {
    const int plain = n_plain(p);
    const double *q = p->m->q + plain + 7 * frame, *to = p->m->star + plain + 7 * frame;
    const se3 from = {quat_to_mat3(quat_load(q + 3)), vec3_load(q)};
    bool turns;
    p->how->carrier(p->of, frame, &turns);
    vec6 c = {d->c.a, vec3_add(d->c.l, vec3_cross(d->c.a, vec3_load(to)))};
    vec6 y = turns ? (vec6){mat3_tmul_vec(&from.R, d->y.a), vec3_zero()}
                   : se3_adjoint_inv_vec(&from, d->y);
    if (turns) c.l = vec3_zero();
    add_six(c, star, N);
    add_six(y, star_v, N);
}

// The rows of a frame by what its base does where it began, and where it was then.
static void carry_rows(part_slopes *s, const solve_part *p, int frame, const base_carry *x) {
    const int plain = n_plain(p), N = s->columns, at = (plain + 6 * frame) * N;
    const double *q = p->m->q + plain + 7 * frame;
    const mat3 R = quat_to_mat3(quat_load(q + 3)), back = mat3_transpose(&R);
    bool turns;
    p->how->carrier(p->of, frame, &turns);
    const vec3 there = turns ? vec3_zero() : vec3_add(x->y.l, vec3_cross(x->y.a, vec3_load(q)));
    const mat3 w = mat3_hat(x->y.a), v = mat3_hat(there);
    mat6 follow = {0};  // R'(y x th), R'(y_l + y_w x p) x th + y_w x dp)
    put(&follow, 0, 0, 1.0, mat3_mul(&back, &w));
    if (!turns) put(&follow, 1, 0, 1.0, mat3_mul(&back, &v));
    if (!turns) put(&follow, 1, 1, 1.0, mat3_mul(&back, &w));
    add_rows(&follow, 1.0, s->from + at, N, s->star_v + at);
    for (int k = 0; k < N; k++)
        for (int half = 0; half < 2; half++) {
            double *rows = s->star + at + 3 * half * N + k;
            const vec3 z = mat3_mul_vec(&x->c.R, (vec3){rows[0], rows[N], rows[2 * N]});
            rows[0] = z.x, rows[N] = z.y, rows[2 * N] = z.z;
        }
}

#define NUDGE 1e-4  // of what inputs say: differences of what is smooth in them, to 1e-10

static void carry_inputs(part_slopes *s, const solve_part *p, int base, const carried_slope *d,
                         int column) {
    const int plain = n_plain(p), N = s->columns;
    for (int i = 0; i < p->n_frames; i++) {
        bool turns;
        const int at = (plain + 6 * i) * N + column;
        if (p->how->carrier(p->of, i, &turns) == base)
            carry_column(p, i, d, N, s->star + at, s->star_v + at);
    }
}

// By numbers of the robot.
static void carry_parameters(part_slopes *s, const solve_part *p, const stage_way *way, int base) {
    for (int k = 0; k < s->n_p; k++) {
        base_carry x[2];
        double step[2];
        bool moves = true;
        for (int side = 0; side < 2 && moves; side++) {
            const solve_part other = s->with_parameter(s->context, k, 1 - 2 * side, &step[side]);
            moves = carried_find(&other, s->watch.within, way, base, (input_nudge){0}, &x[side]);
        }
        s->with_parameter(s->context, k, 0, &step[0]);
        if (!moves) continue;
        const carried_slope d = slope_between(&x[0], &x[1], 2.0 * step[1]);
        carry_inputs(s, p, base, &d, s->n_x + 4 * s->n_u + k);
    }
}

static void carry_base(part_slopes *s, const solve_part *p, const stage_way *way, int base) {
    step_inputs *within = s->watch.within;
    base_carry x, plus, minus;
    if (!carried_find(p, within, way, base, (input_nudge){0}, &x)) return;
    for (int i = 0; i < p->n_frames; i++) {
        bool turns;
        if (p->how->carrier(p->of, i, &turns) == base) carry_rows(s, p, i, &x);
    }
    for (int k = 0; k < s->n_u; k++)
        for (int which = 0; which < 4 && s->moves[k]; which++) {
            const double e = which < 2 ? NUDGE : NUDGE / within->dt;
            if (!carried_find(p, within, way, base, (input_nudge){k, which, e}, &plus)) continue;
            if (!carried_find(p, within, way, base, (input_nudge){k, which, -e}, &minus)) continue;
            const carried_slope d = slope_between(&plus, &minus, 2.0 * e);
            carry_inputs(s, p, base, &d, s->n_x + which * s->n_u + k);
        }
    carry_parameters(s, p, way, base);
}

static void watch_stage(step_watch *w, const solve_part *p, const solve_instant *at, int stage,
                        const stage_way *way) {
    part_slopes *s = (part_slopes *)w;
    const int n = s->n, plain = n_plain(p), N = s->columns;
    ASSERT(stage == 0 ? way->from_first == 0.0 : true);
    (void)stage;
    if (s->singular) return;
    set_out(s, p, way->from_first);
    for (int base = 0; base < p->n_bases; base++) carry_base(s, p, way, base);
    s->watch.within->led = at->lead > 0.0;
    if (p->n_bases) step_inputs_at(s->watch.within, at->t);
    load(s, p, at);
    solve_instant fixed = *at;
    if (s->d.n) fixed.engines = s->d.all.stages;
    find_slopes(s, &fixed);
    for (int i = 0; i < p->n_frames; i++)
        s->frames[i] = frame_at(&s->x, i, p->m->star + plain + 7 * i, at->cv);
    if (!factor(s, at->cv)) {
        s->singular = true;
        return;
    }
    find_rates(s, at->cv, NULL);
    memset(s->z, 0, wide_bytes(s));
    take_product(s, s->D, s->z_t, s->z);
    take_product(s, s->M, s->z_tt, s->z);
    s->begins = false;
    add_given(s, at->t);
    s->watch.within->led = false;
    add_stretches(s);
    if (p->n_kept) {
        const configuration c = {s->x.q, s->x.l, s->x.v, s->x.a};
        p->how->past_take(p->of, &fixed, &c, N, s->kept, s->shape, s->wrenches, s->z);
    }
    if (p->n_flows) {
        const configuration c = {s->x.q, s->x.l, s->x.v, s->x.a};
        flows_take(&s->flows, p, &fixed, &c, s->z);
    }
    lu_solve_many(n, s->J, s->pivot, N, s->z);
    find_rates(s, at->cv, s->z);
}

static void watch_taken(step_watch *w, const solve_part *p) {
    part_slopes *s = (part_slopes *)w;
    (void)p;
    memcpy(s->from, s->z, wide_bytes(s));
    memcpy(s->from_v, s->v, wide_bytes(s));
    clear_held(s, s->from);
}

// ---------------------------------------------------------------- a step
// ds of the shape with which the step begins: of its coordinates, and of bases that inputs move.
static void begin_stretches(part_slopes *s, const solve_part *p) {
    linear_point *x = &s->x;
    const step_inputs *within = s->watch.within;
    if (p->n_stretches == 0) return;
    x->p = *p;
    if (p->gives) x->p.n_l = 0;
    x->rests = true;
    copy_doubles(p->n_x, x->q, p->m->q);
    copy_doubles(x->p.n_l, x->l, p->m->l);
    copy_doubles(p->n_q, x->v, p->m->v);
    copy_doubles(s->n_u, x->places, within->call->inputs_before);
    copy_doubles(s->n_u, x->u[0], within->call->inputs_before);
    memset(s->stretch, 0, sizeof(double) * (size_t)(p->n_stretches * s->columns));
    for (int which = 0; which < p->n_stretches; which++) {
        double *row = s->stretch + which * s->columns;
        for (int j = 0; j < s->n_c - s->d.n_numbers; j++)
            row[j] = linear_stretch_slope(x, which, BY_Z, s->coordinate[j]);
        for (int k = 0; k < s->n_u; k++)
            if (s->moves[k]) row[s->n_x + k] = linear_stretch_slope(x, which, BY_PLACE, k);
    }
}

// What is remembered: numbers of the state, and what follows from where the step begins.
static void begin_past(part_slopes *s, const solve_part *p, const solve_instant *at) {
    const size_t row = (size_t)s->columns;
    const configuration c = {p->m->q, p->m->l, p->m->v, p->m->a};
    if (p->n_kept == 0) return;
    memset(s->kept, 0, sizeof(double) * (size_t)p->n_kept * row);
    for (int k = 0; k < p->n_kept; k++) s->kept[(size_t)k * row + (size_t)(2 * s->n_c + k)] = 1.0;
    p->how->past_begin(p->of, at, &c, s->columns, s->from, s->shape);
}

// Springs of sections that relax: of the state, and the strains of the shape where the step begins.
static void begin_flows(part_slopes *s, const solve_part *p, const solve_instant *at) {
    const int N = s->columns, first = s->n_x - p->n_flows;
    const configuration c = {p->m->q, p->m->l, p->m->v, p->m->a};
    if (p->n_flows == 0) return;
    memset(s->flows.h, 0, sizeof(double) * (size_t)(p->n_flows * N));
    for (int k = 0; k < p->n_flows; k++) s->flows.h[k * N + first + k] = 1.0;
    flows_begin(&s->flows, p, at, &c, s->from);
    for (int k = 0; k < s->n_p; k++)
        for (int side = -1; side <= 1; side += 2) {
            double step;
            const solve_part other = s->with_parameter(s->context, k, side, &step);
            flows_begin_by(&s->flows, &other, side, at, &c, step, s->n_x + 4 * s->n_u + k);
        }
    if (s->n_p) s->with_parameter(s->context, 0, 0, &(double){0.0});
}

static void end_flows(part_slopes *s, const solve_part *p, const solve_instant *at) {
    const configuration c = {p->m->q, p->m->l, p->m->v, p->m->a};
    if (p->n_flows == 0) return;
    flows_end(&s->flows, p, at, &c, s->from);
    for (int k = 0; k < s->n_p; k++)
        for (int side = -1; side <= 1; side += 2) {
            double step;
            const solve_part other = s->with_parameter(s->context, k, side, &step);
            flows_end_by(&s->flows, &other, side, at, &c, step, s->n_x + 4 * s->n_u + k);
        }
    if (s->n_p) s->with_parameter(s->context, 0, 0, &(double){0.0});
}

void part_slopes_end(part_slopes *s, const solve_part *p, const solve_instant *at) {
    const configuration c = {p->m->q, p->m->l, p->m->v, p->m->a};
    if (p->n_kept)
        p->how->past_keep(p->of, at, &c, s->columns, s->from, s->kept, s->shape, s->wrenches,
                          s->kept_next);
    end_flows(s, p, at);
}

void part_slopes_begin(part_slopes *s, const solve_part *p, const solve_instant *at) {
    const int N = s->columns;
    linear_point *x = &s->x;
    s->watch.stage = watch_stage;
    s->watch.taken = watch_taken;
    s->singular = false;
    s->begins = true;
    linear_reach_anew(x);
    memset(s->from, 0, wide_bytes(s));
    memset(s->from_v, 0, wide_bytes(s));
    memset(x->a, 0, sizeof(double) * (size_t)p->n_q);
    x->supplies = s->d.n ? &s->d.all : NULL;
    if (s->d.n)
        drive_slopes_load(&s->d, s->watch.within->call->engines,
                          s->watch.within->call->inputs_before);
    for (int j = 0; j < 2 * s->n_c; j++) {
        const int k = s->coordinate[j % s->n_c];
        if (k >= s->n_r) {
            (j < s->n_c ? s->from : s->from_v)[k * N + j] = 1.0;
            continue;
        }
        memset(x->dz, 0, sizeof(double) * (size_t)p->n_q);
        memset(x->dz_t, 0, sizeof(double) * (size_t)p->n_q);
        if (j < s->n_c) {
            x->dz[k] = 1.0;
            s->from[k * N + j] = 1.0;
            part_stay(p, p->m->q, p->m->v, x->a, x->dz, x->dv, x->da);
        } else {
            x->dz_t[k] = 1.0;
            part_carry(p, p->m->q, p->m->v, x->dz_t, x->dz, x->dv, x->da);
        }
        for (int i = 0; i < p->n_q; i++) s->from_v[i * N + j] = x->dv[i];
    }
    clear_held(s, s->from_v);
    begin_stretches(s, p);
    begin_past(s, p, at);
    begin_flows(s, p, at);
}

// ---------------------------------------------------------------- what jumps
// What bases that jump in velocity ask of it: the equations with that jump and those of velocities as accelerations, less
// those without.
static void kick_of(void *context, const solve_instant *at, const configuration *c, double *out) {
    part_slopes *s = context;
    const solve_part *p = &s->x.p;
    solve_instant still = *at;
    configuration rests = *c;
    still.place_accelerations = s->none;
    rests.a = s->none;
    p->how->residual(p->of, at, c, out, NULL);
    p->how->residual(p->of, &still, &rests, s->column, NULL);
    for (int i = 0; i < s->n_r; i++) out[i] -= s->column[i];
}

// The mass, and how the equations answer to accelerations of bases, at rest where the step begins.
static bool factor_mass(part_slopes *s) {
    linear_point *x = &s->x;
    const linear_observer o = linear_residual(x);
    linear_balance(x, s->here);
    fill(s, BY_Z_TT, s->J);
    for (int k = 0; k < s->n_u; k++)
        if (s->moves[k])
            linear_quick_slope(x, &o, BY_U_TT, k, s->here, s->G + 3 * s->n_u + k,
                               4 * s->n_u + s->n_p);
    if (s->d.n) memset(s->here + s->n_r, 0, sizeof(double) * (size_t)s->d.n_numbers);
    for (int k = 0; k < s->n; k++) {
        if (k < x->p.n_q && !part_holds(&x->p, k)) continue;
        for (int i = 0; i < s->n; i++) s->J[i * s->n + k] = s->J[k * s->n + i] = i == k;
    }
    return lu_factor(s->n, s->J, s->pivot);
}

// The slopes of kick_of by coordinates, into K, and by what inputs give and where they place bases, into G.
static void find_kick_slopes(part_slopes *s, const solve_instant *at) {
    linear_point *x = &s->x;
    const linear_observer o = {kick_of, s, s->n_r, false};
    const int n_g = 4 * s->n_u + s->n_p;
    const configuration c = {x->q, x->l, x->v, x->a}, rests = {x->q, x->l, x->v, s->none};
    linear_value(x, &o, s->here);
    for (int k = 0; k < x->p.n_q; k++)
        if (!part_holds(&x->p, k)) linear_quick_slope(x, &o, BY_Z, k, s->here, s->K + k, s->n);
    for (int k = 0; k < s->n_u; k++) {
        linear_quick_slope(x, &o, BY_U, k, s->here, s->G + k, n_g);
        if (s->moves[k]) linear_quick_slope(x, &o, BY_PLACE, k, s->here, s->G + s->n_u + k, n_g);
    }
    solve_instant jumps = *at, still = *at;
    jumps.place_rates = still.place_rates = still.place_accelerations = s->none;
    jumps.place_accelerations = s->jump;
    if (s->d.n) jumps.engines = still.engines = s->d.all.stages;
    for (int k = 0; k < s->n_p; k++) {
        s->by_parameter(s->context, &jumps, &c, k, s->column);
        for (int i = 0; i < s->n_r; i++) s->G[i * n_g + 4 * s->n_u + k] = s->column[i];
        s->by_parameter(s->context, &still, &rests, k, s->column);
        for (int i = 0; i < s->n_r; i++) s->G[i * n_g + 4 * s->n_u + k] -= s->column[i];
    }
}

// Into z: what kick_of changes by, column by column. Rates of inputs before the step are the third of four.
static void put_kick_columns(part_slopes *s) {
    const int n_u = s->n_u, n_g = 4 * n_u + s->n_p, N = s->columns, first = s->n_x;
    memset(s->z, 0, wide_bytes(s));
    for (int i = 0; i < s->n; i++) {
        double *row = s->z + i * N;
        for (int j = 0; j < s->n_c; j++) row[j] = s->K[i * s->n + s->coordinate[j]];
        for (int k = 0; k < s->n_p; k++) row[first + 4 * n_u + k] = s->G[i * n_g + 4 * n_u + k];
    }
    for (int k = 0; k < n_u; k++) {
        const input_slopes u = step_inputs_slopes(s->watch.within, k, 0.0);
        for (int i = 0; i < s->n; i++) {
            const double *G = s->G + i * n_g + k;
            for (int w = 0; w < 4; w++)
                s->z[i * N + first + w * n_u + k] = (G[0] - G[n_u]) * u.given[w] +
                                                    G[n_u] * u.place[w] +
                                                    G[3 * n_u] * (u.rate[w] - (w == 2));
        }
    }
    clear_held(s, s->z);
}

void part_slopes_kick(part_slopes *s, const solve_part *p, const solve_instant *at) {
    linear_point *x = &s->x;
    const model_call *call = s->watch.within->call;
    const int n_g = 4 * s->n_u + s->n_p, N = s->columns;
    x->p = *p;
    x->p.n_l = 0;
    x->lead = 0.0;
    x->rests = false;
    copy_doubles(p->n_x, x->q, p->m->q);
    copy_doubles(s->n_u, x->u[0], at->inputs);
    copy_doubles(s->n_u, x->places, at->places);
    memset(s->none, 0, sizeof(double) * (size_t)(s->n + s->n_u));
    copy_doubles(p->n_q, x->v, s->none);
    copy_doubles(p->n_q, x->a, s->none);
    copy_doubles(s->n_u, x->u[1], s->none);
    copy_doubles(s->n_u, x->u[2], s->none);
    memset(s->G, 0, sizeof(double) * (size_t)(s->n * n_g));
    memset(s->K, 0, sizeof(double) * (size_t)(s->n * s->n));
    for (int k = 0; k < s->n_u; k++)
        s->jump[k] = s->moves[k] ? at->place_rates[k] - call->rates_before[k] : 0.0;
    if (!factor_mass(s)) return;  // the step says so
    for (int i = 0; i < s->n; i++) {
        s->here[i] = 0.0;
        for (int k = 0; k < s->n_u; k++) s->here[i] -= s->G[i * n_g + 3 * s->n_u + k] * s->jump[k];
        if (i >= p->n_q || part_holds(p, i)) s->here[i] = 0.0;
    }
    lu_solve(s->n, s->J, s->pivot, s->here);
    copy_doubles(p->n_q, x->a, s->here);
    copy_doubles(s->n_u, x->u[2], s->jump);
    find_kick_slopes(s, at);
    put_kick_columns(s);
    lu_solve_many(s->n, s->J, s->pivot, N, s->z);
    for (int i = 0; i < p->n_q * N; i++) s->from_v[i] -= s->z[i];
    clear_held(s, s->from_v);
}
