// The vibrations of collocated rods: every frequency of the discrete rod is one of the true rod, in its
// order, and none is there that should not be. An earlier form of the sums along an element had one slow
// bending mode too many; releases and numerical damping hide such a thing, resonance does not.
#include "test_collocation.h"

#include "math/symmetric.h"

#define FULL_TURN 6.283185307179586

// ---------------------------------------------------------------- the discrete rod
// A rod of length 1 in units of its own: EI = 1 or (1, 1.9), mass 1 per length.
typedef struct unit_rod {
    td_theory theory;
    bool plane;     // EI = 1 both ways, no rotary inertia; otherwise a section of two axes
    double bent;    // rest curvature about x, rad over the length
    int cuts;       // equal elements
    int nodes;      // asked for
    bool tip_body;  // of mass 0.5 and inertia 0.01
} unit_rod;

static td_robot *robot_of(const unit_rod *u) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 1.0;
    piece.youngs_modulus = piece.shear_modulus = 1.0, piece.density = 1.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.rest_curvature[0] = u->bent;
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    for (int i = 1; i < u->cuts; i++) {
        char name[8] = {'c', (char)('0' + i)};
        td_load_def load = point_load(name, (double)i / u->cuts);
        add_load(robot, &load);
    }
    td_body_def body = td_default_body_def();
    body.name = "body", body.rod = 0, body.at = 1.0, body.mass = 0.5;
    for (int i = 0; i < 3; i++) body.inertia[i] = 0.01;
    if (u->tip_body) CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    return robot;
}

// The section itself: stiffness and inertia that no material needs to have.
static void set_section(const instant *at, const unit_rod *u) {
    const double two[3] = {1.0, 1.9, 1.1}, one[3] = {1.0, 1.0, 1.0}, EA = 1111.1;
    for (int k = 0; k < at->r->n_elements; k++)
        for (int i = 0; i < at->r->elements[k].n_nodes; i++) {
            station *st = &at->r->elements[k].stations[i];
            memcpy(st->K, u->plane ? one : two, sizeof two);
            st->K[3] = st->K[4] = EA / 2.6, st->K[5] = EA;
            memset(st->B, 0, sizeof st->B);
            st->J = u->plane ? vec3_make(0.0, 0.0, 1e-12) : vec3_make(9e-4, 1.71e-3, 2.61e-3);
            st->mass = 1.0;
        }
    rod *r = (rod *)at->r;  // and everything that is made of it
    collocation_discard(r);
    assert_true(collocation_prepare(r, at->p.options));
}

// The mass matrix b_i M_ij: what unit rates of the strain ask of the section law per unit of c0. The
// part that is quadratic in the rates is even, and drops out of the difference.
static void mass_matrix(instant *at, double *mass) {
    double *rate = at->m->history, *residual = at->own->now.residual;
    at->p.c0 = 1.0;
    memset(at->own->now.x, 0, sizeof(double) * 6 * (size_t)at->r->n_nodes);
    memset(rate, 0, sizeof(double) * F_SIZE * (size_t)at->r->n_nodes);
    for (int j = 0; j < at->n; j++) {
        double *unit = &rate[F_SIZE * (j / at->d) + j % at->d];
        for (int side = 0; side < 2; side++) {
            *unit = side ? -1.0 : 1.0;
            assert_true(iterate_evaluate(&at->p, &at->own->now));
            for (int i = 0; i < at->n; i++)
                mass[i * at->n + j] =
                    side ? 0.5 * (mass[i * at->n + j] - residual[i]) : residual[i];
        }
        *unit = 0.0;
    }
}

static double weight_of(const instant *at, int node) {
    int k = 0;
    while (k + 1 < at->r->n_elements && node >= at->r->elements[k + 1].node) k++;
    return at->r->elements[k].quadrature[node - at->r->elements[k].node];
}

static double stiffness_of(const instant *at, int i) {
    const int node = i / at->d;
    int k = 0;
    while (k + 1 < at->r->n_elements && node >= at->r->elements[k + 1].node) k++;
    return at->r->elements[k].stations[node - at->r->elements[k].node].K[i % at->d];
}

// Angular frequencies in rising order: x_tt = - M^-1 K x, at most `most` of them.
static int frequencies(const unit_rod *u, int most, double *out) {
    instant at;
    open_instant(&at, &steel, robot_of(u), u->theory, u->nodes, false);
    set_section(&at, u);
    const size_t n = (size_t)at.n;
    double *a = malloc(sizeof *a * n * n), *d = malloc(sizeof *d * n), *e = malloc(sizeof *e * n);
    mass_matrix(&at, a);
    double asymmetry = 0.0;
    for (int i = 0; i < at.n; i++)
        for (int j = 0; j < i; j++)
            asymmetry = fmax(asymmetry, fabs(weight_of(&at, i / at.d) * a[i * at.n + j] -
                                             weight_of(&at, j / at.d) * a[j * at.n + i]));
    CHECK_NEAR(asymmetry, 0.0, 1e-14);
    // (b K)^-1/2 (b M) (b K)^-1/2 has the eigenvalues 1/omega^2
    for (int i = 0; i < at.n; i++)
        for (int j = 0; j < at.n; j++) {
            double bi = weight_of(&at, i / at.d), bj = weight_of(&at, j / at.d);
            a[i * at.n + j] *= sqrt(bi / (bj * stiffness_of(&at, i) * stiffness_of(&at, j)));
        }
    tridiagonalise(at.n, a, d, e);
    int found = 0;
    for (; found < most && found < at.n; found++)
        out[found] = 1.0 / sqrt(tridiagonal_eigenvalue(at.n, d, e, at.n - 1 - found));
    free(a), free(d), free(e);
    close_instant(&at);
    return found;
}

static void check_frequencies(const unit_rod *u, int n, const double *want, double tolerance) {
    double got[16];
    assert_int_equal(frequencies(u, n, got), n);
    for (int i = 0; i < n; i++) CHECK_NEAR(got[i] / want[i], 1.0, tolerance);
}

// ---------------------------------------------------------------- the straight cantilever
// Bending in one plane, L = EI = rho A = 1, against the roots of cos x cosh x = -1 (Blevins 1979, table 8-1) for the low
// ones and, for all, against a prototype of these sums that was written on its own (Python).
static void a_cantilever_has_the_bending_modes_of_a_cantilever(void **unused) {
    (void)unused;
    static const double exact[6] = {3.516015,   22.034492,  61.697214,
                                    120.901916, 199.859530, 298.555531};
    static const struct {
        int nodes, n;
        double want[6];
    } rods[5] = {{4, 4, {3.516, 22.236, 78.513, 459.8}},
                 {5, 5, {3.516, 22.049, 64.153, 178.09, 1032.5}},
                 {6, 6, {3.516, 22.035, 62.028, 132.297, 344.65, 2019.9}},
                 {8, 6, {3.516, 22.034, 61.699, 121.252, 208.63, 380.73}},
                 {12, 6, {3.516, 22.034, 61.697, 120.902, 199.864, 298.83}}};
    for (int i = 0; i < 5; i++) {
        unit_rod u = {.theory = TD_KIRCHHOFF, .plane = true, .cuts = 1, .nodes = rods[i].nodes};
        double got[12];
        frequencies(&u, 2 * rods[i].n, got);
        for (int k = 0; k < rods[i].n; k++) {
            CHECK_NEAR(got[2 * k] / rods[i].want[k], 1.0, 2e-4);  // four digits
            CHECK_NEAR(got[2 * k] / got[2 * k + 1], 1.0, 1e-10);  // both planes
            assert_true(got[2 * k] > exact[k] * (1.0 - 1e-6));    // and none too low, none extra
        }
    }
}

// ---------------------------------------------------------------- rods in space
// The lists for n = 8 are those of the prototype; the exact ones, from the transfer matrix of the linear rod,
// hold the discrete ones to a tenth of a percent with twelve nodes and to a tenth with six.
typedef struct spectrum {
    unit_rod rod;
    int n;
    double eight[9];  // as computed elsewhere with 8 nodes
    double exact[9];
} spectrum;

static const spectrum spectra[] = {
    {{TD_KIRCHHOFF, false, 0.0, 1, 0, false},
     9,
     {3.509, 4.827, 21.720, 29.563, 32.247, 59.659, 79.930, 96.742, 114.101},
     {3.509, 4.827, 21.720, 29.563, 32.247, 59.657, 79.928, 96.742, 113.807}},
    {{TD_COSSERAT, false, 0.0, 1, 0, false},
     9,
     {3.490, 4.779, 20.966, 27.751, 32.247, 52.360, 55.316, 70.477, 96.742},
     {3.490, 4.779, 20.966, 27.751, 32.247, 52.360, 55.314, 70.475, 96.742}},
    {{TD_COSSERAT, false, 0.25 * FULL_TURN, 1, 0, false},
     9,
     {3.668, 4.668, 16.748, 20.071, 44.678, 48.086, 69.460, 71.020, 99.784},
     {3.668, 4.668, 16.748, 20.071, 44.678, 48.084, 69.456, 71.010, 99.510}},
    {{TD_KIRCHHOFF, false, 0.0, 1, 0, true},
     9,
     {1.986, 2.736, 10.053, 13.350, 18.335, 32.130, 44.026, 66.154, 66.577},
     {1.986, 2.736, 10.053, 13.350, 18.335, 32.130, 44.026, 66.154, 66.573}},
    {{TD_KIRCHHOFF, false, FULL_TURN, 1, 0, false},
     9,
     {7.525, 8.090, 12.434, 13.747, 27.266, 29.755, 70.915, 72.635, 115.86},
     {7.525, 8.090, 12.433, 13.749, 27.239, 29.793, 71.542, 72.040, 118.16}},
};

static void rods_in_space_have_their_modes_and_no_other(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++) {
        unit_rod u = spectra[i].rod;
        u.nodes = 8, check_frequencies(&u, spectra[i].n, spectra[i].eight, 2e-4);
        u.nodes = 6, check_frequencies(&u, spectra[i].n, spectra[i].exact, 0.1);
        u.nodes = 12, check_frequencies(&u, spectra[i].n, spectra[i].exact, 1e-3);
    }
}

static void rods_of_several_elements_have_no_extra_modes(void **unused) {
    (void)unused;
    static const double two[9] = {3.509,  4.827,  21.721, 29.565, 32.247,
                                  59.816, 80.130, 96.746, 116.65};
    static const double four[9] = {3.509,  4.827,  21.721, 29.564, 32.247,
                                   59.712, 79.999, 96.745, 114.48};
    unit_rod u = {.theory = TD_KIRCHHOFF, .cuts = 2, .nodes = 4};  // four nodes each
    check_frequencies(&u, 9, two, 2e-4);
    u.cuts = 4;  // three each
    check_frequencies(&u, 9, four, 2e-4);
}

// ---------------------------------------------------------------- driven
// The benchmark rod, a force across its tip.
typedef struct shaken {
    world w;
    int force;
} shaken;

static shaken shaken_rod(int nodes) {
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF, o.nodes = nodes, o.rotary_inertia = false;
    o.scheme = TD_TRAPEZOIDAL;
    o.tolerance = 1e-8;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    shaken s = {.force = add_input(robot, "force")};
    td_load_def load = point_load("tip", piece.length);
    load.force[0] = (td_number){0.0, 1.0, s.force};
    add_load(robot, &load);
    s.w = world_make(robot, &o);
    CHECK_CALL(&s.w, td_solve_statics(s.w.system, s.w.state));
    return s;
}

static void shake(shaken *s, double force, double dt) {
    td_set_input(s->w.system, s->w.state, s->force, force);
    CHECK_CALL(&s->w, td_step(s->w.system, s->w.state, dt));
}

static double energy_of(const world *w) {
    td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.elastic;
}

static double largest_energy(int nodes) {
    shaken s = shaken_rod(nodes);
    const double dt = 2e-4;
    double most = 0.0;
    for (int i = 1; i <= 20000; i++) {
        shake(&s, 0.01 * sin(FULL_TURN * 139.03 * i * dt), dt);
        most = fmax(most, energy_of(&s.w));
    }
    world_free(&s.w);
    return most;
}

// Between the second frequency, 55.6 Hz, and the third, 155.6 Hz, there is nothing to resonate with. With the
// sums taken at once 8 nodes have a mode there, and 1.2e-3 J.
static void driven_between_two_frequencies_a_rod_does_not_resonate(void **unused) {
    (void)unused;
    double want = largest_energy(16);
    CHECK_NEAR(want, 1.936e-6, 0.02e-6);  // of another program, which begins a sample later
    CHECK_NEAR(largest_energy(8) / want, 1.0, 0.01);
}

// A sine whose frequency rises from 5 to 300 Hz: with 8 nodes the tip moves as with 20 all the way, to half a
// percent. With sums at once it is off by eleven.
#define SWEEP_STEPS 32000
static void sweep(int nodes, double *tip) {
    shaken s = shaken_rod(nodes);
    const double dt = 1.25e-4, end = SWEEP_STEPS * dt;
    for (int i = 1; i <= SWEEP_STEPS; i++) {
        double t = i * dt, phase = FULL_TURN * (5.0 * t + 0.5 * (300.0 - 5.0) * t * t / end);
        shake(&s, 0.01 * sin(phase), dt);
        tip[i - 1] = tip_of(&s.w).p[0];
    }
    world_free(&s.w);
}

static void a_sine_sweep_with_8_nodes_is_that_with_20(void **unused) {
    (void)unused;
    double *few = malloc(sizeof *few * SWEEP_STEPS), *many = malloc(sizeof *many * SWEEP_STEPS);
    sweep(8, few), sweep(20, many);
    const int window = 400;  // 50 ms, 3.7 Hz
    for (int from = 0; from < SWEEP_STEPS; from += window) {
        double off = 0.0, size = 0.0;
        for (int i = from; i < from + window; i++) {
            off = fmax(off, fabs(few[i] - many[i]));
            size = fmax(size, fabs(many[i]));
        }
        CHECK_BETWEEN(off / size, 0.0, 0.02);
    }
    free(few), free(many);
}

// ---------------------------------------------------------------- moving bases, fed rods, closed chains
// A sine that lingers where 8 nodes summed at once have their false mode; what moves is the base, a rod that is
// fed meanwhile, or a plate on two rods.
typedef enum moved { BASE, FED, PLATE } moved;

typedef struct shaken_robot {
    moved what;
    double from, to;  // Hz
} shaken_robot;

static td_robot *shaken_of(moved what) {
    td_piece_def piece = steel_piece();
    td_error err = {0};
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    const int shake_input = add_input(robot, "shake"), feed = add_input(robot, "feed");
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 5e-3, plate.position[2] = 0.4;
    for (int i = 0; i < 3; i++) plate.inertia[i] = 1e-6;
    if (what == PLATE) CHECK_OK(td_robot_add_body(robot, &plate, &err), err);
    for (int i = 0; i < (what == PLATE ? 2 : 1); i++) {
        td_rod_def def = td_default_rod_def();
        def.name = i ? "other" : "rod", def.pieces = &piece, def.n_pieces = 1;
        def.base.position[1] = td_constant(i ? 0.05 : 0.0);
        if (what == BASE) def.base.position[0] = (td_number){0.0, 1e-4, shake_input};
        if (what == FED) def.feed = (td_number){0.0, 1.0, feed};
        if (what == PLATE) {
            def.tip = (td_tip_def){.held = true, .body = 0, .orientation = {1.0, 0.0, 0.0, 0.0}};
            def.tip.position[1] = td_constant(i ? 0.05 : 0.0);
        }
        CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    }
    td_load_def load = point_load("push", 0.4);
    if (what == PLATE) load.rod = -1, load.body = 0;
    load.force[0] = (td_number){0.0, 0.01, shake_input};
    if (what != BASE) add_load(robot, &load);
    return robot;
}

// The energy over the sweep, every 10 ms.
#define LINGER 4000
#define WINDOW 40
static void linger(const shaken_robot *c, int nodes, double energy[LINGER / WINDOW]) {
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF, o.nodes = nodes, o.rotary_inertia = false;
    o.scheme = TD_TRAPEZOIDAL;
    o.tolerance = 1e-8;
    const double dt = 2.5e-4, end = LINGER * dt;
    world w = world_make(shaken_of(c->what), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    memset(energy, 0, sizeof(double) * LINGER / WINDOW);
    for (int i = 1; i <= LINGER; i++) {
        const double t = i * dt, phase = c->from * t + 0.5 * (c->to - c->from) * t * t / end;
        const double grown = t < 0.2 ? pow(sin(0.25 * FULL_TURN * t / 0.2), 4.0) : 1.0;
        td_set_input(w.system, w.state, 0, grown * sin(FULL_TURN * phase));
        td_set_input(w.system, w.state, 1, 2e-3 * t / end);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        energy[(i - 1) / WINDOW] = fmax(energy[(i - 1) / WINDOW], energy_of(&w));
    }
    world_free(&w);
}

static void chains_fed_rods_and_moving_bases_have_no_false_resonance(void **unused) {
    (void)unused;
    static const shaken_robot robots[] = {
        {BASE, 130.0, 148.0}, {FED, 130.0, 148.0}, {PLATE, 60.0, 150.0}};
    static double few[LINGER / WINDOW], many[LINGER / WINDOW];
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        double most = 0.0;
        linger(&robots[i], 8, few), linger(&robots[i], 16, many);
        for (int k = 0; k < LINGER / WINDOW; k++) most = fmax(most, fabs(few[k] / many[k] - 1.0));
        CHECK_BETWEEN(most, 0.0, 0.02);
    }
}

// ---------------------------------------------------------------- kicked
// The strength of a line in a record, by Hann's window.
static double line(const double *x, int n, double dt, double hertz) {
    double re = 0.0, im = 0.0;
    for (int i = 0; i < n; i++) {
        double w = 0.5 - 0.5 * cos(FULL_TURN * i / n), phase = FULL_TURN * hertz * i * dt;
        re += w * x[i] * cos(phase), im += w * x[i] * sin(phase);
    }
    return hypot(re, im);
}

// The strongest line between two frequencies (Hz), and where it is.
static double strongest(const double *x, int n, double dt, double from, double to, double *where) {
    double most = 0.0;
    for (double f = from; f <= to; f += 0.1) {
        double size = line(x, n, dt, f);
        if (size > most) most = size, *where = f;
    }
    return most;
}

static void check_kicked(int nodes, double nowhere, double third) {
    enum { n = 10000 };
    const double dt = 2e-4;
    double *x = malloc(sizeof *x * n), where = 0.0;
    shaken s = shaken_rod(nodes);
    for (int i = 1; i <= n + 10; i++) {
        double t = i * dt;  // a hat of 0.01 N over 2 ms
        shake(&s, 0.01 * fmax(0.0, 1.0 - fabs(t - 1e-3) / 1e-3), dt);
        if (i > 10) x[i - 11] = tip_of(&s.w).p[0];
    }
    const double first = strongest(x, n, dt, 7.0, 11.0, &where);
    CHECK_BETWEEN(strongest(x, n, dt, nowhere - 5.0, nowhere + 5.0, &where) / first, 0.0, 1e-5);
    strongest(x, n, dt, third - 5.0, third + 5.0, &where);
    CHECK_NEAR(where, third, 0.3);
    free(x);
    world_free(&s.w);
}

static void a_kicked_rod_rings_with_its_own_frequencies_alone(void **unused) {
    (void)unused;
    check_kicked(6, 97.0, 156.4);
    check_kicked(8, 139.0, 155.6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_has_the_bending_modes_of_a_cantilever),
        cmocka_unit_test(rods_in_space_have_their_modes_and_no_other),
        cmocka_unit_test(rods_of_several_elements_have_no_extra_modes),
        cmocka_unit_test(driven_between_two_frequencies_a_rod_does_not_resonate),
        cmocka_unit_test(a_sine_sweep_with_8_nodes_is_that_with_20),
        cmocka_unit_test(chains_fed_rods_and_moving_bases_have_no_false_resonance),
        cmocka_unit_test(a_kicked_rod_rings_with_its_own_frequencies_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
