// Surfaces of obstacles as polygons: their corners lie where the distance is zero, they face the robot, and
// they enclose the volume of the shape.
#include "io/surface.h"

#include "contact_rods.h"
#include "math/pi.h"
#include "math/vec3.h"
#include "robot/facts.h"

#define ROBOT                                                                                      \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, base: {position: [0, 0, 9]},\n"             \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000}}\n"                   \
    "obstacles:\n"                                                                                 \
    "  - {name: o, position: [1, 2, 3], rotation: [0.3, -0.4, 0.5], "

typedef struct solid {
    const char *keys;
    double size, volume, area;  // of the closed form; 0: not asked for
} solid;

// The first obstacle of a robot, where it is.
static mesh surface_of(const scene *s, const char *text, const surface_cut *cut) {
    td_pose at = td_get_obstacle_pose(s->system, s->state, 0);
    td_robot *robot = td_robot_parse(text, strlen(text), "scene.yaml", NULL, 0, NULL);
    result_obstacle o = {.position = at.p, .orientation = at.q};
    o.shape = &robot->obstacles[0].def;
    const result r = {.n_times = 1, .n_obstacles = 1, .obstacles = &o};
    mesh m = {0};
    assert_true(mesh_add_obstacle(&m, &r, 0, instant_of(0), cut));
    td_robot_destroy(robot);
    return m;
}

static const double *corner(const mesh *m, int i) {
    return m->points + 3 * m->corners[i];
}

// Sums over fans of triangles: area, and volume by the divergence theorem about `o`.
static void measure(const mesh *m, const double o[3], double *area, double *volume) {
    *area = *volume = 0.0;
    for (int f = 0; f < m->n_faces; f++) {
        const int from = f ? m->ends[f - 1] : 0;
        for (int i = from + 1; i + 1 < m->ends[f]; i++) {
            const vec3 a = vec3_sub(vec3_load(corner(m, from)), vec3_load(o));
            const vec3 b = vec3_sub(vec3_load(corner(m, i)), vec3_load(o));
            const vec3 c = vec3_sub(vec3_load(corner(m, i + 1)), vec3_load(o));
            const vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
            *area += 0.5 * vec3_norm(n);
            *volume += vec3_dot(a, vec3_cross(b, c)) / 6.0;
        }
    }
}

static void corners_lie_on_the_surface(const scene *s, const mesh *m, double size) {
    assert_true(m->n_points > 100 && m->n_faces > 100);
    for (int i = 0; i < m->n_points; i++) {
        const double d = td_get_distance(s->system, s->state, 0, m->points + 3 * i, NULL);
        if (!(fabs(d) < 1e-9 * size)) fail_msg("point %d is %g m away", i, d);
    }
}

// A little off the middle of a face, to the side from which it turns counter-clockwise, the robot may be.
static void faces_look_at_the_robot(const scene *s, const mesh *m, double size) {
    for (int f = 0; f < m->n_faces; f++) {
        const int from = f ? m->ends[f - 1] : 0, to = m->ends[f];
        vec3 n = vec3_make(0, 0, 0), middle = n;
        for (int i = from; i < to; i++) {
            const vec3 a = vec3_load(corner(m, i)),
                       b = vec3_load(corner(m, i + 1 < to ? i + 1 : from));
            n = vec3_add(n, vec3_cross(a, b));
            middle = vec3_madd(middle, 1.0 / (to - from), a);
        }
        double side[2], p[3];
        for (int k = 0; k < 2; k++) {
            vec3_store(p, vec3_madd(middle, (k ? 1e-3 : -1e-3) * size / vec3_norm(n), n));
            side[k] = td_get_distance(s->system, s->state, 0, p, NULL);
        }
        assert_true(side[1] > side[0]);
    }
}

static void surfaces_are_those_of_the_distance(void **unused) {
    (void)unused;
    const double pi = 3.14159265358979;
    const solid all[] = {
        {"sphere: {radius: 0.2}", 0.2, 4 * pi / 3 * 0.008, 4 * pi * 0.04},
        {"sphere: {radius: 0.2}, inside: true", 0.2, -4 * pi / 3 * 0.008, 4 * pi * 0.04},
        {"cylinder: {radius: 0.1, length: 0.5}", 0.1, pi * 0.005, pi * 0.02 + pi * 0.1},
        {"cylinder: {radius: 0.1}", 0.1, 0, 2 * pi * 0.1 * 1.4},
        {"capsule: {radius: 0.1, length: 0.5}", 0.1, pi * 0.005 + 4 * pi / 3 * 0.001,
         pi * 0.04 + pi * 0.1},
        {"box: [0.1, 0.2, 0.3]", 0.1, 0.006, 0.22},
        {"box: [0.1, 0.2, 0.3], inside: true", 0.1, -0.006, 0.22},
        {"torus: {radius: 0.3, thickness: 0.1}", 0.1, 2 * pi * 0.3 * pi * 0.0025,
         4 * pi * pi * 0.3 * 0.05},
        {"plane: {}", 1.0, 0, 1.96},
        {"tube: {points: [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]], radius: 0.1}", 0.1, 0, 2 * pi * 0.1},
        {"tube: {points: [[0, 0, 0], [0, 0.1, 0.5], [0.3, 0, 1], [0.9, 0, 1]], radius: [0.05, 0.1, "
         "0.05, 0.08]}",
         0.1, 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s}\n", ROBOT, all[i].keys);
        scene s = scene_of(text, NULL, 0);
        const surface_cut cut = {{1, 2, 3}, 0.7, false};
        mesh m = surface_of(&s, text, &cut);
        double area, volume;
        corners_lie_on_the_surface(&s, &m, all[i].size);
        faces_look_at_the_robot(&s, &m, all[i].size);
        measure(&m, cut.middle, &area, &volume);
        // chords of 1/18 of a half circle, in two directions: 1 - (pi/18)^2/3
        if (all[i].area > 0.0) CHECK_BETWEEN(area / all[i].area, 0.97, 1.0 + 1e-9);
        if (all[i].volume != 0.0) CHECK_BETWEEN(volume / all[i].volume, 0.95, 1.0 + 1e-9);
        mesh_free(&m);
        scene_end(&s);
    }
}

// A corner of a cube, of four triangles: cut into small ones, it is the same solid.
static void large_triangles_of_a_mesh_are_cut(void **unused) {
    (void)unused;
    static const char text[] =
        ROBOT "mesh: {corners: [[0, 0, 0], [0, 0.3, 0], [0.3, 0, 0], [0, 0, 0], [0.3, 0, 0], "
              "[0, 0, 0.3], [0, 0, 0], [0, 0, 0.3], [0, 0.3, 0], [0.3, 0, 0], [0, 0.3, 0], "
              "[0, 0, 0.3]]}}\n";
    scene s = scene_of(text, NULL, 0);
    const surface_cut cut = {{1, 2, 3}, 0.7, false};
    mesh m = surface_of(&s, text, &cut);
    double area, volume;
    measure(&m, cut.middle, &area, &volume);
    CHECK_BETWEEN(m.n_faces, 400, 1000);
    CHECK_NEAR(volume, 0.027 / 6.0, 1e-12);
    CHECK_NEAR(area, 0.135 + 0.045 * sqrt(3.0), 1e-12);
    mesh_free(&m);
    scene_end(&s);
}

// A straight blade that twists by a right angle: by Pappus its volume is width times height times length, the middles
// of its ring sit on its sides, and half way between two records it is turned half way.
static void rods_are_drawn_with_their_sections(void **state) {
    (void)state;
    enum { N = 81, SIDES = 12 };
    const double length = 0.4, width = 0.03, height = 0.01, turn = PI / 2;
    double position[2 * 3 * N] = {0}, orientation[2 * 4 * N] = {0}, radius[N], sides[2 * N];
    for (int k = 0; k < 2 * N; k++) {
        const int i = k % N;
        const double half = 0.5 * turn * i / (N - 1) * (k / N);  // straight at first, then twisted
        position[3 * k + 2] = length * i / (N - 1);
        orientation[4 * k] = cos(half), orientation[4 * k + 3] = sin(half);
        radius[i] = sqrt(width * height / PI);
        sides[2 * i] = width, sides[2 * i + 1] = height;
    }
    const result_rod rod = {.n_points = N,
                            .position = position,
                            .orientation = orientation,
                            .radius = radius,
                            .sides = sides};
    for (int k = 0; k < 3; k++) {
        const instant at = k == 1 ? (instant){0, 0.5} : instant_of(k / 2);
        const double angle = 0.5 * turn * k;  // of the tip
        mesh m = {0};
        double area, volume;
        assert_true(mesh_add_rod(&m, &rod, at, position, radius, SIDES));
        measure(&m, (double[]){0.1, 0.2, 0.3}, &area, &volume);
        // patches of a twisted side are not plane: of first order in the twist of each
        CHECK_NEAR(volume, width * height * length,
                   (0.2 * angle / N + 1e-12) * width * height * length);
        const double *tip = m.points + 3 * (N - 1) * SIDES;  // corner (+, +)
        CHECK_NEAR(tip[0], 0.5 * (width * cos(angle) - height * sin(angle)), 1e-6);
        CHECK_NEAR(tip[1], 0.5 * (width * sin(angle) + height * cos(angle)), 1e-6);
        const double along[3] = {cos(angle), sin(angle), 0},
                     across[3] = {-sin(angle), cos(angle), 0};
        const double aslant[3] = {cos(angle + PI / 4), sin(angle + PI / 4), 0};
        CHECK_NEAR(rod_reach(&rod, at, N - 1, along), 0.5 * width, 1e-6);
        CHECK_NEAR(rod_reach(&rod, at, N - 1, across), 0.5 * height, 1e-6);
        CHECK_NEAR(rod_reach(&rod, at, N - 1, aslant), 0.5 * height * sqrt(2.0), 1e-6);
        mesh_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(surfaces_are_those_of_the_distance),
                                       cmocka_unit_test(rods_are_drawn_with_their_sections),
                                       cmocka_unit_test(large_triangles_of_a_mesh_are_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
