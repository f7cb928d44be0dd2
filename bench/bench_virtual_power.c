// Cost of the model virtual_power: an acceleration against the number of discs, and steps of the
// eight-disc robot of Rone & Ben-Tzvi 2014, with contact forces and with the virtual work of
// tension, pulled at once or within 0.2 s.
// With an argument (accelerations, steps): only that, for a profiler.
#include <string.h>

#include "bench.h"

enum { RODS = 6 };
#define LENGTH 0.24

// ---------------------------------------------------------------- the robot
static void add_wire(td_robot *robot, int j, double friction) {
    static const char *const names[RODS] = {"r11", "r12", "r13", "r21", "r22", "r23"};
    const double angle = 2.0943951023932 * (j % 3) + 1.0471975511966 * (j / 3);
    td_error err = {0};
    td_input_def input = {.name = names[j]};
    td_tendon_def t = td_default_tendon_def();
    t.name = names[j], t.to = j < 3 ? 0.5 * LENGTH : LENGTH;
    t.offset[0] = t.offset_end[0] = 12.5e-3 * cos(angle);
    t.offset[1] = t.offset_end[1] = 12.5e-3 * sin(angle);
    t.pushes = true, t.friction = friction;
    t.bending = 0.01205931, t.torsion = 0.00927639, t.mass_per_length = 6.66847e-3;
    t.value = (td_number){.gain = 1.0, .input = td_robot_add_input(robot, &input, &err)};
    bench_need(t.value.input >= 0 && td_robot_add_tendon(robot, &t, &err) >= 0, err.message);
}

static void add_disc(td_robot *robot, int i, int n) {
    td_error err = {0};
    char name[16];
    snprintf(name, sizeof name, "disc%d", i + 1);
    td_body_def disc = td_default_body_def();
    disc.name = name, disc.rod = 0, disc.at = LENGTH * (i + 1) / n;
    disc.mass = 1.469e-3;
    disc.inertia[0] = disc.inertia[1] = 8.312e-8, disc.inertia[2] = 1.653e-7;
    bench_need(td_robot_add_body(robot, &disc, &err) >= 0, err.message);
}

static td_robot *rod_driven(int discs, double friction) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def core = td_default_piece_def();
    core.length = LENGTH;
    core.youngs_modulus = 210e9, core.shear_modulus = 210e9 / 2.6, core.density = 7850.0;
    core.section.radius = core.section_end.radius = 0.52e-3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "core", rod.pieces = &core, rod.n_pieces = 1;
    const td_number down[3] = {td_constant(-9.81), td_constant(0.0), td_constant(0.0)};
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0 &&
                   td_robot_set_gravity(robot, down, &err) >= 0,
               err.message);
    for (int i = 0; i < discs; i++) add_disc(robot, i, discs);
    for (int j = 0; j < RODS; j++) add_wire(robot, j, friction);
    return robot;
}

static td_options options_of(bool ideal, bool torsion) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.contact = ideal ? TD_CONTACT_IDEAL : TD_CONTACT_LEAST_SQUARES;
    o.virtual_power.torsion = torsion;
    return o;
}

// From rest without tension, all six rods are pulled: at once, or within `ramp` seconds.
static void pull(const subject *s, double share) {
    static const double tension[RODS] = {6.0, 2.0, 1.0, 3.0, 5.0, 1.0};
    for (int j = 0; j < RODS; j++)
        td_set_input(s->system, s->state, j, fmin(1.0, share) * tension[j]);
}

// n steps of dt; seconds and evaluations are those of one step.
static cost run(const subject *s, double dt, int n, double ramp) {
    cost c = {0};
    td_state_reset(s->system, s->state);
    bench_need(td_solve_statics(s->system, s->state) >= 0, td_message(s->state));
    double start = bench_seconds();
    for (int i = 1; i <= n; i++) {
        pull(s, ramp > 0.0 ? i * dt / ramp : 1.0);
        bench_need(td_step(s->system, s->state, dt) >= 0, td_message(s->state));
        c.evaluations += td_get_stats(s->state)->evaluations;
    }
    return (cost){.seconds = (bench_seconds() - start) / n, .evaluations = c.evaluations / n};
}

// ---------------------------------------------------------------- accelerations
typedef struct kind {
    const char *name;
    bool ideal, torsion;
    double friction;
} kind;

static const kind kinds[] = {
    {"contact_with_friction", false, false, 0.3}, {"contact", false, false, 0.0},
    {"contact_and_torsion", false, true, 0.0},    {"ideal", true, false, 0.0},
    {"ideal_and_torsion", true, true, 0.0},
};
static const int numbers[] = {4, 8, 16, 32};
enum { KINDS = sizeof kinds / sizeof kinds[0], NUMBERS = sizeof numbers / sizeof numbers[0] };

// Forces, mass matrix and its solution: one evaluation of the explicit integrator.
static void accelerations(int rounds) {
    double best[KINDS][NUMBERS];
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < NUMBERS; i++) best[k][i] = HUGE_VAL;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < NUMBERS; i++) {
                td_options o = options_of(kinds[k].ideal, kinds[k].torsion);
                o.integration.method = TD_STEPS_EXPLICIT;
                td_robot *robot = rod_driven(numbers[i], kinds[k].friction);
                subject s = bench_open(robot, &o);
                cost c = run(&s, 2e-4, 16 / (i + 1), 0.0);
                best[k][i] = fmin(best[k][i], c.seconds / c.evaluations);
                bench_close(&s);
                td_robot_destroy(robot);
            }
    printf("actuation,us_per_acceleration:4_discs,8,16,32,growth_4_to_8,8_to_16,16_to_32\n");
    for (int k = 0; k < KINDS; k++) {
        printf("%s", kinds[k].name);
        for (int i = 0; i < NUMBERS; i++) printf(",%.2f", 1e6 * best[k][i]);
        for (int i = 1; i < NUMBERS; i++) printf(",%.2f", log2(best[k][i] / best[k][i - 1]));
        printf("\n");
    }
}

// ---------------------------------------------------------------- eight discs in real time
static void print_steps(const subject *s, const kind *k, double ramp, int rounds) {
    static const double dt[] = {1e-3, 2e-3, 5e-3};
    for (int i = 0; i < 3; i++) {
        cost best = {.seconds = HUGE_VAL};
        for (int round = 0; round < rounds; round++)
            bench_keep_least(&best, run(s, dt[i], (int)lround(0.3 / dt[i]), ramp));
        printf("%s,8,%s,%g,%.1f,%.1f,%.1f\n", k->name, ramp > 0.0 ? "ramp" : "jump", 1e3 * dt[i],
               1e6 * best.seconds, best.evaluations, dt[i] / best.seconds);
    }
}

static void steps(int rounds) {
    printf("\nactuation,discs,pulled,ms,us_per_step,evaluations,times_real_time\n");
    for (int k = 0; k < KINDS; k++) {
        td_options o = options_of(kinds[k].ideal, kinds[k].torsion);
        td_robot *robot = rod_driven(8, kinds[k].friction);
        subject s = bench_open(robot, &o);
        print_steps(&s, &kinds[k], 0.0, rounds);
        print_steps(&s, &kinds[k], 0.2, rounds);
        bench_close(&s);
        td_robot_destroy(robot);
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    const int rounds = only ? 2 : 3;
    if (!only || strcmp(only, "accelerations") == 0) accelerations(rounds);
    if (!only || strcmp(only, "steps") == 0) steps(rounds);
    return 0;
}
