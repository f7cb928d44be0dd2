// tests/contact_rods.h - rods among obstacles, from a few lines of a file.
#pragma once

#include "scene.h"

// A ball that hangs in the air, beside a rod that has nothing to do with it.
#define FALLING_BALL                                                                               \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies: [{name: b, mass: 0.1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}]\n"

static inline td_contact_point contact_of(const scene *s, int i) {
    td_contact_point points[64];
    assert_true(td_get_contacts(s->system, s->state, points, 64) > i);
    return points[i];
}

// N, of all contact on a rod or a body; the other of the two is -1.
static inline void contact_force_on(const scene *s, int rod, int body, double force[3]) {
    td_contact_point points[1024];
    const int n = td_get_contacts(s->system, s->state, points, 1024);
    assert_true(n <= 1024);
    for (int k = 0; k < 3; k++) force[k] = 0.0;
    for (int i = 0; i < n; i++)
        if (points[i].rod == rod && points[i].body == body)
            for (int k = 0; k < 3; k++) force[k] += points[i].force[k];
}

// A bar lifts a heavy wire, and a force pulls its tip aside.
#define BAR                                                                                        \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm},\n"                                        \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 3000},\n"                \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, force: [0, side, -down]}]\n"                                                \
    "obstacles:\n"                                                                                 \
    "  - {name: bar, cylinder: {radius: 20 mm}, direction: [0, 1, 0.2], position: [0.2, 0, up],\n" \
    "     stiffness: 1e5}\n"                                                                       \
    "inputs: {side: 0.01, down: 0.02, up: 0}\n"

static inline td_pose tip_with(scene *s, const char *input, double value) {
    scene_set(s, input, value);
    scene_rest(s);
    return scene_tip(s);
}
