// The derivative of a step: against steps themselves, and against the stability functions of the schemes.
#include "modes.h"

#include <complex.h>
#include <string.h>

#include "math/pencil.h"
#include "math/quat.h"
#include "step_robots.h"

// ---------------------------------------------------------------- steps themselves
typedef struct differences {
    td_system *system;
    td_state *state;
    void *snapshot;
    int n, n_frames;
    double dt;
    double *q, *v;  // of the equilibrium
} differences;

// z and z' of the state: from where the equilibrium is; frames in the world.
static void read_state(const differences *d, double *x) {
    double q[256], v[256];
    const int first = d->n - 6 * d->n_frames;
    td_get_coordinates(d->system, d->state, q, v);
    for (int k = 0; k < d->n; k++) x[k] = q[k] - d->q[k], x[d->n + k] = v[k];
    for (int i = 0; i < d->n_frames; i++) {
        const int at = first + 6 * i;
        const quat h = quat_exp(vec3_load(q + at)), from = quat_exp(vec3_load(d->q + at));
        vec3_store(x + at, quat_log(quat_mul(h, quat_conj(from))));
        vec3_store(x + d->n + at, quat_rotate(h, vec3_load(v + at)));
    }
}

static void write_state(const differences *d, const double *x) {
    double q[256], v[256];
    const int first = d->n - 6 * d->n_frames;
    for (int k = 0; k < d->n; k++) q[k] = d->q[k] + x[k], v[k] = x[d->n + k];
    for (int i = 0; i < d->n_frames; i++) {
        const int at = first + 6 * i;
        const quat from = quat_exp(vec3_load(d->q + at));
        const quat h = quat_mul(quat_exp(vec3_load(x + at)), from);
        vec3_store(q + at, quat_log(h));
        vec3_store(v + at, quat_rotate(quat_conj(h), vec3_load(x + d->n + at)));
    }
    const td_status status = td_set_coordinates(d->system, d->state, q, v);
    if (status < 0) fprintf(stderr, "set: %s\n", td_message(d->state));
    assert_true(status >= 0);
}

static void step_from(differences *d, const double *x, int input, double e, double *out) {
    assert_int_equal(
        td_state_restore(d->system, d->state, d->snapshot, td_snapshot_bytes(d->system)), TD_OK);
    if (x) write_state(d, x);
    if (input >= 0) td_set_input(d->system, d->state, input, e);
    const td_status status = td_step(d->system, d->state, d->dt);
    if (status < 0) fprintf(stderr, "step: %s\n", td_message(d->state));
    assert_true(status >= 0);
    read_state(d, out);
}

// How large a change of each coordinate is, by which differences are taken.
static double reach_of(const differences *d, const char *model, int k) {
    if (strcmp(model, "cosserat") == 0) return k % 6 < 3 ? 3e-4 : 3e-5;
    if (strcmp(model, "tubes") == 0) return 3e-4;
    const bool by_six = d->n_frames > 0 || strcmp(model, "ebr") == 0 || strcmp(model, "srl") == 0;
    return by_six && k % 6 >= 3 ? 1e-6 : 1e-5;  // lengths
}

// A column of the map against steps: of states, or, where joints would gape, of the tip alone.
typedef struct slopes {
    double *map, *seen, *unit;
    int n;
} slopes;

static void compare(const slopes *s, const char *model, robot_kind kind, int column) {
    double size = 0.0;
    for (int i = 0; i < s->n; i++) size = fmax(size, fabs(s->map[i]) * s->unit[i]);
    for (int i = 0; i < s->n; i++) {
        const double miss = fabs(s->map[i] - s->seen[i]) * s->unit[i];
        if (miss <= 1e-7 * size) continue;
        fprintf(stderr, "%s, %s: column %d, row %d of %d: %.12g, seen %.12g (%.3g)\n", model,
                kinds[kind], column, i, s->n, s->map[i], s->seen[i], miss / size);
        fail();
    }
}

static void check_map(td_system *system, const td_options *o, robot_kind kind, double dt) {
    td_error err = {0};
    differences d = {.system = system, .state = td_state_create(system), .dt = dt};
    world w = {.system = system, .state = d.state};
    if (td_solve_statics(system, d.state) <
        0) {  // not every chain has an equilibrium that is found
        assert_true(strcmp(o->model, "cosserat") != 0);
        td_state_destroy(d.state);
        return;
    }
    d.n = td_n_coordinates(system);
    d.q = calloc(2 * (size_t)d.n, sizeof *d.q), d.v = d.q + d.n;
    td_step(system, d.state, dt);  // so that an input that changes is on its way, and does not jump
    td_get_coordinates(system, d.state, d.q, d.v);
    d.snapshot = malloc(td_snapshot_bytes(system));
    td_state_save(system, d.state, d.snapshot, td_snapshot_bytes(system));
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2};
    td_linearisation *l = td_linearisation_create(system, &tip, 1, &err);
    CHECK_CALL(&w, td_linearise(system, d.state, l));
    assert_int_equal(td_solve_step_map(l, dt), TD_OK);
    const td_step_map *m = td_get_step_map(l);
    const bool chain = td_get_linear(l)->n_multipliers > 0;
    if (!chain && strcmp(o->model, "eba") == 0) d.n_frames = d.n / 6;
    const int n_x = m->n_states, n_u = td_n_inputs(system), n_y = 3;
    assert_int_equal(n_x, 2 * d.n);
    const int n = chain ? n_y : n_x + n_y;
    double *x = calloc((size_t)n_x, sizeof *x),
           *numbers = calloc(7 * (size_t)(n_x + n_y), sizeof *x);
    double *sides[4];
    for (int i = 0; i < 4; i++) sides[i] = numbers + (3 + i) * (n_x + n_y);
    const slopes s = {numbers, numbers + n_x + n_y, numbers + 2 * (n_x + n_y), n};
    for (int k = chain ? n_x : 0; k < n_x + n_u; k++) {
        const double e = k < d.n   ? reach_of(&d, o->model, k)
                         : k < n_x ? 100.0 * reach_of(&d, o->model, k - d.n)
                                   : 1e-3;
        for (int i = 0; i < 4; i++) {
            const double by = (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e);
            memset(x, 0, sizeof *x * (size_t)n_x);
            if (k < n_x) x[k] = by;
            step_from(&d, k < n_x ? x : NULL, k < n_x ? -1 : k - n_x, by, sides[i] + n_y);
            memcpy(sides[i], td_get_pose(system, d.state, 0, 0.2).p, n_y * sizeof *x);
        }
        for (int i = 0; i < n; i++) {
            const double *rows = i < n_y ? (k < n_x ? m->C : m->D) : k < n_x ? m->A : m->B;
            const int row = i < n_y ? i + 3 : i - n_y;
            s.map[i] = k < n_x ? rows[row * n_x + k] : rows[row * n_u + k - n_x];
            s.unit[i] = i < n_y ? 1e-3 : reach_of(&d, o->model, row % d.n);
            s.seen[i] =
                (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * e);
        }
        compare(&s, o->model, kind, k);
        bool answers = false;
        for (int i = 0; i < n; i++) answers = answers || s.map[i] != 0.0;
        assert_true(answers);
    }
    free(x), free(numbers), free(d.q), free(d.snapshot);
    td_linearisation_destroy(l);
    td_state_destroy(d.state);
}

static void the_map_is_the_derivative_of_a_step(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++)
        for (int kind = 0; kind < N_ROBOTS; kind++) {
            td_options o = options_of(model);
            td_robot *robot = robot_of((robot_kind)kind);
            td_system *system = system_of(robot, &o);
            if (system) check_map(system, &o, (robot_kind)kind, 4e-3);
            td_system_destroy(system);
            td_robot_destroy(robot);
        }
}

// ---------------------------------------------------------------- schemes
// What becomes of exp(lambda t) in one step, z = lambda dt: of a formula with several levels its roots.
static int growth_of(td_scheme scheme, double alpha, double complex z, double complex out[3]) {
    const double gamma = 1.0 - sqrt(0.5);
    if (scheme == TD_BACKWARD_EULER) return out[0] = 1.0 / (1.0 - z), 1;
    if (scheme == TD_TRAPEZOIDAL) return out[0] = (1.0 + 0.5 * z) / (1.0 - 0.5 * z), 1;
    if (scheme == TD_SDIRK2)
        return out[0] = (1.0 + (1.0 - 2.0 * gamma) * z) / ((1.0 - gamma * z) * (1.0 - gamma * z)),
               1;
    if (scheme == TD_BDF3) {  // z w^3 = 11/6 w^3 - 3 w^2 + 3/2 w - 1/3, by Durand and Kerner
        const double complex lead = 11.0 / 6.0 - z;
        for (int i = 0; i < 3; i++) out[i] = cpow(0.4 + 0.9 * (double complex)I, i);
        for (int round = 0; round < 100; round++)
            for (int i = 0; i < 3; i++) {
                const double complex w = out[i];
                const double complex p = ((lead * w - 3.0) * w + 1.5) * w - 1.0 / 3.0;
                out[i] -= p / (lead * (w - out[(i + 1) % 3]) * (w - out[(i + 2) % 3]));
            }
        return 3;
    }
    // z w = c0 w + c1 + c2/w + d z: (z - c0) w^2 - (c1 + d z) w - c2 = 0
    const double d = alpha / (1.0 + alpha), c0 = (1.5 + alpha) / (1.0 + alpha);
    const double c1 = -2.0, c2 = (0.5 + alpha) / (1.0 + alpha);
    const double complex a = z - c0, b = -(c1 + d * z), c = -c2, root = csqrt(b * b - 4.0 * a * c);
    out[0] = (-b + root) / (2.0 * a), out[1] = (-b - root) / (2.0 * a);
    return 2;
}

// Of the first twelve modes: each root of the scheme is an eigenvalue of the map.
static void check_eigenvalues(const td_options *o, double dt) {
    td_piece_def piece = soft_piece();
    piece.damping_time = 2e-4;
    world w = world_make(rod_robot(&piece, 1), o);
    found_modes f = modes_at_rest(&w);
    assert_int_equal(td_solve_step_map(f.l, dt), TD_OK);
    const td_step_map *m = td_get_step_map(f.l);
    const size_t n = (size_t)m->n_states;
    double *A = malloc(sizeof *A * n * n), *X = malloc(sizeof *X * n * n);
    double *re = malloc(sizeof *re * n), *im = malloc(sizeof *im * n);
    double *work = malloc(sizeof *work * PENCIL_WORK(n));
    memcpy(A, m->A, sizeof *A * n * n);
    assert_true(pencil_general((int)n, A, re, im, X, work));
    for (int k = 0; k < 12 && k < f.n; k++) {
        const td_mode mode = td_get_mode(f.l, k);
        double complex want[3];
        const int roots =
            growth_of(o->scheme, o->alpha, (mode.re + mode.im * (double complex)I) * dt, want);
        for (int r = 0; r < roots; r++) {
            double best = HUGE_VAL;
            for (size_t j = 0; j < n; j++)
                best = fmin(best, cabs(re[j] + im[j] * (double complex)I - want[r]));
            if (!(best <= 1e-9))
                fprintf(stderr, "%s, scheme %d, mode %d: %.3g\n", o->model, (int)o->scheme, k,
                        best);
            CHECK_NEAR(best, 0.0, 1e-9);
        }
    }
    free(A), free(X), free(re), free(im), free(work);
    td_linearisation_destroy(f.l);
    world_free(&w);
}

// Models other than cosserat step by sdirk2.
static void eigenvalues_are_those_of_the_scheme(void **unused) {
    (void)unused;
    static const struct {
        td_scheme scheme;
        double alpha;
    } all[] = {{TD_BACKWARD_EULER, 0.0}, {TD_TRAPEZOIDAL, 0.0}, {TD_SDIRK2, 0.0}, {TD_BDF2, 0.0},
               {TD_BDF_ALPHA, -0.2},     {TD_BDF_ALPHA, -0.45}, {TD_BDF3, 0.0}};
    for (int model = 0; model < td_n_models(); model++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            td_options o = options_of(model);
            o.scheme = all[i].scheme, o.alpha = all[i].alpha;
            if (strcmp(o.model, "cosserat") != 0 && o.scheme != TD_SDIRK2) continue;
            check_eigenvalues(&o, 5e-3);
        }
}

// ---------------------------------------------------------------- formulas that remember
// Outputs along steps with inputs of size e, in the map's words and in the robot's.
static void run_robot(world *w, double dt, int steps, double e, double *y) {
    td_state_reset(w->system, w->state);
    assert_true(td_solve_statics(w->system, w->state) >= 0);
    for (int i = 0; i < 3; i++) assert_true(td_step(w->system, w->state, dt) >= 0);
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < td_n_inputs(w->system); k++)
            td_set_input(w->system, w->state, k, e * sin(1.0 + i + 2.0 * k));
        assert_true(td_step(w->system, w->state, dt) >= 0);
        const td_sample tip = td_get_sample(w->system, w->state, 0, 0.2);
        const quat h = quat_load(tip.pose.q);
        memcpy(y + 6 * i, tip.pose.p, 3 * sizeof *y);
        vec3_store(y + 6 * i + 3, quat_rotate(h, vec3_load(tip.velocity + 3)));
    }
}

static void steps_in_a_row_are_those_of_the_map(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_BACKWARD_EULER, TD_TRAPEZOIDAL, TD_SDIRK2,
                                        TD_BDF2,           TD_BDF_ALPHA,   TD_BDF3};
    static const robot_kind robots[] = {TWO_TENDONS, STRETCHING, LOOP, RIDER};
    const int steps = 6;
    const double dt = 4e-3, e = 1e-3;
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < 4; r++) {
            td_options o = options_of(0);
            snprintf(o.model, sizeof o.model, "cosserat");
            o.scheme = schemes[i], o.alpha = -0.2, o.startup = TD_REST_HISTORY;
            world w = world_make(robot_of(robots[r]), &o);
            double seen[4][36];
            for (int side = 0; side < 4; side++)
                run_robot(&w, dt, steps, (side < 2 ? 1.0 : 2.0) * (side % 2 ? -e : e), seen[side]);
            td_state_reset(w.system, w.state);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            const td_output outputs[] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
                                         {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.2}};
            found_modes f = modes_about(&w, outputs, 2);
            assert_int_equal(td_solve_step_map(f.l, dt), TD_OK);
            const td_step_map *m = td_get_step_map(f.l);
            const int n = m->n_states, n_u = td_n_inputs(w.system);
            double *x = calloc(2 * (size_t)n, sizeof *x), *next = x + n, largest = 0.0;
            for (int k = 0; k < steps; k++) {
                double y[12] = {0.0};
                for (int a = 0; a < n + 12; a++) {
                    double sum = 0.0;
                    const double *row = a < n ? m->A + a * n : m->C + (a - n) * n;
                    for (int b = 0; b < n; b++) sum += row[b] * x[b];
                    for (int b = 0; b < n_u; b++) {
                        const double before = k ? sin(k + 2.0 * b) : 0.0,
                                     now = sin(1.0 + k + 2.0 * b);
                        sum += (a < n ? m->B[a * n_u + b] : m->D[(a - n) * n_u + b]) * now;
                        sum += (a < n ? m->B0[a * n_u + b] : m->D0[(a - n) * n_u + b]) * before;
                    }
                    if (a < n) next[a] = sum;
                    else y[a - n] = sum;
                }
                memcpy(x, next, sizeof *x * (size_t)n);
                for (int c = 0; c < 6; c++) {
                    const int at = 6 * k + c;
                    const double slope =
                        (8.0 * (seen[0][at] - seen[1][at]) - (seen[2][at] - seen[3][at])) /
                        (12.0 * e);
                    largest = fmax(largest, fabs(slope) * (c < 3 ? 1.0 : dt));
                    const double got = c < 3 ? y[3 + c] : y[6 + c];
                    if (!(fabs(got - slope) * (c < 3 ? 1.0 : dt) <= 1e-6 * largest)) {
                        fprintf(stderr, "scheme %d, %s, step %d, output %d: %.12g, seen %.12g\n",
                                (int)o.scheme, kinds[robots[r]], k, c, got, slope);
                        fail();
                    }
                }
            }
            free(x);
            td_linearisation_destroy(f.l);
            world_free(&w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_is_the_derivative_of_a_step),
        cmocka_unit_test(eigenvalues_are_those_of_the_scheme),
        cmocka_unit_test(steps_in_a_row_are_those_of_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
