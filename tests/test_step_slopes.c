// Derivatives of cosserat's steps, chained along motions with jumps of inputs: against differences of whole
// motions, in every scheme.
#include "step_robots.h"

#include <stdlib.h>

#include "math/quat.h"
#include "sim/linearise.h"
#include "tendril/gradient.h"

enum { STEPS = 6, MOST = 300, MOST_INPUTS = 4, ON_PLANE = 3, RUBBING, BOUNCING };

enum { MOST_OUTPUTS = 9, MOST_NUMBERS = 6 * MOST_OUTPUTS };

typedef struct motion {
    td_system *system;
    td_output outputs[MOST_OUTPUTS];
    int n_outputs, n_y;
    td_state *state;
    void *snapshot;
    int n, n_u, n_frames;
    double q[MOST], v[MOST];  // where it begins
    bool set;                 // its beginning is set, without a past
    double reach;             // of differences
} motion;

typedef struct direction {  // of z and z' at the beginning, and of the inputs of each step
    double x[2 * MOST], u[STEPS][MOST_INPUTS];
} direction;

static double dt_of(int step) {
    return step == 3 ? 3e-3 : 4e-3;
}

static bool jumps(int step) {
    return step == 2;
}

// Of frames z is in the world, and z' turns a velocity in the frame's own axes.
static void place(const motion *m, const double *x, double e) {
    double q[MOST], v[MOST];
    const int n = m->n, first = n - 6 * m->n_frames;
    for (int k = 0; k < n; k++) q[k] = m->q[k] + e * x[k], v[k] = m->v[k] + e * x[n + k];
    for (int i = 0; i < m->n_frames; i++) {
        const int at = first + 6 * i;
        const quat from = quat_exp(vec3_load(m->q + at));
        const quat turn = quat_exp(vec3_scale(vec3_load(x + at), e));
        const vec3 w = quat_rotate(quat_conj(from), vec3_scale(vec3_load(x + n + at), e));
        vec3_store(q + at, quat_log(quat_mul(turn, from)));
        vec3_store(v + at, vec3_add(vec3_load(m->v + at), w));
    }
    assert_true(td_set_coordinates(m->system, m->state, q, v) >= 0);
}

static void begin(const motion *m, const direction *d, double e) {
    assert_int_equal(
        td_state_restore(m->system, m->state, m->snapshot, td_snapshot_bytes(m->system)), TD_OK);
    if (m->set) place(m, d->x, e);
}

static void give(const motion *m, const direction *d, int step, double e) {
    for (int k = 0; k < m->n_u; k++)
        td_set_input(m->system, m->state, k,
                     0.05 * sin(1.0 + step + 2.0 * k) + e * (d ? d->u[step][k] : 0.0));
    if (jumps(step)) td_restart(m->system, m->state);
}

// The outputs, after 2 n coordinates; poses turned from those of `end`, where it is given.
static void look(const motion *m, const double *end, double *y) {
    for (int i = 0; i < m->n_outputs; i++) {
        td_get_output(m->system, m->state, &m->outputs[i], y);
        const bool turns = end && m->outputs[i].quantity == TD_OUTPUT_POSE;
        if (turns) {
            const quat back = quat_conj(quat_exp(vec3_load(end)));
            vec3_store(y, quat_log(quat_mul(quat_exp(vec3_load(y)), back)));
        }
        for (int k = turns ? 3 : 0; end && k < td_output_size(m->outputs[i].quantity); k++)
            y[k] -= end[k];
        y += td_output_size(m->outputs[i].quantity);
        if (end) end += td_output_size(m->outputs[i].quantity);
    }
}

// y: z and z' from the end of the motion itself, frames in the world; then the outputs.
static void run(const motion *m, const direction *d, double e, const double *end, double *y) {
    const int n = m->n, first = n - 6 * m->n_frames;
    begin(m, d, e);
    for (int step = 0; step < STEPS; step++) {
        give(m, d, step, e);
        assert_true(td_step(m->system, m->state, dt_of(step)) >= 0);
    }
    td_get_coordinates(m->system, m->state, y, y + n);
    look(m, end ? end + 2 * n : NULL, y + 2 * n);
    if (!end) return;
    for (int i = 0; i < m->n_frames; i++) {
        const int at = first + 6 * i;
        const quat from = quat_exp(vec3_load(end + at)), h = quat_exp(vec3_load(y + at));
        vec3_store(y + at, quat_log(quat_mul(h, quat_conj(from))));
        const vec3 dw = vec3_sub(vec3_load(y + n + at), vec3_load(end + n + at));
        vec3_store(y + n + at, quat_rotate(from, dw));
        for (int k = 3; k < 6; k++) y[at + k] -= end[at + k], y[n + at + k] -= end[n + at + k];
    }
    for (int k = 0; k < first; k++) y[k] -= end[k], y[n + k] -= end[n + k];
}

// The same by the maps of its steps, of one direction.
static void chain(const motion *m, td_linearisation *l, const direction *d, double *y) {
    double *x = NULL, *next = NULL;
    begin(m, d, 0.0);
    for (int step = 0; step < STEPS; step++) {
        give(m, NULL, step, 0.0);
        const td_status status = td_differentiate_step(m->system, m->state, dt_of(step), l);
        if (status < 0) fprintf(stderr, "step %d: %s\n", step, td_message(m->state));
        assert_true(status >= 0);
        const td_step_map *map = td_get_step_map(l);
        const int n = map->n_states;
        if (!x) {
            x = calloc((size_t)n, sizeof *x), next = calloc((size_t)n, sizeof *next);
            for (int k = 0; k < 2 * m->n && m->set; k++) x[k] = d->x[k];
        }
        for (int i = 0; i < n + m->n_y; i++) {
            const bool output = i >= n;
            const int row = output ? i - n : i;
            const double *A = (output ? map->C : map->A) + row * n;
            const double *const by[3] = {output ? map->D : map->B, output ? map->D0 : map->B0,
                                         output ? map->output_rates : map->rates};
            double *to = output ? y + 2 * m->n + row : next + i;
            *to = 0.0;
            for (int k = 0; k < n; k++) *to += A[k] * x[k];
            for (int k = 0; k < m->n_u; k++) {
                const double before = step > 0 ? d->u[step - 1][k] : 0.0;
                const double earlier = step > 1 ? d->u[step - 2][k] : 0.0;
                const double rate = step > 0 ? (before - earlier) / dt_of(step - 1) : 0.0;
                *to += by[0][row * m->n_u + k] * d->u[step][k] + by[1][row * m->n_u + k] * before +
                       by[2][row * m->n_u + k] * rate;
            }
        }
        memcpy(x, next, sizeof *x * (size_t)n);
    }
    memcpy(y, x, sizeof *x * 2 * (size_t)m->n);  // outputs follow
    free(x), free(next);
}

// A step with its derivative is the step itself, to the bit.
static void check_bits(const motion *m, td_linearisation *l, const direction *d) {
    const size_t bytes = td_snapshot_bytes(m->system);
    char *both = malloc(2 * bytes);
    for (int with = 0; with < 2; with++) {
        begin(m, d, 0.0);
        give(m, NULL, 0, 0.0);
        assert_true((with ? td_differentiate_step(m->system, m->state, 4e-3, l)
                          : td_step(m->system, m->state, 4e-3)) >= 0);
        td_state_save(m->system, m->state, both + (with ? bytes : 0), bytes);
    }
    assert_memory_equal(both, both + bytes, bytes);
    free(both);
}

// What the inputs at its end do alone, by the short way where there is one: D of all of the derivative.
static void check_inputs_alone(const motion *m, td_linearisation *l, const direction *d,
                               const char *what) {
    static double D[MOST_NUMBERS * MOST_INPUTS];
    for (int alone = 0; alone < 2; alone++) {
        begin(m, d, 0.0);
        give(m, NULL, 0, 0.0);
        assert_true((alone ? td_differentiate_step_by_inputs
                           : td_differentiate_step)(m->system, m->state, 4e-3, l) >= 0);
        if (!alone) memcpy(D, td_get_step_map(l)->D, sizeof *D * (size_t)(m->n_y * m->n_u));
    }
    const double *told = td_get_step_map(l)->D, *all = D;
    assert_null(td_get_step_map(l)->A);
    for (int i = 0; i < m->n_outputs; i++) {
        const int n = td_output_size(m->outputs[i].quantity) * m->n_u;
        double size = 0.0, most = 0.0;
        for (int k = 0; k < n; k++) {
            size = fmax(size, fabs(all[k]));
            most = fmax(most, fabs(all[k] - told[k]));
        }
        if (!(most <= 1e-9 * size)) {
            fprintf(stderr, "%s: output %d: %.3g of the largest\n", what, i, most / size);
            fail();
        }
        told += n, all += n;
    }
}

// Columns (rows x n, one of `of`) that are alike, to rounding of the largest of all of them.
static void check_alike(int rows, int n, int column, int of, const double *all, const double *told,
                        const char *what) {
    double size = 0.0, most = 0.0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) {
            const int at = i * of + column + k;
            size = fmax(size, fabs(all[at]));
            most = fmax(most, fabs(all[at] - told[at]));
        }
    if (most <= 1e-12 * size) return;
    fprintf(stderr, "%s: one input alone: %.3g of the largest, %.3g\n", what, most / size, size);
    fail();
}

// The map of a step by one input alone, as estimators ask for it, has the numbers of the whole one.
static void check_asked(const motion *m, td_linearisation *l, const direction *d,
                        const char *what) {
    double *all[3] = {NULL}, *A = NULL;
    for (int input = -1; input < m->n_u; input++) {
        bool asked[MOST_INPUTS] = {false};
        begin(m, d, 0.0);
        give(m, NULL, 0, 0.0);
        if (input >= 0) asked[input] = true;
        assert_true((input < 0 ? td_differentiate_step(m->system, m->state, 4e-3, l)
                               : motion_step_map(m->system, m->state, 4e-3, l, asked)) >= 0);
        const td_step_map *map = td_get_step_map(l);
        const int n = map->n_states;
        const double *const by[3] = {map->B, map->B0, map->rates};
        const size_t bytes = sizeof(double) * (size_t)(n * m->n_u);
        if (input < 0) A = malloc(sizeof *A * (size_t)(n * n));
        if (input < 0) memcpy(A, map->A, sizeof *A * (size_t)(n * n));
        for (int i = 0; i < 3 && input < 0; i++) all[i] = malloc(bytes + 1);
        for (int i = 0; i < 3 && input < 0; i++) memcpy(all[i], by[i], bytes);
        if (input < 0) continue;
        check_alike(n, n, 0, n, A, map->A, what);
        for (int i = 0; i < 3; i++) check_alike(n, 1, input, m->n_u, all[i], by[i], what);
    }
    for (int i = 0; i < 3; i++) free(all[i]);
    free(A);
}

static double some(unsigned *seed) {  // between -1 and 1
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static double unit_of(const motion *m, int k) {
    k %= m->n;
    const int first = m->n - 6 * m->n_frames;
    if (k >= first) return (k - first) % 6 < 3 ? 1e-2 : 1e-3;
    return 0.1;
}

// A tension that is given.
static bool answers_to_inputs_alone(const motion *m, int output) {
    return output >= 0 && m->outputs[output].quantity == TD_OUTPUT_EFFORT;
}

static void compare(const motion *m, td_linearisation *l, const direction *d, const char *what) {
    enum { ALL = 2 * MOST + MOST_NUMBERS };
    static double end[ALL], told[ALL], sides[4][ALL];
    const double e = m->reach;
    run(m, d, 0.0, NULL, end);
    for (int i = 0; i < 4; i++) run(m, d, (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e), end, sides[i]);
    chain(m, l, d, told);
    int first = 0;
    for (int part = 0; part < 2 + m->n_outputs; part++) {
        const bool output = part >= 2;
        const int n = output ? td_output_size(m->outputs[part - 2].quantity) : m->n;
        double size = 0.0, most = 0.0;
        int at = 0;
        for (int i = first; i < first + n; i++) {
            const double seen =
                (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * e);
            const double unit = output ? 1.0 : unit_of(m, i);
            size = fmax(size, fabs(seen) / unit);
            if (!(fabs(seen - told[i]) / unit <= most)) most = fabs(seen - told[i]) / unit, at = i;
        }
        first += n;
        assert_true(size > 0.0 || answers_to_inputs_alone(m, part - 2));
        if (most <= 1e-7 * size) continue;
        fprintf(stderr, "%s: part %d, row %d of %d: %.3g of the largest\n", what, part, at, n,
                most / size);
        fail();
    }
}

static void list_outputs(motion *m, bool measured) {
    const td_output of_rod[] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
                                {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.13},
                                {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.2},
                                {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.07},
                                {.quantity = TD_OUTPUT_STRAIN, .body = -1, .s = 0.05}};
    const td_output of_body[] = {{.quantity = TD_OUTPUT_POSE}, {.quantity = TD_OUTPUT_VELOCITY}};
    const td_output of_drive[] = {{.quantity = TD_OUTPUT_MEASURE}, {.quantity = TD_OUTPUT_EFFORT}};
    for (int i = 0; i < 5; i++) m->outputs[m->n_outputs++] = of_rod[i];
    for (int i = 0; i < 2 && td_n_bodies(m->system); i++) m->outputs[m->n_outputs++] = of_body[i];
    for (int i = measured ? 0 : 1; i < 2 && td_n_actuators(m->system); i++)
        m->outputs[m->n_outputs++] = of_drive[i];
    for (int i = 0; i < m->n_outputs; i++) m->n_y += td_output_size(m->outputs[i].quantity);
}

static void check(robot_kind kind, td_scheme scheme, int variant) {
    td_error err = {0};
    td_options o = chain_options();
    char what[96];
    direction d = {.u = {{0.0}}};
    unsigned seed = 7u + (unsigned)kind;
    o.nodes = 4, o.scheme = scheme, o.tolerance = 1e-13;
    o.theory = variant == 1 ? TD_KIRCHHOFF : TD_COSSERAT;
    if (variant == 2) o.elements = 2, o.startup = TD_REST_HISTORY;
    if (variant >= ON_PLANE) o.elements = 1, o.nodes = 6;
    td_robot *robot = robot_of(kind);
    if (variant >= ON_PLANE)
        add_rough_plane(robot, 2e4, variant == RUBBING ? 0.3 : 0.0,
                        variant == BOUNCING ? 0.6 : 0.0);
    motion m = {.system = td_system_create(robot, &o, &err), .reach = 1e-2};
    assert_non_null(m.system);
    const bool rough = kind == ROUGH || kind == ROUGH_STRETCHING;
    if (variant >= ON_PLANE) m.reach = 2e-5;  // contact has edges
    if (rough) m.reach = 2e-4;                // and so has what sticks
    m.state = td_state_create(m.system);
    m.n = td_n_coordinates(m.system), m.n_u = td_n_inputs(m.system);
    m.n_frames = kind == LOOP || kind == HINGE || kind == PENDULUM || kind == FED_HINGE;
    m.snapshot = malloc(td_snapshot_bytes(m.system));
    list_outputs(&m, kind != FOLLOWING);
    td_linearisation *l = td_linearisation_create(m.system, m.outputs, m.n_outputs, &err);
    assert_true(td_solve_statics(m.system, m.state) >= 0);
    for (int step = 0; step < 4; step++) {
        give(&m, NULL, (step + 1) % 2, 0.0);
        assert_true(td_step(m.system, m.state, 4e-3) >= 0);
    }
    td_get_coordinates(m.system, m.state, m.q, m.v);
    td_state_save(m.system, m.state, m.snapshot, td_snapshot_bytes(m.system));
    m.set = m.n_frames == 0;
    for (int k = 0; k < m.n; k++)
        d.x[k] = unit_of(&m, k) * some(&seed), d.x[m.n + k] = 100.0 * unit_of(&m, k) * some(&seed);
    snprintf(what, sizeof what, "%s, scheme %d, variant %d, from its beginning", kinds[kind],
             (int)scheme, variant);
    check_bits(&m, l, &d);
    check_inputs_alone(&m, l, &d, what);
    check_asked(&m, l, &d, what);
    if (m.set) compare(&m, l, &d, what);
    memset(d.x, 0, sizeof d.x);
    const bool moves = kind == MOVED || kind == FED || kind == FED_HINGE || kind == GROWN;
    const double scale = kind == ROUGH_STRETCHING ? 0.1 : 1.0;  // it slides
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < m.n_u; k++)
            d.u[i][k] = scale * (moves && k < 2 ? 1e-3 : 1.0) * some(&seed);
    snprintf(what, sizeof what, "%s, scheme %d, variant %d, by its inputs", kinds[kind],
             (int)scheme, variant);
    compare(&m, l, &d, what);
    free(m.snapshot);
    td_linearisation_destroy(l);
    td_state_destroy(m.state);
    td_system_destroy(m.system);
    td_robot_destroy(robot);
}

static void chained_maps_are_the_derivative_of_a_motion(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_SDIRK2, TD_BACKWARD_EULER, TD_TRAPEZOIDAL,
                                        TD_BDF2,   TD_BDF_ALPHA,      TD_BDF3};
    for (int kind = 0; kind <= MOVED; kind++)
        for (int i = 0; i < 6; i++) check((robot_kind)kind, schemes[i], (kind + i) % 3);
    for (int i = 0; i < 6; i++) check(FOLLOWING, schemes[i], i % 2 ? 2 : 0);
    for (int i = 0; i < 6; i++) check(FED, schemes[i], i % 3);
    for (int i = 0; i < 6; i++) check(FED_HINGE, schemes[i], i % 3);
    for (int i = 0; i < 6; i++) check(GROWN, schemes[i], i % 3);
    for (int i = 0; i < 6; i++) check(RELAXING, schemes[i], i % 3);
    for (int i = 0; i < 6; i++) check(ROUGH, schemes[i], i % 3);
    for (int i = 0; i < 6; i++) check(ROUGH_STRETCHING, schemes[i], (i + 1) % 3);
    static const td_scheme damped[] = {TD_SDIRK2, TD_BACKWARD_EULER, TD_BDF2};
    for (int i = 0; i < 3; i++)
        for (int variant = ON_PLANE; variant <= BOUNCING; variant++)
            check(TENDON, damped[i], variant);
    for (int i = 0; i < 3; i++) check(FED, damped[i], RUBBING);  // it slides
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chained_maps_are_the_derivative_of_a_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
