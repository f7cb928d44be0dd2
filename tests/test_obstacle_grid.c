// Obstacles by numbers: meshes of triangles against the solids that they are of, heights against a known surface,
// STL files as text and as numbers, what is refused, and a rod on a meshed table.
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/obstacles.h"

#include "contact_rods.h"

#define PI 3.14159265358979323846

static double any(double from, double to) {
    return from + (to - from) * rand() / RAND_MAX;
}

// ---------------------------------------------------------------- solids of triangles
typedef struct soup {
    double *p;
    int n;
} soup;

static void add_triangle(soup *s, vec3 a, vec3 b, vec3 c) {
    s->p = realloc(s->p, sizeof *s->p * 4 * (size_t)(s->n + 3));
    const vec3 all[3] = {a, b, c};
    for (int i = 0; i < 3; i++, s->n++) {
        vec3_store(s->p + 4 * s->n, all[i]);
        s->p[4 * s->n + 3] = 0.0;
    }
}

// An octahedron whose sides are cut in four again and again, blown up to a ball.
static void add_part(soup *s, double radius, int cuts, vec3 a, vec3 b, vec3 c) {
    if (cuts == 0) {
        add_triangle(s, vec3_scale(a, radius), vec3_scale(b, radius), vec3_scale(c, radius));
        return;
    }
    vec3 m[3] = {vec3_add(a, b), vec3_add(b, c), vec3_add(c, a)};
    for (int i = 0; i < 3; i++) m[i] = vec3_scale(m[i], 1.0 / vec3_norm(m[i]));
    add_part(s, radius, cuts - 1, a, m[0], m[2]);
    add_part(s, radius, cuts - 1, b, m[1], m[0]);
    add_part(s, radius, cuts - 1, c, m[2], m[1]);
    add_part(s, radius, cuts - 1, m[0], m[1], m[2]);
}

static soup ball_of(double radius, int cuts) {
    soup s = {NULL, 0};
    for (int i = 0; i < 8; i++) {
        const vec3 x = {i & 1 ? -1.0 : 1.0, 0, 0}, y = {0, i & 2 ? -1.0 : 1.0, 0},
                   z = {0, 0, i & 4 ? -1.0 : 1.0};
        const bool flip = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2;
        add_part(&s, radius, cuts, x, flip ? z : y, flip ? y : z);
    }
    return s;
}

static soup box_of(double x, double y, double z) {
    soup s = {NULL, 0};
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            vec3 c[4];
            for (int k = 0; k < 4; k++) {
                double at[3] = {0.0};
                at[axis] = side;
                at[(axis + 1) % 3] = k == 1 || k == 2 ? 1.0 : -1.0;
                at[(axis + 2) % 3] = k >= 2 ? 1.0 : -1.0;
                c[k] = vec3_make(0.5 * x * at[0], 0.5 * y * at[1], 0.5 * z * at[2]);
            }
            add_triangle(&s, c[0], c[side > 0 ? 1 : 2], c[side > 0 ? 2 : 1]);
            add_triangle(&s, c[0], c[side > 0 ? 2 : 3], c[side > 0 ? 3 : 2]);
        }
    return s;
}

static soup drum_of(double radius, double length, int sides) {
    soup s = {NULL, 0};
    for (int i = 0; i < sides; i++) {
        const double a = 2.0 * PI * i / sides, b = 2.0 * PI * ((i + 1) % sides) / sides;
        const double half = 0.5 * length;
        const vec3 p = {radius * cos(a), radius * sin(a), half},
                   q = {radius * cos(b), radius * sin(b), half};
        const vec3 below = {0.0, 0.0, -length}, top = {0.0, 0.0, half};
        const vec3 u = vec3_add(p, below), v = vec3_add(q, below), end = vec3_add(top, below);
        add_triangle(&s, top, p, q);
        add_triangle(&s, end, v, u);
        add_triangle(&s, u, v, q);
        add_triangle(&s, u, q, p);
    }
    return s;
}

static obstacle obstacle_of(td_obstacle_shape shape, const soup *s, double resolution) {
    td_obstacle_def def = td_default_obstacle_def();
    def.shape = shape, def.points = s->p, def.n_points = s->n, def.resolution = resolution;
    spline_grid *grid = obstacle_grid(&def);
    obstacle o = {.pieces = NULL};
    assert_true(grid && obstacle_create(&def, grid, &o));
    spline_grid_release(grid);
    return o;
}

// ---------------------------------------------------------------- distances
// Within a tenth of the radius of the surface, the triangles of 5 cuts being 0.0008 of the radius off.
static double worst_at_ball(double resolution) {
    soup s = ball_of(0.3, 5);
    obstacle o = obstacle_of(TD_OBSTACLE_MESH, &s, resolution);
    double worst = 0.0;
    srand(1);
    for (int i = 0; i < 2000; i++) {
        const vec3 e = {any(-1, 1), any(-1, 1), any(-1, 1)};
        const double d = any(0.27, 0.33);
        const vec3 n = vec3_scale(e, 1.0 / vec3_norm(e));
        const clearance c = obstacle_distance(&o, vec3_scale(n, d));
        worst = fmax(worst, fabs(c.phi - (d - 0.3)));
        CHECK_BETWEEN(vec3_norm(vec3_sub(c.n, n)), 0.0, 0.05);
    }
    obstacle_release(&o);
    free(s.p);
    return worst;
}

static void a_ball_of_triangles_is_a_ball(void **unused) {
    (void)unused;
    const double facets = 0.3 * (1.0 - cos(PI / 64.0 * sqrt(2.0)));  // a sagitta
    const double coarse = worst_at_ball(0.1), fine = worst_at_ball(0.03);
    CHECK_BETWEEN(fine, 0.0, 0.5 * facets);
    CHECK_BETWEEN(coarse, 1.5 * fine, facets);
}

// Away from edges distances are exact: splines hold planes.
static void a_box_of_triangles_is_a_box(void **unused) {
    (void)unused;
    soup s = box_of(0.4, 0.6, 0.5);
    td_obstacle_def def = td_default_obstacle_def();
    def.shape = TD_OBSTACLE_BOX, def.sides[0] = 0.4, def.sides[1] = 0.6, def.sides[2] = 0.5;
    obstacle mesh = obstacle_of(TD_OBSTACLE_MESH, &s, 0.0), box;
    assert_true(obstacle_create(&def, NULL, &box));
    srand(2);
    for (int i = 0; i < 5000; i++) {
        const vec3 p = {any(-0.28, 0.28), any(-0.38, 0.38), any(-0.33, 0.33)};
        const clearance a = obstacle_distance(&mesh, p), b = obstacle_distance(&box, p);
        // beside edges and where two sides are equally far: half the diagonal of a cell
        CHECK_BETWEEN(fabs(a.phi - b.phi), 0.0, 0.87 * 0.015);
        assert_true(fabs(b.phi) < 0.87 * 0.015 || (a.phi < 0.0) == (b.phi < 0.0));
    }
    for (int i = 0; i < 500; i++) {  // beside the middle of the top
        const vec3 p = {any(-0.05, 0.05), any(-0.05, 0.05), 0.25 + any(-0.05, 0.05)};
        const clearance a = obstacle_distance(&mesh, p);
        CHECK_NEAR(a.phi, p.z - 0.25, 1e-5);
        CHECK_NEAR(a.n.z, 1.0, 1e-3);
    }
    CHECK_NEAR(mesh.through, 0.4, 0.02);
    const vec3 out = {0.0, 0.0, 3.0};
    CHECK_NEAR(obstacle_distance(&mesh, out).phi, 2.75, 1e-3);
    obstacle_release(&mesh);
    free(s.p);
}

static void slopes_are_those_of_differences(const obstacle *o, double up_by, double size,
                                            double allowed) {
    const double h = 1e-6;
    for (int i = 0; i < 500; i++) {
        const vec3 p = {any(-size, size), any(-size, size), up_by + any(-size, size)};
        const clearance d = obstacle_distance(o, p);
        const double n[3] = {d.n.x, d.n.y, d.n.z};
        for (int a = 0; a < 3; a++) {
            const vec3 step = {a == 0 ? h : 0.0, a == 1 ? h : 0.0, a == 2 ? h : 0.0};
            const clearance up = obstacle_distance(o, vec3_add(p, step));
            const clearance down = obstacle_distance(o, vec3_sub(p, step));
            CHECK_NEAR((up.phi - down.phi) / (2.0 * h), n[a], allowed);
            const vec3 column = vec3_scale(vec3_sub(up.n, down.n), 0.5 / h);
            CHECK_BETWEEN(vec3_norm(vec3_sub(column, mat3_column(&d.H, a))), 0.0, 1e3 * allowed);
        }
    }
}

static void slopes_of_a_mesh_are_those_of_its_grid(void **unused) {
    (void)unused;
    soup s = ball_of(0.3, 3);
    obstacle o = obstacle_of(TD_OBSTACLE_MESH, &s, 0.03);
    srand(3);
    slopes_are_those_of_differences(&o, 0.0, 0.25, 1e-7);
    obstacle_release(&o);
    free(s.p);
}

// ---------------------------------------------------------------- heights
// A ball from above: z = sqrt(R^2 - x^2 - y^2), far from the rim of the table.
static soup dome_of(int n) {
    soup s = {malloc(sizeof(double) * 4 * (size_t)(n * n)), n * n};
    for (int i = 0; i < n * n; i++) {
        const double x = 0.8 * ((double)(i % n) / (n - 1) - 0.5),
                     y = 0.8 * ((double)(i / n) / (n - 1) - 0.5);
        const double p[4] = {x, y, sqrt(1.0 - x * x - y * y), 0.0};
        memcpy(s.p + 4 * i, p, sizeof p);
    }
    return s;
}

static double worst_at_dome(int n) {
    soup s = dome_of(n);
    obstacle o = obstacle_of(TD_OBSTACLE_HEIGHTFIELD, &s, 0.0);
    double worst = 0.0;
    srand(4);
    for (int i = 0; i < 500; i++) {
        const vec3 p = {any(-0.05, 0.05), any(-0.05, 0.05), any(0.9, 1.2)};
        worst = fmax(worst, fabs(obstacle_distance(&o, p).phi - (vec3_norm(p) - 1.0)));
    }
    if (n == 65) slopes_are_those_of_differences(&o, 1.0, 0.1, 1e-7);
    obstacle_release(&o);
    free(s.p);
    return worst;
}

// With the fourth power of the distance of its points.
static void heights_of_a_dome_are_those_of_a_ball(void **unused) {
    (void)unused;
    const double a = worst_at_dome(65), b = worst_at_dome(129);
    CHECK_BETWEEN(b, 0.0, 1e-9);
    CHECK_BETWEEN(a / b, 12.0, 20.0);
}

// ---------------------------------------------------------------- files
static char folder[] = "/tmp/tendril_test_obstacle_grid.XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text_stl(const soup *s, const char *name) {
    FILE *f = fopen(path_of(name), "w");
    fputs("solid it\n", f);
    for (int i = 0; i < s->n; i += 3) {
        fputs("facet normal 0 0 0\nouter loop\n", f);
        for (int k = 0; k < 3; k++) {
            const double *p = s->p + 4 * (i + k);
            fprintf(f, "vertex %.9g %.9g %.9g\n", 1e3 * p[0], 1e3 * p[1], 1e3 * p[2]);
        }
        fputs("endloop\nendfacet\n", f);
    }
    fputs("endsolid\n", f);
    fclose(f);
}

static void write_numbers_stl(const soup *s, const char *name, size_t missing) {
    const size_t length = 84 + 50 * (size_t)(s->n / 3);
    unsigned char *b = calloc(length, 1);
    const uint32_t count = (uint32_t)(s->n / 3);
    memcpy(b, "solid of numbers", 16);
    memcpy(b + 80, &count, 4);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++) {
            const float x = (float)(1e3 * s->p[4 * i + k]);
            memcpy(b + 84 + 50 * (i / 3) + 12 + 12 * (i % 3) + 4 * k, &x, 4);
        }
    FILE *f = fopen(path_of(name), "wb");
    fwrite(b, 1, length - missing, f);
    fclose(f);
    free(b);
}

// A wire that hangs over the meshed bar, pulled down at its tip.
#define ROBOT                                                                                      \
    "tendril: 1\ngravity: [0, 0, -9.81]\nrods:\n"                                                  \
    "  - {name: a, length: 0.4, section: {radius: 1 mm}, base: {direction: [1, 0, 0]},\n"          \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 3000}}\n"                \
    "loads: [{at: tip, force: [0, 0, -0.2]}]\n"

static td_robot *robot_with(const char *shape, td_error *err) {
    char text[4096];
    snprintf(text, sizeof text,
             ROBOT "obstacles:\n  - {name: bar, position: [0.2, 0, -0.033], %s}\n", shape);
    return td_robot_parse(text, strlen(text), path_of("robot.yaml"), NULL, 0, err);
}

static double force_on(td_robot *robot) {
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    scene s = {.system = td_system_create(robot, &options, &err)};
    if (!s.system) fail_msg("%s: %s", err.where, err.message);
    s.state = td_state_create(s.system);
    td_robot_destroy(robot);  // what shares its grid goes on
    scene_rest(&s);
    const double force = td_get_obstacle_wrench(s.system, s.state, 0).force[2];
    scene_end(&s);
    return force;
}

static double force_with(const char *shape) {
    td_error err = {0};
    td_robot *robot = robot_with(shape, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return force_on(robot);
}

// At the edge of a box the grid rounds off.
static void a_wire_rests_on_a_mesh_as_on_its_solid(void **unused) {
    (void)unused;
    soup drum = drum_of(0.032, 0.2, 96), box = box_of(0.1, 0.1, 0.06);
    write_text_stl(&drum, "drum.stl");
    write_text_stl(&box, "bar.stl");
    write_numbers_stl(&box, "numbers.stl", 0);
    const double on_drum =
        force_with("direction: [0, 1, 0], cylinder: {radius: 32 mm, length: 0.2}");
    const double on_box = force_with("box: [0.1, 0.1, 0.06]");
    const double mesh =
        force_with("direction: [0, 1, 0], mesh: {file: drum.stl, scale: 1 mm, resolution: 4 mm}");
    const double coarse = force_with("mesh: {file: bar.stl, scale: 1 mm, resolution: 6 mm}");
    const double fine = force_with("mesh: {file: bar.stl, scale: 1 mm, resolution: 2 mm}");
    const double numbers = force_with("mesh: {file: numbers.stl, scale: 1 mm, resolution: 2 mm}");
    CHECK_BETWEEN(-on_drum, 0.2, 1.0);
    CHECK_NEAR(mesh, on_drum, 0.005 * fabs(on_drum));
    CHECK_NEAR(fine, on_box, 0.02 * fabs(on_box));
    CHECK_BETWEEN(fabs(coarse - on_box), 1.5 * fabs(fine - on_box), 0.1 * fabs(on_box));
    CHECK_NEAR(numbers, fine, 1e-6);
    free(drum.p);
    free(box.p);
}

static void what_is_written_is_the_same_mesh(void **unused) {
    (void)unused;
    td_error err = {0};
    const char *const shapes[] = {
        "mesh: {file: bar.stl, scale: 1 mm, resolution: 4 mm}",
        "heightfield: {heights: [[0, 1 mm, 0], [2 mm, 30 mm, 1 mm], [0, 0, 0], [0, 1 mm, 1 mm]], "
        "size: [0.1, 0.15]}"};
    for (int i = 0; i < 2; i++) {
        td_robot *robot = robot_with(shapes[i], &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_obstacle_def *a = &robot->obstacles[0].def;
        char *text = td_robot_write(robot, NULL, NULL, &err);
        assert_non_null(text);
        td_robot *again = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
        if (!again) fail_msg("%s: %s\n%s", err.where, err.message, text);
        const td_obstacle_def *b = &again->obstacles[0].def;
        assert_int_equal(a->n_points, b->n_points);
        assert_memory_equal(a->points, b->points, sizeof(double) * 4 * (size_t)a->n_points);
        assert_true(a->resolution == b->resolution);
        td_free_text(text);
        td_robot_destroy(robot);
        td_robot_destroy(again);
    }
}

static void what_is_no_solid_is_refused(void **unused) {
    (void)unused;
    soup s = box_of(0.1, 0.1, 0.06), open = {s.p, s.n - 3}, none = {s.p, 0};
    write_text_stl(&open, "open.stl");
    write_text_stl(&none, "empty.stl");
    write_numbers_stl(&s, "short.stl", 7);
    const struct {
        const char *shape, *says;
    } wrong[] = {
        {"mesh: {file: open.stl}", "is open"},
        {"mesh: {file: empty.stl}", "0 corners"},
        {"mesh: {file: short.stl}", "has it the length"},
        {"mesh: {file: nowhere.stl}", "cannot be opened"},
        {"mesh: {}", "none is given"},
        {"mesh: {file: bar.stl, corners: [[0, 0, 0]]}", "both"},
        {"mesh: {file: bar.stl, scale: 1 mm, resolution: 0.1 mm}", "try 0.0007"},
        {"mesh: {file: bar.stl, scale: 1 mm, resolution: -1 mm}", "negative"},
        {"heightfield: {heights: [[0, 1], [2]], size: [1, 1]}", "a row of 2 heights"},
        {"heightfield: {heights: [[0, 1]], size: [1, 1]}", "two or more rows"},
        {"heightfield: {heights: [[0, 1], [2, 3]], size: [0, 1]}", "must grow"},
        {"inside: true, heightfield: {heights: [[0, 1], [2, 3]], size: [1, 1]}", "no room"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        td_error err = {0};
        td_robot *robot = robot_with(wrong[i].shape, &err);
        if (robot || !strstr(err.message, wrong[i].says))
            fail_msg("%s: %s, '%s' is missing", wrong[i].shape, err.message, wrong[i].says);
    }
    free(s.p);
}

static int make_folder(void **unused) {
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused) {
    (void)unused;
    const char *const names[] = {"drum.stl", "bar.stl",   "numbers.stl",
                                 "open.stl", "empty.stl", "short.stl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(names[i]));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_of_triangles_is_a_ball),
        cmocka_unit_test(a_box_of_triangles_is_a_box),
        cmocka_unit_test(slopes_of_a_mesh_are_those_of_its_grid),
        cmocka_unit_test(heights_of_a_dome_are_those_of_a_ball),
        cmocka_unit_test(a_wire_rests_on_a_mesh_as_on_its_solid),
        cmocka_unit_test(what_is_written_is_the_same_mesh),
        cmocka_unit_test(what_is_no_solid_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
