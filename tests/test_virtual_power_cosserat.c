// Discs on a core become a rod as their number grows: virtual_power against cosserat, two models
// that share only the description of the robot.
#include <stdbool.h>
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "rods.h"

enum { SAG = 1, TENDONS = 2, TIP_FORCE = 4, HELIX = 8 };
#define LENGTH 0.3

static void add_tendon(td_robot *robot, const char *name, double to, double x, double y,
                       double tension) {
    td_error err = {0};
    td_tendon_def t = td_default_tendon_def();
    t.name = name, t.to = to, t.value = td_constant(tension);
    t.offset[0] = t.offset_end[0] = x;
    t.offset[1] = t.offset_end[1] = y;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

static void add_helix(td_robot *robot) {
    td_error err = {0};
    td_tendon_def t = td_default_tendon_def();
    t.name = "helix", t.to = LENGTH, t.value = td_constant(6.0);
    t.routing = TD_ROUTING_HELIX, t.radius = 0.01, t.turns = 0.75, t.phase = 0.3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

static td_robot *arm_with(int parts) {
    td_piece_def piece = steel_piece();
    piece.length = LENGTH;
    td_robot *robot = rod_robot(&piece, 1);
    if (parts & SAG) set_gravity(robot, -9.81, 2.0, 0.0);
    if (parts & TENDONS) {
        add_tendon(robot, "long", LENGTH, 0.01, 0.0, 8.0);
        add_tendon(robot, "short", 0.5 * LENGTH, 0.0, 0.012, 5.0);
    }
    if (parts & TIP_FORCE) add_tip_force(robot, LENGTH, 0.3, -0.8, 0.2);
    if (parts & HELIX) add_helix(robot);
    return robot;
}

static td_pose equilibrium(int parts, const td_options *o) {
    world w = world_make(arm_with(parts), o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static td_options discs(int n, bool torsion, td_contact contact) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.discs = n;
    o.virtual_power.torsion = torsion;
    o.virtual_power.contact = contact;
    return o;
}

static td_options fine_rod(void) {
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF;
    o.nodes = 24;
    return o;
}

static double distance(const td_pose *a, const td_pose *b) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += (a->p[k] - b->p[k]) * (a->p[k] - b->p[k]);
    return sqrt(sum);
}

static double error_with(int parts, int n, bool torsion, td_contact contact) {
    td_options o = fine_rod(), d = discs(n, torsion, contact);
    td_pose rod = equilibrium(parts, &o), chain = equilibrium(parts, &d);
    return distance(&rod, &chain);
}

// Loads of every kind, out of plane: four times the discs, a sixteenth of the error.
static void with_torsion_all_loads_converge_with_order_two(void **unused) {
    (void)unused;
    for (int parts = 1; parts < 16; parts++) {
        if (parts == TENDONS) continue;  // exact, see below
        double coarse = error_with(parts, 8, true, TD_CONTACT_IDEAL);
        double fine = error_with(parts, 32, true, TD_CONTACT_IDEAL);
        CHECK_BETWEEN(coarse, 5e-6, 3e-4);
        CHECK_BETWEEN(coarse / fine, 15.0, 17.0);
    }
}

// Parallel tendons bend a weightless rod into arcs: two discs are enough.
static void arcs_are_exact(void **unused) {
    (void)unused;
    CHECK_BETWEEN(error_with(TENDONS, 2, false, TD_CONTACT_IDEAL), 0.0, 1e-11);
    CHECK_BETWEEN(error_with(TENDONS, 2, true, TD_CONTACT_IDEAL), 0.0, 1e-11);
}

// Without torsion what is left out of plane is the twist of the rod.
static void without_torsion_the_twist_is_missed(void **unused) {
    (void)unused;
    double missed = error_with(TENDONS | TIP_FORCE, 64, false, TD_CONTACT_IDEAL);
    CHECK_BETWEEN(missed, 1e-4, 1e-3);
    CHECK_BETWEEN(error_with(TENDONS | TIP_FORCE, 64, true, TD_CONTACT_IDEAL), 0.0, 5e-6);
    td_options o = fine_rod(), d = discs(64, true, TD_CONTACT_IDEAL);
    td_pose rod = equilibrium(TENDONS | TIP_FORCE, &o),
            chain = equilibrium(TENDONS | TIP_FORCE, &d);
    for (int k = 0; k < 4; k++) CHECK_NEAR(chain.q[k], rod.q[k], 1e-5);
}

// Least squares of the contact forces are not what a tendon does to a rod; with more discs they
// come nearer, one order slower.
static void contact_forces_come_nearer_with_more_discs(void **unused) {
    (void)unused;
    double coarse = error_with(TENDONS, 8, false, TD_CONTACT_LEAST_SQUARES);
    double fine = error_with(TENDONS, 32, false, TD_CONTACT_LEAST_SQUARES);
    CHECK_BETWEEN(coarse, 5e-4, 2e-3);
    CHECK_BETWEEN(coarse / fine, 3.0, 6.0);
}

// ---------------------------------------------------------------- motion
// Half a period of the free swing of a bare rod after it is let go, by both models.
static double tip_after(const td_options *o, double t, double dt) {
    world w = world_make(arm_with(SAG), o);
    for (int i = 0; i < (int)lround(t / dt); i++) CHECK_CALL(&w, td_step(w.system, w.state, dt));
    double x = tip_of(&w).p[0];
    world_free(&w);
    return x;
}

static void a_rod_that_is_let_go_swings_alike(void **unused) {
    (void)unused;
    td_options o = fine_rod();
    o.nodes = 10;
    o.scheme = TD_SDIRK2;
    double rod = tip_after(&o, 0.03, 2.5e-4);
    td_options few = discs(8, false, TD_CONTACT_IDEAL), many = discs(32, false, TD_CONTACT_IDEAL);
    CHECK_BETWEEN(fabs(rod), 2e-3, 4e-3);  // twice its sag: it is near its turning point
    CHECK_NEAR(tip_after(&few, 0.03, 2.5e-4), rod, 0.02 * fabs(rod));
    CHECK_NEAR(tip_after(&many, 0.03, 2.5e-4), rod, 2e-3 * fabs(rod));
}

// ---------------------------------------------------------------- one file, two models
static const char text[] =
    "tendril: 1\n"
    "gravity: [-9.81, 0, 0]\n"
    "materials: {steel: {youngs_modulus: 210 GPa, poisson_ratio: 0.3, density: 7850}}\n"
    "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.52 mm},\n"
    "  envelope: 15 mm}]\n"
    "bodies: [{name: disc, on: core, count: 8, mass: 1.47 g,\n"
    "  shape: {cylinder: {radius: 15 mm, height: 2 mm}}}]\n"
    "tendons:\n"
    "  - {name: up, offset: [12.5 mm, 0], to: 120 mm, pushes: true, value: 5 N,\n"
    "     wire: {radius: 0.52 mm, material: steel}}\n"
    "  - {name: down, offset: [-12.5 mm, 0], pushes: true, value: -3 N,\n"
    "     wire: {radius: 0.52 mm, material: steel}}\n"
    "simulation: {virtual_power: {contact: ideal}}\n";

static td_pose tip_under(const char *model, const char *const *sets, int n_sets) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), NULL, sets, n_sets, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    td_options o = td_robot_options(robot);
    snprintf(o.model, sizeof o.model, "%s", model);
    o.theory = TD_KIRCHHOFF;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void one_file_serves_both_models(void **unused) {
    (void)unused;
    td_pose rod = tip_under("cosserat", NULL, 0), chain = tip_under("virtual_power", NULL, 0);
    assert_true(rod.p[0] > 0.03);
    CHECK_BETWEEN(distance(&rod, &chain), 0.0, 5e-4);
}

// The rods' own arcs are shorter or longer than the core's, in proportion to their offset, which
// cosserat leaves out: the same moments from a quarter of a small offset differ by a quarter.
static void rods_differ_by_their_offset_alone(void **unused) {
    (void)unused;
    static const char *const near[] = {"gravity=[0, 0, 0]", "tendons.up.offset=[1.2 mm, 0]",
                                       "tendons.up.value=50 N", "tendons.down.offset=[-1.2 mm, 0]",
                                       "tendons.down.value=-30 N"};
    static const char *const nearer[] = {
        "gravity=[0, 0, 0]", "tendons.up.offset=[0.3 mm, 0]", "tendons.up.value=200 N",
        "tendons.down.offset=[-0.3 mm, 0]", "tendons.down.value=-120 N"};
    td_pose rod = tip_under("cosserat", near, 5), chain = tip_under("virtual_power", near, 5);
    double difference = distance(&rod, &chain);
    rod = tip_under("cosserat", nearer, 5);
    chain = tip_under("virtual_power", nearer, 5);
    CHECK_BETWEEN(difference, 5e-6, 5e-5);
    CHECK_BETWEEN(difference / distance(&rod, &chain), 3.6, 4.4);
}

// A thick rod that falls from straight, its tip after 50 ms.
static double tip_of_thick(const char *model, bool rotary_inertia) {
    td_piece_def piece = steel_piece();
    piece.length = LENGTH;
    piece.section.radius = piece.section_end.radius = 0.04;
    piece.youngs_modulus = piece.shear_modulus = 2e5;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 9.81, 0.0, 0.0);
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.theory = TD_KIRCHHOFF, o.space = TD_COLLOCATION, o.nodes = 12, o.virtual_power.discs = 24;
    o.rotary_inertia = rotary_inertia;
    world w = world_make(robot, &o);
    for (int i = 0; i < 50; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    const double x = tip_of(&w).p[0];
    world_free(&w);
    return x;
}

static void sections_without_inertia_fall_alike(void **state) {
    (void)state;
    const double rod[2] = {tip_of_thick("cosserat", false), tip_of_thick("cosserat", true)};
    const double chain[2] = {tip_of_thick("virtual_power", false),
                             tip_of_thick("virtual_power", true)};
    const double change = rod[0] - rod[1];
    CHECK_BETWEEN(fabs(change / rod[0]), 0.02, 0.2);
    CHECK_NEAR(chain[0] - chain[1], change, 0.05 * fabs(change));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_torsion_all_loads_converge_with_order_two),
        cmocka_unit_test(arcs_are_exact),
        cmocka_unit_test(without_torsion_the_twist_is_missed),
        cmocka_unit_test(contact_forces_come_nearer_with_more_discs),
        cmocka_unit_test(a_rod_that_is_let_go_swings_alike),
        cmocka_unit_test(one_file_serves_both_models),
        cmocka_unit_test(rods_differ_by_their_offset_alone),
        cmocka_unit_test(sections_without_inertia_fall_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
