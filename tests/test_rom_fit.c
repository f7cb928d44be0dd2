// The shape of a rod from measured points: arcs, helices, an equilibrium, noise, few points.
#include "rom.h"

#define PI 3.14159265358979323846

static world steel_world(int order) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_options o = rom_options(order);
    return world_make(robot, &o);
}

// A helix about an axis through (radius, 0), that leaves the base along z: arc length 0.4 m.
typedef struct helix {
    double radius, pitch, sweep;  // m, m per rad, rad
} helix;

static vec3 on_helix(const helix *h, double x) {
    const double t = h->sweep * x, slant = hypot(h->radius, h->pitch);
    const vec3 p = {h->radius * (1.0 - cos(t)), h->pitch * t, h->radius * sin(t)};
    // its tangent at the start, (0, pitch, radius)/slant, turned to z
    const double c = h->radius / slant, s = h->pitch / slant;
    return (vec3){p.x, c * p.y - s * p.z, s * p.y + c * p.z};
}

static helix helix_of(double sweep, double lead) {
    const double slant = 0.4 / sweep;
    return (helix){slant * cos(lead), slant * sin(lead), sweep};
}

static double noise(unsigned *seed) {  // uniform in -1 .. 1
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

enum { N = 21 };

static void fill_points(const helix *h, double amplitude, double *points, double *s) {
    unsigned seed = 7;
    for (int i = 0; i < N; i++) {
        const double x = (i + 1.0) / N;
        vec3 p = on_helix(h, x);
        p = vec3_madd(p, amplitude, (vec3){noise(&seed), noise(&seed), noise(&seed)});
        vec3_store(points + 3 * i, p);
        s[i] = 0.4 * x;
    }
}

static double farthest(const world *w, const helix *h, double *mean) {
    double most = 0.0;
    *mean = 0.0;
    for (int i = 0; i <= 40; i++) {
        td_pose pose = td_get_pose(w->system, w->state, 0, 0.01 * i);
        const vec3 off = vec3_sub(vec3_load(pose.p), on_helix(h, i / 40.0));
        most = fmax(most, vec3_norm(off));
        *mean += vec3_dot(off, off) / 41.0;
    }
    *mean = sqrt(*mean);
    return most;
}

static void points_on_arcs_and_helices_give_them_back(void **state) {
    (void)state;
    const double sweep[3] = {1.0, 3.0, 4.5}, lead[3] = {0.0, 0.3, 0.6};
    for (int i = 0; i < 3; i++)
        for (int known = 0; known < 2; known++) {
            world w = steel_world(9);
            const helix h = helix_of(sweep[i], lead[i]);
            double points[3 * N], s[N];
            fill_points(&h, 0.0, points, s);
            CHECK_CALL(&w, td_fit_shape(w.system, w.state, 0, points, known ? s : NULL, N));
            double unused;
            CHECK_BETWEEN(farthest(&w, &h, &unused), 0.0, 1e-5);
            CHECK_BETWEEN(td_get_stats(w.state)->residual, 0.0, 1e-5);
            // the curvature of a helix, radius/slant^2, everywhere but at the ends of the
            // polynomials
            td_sample middle = td_get_sample(w.system, w.state, 0, 0.2);
            const double bend = hypot(middle.strain[0], middle.strain[1]);
            CHECK_NEAR(bend / (h.radius * pow(sweep[i] / 0.4, 2.0)), 1.0, 2e-3);
            CHECK_NEAR(middle.strain[5], 1.0, 1e-4);
            CHECK_NEAR(td_get_energy(w.system, w.state).kinetic, 0.0, 0.0);
            world_free(&w);
        }
}

// 21 points with noise of 1 mm (root mean square) and five coefficients for each coordinate: what
// is left of the noise is sqrt(5/21) of it.
static void noise_is_averaged(void **state) {
    (void)state;
    world w = steel_world(4);
    const helix h = helix_of(1.5, 0.2);
    double points[3 * N], s[N];
    fill_points(&h, 1e-3, points, s);
    CHECK_CALL(&w, td_fit_shape(w.system, w.state, 0, points, s, N));
    double mean;
    CHECK_BETWEEN(farthest(&w, &h, &mean), 0.0, 1.5e-3);
    CHECK_BETWEEN(mean, 0.0, 0.6e-3);
    CHECK_BETWEEN(td_get_stats(w.state)->residual, 3e-4, 1.2e-3);
    world_free(&w);
}

// One point at the tip: the shape of least energy through it is that of a force there, without
// moment.
static void a_tip_alone_gives_the_elastica_through_it(void **state) {
    (void)state;
    world w = steel_world(8), v = steel_world(8);
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, 0.4, 1.5, 0.0, -0.5);
    td_options o = rom_options(8);
    world_free(&v);
    v = world_make(robot, &o);
    CHECK_CALL(&v, td_solve_statics(v.system, v.state));
    const td_pose tip = tip_of(&v);
    const double s = 0.4;
    CHECK_CALL(&w, td_fit_shape(w.system, w.state, 0, tip.p, &s, 1));
    for (int i = 0; i <= 8; i++) {
        td_pose a = td_get_pose(w.system, w.state, 0, 0.05 * i);
        td_pose b = td_get_pose(v.system, v.state, 0, 0.05 * i);
        CHECK_NEAR(vec3_norm(vec3_sub(vec3_load(a.p), vec3_load(b.p))), 0.0, 2e-6);
    }
    world_free(&w);
    world_free(&v);
}

// From there, simulation goes on: the rod springs back.
static void a_fitted_shape_is_where_motion_starts(void **state) {
    (void)state;
    world w = steel_world(5);
    const helix h = helix_of(0.5, 0.0);
    double points[3 * N], s[N];
    fill_points(&h, 0.0, points, s);
    CHECK_CALL(&w, td_fit_shape(w.system, w.state, 0, points, s, N));
    const double start = td_get_energy(w.system, w.state).elastic, x = tip_of(&w).p[0];
    const double EI = 207e9 * PI / 4.0 * 1e-12;
    CHECK_NEAR(start / (0.5 * EI * 0.4 * pow(0.5 / 0.4, 2.0)), 1.0, 1e-3);
    for (int i = 0; i < 20; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    assert_true(tip_of(&w).p[0] < 0.5 * x);
    world_free(&w);
}

static void impossible_points_are_refused_and_change_nothing(void **state) {
    (void)state;
    world w = steel_world(4);
    const helix h = helix_of(1.0, 0.0);
    double points[3 * N], s[N], q[27], after[27];
    fill_points(&h, 0.0, points, s);
    td_get_coordinates(w.system, w.state, q, NULL);
    s[3] = 0.5;
    assert_int_equal(td_fit_shape(w.system, w.state, 0, points, s, N), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "point 3: s = 0.5 m"));
    points[7] = (double)NAN;
    assert_int_equal(td_fit_shape(w.system, w.state, 0, points, NULL, N), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "point 2"));
    assert_int_equal(td_fit_shape(w.system, w.state, 1, points, NULL, N), TD_ERR_ARGUMENT);
    memset(points, 0, sizeof points);
    assert_int_equal(td_fit_shape(w.system, w.state, 0, points, NULL, N), TD_ERR_ARGUMENT);
    td_get_coordinates(w.system, w.state, after, NULL);
    assert_memory_equal(q, after, sizeof q);
    world_free(&w);
    td_piece_def piece = steel_piece();
    td_options o = td_default_options();
    w = world_make(rod_robot(&piece, 1), &o);
    assert_int_equal(td_fit_shape(w.system, w.state, 0, q, NULL, 3), TD_ERR_UNSUPPORTED);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_on_arcs_and_helices_give_them_back),
        cmocka_unit_test(noise_is_averaged),
        cmocka_unit_test(a_tip_alone_gives_the_elastica_through_it),
        cmocka_unit_test(a_fitted_shape_is_where_motion_starts),
        cmocka_unit_test(impossible_points_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
