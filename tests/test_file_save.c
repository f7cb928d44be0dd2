// A robot as the text of a file: what is read from it is the same robot.
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "tendril/tendril.h"

#include "check.h"

static td_robot *again(const td_robot *robot, char **text) {
    td_error err = {0};
    *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(*text);
    td_robot *read = td_robot_parse(*text, strlen(*text), "saved", NULL, 0, &err);
    if (!read) fprintf(stderr, "%s\n%s: %s\n", *text, err.where, err.message);
    assert_non_null(read);
    return read;
}

// A few steps of both, by the signals of their inputs, leave the same bits.
static void check_same(const td_robot *a, const td_robot *b, const char *name) {
    td_error err = {0};
    const td_options o = td_robot_options(a), p = td_robot_options(b);
    const td_scenario plan = td_robot_scenario(a), other = td_robot_scenario(b);
    td_system *x = td_system_create(a, &o, &err), *y = td_system_create(b, &p, &err);
    assert_true(x && y);
    td_state *one = td_state_create(x), *two = td_state_create(y);
    const size_t bytes = td_snapshot_bytes(x);
    assert_int_equal(bytes, td_snapshot_bytes(y));
    void *left = malloc(bytes), *right = malloc(bytes);
    assert_int_equal(td_n_inputs(x), td_n_inputs(y));
    for (int i = 0; i < td_n_inputs(x); i++)
        assert_string_equal(td_input_name(x, i), td_input_name(y, i));
    assert_true(plan.end == other.end && plan.record_fields == other.record_fields);
    assert_int_equal(td_begin(x, one), td_begin(y, two));
    for (int i = 0; i < 3; i++) {
        const td_status status = td_advance(x, one, plan.step);
        assert_int_equal(td_advance(y, two, plan.step), status);
        if (status < 0) fail_msg("%s: %s", name, td_message(one));
    }
    td_state_save(x, one, left, bytes), td_state_save(y, two, right, bytes);
    if (memcmp(left, right, bytes) != 0) fail_msg("%s: other bits", name);
    free(left), free(right);
    td_state_destroy(one), td_state_destroy(two);
    td_system_destroy(x), td_system_destroy(y);
}

static void every_example_is_written_and_read_as_it_was(void **unused) {
    (void)unused;
    glob_t found = {0};
    assert_int_equal(glob(EXAMPLES "/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        td_error err = {0};
        char *text, *twice;
        td_robot *robot = td_robot_load(found.gl_pathv[i], NULL, 0, &err);
        assert_non_null(robot);
        td_robot *read = again(robot, &text), *second = again(read, &twice);
        if (strcmp(text, twice) != 0) fail_msg("%s: written twice it differs", found.gl_pathv[i]);
        check_same(robot, read, found.gl_pathv[i]);
        td_free_text(text), td_free_text(twice);
        td_robot_destroy(robot), td_robot_destroy(read), td_robot_destroy(second);
    }
    globfree(&found);
}

// What no example has: made of every key that has a number of its own.
static const char rich[] =
    "tendril: 1\n"
    "name: 'a \"rich\" one: [#1]'\n"
    "gravity: [0, 0.5 + 2*wind, -9.81]\n"
    "rods:\n"
    "  - name: arm\n"
    "    envelope: 2 cm\n"
    "    base: {position: [0.1, -1.5*lift, 0.2], rotation: [0.3, -0.2, 0.1],\n"
    "           motion: {rotation: [0, 0, turn]}}\n"
    "    pieces:\n"
    "      - {length: 0.1, section: {radius: 2 mm, inner_radius: 1 mm},\n"
    "         section_end: {radius: 1.5 mm, inner_radius: 1 mm}, shear_factor: 0.9,\n"
    "         material: {youngs_modulus: 2 GPa, poisson_ratio: 0.4, density: 1200}}\n"
    "      - length: 0.05\n"
    "        stiffness: {bending: [0.02, 0.03], torsion: 0.01, shear: 2e3, extension: 5e3}\n"
    "        mass_per_length: 0.02\n"
    "        section: {area: 1e-5, ixx: 1e-11, iyy: 2e-11, torsion: 3e-11}\n"
    "        material: {youngs_modulus: 2 GPa, poisson_ratio: 0.4, density: 1200}\n"
    "        damping: {bending: [1e-4, 2e-4], time: 1 ms, power: 1.5}\n"
    "        drag: [0.1, 0.2, 0.3]\n"
    "        linear_drag: 0.01\n"
    "        rest: {curvature: [1, 2, 3], stretch: [0.01, 0, 1.02]}\n"
    "bodies:\n"
    "  - {name: disc, on: arm, count: 2, mass: 3 g, shape: {cylinder: {radius: 1 cm, height: 2 "
    "mm}}}\n"
    "  - {name: eye, on: arm, mass: 1 g, inertia: [1e-8, 2e-8, 3e-8], centre: [1 mm, 0, 0],\n"
    "     attached: grip}\n"
    "tendons:\n"
    "  - {name: east, offset: [8 mm, 0], offset_end: [6 mm, 1 mm], end: 0.12}\n"
    "  - {name: wound, routing: {helix: {radius: 7 mm, turns: 0.5, phase: 30 deg}}, value: 2 N}\n"
    "  - {name: bent, routing: {polar: [[0, 5 mm, 0], [0.1, 6 mm, 1]]}, value: 0.25 + 3*east}\n"
    "  - {name: push, offset: [0, 5 mm], pushes: true, stiffness: 1e4, compliance: 1e-6, outside: "
    "0.1,\n"
    "     wire: {radius: 0.3 mm, material: {youngs_modulus: 60 GPa, poisson_ratio: 0.3,\n"
    "     density: 6450}}}\n"
    "chambers:\n"
    "  - {name: bag, offset: [1 mm, 0], area: 2 mm^2, value: 1e4 Pa, atmosphere: 9e4}\n"
    "loads:\n"
    "  - {name: breeze, from: 0.02, force: [0, wind2, 0]}\n"
    "  - {name: tap, at: 0.1, frame: body, force: [0.1, 0, tap], moment: [0, 1e-3, 0]}\n"
    "inputs:\n"
    "  wind: {ramp: {to: 0, from: 1, duration: 0.1}}\n"
    "  lift: {sine: {amplitude: 1e-3, frequency: 2, phase: 0.5}}\n"
    "  turn: {curve: [[0, 0], [0.1, 0.2], [0.3, 0.1]]}\n"
    "  grip: {hat: {peak: 1, duration: 0.2}}\n"
    "  wind2: {points: [[0, 0], [0.1, 0.02]]}\n"
    "  tap: {step: {to: 0.1, at: 0.05}}\n"
    "  east: 1.25\n"
    "simulation: {solver: {tolerance: 1e-9}, time: {scheme: trapezoidal, step: 2 ms, end: 0.3}, "
    "space: "
    "{nodes: 5}}\n"
    "record: {fields: [pose, strain, energy]}\n";

static const char obstacles[] =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: wire, length: 0.1, section: {radius: 0.3 mm},\n"
    "     material: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, density: 6450}}\n"
    "obstacles:\n"
    "  - {plane: {}, position: [0, 0, -1], direction: [0, 1, 1]}\n"
    "  - {name: ball, sphere: {radius: 1 cm}, position: [0.3 + 0.5*slide, 0, 0], friction: 0.2}\n"
    "  - {cylinder: {radius: 1 m}, inside: true, motion: {rotation: [0, 0, slide2]}}\n"
    "  - {capsule: {radius: 1 cm, length: 3 cm}, position: [1, 0, 0], stiffness: 1e5}\n"
    "  - {box: [1 cm, 2 cm, 3 cm], position: [2, 0, 0], presliding: 1e-6}\n"
    "  - {torus: {radius: 5 cm, thickness: 1 mm}, position: [3, 0, 0]}\n"
    "  - tube: {points: [[0, 0, 0], [0, 0, 0.2], [0.1, 0, 0.4]], radius: [1 cm, 2 cm, 1.5 cm],\n"
    "      branches: [{points: [[0, 0, 0.1], [0.1, 0, 0.1]], radius: 5 mm},\n"
    "                 {points: [[0, 0, 0.2], [0, 0.1, 0.2], [0, 0.2, 0.3]], radius: [5 mm, 4 mm, 3 "
    "mm]}]}\n"
    "inputs: {slide: 0.1, slide2: 0.2}\n"
    "simulation: {space: {nodes: 4}, time: {step: 1 ms, end: 0.1}}\n";

static const char bodies[] =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: wire, length: 0.1, section: {radius: 0.3 mm},\n"
    "     material: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, density: 6450}}\n"
    "bodies:\n"
    "  - {name: egg, mass: 10 g, inertia: 1e-6, shape: {capsule: {radius: 2 cm, length: 1 cm}}}\n"
    "  - {name: die, mass: 10 g, shape: {box: [1 cm, 2 cm, 3 cm]}, position: [1, 2, 3]}\n"
    "  - {name: bob, on: wire, mass: 1 g, shape: {sphere: {radius: 2 mm}}}\n"
    "obstacles:\n"
    "  - {sphere: {radius: 3 cm}, on: egg, position: [0, 1 mm, 0], friction: 0.1}\n"
    "  - {plane: {}, position: [0, 0, -0.1]}\n"
    "simulation: {model: eba, start: straight, time: {step: 1 ms, end: 0.1}}\n";

static void every_key_is_written_and_read_as_it_was(void **unused) {
    (void)unused;
    const char *const texts[] = {rich, obstacles, bodies};
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        char *text, *twice;
        td_robot *robot = td_robot_parse(texts[i], strlen(texts[i]), "text", NULL, 0, &err);
        if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
        assert_non_null(robot);
        td_robot *read = again(robot, &text), *second = again(read, &twice);
        assert_string_equal(text, twice);
        assert_string_equal(td_robot_name(robot), td_robot_name(read));
        check_same(robot, read, "text");
        td_free_text(text), td_free_text(twice);
        td_robot_destroy(robot), td_robot_destroy(read), td_robot_destroy(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_is_written_and_read_as_it_was),
        cmocka_unit_test(every_key_is_written_and_read_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
