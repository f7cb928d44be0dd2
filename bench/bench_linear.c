// What derivatives of motion cost, in steps: an arm with four tendons about a bent equilibrium, linearised
// with the pose of its tip as output; 20 of its modes; the derivative of a step there; one frequency; and the
// derivative of each step of a motion, without outputs and with that pose, the step itself included. Then what the
// gradient of a run by all its inputs costs, in runs. Last, all modes and the first ten of damped rods in many elements.
#include <string.h>

#include "bench.h"
#include "tendril/gradient.h"

enum { ROUNDS = 5, STEPS = 200, TIMES = 10 };
#define STEP 2e-3  // s

static td_robot *four_tendon_arm(void) {
    static const char *const names[] = {"east", "north", "west", "south"};
    td_error err = {0};
    td_piece_def piece = bench_steel();
    piece.length = 0.24, piece.section.radius = piece.section_end.radius = 0.4e-3;
    piece.damping_time = 2e-3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "backbone", rod.pieces = &piece, rod.n_pieces = 1;
    td_robot *robot = td_robot_create();
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0, err.message);
    for (int i = 0; i < 4; i++) {
        const td_input_def input = {.name = names[i]};
        td_tendon_def tendon = td_default_tendon_def();
        tendon.name = names[i], tendon.to = 0.24;
        tendon.offset[i % 2] = tendon.offset_end[i % 2] = i < 2 ? 9.5e-3 : -9.5e-3;
        tendon.value = (td_number){0.5, 1.0, td_robot_add_input(robot, &input, &err)};
        bench_need(td_robot_add_tendon(robot, &tendon, &err) >= 0, err.message);
    }
    return robot;
}

typedef struct costs {  // s each
    double step, linearise, modes, map, response, differentiate, with_tip;
} costs;

static double least(double a, double b) {
    return a > 0.0 && a < b ? a : b;
}

// A motion, each step with its derivative where there is an `l`: s for one.
static double run(const td_system *system, td_state *state, td_linearisation *l, int steps) {
    const double from = bench_seconds();
    for (int i = 0; i < steps; i++) {
        td_set_input(system, state, 0, 1.0 + 0.5 * sin(0.05 * i));
        bench_need(
            (l ? td_differentiate_step(system, state, STEP, l) : td_step(system, state, STEP)) >= 0,
            td_message(state));
    }
    return (bench_seconds() - from) / steps;
}

static void measure(const td_system *system, td_state *state, td_linearisation *l,
                    td_linearisation *plain, costs *c) {
    static double H[2 * 6 * 4];
    c->step = least(c->step, run(system, state, NULL, STEPS));
    c->differentiate = least(c->differentiate, run(system, state, plain, TIMES));
    c->with_tip = least(c->with_tip, run(system, state, l, TIMES));
    td_set_input(system, state, 0, 1.0);
    bench_need(td_solve_statics(system, state) >= 0, td_message(state));
    double *const to[] = {&c->linearise, &c->modes, &c->map, &c->response};
    for (int what = 0; what < 4; what++) {
        td_status status = TD_OK;
        const double from = bench_seconds();
        for (int i = 0; i < TIMES && status >= 0; i++)
            status = what == 0   ? td_linearise(system, state, l)
                     : what == 1 ? td_solve_modes(l, 20)
                     : what == 2 ? td_solve_step_map(l, STEP)
                                 : td_get_frequency_response(l, 10.0 + i, H);
        bench_need(status >= 0, td_status_name(status));
        *to[what] = least(*to[what], (bench_seconds() - from) / TIMES);
    }
}

enum { RUN = 1000 };
typedef struct run_costs {
    double run, adjoint;  // s
    size_t bytes;
} run_costs;

// The gradient of a cost of the tip at the end, or of all the way.
static run_costs measure_run(const td_system *system, td_state *state, const td_output *tip,
                             bool all_the_way) {
    static double u[RUN * 4], w[RUN * 6], by_u[RUN * 4];
    td_error err = {0};
    td_gradient_options o = td_default_gradient_options();
    o.outputs = tip, o.n_outputs = 1, o.n_steps = RUN;
    td_gradient *g = td_gradient_create(system, &o, &err);
    bench_need(g, err.message);
    for (int k = 0; k < RUN; k++) {
        for (int i = 0; i < 4; i++) u[4 * k + i] = i == 0 ? 1.0 + 0.5 * sin(0.05 * k) : 0.5;
        for (int j = 0; j < 6; j++) w[6 * k + j] = all_the_way || k == RUN - 1 ? 1.0 : 0.0;
    }
    const td_gradient_result r = {.by_inputs = by_u};
    run_costs out = {.bytes = td_gradient_bytes(g)};
    double from = bench_seconds();
    bench_need(td_gradient_run(g, state, STEP, u, NULL, NULL) >= 0, td_gradient_message(g));
    out.run = bench_seconds() - from;
    from = bench_seconds();
    bench_need(td_gradient_adjoint(g, w, &r) >= 0, td_gradient_message(g));
    out.adjoint = bench_seconds() - from;
    td_gradient_destroy(g);
    return out;
}

// Seconds for n modes, 0: all, of a straight rod of steel in elements of 4 nodes, least of some.
static double modes_of_long_rod(int elements, int n, int rounds, int *coordinates) {
    td_error err = {0};
    td_piece_def piece = bench_steel();
    piece.damping_time = 1e-6;
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    td_robot *robot = td_robot_create();
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0, err.message);
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 4, o.elements = elements;
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system, err.message);
    td_state *state = td_state_create(system);
    td_linearisation *l = td_linearisation_create(system, NULL, 0, &err);
    bench_need(state && l && td_solve_statics(system, state) >= 0, "no equilibrium");
    bench_need(td_linearise(system, state, l) >= 0, td_message(state));
    double fastest = 0.0;
    for (int i = 0; i < rounds; i++) {
        const double from = bench_seconds();
        bench_need(td_solve_modes(l, n) >= 0, "no modes");
        fastest = least(fastest, bench_seconds() - from);
    }
    *coordinates = td_n_coordinates(system);
    td_linearisation_destroy(l);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return fastest;
}

static void print_long_rods(void) {
    static const int elements[] = {8, 10, 20, 40};
    printf("\nelements,coordinates,all_modes_ms,10_modes_ms\n");
    for (int i = 0; i < 4; i++) {
        int n = 0;
        const double all = modes_of_long_rod(elements[i], 0, elements[i] > 20 ? 1 : 3, &n);
        const double part = modes_of_long_rod(elements[i], 10, 3, &n);
        printf("%d,%d,%.1f,%.1f\n", elements[i], n, 1e3 * all, 1e3 * part);
    }
}

enum { MOST_MODELS = 16 };

// What docs/gradients.md shows.
typedef struct gradient_costs {
    char model[32];
    int coordinates;
    run_costs last, way;
} gradient_costs;

static void print_gradients(int n, const gradient_costs *c) {
    printf("\ngradient_of,coordinates,cost_of_the_end_alone,cost_of_all_the_way,memory_MB\n");
    for (int i = 0; i < n; i++)
        printf("%s,%d,%.0f,%.0f,%.1f\n", c[i].model, c[i].coordinates,
               c[i].last.adjoint / c[i].last.run, c[i].way.adjoint / c[i].way.run,
               1e-6 * (double)c[i].way.bytes);
}

int main(void) {
    td_error err = {0};
    gradient_costs gradients[MOST_MODELS] = {0};
    bench_need(td_n_models() <= MOST_MODELS, "more models than places");
    printf("model,coordinates,step_us,linearise_steps,modes_steps,step_map_steps,response_steps,"
           "differentiate_steps,with_tip_steps\n");
    for (int model = 0; model < td_n_models(); model++) {
        td_robot *robot = four_tendon_arm();
        td_options o = td_default_options();
        o.space = TD_COLLOCATION, o.nodes = 8, o.scheme = TD_SDIRK2;
        snprintf(o.model, sizeof o.model, "%s", td_model_name(model));
        td_system *system = td_system_create(robot, &o, &err);
        bench_need(system, err.message);
        td_state *state = td_state_create(system);
        const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.24};
        td_linearisation *l = td_linearisation_create(system, &tip, 1, &err);
        bench_need(state && l && td_solve_statics(system, state) >= 0, "no equilibrium");
        td_linearisation *plain = td_linearisation_create(system, NULL, 0, &err);
        costs c = {0};
        for (int i = 0; i < ROUNDS; i++) measure(system, state, l, plain, &c);
        printf("%s,%d,%.2f,%.0f,%.0f,%.0f,%.1f,%.1f,%.1f\n", o.model, td_n_coordinates(system),
               1e6 * c.step, c.linearise / c.step, c.modes / c.step, c.map / c.step,
               c.response / c.step, c.differentiate / c.step, c.with_tip / c.step);
        gradient_costs *g = &gradients[model];
        snprintf(g->model, sizeof g->model, "%s", o.model);
        g->coordinates = td_n_coordinates(system);
        g->last = measure_run(system, state, &tip, false);
        g->way = measure_run(system, state, &tip, true);
        td_linearisation_destroy(plain);
        td_linearisation_destroy(l);
        td_state_destroy(state);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
    print_gradients(td_n_models(), gradients);
    print_long_rods();
    return 0;
}
