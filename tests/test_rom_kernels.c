// The kernels of the model rom against differences, numbers computed independently, and Lagrange.
#include "model/rom/fit.h"

#include "materials.h"
#include "rom.h"
#include "spatial.h"

// ---------------------------------------------------------------- polynomials
static void slopes_are_orthogonal_and_values_vanish_at_the_base(void **state) {
    (void)state;
    enum { N = MOST_ORDER, M = 400 };
    double value[N], slope[N], gram[N][N] = {{0.0}};
    basis_free(N, 0.0, value, slope);
    for (int i = 0; i < N; i++) CHECK_NEAR(value[i], 0.0, 1e-15);
    basis_held(N, 0.0, value, slope);
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(value[i], 0.0, 1e-15);
        CHECK_NEAR(slope[i], 0.0, 1e-15);
    }
    for (int k = 0; k < M; k++) {  // Gauss-Chebyshev: int f dx, f smooth
        double angle = 3.14159265358979323846 * (k + 0.5) / M, x = 0.5 - 0.5 * cos(angle);
        basis_free(N, x, value, slope);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                gram[i][j] += slope[i] * slope[j] * sin(angle) * 1.57079632679489662 / M;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) CHECK_NEAR(gram[i][j], i == j ? 1.0 / (2 * i + 1) : 0.0, 2e-5);
}

// Values are the integrals of slopes, and the span is that of powers.
static void both_bases_span_the_powers(void **state) {
    (void)state;
    for (int held = 0; held < 2; held++)
        for (int power = held + 1; power <= 5; power++) {
            fit f = {.n = 5 - held};
            double value[5], slope[5], c[15];
            for (int k = 0; k <= 40; k++) {
                double x = k / 40.0;
                if (held) basis_held(4, x, value, slope);
                else basis_free(5, x, value, slope);
                fit_add(&f, slope, 1.0, (vec3){power * pow(x, power - 1), 0.0, 0.0});
            }
            assert_true(fit_solve(&f, c));
            for (int k = 0; k <= 10; k++) {
                double x = k / 10.0, sum = 0.0;
                if (held) basis_held(4, x, value, slope);
                else basis_free(5, x, value, slope);
                for (int i = 0; i < f.n; i++) sum += c[3 * i] * value[i];
                CHECK_NEAR(sum, pow(x, power), 1e-12);
            }
        }
}

// ---------------------------------------------------------------- rotations
static void check_mat3(const mat3 *a, const double b[3][3], double tolerance) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) CHECK_NEAR(a->m[i][k], b[i][k], tolerance);
}

static void rotations_match_the_numbers(void **state) {
    (void)state;
    static const double R[3][3] = {{0.2694635030280918, -0.8902258527560322, -0.36727013439786366},
                                   {0.709740365268855, 0.4413544434920701, -0.5490672719420067},
                                   {0.6508901861634281, -0.11271284884431021, 0.7507581363272313}};
    static const double T[3][3] = {
        {0.7409706883296872, 0.44070234777549017, 0.3510913063126699},
        {-0.5046978247763909, 0.8019187616638784, 0.011593164179665619},
        {-0.25052698531125434, -0.24624324651630192, 0.9116252936654227}};
    static const double T_b[3][3] = {
        {-0.02664644130140792, 0.2137375127634177, -0.23180306129278258},
        {-0.12517005318556348, -0.11520472215339184, -0.04511681910071717},
        {0.20102612667196598, 0.12810347999389088, 0.12520973338533165}};
    static const double Tq[3][3] = {
        {1.84951692023635, 0.6187297877302633, 0.4848531907095863},
        {-0.7012702122697367, 1.9281268483691818, 0.028675888344298628},
        {-0.35514680929041365, -0.33132411165570136, 2.0696247190082793}};
    static const double Tq_b[3][3] = {
        {-0.09807265560117041, 0.989531232336315, -1.064812506706172},
        {-0.6104687676636851, -0.47717728795488246, -0.22475111742278917},
        {0.9351874932938281, 0.5752488825772109, 0.5593714689796929}};
    const vec3 a = {0.3, -0.7, 1.1}, b = {-0.2, 0.5, 0.4};
    turn t = turn_make(TURN_VECTOR, a);
    mat3 along = turn_along(&t, b);
    check_mat3(&t.R, R, 1e-15);
    check_mat3(&t.T, T, 1e-15);
    check_mat3(&along, T_b, 1e-9);
    t = turn_make(TURN_QUATERNION, vec3_scale(a, 0.3));
    along = turn_along(&t, b);
    check_mat3(&t.T, Tq, 1e-14);
    check_mat3(&along, Tq_b, 1e-9);
}

static vec3 unit(int k) {
    return (vec3){k == 0, k == 1, k == 2};
}

static void derivatives_of_rotations_are_those_of_differences(void **state) {
    (void)state;
    const double sizes[2][5] = {{1e-9, 0.3, 0.999, 2.5, 5.8}, {1e-9, 0.1, 0.5, 0.9, 0.98}};
    const vec3 axis = {0.36, -0.48, 0.8}, m = {0.7, 0.2, -1.1}, b = {-0.4, 0.9, 0.5};
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 5; i++) {
            const vec3 a = vec3_scale(axis, sizes[kind][i]);
            const turn t = turn_make((turn_kind)kind, a);
            const mat3 by = turn_by(&t, b), back = turn_back_by(&t, m);
            const mat3 second = turn_second(&t, m, b), along = turn_along(&t, b);
            const double h = 1e-6, tolerance = kind && i == 4 ? 1e-4 : 2e-8;
            for (int k = 0; k < 3; k++) {
                turn up = turn_make((turn_kind)kind, vec3_madd(a, h, unit(k)));
                turn down = turn_make((turn_kind)kind, vec3_madd(a, -h, unit(k)));
                mat3 T_k = mat3_sub(&up.T, &down.T), R_k = mat3_sub(&up.R, &down.R);
                T_k = mat3_scale(&T_k, 0.5 / h), R_k = mat3_scale(&R_k, 0.5 / h);
                mat3 spin = mat3_tmul(&t.R, &R_k);  // R' dR = (T e_k)^
                vec3 w = vec3_sub(mat3_vee(&spin), mat3_column(&t.T, k));
                CHECK_NEAR(vec3_norm(w), 0.0, tolerance);
                vec3 d = vec3_sub(mat3_mul_vec(&T_k, b), mat3_column(&by, k));
                CHECK_NEAR(vec3_norm(d), 0.0, tolerance);
                d = vec3_sub(mat3_tmul_vec(&T_k, m), mat3_column(&back, k));
                CHECK_NEAR(vec3_norm(d), 0.0, tolerance);
                mat3 by_up = turn_by(&up, b), by_down = turn_by(&down, b);
                mat3 change = mat3_sub(&by_up, &by_down);
                d = vec3_scale(mat3_tmul_vec(&change, m), 0.5 / h);
                d = vec3_sub(d, mat3_column(&second, k));
                CHECK_NEAR(vec3_norm(d), 0.0, 30.0 * tolerance);
                vec3 e = vec3_sub(mat3_mul_vec(&along, unit(k)), vec3_zero());
                mat3 by_k = turn_by(&t, unit(k));
                e = vec3_sub(e, mat3_mul_vec(&by_k, b));
                CHECK_NEAR(vec3_norm(e), 0.0, 1e-10);
            }
        }
}

static void parameters_go_on_beyond_half_a_turn(void **state) {
    (void)state;
    vec3 a = vec3_zero();
    for (int i = 1; i <= 60; i++) {
        vec3 truth = vec3_scale((vec3){0.36, -0.48, 0.8}, 0.1 * i);
        turn t = turn_make(TURN_VECTOR, truth);
        a = turn_parameters(TURN_VECTOR, &t.R, a);
        CHECK_NEAR(vec3_norm(vec3_sub(a, truth)), 0.0, 1e-12);
    }
}

// ---------------------------------------------------------------- a robot with everything
static td_robot *busy_robot(bool path) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.stiffness[i] = i < 3 ? 0.5 + i : 20.0 + i;
    for (int i = 0; i < 6; i++) r.damping[i] = 0.1 + 0.02 * i;
    for (int i = 0; i < 3; i++) r.curvature[i] = 0.3 - 0.2 * i, r.inertia[i] = 0.02 * (i + 1);
    r.stretch[0] = 0.05;
    td_piece_def pieces[2] = {lumped_piece(&r), lumped_piece(&r)};
    pieces[0].length = 0.6, pieces[1].length = 0.4;
    for (int i = 0; i < 3; i++) {
        pieces[0].drag[i] = 0.3 + i, pieces[0].linear_drag[i] = 0.2 + 0.1 * i;
        pieces[1].stiffness[i] *= 0.7;
    }
    td_robot *robot = rod_robot(pieces, 2);
    set_gravity(robot, 1.0, -2.0, 3.0);
    td_body_def body = td_default_body_def();
    body.name = "tip", body.at = 1.0, body.mass = 0.4;
    for (int i = 0; i < 3; i++) body.inertia[i] = 0.03 * (i + 1), body.centre[i] = 0.1 * i - 0.06;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    body.name = "middle", body.at = 0.37, body.mass = 0.2;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_load_def dead = point_load("dead", 0.8), spread = td_default_load_def();
    set3(dead.force, 0.5, -0.3, 0.8);
    set3(dead.moment, 0.1, 0.2, -0.1);
    add_load(robot, &dead);
    spread.name = "spread", spread.distributed = true, spread.from = 0.2, spread.to = 0.5;
    set3(spread.force, 0.2, 0.6, -0.3);
    add_load(robot, &spread);
    td_tendon_def t = td_default_tendon_def();
    t.name = "pulled", t.to = 0.9, t.offset[0] = t.offset_end[1] = 0.1, t.value = td_constant(2.0);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    t.name = "displaced", t.offset[0] = t.offset_end[0] = -0.2, t.offset_end[1] = 0.0,
    t.stiffness = 50.0, t.input = TD_DISPLACEMENT;
    t.value = td_constant(0.4), t.mass_per_length = 0.2, t.bending = 0.1;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_chamber_def c = td_default_chamber_def();
    c.name = "gas", c.from = 0.1, c.to = 1.0, c.offset[1] = 0.1, c.area = 1e-5, c.input = TD_AMOUNT;
    c.value = td_constant(5e-4), c.path_volume = path;
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    return robot;
}

static void add_followers(td_robot *robot) {
    td_load_def jet = point_load("jet", 1.0), wind = td_default_load_def();
    jet.frame = wind.frame = TD_FRAME_BODY;
    set3(jet.force, 0.5, -0.3, 0.8);
    set3(jet.moment, 0.1, 0.2, -0.1);
    add_load(robot, &jet);
    wind.name = "wind", wind.distributed = true, wind.from = 0.3, wind.to = 1.0;
    set3(wind.force, -0.2, 0.4, 0.3);
    set3(wind.moment, 0.2, -0.1, 0.3);
    add_load(robot, &wind);
}

enum { ORDER = 2, PARTS = 4, MOST = 3 * PARTS * (2 * ORDER + 1) };

static const double some[3][7] = {{0.31, -0.22, 0.17, 0.05, -0.13, 0.08, 0.11},
                                  {-0.19, 0.27, -0.08, 0.21, 0.06, -0.16, 0.09},
                                  {0.12, 0.15, -0.26, -0.07, 0.18, 0.1, -0.14}};

// Coordinates near the rest shape, rates and accelerations: anything, but the same each time.
static void some_motion(const curve *c, double *q, double *v, double *a) {
    for (int k = 0; k < c->n_q; k++) {
        q[k] = c->rest[k] + 1.2 * some[0][k % 7] * (k % 3 - 0.7);
        v[k] = 3.0 * some[1][k % 7] * (1.1 - k % 2);
        a[k] = 5.0 * some[2][(3 * k) % 7];
    }
}

static td_options variant(int i) {
    td_options o = rom_options(ORDER);
    o.rom.as_printed = i == 1;
    if (i == 1 || i == 2) o.rom.rotation = TD_ROM_QUATERNION;
    if (i == 1 || i == 3) o.rom.quadrature = TD_ROM_FULL;
    return o;
}
enum { N_VARIANTS = 6 };

// Of the last two variants: what they are made of.
static td_robot *made_of(int i, td_robot *robot) {
    if (i == 4) return of_rubber(robot);
    return i == 5 ? damped_by_power(robot, 2.0) : robot;
}

static double potential(bare *b, const double *q) {
    rod_memory *m = &b->m->rods[0];
    const rom_rod *r = &b->c->rods[0];
    memcpy(m->solve.q, q, sizeof(double) * (size_t)r->curve.n_q);
    td_stats stats = {0};
    td_status status;
    const model_call call = {.stats = &stats};
    const double stored = rom_finish(b->c, b->m, &call, &(solve_instant){0}, SHAPE_SET, &status);
    td_energy e = rom_energy(b->c, b->m, NULL);
    return e.elastic + e.gravity + stored;
}

// Without what has no potential: tension and dead loads are added as their work.
static void forces_are_the_slopes_of_energy(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        td_options o = variant(i);
        bare b = bare_make(made_of(i, busy_robot(false)), &o);
        const rom_rod *r = &b.c->rods[0];
        rod_memory *m = &b.m->rods[0];
        double q[MOST], v[MOST], a[MOST], Q[MOST];
        some_motion(&r->curve, q, v, a);
        situation at = rom_situation(b.c, r, m, NULL);
        rod_forces(r, m, &at, q, NULL);
        memcpy(Q, m->Q, sizeof Q);
        for (int k = 0; k < r->curve.n_q; k++) {
            const double h = 1e-5, keep = q[k];
            double work[2], energy[2];
            for (int side = 0; side < 2; side++) {
                q[k] = keep + (side ? h : -h);
                energy[side] = potential(&b, q);
                rod_forces(r, m, &at, q, NULL);
                place_motion dead = curve_at(&r->curve, 0.8, q, NULL, NULL);
                work[side] = vec3_dot(dead.p, (vec3){0.5, -0.3, 0.8});
                for (int p = 0; p < r->curve.n_rule; p++)
                    if (r->curve.places[p].s > 0.2 && r->curve.places[p].s < 0.5)
                        work[side] += r->curve.sections[p].weight *
                                      vec3_dot(m->moved[p].p, (vec3){0.2, 0.6, -0.3});
                work[side] -= 2.0 * m->measures[0];
            }
            q[k] = keep;
            // A moment does work through the rotation: by the rates of a motion in direction k.
            double along[MOST] = {0.0};
            along[k] = 1.0;
            place_motion dead = curve_at(&r->curve, 0.8, q, along, NULL);
            double by_moment =
                vec3_dot(dead.w, mat3_tmul_vec(&dead.turn.R, (vec3){0.1, 0.2, -0.1}));
            double truth = (work[1] - work[0] - energy[1] + energy[0]) / (2.0 * h) + by_moment;
            CHECK_NEAR(Q[k], truth, 2e-7);
        }
        bare_free(&b);
    }
}

static void the_tangent_is_that_of_differences(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        td_options o = variant(i);
        td_robot *robot = busy_robot(true);
        add_followers(robot);
        bare b = bare_make(made_of(i, robot), &o);
        const rom_rod *r = &b.c->rods[0];
        const int n = r->curve.n_q;
        rod_memory *m = &b.m->rods[0];
        double q[MOST], v[MOST], a[MOST], Q[2][MOST];
        static double K[MOST * MOST];
        some_motion(&r->curve, q, v, a);
        situation at = rom_situation(b.c, r, m, NULL);
        rod_forces(r, m, &at, q, NULL);
        rod_tangent(r, m, &at, &(tangent_weights){.q = 1.0}, r->n_q, K);
        for (int k = 0; k < n; k++) {
            const double h = 1e-6, keep = q[k];
            for (int side = 0; side < 2; side++) {
                q[k] = keep + (side ? h : -h);
                rod_forces(r, m, &at, q, NULL);
                memcpy(Q[side], m->Q, sizeof Q[side]);
            }
            q[k] = keep;
            for (int row = 0; row < n; row++)
                CHECK_NEAR(K[row * n + k], (Q[0][row] - Q[1][row]) / (2.0 * h), 2e-7);
        }
        bare_free(&b);
    }
}

static void the_damping_matrix_is_that_of_differences(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        td_options o = variant(i);
        bare b = bare_make(made_of(i, busy_robot(false)), &o);
        const rom_rod *r = &b.c->rods[0];
        const int n = r->curve.n_q;
        rod_memory *m = &b.m->rods[0];
        double q[MOST], v[MOST], a[MOST], Q[2][MOST];
        static double D[MOST * MOST];
        some_motion(&r->curve, q, v, a);
        // Bodies off their sections swing by terms that the matrix leaves out.
        for (int p = 0; p < r->curve.n_riders; p++)
            b.c->rods[0].curve.riders[p].lump.moment = vec3_zero();
        for (int p = 0; p < r->curve.n_rule; p++)
            b.c->rods[0].curve.sections[p].lump.moment = vec3_zero();
        situation at = rom_situation(b.c, r, m, NULL);
        rod_forces(r, m, &at, q, v);
        rod_tangent(r, m, &at, &(tangent_weights){.v = 1.0}, r->n_q, D);
        for (int k = 0; k < n; k++) {
            const double h = 1e-5, keep = v[k];
            for (int side = 0; side < 2; side++) {
                v[k] = keep + (side ? h : -h);
                rod_forces(r, m, &at, q, v);
                memcpy(Q[side], m->Q, sizeof Q[side]);
            }
            v[k] = keep;
            for (int row = 0; row < n; row++)
                CHECK_NEAR(D[row * n + k], (Q[0][row] - Q[1][row]) / (2.0 * h), 1e-6);
        }
        bare_free(&b);
    }
}

// ---------------------------------------------------------------- Lagrange
static double kinetic(bare *b, const double *q, const double *v) {
    const size_t bytes = sizeof(double) * (size_t)b->c->rods[0].curve.n_q;
    memcpy(b->m->rods[0].solve.q, q, bytes);
    memcpy(b->m->rods[0].solve.v, v, bytes);
    return rom_energy(b->c, b->m, NULL).kinetic;
}

// dT/d(rate k): T is quadratic in the rates, so that a central difference is exact.
static double momentum(bare *b, const double *q, const double *v, int k) {
    double x[MOST];
    memcpy(x, v, sizeof x);
    x[k] = v[k] + 0.5;
    double up = kinetic(b, q, x);
    x[k] = v[k] - 0.5;
    return up - kinetic(b, q, x);
}

static double lagrange(bare *b, const double *q, const double *v, const double *a, int k) {
    const double h = 1e-5;
    double p[2], T[2], x[MOST], y[MOST];
    for (int side = 0; side < 2; side++) {
        double t = side ? h : -h;
        for (int i = 0; i < b->c->rods[0].curve.n_q; i++) {
            x[i] = q[i] + t * v[i] + 0.5 * t * t * a[i];
            y[i] = v[i] + t * a[i];
        }
        p[side] = momentum(b, x, y, k);
        memcpy(x, q, sizeof x);
        x[k] += t;
        T[side] = kinetic(b, x, v);
    }
    return (p[1] - p[0] - (T[1] - T[0])) / (2.0 * h);
}

static void inertia_is_that_of_lagrange(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        td_options o = variant(i);
        td_robot *robot = busy_robot(false);
        bare b = bare_make(robot, &o);
        rom_rod *r = &b.c->rods[0];
        const int n = r->curve.n_q;
        for (int p = 0; p < r->curve.n_rule + r->curve.n_thin; p++) {  // inertia alone
            section_law *law = &b.m->rods[0].stretched->sections[p];
            memset(law->damping, 0, sizeof law->damping);
            point_body *around = &r->curve.sections[p].around;
            around->drag = around->linear_drag = vec3_make(0.0, 0.0, 0.0);
        }
        rod_memory *m = &b.m->rods[0];
        double q[MOST] = {0}, v[MOST] = {0}, a[MOST] = {0}, still[MOST], asked[MOST];
        static double M[MOST * MOST];
        some_motion(&r->curve, q, v, a);
        situation at = rom_situation(b.c, r, m, NULL);
        rod_forces(r, m, &at, q, NULL);
        memcpy(still, m->Q, sizeof still);
        at.accelerations = a;
        rod_forces(r, m, &at, q, v);
        rod_tangent(r, m, &at, &(tangent_weights){.a = 1.0}, r->n_q, M);
        for (int k = 0; k < n; k++) asked[k] = still[k] - m->Q[k];
        for (int k = 0; k < n; k++) {
            CHECK_NEAR(asked[k], lagrange(&b, q, v, a, k), 1e-7);
            for (int l = 0; l < n; l++) {
                double one[MOST] = {0};
                one[l] = 1.0;
                CHECK_NEAR(M[k * n + l], momentum(&b, q, one, k), 1e-12);
            }
        }
        bare_free(&b);
    }
}

// ---------------------------------------------------------------- numbers of another program
// Coefficients of powers of s/L, component by component, to ours: the same map for each component.
static void power_map(const curve *c, bool turns, int n, double map[4][4]) {
    for (int k = 0; k < n; k++) {
        const int power = turns || !c->held ? k + 1 : k + 2;
        fit f = {.n = n};
        double coefficients[12];
        for (int i = 0; i < c->n_rule; i++) {
            const place *at = &c->places[i];
            fit_add(&f, turns ? at->psi : at->phi, 1.0,
                    (vec3){pow(at->s / c->length, power), 0.0, 0.0});
        }
        assert_true(fit_solve(&f, coefficients));
        for (int i = 0; i < n; i++) map[i][k] = coefficients[3 * i];
    }
}

// Column j of this map: our coordinates under the paper's coordinate j.
static void coordinate_map(const curve *c, double *B) {
    double p[4][4], a[4][4];
    memset(B, 0, sizeof(double) * (size_t)c->n_q * (size_t)c->n_q);
    power_map(c, false, c->n_p, p);
    power_map(c, true, c->n_a, a);
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < c->n_p; i++)
            for (int k = 0; k < c->n_p; k++)
                B[(3 * i + axis) * c->n_q + axis * c->n_p + k] = p[i][k];
        for (int i = 0; i < c->n_a; i++)
            for (int k = 0; k < c->n_a; k++)
                B[(3 * (c->n_p + i) + axis) * c->n_q + 3 * c->n_p + axis * c->n_a + k] = a[i][k];
    }
}

// Loads act at the far end of the body, 30 mm from the tip: R is that of the tip there.
static td_robot *tumbling_robot(const double R[3][3]) {
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
    body.name = "tip", body.at = rod.length, body.mass = 0.02, body.centre[2] = 0.01;
    body.inertia[0] = 2e-6, body.inertia[1] = 3e-6, body.inertia[2] = 1e-6;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    const vec3 force = {0.2, -0.1, 0.15}, arm = {0.03 * R[0][2], 0.03 * R[1][2], 0.03 * R[2][2]};
    const vec3 moment = vec3_add((vec3){0.004, -0.002, 0.003}, vec3_cross(arm, force));
    add_tip_force(robot, rod.length, force.x, force.y, force.z);
    add_tip_moment(robot, rod.length, moment.x, moment.y, moment.z);
    return robot;
}

typedef struct motion_case {
    bool as_printed;
    int n;
    double q[15], v[15];  // the paper's coordinates
    double R[3][3];       // of the tip
    double M[2][15];      // first rows of the mass matrix
    double Q[15];         // all forces but M q''
} motion_case;

static void check_motion(const motion_case *t) {
    td_options o = number_options(2, t->as_printed);
    bare b = bare_make(tumbling_robot(t->R), &o);
    const rom_rod *r = &b.c->rods[0];
    const curve *c = &r->curve;
    rod_memory *m = &b.m->rods[0];
    double q[15], v[15], B[225], M[225], straight[15] = {0};
    assert_int_equal(c->n_q, t->n);
    coordinate_map(c, B);
    if (!c->held) straight[2 * c->n_p] = 0.4;  // the numbers count from the straight rod
    for (int i = 0; i < t->n; i++) {
        q[i] = v[i] = 0.0;
        for (int k = 0; k < t->n; k++) {
            q[i] += B[i * t->n + k] * (t->q[k] + straight[k]);
            v[i] += B[i * t->n + k] * t->v[k];
        }
    }
    situation at = rom_situation(b.c, r, m, NULL);
    rod_forces(r, m, &at, q, v);
    rod_tangent(r, m, &at, &(tangent_weights){.a = 1.0}, r->n_q, M);
    mat3 R = m->moved[c->n_places - 1].turn.R;
    check_mat3(&R, t->R, 1e-14);
    for (int k = 0; k < t->n; k++) {
        double force = 0.0;
        for (int i = 0; i < t->n; i++) force += B[i * t->n + k] * m->Q[i];
        CHECK_NEAR(force, t->Q[k], 1e-10);
        for (int row = 0; row < 2; row++) {
            double mass = 0.0;
            for (int i = 0; i < t->n; i++)
                for (int j = 0; j < t->n; j++)
                    mass += B[i * t->n + row] * M[i * t->n + j] * B[j * t->n + k];
            CHECK_NEAR(mass, t->M[row][k], 1e-15);
        }
    }
    bare_free(&b);
}

static void equations_of_motion_match_the_numbers(void **state) {
    (void)state;
    static const motion_case corrected = {
        false,
        15,
        {-0.002, 0.007, -0.075, 0.045, -0.054, -0.014, -0.111, -0.122, 0.134, -0.051, 0.029, -0.003,
         -0.044, -0.051, 0.063},
        {-0.151, -0.076, 0.011, 0.588, 0.34, 0.191, -0.282, -0.691, 0.475, 0.483, -0.07, 0.271,
         0.391, 0.416, 0.461},
        {{0.9952939999999999, -0.02189793181998147, -0.0943945662949274},
         {0.02603393181998147, 0.9987439999999999, 0.04280954166996601},
         {0.0933385662949274, -0.04506554166996601, 0.9946139999999999}},
        {{0.0660766922526503, 0.05455751918948773, 0.047646015351590174, 0.0, 0.0, 0.0, 0.0, 0.0,
          0.0, 4.385812057108338e-06, 4.385812057108338e-06, 0.000398547340939877,
          0.000398547340939877, -8.574079303877272e-06, -8.574079303877272e-06},
         {0.05455751918948773, 0.047646015351590174, 0.043038346126325136, 0.0, 0.0, 0.0, 0.0, 0.0,
          0.0, 4.385812057108338e-06, 4.385812057108338e-06, 0.000398547340939877,
          0.000398547340939877, -8.574079303877272e-06, -8.574079303877272e-06}},
        {32.007743246917336, 47.66233979210157, 57.60032614035715, 17.294391372749963,
         32.19059565057109, 39.32727266603003, 172.79106318449718, 130.02485408139012,
         97.66509047654043, 14.474860231973041, 11.747554971602025, -25.03158908088268,
         -19.080112621831827, 0.28790710672830677, 0.22472501915386447}};
    static const motion_case printed = {
        true,
        12,
        {-0.063, -0.128, 0.126, -0.015, 0.097, 0.001, -0.069, -0.033, -0.056, 0.001, -0.038, -0.03},
        {-0.689, -0.403, 0.827, -0.336, -0.527, 0.169, 0.704, -0.727, -0.104, -0.316, -0.881,
         0.367},
        {{0.984702, 0.14598680493355923, -0.09513056281390816},
         {-0.12354680493355921, 0.9699440000000001, 0.20963020740033883},
         {0.12287456281390818, -0.1946702074003388, 0.973142}},
        {{0.047646015351590174, 0.043038346126325136, 0.0, 0.0, 0.0, 0.0, -2.946453391211922e-05,
          -2.946453391211922e-05, 0.0003951518834794236, 0.0003951518834794236,
          -4.2309689274746144e-05, -4.2309689274746144e-05},
         {0.043038346126325136, 0.0397471538225644, 0.0, 0.0, 0.0, 0.0, -2.946453391211922e-05,
          -2.946453391211922e-05, 0.0003951518834794236, 0.0003951518834794236,
          -4.2309689274746144e-05, -4.2309689274746144e-05}},
        {151.74890998615777, 179.5485224966832, -79.62548364472939, -90.0090659028324,
         -222.01845398101852, -255.47712930466005, -6.651835098760645, -3.7395251486082746,
         -9.89525717326773, -5.440111314279318, -0.63283902969442, -0.5729614867823157}};
    check_motion(&corrected);
    check_motion(&printed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_orthogonal_and_values_vanish_at_the_base),
        cmocka_unit_test(both_bases_span_the_powers),
        cmocka_unit_test(rotations_match_the_numbers),
        cmocka_unit_test(derivatives_of_rotations_are_those_of_differences),
        cmocka_unit_test(parameters_go_on_beyond_half_a_turn),
        cmocka_unit_test(forces_are_the_slopes_of_energy),
        cmocka_unit_test(the_tangent_is_that_of_differences),
        cmocka_unit_test(the_damping_matrix_is_that_of_differences),
        cmocka_unit_test(inertia_is_that_of_lagrange),
        cmocka_unit_test(equations_of_motion_match_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
