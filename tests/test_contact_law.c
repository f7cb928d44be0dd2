// The law of contact at a point: slopes against differences, Coulomb's law, what slides and what sticks.
#include <stdlib.h>

#include "environment/contact.h"
#include "math/quat.h"

#include "tendril/tendril.h"

#include "check.h"

static const contact_law rough = {.stiffness = 5e3, .friction = 0.4, .presliding = 2e-4};

// A drum of radius 0.3 along z and a rod of radius 10 mm, a little pressed into it.
static obstacle drum(void) {
    td_obstacle_def def = td_default_obstacle_def();
    def.shape = TD_OBSTACLE_CYLINDER;
    def.radius = 0.3;
    return obstacle_make(&def, NULL, NULL);
}

static contact_point point_at(const obstacle *o, vec3 p, vec3 before, vec3 turned, vec3 slip) {
    return (contact_point){.from = obstacle_distance(o, p),
                           .radius = 0.01,
                           .slip = slip,
                           .moved = vec3_sub(p, before),
                           .turned = turned};
}

static vec3 unit(int k) {
    return vec3_make(k == 0, k == 1, k == 2);
}

static void check_columns(const mat3 *slope, int a, vec3 up, vec3 down, double h, double scale) {
    const vec3 column = vec3_scale(vec3_sub(up, down), 0.5 / h);
    CHECK_NEAR(vec3_norm(vec3_sub(column, mat3_column(slope, a))), 0.0, 1e-6 * scale);
}

// `way` in units of the presliding: what sticks, and what slides.
static void check_slopes(double way) {
    const obstacle o = drum();
    const vec3 p = {0.304, 0.01, 0.2}, slip = {0.0, 5e-5, -3e-5}, turned = {0.01, -0.02, 0.03};
    const vec3 before = vec3_sub(p, vec3_make(1e-5, way * 1.5e-4, -way * 1e-4));
    const double h = 1e-9;
    const contact_point at = point_at(&o, p, before, vec3_scale(turned, way), slip);
    contact_slopes by;
    contact_at(&rough, &at, &by);
    for (int a = 0; a < 3; a++) {
        contact c[2], t[2];
        for (int side = 0; side < 2; side++) {
            const double step = side ? h : -h;
            contact_point near = point_at(&o, vec3_madd(p, step, unit(a)), before, at.turned, slip);
            c[side] = contact_at(&rough, &near, NULL);
            near = at;
            near.turned = vec3_madd(at.turned, step, unit(a));
            t[side] = contact_at(&rough, &near, NULL);
        }
        check_columns(&by.f_p, a, c[1].force, c[0].force, h, rough.stiffness);
        check_columns(&by.l_p, a, c[1].moment, c[0].moment, h, rough.stiffness);
        check_columns(&by.f_th, a, t[1].force, t[0].force, h, rough.stiffness);
        check_columns(&by.l_th, a, t[1].moment, t[0].moment, h, rough.stiffness);
    }
}

static void slopes_are_those_of_differences(void **unused) {
    (void)unused;
    check_slopes(0.2);
    check_slopes(5.0);
}

static void there_is_no_force_without_touch(void **unused) {
    (void)unused;
    const obstacle o = drum();
    const vec3 p = {0.3101, 0.0, 0.0};
    const contact_point at = point_at(&o, p, vec3_zero(), vec3_zero(), vec3_make(0.0, 1e-4, 0.0));
    contact_slopes by;
    const contact c = contact_at(&rough, &at, &by);
    assert_false(contact_touches(&at));
    CHECK_NEAR(vec3_norm(c.force) + vec3_norm(c.moment) + vec3_norm(c.slip), 0.0, 0.0);
    CHECK_NEAR(c.energy + c.lost + by.f_p.m[0][0] + by.l_th.m[2][2], 0.0, 0.0);
}

// However it is moved: friction within mu P, along the surface, against the motion, and of its full size
// once it has slid by the presliding; what is done is what is lost when it has slid far.
static void friction_is_coulombs(void **unused) {
    (void)unused;
    const obstacle o = drum();
    vec3 slip = vec3_zero(), p = {0.305, 0.0, 0.0};
    const double P = rough.stiffness * 0.005;
    double done = 0.0, lost = 0.0, far = 0.0;
    for (int k = 0; k < 200; k++) {
        const vec3 next = {p.x, p.y, p.z + (k < 100 ? 1e-5 : -2e-5)};
        const contact_point at = point_at(&o, next, p, vec3_zero(), slip);
        const contact c = contact_at(&rough, &at, NULL);
        CHECK_NEAR(c.force.x, P, 1e-12);
        CHECK_BETWEEN(fabs(c.force.z), 0.0, rough.friction * P * (1.0 + 1e-12));
        CHECK_BETWEEN(vec3_norm(c.slip), 0.0, rough.presliding * (1.0 + 1e-12));
        CHECK_NEAR(c.moment.y, -0.01 * -c.force.z, 1e-12);  // -r x e_x x f_z e_z = r f_z e_y
        done -= c.force.z * (next.z - p.z);
        lost += c.lost;
        if (k == 50 || k == 99) CHECK_NEAR(c.force.z, -rough.friction * P, 1e-12);
        if (k == 10) CHECK_NEAR(c.force.z, -rough.friction * P * 11e-5 / rough.presliding, 1e-12);
        if (k == 150) CHECK_NEAR(c.force.z, rough.friction * P, 1e-12);
        far += fabs(next.z - p.z);
        slip = c.slip, p = next;
    }
    CHECK_NEAR(lost, done, 1e-12);
    CHECK_NEAR(lost, rough.friction * P * far, 4.0 * rough.friction * P * rough.presliding);
}

// A section that turns about its axis while it moves along without slip: friction has nothing to do.
static void what_rolls_does_not_rub(void **unused) {
    (void)unused;
    td_obstacle_def def = td_default_obstacle_def();
    const obstacle o = obstacle_make(&def, NULL, NULL);  // a plane; the axis of the rod along y
    const double angle = 1e-3;
    const vec3 before = {0.0, 0.0, 0.009}, p = {0.01 * angle, 0.0, 0.009};
    contact_point at = point_at(&o, p, before, vec3_make(0.0, angle, 0.0), vec3_zero());
    CHECK_NEAR(vec3_norm(contact_at(&rough, &at, NULL).slip), 0.0, 1e-18);
    at.turned = vec3_make(0.0, -angle, 0.0);
    CHECK_NEAR(contact_at(&rough, &at, NULL).slip.x, 0.02 * angle, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(there_is_no_force_without_touch),
        cmocka_unit_test(friction_is_coulombs),
        cmocka_unit_test(what_rolls_does_not_rub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
