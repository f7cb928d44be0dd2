// Cost of studies: five numbers of the two-segment arm from 3.2 s of its motion, and searches over the examples.
#include <string.h>

#include "bench.h"
#include "study/experiment.h"
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
    searches();
    return 0;
}
