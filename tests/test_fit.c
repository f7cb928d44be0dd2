// Numbers of a robot from measurements: against closed forms, recovered from data that the robot itself would show, and
// what is said of numbers that data cannot tell apart.
#include "tendril/fit.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "study/experiment.h"
#include "study/least_squares.h"

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

static td_robot *robot_of(const char *text) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "test", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    return robot;
}

static td_fit *fit_of(td_robot *robot, const td_fit_options *o) {
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    td_fit *fit = td_fit_robot(robot, &options, o, &err);
    if (!fit) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(fit);
    return fit;
}

// What a robot with these numbers would show, written over `measured`.
static void synthesise(td_robot *robot, const td_fit_options *o, const double *x,
                       double *measured) {
    experiment e;
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    assert_true(experiment_begin(&e, robot, &options, o, &err));
    const td_status status = experiment_compute(&e, x, measured, &err);
    if (status < 0) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_true(status >= 0);
    experiment_end(&e);
}

// ---------------------------------------------------------------- at rest, against a closed form
#define ARC                                                                                        \
    "tendril: 1\ngravity: [0, 0, 0]\n"                                                             \
    "materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}\n"           \
    "rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}}]\n"                \
    "loads: [{name: bend, at: tip, moment: [0, bend, 0]}]\ninputs: {bend: 0 N m}\n"

enum { BENDS = 8 };

// A moment at the tip bends a rod into an arc of curvature M/EI.
static void arc_data(double E, double *moments, double *measured) {
    const double pi = acos(-1.0), EI = E * pi / 4.0 * pow(5e-3, 4.0);
    for (int i = 0; i < BENDS; i++) {
        moments[i] = 5e-4 * (i + 1);
        const double k = moments[i] / EI;
        measured[2 * i] = (1.0 - cos(0.3 * k)) / k;
        measured[2 * i + 1] = sin(0.3 * k) / k;
    }
}

static void a_modulus_follows_from_arcs(void **state) {
    (void)state;
    static const char *const inputs[] = {"bend"}, *const outputs[] = {"tip.x", "tip.z"};
    static const char *const models[] = {"cosserat", "constant_curvature"};
    double moments[BENDS], measured[2 * BENDS];
    arc_data(1.37e6, moments, measured);
    const td_recording recording = {.n_rows = BENDS,
                                    .inputs = inputs,
                                    .n_inputs = 1,
                                    .given = moments,
                                    .outputs = outputs,
                                    .n_outputs = 2,
                                    .measured = measured};
    const td_fit_parameter parameter = {"materials.rubber.youngs_modulus", 1e5, 1e7, NAN};
    for (int m = 0; m < LENGTH(models); m++) {
        td_robot *robot = robot_of(ARC);
        td_error err = {0};
        td_options options = td_robot_options(robot);
        td_fit_options o = td_default_fit_options();
        o.parameters = &parameter, o.n_parameters = 1;
        o.recordings = &recording, o.n_recordings = 1, o.held_out = 0.25;
        snprintf(options.model, sizeof options.model, "%s", models[m]);
        td_fit *fit = td_fit_robot(robot, &options, &o, &err);
        if (!fit) fprintf(stderr, "%s: %s: %s\n", models[m], err.where, err.message);
        assert_non_null(fit);
        const td_fit_value v = td_fit_get_value(fit, 0);
        const td_fit_misfit x = td_fit_get_misfit(fit, 0);
        assert_int_equal(td_fit_status(fit), TD_OK);
        CHECK_NEAR(v.value / 1.37e6, 1.0, 1e-8);
        CHECK_NEAR(v.start, 1e6, 0.0);
        assert_true(v.error < 1e-6 * v.value && !v.at_bound);
        assert_true(td_fit_exact(fit));
        assert_int_equal(td_fit_n_measured(fit), 12);
        assert_int_equal(x.n_held, 2);
        assert_string_equal(x.unit, "m");
        CHECK_BETWEEN(x.before, 1e-3, 1.0);
        CHECK_NEAR(x.held_after, 0.0, 1e-8);
        td_fit_destroy(fit);
        td_robot_destroy(robot);
    }
}

// The interval of a mean: a bias is the mean error, with s/sqrt(n) and Student's quantile for 7 degrees of freedom.
static void an_interval_of_a_bias_is_that_of_a_mean(void **state) {
    (void)state;
    static const char *const inputs[] = {"bend"}, *const outputs[] = {"tip.x"};
    static const double errors[BENDS] = {1e-3, -2e-3, 4e-3, 0.0, 1e-3, 3e-3, -1e-3, 2e-3};
    double moments[BENDS], both[2 * BENDS], measured[BENDS], mean = 0.0, square = 0.0;
    arc_data(1e6, moments, both);
    for (int i = 0; i < BENDS; i++)
        measured[i] = both[2 * i] + errors[i], mean += errors[i] / BENDS;
    for (int i = 0; i < BENDS; i++) square += (errors[i] - mean) * (errors[i] - mean);
    const double error = sqrt(square / (BENDS - 1) / BENDS);
    const td_recording recording = {.n_rows = BENDS,
                                    .inputs = inputs,
                                    .n_inputs = 1,
                                    .given = moments,
                                    .outputs = outputs,
                                    .n_outputs = 1,
                                    .measured = measured};
    const td_fit_parameter parameter = {"data.bias.tip.x", -0.1, 0.1, NAN};
    td_robot *robot = robot_of(ARC);
    td_fit_options o = td_default_fit_options();
    o.parameters = &parameter, o.n_parameters = 1;
    o.recordings = &recording, o.n_recordings = 1;
    td_fit *fit = fit_of(robot, &o);
    const td_fit_value v = td_fit_get_value(fit, 0);
    CHECK_NEAR(v.value, mean, 1e-10);
    CHECK_NEAR(v.error, error, 1e-10);
    CHECK_NEAR((v.high - v.low) / (2.0 * v.error), 2.364624251592785, 1e-8);  // of a table
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- a released cantilever
#define CANTILEVER(bodies)                                                                         \
    "tendril: 1\ngravity: [0, 0, 0]\n"                                                             \
    "materials: {steel: {youngs_modulus: 170 GPa, poisson_ratio: 0.3, density: 7000}}\n"           \
    "rods: [{name: beam, length: 0.4, material: steel, section: {radius: 1 mm}, "                  \
    "damping: {time: 1 ms}}]\n" bodies                                                             \
    "initial: {coordinates: {rod.beam.node*.curvature_y: 0.5}}\n"                                  \
    "simulation: {theory: kirchhoff, space: {nodes: 6}, time: {step: 4 ms, end: 1 s}}\n"

enum { INSTANTS = 60 };
static const td_fit_parameter of_beam[] = {
    {"materials.steel.youngs_modulus", 100e9, 400e9, NAN},
    {"materials.steel.density", 3000.0, 20000.0, NAN},
    {"rods.beam.damping.time", 1e-4, 1e-2, NAN},
};
static const double beam[] = {207e9, 8000.0, 2e-3};

static td_fit *released(td_robot *robot, double *times, double *measured) {
    static const char *const outputs[] = {"tip.x"};
    td_recording recording = {.n_rows = INSTANTS,
                              .times = times,
                              .outputs = outputs,
                              .n_outputs = 1,
                              .measured = measured};
    td_fit_options o = td_default_fit_options();
    o.parameters = of_beam, o.n_parameters = LENGTH(of_beam);
    o.recordings = &recording, o.n_recordings = 1, o.threads = 2;
    for (int i = 0; i < INSTANTS; i++) times[i] = 5.3e-3 * i;  // not on steps
    synthesise(robot, &o, beam, measured);
    td_fit *fit = fit_of(robot, &o);
    assert_int_equal(td_fit_status(fit), TD_OK);
    return fit;
}

// Without a mass that is known all forces may be larger together: only EI/rho A is known, and the damping.
static void a_released_cantilever_knows_stiffness_by_mass_and_damping(void **state) {
    (void)state;
    double times[INSTANTS], measured[INSTANTS], parts[3];
    td_robot *robot = robot_of(CANTILEVER(""));
    td_fit *fit = released(robot, times, measured);
    const td_fit_value E = td_fit_get_value(fit, 0), rho = td_fit_get_value(fit, 1),
                       tau = td_fit_get_value(fit, 2);
    CHECK_NEAR(E.value / rho.value / (beam[0] / beam[1]), 1.0, 1e-8);
    CHECK_NEAR(tau.value / beam[2], 1.0, 1e-8);
    assert_true(isinf(E.error) && isinf(rho.error) && isfinite(tau.error));
    assert_int_equal(td_fit_n_unknown(fit), 1);
    td_fit_get_unknown(fit, 0, parts);
    CHECK_NEAR(parts[0] / parts[1], 1.0, 1e-4);
    CHECK_NEAR(parts[2], 0.0, 0.0);
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

static void with_a_known_tip_mass_all_three_are_known(void **state) {
    (void)state;
    double times[INSTANTS], measured[INSTANTS];
    td_robot *robot =
        robot_of(CANTILEVER("bodies: [{name: tip, on: beam, at: tip, mass: 10 g}]\n"));
    td_fit *fit = released(robot, times, measured);
    for (int i = 0; i < 3; i++) {
        const td_fit_value v = td_fit_get_value(fit, i);
        CHECK_NEAR(v.value / beam[i], 1.0, 1e-8);
        assert_true(v.error < 1e-6 * v.value);
    }
    assert_int_equal(td_fit_n_unknown(fit), 0);
    CHECK_BETWEEN(td_fit_correlation(fit, 0, 1), 0.5, 1.0);  // heavier and stiffer: much the same
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- slopes
#define ARM(tendon)                                                                                \
    "tendril: 1\ngravity: [1, 0, -9.81]\n"                                                         \
    "materials: {rubber: {youngs_modulus: 2 MPa, poisson_ratio: 0.4, density: 1100}}\n"            \
    "rods: [{name: arm, length: 0.2, material: rubber, section: {radius: 8 mm}, drag: 2, "         \
    "rest: {curvature: [0.5, 0, 0]}, damping: {time: 5 ms}, "                                      \
    "base: {position: [0.01, 0, 0], direction: [0.2, 0.1, -1]}}]\n"                                \
    "tendons: [{name: pull, offset: [6 mm, 2 mm]" tendon "}]\n"                                    \
    "bodies: [{name: end, on: arm, at: tip, mass: 5 g}]\n"                                         \
    "loads: [{name: side, at: 50 %, force: [0, 0.01, 0]}]\n"                                       \
    "inputs: {pull: {ramp: {to: 2 N, duration: 60 ms}}}\n"                                         \
    "simulation: {time: {step: 4 ms, end: 1 s}}\n"

static const td_fit_parameter kinds[] = {
    {"materials.rubber.youngs_modulus", 1e6, 4e6, NAN},
    {"materials.rubber.poisson_ratio", 0.1, 0.49, NAN},
    {"materials.rubber.density", 500.0, 2000.0, NAN},
    {"rods.arm.length", 0.1, 0.3, NAN},
    {"rods.arm.section.radius", 5e-3, 12e-3, NAN},
    {"rods.arm.rest.curvature.x", 0.1, 2.0, NAN},
    {"rods.arm.drag", 0.1, 5.0, NAN},
    {"rods.arm.damping.time", 1e-3, 2e-2, NAN},
    {"rods.arm.base.position.x", -0.1, 0.1, NAN},
    {"rods.arm.base.direction.x", 0.05, 1.0, NAN},
    {"tendons.pull.offset.x", 3e-3, 8e-3, NAN},
    {"bodies.end.mass", 1e-3, 2e-2, NAN},
    {"loads.side.force.y", 1e-3, 0.1, NAN},
    {"gravity.x", 0.1, 2.0, NAN},
    {"data.gain.pull", 0.5, 2.0, NAN},
    {"data.bias.tip.x", -0.1, 0.1, NAN},
    {"data.marker.m.z", 0.0, 0.1, 0.01},
    {"data.delay", 1e-4, 1e-2, 1e-3},           // of motions
    {"tendons.pull.friction", 0.01, 0.5, NAN},  // of an arm that rubs
};
enum { KINDS = LENGTH(kinds), SEEN = 12, ROWS = 2 * SEEN };

static bool show(void *context, const double *x, double *y) {
    td_error err = {0};
    if (experiment_compute(context, x, y, &err) >= 0) return true;
    fprintf(stderr, "%s: %s\n", err.where, err.message);
    return false;
}

// Differences of sixth order: Richardson's of steps h, h/2, h/4.
static void sixth_order(const ls_problem *p, const double *x, const double *y, double *J) {
    double D[3][ROWS * KINDS];
    ls_problem q = *p;
    for (int i = 0; i < 3; i++) {
        q.share = 4e-3 / (1 << i);
        assert_true(ls_differences(&q, x, y, D[i]));
    }
    for (int i = 0; i < p->m * p->n; i++) {
        const double a = (4.0 * D[1][i] - D[0][i]) / 3.0, b = (4.0 * D[2][i] - D[1][i]) / 3.0;
        J[i] = (16.0 * b - a) / 15.0;
    }
}

static void compare_slopes(const char *model, bool moves, const char *how, int n, const double *J,
                           const double *R) {
    for (int j = 0; j < n; j++) {
        double largest = 0.0, worst = 0.0;
        for (int i = 0; i < ROWS; i++) {
            largest = fmax(largest, fabs(R[i * n + j]));
            worst = fmax(worst, fabs(J[i * n + j] - R[i * n + j]));
        }
        const bool of_rest = !moves && strstr("rods.arm.drag rods.arm.damping.time", kinds[j].path);
        if (!(largest > 0.0 || of_rest))
            fprintf(stderr, "%s: %s does nothing\n", model, kinds[j].path), fail();
        if (worst > (largest > 0.0 ? 1e-6 * largest : 1e-12))
            fprintf(stderr, "%s: slopes (%s) by %s are off by %.1e\n", model, how, kinds[j].path,
                    worst / largest),
                fail();
    }
}

static void check_slopes(const char *model, bool moves, bool rubs) {
    static const char *const inputs[] = {"pull"}, *const outputs[] = {"tip.x", "marker.m.y"};
    const td_fit_marker marker = {.name = "m", .on = "tip", .offset = {0.01, 0.0, 0.01}};
    double times[SEEN], given[SEEN], measured[ROWS] = {0.0};
    double x[KINDS], steps[KINDS], sizes[KINDS], low[KINDS], high[KINDS], y[ROWS], J[ROWS * KINDS],
        R[ROWS * KINDS];
    td_robot *robot = robot_of(rubs ? ARM(", friction: 0.1") : ARM(""));
    td_options options = td_robot_options(robot);
    snprintf(options.model, sizeof options.model, "%s", model);
    for (int i = 0; i < SEEN; i++) times[i] = 7e-3 * i, given[i] = 0.1 * i;
    const td_recording recording = {.n_rows = SEEN,
                                    .times = moves ? times : NULL,
                                    .inputs = inputs,
                                    .n_inputs = 1,
                                    .given = given,
                                    .outputs = outputs,
                                    .n_outputs = 2,
                                    .measured = measured};
    td_fit_options o = td_default_fit_options();
    o.parameters = kinds, o.n_parameters = rubs ? KINDS : moves ? KINDS - 1 : KINDS - 2;
    o.recordings = &recording, o.n_recordings = 1, o.markers = &marker, o.n_markers = 1;
    experiment e;
    td_error err = {0};
    assert_true(experiment_begin(&e, robot, &options, &o, &err));
    for (int j = 0; j < o.n_parameters; j++) {
        x[j] = kinds[j].start;
        if (isnan(x[j]) && td_robot_get_number(robot, kinds[j].path, &x[j], &err) < 0)
            x[j] = !strncmp(kinds[j].path, "data.gain", 9) ? 1.0 : 0.0;
        sizes[j] = x[j] != 0.0 ? fabs(x[j]) : 0.1;
        low[j] = kinds[j].low, high[j] = kinds[j].high;
    }
    const ls_problem p = {.n = o.n_parameters,
                          .m = ROWS,
                          .low = low,
                          .high = high,
                          .residuals = show,
                          .context = &e,
                          .sizes = sizes,
                          .share = DIFFERENCE_SHARE};
    assert_true(show(&e, x, y));
    assert_true(ls_differences(&p, x, y, J));
    sixth_order(&p, x, y, R);
    compare_slopes(model, moves, "differences", p.n, J, R);
    if (moves) assert_true(experiment_slopes(&e, x, x, J, &err) == TD_ERR_UNSUPPORTED);
    for (int j = 0; j < p.n; j++) steps[j] = DIFFERENCE_SHARE * sizes[j];
    if (!moves && experiment_slopes(&e, x, steps, J, &err) < 0)
        fprintf(stderr, "%s: %s: %s\n", model, err.where, err.message), fail();
    if (!moves) compare_slopes(model, moves, "exact", p.n, J, R);
    experiment_end(&e);
    td_robot_destroy(robot);
}
static void slopes_by_every_kind_of_number_hold_to_1e_6(void **state) {
    (void)state;
    check_slopes("cosserat", true, true);
    check_slopes("cosserat", false, false);
    if (!check_briefly()) check_slopes("eba", true, false);
    if (!check_briefly()) check_slopes("ebr", false, false);
    check_slopes("rom", false, false);
}

// ---------------------------------------------------------------- numbers of the data
static void delay_gain_and_bias_are_recovered(void **state) {
    (void)state;
    static const char *const inputs[] = {"pull"}, *const outputs[] = {"tip.x", "tip.y"};
    static const double noise[2] = {1e-3, 2e-3};
    const td_fit_parameter wanted[] = {{"data.delay", -0.02, 0.02, NAN},
                                       {"data.gain.pull", 0.2, 2.0, NAN},
                                       {"data.bias.tip.y", -0.1, 0.1, NAN},
                                       {"bodies.end.mass", 1e-3, 0.1, NAN}};
    static const double truth[] = {3.3e-3, 0.8, -4e-3, 8e-3};
    double times[40], given[40], measured[80];
    for (int i = 0; i < 40; i++) times[i] = 5e-3 * i, given[i] = sin(0.1 * i);
    td_recording recordings[2] = {{.n_rows = 40,
                                   .times = times,
                                   .inputs = inputs,
                                   .n_inputs = 1,
                                   .given = given,
                                   .outputs = outputs,
                                   .n_outputs = 2,
                                   .measured = measured,
                                   .noise = noise}};
    td_robot *robot = robot_of(ARM(""));
    td_fit_options o = td_default_fit_options();
    o.parameters = wanted, o.n_parameters = 4;
    o.recordings = recordings, o.n_recordings = 1;
    synthesise(robot, &o, truth, measured);
    measured[11] = NAN;  // not seen
    td_fit *fit = fit_of(robot, &o);
    assert_int_equal(td_fit_n_measured(fit), 79);
    assert_false(td_fit_exact(fit));  // a motion
    for (int i = 0; i < 4; i++) CHECK_NEAR(td_fit_get_value(fit, i).value / truth[i], 1.0, 1e-7);
    td_error err = {0};
    char *text = td_fit_write(fit, &err);
    double mass = 0.0;
    td_robot *found = robot_of(text);
    CHECK_OK(td_robot_get_number(found, "bodies.end.mass", &mass, &err), err);
    CHECK_NEAR(mass, td_fit_get_value(fit, 3).value, 0.0);
    td_robot_destroy(found);
    td_free_text(text);
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

// A base that swings: x = 0.1 sin(2 pi t). Rows between steps of 10 ms are interpolated to (2 pi h)^4 3/128 of it,
// and what is held out, the end, may be anything.
static void rows_between_steps_are_cubic_and_the_end_may_be_held_out(void **state) {
    (void)state;
    static const char *const outputs[] = {"rod.arm.base.x"};
    const td_fit_parameter wanted[] = {{"data.bias.rod.arm.base.x", -1.0, 1.0, 0.3},
                                       {"data.delay", -0.01, 0.01, 0.005}};
    double times[40], measured[40];
    for (int i = 0; i < 40; i++) {
        times[i] = 0.05 + 0.0137 * i;
        measured[i] = i < 28 ? 0.1 * sin(2.0 * acos(-1.0) * (times[i] - 3.1e-3)) + 0.02 : 9.0;
    }
    const td_recording recording = {
        .n_rows = 40, .times = times, .outputs = outputs, .n_outputs = 1, .measured = measured};
    td_robot *robot =
        robot_of("tendril: 1\nrods: [{name: arm, length: 0.1, section: {radius: 5 mm}, "
                 "material: {youngs_modulus: 1 MPa, poisson_ratio: 0.4, density: 1000}, "
                 "base: {position: [swing, 0, 0]}}]\n"
                 "inputs: {swing: {sine: {amplitude: 0.1, frequency: 1 Hz}}}\n"
                 "simulation: {time: {step: 10 ms}}\n");
    td_fit_options o = td_default_fit_options();
    o.parameters = wanted, o.n_parameters = 2;
    o.recordings = &recording, o.n_recordings = 1, o.held_out = 0.3;
    td_fit *fit = fit_of(robot, &o);
    const td_fit_misfit m = td_fit_get_misfit(fit, 0);
    assert_int_equal(m.n_fitted, 28);
    assert_int_equal(m.n_held, 12);
    CHECK_NEAR(td_fit_get_value(fit, 0).value, 0.02, 4e-8);
    CHECK_NEAR(td_fit_get_value(fit, 1).value, 3.1e-3, 1e-7);
    CHECK_BETWEEN(m.after, 1e-12, 4e-8);
    CHECK_BETWEEN(m.held_after, 8.0, 10.0);
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

// A marker on the arc of angle a = M L/EI, o beyond its tip: x of the tip + o sin a, z + o cos a.
static void an_offset_of_a_marker_follows_from_arcs(void **state) {
    (void)state;
    static const char *const inputs[] = {"bend"}, *const outputs[] = {"marker.m.x", "marker.m.z"};
    const td_fit_marker marker = {.name = "m", .on = "tip", .offset = {0.0, 0.0, 2e-3}};
    const td_fit_parameter wanted[] = {{"materials.rubber.youngs_modulus", 1e5, 1e7, NAN},
                                       {"data.marker.m.z", -0.05, 0.05, NAN},
                                       {"data.marker.m.x", -0.05, 0.05, NAN}};
    double moments[BENDS], measured[2 * BENDS];
    arc_data(1.2e6, moments, measured);
    for (int i = 0; i < BENDS; i++) {
        const double a = moments[i] * 0.3 / (1.2e6 * acos(-1.0) / 4.0 * pow(5e-3, 4.0));
        measured[2 * i] += 8e-3 * sin(a) + 5e-3 * cos(a);
        measured[2 * i + 1] += 8e-3 * cos(a) - 5e-3 * sin(a);
    }
    const td_recording recording = {.n_rows = BENDS,
                                    .inputs = inputs,
                                    .n_inputs = 1,
                                    .given = moments,
                                    .outputs = outputs,
                                    .n_outputs = 2,
                                    .measured = measured};
    td_robot *robot = robot_of(ARC);
    td_fit_options o = td_default_fit_options();
    o.parameters = wanted, o.n_parameters = 3, o.markers = &marker, o.n_markers = 1;
    o.recordings = &recording, o.n_recordings = 1;
    td_fit *fit = fit_of(robot, &o);
    CHECK_NEAR(td_fit_get_value(fit, 0).value / 1.2e6, 1.0, 1e-7);
    CHECK_NEAR(td_fit_get_value(fit, 1).value, 8e-3, 1e-9);
    CHECK_NEAR(td_fit_get_value(fit, 2).value, 5e-3, 1e-9);
    CHECK_NEAR(td_fit_get_value(fit, 1).start, 2e-3, 0.0);
    td_fit_destroy(fit);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- refusals
static void refused(td_robot *robot, const td_fit_options *o, const char *where, const char *says) {
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    assert_null(td_fit_robot(robot, &options, o, &err));
    if (!strstr(err.where, where) || !strstr(err.message, says))
        fprintf(stderr, "%s: %s\n  is not about %s: %s\n", err.where, err.message, where, says),
            fail();
}

static void what_cannot_be_fitted_is_refused_with_its_place(void **state) {
    (void)state;
    static const char *const inputs[] = {"bend"}, *const outputs[] = {"tip.x"};
    double given[2] = {1e-4, 2e-4}, measured[2] = {1e-3, 2e-3};
    td_recording r = {.n_rows = 2, .given = given, .measured = measured};
    r.inputs = inputs, r.n_inputs = 1, r.outputs = outputs, r.n_outputs = 1;
    td_fit_parameter p = {"materials.rubber.youngs_modulus", 1e5, 1e7, NAN};
    td_fit_options o = td_default_fit_options();
    td_robot *robot = robot_of(ARC);
    refused(robot, &o, "parameters", "0 must be from 1");
    o.parameters = &p, o.n_parameters = 1;
    refused(robot, &o, "recordings", "nothing to fit");
    o.recordings = &r, o.n_recordings = 1;
    p.low = 2e6;
    refused(robot, &o, "youngs_modulus", "starts at 1e+06, which is not within 2e+06");
    p.low = 1e7;
    refused(robot, &o, "youngs_modulus", "is no range");
    p.low = 1e5, p.path = "materials.rubber.youngs_modules";
    refused(robot, &o, "youngs_modules", "did you mean");
    p.path = "data.gain.pull";
    refused(robot, &o, "data.gain.pull", "no recording gives this input");
    p.path = "data.delay";
    refused(robot, &o, "data.delay", "no recording is of a motion");
    p.path = "materials.rubber.youngs_modulus";
    r.inputs = (const char *const[]){"bent"};
    refused(robot, &o, "bent", "no such input");
    r.inputs = inputs, r.outputs = (const char *const[]){"tip.position"};
    refused(robot, &o, "tip.position", "is 3 numbers");
    r.outputs = (const char *const[]){"tip.w"};
    refused(robot, &o, "tip.w", "component like x");
    r.outputs = (const char *const[]){"tip.x", "tip.turn_y"}, r.n_outputs = 2, r.n_rows = 1;
    refused(robot, &o, "noise", "different units");
    r.outputs = outputs, r.n_outputs = 1, r.times = (double[]){0.1, 0.1}, r.n_rows = 2;
    refused(robot, &o, "recording", "row 2: time 0.1 s");
    measured[1] = HUGE_VAL, r.times = NULL;
    refused(robot, &o, "tip.x", "must be finite");
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modulus_follows_from_arcs),
        cmocka_unit_test(an_interval_of_a_bias_is_that_of_a_mean),
        cmocka_unit_test(a_released_cantilever_knows_stiffness_by_mass_and_damping),
        cmocka_unit_test(with_a_known_tip_mass_all_three_are_known),
        cmocka_unit_test(slopes_by_every_kind_of_number_hold_to_1e_6),
        cmocka_unit_test(delay_gain_and_bias_are_recovered),
        cmocka_unit_test(rows_between_steps_are_cubic_and_the_end_may_be_held_out),
        cmocka_unit_test(an_offset_of_a_marker_follows_from_arcs),
        cmocka_unit_test(what_cannot_be_fitted_is_refused_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
