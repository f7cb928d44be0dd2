// The model eba against numbers computed independently (Sadati 2019 with its corrections, another
// program: Newton on numerically assembled equations; Radau with tolerance 1e-7).
#include "math/pi.h"
#include "math/quat.h"

#include "lumped_bare.h"

// ---------------------------------------------------------------- without a system
static bare bare_make(td_robot *robot, int segments, bool as_printed) {
    td_options o = lumped_options("eba", segments, as_printed);
    return bare_eba(robot, &o);
}

// In the numbers loads act at the far end of the body at the tip.
static void give_arms(net *c, double length) {
    for (int i = 0; i < c->n_loads; i++) {
        c->loads[i].at.apart = true;
        c->loads[i].at.h = (se3){mat3_identity(), {0.0, 0.0, length}};
    }
}

// ---------------------------------------------------------------- statics
typedef struct tip_case {
    double force;
    int segments;
    bool as_printed;
    double x, z;
} tip_case;

static void cantilevers_match_the_numbers(void **state) {
    (void)state;
    static const tip_case cases[] = {
        {1.0, 2, false, 0.2869067369309397, 0.9508792950559537},
        {1.0, 5, false, 0.2994493501772031, 0.9447579713239103},
        {10.0, 2, false, 0.8059608517607013, 0.463708252119165},
        {10.0, 5, false, 0.8097258120928054, 0.44889930894335484},
        {1.0, 2, true, 0.12136781251816647, 0.985071250072666},
        {1.0, 5, true, 0.2246489679577547, 0.9647432186855112},
        {10.0, 2, true, 0.46523834544262954, 0.6856953381770519},
        {10.0, 5, true, 0.7013785647584871, 0.532967414616616},
    };
    const lumped_rod rod = unit_rod();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tip_case *c = &cases[i];
        td_piece_def piece = lumped_piece(&rod);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, c->force, 0.0, 0.0);
        td_options o = lumped_options("eba", c->segments, c->as_printed);
        world w = world_make(robot, &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);  // two segments are few
        CHECK_NEAR(tip_of(&w).p[0], c->x, 1e-13);
        CHECK_NEAR(tip_of(&w).p[1], 0.0, 1e-13);
        CHECK_NEAR(tip_of(&w).p[2], c->z, 1e-13);
        world_free(&w);
    }
}

static void module_under_pressure_and_load_matches_the_numbers(void **state) {
    (void)state;
    static const struct {
        int segments;
        bool as_printed;
        double tip[3];
    } cases[] = {
        {2, false, {-0.00013726811875709418, -0.015712096040698786, 0.06584458675201467}},
        {5, false, {-4.245957820433319e-05, -0.015636835050092196, 0.06576894327731482}},
        {2, true, {-0.0005847909953033345, -0.011177929200672619, 0.0664163335470327}},
        {5, true, {-0.00030896245210626115, -0.013878695923248207, 0.0660546959112596}},
    };
    const double inside[3] = {0.028170384125387894, -0.005421392952655954, 4.71238898038469};
    const lumped_rod rod = module_rod();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_robot *robot = module_robot(&rod, inside);
        add_tip_force(robot, rod.length, 0.1, 0.15, -0.2);
        add_tip_moment(robot, rod.length, 0.001, 0.0, 0.0005);
        bare b = bare_make(robot, cases[i].segments, cases[i].as_printed);
        give_arms(b.c, MODULE_TIP);
        char message[MODEL_MESSAGE_SIZE] = "";
        td_stats stats = {0};
        model_call call = {.stats = &stats, .message = message, .options = &b.c->options};
        assert_int_equal(solve_statics(&b.part, &call), TD_OK);
        const solve_instant at = bare_instant();
        td_status status;
        net_finish(b.c, b.m, &call, &at, SHAPE_IN_EQUILIBRIUM, &status);
        const node_state *last = &b.m->nodes[cases[i].segments - 1];
        vec3 tip = vec3_add(last->p, quat_rotate(last->q, (vec3){0.0, 0.0, MODULE_TIP}));
        CHECK_NEAR(tip.x, cases[i].tip[0], 1e-13);
        CHECK_NEAR(tip.y, cases[i].tip[1], 1e-13);
        CHECK_NEAR(tip.z, cases[i].tip[2], 1e-13);
        bare_free(&b);
    }
}

// ---------------------------------------------------------------- equations of motion
// A rod of two segments with a body at its tip, loads, weight, damping and rest strains, anywhere:
// with the accelerations of the numbers every node is in balance.
static td_robot *tumbling_robot(void) {
    td_error err = {0};
    lumped_rod rod = {
        .length = 0.4,
        .stiffness = {0.015707963267948967, 0.015707963267948967, 0.010995574287564275,
                      219.91148575128557, 219.91148575128557, 628.3185307179588},
        .mass = 0.3455751918948773,
        .inertia = {8.63937979737193e-06, 8.63937979737193e-06, 1.727875959474386e-05},
        .damping = {0.0001, 0.0002, 0.0003, 0.3, 0.4, 0.5},
        .curvature = {0.5, -1.0, 0.7},
        .stretch = {0.01, -0.02, 1.03}};
    // A constant wrench inside is a change of the strain at rest.
    const double inside[6] = {0.003, -0.01, 0.002, 0.1, 0.2, 1.0};
    for (int i = 0; i < 3; i++) {
        rod.curvature[i] += inside[i] / rod.stiffness[i];
        rod.stretch[i] += inside[3 + i] / rod.stiffness[3 + i];
    }
    td_piece_def piece = lumped_piece(&rod);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 1.0, 0.5, -9.81);
    td_body_def body = td_default_body_def();
    body.name = "tip";
    body.at = rod.length;
    body.mass = 0.02;
    body.centre[2] = 0.01;
    body.inertia[0] = 2e-6, body.inertia[1] = 3e-6, body.inertia[2] = 1e-6;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    add_tip_force(robot, rod.length, 0.2, -0.1, 0.15);
    add_tip_moment(robot, rod.length, 0.004, -0.002, 0.003);
    return robot;
}

typedef struct motion_case {
    bool as_printed;
    double X[2][7], V[2][6], acc[2][6];  // (p, quaternion), (v world, w body), their rates
} motion_case;

// Velocity and acceleration (w, v) with v in the world become the node's twist and its rate:
// V = R'v, V' = R'v' - w x V.
static void into_node(const double *q, double *v, double *a) {
    const quat back = quat_conj(quat_load(q + 3));
    const vec3 V = quat_rotate(back, vec3_load(v + 3)), A = quat_rotate(back, vec3_load(a + 3));
    vec3_store(v + 3, V);
    vec3_store(a + 3, vec3_sub(A, vec3_cross(vec3_load(v), V)));
}

static void check_balance(const motion_case *t) {
    bare b = bare_make(tumbling_robot(), 2, t->as_printed);
    give_arms(b.c, 0.03);
    double q[14], v[12], a[12], r[12];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 7; k++) {
            q[7 * i + k] = t->X[i][k];
            if (k < 6) v[6 * i + (k + 3) % 6] = t->V[i][k], a[6 * i + (k + 3) % 6] = t->acc[i][k];
        }
    for (int i = 0; i < 2; i++) into_node(q + 7 * i, v + 6 * i, a + 6 * i);
    const solve_instant at = bare_instant();
    b.part.how->residual(b.m, &at, &(configuration){.q = q, .v = v, .a = a}, r, NULL);
    for (int i = 0; i < 12; i++) CHECK_NEAR(r[i], 0.0, 1e-12);
    bare_free(&b);
}

static void accelerations_match_the_numbers(void **state) {
    (void)state;
    static const motion_case corrected = {
        false,
        {{-0.015906038567159102, -0.02684073098099629, 0.20273184043226186, 0.9260887386367755,
          -0.23780004172975028, -0.28151338303431, 0.08100002158057208},
         {-0.11512854200025364, -0.03784911316215886, 0.3644502254828115, 0.8927202803678328,
          0.20002053056561153, -0.3111055236190126, 0.25740171239906207}},
        {{0.131, -1.537, 1.249, 1.442, -0.066, -0.274},
         {-0.16, -0.975, 1.099, -0.543, -0.051, -0.793}},
        {{-283.5526295055259, 1435.7865834831268, -200.88717140531514, 5763785.254878275,
          3309298.662149439, -166856.47617088983},
         {-1299.51392693641, -681.6257404869306, -60.25116515636302, -46576.58236043442,
          285994.21519387286, -99728.86030093294}}};
    static const motion_case printed = {
        true,
        {{-0.024, 0.003, 0.17200000000000001, 0.9552624145159687, -0.23377050532682772,
          -0.1526720763256655, -0.09755156258498095},
         {-0.031756044643466756, 0.014086554688154791, 0.3899493957284117, 0.9632006382124575,
          -0.010812974479817475, -0.1865397343465475, 0.19321112193642745}},
        {{-0.176, -0.206, 0.702, 0.52, -1.034, -0.079},
         {0.035, -1.054, 0.26, -0.858, 0.972, 0.193}},
        {{1210.7377136814787, -1671.5519811573706, 1788.2043479418912, 12179037.831284244,
          9590620.124777341, 31068.981539719374},
         {-654.7438502581231, 1312.6999850489487, -224.62768494601087, 47410.13945766585,
          2845.4933262778204, -1737.9489657400122}}};
    check_balance(&corrected);
    check_balance(&printed);
}

// ---------------------------------------------------------------- motion
static vec3 after(world *w, double end, double h) {
    int n = (int)lround(end / h);
    for (int i = 0; i < n; i++) CHECK_CALL(w, td_step(w->system, w->state, end / n));
    return module_tip(w);
}

static void a_jump_of_pressure_matches_the_numbers_at_second_order(void **state) {
    (void)state;
    static const double truth[2] = {-0.015375499106998548, 0.06491807772208079};  // after 0.1 s
    const double inside[3] = {0.025040341444789237, -8.673617379884035e-19, 3.141592653589793};
    lumped_rod rod = module_rod();
    for (int i = 0; i < 6; i++) rod.damping[i] = 0.002 * rod.stiffness[i];
    double error[2];
    for (int k = 0; k < 2; k++) {
        td_options o = lumped_options("eba", 5, false);
        world w = world_make(module_robot(&rod, inside), &o);
        vec3 tip = after(&w, 0.1, k ? 1e-4 : 4e-4);
        error[k] = hypot(tip.y - truth[0], tip.z - truth[1]);
        world_free(&w);
    }
    CHECK_BETWEEN(error[1], 0.0, 1e-6);
    CHECK_BETWEEN(error[0] / error[1], 12.0, 20.0);
}

// ---------------------------------------------------------------- coarse steps
// Slender, without damping and struck near its clamp (Till 2019, 4.2): steps of 2 ms are too long
// for it, but the steps that are taken end in the shape that short ones find, never turned over.
static td_pose strike(double dt, double *resolution) {
    td_piece_def p = td_default_piece_def();
    p.length = 0.517, p.youngs_modulus = 190.4e9, p.shear_modulus = 73e9, p.density = 7602.0;
    p.section.radius = p.section_end.radius = 0.71e-3;
    td_robot *robot = rod_robot(&p, 1);
    const int input = add_input(robot, "blow");
    td_load_def load = point_load("blow", 0.05);
    load.force[1] = (td_number){0.0, 1.0, input};
    add_load(robot, &load);
    set_gravity(robot, 0.0, -9.81, 0.0);
    td_options o = lumped_options("eba", 16, false);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    *resolution = 0.0;
    for (int i = 1; i * dt < 0.1; i++) {
        const double t = i * dt;
        td_set_input(w.system, w.state, input, fmax(0.0, 5.0 * (1.0 - fabs(t / 8e-3 - 1.0))));
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        *resolution = fmax(*resolution, td_get_stats(w.state)->resolution);
    }
    const td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void coarse_steps_do_not_turn_segments_over(void **state) {
    (void)state;
    double coarse, fine;
    const td_pose a = strike(2e-3, &coarse), b = strike(2.5e-4, &fine);
    CHECK_NEAR(a.p[1], b.p[1], 2e-3);
    CHECK_BETWEEN(coarse, 0.0, 1.5 * fine);
}

// A wire that is let go and falls, in steps much longer than its first period: each arrives, no segment
// is turned over, and no energy comes from anywhere.
static void long_steps_of_a_falling_wire_arrive(void **state) {
    (void)state;
    const double steps[] = {0.1, 0.3, 0.5}, radii[] = {1e-3, 5e-4, 2.5e-4};
    for (int k = 0; k < 9; k++) {
        td_piece_def piece = steel_piece();
        piece.section.radius = piece.section_end.radius = radii[k / 3];
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 0.0, -9.81, 0.0);
        const td_options o = lumped_options("eba", 16, false);
        world w = world_make(robot, &o);
        for (int i = 0; i < 10; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, steps[k % 3]));
            CHECK_BETWEEN(td_get_stats(w.state)->resolution, 0.0, 0.03);
            const td_energy e = td_get_energy(w.system, w.state);
            CHECK_BETWEEN(-e.gravity, 0.0, PI * radii[k / 3] * radii[k / 3] * 8000.0 * 9.81 * 0.08);
            CHECK_BETWEEN(e.kinetic + e.elastic + e.gravity, 1.01 * e.gravity, 1e-3 * -e.gravity);
        }
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_match_the_numbers),
        cmocka_unit_test(module_under_pressure_and_load_matches_the_numbers),
        cmocka_unit_test(accelerations_match_the_numbers),
        cmocka_unit_test(a_jump_of_pressure_matches_the_numbers_at_second_order),
        cmocka_unit_test(coarse_steps_do_not_turn_segments_over),
        cmocka_unit_test(long_steps_of_a_falling_wire_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
