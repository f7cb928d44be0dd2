// Rods that are fed and relax: what comes out of the base has rested straight in there, and flows from then on with its own
// time, wherever it is.
#include "fed.h"

#define PI 3.14159265358979
#define MOMENT 1e-3                       // N m
#define EI (1e9 * PI / 4.0 * 0.0625e-12)  // N m^2
#define SHARE 0.8
#define TIME 0.3   // s
#define LONG 0.05  // m
#define FED 0.06   // m, at most

typedef enum piece_law { RELAXES, RUBS } piece_law;

static td_robot *wire_robot(bool at_tip, piece_law first, piece_law second) {
    td_error err = {0};
    td_piece_def pieces[2] = {fed_piece(0.6 * LONG, 0.5e-3, 0.5e-3, 1e9),
                              fed_piece(0.4 * LONG, 0.5e-3, 0.5e-3, 1e9)};
    const piece_law laws[2] = {first, second};
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    td_load_def load = td_default_load_def();
    add_input(robot, "feed"), add_input(robot, "x"), add_input(robot, "y");
    for (int i = 0; i < 2; i++) {
        pieces[i].density = 1.0;  // hardly any inertia
        if (laws[i] == RELAXES) pieces[i].relaxation = (td_relaxation){{SHARE}, {TIME}};
        else pieces[i].hysteresis = (td_hysteresis){.moment = 1e-4, .curvature = 1.0};
    }
    rod.name = "wire", rod.pieces = pieces, rod.n_pieces = 2, rod.feed = driven(0);
    rod.feed_at_tip = at_tip;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    load.name = "bend", load.from = LONG, load.moment[1] = td_constant(MOMENT);
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    return robot;
}

static td_options options(int elements, int nodes) {
    td_options o = fed_options(TD_KIRCHHOFF);
    o.elements = elements, o.nodes = nodes, o.scheme = TD_BDF2;
    return o;
}

// A wire with hardly any inertia, which a moment at its tip bends; of two pieces, of which one gets longer.
static world wire(const td_options *o, bool at_tip) {
    return world_make(wire_robot(at_tip, RELAXES, RELAXES), o);
}

static double angle_of(const world *w) {
    const td_pose tip = fed_tip(w);
    return 2.0 * atan2(tip.q[2], tip.q[0]);
}

// Out and half of the way back, within END.
#define END 0.75  // s
static double fed_at(double t) {
    const double s = sin(PI * t);
    return FED * s * s;
}
static double rate_at(double t) {
    return FED * PI * sin(2.0 * PI * t);
}

// Each place of the wire has borne the moment since it came out, and crept to M/EI (1 - g/(1 + g) exp(-t/(T (1 + g)))) in that
// time; what was out before is bent by M/EI. The tip is turned by the sum.
static double turned(double end) {
    enum { N = 4000 };
    double sum = LONG;
    for (int i = 0; i < N; i++) {
        const double out = fed_at(end) * (i + 0.5) / N, came = asin(sqrt(out / FED)) / PI;
        const double crept = exp((came - end) / (TIME * (1.0 + SHARE)));
        sum += fed_at(end) / N * (1.0 - SHARE / (1.0 + SHARE) * crept);
    }
    return MOMENT / EI * sum;
}

// By how much the angle of the tip is off, and work that is neither stored nor lost, by what is stored.
static double error_at(const td_options *o, double end, int steps, double *energy) {
    world w = wire(o, false);
    solve_at(&w, 0.0, 0.0, 0.0);
    const td_energy a = td_get_energy(w.system, w.state);
    for (int i = 1; i <= steps; i++) {
        const double t = end * i / steps;
        td_set_input(w.system, w.state, 0, fed_at(t));
        td_set_input_rate(w.system, w.state, 0, rate_at(t));
        CHECK_CALL(&w, td_step(w.system, w.state, end / steps));
    }
    const td_energy b = td_get_energy(w.system, w.state);
    *energy = (b.work - b.dissipated + a.elastic - b.elastic - b.kinetic) / b.elastic;
    assert_true(b.dissipated > 1e-2 * a.elastic);
    const double truth = turned(end), angle = angle_of(&w);
    // far from what it would be without memory
    assert_true(fabs(MOMENT / EI * (LONG + fed_at(end)) / truth - 1.0) > 0.05);
    world_free(&w);
    return angle / truth - 1.0;
}

static void what_comes_out_creeps_with_its_own_time(void **unused) {
    (void)unused;
    static const double ends[2] = {0.4, END};  // on the way out, and back
    for (int k = 0; k < 2; k++) {
        const td_options coarse = options(6, 4), fine = options(12, 8), finer = options(24, 4);
        double energy;
        CHECK_NEAR(error_at(&coarse, ends[k], 60, &energy), 0.0, 2e-3);
        CHECK_NEAR(error_at(&fine, ends[k], 800, &energy), 0.0, 2e-4);
        CHECK_NEAR(energy, 0.0, 4e-3);
        // neither short steps nor large ones make anything grow
        CHECK_NEAR(error_at(&finer, ends[k], 60, &energy), 0.0, 2e-3);
        CHECK_NEAR(energy, 0.0, 2e-2);
    }
}

// New material is slack at the strain of the tip, which nothing changes.
static void what_grows_at_the_tip_has_nothing_to_relax(void **unused) {
    (void)unused;
    const td_options o = options(12, 4);
    world w = wire(&o, true);
    solve_at(&w, 0.0, 0.0, 0.0);
    const td_energy a = td_get_energy(w.system, w.state);
    for (int i = 1; i <= 100; i++) {
        const double t = 0.5 * i / 100.0;
        td_set_input(w.system, w.state, 0, fed_at(t));
        td_set_input_rate(w.system, w.state, 0, rate_at(t));
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    }
    const td_energy b = td_get_energy(w.system, w.state);
    CHECK_NEAR(angle_of(&w), MOMENT / EI * (LONG + FED), 1e-6);
    CHECK_NEAR(b.dissipated / b.elastic, 0.0, 1e-6);
    CHECK_NEAR((b.work - a.work) / (b.elastic + b.kinetic - a.elastic), 1.0, 1e-6);
    world_free(&w);
}

static td_status made(piece_law first, piece_law second, td_error *err) {
    td_options o = options(2, 8);
    td_robot *robot = wire_robot(false, first, second);
    td_system *system = td_system_create(robot, &o, err);
    const td_status status = system ? TD_OK : err->status;
    td_system_destroy(system);
    td_robot_destroy(robot);
    return status;
}

static void which_way_it_went_is_kept_only_beyond_what_gets_longer(void **unused) {
    (void)unused;
    td_error err = {0};
    assert_int_equal(made(RUBS, RELAXES, &err), TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, "rods.wire.feed");
    assert_non_null(strstr(err.message, "which way it went"));
    assert_int_equal(made(RELAXES, RUBS, &err), TD_OK);
}

// What comes out bends by its sudden stiffness, which no slope of the shape along the rod tells of.
static void small_motions_are_refused(void **unused) {
    (void)unused;
    const td_options o = options(2, 8);
    td_error err = {0};
    world w = wire(&o, false);
    solve_at(&w, 0.0, 0.0, 0.0);
    td_linearisation *l = td_linearisation_create(w.system, NULL, 0, &err);
    assert_int_equal(td_linearise(w.system, w.state, l), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "rod 'wire' is fed by an input and its material"));
    assert_int_equal(td_differentiate_step(w.system, w.state, 0.01, l), TD_ERR_UNSUPPORTED);
    td_linearisation_destroy(l);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_out_creeps_with_its_own_time),
        cmocka_unit_test(what_grows_at_the_tip_has_nothing_to_relax),
        cmocka_unit_test(which_way_it_went_is_kept_only_beyond_what_gets_longer),
        cmocka_unit_test(small_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
