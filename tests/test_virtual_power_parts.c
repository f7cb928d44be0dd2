// What belongs to a robot of discs: where its parts are, what they weigh, how they are driven, and
// the promises that every model makes.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tendril/tendril.h>

#include "robot/actuators.h"
#include "allocator.h"
#include "check.h"
#include "math/quat.h"
#include "model/virtual_power/virtual_power.h"
#include "rone_robot.h"
#include "sim/system.h"

#define PI 3.14159265358979323846

static td_options power(void) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    return o;
}

static const arm *arm_of(const world *w) {
    return ((const virtual_power *)w->system->compiled)->arms;
}

// ---------------------------------------------------------------- masses Disc, core and rods of
// the prototype: 2.820e-7 and 1.901e-7 kg m^2, where Table 1 has 20 to 27 times as much. Masses
// and axial moments are those of Table 1.
static td_robot *prototype(void) {
    td_piece_def core = td_default_piece_def();
    core.length = 0.24, core.youngs_modulus = 210e9, core.shear_modulus = 80e9;
    core.density = 7850.0;
    core.section.radius = core.section_end.radius = 0.52e-3;
    td_robot *robot = rod_robot(&core, 1);
    rone_add_discs(robot);
    double mass = 0.002869 - 7 * 0.03 * 7850.0 * PI * 0.52e-3 * 0.52e-3, r = 0.015, h = 0.002;
    for (int i = 0; i < RONE_DISCS; i++) {
        td_body_def *b = &robot->bodies[i].def;
        b->mass = mass;
        b->inertia[0] = b->inertia[1] = mass * (3.0 * r * r + h * h) / 12.0;
        b->inertia[2] = mass * r * r / 2.0;
    }
    rone_add_rods(robot, 0.0);
    for (int j = 0; j < RONE_RODS; j++)
        robot_tendon(robot, j)->mass_per_length = 7850.0 * PI * 0.52e-3 * 0.52e-3;
    return robot;
}

static void the_inertia_of_table_1_is_not_that_of_its_parts(void **unused) {
    (void)unused;
    td_options o = power();
    world w = world_make(prototype(), &o);
    const segment *s = arm_of(&w)->chain.segments;
    CHECK_NEAR(s[1].mass, 0.002869, 1e-12);
    CHECK_NEAR(s[1].inertia.m[0][0], 2.82007e-7, 2e-10);
    CHECK_NEAR(s[1].inertia.m[1][1], 2.82007e-7, 2e-10);
    CHECK_NEAR(s[1].inertia.m[2][2], 3.5298e-7, 5e-10);
    CHECK_NEAR(s[5].mass, 0.002269, 2e-6);
    CHECK_NEAR(s[5].inertia.m[0][0], 1.90067e-7, 2e-10);
    CHECK_NEAR(vec3_norm(s[1].moment), 0.0, 1e-18);
    // the rods of the first segment end at disc 4, and there is nothing beyond the last
    CHECK_NEAR(s[3].mass, 0.5 * (s[1].mass + s[5].mass), 1e-12);
    assert_true(s[7].mass < s[6].mass && s[7].moment.z < 0.0);
    world_free(&w);
}

static void all_mass_but_that_next_to_the_base_is_on_a_disc(void **unused) {
    (void)unused;
    td_options o = power();
    o.virtual_power.discs = 5;
    td_piece_def piece = steel_piece();
    piece.section_end.radius = 0.5e-3;
    world w = world_make(rod_robot(&piece, 1), &o);
    double sum = 0.0, a = 1e-3, b = 1e-3 - 0.5e-3 * 0.1;  // radii at the base and at a tenth
    for (int i = 0; i < 5; i++) sum += arm_of(&w)->chain.segments[i].mass;
    double whole = 8000.0 * PI * 0.4 * (1e-6 + 0.5e-6 + 0.25e-6) / 3.0;
    double fixed = 8000.0 * PI * 0.04 * (a * a + a * b + b * b) / 3.0;
    CHECK_NEAR(sum, whole - fixed, 1e-15);
    world_free(&w);
}

static void torsion_modes_of_the_straight_robot(void **unused) {
    (void)unused;
    td_options o = rone_options();
    o.virtual_power.torsion = o.virtual_power.rods_held = true;
    td_robot *robot = rone_robot(0.0);
    for (int j = 0; j < RONE_RODS; j++) robot_tendon(robot, j)->torsion = 2.0 * rone_bending / 2.6;
    world w = world_make(robot, &o);
    const chain *c = &arm_of(&w)->chain;
    arm_memory *m = ((power_memory *)w.state->memory)->arms;
    double stiffness[RONE_DISCS], x[RONE_DISCS], value = 0.0;
    memset(m->solve.q, 0, sizeof(double) * 24);
    for (int i = 0; i < RONE_DISCS; i++) {
        double q[3] = {0.0, 0.0, 1e-3}, Q[3] = {0.0, 0.0, 0.0};
        add_elastic_of(c, i, q, NULL, Q);
        stiffness[i] = -Q[2] / q[2];
        x[i] = 1.0;
    }
    CHECK_NEAR(stiffness[0], 7.189205548830145, 1e-9);  // the reference's
    CHECK_NEAR(stiffness[7], 3.749209345357656, 1e-9);
    move_chain(c, m->solve.q, NULL, m->discs);
    mass_matrix(c, m->discs, m->composites, m->solve.matrix);
    for (int round = 0; round < 200; round++) {  // the slowest mode: the largest of K^-1 M
        double y[RONE_DISCS], most = 0.0;
        for (int i = 0; i < RONE_DISCS; i++) {
            y[i] = 0.0;
            for (int k = 0; k < RONE_DISCS; k++)
                y[i] += m->solve.matrix[(3 * i + 2) * 24 + 3 * k + 2] * x[k] / stiffness[i];
            most = fmax(most, fabs(y[i]));
        }
        for (int i = 0; i < RONE_DISCS; i++) x[i] = y[i] / most;
        value = most;
    }
    CHECK_NEAR(1.0 / (2.0 * PI * sqrt(value)), 137.3510986170267, 1e-6);
    world_free(&w);
}

// ---------------------------------------------------------------- places and directions
// The robot turned as a whole, gravity with it: everything turns along.
static void it_does_not_matter_where_the_base_looks(void **unused) {
    (void)unused;
    td_options o = rone_options();
    world w = rone_world(0.3, &o);
    td_robot *turned = rone_robot(0.3);
    quat h = quat_normalise((quat){0.3, -0.5, 0.7, 0.2});
    quat_store(turned->rods[0].base.orientation, h);
    for (int k = 0; k < 3; k++) turned->rods[0].base.position[k] = td_constant(0.1 * k - 0.3);
    vec3 g = quat_rotate(h, vec3_make(-9.81, 0.0, 0.0));
    set_gravity(turned, g.x, g.y, g.z);
    world v = world_make(turned, &o);
    world *both[2] = {&w, &v};
    for (int i = 0; i < 2; i++) {
        CHECK_CALL(both[i], td_solve_statics(both[i]->system, both[i]->state));
        td_set_input(both[i]->system, both[i]->state, 3, 4.0);
        for (int k = 0; k < 10; k++)
            CHECK_CALL(both[i], td_step(both[i]->system, both[i]->state, 1e-3));
    }
    for (double s = 0.0; s <= 0.24; s += 0.04) {
        td_sample a = td_get_sample(w.system, w.state, 0, s), b;
        b = td_get_sample(v.system, v.state, 0, s);
        vec3 p = vec3_add(quat_rotate(h, vec3_load(a.pose.p)), vec3_make(-0.3, -0.2, -0.1));
        CHECK_NEAR(vec3_norm(vec3_sub(p, vec3_load(b.pose.p))), 0.0, 1e-9);
        for (int k = 0; k < 6; k++) CHECK_NEAR(a.velocity[k], b.velocity[k], 1e-6);
        for (int k = 0; k < 6; k++) CHECK_NEAR(a.wrench[k], b.wrench[k], 1e-8);
    }
    td_energy e = td_get_energy(w.system, w.state), f = td_get_energy(v.system, v.state);
    CHECK_NEAR(e.kinetic, f.kinetic, 1e-9);
    CHECK_NEAR(e.elastic, f.elastic, 1e-9);
    world_free(&w);
    world_free(&v);
}

// Along an arc the pose is the integral of the strain, and the velocity its change in time.
static void poses_strains_and_velocities_belong_together(void **unused) {
    (void)unused;
    td_options o = rone_options();
    o.virtual_power.torsion = true;
    o.virtual_power.one_direction = false;
    world w = rone_world(0.0, &o);
    td_set_input(w.system, w.state, 3, 6.0);
    td_set_input(w.system, w.state, 1, 3.0);
    for (int i = 0; i < 20; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-4));
    const double s = 0.131, e = 1e-5, dt = 1e-6;
    td_sample at = td_get_sample(w.system, w.state, 0, s);
    td_pose a = td_get_pose(w.system, w.state, 0, s - e), b;
    b = td_get_pose(w.system, w.state, 0, s + e);
    quat h = quat_load(at.pose.q);
    vec3 turn = quat_log(quat_mul(quat_conj(quat_load(a.q)), quat_load(b.q)));
    vec3 along = vec3_sub(vec3_load(b.p), vec3_load(a.p));
    along = quat_rotate(quat_conj(h), vec3_scale(along, 0.5 / e));
    CHECK_NEAR(vec3_norm(vec3_sub(vec3_scale(turn, 0.5 / e), vec3_load(at.strain))), 0.0, 1e-5);
    CHECK_NEAR(vec3_norm(vec3_sub(along, vec3_load(at.strain + 3))), 0.0, 1e-8);
    assert_true(fabs(at.strain[2]) > 1e-3);
    CHECK_CALL(&w, td_step(w.system, w.state, dt));
    td_pose later = td_get_pose(w.system, w.state, 0, s);
    vec3 moved = vec3_sub(vec3_load(later.p), vec3_load(at.pose.p));
    moved = quat_rotate(quat_conj(h), vec3_scale(moved, 1.0 / dt));
    double speed = vec3_norm(vec3_load(at.velocity + 3));
    CHECK_NEAR(vec3_norm(vec3_sub(moved, vec3_load(at.velocity + 3))), 0.0, 2e-3 * speed);
    vec3 spin = quat_log(quat_mul(quat_conj(h), quat_load(later.q)));
    spin = vec3_scale(spin, 1.0 / dt);
    CHECK_NEAR(vec3_norm(vec3_sub(spin, vec3_load(at.velocity))), 0.0,
               5e-3 * vec3_norm(vec3_load(at.velocity)));
    td_body_state disc = td_get_body(w.system, w.state, 3);
    td_sample there = td_get_sample(w.system, w.state, 0, 0.12);
    for (int k = 0; k < 3; k++) CHECK_NEAR(disc.pose.p[k], there.pose.p[k], 1e-13);
    for (int k = 0; k < 6; k++) CHECK_NEAR(disc.velocity[k], there.velocity[k], 1e-10);
    world_free(&w);
}

// A moment at the tip bends the core into an arc of curvature M/EI; a twisting one twists it.
static void a_moment_at_the_tip_bends_and_twists_evenly(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = power();
    o.virtual_power.torsion = true;
    double EI = 207e9 * PI * 1e-12 / 4.0, GJ = 79e9 * PI * 1e-12 / 2.0;
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("tip", 0.4);
    load.frame = TD_FRAME_BODY;
    set3(load.moment, 0.0, 0.2, 0.0);
    add_load(robot, &load);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_sample at = td_get_sample(w.system, w.state, 0, 0.17);
    CHECK_NEAR(at.strain[1], 0.2 / EI, 1e-8);
    CHECK_NEAR(at.wrench[1], 0.2, 1e-9);
    CHECK_NEAR(tip_of(&w).p[0], EI / 0.2 * (1.0 - cos(0.4 * 0.2 / EI)), 1e-9);
    world_free(&w);

    robot = rod_robot(&piece, 1);
    set3(load.moment, 0.0, 0.0, 0.1);
    add_load(robot, &load);
    w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    at = td_get_sample(w.system, w.state, 0, 0.17);
    CHECK_NEAR(at.strain[2], 0.1 / GJ, 1e-8);
    CHECK_NEAR(at.wrench[2], 0.1, 1e-9);
    world_free(&w);
}

// ---------------------------------------------------------------- drives
static td_robot *displaced(double stiffness, bool pushes, int *input) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    *input = add_input(robot, "pulled");
    td_tendon_def t = td_default_tendon_def();
    t.name = "t", t.to = 0.4, t.offset[0] = t.offset_end[0] = 0.01, t.stiffness = stiffness;
    t.input = TD_DISPLACEMENT, t.value = (td_number){0.0, 1.0, *input}, t.pushes = pushes;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

// Pulled by d, a tendon at offset r that stretches: T r^2 L/EI + T L/EA = d.
static void a_displacement_sets_the_tension(void **unused) {
    (void)unused;
    int input;
    double EI = 207e9 * PI * 1e-12 / 4.0, EA = 2e4, yield = 1e-4 * 0.4 / EI + 0.4 / EA;
    for (int pushes = 0; pushes < 2; pushes++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            td_options o = power();
            o.virtual_power.contact = TD_CONTACT_IDEAL;
            world w = world_make(displaced(EA, pushes, &input), &o);
            td_set_input(w.system, w.state, input, sign * 2e-3);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            td_tendon_state t = td_get_tendon(w.system, w.state, 0);
            bool slack = sign < 0 && !pushes;
            CHECK_NEAR(t.tension, slack ? 0.0 : sign * 2e-3 / yield, 1e-7);
            assert_int_equal(t.slack, slack);
            assert_int_equal(td_get_stats(w.state)->slack, slack);
            if (!slack) CHECK_NEAR(t.displacement, sign * 2e-3, 1e-12);
            world_free(&w);
        }
    }
}

static world pulled_wire(td_steps steps) {
    int input;
    td_options o = power();
    o.virtual_power.contact = TD_CONTACT_IDEAL;
    o.integration.method = steps;
    td_robot *robot = displaced(2e5, true, &input);
    robot->rods[0].pieces[0].damping_time = 2e-3;
    world w = world_make(robot, &o);
    for (int i = 1; i <= 400; i++) {
        td_set_input(w.system, w.state, input, i < 200 ? 1e-5 * i : 2e-3);
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    }
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).displacement, 2e-3, 1e-9);
    return w;
}

static void a_stiff_wire_moves_as_it_is_pulled(void **unused) {
    (void)unused;
    world w = pulled_wire(TD_STEPS_FIXED);
    double tension = td_get_tendon(w.system, w.state, 0).tension;
    world_free(&w);
    if (!integrator_exists()) return;
    w = pulled_wire(TD_STEPS_EXPLICIT);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, tension, 1e-3);
    td_energy e = td_get_energy(w.system, w.state);
    CHECK_NEAR(e.work, e.elastic + e.kinetic + e.dissipated, 1e-9 * e.work);
    world_free(&w);
}

static void tension_falls_from_disc_to_disc(void **unused) {
    (void)unused;
    td_options o = rone_options();
    world w = rone_world(0.3, &o);
    td_set_input(w.system, w.state, 4, 10.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double before = td_get_tension(w.system, w.state, 4, 0.01);
    CHECK_NEAR(before, 10.0, 1e-12);
    for (int i = 1; i < RONE_DISCS; i++) {
        double t = td_get_tension(w.system, w.state, 4, 0.03 * i + 0.01);
        assert_true(t < before);
        before = t;
    }
    CHECK_NEAR(before, 8.709779717792541, 1e-7);                      // the reference's
    CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.2), 0.0, 0.0);  // rod 1-1 ends at disc 4
    world_free(&w);
}

// ---------------------------------------------------------------- promises
static void several_rods_do_not_feel_each_other(void **unused) {
    (void)unused;
    td_options o = power();
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1), *alone = rod_robot(&piece, 1);
    td_error err = {0};
    td_rod_def rod = td_default_rod_def();
    piece.length = 0.2;
    rod.name = "other", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.position[0] = td_constant(0.5);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, -9.81, 0.0, 0.0);
    set_gravity(alone, -9.81, 0.0, 0.0);
    world two = world_make(robot, &o), one = world_make(alone, &o);
    for (int i = 0; i < 20; i++) {
        CHECK_CALL(&two, td_step(two.system, two.state, 1e-3));
        CHECK_CALL(&one, td_step(one.system, one.state, 1e-3));
    }
    td_pose a = tip_of(&two), b = tip_of(&one);
    assert_memory_equal(&a, &b, sizeof a);
    CHECK_NEAR(td_get_pose(two.system, two.state, 1, 0.0).p[0], 0.5, 0.0);
    assert_true(td_get_pose(two.system, two.state, 1, 0.2).p[0] < 0.5);
    world_free(&two);
    world_free(&one);
}

static void nothing_allocates_once_a_state_is_there(void **unused) {
    (void)unused;
    if (!TRAPPING) return;
    td_options o = rone_options();
    world w = rone_world(0.3, &o);
    long before = allocations;
    td_set_input(w.system, w.state, 4, 10.0);
    td_status status = td_solve_statics(w.system, w.state);
    for (int i = 0; i < 5; i++) status = td_step(w.system, w.state, 1e-3);
    td_get_sample(w.system, w.state, 0, 0.1);
    td_get_energy(w.system, w.state);
    td_get_tendon(w.system, w.state, 4);
    long after = allocations;
    assert_int_equal(status, TD_OK);
    assert_true(before == after);
    world_free(&w);
}

// Every allocation fails once: no crash, no leak, and a reason.
static void it_survives_without_memory(void **unused) {
    (void)unused;
    if (!TRAPPING) return;
    td_options o = rone_options();
    td_robot *robot = rone_robot(0.3);
    bool made = false;
    for (int i = 0; !made && i < 200; i++) {
        td_error err = {0};
        long held = live;
        fail_at = allocations + i;
        td_system *system = td_system_create(robot, &o, &err);
        fail_at = -1;
        made = system != NULL;
        if (!made) assert_int_equal(err.status, TD_ERR_MEMORY);
        td_system_destroy(system);
        assert_true(live == held);
    }
    assert_true(made);
    td_robot_destroy(robot);
}

static void what_fails_leaves_the_state_as_it_was(void **unused) {
    (void)unused;
    td_options o = rone_options();
    world w = rone_world(0.0, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, 3, 1e6);
    size_t bytes = td_snapshot_bytes(w.system);
    char *before = malloc(bytes), *after = malloc(bytes);
    assert_true(before && after);
    td_state_save(w.system, w.state, before, bytes);
    assert_true(td_solve_statics(w.system, w.state) < 0);
    assert_true(td_message(w.state)[0] != '\0');
    assert_true(td_step(w.system, w.state, 1e-2) < 0);
    assert_true(td_message(w.state)[0] != '\0');
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    free(before);
    free(after);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inertia_of_table_1_is_not_that_of_its_parts),
        cmocka_unit_test(all_mass_but_that_next_to_the_base_is_on_a_disc),
        cmocka_unit_test(torsion_modes_of_the_straight_robot),
        cmocka_unit_test(it_does_not_matter_where_the_base_looks),
        cmocka_unit_test(poses_strains_and_velocities_belong_together),
        cmocka_unit_test(a_moment_at_the_tip_bends_and_twists_evenly),
        cmocka_unit_test(a_displacement_sets_the_tension),
        cmocka_unit_test(a_stiff_wire_moves_as_it_is_pulled),
        cmocka_unit_test(tension_falls_from_disc_to_disc),
        cmocka_unit_test(several_rods_do_not_feel_each_other),
        cmocka_unit_test(nothing_allocates_once_a_state_is_there),
        cmocka_unit_test(it_survives_without_memory),
        cmocka_unit_test(what_fails_leaves_the_state_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
