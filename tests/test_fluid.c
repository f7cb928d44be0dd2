// Rods in a fluid: falling with drag and added mass, frequencies in water, what carries them, Kirchhoff's equations, thrust
// by resistive-force theory, energy, and derivatives by differences.
#include "contact_rods.h"
#include "not_compiled.h"

#include <complex.h>

#include "math/quat.h"

#define PI 3.14159265358979323846
static const char *const models[] = {"cosserat", "eba",   "ebr",           "srl",
                                     "rom",      "tubes", "virtual_power", "constant_curvature"};
// The first ones have free bases, added mass, bases that move, sections that taper.
enum { FREE = 5, WET = 6, DRIVEN = 6, TAPERED = 7, MODELS = 8 };

static scene scene_in(const char *text, const char *model, const char *set) {
    char name[64];
    snprintf(name, sizeof name, "simulation.model=%s", model);
    const char *const sets[] = {name,
                                "simulation.lumped.segments=40",
                                "simulation.rom.order=8",
                                "simulation.space.nodes=12",
                                "simulation.virtual_power.discs=40",
                                "simulation.constant_curvature.segments=40",
                                set};
    return scene_of(text, sets, set ? 7 : 6);
}

static void begin(scene *s) {
    if (td_begin(s->system, s->state) < 0) fail_msg("%s", td_message(s->state));
}

static void advance(scene *s, double dt) {
    if (td_advance(s->system, s->state, dt) < 0) fail_msg("%s", td_message(s->state));
}

// ---------------------------------------------------------------- falling
// A rod of radius r lets go in water: (m + a) v' = (m - m_f) g - d v^2, v = v_e tanh(t/T).
#define FALLING(direction)                                                                         \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "fluid: {density: 1000, velocity: [0, 0, up]}\n"                                               \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.5, section: {radius: 5 mm}, base: {joint: free, "                     \
    "direction: " direction "},\n"                                                                 \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 3000},\n"                \
    "     drag_coefficient: [1.2, 0.04], added_mass: [0.9, 0.9, 0.3]}\n"                           \
    "inputs: {up: 0}\n"                                                                            \
    "simulation: {start: straight}\n"

static void check_fall(const char *text, const char *model, double added, double d) {
    const double A = PI * 25e-6, m = 3000.0 * A, m_f = 1000.0 * A;
    const double end = sqrt((m - m_f) * 10.0 / d),
                 T = (m + added * m_f) / sqrt(d * (m - m_f) * 10.0);
    scene s = scene_in(text, model, "simulation.time.scheme=bdf2");
    begin(&s);
    double off = 0.0;
    for (int i = 1; i <= 300; i++) {
        advance(&s, 0.02 * T);
        const td_sample at = td_get_sample(s.system, s.state, 0, 0.25);
        const vec3 v = quat_rotate(quat_load(at.pose.q), vec3_load(at.velocity + 3));
        off = fmax(off, fabs(v.z / -end - tanh(0.02 * i)));
    }
    CHECK_BETWEEN(off, 0.0, 3e-4);
    const td_sample at = td_get_sample(s.system, s.state, 0, 0.25);
    const vec3 v = quat_rotate(quat_load(at.pose.q), vec3_load(at.velocity + 3));
    CHECK_NEAR(v.z / -end, 1.0, 3e-5);
    scene_end(&s);
}

static void rods_fall_sideways_and_lengthwise_as_they_should(void **unused) {
    (void)unused;
    for (int m = 0; m < FREE; m++) {
        check_fall(FALLING("[1, 0, 0]"), models[m], 0.9, 0.5 * 1000.0 * 1.2 * 0.01);
        check_fall(FALLING("[0, 0, 1]"), models[m], 0.3, 0.5 * 1000.0 * 0.04 * PI * 0.01);
    }
}

// Held up by a current of its terminal velocity it stays where it is.
static void current_of_its_velocity_carries_a_rod(void **unused) {
    (void)unused;
    const double A = PI * 25e-6, end = sqrt(2000.0 * A * 10.0 / (0.5 * 1000.0 * 1.2 * 0.01));
    for (int m = 0; m < FREE; m++) {
        scene s = scene_in(FALLING("[1, 0, 0]"), models[m], NULL);
        scene_set(&s, "up", end);
        for (int i = 0; i < 20; i++) scene_step(&s, 0.05);
        CHECK_NEAR(scene_tip(&s).p[2], 0.0, 1e-9);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- Kirchhoff's equations
// A stiff rod thrown at an angle, without drag: P' = P x W, Pi' = Pi x W + P x U in its own axes.
#define THROWN                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "fluid: {density: 1000}\n"                                                                     \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 10 mm}, base: {joint: free},\n"                  \
    "     material: {youngs_modulus: 100 GPa, poisson_ratio: 0.3, density: 2000},\n"               \
    "     added_mass: [1, 1, 0]}\n"                                                                \
    "initial: {motion: {linear: [0.6, 0, 0.8], angular: [0.3, 0.2, 0], about: [0, 0, 0.2]}}\n"     \
    "simulation: {start: straight, time: {scheme: trapezoidal}}\n"

typedef struct kirchhoff {
    vec3 U, W, p;
    quat h;
} kirchhoff;

static kirchhoff kirchhoff_rate(const kirchhoff *k) {
    const double A = PI * 1e-4, along = 2000.0 * A * 0.4, across = along + 1000.0 * A * 0.4;
    const double J = across * 0.4 * 0.4 / 12.0 + 0.25e-4 * along;  // and sections that turn
    const vec3 P = {across * k->U.x, across * k->U.y, along * k->U.z};
    const vec3 Pi = {J * k->W.x, J * k->W.y, 0.0};
    const vec3 dP = vec3_cross(P, k->W), dPi = vec3_add(vec3_cross(Pi, k->W), vec3_cross(P, k->U));
    const quat turning = quat_mul(k->h, (quat){0.0, 0.5 * k->W.x, 0.5 * k->W.y, 0.5 * k->W.z});
    return (kirchhoff){{dP.x / across, dP.y / across, dP.z / along},
                       {dPi.x / J, dPi.y / J, 0.0},
                       quat_rotate(k->h, k->U),
                       turning};
}

static kirchhoff kirchhoff_along(const kirchhoff *a, double h, const kirchhoff *d) {
    return (kirchhoff){
        vec3_madd(a->U, h, d->U),
        vec3_madd(a->W, h, d->W),
        vec3_madd(a->p, h, d->p),
        {a->h.w + h * d->h.w, a->h.x + h * d->h.x, a->h.y + h * d->h.y, a->h.z + h * d->h.z}};
}

static kirchhoff thrown_for(double t) {
    kirchhoff k = {{0.6, 0.0, 0.8}, {0.3, 0.2, 0.0}, {0.0, 0.0, 0.2}, {1.0, 0.0, 0.0, 0.0}};
    enum { STEPS = 2000 };
    const double h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const kirchhoff a = kirchhoff_rate(&k), ka = kirchhoff_along(&k, 0.5 * h, &a),
                        b = kirchhoff_rate(&ka), kb = kirchhoff_along(&k, 0.5 * h, &b),
                        c = kirchhoff_rate(&kb), kc = kirchhoff_along(&k, h, &c),
                        d = kirchhoff_rate(&kc);
        k = kirchhoff_along(&k, h / 6.0, &a), k = kirchhoff_along(&k, h / 3.0, &b);
        k = kirchhoff_along(&k, h / 3.0, &c), k = kirchhoff_along(&k, h / 6.0, &d);
        k.h = quat_normalise(k.h);
    }
    return k;
}

static void thrown_rod_obeys_kirchhoff(void **unused) {
    (void)unused;
    const kirchhoff k = thrown_for(1.0);
    const vec3 end = vec3_add(k.p, quat_rotate(k.h, vec3_make(0.0, 0.0, 0.2)));
    for (int m = 0; m < FREE; m++) {
        scene s = scene_in(THROWN, models[m], NULL);
        begin(&s);
        const double before = td_get_energy(s.system, s.state).kinetic;
        for (int i = 0; i < 400; i++) advance(&s, 2.5e-3);
        const td_pose tip = scene_tip(&s);
        for (int i = 0; i < 3; i++) CHECK_NEAR(tip.p[i], (&end.x)[i], m ? 5e-4 : 2e-5);
        const td_energy e = td_get_energy(s.system, s.state);
        CHECK_NEAR((e.kinetic + e.elastic) / before, 1.0, 2e-4);
        scene_end(&s);
    }
    // without added mass it would be elsewhere
    CHECK_BETWEEN(vec3_norm(vec3_sub(k.p, vec3_make(0.6, 0.0, 1.0))), 0.05, 1.0);
}

// ---------------------------------------------------------------- frequencies and sag
#define CANTILEVER                                                                                 \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "fluid: {density: rho}\n"                                                                      \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.5, section: {radius: 2 mm}, base: {direction: [1, 0, 0]},\n"          \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1300},\n"                \
    "     added_mass: [c, c, 0]}\n"

static double first_frequency(const char *model, const char *let) {
    scene s = scene_in(let, model, "gravity=[0, 0, 0]");
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(s.system, NULL, 0, &err);
    assert_non_null(l);
    scene_rest(&s);
    assert_true(td_linearise(s.system, s.state, l) >= 0);
    assert_int_equal(td_solve_modes(l, 2), TD_OK);
    const double f = td_get_mode(l, 0).frequency;
    td_linearisation_destroy(l);
    scene_end(&s);
    return f;
}

static void water_slows_a_cantilever(void **unused) {
    (void)unused;
    for (int m = 0; m < WET; m++) {
        const double dry = first_frequency(models[m], "let: {rho: 1000, c: 0}\n" CANTILEVER),
                     wet = first_frequency(models[m], "let: {rho: 1000, c: 0.8}\n" CANTILEVER);
        CHECK_NEAR(wet / dry, sqrt(1300.0 / (1300.0 + 0.8 * 1000.0)), 1e-5);
        // of a beam: 1.8751^2/(2 pi) sqrt(EI/(m L^4)); shear is thin, segments are short
        const double r = 2e-3, EI = 10e9 * 0.25 * PI * pow(r, 4.0), mass = 1300.0 * PI * r * r;
        CHECK_NEAR(dry / (1.87510407 * 1.87510407 / (2.0 * PI) * sqrt(EI / mass) / 0.25), 1.0,
                   m ? 2e-3 : 2e-4);
    }
}

// A little sag: q L^4/8 EI; and lifted at its end by a float: F L^3/3 EI.
static void water_carries_a_cantilever(void **unused) {
    (void)unused;
    const double r = 2e-3, EI = 10e9 * 0.25 * PI * pow(r, 4.0), A = PI * r * r, L = 0.5;
    for (int m = 0; m < MODELS; m++) {
        const char *text = "let: {rho: 1250, c: 0}\n" CANTILEVER;
        scene s = scene_in(text, models[m], NULL);
        scene_rest(&s);
        const double sag = 50.0 * A * 10.0 * pow(L, 4.0) / (8.0 * EI);
        CHECK_NEAR(-scene_tip(&s).p[2] / sag, 1.0, 2e-3);
        const td_reaction held = td_get_reaction(s.system, s.state, 0, TD_BASE);
        CHECK_NEAR(held.force[2] / (50.0 * A * 10.0 * L), 1.0, 1e-8);
        scene_end(&s);
        s = scene_in(text, models[m],
                     "bodies=[{name: f, on: a, at: tip, mass: 0.1 g, volume: 0.1 mL}]");
        scene_rest(&s);
        const double lift = (0.1e-6 * 1250.0 - 1e-4) * 10.0 * pow(L, 3.0) / (3.0 * EI);
        CHECK_NEAR(scene_tip(&s).p[2] / (lift - sag), 1.0, 2e-3);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- a rod that points into a stream
// The water that moves along turns it across (Munk): energy EI int theta'^2/2 - m_a U^2 int theta^2/2, so that it stands as
// long as 1 - m_a U^2 (2 L/pi)^2/EI is positive, whichever way the stream goes.
#define VANE                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "fluid: {density: 1000, velocity: [U, 0, 0]}\n"                                                \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.3, section: {width: 4 mm, height: 20 mm}, base: {direction: [1, 0, "  \
    "0]},\n"                                                                                       \
    "     material: {youngs_modulus: 5 MPa, poisson_ratio: 0.4, density: 1000},\n"                 \
    "     damping: {time: 50 ms}, added_mass: [1, 0, 0]}\n"                                        \
    "inputs: {U: 0}\n"

static void a_stream_turns_a_vane_across(void **unused) {
    (void)unused;
    const double EI = 5e6 * 0.02 * pow(4e-3, 3.0) / 12.0, added = 1000.0 * 0.25 * PI * 4e-4;
    for (int m = 0; m < WET; m++) {
        scene s = scene_in(VANE, models[m], NULL);
        double smallest;
        for (int way = -1; way <= 1; way += 2) {
            const double U = 0.2 * way;
            scene_set(&s, "U", U);
            scene_rest(&s);
            assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
            CHECK_NEAR(smallest, 1.0 - added * U * U * pow(2.0 * 0.3 / PI, 2.0) / EI,
                       m == 0 || m > 3 ? 1e-6 : 2e-4);
        }
        // and beyond it lies across, where a motion leaves it
        scene_set(&s, "U", 0.25);
        assert_int_equal(td_solve_statics(s.system, s.state), TD_BIFURCATION);
        const td_pose rest = scene_tip(&s);
        CHECK_BETWEEN(fabs(rest.p[2]), 0.1, 0.2);
        for (int i = 0; i < 50; i++) scene_step(&s, 0.02);
        for (int i = 0; i < 3; i++) CHECK_NEAR(scene_tip(&s).p[i], rest.p[i], 1e-7);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- tubes in one another
// The water is around the outermost: 0.3 m of that, and 0.1 m of the inner one beyond, which 0.05 m more are pushed out.
#define PAIR                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "fluid: {density: 1000, velocity: [0, 0, up]}\n"                                               \
    "templates:\n"                                                                                 \
    "  peek: &peek {material: {youngs_modulus: 4 GPa, poisson_ratio: 0.4, density: 1300},\n"       \
    "               added_mass: [0.8, 0.8, 0], linear_drag: [2, 2, 1]}\n"                          \
    "rods:\n"                                                                                      \
    "  - {name: outer, <<: *peek, length: 0.3, section: {radius: 3 mm, inner_radius: 2 mm},\n"     \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "  - {name: inner, <<: *peek, length: 0.5, section: {radius: 1.8 mm},\n"                       \
    "     tube: {within: outer, translation: -0.1 + out}}\n"                                       \
    "inputs: {out: 0, up: 0}\n"                                                                    \
    "simulation: {model: tubes}\n"

static void water_is_around_the_outermost_tube(void **unused) {
    (void)unused;
    const double outer = PI * 9e-6, wall = PI * 5e-6, inner = PI * 3.24e-6;
    scene s = scene_of(PAIR, NULL, 0);
    for (int pushed = 0; pushed < 2; pushed++) {
        const double beyond = 0.1 + 0.05 * pushed;
        scene_set(&s, "out", 0.05 * pushed);
        scene_rest(&s);
        const double weight = 1300.0 * (wall * 0.3 + inner * (0.3 + beyond)),
                     lift = 1000.0 * (outer * 0.3 + inner * beyond);
        const td_reaction held = td_get_reaction(s.system, s.state, 0, TD_BASE);
        CHECK_NEAR(held.force[2] / ((weight - lift) * 10.0), 1.0, 1e-9);
    }
    scene_end(&s);
}

// Held by the plate in a current the two are dragged by 2 kg/(m s) each per length, but for the part of one that is in the other.
static void current_drags_what_it_reaches(void **unused) {
    (void)unused;
    static const char *const sets[] = {"gravity=[0, 0, 0]", "inputs.up=1e-6"};
    scene s = scene_of(PAIR, sets, 2);
    scene_rest(&s);
    const td_reaction held = td_get_reaction(s.system, s.state, 0, TD_BASE);
    CHECK_NEAR(held.force[2] / (-2.0 * 0.4 * 1e-6), 1.0, 1e-6);
    scene_end(&s);
}

// Side by side over all their length they bend as one beam, which moves the water around the outer contour.
static void water_slows_a_pair_of_tubes(void **unused) {
    (void)unused;
    static const char *const sets[][2] = {{"gravity=[0, 0, 0]", "rods.outer.added_mass=[0, 0, 0]"},
                                          {"gravity=[0, 0, 0]", "rods.outer.added_mass.x=0.8"}};
    double f[2];
    for (int wet = 0; wet < 2; wet++) {
        const char *const all[] = {sets[wet][0],
                                   sets[wet][1],
                                   "rods.inner.length=1.3",
                                   "rods.outer.length=1.2",
                                   "rods.outer.linear_drag=0",
                                   "rods.inner.linear_drag=0"};
        scene s = scene_of(PAIR, all, 6);
        td_error err = {0};
        td_linearisation *l = td_linearisation_create(s.system, NULL, 0, &err);
        assert_non_null(l);
        scene_rest(&s);
        assert_true(td_linearise(s.system, s.state, l) >= 0);
        assert_int_equal(td_solve_modes(l, 1), TD_OK);
        f[wet] = td_get_mode(l, 0).frequency;
        td_linearisation_destroy(l);
        scene_end(&s);
    }
    const double mass = 1300.0 * (5.0 + 3.24), water = 0.8 * 1000.0 * 9.0;
    CHECK_NEAR(f[1] / f[0], sqrt(mass / (mass + water)), 1e-5);
}

// ---------------------------------------------------------------- thrust
// A light filament in a viscous fluid, heaved at its base: c_n y_t = -EI y'''', y(0) = a cos wt, y'(0) = 0, free at its end.
// Thrust along it in the mean (Wiggins & Goldstein 1998): (c_n - c_t) times the mean of y_t y' over its length.
#define FILAMENT                                                                                   \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, mass_per_length: 1e-3, section: {radius: 1 mm},\n"                   \
    "     stiffness: {bending: 1e-2, torsion: 1e-2, shear: 1e3, extension: 1e3},\n"                \
    "     linear_drag: [2, 2, 1], base: {position: [y, 0, 0]}}\n"                                  \
    "inputs: {y: {sine: {amplitude: 10 mm, frequency: 0.05 Hz}}}\n"                                \
    "simulation: {start: straight}\n"

// y = sum of b_j exp(k_j x) times exp(i w t), k^4 = -i w c_n/EI; thrust per a^2.
#define J1 ((double complex)I)
static double filament_thrust(double w, double c_n, double c_t, double EI, double L) {
    double complex k[4], M[4][5], b[4] = {0.0};
    const double complex first = cpow(-J1 * w * c_n / EI, 0.25);
    for (int j = 0; j < 4; j++) k[j] = first * cpow(J1, j);
    for (int j = 0; j < 4; j++) {
        M[0][j] = 1.0, M[1][j] = k[j];
        M[2][j] = k[j] * k[j] * cexp(k[j] * L), M[3][j] = k[j] * M[2][j];
    }
    for (int i = 0; i < 4; i++) M[i][4] = i == 0 ? 1.0 : 0.0;
    for (int i = 0; i < 4; i++) {
        int best = i;
        for (int r = i; r < 4; r++)
            if (cabs(M[r][i]) > cabs(M[best][i])) best = r;
        for (int c = 0; c < 5; c++) {
            const double complex x = M[i][c];
            M[i][c] = M[best][c], M[best][c] = x;
        }
        for (int r = 0; r < 4; r++) {
            const double complex by = M[r][i] / M[i][i];
            for (int c = i; c < 5 && r != i; c++) M[r][c] -= by * M[i][c];
        }
    }
    for (int i = 0; i < 4; i++) b[i] = M[i][4] / M[i][i];
    double sum = 0.0;
    enum { POINTS = 4000 };
    for (int n = 0; n < POINTS; n++) {
        const double x = L * (n + 0.5) / POINTS;
        double complex y = 0.0, slope = 0.0;
        for (int j = 0; j < 4; j++)
            y += b[j] * cexp(k[j] * x), slope += k[j] * b[j] * cexp(k[j] * x);
        sum += 0.5 * creal(J1 * w * y * conj(slope)) * L / POINTS;  // mean of y_t y'
    }
    return (c_n - c_t) * sum;
}

// What holds it keeps it from swimming off: its force along the filament is that of the water.
static void filament_swims_as_resistive_force_theory_says(void **unused) {
    (void)unused;
    const double w = 2.0 * PI * 0.05, T = 20.0, a = 0.01;
    const double expected = filament_thrust(w, 2.0, 1.0, 1e-2, 1.0) * a * a;
    for (int m = 0; m < DRIVEN; m++) {
        scene s = scene_in(FILAMENT, models[m], "simulation.lumped.segments=20");
        begin(&s);
        // In coordinates that do not follow its bends, stretch is stiff, and its rate is of first order in the step.
        const bool stiff = strcmp(models[m], "eba") == 0 || strcmp(models[m], "rom") == 0;
        const int per = m == 1 ? 600 : stiff ? 400 : 100, periods = 7;
        double mean = 0.0;
        for (int i = 0; i < periods * per; i++) {
            advance(&s, T / per);
            if (i >= (periods - 1) * per)
                mean -= td_get_reaction(s.system, s.state, 0, TD_BASE).force[2] / per;
        }
        CHECK_NEAR(mean / expected, 1.0, stiff ? 2e-2 : 2e-3);
        scene_end(&s);
    }
    CHECK_BETWEEN(fabs(expected), 1e-7, 1e-3);
}

// ---------------------------------------------------------------- energy and derivatives
#define TAIL                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "fluid: {density: 1000, velocity: [u, 0.05, -0.1]}\n"                                          \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.3, section: {width: 4 mm, height: 20 mm},\n"                          \
    "     section_end: {width: 3 mm, height: 15 mm}, drag: 5, linear_drag: [0.2, 0.2, 0.1],\n"     \
    "     material: {youngs_modulus: 3 MPa, poisson_ratio: 0.45, density: 1500},\n"                \
    "     drag_coefficient: [1.5, 0.05], added_mass: [c, 0.2, 0.1],\n"                             \
    "     base: {motion: {rotation: [0, turn, 0]}}}\n"                                             \
    "bodies: [{name: b, on: a, at: tip, mass: 2 g, volume: 3 mL, centre: [0, 1 mm, 5 mm]}]\n"      \
    "inputs: {u: 0.2, turn: {sine: {amplitude: 0.4, frequency: 1 Hz, start: 0}}}\n"
#define WET_TAIL "let: {c: 0.9}\n" TAIL
#define LIGHT_TAIL "let: {c: 0}\n" TAIL

static scene tail_in(int m, const char *set) {
    char name[64];
    snprintf(name, sizeof name, "simulation.model=%s", models[m]);
    const char *const sets[] = {
        name,
        "simulation.lumped.segments=24",
        "simulation.rom.order=8",
        "simulation.tubes.nodes=14",
        m < WET ? "simulation.space.nodes=12" : "rods.a.added_mass=[0, 0, 0]",
        m < DRIVEN ? "simulation.start=static" : "rods.a.base.motion={}",
        m < DRIVEN ? "simulation.start=static" : "simulation.start=straight",
        "simulation.virtual_power.discs=24",
        "simulation.virtual_power.torsion=true",
        "simulation.constant_curvature.segments=12",
        m < TAPERED ? "simulation.rom.order=8" : "rods.a.section_end={width: 4 mm, height: 20 mm}",
        set};
    return scene_of(m < WET ? WET_TAIL : LIGHT_TAIL, sets, set ? 12 : 11);
}

static double drift_of(int m, double dt) {
    scene s = tail_in(m, "simulation.time.scheme=trapezoidal");
    begin(&s);
    const td_energy first = td_get_energy(s.system, s.state);
    double off = 0.0;
    while (td_get_time(s.system, s.state) < 0.8 - 0.5 * dt) {
        advance(&s, dt);
        const td_energy e = td_get_energy(s.system, s.state);
        off = fmax(off, fabs(e.kinetic + e.elastic + e.gravity + e.dissipated - e.work -
                             (first.kinetic + first.elastic + first.gravity)));
    }
    const td_energy e = td_get_energy(s.system, s.state);
    CHECK_BETWEEN(e.dissipated, 1e-3, 1.0);
    CHECK_BETWEEN(fabs(e.work), 1e-3, 1.0);
    scene_end(&s);
    return off / e.dissipated;
}

// The base turns with a velocity from the first instant on: that is a jump, of which the first step makes what it can.
static void work_becomes_what_water_takes(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        const double coarse = drift_of(m, 4e-3), fine = drift_of(m, 1e-3);
        CHECK_BETWEEN(fine, 0.0, m ? 1e-5 : 4e-4);
        CHECK_BETWEEN(coarse / fine, 1.5, 40.0);
    }
}

static void jacobian_by_a_current_is_that_of_differences(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = tail_in(m, NULL);
        double J[12];
        const int u = td_find_input(s.system, "u"), n = td_n_inputs(s.system);
        scene_set(&s, "u", 0.2);
        scene_rest(&s);
        assert_int_equal(td_get_jacobian(s.system, s.state, 0, 0.3, J), TD_OK);
        const double e = 1e-4;
        const td_pose high = tip_with(&s, "u", 0.2 + e), low = tip_with(&s, "u", 0.2 - e);
        const double size = fabs(J[3 * n + u]);
        CHECK_BETWEEN(size, 1e-2, 10.0);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(J[n * (3 + k) + u], (high.p[k] - low.p[k]) / (2.0 * e), 2e-6 * size);
        scene_end(&s);
    }
}

static void step_derivatives_are_those_of_differences(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = tail_in(m, NULL);
        td_error err = {0};
        td_output tip = {.quantity = TD_OUTPUT_POSE, .rod = 0, .s = 0.3};
        td_linearisation *l = td_linearisation_create(s.system, &tip, 1, &err);
        assert_non_null(l);
        scene_set(&s, "u", 0.2);
        scene_rest(&s);
        scene_set(&s, "u", 0.6);
        for (int i = 0; i < 10; i++) scene_step(&s, 5e-3);
        const size_t bytes = td_snapshot_bytes(s.system);
        void *kept = malloc(bytes);
        assert_int_equal(td_state_save(s.system, s.state, kept, bytes), TD_OK);
        const td_status status = td_differentiate_step(s.system, s.state, 5e-3, l);
        if (status < 0) fail_msg("%s: %s", models[m], td_message(s.state));
        const double *D = td_get_step_map(l)->D, e = 1e-4;
        td_pose side[2];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(td_state_restore(s.system, s.state, kept, bytes), TD_OK);
            scene_set(&s, "u", 0.6 + (k ? e : -e));
            scene_step(&s, 5e-3);
            side[k] = scene_tip(&s);
        }
        const int u = td_find_input(s.system, "u"), n = td_n_inputs(s.system);
        const double size = fabs(D[3 * n + u]);
        CHECK_BETWEEN(size, 1e-6, 1.0);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(D[n * (3 + k) + u], (side[1].p[k] - side[0].p[k]) / (2.0 * e), 1e-5 * size);
        free(kept);
        td_linearisation_destroy(l);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- files
static void what_cannot_be_is_refused_in_words(void **unused) {
    (void)unused;
    check_not_compiled_by("virtual_power", "let: {rho: 900, c: 1}\n" CANTILEVER, "added mass");
    check_not_compiled_by("cosserat", WET_TAIL "simulation: {space: {scheme: shooting}}\n",
                          "cannot do a fluid");
#define ROD "tendril: 1\nrods: [{name: a, length: 1, "
#define STEEL "material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}]\n"
    check_not_compiled_by("cosserat", ROD "section: {radius: 1 mm}, added_mass: [1, 1, 0], " STEEL,
                          "give the key 'fluid'");
    check_not_compiled_by("cosserat",
                          ROD "section: {radius: 1 mm}, " STEEL
                              "bodies: [{name: b, on: a, mass: 1 g, volume: 3 mL}]\n",
                          "3e-06 m^3 displaces a fluid, and there is none");
    check_not_compiled_by(
        "cosserat",
        ROD "mass_per_length: 1, stiffness: {bending: 1, torsion: 1, shear: 1, extension: 1}}]\n"
            "fluid: {density: 1000}\n",
        "what it displaces of the fluid is not known");
    check_not_compiled_by("cosserat",
                          ROD "section: {radius: 1 mm}, " STEEL "fluid: {velocity: [1, 0, 0]}\n",
                          "'density' is missing");
}

static void fluid_is_saved(void **unused) {
    (void)unused;
    td_pose tips[2];
    scene s[2] = {scene_of(WET_TAIL, NULL, 0)};
    s[1] = scene_written(s[0].robot);
    for (int i = 0; i < 2; i++) {
        begin(&s[i]);
        for (int k = 0; k < 5; k++) advance(&s[i], 5e-3);
        tips[i] = scene_tip(&s[i]);
    }
    assert_memory_equal(&tips[0], &tips[1], sizeof tips[0]);
    scene_end(&s[0]), scene_end(&s[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_fall_sideways_and_lengthwise_as_they_should),
        cmocka_unit_test(current_of_its_velocity_carries_a_rod),
        cmocka_unit_test(thrown_rod_obeys_kirchhoff),
        cmocka_unit_test(water_slows_a_cantilever),
        cmocka_unit_test(water_carries_a_cantilever),
        cmocka_unit_test(a_stream_turns_a_vane_across),
        cmocka_unit_test(water_is_around_the_outermost_tube),
        cmocka_unit_test(current_drags_what_it_reaches),
        cmocka_unit_test(water_slows_a_pair_of_tubes),
        cmocka_unit_test(filament_swims_as_resistive_force_theory_says),
        cmocka_unit_test(work_becomes_what_water_takes),
        cmocka_unit_test(jacobian_by_a_current_is_that_of_differences),
        cmocka_unit_test(step_derivatives_are_those_of_differences),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
        cmocka_unit_test(fluid_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
