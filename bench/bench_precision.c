// Error against cost of both spatial schemes on three rods, as CSV for precision.gp. The error is the
// largest distance of the tip to that of a converged solution at the same time step, over the
// length; the cost is that of a step.
#include "bench.h"

enum { MOST_STEPS = 250, ROUNDS = 5, RUN = 60 };

typedef struct test_rod {
    const char *name;
    td_robot *robot;
    double dt;      // s
    int n;          // steps
    double *truth;  // (n x 3)
} test_rod;

// ---------------------------------------------------------------- the rods
// Rubber in water, clamped level; its tip is held aside and up, then let go.
static td_robot *rubber_robot(void) {
    static const double force[3] = {0.02, 0.03, 0.0}, moment[3] = {0.0, 0.0, 0.0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.25;
    piece.youngs_modulus = 2e6, piece.shear_modulus = 2e6 / 3.0, piece.density = 1100.0;
    piece.section.radius = piece.section_end.radius = 6e-3;
    piece.damping_time = 5e-3;
    piece.drag[0] = piece.drag[1] = 6.0;  // C_d rho d/2 with C_d = 1
    piece.drag[2] = 0.1;
    return bench_robot(&piece, force, moment, 9.81);
}

// A hook of Nitinol that gets thinner towards the tip, which carries a weight; it is bent and
// twisted, then let go.
static td_robot *hook_robot(void) {
    static const double force[3] = {0.1, 0.2, 0.0}, moment[3] = {0.0, 0.0, 0.01};
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.3;
    piece.youngs_modulus = 60e9, piece.shear_modulus = 23e9, piece.density = 6500.0;
    piece.section.radius = 1e-3, piece.section_end.radius = 0.6e-3;
    piece.rest_curvature[0] = 1.0, piece.rest_curvature[1] = 5.0, piece.rest_curvature[2] = 2.0;
    td_robot *robot = bench_robot(&piece, force, moment, 9.81);
    td_load_def weight = td_default_load_def();
    weight.name = "weight", weight.from = piece.length;
    weight.force[0] = td_constant(-0.1);
    bench_need(td_robot_add_load(robot, &weight, &err) >= 0, err.message);
    return robot;
}

// ---------------------------------------------------------------- the methods
typedef struct method {
    const char *name;
    td_space space;
    td_integrator integrator;
    int sizes[12];  // nodes or steps, 0 at the end
} method;

static const method methods[] = {
    {"collocation", TD_COLLOCATION, TD_RK4, {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16}},
    {"shooting RK4", TD_SHOOTING, TD_RK4, {4, 6, 10, 15, 25, 40, 65, 100, 150, 250, 400}},
    {"shooting Euler", TD_SHOOTING, TD_EULER, {10, 20, 40, 80, 160, 320, 640, 1280}},
};
enum { METHODS = sizeof methods / sizeof methods[0], SIZES = 12 };

static td_options options_of(const method *m, int size) {
    td_options o = td_default_options();
    o.space = m->space;
    o.integrator = m->integrator;
    if (m->space == TD_COLLOCATION) o.nodes = size;
    else o.steps = size;
    return o;
}

// A converged solution; and, as a check of it, how far the other scheme's best is from it.
static void find_truth(test_rod *rod) {
    td_options o = options_of(&methods[0], 28);
    o.tolerance = 1e-12;
    rod->truth = malloc(sizeof(double) * 3 * (size_t)rod->n);
    bench_need(rod->truth != NULL, "out of memory");
    subject s = bench_open(rod->robot, &o);
    bench_need(bench_tips(&s, rod->dt, rod->n, rod->truth), td_message(s.state));
    bench_close(&s);
}

typedef struct point {
    const method *method;
    int size;
    subject subject;
    double error;
    cost best;
} point;

static void measure(const test_rod *rod, point *points, int n) {
    double tips[3 * MOST_STEPS];
    for (int i = 0; i < n; i++) {
        point *p = &points[i];
        td_options o = options_of(p->method, p->size);
        p->subject = bench_open(rod->robot, &o);
        p->best.seconds = HUGE_VAL;
        bool ok = bench_tips(&p->subject, rod->dt, rod->n, tips);
        p->error = ok ? bench_distance(rod->n, tips, rod->truth) : HUGE_VAL;
        p->error /= td_rod_length(p->subject.system, 0);
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < n; i++)
            if (points[i].error < HUGE_VAL)
                bench_keep_least(&points[i].best, bench_run(&points[i].subject, rod->dt, RUN));
}

static void print_rod(const test_rod *rod) {
    point points[METHODS * SIZES];
    int n = 0;
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < SIZES && methods[m].sizes[i] > 0; i++)
            points[n++] = (point){.method = &methods[m], .size = methods[m].sizes[i]};
    measure(rod, points, n);
    for (int i = 0; i < n; i++) {
        const point *p = &points[i];
        if (p->error < HUGE_VAL)
            printf("%s,%s,%d,%.3e,%.2f\n", rod->name, p->method->name, p->size, p->error,
                   1e6 * p->best.seconds);
        bench_close(&points[i].subject);
    }
}

int main(void) {
    test_rod rods[] = {
        {.name = "steel", .robot = bench_cantilever(false), .dt = 5e-3, .n = 100},
        {.name = "rubber", .robot = rubber_robot(), .dt = 5e-3, .n = 200},
        {.name = "hook", .robot = hook_robot(), .dt = 4e-3, .n = 100},
    };
    printf("rod,scheme,nodes_or_steps,error,us_per_step\n");
    for (int i = 0; i < 3; i++) {
        find_truth(&rods[i]);
        print_rod(&rods[i]);
        free(rods[i].truth);
        td_robot_destroy(rods[i].robot);
    }
    return 0;
}
