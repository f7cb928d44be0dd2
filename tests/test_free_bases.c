// Robots that nothing joins to the world: what moves them is what acts on them, and no more.
#include "chains.h"
#include "integrate/sundials.h"
#include "math/quat.h"
#include "math/pi.h"
#include "math/quadrature.h"

// ---------------------------------------------------------------- the flying spaghetti
// Simo & Vu-Quoc 1986, Part II: a beam of 10 m, EI = 500, GA = EA = 1e4, rho A = 1, rho I = 10, that leans from (6, 0) to
// (0, 8); a force of 8 and a moment of 80 at its lower end push it for 2.5 s. Here its plane is that of x and z. In space
// a second moment turns it out of the plane.
enum { PUSH, TURN, ASIDE };
#define RELEASE 2.5

static td_robot *spaghetti(void) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 10.0;
    piece.youngs_modulus = piece.shear_modulus = piece.density = 1.0;
    piece.section.shape = TD_SECTION_GENERAL;
    piece.section.area = 1.0, piece.section.torsion = piece.section.polar = 10.0;
    piece.section.ixx = piece.section.iyy = 10.0;
    piece.section_end = piece.section;
    for (int i = 0; i < 6; i++) piece.stiffness[i] = i < 3 ? 500.0 : 1e4;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("beam", &piece, 6.0, 0.0, 0.0);
    rod.base.joint = TD_FREE;
    const quat lean = quat_exp(vec3_make(0.0, -atan2(6.0, 8.0), 0.0));
    quat_store(rod.base.orientation, lean);
    add_chain_rod(robot, &rod);
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = 0, load.from = 0.0;
    load.force[0] = (td_number){0.0, 1.0, add_input(robot, "push")};
    load.moment[1] = (td_number){0.0, 1.0, add_input(robot, "turn")};
    load.moment[2] = (td_number){0.0, 1.0, add_input(robot, "aside")};
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    return robot;
}

typedef struct momentum {
    vec3 linear, angular;  // about the origin
} momentum;

// Of a uniform rod of 1 kg/m and 10 kg m about each axis, from its samples.
static momentum momentum_of(const world *w) {
    momentum sum = {vec3_zero(), vec3_zero()};
    double x[40], b[40];
    gauss_legendre(40, x, b);
    for (int i = 0; i < 40; i++) {
        const td_sample s = td_get_sample(w->system, w->state, 0, 10.0 * x[i]);
        const quat h = quat_load(s.pose.q);
        const vec3 v = quat_rotate(h, vec3_load(s.velocity + 3));
        const vec3 spin = quat_rotate(h, vec3_scale(vec3_load(s.velocity), 10.0));
        sum.linear = vec3_madd(sum.linear, 10.0 * b[i], v);
        sum.angular =
            vec3_madd(sum.angular, 10.0 * b[i], vec3_add(spin, vec3_cross(vec3_load(s.pose.p), v)));
    }
    return sum;
}

typedef struct flight {
    vec3 base, tip;  // at the end
    momentum given, kept;
    double energy;  // J, its change since the release, by what it was
} flight;

static double held_energy(const world *w) {
    const td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.elastic;
}

// All at once, as published, or gently up and down again with the same impulse.
static void push(world *w, const double given[3], bool gently, double t) {
    const double share = gently ? 1.0 - cos(2.0 * PI * t / RELEASE) : 1.0;
    for (int i = 0; i < 3; i++) td_set_input(w->system, w->state, i, share * given[i]);
}

static flight fly(const td_options *o, double aside, bool gently, double dt, double end) {
    world w = world_make(spaghetti(), o);
    flight f = {.given = {vec3_zero(), vec3_zero()}};
    const double full[3] = {8.0, 80.0, aside}, none[3] = {0.0};
    const int n = (int)lround(end / dt), pushed = (int)lround(RELEASE / dt);
    double start = 0.0;
    push(&w, gently ? none : full, gently, 0.0);
    for (int k = 0; k < n; k++) {
        vec3 arm[2], force[2];
        for (int i = 0; i < 2; i++) {
            force[i] = vec3_make(td_get_input(w.system, w.state, PUSH), 0.0, 0.0);
            arm[i] = vec3_load(td_get_pose(w.system, w.state, 0, 0.0).p);
            const vec3 moment = vec3_make(0.0, td_get_input(w.system, w.state, TURN),
                                          td_get_input(w.system, w.state, ASIDE));
            f.given.linear = vec3_madd(f.given.linear, 0.5 * dt, force[i]);
            f.given.angular = vec3_madd(f.given.angular, 0.5 * dt,
                                        vec3_add(moment, vec3_cross(arm[i], force[i])));
            if (i) break;
            if (gently && k < pushed) push(&w, full, gently, (k + 1) * dt);
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
        }
        if (k + 1 != pushed) continue;
        start = held_energy(&w);
        push(&w, none, gently, 0.0);
        if (!gently) td_restart(w.system, w.state);
    }
    f.kept = momentum_of(&w), f.energy = held_energy(&w) / start - 1.0;
    f.base = vec3_load(td_get_pose(w.system, w.state, 0, 0.0).p);
    f.tip = vec3_load(td_get_pose(w.system, w.state, 0, 10.0).p);
    world_free(&w);
    return f;
}

static td_options options_of(const char *model, int n) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.scheme = TD_TRAPEZOIDAL;
    o.nodes = n, o.lumped.segments = n, o.rom.order = n < 9 ? n : 9;
    return o;
}

// Of so many elements to a rod that finer ones change nothing here.
static td_options good_options(const char *model, int finer) {
    const bool lumped = !strcmp(model, "eba") || !strcmp(model, "ebr") || !strcmp(model, "srl");
    return options_of(model, lumped ? 32 << finer : 12);
}

// Polynomials along all of the rod swing faster than elements do, and ask for shorter steps.
static double good_step(const char *model, double dt) {
    return strcmp(model, "rom") ? dt : 0.25 * dt;
}

// ---------------------------------------------------------------- what is kept
static double apart(vec3 a, vec3 b) {
    return vec3_norm(vec3_sub(a, b));
}

static void the_flying_spaghetti_takes_the_impulse_it_is_given(void **unused) {
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int m = 0; m < 5; m++) {
        const td_options o = good_options(models[m], 1);
        const flight f = fly(&o, 0.0, false, good_step(models[m], 0.0125), 5.0);
        CHECK_NEAR(f.given.linear.x, 8.0 * RELEASE, 1e-12);
        CHECK_BETWEEN(apart(f.kept.linear, f.given.linear), 0.0, 2.5e-4 * 20.0);
        CHECK_BETWEEN(apart(f.kept.angular, f.given.angular), 0.0, 2e-3 * 190.0);
        CHECK_BETWEEN(f.energy, -0.01, 0.0);  // the blow of the release is damped
    }
}

// Momentum, angular momentum and energy of the trapezoidal rule (cosserat) and of the steps of the others: not kept to
// rounding, but to the order of the step, which is the second.
static void momentum_and_energy_are_kept_to_second_order(void **unused) {
    static const char *const models[] = {"cosserat", "eba", "ebr", "rom"};
    static const double most[] = {2e-5, 2e-5, 4e-5, 4e-5};  // of the energy, at the finer step
    (void)unused;
    for (int m = 0; m < 4; m++) {
        double linear[2], angular[2], energy[2];
        for (int n = 0; n < 2; n++) {
            const td_options o = good_options(models[m], n);
            const flight f = fly(&o, 80.0, true, good_step(models[m], n ? 0.0125 : 0.025), 5.0);
            linear[n] = apart(f.kept.linear, f.given.linear);
            angular[n] = apart(f.kept.angular, f.given.angular);
            energy[n] = fabs(f.energy);
        }
        CHECK_BETWEEN(linear[1], 0.0, 6e-4 * 20.0);
        CHECK_BETWEEN(linear[0] / linear[1], 3.5, 4.5);
        CHECK_BETWEEN(angular[1], 0.0, 6e-4 * 260.0);
        CHECK_BETWEEN(angular[0] / angular[1], 3.5, 4.5);
        CHECK_BETWEEN(energy[1], 0.0, most[m]);
    }
}

// Where two formulations of the beam, each taken to the limit of its step, say that it is.
static vec3 limit(vec3 coarse, vec3 fine) {
    return vec3_madd(fine, 1.0 / 3.0, vec3_sub(fine, coarse));
}

// The last is eba by the midpoint rule.
static void formulations_fly_alike(void **unused) {
    static const char *const models[] = {"cosserat", "eba", "ebr", "rom", "eba"};
    enum { N = sizeof models / sizeof *models };
    (void)unused;
    for (int a = 0; a < 2; a++) {
        vec3 base[N], tip[N];
        for (int m = 0; m < N; m++) {
            flight f[2];
            for (int n = 0; n < 2; n++) {
                td_options o = good_options(models[m], n);
                if (m == N - 1) o.integration.method = TD_STEPS_MIDPOINT;
                f[n] = fly(&o, a ? 80.0 : 0.0, true, good_step(models[m], n ? 0.0125 : 0.025), 5.0);
            }
            base[m] = limit(f[0].base, f[1].base), tip[m] = limit(f[0].tip, f[1].tip);
        }
        for (int m = 1; m < N; m++) {
            CHECK_BETWEEN(apart(base[0], base[m]), 0.0, 5e-4);  // of 10 m, after a way of 10 m
            CHECK_BETWEEN(apart(tip[0], tip[m]), 0.0, 5e-4);
        }
        if (!a) CHECK_NEAR(tip[0].y, 0.0, 1e-12);
    }
}

// Steps chosen so small that only the equations count: ebr is eba in other coordinates.
static void relative_coordinates_fly_as_absolute_ones(void **unused) {
    static const td_steps methods[] = {TD_STEPS_EXPLICIT, TD_STEPS_IMPLICIT};
    (void)unused;
    if (!integrator_exists()) skip();
    for (int k = 0; k < 2; k++) {
        flight f[2];
        for (int m = 0; m < 2; m++) {
            td_options o = options_of(m ? "ebr" : "eba", k ? 2 : 8);
            o.integration.method = methods[k];
            o.integration.relative = 1e-9, o.integration.absolute = 1e-11;
            f[m] = fly(&o, 80.0, true, 0.1, k ? 1.0 : 3.0);
        }
        CHECK_BETWEEN(apart(f[0].base, f[1].base), 0.0, 1e-6);
        CHECK_BETWEEN(apart(f[0].tip, f[1].tip), 0.0, 1e-6);
        assert_true(apart(f[0].tip, vec3_make(0.0, 0.0, 8.0)) > 0.1);
    }
}

// ---------------------------------------------------------------- the midpoint rule
// Its nodes carry halves of the segments beside them.
static momentum momentum_of_nodes(const world *w, int n) {
    momentum sum = {vec3_zero(), vec3_zero()};
    for (int i = 0; i <= n; i++) {
        const double mass = (i % n ? 1.0 : 0.5) * 10.0 / n;
        const td_sample s = td_get_sample(w->system, w->state, 0, 10.0 * i / n);
        const quat h = quat_load(s.pose.q);
        const vec3 v = quat_rotate(h, vec3_load(s.velocity + 3));
        const vec3 spin = quat_rotate(h, vec3_scale(vec3_load(s.velocity), 10.0));
        sum.linear = vec3_madd(sum.linear, mass, v);
        sum.angular =
            vec3_madd(sum.angular, mass, vec3_add(spin, vec3_cross(vec3_load(s.pose.p), v)));
    }
    return sum;
}

typedef struct drift {
    double given[2];  // how far momenta are from the impulses of the push, by what they are
    double kept[2];   // and how far they went in the flight, at most
    double energy;    // the same, by what it was at the release
} drift;

static drift fly_on(td_steps method, double dt, int pushed, int flown) {
    enum { N = 20 };
    td_options o = options_of("eba", N);
    o.integration.method = method;
    world w = world_make(spaghetti(), &o);
    const double full[3] = {8.0, 80.0, 80.0}, none[3] = {0.0};
    const vec3 force = {8.0, 0.0, 0.0}, moment = {0.0, 80.0, 80.0};
    momentum given = {vec3_zero(), vec3_zero()};
    push(&w, full, false, 0.0);
    for (int k = 0; k < pushed; k++) {
        const vec3 before = vec3_load(td_get_pose(w.system, w.state, 0, 0.0).p);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        const vec3 after = vec3_load(td_get_pose(w.system, w.state, 0, 0.0).p);
        const vec3 arm = vec3_scale(vec3_add(before, after), 0.5);
        given.linear = vec3_madd(given.linear, dt, force);
        given.angular = vec3_madd(given.angular, dt, vec3_add(moment, vec3_cross(arm, force)));
    }
    push(&w, none, false, 0.0);
    td_restart(w.system, w.state);
    const momentum start = momentum_of_nodes(&w, N);
    const double size[2] = {vec3_norm(start.linear), vec3_norm(start.angular)};
    const double energy = held_energy(&w);
    drift d = {.given = {apart(start.linear, given.linear) / size[0],
                         apart(start.angular, given.angular) / size[1]}};
    for (int k = 0; k < flown; k++) {
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        const momentum now = momentum_of_nodes(&w, N);
        d.kept[0] = fmax(d.kept[0], apart(now.linear, start.linear) / size[0]);
        d.kept[1] = fmax(d.kept[1], apart(now.angular, start.angular) / size[1]);
        d.energy = fmax(d.energy, fabs(held_energy(&w) / energy - 1.0));
    }
    world_free(&w);
    return d;
}

static void the_midpoint_rule_keeps_momenta_to_rounding(void **unused) {
    (void)unused;
    for (int fixed = 0; fixed < 2; fixed++) {
        const drift d = fly_on(fixed ? TD_STEPS_FIXED : TD_STEPS_MIDPOINT, 0.05, 50, 1000);
        for (int i = 0; i < 2; i++) {
            CHECK_BETWEEN(d.given[i], fixed ? 1e-4 : 0.0, fixed ? 1e-1 : 1e-12);
            CHECK_BETWEEN(d.kept[i], fixed ? 1e-2 : 0.0, fixed ? 0.5 : 5e-12);
        }
    }
    const drift coarse = fly_on(TD_STEPS_MIDPOINT, 3.125e-3, 800, 1600),
                fine = fly_on(TD_STEPS_MIDPOINT, 1.5625e-3, 1600, 3200);
    CHECK_BETWEEN(fine.energy, 0.0, 5e-7);
    CHECK_BETWEEN(coarse.energy / fine.energy, 3.5, 4.5);
}

// A rod with a lopsided body on it and another at its tip that nothing else holds, thrown and spinning.
static vec3 spin_about(const td_body_state *b, const double inertia[3], double mass, vec3 centre,
                       vec3 *along) {
    const quat h = quat_load(b->pose.q);
    const vec3 w = vec3_load(b->velocity), c = quat_rotate(h, centre);
    const vec3 v =
        vec3_add(quat_rotate(h, vec3_load(b->velocity + 3)), vec3_cross(quat_rotate(h, w), c));
    const vec3 own = quat_rotate(h, vec3_mul(vec3_load(inertia), w));
    *along = vec3_scale(v, mass);
    return vec3_add(own, vec3_cross(vec3_add(vec3_load(b->pose.p), c), *along));
}

static momentum momentum_of_toy(const world *w, const td_body_def bodies[2], double per_length,
                                const double J[3]) {
    enum { N = 8 };
    momentum sum = {vec3_zero(), vec3_zero()};
    for (int i = 0; i <= N; i++) {
        const double ds = (i % N ? 1.0 : 0.5) * 0.4 / N;
        const td_sample s = td_get_sample(w->system, w->state, 0, 0.4 * i / N);
        const quat h = quat_load(s.pose.q);
        const vec3 p = vec3_scale(quat_rotate(h, vec3_load(s.velocity + 3)), per_length * ds);
        const vec3 own = vec3_scale(vec3_mul(vec3_load(J), vec3_load(s.velocity)), ds);
        sum.linear = vec3_add(sum.linear, p);
        sum.angular = vec3_add(sum.angular,
                               vec3_add(quat_rotate(h, own), vec3_cross(vec3_load(s.pose.p), p)));
    }
    for (int i = 0; i < 2; i++) {
        const td_body_state b = td_get_body(w->system, w->state, i);
        vec3 p;
        const vec3 H =
            spin_about(&b, bodies[i].inertia, bodies[i].mass, vec3_load(bodies[i].centre), &p);
        sum.linear = vec3_add(sum.linear, p), sum.angular = vec3_add(sum.angular, H);
    }
    return sum;
}

static void so_it_does_where_lopsided_bodies_spin(void **unused) {
    (void)unused;
    static const double linear[3] = {1.0, 2.0, 3.0}, angular[3] = {14.0, 9.0, 25.0};
    static const double about[3] = {0.3, -0.1, 0.7};
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_body_def bodies[2];
    for (int i = 0; i < 2; i++) {
        td_body_def *b = &bodies[i];
        *b = td_default_body_def();
        b->name = i ? "rider" : "end", b->rod = i ? 0 : -1, b->mass = 0.02 + 0.03 * i, b->at = 0.1;
        for (int k = 0; k < 3; k++) b->inertia[k] = 1e-5 * (k + 1), b->centre[k] = 0.01 * (k - 1.5);
        b->position[2] = i ? 0.0 : 0.4;
    }
    CHECK_OK(td_robot_add_body(robot, &bodies[0], &err), err);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    piece.youngs_modulus = piece.shear_modulus = 1e9;
    rod.base.joint = TD_FREE;
    hold_tip(&rod, 0, TD_CLAMP, 0.0, 0.0, 0.0);
    add_chain_rod(robot, &rod);
    CHECK_OK(td_robot_add_body(robot, &bodies[1], &err), err);
    CHECK_OK(td_robot_set_initial_motion(robot, linear, angular, about, &err), err);
    const double r = piece.section.radius, mass = PI * r * r * piece.density;
    const double J[3] = {0.25 * mass * r * r, 0.25 * mass * r * r, 0.5 * mass * r * r};
    td_options o = options_of("eba", 8);
    o.integration.method = TD_STEPS_MIDPOINT;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_apply_initial(w.system, w.state));
    const momentum start = momentum_of_toy(&w, bodies, mass, J);
    const vec3 z = vec3_make(0.0, 0.0, 1.0);
    const vec3 axis = quat_rotate(quat_load(td_get_body(w.system, w.state, 0).pose.q), z);
    for (int k = 0; k < 500; k++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-4));
        const momentum now = momentum_of_toy(&w, bodies, mass, J);
        CHECK_BETWEEN(apart(now.linear, start.linear) / vec3_norm(start.linear), 0.0, 1e-11);
        CHECK_BETWEEN(apart(now.angular, start.angular) / vec3_norm(start.angular), 0.0, 1e-11);
    }
    assert_true(apart(quat_rotate(quat_load(td_get_body(w.system, w.state, 0).pose.q), z), axis) >
                0.1);
    world_free(&w);
}

// ---------------------------------------------------------------- thrown
// A baton whose middle follows a parabola whatever else it does; the rod begins at its end.
static void what_is_thrown_turns_about_a_middle_that_falls(void **unused) {
    (void)unused;
    static const double linear[3] = {1.0, 2.0, 3.0}, angular[3] = {4.0, 0.0, 5.0};
    static const double about[3] = {0.3, -0.1, 0.7};
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    for (int m = 0; m < 5; m++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_rod_def rod = chain_rod("baton", &piece, 0.3, -0.1, 0.5);
        rod.base.joint = TD_FREE;
        add_chain_rod(robot, &rod);
        CHECK_OK(td_robot_set_initial_motion(robot, linear, angular, about, &err), err);
        td_options o = options_of(models[m], 16);
        o.nodes = 6;
        world w = world_make(robot, &o);
        assert_true(td_n_initial(w.system) > 0);
        CHECK_CALL(&w, td_apply_initial(w.system, w.state));
        for (int k = 0; k <= 4; k++) {
            const td_sample s = td_get_sample(w.system, w.state, 0, 0.1 * k);
            const vec3 arm = vec3_sub(vec3_load(s.pose.p), vec3_load(about));
            const vec3 want = vec3_add(vec3_load(linear), vec3_cross(vec3_load(angular), arm));
            const quat h = quat_load(s.pose.q);
            CHECK_BETWEEN(apart(quat_rotate(h, vec3_load(s.velocity + 3)), want), 0.0, 1e-12);
            CHECK_BETWEEN(apart(quat_rotate(h, vec3_load(s.velocity)), vec3_load(angular)), 0.0,
                          1e-11);
        }
        double middle[2][3];
        for (int n = 0; n < 2; n++) {
            td_state_reset(w.system, w.state);
            CHECK_CALL(&w, td_apply_initial(w.system, w.state));
            for (int k = 0; k < 100 << n; k++)
                CHECK_CALL(&w, td_step(w.system, w.state, 4e-3 / (1 << n)));
            const td_pose p = td_get_pose(w.system, w.state, 0, 0.2);
            for (int i = 0; i < 3; i++)
                middle[n][i] =
                    p.p[i] - (about[i] + 0.4 * linear[i] - (i == 2 ? 0.5 * 9.81 * 0.16 : 0.0));
        }
        const double coarse = vec3_norm(vec3_load(middle[0])),
                     fine = vec3_norm(vec3_load(middle[1]));
        CHECK_BETWEEN(fine, 0.0, 1e-4);
        CHECK_BETWEEN(coarse / fine, 3.8, 4.2);
        world_free(&w);
    }
}

// Far from the origin of the world it flies as it does there.
static void where_it_flies_does_not_matter(void **unused) {
    (void)unused;
    static const double linear[3] = {1.0, 2.0, 3.0}, angular[3] = {4.0, 3.0, 5.0};
    static const double away[3] = {300.0, -700.0, 500.0};
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    for (int m = 0; m < 5; m++) {
        vec3 ends[2];
        for (int far = 0; far < 2; far++) {
            td_error err = {0};
            td_piece_def piece = steel_piece();
            const vec3 at = vec3_scale(vec3_load(away), far);
            double about[3];
            vec3_store(about, at);
            td_robot *robot = empty_robot(0.0, 0.0, -9.81);
            td_rod_def rod = chain_rod("baton", &piece, at.x, at.y, at.z);
            rod.base.joint = TD_FREE;
            add_chain_rod(robot, &rod);
            CHECK_OK(td_robot_set_initial_motion(robot, linear, angular, about, &err), err);
            td_options o = options_of(models[m], 8);
            world w = world_make(robot, &o);
            CHECK_CALL(&w, td_apply_initial(w.system, w.state));
            for (int k = 0; k < 100; k++) CHECK_CALL(&w, td_step(w.system, w.state, 4e-3));
            ends[far] = vec3_sub(vec3_load(td_get_pose(w.system, w.state, 0, 0.4).p), at);
            world_free(&w);
        }
        CHECK_NEAR(apart(ends[0], ends[1]), 0.0, 1e-8);
    }
}

// ---------------------------------------------------------------- at rest
// Nothing acts: it stays where it is, one of many places. Its own weight is more than nothing can hold.
static void what_nothing_holds_rests_only_where_nothing_acts(void **unused) {
    (void)unused;
    for (int heavy = 0; heavy < 2; heavy++) {
        td_piece_def piece = steel_piece();
        td_robot *robot = empty_robot(0.0, 0.0, heavy ? -9.81 : 0.0);
        td_rod_def rod = chain_rod("baton", &piece, 0.3, -0.1, 0.5);
        rod.base.joint = TD_FREE;
        add_chain_rod(robot, &rod);
        td_options o = chain_options();
        world w = world_make(robot, &o);
        const td_status status = td_solve_statics(w.system, w.state);
        if (heavy) {
            assert_true(status < 0);
            assert_non_null(strstr(td_message(w.state), "nothing joins rod 'baton' to the world"));
        } else {
            assert_int_equal(status, TD_BIFURCATION);
            CHECK_NEAR(td_get_pose(w.system, w.state, 0, 0.4).p[2], 0.9, 1e-12);
        }
        world_free(&w);
    }
}

// Other models do not look for such places.
static void what_lies_loose_is_not_sought_by_others(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int m = 0; m < 4; m++) {
        char want[64];
        td_options o = options_of(models[m], 4);
        world w = world_make(spaghetti(), &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_UNSUPPORTED);
        assert_non_null(
            strstr(td_message(w.state), m < 3 ? "nothing joins some rod or body to the world"
                                              : "nothing joins rod 'beam' to the world"));
        snprintf(want, sizeof want, "%s does not seek its equilibrium", models[m]);
        assert_non_null(strstr(td_message(w.state), want));
        world_free(&w);
    }
}

// Tendons bend it in equilibrium with itself: as on a base that is clamped.
static void what_acts_within_a_free_rod_is_in_balance(void **unused) {
    (void)unused;
    td_pose shape[2];
    for (int k = 0; k < 2; k++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
        rod.base.joint = k ? TD_FREE : TD_CLAMP;
        add_chain_rod(robot, &rod);
        td_tendon_def pull = td_default_tendon_def();
        pull.name = "pull", pull.rod = 0, pull.to = piece.length, pull.value = td_constant(20.0);
        pull.offset[0] = pull.offset_end[0] = 0.01;
        CHECK_OK(td_robot_add_tendon(robot, &pull, &err), err);
        td_options o = chain_options();
        world w = world_make(robot, &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        shape[k] = td_get_pose(w.system, w.state, 0, piece.length);
        if (k) {
            const td_pose base = td_get_pose(w.system, w.state, 0, 0.0);
            const quat h = quat_conj(quat_load(base.q));
            const vec3 way = vec3_sub(vec3_load(shape[1].p), vec3_load(base.p));
            vec3_store(shape[1].p, quat_rotate(h, way));
        }
        world_free(&w);
    }
    assert_true(shape[0].p[0] > 0.05);
    CHECK_BETWEEN(apart(vec3_load(shape[0].p), vec3_load(shape[1].p)), 0.0, 1e-9);
}

// ---------------------------------------------------------------- words
static void steps_that_would_not_keep_momenta_say_so(void **unused) {
    (void)unused;
    static const char *const models[] = {"ebr", "rom", "constant_curvature"};
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        const td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
        add_chain_rod(robot, &rod);
        td_options o = options_of(models[i], 8);
        o.integration.method = TD_STEPS_MIDPOINT;
        assert_null(td_system_create(robot, &o, &err));
        td_robot_destroy(robot);
        assert_string_equal(err.where, "simulation.integration.method");
        assert_non_null(strstr(err.message, "the model eba"));
    }
}

static void those_that_cannot_say_so(void **unused) {
    (void)unused;
    static const char *const models[] = {"constant_curvature", "virtual_power"};
    for (int i = 0; i < 2; i++) {
        td_error err = {0};
        td_robot *robot = spaghetti();
        td_options o = options_of(models[i], 8);
        assert_null(td_system_create(robot, &o, &err));
        td_robot_destroy(robot);
        assert_non_null(strstr(err.message, "models that can: cosserat, eba, ebr, srl, rom"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flying_spaghetti_takes_the_impulse_it_is_given),
        cmocka_unit_test(momentum_and_energy_are_kept_to_second_order),
        cmocka_unit_test(formulations_fly_alike),
        cmocka_unit_test(relative_coordinates_fly_as_absolute_ones),
        cmocka_unit_test(the_midpoint_rule_keeps_momenta_to_rounding),
        cmocka_unit_test(so_it_does_where_lopsided_bodies_spin),
        cmocka_unit_test(what_is_thrown_turns_about_a_middle_that_falls),
        cmocka_unit_test(where_it_flies_does_not_matter),
        cmocka_unit_test(what_nothing_holds_rests_only_where_nothing_acts),
        cmocka_unit_test(what_lies_loose_is_not_sought_by_others),
        cmocka_unit_test(what_acts_within_a_free_rod_is_in_balance),
        cmocka_unit_test(those_that_cannot_say_so),
        cmocka_unit_test(steps_that_would_not_keep_momenta_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
