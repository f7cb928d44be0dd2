// Rods that grow at their tip, as vines do: material is added there, and what is there already stays where it is.
#include <string.h>

#include "fed.h"

#define STEM 0.08
#define SHOOT 0.04

static void add_tendon(td_robot *robot, const char *name, double to, int input) {
    td_error err = {0};
    td_tendon_def t = td_default_tendon_def();
    t.name = name, t.to = to, t.value = driven(input);
    t.offset[input % 2] = t.offset_end[input % 2] = 2e-3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

// A stem and a softer shoot that is curved at rest. A tendon ends on the stem, another runs to the tip; a ring rides on the
// stem, a force pulls a little way into the shoot, and another at the tip. Inputs: 0 grows, 1 and 2 pull.
static td_robot *vine_robot(double shoot) {
    td_error err = {0};
    td_piece_def pieces[2] = {fed_piece(STEM, 0.5e-3, 0.5e-3, MODULUS),
                              fed_piece(shoot, 0.4e-3, 0.4e-3, 0.5 * MODULUS)};
    pieces[1].rest_curvature[1] = 8.0;
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed"), add_input(robot, "x"), add_input(robot, "y");
    rod.name = "vine", rod.pieces = pieces, rod.n_pieces = 2;
    rod.feed = driven(0), rod.feed_at_tip = true;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 5.0, -9.81);
    add_tendon(robot, "x", 0.5 * STEM, 1);
    add_tendon(robot, "y", STEM + shoot, 2);
    td_body_def ring = td_default_body_def();
    ring.name = "ring", ring.at = 0.75 * STEM, ring.mass = 1e-4;
    CHECK_OK(td_robot_add_body(robot, &ring, &err), err);
    static const double places[2] = {STEM + 0.01, 0.0};
    for (int i = 0; i < 2; i++) {
        td_load_def pull = td_default_load_def();
        pull.name = i ? "tip" : "pull", pull.from = i ? STEM + shoot : places[0];
        pull.force[i] = td_constant(i ? 0.004 : 0.01);
        CHECK_OK(td_robot_add_load(robot, &pull, &err), err);
    }
    return robot;
}

static world vine(double shoot, const td_options *o) {
    return world_make(vine_robot(shoot), o);
}

static void a_grown_vine_stands_as_a_longer_one(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        const td_options o = fed_options((td_theory)theory);
        static const double feeds[2] = {0.05, -0.02};
        for (int k = 0; k < 2; k++) {
            world grown = vine(SHOOT, &o), longer = vine(SHOOT + feeds[k], &o);
            solve_at(&grown, feeds[k], 1.0, 0.4);
            solve_at(&longer, 0.0, 1.0, 0.4);
            const double l = STEM + SHOOT + feeds[k];
            CHECK_NEAR(td_get_length(grown.system, grown.state, 0), l, 1e-15);
            for (int i = 0; i <= 8; i++) {
                const td_pose a = td_get_pose(grown.system, grown.state, 0, l * i / 8.0),
                              b = td_get_pose(longer.system, longer.state, 0, l * i / 8.0);
                for (int j = 0; j < 3; j++) CHECK_NEAR(a.p[j], b.p[j], 1e-10);
                const double s = l * i / 8.0;
                for (int t = 0; t < 2; t++)
                    CHECK_NEAR(td_get_tension(grown.system, grown.state, t, s),
                               td_get_tension(longer.system, longer.state, t, s), 1e-12);
            }
            double ends[2], a[3], b[3];
            td_rod_growing(grown.system, 0, ends);
            CHECK_NEAR(ends[0], STEM + 0.01, 1e-15);
            CHECK_NEAR(ends[1], STEM + SHOOT, 1e-15);
            CHECK_NEAR(td_get_place(grown.system, grown.state, 0, STEM), STEM, 1e-15);
            CHECK_NEAR(td_get_place(grown.system, grown.state, 0, 1.0), l, 1e-15);
            td_get_tendon_point(grown.system, grown.state, 1, 1.0, a);
            td_get_tendon_point(longer.system, longer.state, 1, 1.0, b);
            for (int j = 0; j < 3; j++) CHECK_NEAR(a[j], b[j], 1e-10);
            world_free(&grown);
            world_free(&longer);
        }
    }
}

static void the_jacobian_by_the_growth_is_that_of_differences(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_COSSERAT);
    const double h = 1e-4;
    world w = vine(SHOOT, &o);
    double J[18], p[4][3];
    static const double reach[4] = {-2.0, -1.0, 1.0, 2.0};
    for (int k = 0; k < 4; k++) {
        world longer = vine(SHOOT + 0.02 + reach[k] * h, &o);
        solve_at(&longer, 0.0, 1.0, 0.4);
        memcpy(p[k], fed_tip(&longer).p, sizeof p[k]);
        world_free(&longer);
    }
    solve_at(&w, 0.02, 1.0, 0.4);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, STEM + SHOOT + 0.02, J));
    for (int k = 0; k < 3; k++) {
        const double moved = (p[0][k] - 8.0 * p[1][k] + 8.0 * p[2][k] - p[3][k]) / (12.0 * h);
        CHECK_NEAR(J[(3 + k) * 3], moved, 1e-6);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- energy
static double imbalance(td_theory theory, int steps, double *stored, double tip[3]) {
    const td_options o = fed_options(theory);
    return fed_imbalance(vine(SHOOT, &o), steps, stored, tip);
}

static void growth_and_tendons_do_the_work_that_is_stored(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        double stored, tip[3];
        const double coarse = fabs(imbalance((td_theory)theory, 200, &stored, tip));
        const double fine = fabs(imbalance((td_theory)theory, 400, &stored, tip));
        assert_true(fabs(stored) > 1e-4);
        CHECK_BETWEEN(fine, 0.0, 2e-6 * fabs(stored));
        CHECK_BETWEEN(coarse / fine, 2.5, 6.0);  // second order
    }
}

// Slowly, it goes through equilibria.
static void grown_slowly_it_ends_as_a_longer_one(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_KIRCHHOFF);
    double stored, tip[3];
    imbalance(TD_KIRCHHOFF, 400, &stored, tip);
    world longer = vine(SHOOT + 0.05, &o);
    solve_at(&longer, 0.0, 1.0, 0.4);
    const td_pose want = fed_tip(&longer);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], want.p[k], 5e-5);
    world_free(&longer);
}

// Straight and without loads it grows with nothing in motion: no work, wherever its tip is.
static world plain(double moment) {
    td_error err = {0};
    td_piece_def piece = fed_piece(0.1, 0.5e-3, 0.5e-3, MODULUS);
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed");
    rod.name = "vine", rod.pieces = &piece, rod.n_pieces = 1;
    rod.feed = driven(0), rod.feed_at_tip = true;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    add_tip_moment(robot, 0.1, 0.0, moment, 0.0);
    const td_options o = fed_options(TD_COSSERAT);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void grow(const world *w, double by, double time, int steps) {
    for (int i = 1; i <= steps; i++) {
        td_set_input(w->system, w->state, 0, by * i / steps);
        td_set_input_rate(w->system, w->state, 0, by / time);
        CHECK_CALL(w, td_step(w->system, w->state, time / steps));
    }
}

static void a_straight_vine_grows_without_work(void **unused) {
    (void)unused;
    world w = plain(0.0);
    grow(&w, 0.1, 0.1, 50);
    const td_energy e = td_get_energy(w.system, w.state);
    CHECK_NEAR(fed_tip(&w).p[2], 0.2, 1e-12);
    CHECK_NEAR(e.kinetic, 0.0, 1e-20);
    CHECK_NEAR(e.elastic, 0.0, 1e-20);
    CHECK_NEAR(e.work, 0.0, 1e-20);
    world_free(&w);
}

// Under a moment M at its tip it is an arc of curvature M/EI that goes on as it is, at whatever speed: each metre comes with
// M^2/(2 EI), and the moment, which turns no material, does nothing.
static void an_arc_goes_on_as_it_is_and_stores_what_growth_brings(void **unused) {
    (void)unused;
    const double M = 0.02, EI = MODULUS * 3.14159265358979323846 / 4.0 * pow(0.5e-3, 4.0);
    world w = plain(M);
    const td_energy from = td_get_energy(w.system, w.state);
    grow(&w, 0.1, 0.05, 50);
    const td_energy e = td_get_energy(w.system, w.state);
    const double u = M / EI, want = 0.5 * M * M / EI * 0.1;
    CHECK_NEAR(from.elastic, want, 1e-8 * want);
    CHECK_NEAR(e.elastic - from.elastic, want, 1e-8 * want);
    CHECK_NEAR(e.work - from.work, want, 1e-8 * want);
    CHECK_NEAR(e.kinetic, 0.0, 1e-16);
    CHECK_NEAR(fed_tip(&w).p[0], (1.0 - cos(0.2 * u)) / u, 1e-9);
    CHECK_NEAR(fed_tip(&w).p[2], sin(0.2 * u) / u, 1e-9);
    world_free(&w);
}

// ---------------------------------------------------------------- among other things
// A vine that is pushed out, or grows, under a post, in a magnetic field, in a stream or against what pulls and fills it stores
// energy and loses some: all of that is work of the feed and of what acts on it. Returns the share of the largest energy that is
// missing.
static double missing(const char *rod, const char *among, bool at_tip, double dt) {
    char text[1024];
    td_error err = {0};
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: vine, length: 0.2, feed: grow, feed_at_tip: %s, base: {direction: [1, 0, "
        "0]}, %s}]\n"
        "%s\n"
        "inputs: {grow: {curve: [[0, 0], [1, 0.2]]}}\n",
        at_tip ? "true" : "false", rod, among);
    td_robot *robot = td_robot_parse(text, strlen(text), "vine.yaml", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    const td_options o = td_robot_options(robot);
    td_system *system = td_system_create(robot, &o, &err);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    assert_true(td_begin(system, state) >= 0);
    const td_energy from = td_get_energy(system, state);
    const double start = from.kinetic + from.elastic + from.gravity;
    double most = 0.0, most_missing = 0.0;
    while (td_get_time(system, state) < 1.0 - 0.5 * dt) {
        assert_true(td_advance(system, state, dt) >= 0);
        const td_energy e = td_get_energy(system, state);
        const double has = e.kinetic + e.elastic + e.gravity + e.dissipated - start;
        most = fmax(most, fmax(fabs(e.work), e.elastic));
        most_missing = fmax(most_missing, fabs(has - e.work));
    }
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    assert_true(most > 1e-5);
    return most_missing / most;
}

static void all_that_acts_on_a_vine_is_in_the_balance(void **unused) {
    (void)unused;
    static const char post[] =
        "section: {radius: 10 mm}, damping: {time: 50 ms}, material: {youngs_modulus: 2 MPa, "
        "poisson_ratio: 0.4, density: 50}";
    static const char soft[] = "section: {radius: 5 mm}, damping: {time: 20 ms}, magnetisation: "
                               "[0, 0, 80 kA/m], material: "
                               "{youngs_modulus: 2 MPa, poisson_ratio: 0.4, density: 800}";
    static const char wet[] =
        "section: {radius: 5 mm}, damping: {time: 20 ms}, drag_coefficient: [1.1, 0.1], "
        "added_mass: "
        "[1, 1, 0.2], material: {youngs_modulus: 2 MPa, poisson_ratio: 0.4, density: 800}";
    static const struct {
        const char *rod, *among;
        double most;
    } trials[] = {
        {post,
         "obstacles: [{name: post, cylinder: {radius: 50 mm}, position: [0.3, 0, 45 mm], "
         "direction: "
         "[0, 1, 0], stiffness: 1e4 Pa}]\n"
         "simulation: {space: {elements: 16, nodes: 3}}",
         0.02},
        {soft, "fields: [{name: b, flux: [0, 0, 3 mT], gradient: {xz: 0.02}}]", 1e-4},
        {wet, "fluid: {density: 1200, velocity: [0, 0, 0.2]}", 1e-4},
        {post,
         "tendons: [{name: pull, offset: [5 mm, 2 mm], input: displacement, stiffness: 500 N, "
         "pretension: 1 N, value: {curve: [[0, 0], [1, 8 mm]]}}]",
         1e-4},
        {post,
         "tendons: [{name: pull, offset: [5 mm, 2 mm], stiffness: 500 N, input: voltage, value: "
         "{curve: [[0, 0], [0.5, 1]]}, motor: {spool: 5 mm, gear: 10, inertia: 1e-7, friction: "
         "1e-5, "
         "torque_constant: 0.02, resistance: 2, inductance: 1 mH}}]",
         1e-4},
        {post,
         "chambers: [{name: room, radius: 3 mm, offset: [4 mm, 0], input: opening, value: {curve: "
         "[[0, 0], [0.1, 1]]}, valve: {supply: 20 kPa, conductance: 1e-11}}]",
         1e-4},
    };
    for (int at_tip = 0; at_tip < 2; at_tip++)
        for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
            const double coarse = missing(trials[i].rod, trials[i].among, at_tip, 10e-3);
            const double fine = missing(trials[i].rod, trials[i].among, at_tip, 2.5e-3);
            CHECK_BETWEEN(fine, 0.0, trials[i].most);
            CHECK_BETWEEN(fine / coarse, 0.0, 0.4);
        }
}

// ---------------------------------------------------------------- what is refused
static void what_is_drawn_in_too_far_is_refused(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_COSSERAT);
    world w = vine(SHOOT, &o);
    solve_at(&w, 0.01, 0.5, 0.2);
    td_set_input(w.system, w.state, 0, -0.03);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "from where something is on it"));
    CHECK_NEAR(td_get_length(w.system, w.state, 0), STEM + SHOOT + 0.01, 1e-15);
    world_free(&w);
}

static td_status refusal(td_robot *robot, td_space space, td_error *err) {
    td_options o = fed_options(TD_COSSERAT);
    o.space = space;
    td_system *system = td_system_create(robot, &o, err);
    const td_status status = system ? TD_OK : err->status;
    td_system_destroy(system);
    td_robot_destroy(robot);
    return status;
}

static void what_cannot_sit_on_a_growing_tip_is_refused(void **unused) {
    (void)unused;
    td_error err = {0};
    assert_int_equal(refusal(vine_robot(SHOOT), TD_SHOOTING, &err), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "feeds rods at their bases alone"));
    td_robot *robot = vine_robot(SHOOT);
    td_body_def bud = td_default_body_def();
    bud.name = "bud", bud.at = STEM + SHOOT, bud.mass = 1e-4;
    CHECK_OK(td_robot_add_body(robot, &bud, &err), err);
    assert_int_equal(refusal(robot, TD_COLLOCATION, &err), TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, "bodies.bud");
    assert_non_null(strstr(err.message, "where no body can ride"));
    robot = vine_robot(SHOOT);
    td_tendon_def t = td_default_tendon_def();
    t.name = "rough", t.to = STEM + SHOOT, t.friction = 0.1, t.offset[0] = t.offset_end[0] = 1e-3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    assert_int_equal(refusal(robot, TD_COLLOCATION, &err), TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, "tendons.rough");
    robot = vine_robot(SHOOT);
    t.friction = 0.0, t.offset_end[0] = 2e-3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    assert_int_equal(refusal(robot, TD_COLLOCATION, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "or let it end before"));
}

static void a_tip_that_tapers_or_is_held_does_not_grow(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = fed_piece(0.1, 0.5e-3, 0.5e-3, MODULUS);
    td_rod_def rod = td_default_rod_def();
    rod.name = "vine", rod.pieces = &piece, rod.n_pieces = 1;
    rod.feed = td_constant(0.01), rod.feed_at_tip = true;
    piece.section_end.radius = 0.4e-3;
    assert_int_equal(td_robot_add_rod(robot, &rod, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "what is added at a tip must be uniform"));
    piece.section_end.radius = 0.5e-3;
    rod.tip.held = true;
    assert_int_equal(td_robot_add_rod(robot, &rod, &err), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "has that free"));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grown_vine_stands_as_a_longer_one),
        cmocka_unit_test(the_jacobian_by_the_growth_is_that_of_differences),
        cmocka_unit_test(growth_and_tendons_do_the_work_that_is_stored),
        cmocka_unit_test(grown_slowly_it_ends_as_a_longer_one),
        cmocka_unit_test(a_straight_vine_grows_without_work),
        cmocka_unit_test(an_arc_goes_on_as_it_is_and_stores_what_growth_brings),
        cmocka_unit_test(all_that_acts_on_a_vine_is_in_the_balance),
        cmocka_unit_test(what_is_drawn_in_too_far_is_refused),
        cmocka_unit_test(what_cannot_sit_on_a_growing_tip_is_refused),
        cmocka_unit_test(a_tip_that_tapers_or_is_held_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
