// Parts of every kind are counted, named and found as the file has them, also those that come with others.
#include "tendril/loop.h"

#include <string.h>

#include "scene.h"

static const char *const two_arms =
    "tendril: 1\n"
    "materials: {steel: {youngs_modulus: 200 GPa, poisson_ratio: 0.3, density: 7800}}\n"
    "rods:\n"
    "  - {name: left, length: 0.2, section: {radius: 1 mm}, material: steel, base: {joint: "
    "revolute, "
    "axis: [1, 0, 0]}}\n"
    "  - {name: right, length: 0.2, section: {radius: 1 mm}, material: steel, base: {position: "
    "[0.1, "
    "0, 0]}}\n"
    "bodies: [{name: ball, on: left, at: tip, mass: 1 g, shape: {sphere: {radius: 2 mm}}}]\n"
    "tendons: [{name: east, rod: right, offset: [5 mm, 0]}, {name: west, rod: right, offset: [-5 "
    "mm, "
    "0]}]\n"
    "chambers: [{name: air, rod: right, radius: 0.2 mm}]\n"
    "muscles: [{name: curl, rod: right, curvature: [1, 0, 0]}]\n"
    "temperatures: [{name: warm, rod: right, value: 20 degC, expansion: 1e-5, moduli: [[20 degC, "
    "200 "
    "GPa], [300 degC, 150 GPa]]}]\n"
    "stiffeners: [{name: jam, rod: right}]\n"
    "joint_motors: [{name: hub, rod: left, input: torque, stiffness: 1 N m/rad, motor: {inertia: "
    "1e-6}}]\n"
    "obstacles: [{name: floor, plane: {}, position: [0, 0, -1]}]\n"
    "contacts: [{name: pair, between: [left, right]}]\n"
    "sensors: [{name: camera, measures: rod.right.tip.position}]\n"
    "controllers: [{name: hold, inputs: east, formula: \"t\"}]\n";

typedef struct kind {
    const char *word;
    int (*count)(const td_system *);
    const char *(*name)(const td_system *, int);
    int (*find)(const td_system *, const char *);
    const char *const names[3];  // in their order
} kind;

#define KIND(word, plural, ...)                                                                    \
    {                                                                                              \
#word, td_n_##plural, td_##word##_name, td_find_##word, {                                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const kind kinds[] = {
    KIND(rod, rods, "left", "right"),
    KIND(body, bodies, "ball"),
    KIND(tendon, tendons, "east", "west"),
    KIND(chamber, chambers, "air"),
    KIND(muscle, muscles, "curl"),
    KIND(temperature, temperatures, "warm"),
    KIND(stiffener, stiffeners, "warm", "jam"),
    KIND(joint_motor, joint_motors, "hub"),
    KIND(obstacle, obstacles, "floor"),
    KIND(contact, contacts, "pair"),
    KIND(sensor, sensors, "camera"),
    KIND(controller, controllers, "hold"),
};

static void parts_are_counted_named_and_found(void **state) {
    (void)state;
    scene s = scene_of(two_arms, NULL, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const kind *of = &kinds[k];
        int n = 0;
        for (; n < 3 && of->names[n]; n++) {
            const int found = of->find(s.system, of->names[n]);
            if (found != n) fail_msg("%s '%s' is number %d", of->word, of->names[n], found);
            assert_string_equal(of->name(s.system, n), of->names[n]);
        }
        assert_int_equal(of->count(s.system), n);
        assert_int_equal(of->find(s.system, "nobody"), -1);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_counted_named_and_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
