// The law of two capsules that touch: forces from an energy, slopes, balance, and what passes through.
#include <math.h>

#include "check.h"
#include "environment/pair.h"
#include "truth_math.h"

static const pair_law law = {
    .stiffness = 300.0, .friction = 0.4, .radii = {0.1, 0.15}, .lean = {1e-3, 2e-3}};

static double coin(unsigned *seed) {  // -1 .. 1
    *seed = *seed * 1664525u + 1013904223u;
    return 2.0 * (*seed >> 8) / 16777216.0 - 1.0;
}

static vec3 any(unsigned *seed, double size) {
    return vec3_make(size * coin(seed), size * coin(seed), size * coin(seed));
}

// Ends that mostly touch: two axes about one place. kind 1: nearly parallel, 2: a ball against an axis.
static pair_ends ends_of(unsigned *seed, int kind) {
    pair_ends x = {.slip = any(seed, 2e-2)};
    const vec3 u = any(seed, 1.0);
    for (int i = 0; i < PAIR_ENDS; i++) {
        x.p[i] = any(seed, 1.0);
        if (kind == 1)
            x.p[i] = vec3_add(vec3_scale(u, i & 1 ? 1.0 : -1.0), any(seed, i < 2 ? 0.1 : 1e-3));
        x.moved[i] = any(seed, 2e-2);
        x.turned[i] = any(seed, 5e-2);
    }
    if (kind == 2) x.p[END_A0] = x.p[END_A1] = any(seed, 0.2);
    return x;
}

static double energy_of(const pair_law *of, const pair_ends *x) {
    pair_contact c;
    return pair_meet(of, x, &c) ? c.energy : 0.0;
}

static double component(vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static vec3 axis(int k, double size) {
    return vec3_make(k == 0 ? size : 0.0, k == 1 ? size : 0.0, k == 2 ? size : 0.0);
}

static void forces_are_the_slope_of_the_energy(void **state) {
    (void)state;
    unsigned seed = 1;
    pair_law smooth = law;
    smooth.friction = 0.0;
    int met = 0;
    for (int n = 0; n < 600; n++) {
        const pair_ends x = ends_of(&seed, n % 3);
        pair_contact c;
        vec6 w[PAIR_ENDS];
        if (!pair_meet(&smooth, &x, &c)) continue;
        pair_wrenches(&c, w);
        met++;
        for (int e = 0; e < PAIR_ENDS; e++)
            for (int k = 0; k < 3; k++) {
                pair_ends a = x, b = x;
                a.p[e] = vec3_add(a.p[e], axis(k, 1e-6));
                b.p[e] = vec3_add(b.p[e], axis(k, -1e-6));
                const double slope = (energy_of(&smooth, &a) - energy_of(&smooth, &b)) / 2e-6;
                CHECK_NEAR(component(w[e].l, k), -slope, 1e-6 * smooth.stiffness);
            }
    }
    assert_true(met > 100);
}

// Where no edge is near: s and t stay free, or at an end, and what sticks does so on both sides.
static bool same_kind(const pair_contact *a, const pair_contact *b) {
    return a->at.free_s == b->at.free_s && a->at.free_t == b->at.free_t && a->slides == b->slides;
}

// Turned by a little too: sections have turned by so little since that the order of turns does not show.
static void slopes_are_those_of_the_wrenches(void **state) {
    (void)state;
    unsigned seed = 7;
    int met = 0, slid = 0;
    for (int n = 0; n < 600; n++) {
        const pair_ends x = ends_of(&seed, n % 3);
        pair_contact c;
        if (!pair_meet(&law, &x, &c)) continue;
        met++;
        slid += c.slides;
        for (int e = 0; e < PAIR_ENDS; e++)
            for (int k = 0; k < 6; k++) {
                const double h = 1e-7;
                pair_ends a = x, b = x;
                pair_contact ca, cb;
                vec6 wa[PAIR_ENDS], wb[PAIR_ENDS], slope[PAIR_ENDS];
                const vec6 by = {axis(k, 1.0), axis(k - 3, 1.0)};
                a.p[e] = vec3_madd(x.p[e], h, by.l), b.p[e] = vec3_madd(x.p[e], -h, by.l);
                a.moved[e] = vec3_madd(x.moved[e], h, by.l);
                b.moved[e] = vec3_madd(x.moved[e], -h, by.l);
                a.turned[e] = vec3_madd(x.turned[e], h, by.a);
                b.turned[e] = vec3_madd(x.turned[e], -h, by.a);
                if (!pair_meet(&law, &a, &ca) || !pair_meet(&law, &b, &cb)) continue;
                if (!same_kind(&ca, &cb) || !same_kind(&c, &ca)) continue;
                pair_slope(&law, &x, &c, (pair_end)e, by, slope);
                pair_wrenches(&ca, wa), pair_wrenches(&cb, wb);
                for (int i = 0; i < PAIR_ENDS; i++)
                    for (int d = 0; d < 3; d++) {
                        const double size = 1e-5 * (law.stiffness + vec3_norm(slope[i].l));
                        CHECK_NEAR(component(slope[i].l, d),
                                   component(vec3_sub(wa[i].l, wb[i].l), d) / (2.0 * h), size);
                        CHECK_NEAR(component(slope[i].a, d),
                                   component(vec3_sub(wa[i].a, wb[i].a), d) / (2.0 * h), size);
                    }
            }
    }
    assert_true(met > 100 && slid > 20 && slid < met - 20);
}

static void nothing_comes_from_nowhere(void **state) {
    (void)state;
    unsigned seed = 3;
    for (int n = 0; n < 600; n++) {
        const pair_ends x = ends_of(&seed, n % 3);
        pair_contact c;
        vec6 w[PAIR_ENDS];
        if (!pair_meet(&law, &x, &c)) continue;
        vec3 force = vec3_zero(), moment = vec3_zero();
        pair_wrenches(&c, w);
        for (int e = 0; e < PAIR_ENDS; e++) {
            force = vec3_add(force, w[e].l);
            moment = vec3_add(moment, vec3_add(w[e].a, vec3_cross(x.p[e], w[e].l)));
        }
        CHECK_NEAR(vec3_norm(force), 0.0, 1e-13 * law.stiffness);
        CHECK_NEAR(vec3_norm(moment), 0.0, 1e-13 * law.stiffness);
        assert_true(vec3_norm(c.friction) <= law.friction * c.pressure * (1.0 + 1e-12));
        CHECK_NEAR(vec3_dot(c.friction, c.at.w), 0.0, 1e-13 * law.stiffness);
    }
}

// Against a search: the nearest of many points.
static void the_nearest_points_are_found(void **state) {
    (void)state;
    unsigned seed = 11;
    for (int n = 0; n < 60; n++) {
        const pair_ends x = ends_of(&seed, n % 3);
        const pair_near at = pair_nearest(&law, x.p);
        double least = HUGE_VAL;
        for (int i = 0; i <= 100; i++)
            for (int k = 0; k <= 100; k++) {
                const double s = 0.01 * i, t = 0.01 * k;
                const vec3 a = vec3_madd(x.p[0], s, vec3_sub(x.p[1], x.p[0]));
                const vec3 w = vec3_sub(a, vec3_madd(x.p[2], t, vec3_sub(x.p[3], x.p[2])));
                const double D = vec3_dot(w, w) + law.lean[0] * (s - 0.5) * (s - 0.5) +
                                 law.lean[1] * (t - 0.5) * (t - 0.5);
                least = fmin(least, sqrt(D));
            }
        assert_true(at.g <= least + 1e-12 && at.g > least - 0.03);
    }
}

// Thin rods at any speed: a stride of a thousand radii is seen, one beside them is not.
static void what_passes_through_is_seen(void **state) {
    (void)state;
    const pair_law thin = {.radii = {1e-3, 1e-3}, .lean = {1e-4, 1e-4}};
    const vec3 up = vec3_make(0.1, -0.2, 1.0), beside = vec3_make(1.5, 0.0, 0.0);
    vec3 from[PAIR_ENDS] = {{-1, 0, -0.4}, {1, 0, -0.4}, {0, -1, 0}, {0, 1, 0}}, to[PAIR_ENDS];
    for (int i = 0; i < PAIR_ENDS; i++) to[i] = i < 2 ? vec3_add(from[i], up) : from[i];
    assert_true(pair_crosses(&thin, from, to));
    assert_true(pair_crosses(&thin, to, from));
    for (int i = 0; i < 2; i++)
        from[i] = vec3_add(from[i], beside), to[i] = vec3_add(to[i], beside);
    assert_false(pair_crosses(&thin, from, to));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(slopes_are_those_of_the_wrenches),
        cmocka_unit_test(nothing_comes_from_nowhere),
        cmocka_unit_test(the_nearest_points_are_found),
        cmocka_unit_test(what_passes_through_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
