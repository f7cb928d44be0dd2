// Magnets in fields: the hard-magnetic elastica, its instability, dipoles by their formulas, in every model that has
// them; energy in motion, and all derivatives by differences.
#include "contact_rods.h"
#include "not_compiled.h"

#include "environment/field.h"

#define PI 3.14159265358979323846
static const char *const models[] = {
    "cosserat", "eba", "ebr", "srl", "rom", "virtual_power", "constant_curvature"};
enum { TWISTING = 6, MODELS = 7 };  // all but the last twist

// EI = 1 N m^2, L = 1 m; the magnet is 1 A m per length: the flux density in T is m B L^2/EI. Slender, so that shear and
// stretch do not count.
#define ELASTICA                                                                                   \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {area: 1e-4, ixx: 1e-10, iyy: 1e-10, torsion: 2e-10},\n"    \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e7, extension: 1e7}, mass_per_length: "      \
    "0.1,\n"                                                                                       \
    "     magnetisation: [0, 0, 10 kA/m]}\n"                                                       \
    "fields: [{name: coil, flux: [Bx, 0, Bz]}]\n"                                                  \
    "inputs: {Bx: 0, Bz: 0}\n"

static scene scene_by(const char *text, const char *model, const char *set, int parts) {
    char name[64], discs[64], arcs[64];
    snprintf(name, sizeof name, "simulation.model=%s", model);
    snprintf(discs, sizeof discs, "simulation.virtual_power.discs=%d", parts);
    snprintf(arcs, sizeof arcs, "simulation.constant_curvature.segments=%d", parts);
    const char *const sets[] = {name,
                                "simulation.lumped.segments=60",
                                "simulation.rom.order=14",
                                "simulation.space.nodes=24",
                                "simulation.virtual_power.torsion=true",
                                discs,
                                arcs,
                                set};
    return scene_of(text, sets, set ? 8 : 7);
}

static scene scene_in(const char *text, const char *model, const char *set) {
    return scene_by(text, model, set, 60);
}

// Slopes do not ask for a fine division.
static scene coarse_scene(const char *text, const char *model) {
    return scene_by(text, model, NULL, 12);
}

// ---------------------------------------------------------------- the elastica
// theta'' = -lambda sin(phi - theta), theta(0) = 0, theta'(1) = 0, by shooting with Runge and Kutta's formula.
typedef struct elastica {
    double theta, slope, x, z;
    double start;  // slope at the base
} elastica;

static elastica derivative(elastica e, double lambda, double phi) {
    return (elastica){e.slope, -lambda * sin(phi - e.theta), sin(e.theta), cos(e.theta), 0.0};
}

static elastica along(elastica a, double h, elastica d) {
    return (elastica){a.theta + h * d.theta, a.slope + h * d.slope, a.x + h * d.x, a.z + h * d.z,
                      a.start};
}

// until: where it bends back (< 0) or has passed the field (> 0) it goes no further.
static elastica shoot(double start, double lambda, double phi, double *until) {
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    elastica e = {.slope = start, .start = start};
    for (int i = 0; i < STEPS; i++) {
        const elastica a = derivative(e, lambda, phi),
                       b = derivative(along(e, 0.5 * h, a), lambda, phi),
                       c = derivative(along(e, 0.5 * h, b), lambda, phi),
                       d = derivative(along(e, h, c), lambda, phi);
        const double w[4] = {h / 6.0, h / 3.0, h / 3.0, h / 6.0};
        e = along(along(along(along(e, w[0], a), w[1], b), w[2], c), w[3], d);
        if (until && (e.slope < 0.0 || e.theta > phi)) {
            *until = e.theta > phi ? 1.0 : -1.0;
            return e;
        }
    }
    if (until) *until = e.slope;
    return e;
}

// The smallest bend that ends without moment, by bisection: with less it ends still bending back.
static elastica elastica_at(double lambda, double phi) {
    double low = 1e-9, high = 2.0 * sqrt(lambda) * sin(0.5 * phi) + 1e-9;  // of an endless rod
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        double until;
        shoot(middle, lambda, phi, &until);
        if (until > 0.0) high = middle;
        else low = middle;
    }
    return shoot(0.5 * (low + high), lambda, phi, NULL);
}

static void bend(scene *s, double lambda, double phi) {
    scene_set(s, "Bx", lambda * sin(phi));
    scene_set(s, "Bz", lambda * cos(phi));
    scene_rest(s);
}

static void magnetic_elastica_in_every_model(void **unused) {
    static const double lambdas[] = {1.0, 5.0, 20.0, 50.0}, angles[] = {0.5 * PI, 2.0};
    // lumped: second order, at the last of them; rom: so many polynomials
    static const double far[MODELS] = {1e-8, 4e-3, 4e-3, 8e-3, 2e-3, 4e-3, 4e-3};
    elastica of[8];
    (void)unused;
    for (int i = 0; i < 8; i++) of[i] = elastica_at(lambdas[i % 4], angles[i / 4]);
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_in(ELASTICA, models[m], NULL);
        for (int i = 0; i < 8; i++) {
            const double lambda = lambdas[i % 4], phi = angles[i / 4];
            const elastica e = of[i];
            bend(&s, lambda, phi);
            const td_pose tip = scene_tip(&s);
            const double tol = m ? far[m] * lambda / 50.0 : far[m];
            CHECK_NEAR(tip.p[0], e.x, tol);
            CHECK_NEAR(tip.p[2], e.z, tol);
            CHECK_NEAR(2.0 * atan2(tip.q[2], tip.q[0]), e.theta, 2.0 * tol);
            const td_reaction r = td_get_reaction(s.system, s.state, 0, TD_BASE);
            CHECK_NEAR(-r.moment[1], e.start, 20.0 * tol);
        }
        scene_end(&s);
    }
}

// Two tubes that turn and run in one another share the bend of their magnets.
#define TUBES                                                                                      \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: outer, length: 1, section: {area: 1e-4, ixx: 1e-10, iyy: 1e-10, torsion: "         \
    "2e-10},\n"                                                                                    \
    "     stiffness: {bending: 0.25, torsion: 0.2, shear: 1e7, extension: 1e7},\n"                 \
    "     mass_per_length: 0.05, magnetisation: [0, 0, 4 kA/m], tube: {rotation: 0}}\n"            \
    "  - {name: inner, length: 1, section: {area: 1e-4, ixx: 1e-10, iyy: 1e-10, torsion: "         \
    "2e-10},\n"                                                                                    \
    "     stiffness: {bending: 0.75, torsion: 0.6, shear: 1e7, extension: 1e7},\n"                 \
    "     mass_per_length: 0.05, magnetisation: [0, 0, 6 kA/m], tube: {within: outer, rotation: "  \
    "turn}}\n"                                                                                     \
    "fields: [{name: coil, flux: [Bx, 0, Bz]}]\n"                                                  \
    "inputs: {Bx: 0, Bz: 0, turn: 0}\n"                                                            \
    "simulation: {model: tubes, tubes: {nodes: 10}}\n"

static void magnetic_tubes_bend_together(void **unused) {
    (void)unused;
    const elastica e = elastica_at(5.0, 2.0);
    scene s = scene_of(TUBES, NULL, 0);
    scene_set(&s, "turn", 0.7);  // twists nothing: they are magnetised along their axis
    bend(&s, 5.0, 2.0);
    CHECK_NEAR(scene_tip(&s).p[0], e.x, 1e-7);
    CHECK_NEAR(scene_tip(&s).p[2], e.z, 1e-7);
    double J[18];
    const int Bx = td_find_input(s.system, "Bx"), n = td_n_inputs(s.system);
    assert_int_equal(td_get_jacobian(s.system, s.state, 0, 1.0, J), TD_OK);
    const double now = 5.0 * sin(2.0), h = 1e-4;
    const double high = tip_with(&s, "Bx", now + h).p[0], low = tip_with(&s, "Bx", now - h).p[0];
    CHECK_NEAR(J[3 * n + Bx], (high - low) / (2.0 * h), 1e-6);
    scene_end(&s);
}

static void lumped_elastica_is_of_second_order(void **unused) {
    (void)unused;
    const elastica e = elastica_at(20.0, 2.0);
    double off[2];
    for (int i = 0; i < 2; i++) {
        scene s = scene_in(ELASTICA, "eba", i ? "simulation.lumped.segments=120" : NULL);
        bend(&s, 20.0, 2.0);
        off[i] = scene_tip(&s).p[0] - e.x;
        scene_end(&s);
    }
    CHECK_BETWEEN(off[0] / off[1], 3.9, 4.1);
}

// In one plane, across which it is stiffer: otherwise it may stand in any.
static const char *const in_plane = "rods.a.stiffness.bending=[4, 1]";

// EI theta'^2 - m B theta^2 against EI theta'^2: 1 - 4 lambda/pi^2, lost at lambda = pi^2/4.
static void field_against_a_magnet_buckles_it(void **unused) {
    static const double tol[MODELS] = {1e-7, 2e-4, 2e-4, 2e-4, 1e-6, 3e-4, 3e-4};
    const elastica e = elastica_at(3.0, PI);
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_by(ELASTICA, models[m], in_plane, 40);
        for (int i = 0; i < 3; i++) {
            const double lambda = i == 0 ? 1.0 : i == 1 ? 2.4 : -3.0;
            double smallest = 0.0;
            bend(&s, lambda, PI);
            assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
            if (lambda > 0.0) CHECK_NEAR(smallest, 1.0 - 4.0 * lambda / (PI * PI), tol[m]);
            else CHECK_BETWEEN(smallest, 1.0 - 1e-9, 10.0);  // along it nothing gives way
            CHECK_NEAR(scene_tip(&s).p[2], 1.0, 1e-9);
        }
        // and beyond, it goes to one side and holds there
        double smallest = 0.0;
        bend(&s, 3.0, PI);
        const td_pose tip = scene_tip(&s);
        assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
        CHECK_BETWEEN(smallest, 0.1, 1.0);
        CHECK_NEAR(hypot(tip.p[0], tip.p[1]), e.x, m ? 4e-3 : 1e-6);
        CHECK_NEAR(tip.p[2], e.z, m ? 4e-3 : 1e-6);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- dipoles
static const double mu_0 = 4e-7 * PI;

static vec3 flux_of(vec3 M, vec3 r) {
    const double d = vec3_norm(r);
    const vec3 along_r = vec3_scale(r, 3.0 * vec3_dot(M, r) / pow(d, 5.0));
    return vec3_scale(vec3_madd(along_r, -pow(d, -3.0), M), mu_0 / (4.0 * PI));
}

// A stiff post with a magnet on top, a dipole beside it; what holds the post says what the dipole does.
#define PAIR                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.1, section: {radius: 10 mm},\n"                                       \
    "     material: {youngs_modulus: 1e15, poisson_ratio: 0.3, density: 1000}}\n"                  \
    "bodies: [{name: b, on: a, at: tip, mass: 0.01, magnet: [1, 2, 3]}]\n"                         \
    "fields:\n"                                                                                    \
    "  - {name: d, moment: [2, -1, 4], position: [0.05, 0.02, 0.13], direction: [0, 1, 1],\n"      \
    "     motion: {rotation: [0, turn, 0]}}\n"                                                     \
    "  - {name: g, flux: [0.01, 0, -0.02], position: [0, 0, 0.1],\n"                               \
    "     gradient: {xx: 0.3, yy: -0.1, xy: 0.2, xz: 0.4, yz: -0.5}}\n"                            \
    "inputs: {turn: 0.7}\n"

static void dipole_pulls_and_turns_by_its_formula(void **unused) {
    (void)unused;
    const vec3 m = {1.0, 2.0, 3.0}, r = {-0.05, -0.02, -0.03};
    // the moment, turned by 0.7 about its y, then with its z along (0, 1, 1), which keeps x
    const double c = cos(0.7), sn = sin(0.7), h = sqrt(0.5);
    const vec3 own = {2.0 * c + 4.0 * sn, -1.0, -2.0 * sn + 4.0 * c};
    const vec3 M = {own.x, h * own.y + h * own.z, -h * own.y + h * own.z};
    vec3 B = vec3_add(flux_of(M, r), vec3_make(0.01, 0.0, -0.02)), F;
    double *force = &F.x;
    for (int k = 0; k < 3; k++) {
        const double e = 1e-5;
        double r2[3] = {r.x, r.y, r.z}, r1[3] = {r.x, r.y, r.z};
        r2[k] += e, r1[k] -= e;
        force[k] =
            vec3_dot(m, vec3_sub(flux_of(M, vec3_load(r2)), flux_of(M, vec3_load(r1)))) / (2.0 * e);
    }
    F = vec3_add(F, vec3_make(0.3 + 0.4 + 1.2, 0.2 - 0.2 - 1.5, 0.4 - 1.0 - 0.6));
    vec3 T = vec3_add(vec3_cross(m, B), vec3_cross(vec3_make(0.0, 0.0, 0.1), F));
    for (int i = 0; i < MODELS; i++) {
        scene s = scene_in(PAIR, models[i], NULL);
        scene_rest(&s);
        const td_reaction by = td_get_reaction(s.system, s.state, 0, TD_BASE);
        const double size = vec3_norm(F), turn = vec3_norm(T);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(-by.force[k], (&F.x)[k], 1e-6 * size);
            CHECK_NEAR(-by.moment[k], (&T.x)[k], 1e-6 * turn);
        }
        CHECK_NEAR(td_get_energy(s.system, s.state).gravity, -vec3_dot(m, B), 1e-6 * turn);
        scene_end(&s);
    }
}

static field_list some_sources(void) {
    field_list f = {.n = 2};
    f.sources[0] = (field_source){.dipole = true, .p = {0.1, -0.2, 0.05}, .B = {3.0, 1.0, -2.0}};
    f.sources[1] = (field_source){.p = {0.0, 0.1, 0.0},
                                  .B = {0.01, 0.02, 0.03},
                                  .G = {{{0.3, 0.2, 0.4}, {0.2, -0.1, -0.5}, {0.4, -0.5, -0.2}}}};
    return f;
}

// By a turn or shift of the magnet, and by changes of the sources.
static void slopes_of_wrenches_are_those_of_differences(void **unused) {
    (void)unused;
    const field_list f = some_sources();
    const vec3 m = {0.5, -0.3, 0.8}, p = {-0.03, 0.02, 0.11};
    const double e = 1e-6;
    double S[36] = {0.0};
    fields_wrench(&f, m, p, S);
    for (int k = 0; k < 6; k++) {
        double by[6], sides[2][6];
        for (int side = 0; side < 2; side++) {
            double z[6] = {0.0};
            z[k] = side ? e : -e;
            const mat3 R = so3_exp(vec3_load(z));
            vec6_store(sides[side],
                       fields_wrench(&f, mat3_mul_vec(&R, m), vec3_add(p, vec3_load(z + 3)), NULL));
        }
        for (int i = 0; i < 6; i++) by[i] = (sides[1][i] - sides[0][i]) / (2.0 * e);
        for (int i = 0; i < 6; i++) CHECK_NEAR(S[6 * i + k], by[i], 1e-8);
    }
    field_list change = f;
    change.sources[0].p = vec3_make(0.3, -0.2, 0.5), change.sources[1].p = vec3_make(1.0, 0.0, 0.2);
    field_list sides[2] = {f, f};
    for (int i = 0; i < 4; i++) {
        field_source *to = &sides[i / 2].sources[i % 2];
        const field_source *by = &change.sources[i % 2];
        const double h = i / 2 ? e : -e;
        const mat3 G = mat3_scale(&by->G, h);
        to->p = vec3_madd(to->p, h, by->p), to->B = vec3_madd(to->B, h, by->B);
        to->G = mat3_add(&to->G, &G);
    }
    const vec6 by = fields_wrench_by(&f, &change, m, p);
    const vec6 all = vec6_scale(
        vec6_sub(fields_wrench(&sides[1], m, p, NULL), fields_wrench(&sides[0], m, p, NULL)),
        0.5 / e);
    CHECK_NEAR(vec3_norm(vec3_sub(by.a, all.a)), 0.0, 1e-8);
    CHECK_NEAR(vec3_norm(vec3_sub(by.l, all.l)), 0.0, 1e-8);
    CHECK_NEAR(fields_power(&f, &change, m, p),
               (fields_energy(&sides[1], m, p) - fields_energy(&sides[0], m, p)) / (2.0 * e), 1e-8);
}

// ---------------------------------------------------------------- catheter
// A soft magnetic tip, a magnet on its end, and a dipole that is carried about.
#define CATHETER_OF(end)                                                                           \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "rods:\n"                                                                                      \
    "  - name: a\n"                                                                                \
    "    section: {radius: 1 mm}\n"                                                                \
    "    material: {youngs_modulus: 4 MPa, poisson_ratio: 0.45, density: 1500}\n"                  \
    "    pieces:\n"                                                                                \
    "      - {length: 30 mm}\n"                                                                    \
    "      - {length: 30 mm, " end "magnetisation: [10 kA/m, 0, 50 kA/m]}\n"                       \
    "bodies: [{name: b, on: a, at: tip, mass: 0.05 g, magnet: [0, 0, 5e-3]}]\n"                    \
    "fields:\n"                                                                                    \
    "  - {name: d, moment: [0, 0, strength], position: [x, 10 mm, 160 mm],\n"                      \
    "     motion: {rotation: [0, turn, 0]}}\n"                                                     \
    "  - {name: g, flux: [B, 0, 0], gradient: {xz: G}}\n"                                          \
    "inputs: {strength: 60, x: 40 mm, turn: 1, B: 2 mT, G: 0.05}\n"
#define CATHETER CATHETER_OF("section_end: {radius: 0.7 mm}, ")
static const char *const catheter_inputs[] = {"strength", "x", "turn", "B", "G"};
static const double catheter_values[] = {60.0, 0.04, 1.0, 2e-3, 0.05},
                    catheter_steps[] = {1e-2, 1e-5, 1e-4, 1e-6, 1e-4};
enum { INPUTS = 5 };

// Arcs have no taper.
static const char *catheter_of(int model) {
    return model < TWISTING ? CATHETER : CATHETER_OF("");
}

static void all_models_agree_about_a_catheter(void **unused) {
    (void)unused;
    td_pose of[MODELS];
    for (int m = 0; m < TWISTING; m++) {
        scene s = scene_in(CATHETER, models[m], NULL);
        td_apply_signals(s.system, s.state, 0.0, TD_AFTER);
        scene_rest(&s);
        of[m] = scene_tip(&s);
        for (int k = 0; k < 3 && m; k++) CHECK_NEAR(of[m].p[k], of[0].p[k], 1e-4);
        scene_end(&s);
    }
    CHECK_BETWEEN(hypot(of[0].p[0], of[0].p[1]), 5e-3, 0.05);
}

static void jacobians_by_fields_are_those_of_differences(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = coarse_scene(catheter_of(m), models[m]);
        double J[6 * INPUTS];
        td_apply_signals(s.system, s.state, 0.0, TD_AFTER);
        scene_rest(&s);
        const td_pose now = scene_tip(&s);
        assert_int_equal(td_get_jacobian(s.system, s.state, 0, 0.06, J), TD_OK);
        for (int i = 0; i < INPUTS; i++) {
            const double e = catheter_steps[i];
            const td_pose high = tip_with(&s, catheter_inputs[i], catheter_values[i] + e),
                          low = tip_with(&s, catheter_inputs[i], catheter_values[i] - e);
            tip_with(&s, catheter_inputs[i], catheter_values[i]);
            double size = 0.0;
            for (int k = 0; k < 3; k++) size = fmax(size, fabs(J[INPUTS * (3 + k) + i]));
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(J[INPUTS * (3 + k) + i], (high.p[k] - low.p[k]) / (2.0 * e),
                           1e-6 * size);
        }
        CHECK_NEAR(scene_tip(&s).p[0], now.p[0], 1e-9);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- motion
static void start_motion(scene *s) {
    td_apply_signals(s->system, s->state, 0.0, TD_AFTER);
    scene_rest(s);
    scene_set(s, "B", 6e-3);  // a jump
}

// While the dipole is moved and turned, it does work. Returns what of the balance is lost, by the largest potential
// energy that is exchanged.
static double drift_of(int model, double dt) {
    char name[64];
    snprintf(name, sizeof name, "simulation.model=%s", models[model]);
    const char *const sets[] = {name,
                                "simulation.lumped.segments=20",
                                "simulation.time.scheme=trapezoidal",
                                "inputs.B={curve: [[0, 2 mT], [0.02, 6 mT]]}",
                                "inputs.x={curve: [[0, 40 mm], [0.04, 28 mm]]}",
                                "inputs.turn={curve: [[0, 1], [0.03, 1.4]]}"};
    scene s = scene_of(catheter_of(model), sets, 6);
    scene_begin(&s);
    const td_energy first = td_get_energy(s.system, s.state);
    double off = 0.0, moved = 0.0, kinetic = 0.0;
    while (td_get_time(s.system, s.state) < 0.04 - 0.5 * dt) {
        scene_advance(&s, dt);
        const td_energy e = td_get_energy(s.system, s.state);
        moved = fmax(moved, fabs(e.gravity - first.gravity));
        kinetic = fmax(kinetic, e.kinetic);
        off = fmax(off, fabs(e.kinetic + e.elastic + e.gravity + e.dissipated - e.work -
                             (first.elastic + first.gravity)));
    }
    CHECK_BETWEEN(kinetic, 1e-7, 1.0);
    CHECK_BETWEEN(moved, kinetic, 1.0);
    scene_end(&s);
    return off / moved;
}

static void energy_is_kept_in_motion(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        const double coarse = drift_of(m, 4e-4), fine = drift_of(m, 2e-4);
        CHECK_BETWEEN(fine, 0.0, 2e-6);
        CHECK_BETWEEN(coarse / fine, 3.5, 4.5);
    }
}

static void step_derivatives_by_fields_are_those_of_differences(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = coarse_scene(catheter_of(m), models[m]);
        td_error err = {0};
        td_output tip = {.quantity = TD_OUTPUT_POSE, .rod = 0, .s = 0.06};
        td_linearisation *l = td_linearisation_create(s.system, &tip, 1, &err);
        assert_non_null(l);
        start_motion(&s);
        for (int i = 0; i < 5; i++) scene_step(&s, 1e-3);
        const size_t bytes = td_snapshot_bytes(s.system);
        void *kept = malloc(bytes);
        assert_int_equal(td_state_save(s.system, s.state, kept, bytes), TD_OK);
        const td_status status = td_differentiate_step(s.system, s.state, 1e-3, l);
        if (status < 0) fail_msg("%s: %s", models[m], td_message(s.state));
        const double *D = td_get_step_map(l)->D;
        for (int i = 0; i < INPUTS; i++) {
            const double e = catheter_steps[i], value = i == 3 ? 6e-3 : catheter_values[i];
            td_pose side[2];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(td_state_restore(s.system, s.state, kept, bytes), TD_OK);
                scene_set(&s, catheter_inputs[i], value + (k ? e : -e));
                scene_step(&s, 1e-3);
                side[k] = scene_tip(&s);
            }
            double size = 0.0;
            for (int k = 0; k < 3; k++) size = fmax(size, fabs(D[INPUTS * (3 + k) + i]));
            assert_true(size > 0.0);
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(D[INPUTS * (3 + k) + i], (side[1].p[k] - side[0].p[k]) / (2.0 * e),
                           2e-5 * size);
        }
        free(kept);
        td_linearisation_destroy(l);
        scene_end(&s);
    }
}

// A compass needle on a stiff axle of torsion k: with the moment m across it, omega^2 = (k + m B)/J. Here a post in
// torsion with a magnet on top; small motions and their frequency.
#define NEEDLE                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.1, section: {radius: 1 mm}, mass_per_length: 1e-6,\n"                 \
    "     stiffness: {bending: 1, torsion: 1e-4, shear: 1e6, extension: 1e6}}\n"                   \
    "bodies: [{name: b, on: a, at: tip, mass: 0.01, inertia: 1e-6, magnet: [0.2, 0, 0]}]\n"        \
    "fields: [{flux: [B, 0, 0]}]\n"                                                                \
    "inputs: {B: 10 mT}\n"

static void needle_swings_with_its_frequency(void **unused) {
    (void)unused;
    for (int m = 0; m < TWISTING; m++) {
        scene s = scene_in(NEEDLE, models[m], NULL);
        td_error err = {0};
        td_linearisation *l = td_linearisation_create(s.system, NULL, 0, &err);
        td_apply_signals(s.system, s.state, 0.0, TD_AFTER);
        scene_rest(&s);
        assert_true(td_linearise(s.system, s.state, l) >= 0);
        assert_int_equal(td_solve_modes(l, 0), TD_OK);
        const double expected = sqrt((1e-3 + 0.2 * 0.01) / 1e-6) / (2.0 * PI);
        double nearest = 0.0;
        for (int i = 0; i < td_n_modes(l); i++)
            if (fabs(td_get_mode(l, i).frequency - expected) < fabs(nearest - expected))
                nearest = td_get_mode(l, i).frequency;
        CHECK_NEAR(nearest / expected, 1.0, 1e-4);
        td_linearisation_destroy(l);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- files
// A dipole has no size: within a magnet its field grows without end, and an equilibrium of it, found or not, says nothing.
static void dipole_within_a_magnet_is_told(void **unused) {
    (void)unused;
#define ARM(keys)                                                                                  \
    "tendril: 1\ngravity: [0, 0, 0]\nrods: [{name: arm, length: 0.2, section: {radius: 2 mm}, "    \
    "material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}" keys "}]\n"
#define DIPOLE(x) "fields: [{name: b, moment: [1, 0, 0], position: [" #x ", 0, 0.2]}]\n"
#define RIDER "bodies: [{name: m, on: arm, at: tip, mass: 1 g, magnet: [0, 0, 1]}]\n"
    static const struct {
        const char *text, *kind;  // NULL: it is outside
    } cases[] = {
        {ARM(", magnetisation: [0, 0, 1e5]") DIPOLE(0), "rod 'arm'"},
        {ARM(", magnetisation: [0, 0, 1e5]") DIPOLE(0.3 mm), "rod 'arm'"},
        {ARM(", magnetisation: [0, 0, 1e5]") DIPOLE(30 mm), NULL},
        {ARM("") RIDER DIPOLE(0), "body 'm'"},
        {ARM("") RIDER DIPOLE(0.5), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s = scene_of(cases[i].text, NULL, 0);
        const td_status status = td_solve_statics(s.system, s.state);
        const char *said = td_message(s.state);
        if (!cases[i].kind) assert_int_equal(status, TD_OK);
        if (cases[i].kind) {
            assert_true(status == TD_LOOSE ||
                        status == TD_ERR_NOT_CONVERGED);  // as luck will have it
            if (!strstr(said, "the dipole 'b' lies within the magnetic") ||
                !strstr(said, cases[i].kind))
                fail_msg("%s", said);
        }
        scene_end(&s);
    }
}

static void what_cannot_be_is_refused_in_words(void **unused) {
    (void)unused;
    check_not_compiled_by("cosserat", ELASTICA "simulation: {space: {scheme: shooting}}\n",
                          "cannot do magnets");
    check_not_compiled_by(
        "cosserat",
        "tendril: 1\nrods: [{name: a, length: 1, stiffness: {bending: 1, torsion: 1, shear: 1, "
        "extension: 1}, mass_per_length: 1, magnetisation: [0, 0, 1]}]\n",
        "no section whose area");
#define ROD                                                                                        \
    "tendril: 1\nrods: [{name: a, length: 1, section: {radius: 1 mm}, material: {youngs_modulus: " \
    "1 GPa, poisson_ratio: 0.3, density: 1000}}]\n"
    check_not_compiled_by("cosserat", ROD "fields: [{moment: [0, 0, 1], flux: [1, 0, 0]}]\n",
                          "makes a dipole");
    check_not_compiled_by("cosserat", ROD "fields: [{flux: [1, 0, 0], direction: [0, 0, 1]}]\n",
                          "is for a dipole");
    check_not_compiled_by("cosserat", ROD "fields: [{position: [1, 0, 0]}]\n",
                          "'flux' or 'gradient' is missing");
    check_not_compiled_by("cosserat", ROD "fields: [{flux: [1 N, 0, 0]}]\n",
                          "magnetic flux density (T)");
}

// What is written reads as the same robot.
static void fields_are_saved(void **unused) {
    (void)unused;
    td_pose tips[2];
    scene s[2] = {scene_of(CATHETER, NULL, 0)};
    s[1] = scene_written(s[0].robot);
    for (int i = 0; i < 2; i++) {
        td_apply_signals(s[i].system, s[i].state, 0.0, TD_AFTER);
        scene_rest(&s[i]);
        tips[i] = scene_tip(&s[i]);
    }
    assert_memory_equal(&tips[0], &tips[1], sizeof tips[0]);
    scene_end(&s[0]), scene_end(&s[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(magnetic_elastica_in_every_model),
        cmocka_unit_test(magnetic_tubes_bend_together),
        cmocka_unit_test(lumped_elastica_is_of_second_order),
        cmocka_unit_test(field_against_a_magnet_buckles_it),
        cmocka_unit_test(dipole_pulls_and_turns_by_its_formula),
        cmocka_unit_test(slopes_of_wrenches_are_those_of_differences),
        cmocka_unit_test(all_models_agree_about_a_catheter),
        cmocka_unit_test(jacobians_by_fields_are_those_of_differences),
        cmocka_unit_test(energy_is_kept_in_motion),
        cmocka_unit_test(step_derivatives_by_fields_are_those_of_differences),
        cmocka_unit_test(needle_swings_with_its_frequency),
        cmocka_unit_test(dipole_within_a_magnet_is_told),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
        cmocka_unit_test(fields_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
