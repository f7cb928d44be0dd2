// compare_gpu LIBRARY ROBOTS [TOLERANCE [THREADS [STEPS [float]]]]: the same robots on the GPU of LIBRARY and in lanes, and steps per second.
//
// The arm of bench/bench_arm.h in many kinds. Tips of the first robots after 200 steps must agree within 1e-9 of its
// length, whoever starts, fails, is reset or written on the way, and so must those that are found on the device; the last
// steps take their inputs from there. In single precision tips must agree within FLOAT_ERROR.
#include "../../bench/bench_arm.h"

#include <dlfcn.h>
#include <string.h>

#include "tendril/batch.h"

#define DT 5e-3
#define COMPARED 2048
#define FLOAT_ERROR 3e-4  // lengths; rad and 1/s of what the device finds
#define FEW 1e-3          // corrections a step of robots that do not arrive on the device
#define YIELD 2e-4        // m/N, of drives that pull by displacement

typedef struct arm_kind {
    const char *name;
    int nodes;
    td_theory theory;
    double payload;  // where, in lengths; 0: none
    bool displaced;  // tendons by displacement
    bool differ;     // in their payloads
    bool team;       // a thread for each node
} arm_kind;

static const arm_kind kinds[] = {
    {"4 nodes", 4, TD_KIRCHHOFF, 0.0, false, false, true},
    {"5 nodes", 5, TD_KIRCHHOFF, 0.0, false, false, true},
    {"6 nodes", 6, TD_KIRCHHOFF, 0.0, false, false, true},
    {"8 nodes", 8, TD_KIRCHHOFF, 0.0, false, false, true},
    {"4 nodes with a payload", 4, TD_KIRCHHOFF, 1.0, false, false, true},
    {"6 nodes with a payload", 6, TD_KIRCHHOFF, 1.0, false, false, true},
    {"4 nodes with payloads that differ", 4, TD_KIRCHHOFF, 1.0, false, true, true},
    {"7 nodes", 7, TD_KIRCHHOFF, 0.0, false, false, false},
    {"4 nodes by displacement", 4, TD_KIRCHHOFF, 0.0, true, false, false},
    {"2 elements of 4 nodes", 4, TD_KIRCHHOFF, 0.5, false, false, false},
    {"4 nodes with shear and stretch", 4, TD_COSSERAT, 0.0, false, false, false}};

static double input_of(const arm_kind *kind, int robot, int input, int step) {
    const double t = DT * step, grown = fmin(1.0, 5.0 * t);
    const double pull =
        grown * (2.0 + 1.5 * sin(6.28 * (0.5 + 0.01 * (robot % 100)) * t + 1.57 * input + robot));
    return kind->displaced ? YIELD * pull : pull;
}

static void set_inputs(const arm_kind *kind, td_batch *b, int step) {
    double *inputs = td_batch_inputs(b);
    for (int i = 0; i < td_batch_n(b); i++)
        for (int k = 0; k < 4; k++) inputs[4 * i + k] = input_of(kind, i, k, step);
}

// ---------------------------------------------------------------- memory of the device
typedef int copy_in(unsigned long long to, const void *from, size_t bytes);
typedef int copy_out(void *to, unsigned long long from, size_t bytes);

// By the driver, where the memory is not the processor's.
static void copy(const td_device_array *array, double *here, bool in) {
    const size_t bytes = sizeof(double) * (size_t)(array->shape[0] * array->shape[1]);
    if (array->device_type == 1) {
        memcpy(in ? array->data : here, in ? here : array->data, bytes);
        return;
    }
    copy_in *put;
    copy_out *get;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    bench_need(driver != NULL, "no driver");
    *(void **)&put = dlsym(driver, "cuMemcpyHtoD_v2"),
           *(void **)&get = dlsym(driver, "cuMemcpyDtoH_v2");
    const unsigned long long there = (unsigned long long)(size_t)array->data;
    bench_need((in ? put(there, here, bytes) : get(here, there, bytes)) == 0, "a copy failed");
}

// The inputs go there, and none are left here.
static void send_inputs(td_batch *b) {
    td_device_array array;
    bench_need(td_batch_device_inputs(b, &array) == TD_OK, "no inputs there");
    copy(&array, td_batch_inputs(b), true);
    memset(td_batch_inputs(b), 0, sizeof(double) * 4 * (size_t)td_batch_n(b));
    bench_need(td_batch_use_device_inputs(b) == TD_OK, "no inputs there");
}

// The largest difference of what the device finds of tips from what a state tells, in lengths, rad and lengths per second.
static double tips_apart(td_batch *b, const td_sample *tips) {
    td_device_array array;
    bench_need(td_batch_device_tips(b, &array) == TD_OK, "no tips there");
    const size_t n = (size_t)td_batch_n(b);
    double *found = calloc(n * TD_TIP_NUMBERS, sizeof *found), worst = 0.0;
    copy(&array, found, false);
    for (size_t i = 0; i < n; i++) {
        const double *at = found + i * TD_TIP_NUMBERS, *q = tips[i].pose.q;
        const double sign =
            at[3] * q[0] + at[4] * q[1] + at[5] * q[2] + at[6] * q[3] < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(at[k] - tips[i].pose.p[k]) / ARM_LENGTH);
            worst = fmax(worst, fabs(at[7 + k] - tips[i].velocity[k]));
            worst = fmax(worst, fabs(at[10 + k] - tips[i].velocity[3 + k]) / ARM_LENGTH);
        }
        for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(at[3 + k] - sign * q[k]));
    }
    free(found);
    return worst;
}

// ---------------------------------------------------------------- robots
static td_system *system_of_kind(const arm_kind *kind, double mass, double tolerance) {
    td_error err = {0};
    td_robot *robot = bench_arm_by(kind->displaced ? YIELD : 0.0);
    td_body_def body = td_default_body_def();
    body.name = "payload", body.rod = 0, body.at = kind->payload * ARM_LENGTH, body.mass = mass;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e-7, body.centre[0] = 2e-3;
    if (kind->payload > 0.0) bench_need(td_robot_add_body(robot, &body, &err) >= 0, err.message);
    return bench_system_of(robot, kind->theory, kind->nodes, tolerance);
}

// Every third robot has another payload.
static void differ(const arm_kind *kind, td_batch *b, td_system *const others[2]) {
    const int n = td_batch_n(b);
    bool *which = calloc((size_t)n + 1, sizeof *which);
    for (int k = 0; kind->differ && k < 2; k++) {
        td_error err = {0};
        for (int i = 0; i < n; i++) which[i] = i % 3 == k;
        bench_need(td_batch_set_system(b, others[k], which, &err) == TD_OK, err.message);
    }
    free(which);
}

// What happens on the way: some start anew, some are asked for the impossible, one becomes what another is.
static void disturb(td_batch *b, td_state *state, int step) {
    static bool some[1 << 20];
    const int n = td_batch_n(b);
    for (int i = 0; i < n; i++) some[i] = i % 97 == 13;
    if (step == 60) td_batch_restart(b, some);
    if (step == 90) td_batch_reset(b, some);
    if (step == 100)
        bench_need(!td_batch_read(b, 2, state) && !td_batch_write(b, 5, state), "not written");
    if (step == 120)
        for (int i = 5; i < n; i += 500) td_batch_inputs(b)[4 * i] = nan("");
}

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(td_batch *b, int steps) {
    const double start = wall();
    bench_need(td_batch_step(b, DT, steps, NULL) == 0, "a robot failed");
    return wall() - start;
}

static bool compare(const char *library, int n, const arm_kind *kind, double tolerance, int threads,
                    int most, bool single) {
    td_error err = {0};
    td_system *system = system_of_kind(kind, 5e-3, tolerance);
    td_system *others[2] = {system_of_kind(kind, 2e-3, tolerance),
                            system_of_kind(kind, 8e-3, tolerance)};
    if (!kind->team && n > COMPARED) n /= 4;
    const int m = n < COMPARED ? n : COMPARED;
    const td_batch_options here = {.kind = TD_BATCH_LANES, .threads = threads};
    const td_batch_options there = {
        .kind = TD_BATCH_GPU, .threads = threads, .library = library, .single = single};
    td_batch *a = td_batch_create(system, m, &here, &err);
    bench_need(a != NULL, err.message);
    td_batch *b = td_batch_create(system, n, &there, &err);
    bench_need(b != NULL, err.message);
    td_state *state = td_state_create(system);  // of the robots that others do not differ from
    differ(kind, a, others), differ(kind, b, others);
    long long alone = 0;
    int failed = 0;
    for (int k = 1; k <= most; k++) {
        set_inputs(kind, a, k), set_inputs(kind, b, k);
        disturb(a, state, k), disturb(b, state, k);
        if (k == 100) set_inputs(kind, a, k), set_inputs(kind, b, k);
        if (k > most - 10) send_inputs(b);
        failed += td_batch_step(a, DT, 1, NULL) != 0;
        td_batch_step(b, DT, 1, NULL);
        alone += td_batch_alone(b);
    }
    td_sample *tips = calloc((size_t)(n + m), sizeof *tips);
    const double s = ARM_LENGTH,
                 found = (td_batch_get_samples(b, 0, &s, 1, tips + m), tips_apart(b, tips + m));
    td_batch_get_samples(a, 0, &s, 1, tips);
    double worst = 0.0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(tips[i].pose.p[k] - tips[m + i].pose.p[k]) / ARM_LENGTH);
    set_inputs(kind, b, most + 1);
    seconds_of(b, 5);
    const int steps = n > 10000 ? 100 : 5;
    const double time = seconds_of(b, steps) / steps;
    // Corrections are counted of robots that came back to the processor.
    const bool stayed = (double)td_batch_corrections(b) < FEW * n * steps;
    double inputs = 0.0;
    for (int k = 1; k <= 10; k++)
        set_inputs(kind, b, most + 1 + k), inputs += seconds_of(b, 1) / 10.0;
    printf("%s,%d,%.0e,%.1e,%.1e,%d,%.5f,%.3g,%.3g\n", kind->name, n, tolerance, worst, found,
           failed, (double)alone / most / n, n / time, n / inputs);
    fflush(stdout);
    free(tips);
    td_state_destroy(state);
    td_batch_destroy(a), td_batch_destroy(b), td_system_destroy(system);
    td_system_destroy(others[0]), td_system_destroy(others[1]);
    const double most_apart = single ? FLOAT_ERROR : fmax(1e-9, 10.0 * tolerance);
    return worst <= most_apart && found <= (single ? FLOAT_ERROR : 1e-9) &&
           failed == (most >= 120) && stayed;
}

int main(int argc, char **argv) {
    bench_need(argc >= 3, "compare_gpu LIBRARY ROBOTS [TOLERANCE [THREADS [STEPS [float]]]]");
    const double tolerance = argc > 3 ? atof(argv[3]) : 1e-11;
    bool good = true;
    const bool single = argc > 6 && strcmp(argv[6], "float") == 0;
    printf("%s,robots,tolerance,tips_apart,found_apart,steps_with_failures,alone,steps_per_s,with_"
           "new_inputs\n",
           single ? "arm_in_single_precision" : "arm");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        good &= compare(argv[1], atoi(argv[2]), &kinds[i], tolerance, argc > 4 ? atoi(argv[4]) : 2,
                        argc > 5 ? atoi(argv[5]) : 200, single);
    puts(good ? "\nthe same" : "\nNOT THE SAME");
    return !good;
}
