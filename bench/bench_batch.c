// Many robots at once: steps of a four-tendon arm in lanes against one at a time, and what a robot takes, in the open and
// beside a wall that it runs into.
//
// Its tendons pull 2 N + 1.5 N sin, another phase and frequency in each robot; gravity, steps of 5 ms. All ways of one
// line are visited in turn, and each number is the least of several rounds.
#include "bench_arm.h"

#include "tendril/batch.h"

#define DT 5e-3
#define STEPS 40  // of a round
#define ROUNDS 5
#define TOLERANCE 1e-8

// One way of stepping n robots; NULL where this processor has no registers of the width.
typedef struct way {
    td_batch *batch;
    int step;
    long long alone;  // of all steps
    double seconds;   // per step of a robot, least
} way;

static way way_of(const td_system *system, int n, td_batch_kind kind, int width, int threads) {
    td_error err = {0};
    const td_batch_options o = {.kind = kind, .width = width, .threads = threads};
    return (way){.batch = td_batch_create(system, n, &o, &err), .seconds = HUGE_VAL};
}

static void set_inputs(way *w) {
    double *inputs = td_batch_inputs(w->batch);
    const double t = DT * w->step++, grown = fmin(1.0, 5.0 * t);
    for (int i = 0; i < td_batch_n(w->batch); i++)
        for (int k = 0; k < 4; k++)
            inputs[4 * i + k] =
                grown * (2.0 + 1.5 * sin(6.28 * (0.5 + 0.01 * (i % 100)) * t + 1.57 * k + i));
}

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A round: processor time, or that of a clock.
static void play(way *w, int steps, bool wall) {
    double sum = 0.0;
    for (int k = 0; k < steps; k++) {
        set_inputs(w);
        const double start = wall ? wall_seconds() : bench_seconds();
        const int failed = td_batch_step(w->batch, DT, 1, NULL);
        sum += (wall ? wall_seconds() : bench_seconds()) - start;
        bench_need(failed == 0, "a robot failed");
        w->alone += td_batch_alone(w->batch);
    }
    w->seconds = fmin(w->seconds, sum / steps / td_batch_n(w->batch));
}

static void compare(td_system *system, int n, const char *theory, int nodes) {
    way ways[4] = {way_of(system, n, TD_BATCH_STATES, 0, 1),
                   way_of(system, n, TD_BATCH_LANES, 1, 1), way_of(system, n, TD_BATCH_LANES, 4, 1),
                   way_of(system, n, TD_BATCH_LANES, 8, 1)};
    for (int i = 0; i < 4; i++)
        if (ways[i].batch) play(&ways[i], 50, false), ways[i].seconds = HUGE_VAL;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < 4; i++)
            if (ways[i].batch) play(&ways[i], STEPS, false);
    printf("%s,%d,%.2f", theory, nodes, 1e6 * ways[0].seconds);
    for (int i = 1; i < 4; i++)
        if (ways[i].batch) printf(",%.2f", 1e6 * ways[i].seconds);
        else printf(",-");
    for (int i = 1; i < 4; i++)
        if (ways[i].batch) printf(",%.1f", ways[0].seconds / ways[i].seconds);
        else printf(",-");
    printf(",%.1f,%.1f\n", 1e-3 * (double)td_batch_bytes(ways[0].batch) / n,
           1e-3 * (double)td_batch_bytes(ways[1].batch) / n);
    for (int i = 0; i < 4; i++) td_batch_destroy(ways[i].batch);
}

static void with_threads(const td_system *system, int nodes) {
    static const int widths[] = {4, 8};
    for (int k = 0; k < 2; k++) {
        way ways[2] = {way_of(system, 1024, TD_BATCH_LANES, widths[k], 1),
                       way_of(system, 1024, TD_BATCH_LANES, widths[k], 2)};
        for (int i = 0; i < 2 && ways[i].batch; i++)
            play(&ways[i], 20, true), ways[i].seconds = HUGE_VAL;
        for (int r = 0; r < ROUNDS; r++)
            for (int i = 0; i < 2 && ways[i].batch; i++) play(&ways[i], STEPS, true);
        if (ways[0].batch)
            printf("%d,%d,%.2f,%.2f,%.2f\n", nodes, widths[k], 1e-6 / ways[0].seconds,
                   1e-6 / ways[1].seconds, ways[0].seconds / ways[1].seconds);
        for (int i = 0; i < 2; i++) td_batch_destroy(ways[i].batch);
    }
}

// ---------------------------------------------------------------- beside a wall
#define WALL 0.03  // m, from the axis

static td_system *beside_a_wall(td_theory theory, int elements, int nodes) {
    td_error err = {0};
    td_robot *robot = bench_arm();
    td_obstacle_def wall = td_default_obstacle_def();
    wall.name = "wall", wall.shape = TD_OBSTACLE_PLANE;
    wall.position[0].value = -WALL, wall.rotation[1].value = 1.5707963267948966;
    bench_need(td_robot_add_obstacle(robot, &wall, &err) >= 0, err.message);
    return bench_system_in(robot, theory, elements, nodes, TOLERANCE);
}

static double share_touching(const td_system *system, td_batch *b) {
    td_state *state = td_state_create(system);
    double sum = 0.0;
    for (int i = 0; i < td_batch_n(b); i++) {
        bench_need(td_batch_read(b, i, state) == TD_OK, "not read");
        sum += td_get_contacts(system, state, NULL, 0) > 0;
    }
    td_state_destroy(state);
    return sum / td_batch_n(b);
}

static void compare_at_wall(td_theory theory, int elements, int nodes) {
    td_system *system = beside_a_wall(theory, elements, nodes);
    way ways[4] = {
        way_of(system, 256, TD_BATCH_STATES, 0, 1), way_of(system, 256, TD_BATCH_LANES, 1, 1),
        way_of(system, 256, TD_BATCH_LANES, 4, 1), way_of(system, 256, TD_BATCH_LANES, 8, 1)};
    double touching = 0.0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < 4; i++)
            if (ways[i].batch) play(&ways[i], STEPS, false);
        touching += share_touching(system, ways[0].batch) / ROUNDS;
    }
    bench_need(ways[1].batch != NULL, "no lanes");
    printf("%s,%d x %d,%.2f,%.2f", bench_theories[theory == TD_KIRCHHOFF], elements, nodes,
           touching, 1e6 * ways[0].seconds);
    for (int i = 1; i < 4; i++)
        if (ways[i].batch) printf(",%.2f", 1e6 * ways[i].seconds);
        else printf(",-");
    for (int i = 1; i < 4; i++)
        if (ways[i].batch) printf(",%.1f", ways[0].seconds / ways[i].seconds);
        else printf(",-");
    printf(",%.3f\n", (double)ways[1].alone / (ROUNDS * STEPS * 256.0));
    for (int i = 0; i < 4; i++) td_batch_destroy(ways[i].batch);
    td_system_destroy(system);
}

int main(void) {
    static const int nodes[] = {4, 6, 8};
    static const td_theory theories[] = {TD_KIRCHHOFF, TD_COSSERAT};
    printf("lanes_against_states,nodes,us_states,us_plain,us_4_lanes,us_8_lanes,ratio_plain,ratio_"
           "4,ratio_8,"
           "kB_state,kB_lane\n");
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 3; i++) {
            td_system *system = bench_arm_system(theories[t], nodes[i], TOLERANCE);
            compare(system, 256, bench_theories[theories[t] == TD_KIRCHHOFF], nodes[i]);
            td_system_destroy(system);
        }
    printf("\nnodes_kirchhoff,lanes,million_steps_per_s_1_thread,2_threads,ratio\n");
    for (int i = 0; i < 3; i++) {
        td_system *system = bench_arm_system(TD_KIRCHHOFF, nodes[i], TOLERANCE);
        with_threads(system, nodes[i]);
        td_system_destroy(system);
    }
    static const int cut[][2] = {{2, 3}, {4, 2}, {4, 3}, {6, 3}, {8, 2}};
    printf("\nbeside_a_wall,elements_x_nodes,touching,us_states,us_plain,us_4_lanes,us_8_lanes,"
           "ratio_plain,ratio_4,ratio_8,alone\n");
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++)
        compare_at_wall(TD_KIRCHHOFF, cut[i][0], cut[i][1]);
    compare_at_wall(TD_COSSERAT, 4, 2);
    return 0;
}
