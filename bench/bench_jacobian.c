// What Jacobians cost beside a step: the arm of docs/guide.md, ten discs and two times three tendons, that is pulled to and
// fro at 1 kHz. The same motion several times: of each step the least, so that a busy machine counts little, and of
// those the mean, since steps need more or fewer corrections.
#include <string.h>

#include "bench.h"

enum { N_STEPS = 1000, PASSES = 9, INPUTS = 6, QUESTIONS = 4 };
#define PERIOD 1e-3  // s

static const double length = 0.4;

static void add_tendon(td_robot *robot, const char *name, double x, double y, double to) {
    td_error err = {0};
    td_tendon_def tendon = td_default_tendon_def();
    const td_input_def input = {.name = name};
    tendon.name = name, tendon.to = to;
    tendon.offset[0] = tendon.offset_end[0] = x;
    tendon.offset[1] = tendon.offset_end[1] = y;
    tendon.value = (td_number){1.0, 1.0, td_robot_add_input(robot, &input, &err)};
    bench_need(td_robot_add_tendon(robot, &tendon, &err) >= 0, err.message);
}

static td_robot *guide_arm(void) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = length, piece.youngs_modulus = 60e9, piece.density = 6450.0;
    piece.shear_modulus = 60e9 / 2.66, piece.damping_time = 10e-3;
    piece.section.radius = piece.section_end.radius = 0.7e-3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "arm", rod.pieces = &piece, rod.n_pieces = 1;
    td_robot *robot = td_robot_create();
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0, err.message);
    for (int i = 1; i <= 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "disc%d", i);
        td_body_def disc = td_default_body_def();
        disc.name = name, disc.rod = 0, disc.at = i * length / 10.0, disc.mass = 1e-3;
        bench_need(td_robot_add_body(robot, &disc, &err) >= 0, err.message);
    }
    static const char *const names[INPUTS] = {"a1", "a2", "a3", "b1", "b2", "b3"};
    for (int i = 0; i < INPUTS; i++) {
        const double angle = 2.0 * 3.14159265358979 * (i % 3) / 3.0, r = i < 3 ? 8e-3 : -8e-3;
        add_tendon(robot, names[i], r * cos(angle), r * sin(angle), i < 3 ? 0.5 * length : length);
    }
    return robot;
}

typedef struct question {
    const char *name;
    td_jacobian_part part;
} question;

static const int three[3] = {0, 1, 2};
static const question questions[QUESTIONS] = {
    {"tip", {.body = -1, .s = 0.4}},
    {"tip_position", {.body = -1, .s = 0.4, .position_only = true}},
    {"tip_three_inputs", {.body = -1, .s = 0.4, .inputs = three, .n_inputs = 3}},
    {"middle", {.body = -1, .s = 0.47 * 0.4}}};

typedef struct costs {  // s, of one step and what is asked after it
    double step, asked[QUESTIONS];
} costs;

static void pass(const td_system *system, costs *c) {
    td_state *state = td_state_create(system);
    bench_need(state && td_begin(system, state) >= 0, "no equilibrium");
    for (int i = 0; i < N_STEPS; i++) {
        double J[6 * INPUTS];
        td_set_input(system, state, 0, 3.0 + 2.0 * sin(2e-3 * i));
        double from = bench_seconds();
        bench_need(td_step(system, state, PERIOD) >= 0, td_message(state));
        c[i].step = fmin(c[i].step, bench_seconds() - from);
        for (int q = 0; q < QUESTIONS; q++) {
            from = bench_seconds();
            bench_need(td_get_jacobian_part(system, state, &questions[q].part, J) >= 0,
                       td_message(state));
            c[i].asked[q] = fmin(c[i].asked[q], bench_seconds() - from);
        }
    }
    td_state_destroy(state);
}

int main(void) {
    static const struct {
        const char *name;
        td_scheme scheme;
    } schemes[] = {{"bdf2", TD_BDF2}, {"sdirk2", TD_SDIRK2}};
    static costs c[N_STEPS];
    td_error err = {0};
    td_robot *robot = guide_arm();
    printf("scheme,question,step_us,jacobian_us,steps\n");
    for (int k = 0; k < 2; k++) {
        td_options o = td_default_options();
        o.space = TD_COLLOCATION, o.scheme = schemes[k].scheme;
        td_system *system = td_system_create(robot, &o, &err);
        bench_need(system, err.message);
        for (int i = 0; i < N_STEPS; i++) {
            c[i].step = HUGE_VAL;
            for (int q = 0; q < QUESTIONS; q++) c[i].asked[q] = HUGE_VAL;
        }
        for (int i = 0; i < PASSES; i++) pass(system, c);
        costs mean = {0};
        for (int i = 0; i < N_STEPS; i++) {
            mean.step += c[i].step / N_STEPS;
            for (int q = 0; q < QUESTIONS; q++) mean.asked[q] += c[i].asked[q] / N_STEPS;
        }
        for (int q = 0; q < QUESTIONS; q++)
            printf("%s,%s,%.1f,%.1f,%.2f\n", schemes[k].name, questions[q].name, 1e6 * mean.step,
                   1e6 * mean.asked[q], mean.asked[q] / mean.step);
        td_system_destroy(system);
    }
    td_robot_destroy(robot);
    return 0;
}
