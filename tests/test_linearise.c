// Linearised motions: against closed forms of driven beams, against derivatives of equilibria, and against
// the motions that td_step makes.
#include "modes.h"

#include <string.h>

#include "chains.h"
#include "math/quadrature.h"
#include "math/quat.h"

#define L 0.4
static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;  // of steel_piece()
static const double MASS = 8000.0 * 3.14159265358979323846 * 1e-6;      // kg/m

static td_options options_of(int model, int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = nodes;
    o.tubes.nodes = nodes < 12 ? nodes : 12;
    snprintf(o.model, sizeof o.model, "%s", td_model_name(model));
    return o;
}

static td_linearisation *linearised(world *w, const td_output *outputs, int n) {
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w->system, outputs, n, &err);
    if (!l) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(l);
    CHECK_CALL(w, td_linearise(w->system, w->state, l));
    return l;
}

// ---------------------------------------------------------------- driven beams
// A cantilever whose base moves across, and whose tip is pushed: with b^4 = omega^2 mass L^4/EI
//
//     tip/base = (cos b + cosh b)/(1 + cos b cosh b)
//     tip/force = L^3/EI (sin b cosh b - cos b sinh b)/(b^3 (1 + cos b cosh b))
static void a_driven_beam_answers_as_the_closed_form(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    const int move = add_input(robot, "move"), push = add_input(robot, "push");
    td_rod_def rod = chain_rod("beam", &piece, 0.0, 0.0, 0.0);
    rod.base.position[0] = (td_number){.gain = 1.0, .input = move};
    add_chain_rod(robot, &rod);
    td_load_def load = point_load("push", L);
    load.force[0] = (td_number){.gain = 1.0, .input = push};
    add_load(robot, &load);
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 16, o.theory = TD_KIRCHHOFF, o.rotary_inertia = false;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_output outputs[] = {
        {.quantity = TD_OUTPUT_POSE, .body = -1, .s = L},
        {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = L},
        {.quantity = TD_OUTPUT_REACTION, .end = TD_BASE},
    };
    td_linearisation *l = linearised(&w, outputs, 3);
    const double roots[] = {0.5, 1.2, 1.7, 2.5, 4.0, 6.3, 9.0};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const double b = roots[i], omega = b * b / (L * L) * sqrt(EI / MASS);
        double H[2 * 18 * 2];
        assert_int_equal(td_get_frequency_response(l, omega, H), TD_OK);
        const double by_base = (cos(b) + cosh(b)) / (1.0 + cos(b) * cosh(b));
        const double by_force = pow(L, 3) / EI * (sin(b) * cosh(b) - cos(b) * sinh(b)) /
                                (b * b * b * (1.0 + cos(b) * cosh(b)));
        const double *tip = H + 2 * (3 * 2), *speed = H + 2 * (9 * 2);
        CHECK_NEAR(tip[0] / by_base, 1.0, 1e-6);
        CHECK_NEAR(tip[2] / by_force, 1.0, 1e-6);
        CHECK_NEAR(tip[1], 0.0, 1e-9 * fabs(tip[0]));
        // i omega times the pose
        CHECK_NEAR(speed[1] / (omega * tip[0]), 1.0, 1e-6);
        CHECK_NEAR(speed[3] / (omega * tip[2]), 1.0, 1e-6);
    }
    // at rest what holds the base carries the push alone, and moments by its lever
    double H[2 * 18 * 2];
    assert_int_equal(td_get_frequency_response(l, 0.0, H), TD_OK);
    CHECK_NEAR(H[2 * (15 * 2 + 1)], -1.0, 1e-9);
    CHECK_NEAR(H[2 * (13 * 2 + 1)], -L, 1e-9);
    CHECK_NEAR(H[2 * (3 * 2)], 1.0, 1e-9);
    td_linearisation_destroy(l);
    world_free(&w);
}

// ---------------------------------------------------------------- equilibria
// An arm under its weight with a tendon, on a base that inputs move and turn.
// Base motion under models that have it.
static td_robot *soft_arm(bool stretches, bool follows, int model) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.youngs_modulus = 2e6, piece.shear_modulus = 0.7e6;
    piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.damping_time = 5e-3;
    td_robot *robot = empty_robot(-9.81, 0.0, 0.0);
    td_error err = {0};
    const int pull = add_input(robot, "pull"), move = add_input(robot, "move");
    const int turn = add_input(robot, "turn"), push = add_input(robot, "push");
    td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
    const double moves = td_model_supports(model, TD_FEATURE_BASE_MOTION) ? 1.0 : 0.0;
    rod.mean_stretch = follows;
    rod.base.position[1] = (td_number){.gain = moves, .input = move};
    rod.base.rotation[0] = (td_number){.gain = moves, .input = turn};
    add_chain_rod(robot, &rod);
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "pull", tendon.rod = 0, tendon.from = 0.0, tendon.to = 0.2;
    tendon.offset[1] = tendon.offset_end[1] = 0.008;
    tendon.value = (td_number){.value = stretches ? 0.002 : 0.3, .gain = 1.0, .input = pull};
    if (stretches) tendon.input = TD_DISPLACEMENT, tendon.stiffness = 200.0;
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    td_load_def load = point_load("push", 0.2);
    load.force[1] = (td_number){.gain = 1.0, .input = push};
    add_load(robot, &load);
    return robot;
}

static void at_rest_it_answers_as_the_equilibrium_does_under_every_model(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++)
        for (int kind = 0; kind < 3; kind++) {
            const bool stretches = kind == 1, follows = kind == 2;
            if (follows && !td_model_supports(model, TD_FEATURE_MEAN_STRETCH)) continue;
            td_options o = options_of(model, 10);
            world w = world_make(soft_arm(stretches, follows, model), &o);
            const td_status status = td_solve_statics(w.system, w.state);
            assert_true(status >= 0);
            const double s = 0.2;
            const td_output outputs[] = {
                {.quantity = TD_OUTPUT_POSE, .body = -1, .s = s},
                {.quantity = TD_OUTPUT_STRAIN, .s = 0.1},
                {.quantity = TD_OUTPUT_EFFORT},
                {.quantity = TD_OUTPUT_MEASURE},
            };
            td_linearisation *l = linearised(&w, outputs, 4);
            const td_linear *of = td_get_linear(l);
            assert_int_equal(of->n_coordinates, td_n_coordinates(w.system));
            double H[2 * 14 * 4], J[24], largest = 0.0;
            assert_int_equal(td_get_frequency_response(l, 0.0, H), TD_OK);
            CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, s, J));
            for (int i = 0; i < 24; i++) largest = fmax(largest, fabs(J[i]));
            for (int i = 0; i < 24; i++)
                if (fabs(H[2 * i] - J[i]) > 2e-6 * largest) {
                    fprintf(stderr, "%s: row %d, input %d: %.9g, Jacobian %.9g\n", o.model, i / 4,
                            i % 4, H[2 * i], J[i]);
                    fail();
                }
            // a given tension stays; a given displacement shortens what runs along the rod
            if (!stretches) CHECK_NEAR(H[2 * 12 * 4], 1.0, 1e-6);
            else assert_true(H[2 * 12 * 4] > 1.0 && H[2 * 13 * 4] < 0.0);
            td_linearisation_destroy(l);
            world_free(&w);
        }
}

// Largest difference across the diagonal, of what the diagonal has.
static double asymmetry(const td_linear *of, const double *A) {
    const int n = of->n_coordinates, all = n + of->n_multipliers;
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double size = sqrt(fabs(A[i * all + i] * A[j * all + j]));
            if (size > 0.0) worst = fmax(worst, fabs(A[i * all + j] - A[j * all + i]) / size);
        }
    return worst;
}

static double form_asymmetry(const td_linear *of, int n, const double *p, const double *q) {
    double form[4] = {0.0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double K = of->K[i * n + j];
            form[0] += p[i] * K * q[j], form[1] += q[i] * K * p[j];
            form[2] += p[i] * K * p[j], form[3] += q[i] * K * q[j];
        }
    return fabs(form[0] - form[1]) / sqrt(form[2] * form[3]);
}

// Of two smooth fields of strain on a rod with so many nodes.
static double smooth_asymmetry(const td_linear *of, int nodes) {
    double x[64], weights[64], p[384], q[384];
    gauss_legendre(nodes, x, weights);
    const int n = 6 * nodes;
    for (int i = 0; i < nodes; i++)
        for (int c = 0; c < 6; c++) {
            p[6 * i + c] = c < 3 ? 5.0 * (1.0 + c * x[i]) : 0.1;
            q[6 * i + c] = c < 3 ? 5.0 * (x[i] * x[i] - 0.3 * c) : 0.1 * x[i];
        }
    return form_asymmetry(of, n, p, q);
}

// The same of a tube: bending node by node, then twists, between two cuts each.
static double smooth_asymmetry_of_tube(const td_linear *of, int nodes) {
    double x[64], weights[64], p[384], q[384];
    const int n = of->n_coordinates, all = n / 3;
    gauss_legendre(nodes, x, weights);
    for (int i = 0; i < all; i++) {
        const double s = i / nodes + x[i % nodes];
        p[2 * i] = 5.0, p[2 * i + 1] = 5.0 * (1.0 + s), p[2 * all + i] = 5.0 - s;
        q[2 * i] = 5.0 * s * s, q[2 * i + 1] = 5.0 * (s * s - 0.3), q[2 * all + i] = s;
    }
    return form_asymmetry(of, n, p, q);
}

// The stiffness of a collocated rod on what its nodes resolve.
static void stiffness_and_mass_are_symmetric(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++)
        for (int nodes = 6; nodes <= 18; nodes += 12) {
            td_options o = options_of(model, nodes);
            world w = world_make(soft_arm(false, false, model), &o);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            td_linearisation *l = linearised(&w, NULL, 0);
            const td_linear *of = td_get_linear(l);
            const bool rod = strcmp(o.model, "cosserat") == 0, tube = !strcmp(o.model, "tubes");
            const bool nodal = rod || tube;
            const double stiffness = rod    ? smooth_asymmetry(of, nodes)
                                     : tube ? smooth_asymmetry_of_tube(of, o.tubes.nodes)
                                            : asymmetry(of, of->K);
            const double mass = asymmetry(of, of->M);
            if (stiffness > (nodal && nodes == 6 ? 1e-3 : 1e-7) || mass > 1e-9) {
                fprintf(stderr, "%s, %d nodes: K %.3g, M %.3g\n", o.model, nodes, stiffness, mass);
                fail();
            }
            td_linearisation_destroy(l);
            world_free(&w);
        }
}

// ---------------------------------------------------------------- fed
#define WAVE 2.0        // Hz
#define AMPLITUDE 1e-4  // m
#define FED_OUT 0.05    // m, of a rod of 0.2 m
#define SEEN 15         // numbers
#define PERIODS 7
#define STEPS_A_PERIOD 400

// A bent arm that a wave feeds; sign 0: not now.
static world fed_arm(double sign) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.youngs_modulus = 2e6, piece.shear_modulus = 0.7e6;
    piece.density = 1000.0, piece.damping_time = 0.05;
    piece.section.radius = piece.section_end.radius = 0.01;
    td_robot *robot = empty_robot(-9.81, 2.0, 0.0);
    td_error err = {0};
    const td_input_def wave = {
        .name = "feed",
        .signal = {.kind = TD_SIGNAL_SINE, .to = sign * AMPLITUDE, .frequency = WAVE}};
    const td_input_def still = {.name = "feed", .signal = {.kind = TD_SIGNAL_CONSTANT}};
    const int feed = td_robot_add_input(robot, sign == 0.0 ? &still : &wave, &err);
    CHECK_OK(feed, err);
    td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
    rod.feed = (td_number){.value = FED_OUT, .gain = 1.0, .input = feed};
    add_chain_rod(robot, &rod);
    td_options o = options_of(0, 6);
    snprintf(o.model, sizeof o.model, "cosserat");
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// Position and velocity of the tip, curvature at the middle, what holds the base.
static void see(const world *w, double y[SEEN]) {
    const double length = td_get_length(w->system, w->state, 0);
    const td_sample tip = td_get_sample(w->system, w->state, 0, length);
    const td_sample middle = td_get_sample(w->system, w->state, 0, 0.5 * length);
    const td_reaction base = td_get_reaction(w->system, w->state, 0, TD_BASE);
    memcpy(y, tip.pose.p, 3 * sizeof *y);
    vec3_store(y + 3, quat_rotate(quat_load(tip.pose.q), vec3_load(tip.velocity + 3)));
    memcpy(y + 6, middle.strain, 3 * sizeof *y);
    memcpy(y + 9, base.moment, 3 * sizeof *y);
    memcpy(y + 12, base.force, 3 * sizeof *y);
}

// u = A sin wt gives y = A (Re H sin wt + Im H cos wt) once what it began with has died away.
static void measure_response(double H[2 * SEEN]) {
    memset(H, 0, 2 * SEEN * sizeof *H);
    for (int sign = -1; sign <= 1; sign += 2) {
        world w = fed_arm(sign);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        for (int i = 1; i <= PERIODS * STEPS_A_PERIOD; i++) {
            assert_true(td_advance(w.system, w.state, 1.0 / (WAVE * STEPS_A_PERIOD)) >= 0);
            if (i <= (PERIODS - 1) * STEPS_A_PERIOD) continue;
            const double angle = 6.28318530717958648 * i / STEPS_A_PERIOD;
            double y[SEEN];
            see(&w, y);
            for (int k = 0; k < SEEN; k++) {
                H[2 * k] += sign * y[k] * sin(angle) / (STEPS_A_PERIOD * AMPLITUDE);
                H[2 * k + 1] += sign * y[k] * cos(angle) / (STEPS_A_PERIOD * AMPLITUDE);
            }
        }
        world_free(&w);
    }
}

// The places of its coordinates are other material at every instant.
static void a_fed_arm_answers_to_a_wave_as_its_steps_do(void **unused) {
    (void)unused;
    static const int rows[SEEN] = {3, 4, 5, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 23};
    const td_output outputs[] = {
        {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
        {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.2},
        {.quantity = TD_OUTPUT_STRAIN, .s = 0.1},
        {.quantity = TD_OUTPUT_REACTION, .end = TD_BASE},
    };
    world w = fed_arm(0.0);
    td_linearisation *l = linearised(&w, outputs, 4);
    double H[2 * 24], J[6], measured[2 * SEEN], largest = 0.0;
    assert_int_equal(td_get_frequency_response(l, 0.0, H), TD_OK);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.2 + FED_OUT, J));
    for (int k = 0; k < 6; k++) largest = fmax(largest, fabs(J[k]));
    for (int k = 0; k < 6; k++) CHECK_NEAR(H[2 * k], J[k], 1e-6 * largest);
    assert_int_equal(td_get_frequency_response(l, 6.28318530717958648 * WAVE, H), TD_OK);
    measure_response(measured);
    for (int first = 0; first < SEEN; first += 3) {
        double size = 0.0;
        for (int k = first; k < first + 3; k++)
            size = fmax(size, hypot(measured[2 * k], measured[2 * k + 1]));
        for (int k = first; k < first + 3; k++) {
            CHECK_NEAR(H[2 * rows[k]], measured[2 * k], 2e-4 * size);
            CHECK_NEAR(H[2 * rows[k] + 1], measured[2 * k + 1], 2e-4 * size);
        }
    }
    td_linearisation_destroy(l);
    world_free(&w);
}

static void a_fed_arm_that_moves_is_refused_in_words(void **unused) {
    (void)unused;
    td_error err = {0};
    world w = fed_arm(1.0);
    td_linearisation *l = td_linearisation_create(w.system, NULL, 0, &err);
    assert_non_null(l);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    CHECK_CALL(&w, td_advance(w.system, w.state, 1e-3));
    assert_int_equal(td_linearise(w.system, w.state, l), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "rod 'arm' is fed by an input"));
    assert_null(td_get_linear(l));
    td_linearisation_destroy(l);
    world_free(&w);
}

// ---------------------------------------------------------------- moving
// Two rods that carry a body: joints that hold.
static td_robot *loop(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.youngs_modulus = 4e6, piece.shear_modulus = 1.4e6;
    piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    td_robot *robot = empty_robot(0.0, 0.0, 9.81);
    const double at[3] = {0.0, 0.0, 0.2};
    const int body = add_body(robot, "plate", 0.02, 1e-5, at);
    for (int i = 0; i < 2; i++) {
        td_rod_def rod = chain_rod(i ? "two" : "one", &piece, i ? 0.06 : -0.06, 0.0, 0.0);
        hold_tip(&rod, body, i ? TD_BALL : TD_CLAMP, i ? 0.05 : -0.05, 0.0, 0.0);
        add_chain_rod(robot, &rod);
    }
    const int input = add_input(robot, "push");
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.body = body;
    load.force[1] = (td_number){.gain = 1.0, .input = input};
    add_load(robot, &load);
    return robot;
}

// The state after a while of swinging; inputs jump first.
static void swing(world *w, double dt, int steps) {
    assert_true(td_solve_statics(w->system, w->state) >= 0);
    for (int i = 0; i < td_n_inputs(w->system); i++)
        if (strcmp(td_input_name(w->system, i), "push") == 0)
            td_set_input(w->system, w->state, i, 0.05);
    for (int i = 0; i < steps; i++) assert_true(td_step(w->system, w->state, dt) >= 0);
}

// Velocities after a short step from the state that is kept in `snapshot`.
static void velocities_after(world *w, const void *snapshot, double dt, double *q, double *v) {
    assert_int_equal(td_state_restore(w->system, w->state, snapshot, td_snapshot_bytes(w->system)),
                     TD_OK);
    assert_true(td_step(w->system, w->state, dt) >= 0);
    CHECK_CALL(w, td_get_coordinates(w->system, w->state, q, v));
}

// Accelerations are what two short steps find: (4 v(h/2) - v(h) - 3 v(0))/h + O(h^2).
// Those of the last n_frames frames are seen in their own axes.
static void check_accelerations(world *w, const char *what, int n_frames, double h,
                                double tolerance) {
    const int n = td_n_coordinates(w->system), first = n - 6 * n_frames;
    double *v = calloc(5 * (size_t)n, sizeof *v), *q = v + 4 * n, largest = 0.0;
    CHECK_CALL(w, td_get_coordinates(w->system, w->state, q, v));
    CHECK_CALL(w, td_set_coordinates(w->system, w->state, q, v));  // no past, and no efforts known
    td_linearisation *l = linearised(w, NULL, 0);
    const double *a = td_get_linear(l)->z_tt;
    void *snapshot = malloc(td_snapshot_bytes(w->system));
    td_state_save(w->system, w->state, snapshot, td_snapshot_bytes(w->system));
    velocities_after(w, snapshot, h, q, v + n);
    velocities_after(w, snapshot, 0.5 * h, q, v + 2 * n);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    assert_true(largest > 0.0);
    for (int i = 0; i < n; i++) {
        double seen = (4.0 * v[2 * n + i] - v[n + i] - 3.0 * v[i]) / h;
        if (i >= first && (i - first) % 6 < 3) {
            const int at = i - (i - first) % 6;
            double own[3], outer[3];
            for (int c = 0; c < 3; c++)
                own[c] = (4.0 * v[2 * n + at + c] - v[n + at + c] - 3.0 * v[at + c]) / h;
            vec3_store(outer, quat_rotate(quat_exp(vec3_load(q + at)), vec3_load(own)));
            seen = outer[i - at];
        }
        if (!(fabs(seen - a[i]) <= tolerance * largest)) {
            fprintf(stderr, "%s: coordinate %d of %d: %.9g, seen %.9g (largest %.3g)\n", what, i, n,
                    a[i], seen, largest);
            fail();
        }
    }
    td_linearisation_destroy(l);
    free(snapshot);
    free(v);
}

static void accelerations_of_a_motion_are_those_of_short_steps(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++) {
        td_options o = options_of(model, 3);
        o.scheme = TD_SDIRK2;
        o.lumped.segments = 3, o.rom.order = 2, o.tolerance = 1e-13;
        world w = world_make(soft_arm(false, false, model), &o);
        swing(&w, 4e-3, 10);
        const bool frames = strcmp(o.model, "eba") == 0;
        check_accelerations(&w, o.model, frames ? td_n_coordinates(w.system) / 6 : 0, 2e-7, 2e-3);
        world_free(&w);
    }
}

// A state beside (q, v): number k of z, or of z', changed by e. Of frames z is a rotation and a translation in
// the world; rates of rotations are told in the axes of the frame.
static void beside(bool frames, int n, const double *q, const double *v, int k, bool rate, double e,
                   double *q_out, double *v_out) {
    const int at = k - k % 6;
    memcpy(q_out, q, sizeof(double) * (size_t)n);
    memcpy(v_out, v, sizeof(double) * (size_t)n);
    if (!frames || k % 6 >= 3) {
        (rate ? v_out : q_out)[k] += e;
        return;
    }
    double turn[3] = {0.0};
    turn[k % 6] = e;
    const quat h = quat_exp(vec3_load(q + at));
    if (rate)
        vec3_store(v_out + at,
                   vec3_add(vec3_load(v + at), quat_rotate(quat_conj(h), vec3_load(turn))));
    else vec3_store(q_out + at, quat_log(quat_mul(quat_exp(vec3_load(turn)), h)));
}

// z'' of the change, from the slope of the angular acceleration: d(Om') = z'' + z x Om' - Om x z'.
static void of_change(const double *q, const double *v, const double *acceleration, int k,
                      bool rate, double *slope) {
    const int at = k - k % 6;
    double unit[3] = {0.0};
    if (k % 6 >= 3) return;
    unit[k % 6] = 1.0;
    const vec3 Om = quat_rotate(quat_exp(vec3_load(q + at)), vec3_load(v + at)),
               z = vec3_load(unit);
    const vec3 more = rate ? vec3_cross(Om, z) : vec3_cross(vec3_load(acceleration + at), z);
    vec3_store(slope + at, vec3_add(vec3_load(slope + at), more));
}

static void check_motion(world *w, const char *model) {
    const int n = td_n_coordinates(w->system);
    const bool frames = strcmp(model, "eba") == 0;
    double *q = calloc(6 * (size_t)n, sizeof *q), *v = q + n, *near_q = q + 2 * n;
    double *near_v = q + 3 * n, *a[2] = {q + 4 * n, q + 5 * n};
    CHECK_CALL(w, td_get_coordinates(w->system, w->state, q, v));
    td_linearisation *here = linearised(w, NULL, 0), *there = linearised(w, NULL, 0);
    const td_linear *of = td_get_linear(here);
    assert_int_equal(td_solve_modes(here, 0), TD_ERR_VALUE);
    const int all = of->n_coordinates + of->n_multipliers;
    for (int c = 0; c < 2 * n && of->n_multipliers == 0; c += 2) {
        const int k = c % n;
        const bool rate = c >= n;
        const double e = (rate ? 1e-3 : 1e-5) * (k % 6 < 3 ? 1.0 : 0.2);
        for (int side = 0; side < 2; side++) {
            beside(frames, n, q, v, k, rate, side ? e : -e, near_q, near_v);
            CHECK_CALL(w, td_set_coordinates(w->system, w->state, near_q, near_v));
            CHECK_CALL(w, td_linearise(w->system, w->state, there));
            memcpy(a[side], td_get_linear(there)->z_tt, sizeof(double) * (size_t)n);
        }
        for (int i = 0; i < n; i++) a[1][i] = (a[1][i] - a[0][i]) / (2.0 * e);
        if (frames) of_change(q, v, of->z_tt, k, rate, a[1]);
        double worst = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            double sum = (rate ? of->D : of->K)[i * all + k];
            size = fmax(size, fabs(sum));
            for (int j = 0; j < n; j++) sum += of->M[i * all + j] * a[1][j];
            worst = fmax(worst, fabs(sum));
        }
        if (!(worst <= 1e-5 * size)) {
            fprintf(stderr, "%s: column %d, %s: %.3g of %.3g\n", model, k, rate ? "D" : "K", worst,
                    size);
            fail();
        }
    }
    td_linearisation_destroy(here);
    td_linearisation_destroy(there);
    free(q);
}

// M z'' + D z' + K z = 0 between accelerations of states side by side.
static void matrices_of_a_motion_say_how_accelerations_change(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++)
        for (int stretches = 0; stretches < 2; stretches++) {
            td_options o = options_of(model, 4);
            o.lumped.segments = 4, o.rom.order = 2, o.scheme = TD_SDIRK2;
            world w = world_make(soft_arm(stretches, false, model), &o);
            swing(&w, 4e-3, 10);
            check_motion(&w, o.model);
            world_free(&w);
        }
}

static void a_loop_in_motion_has_accelerations_that_keep_it_closed(void **unused) {
    (void)unused;
    td_options o = options_of(0, 4);
    snprintf(o.model, sizeof o.model, "cosserat");
    o.scheme = TD_SDIRK2, o.theory = TD_COSSERAT, o.tolerance = 1e-13;
    world w = world_make(loop(), &o);
    swing(&w, 2e-3, 10);
    // velocities of a step obey the joints to its order: short ones, so that none jumps
    for (int i = 0; i < 30; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-6));
    check_accelerations(&w, "loop", 1, 2e-6, 2e-3);
    world_free(&w);
}

// ---------------------------------------------------------------- refusals
static void what_cannot_be_linearised_says_why(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    world w = world_make(rod_robot(&piece, 1), &o);
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w.system, NULL, 0, &err);
    assert_non_null(l);
    assert_int_equal(td_linearise(w.system, w.state, l), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "shooting"));
    assert_null(td_get_linear(l));
    assert_int_equal(td_solve_modes(l, 0), TD_ERR_ARGUMENT);
    td_linearisation_destroy(l);
    const td_output wrong[] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.5},
                               {.quantity = TD_OUTPUT_POSE, .body = 3},
                               {.quantity = TD_OUTPUT_EFFORT, .actuator = 0},
                               {.quantity = (td_quantity)77}};
    for (int i = 0; i < 4; i++) {
        assert_null(td_linearisation_create(w.system, &wrong[i], 1, &err));
        assert_string_equal(err.where, "outputs[0]");
    }
    world_free(&w);
}

// Questions to a linearisation name the value that they cannot take.
static void bad_questions_are_told_what_is_expected(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = options_of(0, 4);
    world w = world_make(rod_robot(&piece, 1), &o);
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w.system, NULL, 0, &err);
    double H[2];
    assert_int_equal(td_get_frequency_response(l, 1.0, H), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_linearisation_message(l), "td_linearise"));
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_linearise(w.system, w.state, l));
    static const char *const says[] = {"omega = ", "dt = 0 s: a finite number above 0",
                                       "dt = inf s", "n = -3", "mode 7: there are 0"};
    for (int i = 0; i < 5; i++) {
        const td_status status = i == 0   ? td_get_frequency_response(l, (double)NAN, H)
                                 : i == 1 ? td_solve_step_map(l, 0.0)
                                 : i == 2 ? td_solve_step_map(l, (double)INFINITY)
                                 : i == 3 ? td_solve_modes(l, -3)
                                          : td_get_mode_shape(l, 7, NULL, NULL);
        assert_int_equal(status, TD_ERR_ARGUMENT);
        assert_non_null(strstr(td_linearisation_message(l), says[i]));
    }
    assert_int_equal(td_solve_step_map(l, 1e-3), TD_OK);
    assert_string_equal(td_linearisation_message(l), "");
    td_linearisation_destroy(l);
    world_free(&w);
}

static void the_state_stays_as_it_was(void **unused) {
    (void)unused;
    td_options o = options_of(0, 6);
    snprintf(o.model, sizeof o.model, "cosserat");
    world w = world_make(loop(), &o);
    swing(&w, 2e-3, 5);
    const size_t bytes = td_snapshot_bytes(w.system);
    char *before = malloc(bytes), *after = malloc(bytes);
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = 0};
    td_state_save(w.system, w.state, before, bytes);
    td_linearisation *l = linearised(&w, &tip, 1);
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    td_linearisation_destroy(l);
    free(before), free(after);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_beam_answers_as_the_closed_form),
        cmocka_unit_test(at_rest_it_answers_as_the_equilibrium_does_under_every_model),
        cmocka_unit_test(stiffness_and_mass_are_symmetric),
        cmocka_unit_test(a_fed_arm_answers_to_a_wave_as_its_steps_do),
        cmocka_unit_test(a_fed_arm_that_moves_is_refused_in_words),
        cmocka_unit_test(accelerations_of_a_motion_are_those_of_short_steps),
        cmocka_unit_test(matrices_of_a_motion_say_how_accelerations_change),
        cmocka_unit_test(a_loop_in_motion_has_accelerations_that_keep_it_closed),
        cmocka_unit_test(what_cannot_be_linearised_says_why),
        cmocka_unit_test(bad_questions_are_told_what_is_expected),
        cmocka_unit_test(the_state_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
