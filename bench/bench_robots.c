// Cost of whole robots: statics of a two-segment arm with six tendons, from rest and from the last
// answer; statics, steps and inverse statics of a platform on six legs; statics of a plate on up to 96;
// steps of a tendon arm, of one with 15 discs and nine tendons with and without friction, and of a
// fluidic finger. With an argument (arm, platform, legs, steps): only that, for a profiler.
#include <string.h>

#include "bench.h"

static void need_index(int index, const td_error *err) {
    bench_need(index >= 0, err->message);
}

static td_number driven(td_robot *robot, const char *name) {
    td_error err = {0};
    td_input_def def = {.name = name};
    int input = td_robot_add_input(robot, &def, &err);
    need_index(input, &err);
    return (td_number){0.0, 1.0, input};
}

static double random_number(unsigned *seed) {  // in [0, 1)
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

static td_options options_of(int theory, int nodes, double tolerance) {
    td_options o = td_default_options();
    o.theory = (td_theory)theory;
    o.nodes = nodes;
    o.tolerance = tolerance;
    return o;
}

// ---------------------------------------------------------------- two segments, six tendons
static td_robot *two_segments(void) {
    static const char *const names[] = {"a1", "a2", "a3", "b1", "b2", "b3"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 60e9, piece.shear_modulus = 60e9 / 2.66, piece.density = 6450.0;
    piece.section.radius = piece.section_end.radius = 0.7e-3;
    td_rod_def def = td_default_rod_def();
    def.name = "backbone", def.pieces = &piece, def.n_pieces = 1;
    need_index(td_robot_add_rod(robot, &def, &err), &err);
    for (int i = 0; i < 6; i++) {
        td_tendon_def t = td_default_tendon_def();
        double angle = 2.0 * 3.14159265358979 * (i % 3) / 3.0 + (i / 3) * 1.0471975511966;
        t.name = names[i], t.to = i < 3 ? 0.2 : 0.4;
        t.offset[0] = t.offset_end[0] = 8e-3 * cos(angle);
        t.offset[1] = t.offset_end[1] = 8e-3 * sin(angle);
        t.value = driven(robot, names[i]);
        need_index(td_robot_add_tendon(robot, &t, &err), &err);
    }
    return robot;
}

// One static solve, from rest or after a small change of the tensions; the mean over many.
static cost solve_arm(const subject *s, bool cold, int n) {
    unsigned seed = 7;
    double tension[6], seconds = 0.0;
    cost sum = {0};
    for (int i = 0; i < 6; i++) tension[i] = 4.0 * random_number(&seed);
    td_state_reset(s->system, s->state);
    for (int k = -1; k < n; k++) {
        for (int i = 0; i < 6; i++) {
            tension[i] = cold ? 4.0 * random_number(&seed)
                              : fmax(0.0, tension[i] + 0.1 * (random_number(&seed) - 0.5));
            td_set_input(s->system, s->state, i, tension[i]);
        }
        if (cold) {
            td_state_reset(s->system, s->state);
            for (int i = 0; i < 6; i++) td_set_input(s->system, s->state, i, tension[i]);
        }
        double start = bench_seconds();
        td_status status = td_solve_statics(s->system, s->state);
        bench_need(status >= 0, td_message(s->state));
        if (k < 0) continue;
        seconds += bench_seconds() - start;
        sum.iterations += td_get_stats(s->state)->iterations;
        sum.evaluations += td_get_stats(s->state)->evaluations;
        sum.jacobians += td_get_stats(s->state)->jacobians;
    }
    return (cost){seconds / n, sum.iterations / n, sum.evaluations / n, sum.jacobians / n};
}

static void arm(int rounds) {
    enum { CASES = 2 * 2 * 2 };
    td_robot *robot = two_segments();
    subject subjects[CASES];
    cost best[CASES];
    for (int i = 0; i < CASES; i++) {
        td_options o = options_of(1 - i / 4, i / 2 % 2 ? 8 : 5, 1e-8);
        subjects[i] = bench_open(robot, &o);
        best[i].seconds = HUGE_VAL;
    }
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < CASES; i++)
            bench_keep_least(&best[i], solve_arm(&subjects[i], i % 2, 300));
    printf("two_segments_six_tendons,theory,nodes,us_per_static_solve,iterations,evaluations,"
           "jacobians\n");
    for (int i = 0; i < CASES; i++) {
        printf("%s,%s,%d,%.1f,%.2f,%.2f,%.2f\n", i % 2 ? "cold" : "warm", bench_theories[1 - i / 4],
               i / 2 % 2 ? 8 : 5, 1e6 * best[i].seconds, best[i].iterations, best[i].evaluations,
               best[i].jacobians);
        bench_close(&subjects[i]);
    }
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- a platform on six legs
// Till 2019, section 5.1: steel, 1 mm; legs of 0.35 m and more; a plate of 92.1 g.
static td_robot *platform(void) {
    static const char *const names[] = {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.0921;
    plate.inertia[0] = plate.inertia[1] = 1.91e-4, plate.inertia[2] = 3.81e-4;
    plate.position[2] = 0.35;
    need_index(td_robot_add_body(robot, &plate, &err), &err);
    td_piece_def piece = bench_steel();
    piece.length = 0.35;
    const double pi = 3.14159265358979;
    for (int i = 0; i < 6; i++) {
        double side = i % 2 ? 1.0 : -1.0, third = 2.0 * pi * (i / 2) / 3.0;
        double at_base = third + side * pi / 18.0, at_plate = third + side * 5.0 * pi / 18.0;
        td_rod_def leg = td_default_rod_def();
        leg.name = names[i], leg.pieces = &piece, leg.n_pieces = 1;
        leg.base.position[0] = td_constant(0.087 * cos(at_base));
        leg.base.position[1] = td_constant(0.087 * sin(at_base));
        leg.tip = (td_tip_def){.held = true, .body = 0, .orientation = {1.0, 0.0, 0.0, 0.0}};
        leg.tip.position[0] = td_constant(0.087 * cos(at_plate));
        leg.tip.position[1] = td_constant(0.087 * sin(at_plate));
        leg.feed = driven(robot, names[i]);
        need_index(td_robot_add_rod(robot, &leg, &err), &err);
    }
    return robot;
}

// A plate on n legs around a circle, leaning in turn to both sides.
static td_robot *plate_on_legs(int n) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.0921;
    plate.inertia[0] = plate.inertia[1] = 1.91e-4, plate.inertia[2] = 3.81e-4;
    plate.position[2] = 0.35;
    need_index(td_robot_add_body(robot, &plate, &err), &err);
    const td_number share = driven(robot, "share");
    td_piece_def piece = bench_steel();
    piece.length = 0.36;
    for (int i = 0; i < n; i++) {
        const double at = 2.0 * 3.14159265358979 * i / n, lean = at + (i % 2 ? 0.6 : -0.6);
        char name[16];
        snprintf(name, sizeof name, "leg%d", i);
        td_rod_def leg = td_default_rod_def();
        leg.name = name, leg.pieces = &piece, leg.n_pieces = 1;
        leg.base.position[0] = td_constant(0.087 * cos(at));
        leg.base.position[1] = td_constant(0.087 * sin(at));
        leg.tip = (td_tip_def){.held = true, .body = 0, .orientation = {1.0, 0.0, 0.0, 0.0}};
        leg.tip.position[0] = td_constant(0.087 * cos(lean));
        leg.tip.position[1] = td_constant(0.087 * sin(lean));
        need_index(td_robot_add_rod(robot, &leg, &err), &err);
    }
    td_load_def push = td_default_load_def();
    push.name = "push", push.rod = -1, push.body = 0;
    push.force[0] = (td_number){0.0, 1.0, share.input};
    need_index(td_robot_add_load(robot, &push, &err), &err);
    return robot;
}

static void put_together(const subject *s) {
    td_state_reset(s->system, s->state);
    td_status status = td_solve_statics(s->system, s->state);
    bench_need(status >= 0, td_message(s->state));
}

// The plate on a circle of 2 cm radius in steps of 1 or 0.1 mm; inputs by inverse statics, or the
// statics of legs that move by as much.
static cost follow_circle(const subject *s, bool inverse, double stride, int n) {
    static const int legs[6] = {0, 1, 2, 3, 4, 5};
    cost sum = {0};
    double seconds = 0.0;
    put_together(s);
    td_target target = {.body = 0, .rod = -1, .pose = td_get_body(s->system, s->state, 0).pose};
    const double x0 = target.pose.p[0], y0 = target.pose.p[1];
    for (int k = 0; k < n; k++) {
        double angle = stride / 0.02 * k;
        target.pose.p[0] = x0 + 0.02 * sin(angle),
        target.pose.p[1] = y0 + 0.02 * (1.0 - cos(angle));
        for (int i = 0; i < 6 && !inverse; i++)
            td_set_input(s->system, s->state, i, 5e-3 * sin(angle + i));
        double start = bench_seconds();
        td_status status = inverse ? td_solve_inverse(s->system, s->state, &target, legs, 6)
                                   : td_solve_statics(s->system, s->state);
        seconds += bench_seconds() - start;
        bench_need(status >= 0, td_message(s->state));
        sum.iterations += td_get_stats(s->state)->iterations;
        sum.evaluations += td_get_stats(s->state)->evaluations;
        sum.jacobians += td_get_stats(s->state)->jacobians;
    }
    return (cost){seconds / n, sum.iterations / n, sum.evaluations / n, sum.jacobians / n};
}

static void platform_statics(int rounds) {
    static const double strides[] = {1e-3, 1e-4};
    enum { CASES = 2 * 2 * 2 };
    td_robot *robot = platform();
    subject subjects[CASES];
    cost best[CASES];
    for (int i = 0; i < CASES; i++) {
        td_options o = options_of(1 - i / 4, 6, 1e-8);
        subjects[i] = bench_open(robot, &o);
        best[i].seconds = HUGE_VAL;
    }
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < CASES; i++)
            bench_keep_least(&best[i], follow_circle(&subjects[i], i % 2, strides[i / 2 % 2], 300));
    printf("\nplatform,theory,mm_per_solve,us_per_solve,solves_per_second,iterations,evaluations,"
           "jacobians\n");
    for (int i = 0; i < CASES; i++) {
        printf("%s,%s,%g,%.1f,%.0f,%.2f,%.2f,%.2f\n", i % 2 ? "inverse" : "statics",
               bench_theories[1 - i / 4], 1e3 * strides[i / 2 % 2], 1e6 * best[i].seconds,
               1.0 / best[i].seconds, best[i].iterations, best[i].evaluations, best[i].jacobians);
        bench_close(&subjects[i]);
    }
    td_robot_destroy(robot);
}

// Warm statics under a push that changes a little.
static double push_plate(const subject *s, int n) {
    put_together(s);
    double start = bench_seconds();
    for (int k = 1; k <= n; k++) {
        td_set_input(s->system, s->state, 0, 0.5 * sin(0.3 * k));
        bench_need(td_solve_statics(s->system, s->state) >= 0, td_message(s->state));
    }
    return (bench_seconds() - start) / n;
}

static void many_legs(int rounds) {
    enum { CASES = 3 };
    static const int legs[CASES] = {24, 48, 96};
    subject subjects[CASES];
    double best[CASES];
    for (int i = 0; i < CASES; i++) {
        td_robot *robot = plate_on_legs(legs[i]);
        td_options o = options_of(0, 6, 1e-8);
        subjects[i] = bench_open(robot, &o);
        best[i] = HUGE_VAL;
        td_robot_destroy(robot);
    }
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < CASES; i++) best[i] = fmin(best[i], push_plate(&subjects[i], 20));
    printf("\nplate_on_legs,ms_per_static_solve,power_of_legs\n");
    for (int i = 0; i < CASES; i++) {
        printf("%d,%.3f,", legs[i], 1e3 * best[i]);
        if (i) printf("%.2f", log(best[i] / best[i - 1]) / log((double)legs[i] / legs[i - 1]));
        printf("\n");
        bench_close(&subjects[i]);
    }
}

// ---------------------------------------------------------------- steps and real time
// Till 2019, section 5.2: four tendons, one of them pulled at once; 1/60 s.
static td_robot *tendon_arm(void) {
    static const char *const names[] = {"east", "north", "west", "south"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.24;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 207e9 / 2.6, piece.density = 16000.0;
    piece.section.radius = piece.section_end.radius = 0.4e-3;
    for (int i = 0; i < 3; i++) piece.drag[i] = 0.03, piece.damping[i] = 1e-6;
    td_rod_def def = td_default_rod_def();
    def.name = "backbone", def.pieces = &piece, def.n_pieces = 1;
    need_index(td_robot_add_rod(robot, &def, &err), &err);
    for (int i = 0; i < 4; i++) {
        td_tendon_def t = td_default_tendon_def();
        t.name = names[i], t.to = 0.24;
        t.offset[i % 2] = t.offset_end[i % 2] = i < 2 ? 9.5e-3 : -9.5e-3;
        t.value = driven(robot, names[i]);
        need_index(td_robot_add_tendon(robot, &t, &err), &err);
    }
    td_number g[3] = {td_constant(-9.81), td_constant(0.0), td_constant(0.0)};
    td_robot_set_gravity(robot, g, &err);
    return robot;
}

// Three segments with three tendons each, and 15 discs, which cut the rod as often.
static td_robot *disc_arm(double friction) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.45;
    piece.youngs_modulus = 60e9, piece.shear_modulus = 60e9 / 2.6, piece.density = 6450.0;
    piece.section.radius = piece.section_end.radius = 0.9e-3;
    for (int i = 0; i < 3; i++) piece.damping[i] = 2e-5;
    td_rod_def def = td_default_rod_def();
    def.name = "backbone", def.pieces = &piece, def.n_pieces = 1;
    need_index(td_robot_add_rod(robot, &def, &err), &err);
    for (int i = 0; i < 15; i++) {
        char name[16];
        snprintf(name, sizeof name, "disc%d", i);
        td_body_def disc = td_default_body_def();
        disc.name = name, disc.at = 0.03 * (i + 1), disc.mass = 2e-3;
        for (int k = 0; k < 3; k++) disc.inertia[k] = 1e-7;
        need_index(td_robot_add_body(robot, &disc, &err), &err);
    }
    for (int i = 0; i < 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        const double angle = 2.0 * 3.14159265358979 * (i % 3 + (i / 3) / 3.0) / 3.0;
        td_tendon_def t = td_default_tendon_def();
        t.name = name, t.to = 0.15 * (i / 3 + 1), t.friction = friction;
        t.offset[0] = t.offset_end[0] = 10e-3 * cos(angle);
        t.offset[1] = t.offset_end[1] = 10e-3 * sin(angle);
        t.value = driven(robot, name);
        need_index(td_robot_add_tendon(robot, &t, &err), &err);
    }
    return robot;
}

// Section 5.3: one chamber, filled with gas or with fluid over 2 s; 10 ms.
static td_robot *finger(bool gas) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.1, piece.youngs_modulus = 20e3, piece.shear_modulus = 20e3 / 3.0;
    piece.density = 300.0;
    piece.section.shape = TD_SECTION_GENERAL;
    piece.section.area = 6.872233929727672e-4, piece.section.ixx = 3.97301024062381e-8;
    piece.section.iyy = 3.7710507128930377e-8;
    piece.section.torsion = piece.section.polar = 7.744060953516848e-8;
    piece.section_end = piece.section;
    td_rod_def def = td_default_rod_def();
    def.name = "finger", def.pieces = &piece, def.n_pieces = 1;
    need_index(td_robot_add_rod(robot, &def, &err), &err);
    td_chamber_def c = td_default_chamber_def();
    c.name = "chamber", c.to = 0.1, c.offset[0] = -10.285714285714285e-3, c.radius = 2.5e-3;
    c.input = gas ? TD_AMOUNT : TD_VOLUME;
    c.value = driven(robot, "fill");
    need_index(td_robot_add_chamber(robot, &c, &err), &err);
    td_number g[3] = {td_constant(0.0), td_constant(0.0), td_constant(0.0)};
    td_robot_set_gravity(robot, g, &err);
    return robot;
}

typedef struct scenario {
    const char *name, *printed;  // real-time ratio of Till 2019
    double dt, alpha;
    int n, nodes;
    td_robot *robot;
    void (*drive)(const subject *s, double t);
    subject subject;
    cost best;
} scenario;

static void pull_east(const subject *s, double t) {
    td_set_input(s->system, s->state, 0, t < 0.0 ? 0.0 : 2.0);
}

static void wave_tendons(const subject *s, double t) {
    for (int i = 0; i < 9; i++)
        td_set_input(s->system, s->state, i,
                     3.0 - 0.5 * (i % 3) + 1.5 * sin((3.0 + i / 3) * fmax(t, 0.0) + i % 3));
}

static void fill_gas(const subject *s, double t) {
    double x = fmin(fmax(t, 0.0) / 2.0, 1.0);
    td_set_input(s->system, s->state, 0, 8.162939613583861e-5 + x * (2e-4 - 8.162939613583861e-5));
}

static void fill_fluid(const subject *s, double t) {
    double x = fmin(fmax(t, 0.0) / 2.0, 1.0);
    td_set_input(s->system, s->state, 0,
                 1.963495408493621e-6 + x * (2.65e-6 - 1.963495408493621e-6));
}

static void move_legs(const subject *s, double t) {
    for (int i = 0; i < 6; i++)
        td_set_input(s->system, s->state, i, 0.02 * sin(3.0 * fmax(t, 0.0) + i) - 0.02 * sin(i));
}

static cost run_scenario(const scenario *c) {
    const subject *s = &c->subject;
    cost sum = {0};
    td_state_reset(s->system, s->state);
    c->drive(s, -1.0);
    bench_need(td_solve_statics(s->system, s->state) >= 0, td_message(s->state));
    double start = bench_seconds();
    for (int k = 1; k <= c->n; k++) {
        c->drive(s, k * c->dt);
        bench_need(td_step(s->system, s->state, c->dt) >= 0, td_message(s->state));
        sum.iterations += td_get_stats(s->state)->iterations;
        sum.jacobians += td_get_stats(s->state)->jacobians;
    }
    double n = c->n;
    return (cost){(bench_seconds() - start) / n, sum.iterations / n, 0.0, sum.jacobians / n};
}

static void steps(int rounds) {
    scenario all[] = {
        {.name = "tendon_arm",
         .printed = "3.5",
         .dt = 1.0 / 60.0,
         .alpha = -0.03,
         .n = 240,
         .nodes = 8,
         .robot = tendon_arm(),
         .drive = pull_east},
        {.name = "finger_air",
         .printed = "28",
         .dt = 0.01,
         .alpha = -0.3,
         .n = 450,
         .nodes = 6,
         .robot = finger(true),
         .drive = fill_gas},
        {.name = "finger_fluid",
         .printed = "26-32",
         .dt = 0.01,
         .alpha = -0.3,
         .n = 450,
         .nodes = 6,
         .robot = finger(false),
         .drive = fill_fluid},
        {.name = "disc_arm",
         .printed = "-",
         .dt = 0.005,
         .alpha = -0.2,
         .n = 200,
         .nodes = 8,
         .robot = disc_arm(0.0),
         .drive = wave_tendons},
        {.name = "disc_arm_friction",
         .printed = "-",
         .dt = 0.005,
         .alpha = -0.2,
         .n = 200,
         .nodes = 8,
         .robot = disc_arm(0.2),
         .drive = wave_tendons},
        {.name = "platform",
         .printed = "7-8",
         .dt = 1.0 / 120.0,
         .alpha = -0.2,
         .n = 240,
         .nodes = 6,
         .robot = platform(),
         .drive = move_legs},
        {.name = "platform_4_nodes",
         .printed = "7-8",
         .dt = 1.0 / 120.0,
         .alpha = -0.2,
         .n = 240,
         .nodes = 4,
         .robot = platform(),
         .drive = move_legs},
    };
    enum { N = sizeof all / sizeof all[0] };
    for (int i = 0; i < N; i++) {
        td_options o = options_of(0, all[i].nodes, 1e-8);
        o.scheme = TD_BDF_ALPHA, o.alpha = all[i].alpha;
        all[i].subject = bench_open(all[i].robot, &o);
        all[i].best.seconds = HUGE_VAL;
    }
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < N; i++) bench_keep_least(&all[i].best, run_scenario(&all[i]));
    printf("\nrobot,nodes,ms,us_per_step,iterations,jacobians,times_real_time,printed\n");
    for (int i = 0; i < N; i++) {
        const scenario *c = &all[i];
        printf("%s,%d,%.2f,%.1f,%.2f,%.3f,%.0f,%s\n", c->name, c->nodes, 1e3 * c->dt,
               1e6 * c->best.seconds, c->best.iterations, c->best.jacobians,
               c->dt / c->best.seconds, c->printed);
        bench_close(&all[i].subject);
        td_robot_destroy(all[i].robot);
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    int rounds = only ? 2 : 7;
    if (!only || strcmp(only, "arm") == 0) arm(rounds);
    if (!only || strcmp(only, "platform") == 0) platform_statics(rounds);
    if (!only || strcmp(only, "legs") == 0) many_legs(rounds);
    if (!only || strcmp(only, "steps") == 0) steps(rounds);
    return 0;
}
