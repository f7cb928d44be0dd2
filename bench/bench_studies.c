// Cost of studies: five numbers of the two-segment arm from 3.2 s of its motion, slopes of that motion by a sweep along it
// and by differences of runs, and searches over the examples.
#include <string.h>

#include "bench.h"
#include "study/experiment.h"
#include "tendril/gradient.h"
#include "tendril/optimise.h"

enum { ROWS = 161, N = 5 };

static const td_fit_parameter numbers[N] = {
    {"materials.nitinol.youngs_modulus", 30e9, 120e9, (double)NAN},
    {"materials.nitinol.density", 3000.0, 12000.0, (double)NAN},
    {"rods.backbone.damping.time", 1e-3, 2e-2, (double)NAN},
    {"tendons.a1.offset.x", 4e-3, 12e-3, (double)NAN},
    {"tendons.b1.offset.y", 4e-3, 12e-3, (double)NAN},
};
static const double truth[N] = {66e9, 7000.0, 5e-3, 8.4e-3, 6.6e-3};

static td_robot *arm(void) {
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/two-segment-arm.yaml", NULL, 0, &err);
    bench_need(robot != NULL, err.message);
    return robot;
}

static void measure(const char *name, td_robot *robot, const td_fit_options *o, double *measured) {
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    double best = HUGE_VAL;
    experiment e;
    bench_need(experiment_begin(&e, robot, &options, o, &err), err.message);
    bench_need(experiment_compute(&e, truth, measured, &err) >= 0, err.message);
    experiment_end(&e);
    for (int round = 0; round < 3; round++) {
        const double begin = bench_seconds();
        td_fit *fit = td_fit_robot(robot, &options, o, &err);
        bench_need(fit != NULL, err.message);
        best = fmin(best, bench_seconds() - begin);
        double worst = 0.0;
        for (int i = 0; i < o->n_parameters; i++)
            worst = fmax(worst, fabs(td_fit_get_value(fit, i).value / truth[i] - 1.0));
        if (round == 2)
            printf("%s,%d,%d,%d,%d,%s,%.2f,%.1e\n", name, o->n_parameters, td_fit_n_measured(fit),
                   td_fit_iterations(fit), td_fit_computations(fit),
                   td_fit_exact(fit) ? "exact" : "differences", best, worst);
        td_fit_destroy(fit);
    }
}

static void fits(void) {
    static const char *const outputs[] = {"tip.x", "tip.y", "tip.z"};
    double times[ROWS], measured[3 * ROWS];
    for (int i = 0; i < ROWS; i++) times[i] = 0.02 * i;
    const td_recording recording = {
        .n_rows = ROWS, .times = times, .outputs = outputs, .n_outputs = 3, .measured = measured};
    td_fit_options o = td_default_fit_options();
    td_robot *robot = arm();
    o.parameters = numbers, o.n_parameters = N, o.recordings = &recording, o.n_recordings = 1;
    printf("fit,numbers,measured,iterations,computations,slopes,s,error\n");
    measure("3.2 s of motion", robot, &o, measured);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- slopes of motions
enum { STEPS = 320 };
#define DT 0.01

static td_system *arm_with(const td_options *o, int number, double value) {
    char set[96];
    td_error err = {0};
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "%s=%.17g", numbers[number].path, value);
    td_robot *robot = td_robot_load(EXAMPLES "/two-segment-arm.yaml", sets, 1, &err);
    bench_need(robot != NULL, err.message);
    td_system *system = td_system_create(robot, o, &err);
    bench_need(system != NULL, err.message);
    td_robot_destroy(robot);
    return system;
}

static void take_inputs(const td_system *system, double *inputs) {
    td_state *s = td_state_create(system);
    const int n = td_n_inputs(system);
    for (int k = 0; k < STEPS; k++) {
        td_apply_signals(system, s, DT * (k + 1), TD_AFTER);
        for (int i = 0; i < n; i++) inputs[k * n + i] = td_get_input(system, s, i);
    }
    td_state_destroy(s);
}

static double seconds_of_run(td_gradient *g, const td_state *start, const double *inputs,
                             double *y) {
    double best = HUGE_VAL;
    for (int round = 0; round < 3; round++) {
        const double begin = bench_seconds();
        bench_need(td_gradient_run(g, start, DT, inputs, NULL, y) >= 0, td_gradient_message(g));
        best = fmin(best, bench_seconds() - begin);
    }
    return best;
}

// A forward sweep by five numbers, in runs; differences take ten.
static void sweep_cost(const char *model) {
    td_robot *robot = arm();
    td_options o = td_robot_options(robot);
    td_error err = {0};
    td_system *sides[2 * N];
    const td_system *plus[N], *minus[N];
    double steps[N], along[N * N] = {0.0};
    snprintf(o.model, sizeof o.model, "%s", model);
    o.scheme = TD_SDIRK2;
    for (int i = 0; i < N; i++) {
        steps[i] = 1e-4 * truth[i], along[i * N + i] = 1.0;
        plus[i] = sides[2 * i] = arm_with(&o, i, truth[i] + steps[i]);
        minus[i] = sides[2 * i + 1] = arm_with(&o, i, truth[i] - steps[i]);
    }
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    td_named_output tip;
    bench_need(td_find_output(system, "tip.x", &tip, &err) >= 0, err.message);
    td_gradient_options go = td_default_gradient_options();
    go.outputs = &tip.output, go.n_outputs = 1, go.n_steps = STEPS, go.n_checkpoints = STEPS;
    go.n_directions = N, go.plus = plus, go.minus = minus, go.steps = steps, go.n_parameters = N;
    td_gradient *g = td_gradient_create(system, &go, &err);
    bench_need(g != NULL, err.message);
    td_state *start = td_state_create(system);
    bench_need(td_begin(system, start) >= 0, td_message(start));
    const size_t n_u = (size_t)td_n_inputs(system), n_y = (size_t)td_gradient_n_outputs(g);
    double *u = calloc(STEPS * (n_u + (N + 1) * n_y), sizeof *u), *y = u + STEPS * n_u;
    bench_need(u != NULL, "memory");
    take_inputs(system, u);
    const double run = seconds_of_run(g, start, u, y);
    const double begin = bench_seconds();
    bench_need(td_gradient_forward(g, N, NULL, NULL, along, y + STEPS * n_y) >= 0,
               td_gradient_message(g));
    printf("%s,%.1f,%.1f,%d\n", model, 1e3 * run, (bench_seconds() - begin) / run, 2 * N);
    free(u);
    td_state_destroy(start);
    td_gradient_destroy(g);
    td_system_destroy(system);
    for (int i = 0; i < 2 * N; i++) td_system_destroy(sides[i]);
    td_robot_destroy(robot);
}

static void slopes_of_motions(void) {
    printf("\nslopes_of,a_run_ms,by_a_sweep_runs,by_differences_runs\n");
    for (int i = 0; i < 6; i++)
        sweep_cost(
            (const char *const[]){"cosserat", "virtual_power", "eba", "ebr", "srl", "rom"}[i]);
}

static void searches(void) {
    static const char *const names[] = {"light-beam", "line", "swing"};
    printf("\nstudy,slopes,parameters,steps,cases,s,value\n");
    for (int i = 0; i < 6; i++) {
        td_error err = {0};
        char path[1024];
        snprintf(path, sizeof path, EXAMPLES "/studies/%s.yaml", names[i / 2]);
        td_study *s = td_study_load(path, NULL, 0, &err);
        bench_need(s != NULL, err.message);
        td_optimise_options o = td_default_optimise_options();
        o.differences = i % 2;
        const double begin = bench_seconds();
        td_optimum *found = td_optimise(s, &o, &err);
        bench_need(found != NULL, err.message);
        if (i % 2 == 0 || !strcmp(names[i / 2], "swing"))
            printf("%s,%s,%d,%d,%d,%.2f,%.9g\n", names[i / 2], td_optimum_slopes(found),
                   td_study_n_parameters(s), td_optimum_steps(found), td_optimum_cases(found),
                   bench_seconds() - begin, td_optimum_value(found));
        td_optimum_destroy(found);
        td_study_destroy(s);
    }
}

int main(void) {
    fits();
    slopes_of_motions();
    searches();
    return 0;
}
