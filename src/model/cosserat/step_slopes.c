// model/cosserat/step_slopes.c - see step_slopes.h: the state of a step in columns before it and after it, and what has no
// derivative. What formulas do in between: stage_slopes.c.
#include "model/cosserat/stage_slopes.h"

#include <stdio.h>
#include <string.h>

#include "model/cosserat/columns.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/drive_columns.h"
#include "model/cosserat/motion.h"

// ---------------------------------------------------------------- the state
// How many levels a formula looks back on.
static int n_levels(const cosserat *c) {
    return c->options.scheme == TD_BDF3 ? 3 : c->options.scheme == TD_TRAPEZOIDAL ? 1 : 2;
}

// A number beyond z and z' that a formula of several steps remembers: a field of a level, or of the rate (level
// 3).
typedef struct own_number {
    int level, field;
} own_number;

// Fields [first, first + n) of one level, from number `at` on.
static int list(own_number *to, int at, int level, int first, int n) {
    for (int i = 0; i < n && to; i++) to[at + i] = (own_number){level, first + i};
    return at + n;
}

// Strains of the present are z, and their rates z'.
static int list_rod(const cosserat *c, int index, int i, int level, own_number *to, int at) {
    const assembly *a = &c->assemblies[index];
    const rod *r = &c->rods[a->rods[i]];
    const int first = first_field(c, index) + rod_field(c, a, i), d = unknowns_per_node(r);
    for (int k = 0; k < r->n_nodes; k++) {
        if (level == 1 || level == 2) at = list(to, at, level, first + F_SIZE * k, d);
        at = list(to, at, level, first + F_SIZE * k + F_W, 6);
    }
    const int ends = first_field(c, index) + end_field(c, a, i);
    if (r->ridden) at = list(to, at, level, ends, 6 * r->n_elements);
    // of the present it is that of the inputs
    const int length = first_field(c, index) + length_field(c, a, i);
    return rod_is_fed(r) && (level == 1 || level == 2) ? list(to, at, level, length, 1) : at;
}

// All of them, into `to` unless that is NULL; how many.
static int list_numbers(const cosserat *c, own_number *to) {
    int at = 0;
    if (is_one_step(c)) return 0;
    for (int level = 0; level < 4; level++) {
        if (level < 3 && level >= n_levels(c)) continue;
        for (int k = 0; k < c->n_assemblies; k++) {
            const assembly *a = &c->assemblies[k];
            for (int i = 0; i < a->n_rods; i++) at = list_rod(c, k, i, level, to, at);
            at = list(to, at, level, first_field(c, k) + body_field(c, a, 0), B_SIZE * a->n_bodies);
        }
    }
    return at;
}

// ---------------------------------------------------------------- memory
typedef struct step_memory {
    own_number *numbers;  // (n - 2 n_c)
    double *point;        // (n_point of the largest assembly)
    mat3 *present;        // (n_bodies)
} step_memory;

static size_t bytes_as_doubles(size_t bytes) {
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

static size_t place(const cosserat *c, double *at, step_columns *s, step_memory *more) {
    const size_t m = (size_t)s->m, fields = (size_t)s->n_fields, u = (size_t)c->n_inputs;
    size_t n = 0, own = 0, most = 0, points = 0, bodies = 0, bounds = 0, touched = 0, sum = 0;
    for (int i = 0; i < c->n_assemblies; i++) {
        const assembly *a = &c->assemblies[i];
        const int widest = s->m > n_change(a) ? s->m : n_change(a);
        const size_t scratch = assembly_directions_scratch(c, a, widest);
        most = scratch > most ? scratch : most;
        n = (size_t)n_change(a) > n ? (size_t)n_change(a) : n;
        const size_t all_own = (size_t)(n_fields(c, a) + n_beside(c, a));
        own = all_own > own ? all_own : own;
        const size_t touching = (size_t)touch_points(c, a);
        touched = touching > touched ? touching : touched;
        points = (size_t)n_point(a) > points ? (size_t)n_point(a) : points;
        bodies = (size_t)a->n_bodies > bodies ? (size_t)a->n_bodies : bodies;
        const size_t rows = (size_t)rod_bound(c, a, a->n_rods);
        bounds = rows > bounds ? rows : bounds;
    }
    double *pivot = NULL, *numbers = NULL, *present = NULL, *asked = NULL, *among = NULL;
    double *drives = NULL;
    double **const parts[] = {
        &s->Y[0],      &s->Y[1],      &s->Y[2],      &s->rate,        &s->H,          &s->next,
        &s->R,         &s->X,         &s->unit,      &s->J,           &s->by_unknown, &s->by_input,
        &s->inputs[0], &s->inputs[1], &s->inputs[2], &s->sides,       &s->scale,      &pivot,
        &numbers,      &present,      &more->point,  &s->bounds,      &s->scratch,    &s->stretch,
        &s->kept,      &s->kept_next, &s->poses,     &s->poses_next,  &s->loads,      &s->pose_by,
        &s->one,       &s->center,    &s->grips,     &s->state_grips, &s->passed[0],  &s->passed[1],
        &asked,        &among,        &drives,       &s->flows};
    const size_t all = fields * m;
    const size_t sizes[] = {all,
                            all,
                            all,
                            all,
                            all,
                            all,
                            n * m,
                            n * m,
                            n * n,
                            n * n,
                            own * n,
                            6 * (n + own) + 12 * SOLVE_COLUMNS,
                            u,
                            u,
                            u,
                            4 * (n + own),
                            2 * n,
                            bytes_as_doubles(sizeof(int) * n),
                            bytes_as_doubles(sizeof(own_number) * (size_t)list_numbers(c, NULL)),
                            bytes_as_doubles(sizeof(mat3) * bodies),
                            points,
                            SOLVE_COLUMNS * bounds,
                            most,
                            (size_t)c->n_rods * m,
                            (size_t)s->n_kept * m,
                            (size_t)s->n_kept * m,
                            6 * (size_t)s->n_points * m,
                            6 * (size_t)s->n_points * m,
                            6 * touched * m,
                            6 * touched * n,
                            7 * m,
                            7 * touched,
                            (size_t)s->n_grips * m,
                            (size_t)s->n_grips * m,
                            (size_t)s->n_grips * m,
                            (size_t)s->n_grips * m,
                            bytes_as_doubles(sizeof(int) * u),
                            bytes_as_doubles(sizeof(int) * u),
                            drive_columns_doubles(c, s->m),
                            (size_t)s->n_flows * m};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (at) *parts[i] = at + sum;
        sum += sizes[i];
    }
    if (at) drive_columns_place(c, drives, s);
    s->pivot = (int *)(void *)pivot;
    s->asked = (int *)(void *)asked, s->among = (int *)(void *)among;
    more->numbers = (own_number *)(void *)numbers;
    more->present = (mat3 *)(void *)present;
    return sum;
}

// ---------------------------------------------------------------- before the step
// Columns of an assembly's (n x k) matrix into a wide one.
static void scatter(int n, int k, const double *from, int m, int column, double *to) {
    for (int i = 0; i < n; i++)
        memcpy(to + (size_t)i * (size_t)m + column, from + i * k, sizeof(double) * (size_t)k);
}

// The state itself, evaluated.
static assembly_problem *evaluate_start(const cosserat *c, cosserat_memory *m, int index,
                                        step_memory *more) {
    const step_columns *s = m->columns;
    const size_t bytes = sizeof(double) * (size_t)s->n_u;
    const solve_part part = cosserat_motion(c, m, index);
    assembly_problem *p = part.of;
    motion_to_point(p, part.m->q, part.m->l, more->point);
    memcpy(s->inputs[AS_LOAD], s->call->inputs_before, bytes);
    memcpy(s->inputs[AS_PLACE], s->call->inputs_before, bytes);
    memcpy(s->inputs[AS_RATE], s->call->rates_before, bytes);
    p->inputs = s->inputs[AS_LOAD];
    p->c0 = 0.0;
    motion_set_rates(p, more->point, part.m->v);
    if (!motion_evaluate(p, more->point, s->inputs[AS_PLACE], s->inputs[AS_RATE])) return NULL;
    for (int k = 0; k < p->a->n_bodies; k++) more->present[k] = p->own->bodies[k].T.R;
    return p;
}

// Where its points are: by z, and by what moves its bases.
static bool begin_points(const cosserat *c, cosserat_memory *m, int index, step_memory *more) {
    step_columns *s = m->columns;
    const assembly *a = &c->assemblies[index];
    const int n_c = n_coordinates_of(c, a), points = touch_points(c, a);
    const size_t at = 6 * (size_t)first_point(c, index) * (size_t)s->m;
    double *change = s->unit, *history = s->H;
    if (points == 0) return true;
    assembly_problem *p = evaluate_start(c, m, index, more);
    if (!p) return false;
    assembly_publish(p);
    stage_keep_center(s, p);
    memset(change, 0, sizeof(double) * (size_t)(n_change(a) * n_c));
    memset(history, 0, sizeof(double) * (size_t)(n_fields(c, a) * n_c));
    direct_z(p, 0, n_c, change, history);
    const assembly_directions d = {
        .m = n_c, .change = change, .fields = s->by_unknown, .poses = s->pose_by};
    directions_of_assembly(p, &d, s->scratch);
    scatter(6 * points, n_c, s->pose_by, s->m, first_coordinate(c, index), s->poses + at);
    for (int input = 0; input < s->n_u; input++) {
        if (!is_asked(s, input) || !input_moves(p, input)) continue;
        stage_slope_of_input(s, p, more->point, AS_PLACE, input, s->by_input);
        stage_add_column(6 * points, s->by_input + n_change(a) + n_fields(c, a), 1.0, s->m,
                         start_column(s, input), s->poses + at);
    }
    return true;
}

// The fields of the state itself: from z, z', and what moves its bases.
static bool begin_assembly(const cosserat *c, cosserat_memory *m, int index, step_memory *more) {
    step_columns *s = m->columns;
    const assembly *a = &c->assemblies[index];
    const int f = n_fields(c, a), n_c = n_coordinates_of(c, a), first = first_coordinate(c, index);
    const size_t at = (size_t)first_field(c, index) * (size_t)s->m;
    double *change = s->unit, *history = s->H, *fields = s->by_unknown;
    assembly_problem *p = evaluate_start(c, m, index, more);
    if (!p) return false;
    for (int rates = 0; rates < 2; rates++) {
        memset(change, 0, sizeof(double) * (size_t)(n_change(a) * n_c));
        memset(history, 0, sizeof(double) * (size_t)(f * n_c));
        if (rates) direct_rates(p, more->present, 0, n_c, history);
        else direct_z(p, 0, n_c, change, history);
        const assembly_directions d = {
            .m = n_c, .change = rates ? NULL : change, .history = history, .fields = fields};
        directions_of_assembly(p, &d, s->scratch);
        scatter(f, n_c, fields, s->m, first + (rates ? s->n_c : 0), s->Y[0] + at);
    }
    for (int k = 0; k < n_c && !is_one_step(c); k++) {
        const coordinate x = coordinate_at(c, a, k);
        if (x.node_field >= 0)
            s->rate[at + (size_t)x.node_field * (size_t)s->m + (size_t)(s->n_c + first + k)] = 1.0;
    }
    for (int input = 0; input < s->n_u; input++) {
        if (!is_asked(s, input) || !input_moves(p, input)) continue;
        stage_slope_of_input(s, p, more->point, AS_PLACE, input, s->by_input);
        stage_add_column(f, s->by_input + n_change(a), 1.0, s->m, start_column(s, input),
                         s->Y[0] + at);
        stage_slope_of_input(s, p, more->point, AS_RATE, input, s->by_input);
        stage_add_column(f, s->by_input + n_change(a), 1.0, s->m, start_rate_column(s, input),
                         s->Y[0] + at);
    }
    return true;
}

// What the formula remembers by itself: strains of the present are z, their rates z', and all else its own.
static void begin_with_past(const cosserat *c, cosserat_memory *m, const step_memory *more) {
    step_columns *s = m->columns;
    double *const levels[4] = {s->Y[0], s->Y[1], s->Y[2], s->rate};
    for (int i = 0; i < c->n_assemblies; i++)
        for (int k = 0; k < n_coordinates_of(c, &c->assemblies[i]); k++) {
            const coordinate x = coordinate_at(c, &c->assemblies[i], k);
            if (x.node_field < 0) continue;
            const size_t row = (size_t)(first_field(c, i) + x.node_field) * (size_t)s->m;
            const size_t column = (size_t)(first_coordinate(c, i) + k);
            s->Y[0][row + column] = s->rate[row + (size_t)s->n_c + column] = 1.0;
        }
    for (int k = 0; k < list_numbers(c, NULL); k++) {
        const own_number x = more->numbers[k];
        levels[x.level][(size_t)x.field * (size_t)s->m + (size_t)(2 * s->n_c + k)] = 1.0;
    }
    s->levels = n_levels(c);
    s->rated = true;
}

// Lengths when it begins are those of the inputs then.
static void begin_lengths(const cosserat *c, const step_columns *s) {
    for (int k = 0; k < c->n_assemblies; k++)
        for (int i = 0; i < c->assemblies[k].n_rods; i++) {
            const assembly *a = &c->assemblies[k];
            const rod *r = &c->rods[a->rods[i]];
            if (!rod_is_fed(r)) continue;
            double *row =
                s->Y[0] + (size_t)(first_field(c, k) + length_field(c, a, i)) * (size_t)s->m;
            memset(row, 0, sizeof(double) * (size_t)s->m);
            if (r->feed.gain != 0.0 && is_asked(s, r->feed.input))
                row[start_column(s, r->feed.input)] = r->feed.gain;
        }
}

// ds of the shape with which the step begins.
static void begin_stretches(const cosserat *c, const cosserat_memory *m) {
    const step_columns *s = m->columns;
    memset(s->stretch, 0, sizeof(double) * (size_t)c->n_rods * (size_t)s->m);
    for (int k = 0; k < c->n_assemblies; k++)
        for (int i = 0; i < c->assemblies[k].n_rods; i++) {
            const assembly *a = &c->assemblies[k];
            const rod *r = &c->rods[a->rods[i]];
            const size_t row = (size_t)(first_field(c, k) + rod_field(c, a, i));
            if (!rod_has_sections_that_follow(r)) continue;
            rod_stretch_along(r, m->rods[a->rods[i]].fields[0], F_SIZE, s->m,
                              s->Y[0] + row * (size_t)s->m, F_SIZE,
                              s->stretch + (size_t)a->rods[i] * (size_t)s->m);
        }
}

// What contact keeps are numbers of the state, the last of it but what flows.
static bool begin_contact(const cosserat *c, cosserat_memory *m, step_memory *more) {
    step_columns *s = m->columns;
    const int first = s->out->n - s->n_flows - s->n_kept;
    memset(s->kept, 0, sizeof(double) * (size_t)s->n_kept * (size_t)s->m);
    memset(s->poses, 0, sizeof(double) * 6 * (size_t)s->n_points * (size_t)s->m);
    for (int k = 0; k < s->n_kept; k++)
        s->kept[(size_t)k * (size_t)s->m + (size_t)(first + k)] = 1.0;
    for (int i = 0; i < c->n_assemblies; i++)
        if (!begin_points(c, m, i, more)) return false;
    return true;
}

// dc = dg - (del_z dz)/presliding
static bool begin_grips(const cosserat *c, cosserat_memory *m, int index, step_memory *more) {
    step_columns *s = m->columns;
    const assembly *a = &c->assemblies[index];
    const int n_c = n_coordinates_of(c, a), own = s->out->n - s->n_flows - s->n_kept - s->n_grips;
    double *change = s->unit;
    bool rubs = false;
    for (int i = 0; i < a->n_rods; i++) rubs = rubs || rod_rubs(&c->rods[a->rods[i]]);
    if (!rubs) return true;
    assembly_problem *p = evaluate_start(c, m, index, more);
    if (!p) return false;
    memset(change, 0, sizeof(double) * (size_t)(n_change(a) * n_c));
    direct_z(p, 0, n_c, change, s->H);
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        const int first = first_grip(c, a->rods[i]);
        if (!rod_rubs(r)) continue;
        c->scheme->ports->passed(&p->own->problems[i], n_c, change + a->first[i] * n_c, false,
                                 s->passed[0]);
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *ra = &r->actuators[k];
            const double per = actuator_rubs(ra->a) ? 1.0 / ra->a->presliding : 0.0;
            for (int at = ra->first_point; at < ra->first_point + ra->n_nodes; at++) {
                double *row = s->grips + (size_t)(first + at) * (size_t)s->m;
                row[own + first + at] = 1.0;
                columns_add(n_c, -per, s->passed[0] + at * n_c, row + first_coordinate(c, index));
            }
        }
    }
    return true;
}

static bool begin(const cosserat *c, cosserat_memory *m, bool fresh, step_memory *more) {
    step_columns *s = m->columns;
    if (!begin_contact(c, m, more)) return false;
    memset(s->grips, 0, sizeof(double) * (size_t)s->n_grips * (size_t)s->m);
    memset(s->state_grips, 0, sizeof(double) * (size_t)s->n_grips * (size_t)s->m);
    for (int i = 0; i < c->n_assemblies; i++)
        if (!begin_grips(c, m, i, more)) return false;
    const size_t bytes = sizeof(double) * (size_t)s->n_fields * (size_t)s->m;
    const bool halves = c->options.startup == TD_HALF_STEPS;
    const bool past = !is_one_step(c) && m->time->levels >= 2.0 && !(fresh && halves);
    drive_columns_begin(c, s, 2 * s->n_c + list_numbers(c, NULL), n_levels(c), past);
    double *const all[] = {s->Y[0], s->Y[1], s->Y[2], s->rate};
    for (int i = 0; i < (is_one_step(c) ? 1 : 4); i++) memset(all[i], 0, bytes);
    list_numbers(c, more->numbers);
    if (past) {
        begin_with_past(c, m, more);
        begin_lengths(c, s);
        return true;
    }
    for (int i = 0; i < c->n_assemblies; i++)
        if (!begin_assembly(c, m, i, more)) return false;
    begin_lengths(c, s);
    s->levels = 1;
    if (is_one_step(c)) return true;
    memcpy(s->Y[1], s->Y[0], bytes);
    memcpy(s->Y[2], s->Y[0], bytes);
    if (m->time->levels == 0.0) s->levels = 3, s->rated = true;  // any past is the present
    return true;
}

// ---------------------------------------------------------------- after it
static void copy_row(const step_columns *s, const double *from, int field, int row) {
    stage_put_row(s, from + (size_t)field * (size_t)s->m,
                  s->out->after + (size_t)row * (size_t)s->out->n_columns);
}

// z and z' of a body: rotation and translation in the world; R dw and d(R q).
static void put_body(const step_columns *s, const double *fields, int first, int field, int row) {
    const int m = s->m, wide = s->out->n_columns;
    double *z = s->out->after + (size_t)row * (size_t)wide,
           *rate = s->out->after + (size_t)(s->n_c + row) * (size_t)wide;
    memset(z, 0, sizeof(double) * 6 * (size_t)wide);
    memset(rate, 0, sizeof(double) * 6 * (size_t)wide);
    const double *y = s->Y[0] + (size_t)(first + field) * (size_t)m;
    const quat h = quat_load(fields + B_H), back = quat_conj(h);
    const mat3 R = quat_to_mat3(h);
    const vec3 V = mat3_mul_vec(&R, vec3_load(fields + B_Q));
    for (int j = 0; j < m; j++) {
        const int at = told_column(s, j);
        const quat dh = {y[B_H * m + j], y[(B_H + 1) * m + j], y[(B_H + 2) * m + j],
                         y[(B_H + 3) * m + j]};
        const vec3 phi = vec3_scale(quat_vector(quat_mul(dh, back)), 2.0);
        const vec3 dw = vec3_make(y[B_W * m + j], y[(B_W + 1) * m + j], y[(B_W + 2) * m + j]);
        const vec3 dq = vec3_make(y[B_Q * m + j], y[(B_Q + 1) * m + j], y[(B_Q + 2) * m + j]);
        const vec3 turning = mat3_mul_vec(&R, dw);
        const vec3 moving = vec3_add(mat3_mul_vec(&R, dq), vec3_cross(phi, V));
        const vec3 rows[4] = {phi, vec3_make(y[j], y[m + j], y[2 * m + j]), turning, moving};
        for (int k = 0; k < 4; k++) {
            double *to = (k < 2 ? z : rate) + (k % 2 ? 3 * wide : 0) + at;
            to[0] = rows[k].x, to[wide] = rows[k].y, to[2 * wide] = rows[k].z;
        }
    }
}

static void end(const cosserat *c, const cosserat_memory *m, const step_memory *more) {
    const step_columns *s = m->columns;
    const double *const levels[4] = {s->Y[0], s->Y[1], s->Y[2], s->rate};
    for (int i = 0; i < c->n_assemblies; i++) {
        const assembly *a = &c->assemblies[i];
        const int first = first_field(c, i), row = first_coordinate(c, i);
        for (int k = 0; k < n_coordinates_of(c, a); k++) {
            const coordinate x = coordinate_at(c, a, k);
            if (x.node_field >= 0) {
                copy_row(s, s->Y[0], first + x.node_field, row + k);
                copy_row(s, s->rate, first + x.node_field, s->n_c + row + k);
            } else if (x.axis == 0) {
                put_body(s, m->bodies[a->bodies[x.body]].fields[0], first, body_field(c, a, x.body),
                         row + k);
            }
        }
    }
    const int flows = s->out->n - s->n_flows, own = flows - s->n_kept, grips = own - s->n_grips;
    const int n_own = list_numbers(c, NULL);
    drive_columns_end(c, s, 2 * s->n_c + n_own, n_levels(c));
    for (int k = 0; k < n_own; k++)
        copy_row(s, levels[more->numbers[k].level], more->numbers[k].field, 2 * s->n_c + k);
    for (int k = 0; k < s->n_grips; k++) copy_row(s, s->state_grips, k, grips + k);
    for (int k = 0; k < s->n_kept; k++) copy_row(s, s->kept, k, own + k);
    for (int k = 0; k < s->n_flows; k++) copy_row(s, s->flows, k, flows + k);
}

// ---------------------------------------------------------------- all of it
// Of tendons that rub: what their memory leaves out.
static const char *lacks_memory(const rod *r) {
    if (!rod_rubs(r)) return NULL;
    if (rod_is_fed(r)) return "its tendons rub and it is fed";
    if (r->follows) return "its tendons rub and its sections follow its stretch";
    for (int k = 0; k < r->n_actuators; k++)
        if (r->actuators[k].a->viscous > 0.0) return "a tendon rubs by its speed";
    return NULL;
}

static td_status refuse(const cosserat *c, char *message) {
    for (int i = 0; i < c->n_assemblies; i++)
        if (!assembly_has_slopes(c, &c->assemblies[i], message)) return TD_ERR_UNSUPPORTED;
    for (int i = 0; i < c->n_rods; i++)
        if (lacks_memory(&c->rods[i]))
            return tell(message, TD_ERR_UNSUPPORTED,
                        "rod '%.80s': its steps have no derivative, because %s", c->rods[i].name,
                        lacks_memory(&c->rods[i]));
    for (int i = 0; i < c->n_rods; i++)
        for (int k = 0; k < c->rods[i].n_obstacles; k++)
            if (contact_remembers(&c->rods[i].contacts[k]) &&
                obstacle_is_driven(&c->rods[i].obstacles[k]))
                return tell(message, TD_ERR_UNSUPPORTED,
                            "rod '%.80s': its steps have no derivative, because it rubs on an "
                            "obstacle that inputs move, or leaves it slower than it came",
                            c->rods[i].name);
    if (touch_remembers(&c->touch))
        return tell(message, TD_ERR_UNSUPPORTED,
                    "steps have no derivative, because a body rubs on an obstacle, or leaves it "
                    "slower than it came");
    for (int k = 0; k < c->n_obstacles; k++)
        if (c->obstacles[k].def.hard > 0.0)
            return tell(message, TD_ERR_UNSUPPORTED,
                        "steps have no derivative, because obstacle '%.60s' is hard",
                        c->obstacle_names[k]);
    return TD_OK;
}

// Is there an input, of those that are asked for, that does more than load? Else rates of inputs do not count.
static bool rates_count(const cosserat *c, const bool *asked) {
    for (int i = 0; i < c->n_assemblies; i++) {
        const assembly_problem p = {.c = c, .a = &c->assemblies[i]};
        for (int k = 0; k < c->n_inputs; k++)
            if ((!asked || asked[k]) && !input_only_loads(&p, k)) return true;
    }
    return false;
}

static int count_asked(const cosserat *c, const bool *asked) {
    int n = 0;
    for (int k = 0; k < c->n_inputs; k++) n += !asked || asked[k];
    return n;
}

static void list_asked(const cosserat *c, const bool *asked, step_columns *s) {
    for (int k = 0, n = 0; k < c->n_inputs; k++) {
        s->among[k] = !asked || asked[k] ? n : -1;
        if (s->among[k] >= 0) s->asked[n++] = k;
    }
}

// Is there a shorter way to what its inputs alone do? Rods that stand alone, with all efforts given.
static bool has_short_way(const cosserat *c, const cosserat_memory *m) {
    if (c->n_inputs > SOLVE_COLUMNS || first_point(c, c->n_assemblies) > 0) return false;
    for (int i = 0; i < c->n_assemblies; i++) {
        const assembly *a = &c->assemblies[i];
        const assembly_problem p = {.c = c, .a = a, .own = &m->assemblies[i]};
        if (!a->alone || c->rods[a->rods[0]].n_efforts) return false;
        for (int k = 0; k < c->n_inputs; k++)
            if (input_moves(&p, k)) return false;
    }
    return true;
}

// The past is what it is: it does not answer to inputs at the end.
static bool begin_at_rest(step_columns *s) {
    const size_t bytes = sizeof(double) * (size_t)s->n_fields * (size_t)s->m;
    double *const all[] = {s->Y[0], s->Y[1], s->Y[2], s->rate};
    for (int i = 0; i < 4; i++) memset(all[i], 0, bytes);
    s->levels = 3;
    s->rated = true;
    return true;
}

td_status cosserat_step_slopes(const void *compiled, void *memory, const model_call *call,
                               double dt, bool fresh, step_slopes *out) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    char why[MODEL_MESSAGE_SIZE];
    step_memory more = {0};
    step_columns s = {.out = out, .n_u = c->n_inputs, .dt = dt, .call = call};
    const td_status possible = refuse(c, call->message ? call->message : why);
    if (possible < 0) return possible;
    s.n_c = first_coordinate(c, c->n_assemblies) + drive_numbers(c);
    s.n_fields = first_field(c, c->n_assemblies);
    s.n_points = first_point(c, c->n_assemblies);
    s.n_kept = n_kept_of(c, s.n_points);
    s.n_grips = first_grip(c, c->n_rods);
    s.n_flows = flow_columns_count(c, c->n_assemblies);
    out->n = 2 * s.n_c + list_numbers(c, NULL) + drive_memory(c, n_levels(c)) + s.n_grips +
             s.n_kept + s.n_flows;
    out->n_columns = out->n + 4 * c->n_inputs + out->n_parameters;  // whose columns are left 0
    s.n_a = count_asked(c, out->asked);
    s.m = out->n + (rates_count(c, out->asked) ? 4 : 2) * s.n_a;
    out->n_scratch = place(c, NULL, &s, &more);
    if (!out->scratch) return TD_OK;
    out->short_way = out->by_end && has_short_way(c, m);
    if (out->short_way) s.m = c->n_inputs;
    place(c, out->scratch, &s, &more);
    list_asked(c, out->asked, &s);
    if (!out->short_way)
        memset(out->beside, 0, sizeof(double) * (size_t)s.n_c * (size_t)out->n_columns);
    m->columns = &s;
    const bool begun = out->short_way ? begin_at_rest(&s) : begin(c, m, fresh, &more);
    if (begun) begin_stretches(c, m);
    flow_columns_begin(&s);
    td_status status = begun ? TD_OK : TD_ERR_NOT_FINITE;
    if (status >= 0) status = cosserat_step(c, m, call, dt, fresh);
    if (status >= 0 && s.incomplete) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "the step was so violent that it was taken in parts, and has no derivative");
        status = TD_ERR_UNSUPPORTED;
    }
    if (status >= 0 && !out->short_way) end(c, m, &more);
    m->columns = NULL;
    return status;
}
