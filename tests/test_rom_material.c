// Materials under the model rom: rubber, laws of sections, sections that follow the mean stretch, damping by a power
// of the rate, against formulas and against segments (eba); rods of pieces, and what rides and
// goes.
#include "integrate/sundials.h"
#include "materials.h"
#include "rom.h"

#define PI 3.14159265358979323846

static td_robot *hanging_by(double length, double force) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length, piece.youngs_modulus = 2e5, piece.shear_modulus = 7e4,
    piece.density = 1000;
    piece.section.radius = piece.section_end.radius = 0.01;
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, length, 0.0, 0.0, force);
    return robot;
}

static td_robot *hanging(double force) {
    return hanging_by(0.1, force);
}

// Simple tension: E A (l - 1/l^2)/3 = F; pushed, it is too short to buckle.
static void rubber_stretches_as_rubber(void **state) {
    (void)state;
    const double EA = 2e5 * PI * 1e-4;
    for (int i = 0; i < 2; i++) {
        const double l = i ? 0.8 : 1.7, force = EA * (l - 1.0 / (l * l)) / 3.0;
        td_options o = rom_options(3);
        const double length = i ? 0.01 : 0.1;
        world w = world_make(of_rubber(hanging_by(length, force)), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        CHECK_NEAR(tip_of(&w).p[2] / length, l, 1e-9);
        world_free(&w);
    }
}

static td_robot *blown(double pressure, const double offsets[2]) {
    td_error err = {0};
    td_robot *robot = hanging(0.0);
    for (int i = 0; i < 2; i++) {
        td_chamber_def c = td_default_chamber_def();
        c.name = i ? "a" : "b", c.to = 0.1, c.offset[0] = offsets[i], c.radius = 2e-3;
        c.value = td_constant(pressure);
        CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    }
    return robot;
}

// E (A_s/l - 2 a b)/l (l - 1) = 2 p a b with b = (1 - l^2 cos^2 g)/sin^2 g, A_s = A + 2 a: by
// bisection.
static double blown_stretch(double pressure, double g) {
    const double a = PI * 4e-6, A = PI * 1e-4;
    double low = 1.0, high = 2.0;
    for (int i = 0; i < 60; i++) {
        const double l = 0.5 * (low + high), b = (1.0 - pow(l * cos(g), 2)) / pow(sin(g), 2);
        const double left = 2e5 * ((A + 2.0 * a) / l - 2.0 * a * b) / l * (l - 1.0);
        if (left > 2.0 * pressure * a * b) high = l;
        else low = l;
    }
    return 0.5 * (low + high);
}

static void sections_follow_the_mean_stretch(void **state) {
    (void)state;
    const double even[2] = {5e-3, -5e-3};
    for (int i = 0; i < 2; i++) {
        td_options o = rom_options(3);
        const double angle = i ? 1.3 : PI / 2.0;
        world w = world_make(following_stretch(blown(2e5, even), angle), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(tip_of(&w).p[2] / 0.1, blown_stretch(2e5, angle), 1e-10);
        world_free(&w);
    }
}

// What segments of order 2 tend to, from so many and half as many.
static vec3 limit(vec3 many, vec3 half) {
    return vec3_madd(vec3_scale(many, 4.0 / 3.0), -1.0 / 3.0, half);
}

// Bent by both chambers: as segments are.
static void bending_under_the_mean_stretch_is_that_of_segments(void **state) {
    (void)state;
    const double uneven[2] = {5e-3, 4e-3};
    vec3 tip[3];
    for (int k = 0; k < 3; k++) {
        td_options o = k ? lumped_options("eba", 30 * k, false) : rom_options(6);
        world w = world_make(following_stretch(blown(3e5, uneven), 1.4), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        tip[k] = vec3_load(tip_of(&w).p);
        world_free(&w);
    }
    assert_true(fabs(tip[0].x) > 0.02);
    CHECK_NEAR(vec3_norm(vec3_sub(tip[0], limit(tip[2], tip[1]))), 0.0, 1e-7);
}

static double balance_of(const world *w, double *elastic) {
    const td_energy e = td_get_energy(w->system, w->state);
    *elastic = e.elastic;
    return e.kinetic + e.elastic + e.gravity + e.dissipated - e.work;
}

// Let go under pressure it swings; what the change of its sections stores or frees is in the
// balance, of polynomials and of segments.
static void the_energy_of_sections_that_change_is_accounted_for(void **state) {
    (void)state;
    static const char *const models[] = {"rom", "eba", "ebr", "srl"};
    const double uneven[2] = {5e-3, 4e-3};
    for (int k = 0; k < 8; k++) {
        td_options o = k % 4 ? lumped_options(models[k % 4], 4, false) : rom_options(3);
        o.integration.method = k < 4 ? TD_STEPS_FIXED : TD_STEPS_IMPLICIT;
        if (k >= 4 && !integrator_exists()) continue;
        world w = world_make(following_stretch(blown(2e5, uneven), 1.4), &o);
        double elastic = 0.0, most = 0.0, drift = 0.0;
        const double before = balance_of(&w, &elastic);
        for (int i = 0; i < 200; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, 2e-4));
            drift = fmax(drift, fabs(balance_of(&w, &elastic) - before));
            most = fmax(most, elastic);
        }
        CHECK_BETWEEN(drift / most, 0.0, 2e-3);
        world_free(&w);
    }
}

static vec3 swing(td_options o, double power) {
    lumped_rod r = module_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = i < 3 ? 1e-5 : 0.1;
    const double inside[3] = {0.02, 0.01, 2.0};
    world w = world_make(damped_by_power(module_robot(&r, inside), power), &o);
    for (int i = 0; i < 100; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-4));
    vec3 tip = module_tip(&w);
    world_free(&w);
    return tip;
}

static void damping_by_a_power_is_that_of_segments(void **state) {
    (void)state;
    vec3 by_power[2];
    for (int k = 0; k < 2; k++) {
        by_power[k] = swing(rom_options(5), k + 1.0);
        const vec3 segments = limit(swing(lumped_options("eba", 16, false), k + 1.0),
                                    swing(lumped_options("eba", 8, false), k + 1.0));
        CHECK_NEAR(vec3_norm(vec3_sub(by_power[k], segments)), 0.0, 1e-5);
    }
    assert_true(vec3_norm(vec3_sub(by_power[0], by_power[1])) > 1e-3);
}

// ---------------------------------------------------------------- laws of sections
// A cantilever that is bent by a force at its tip, and half way back: no two of its sections have the same strain. Its sections couple
// bending with torsion and stretch, are of rubber, or rub.
static td_robot *cantilever_of(int law) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.3, piece.youngs_modulus = 1e6, piece.shear_modulus = 4e5, piece.density = 1000;
    piece.section.radius = piece.section_end.radius = 0.01;
    if (law == 0) {
        const double K[6] = {8e-3, 1e-2, 6e-3, 1e2, 1e2, 3e2};
        for (int i = 0; i < 6; i++) piece.stiffness_matrix[7 * i] = K[i];
        piece.stiffness_matrix[2] = piece.stiffness_matrix[12] = 3e-3;
        piece.stiffness_matrix[11] = piece.stiffness_matrix[31] = 0.6;
        piece.mass_per_length = 0.3;
    }
    if (law == 1) piece.law = TD_RUBBER, piece.mooney_share = 0.3;
    if (law == 2) piece.hysteresis = (td_hysteresis){4e-3, 2.0, 2.0, 0.6};
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = td_default_load_def();
    load.name = "push", load.from = load.to = 0.3;
    load.force[0] = (td_number){0.0, 0.06, add_input(robot, "push")};
    load.force[1] = (td_number){0.0, 0.1, 0};
    td_error err = {0};
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    return robot;
}

static void laws_of_sections_are_those_of_cosserat(void **state) {
    (void)state;
    for (int law = 0; law < 3; law++) {
        td_sample tip[2], middle[2];
        double stored[2];
        for (int k = 0; k < 2; k++) {
            td_options o = k ? td_default_options() : rom_options(7);
            if (k) o.nodes = 16;
            world w = world_make(cantilever_of(law), &o);
            CHECK_CALL(&w, td_begin(w.system, w.state));
            for (int i = 1; i <= 12; i++) {
                td_set_input(w.system, w.state, 0, i <= 8 ? i / 8.0 : 2.0 - i / 8.0);
                CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            }
            tip[k] = td_get_sample(w.system, w.state, 0, 0.3);
            middle[k] = td_get_sample(w.system, w.state, 0, 0.13);
            stored[k] = td_get_energy(w.system, w.state).elastic;
            world_free(&w);
        }
        assert_true(hypot(tip[1].pose.p[0], tip[1].pose.p[1]) > 0.05);
        for (int i = 0; i < 3; i++) CHECK_NEAR(tip[0].pose.p[i], tip[1].pose.p[i], 1e-6);
        for (int i = 0; i < 6; i++) CHECK_NEAR(middle[0].wrench[i], middle[1].wrench[i], 1e-5);
        CHECK_NEAR(stored[0] / stored[1], 1.0, 1e-5);
    }
}

// ---------------------------------------------------------------- pieces
// Curvature jumps where the section changes, and where a tendon ends: polynomials end there too,
// and convergence stays spectral.
static td_robot *two_segments(void) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.25, pieces[1].length = 0.15;
    pieces[1].section.radius = pieces[1].section_end.radius = 0.8e-3;
    pieces[1].rest_curvature[0] = 0.5;
    td_robot *robot = rod_robot(pieces, 2);
    td_tendon_def t = td_default_tendon_def();
    t.name = "short", t.to = 0.2, t.offset[0] = t.offset_end[0] = 8e-3, t.value = td_constant(20.0);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    add_tip_force(robot, 0.4, 0.3, 0.2, 0.0);
    return robot;
}

static void robots_of_parts_converge_to_cosserat(void **state) {
    (void)state;
    vec3 tip[4];
    for (int i = 0; i < 4; i++) {
        td_options o = i < 3 ? rom_options(2 + 2 * i) : td_default_options();
        if (i == 3) o.nodes = 24;
        world w = world_make(two_segments(), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        tip[i] = vec3_load(tip_of(&w).p);
        world_free(&w);
    }
    const double bounds[3] = {3e-6, 1e-10, 1e-10};
    for (int i = 0; i < 3; i++) CHECK_BETWEEN(vec3_norm(vec3_sub(tip[i], tip[3])), 0.0, bounds[i]);
}

static void too_many_parts_for_the_order_are_refused(void **state) {
    (void)state;
    td_piece_def pieces[20];
    for (int i = 0; i < 20; i++) {
        pieces[i] = steel_piece();
        pieces[i].length = 0.02, pieces[i].density = 8000.0 + i;
    }
    td_error err = {0};
    td_options o = rom_options(4);
    td_robot *robot = rod_robot(pieces, 20);
    assert_null(td_system_create(robot, &o, &err));
    assert_string_equal(err.where, "simulation.rom.order");
    assert_non_null(strstr(err.message, "rod 'rod' has 20 parts"));
    o.rom.order = 2;
    td_system *system = td_system_create(robot, &o, &err);
    assert_non_null(system);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- measures that are given
// A tendon that does not stretch is pulled out by 5 mm, its neighbour goes slack; a chamber is
// filled.
static td_robot *filled(void) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.1, piece.youngs_modulus = 2e5, piece.shear_modulus = 7e4, piece.density = 1000;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.damping_time = 0.01;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 9.81, 0.0);
    for (int i = 0; i < 2; i++) {
        td_tendon_def t = td_default_tendon_def();
        t.name = i ? "slack" : "drawn", t.to = 0.1, t.input = TD_DISPLACEMENT;
        t.offset[0] = t.offset_end[0] = i ? -8e-3 : 8e-3;
        t.value = td_constant(i ? -0.02 : 5e-3);
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    td_chamber_def c = td_default_chamber_def();
    c.name = "water", c.to = 0.1, c.offset[1] = 4e-3, c.radius = 2e-3, c.input = TD_VOLUME;
    c.path_volume = true, c.value = td_constant(1.1 * PI * 4e-6 * 0.1);
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    return robot;
}

static void given_displacements_and_volumes_are_held(void **state) {
    (void)state;
    td_sample tip[2];
    double tension[2], pressure[2];
    for (int k = 0; k < 2; k++) {
        td_options o = k ? td_default_options() : rom_options(6);
        world w = world_make(filled(), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (int i = 0; i < 5; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));  // stays
        tip[k] = td_get_sample(w.system, w.state, 0, 0.1);
        td_tendon_state t = td_get_tendon(w.system, w.state, 0);
        td_chamber_state c = td_get_chamber(w.system, w.state, 0);
        tension[k] = t.tension, pressure[k] = c.pressure;
        CHECK_NEAR(t.displacement, 5e-3, 1e-9);
        CHECK_NEAR(c.volume / (PI * 4e-7), 1.1, 1e-6);
        assert_true(td_get_tendon(w.system, w.state, 1).slack);
        assert_int_equal(td_get_stats(w.state)->slack, 1);
        world_free(&w);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[0].pose.p[i], tip[1].pose.p[i], 1e-7);
    CHECK_NEAR(tension[0] / tension[1], 1.0, 1e-5);
    CHECK_NEAR(pressure[0] / pressure[1], 1.0, 1e-5);
}

// ---------------------------------------------------------------- a body that is dropped
static void a_dropped_body_takes_its_energy_along(void **state) {
    (void)state;
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -9.81, 0.0, 0.0);
    int held = add_input(robot, "held");
    td_body_def body = td_default_body_def();
    body.name = "weight", body.at = 0.4, body.mass = 0.02,
    body.attached = (td_number){0.0, 1.0, held};
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_options o = rom_options(5);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, held, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_energy before = td_get_energy(w.system, w.state);
    const double low = tip_of(&w).p[0];
    td_set_input(w.system, w.state, held, 0.0);
    td_restart(w.system, w.state);
    for (int i = 0; i < 200; i++) CHECK_CALL(&w, td_step(w.system, w.state, 2e-4));
    const td_energy after = td_get_energy(w.system, w.state);
    CHECK_NEAR(after.work, 0.02 * 9.81 * -low, 1e-9);  // what left had lost this height
    const double start = before.elastic + before.gravity;
    const double now = after.kinetic + after.elastic + after.gravity - after.work;
    CHECK_NEAR(now / start, 1.0, 2e-2);
    assert_true(tip_of(&w).p[0] > low + 0.01);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_stretches_as_rubber),
        cmocka_unit_test(sections_follow_the_mean_stretch),
        cmocka_unit_test(bending_under_the_mean_stretch_is_that_of_segments),
        cmocka_unit_test(the_energy_of_sections_that_change_is_accounted_for),
        cmocka_unit_test(damping_by_a_power_is_that_of_segments),
        cmocka_unit_test(laws_of_sections_are_those_of_cosserat),
        cmocka_unit_test(robots_of_parts_converge_to_cosserat),
        cmocka_unit_test(too_many_parts_for_the_order_are_refused),
        cmocka_unit_test(given_displacements_and_volumes_are_held),
        cmocka_unit_test(a_dropped_body_takes_its_energy_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
