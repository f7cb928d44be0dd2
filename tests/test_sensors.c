// Sensors: the generator against its published vectors, noise against its formulas with stated confidence, times of readings, what
// each kind measures against closed forms, slopes against differences of steps, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "math/random.h"

#include "not_compiled.h"
#include "scene.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- robots
static const char *const head =
    "tendril: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "shear_modulus: 0.4 GPa, density: 1000}%s}\n"
    "tendons: [{name: east, rod: arm, offset: [5 mm, 0]}]\n"
    "loads: [{name: tip, at: tip, force: [push, 0, 0], moment: [0, bend, twist]}]\n";

static const char *const moving =
    ", base: {position: [slide, 0, 0], motion: {rotation: [0, 0, spin]}}";

static void put_text(const char *rest, char text[4096]) {
    const int n = snprintf(text, 4096, head, strstr(rest, "slide") ? moving : "");
    snprintf(text + n, 4096 - (size_t)n, "%s", rest);
}

static scene rig_of(const char *rest, const char *model) {
    char text[4096], set[64];
    const char *const sets[1] = {set};
    put_text(rest, text);
    snprintf(set, sizeof set, "simulation.model=%s", model);
    return scene_of(text, sets, 1);
}

static double one(const scene *r, const char *name) {
    double y[64];
    assert_true(td_get_sensor(r->system, r->state, td_find_sensor(r->system, name), y, NULL) > 0);
    return y[0];
}

// ---------------------------------------------------------------- noise
// Random123's known answers for philox4x32-10.
static void the_generator_gives_its_published_numbers(void **state) {
    (void)state;
    static const struct {
        random_block counter;
        uint32_t key[2];
        random_block answer;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (int i = 0; i < 3; i++) {
        const random_block x = philox(known[i].counter, known[i].key[0], known[i].key[1]);
        assert_memory_equal(&x, &known[i].answer, sizeof x);
    }
}

typedef struct moments {
    double mean, variance, skew, kurtosis, lag;
} moments;

static moments moments_of(const double *x, int n) {
    moments m = {0};
    for (int i = 0; i < n; i++) m.mean += x[i] / n;
    double third = 0.0, fourth = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = x[i] - m.mean;
        m.variance += d * d / (n - 1);
        third += d * d * d / n, fourth += d * d * d * d / n;
        if (i > 0) m.lag += d * (x[i - 1] - m.mean) / n;
    }
    m.skew = third / pow(m.variance, 1.5), m.kurtosis = fourth / (m.variance * m.variance);
    m.lag /= m.variance;
    return m;
}

// Each bound is 4 deviations of its estimate: right sensors fail one in 16000 of these, were the seed not fixed.
static void white_noise_has_its_density(void **state) {
    (void)state;
    enum { N = 20000 };
    scene r = rig_of("sensors:\n"
                     "  - {name: plain, measures: tip.x, noise: 2 mm, bias: 10 mm}\n"
                     "  - {name: dense, measures: tip.gyro_x, rate: 400 Hz, density: "
                     "0.01 deg/s/sqrt(Hz)}\n"
                     "  - {name: coarse, measures: tip.y, noise: 1 mm, quantum: 1 mm}\n",
                     "constant_curvature");
    double *x = malloc(3 * N * sizeof *x);
    scene_begin(&r);
    for (int k = 0; k < N; k++) {
        assert_int_equal(td_read_sensors(r.system, r.state), TD_OK);
        x[k] = one(&r, "plain"), x[N + k] = one(&r, "dense"), x[2 * N + k] = one(&r, "coarse");
        CHECK_NEAR(x[2 * N + k], 1e-3 * round(x[2 * N + k] / 1e-3), 1e-15);
    }
    const double root = sqrt((double)N), dense = 0.01 * PI / 180.0 * sqrt(400.0);
    const moments a = moments_of(x, N), b = moments_of(x + N, N), c = moments_of(x + 2 * N, N);
    CHECK_NEAR(a.mean, 10e-3, 4.0 * 2e-3 / root);
    CHECK_NEAR(a.variance, 4e-6, 4.0 * 4e-6 * sqrt(2.0) / root);
    CHECK_NEAR(a.skew, 0.0, 4.0 * sqrt(6.0) / root);
    CHECK_NEAR(a.kurtosis, 3.0, 4.0 * sqrt(24.0) / root);
    CHECK_NEAR(a.lag, 0.0, 4.0 / root);
    CHECK_NEAR(b.variance, dense * dense, 4.0 * dense * dense * sqrt(2.0) / root);
    // rounding adds quantum^2/12 where noise spreads over it
    const double both = 1e-6 * (1.0 + 1.0 / 12.0);
    CHECK_NEAR(c.variance, both, 4.0 * both * sqrt(2.0) / root);
    double together = 0.0;
    for (int k = 0; k < N; k++) together += (x[k] - a.mean) * (x[N + k] - b.mean) / N;
    CHECK_NEAR(together / sqrt(a.variance * b.variance), 0.0, 4.0 / root);
    free(x);
    scene_end(&r);
}

// Allan variance of white noise of density N and a bias that walks by K: N^2/tau + K^2 tau/3 (IEEE Std 952). That of n pairs of means
// deviates by sqrt(3/n) or less.
static double allan_variance(const double *x, int n, int m) {
    const int means = n / m;
    double sum = 0.0, before = 0.0;
    for (int k = 0; k < means; k++) {
        double mean = 0.0;
        for (int i = 0; i < m; i++) mean += x[k * m + i] / m;
        if (k > 0) sum += 0.5 * (mean - before) * (mean - before);
        before = mean;
    }
    return sum / (means - 1);
}

static void the_imu_has_its_allan_deviation(void **state) {
    (void)state;
    enum { N = 40000 };
    const double rate = 100.0, density = 1e-3, walk = 2e-3;
    scene r = rig_of("sensors:\n"
                     "  - {name: gyro, measures: tip.gyro_z, rate: 100 Hz, density: 1e-3, drift: "
                     "2e-3 rad/s/sqrt(s)}\n",
                     "constant_curvature");
    double *x = malloc(N * sizeof *x);
    scene_begin(&r);
    for (int k = 0; k < N; k++) {
        assert_true(td_step(r.system, r.state, 0.01) >= 0);
        x[k] = one(&r, "gyro");
    }
    static const int groups[] = {1, 3, 10, 30, 100, 200, 400};
    for (int i = 0; i < 7; i++) {
        const int m = groups[i];
        const double tau = m / rate, pairs = (double)(N / m - 1);
        const double expected = density * density / tau + walk * walk * tau / 3.0;
        CHECK_NEAR(allan_variance(x, N, m) / expected, 1.0, 4.0 * sqrt(3.0 / pairs));
    }
    free(x);
    scene_end(&r);
}

static const char *const noisy =
    "sensors:\n"
    "  - {name: camera, measures: tip.position, rate: 100 Hz, delay: 15 ms, noise: 1 mm, drift: "
    "1e-3}\n"
    "  - {name: imu, measures: tip.accelerometer, density: 1e-2, rate: 500 Hz}\n"
    "inputs: {push: \"0.1*sin(20*t)\"}\n";

static void the_same_seed_gives_the_same_bits(void **state) {
    (void)state;
    scene a = rig_of(noisy, "cosserat"), b = rig_of(noisy, "cosserat");
    double x[2][3], other[3];
    scene_begin(&a), scene_begin(&b);
    char *buffer = malloc(td_snapshot_bytes(b.system));
    for (int k = 0; k < 60; k++) {
        td_advance(a.system, a.state, 2e-3), td_advance(b.system, b.state, 2e-3);
        if (k == 29)  // in the middle of delays
            td_state_save(b.system, b.state, buffer, td_snapshot_bytes(b.system));
    }
    td_get_sensor(a.system, a.state, 0, x[0], NULL),
        td_get_sensor(b.system, b.state, 0, x[1], NULL);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    // a snapshot goes on to the same bits
    td_state_restore(b.system, b.state, buffer, td_snapshot_bytes(b.system));
    for (int k = 0; k < 30; k++) td_advance(b.system, b.state, 2e-3);
    for (int s = 0; s < 2; s++) {
        td_get_sensor(a.system, a.state, s, x[0], NULL);
        td_get_sensor(b.system, b.state, s, x[1], NULL);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
    // and another seed to others
    td_state_restore(b.system, b.state, buffer, td_snapshot_bytes(b.system));
    assert_int_equal(td_set_seed(b.system, b.state, 7.0), TD_OK);
    assert_int_equal(td_set_seed(b.system, b.state, 7.5), TD_ERR_ARGUMENT);
    for (int k = 0; k < 30; k++) td_advance(b.system, b.state, 2e-3);
    td_get_sensor(b.system, b.state, 0, other, NULL);
    assert_memory_not_equal(x[0], other, sizeof other);
    free(buffer);
    scene_end(&a), scene_end(&b);
}

static void other_sensors_change_nothing(void **state) {
    (void)state;
    scene a = rig_of("sensors: [{name: camera, measures: tip.x, noise: 1}]\n", "cosserat");
    scene b = rig_of("sensors: [{name: first, measures: tip.y, noise: 1}, {name: camera, measures: "
                     "tip.x, noise: 1}]\n",
                     "cosserat");
    scene_begin(&a), scene_begin(&b);
    CHECK_NEAR(one(&a, "camera"), one(&b, "camera"), 0.0);
    assert_true(one(&b, "first") - one(&b, "camera") != 0.0);
    scene_end(&a), scene_end(&b);
}

// ---------------------------------------------------------------- times
// The tension is the time: readings say when they were taken.
static void readings_come_at_their_rate_after_their_delay(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: load, measures: tendon.east.tension, rate: 500 Hz, delay: "
                     "3 ms}]\n"
                     "inputs: {east: \"1 + t\"}\n",
                     "cosserat");
    scene_begin(&r);
    int arrived = 1;  // the one at rest
    for (int k = 1; k <= 200; k++) {
        double y, taken;
        assert_true(td_advance(r.system, r.state, 1e-3) >= 0);
        const int n = td_get_sensor(r.system, r.state, 0, &y, &taken);
        const int sample = k >= 5 ? 2 * ((k - 3) / 2) : 0;  // ms
        CHECK_NEAR(taken, 1e-3 * sample, 1e-12);
        CHECK_NEAR(y, 1.0 + taken, 1e-9);
        arrived += sample > 0 && (k - 3) % 2 == 0;
        assert_int_equal(n, arrived);
    }
    scene_end(&r);
}

static void readings_end_at_their_range(void **state) {
    (void)state;
    scene r =
        rig_of("sensors: [{name: load, measures: tendon.east.tension, range: [0.5 N, 1.25 N], "
               "quantum: 0.3 N}]\n"
               "inputs: {east: \"10*t\"}\n",
               "cosserat");
    scene_begin(&r);
    CHECK_NEAR(one(&r, "load"), 0.6, 1e-15);
    for (int k = 1; k <= 20; k++) {
        td_advance(r.system, r.state, 1e-2);
        const double y = fmin(fmax(0.1 * k, 0.5), 1.25);
        CHECK_NEAR(one(&r, "load"), fmin(0.3 * round(y / 0.3), 1.25), 1e-12);
    }
    scene_end(&r);
}

// ---------------------------------------------------------------- what they measure
static void gauges_read_bending_and_torsion(void **state) {
    (void)state;
    scene r =
        rig_of("sensors:\n"
               "  - {name: top, measures: rod.arm.30 %.gauge, offset: [2 mm, 0]}\n"
               "  - {name: fibre, measures: rod.arm.gauge, every: 50 mm, offset: [-2 mm, 0]}\n"
               "  - {name: rosette, measures: rod.arm.0.1 m.gauge, offset: [0, 2 mm], angle: "
               "45 deg}\n"
               "inputs: {bend: 0.02, twist: 0.0}\n",
               "cosserat");
    const td_number none[3] = {{0}};
    td_robot_set_gravity(r.robot, none, &r.err);
    scene_build(&r);
    scene_begin(&r);
    const double a = 2e-3, I = PI * pow(a, 4) / 4.0, u = 0.02 / (1e9 * I);
    double y[8];
    CHECK_NEAR(one(&r, "top"), -a * u, 1e-9);  // pressed where a moment about y bends towards x
    assert_int_equal(td_sensor_channels(r.system, 1), 4);
    td_get_sensor(r.system, r.state, 1, y, NULL);
    for (int k = 0; k < 4; k++) CHECK_NEAR(y[k], a * u, 1e-9);
    td_set_input(r.system, r.state, td_find_input(r.system, "bend"), 0.0);
    td_set_input(r.system, r.state, td_find_input(r.system, "twist"), 0.02);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    const double w = a * 0.02 / (0.4e9 * 2.0 * I);
    CHECK_NEAR(one(&r, "rosette"), sqrt(1.0 + w + 0.5 * w * w) - 1.0, 1e-9);
    CHECK_NEAR(one(&r, "top"), sqrt(1.0 + w * w) - 1.0, 1e-9);
    scene_end(&r);
}

// At the base: what moves it is known.
static void an_imu_feels_its_base_and_gravity(void **state) {
    (void)state;
    scene r = rig_of("sensors:\n"
                     "  - {name: accelerometer, measures: rod.arm.base.accelerometer}\n"
                     "  - {name: gyro, measures: rod.arm.base.gyro}\n"
                     "inputs: {slide: \"1.5*t^2\", spin: \"0.4*sin(t)\"}\n",
                     "cosserat");
    double y[3];
    scene_begin(&r);
    td_get_sensor(r.system, r.state, 0, y, NULL);
    CHECK_NEAR(y[2], 9.81, 1e-12);
    for (int k = 1; k <= 100; k++) assert_true(td_advance(r.system, r.state, 2e-3) >= 0);
    const double t = 0.2, angle = 0.4 * sin(t);
    td_get_sensor(r.system, r.state, 0, y,
                  NULL);                       // the acceleration is 3 m/s^2 along x of the world
    CHECK_NEAR(y[0], 3.0 * cos(angle), 1e-5);  // the scheme's, in axes that turn
    CHECK_NEAR(y[1], -3.0 * sin(angle), 1e-5);
    CHECK_NEAR(y[2], 9.81, 1e-6);
    td_get_sensor(r.system, r.state, 1, y, NULL);
    CHECK_NEAR(y[2], 0.4 * cos(t), 1e-9);
    scene_end(&r);
}

static void forces_on_obstacles_are_felt(void **state) {
    (void)state;
    scene r =
        rig_of("obstacles: [{name: wall, plane: {}, position: [5 mm, 0, 0], direction: [-1, 0, "
               "0]}]\n"
               "sensors: [{name: skin, measures: obstacle.wall.force}]\n"
               "inputs: {push: 0.3}\n",
               "cosserat");
    double y[3];
    scene_begin(&r);
    td_get_sensor(r.system, r.state, 0, y, NULL);
    // what pushes, and does not arrive at the base; the wall is smooth
    const td_reaction base = td_get_reaction(r.system, r.state, 0, TD_BASE);
    CHECK_NEAR(y[0], 0.3 + base.force[0], 1e-6);
    for (int k = 1; k < 3; k++) CHECK_NEAR(y[k], 0.0, 1e-12);
    assert_true(y[0] > 0.05);
    scene_end(&r);
}

// ---------------------------------------------------------------- slopes
// Against differences of the same step under inputs that differ.
static void check_slopes(scene r) {
    enum { MOST = 24, INPUTS = 8 };
    scene_begin(&r);
    for (int k = 0; k < 20; k++) assert_true(td_advance(r.system, r.state, 2e-3) >= 0);
    const int n = td_n_inputs(r.system), n_sensors = td_n_sensors(r.system);
    char *here = malloc(td_snapshot_bytes(r.system));
    td_state_save(r.system, r.state, here, td_snapshot_bytes(r.system));
    for (int s = 0; s < n_sensors; s++) {
        td_output outputs[8];
        double slopes[MOST * INPUTS], high[MOST], low[MOST];
        const int n_outputs = td_sensor_outputs(r.system, s, outputs);
        const int channels = td_sensor_channels(r.system, s);
        td_linearisation *l = td_linearisation_create(r.system, outputs, n_outputs, &r.err);
        assert_non_null(l);
        td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
        const td_status status = td_differentiate_step(r.system, r.state, 2e-3, l);
        if (status < 0) fprintf(stderr, "%s\n", td_message(r.state));
        assert_true(status >= 0);
        assert_int_equal(td_sensor_slopes(r.system, r.state, s, td_get_step_map(l)->D, n, slopes),
                         TD_OK);
        for (int j = 0; j < n; j++) {
            const char *name = td_input_name(r.system, j);
            const double h = !strcmp(name, "push") || !strcmp(name, "east") ? 1e-3 : 1e-5;
            for (int side = 0; side < 2; side++) {
                td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
                td_set_input(r.system, r.state, j,
                             td_get_input(r.system, r.state, j) + (side ? h : -h));
                assert_true(td_step(r.system, r.state, 2e-3) >= 0);
                td_get_sensor_truth(r.system, r.state, s, side ? high : low);
            }
            double size = 0.0;
            for (int c = 0; c < channels; c++) size = fmax(size, fabs(slopes[c * n + j]));
            for (int c = 0; c < channels; c++)
                CHECK_NEAR(slopes[c * n + j], (high[c] - low[c]) / (2.0 * h), 2e-5 * size + 1e-9);
        }
        td_linearisation_destroy(l);
    }
    free(here);
    scene_end(&r);
}

static void slopes_are_those_of_steps(void **state) {
    (void)state;
    check_slopes(
        rig_of("sensors:\n"
               "  - {name: place, measures: tip.position}\n"
               "  - {name: turn, measures: tip.turn}\n"
               "  - {name: gyro, measures: tip.gyro}\n"
               "  - {name: gauges, measures: rod.arm.gauge, every: 80 mm, offset: [2 mm, 1 mm], "
               "angle: 20 deg}\n"
               "  - {name: cable, measures: tendon.east.length}\n"
               "  - {name: imu, measures: tip.accelerometer}\n"
               "  - {name: imus, measures: rod.arm.accelerometer_y, every: 100 mm}\n"
               "  - {name: encoder, measures: tendon.east.displacement}\n"
               "inputs: {bend: \"0.05*sin(30*t)\", twist: \"0.02*sin(20*t)\", east: 1}\n",
               "cosserat"));
}

// The whole answer of an accelerometer to the state before a step: what outputs after it do, and the velocity before.
static void accelerometers_answer_to_the_state_before(void **state) {
    (void)state;
    enum { MOST = 512 };
    const char *const sets[] = {"simulation.time.scheme=sdirk2", "simulation.space.nodes=3"};
    char text[4096];
    put_text("sensors: [{name: imu, measures: rod.arm.accelerometer, every: 100 mm}]\n"
             "inputs: {bend: \"0.05*sin(30*t)\", twist: \"0.02*sin(20*t)\", east: 1}\n",
             text);
    scene r = scene_of(text, sets, 2);
    const double dt = 2e-3;
    const size_t bytes = td_snapshot_bytes(r.system);
    double q[MOST], v[MOST], before[6 * 2 * MOST], after[6 * 2 * MOST], rows[24 * 2 * MOST];
    td_output outputs[4];
    scene_begin(&r);
    for (int k = 0; k < 20; k++) assert_true(td_advance(r.system, r.state, dt) >= 0);
    const int n_q = td_n_coordinates(r.system), n = 2 * n_q;
    assert_int_equal(td_sensor_outputs(r.system, 0, outputs), 4);
    td_linearisation *l = td_linearisation_create(r.system, outputs, 4, &r.err);
    td_get_coordinates(r.system, r.state, q, v);
    assert_int_equal(td_set_coordinates(r.system, r.state, q, v), TD_OK);
    char *here = malloc(bytes);
    td_state_save(r.system, r.state, here, bytes);
    assert_true(td_linearise(r.system, r.state, l) >= 0);
    const td_linear *a = td_get_linear(l);
    assert_int_equal(a->n_multipliers, 0);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < n_q; k++) {
            rows[i * n + k] = a->C[i * n_q + k];
            rows[i * n + n_q + k] = a->C1[i * n_q + k];
        }
    assert_true(td_differentiate_step(r.system, r.state, dt, l) >= 0);
    assert_int_equal(td_get_step_map(l)->n_states, n);
    assert_int_equal(td_sensor_slopes(r.system, r.state, 0, td_get_step_map(l)->C, n, after),
                     TD_OK);
    assert_int_equal(td_sensor_slopes_before(r.system, r.state, 0, rows, n, before), TD_OK);
    for (int k = 0; k < n; k += 5) {
        double y[2][6], size = 0.0;
        const double h = k < n_q ? 1e-6 : 1e-4;
        for (int side = 0; side < 2; side++) {
            double *x = k < n_q ? &q[k] : &v[k - n_q], was = *x;
            *x += side ? h : -h;
            td_state_restore(r.system, r.state, here, bytes);
            assert_int_equal(td_set_coordinates(r.system, r.state, q, v), TD_OK);
            assert_true(td_step(r.system, r.state, dt) >= 0);
            td_get_sensor_truth(r.system, r.state, 0, y[side]);
            *x = was;
        }
        for (int c = 0; c < 6; c++) size = fmax(size, fabs(after[c * n + k]));
        for (int c = 0; c < 6; c++)
            CHECK_NEAR(after[c * n + k] + before[c * n + k], (y[1][c] - y[0][c]) / (2.0 * h),
                       1e-5 * size + 1e-6);
    }
    td_linearisation_destroy(l);
    free(here);
    scene_end(&r);
}

// ---------------------------------------------------------------- files
static void refuse(const char *sensor, const char *word) {
    char text[4096], rest[256];
    snprintf(rest, sizeof rest, "sensors: [%s]\n", sensor);
    put_text(rest, text);
    check_not_compiled(text, ": sensors", word);  // behind its line
}

static void mistakes_are_told(void **state) {
    (void)state;
    refuse("{name: a}", "the key 'measures' is missing");
    refuse("{measures: tip.positon}", "did you mean 'position'?");
    refuse("{measures: tip.x, rate: 0 Hz}", "at 0 Hz there is no reading");
    refuse("{measures: tip.x, noise: 2 N}", "a length (m) is expected");
    refuse("{measures: tip.x, density: 2 mm}", "must end in /sqrt(Hz)");
    refuse("{measures: tip.x, density: 2 mm/sqrt(Hz)}", "a rate is needed");
    refuse("{measures: tip.x, delay: 2 ms}", "a rate is needed");
    refuse("{measures: tip.x, noise: -1}", "negative");
    refuse("{measures: tip.x, range: [1, 0]}", "low below high");
    refuse("{measures: rod.leg.tip.x}", "there is no rod 'leg'");
    refuse("{measures: tendon.west.tension}", "there is no tendon 'west'");
    refuse("{measures: obstacle.wall.force}", "there is no such obstacle");
    refuse("{measures: tendon.east.gauge}", "tendon");
    refuse("{measures: tendon.east.pressure}", "of a tendon there are tension, length");
    refuse("{measures: rod.arm.gauge, every: 1 m}", "`every` must fit into the rod");
    refuse("{measures: tip.postion, noise: 1 mm}", "did you mean 'position'?");
    refuse("{measures: tendon.east.tension, every: 1 m}", "tendon");
    refuse("{measures: tip.x, rate: 1e6, delay: 1 s}", "on their way");
    refuse("{name: a, measures: tip.x}, {name: a, measures: tip.y}", "a");
}

static void robots_are_written_with_their_sensors(void **state) {
    (void)state;
    scene r =
        rig_of("sensors:\n"
               "  - {name: camera, measures: tip.position, rate: 100 Hz, delay: 15 ms, noise: "
               "1 mm, drift: 1e-3, density: 2e-4, quantum: 0.1 mm, range: [-1, 2], bias: 1 mm}\n"
               "  - {name: fibre, measures: rod.arm.gauge, every: 50 mm, offset: [2 mm, 1 mm], "
               "angle: 10 deg}\n",
               "cosserat");
    scene again = scene_written(r.robot);
    assert_int_equal(td_robot_n_sensors(again.robot), 2);
    scene_begin(&r), scene_begin(&again);
    for (int k = 0; k < 2; k++) {
        double a[4], b[4];
        td_get_sensor(r.system, r.state, k, a, NULL);
        td_get_sensor(again.system, again.state, k, b, NULL);
        assert_memory_equal(a, b, sizeof(double) * (size_t)td_sensor_channels(again.system, k));
    }
    scene_end(&r), scene_end(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_its_published_numbers),
        cmocka_unit_test(white_noise_has_its_density),
        cmocka_unit_test(the_imu_has_its_allan_deviation),
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(other_sensors_change_nothing),
        cmocka_unit_test(readings_come_at_their_rate_after_their_delay),
        cmocka_unit_test(readings_end_at_their_range),
        cmocka_unit_test(gauges_read_bending_and_torsion),
        cmocka_unit_test(an_imu_feels_its_base_and_gravity),
        cmocka_unit_test(forces_on_obstacles_are_felt),
        cmocka_unit_test(slopes_are_those_of_steps),
        cmocka_unit_test(accelerometers_answer_to_the_state_before),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(robots_are_written_with_their_sensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
