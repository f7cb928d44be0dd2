// Modes against closed forms and against beams integrated by themselves (Runge-Kutta and bisection).
#include "modes.h"

#include <string.h>

#include "chains.h"
#include "math/pencil.h"

static const double pi = 3.14159265358979323846;
#define L 0.4
static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;       // of steel_piece()
static const double MASS = 8000.0 * 3.14159265358979323846 * 1e-6;           // kg/m
static const double ROTARY = 8000.0 * 3.14159265358979323846 / 4.0 * 1e-12;  // kg m

static td_options kirchhoff(int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = nodes;
    o.theory = TD_KIRCHHOFF, o.rotary_inertia = false;
    return o;
}

static td_options cosserat(int nodes) {
    td_options o = kirchhoff(nodes);
    o.theory = TD_COSSERAT, o.rotary_inertia = true;
    return o;
}

// ---------------------------------------------------------------- beams by themselves
// EI w'''' - (N w')' = mass omega^2 w (+ in-plane: omega^2 + spin^2), as w' = th, th' = M/EI, M' = T + N th,
// T' = mass omega^2 w. Timoshenko: th' = M/EI, w' = th - T/GA, M' = T - rho I omega^2 th.
typedef struct beam {
    double EI, mass, length;
    double shear;      // 1/GA, 0: none
    double rotary;     // rho I
    double end_force;  // N, tension at the tip
    double weight;     // N/m, tension grows towards the base by this
    double spin;       // rad/s: centrifugal tension mass spin^2 (L^2 - s^2)/2
    bool in_plane;     // of the spin
    double tip_mass;   // kg
    bool hinged;       // at its base, else clamped
} beam;

static void slope(const beam *b, double omega2, double s, const double y[4], double d[4]) {
    const double left = b->length - s;
    const double N = b->end_force + b->weight * left +
                     0.5 * b->mass * b->spin * b->spin * (b->length * b->length - s * s);
    const double square = omega2 + (b->in_plane ? b->spin * b->spin : 0.0);
    d[0] = y[1] - b->shear * y[3];
    d[1] = y[2] / b->EI;
    d[2] = y[3] + N * y[1] - b->rotary * omega2 * y[1];
    d[3] = b->mass * square * y[0];
}

// The determinant of what must vanish at the tip, for force and moment at the base, or force and slope.
static double determinant(const beam *b, double omega) {
    const int steps = 400;
    const double h = b->length / steps, omega2 = omega * omega;
    const double units[4] = {b->length, 1.0, b->EI / b->length, b->EI / b->length / b->length};
    double tips[2][4];
    for (int which = 0; which < 2; which++) {
        const int begins = which ? 3 : b->hinged ? 1 : 2;
        double y[4] = {0.0};
        y[begins] = units[begins];
        for (int i = 0; i < steps; i++) {
            double k[4][4], at[4];
            for (int stage = 0; stage < 4; stage++) {
                const double x = stage == 0 ? 0.0 : stage == 3 ? 1.0 : 0.5;
                for (int c = 0; c < 4; c++) at[c] = y[c] + (stage ? x * h * k[stage - 1][c] : 0.0);
                slope(b, omega2, (i + x) * h, at, k[stage]);
            }
            for (int c = 0; c < 4; c++)
                y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
        tips[which][2] = y[2];
        tips[which][3] = y[3] + b->tip_mass * omega2 * y[0];
        memcpy(tips[which], y, 2 * sizeof *y);
    }
    return tips[0][2] * tips[1][3] - tips[1][2] * tips[0][3];
}

// The n lowest angular frequencies.
static void beam_modes(const beam *b, int n, double *out) {
    const double unit = sqrt(b->EI / b->mass) / (b->length * b->length);
    double low = 1e-3 * unit, before = determinant(b, low);
    for (int found = 0; found < n;) {
        const double high = low + 0.05 * unit + 0.002 * low, now = determinant(b, high);
        if ((before < 0.0) != (now < 0.0)) {
            double a = low, c = high;
            for (int i = 0; i < 60; i++) {
                const double mid = 0.5 * (a + c);
                if ((determinant(b, mid) < 0.0) == (before < 0.0)) a = mid;
                else c = mid;
            }
            out[found++] = 0.5 * (a + c);
        }
        low = high, before = now;
    }
}

static beam steel_beam(void) {
    return (beam){.EI = EI, .mass = MASS, .length = L};
}

// Both planes have each of them, and nothing lies between.
static void check_doubles(const found_modes *f, int n, const double *want, double tolerance) {
    assert_true(f->n >= 2 * n);
    for (int i = 0; i < 2 * n; i++) {
        const td_mode m = td_get_mode(f->l, i);
        assert_int_equal(m.kind, TD_MODE_OSCILLATES);
        CHECK_NEAR(m.im / want[i / 2], 1.0, tolerance);
        CHECK_NEAR(m.frequency, m.im / (2.0 * pi), 1e-12 * m.im);
        assert_true(m.damping == 0.0);
    }
}

// Some mode is this one.
static int find_mode(const found_modes *f, double omega, double tolerance) {
    int best = 0;
    for (int i = 0; i < f->n; i++)
        if (fabs(td_get_mode(f->l, i).im - omega) < fabs(td_get_mode(f->l, best).im - omega))
            best = i;
    CHECK_NEAR(td_get_mode(f->l, best).im / omega, 1.0, tolerance);
    return best;
}

static void finish(world *w, found_modes *f) {
    td_linearisation_destroy(f->l);
    world_free(w);
}

// ---------------------------------------------------------------- bars
static void a_cantilever_has_ten_bending_modes(void **unused) {
    (void)unused;
    // cos x cosh x = -1
    double want[10] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
                       10.995540734875467, 14.137168391046471};
    for (int i = 5; i < 10; i++) want[i] = (i + 0.5) * pi;
    for (int i = 0; i < 10; i++) want[i] *= want[i] / (L * L) * sqrt(EI / MASS);
    td_piece_def piece = steel_piece();
    td_options o = kirchhoff(24);
    world w = world_make(rod_robot(&piece, 1), &o);
    found_modes f = modes_at_rest(&w);
    check_doubles(&f, 10, want, 1e-6);
    finish(&w, &f);
}

// A steel beam along a bed, lying as deep in it as it weighs or, without gravity, 0.1 um above.
static world beam_on_bed(const td_options *o, bool lies, double bed, double g) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_rod_def rod = td_default_rod_def();
    td_obstacle_def plane = td_default_obstacle_def();
    td_robot *robot = td_robot_create();
    set_gravity(robot, lies ? -g : 0.0, 0.0, 0.0);
    rod.name = "beam", rod.pieces = &piece, rod.n_pieces = 1;
    set3(rod.base.position, piece.section.radius - (lies ? MASS * g / bed : -1e-7), 0.0, 0.0);
    assert_true(td_robot_add_rod(robot, &rod, &err) >= 0);
    plane.name = "bed", plane.stiffness = bed;
    plane.orientation[0] = plane.orientation[2] = sqrt(0.5);  // its normal is x
    assert_true(td_robot_add_obstacle(robot, &plane, &err) >= 0);
    return world_make(robot, o);
}

// A beam that lies on an elastic bed k, pressed into it by its weight all along: in its plane omega^2 =
// omega_0^2 + k/mass, across it omega_0^2, since a bed without friction holds nothing there. Away from the bed it is free.
static void a_bed_stiffens_what_it_touches(void **unused) {
    (void)unused;
    const double g = 9.81, bed = 40.0 * EI / (L * L * L * L);
    const double beta[3] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126};
    for (int lies = 0; lies < 2; lies++) {
        td_options o = kirchhoff(16);
        o.elements = 1;
        world w = beam_on_bed(&o, lies, bed, g);
        found_modes f = modes_at_rest(&w);
        assert_true(strstr(td_get_linear(f.l)->note, "obstacle") != NULL);
        for (int i = 0; i < 3; i++) {
            const double free = beta[i] * beta[i] / (L * L) * sqrt(EI / MASS);
            find_mode(&f, free, 1e-6);
            find_mode(&f, sqrt(free * free + (lies ? bed / MASS : 0.0)), 1e-6);
        }
        CHECK_NEAR(omega_of(&f, lies ? 0 : 1) / omega_of(&f, 0), 1.0, 1e-9);
        if (lies) assert_true(omega_of(&f, 1) > 1.5 * omega_of(&f, 0));
        finish(&w, &f);
    }
}

// omega^2 of the first mode that moves in the plane of the bed, of a beam that lies on it or hangs above.
static double bedded(const char *model, bool lies, double bed, double g) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = 8;
    world w = beam_on_bed(&o, lies, bed, g);
    found_modes f = modes_at_rest(&w);
    assert_true(strstr(td_get_linear(f.l)->note, "obstacle") != NULL);
    const double across = omega_of(&f, 0), within = omega_of(&f, 1);
    finish(&w, &f);
    if (!lies) CHECK_NEAR(within / across, 1.0, 1e-9);
    return within * within;
}

// Lumped masses lie on as much of the bed as they stand for: their omega^2 grows by k/mass, but for sections that turn,
// which counts by r^2/4 int w'^2/int w^2 = 4.648 r^2/(4 L^2).
static void lumped_beams_feel_a_bed_too(void **unused) {
    (void)unused;
    static const char *const models[] = {"eba", "ebr", "srl"};
    const double g = 9.81, bed = 40.0 * EI / (L * L * L * L), r = steel_piece().section.radius;
    for (int i = 0; i < 3; i++) {
        const double grown = bedded(models[i], true, bed, g) - bedded(models[i], false, bed, g);
        CHECK_NEAR((1.0 + 4.648 * r * r / (4.0 * L * L)) * grown / (bed / MASS), 1.0, 1e-6);
    }
}

static void timoshenkos_beam_twists_and_stretches_too(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    piece.section.radius = piece.section_end.radius = 0.01;
    const double A = pi * 1e-4, I = pi / 4.0 * 1e-8;
    td_options o = cosserat(24);
    world w = world_make(rod_robot(&piece, 1), &o);
    found_modes f = modes_at_rest(&w);
    // the shear stiffness of the file is GA, without a factor for the section
    beam b = {.EI = 207e9 * I,
              .mass = 8000.0 * A,
              .length = L,
              .shear = 1.0 / (79e9 * A),
              .rotary = 8000.0 * I};
    double want[6];
    beam_modes(&b, 6, want);
    for (int i = 0; i < 6; i++) find_mode(&f, want[i], 1e-6);
    for (int i = 0; i < 3; i++) {
        find_mode(&f, (i + 0.5) * pi / L * sqrt(79e9 / 8000.0), 1e-9);   // torsion
        find_mode(&f, (i + 0.5) * pi / L * sqrt(207e9 / 8000.0), 1e-9);  // along
    }
    finish(&w, &f);
}

// Hinges about y at both ends: pinned in the plane of x and z, clamped in the other one.
static void a_beam_on_hinges_has_the_modes_of_both_planes(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("beam", &piece, 0.0, 0.0, 0.0);
    rod.base.joint = TD_REVOLUTE, rod.base.axis[1] = 1.0;
    hold_tip(&rod, TD_WORLD, TD_REVOLUTE, 0.0, 0.0, L);
    rod.tip.axis[1] = 1.0;
    rod.base.axis[0] = rod.base.axis[2] = rod.tip.axis[0] = rod.tip.axis[2] = 0.0;
    add_chain_rod(robot, &rod);
    td_options o = kirchhoff(24);
    world w = world_make(robot, &o);
    found_modes f = modes_about(&w, NULL, 0);
    double want[20];
    int n = 0;
    for (int i = 1; i <= 10; i++) want[n++] = i * pi;
    const double clamped[] = {4.7300407448627040, 7.8532046240958376, 10.995607838001671};
    for (int i = 0; i < 3; i++) want[n++] = clamped[i];
    for (int i = 3; i < 9; i++) want[n++] = (i + 1.5) * pi;
    for (int i = 0; i < n; i++) find_mode(&f, want[i] * want[i] / (L * L) * sqrt(EI / MASS), 1e-6);
    // nothing between: the slowest of each are the first in the list
    CHECK_NEAR(omega_of(&f, 0) / (pi * pi / (L * L) * sqrt(EI / MASS)), 1.0, 1e-8);
    CHECK_NEAR(omega_of(&f, 1) / (clamped[0] * clamped[0] / (L * L) * sqrt(EI / MASS)), 1.0, 1e-8);
    finish(&w, &f);
}

static td_robot *on_ball_joint(const td_piece_def *piece, double gravity) {
    td_robot *robot = empty_robot(0.0, 0.0, gravity);
    td_rod_def rod = chain_rod("beam", piece, 0.0, 0.0, 0.0);
    rod.base.joint = TD_BALL;
    add_chain_rod(robot, &rod);
    return robot;
}

// Both planes have each of these.
static void check_free(const found_modes *f, int n, const double *want) {
    for (int i = 0; i < n; i++) {
        int times = 0;
        for (int k = 0; k < f->n; k++)
            times += fabs(td_get_mode(f->l, k).im / want[i] - 1.0) < 1e-6;
        if (times != 2) fprintf(stderr, "%d: %.9g rad/s, %d times\n", i, want[i], times);
        assert_int_equal(times, 2);
    }
}

// Modes w = sin ax/sin al + .. sinh bx, or of cosines, on -l < x < l, both ends free, with rotary inertia J a length:
//
//     omega^2 = EI a^4/(mass + J a^2),    b^2 = a^2 - J omega^2/EI
//     tan al = (b/a)^3 tanh bl, odd;      tan al = -(a/b)^3 tanh bl, even
//
// Number n, from 1 on, is even where n is odd, and al is near (2 n + 1) pi/4. What is odd has a hinge in the middle.
static double free_mode(double l, int n) {
    double low = ((2 * n + 1) * pi / 4.0 - 0.3) / l, high = low + 0.6 / l, omega = 0.0;
    double first = 0.0;
    for (int i = 0; i < 80; i++) {
        const double a = i == 0 ? low : 0.5 * (low + high);
        omega = sqrt(EI * pow(a, 4) / (MASS + ROTARY * a * a));
        const double b = sqrt(a * a - ROTARY * omega * omega / EI);
        const double by = n % 2 ? -pow(a / b, 3) : pow(b / a, 3);
        const double miss = sin(a * l) - by * tanh(b * l) * cos(a * l);
        if (i == 0) first = miss;
        else if ((miss < 0.0) == (first < 0.0)) low = a;
        else high = a;
    }
    assert_true(low > ((2 * n + 1) * pi / 4.0 - 0.3) / l &&
                high < ((2 * n + 1) * pi / 4.0 + 0.3) / l);
    return omega;
}

// After three turns that nothing holds. Rotary inertia: of turning about its axis, too.
static void a_beam_on_a_ball_joint_turns_freely(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = kirchhoff(24);
    o.rotary_inertia = true;
    world w = world_make(on_ball_joint(&piece, 0.0), &o);
    found_modes f = modes_about(&w, NULL, 0);
    double want[10];
    for (int i = 0; i < 10; i++) want[i] = free_mode(L, 2 * i + 2);
    const double slender = 3.9266023120479185 * 3.9266023120479185 / (L * L) * sqrt(EI / MASS);
    CHECK_BETWEEN(want[0] / slender, 1.0 - 3e-4, 1.0);
    for (int i = 0; i < 3; i++) assert_int_equal(td_get_mode(f.l, i).kind, TD_MODE_NEUTRAL);
    CHECK_NEAR(omega_of(&f, 3) / want[0], 1.0, 1e-6);
    check_free(&f, 10, want);
    finish(&w, &f);
}

static td_robot *free_rod(const td_piece_def *piece) {
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("beam", piece, 0.0, 0.0, 0.0);
    rod.base.joint = TD_FREE;
    add_chain_rod(robot, &rod);
    return robot;
}

// cos x cosh x = 1, but for the rotary inertia; after six motions that bend nothing.
static void a_free_beam_has_ten_bending_modes(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = kirchhoff(28);
    o.rotary_inertia = true;
    world w = world_make(free_rod(&piece), &o);
    found_modes f = modes_about(&w, NULL, 0);
    double want[10];
    for (int i = 0; i < 10; i++) want[i] = free_mode(0.5 * L, i + 1);
    for (int i = 0; i < 6; i++) assert_int_equal(td_get_mode(f.l, i).kind, TD_MODE_NEUTRAL);
    CHECK_NEAR(omega_of(&f, 6) / want[0], 1.0, 1e-6);
    const double slender = 4.7300407448627040 * 4.7300407448627040 / (L * L) * sqrt(EI / MASS);
    CHECK_BETWEEN(want[0] / slender, 1.0 - 3e-4, 1.0);
    check_free(&f, 10, want);
    finish(&w, &f);
}

// Segments are of second order in their length; shear, which the closed form lacks, slows by 1e-4.
static void so_it_has_in_models_of_segments(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl"};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        double omega[2][3];
        for (int n = 0; n < 2; n++) {
            td_piece_def piece = steel_piece();
            td_options o = td_default_options();
            snprintf(o.model, sizeof o.model, "%s", models[m]);
            o.lumped.segments = 16 << n;
            world w = world_make(free_rod(&piece), &o);
            found_modes f = modes_about(&w, NULL, 0);
            for (int i = 0; i < 6; i++) assert_int_equal(td_get_mode(f.l, i).kind, TD_MODE_NEUTRAL);
            for (int i = 0; i < 3; i++) {
                omega[n][i] = omega_of(&f, 6 + 2 * i);
                CHECK_NEAR(omega_of(&f, 7 + 2 * i) / omega[n][i], 1.0, 1e-6);
            }
            finish(&w, &f);
        }
        for (int i = 0; i < 3; i++) {
            const double limit = omega[1][i] + (omega[1][i] - omega[0][i]) / 3.0;
            CHECK_BETWEEN(limit / free_mode(0.5 * L, i + 1), 1.0 - 5e-4, 1.0 + 5e-4);
        }
    }
}

// Polynomials have all of a slender rod's inertia, and shear which slows by 1e-4.
static void so_it_has_of_polynomials(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "rom");
    o.rom.order = 10;
    world w = world_make(free_rod(&piece), &o);
    found_modes f = modes_about(&w, NULL, 0);
    for (int i = 0; i < 6; i++) assert_int_equal(td_get_mode(f.l, i).kind, TD_MODE_NEUTRAL);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            CHECK_BETWEEN(omega_of(&f, 6 + 2 * i + k) / free_mode(0.5 * L, i + 1), 1.0 - 5e-4, 1.0);
    finish(&w, &f);
}

static void a_tip_mass_slows(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = "weight", body.rod = 0, body.at = L, body.mass = 0.01;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_options o = kirchhoff(16);
    world w = world_make(robot, &o);
    found_modes f = modes_at_rest(&w);
    beam b = steel_beam();
    b.tip_mass = 0.01;
    double want[5];
    beam_modes(&b, 5, want);
    check_doubles(&f, 5, want, 1e-6);
    finish(&w, &f);
}

// ---------------------------------------------------------------- under load
static td_robot *pressed(double force, td_frame frame) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("press", L);
    load.frame = frame;
    load.force[2] = td_constant(-force);
    add_load(robot, &load);
    return robot;
}

static void a_dead_load_slows_to_nothing_where_it_buckles(void **unused) {
    (void)unused;
    const double critical = pi * pi * EI / (4.0 * L * L);
    const double shares[] = {-2.0, 0.5, 0.99, 0.9999};
    for (int i = 0; i < 4; i++) {
        td_options o = kirchhoff(16);
        world w = world_make(pressed(shares[i] * critical, TD_FRAME_WORLD), &o);
        found_modes f = modes_at_rest(&w);
        beam b = steel_beam();
        b.end_force = -shares[i] * critical;
        double want[3];
        beam_modes(&b, 3, want);
        // what is left of the stiffness near the load is a difference
        check_doubles(&f, 3, want, 1e-6 * fmax(1.0, 0.01 / (1.0 - shares[i])));
        finish(&w, &f);
    }
    // beyond it falls: straight up, which statics does not take
    td_options o = kirchhoff(16);
    world w = world_make(pressed(1.2 * critical, TD_FRAME_WORLD), &o);
    double q[48] = {0.0};
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    found_modes f = modes_about(&w, NULL, 0);
    int falls = 0;
    for (int i = 0; i < f.n; i++) {
        const td_mode m = td_get_mode(f.l, i);
        falls += m.kind == TD_MODE_DIVERGES;
        assert_true(m.kind != TD_MODE_FLUTTERS && m.kind != TD_MODE_NEUTRAL);
    }
    assert_int_equal(falls, 2);  // to every side
    finish(&w, &f);
}

// Beck 1952: P L^2/EI = 20.0510 and no divergence before.
static void a_load_that_follows_makes_the_column_flutter(void **unused) {
    (void)unused;
    for (int above = 0; above < 2; above++) {
        const double P = (above ? 20.06 : 20.04) * EI / (L * L);
        td_options o = kirchhoff(16);
        world w = world_make(pressed(P, TD_FRAME_BODY), &o);
        double q[48] = {0.0};
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        found_modes f = modes_about(&w, NULL, 0);
        int flutters = 0;
        for (int i = 0; i < f.n; i++) {
            flutters += td_get_mode(f.l, i).kind == TD_MODE_FLUTTERS;
            assert_true(td_get_mode(f.l, i).kind != TD_MODE_DIVERGES);
        }
        assert_int_equal(flutters, above ? 2 : 0);
        finish(&w, &f);
    }
}

// Centrifugal tension mass spin^2 (L^2 - s^2)/2, as in Southwell's theorem. With spin = 4 sqrt(EI/mass)/L^2 the first mode
// across the plane of the spin is 5.5850 of that unit (Wright et al. 1982); in the plane omega^2 is less by spin^2.
static void a_rotating_beam_stiffens(void **unused) {
    (void)unused;
    const double dt = 2e-3, unit = sqrt(EI / MASS) / (L * L), spin = 4.0 * unit;
    td_piece_def piece = steel_piece();
    piece.damping_time = 1e-2;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    const int turn = add_input(robot, "turn");
    td_rod_def rod = chain_rod("blade", &piece, 0.0, 0.0, 0.0);
    rod.base.rotation[0] = (td_number){.gain = 1.0, .input = turn};
    add_chain_rod(robot, &rod);
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 12, o.theory = TD_KIRCHHOFF, o.rotary_inertia = false;
    o.scheme = TD_SDIRK2;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 1; i <= 2000; i++) {
        const double t = i * dt, rate = t < 1.0 ? spin * t : spin;
        td_set_input(w.system, w.state, turn, t < 1.0 ? 0.5 * spin * t * t : spin * (t - 0.5));
        td_set_input_rate(w.system, w.state, turn, rate);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
    }
    found_modes f = modes_about(&w, NULL, 0);  // it stands still on its base
    const td_linear *l = td_get_linear(f.l);
    const int n = l->n_coordinates;
    double *K = malloc(sizeof *K * (size_t)(n * n)), *M = malloc(sizeof *M * (size_t)(n * n));
    double *s = malloc(sizeof *s * (size_t)n), *work = malloc(sizeof *work * PENCIL_WORK(n));
    memcpy(K, l->K, sizeof *K * (size_t)(n * n));
    memcpy(M, l->M, sizeof *M * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        if (M[i * (n + 1)] == 0.0) M[i * (n + 1)] = 1e-12 * K[i * (n + 1)];  // torsion
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            K[i * n + k] = K[k * n + i] = 0.5 * (K[i * n + k] + K[k * n + i]);
    // M x = K x/omega^2
    assert_true(pencil_symmetric(n, M, K, s, work));
    beam b = steel_beam();
    b.spin = spin;
    double want[3], in_plane[3];
    beam_modes(&b, 3, want);
    b.in_plane = true;
    beam_modes(&b, 3, in_plane);
    CHECK_NEAR(want[0] / unit, 5.5850, 6e-5);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(sqrt(1.0 / s[n - 1 - 2 * i]) / in_plane[i], 1.0, 1e-6);
        CHECK_NEAR(sqrt(1.0 / s[n - 2 - 2 * i]) / want[i], 1.0, 1e-6);
    }
    free(K), free(M), free(s), free(work);
    td_linearisation_destroy(f.l);
    world_free(&w);
}

static td_piece_def soft_piece(double factor) {
    td_piece_def piece = steel_piece();
    piece.youngs_modulus *= factor, piece.shear_modulus *= factor;
    return piece;
}

static void a_soft_rod_that_hangs_swings_as_its_weight_and_stiffness_say(void **unused) {
    (void)unused;
    td_piece_def piece = soft_piece(1e-3);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, 9.81);  // it hangs along +z
    td_options o = kirchhoff(24);
    world w = world_make(robot, &o);
    found_modes f = modes_at_rest(&w);
    beam b = steel_beam();
    b.EI *= 1e-3, b.weight = MASS * 9.81;
    double want[4];
    beam_modes(&b, 4, want);
    check_doubles(&f, 4, want, 1e-6);
    finish(&w, &f);
}

// Zeros of J0(2 omega sqrt(L/g)), from above as its stiffness goes to nothing; before that as a beam says.
static void a_chain_swings_like_a_chain(void **unused) {
    (void)unused;
    const double zeros[] = {2.404825557695773, 5.520078110286311};
    double stiffer[2] = {0.05, 2.0};
    for (int soft = 0; soft < 4; soft++) {
        const double factor = pow(10.0, -3.0 - soft);
        td_piece_def piece = soft_piece(factor);
        td_options o = kirchhoff(40);
        o.rotary_inertia = true;
        world w = world_make(on_ball_joint(&piece, 9.81), &o);
        found_modes f = modes_about(&w, NULL, 0);
        beam b = steel_beam();
        b.hinged = true, b.EI *= factor, b.weight = MASS * 9.81, b.rotary = ROTARY;
        double want[2];
        if (soft == 0) beam_modes(&b, 2, want);  // softer ones grow too fast to be integrated
        for (int i = 0; i < 2; i++) {
            const double chain = 0.5 * zeros[i] * sqrt(9.81 / L);
            const int at = find_mode(&f, chain, 0.3);
            const double more = td_get_mode(f.l, at).im / chain - 1.0;
            if (soft == 0) find_mode(&f, want[i], 1e-6);
            assert_true(more > 0.0 && more < 0.2 * stiffer[i]);
            stiffer[i] = more;
        }
        finish(&w, &f);
    }
}

static void tension_along_the_axis_changes_nothing(void **unused) {
    (void)unused;
    double first[6];
    for (int pulled = 0; pulled < 2; pulled++) {
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        td_error err = {0};
        td_tendon_def tendon = td_default_tendon_def();
        tendon.name = "axis", tendon.rod = 0, tendon.to = L,
        tendon.value = td_constant(pulled ? 100.0 : 0.0);
        CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
        td_options o = kirchhoff(16);
        world w = world_make(robot, &o);
        found_modes f = modes_at_rest(&w);
        for (int i = 0; i < 6; i++) {
            if (pulled) CHECK_NEAR(omega_of(&f, i) / first[i], 1.0, 1e-9);
            else first[i] = omega_of(&f, i);
        }
        finish(&w, &f);
    }
}

// s = -omega^2 tau/2 +- i omega sqrt(1 - (omega tau/2)^2)
static void kelvin_voigts_damping_grows_with_frequency(void **unused) {
    (void)unused;
    const double tau = 2e-3;
    td_piece_def piece = steel_piece();
    piece.damping_time = tau;
    td_options o = kirchhoff(16);
    world w = world_make(rod_robot(&piece, 1), &o);
    found_modes f = modes_at_rest(&w);
    beam b = steel_beam();
    double want[5];
    beam_modes(&b, 5, want);
    for (int i = 0; i < 10; i++) {
        const double omega = want[i / 2], zeta = 0.5 * omega * tau;
        if (zeta >= 1.0) continue;
        const int at = find_mode(&f, omega * sqrt(1.0 - zeta * zeta), 1e-6);
        CHECK_NEAR(td_get_mode(f.l, at).damping, zeta, 1e-6 * zeta);
        CHECK_NEAR(td_get_mode(f.l, at).re, -omega * zeta, 1e-6 * omega * zeta);
    }
    // the overdamped come in two: their product is omega^2
    int real = 0;
    for (int i = 0; i < f.n; i++) real += td_get_mode(f.l, i).kind == TD_MODE_DECAYS;
    assert_true(real > 0);
    finish(&w, &f);
}

// What hangs from a ball joint turns about itself, also where everything else is damped.
static void a_cable_turns_about_itself(void **unused) {
    (void)unused;
    td_piece_def piece = soft_piece(1e-3);
    piece.damping_time = 1e-3;
    td_options o = kirchhoff(10);
    o.rotary_inertia = true;
    world w = world_make(on_ball_joint(&piece, 9.81), &o);
    found_modes f = modes_about(&w, NULL, 0);
    int neutral = 0;
    for (int i = 0; i < f.n; i++) {
        const td_mode_kind kind = td_get_mode(f.l, i).kind;
        neutral += kind == TD_MODE_NEUTRAL;
        assert_true(kind != TD_MODE_DIVERGES && kind != TD_MODE_FLUTTERS);
    }
    assert_int_equal(neutral, 1);
    // it swings like a chain, a little faster by its stiffness
    CHECK_BETWEEN(omega_of(&f, 1) / (0.5 * 2.404825557695773 * sqrt(9.81 / L)), 1.0, 1.03);
    finish(&w, &f);
}

// ---------------------------------------------------------------- shapes
static void the_first_shape_is_that_of_the_closed_form(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    piece.section.radius = 1.2e-3, piece.section_end.radius = 1.2e-3;
    td_options o = kirchhoff(16);
    world w = world_make(rod_robot(&piece, 1), &o);
    td_output outputs[5];
    for (int i = 0; i < 5; i++)
        outputs[i] = (td_output){.quantity = TD_OUTPUT_POSE, .body = -1, .s = L * (i + 1) / 5.0};
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    found_modes f = modes_about(&w, outputs, 5);
    double y[60];
    assert_int_equal(td_get_mode_shape(f.l, 0, NULL, y), TD_OK);
    const double b = 1.8751040687119611, k = (sinh(b) - sin(b)) / (cosh(b) + cos(b));
    const double tip = cosh(b) - cos(b) - k * (sinh(b) - sin(b));
    const double size = hypot(y[2 * (6 * 4 + 3)], y[2 * (6 * 4 + 4)]);
    assert_true(size > 1e-3);
    for (int i = 0; i < 5; i++) {
        const double x = b * (i + 1) / 5.0;
        const double want = (cosh(x) - cos(x) - k * (sinh(x) - sin(x))) / tip;
        for (int c = 3; c < 5; c++) {  // in whichever direction
            const double *at = y + 2 * (6 * i + c), *end = y + 2 * (6 * 4 + c);
            CHECK_NEAR(at[0] / size, want * end[0] / size, 1e-6);
            CHECK_NEAR(at[1], 0.0, 1e-9 * size);
        }
    }
    finish(&w, &f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_has_ten_bending_modes),
        cmocka_unit_test(a_bed_stiffens_what_it_touches),
        cmocka_unit_test(lumped_beams_feel_a_bed_too),
        cmocka_unit_test(timoshenkos_beam_twists_and_stretches_too),
        cmocka_unit_test(a_beam_on_hinges_has_the_modes_of_both_planes),
        cmocka_unit_test(a_beam_on_a_ball_joint_turns_freely),
        cmocka_unit_test(a_free_beam_has_ten_bending_modes),
        cmocka_unit_test(so_it_has_in_models_of_segments),
        cmocka_unit_test(so_it_has_of_polynomials),
        cmocka_unit_test(a_tip_mass_slows),
        cmocka_unit_test(a_dead_load_slows_to_nothing_where_it_buckles),
        cmocka_unit_test(a_load_that_follows_makes_the_column_flutter),
        cmocka_unit_test(a_rotating_beam_stiffens),
        cmocka_unit_test(a_soft_rod_that_hangs_swings_as_its_weight_and_stiffness_say),
        cmocka_unit_test(a_chain_swings_like_a_chain),
        cmocka_unit_test(tension_along_the_axis_changes_nothing),
        cmocka_unit_test(kelvin_voigts_damping_grows_with_frequency),
        cmocka_unit_test(a_cable_turns_about_itself),
        cmocka_unit_test(the_first_shape_is_that_of_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
