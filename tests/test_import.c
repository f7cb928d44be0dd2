// Arms of other formats stand, and weigh, as their own chains of transforms say; what cannot be taken over is said.
#include <string.h>

#include "chains.h"
#include "import/imported.h"
#include "math/pi.h"

// ---------------------------------------------------------------- reading
static char *imported_text(const char *xml, imported *chain, td_error *err) {
    xml_file file;
    td_status status = xml_read(&file, "chain.xml", xml, strlen(xml), err);
    if (!status) status = import_chain(&file, chain, err);
    char *out = status ? NULL : import_write(chain, "folder/chain.xml");
    xml_free(&file);
    imported_free(chain);
    return out;
}

static char *text_of_file(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/parts/%s", EXAMPLES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 100000);
    assert_true(fread(text, 1, 99999, file) > 1000);
    fclose(file);
    return text;
}

static world world_of(const char *xml, const imported *wishes) {
    static const char rest[] = "gravity: [1, -2, -9.81]\n";
    imported chain = wishes ? *wishes : (imported){0};
    td_error err = {0};
    char *text = imported_text(xml, &chain, &err);
    if (!text) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(text);
    char *whole = malloc(strlen(text) + sizeof rest);
    strcat(strcpy(whole, text), rest);
    td_robot *robot = td_robot_parse(whole, strlen(whole), "robot.yaml", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n%s", err.where, err.message, whole);
    assert_non_null(robot);
    free(text), free(whole);
    td_options o = chain_options();
    return world_make(robot, &o);
}

static int index_of(const world *w, const char *body) {
    for (int i = 0; i < td_n_bodies(w->system); i++)
        if (strcmp(td_body_name(w->system, i), body) == 0) return i;
    fail_msg("no body %s", body);
    return -1;
}

static void set_input(const world *w, const char *name, double value) {
    for (int i = 0; i < td_n_inputs(w->system); i++)
        if (strcmp(td_input_name(w->system, i), name) == 0) {
            td_set_input(w->system, w->state, i, value);
            return;
        }
    fail_msg("no input %s", name);
}

// ---------------------------------------------------------------- the chain by hand
typedef struct link {
    const char *name, *joint;
    double xyz[3], rpy[3], axis[3];  // of the joint
    double mass, centre[3], rpy_of_inertia[3], J[6];
} link;

#define LINKS 7
static const link six[LINKS] = {
    {"stand", NULL, {0}, {0}, {0}, 4.0, {0, 0, 0.05}, {0}, {0.02, 0.02, 0.025, 0, 0, 0}},
    {"column",
     "turn",
     {0, 0, 0.12},
     {0},
     {0, 0, 1},
     3.0,
     {0.005, 0, 0.06},
     {0, 0, 0.3},
     {0.011, 0.013, 0.008, 0.0004, -0.0003, 0.0002}},
    {"upper",
     "shoulder",
     {0.02, 0, 0.14},
     {0, 0.25, 0},
     {0, 1, 0},
     2.4,
     {0.02, 0, 0.15},
     {0, 0.1, 0},
     {0.024, 0.025, 0.004, 0, 0.0008, 0}},
    {"fore",
     "elbow",
     {0, 0.01, 0.3},
     {0},
     {0, 1, 0},
     1.5,
     {0.03, 0.004, 0.06},
     {0},
     {0.006, 0.006, 0.002, 0.0001, 0, -0.0002}},
    {"wrist",
     "roll",
     {0.03, 0, 0.12},
     {0.1, -0.2, 0.3},
     {0, 0, 2},
     1.0,
     {0, -0.003, 0.08},
     {0},
     {0.003, 0.0032, 0.0009, 0, 0, 0}},
    {"hand",
     "pitch",
     {0, 0, 0.16},
     {-0.5 * PI, 0, 0},
     {1, 0, 0.5},
     0.6,
     {0, 0.03, 0},
     {0},
     {0.0008, 0.0005, 0.0008, 0, 0, 0}},
    {"flange",
     "spin",
     {0, -0.07, 0},
     {0.5 * PI, 0, 0},
     {0, 0, 1},
     0.2,
     {0, 0, 0.01},
     {0},
     {0.0001, 0.0001, 0.00018, 0, 0, 0}}};

static const double posture[LINKS] = {0.0, 0.7, -0.4, 1.1, 2.3, -0.8, 3.0};
static const double speed[LINKS] = {0.0, 1.1, -0.7, 1.9, 2.2, -1.3, 3.1};

// exp of a vector, by Rodrigues' formula
static mat3 turned(vec3 axis, double angle) {
    const vec3 a = vec3_scale(axis, 1.0 / vec3_norm(axis));
    const mat3 K = mat3_hat(a), KK = mat3_mul(&K, &K), s = mat3_scale(&K, sin(angle));
    const mat3 c = mat3_scale(&KK, 1.0 - cos(angle)), one = mat3_identity();
    mat3 R = mat3_add(&one, &s);
    return mat3_add(&R, &c);
}

static mat3 by_angles(const double rpy[3]) {
    const mat3 X = turned(vec3_make(1, 0, 0), rpy[0]), Y = turned(vec3_make(0, 1, 0), rpy[1]);
    const mat3 Z = turned(vec3_make(0, 0, 1), rpy[2]), YX = mat3_mul(&Y, &X);
    return mat3_mul(&Z, &YX);
}

typedef struct place {
    mat3 R;
    vec3 p, axis;  // world
} place;

static void places_of(const double q[LINKS], place out[LINKS]) {
    mat3 R = mat3_identity();
    vec3 p = vec3_zero();
    for (int i = 0; i < LINKS; i++) {
        const mat3 fixed = by_angles(six[i].rpy);
        p = vec3_add(p, mat3_mul_vec(&R, vec3_load(six[i].xyz)));
        R = mat3_mul(&R, &fixed);
        out[i] = (place){R, p, vec3_zero()};
        if (!six[i].joint) continue;
        const vec3 axis = vec3_load(six[i].axis);
        const mat3 turn = turned(axis, q[i]);
        R = mat3_mul(&R, &turn);
        out[i].R = R;
        out[i].axis = mat3_mul_vec(&R, vec3_scale(axis, 1.0 / vec3_norm(axis)));
    }
}

// Newton and Euler: momenta of each link, from its speed and those before it, whose rate is what holds it less the rest. q'' = 0.
static void efforts_of(const double q[LINKS], const double v[LINKS], vec3 gravity,
                       double out[LINKS]) {
    place at[LINKS];
    vec3 w = vec3_zero(), w_t = vec3_zero(), a = vec3_neg(gravity), force[LINKS], moment[LINKS];
    places_of(q, at);
    for (int i = 0; i < LINKS; i++) {
        const vec3 r = i ? vec3_sub(at[i].p, at[i - 1].p) : vec3_zero();
        a = vec3_add(a, vec3_add(vec3_cross(w_t, r), vec3_cross(w, vec3_cross(w, r))));
        const vec3 own = vec3_scale(at[i].axis, v[i]);
        w_t = vec3_add(w_t, vec3_cross(w, own));
        w = vec3_add(w, own);
        const mat3 turn = by_angles(six[i].rpy_of_inertia), Q = mat3_mul(&at[i].R, &turn);
        const double *j = six[i].J;
        const mat3 J = {{{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}}};
        const mat3 QJ = mat3_mul(&Q, &J), Qt = mat3_transpose(&Q), whole = mat3_mul(&QJ, &Qt);
        const vec3 c = mat3_mul_vec(&at[i].R, vec3_load(six[i].centre));
        const vec3 of_centre =
            vec3_add(a, vec3_add(vec3_cross(w_t, c), vec3_cross(w, vec3_cross(w, c))));
        force[i] = vec3_scale(of_centre, six[i].mass);
        moment[i] = vec3_add(mat3_mul_vec(&whole, w_t), vec3_cross(w, mat3_mul_vec(&whole, w)));
        moment[i] = vec3_add(moment[i], vec3_cross(c, force[i]));
    }
    for (int i = LINKS - 1; i >= 0; i--) {
        out[i] = vec3_dot(moment[i], at[i].axis);
        if (i == 0) break;
        force[i - 1] = vec3_add(force[i - 1], force[i]);
        moment[i - 1] =
            vec3_add(moment[i - 1],
                     vec3_add(moment[i], vec3_cross(vec3_sub(at[i].p, at[i - 1].p), force[i])));
    }
}

static double effort_of(const world *w, int i, const place *at) {
    const td_reaction r = td_get_hold_reaction(w->system, w->state, index_of(w, six[i].name));
    return vec3_dot(vec3_load(r.moment), at->axis);
}

static void an_arm_stands_and_weighs_as_its_transforms_say(void **unused) {
    (void)unused;
    static const char *const files[] = {"six-joints.urdf", "six-joints.xml"};
    place at[LINKS];
    double efforts[LINKS];
    places_of(posture, at);
    efforts_of(posture, (double[LINKS]){0}, (vec3){1.0, -2.0, -9.81}, efforts);
    for (int k = 0; k < 2; k++) {
        char *xml = text_of_file(files[k]);
        world w = world_of(xml, NULL);
        for (int i = 1; i < LINKS; i++) set_input(&w, six[i].joint, posture[i]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (int i = 0; i < LINKS; i++) {
            const td_body_state b = td_get_body(w.system, w.state, index_of(&w, six[i].name));
            const mat3 R = quat_to_mat3(quat_load(b.pose.q));
            CHECK_NEAR(vec3_norm(vec3_sub(vec3_load(b.pose.p), at[i].p)), 0.0, 1e-12);
            for (int j = 0; j < 9; j++)
                CHECK_NEAR(R.m[j / 3][j % 3], at[i].R.m[j / 3][j % 3], 1e-12);
            CHECK_NEAR(effort_of(&w, i, &at[i]), efforts[i], 1e-9);
        }
        assert_true(fabs(efforts[2]) > 0.5);
        world_free(&w);
        free(xml);
    }
}

// Turning at constant speeds, masses away from axes and products of inertia ask for moments: those of the drives.
static void an_arm_in_motion_needs_the_moments_of_newton_and_euler(void **unused) {
    (void)unused;
    double efforts[LINKS], q[LINKS], off[2];
    place at[LINKS];
    char *xml = text_of_file("six-joints.urdf");
    for (int n = 0; n < 2; n++) {
        world w = world_of(xml, NULL);
        const double dt = 1e-3 / (1 << n);
        const int steps = 100 << n;
        for (int i = 1; i < LINKS; i++)
            set_input(&w, six[i].joint, posture[i] - speed[i] * steps * dt);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (int s = 1; s <= steps; s++) {
            for (int i = 1; i < LINKS; i++)
                set_input(&w, six[i].joint, posture[i] + speed[i] * (s - steps) * dt);
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
        }
        for (int i = 0; i < LINKS; i++) q[i] = posture[i];
        places_of(q, at);
        efforts_of(q, speed, (vec3){1.0, -2.0, -9.81}, efforts);
        off[n] = 0.0;
        for (int i = 1; i < LINKS; i++)
            off[n] = fmax(off[n], fabs(effort_of(&w, i, &at[i]) - efforts[i]));
        world_free(&w);
    }
    free(xml);
    CHECK_BETWEEN(off[1], 0.0, 2e-4);
    CHECK_BETWEEN(off[0] / off[1], 3.0, 5.0);
}

// ---------------------------------------------------------------- small chains
#define URDF(inner) "<robot name='r'><link name='a'/><link name='b'/>" inner "</robot>"
#define JOINT(type, inner)                                                                         \
    "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inner "</joint>"

static double place_in(const char *xml, const char *input, double value, const char *body,
                       vec3 wanted) {
    world w = world_of(xml, NULL);
    set_input(&w, input, value);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_body_state b = td_get_body(w.system, w.state, index_of(&w, body));
    world_free(&w);
    return vec3_norm(vec3_sub(vec3_load(b.pose.p), wanted));
}

static void slides_go_along_their_axes_and_mimics_with_others(void **unused) {
    (void)unused;
    // along (1, 0, 1) in a frame that is turned by 90 deg about z: (0, 1, 1)
    const double s = sqrt(0.5);
    CHECK_NEAR(place_in(URDF(JOINT("prismatic", "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
                                                "<axis xyz='1 0 1'/><limit lower='0' upper='1'/>")),
                        "j", 0.4, "b", (vec3){1.0, 2.0 + 0.4 * s, 3.0 + 0.4 * s}),
               0.0, 1e-12);
    CHECK_NEAR(
        place_in(
            URDF(JOINT("prismatic",
                       "<axis xyz='0 1 0'/><limit lower='0' upper='1'/>") "<link name='c'/><joint "
                                                                          "name='k' "
                                                                          "type='prismatic'><"
                                                                          "parent link='a'/>"
                                                                          "<child link='c'/><axis "
                                                                          "xyz='1 0 0'/><limit "
                                                                          "lower='-9' upper='9'/>"
                                                                          "<mimic joint='j' "
                                                                          "multiplier='-2' "
                                                                          "offset='0.3'/></joint>"),
            "j", 0.5, "c", (vec3){0.3 - 1.0, 0.0, 0.0}),
        0.0, 1e-12);
}

// A hinge away from the origin of its body, at an angle other than ref; degrees.
static void joints_beside_origins_turn_bodies_about_themselves(void **unused) {
    (void)unused;
    static const char xml[] =
        "<mujoco><worldbody><body name='b' pos='1 0 0' zaxis='0 0 1'>"
        "<joint name='j' pos='0 0.5 0' axis='0 0 1' ref='30'/>"
        "<body name='c' pos='1 0 0' axisangle='0 0 1 90'/></body></worldbody></mujoco>";
    // turned by 120 - 30 deg about (1, 0.5, 0): b was at (0, -0.5) from there
    CHECK_NEAR(place_in(xml, "j", 120.0 / DEGREES, "b", (vec3){1.5, 0.5, 0.0}), 0.0, 1e-12);
    CHECK_NEAR(place_in(xml, "j", 120.0 / DEGREES, "c", (vec3){1.5, 1.5, 0.0}), 0.0, 1e-12);
}

// A bar of two capsules and a box has the mass and inertia of these about their centre.
static void shapes_give_masses_and_inertia(void **unused) {
    (void)unused;
    static const char xml[] =
        "<mujoco><default><geom density='800'/></default><worldbody><body name='b'>"
        "<geom type='capsule' fromto='0 0 0 0 0 0.4' size='0.05'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='0.5 0 0' mass='2'/>"
        "<geom type='ellipsoid' size='0.1 0.2 0.3' pos='0 0.5 0' mass='1' euler='90 0 0'/>"
        "<geom type='plane' size='1 1 1'/></body></worldbody></mujoco>";
    imported chain = {0};
    td_error err = {0};
    xml_file file;
    CHECK_OK(xml_read(&file, "x", xml, strlen(xml), &err), err);
    CHECK_OK(import_chain(&file, &chain, &err), err);
    const imported_body *b = &chain.bodies[0];
    const double r = 0.05, bar = 800.0 * PI * r * r * 0.4,
                 ball = 800.0 * 4.0 / 3.0 * PI * r * r * r;
    const double m = bar + ball, whole = m + 3.0;
    CHECK_NEAR(b->mass, whole, 1e-12);
    const vec3 c = {1.0 / whole, 0.5 / whole, 0.2 * m / whole};
    CHECK_NEAR(vec3_norm(vec3_sub(b->centre, c)), 0.0, 1e-12);
    // about z and the origin, then to the centre; half a ball has its centre 3 r/8 beyond the bar
    const double capsule = 0.5 * bar * r * r + 0.4 * ball * r * r;
    const double box = 2.0 * (0.25 + (0.01 + 0.04) / 3.0), egg = 0.25 + 0.2 * (0.01 + 0.09);
    CHECK_NEAR(b->inertia.m[2][2], capsule + box + egg - whole * (c.x * c.x + c.y * c.y), 1e-12);
    const double own = ball * (0.4 - 9.0 / 64.0) * r * r;  // two halves about their own centres
    const double away = 0.2 + 0.375 * r;
    const double across = bar * (r * r / 4.0 + 0.16 / 12.0) + own + ball * away * away + m * 0.04;
    const double box_x = 2.0 * (0.04 + 0.09) / 3.0, egg_x = 0.25 + 0.2 * (0.04 + 0.09);
    CHECK_NEAR(b->inertia.m[0][0], across + box_x + egg_x - whole * (c.y * c.y + c.z * c.z), 1e-12);
    xml_free(&file), imported_free(&chain);
}

static void joints_that_nothing_drives_swing_with_their_damping(void **unused) {
    (void)unused;
    const char *const passive[] = {"j"};
    imported chain = {.passive = passive, .n_passive = 1};
    td_error err = {0};
    char *text = imported_text(URDF(JOINT("continuous", "<axis xyz='0 1 0'/>"
                                                        "<dynamics damping='0.25'/>")),
                               &chain, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "joint: revolute, axis: [0, 1, 0]"));
    assert_non_null(strstr(text, "damping: 0.25"));
    assert_null(strstr(text, "inputs:"));
    free(text);
    chain = (imported){.free_base = true};
    text = imported_text(URDF(JOINT("fixed", "")), &chain, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "  - name: a\n    position: [0, 0, 0]\n"));
    free(text);
}

// ---------------------------------------------------------------- what is not taken over
// Boxes, balls and bars of a link lie where its file puts them; a leg of them stands on a floor and presses with its weight.
#define FLOOR "obstacles: [{name: floor, plane: {}}]\n"
static world standing(const char *xml) {
    imported chain = {.with_shapes = true};
    td_error err = {0};
    char *text = imported_text(xml, &chain, &err);
    if (!text) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(text);
    char whole[8192];
    snprintf(whole, sizeof whole, "%sgravity: [0, 0, -9.81]\n" FLOOR, text);
    free(text);
    td_robot *robot = td_robot_parse(whole, strlen(whole), "robot.yaml", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n%s", err.where, err.message, whole);
    td_options o = chain_options();
    return world_make(robot, &o);
}

static void what_collides_touches_where_it_is(void **unused) {
    (void)unused;
    static const char *const files[] = {
        "<robot><link name='world'/><link name='leg'><inertial><mass value='2'/><inertia "
        "ixx='0.01' "
        "iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<collision><origin xyz='0.3 0 0.1' rpy='1.5707963267948966 0 0'/><geometry><cylinder "
        "radius='0.02' length='0.2'/></geometry></collision>"
        "<collision><origin xyz='0 0 -0.4'/><geometry><sphere "
        "radius='0.05'/></geometry></collision>"
        "<collision><origin xyz='0 0 0.3'/><geometry><box size='0.1 0.2 "
        "0.3'/></geometry></collision>"
        "<collision><geometry><mesh filename='a.stl'/></geometry></collision></link>"
        "<joint name='slide' type='prismatic'><parent link='world'/><child link='leg'/><origin "
        "xyz='0 0 0.44995'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='0' "
        "velocity='0'/></joint></robot>",
        "<mujoco><worldbody><body name='leg' pos='0 0 0.44995'><joint name='slide' type='slide' "
        "axis='0 0 1'/><inertial pos='0 0 0' mass='2' diaginertia='0.01 0.01 0.01'/>"
        "<geom type='capsule' fromto='0.3 0.08 0.1 0.3 -0.08 0.1' size='0.02'/>"
        "<geom size='0.05' pos='0 0 -0.4'/><geom type='box' size='0.05 0.1 0.15' pos='0 0 0.3'/>"
        "<geom type='box' size='1 1 1' contype='0' conaffinity='0'/>"
        "<geom type='mesh' mesh='a'/></body></worldbody></mujoco>"};
    for (int k = 0; k < 2; k++) {
        world w = standing(files[k]);
        assert_int_equal(td_n_bodies(w.system), 4);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const td_pose bar = td_get_body(w.system, w.state, 1).pose;
        CHECK_NEAR(bar.p[0], 0.3, 1e-12);
        CHECK_NEAR(bar.p[2], 0.54995, 1e-12);
        const mat3 R = quat_to_mat3(quat_load(bar.q));
        CHECK_NEAR(fabs(R.m[1][2]), 1.0, 1e-12);  // along y
        CHECK_NEAR(td_get_body(w.system, w.state, 3).pose.p[2], 0.74995, 1e-12);
        // 0.05 mm deep, under ten times 2 kg a thousandth of its width of 100 mm
        const td_reaction floor = td_get_obstacle_wrench(w.system, w.state, 0);
        CHECK_NEAR(floor.force[2], -10.0 * 2.0 * 9.81 * 0.05 / 0.1, 1e-6);
        CHECK_NEAR(td_get_hold_reaction(w.system, w.state, 0).force[2], 2.0 * 9.81 + floor.force[2],
                   1e-6);
        world_free(&w);
    }
}

static void what_is_left_out_is_said(void **unused) {
    (void)unused;
    imported chain = {0};
    td_error err = {0};
    char *text = imported_text(
        "<robot name='r'><link name='a b'><visual/><visual/><collision/></link><link name='c'/>"
        "<joint name='j.1' type='continuous'><parent link='a b'/><child link='c'/>"
        "<dynamics damping='1' friction='2'/><safety_controller k_velocity='1'/></joint>"
        "<transmission name='t'/><gazebo/></robot>",
        &chain, &err);
    assert_non_null(text);
    static const char *const said[] = {"<visual> in <link> (2)",
                                       "<collision> in <link>",
                                       "<transmission> in <robot>",
                                       "<gazebo> in <robot>",
                                       "<safety_controller> in <joint>",
                                       "friction of <dynamics>",
                                       "damping of <dynamics>",
                                       "the name 'a b', which is 'a_b' here",
                                       "the name 'j.1', which is 'j_1' here"};
    for (int i = 0; i < 9; i++) {
        if (!strstr(text, said[i])) fprintf(stderr, "not said: %s\n%s", said[i], text);
        assert_non_null(strstr(text, said[i]));
    }
    free(text);
}

static void classes_that_are_used_are_not_left_out(void **unused) {
    (void)unused;
    imported chain = {0};
    td_error err = {0};
    char *text = imported_text(
        "<mujoco><default><default class='far'><joint axis='1 0 0' range='-1 1'/></default>"
        "<default class='other'><joint frictionloss='1'/></default></default>"
        "<worldbody><body name='a'><joint class='far' name='j'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>",
        &chain, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "rotation: [j, 0, 0]"));
    assert_null(strstr(text, "<default> in <default>"));
    assert_non_null(strstr(text, "<joint> in <default>"));  // of the other class
    free(text);
}

static const struct mistake {
    const char *xml, *where, *says;
} mistakes[] = {
    {"", "chain.xml:1:1", "no element"},
    {"<robot>\n <link name='a'>\n", "chain.xml:3:1", ""},
    {"<sdf/>", "chain.xml:1:1", "neither <robot> of a URDF nor <mujoco>"},
    {"<!DOCTYPE r [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><robot>&b;</robot>", "chain.xml:1",
     "document type"},
    {"<robot/>", "chain.xml:1:1", "no <link>"},
    {"<robot>\n<link/></robot>", "chain.xml:2:1", "no name"},
    {"<robot><link name='a'/>\n<link name='a'/></robot>", "chain.xml:2:1", "two links"},
    {URDF(""), "chain.xml:1", "no joint holds the link 'b', nor 'a'"},
    {URDF(JOINT("fixed",
                "") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
     "chain.xml:1", "circle"},
    {URDF("<link name='c'/>" JOINT("fixed", "") "<joint name='k' type='fixed'><parent link='a'/>"
                                                "<child link='b'/></joint>"),
     "chain.xml:1", "the link 'b' is the child of 'j' already"},
    {URDF("<joint name='j' type='fixed'><parent link='x'/><child link='b'/></joint>"),
     "chain.xml:1", "no link has the name 'x'"},
    {URDF("<joint name='j' type='fixed'><child link='b'/></joint>"), "chain.xml:1", "no <parent>"},
    {URDF(JOINT("floating", "")), "chain.xml:1", "is floating"},
    {URDF(JOINT("revolute", "")), "chain.xml:1", "no <limit>"},
    {URDF(JOINT("revolute", "<limit lower='1' upper='-1'/>")), "chain.xml:1", "nothing between"},
    {URDF(JOINT("continuous", "<axis xyz='0 0 0'/>")), "chain.xml:1", "no direction"},
    {URDF(JOINT("continuous", "<axis xyz='0 0 1 2'/>")), "chain.xml:1", "4 numbers, where 3"},
    {URDF(JOINT("continuous", "<axis xyz='0 0 1e999'/>")), "chain.xml:1", "must be finite"},
    {URDF(JOINT("fixed", "<origin xyz='0 0 nan'/>")), "chain.xml:1", "must be finite"},
    {URDF(JOINT("fixed", "<origin xyz='0 0 1,5'/>")), "chain.xml:1", "is not a number"},
    {URDF(JOINT("continuous", "<mimic joint='q'/>")), "chain.xml:1", "no joint has the name 'q'"},
    {"<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>", "chain.xml:1",
     "a mass of -1 kg"},
    {"<robot><link name='a'><inertial><mass value='1'/></inertial></link></robot>", "chain.xml:1",
     "no <inertia>"},
    {"<mujoco/>", "chain.xml:1:1", "no <worldbody>"},
    {"<mujoco><worldbody/></mujoco>", "chain.xml:1", "no <body>"},
    {"<mujoco><equality/><worldbody/></mujoco>", "chain.xml:1", "<equality> is not read"},
    {"<mujoco><compiler settotalmass='3'/><worldbody/></mujoco>", "chain.xml:1", "settotalmass"},
    {"<mujoco><worldbody><body><joint type='ball'/></body></worldbody></mujoco>", "chain.xml:1",
     "that is ball"},
    {"<mujoco><worldbody><body><geom type='mesh'/></body></worldbody></mujoco>", "chain.xml:1",
     "mass of a <geom> that is mesh"},
    {"<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "chain.xml:1",
     "no direction"},
    {"<mujoco><worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>", "chain.xml:1",
     "two orientations"},
    {"<mujoco><worldbody><body><joint class='fast'/></body></worldbody></mujoco>", "chain.xml:1",
     "no <default> has the class 'fast'"},
    {"<mujoco><worldbody><body name='x'/><body name='x'/></worldbody></mujoco>", "chain.xml:1",
     "two bodies are called 'x'"},
};

static void mistakes_are_met_with_their_place(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        imported chain = {0};
        td_error err = {0};
        char *text = imported_text(mistakes[i].xml, &chain, &err);
        const bool met = !text &&
                         !strncmp(err.where, mistakes[i].where, strlen(mistakes[i].where)) &&
                         strstr(err.message, mistakes[i].says);
        if (!met) fprintf(stderr, "%s\n  %s: %s\n", mistakes[i].xml, err.where, err.message);
        assert_true(met);
    }
}

static char *nested(int depth, bool urdf) {
    char *text = calloc(1, 64 * (size_t)depth + 100), *at = text;
    at += sprintf(at, urdf ? "<robot>" : "<mujoco><worldbody>");
    for (int i = 0; i < depth; i++) at += sprintf(at, urdf ? "<link>" : "<body>");
    for (int i = 0; i < depth; i++) at += sprintf(at, urdf ? "</link>" : "</body>");
    strcpy(at, urdf ? "</robot>" : "</worldbody></mujoco>");
    return text;
}

// Whatever is cut off or put in anywhere: a refusal in words, or a file; nothing is read beyond its end (under sanitizers).
static void broken_files_are_refused_in_words(void **unused) {
    (void)unused;
    static const char *const files[] = {"six-joints.urdf", "six-joints.xml"};
    static const char junk[] = "<>'\"&/9-\x01\xff";
    for (int k = 0; k < 2; k++) {
        char *whole = text_of_file(files[k]);
        const size_t length = strlen(whole);
        for (size_t i = 0; i < length; i += 7) {
            const char kept = whole[i];
            for (int way = 0; way < 2; way++) {
                imported chain = {.with_shapes = way};
                td_error err = {0};
                whole[i] = way ? junk[i / 7 % (sizeof junk - 1)] : '\0';
                char *text = imported_text(whole, &chain, &err);
                assert_true(text || (err.message[0] && strncmp(err.where, "chain.xml", 9) == 0));
                free(text);
            }
            whole[i] = kept;
        }
        free(whole);
    }
    for (int k = 0; k < 2; k++) {
        imported chain = {0};
        td_error err = {0};
        char *deep = nested(5000, k);
        assert_null(imported_text(deep, &chain, &err));
        assert_non_null(strstr(err.message, "deeper"));
        free(deep);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_stands_and_weighs_as_its_transforms_say),
        cmocka_unit_test(an_arm_in_motion_needs_the_moments_of_newton_and_euler),
        cmocka_unit_test(slides_go_along_their_axes_and_mimics_with_others),
        cmocka_unit_test(joints_beside_origins_turn_bodies_about_themselves),
        cmocka_unit_test(shapes_give_masses_and_inertia),
        cmocka_unit_test(joints_that_nothing_drives_swing_with_their_damping),
        cmocka_unit_test(what_collides_touches_where_it_is),
        cmocka_unit_test(what_is_left_out_is_said),
        cmocka_unit_test(classes_that_are_used_are_not_left_out),
        cmocka_unit_test(mistakes_are_met_with_their_place),
        cmocka_unit_test(broken_files_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
