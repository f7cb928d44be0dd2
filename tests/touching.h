// tests/touching.h - wires that cross or lie on one another, balls that collide, a dart across a wire: scenes that every
// model of touching parts is tried in.
#pragma once

#include "contact_rods.h"

#define WIRE                                                                                       \
    "length: 0.2, section: {radius: 1 mm}, "                                                       \
    "material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1000}"
#define EI (1e10 * 3.14159265358979323846 / 4 * 1e-12)
#define LENGTH 0.2

// Two cantilevers whose tips cross, the upper one held at the height h of its axis, and shifted by x along the other.
#define CROSSED                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: low, " WIRE ", base: {direction: [1, 0, 0]}}\n"                                    \
    "  - {name: high, " WIRE ", base: {position: [x, -0.15, h], direction: [0, 1, 0]}}\n"          \
    "contacts: [{name: cross, between: [low, high], friction: 0}]\n"

// A load along the upper of two cantilevers that lie on one another.
#define PARALLEL                                                                                   \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: low, " WIRE ", base: {direction: [1, 0, 0]}}\n"                                    \
    "  - {name: high, " WIRE ", base: {position: [0, 0, 2.0001 mm], direction: [1, 0, 0]}}\n"      \
    "contacts: [{between: [low, high]}]\n"                                                         \
    "loads: [{name: press, rod: high, from: base, to: tip, force: [0, 0, -0.05]}]\n"

// Balls that collide off their middles.
#define BALLS                                                                                      \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: post, " WIRE ", base: {position: [0, 1, 0]}}\n"                                    \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 0.3, shape: {sphere: {radius: 50 mm}}, position: [0, 0, 0]}\n"            \
    "  - {name: b, mass: 0.1, shape: {sphere: {radius: 30 mm}}, position: [0.1, 0.03, 0.02]}\n"    \
    "contacts: [{name: hit, between: [a, b], stiffness: 1 MPa, friction: 0.4}]\n"                  \
    "initial: {velocities: {body.a.x: 1}}\n"

// A dart at 20 m/s across a wire that is held at both ends: in one step of 5 ms it would be 50 times their thickness beyond.
#define DART                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: wire, " WIRE ", base: {direction: [1, 0, 0]},\n"                                   \
    "     tip: {position: [0.2, 0, 0], direction: [1, 0, 0]}}\n"                                   \
    "bodies: [{name: dart, mass: 1 g, shape: {capsule: {radius: 1 mm, length: 0.2}},\n"            \
    "          position: [0.11, 0.01, 30 mm], direction: [0, 1, 0]}]\n"                            \
    "contacts: [{name: hit, between: [wire, dart], stiffness: 1 GPa}]\n"                           \
    "initial: {velocities: {body.dart.z: -20}}\n"

// The crossed cantilevers pressed on one another: each gives way by F a^3/(3 EI) where they cross, a from its base.
static inline void check_crossed(scene *s, double round) {
    const double a = 0.15, sunk = 2e-3, expected = sunk / (2.0 * a * a * a / (3.0 * EI));
    scene_rest(s);
    assert_int_equal(td_get_contacts(s->system, s->state, NULL, 0), 0);
    for (int k = 0; k <= 4; k++) {
        scene_set(s, "h", 2e-3 - 0.25 * k * sunk);
        scene_rest(s);
    }
    double on_low[3], on_high[3];
    contact_force_on(s, 0, -1, on_low);
    contact_force_on(s, 1, -1, on_high);
    CHECK_NEAR(-on_low[2], expected, 2e-3 * expected);
    for (int k = 0; k < 3; k++) CHECK_NEAR(on_low[k] + on_high[k], 0.0, round);
    const td_contact_point p = contact_of(s, 0);
    assert_int_equal(p.obstacle, -1);
    assert_int_equal(p.contact, td_find_contact(s->system, "cross"));
    assert_int_equal(p.rod, 0);
    assert_int_equal(p.other_rod, 1);
    CHECK_NEAR(p.s, 0.15, 1e-3);
    CHECK_NEAR(p.other_s, 0.15, 1e-3);
}

// ---------------------------------------------------------------- momenta
typedef struct momenta {
    double P[3], L[3];  // N s, N m s
} momenta;

static inline void cross(const double *a, const double *b, double *out) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline void turn(const double q[4], const double *v, double *out) {
    double a[3], b[3];
    cross(q + 1, v, a);
    for (int k = 0; k < 3; k++) a[k] = 2.0 * a[k];
    cross(q + 1, a, b);
    for (int k = 0; k < 3; k++) out[k] = v[k] + q[0] * a[k] + b[k];
}

// Of the balls.
static inline momenta momenta_of(const scene *s) {
    const double mass[2] = {0.3, 0.1}, I[2] = {0.4 * 0.3 * 2.5e-3, 0.4 * 0.1 * 9e-4};
    momenta m = {{0.0}, {0.0}};
    for (int i = 0; i < 2; i++) {
        const td_body_state b = td_get_body(s->system, s->state, i);
        double w[3], v[3], l[3];
        turn(b.pose.q, b.velocity, w);
        turn(b.pose.q, b.velocity + 3, v);
        cross(b.pose.p, v, l);
        for (int k = 0; k < 3; k++)
            m.P[k] += mass[i] * v[k], m.L[k] += mass[i] * l[k] + I[i] * w[k];
    }
    return m;
}
