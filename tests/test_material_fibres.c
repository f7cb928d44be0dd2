// Sections of fibres and what rubs in them, under every model that claims it: rubber against Rivlin's closed forms, superelastic
// alloys and Dahl's hysteresis against loops that are computed another way.
#include <stdlib.h>
#include <string.h>

#include "math/quadrature.h"
#include "math/se3.h"

#include "lumped.h"

#define PI 3.14159265358979323846

static int claiming(td_feature feature, int n, td_options out[8]) {
    int found = 0;
    for (int i = 0; i < td_n_models(); i++) {
        if (!td_model_supports(i, feature)) continue;
        td_options o = lumped_options(td_model_name(i), n, false);
        o.nodes = n;
        out[found++] = o;
    }
    assert_true(found >= 4);
    return found;
}

static td_piece_def rubber_piece(td_section section, double mooney_share) {
    td_piece_def p = td_default_piece_def();
    p.length = 0.5;
    p.youngs_modulus = 1.2e6, p.shear_modulus = 4e5, p.density = 1000.0;
    p.section = p.section_end = section;
    p.law = TD_RUBBER, p.mooney_share = mooney_share;
    return p;
}

static const td_section round_bar = {.shape = TD_SECTION_CIRCLE, .radius = 0.01};
static const td_section block = {.shape = TD_SECTION_RECTANGLE, .width = 0.03, .height = 0.02};

// Solved under a moment and a force at the tip: its strain half way along.
static td_sample loaded(const td_piece_def *piece, const td_options *o, vec3 moment, vec3 force,
                        double *stored) {
    td_robot *robot = rod_robot(piece, 1);
    td_load_def load = point_load("load", piece->length);
    set3(load.moment, moment.x, moment.y, moment.z);
    set3(load.force, force.x, force.y, force.z);
    add_load(robot, &load);
    world w = world_make(robot, o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_sample s = td_get_sample(w.system, w.state, 0, 0.5 * piece->length);
    if (stored) *stored = td_get_energy(w.system, w.state).elastic;
    world_free(&w);
    return s;
}

// ---------------------------------------------------------------- rubber
// F = E A ((1 - m)(l - 1/l^2) + m (1 - 1/l^3))/3, and what it stores: Mooney 1940, Rivlin 1948.
static void rubber_is_pulled_as_mooney_and_rivlin_say(void **state) {
    (void)state;
    static const double stretches[] = {1.8, 0.75}, shares[] = {0.0, 0.4};
    td_options o[8];
    const int n = claiming(TD_FEATURE_FIBRES, 3, o);
    for (int i = 0; i < 4 * n; i++) {
        const double l = stretches[i / n / 2], m = shares[i / n % 2];
        td_piece_def piece = rubber_piece(i % 2 ? block : round_bar, m);
        piece.length = 5e-3;  // it does not buckle
        const double EA = piece.youngs_modulus * (i % 2 ? 6e-4 : PI * 1e-4);
        const double F =
            EA / 3.0 * ((1.0 - m) * (l - 1.0 / (l * l)) + m * (1.0 - 1.0 / (l * l * l)));
        double stored;
        const td_sample s = loaded(&piece, &o[i % n], vec3_zero(), vec3_make(0.0, 0.0, F), &stored);
        CHECK_NEAR(s.strain[5], l, 1e-9);
        CHECK_NEAR(
            stored / (piece.length * EA / 6.0 *
                      ((1.0 - m) * (l * l + 2.0 / l - 3.0) + m * (2.0 * l + 1.0 / (l * l) - 3.0))),
            1.0, 1e-8);
    }
}

// A round bar, stretched and twisted (Rivlin 1949): the torque is G J t/l of a neo-Hookean one, with the twist t per length at
// rest, and the axial force is less by G J t^2/(2 l^2).
static void a_stretched_bar_twists_as_rivlin_says(void **state) {
    (void)state;
    const double l = 1.5, t = 2.0, m = 0.25;
    const td_piece_def piece = rubber_piece(round_bar, m);
    const double GJ = piece.shear_modulus * 0.5 * PI * 1e-8, EA = piece.youngs_modulus * PI * 1e-4;
    const double torque = GJ * t * ((1.0 - m) / l + m / (l * l));
    const double force =
        EA / 3.0 * ((1.0 - m) * (l - 1.0 / (l * l)) + m * (1.0 - 1.0 / (l * l * l))) -
        0.5 * GJ * t * t * ((1.0 - m) / (l * l) + 2.0 * m / (l * l * l));
    td_options o[8];
    const int n = claiming(TD_FEATURE_FIBRES, 4, o);
    for (int i = 0; i < n; i++) {
        if (strcmp(o[i].model, "constant_curvature") == 0) continue;  // it does not twist
        const td_sample s =
            loaded(&piece, &o[i], vec3_make(0.0, 0.0, torque), vec3_make(0.0, 0.0, force), NULL);
        CHECK_NEAR(s.strain[2], t, 1e-7);
        CHECK_NEAR(s.strain[5], l, 1e-8);
    }
}

// Bending of a neo-Hookean block by moments alone. With the stretch l of its axis and k = u/sqrt(l), a fibre at y is stretched
// by l + k y; the sums over the height h of its stress, and of that times y, are elementary. No force along the axis decides l. (Rivlin's
// own flexure is that of a block held in its width, which no rod is.)
typedef struct bent {
    double force, moment;
} bent;

static bent block_bent(double E, double b, double h, double l, double u) {
    const double k = u / sqrt(l), far = l + 0.5 * k * h, near = l - 0.5 * k * h;
    const double sum = l * h - h / (far * near);
    const double first = k * h * h * h / 12.0 - (log(far / near) + l / far - l / near) / (k * k);
    const double P = E * b / 3.0 * sum, Q = E * b / 3.0 * first;
    return (bent){P - 0.5 * k / l * Q, Q / sqrt(l)};
}

static void a_block_bends_as_the_sum_of_its_fibres(void **state) {
    (void)state;
    const td_piece_def piece = rubber_piece(block, 0.0);
    const double E = piece.youngs_modulus, u = 35.0;  // outer fibres 1.35, inner ones 0.65
    double l = 1.0;
    for (int i = 0; i < 50; i++) {
        const double e = 1e-6, f = block_bent(E, 0.03, 0.02, l, u).force;
        l -=
            f * 2.0 * e /
            (block_bent(E, 0.03, 0.02, l + e, u).force - block_bent(E, 0.03, 0.02, l - e, u).force);
    }
    const double M = block_bent(E, 0.03, 0.02, l, u).moment;
    // far from EI u, and the axis is not as long as at rest
    assert_true(fabs(M / (E * 0.03 * 8e-6 / 12.0 * u) - 1.0) > 0.02 && fabs(l - 1.0) > 0.02);
    td_options o[8];
    td_piece_def stub = piece;
    stub.length = 0.04;  // a radian or so
    const int n = claiming(TD_FEATURE_FIBRES, 4, o);
    for (int i = 0; i < n; i++) {
        const td_sample s = loaded(&stub, &o[i], vec3_make(M, 0.0, 0.0), vec3_zero(), NULL);
        CHECK_NEAR(s.strain[0] / u, 1.0, 1e-7);
        CHECK_NEAR(s.strain[5], l, 1e-8);
    }
}

// ---------------------------------------------------------------- superelastic
static const td_superelastic nitinol = {28e9, {4.2e8, 5.0e8}, {2.6e8, 1.6e8}, 0.045};

static td_piece_def wire(double austenite, td_superelastic alloy) {
    td_piece_def p = td_default_piece_def();
    p.length = 0.1;
    p.youngs_modulus = austenite, p.shear_modulus = 0.4 * austenite, p.density = 6450.0;
    p.section = p.section_end =
        (td_section){.shape = TD_SECTION_RECTANGLE, .width = 1e-3, .height = 1e-3};
    p.law = TD_SUPERELASTIC, p.superelastic = alloy;
    return p;
}

// The flag by small steps of strain, in the words of its definition: z goes where its stress would leave the strip.
static double slow_flag(const td_superelastic *a, double A, double strain, double *z) {
    const double give = 1.0 / A + *z * (1.0 / a->martensite_modulus - 1.0 / A);
    double stress = (strain - a->strain * *z) / give, low = 0.0, high = 1.0;
    const double forth = (stress - a->forward[0]) / (a->forward[1] - a->forward[0]),
                 back = (stress - a->backward[1]) / (a->backward[0] - a->backward[1]);
    if (forth <= *z && back >= *z) return stress;
    for (int i = 0; i < 60; i++) {  // bisection: the stress falls as z grows
        const double middle = 0.5 * (low + high);
        stress = (strain - a->strain * middle) /
                 (1.0 / A + middle * (1.0 / a->martensite_modulus - 1.0 / A));
        const double asked = forth > *z
                                 ? (stress - a->forward[0]) / (a->forward[1] - a->forward[0])
                                 : (stress - a->backward[1]) / (a->backward[0] - a->backward[1]);
        if (asked > middle) low = middle;
        else high = middle;
    }
    *z = 0.5 * (low + high);
    return stress;
}

// The moment of a strip at curvature u: over half its height, in n layers of these shares and weights.
static double slow_moment(const td_superelastic *a, double A, double side, int n,
                          const double *shares, const double *weights, double u, double *z) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double y = 0.5 * side * shares[i];
        sum += 2.0 * side * 0.5 * side * weights[i] * y * slow_flag(a, A, u * y, &z[i]);
    }
    return sum;
}

// By moments at the tip, up, half way back, up again and down to none: equilibria one after the other. The section has twelve
// layers by Gauss's rule: of those the loop is that of the slow flag to rounding, and nearly that of four hundred.
static void a_wire_bends_along_its_flag_and_comes_back(void **state) {
    (void)state;
    static const double ways[] = {0.0, 95.0, 60.0, 95.0,
                                  0.0};  // 1/m: the outermost strain is 4.75 %
    enum { FEW = 6, MANY = 400, PER = 8 };
    double x[12], w12[12], shares[2][MANY], weights[2][MANY];
    gauss_legendre(12, x, w12);
    for (int i = 0; i < FEW; i++)
        shares[0][i] = 2.0 * x[6 + i] - 1.0, weights[0][i] = 2.0 * w12[6 + i];
    for (int i = 0; i < MANY; i++) shares[1][i] = (i + 0.5) / MANY, weights[1][i] = 1.0 / MANY;
    td_options o[8];
    const int n = claiming(TD_FEATURE_SUPERELASTIC, 3, o);
    for (int i = 0; i < n; i++) {
        td_piece_def piece = wire(55e9, nitinol);
        piece.length = 0.01;  // no more than a radian
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("moment", piece.length);
        load.moment[0] = (td_number){0.0, 1.0, add_input(robot, "moment")};
        add_load(robot, &load);
        world w = world_make(robot, &o[i]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        double z[2][MANY] = {{0.0}}, largest = 0.0, off = 0.0;
        for (int k = 1; k <= 4 * PER; k++) {
            const int way = (k - 1) / PER;
            const double u = ways[way] + (ways[way + 1] - ways[way]) * (k - way * PER) / PER;
            const double M = slow_moment(&nitinol, 55e9, 1e-3, FEW, shares[0], weights[0], u, z[0]);
            const double fine =
                slow_moment(&nitinol, 55e9, 1e-3, MANY, shares[1], weights[1], u, z[1]);
            largest = fmax(largest, fine), off = fmax(off, fabs(M - fine));
            td_set_input(w.system, w.state, 0, M);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.005).strain[0], u, 1e-5);
        }
        CHECK_BETWEEN(off / largest, 0.0, 0.02);
        CHECK_NEAR(td_get_energy(w.system, w.state).elastic, 0.0, 1e-12);
        world_free(&w);
    }
}

// A wire that is pulled all the way and let go: the loop of a flag whose moduli are equal is a parallelogram but for the slopes of its lines,
// L ((s1 + s2) - (t1 + t2))/2 by volume.
static void the_loop_of_a_pulled_wire_has_the_area_of_its_flag(void **state) {
    (void)state;
    const double A = 50e9, area = 1e-6, length = 0.1;
    td_superelastic alloy = nitinol;
    alloy.martensite_modulus = A;
    const double truth =
        area * length * alloy.strain * 0.5 *
        (alloy.forward[0] + alloy.forward[1] - alloy.backward[0] - alloy.backward[1]);
    td_options o[8];
    const int n = claiming(TD_FEATURE_SUPERELASTIC, 3, o);
    for (int i = 0; i < n; i++) {
        const td_piece_def piece = wire(A, alloy);
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("pull", length);
        load.force[2] = (td_number){0.0, 1.0, add_input(robot, "pull")};
        add_load(robot, &load);
        world w = world_make(robot, &o[i]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        double work = 0.0, x = 0.0, F = 0.0;
        for (int k = 1; k <= 120; k++) {
            const double now = 600.0 * (k <= 60 ? k / 60.0 : 2.0 - k / 60.0);
            td_set_input(w.system, w.state, 0, now);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            const double at = tip_of(&w).p[2] - length;
            work += 0.5 * (now + F) * (at - x);
            x = at, F = now;
        }
        CHECK_NEAR(x, 0.0, 1e-12);
        CHECK_NEAR(work / truth, 1.0, 1e-6);  // its corners are among the loads
        world_free(&w);
    }
}

// ---------------------------------------------------------------- hysteresis of bending
// EI u + M z between -U and U: once it goes round, the loop has the area 4 M (U - c tanh(U/c)) for each length.
static void the_loop_of_a_bent_cable_has_the_area_of_dahl(void **state) {
    (void)state;
    const double M = 0.3, c = 0.4, U = 0.9, end = 1.0 * U + M * tanh(U / c);
    const double truth = 4.0 * M * (U - c * tanh(U / c));
    td_options o[8];
    const int n = claiming(TD_FEATURE_HYSTERESIS, 3, o);
    for (int i = 0; i < n; i++) {
        lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        piece.hysteresis = (td_hysteresis){M, c, 0.0, 0.0};
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("moment", 1.0);
        load.moment[0] = (td_number){0.0, 1.0, add_input(robot, "moment")};
        add_load(robot, &load);
        world w = world_make(robot, &o[i]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        double area = 0.0, u = 0.0, m = 0.0, most = 0.0, before = 0.0;
        const int per = 120;
        for (int k = 1; k <= 3 * per; k++) {  // the last of three rounds
            const double t = (double)k / per, now = end * sin(2.0 * PI * t);
            td_set_input(w.system, w.state, 0, now);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            const double at = td_get_sample(w.system, w.state, 0, 0.5).strain[0];
            if (k > 2 * per) area += 0.5 * (now + m) * (at - u), most = fmax(most, at);
            u = at, m = now;
            if (k == 2 * per) before = u;
        }
        CHECK_NEAR(u, before, 1e-4);  // it is closed, but for exp(-4 U/c)
        CHECK_NEAR(most, U, 1e-4);
        CHECK_NEAR(area / truth, 1.0, 2e-3);
        // it stays bent where nothing pulls
        assert_true(fabs(u) > 0.1 && fabs(m) < 1e-12);
        world_free(&w);
    }
}

// Bouc and Wen's equation, written once more for one plane: M dz/du along a way in steps of a thousandth of c.
static double wen_by_hand(double z, double from, double to, double c, double n, double b) {
    const int steps = 2000 + (int)(fabs(to - from) / c * 1000.0);
    const double h = (to - from) / steps, sign = h < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < steps; i++) {
        double k[4] = {0.0};
        for (int s = 0; s < 4; s++) {
            const double y = z + (s == 0 ? 0.0 : s == 3 ? h : 0.5 * h) * (s ? k[s - 1] : 0.0);
            k[s] = (1.0 - pow(fabs(y), n) * (b * sign * (y < 0.0 ? -1.0 : 1.0) + 1.0 - b)) / c;
        }
        z += h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]);
    }
    return z;
}

// Bent to and fro by moments, its curvature is where EI u + M z, by the equation integrated between turning points, is the moment; and
// the last round takes the area of that loop.
static void a_cable_follows_the_equation_of_bouc_and_wen(void **state) {
    (void)state;
    static const double n_and_b[3][2] = {{2.0, 0.5}, {1.0, 0.8}, {6.0, 1.5}};
    const double M = 0.3, c = 0.4;
    td_options o[8];
    const int n = claiming(TD_FEATURE_HYSTERESIS, 3, o);
    for (int i = 0; i < 3 * n; i++) {
        const double *p = n_and_b[i / n];
        lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        piece.hysteresis = (td_hysteresis){M, c, p[0], p[1]};
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("moment", 1.0);
        load.moment[0] = (td_number){0.0, 1.0, add_input(robot, "moment")};
        add_load(robot, &load);
        world w = world_make(robot, &o[i % n]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        double area = 0.0, truth = 0.0, u = 0.0, m = 0.0, z = 0.0;
        const int per = 80;
        for (int k = 1; k <= 2 * per; k++) {
            const double now = sin(2.0 * PI * k / per);
            td_set_input(w.system, w.state, 0, now);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            const double at = td_get_sample(w.system, w.state, 0, 0.5).strain[0];
            const double z1 = wen_by_hand(z, u, at, c, p[0], p[1]);
            CHECK_NEAR(at + M * z1, now, 2e-6);
            area += 0.5 * (now + m) * (at - u);
            truth += 0.5 * (at + M * z1 + u + M * z) * (at - u);
            u = at, m = now, z = z1;
        }
        CHECK_NEAR(area / truth, 1.0, 1e-5);
        assert_true(area > 0.2 * M);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_is_pulled_as_mooney_and_rivlin_say),
        cmocka_unit_test(a_stretched_bar_twists_as_rivlin_says),
        cmocka_unit_test(a_block_bends_as_the_sum_of_its_fibres),
        cmocka_unit_test(a_wire_bends_along_its_flag_and_comes_back),
        cmocka_unit_test(the_loop_of_a_pulled_wire_has_the_area_of_its_flag),
        cmocka_unit_test(the_loop_of_a_bent_cable_has_the_area_of_dahl),
        cmocka_unit_test(a_cable_follows_the_equation_of_bouc_and_wen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
