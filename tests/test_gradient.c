// Gradients along a trajectory: adjoint against forward, against differences of runs, and with any number of
// checkpoints.
#include "tendril/gradient.h"

#include "step_robots.h"

#include <stdlib.h>

#define DT 4e-3

typedef struct trial {
    td_system *system;
    td_state *start;
    td_gradient *g;
    const char *model;
    int n_steps, n_u, n_y, n_x;
    double *u, *du, *w, *y, *dy, *by_u, *by_x, *dx;
    bool *restarts;
} trial;

static const td_output watched[] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
                                    {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.15}};

static double *numbers(size_t n) {
    double *out = calloc(n + 1, sizeof *out);
    assert_non_null(out);
    return out;
}

// Between -1 and 1, the same in every run.
static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static td_gradient *gradient_of(const td_system *system, int n_steps, int checkpoints) {
    td_error err = {0};
    td_gradient_options o = td_default_gradient_options();
    td_output outputs[2] = {watched[0], watched[1]};
    for (int i = 0; i < 2; i++) outputs[i].s *= td_rod_length(system, 0) / 0.2;
    o.outputs = outputs, o.n_outputs = 2;
    o.n_steps = n_steps, o.n_checkpoints = checkpoints;
    td_gradient *g = td_gradient_create(system, &o, &err);
    if (!g) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(g);
    return g;
}

// Inputs that go on smoothly and jump every so often, with and without a fresh start.
static void make_inputs(trial *t) {
    unsigned seed = 5;
    for (int k = 0; k < t->n_steps; k++) {
        const int block = k / 37;
        t->restarts[k] = k % 37 == 0 && block % 2 == 0;
        for (int i = 0; i < t->n_u; i++) {
            const size_t at = (size_t)(k * t->n_u + i);
            t->u[at] = 0.2 * sin(0.05 * k + i) + 0.1 * sin(12.9898 * (block + 7 * i));
            t->du[at] = noise(&seed);
        }
        for (int j = 0; j < t->n_y; j++)
            t->w[k * t->n_y + j] = k % 3 ? noise(&seed) * (j % 6 < 3 && j >= 6 ? 0.1 : 1.0) : 0.0;
    }
    for (int i = 0; i < t->n_x; i++) t->dx[i] = 1e-2 * noise(&seed);
}

static bool begin(trial *t, td_robot *robot, const td_options *o, int n_steps) {
    *t = (trial){.system = system_of(robot, o), .model = o->model, .n_steps = n_steps};
    if (!t->system) return false;
    t->start = td_state_create(t->system);
    if (td_solve_statics(t->system, t->start) < 0) return false;
    t->n_u = td_n_inputs(t->system);
    t->g = gradient_of(t->system, n_steps, 0);
    t->n_y = td_gradient_n_outputs(t->g), t->n_x = td_gradient_n_states(t->g);
    const size_t n = (size_t)n_steps, n_u = n * (size_t)t->n_u, n_y = n * (size_t)t->n_y;
    t->u = numbers(n_u), t->du = numbers(n_u), t->by_u = numbers(n_u);
    t->w = numbers(n_y), t->y = numbers(n_y), t->dy = numbers(n_y);
    t->by_x = numbers((size_t)t->n_x), t->dx = numbers((size_t)t->n_x);
    t->restarts = calloc(n, sizeof *t->restarts);
    make_inputs(t);
    return true;
}

static void end(trial *t) {
    double *const all[] = {t->u, t->du, t->by_u, t->w, t->y, t->dy, t->by_x, t->dx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(t->restarts);
    td_gradient_destroy(t->g);
    td_state_destroy(t->start);
    td_system_destroy(t->system);
}

static void must(const trial *t, const td_gradient *g, td_status status) {
    if (status < 0) fprintf(stderr, "%s: %s\n", t->model, td_gradient_message(g));
    assert_true(status >= 0);
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// J = sum w y along the inputs u + e du.
static double cost_at(trial *t, double e) {
    const size_t n_u = (size_t)(t->n_steps * t->n_u), n_y = (size_t)(t->n_steps * t->n_y);
    double *u = numbers(n_u), *y = numbers(n_y);
    for (size_t i = 0; i < n_u; i++) u[i] = t->u[i] + e * t->du[i];
    must(t, t->g, td_gradient_run(t->g, t->start, DT, u, t->restarts, y));
    const double out = dot(n_y, t->w, y);
    free(u), free(y);
    return out;
}

static double slope_by_runs(trial *t, double e) {
    return (cost_at(t, e) - cost_at(t, -e)) / (2.0 * e);
}

// The smallest of each model: there are a thousand steps to be differentiated.
static td_options small_options(int model) {
    td_options o = options_of(model);
    o.lumped.segments = 1, o.rom.order = 1, o.nodes = 3;
    o.virtual_power.discs = 3;
    return o;
}

static void check_run(trial *t) {
    const size_t n_u = (size_t)(t->n_steps * t->n_u), n_y = (size_t)(t->n_steps * t->n_y);
    const td_gradient_result r = {.by_inputs = t->by_u, .by_start = t->by_x};
    must(t, t->g, td_gradient_run(t->g, t->start, DT, t->u, t->restarts, t->y));
    must(t, t->g, td_gradient_adjoint(t->g, t->w, &r));
    must(t, t->g, td_gradient_forward(t->g, 1, t->du, t->dx, NULL, t->dy));
    const double forward = dot(n_y, t->w, t->dy), by_u = dot(n_u, t->by_u, t->du);
    const double by_x = dot((size_t)t->n_x, t->by_x, t->dx), seen = slope_by_runs(t, 1e-4);
    assert_true(fabs(by_x) > 1e-6 * fabs(by_u));
    CHECK_NEAR(forward, by_u + by_x, 1e-9 * (fabs(by_u) + fabs(by_x)));
    CHECK_NEAR(by_u, seen, 1e-6 * fabs(seen));
}

static void check_robot(int model, robot_kind kind, int n_steps) {
    td_options o = small_options(model);
    td_robot *robot = robot_of(kind);
    trial t = {0};
    if (begin(&t, robot, &o, n_steps)) check_run(&t);
    end(&t);
    td_robot_destroy(robot);
}

static void over_a_thousand_steps_adjoint_forward_and_runs_agree(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++) check_robot(model, TENDON, 1000);
}

static void closed_chains_and_bodies_have_gradients(void **unused) {
    (void)unused;
    static const robot_kind robots[] = {CHAMBER,    RIDER,     LOOP,    HINGE,
                                        STRETCHING, FOLLOWING, RELAXING};
    for (int model = 0; model < td_n_models(); model++)
        for (size_t i = 0; i < sizeof robots / sizeof *robots; i++)
            check_robot(model, robots[i], 60);
}

// Which jump in velocity where the run begins, and where it begins afresh.
static void bases_that_move_have_gradients(void **unused) {
    (void)unused;
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    for (int i = 0; i < 4; i++) {
        td_options o = small_options(0);
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        o.lumped.segments = 2;
        td_robot *robot = robot_of(MOVED);
        trial t;
        assert_true(begin(&t, robot, &o, 80));
        for (int k = 0; k < 80 * t.n_u; k++) t.u[k] *= 0.2, t.du[k] *= 0.01;
        check_run(&t);
        end(&t);
        td_robot_destroy(robot);
    }
}

static int steps_that_touch(const trial *t) {
    const size_t bytes = td_snapshot_bytes(t->system);
    void *saved = malloc(bytes);
    td_state *state = td_state_create(t->system);
    int count = 0;
    assert_int_equal(td_state_save(t->system, t->start, saved, bytes), TD_OK);
    assert_int_equal(td_state_restore(t->system, state, saved, bytes), TD_OK);
    for (int k = 0; k < t->n_steps; k++) {
        for (int i = 0; i < t->n_u; i++) td_set_input(t->system, state, i, t->u[k * t->n_u + i]);
        if (t->restarts[k]) td_restart(t->system, state);
        assert_true(td_step(t->system, state, DT) >= 0);
        count += td_get_contacts(t->system, state, NULL, 0) > 0;
    }
    td_state_destroy(state);
    free(saved);
    return count;
}

// On a rough plane, as it sticks and slides; and fed above it, where it does not touch.
static void what_rubs_on_obstacles_has_gradients(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "cosserat", "eba", "ebr", "srl"};
    for (int i = 0; i < 5; i++) {
        td_options o = small_options(0);
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        o.lumped.segments = 3, o.elements = 4, o.nodes = 4;
        td_robot *robot = robot_of(i == 1 ? FED : TENDON);
        add_rough_plane(robot, 2e4, 0.3, 0.0);
        trial t;
        assert_true(begin(&t, robot, &o, 40));
        for (int k = 0; k < 40 * t.n_u; k++) t.u[k] *= 0.2, t.du[k] *= i == 1 ? 1e-3 : 0.02;
        if (i != 1) assert_true(steps_that_touch(&t) > 10);
        check_run(&t);
        end(&t);
        td_robot_destroy(robot);
    }
}

static void formulas_that_remember_have_gradients(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_BACKWARD_EULER, TD_TRAPEZOIDAL, TD_BDF2, TD_BDF_ALPHA,
                                        TD_BDF3};
    static const robot_kind robots[] = {TENDON, MOVED};  // bases: rates of inputs count too
    for (int i = 0; i < 10; i++) {
        td_options o = small_options(0);
        snprintf(o.model, sizeof o.model, "cosserat");
        o.scheme = schemes[i / 2], o.alpha = -0.2;
        td_robot *robot = robot_of(robots[i % 2]);
        trial t;
        assert_true(begin(&t, robot, &o, 80));
        for (int k = 0; k < 80 * t.n_u && i % 2; k++) t.u[k] *= 0.2, t.du[k] *= 0.01;
        check_run(&t);
        end(&t);
        td_robot_destroy(robot);
    }
}

// ---------------------------------------------------------------- numbers of the robot
static const char arm_text[] =
    "tendril: 1\ngravity: [0, 0, -9.81]\n"
    "rods:\n"
    "  - name: arm\n"
    "    length: 0.2\n"
    "    material: {youngs_modulus: 2e6, poisson_ratio: 0.4, density: 1000}\n"
    "    section: {radius: 10 mm}\n"
    "    damping: {bending: 5e-5 N m^2 s, torsion: 5e-5 N m^2 s, extension: 3 N s, shear: 1 N s}\n"
    "    rest: {curvature: [2, 0.3, 0]}\n"
    "    base: {position: [0.05, 0, 0], direction: [1, 0.1, 0]}\n"
    "tendons:\n"
    "  - {name: one, offset: [8 mm, 2 mm]}\n";
static const struct number {
    const char *path;
    double value;
} arm_numbers[] = {{"rods.arm.material.youngs_modulus", 2e6},
                   {"rods.arm.material.density", 1000.0},
                   {"rods.arm.length", 0.2},
                   {"tendons.one.offset.0", 8e-3},
                   {"rods.arm.damping.bending", 5e-5},
                   {"rods.arm.rest.curvature.x", 2.0},
                   {"rods.arm.base.position.x", 0.05},
                   {"rods.arm.base.direction.y", 0.1},
                   {"gravity.z", -9.81}};
enum { N_NUMBERS = sizeof arm_numbers / sizeof *arm_numbers };

static const struct number relaxing_numbers[] = {
    {"rods.arm.material.youngs_modulus", 2e6},
    {"rods.arm.length", 0.2},
    {"rods.arm.rest.curvature.x", 2.0},
    {"rods.arm.material.relaxation.shares.0", 0.5},
    {"rods.arm.material.relaxation.times.1", 0.1},
};
enum { N_RELAXING = sizeof relaxing_numbers / sizeof *relaxing_numbers };

typedef struct numbered_arm {
    const struct number *numbers;
    int n;
    const char *set;  // beside; NULL: nothing
} numbered_arm;
static const numbered_arm plain_arm = {arm_numbers, N_NUMBERS, NULL};
static const numbered_arm relaxing_arm = {
    relaxing_numbers, N_RELAXING,
    "rods.arm.material.relaxation={shares: [0.5, 0.3], times: [0.01, 0.1]}"};

static td_system *arm_with(const td_options *o, const numbered_arm *a, int number, double value) {
    char set[96];
    const char *const sets[] = {a->set ? a->set : set, set};
    td_error err = {0};
    snprintf(set, sizeof set, "%s=%.17g", a->numbers[number].path, value);
    td_robot *robot = td_robot_parse(arm_text, strlen(arm_text), "arm", sets, 2, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_system *system = td_system_create(robot, o, &err);
    if (!system) fprintf(stderr, "%s: %s: %s\n", o->model, err.where, err.message);
    assert_non_null(system);
    td_robot_destroy(robot);
    return system;
}

// J of a run of another robot from the same coordinates.
static double cost_of(const trial *t, const td_system *system, const double *q) {
    td_state *state = td_state_create(system);
    td_gradient *g = gradient_of(system, t->n_steps, 0);
    for (int i = 0; i < t->n_u; i++)
        td_set_input(system, state, i, td_get_input(t->system, t->start, i));
    assert_true(td_set_coordinates(system, state, q, NULL) >= 0);
    must(t, g, td_gradient_run(g, state, DT, t->u, t->restarts, t->y));
    const double out = dot((size_t)(t->n_steps * t->n_y), t->w, t->y);
    td_gradient_destroy(g);
    td_state_destroy(state);
    return out;
}

static double cost_with(const trial *t, const td_options *o, const numbered_arm *a, int i,
                        double more, const double *q) {
    td_system *system = arm_with(o, a, i, a->numbers[i].value + more);
    const double cost = cost_of(t, system, q);
    td_system_destroy(system);
    return cost;
}

static void check_numbers(const td_options *o, const numbered_arm *a) {
    td_system *sides[2 * N_NUMBERS];
    const td_system *plus[N_NUMBERS], *minus[N_NUMBERS];
    double steps[N_NUMBERS], by[N_NUMBERS], q[256];
    td_error err = {0};
    trial t = {.model = o->model, .n_steps = 40, .n_u = 1, .n_y = 12};
    for (int i = 0; i < a->n; i++) {
        steps[i] = 1e-4 * fabs(a->numbers[i].value);
        plus[i] = sides[2 * i] = arm_with(o, a, i, a->numbers[i].value + steps[i]);
        minus[i] = sides[2 * i + 1] = arm_with(o, a, i, a->numbers[i].value - steps[i]);
    }
    td_gradient_options go = td_default_gradient_options();
    go.outputs = watched, go.n_outputs = 2, go.n_steps = t.n_steps;
    go.plus = plus, go.minus = minus, go.steps = steps, go.n_parameters = a->n;
    t.system = arm_with(o, a, 0, a->numbers[0].value);
    t.start = td_state_create(t.system);
    t.g = td_gradient_create(t.system, &go, &err);
    if (!t.g) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(t.g);
    t.n_x = td_gradient_n_states(t.g);
    t.u = numbers(40), t.du = numbers(40), t.w = numbers(40 * 12), t.y = numbers(40 * 12);
    t.dy = numbers(40 * 12), t.dx = numbers((size_t)t.n_x);
    t.restarts = calloc(40, sizeof *t.restarts);
    make_inputs(&t);
    for (int k = 0; k < 40; k++) t.u[k] += 0.6;
    td_set_input(t.system, t.start, 0, 0.6);
    assert_true(td_solve_statics(t.system, t.start) >= 0);
    td_get_coordinates(t.system, t.start, q, NULL);
    assert_true(td_set_coordinates(t.system, t.start, q, NULL) >= 0);
    must(&t, t.g, td_gradient_run(t.g, t.start, DT, t.u, t.restarts, t.y));
    must(&t, t.g, td_gradient_adjoint(t.g, t.w, &(td_gradient_result){.by_parameters = by}));
    for (int i = 0; i < a->n; i++) {
        double along[N_NUMBERS] = {0.0};
        along[i] = 1.0;
        must(&t, t.g, td_gradient_forward(t.g, 1, NULL, NULL, along, t.dy));
        const double forward = dot(40 * 12, t.w, t.dy);
        const double h = 4e-3 * a->numbers[i].value;
        const double seen =
            (8.0 * (cost_with(&t, o, a, i, h, q) - cost_with(&t, o, a, i, -h, q)) -
             (cost_with(&t, o, a, i, 2.0 * h, q) - cost_with(&t, o, a, i, -2.0 * h, q))) /
            (12.0 * h);
        CHECK_NEAR(forward, by[i], 1e-9 * fabs(by[i]));
        const double size = sqrt(dot(40 * 12, t.w, t.w) * dot(40 * 12, t.dy, t.dy));
        CHECK_NEAR(seen, by[i], 1e-7 * size);
    }
    end(&t);
    for (int i = 0; i < 2 * a->n; i++) td_system_destroy(sides[i]);
}

static void numbers_of_the_robot_have_gradients(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++) {
        td_options o = small_options(model);
        const bool relaxes = td_model_supports(model, TD_FEATURE_RELAXATION);
        check_numbers(&o, &plain_arm);
        if (relaxes) check_numbers(&o, &relaxing_arm);
        o.scheme = TD_BACKWARD_EULER;
        if (strcmp(o.model, "cosserat") == 0) check_numbers(&o, &plain_arm);
    }
}

// Steps of cosserat are taken by other robots beside it, from coordinates and rates alone.
static void where_steps_remember_more_numbers_are_refused(void **unused) {
    (void)unused;
    td_options o = small_options(0);
    snprintf(o.model, sizeof o.model, "cosserat");
    o.scheme = TD_BDF2;
    td_error err = {0};
    td_system *systems[3];
    for (int i = 0; i < 3; i++)
        systems[i] = arm_with(&o, &plain_arm, 0, (1.0 + 1e-4 * (i - 1)) * 2e6);
    const td_system *const plus[] = {systems[2]}, *const minus[] = {systems[0]};
    const double step = 200.0;
    td_gradient_options go = td_default_gradient_options();
    go.plus = plus, go.minus = minus, go.steps = &step, go.n_parameters = 1;
    assert_null(td_gradient_create(systems[1], &go, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "they remember more than coordinates and rates"));
    for (int i = 0; i < 3; i++) td_system_destroy(systems[i]);
}

// ---------------------------------------------------------------- memory
static void checkpoints_change_no_bit(void **unused) {
    (void)unused;
    td_options o = small_options(0);
    snprintf(o.model, sizeof o.model, "eba");
    o.lumped.segments = 2;
    td_robot *robot = robot_of(TENDON);
    trial t;
    assert_true(begin(&t, robot, &o, 75));
    static const int counts[] = {75, 1, 2, 9, 40, 0};
    const size_t n_u = (size_t)(75 * t.n_u), n_y = (size_t)(75 * t.n_y);
    double *u = numbers(n_u), *x = numbers((size_t)t.n_x), *dy = numbers(n_y), *y = numbers(n_y);
    size_t bytes[6];
    for (int i = 0; i < 6; i++) {
        const td_gradient_result r = {.by_inputs = i ? u : t.by_u, .by_start = i ? x : t.by_x};
        td_gradient *g = gradient_of(t.system, 75, counts[i]);
        bytes[i] = td_gradient_bytes(g);
        must(&t, g, td_gradient_run(g, t.start, DT, t.u, t.restarts, i ? y : t.y));
        must(&t, g, td_gradient_forward(g, 1, t.du, t.dx, NULL, i ? dy : t.dy));
        must(&t, g, td_gradient_adjoint(g, t.w, &r));
        td_gradient_destroy(g);
        if (i == 0) continue;
        assert_memory_equal(u, t.by_u, sizeof *u * n_u);
        assert_memory_equal(x, t.by_x, sizeof *x * (size_t)t.n_x);
        assert_memory_equal(dy, t.dy, sizeof *u * n_y);
        assert_memory_equal(y, t.y, sizeof *u * n_y);
    }
    assert_true(bytes[5] < bytes[0] && bytes[5] < bytes[1]);
    assert_true(bytes[0] - bytes[5] > 50 * td_snapshot_bytes(t.system));
    free(u), free(x), free(dy), free(y);
    end(&t);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- contract
static void a_run_is_that_of_steps(void **unused) {
    (void)unused;
    td_options o = small_options(0);
    snprintf(o.model, sizeof o.model, "srl");
    td_robot *robot = robot_of(TENDON);
    trial t;
    assert_true(begin(&t, robot, &o, 90));
    must(&t, t.g, td_gradient_run(t.g, t.start, DT, t.u, t.restarts, t.y));
    td_state *state = td_state_create(t.system);
    const size_t bytes = td_snapshot_bytes(t.system);
    char *a = malloc(bytes), *b = malloc(bytes);
    td_state_save(t.system, t.start, a, bytes);
    assert_int_equal(td_state_restore(t.system, state, a, bytes), TD_OK);
    for (int k = 0; k < 90; k++) {
        for (int i = 0; i < t.n_u; i++) td_set_input(t.system, state, i, t.u[k * t.n_u + i]);
        if (t.restarts[k]) td_restart(t.system, state);
        assert_true(td_step(t.system, state, DT) >= 0);
        double y[6];
        td_get_output(t.system, state, &watched[1], y);
        assert_memory_equal(y, t.y + k * t.n_y + 6, sizeof y);
        const td_pose tip = td_get_pose(t.system, state, 0, 0.2);
        assert_memory_equal(tip.p, t.y + k * t.n_y + 3, sizeof tip.p);
    }
    td_state_save(t.system, state, a, bytes);
    td_state_save(t.system, td_gradient_state(t.g), b, bytes);
    assert_memory_equal(a, b, bytes);
    must(&t, t.g, td_gradient_adjoint(t.g, t.w, &(td_gradient_result){.by_inputs = t.by_u}));
    td_state_save(t.system, td_gradient_state(t.g), b, bytes);
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    td_state_destroy(state);
    end(&t);
    td_robot_destroy(robot);
}

static void what_cannot_be_is_said(void **unused) {
    (void)unused;
    td_options o = small_options(0);
    snprintf(o.model, sizeof o.model, "srl");
    td_robot *robot = robot_of(TENDON);
    trial t;
    td_error err = {0};
    assert_true(begin(&t, robot, &o, 5));
    const td_gradient_result none = {0};
    assert_int_equal(td_gradient_adjoint(t.g, t.w, &none), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_gradient_message(t.g), "no run"));
    assert_int_equal(td_gradient_run(t.g, t.start, 0.0, t.u, NULL, NULL), TD_ERR_ARGUMENT);
    t.u[4 * t.n_u] = (double)NAN;
    assert_int_equal(td_gradient_run(t.g, t.start, DT, t.u, NULL, NULL), TD_ERR_NOT_FINITE);
    assert_non_null(strstr(td_gradient_message(t.g), "step 5"));
    t.u[4 * t.n_u] = 1e9;
    assert_true(td_gradient_run(t.g, t.start, DT, t.u, NULL, NULL) < 0);
    assert_non_null(strstr(td_gradient_message(t.g), "step 5 of 5: "));
    assert_int_equal(td_gradient_adjoint(t.g, t.w, &none), TD_ERR_ARGUMENT);
    t.u[4 * t.n_u] = 0.0;
    must(&t, t.g, td_gradient_run(t.g, t.start, DT, t.u, NULL, NULL));
    assert_int_equal(td_gradient_forward(t.g, 2, t.du, NULL, NULL, t.dy), TD_ERR_ARGUMENT);
    const double weight = t.w[0];
    t.w[0] = (double)NAN;
    assert_int_equal(td_gradient_adjoint(t.g, t.w, &none), TD_ERR_NOT_FINITE);
    t.w[0] = weight;
    td_gradient_options bad = td_default_gradient_options();
    bad.n_checkpoints = 2;
    assert_null(td_gradient_create(t.system, &bad, &err));
    assert_non_null(strstr(err.message, "2 checkpoints"));
    const td_output nowhere = {.quantity = TD_OUTPUT_POSE, .body = 3};
    bad = td_default_gradient_options(), bad.outputs = &nowhere, bad.n_outputs = 1;
    assert_null(td_gradient_create(t.system, &bad, &err));
    assert_non_null(strstr(err.message, "body 3"));
    end(&t);
    o.integration.method = TD_STEPS_IMPLICIT;
    td_system *chosen = system_of(robot, &o);
    bad = td_default_gradient_options();
    if (chosen) assert_null(td_gradient_create(chosen, &bad, &err));
    if (chosen) assert_non_null(strstr(err.message, "chosen by tolerance"));
    td_system_destroy(chosen);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_a_thousand_steps_adjoint_forward_and_runs_agree),
        cmocka_unit_test(closed_chains_and_bodies_have_gradients),
        cmocka_unit_test(bases_that_move_have_gradients),
        cmocka_unit_test(formulas_that_remember_have_gradients),
        cmocka_unit_test(what_rubs_on_obstacles_has_gradients),
        cmocka_unit_test(numbers_of_the_robot_have_gradients),
        cmocka_unit_test(where_steps_remember_more_numbers_are_refused),
        cmocka_unit_test(checkpoints_change_no_bit),
        cmocka_unit_test(a_run_is_that_of_steps),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
