// Cost of rods by collocation: of a time step against nodes, theory and tolerance; of a static
// solve; of an element in a rod of many; of the memory. With the argument planar, space or statics: only
// a short run of that, for a profiler (valgrind --tool=callgrind --toggle-collect=td_step).
#include <string.h>

#include "bench.h"
#include "model/cosserat/scheme.h"
#include "model/model.h"

static td_options collocation(int theory, int nodes, double tolerance) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = (td_theory)theory;
    o.nodes = nodes;
    o.tolerance = tolerance;
    return o;
}

// ---------------------------------------------------------------- time steps
typedef struct step_case {
    const char *motion;
    subject subject;
    double dt;
    int n;  // steps
    cost best;
} step_case;

static void print_steps(const step_case *c) {
    const td_options *o = td_system_options(c->subject.system);
    printf("%s,%s,%d,%.0e,%g,%.2f,%.2f,%.4f,%.1f,%.1f\n", c->motion, bench_theories[o->theory],
           o->nodes, o->tolerance, 1e3 * c->dt, 1e6 * c->best.seconds, c->best.iterations,
           c->best.jacobians, (double)td_state_bytes(c->subject.system) / 1024.0,
           (double)td_snapshot_bytes(c->subject.system) / 1024.0);
}

// Releases of 2 s, BDF-alpha -0.2: as in Till 2019 section 3, and in space.
static void cost_of_a_step(void) {
    static const int nodes[] = {4, 6, 8, 12};
    static const double steps[] = {5e-3, 1e-3}, tolerances[] = {1e-8, 1e-10};
    enum { CASES = 2 * 2 * 4 * 2 * 2, ROUNDS = 6 };
    step_case cases[CASES];
    td_robot *robots[2] = {bench_cantilever(false), bench_cantilever(true)};
    for (int i = 0; i < CASES; i++) {
        step_case *c = &cases[i];
        td_options o = collocation(1 - i / 16 % 2, nodes[i / 4 % 4], tolerances[i / 2 % 2]);
        *c = (step_case){.motion = i / 32 ? "space" : "planar", .dt = steps[i % 2]};
        c->subject = bench_open(robots[i / 32], &o);
        c->n = (int)lround(2.0 / c->dt);
        c->best.seconds = HUGE_VAL;
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CASES; i++)
            bench_keep_least(&cases[i].best, bench_run(&cases[i].subject, cases[i].dt, cases[i].n));
    printf("motion,theory,nodes,tolerance,ms,us_per_step,iterations,jacobians,kilobytes,"
           "kilobytes_saved\n");
    for (int i = 0; i < CASES; i++) {
        print_steps(&cases[i]);
        bench_close(&cases[i].subject);
    }
    td_robot_destroy(robots[0]);
    td_robot_destroy(robots[1]);
}

// ---------------------------------------------------------------- statics
// Orekhov & Simaan 2020, section VII: Nitinol, 0.2 m, radius 1 mm; all 729 combinations of tip forces
// of -1, 0, 1 N and moments of -0.5, 0, 0.5 N m, half of each from straight, then all of it.
enum { WRENCHES = 729 };

static td_robot *wrench_robot(void) {
    static const char *const names[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = bench_steel();
    piece.length = 0.2;
    piece.youngs_modulus = 70e9, piece.shear_modulus = 70e9 / 2.6;
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = &piece, def.n_pieces = 1;
    td_load_def load = td_default_load_def();
    load.name = "tip", load.from = piece.length;
    for (int i = 0; i < 6; i++) {
        td_input_def input = {.name = names[i]};
        bench_need(robot && td_robot_add_input(robot, &input, &err) == i, err.message);
        (i < 3 ? load.force : load.moment)[i % 3] = (td_number){0.0, 1.0, i};
    }
    td_number none[3] = {td_constant(0.0), td_constant(0.0), td_constant(0.0)};
    bool ok = td_robot_add_rod(robot, &def, &err) >= 0 &&
              td_robot_add_load(robot, &load, &err) >= 0 &&
              td_robot_set_gravity(robot, none, &err) >= 0;
    bench_need(ok, err.message);
    return robot;
}

static void set_wrench(const subject *s, int index, double part) {
    for (int i = 0; i < 6; i++, index /= 3)
        td_set_input(s->system, s->state, i, part * (index % 3 - 1) * (i < 3 ? 1.0 : 0.5));
}

// All cases once, per solve.
static cost solve_all(const subject *s) {
    cost sum = {0};
    double start = bench_seconds();
    for (int i = 0; i < WRENCHES; i++) {
        td_state_reset(s->system, s->state);
        for (int part = 1; part <= 2; part++) {
            set_wrench(s, i, 0.5 * part);
            td_status status = td_solve_statics(s->system, s->state);
            bench_need(status >= 0, td_message(s->state));
            const td_stats *stats = td_get_stats(s->state);
            sum.iterations += stats->iterations;
            sum.evaluations += stats->evaluations;
            sum.jacobians += stats->jacobians;
        }
    }
    const double n = 2.0 * WRENCHES;
    sum.seconds = bench_seconds() - start;
    return (cost){sum.seconds / n, sum.iterations / n, sum.evaluations / n, sum.jacobians / n};
}

static void cost_of_statics(void) {
    static const double tolerances[] = {1e-6, 1e-10};
    enum { CASES = 2 * 2, ROUNDS = 9 };
    td_robot *robot = wrench_robot();
    subject subjects[CASES];
    cost best[CASES];
    for (int i = 0; i < CASES; i++) {
        td_options o = collocation(1 - i / 2, 5, tolerances[i % 2]);
        subjects[i] = bench_open(robot, &o);
        best[i].seconds = HUGE_VAL;
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CASES; i++) bench_keep_least(&best[i], solve_all(&subjects[i]));
    printf("\ntheory,nodes,tolerance,us_per_static_solve,iterations,evaluations,jacobians\n");
    for (int i = 0; i < CASES; i++) {
        printf("%s,5,%.0e,%.2f,%.2f,%.2f,%.2f\n", bench_theories[1 - i / 2], tolerances[i % 2],
               1e6 * best[i].seconds, best[i].iterations, best[i].evaluations, best[i].jacobians);
        bench_close(&subjects[i]);
    }
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- elements
// The cantilever cut by loads of nothing. A rod of so many nodes is more than options allow, so it is
// compiled and stepped through the model itself.
typedef struct cut_rod {
    const td_model *model;
    void *compiled, *memory;
    void *keep, *work;
    td_options options;
    double input, rate, before, scratch[2];
    int n_elements, n_nodes;
    cost step, solve;
} cut_rod;

static td_robot *cut_robot(int n_elements) {
    td_error err = {0};
    td_robot *robot = bench_cantilever(false);
    for (int i = 1; i < n_elements; i++) {
        td_load_def cut = td_default_load_def();
        cut.from = BENCH_LENGTH * i / n_elements;
        char name[16];
        snprintf(name, sizeof name, "cut%d", i);
        cut.name = name;
        bench_need(td_robot_add_load(robot, &cut, &err) >= 0, err.message);
    }
    return robot;
}

static cut_rod open_cut(int theory, int n_elements) {
    td_error err = {0};
    td_robot *robot = cut_robot(n_elements);
    // the scheme gives an element that is 1/k of the rod nodes/k + 2 nodes, rounded up: 5
    td_options o = collocation(theory, n_elements > 1 ? 3 * n_elements - 1 : 5, 1e-8);
    cut_rod cut = {.model = model_find("cosserat"), .options = o, .n_elements = n_elements};
    cut.compiled = cut.model->compile(robot, NULL, &o, &err);
    bench_need(cut.compiled != NULL, err.message);
    td_robot_destroy(robot);
    arena keep = {0}, work = {0};
    cut.model->layout(cut.compiled, &keep, &work);
    keep = (arena){.base = cut.keep = aligned_alloc(64, (keep.used + 127) & ~(size_t)63)};
    work = (arena){.base = cut.work = aligned_alloc(64, (work.used + 127) & ~(size_t)63)};
    bench_need(keep.base && work.base, "out of memory");
    cut.memory = cut.model->layout(cut.compiled, &keep, &work);
    cut.n_nodes = ((cosserat *)cut.compiled)->rods[0].n_nodes;
    cut.step.seconds = cut.solve.seconds = HUGE_VAL;
    return cut;
}

static void close_cut(cut_rod *cut) {
    cut->model->release(cut->compiled);
    free(cut->keep);
    free(cut->work);
}

static model_call call_of(cut_rod *cut, td_stats *stats, char *message) {
    return (model_call){.inputs = &cut->input,
                        .rates = &cut->rate,
                        .inputs_before = &cut->before,
                        .rates_before = &cut->rate,
                        .scratch = cut->scratch,
                        .n_inputs = 1,
                        .options = &cut->options,
                        .stats = stats,
                        .message = message};
}

// A release of n steps of 5 ms, with factors that are kept; before it, n static solves, with new
// ones each.
static void run_cut(cut_rod *cut, int n) {
    td_stats stats = {0};
    char message[MODEL_MESSAGE_SIZE] = "";
    model_call call = call_of(cut, &stats, message);
    cut->input = cut->before = 1.0, cut->rate = 0.0;
    double start = bench_seconds();
    for (int i = 0; i < n; i++) {
        cut->model->reset(cut->compiled, cut->memory, &call);
        stats = (td_stats){0};
        const solve_part part = cut->model->part(cut->compiled, cut->memory, 0);
        bench_need(solve_statics(&part, &call) >= 0, message);
    }
    cost solve = {(bench_seconds() - start) / n, stats.iterations, stats.evaluations,
                  stats.jacobians};
    bench_keep_least(&cut->solve, solve);

    cut->input = cut->before = 0.0;
    stats = (td_stats){0};
    start = bench_seconds();
    for (int i = 0; i < n; i++)
        bench_need(cut->model->step(cut->compiled, cut->memory, &call, 5e-3, i == 0) >= 0, message);
    cost step = {(bench_seconds() - start) / n, (double)stats.iterations / n,
                 (double)stats.evaluations / n, (double)stats.jacobians / n};
    bench_keep_least(&cut->step, step);
}

static void print_cut(const cut_rod *cut, const char *theory) {
    const double each = 1e6 / cut->n_elements;
    printf("%s,%d,%d,%.1f,%.2f,%.3f,%.2f,%.3f,%.3f\n", theory, cut->n_elements, cut->n_nodes,
           1e6 * cut->step.seconds, cut->step.iterations, cut->step.jacobians,
           each * cut->step.seconds, each * cut->step.seconds / cut->step.evaluations,
           each * cut->solve.seconds);
}

static void cost_of_an_element(void) {
    enum { SIZES = 7, CASES = 2 * SIZES, ROUNDS = 9, RUN = 40 };
    cut_rod rods[CASES];
    for (int i = 0; i < CASES; i++) rods[i] = open_cut(1 - i / SIZES, 1 << i % SIZES);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CASES; i++) run_cut(&rods[i], RUN);
    printf("\ntheory,elements,nodes,us_per_step,iterations,jacobians,us_per_element_step,"
           "us_per_element_evaluation,us_per_element_static_solve\n");
    for (int i = 0; i < CASES; i++) {
        print_cut(&rods[i], bench_theories[1 - i / SIZES]);
        close_cut(&rods[i]);
    }
}

// ---------------------------------------------------------------- for a profiler
// One release of 400 steps of 5 ms, Kirchhoff, six nodes.
static int profile_steps(bool in_space) {
    td_robot *robot = bench_cantilever(in_space);
    td_options o = collocation(TD_KIRCHHOFF, 6, 1e-8);
    subject s = bench_open(robot, &o);
    cost c = bench_run(&s, 5e-3, 400);
    printf("%.2f us, %.3f iterations, %.3f matrices a step\n", 1e6 * c.seconds, c.iterations,
           c.jacobians);
    bench_close(&s);
    td_robot_destroy(robot);
    return 0;
}

static int profile_statics(void) {
    td_robot *robot = wrench_robot();
    td_options o = collocation(TD_KIRCHHOFF, 5, 1e-10);
    subject s = bench_open(robot, &o);
    cost c = solve_all(&s);
    printf("%.2f us, %.2f iterations, %.2f matrices a solve\n", 1e6 * c.seconds, c.iterations,
           c.jacobians);
    bench_close(&s);
    td_robot_destroy(robot);
    return 0;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "";
    if (!strcmp(only, "planar")) return profile_steps(false);
    if (!strcmp(only, "space")) return profile_steps(true);
    if (!strcmp(only, "statics")) return profile_statics();
    cost_of_a_step();
    cost_of_statics();
    cost_of_an_element();
    return 0;
}
