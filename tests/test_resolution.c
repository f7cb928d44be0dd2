// How good an answer says it is, against how good it is: what stats.resolution tells of directions,
// within ten both ways.
#include "rods.h"

#include <string.h>

#include "math/quat.h"

enum { POINTS = 101, N_CASES = 8 };
static const double L = 0.4;

static const struct {
    double force[3], moment[3], gravity[3];
    double taper;     // radius at the tip, mm
    double curve[3];  // rest curvature, 1/m
} cases[N_CASES] = {
    {.force = {2.0, 0.0, 0.0}, .taper = 1.0},
    {.gravity = {9.81, 0.0, 0.0}, .taper = 1.0},
    {.force = {10.0, 0.0, 0.0}, .taper = 1.0},
    {.force = {0.5, 0.2, -2.2}, .moment = {0.02, 0.0, 0.0}, .taper = 1.0},
    {.gravity = {40.0, 9.81, 0.0}, .taper = 1.0},
    {.force = {1.0, 1.0, 0.0}, .moment = {0.0, 0.0, 0.3}, .taper = 0.5},
    {.force = {0.0, 1.0, 0.0}, .gravity = {9.81, 0.0, 0.0}, .taper = 1.0, .curve = {8.0, 0.0, 4.0}},
    {.force = {30.0, 0.0, 0.0}, .taper = 1.0},
};

static td_robot *robot_of(int k) {
    td_piece_def piece = steel_piece();
    piece.section_end.radius = 1e-3 * cases[k].taper;
    memcpy(piece.rest_curvature, cases[k].curve, sizeof piece.rest_curvature);
    td_robot *robot = rod_robot(&piece, 1);
    const double *g = cases[k].gravity, *f = cases[k].force, *m = cases[k].moment;
    set_gravity(robot, g[0], g[1], g[2]);
    td_load_def load = point_load("tip", L);
    set3(load.force, f[0], f[1], f[2]);
    set3(load.moment, m[0], m[1], m[2]);
    add_load(robot, &load);
    return robot;
}

typedef struct answer {
    quat q[POINTS];
    double resolution;
    td_status status;
} answer;

static answer solve(int k, const char *model, int fineness) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    if (strcmp(model, "rom") == 0) o.rom.order = fineness;
    else o.nodes = fineness;
    o.tolerance = 1e-12;
    world w = world_make(robot_of(k), &o);
    answer out = {.status = td_solve_statics(w.system, w.state)};
    out.resolution = td_get_stats(w.state)->resolution;
    for (int i = 0; i < POINTS; i++)
        out.q[i] = quat_load(td_get_pose(w.system, w.state, 0, L * i / (POINTS - 1)).q);
    world_free(&w);
    return out;
}

static double largest_angle(const answer *a, const answer *b) {
    double most = 0.0;
    for (int i = 0; i < POINTS; i++) {
        const quat d = quat_mul(quat_conj(a->q[i]), b->q[i]);
        most = fmax(most, 2.0 * asin(fmin(1.0, vec3_norm(quat_vector(d)))));
    }
    return most;
}

// Errors that can be told from those of the truth, and from those of the Magnus steps.
static void check_estimates(const char *model, const int *fineness, int n) {
    int counted = 0;
    for (int k = 0; k < N_CASES; k++) {
        const answer truth = solve(k, "cosserat", 36);
        assert_true(truth.status >= 0);
        for (int i = 0; i < n; i++) {
            const answer a = solve(k, model, fineness[i]);
            const double error = largest_angle(&truth, &a);
            assert_true(a.status >= 0);
            if (error < 1e-6) {
                CHECK_BETWEEN(a.resolution, 0.0, 1e-5);
                continue;
            }
            counted++;
            if (!(a.resolution > 0.1 * error && a.resolution < 10.0 * error))
                print_error("%s, case %d, %d: says %g, is %g\n", model, k, fineness[i],
                            a.resolution, error);
            CHECK_BETWEEN(a.resolution / error, 0.1, 10.0);
            // what is said aloud is what is wrong
            if (error > 3.0 * TD_COARSE) assert_int_equal(a.status, TD_LOOSE);
            if (error < TD_COARSE / 3.0) assert_int_equal(a.status, TD_OK);
        }
    }
    assert_true(counted >= 12);
}

static void collocation_knows_how_good_it_is(void **unused) {
    (void)unused;
    check_estimates("cosserat", (const int[]){4, 6, 8, 10}, 4);
}

static void rom_knows_how_good_it_is(void **unused) {
    (void)unused;
    check_estimates("rom", (const int[]){2, 4, 6, 8}, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collocation_knows_how_good_it_is),
        cmocka_unit_test(rom_knows_how_good_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
