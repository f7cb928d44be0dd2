// Bodies that other bodies hold: hinges, slides, springs and drives, against equations of their own.
#include "chains.h"
#include "math/mat3.h"
#include "math/pi.h"
#include "math/quat.h"
#include "modes.h"
#include "step_robots.h"

// With a rod that is stiff and stands aside.
static td_robot *aside_robot(double gx, double gy, double gz) {
    td_robot *robot = empty_robot(gx, gy, gz);
    td_piece_def piece = steel_piece();
    for (int i = 0; i < 6; i++) piece.stiffness[i] = i < 3 ? 1e3 : 1e7;
    piece.mass_per_length = 0.01;
    const td_rod_def rod = chain_rod("aside", &piece, 5.0, 0.0, 0.0);
    add_chain_rod(robot, &rod);
    return robot;
}

static int hold_body(td_robot *robot, td_body_def *def, const char *name, int by, double x,
                     double z) {
    td_error err = {0};
    def->name = name, def->rod = -1;
    def->hold.held = true, def->hold.body = by;
    set3(def->hold.position, x, 0.0, z);
    const int body = td_robot_add_body(robot, def, &err);
    CHECK_OK(body, err);
    return body;
}

static td_body_def link_of(double mass, double centre, double J) {
    td_body_def def = td_default_body_def();
    def.mass = mass, def.centre[0] = centre;
    def.inertia[0] = 0.3 * J, def.inertia[1] = J, def.inertia[2] = 1.1 * J;
    return def;
}

static void turn_about(td_body_def *def, int axis) {
    def->hold.joint = TD_REVOLUTE;
    for (int i = 0; i < 3; i++) def->hold.axis[i] = i == axis;
}

static const char *model;  // that is tried
static td_options model_options(void) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = 12;
    o.scheme = TD_BDF2;
    return o;
}

static td_body_state body_of(const world *w, int body) {
    return td_get_body(w->system, w->state, body);
}

static vec3 at_body(const world *w, int body) {
    return vec3_load(body_of(w, body).pose.p);
}

// ---------------------------------------------------------------- a double pendulum
// Angles from x downwards, in the plane y = 0. The robot has no rods.
typedef struct pendulum {
    double m1, m2, c1, c2, J1, J2, L, g;
} pendulum;

static const pendulum swinging = {0.7, 0.4, 0.11, 0.16, 2e-3, 3e-3, 0.25, 9.81};

// M11 a'' + M12 b'' + h b'^2 = (m1 c1 + m2 L) g cos a,   M12 a'' + M22 b'' - h a'^2 = m2 c2 g cos b
static void pendulum_rates(const pendulum *p, const double y[4], double out[4]) {
    const double h = p->m2 * p->L * p->c2 * sin(y[0] - y[1]);
    const double M11 = p->J1 + p->m1 * p->c1 * p->c1 + p->m2 * p->L * p->L;
    const double M12 = p->m2 * p->L * p->c2 * cos(y[0] - y[1]), M22 = p->J2 + p->m2 * p->c2 * p->c2;
    const double f1 = (p->m1 * p->c1 + p->m2 * p->L) * p->g * cos(y[0]) - h * y[3] * y[3];
    const double f2 = p->m2 * p->c2 * p->g * cos(y[1]) + h * y[2] * y[2];
    const double det = M11 * M22 - M12 * M12;
    out[0] = y[2], out[1] = y[3];
    out[2] = (M22 * f1 - M12 * f2) / det, out[3] = (M11 * f2 - M12 * f1) / det;
}

typedef void rates_of(const void *of, const double *y, double *out);

// Runge and Kutta's formula of fourth order.
static void integrate(rates_of *rates, const void *of, double t, int steps, double y[4]) {
    const double h = t / steps, weight[4] = {1.0, 2.0, 2.0, 1.0}, ahead[4] = {0.0, 0.5, 0.5, 1.0};
    for (int i = 0; i < steps; i++) {
        double k[4] = {0.0}, sum[4] = {0.0}, at[4];
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 4; j++) at[j] = y[j] + ahead[s] * h * k[j];
            rates(of, at, k);
            for (int j = 0; j < 4; j++) sum[j] += weight[s] * k[j] / 6.0;
        }
        for (int j = 0; j < 4; j++) y[j] += h * sum[j];
    }
}

static void pendulum_of(const void *of, const double *y, double *out) {
    pendulum_rates(of, y, out);
}

static td_robot *pendulum_robot(const pendulum *p) {
    td_robot *robot = empty_robot(0.0, 0.0, -p->g);
    td_body_def upper = link_of(p->m1, p->c1, p->J1), lower = link_of(p->m2, p->c2, p->J2);
    turn_about(&upper, 1), turn_about(&lower, 1);
    hold_body(robot, &upper, "upper", TD_WORLD, 0.0, 0.0);
    hold_body(robot, &lower, "lower", 0, p->L, 0.0);
    return robot;
}

static void a_double_pendulum_falls_as_its_equations_say(void **unused) {
    (void)unused;
    const double t = 0.26;
    double y[4] = {0.0}, off[2];
    integrate(pendulum_of, &swinging, t, 4000, y);
    const vec3 elbow = {swinging.L * cos(y[0]), 0.0, -swinging.L * sin(y[0])};
    const td_options o = model_options();
    for (int n = 0; n < 2; n++) {
        world w = world_make(pendulum_robot(&swinging), &o);
        td_state_reset(w.system, w.state);
        const int steps = 1000 << n;
        for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, t / steps));
        const td_body_state lower = body_of(&w, 1);
        off[n] = vec3_norm(vec3_sub(vec3_load(lower.pose.p), elbow)) +
                 fabs(fabs(lower.pose.q[2]) - fabs(sin(0.5 * y[1])));
        if (n) CHECK_NEAR(lower.velocity[1] / y[3], 1.0, 1e-5);
        world_free(&w);
    }
    assert_true(fabs(y[1]) > 0.3 && fabs(y[1] - y[0]) > 0.1);
    CHECK_BETWEEN(off[1], 0.0, 1e-6);
    CHECK_BETWEEN(off[0] / off[1], 3.4, 5.4);
}

// det(K - w^2 M) = 0 about the hanging rest, and the verdict upright.
static void a_double_pendulum_has_its_frequencies(void **unused) {
    (void)unused;
    const pendulum *p = &swinging;
    td_robot *robot = pendulum_robot(p);
    set_gravity(robot, p->g, 0.0, 0.0);  // along the links
    td_options o = model_options();
    world w = world_make(robot, &o);
    found_modes f = modes_at_rest(&w);
    const double M11 = p->J1 + p->m1 * p->c1 * p->c1 + p->m2 * p->L * p->L;
    const double M12 = p->m2 * p->L * p->c2, M22 = p->J2 + p->m2 * p->c2 * p->c2;
    const double K1 = (p->m1 * p->c1 + p->m2 * p->L) * p->g, K2 = p->m2 * p->c2 * p->g;
    const double a = M11 * M22 - M12 * M12, b = K1 * M22 + K2 * M11, c = K1 * K2;
    for (int i = 0; i < 2; i++) {
        const double square = (b + (i ? 1.0 : -1.0) * sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
        CHECK_NEAR(omega_of(&f, i) / sqrt(square), 1.0, 1e-8);
    }
    td_linearisation_destroy(f.l);
    world_free(&w);
    robot = pendulum_robot(p);
    set_gravity(robot, -p->g, 0.0, 0.0);
    w = world_make(robot, &o);
    if (strcmp(model, "cosserat") == 0) {
        f = modes_about(&w, NULL, 0);
        assert_int_equal(td_get_mode(f.l, 0).kind, TD_MODE_DIVERGES);
        td_linearisation_destroy(f.l);
    }
    const td_status status = td_solve_statics(w.system, w.state);
    assert_true(status == TD_BIFURCATION || (status == TD_OK && at_body(&w, 1).x < 0.0));
    world_free(&w);
}

// Two links without weight that stand on one another, with a spring k in each joint and P on top, buckle where
// P L/k = (3 - sqrt 5)/2.
static void upright_links_buckle_where_their_springs_give_way(void **unused) {
    (void)unused;
    const double k = 2.0, L = 0.25, critical = 0.5 * (3.0 - sqrt(5.0)) * k / L;
    for (int i = 0; i < 2; i++) {
        td_robot *robot = aside_robot(-1.0, 0.0, 0.0);
        td_body_def lower = link_of(0.0, 0.0, 1e-4), upper = link_of(0.0, L, 1e-4);
        upper.mass = (i ? 1.01 : 0.99) * critical;
        turn_about(&upper, 1), turn_about(&lower, 1);
        upper.hold.spring.stiffness = lower.hold.spring.stiffness = k;
        hold_body(robot, &lower, "lower", TD_WORLD, 0.0, 0.0);
        hold_body(robot, &upper, "upper", 0, L, 0.0);
        td_options o = model_options();
        world w = world_make(robot, &o);
        const td_status status = td_solve_statics(w.system, w.state);
        const bool leans = at_body(&w, 1).x < L - 1e-6;
        if (i) assert_true(status == TD_BIFURCATION || leans);
        else assert_int_equal(status, TD_OK);
        assert_true(i || !leans);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- a bead on a turning rod
// (J + m r^2) w = h and r'' = r w^2 - k (r - r0)/m - d r'/m, in the plane z = 0; y = (angle, r, -, r').
typedef struct bead {
    double J, m, own, k, d, r0, h;
} bead;

static void bead_rates(const void *of, const double *y, double *out) {
    const bead *b = of;
    const double w = b->h / (b->J + b->own + b->m * y[1] * y[1]);
    out[0] = w, out[1] = y[3], out[2] = 0.0;
    out[3] = y[1] * w * w - (b->k * (y[1] - b->r0) + b->d * y[3]) / b->m;
}

static td_robot *bead_robot(const bead *b, double speed) {
    td_error err = {0};
    td_robot *robot = aside_robot(0.0, 0.0, 0.0);
    td_body_def rod = link_of(0.5, 0.0, b->J / 1.1), slider = link_of(b->m, 0.0, b->own / 1.1);
    turn_about(&rod, 2);
    slider.hold.joint = TD_PRISMATIC, slider.hold.axis[0] = 1.0;
    slider.hold.axis[1] = slider.hold.axis[2] = 0.0;
    slider.hold.spring = (td_spring_def){b->k, b->d, td_constant(0.0)};
    hold_body(robot, &rod, "rod", TD_WORLD, 0.0, 0.0);
    hold_body(robot, &slider, "slider", 0, b->r0, 0.0);
    CHECK_OK(td_robot_set_initial_rate(robot, "body.rod.rotation_z", speed, &err), err);
    CHECK_OK(td_robot_set_initial_rate(robot, "body.slider.rotation_z", speed, &err), err);
    CHECK_OK(td_robot_set_initial_rate(robot, "body.slider.y", b->r0 * speed, &err), err);
    return robot;
}

static void a_bead_slides_out_on_a_turning_rod(void **unused) {
    (void)unused;
    for (int damped = 0; damped < 2; damped++) {
        bead b = {.J = 4e-3, .m = 0.2, .own = 1e-4, .k = 15.0, .r0 = 0.1, .d = damped ? 0.8 : 0.0};
        const double speed = 8.0, t = 0.3;
        b.h = (b.J + b.own + b.m * b.r0 * b.r0) * speed;
        double y[4] = {0.0, b.r0, 0.0, 0.0}, off[2];
        integrate(bead_rates, &b, t, 4000, y);
        const vec3 at = {y[1] * cos(y[0]), y[1] * sin(y[0]), 0.0};
        td_options o = model_options();
        for (int n = 0; n < 2; n++) {
            world w = world_make(bead_robot(&b, speed), &o);
            assert_true(td_begin(w.system, w.state) >= TD_OK);  // or neutral
            const int steps = 400 << n;
            for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, t / steps));
            off[n] = vec3_norm(vec3_sub(at_body(&w, 1), at));
            const td_energy e = td_get_energy(w.system, w.state);
            const double start = 0.5 * b.h * speed;
            CHECK_NEAR((e.kinetic + e.elastic + e.dissipated) / start, 1.0, 1e-4);
            world_free(&w);
        }
        assert_true(y[1] > 1.2 * b.r0);
        CHECK_BETWEEN(off[1], 0.0, 2e-6);
        CHECK_BETWEEN(off[0] / off[1], 3.4, 5.4);
    }
}

// ---------------------------------------------------------------- driven arms
#define LINKS 3
static const double arm_mass[LINKS] = {3.0, 2.0, 1.2}, reach[LINKS] = {0.3, 0.25, 0.2};

// Each turns about z, y, x of the one before, from a frame that is turned by 0.3 about y.
static td_robot *arm_robot(double gravity) {
    static const char *const names[LINKS] = {"shoulder", "elbow", "wrist"};
    td_robot *robot = aside_robot(0.0, 0.0, -gravity);
    for (int i = 0; i < LINKS; i++) {
        td_body_def link = link_of(arm_mass[i], 0.4 * reach[i], 5e-3);
        link.products[0] = 4e-4, link.products[1] = -3e-4, link.products[2] = 2e-4;
        link.hold.orientation[0] = cos(0.15), link.hold.orientation[2] = sin(0.15);
        link.hold.rotation[2 - i] = (td_number){0.1, 1.0, add_input(robot, names[i])};
        hold_body(robot, &link, names[i], i - 1, i ? reach[i - 1] : 0.0, i ? 0.0 : 0.1);
    }
    return robot;
}

static const double posture[LINKS] = {0.4, -0.9, 1.3};

typedef struct frame {
    mat3 R;
    vec3 p;
} frame;

static mat3 about(int axis, double angle) {
    const double c = cos(angle), s = sin(angle);
    mat3 R = mat3_identity();
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    R.m[a][a] = R.m[b][b] = c, R.m[a][b] = -s, R.m[b][a] = s;
    return R;
}

// By hand: R_i = R_{i-1} Ry(0.3) R_axis(0.1 + q), p_i = p_{i-1} + R_{i-1} (reach, 0, 0)
static void arm_frames(const double q[LINKS], frame f[LINKS]) {
    mat3 before = mat3_identity();
    vec3 p = {0.0, 0.0, 0.1};
    for (int i = 0; i < LINKS; i++) {
        const mat3 fixed = about(1, 0.3), turn = about(2 - i, 0.1 + q[i]);
        if (i > 0) p = vec3_madd(p, reach[i - 1], mat3_mul_vec(&before, vec3_make(1.0, 0.0, 0.0)));
        before = mat3_mul(&before, &fixed);
        before = mat3_mul(&before, &turn);
        f[i] = (frame){before, p};
    }
}

static void a_driven_arm_stands_where_its_angles_put_it(void **unused) {
    (void)unused;
    frame f[LINKS];
    td_options o = model_options();
    world w = world_make(arm_robot(9.81), &o);
    arm_frames(posture, f);
    for (int i = 0; i < LINKS; i++) td_set_input(w.system, w.state, i, posture[i]);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 0; i < LINKS; i++) {
        const td_body_state b = body_of(&w, i);
        const mat3 R = quat_to_mat3(quat_load(b.pose.q));
        CHECK_NEAR(vec3_norm(vec3_sub(vec3_load(b.pose.p), f[i].p)), 0.0, 1e-12);
        for (int k = 0; k < 9; k++) CHECK_NEAR(R.m[k / 3][k % 3], f[i].R.m[k / 3][k % 3], 1e-12);
    }
    // what holds a link carries all that is beyond it
    for (int i = 0; i < LINKS; i++) {
        vec3 force = vec3_zero(), moment = vec3_zero();
        for (int k = i; k < LINKS; k++) {
            const vec3 c = mat3_mul_vec(&f[k].R, vec3_make(0.4 * reach[k], 0.0, 0.0));
            const vec3 lift = {0.0, 0.0, 9.81 * arm_mass[k]};
            force = vec3_add(force, lift);
            moment = vec3_add(moment, vec3_cross(vec3_sub(vec3_add(f[k].p, c), f[i].p), lift));
        }
        const td_reaction r = td_get_hold_reaction(w.system, w.state, i);
        CHECK_NEAR(vec3_norm(vec3_sub(vec3_load(r.force), force)), 0.0, 1e-9);
        CHECK_NEAR(vec3_norm(vec3_sub(vec3_load(r.moment), moment)), 0.0, 1e-9);
    }
    world_free(&w);
}

// What the drives do is the change of kinetic energy and of height, to the order of the step.
static void drives_do_the_work_that_an_arm_takes_up(void **unused) {
    (void)unused;
    double off[2], most = 0.0;
    for (int n = 0; n < 2; n++) {
        td_options o = model_options();
        world w = world_make(arm_robot(9.81), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const td_energy from = td_get_energy(w.system, w.state);
        const int steps = 200 << n;
        for (int i = 1; i <= steps; i++) {
            const double t = 1.0 * i / steps, s = sin(3.0 * t) * sin(3.0 * t);
            for (int k = 0; k < LINKS; k++) {
                td_set_input(w.system, w.state, k, posture[k] * s);
                if (strcmp(model, "eba") == 0)  // its stages ask for rates
                    td_set_input_rate(w.system, w.state, k, posture[k] * 3.0 * sin(6.0 * t));
            }
            CHECK_CALL(&w, td_step(w.system, w.state, 1.0 / steps));
        }
        const td_energy to = td_get_energy(w.system, w.state);
        off[n] = fabs(to.kinetic + to.gravity - from.kinetic - from.gravity - to.work + from.work);
        most = fabs(to.work - from.work);
        world_free(&w);
    }
    assert_true(most > 0.1);
    CHECK_BETWEEN(off[1], 0.0, 1e-3 * most);
    CHECK_BETWEEN(off[0] / off[1], 3.0, 6.0);
}

// A body that is out of balance shakes what turns it: M = w^2 (-Jyz, Jxz, 0) in its axes.
static void a_body_out_of_balance_shakes_its_bearing(void **unused) {
    (void)unused;
    const double speed = 20.0, dt = 1e-3;
    td_robot *robot = aside_robot(0.0, 0.0, 0.0);
    td_body_def still = link_of(1.0, 0.0, 1e-2), rotor = link_of(0.5, 0.0, 1e-2);
    rotor.products[0] = 5e-4, rotor.products[1] = 7e-4, rotor.products[2] = -1e-3;
    rotor.hold.rotation[2] = (td_number){0.0, 1.0, add_input(robot, "angle")};
    hold_body(robot, &still, "still", TD_WORLD, 0.0, 0.0);
    hold_body(robot, &rotor, "rotor", 0, 0.1, 0.2);
    const td_options o = model_options();
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 1; i <= 200; i++) {
        td_set_input(w.system, w.state, 0, speed * dt * i);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
    }
    const td_reaction r = td_get_hold_reaction(w.system, w.state, 1);
    const mat3 R = quat_to_mat3(quat_load(body_of(&w, 1).pose.q));
    const vec3 moment = mat3_tmul_vec(&R, vec3_load(r.moment));
    CHECK_NEAR(moment.x, 1e-3 * speed * speed, 1e-3);
    CHECK_NEAR(moment.y, 7e-4 * speed * speed, 1e-3);
    CHECK_NEAR(moment.z, 0.0, 1e-3);
    // the frame that holds it holds the one before it as well, about its own origin
    const td_reaction below = td_get_hold_reaction(w.system, w.state, 0);
    CHECK_NEAR(below.moment[0], r.moment[0], 1e-9);
    world_free(&w);
}

// ---------------------------------------------------------------- with rods, and what is refused
// A rod on a driven arm hangs where one hangs whose base stands there.
static void a_rod_on_an_arm_is_one_on_a_base_there(void **unused) {
    (void)unused;
    frame f[LINKS];
    arm_frames(posture, f);
    td_piece_def piece = steel_piece();
    td_options o = model_options();
    vec3 tips[2];
    for (int on_arm = 0; on_arm < 2; on_arm++) {
        td_robot *robot = on_arm ? arm_robot(9.81) : aside_robot(0.0, 0.0, -9.81);
        td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        rod.base.body = on_arm ? LINKS - 1 : TD_WORLD;
        if (!on_arm) {
            const vec3 p = f[LINKS - 1].p;
            set3(rod.base.position, p.x, p.y, p.z);
            quat_store(rod.base.orientation, quat_from_mat3(&f[LINKS - 1].R));
        }
        add_chain_rod(robot, &rod);
        world w = world_make(robot, &o);
        for (int i = 0; i < LINKS && on_arm; i++) td_set_input(w.system, w.state, i, posture[i]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        tips[on_arm] = vec3_load(td_get_pose(w.system, w.state, 1, 0.4).p);
        if (on_arm) {  // how the tip answers to the drives is how it moves
            double J[6 * LINKS], sides[2][3];
            CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 1, 0.4, J));
            for (int k = 0; k < LINKS; k++) {
                for (int s = 0; s < 2; s++) {
                    td_set_input(w.system, w.state, k, posture[k] + (s ? 1e-4 : -1e-4));
                    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
                    vec3_store(sides[s], vec3_load(td_get_pose(w.system, w.state, 1, 0.4).p));
                }
                td_set_input(w.system, w.state, k, posture[k]);
                CHECK_CALL(&w, td_solve_statics(w.system, w.state));
                for (int i = 0; i < 3; i++)
                    CHECK_NEAR(J[LINKS * (3 + i) + k], (sides[1][i] - sides[0][i]) / 2e-4, 2e-6);
            }
        }
        world_free(&w);
    }
    CHECK_NEAR(vec3_norm(vec3_sub(tips[0], tips[1])), 0.0, 1e-10);
}

// Two bodies on a hinge that nothing holds: their momenta stay.
static void a_pair_that_nothing_holds_keeps_its_momenta(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = aside_robot(0.0, 0.0, 0.0);
    td_body_def one = link_of(0.7, 0.1, 2e-3), other = link_of(0.4, 0.16, 3e-3);
    one.name = "one", one.rod = -1;
    CHECK_OK(td_robot_add_body(robot, &one, &err), err);
    turn_about(&other, 1);
    hold_body(robot, &other, "other", 0, 0.25, 0.0);
    CHECK_OK(td_robot_set_initial_rate(robot, "body.other.rotation_y", 9.0, &err), err);
    td_options o = model_options();
    world w = world_make(robot, &o);
    assert_true(td_begin(w.system, w.state) >= TD_OK);  // or neutral
    for (int i = 0; i < 1000; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-4));
    vec3 sum[2], turning = vec3_zero();
    for (int k = 0; k < 2; k++) {
        const td_body_state b = body_of(&w, k);
        const mat3 R = quat_to_mat3(quat_load(b.pose.q));
        const vec3 W = mat3_mul_vec(&R, vec3_load(b.velocity));
        const vec3 c = mat3_mul_vec(&R, vec3_make(k ? 0.16 : 0.1, 0.0, 0.0));
        const vec3 V = vec3_add(mat3_mul_vec(&R, vec3_load(b.velocity + 3)), vec3_cross(W, c));
        sum[k] = vec3_scale(V, k ? 0.4 : 0.7);
        turning = vec3_add(turning, vec3_cross(vec3_add(vec3_load(b.pose.p), c), sum[k]));
        turning.y += (k ? 3e-3 : 2e-3) * W.y;
    }
    const vec3 whole = vec3_add(sum[0], sum[1]);
    CHECK_NEAR(whole.x, 0.0, 1e-5);
    CHECK_NEAR(whole.z, -0.4 * 9.0 * 0.16, 1e-5);
    CHECK_NEAR(turning.y, 9.0 * (3e-3 + 0.4 * 0.16 * (0.25 + 0.16)), 1e-5);
    assert_true(vec3_norm(sum[0]) > 0.02);
    world_free(&w);
}

// ---------------------------------------------------------------- eba beside cosserat
static world jointed(const char *name, int segments) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", name);
    o.lumped.segments = segments, o.scheme = TD_SDIRK2;
    return world_make(robot_of(JOINTED), &o);
}

static vec3 tip_at(const world *w) {
    return vec3_load(td_get_pose(w->system, w->state, 0, 0.2).p);
}

// A rod on bodies with a spring, a slide that an input drives and a drive: how it rests, answers and swings.
static void a_jointed_arm_approaches_the_cosserat_model(void **unused) {
    (void)unused;
    enum { INPUTS = 3, MODES = 5 };
    double off[3][2], J[3][6 * INPUTS], omega[3][MODES], stable[3];
    vec3 tip[3];
    for (int k = 0; k < 3; k++) {
        world w = jointed(k ? "eba" : "cosserat", k == 2 ? 16 : 8);
        for (int i = 0; i < INPUTS; i++) td_set_input(w.system, w.state, i, 0.1 - 0.04 * i);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        tip[k] = tip_at(&w);
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.2, J[k]));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &stable[k]));
        const td_reaction hub = td_get_hold_reaction(w.system, w.state, 0);
        const double weight = 0.15 + PI * 1e-4 * 0.2 * 1000.0, push = 0.02 + 0.02;
        CHECK_NEAR(hub.force[0], 4.0 * weight, 1e-7);
        CHECK_NEAR(hub.force[1], -push, 1e-7);
        CHECK_NEAR(hub.force[2], -3.0 * weight, 1e-7);
        found_modes f = modes_about(&w, NULL, 0);
        for (int i = 0; i < MODES; i++) omega[k][i] = omega_of(&f, i);
        td_linearisation_destroy(f.l);
        world_free(&w);
    }
    for (int k = 0; k < 2; k++) {
        off[0][k] = vec3_norm(vec3_sub(tip[k + 1], tip[0]));
        off[1][k] = off[2][k] = 0.0;
        for (int i = 0; i < 6 * INPUTS; i++)
            off[1][k] = fmax(off[1][k], fabs(J[k + 1][i] - J[0][i]));
        for (int i = 0; i < MODES; i++)
            off[2][k] = fmax(off[2][k], fabs(omega[k + 1][i] / omega[0][i] - 1.0));
    }
    for (int i = 0; i < 3; i++) {
        CHECK_BETWEEN(off[i][1], 1e-9, 5e-3);
        CHECK_NEAR(off[i][0] / off[i][1], 4.0, 0.6);
    }
    assert_true(stable[0] > 0.0 && stable[2] > 0.0);
}

// In motion, with steps that go to 0; energies balance to their order.
static void a_jointed_arm_swings_to_the_order_of_its_steps(void **unused) {
    (void)unused;
    vec3 tip[4];
    double off[4];
    for (int k = 0; k < 4; k++) {
        world w = jointed("eba", 6);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double before = world_balance(&w);
        const int steps = 25 << k;
        for (int i = 1; i <= steps; i++) {
            const double t = 0.2 * i / steps, s = sin(20.0 * t) * sin(20.0 * t);
            for (int n = 0; n < 2; n++) {
                td_set_input(w.system, w.state, n, 0.3 * s);
                td_set_input_rate(w.system, w.state, n, 6.0 * sin(40.0 * t));
            }
            CHECK_CALL(&w, td_step(w.system, w.state, 0.2 / steps));
        }
        tip[k] = tip_at(&w);
        off[k] = fabs(world_balance(&w) - before);
        world_free(&w);
    }
    const double coarse = vec3_norm(vec3_sub(tip[1], tip[2])),
                 fine = vec3_norm(vec3_sub(tip[2], tip[3]));
    CHECK_BETWEEN(coarse / fine, 3.0, 5.5);
    CHECK_BETWEEN(off[2] / off[3], 3.0, 5.5);
}

// ---------------------------------------------------------------- a closed loop
// Crank 0.1, coupler 0.3, rocker 0.2 m on a ground of 0.3 m: angles of the last two by that of the first.
static void four_bars(double crank, double angles[2]) {
    const double A[2] = {0.1 * cos(crank), 0.1 * sin(crank)}, to[2] = {0.3 - A[0], -A[1]};
    const double d = hypot(to[0], to[1]), along = (0.09 - 0.04 + d * d) / (2.0 * d);
    const double up = sqrt(0.09 - along * along);
    const double P[2] = {A[0] + (along * to[0] - up * to[1]) / d,
                         A[1] + (along * to[1] + up * to[0]) / d};
    angles[0] = atan2(P[1] - A[1], P[0] - A[0]), angles[1] = atan2(P[1], P[0] - 0.3);
}

// A short rod, the pin between coupler and rocker, closes the loop.
static td_robot *linkage(double start) {
    char text[2048];
    double a[2];
    td_error err = {0};
    four_bars(start, a);
    snprintf(
        text, sizeof text,
        "tendril: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: crank, mass: 0.2, held: {position: [0, 0, 0], rotation: [0, %.17g, 0],\n"
        "     motion: {rotation: [0, -turn, 0]}}}\n"
        "  - {name: coupler, mass: 0.3, inertia: [1e-4, 3e-3, 3e-3], held: {body: crank,\n"
        "     position: [0.1, 0, 0], joint: revolute, axis: [0, 1, 0],\n"
        "     rotation: [0, %.17g, 0]}}\n"
        "  - {name: rocker, mass: 0.3, inertia: [1e-4, 2e-3, 2e-3], held: {position: [0.3, 0, "
        "0],\n     joint: revolute, axis: [0, 1, 0], rotation: [0, %.17g, 0]}}\n"
        "rods:\n"
        "  - {name: pin, length: 5 mm, section: {radius: 1 mm}, material: {youngs_modulus: 200 "
        "GPa, poisson_ratio: 0.3, density: 7800},\n"
        "     base: {body: coupler, position: [0.3, 0, 0], direction: [0, 1, 0]},\n"
        "     tip: {body: rocker, position: [0.2, 5 mm, 0], joint: ball}}\n",
        -start, start - a[0], -a[1]);
    td_robot *robot = td_robot_parse(text, strlen(text), "linkage.yaml", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static void short_rods_close_loops_of_bodies(void **unused) {
    (void)unused;
    td_options o = model_options();
    o.lumped.segments = 2;
    world w = world_make(linkage(1.2), &o);
    for (int i = 0; i < 6; i++) {
        double a[2];
        td_set_input(w.system, w.state, 0, 0.2 * i);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        four_bars(1.2 + 0.2 * i, a);
        const td_body_state coupler = body_of(&w, 1), rocker = body_of(&w, 2);
        CHECK_NEAR(fabs(coupler.pose.q[2]), fabs(sin(0.5 * a[0])), 1e-7);
        CHECK_NEAR(fabs(rocker.pose.q[2]), fabs(sin(0.5 * a[1])), 1e-7);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- on a floor
// A link on a hinge whose end, a ball without mass that it holds, rests on a floor: it carries W c/l.
#define HAMMER                                                                                     \
    "tendril: 1\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  - {name: arm, mass: 1.5 kg, inertia: [1e-3, 6e-3, 6e-3], centre: [0.1, 0, 0],\n"            \
    "     held: {position: [0, 0, 0.3], joint: revolute, axis: [0, 1, 0]}}\n"                      \
    "  - {name: head, shape: {sphere: {radius: 30 mm}}, held: {body: arm, position: [0.25, 0, "    \
    "0]}}\n"                                                                                       \
    "obstacles: [{name: floor, plane: {}, position: [0, 0, 0.2]}]\n"

static void what_bodies_hold_touches_with_their_weight(void **unused) {
    (void)unused;
    const td_options o = model_options();
    td_error err = {0};
    td_robot *robot = td_robot_parse(HAMMER, strlen(HAMMER), "hammer.yaml", NULL, 0, &err);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_reaction floor = td_get_obstacle_wrench(w.system, w.state, 0);
    CHECK_NEAR(floor.force[2], -1.5 * 9.81 * 0.1 / 0.25, 1e-6);
    CHECK_NEAR(at_body(&w, 1).z, 0.23, 1e-4);
    world_free(&w);
}

// ---------------------------------------------------------------- what is refused
static void no_body_holds_itself_or_has_impossible_products(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = aside_robot(0.0, 0.0, 0.0);
    td_body_def body = link_of(1.0, 0.0, 1e-3);
    body.name = "one", body.rod = -1, body.hold.held = true, body.hold.body = 0;
    assert_true(td_robot_add_body(robot, &body, &err) < 0);
    assert_non_null(strstr(err.message, "is not the index of a body"));
    body.hold.body = TD_WORLD, body.products[1] = 2e-3;
    assert_true(td_robot_add_body(robot, &body, &err) < 0);
    assert_non_null(strstr(err.where, "products"));
    assert_non_null(strstr(err.message, "principal moments"));
    td_robot_destroy(robot);
    robot = pendulum_robot(&swinging);
    td_options o = model_options();
    snprintf(o.model, sizeof o.model, "ebr");
    assert_null(td_system_create(robot, &o, &err));
    assert_non_null(strstr(err.message, "joints between bodies"));
    snprintf(o.model, sizeof o.model, "eba");
    o.integration.method = TD_STEPS_EXPLICIT;
    assert_null(td_system_create(robot, &o, &err));
    assert_string_equal(err.where, "bodies.upper.held");
    assert_non_null(strstr(err.message, "method: fixed"));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_falls_as_its_equations_say),
        cmocka_unit_test(a_double_pendulum_has_its_frequencies),
        cmocka_unit_test(upright_links_buckle_where_their_springs_give_way),
        cmocka_unit_test(a_bead_slides_out_on_a_turning_rod),
        cmocka_unit_test(a_driven_arm_stands_where_its_angles_put_it),
        cmocka_unit_test(drives_do_the_work_that_an_arm_takes_up),
        cmocka_unit_test(a_body_out_of_balance_shakes_its_bearing),
        cmocka_unit_test(a_rod_on_an_arm_is_one_on_a_base_there),
        cmocka_unit_test(a_pair_that_nothing_holds_keeps_its_momenta),
        cmocka_unit_test(what_bodies_hold_touches_with_their_weight),
        cmocka_unit_test(short_rods_close_loops_of_bodies),
        cmocka_unit_test(no_body_holds_itself_or_has_impossible_products),
    };
    const struct CMUnitTest beside[] = {
        cmocka_unit_test(a_jointed_arm_approaches_the_cosserat_model),
        cmocka_unit_test(a_jointed_arm_swings_to_the_order_of_its_steps),
    };
    int failed = cmocka_run_group_tests(beside, NULL, NULL);
    static const char *const models[] = {"cosserat", "eba"};
    for (int m = 0; m < 2; m++) {
        model = models[m];
        printf("%s\n", model);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
