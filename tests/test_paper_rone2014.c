// Rone & Ben-Tzvi 2014: our numbers against an independent program's, the robot files, and the verb
// that reproduces the paper.
#include "rods.h"

#include <string.h>
#include <sys/stat.h>

#include "../papers/rone2014/continuum.h"
#include "program.h"
#include "truth_rone2014_runs.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const double no_tension[RODS] = {0.0};

static void open_arm(arm *a, const design *d, const td_options *o) {
    td_error err = {0};
    if (!arm_open(a, d, o, &err)) fail_msg("%s: %s", err.where, err.message);
}

static void settle(arm *a, const double tension[RODS]) {
    td_error err = {0};
    if (!arm_settle(a, tension, &err)) fail_msg("%s", err.message);
}

static void move(arm *a, double dt) {
    td_error err = {0};
    if (!arm_move(a, dt, &err)) fail_msg("%s", err.message);
}

static double tip_x(const arm *a) {
    double p[3];
    arm_disc(a, DISCS - 1, p);
    return p[0];
}

// ---------------------------------------------------------------- Table 2
// Errors in percent of the forces of iteration k against the tenth, computed independently with the
// same damping (1e-3 of the largest singular value), at the equilibrium under 30 N.
static const double reference_errors[2][9] = {
    {16.791286318700983, 0.898244540320918, 0.02817837281347412, 4.4720930609931653e-4,
     3.222157272705098e-05, 2.4653391608883373e-06, 1.0098517594205845e-07, 2.1893951794913447e-09,
     4.01833479849992e-11},
    {35.02122254020954, 5.25071955371729, 0.4891090617591647, 0.03048749506872209,
     0.002310615863404957, 1.6890767744511217e-4, 2.42503553487323e-05, 1.9881700716582575e-06,
     1.448883714192402e-07}};

// Of a core that is bent to `shape` and does not give.
static int forces_in(const double shape[DISCS], int rod, int iterations, double *forces) {
    const design rigid = {.inertias = FROM_TABLE, .friction = FRICTION, .rigid = shape};
    td_options o = rone_options();
    double tension[RODS] = {0.0};
    o.virtual_power.friction_iterations = iterations;
    tension[rod] = 30.0;
    arm a;
    open_arm(&a, &rigid, &o);
    settle(&a, tension);
    for (int i = 0; i < DISCS; i++) CHECK_NEAR(arm_curvature(&a, i), shape[i], 1e-7);
    int n = arm_contact(&a, rod, forces);
    arm_close(&a);
    return n;
}

static void find_shape(int rod, double shape[DISCS]) {
    const design elastic = {.inertias = FROM_TABLE, .friction = FRICTION};
    td_options o = rone_options();
    double tension[RODS] = {0.0};
    o.virtual_power.friction_iterations = 10;
    tension[rod] = 30.0;
    arm a;
    open_arm(&a, &elastic, &o);
    settle(&a, tension);
    for (int i = 0; i < DISCS; i++) shape[i] = arm_curvature(&a, i);
    arm_close(&a);
}

static void contact_forces_converge_as_in_the_reference(void **unused) {
    (void)unused;
    for (int c = 0; c < 2; c++) {
        const int rod = c == 0 ? R11 : R22;
        double shape[DISCS], last[DISCS], forces[DISCS];
        find_shape(rod, shape);
        forces_in(shape, rod, 10, last);
        for (int k = 0; k < 9; k++) {
            int n = forces_in(shape, rod, k + 1, forces);
            double most = 0.0;
            for (int i = 0; i < n; i++) most = fmax(most, 100.0 * fabs(forces[i] / last[i] - 1.0));
            CHECK_NEAR(most, reference_errors[c][k], 1e-6 * reference_errors[c][k] + 1e-11);
        }
    }
}

// ---------------------------------------------------------------- motions
static void the_swing_is_that_of_the_reference(void **unused) {
    (void)unused;
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    td_error err = {0};
    const td_options o = rone_options();
    arm a;
    if (!arm_open_moving(&a, &d, &o, &err) || !arm_let_go(&a, -0.001, &err))
        fail_msg("%s", err.message);
    for (int i = 0; i < DISCS; i++) CHECK_NEAR(arm_curvature(&a, i), -0.001, 1e-9);
    double least = 0.0, most = -1.0;
    int next = 0;
    for (int k = 1; k <= 500; k++) {
        move(&a, 1e-3);
        double x = tip_x(&a);
        least = fmin(least, x), most = fmax(most, x);
        if (next < COUNT(rone_swing) && k == (int)rone_swing[next][0])
            CHECK_NEAR(x, rone_swing[next++][1], 2e-8);
    }
    assert_int_equal(next, COUNT(rone_swing));
    CHECK_NEAR(most - least, 9.468246535940226e-3, 3e-8);
    CHECK_NEAR(0.5 * (most + least), -4.732878646042363e-3, 2e-8);
    arm_close(&a);
}

// Tips in m after a rod is pulled with 10 N at time 0, computed independently (RK4, 0.1 ms): at 10,
// 20, 50, 100, 200 and 500 ms.
static const int pull_ms[] = {10, 20, 50, 100, 200, 500};
static const double pulled_tips[2][6] = {
    {-1.630849539563214e-3, 10.02437244933142e-3, 52.98834773868655e-3, 10.647416359954928e-3,
     40.40166129603736e-3, 14.824346088419293e-3},
    {-15.834990747007799e-3, -31.652778956007808e-3, -85.37761490507611e-3, -29.207167024023e-3,
     -54.0881780677801e-3, -68.57229584997566e-3}};

static void pulled_rods_move_the_tip_as_in_the_reference(void **unused) {
    (void)unused;
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    for (int c = 0; c < 2; c++) {
        td_error err = {0};
        const td_options o = rone_options();
        arm a;
        if (!arm_open_moving(&a, &d, &o, &err)) fail_msg("%s", err.message);
        settle(&a, no_tension);
        td_set_input(a.system, a.state, c == 0 ? R11 : R22, 10.0);
        td_restart(a.system, a.state);
        for (int k = 1, next = 0; next < COUNT(pull_ms); k++) {
            move(&a, 1e-3);
            if (k == pull_ms[next]) CHECK_NEAR(tip_x(&a), pulled_tips[c][next++], 2e-6);
        }
        arm_close(&a);
    }
}

// Friction of Eq. 45 vanishes at rest: the motion ends where statics without friction is.
static void the_motion_settles_to_equilibrium_without_friction(void **unused) {
    (void)unused;
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    td_error err = {0};
    const td_options o = rone_options();
    arm a;
    double mean = 0.0;
    if (!arm_open_moving(&a, &d, &o, &err)) fail_msg("%s", err.message);
    settle(&a, no_tension);
    td_set_input(a.system, a.state, R22, 10.0);
    td_restart(a.system, a.state);
    for (int k = 0; k < 700; k++) {
        move(&a, 5e-3);
        if (k >= 600) mean += tip_x(&a) / 100.0;
    }
    CHECK_NEAR(mean, rone_shapes[9].tip[0], 2e-5);
    assert_true(fabs(mean - rone_shapes[8].tip[0]) > 2e-3);  // with friction
    arm_close(&a);
}

// ---------------------------------------------------------------- the Cosserat rod
static void discs_converge_to_the_cosserat_rod(void **unused) {
    (void)unused;
    const continuum planar = {.tension = {[R11] = 20.0, [R22] = 10.0}};
    const continuum space = {.tension = {[R12] = 20.0, [R21] = 20.0}, .side_load = 1.0};
    for (int c = 0; c < 2; c++) {
        const continuum *robot = c == 0 ? &planar : &space;
        td_error err = {0};
        tip limit, found;
        double errors[3];
        if (!solve_rod(robot, &limit, &err)) fail_msg("%s", err.message);
        for (int i = 0; i < 3; i++) {
            td_options o = disc_options(8 << i);
            o.virtual_power.torsion = c == 1;
            if (!solve_continuum(robot, &o, &found, &err)) fail_msg("%s", err.message);
            errors[i] = tip_distance(&found, &limit);
        }
        CHECK_BETWEEN(errors[0], 1e-5, 2e-4);
        CHECK_NEAR(errors[0] / errors[1], 4.0, 0.02);
        CHECK_NEAR(errors[1] / errors[2], 4.0, 0.02);
    }
}

static void without_torsion_they_do_not_in_space(void **unused) {
    (void)unused;
    const continuum space = {.tension = {[R12] = 20.0, [R21] = 20.0}, .side_load = 1.0};
    td_error err = {0};
    tip limit, found;
    td_options o = disc_options(32);
    if (!solve_rod(&space, &limit, &err) || !solve_continuum(&space, &o, &found, &err))
        fail_msg("%s", err.message);
    assert_true(fabs(limit.twist) > 0.03);
    CHECK_NEAR(found.twist, 0.0, 1e-12);
    assert_true(tip_distance(&found, &limit) > 1e-3);
}

// ---------------------------------------------------------------- the files
static void check_file(const char *path, const design *d, const td_options *o) {
    td_error err = {0};
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    td_options told = td_robot_options(robot);
    const double tension[RODS] = {[R11] = 12.0, [R21] = 3.0, [R22] = 8.0};
    arm ours, theirs;
    open_arm(&ours, d, o);
    if (!arm_open_robot(&theirs, robot, &told, &err)) fail_msg("%s", err.message);
    settle(&ours, tension);
    for (int j = 0; j < RODS; j++) {
        static const char *const names[RODS] = {"r11", "r12", "r13", "r21", "r22", "r23"};
        td_set_input(theirs.system, theirs.state, td_find_input(theirs.system, names[j]),
                     tension[j]);
    }
    CHECK_CALL(&((world){.state = theirs.state}), td_solve_statics(theirs.system, theirs.state));
    CHECK_NEAR(tip_x(&theirs), tip_x(&ours), 1e-9);
    const int rod = td_find_input(theirs.system, "r12");
    td_set_input(ours.system, ours.state, R12, 5.0);
    td_set_input(theirs.system, theirs.state, rod, 5.0);
    for (int k = 0; k < 20; k++) move(&ours, 1e-3), move(&theirs, 1e-3);
    CHECK_NEAR(tip_x(&theirs), tip_x(&ours), 1e-7);
    arm_close(&ours);
    arm_close(&theirs);
}

// The fastest rate (1/(m s)) after a step from rest.
static double rate_after_step(arm *a) {
    double q[64], v[64], most = 0.0;
    move(a, 1e-4);
    td_get_coordinates(a->system, a->state, q, v);
    for (int k = 0; k < td_n_coordinates(a->system); k++) most = fmax(most, fabs(v[k]));
    return most;
}

// Eq. 45 has no friction at rest: steps rest in the equilibrium without friction, not in that with it, and it damps small
// motions about the former. Eigenvalues of the independent program, whose planar motion is among ours.
static void small_motions_with_friction_are_those_of_the_reference(void **unused) {
    (void)unused;
    static const struct {
        int rod;
        double re, im;
    } first[] = {{R11, -0.48382221262577435, 53.16478366582099},
                 {R22, -2.2307847476718843, 55.722935849235164}};
    const design rough = {.inertias = FROM_TABLE, .friction = FRICTION},
                 smooth = {.inertias = FROM_TABLE};
    const td_options o = rone_options();
    for (int i = 0; i < COUNT(first); i++) {
        arm with, without;
        td_error err = {0};
        double tension[RODS] = {0.0}, q[64];
        tension[first[i].rod] = 10.0;
        open_arm(&with, &rough, &o), open_arm(&without, &smooth, &o);
        settle(&with, tension), settle(&without, tension);
        assert_true(rate_after_step(&with) > 1e-2);
        td_get_coordinates(without.system, without.state, q, NULL);
        assert_true(td_set_coordinates(with.system, with.state, q, NULL) >= 0);
        td_linearisation *l = td_linearisation_create(with.system, NULL, 0, &err);
        assert_true(td_linearise(with.system, with.state, l) >= 0 && td_solve_modes(l, 0) >= 0);
        int damped = 0;
        while (damped < td_n_modes(l) && !(td_get_mode(l, damped).re < -0.1)) damped++;
        CHECK_NEAR(td_get_mode(l, damped).re, first[i].re, 1e-5 * fabs(first[i].re));
        CHECK_NEAR(td_get_mode(l, damped).im, first[i].im, 1e-6 * first[i].im);
        td_linearisation_destroy(l);
        assert_true(rate_after_step(&with) < 1e-6);
        arm_close(&with), arm_close(&without);
    }
}

static void the_files_are_the_robots_of_the_program(void **unused) {
    (void)unused;
    const design printed = {.inertias = FROM_TABLE, .friction = FRICTION},
                 correct = {.inertias = WHERE_IT_IS, .friction = FRICTION};
    td_options o = rone_options();
    check_file(PAPERS "/rone2014/table1.yaml", &printed, &o);
    o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    check_file(EXAMPLES "/rone-arm.yaml", &correct, &o);
}

// ---------------------------------------------------------------- the verb
static int count(const char *text, const char *words) {
    int n = 0;
    for (const char *at = strstr(text, words); at; at = strstr(at + 1, words)) n++;
    return n;
}

static void check_written(const char *file) {
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "paper_rone2014/%s", file);
    if (stat(path, &info) == 0 && info.st_size > 100) return;
    print_error("%s is missing or empty\n", path);
    fail();
}

static void a_quick_run_reports_and_draws_everything(void **unused) {
    (void)unused;
    static char text[1 << 16];
    int code = run_program("rone2014 --quick --json --out paper_rone2014", text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    int quantities = count(text, "\"quantity\":");
    assert_true(quantities > 40);
    assert_int_equal(count(text, "\"paper\": \"rone2014\""), quantities);
    const char *const items[] = {"table 1", "section 2.2", "table 2",   "figure 8", "figure 9",
                                 "table 3", "figure 16",   "figure 17", "section 7"};
    for (int i = 0; i < COUNT(items); i++) {
        char words[64];
        snprintf(words, sizeof words, "\"item\": \"%s\"", items[i]);
        check_said(text, words);
    }
    const char *const files[] = {
        "quantities.csv", "convergence.csv", "convergence.png", "table2.csv",  "figure7.png",
        "figure8.csv",    "swing.png",       "figure9.csv",     "figure9.png", "table3.csv",
        "figure10.png",   "shapes.csv",      "shapes.png",      "torsion.png", "figure17.png"};
    for (int i = 0; i < COUNT(files); i++) check_written(files[i]);
}

static double ours_of(const char *quantity) {
    return reported("paper_rone2014", quantity);
}

static void what_it_reports_is_what_the_reference_says(void **unused) {
    (void)unused;
    CHECK_NEAR(ours_of("highest point of the spectrum"), 7.8125, 1e-9);
    CHECK_NEAR(ours_of("first mode, Table 1"), rone_frequencies[0], 2e-3);
    CHECK_NEAR(ours_of("equilibrium, tip"), 1e3 * rone_sag_tip[0], 1e-6);
    // Eigenvalues of the straight robot with Poisson's ratio 0.3.
    CHECK_NEAR(ours_of("first twisting mode, rods free in holes"), 76.47234535871307, 2e-3);
    CHECK_NEAR(ours_of("first twisting mode, discs hold the rods"), 137.3510986170267, 4e-3);
    CHECK_NEAR(ours_of("rod 1-1, iteration 2"), reference_errors[0][1], 1e-6);
    CHECK_NEAR(ours_of("rod 1-1, disc 8, dynamics and statics differ"), 0.2549728011846389, 1e-6);
    CHECK_NEAR(ours_of("rod 2-2, disc 8, dynamics and statics differ"), 1.0448226242775263, 1e-6);
    CHECK_NEAR(ours_of("fig. 16, 1-1: 30 N: tip x"), 1e3 * rone_shapes[4].tip[0], 1e-5);
    CHECK_NEAR(ours_of("fig. 18, 2-2: 15 N: tip z"), 1e3 * rone_shapes[10].tip[2], 1e-5);
}

// Table 1, where the reference has found the same slip, with 1039 kg/m^3 of ABS in place of 1040.
static void table1_comes_from_a_lost_square(void **unused) {
    (void)unused;
    static const char *const parts[2] = {"proximal", "distal"};
    static const double mass[2] = {2.869, 2.269}, correct[2] = {2.820071e-7, 1.900667e-7};
    static const double slip[2] = {7.690260751e-6, 3.894193502e-6};
    static const double axial[2] = {3.52978208e-7, 2.59121704e-7};
    for (int i = 0; i < 2; i++) {
        char name[80];
        snprintf(name, sizeof name, "mass, %s", parts[i]);
        CHECK_NEAR(ours_of(name) / mass[i], 1.0, 1e-3);
        snprintf(name, sizeof name, "radial moment of inertia, %s", parts[i]);
        CHECK_NEAR(ours_of(name) / correct[i], 1.0, 1e-3);
        snprintf(name, sizeof name, "the same, m r/2 for m r^2/2, %s", parts[i]);
        CHECK_NEAR(ours_of(name) / slip[i], 1.0, 1e-4);
        snprintf(name, sizeof name, "axial moment of inertia, %s", parts[i]);
        CHECK_NEAR(ours_of(name) / axial[i], 1.0, 1e-3);
    }
    CHECK_NEAR(ours_of("second moment of area, core and rods"), 5.742529777867396e-14, 1e-20);
}

// Section 6.4 in mm, from the reference's percentage of the distance that its tip has from the base.
static void disc_8_is_off_by_a_distance(void **unused) {
    (void)unused;
    const double *end = rone_shapes[8].tip;  // rod 2-2, 10 N, with friction
    const double far = 1e3 * hypot(hypot(end[0], end[1]), end[2]);
    CHECK_NEAR(ours_of("rod 2-2, disc 8, the same as a distance"), 0.010448226242775263 * far,
               1e-6);
}

// Figure 17: the curvatures of the reference, and what play of the rods does to them by the text.
static void play_of_the_rods_bends_as_the_text_says(void **unused) {
    (void)unused;
    double model[4], loose[4];
    for (int i = 0; i < 4; i++) {
        char name[80];
        snprintf(name, sizeof name, "1-1: 30 N, beta %d", i + 1);
        model[i] = ours_of(name);
        CHECK_NEAR(model[i], rone_shapes[4].beta[i], 1e-7);
        snprintf(name, sizeof name, "1-1: 30 N, beta %d, 2 rods loose", i + 1);
        loose[i] = ours_of(name);
    }
    assert_true(loose[0] > 1.1 * model[0]);
    assert_true(loose[1] < 0.9 * model[1]);
    CHECK_NEAR(loose[3] / model[3], 1.0, 0.02);
    CHECK_BETWEEN(ours_of("fig. 16, 1-1: 30 N: disc 8"), 0.05, 4.89);
    CHECK_BETWEEN(ours_of("fig. 18, 2-2: 10 N: disc 8"), 0.05, 5.53);
    CHECK_BETWEEN(ours_of("fig. 19, 1-1: 25 N, 2-2: 5 N: disc 7"), 0.05, 8.02);
}

// Two items make section 6.4: both are computed for it, and it is offered once.
static void a_section_of_two_items_is_offered_once(void **unused) {
    (void)unused;
    static char text[1 << 14];
    assert_int_equal(run_program("rone2014 --section 9", text, sizeof text), 2);
    check_said(text, "there are: 2.2, 6.2, 6.4, 6.6, 7");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_forces_converge_as_in_the_reference),
        cmocka_unit_test(the_swing_is_that_of_the_reference),
        cmocka_unit_test(pulled_rods_move_the_tip_as_in_the_reference),
        cmocka_unit_test(the_motion_settles_to_equilibrium_without_friction),
        cmocka_unit_test(discs_converge_to_the_cosserat_rod),
        cmocka_unit_test(without_torsion_they_do_not_in_space),
        cmocka_unit_test(small_motions_with_friction_are_those_of_the_reference),
        cmocka_unit_test(the_files_are_the_robots_of_the_program),
        cmocka_unit_test(a_quick_run_reports_and_draws_everything),
        cmocka_unit_test(what_it_reports_is_what_the_reference_says),
        cmocka_unit_test(table1_comes_from_a_lost_square),
        cmocka_unit_test(disc_8_is_off_by_a_distance),
        cmocka_unit_test(play_of_the_rods_bends_as_the_text_says),
        cmocka_unit_test(a_section_of_two_items_is_offered_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
