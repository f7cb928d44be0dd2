// Distances from obstacles: gradients and Hessians against differences, known distances, and no jump
// anywhere.
#include <stdlib.h>
#include <string.h>

#include "model/obstacles.h"
#include "math/quat.h"

#include "tendril/tendril.h"

#include "check.h"

#define PI 3.14159265358979323846

// A vessel that bends to and fro in space and narrows, with a bend back upon itself.
static const double vessel[] = {
    0.0,  0.0,  0.0, 0.05, 0.0, 0.05, 0.3,  0.06, 0.2, 0.1,  0.5, 0.04, 0.5,  0.0,
    0.55, 0.05, 0.7, 0.1,  0.4, 0.06, 0.72, 0.2,  0.1, 0.05, 0.7, 0.1,  -0.2, 0.05,
};

// Every shape, and every room.
#define MOST_SHAPES (2 * N_OBSTACLE_SHAPES)

static td_obstacle_def def_of(td_obstacle_shape shape) {
    td_obstacle_def def = td_default_obstacle_def();
    def.shape = shape;
    def.radius = 0.3, def.length = 0.5, def.thickness = 0.2;
    def.sides[0] = 0.4, def.sides[1] = 0.7, def.sides[2] = 0.5;
    def.points = vessel, def.n_points = sizeof vessel / sizeof *vessel / 4;
    return def;
}

static obstacle make(const td_obstacle_def *def) {
    obstacle o;
    assert_true(obstacle_create(def, NULL, &o));
    return o;
}

static void discard(obstacle *o) {
    obstacle_release(o);
}

static int every_shape(obstacle out[MOST_SHAPES]) {
    int n = 0;
    for (int k = 0; k < MOST_SHAPES; k++) {
        td_obstacle_def def = def_of((td_obstacle_shape)(k % N_OBSTACLE_SHAPES));
        def.inside = k >= N_OBSTACLE_SHAPES;
        if (def.inside && !obstacle_is(def.shape, CAN_BE_ROOM)) continue;
        if (obstacle_is(def.shape, HAS_GRID)) continue;  // test_obstacle_grid.c
        out[n++] = make(&def);
    }
    return n;
}

static void free_all(obstacle *o, int n) {
    for (int i = 0; i < n; i++) discard(&o[i]);
}

static double any(double from, double to) {
    return from + (to - from) * rand() / RAND_MAX;
}

static vec3 anywhere(void) {
    return vec3_make(any(-1.0, 1.0), any(-1.0, 1.0), any(-1.0, 1.0));
}

static vec3 unit(int k) {
    return vec3_make(k == 0, k == 1, k == 2);
}

// ---------------------------------------------------------------- derivatives
// Some points lie next to where n jumps: those are few.
static void slopes_are_those_of_differences(void **unused) {
    (void)unused;
    obstacle o[MOST_SHAPES];
    const int n = every_shape(o), tries = 2000;
    const double h = 1e-6;
    srand(1);
    for (int i = 0; i < n; i++) {
        int off = 0;
        for (int k = 0; k < tries; k++) {
            const vec3 p = anywhere();
            const clearance d = obstacle_distance(&o[i], p);
            double worst = fabs(vec3_norm(d.n) - 1.0);
            for (int a = 0; a < 3; a++) {
                const clearance up = obstacle_distance(&o[i], vec3_madd(p, h, unit(a)));
                const clearance down = obstacle_distance(&o[i], vec3_madd(p, -h, unit(a)));
                const vec3 column = vec3_scale(vec3_sub(up.n, down.n), 0.5 / h);
                const double slope = (up.phi - down.phi) / (2.0 * h);
                worst = fmax(worst, fabs(slope - vec3_dot(d.n, unit(a))));
                const vec3 error = vec3_sub(column, mat3_column(&d.H, a));
                worst = fmax(worst, vec3_norm(error) / (1.0 + vec3_norm(column)));
            }
            off += !(worst < 1e-5);
        }
        if (off > tries / 100)
            fail_msg("%s: %d of %d points", obstacle_word(o[i].def.shape), off, tries);
    }
    free_all(o, n);
}

// What is measured along a line from nearest parts changes by no more than the way.
static void no_distance_jumps(void **unused) {
    (void)unused;
    obstacle o[MOST_SHAPES];
    const int n = every_shape(o), steps = 400;
    srand(2);
    for (int i = 0; i < n; i++)
        for (int line = 0; line < 100; line++) {
            const vec3 a = anywhere(), way = vec3_scale(vec3_sub(anywhere(), a), 1.0 / steps);
            double before = obstacle_distance(&o[i], a).phi;
            for (int k = 1; k <= steps; k++) {
                const double phi = obstacle_distance(&o[i], vec3_madd(a, k, way)).phi;
                CHECK_BETWEEN(fabs(phi - before), 0.0, vec3_norm(way) * (1.0 + 1e-9));
                before = phi;
            }
        }
    free_all(o, n);
}

// What is said to be far has more room than the radius; around a bounded solid that is most of the room.
static void what_is_far_does_not_touch(void **unused) {
    (void)unused;
    obstacle o[MOST_SHAPES];
    const int n = every_shape(o);
    const double radius = 0.05;
    srand(4);
    for (int i = 0; i < n; i++) {
        const vec3 at = anywhere(), turn = anywhere();
        const se3 frame = {so3_exp(turn), at};
        const td_obstacle_shape shape = o[i].def.shape;
        const bool endless = o[i].def.inside || shape == TD_OBSTACLE_TUBE;
        const int most = shape == TD_OBSTACLE_PLANE ? 500 : 1000;
        int n_far = 0;
        for (int k = 0; k < 2000; k++) {
            const vec3 p = vec3_add(at, anywhere());
            if (!obstacle_is_far(&o[i], &frame, p, radius, NULL)) continue;
            assert_true(obstacle_distance_from(&o[i], &frame, p).phi > radius);
            n_far++;
        }
        assert_true(endless ? n_far == 0 : n_far > most);
    }
    free_all(o, n);
}

// ---------------------------------------------------------------- known distances
static double phi_of(td_obstacle_shape shape, bool inside, double x, double y, double z) {
    td_obstacle_def def = def_of(shape);
    def.inside = inside;
    obstacle o = make(&def);
    const double phi = obstacle_distance(&o, vec3_make(x, y, z)).phi;
    discard(&o);
    return phi;
}

static void distances_are_those_of_the_shapes(void **unused) {
    (void)unused;
    const double tiny = 1e-15;
    CHECK_NEAR(phi_of(TD_OBSTACLE_PLANE, false, 3.0, 4.0, -0.2), -0.2, 0.0);
    CHECK_NEAR(phi_of(TD_OBSTACLE_SPHERE, false, 0.3, 0.4, 1.2), 1.3 - 0.3, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_SPHERE, true, 0.03, 0.04, 0.0), 0.25, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_CYLINDER, false, 0.3, 0.4, 0.1), 0.2, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_CYLINDER, false, 0.36, 0.48, 0.25 + 0.4), 0.5, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_CYLINDER, false, 0.1, 0.0, -0.2), -0.05, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_CAPSULE, false, 0.3, 0.4, 0.25 + 1.2), 1.0, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_CAPSULE, true, 0.3, 0.4, -0.25 - 1.2), -1.0, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_BOX, false, 0.2 + 0.2, 0.35 + 0.3, 0.25 + 0.6), 0.7, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_BOX, true, 0.1, 0.3, 0.0), 0.05, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_TORUS, false, 0.36, 0.48, 0.4), 0.5 - 0.1, tiny);
    CHECK_NEAR(phi_of(TD_OBSTACLE_TORUS, false, 0.0, 0.0, 0.4), 0.5 - 0.1, tiny);
}

static obstacle tube_of(const double *points, int n) {
    td_obstacle_def def = td_default_obstacle_def();
    def.shape = TD_OBSTACLE_TUBE;
    def.points = points, def.n_points = n;
    return make(&def);
}

static void a_straight_tube_is_a_cylinder_without_ends(void **unused) {
    (void)unused;
    const double points[] = {0, 0, 0, 0.1, 0.3, 0, 0.4, 0.1, 0.6, 0, 0.8, 0.1};
    obstacle o = tube_of(points, 3);
    for (double t = -3.0; t < 4.0; t += 0.01) {
        const vec3 p = {0.6 * t + 0.8 * 0.07, 0.0, 0.8 * t - 0.6 * 0.07};
        const clearance d = obstacle_distance(&o, p);
        CHECK_NEAR(d.phi, 0.03, 1e-14);
        CHECK_NEAR(d.n.x, -0.8, 1e-12);
        CHECK_NEAR(d.n.z, 0.6, 1e-12);
    }
    discard(&o);
}

// A quarter of a circle of radius 1 through n + 1 points, which goes on straight: away from the ends,
// where its curvature falls to 0, the spline comes to it with the fourth power of their distance.
static double worst_on_arc(int n) {
    double points[4 * 64], worst = 0.0;
    for (int i = 0; i <= n; i++) {
        const double a = 0.5 * PI * i / n;
        memcpy(points + 4 * i, (double[]){1.0 - cos(a), 0.0, sin(a), 0.1}, 4 * sizeof(double));
    }
    obstacle o = tube_of(points, n + 1);
    for (double a = 0.20 * PI; a < 0.30 * PI; a += 0.003)
        for (double to = -0.09; to < 0.1; to += 0.03) {
            const vec3 p = {1.0 - (1.0 + to) * cos(a), 0.0, (1.0 + to) * sin(a)};
            worst = fmax(worst, fabs(obstacle_distance(&o, p).phi - (0.1 - fabs(to))));
        }
    discard(&o);
    return worst;
}

static void a_bent_tube_goes_through_its_points(void **unused) {
    (void)unused;
    const int n = (int)(sizeof vessel / sizeof *vessel / 4);
    obstacle o = tube_of(vessel, n);
    for (int i = 0; i < n; i++)
        CHECK_BETWEEN(obstacle_distance(&o, vec3_load(vessel + 4 * i)).phi,
                      vessel[4 * i + 3] - 1e-12, 0.075);
    discard(&o);
    CHECK_BETWEEN(worst_on_arc(24), 0.0, 1e-6);
    CHECK_BETWEEN(worst_on_arc(24) / worst_on_arc(48), 12.0, 22.0);
}

// The largest ball, by looking at very many.
static void the_nearest_part_of_a_tube_is_found(void **unused) {
    (void)unused;
    obstacle o = tube_of(vessel, sizeof vessel / sizeof *vessel / 4);
    srand(3);
    for (int k = 0; k < 200; k++) {
        const vec3 p = anywhere();
        double best = -HUGE_VAL;
        for (int i = 0; i < o.n_pieces; i++) {
            const tube_piece *s = &o.pieces[i];
            const double span = isfinite(s->span) ? s->span : 3.0;
            for (double t = 0.0; t <= span; t += span / 4000) {
                double c[4];
                for (int a = 0; a < 4; a++)
                    c[a] = s->c[a][0] + t * (s->c[a][1] + t * (s->c[a][2] + t * s->c[a][3]));
                best = fmax(best, c[3] - vec3_norm(vec3_sub(p, vec3_load(c))));
            }
        }
        CHECK_BETWEEN(obstacle_distance(&o, p).phi - best, -1e-12, 1e-5);
    }
    discard(&o);
}

// ---------------------------------------------------------------- frames
static const td_number driven[3] = {{0.2, 1.0, 0}, {-0.1, 0.5, 1}, {0.3, -2.0, 0}};

static obstacle moving(void) {
    td_obstacle_def def = def_of(TD_OBSTACLE_BOX);
    memcpy(def.position, driven, sizeof driven);
    memcpy(def.rotation, driven, sizeof driven);
    const double q[4] = {0.5, 0.1, -0.7, 0.5};
    memcpy(def.orientation, q, sizeof q);
    return make(&def);
}

// R = R(orientation) exp(rotation^): a small turn is in the axes of the frame.
// ---------------------------------------------------------------- many obstacles
static obstacle anything(int k) {
    td_obstacle_def def = def_of(k % 50 == 0  ? TD_OBSTACLE_PLANE
                                 : k % 3 == 0 ? TD_OBSTACLE_BOX
                                 : k % 3 == 1 ? TD_OBSTACLE_SPHERE
                                              : TD_OBSTACLE_CAPSULE);
    def.radius = any(0.01, 0.1), def.length = any(0.01, 0.2);
    const vec3 at = anywhere();
    def.position[0] = td_constant(at.x), def.position[1] = td_constant(at.y);
    def.position[2] = k % 70 == 1 ? (td_number){at.z, 1.0, 0} : td_constant(at.z);
    return make(&def);
}

// Whatever a point, or its way, can touch is among those that are asked, and few are.
static void what_is_near_is_found_among_many(void **unused) {
    (void)unused;
    enum { MANY = 400 };
    static const double inputs[1] = {0.1};
    const double radius = 0.02;
    obstacle all[MANY];
    near_grid g;
    long asked = 0;
    srand(6);
    for (int i = 0; i < MANY; i++) all[i] = anything(i);
    assert_true(near_make(all, MANY, radius, &g));
    for (int k = 0; k < 2000; k++) {
        const vec3 p = vec3_scale(anywhere(), 1.3);
        const double way = k % 2 ? any(0.0, radius) : 0.0;
        const near_list near = near_way(&g, p, way);
        int count[MANY] = {0};
        for (int j = 0; j < near.n; j++) count[near_one(&near, j)]++;
        for (int i = 0; i < MANY; i++) {
            const se3 frame = obstacle_frame(&all[i], inputs);
            const bool far = obstacle_is_far(&all[i], &frame, p, radius + way, NULL);
            if (count[i] > 1 || (count[i] == 0 && !far)) fail_msg("obstacle %d, point %d", i, k);
        }
        asked += near.n;
    }
    CHECK_BETWEEN((double)asked / 2000.0, 8.0, 80.0);
    assert_int_equal(near_way(&g, vec3_zero(), 1.0).n, MANY);
    near_release(&g);
    assert_true(near_make(all, 10, radius, &g));
    assert_int_equal(near_at(&g, vec3_zero()).n, 10);
    near_release(&g);
    free_all(all, MANY);
}

// A branch across a straight tube, from its middle.
static obstacle fork_of(void) {
    static const double lines[] = {0.0, 0.0, -1.0, 0.05, 0.0, 0.0, 1.0, 0.05,
                                   0.0, 0.0, 0.0,  0.04, 0.5, 0.0, 0.0, 0.04};
    td_obstacle_def def = def_of(TD_OBSTACLE_TUBE);
    def.points = lines, def.n_points = 4;
    def.branches[0] = 2, def.n_branches = 1;
    return make(&def);
}

static void a_branch_opens_the_wall_on_its_side_alone(void **unused) {
    (void)unused;
    obstacle o = fork_of();
    const se3 frame = {mat3_identity(), vec3_zero()};
    int piece = 0;
    const double tiny = 1e-15;
    CHECK_NEAR(obstacle_distance(&o, vec3_make(0.2, 0.0, 0.0)).phi, 0.04, tiny);
    CHECK_NEAR(obstacle_distance(&o, vec3_make(0.9, 0.03, 0.0)).phi, 0.01, tiny);  // straight on
    CHECK_NEAR(obstacle_distance(&o, vec3_make(-0.2, 0.0, 0.0)).phi, -0.15, tiny);
    CHECK_NEAR(obstacle_distance(&o, vec3_make(0.03, 0.0, 0.3)).phi, 0.02, tiny);
    assert_true(obstacle_is_far(&o, &frame, vec3_make(0.2, 0.0, 0.0), 0.039, &piece));
    assert_true(obstacle_is_far(&o, &frame, vec3_make(0.2, 0.0, 0.01), 0.029, &piece));
    assert_false(obstacle_is_far(&o, &frame, vec3_make(-0.2, 0.0, 0.0), 0.001, &piece));
    discard(&o);
}

// At the edge, where both are as near, n is continuous: the second derivatives are those of the first.
static void the_edge_of_a_branch_is_round(void **unused) {
    (void)unused;
    obstacle o = fork_of();
    const double h = 1e-7;
    int off = 0, between = 0;
    srand(5);
    for (int k = 0; k < 2000; k++) {
        const vec3 p = vec3_make(any(0.03, 0.08), any(-0.04, 0.04), any(-0.06, 0.06));
        const clearance d = obstacle_distance(&o, p);
        double worst = 0.0;
        for (int a = 0; a < 3; a++) {
            const clearance up = obstacle_distance(&o, vec3_madd(p, h, unit(a)));
            const clearance down = obstacle_distance(&o, vec3_madd(p, -h, unit(a)));
            const vec3 column = vec3_scale(vec3_sub(up.n, down.n), 0.5 / h);
            worst = fmax(worst, fabs((up.phi - down.phi) / (2.0 * h) - vec3_dot(d.n, unit(a))));
            const vec3 error = vec3_sub(column, mat3_column(&d.H, a));
            worst = fmax(worst, vec3_norm(error) / (1.0 + vec3_norm(column)));
        }
        off += !(worst < 1e-5);
        between += vec3_norm(d.n) < 0.99;
    }
    CHECK_BETWEEN(off, 0, 5);
    CHECK_BETWEEN(between, 100, 1000);
    discard(&o);
}

static void a_frame_carries_its_obstacle_along(void **unused) {
    (void)unused;
    obstacle o = moving();
    const double inputs[2] = {0.3, -0.4}, h = 1e-6;
    const se3 frame = obstacle_frame(&o, inputs);
    const vec3 turn = {0.2 + 0.3, -0.1 - 0.2, 0.3 - 0.6};
    const mat3 own = so3_exp(turn), R = quat_to_mat3(quat_load(o.def.orientation));
    const mat3 both = mat3_mul(&R, &own);
    for (int i = 0; i < 9; i++) CHECK_NEAR(frame.R.m[i / 3][i % 3], both.m[i / 3][i % 3], 1e-15);
    CHECK_NEAR(frame.p.y, -0.3, 1e-15);
    srand(4);
    for (int k = 0; k < 50; k++) {
        const vec3 x = anywhere(), p = se3_mul_point(&frame, x);
        const clearance d = obstacle_distance_from(&o, &frame, p);
        CHECK_NEAR(d.phi, obstacle_distance(&o, x).phi, 1e-14);
        for (int a = 0; a < 3; a++) {
            const clearance up = obstacle_distance_from(&o, &frame, vec3_madd(p, h, unit(a)));
            const clearance down = obstacle_distance_from(&o, &frame, vec3_madd(p, -h, unit(a)));
            const vec3 column = vec3_scale(vec3_sub(up.n, down.n), 0.5 / h);
            CHECK_NEAR((up.phi - down.phi) / (2.0 * h), vec3_dot(d.n, unit(a)), 1e-7);
            CHECK_NEAR(vec3_norm(vec3_sub(column, mat3_column(&d.H, a))), 0.0, 1e-7);
        }
    }
    assert_true(obstacle_is_driven(&o));
    discard(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(no_distance_jumps),
        cmocka_unit_test(what_is_far_does_not_touch),
        cmocka_unit_test(distances_are_those_of_the_shapes),
        cmocka_unit_test(a_straight_tube_is_a_cylinder_without_ends),
        cmocka_unit_test(a_bent_tube_goes_through_its_points),
        cmocka_unit_test(the_nearest_part_of_a_tube_is_found),
        cmocka_unit_test(a_branch_opens_the_wall_on_its_side_alone),
        cmocka_unit_test(the_edge_of_a_branch_is_round),
        cmocka_unit_test(what_is_near_is_found_among_many),
        cmocka_unit_test(a_frame_carries_its_obstacle_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
