// Estimators against textbooks: least squares and the Kalman filter where robots are linear, consistency where they are not, the bound of
// Cramer and Rao, and where along a rod a force acts.
#include "tendril/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "math/random.h"

#include "not_compiled.h"
#include "scene.h"
#include "textbook.h"

typedef struct rig {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_estimator *e;
    td_error err;
} rig;

static rig rig_of_sets(const char *text, const char *const *sets, int n_sets) {
    const scene s = scene_of(text, sets, n_sets);
    rig r = {.robot = s.robot, .system = s.system, .state = s.state};
    r.e = td_estimator_create(r.system, &r.err);
    if (!r.e) fprintf(stderr, "%s: %s\n", r.err.where, r.err.message);
    assert_non_null(r.e);
    return r;
}

static rig rig_of(const char *text, const char *set) {
    return rig_of_sets(text, &set, set != NULL);
}

static void rig_end(rig *r) {
    td_estimator_destroy(r->e);
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
}

static void fine(const rig *r, td_status status) {
    if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(r->e));
    assert_true(status >= 0);
}

// Standard normal, number k of a stream.
static double normal(int stream, int k) {
    double n[2];
    random_normals(77, (uint64_t)stream, (uint64_t)k, n);
    return n[0];
}

// ---------------------------------------------------------------- least squares
// Moments that follow the tip bend a straight rod into an arc, u = (mx, my)/EI, and gauges read ux ry - uy rx: linear.
static const char *const arc =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 4 ms}}\n"
    "loads: [{name: tip, at: tip, frame: body, moment: [mx, my, 0]}]\n"
    "sensors:\n"
    "  - {name: a, measures: rod.arm.30 %.gauge, offset: [2 mm, 0], noise: 1e-5}\n"
    "  - {name: b, measures: rod.arm.gauge, every: 50 mm, offset: [1 mm, 1.5 mm], noise: 2e-5}\n"
    "  - {name: c, measures: rod.arm.90 %.gauge, offset: [-1 mm, 1.5 mm], noise: 3e-5}\n"
    "estimator:\n"
    "  unknowns: [{input: mx, mean: 1 mN m, deviation: 4 mN m}, {input: my, deviation: 3 mN m}]\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 4}, solver: "
    "{tolerance: 1e-13}}\n";

static void rest_is_least_squares_where_the_robot_is_linear(void **state) {
    (void)state;
    rig r = rig_of(arc, NULL);
    const double EI = 1e9 * acos(-1.0) / 4.0 * pow(2e-3, 4);
    const double offsets[3][2] = {{2e-3, 0.0}, {1e-3, 1.5e-3}, {-1e-3, 1.5e-3}};
    const double noise[3] = {1e-5, 2e-5, 3e-5}, prior[2] = {4e-3, 3e-3}, mean[2] = {1e-3, 0.0};
    const int channels[3] = {1, 4, 1};
    double y[3][4], A[4], b[2], covariance[4];
    for (int run = 0; run < 3; run++) {
        const double m[2] = {5e-3 * normal(1, run), 5e-3 * normal(2, run)};
        memset(A, 0, sizeof A);
        for (int j = 0; j < 2; j++)
            A[3 * j] = 1.0 / (prior[j] * prior[j]), b[j] = mean[j] / (prior[j] * prior[j]);
        for (int s = 0; s < 3; s++)
            for (int c = 0; c < channels[s]; c++) {
                const double J[2] = {offsets[s][1] / EI, -offsets[s][0] / EI};
                y[s][c] = J[0] * m[0] + J[1] * m[1] + noise[s] * normal(3 + 4 * s + c, run);
                for (int j = 0; j < 2; j++) {
                    b[j] += J[j] * y[s][c] / (noise[s] * noise[s]);
                    for (int k = 0; k < 2; k++) A[2 * j + k] += J[j] * J[k] / (noise[s] * noise[s]);
                }
            }
        const double det = A[0] * A[3] - A[1] * A[2];
        const double inverse[4] = {A[3] / det, -A[1] / det, -A[2] / det, A[0] / det};
        const td_reading readings[3] = {{0, y[0]}, {1, y[1]}, {2, y[2]}};
        fine(&r, td_estimator_begin(r.e));
        fine(&r, td_estimator_rest(r.e, readings, 3));
        const int n = td_estimator_n(r.e);
        for (int j = 0; j < 2; j++) {
            double deviation;
            const double x = inverse[2 * j] * b[0] + inverse[2 * j + 1] * b[1];
            CHECK_NEAR(td_estimator_get(r.e, j, &deviation), x, 1e-10 * sqrt(inverse[3 * j]));
            CHECK_NEAR(deviation, sqrt(inverse[3 * j]), 1e-10 * deviation);
            for (int k = 0; k < 2; k++)
                covariance[2 * j + k] = td_estimator_covariance(r.e)[(n - 2 + j) * n + n - 2 + k];
        }
        CHECK_NEAR(covariance[1], inverse[1], 1e-10 * inverse[0]);
        // what a reading has is told with its deviation: of b, of all four the same
        double reading[4], sure[4];
        fine(&r, td_estimator_get_sensor(r.e, 1, reading, sure));
        const double J[2] = {offsets[1][1] / EI, -offsets[1][0] / EI};
        const double of =
            J[0] * J[0] * inverse[0] + 2.0 * J[0] * J[1] * inverse[1] + J[1] * J[1] * inverse[3];
        for (int c = 0; c < 4; c++) CHECK_NEAR(sure[c], sqrt(of), 1e-9 * sqrt(of));
    }
    rig_end(&r);
}

// Before anything is read the moments are as unknown as they were said to be, and with them the line
//     x = uy s^2/2, y = -ux s^2/2,   turned by ux s, uy s:   one deviation all along the rod
static void outputs_are_as_sure_as_the_moments_that_bend(void **state) {
    (void)state;
    rig r = rig_of(arc, NULL), other = rig_of(arc, NULL);
    const double EI = 1e9 * acos(-1.0) / 4.0 * pow(2e-3, 4), ux = 4e-3 / EI, uy = 3e-3 / EI;
    const double places[2] = {0.1, 0.2};
    td_output outputs[2] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = places[0]},
                            {.quantity = TD_OUTPUT_POSE, .body = -1, .s = places[1]}};
    td_linearisation *l = td_linearisation_create(r.system, outputs, 2, &r.err);
    assert_non_null(l);
    double covariance[12 * 12], by[12][2];  // by: of outputs, by each moment
    for (int i = 0; i < 2; i++) {
        const double s = places[i];
        const double rows[6][2] = {{ux * s, 0.0},         {0.0, uy * s},          {0.0, 0.0},
                                   {0.0, uy * s * s / 2}, {-ux * s * s / 2, 0.0}, {0.0, 0.0}};
        memcpy(by[6 * i], rows, sizeof rows);
    }
    fine(&r, td_estimator_begin(r.e));
    fine(&r, td_estimator_get_outputs(r.e, l, covariance));
    assert_null(td_get_linear(l));
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++) {
            if (i % 6 == 2 || i % 6 == 5 || k % 6 == 2 || k % 6 == 5) continue;  // of second order
            const double wanted = by[i][0] * by[k][0] + by[i][1] * by[k][1];
            const double size = sqrt(covariance[13 * i] * covariance[13 * k]);
            CHECK_NEAR(covariance[12 * i + k], wanted, 2e-4 * size);  // the mean bends it by 0.016
        }
    assert_int_equal(td_estimator_get_outputs(other.e, l, covariance), TD_ERR_ARGUMENT);
    td_linearisation_destroy(l);
    rig_end(&r), rig_end(&other);
}

// ---------------------------------------------------------------- the Kalman filter
// A straight rod that is only twisted is linear whatever the angle.
static const char *const shaft =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000}, damping: {time: 4 ms}}\n"
    "loads: [{name: tip, at: tip, moment: [0, 0, known]}, {name: middle, at: 60 %, moment: [0, 0, "
    "hidden]}]\n"
    "inputs: {known: 1e-6}\n"
    "sensors:\n"
    "  - {name: twist, measures: rod.arm.35 %.u_z, noise: 0.5}\n"
    "  - {name: gyro, measures: tip.gyro_z, noise: 1 rad/s}\n"
    "  - {name: marker, measures: tip.turn_z, noise: 0.02}\n"
    "estimator:\n"
    "  unknowns: [{input: hidden, deviation: 1e-5 N m, walk: 3e-5 N m/sqrt(s)}]\n"
    "  noise: {coordinates: 0.02 rad/sqrt(s), rates: 1 rad/s/sqrt(s)}\n"
    "  start: {coordinates: 0.01, rates: 0.2 rad/s}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 3}, solver: {tolerance: 1e-13}}\n";

static void fill_textbook(rig *r, textbook *k, double dt) {
    td_output outputs[8];
    int n_outputs = 0;
    for (int s = 0; s < 3; s++) n_outputs += td_sensor_outputs(r->system, s, outputs + n_outputs);
    td_linearisation *l = td_linearisation_create(r->system, outputs, n_outputs, &r->err);
    for (int i = 0; i < td_n_inputs(r->system); i++) td_set_input(r->system, r->state, i, 0.0);
    assert_true(td_solve_statics(r->system, r->state) >= 0);
    assert_true(td_linearise(r->system, r->state, l) >= 0);
    const td_linear *a = td_get_linear(l);
    const int n_q = a->n_coordinates, n = 2 * n_q + 1, N = a->n_coordinates + a->n_multipliers;
    const int known = td_find_input(r->system, "known"),
              hidden = td_find_input(r->system, "hidden");
    *k = (textbook){.n = n, .m = 3, .n_x = 2 * n_q};
    k->F = calloc((size_t)(n * n), sizeof(double)), k->P = calloc((size_t)(n * n), sizeof(double));
    k->T = calloc((size_t)(n * n), sizeof(double)), k->H = calloc((size_t)(3 * n), sizeof(double));
    k->x = calloc((size_t)n, sizeof(double)), k->g = calloc((size_t)n, sizeof(double));
    assert_int_equal(a->n_multipliers, 0);
    for (int s = 0, row = 0; s < 3; s++) {  // u_z, gyro_z, turn_z of the straight rod
        const int at[3] = {2, 6 + 2, 2};    // of the strain; of pose, then velocity; of the pose
        const int rows[3] = {6, 12, 6};
        for (int i = 0; i < n_q; i++) {
            k->H[s * n + i] = a->C[(row + at[s]) * N + i];
            k->H[s * n + n_q + i] = a->C1[(row + at[s]) * N + i];
        }
        row += rows[s];
    }
    // the shape at rest under both moments, by elimination
    double *K = malloc(sizeof(double) * (size_t)(n_q * n_q)), z[2][128];
    for (int j = 0; j < 2; j++) {
        memcpy(K, a->K, sizeof(double) * (size_t)(n_q * n_q));
        for (int i = 0; i < n_q; i++) z[j][i] = a->B[i * a->n_inputs + (j ? hidden : known)];
        textbook_eliminate(n_q, K, z[j]);
    }
    free(K);
    // as its file says: 1e-6 N m of what is known, none thought of what is not
    for (int i = 0; i < n_q; i++) k->x[i] = 1e-6 * z[0][i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double by_i = i < n_q ? z[1][i] : i == n - 1,
                         by_j = j < n_q ? z[1][j] : j == n - 1;
            k->P[i * n + j] = by_i * by_j * 1e-10;
        }
    assert_true(td_solve_step_map(l, dt) >= 0);
    const td_step_map *m = td_get_step_map(l);
    assert_int_equal(m->n_states, 2 * n_q);
    for (int i = 0; i < 2 * n_q; i++) {
        memcpy(k->F + i * n, m->A + i * 2 * n_q, sizeof(double) * (size_t)(2 * n_q));
        k->F[i * n + n - 1] = m->B[i * a->n_inputs + hidden] + m->B0[i * a->n_inputs + hidden];
        k->g[i] = 1e-6 * (m->B[i * a->n_inputs + known] + m->B0[i * a->n_inputs + known]);
    }
    k->F[n * n - 1] = 1.0;
    const double noise[3] = {0.5, 1.0, 0.02}, unit = 5.0;  // bending by 1/length
    for (int s = 0; s < 3; s++) k->R[s] = noise[s] * noise[s];
    for (int i = 0; i < n_q; i++) {
        const char *name = td_coordinate_unit(r->system, i);
        const double u = strcmp(name, "1/m") == 0 ? unit : 1.0;
        k->Q[i] = u * u * 0.02 * 0.02 * dt, k->Q[n_q + i] = u * u * dt;
        k->P[i * (n + 1)] += u * u * 1e-4, k->P[(n_q + i) * (n + 1)] += u * u * 0.04;
    }
    k->Q[n - 1] = 9e-10 * dt;
    td_linearisation_destroy(l);
}

// What belongs to the twist: how a twisted rod bends and stretches is not linear.
static bool is_twist(const rig *r, const textbook *k, int i) {
    const int n_q = k->n_x / 2;
    return i == k->n - 1 || strstr(td_coordinate_name(r->system, i % n_q), "curvature_z");
}

static void compare(const rig *r, const textbook *k, int at) {
    const int n = k->n, n_q = k->n_x / 2;
    double q[128], v[128];
    td_get_coordinates(r->system, td_estimator_state(r->e), q, v);
    for (int i = 0; i < n; i++) {
        if (!is_twist(r, k, i)) continue;
        const double x = i < n_q       ? q[i]
                         : i < 2 * n_q ? v[i - n_q]
                                       : td_estimator_get(r->e, 0, NULL);
        const double sigma = sqrt(k->P[i * (n + 1)]);
        if (!(fabs(x - k->x[i]) <= 1e-10 * sigma))
            fprintf(stderr, "step %d: x[%d] = %.17g, %.17g +- %g\n", at, i, x, k->x[i], sigma);
        CHECK_NEAR(x, k->x[i], 1e-10 * sigma);
        for (int j = 0; j < n; j++)
            if (is_twist(r, k, j))
                CHECK_NEAR(td_estimator_covariance(r->e)[i * n + j], k->P[i * n + j],
                           1e-10 * sigma * sqrt(k->P[j * (n + 1)]));
    }
}

static void filter_is_kalmans_where_the_robot_is_linear(void **state) {
    (void)state;
    rig r = rig_of(shaft, NULL);
    textbook k;
    const double dt = 2e-3;
    fill_textbook(&r, &k, dt);
    fine(&r, td_estimator_begin(r.e));
    compare(&r, &k, 0);
    for (int step = 1; step <= 60; step++) {
        textbook_step(&k);
        fine(&r, td_estimator_step(r.e, dt));
        if (step % 3 == 0) {  // readings of anything: the filter does not know what is true
            const double y[3] = {2.0 * normal(20, step), 10.0 * normal(21, step),
                                 0.2 + 0.1 * normal(22, step)};
            const td_reading readings[3] = {{0, y}, {1, y + 1}, {2, y + 2}};
            textbook_update(&k, y);
            fine(&r, td_estimator_update(r.e, readings, 3));
        }
        compare(&r, &k, step);
    }
    assert_true(fabs(td_estimator_get(r.e, 0, NULL)) > 1e-7);
    free_textbook(&k);
    rig_end(&r);
}

// ---------------------------------------------------------------- readings that come late
// The textbook's way is a state of all past ones: x_k, x_k-1, ..
static textbook augmented(const textbook *k, int past) {
    const int n = k->n, N = n * (past + 1);
    textbook a = {.n = N, .m = k->m, .n_x = k->n_x};
    assert_true(N <= (int)(sizeof a.Q / sizeof *a.Q));
    a.F = calloc((size_t)(N * N), sizeof(double)), a.P = calloc((size_t)(N * N), sizeof(double));
    a.T = calloc((size_t)(N * N), sizeof(double)), a.H = calloc((size_t)(3 * N), sizeof(double));
    a.x = calloc((size_t)N, sizeof(double)), a.g = calloc((size_t)N, sizeof(double));
    for (int i = 0; i < n; i++) {
        memcpy(a.F + i * N, k->F + i * n, sizeof(double) * (size_t)n);
        memcpy(a.P + i * N, k->P + i * n, sizeof(double) * (size_t)n);
        a.x[i] = k->x[i], a.g[i] = k->g[i], a.Q[i] = k->Q[i];
    }
    for (int i = n; i < N; i++) a.F[i * N + i - n] = 1.0;
    memcpy(a.R, k->R, sizeof a.R);
    return a;
}

// What has come since; each row of H is that of the state when the reading was taken.
static int read_late(const rig *r, const textbook *k, textbook *a, double dt, int *seen) {
    double y[3], taken;
    int late = 0;
    memset(a->H, 0, sizeof(double) * (size_t)(3 * a->n));
    for (int s = 0; s < 3; s++) {
        const int arrived = td_get_sensor(r->system, r->state, s, &y[s], &taken);
        const int lag = (int)lround((td_get_time(r->system, r->state) - taken) / dt);
        if (arrived == seen[s]) y[s] = (double)NAN;
        else memcpy(a->H + s * a->n + lag * k->n, k->H + s * k->n, sizeof(double) * (size_t)k->n);
        late += arrived != seen[s] && lag > 0;
        seen[s] = arrived;
    }
    textbook_update(a, y);
    return late;
}

static void late_readings_are_those_of_a_state_with_its_past(void **state) {
    (void)state;
    const double dt = 2e-3;
    rig r = rig_of(
        shaft,
        "sensors=[{name: twist, measures: rod.arm.35 %.u_z, noise: 0.5}, {name: gyro, measures: "
        "tip.gyro_z, rate: 500 Hz, delay: 5 ms, noise: 1 rad/s}, {name: marker, measures: "
        "tip.turn_z, rate: 125 Hz, delay: 7 ms, noise: 0.02}]");
    textbook k;
    fill_textbook(&r, &k, dt);
    textbook a = augmented(&k, 4);
    int seen[3] = {0}, late = 0;
    assert_true(td_begin(r.system, r.state) >= 0);
    fine(&r, td_estimator_begin(r.e));
    fine(&r, td_estimator_follow(r.e, r.state));
    read_late(&r, &k, &a, dt, seen);
    const int n_q = k.n_x / 2, n = td_estimator_n(r.e);
    assert_int_equal(n, k.n + 5 + 3);  // and what may be on its way
    td_set_input(r.system, r.state, td_find_input(r.system, "hidden"), 3e-6);
    for (int step = 1; step <= 30; step++) {
        double q[128], v[128];
        textbook_step(&a);
        assert_true(td_step(r.system, r.state, dt) >= 0);
        fine(&r, td_estimator_follow(r.e, r.state));
        late += read_late(&r, &k, &a, dt, seen);
        td_get_coordinates(r.system, td_estimator_state(r.e), q, v);
        for (int i = 0; i < k.n; i++) {
            if (!is_twist(&r, &k, i)) continue;
            const double x = i < n_q       ? q[i]
                             : i < 2 * n_q ? v[i - n_q]
                                           : td_estimator_get(r.e, 0, NULL);
            const double sigma = sqrt(a.P[i * (a.n + 1)]);
            CHECK_NEAR(x, a.x[i], 1e-10 * sigma);
            for (int j = 0; j < k.n; j++)
                if (is_twist(&r, &k, j))
                    CHECK_NEAR(td_estimator_covariance(r.e)[i * n + j], a.P[i * a.n + j],
                               1e-10 * sigma * sqrt(a.P[j * (a.n + 1)]));
        }
    }
    assert_true(late > 30);
    free_textbook(&k), free_textbook(&a);
    rig_end(&r);
}

// ---------------------------------------------------------------- consistency
// A bent arm that is shaken as its estimator thinks: the square of its error, in units of its covariance, is chi square of as many
// degrees as there are numbers.
static const char *const bent =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 50 MPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 10 ms}, base: {direction: [1, 0, 0]}}\n"
    "tendons: [{name: pull, offset: [0, 3 mm]}]\n"
    "loads: [{name: tip, at: tip, force: [0, side, push]}]\n"
    "inputs: {pull: 0.5 N}\n"
    "sensors:\n"
    "  - {name: gauges, measures: rod.arm.gauge, every: 66 mm, offset: [0, 2 mm], noise: 2e-06}\n"
    "  - {name: others, measures: rod.arm.gauge, every: 66 mm, offset: [2 mm, 0], noise: 2e-06}\n"
    "  - {name: camera, measures: tip.position, noise: 0.02 mm}\n"
    "  - {name: gyro, measures: tip.gyro, noise: 0.002 rad/s}\n"
    "estimator:\n"
    "  unknowns:\n"
    "    - {input: push, deviation: 0.2 mN, walk: 0.2 mN/sqrt(s)}\n"
    "    - {input: side, deviation: 0.2 mN, walk: 0.2 mN/sqrt(s)}\n"
    "    - {input: pull, mean: 0.5 N, deviation: 2 mN, walk: 2 mN/sqrt(s)}\n"
    "  noise: {coordinates: 0.0002, rates: 0.01}\n"
    "  start: {coordinates: 0.0001, rates: 0.001}\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 2}}\n";

static int draws;

// d becomes C'z, C'C = P (the upper factor of Cholesky by rows), z normal.
static void draw_with(int n, const double *P, int run, double *d) {
    double *L = calloc((size_t)(n * n), sizeof *L);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = P[i * n + j];
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j               ? sqrt(fmax(sum, 0.0))
                           : L[j * n + j] > 0.0 ? sum / L[j * n + j]
                                                : 0.0;
        }
    for (int i = 0; i < n; i++) d[i] = 0.0;
    for (int k = 0; k < n; k++) {
        const double z = normal(1000 + run, draws++);
        for (int i = k; i < n; i++) d[i] += L[i * n + k] * z;
    }
    free(L);
}

typedef struct shaken {  // what the estimator thinks of noise, by sensors and numbers
    const char *set[2];
    int n_sets;
    double noise[8], walks[12];
} shaken;

static const shaken as_written = {.noise = {2e-06, 2e-06, 2e-05, 0.002},
                                  .walks = {0.0002, 0.0002, 0.002}};
// An IMU in place of gauges, its biases unknown, and a camera that drifts.
static const shaken by_imu = {
    .set =
        {"sensors=[{name: camera, measures: tip.position, noise: 0.02 mm, drift: 0.05 mm/sqrt(s)}, "
         "{name: gyro, measures: tip.gyro, noise: 0.002 rad/s}, {name: imu, measures: "
         "tip.accelerometer, noise: 0.05}, {name: inner, measures: rod.arm.60 "
         "%.accelerometer_y, noise: 0.05}]",
         "estimator.unknowns=[{input: push, deviation: 0.2 mN, walk: 0.2 mN/sqrt(s)}, {bias: "
         "gyro, deviation: 0.01 rad/s, walk: 0.02}, {bias: imu, deviation: 0.1, walk: 0.2}]"},
    .n_sets = 2,
    .noise = {2e-05, 0.002, 0.05, 0.05},
    .walks = {0.0002, 0.02, 0.02, 0.02, 0.2, 0.2, 0.2, 5e-5, 5e-5, 5e-5}};

typedef struct truth {
    double q[64], v[64], w[12];
} truth;

static void put(rig *r, const truth *x, const int *inputs, int n_w) {
    for (int j = 0; j < n_w; j++)
        if (inputs[j] >= 0) td_set_input(r->system, r->state, inputs[j], x->w[j]);
    assert_true(td_set_coordinates(r->system, r->state, x->q, x->v) >= 0);
}

static void add_change(truth *x, int n_q, int n_w, const double *d) {
    for (int i = 0; i < n_q; i++) x->q[i] += d[i], x->v[i] += d[n_q + i];
    for (int j = 0; j < n_w; j++) x->w[j] += d[2 * n_q + j];
}

typedef struct place {  // of an accelerometer
    double s, velocity[3];
    td_pose pose;
} place;

static double turned(const double q[4], const double x[3], int axis, bool back) {
    const double w = q[0], a = back ? -q[1] : q[1], b = back ? -q[2] : q[2],
                 c = back ? -q[3] : q[3];
    const double R[3][3] = {{1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)},
                            {2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)},
                            {2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)}};
    return R[axis][0] * x[0] + R[axis][1] * x[1] + R[axis][2] * x[2];
}

static void look_at(const rig *r, place *p) {
    const td_sample now = td_get_sample(r->system, r->state, 0, p->s);
    p->pose = now.pose;
    for (int k = 0; k < 3; k++) p->velocity[k] = turned(now.pose.q, now.velocity + 3, k, false);
}

// "gyro.x.bias" of channel 0 of the gyro.
static double bias_of(const rig *r, const truth *x, int sensor, int channel) {
    char name[128], text[160];
    td_sensor_channel(r->system, sensor, channel, name, sizeof name);
    snprintf(text, sizeof text, "%s.bias", name);
    for (int j = 0; j < td_estimator_n_numbers(r->e); j++)
        if (strcmp(td_estimator_name(r->e, j), text) == 0) return x->w[j];
    return 0.0;
}

// What sensors read after a step of dt: of accelerometers by hand, as the robot was moved since by what is not in its equations.
static void read_all(rig *r, const place before[2], double dt, double y[4][8]) {
    for (int s = 0; s < td_n_sensors(r->system); s++) {
        const char *name = td_sensor_name(r->system, s);
        const bool imu = strcmp(name, "imu") == 0, inner = strcmp(name, "inner") == 0;
        place now = before[inner];
        double felt[3];
        td_get_sensor_truth(r->system, r->state, s, y[s]);
        if (!imu && !inner) continue;
        look_at(r, &now);
        for (int k = 0; k < 3; k++)
            felt[k] = (now.velocity[k] - before[inner].velocity[k]) / dt + (k == 2 ? 9.81 : 0.0);
        for (int k = 0; k < (imu ? 3 : 1); k++)
            y[s][k] = turned(now.pose.q, felt, imu ? k : 1, true);
    }
}

// e' P^-1 e after a run of steps, each with noise; *surprise adds up those of readings.
static double run_once(rig *r, const shaken *by, int run, int steps, double *surprise,
                       int *n_readings) {
    const int n_w = td_estimator_n_numbers(r->e), n_q = td_n_coordinates(r->system);
    const int n = 2 * n_q + n_w, N = td_estimator_n(r->e), n_sensors = td_n_sensors(r->system);
    const double dt = 2e-3;
    int inputs[12];
    double d[160], y[4][8], *P = malloc(sizeof *P * (size_t)(n * n));
    truth x = {0};
    draws = 0;
    fine(r, td_estimator_begin(r->e));
    td_get_coordinates(r->system, td_estimator_state(r->e), x.q, x.v);
    for (int j = 0; j < n_w; j++) {
        inputs[j] = td_find_input(r->system, td_estimator_name(r->e, j));
        x.w[j] = td_estimator_get(r->e, j, NULL);
    }
    for (int i = 0; i < td_n_inputs(r->system); i++)
        td_set_input(r->system, r->state, i, td_get_input(r->system, td_estimator_state(r->e), i));
    for (int i = 0; i < n; i++)
        memcpy(P + i * n, td_estimator_covariance(r->e) + i * N, sizeof *P * (size_t)n);
    draw_with(n, P, run, d);
    add_change(&x, n_q, n_w, d);
    put(r, &x, inputs, n_w);
    for (int k = 0; k < steps; k++) {
        place before[2] = {{.s = 0.2}, {.s = 0.12}};
        for (int i = 0; i < 2; i++) look_at(r, &before[i]);
        assert_true(td_step(r->system, r->state, dt) >= 0);
        td_get_coordinates(r->system, r->state, x.q, x.v);
        for (int i = 0; i < n_q; i++) {
            d[i] = 0.0002 * 5.0 * sqrt(dt) * normal(1000 + run, draws++);
            d[n_q + i] = 0.01 * 5.0 * sqrt(dt) * normal(1000 + run, draws++);
        }
        for (int j = 0; j < n_w; j++)
            d[2 * n_q + j] = by->walks[j] * sqrt(dt) * normal(1000 + run, draws++);
        add_change(&x, n_q, n_w, d);
        put(r, &x, inputs, n_w);
        td_reading readings[4];
        read_all(r, before, dt, y);
        for (int s = 0; s < n_sensors; s++) {
            for (int c = 0; c < td_sensor_channels(r->system, s); c++)
                y[s][c] += by->noise[s] * normal(1000 + run, draws++) + bias_of(r, &x, s, c);
            readings[s] = (td_reading){s, y[s]};
        }
        fine(r, td_estimator_step(r->e, dt));
        fine(r, td_estimator_update(r->e, readings, n_sensors));
        int m;
        *surprise += td_estimator_surprise(r->e, &m);
        *n_readings += m;
    }
    double q[64], v[64], e[160], off[160], sum = 0.0;
    td_get_coordinates(r->system, td_estimator_state(r->e), q, v);
    for (int i = 0; i < n_q; i++) off[i] = x.q[i] - q[i], off[n_q + i] = x.v[i] - v[i];
    for (int j = 0; j < n_w; j++) off[2 * n_q + j] = x.w[j] - td_estimator_get(r->e, j, NULL);
    memcpy(e, off, sizeof e);
    for (int i = 0; i < n; i++)
        memcpy(P + i * n, td_estimator_covariance(r->e) + i * N, sizeof *P * (size_t)n);
    textbook_eliminate(n, P, e);
    for (int i = 0; i < n; i++) sum += off[i] * e[i];
    free(P);
    return sum;
}

static void check_errors(const shaken *by) {
    rig r = rig_of_sets(bent, by->set, by->n_sets);
    const int runs = getenv("TENDRIL_TEST_LONG") ? 1000 : check_briefly() ? 10 : 60, steps = 25;
    double sum = 0.0, surprise = 0.0;
    int n_readings = 0;
    for (int run = 0; run < runs; run++)
        sum += run_once(&r, by, run, steps, &surprise, &n_readings);
    const double n = (double)runs * (2 * td_n_coordinates(r.system) + td_estimator_n_numbers(r.e));
    printf("%d runs: mean square error %.4f of what is said, band 1 +- %.4f; of readings %.4f, +- "
           "%.4f\n",
           runs, sum / n, 1.96 * sqrt(2.0 / n), surprise / n_readings,
           1.96 * sqrt(2.0 / n_readings));
    CHECK_NEAR(sum / n, 1.0, 1.96 * sqrt(2.0 / n));
    CHECK_NEAR(surprise / n_readings, 1.0, 1.96 * sqrt(2.0 / n_readings));
    rig_end(&r);
}

static void errors_are_as_large_as_it_says(void **state) {
    (void)state;
    check_errors(&as_written);
}

static void errors_are_as_large_with_an_imu_that_drifts(void **state) {
    (void)state;
    check_errors(&by_imu);
}

// ---------------------------------------------------------------- Cramer and Rao
// A force at the tip from strain gauges, nothing thought of it before.
static const char *const pushed =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, base: {direction: [1, 0, 0]}}\n"
    "loads: [{name: tip, at: tip, force: [0, side, push]}]\n"
    "inputs: {push: 0.3 N, side: -0.2 N}\n"
    "sensors:\n"
    "  - {name: a, measures: rod.arm.gauge, every: 50 mm, offset: [2 mm, 0], noise: 2e-5}\n"
    "  - {name: b, measures: rod.arm.gauge, every: 50 mm, offset: [0, 2 mm], noise: 2e-5}\n"
    "estimator: {unknowns: [{input: push}, {input: side}]}\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 4}}\n";

static void force_from_gauges_reaches_the_bound(void **state) {
    (void)state;
    rig r = rig_of(pushed, NULL);
    const int runs = check_briefly() ? 100 : 1600;
    const int inputs[2] = {td_find_input(r.system, "push"), td_find_input(r.system, "side")};
    const double force[2] = {0.3, -0.2}, h = 1e-4;
    double true_y[8], y[8], J[8][2], sides[2][8], information[4] = {0};
    for (int j = 0; j < 2; j++) {
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 2; k++)
                td_set_input(r.system, r.state, inputs[k], force[k] + (k == j) * (s ? h : -h));
            assert_true(td_solve_statics(r.system, r.state) >= 0);
            td_get_sensor_truth(r.system, r.state, 0, sides[s]);
            td_get_sensor_truth(r.system, r.state, 1, sides[s] + 4);
        }
        for (int c = 0; c < 8; c++) J[c][j] = (sides[1][c] - sides[0][c]) / (2.0 * h);
    }
    for (int c = 0; c < 8; c++)
        for (int j = 0; j < 4; j++) information[j] += J[c][j / 2] * J[c][j % 2] / (2e-5 * 2e-5);
    const double det = information[0] * information[3] - information[1] * information[2];
    const double bound[2] = {sqrt(information[3] / det), sqrt(information[0] / det)};
    assert_true(td_begin(r.system, r.state) >= 0);
    td_get_sensor_truth(r.system, r.state, 0, true_y);
    td_get_sensor_truth(r.system, r.state, 1, true_y + 4);
    double squares[2] = {0}, mean[2] = {0}, deviation;
    const td_reading readings[2] = {{0, y}, {1, y + 4}};
    for (int run = 0; run < runs; run++) {
        for (int c = 0; c < 8; c++) y[c] = true_y[c] + 2e-5 * normal(30 + c, run);
        fine(&r, td_estimator_rest(r.e, readings, 2));
        for (int j = 0; j < 2; j++) {
            const double off = td_estimator_get(r.e, j, &deviation) - force[j];
            squares[j] += off * off, mean[j] += off;
            CHECK_NEAR(deviation, bound[j], 0.02 * bound[j]);
        }
    }
    for (int j = 0; j < 2; j++) {
        const double seen = sqrt(squares[j] / runs);
        printf("%s: %.4g N, bound %.4g N (%.2f %%)\n", td_estimator_name(r.e, j), seen, bound[j],
               100.0 * (seen / bound[j] - 1.0));
        if (runs >= 1600) CHECK_NEAR(seen, bound[j], 0.05 * bound[j]);
        CHECK_NEAR(mean[j] / runs, 0.0, 4.0 * bound[j] / sqrt(runs));
    }
    rig_end(&r);
}

// ---------------------------------------------------------------- where a force acts
static const char *const touched =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.3, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1000}}\n"
    "loads:\n"
    "  - {name: t1, at: 60 mm, force: [t1, 0, 0]}\n"
    "  - {name: t2, at: 120 mm, force: [t2, 0, 0]}\n"
    "  - {name: t3, at: 180 mm, force: [t3, 0, 0]}\n"
    "  - {name: t4, at: 240 mm, force: [t4, 0, 0]}\n"
    "  - {name: t5, at: 300 mm, force: [t5, 0, 0]}\n"
    "sensors: [{name: fibre, measures: rod.arm.gauge, every: 20 mm, offset: [2 mm, 0], noise: "
    "1e-6}]\n"
    "estimator:\n"
    "  unknowns: [{name: touch, inputs: [t1, t2, t3, t4, t5], places: [60 mm, 120 mm, 180 mm, 240 "
    "mm, 300 mm], deviation: 1 N}]\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 12}}\n";

// The reading of a robot with a single load where it acts.
static void read_touched(double s, double force, double y[15]) {
    char text[1024];
    td_error err;
    snprintf(text, sizeof text,
             "tendril: 1\ngravity: [0, 0, 0]\n"
             "rods:\n  - {name: arm, length: 0.3, section: {radius: 2 mm}, material: "
             "{youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"
             "loads: [{name: t, at: %.12g, force: [%.12g, 0, 0]}]\n"
             "sensors: [{name: fibre, measures: rod.arm.gauge, every: 20 mm, offset: [2 mm, 0]}]\n"
             "simulation: {theory: kirchhoff, space: {nodes: 12}}\n",
             s, force);
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = td_state_create(system);
    assert_true(td_begin(system, state) >= 0);
    td_get_sensor_truth(system, state, 0, y);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void a_force_is_found_where_it_acts(void **state) {
    (void)state;
    rig r = rig_of(touched, NULL);
    assert_string_equal(td_estimator_name(r.e, 0), "touch");
    assert_string_equal(td_estimator_name(r.e, 1), "touch.place");
    assert_string_equal(td_estimator_unit(r.e, 1), "m");
    const double places[4] = {0.09, 0.15, 0.21, 0.27};
    for (int i = 0; i < 4; i++) {
        double y[15], deviation;
        const td_reading reading = {0, y};
        const double force = i % 2 ? -0.15 : 0.15;
        read_touched(places[i], force, y);
        // strains within the stretch of the force are those of two that share it: they tell nothing
        for (int c = 0; c < 15; c++)
            if (fabs(0.02 * (c + 1) - places[i]) < 0.031) y[c] = (double)NAN;
        fine(&r, td_estimator_begin(r.e));
        fine(&r, td_estimator_rest(r.e, &reading, 1));
        CHECK_NEAR(td_estimator_get(r.e, 0, NULL), force, 2e-3);
        CHECK_NEAR(td_estimator_get(r.e, 1, &deviation), places[i], 1e-3);
        assert_true(deviation > 0.0 && deviation < 2e-3);
    }
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_least_squares_where_the_robot_is_linear),
        cmocka_unit_test(outputs_are_as_sure_as_the_moments_that_bend),
        cmocka_unit_test(filter_is_kalmans_where_the_robot_is_linear),
        cmocka_unit_test(late_readings_are_those_of_a_state_with_its_past),
        cmocka_unit_test(errors_are_as_large_as_it_says),
        cmocka_unit_test(errors_are_as_large_with_an_imu_that_drifts),
        cmocka_unit_test(force_from_gauges_reaches_the_bound),
        cmocka_unit_test(a_force_is_found_where_it_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
