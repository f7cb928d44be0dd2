// How rods are held, bodies, loads on bodies, rods that are fed: what is kept and what is refused.
#include "robot/actuators.h"
#include "robots.h"

#include "model/model.h"

typedef struct kit {
    td_robot *robot;  // with the free body "hub", index 0, and the input "drive", index 0
    td_piece_def piece;
    td_rod_def rod;
    td_body_def free, riding;
} kit;

static int setup(void **state) {
    static kit k;
    td_error err;
    k.robot = td_robot_create();
    k.piece = plain_piece(0.4, 1e-3);
    k.rod = plain_rod("wire", &k.piece);
    k.free = td_default_body_def();
    k.free.name = "hub", k.free.rod = -1, k.free.mass = 0.1;
    k.riding = td_default_body_def();
    k.riding.name = "disc", k.riding.at = 0.2, k.riding.mass = 1e-3;
    td_input_def input = {.name = "drive", .unit = "m"};
    CHECK_OK(td_robot_add_input(k.robot, &input, &err), err);
    CHECK_OK(td_robot_add_body(k.robot, &k.free, &err), err);
    *state = &k;
    return 0;
}

static int teardown(void **state) {
    td_robot_destroy(((kit *)*state)->robot);
    return 0;
}

static const td_number driven = {.gain = 1.0, .input = 0};

// ---------------------------------------------------------------- defaults
static void the_defaults_are_a_clamped_rod_and_a_body_that_is_there(void **state) {
    (void)state;
    td_rod_def rod = td_default_rod_def();
    td_body_def body = td_default_body_def();
    assert_int_equal(rod.base.body, TD_WORLD);
    assert_int_equal(rod.base.joint, TD_CLAMP);
    assert_false(rod.tip.held);
    assert_int_equal(rod.tip.body, TD_WORLD);
    CHECK_NEAR(rod.base.axis[0], 1.0, 0.0);
    CHECK_NEAR(rod.tip.axis2[1], 1.0, 0.0);
    CHECK_NEAR(rod.tip.orientation[0], 1.0, 0.0);
    CHECK_NEAR(rod.envelope, 0.0, 0.0);
    assert_false(is_fed(rod.feed));
    assert_int_equal(body.rod, 0);
    CHECK_NEAR(body.attached.value, 1.0, 0.0);
    CHECK_NEAR(body.orientation[0], 1.0, 0.0);
}

// ---------------------------------------------------------------- ends of rods
static void the_ends_of_a_rod_are_kept_and_made_exact(void **state) {
    kit *k = *state;
    td_error err;
    k->rod.base.joint = TD_REVOLUTE;
    k->rod.base.axis[1] = 3.0, k->rod.base.axis[0] = 4.0;
    k->rod.tip.held = true, k->rod.tip.body = 0, k->rod.tip.joint = TD_UNIVERSAL;
    k->rod.tip.position[2] = td_constant(0.3);
    k->rod.tip.orientation[0] = 0.6 * 1.0005, k->rod.tip.orientation[1] = 0.8 * 1.0005;
    k->rod.tip.axis2[0] = 2e-4, k->rod.tip.axis2[1] = 2.0;  // 1e-4 off the right angle
    k->rod.feed = driven, k->rod.envelope = 0.01;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    const robot_rod *rod = &k->robot->rods[0];
    CHECK_NEAR(rod->base.axis[0], 0.8, 1e-15);
    CHECK_NEAR(rod->base.axis[1], 0.6, 1e-15);
    assert_true(rod->tip.held);
    assert_int_equal(rod->tip.body, 0);
    CHECK_NEAR(rod->tip.position[2].value, 0.3, 0.0);
    CHECK_NEAR(rod->tip.orientation[1], 0.8, 1e-15);
    CHECK_NEAR(rod->tip.axis2[0], 0.0, 1e-15);
    CHECK_NEAR(rod->tip.axis2[1], 1.0, 1e-15);
    CHECK_NEAR(rod->feed.gain, 1.0, 0.0);
    CHECK_NEAR(rod->envelope, 0.01, 0.0);
}

#define REFUSED(where_, says_)                                                                     \
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire." where_, (says_))
static void ends_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    td_rod_def bad = k->rod;
    bad.base.body = 7;
    REFUSED("base.body", "7 is not the index of a body");
    bad.base.body = -2;
    REFUSED("base.body", "-2 is not the index of a body");
    bad = k->rod, bad.base.body = 0, bad.base.position[1] = driven;
    REFUSED("base.position.y", "moves with the body");
    bad = k->rod, bad.base.body = 0, bad.base.rotation[0] = driven;
    REFUSED("base.motion.rotation.x", "moves with the body");
    bad = k->rod, bad.base.joint = (td_joint)9;
    REFUSED("base.joint", "9 is not a kind of joint");
    bad = k->rod, bad.base.joint = TD_REVOLUTE, bad.base.axis[0] = 0.0;
    REFUSED("base.axis", "0 is its length; an axis needs a direction");
    bad = k->rod, bad.base.joint = TD_REVOLUTE, bad.base.axis[0] = (double)NAN;
    REFUSED("base.axis", "an axis needs a direction");
    bad = k->rod, bad.base.joint = TD_UNIVERSAL, bad.base.axis2[0] = 1.0;
    REFUSED("base.axis2", "45 deg is its angle with `axis`, which must be 90 deg");
    bad = k->rod, bad.tip.held = true, bad.tip.joint = TD_UNIVERSAL, bad.tip.axis2[1] = 0.0;
    REFUSED("tip.axis2", "an axis needs a direction");
    bad = k->rod, bad.tip.held = true, bad.tip.body = 3;
    REFUSED("tip.body", "3 is not the index of a body");
    bad = k->rod, bad.tip.held = true, bad.tip.position[0] = td_constant(HUGE_VAL);
    REFUSED("tip.position.x", "finite");
    bad = k->rod, bad.tip.held = true, bad.tip.orientation[3] = 1.0;
    REFUSED("tip.quaternion", "norm");
    bad = k->rod, bad.envelope = -1.0;
    REFUSED("envelope", "-1 m must not be negative");
    assert_int_equal(td_robot_n_rods(k->robot), 0);
}

static void only_a_free_body_holds_a_rod(void **state) {
    kit *k = *state;
    td_error err;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    CHECK_OK(td_robot_add_body(k->robot, &k->riding, &err), err);
    td_rod_def other = k->rod;
    other.name = "other", other.tip.held = true, other.tip.body = 1;
    refused(td_robot_add_rod(k->robot, &other, &err), &err, "rods.other.tip.body",
            "the body 'disc' rides on rod 'wire'");
}

static void what_a_free_end_says_is_not_read(void **state) {
    kit *k = *state;
    td_error err;
    k->rod.tip.body = 99, k->rod.tip.joint = (td_joint)7,
    k->rod.tip.position[0] = td_constant((double)NAN);
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
}

// ---------------------------------------------------------------- feed
static void only_a_uniform_piece_leaves_the_base(void **state) {
    kit *k = *state;
    td_error err;
    td_rod_def bad = k->rod;
    td_piece_def tapered = k->piece;
    tapered.section_end.radius = 5e-4;
    td_piece_def pieces[2] = {tapered, k->piece};
    bad.feed = driven, bad.pieces = pieces, bad.n_pieces = 2;
    REFUSED("feed", "the first piece of this rod has a taper");
    bad.n_pieces = 1;
    REFUSED("feed", "this rod has a taper");
    pieces[0] = k->piece, bad.n_pieces = 2, bad.feed = td_constant(-1.5 * k->piece.length);
    REFUSED("feed", "leaves nothing of the first piece");
    bad = k->rod, bad.feed = td_constant(-0.4);
    REFUSED("feed", "-0.4 m leaves nothing of the rod");
    bad = k->rod, bad.feed = td_constant((double)NAN);
    REFUSED("feed", "finite");
    bad = k->rod, bad.feed = (td_number){.gain = 1.0, .input = 5};
    REFUSED("feed", "5 is not the index of an input");
    bad = k->rod, bad.feed = td_constant(0.1);
    CHECK_OK(td_robot_add_rod(k->robot, &bad, &err), err);
}

// ---------------------------------------------------------------- bodies
static void bodies_are_copied_and_counted(void **state) {
    kit *k = *state;
    td_error err;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    char name[] = "disc";
    k->riding.name = name, k->riding.at = 0.4 * (1.0 + 4e-16), k->riding.attached = driven;
    CHECK_OK(td_robot_add_body(k->robot, &k->riding, &err), err);
    name[0] = 'X';
    assert_int_equal(td_robot_n_bodies(k->robot), 2);
    assert_int_equal(find_body(k->robot, "disc"), 1);
    const td_body_def *def = &k->robot->bodies[1].def;
    assert_string_equal(def->name, "disc");
    CHECK_NEAR(def->at, k->robot->rods[0].length, 0.0);
    CHECK_NEAR(def->attached.gain, 1.0, 0.0);
}

#define RIDING(field_, value_, where_, says_)                                                      \
    { offsetof(td_body_def, field_), (value_), "bodies.disc." where_, (says_) }
static void bodies_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const spoilt cases[] = {
        RIDING(at, 0.0, "at", "0 m is the base, where a body would not move"),
        RIDING(at, 0.5, "at", "0.5 m must lie on the rod 'wire', between 0 and 0.4 m"),
        RIDING(at, (double)NAN, "at", "must lie on"),
        RIDING(mass, 0.0, "mass", "0 kg must be positive"),
        RIDING(mass, -1.0, "mass", "-1 kg must not be negative"),
        RIDING(mass, HUGE_VAL, "mass", "finite"),
        RIDING(inertia[1], -1.0, "inertia.y", "-1 kg m^2 must not be negative"),
        RIDING(inertia[2], 1.0, "inertia.z", "1 kg m^2 exceeds the sum of the other two, 0 kg m^2"),
        RIDING(centre[0], (double)NAN, "centre.x", "finite"),
        RIDING(attached.value, 1.5, "attached", "1.5 must be between 0 (not there) and 1"),
        RIDING(attached.value, (double)NAN, "attached", "finite"),
    };
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_body_def bad = k->riding;
        memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
        refused(td_robot_add_body(k->robot, &bad, &err), &err, cases[i].where, cases[i].says);
    }
    td_body_def bad = k->riding;
    bad.rod = 3;
    refused(td_robot_add_body(k->robot, &bad, &err), &err, "bodies.disc.rod", "index of a rod");
    bad = k->free;
    refused(td_robot_add_body(k->robot, &bad, &err), &err, "bodies.hub", "another body");
    bad.name = "world";
    refused(td_robot_add_body(k->robot, &bad, &err), &err, "bodies.world", "'world'");
    bad.name = "plate", bad.orientation[0] = 0.5;
    refused(td_robot_add_body(k->robot, &bad, &err), &err, "bodies.plate.quaternion", "norm");
    bad.orientation[0] = 1.0, bad.position[1] = (double)NAN;
    refused(td_robot_add_body(k->robot, &bad, &err), &err, "bodies.plate.position.y", "finite");
    refused(td_robot_add_body(k->robot, NULL, &err), &err, "bodies", "NULL");
    assert_int_equal(td_robot_n_bodies(k->robot), 1);
}

// Rounded numbers of a plate break the triangle inequality a little; a frame may have no mass.
static void the_inertia_of_a_thin_plate_is_accepted(void **state) {
    kit *k = *state;
    td_error err;
    k->free.name = "plate", k->free.mass = 0.0;
    k->free.inertia[0] = k->free.inertia[1] = 1.91e-4, k->free.inertia[2] = 3.823e-4;
    CHECK_OK(td_robot_add_body(k->robot, &k->free, &err), err);
}

// ---------------------------------------------------------------- loads on bodies
static void a_load_acts_on_a_free_body(void **state) {
    kit *k = *state;
    td_error err;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    CHECK_OK(td_robot_add_body(k->robot, &k->riding, &err), err);
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.force[0] = td_constant(1.0);
    td_load_def bad = load;
    bad.body = 5;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.push.body",
            "5 is not the index of a body");
    bad.body = 1;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.push.body",
            "the body 'disc' rides on rod 'wire': put the load on that rod, at 0.2 m");
    bad.body = 0, bad.distributed = true;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.push", "not per length");
    bad = load, bad.rod = -2;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.push.rod", "index of a rod");
    CHECK_OK(td_robot_add_load(k->robot, &load, &err), err);
    assert_int_equal(k->robot->loads[0].def.rod, -1);
    assert_int_equal(k->robot->loads[0].def.body, 0);
}

// ---------------------------------------------------------------- the whole
static void a_free_body_needs_a_rod_that_holds_it(void **state) {
    kit *k = *state;
    td_error err;
    td_body_def second = k->free;
    second.name = "second";
    CHECK_OK(td_robot_add_body(k->robot, &second, &err), err);
    refused(robot_validate_whole(k->robot, &err), &err, "bodies.hub", "no rod holds it");
    // Between the two bodies, but not to the world.
    td_rod_def rod = k->rod;
    rod.base.body = 0, rod.tip.held = true, rod.tip.body = 1;
    CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    CHECK_OK(robot_validate_whole(k->robot, &err), err);
    assert_true(rod_floats(k->robot, 0));
    rod.name = "leg", rod.base.body = TD_WORLD, rod.tip.body = 1;
    CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    CHECK_OK(robot_validate_whole(k->robot, &err), err);
    assert_false(rod_floats(k->robot, 0));
}

static void a_chain_reaches_the_world_in_any_order(void **state) {
    kit *k = *state;
    td_error err;
    char names[21][16];
    for (int i = 1; i <= 20; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        td_body_def body = k->free;
        body.name = names[i];
        CHECK_OK(td_robot_add_body(k->robot, &body, &err), err);
    }
    for (int i = 0; i <= 20; i++) {  // body i hangs on body i + 1, the last on the world
        char name[16];
        snprintf(name, sizeof name, "r%d", i);
        td_rod_def rod = k->rod;
        rod.name = name, rod.base.body = i, rod.tip.held = true;
        rod.tip.body = i < 20 ? i + 1 : TD_WORLD;
        if (i == 20) assert_true(rod_floats(k->robot, 0));
        CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    }
    CHECK_OK(robot_validate_whole(k->robot, &err), err);
    assert_false(rod_floats(k->robot, 0));
}

// ---------------------------------------------------------------- features
static bool needs(const td_robot *robot, td_feature feature) {
    td_options options = td_default_options();
    return features_needed(robot, &options) >> feature & 1u;
}

static void each_part_needs_its_feature(void **state) {
    kit *k = *state;
    td_error err;
    td_robot *plain = td_robot_create();
    CHECK_OK(td_robot_add_rod(plain, &k->rod, &err), err);
    for (int f = TD_FEATURE_MANY_RODS; f < TD_FEATURE_JACOBIAN; f++)
        assert_false(needs(plain, (td_feature)f));
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "smooth", tendon.to = 0.4;
    CHECK_OK(td_robot_add_tendon(plain, &tendon, &err), err);
    assert_true(needs(plain, TD_FEATURE_TENDONS));
    assert_false(needs(plain, TD_FEATURE_TENDON_FRICTION));
    tendon.name = "rough", tendon.viscous = 5.0;
    CHECK_OK(td_robot_add_tendon(plain, &tendon, &err), err);
    assert_true(needs(plain, TD_FEATURE_TENDON_FRICTION));
    td_chamber_def chamber = td_default_chamber_def();
    chamber.name = "air", chamber.to = 0.4, chamber.radius = 5e-4;
    CHECK_OK(td_robot_add_chamber(plain, &chamber, &err), err);
    assert_true(needs(plain, TD_FEATURE_CHAMBERS));
    assert_false(needs(plain, TD_FEATURE_BODIES));
    CHECK_OK(td_robot_add_body(plain, &k->riding, &err), err);
    assert_true(needs(plain, TD_FEATURE_BODIES));
    assert_false(needs(plain, TD_FEATURE_JOINTS));
    td_robot_destroy(plain);
}

static void joints_and_feeds_need_their_features(void **state) {
    kit *k = *state;
    td_error err;
    td_rod_def held = k->rod, standing = k->rod, turning = k->rod, fed = k->rod;
    held.tip.held = true, standing.base.body = 0, turning.base.joint = TD_BALL, fed.feed = driven;
    const td_rod_def *const rods[] = {&held, &standing, &turning, &fed};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(td_robot_add_rod(k->robot, rods[i], &err), err);
        bool joint = needs(k->robot, TD_FEATURE_JOINTS), feed = needs(k->robot, TD_FEATURE_FEED);
        assert_int_equal(joint, i < 3);
        assert_int_equal(feed, i == 3);
        teardown(state), setup(state);
    }
}

static void every_feature_has_a_name(void **state) {
    (void)state;
    assert_string_equal(td_feature_name(TD_FEATURE_TENDON_FRICTION), "tendon friction");
    assert_string_equal(td_feature_name(TD_FEATURE_FEED), "fed rods");
    for (int f = 0; f < TD_N_FEATURES; f++) assert_non_null(td_feature_name((td_feature)f));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_defaults_are_a_clamped_rod_and_a_body_that_is_there),
        TEST(the_ends_of_a_rod_are_kept_and_made_exact),
        TEST(ends_that_break_a_rule_are_refused),
        TEST(only_a_free_body_holds_a_rod),
        TEST(what_a_free_end_says_is_not_read),
        TEST(only_a_uniform_piece_leaves_the_base),
        TEST(bodies_are_copied_and_counted),
        TEST(bodies_that_break_a_rule_are_refused),
        TEST(the_inertia_of_a_thin_plate_is_accepted),
        TEST(a_load_acts_on_a_free_body),
        TEST(a_free_body_needs_a_rod_that_holds_it),
        TEST(a_chain_reaches_the_world_in_any_order),
        TEST(each_part_needs_its_feature),
        TEST(joints_and_feeds_need_their_features),
        TEST(every_feature_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
