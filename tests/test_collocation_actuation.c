// The linearised equations of a rod with everything on it: tendons of each kind, chambers, friction
// that sticks and slides, riding bodies.
#include "test_collocation.h"

#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/rigid.h"

// ---------------------------------------------------------------- a rod with everything
static void add_tendon(td_robot *robot, const char *name, td_tendon_def t) {
    td_error err = {0};
    t.name = name;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

static void add_tendons(td_robot *robot, const material *a) {
    const double r = a->radius, F = 3.0 * a->load;
    td_tendon_def t = td_default_tendon_def();
    t.to = L, t.offset[0] = t.offset_end[0] = 0.7 * r, t.offset[1] = t.offset_end[1] = 0.2 * r;
    t.value = td_constant(F);
    add_tendon(robot, "pulled", t);
    t.routing = TD_ROUTING_HELIX, t.radius = 0.8 * r, t.turns = 0.7, t.phase = 1.0;
    t.input = TD_DISPLACEMENT, t.value = td_constant(0.02), t.stiffness = 1000.0 * F;
    t.outside = 0.1, t.compliance = 0.1 * r / F;
    add_tendon(robot, "helix", t);
    t.routing = TD_ROUTING_STRAIGHT, t.offset[0] = -0.8 * r, t.offset_end[0] = -0.4 * r;
    t.from = 0.1, t.to = 0.3, t.friction = 0.3, t.viscous = 0.02, t.presliding = 10.0;
    add_tendon(robot, "rubbing", t);
    t.input = TD_TENSION, t.value = td_constant(F), t.presliding = 0.0, t.stiffness = 0.0;
    t.outside = t.compliance = 0.0, t.offset[1] = -0.5 * r;
    add_tendon(robot, "sliding", t);
}

static void add_chambers(td_robot *robot, const material *a) {
    td_error err = {0};
    td_chamber_def c = td_default_chamber_def();
    c.to = L, c.offset[0] = 0.3 * a->radius, c.offset[1] = -0.2 * a->radius;
    c.radius = 0.2 * a->radius;
    c.name = "pressure", c.value = td_constant(a->load / (a->radius * a->radius));
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    c.name = "fluid", c.input = TD_VOLUME, c.to = 0.25, c.path_volume = true;
    c.value = td_constant(1.1 * 3.14 * c.radius * c.radius * 0.25);
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    c.name = "gas", c.input = TD_AMOUNT, c.from = 0.2, c.to = L, c.value = td_constant(1e-3);
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
}

static void add_bodies(td_robot *robot, const material *a) {
    td_error err = {0};
    const double m = 0.1 * a->load;
    td_body_def b = td_default_body_def();
    b.name = "disc", b.at = 0.2, b.mass = m;
    for (int i = 0; i < 3; i++) {
        b.inertia[i] = m * a->radius * a->radius * (2.0 + 0.3 * i);
        b.centre[i] = a->radius * (0.5 - 0.4 * i);
    }
    CHECK_OK(td_robot_add_body(robot, &b, &err), err);
    b.name = "object", b.at = L;
    CHECK_OK(td_robot_add_body(robot, &b, &err), err);
}

static td_robot *full_robot(const material *a) {
    td_robot *robot = rich_robot(a, false);
    add_tendons(robot, a);
    add_chambers(robot, a);
    add_bodies(robot, a);
    return robot;
}

// Efforts of the right size, and a past in which some edges have slid and others have not.
static void fill_efforts(instant *at) {
    static const double none[1] = {0.3};
    rod_given_at(at->r, none, 1.0, at->m->given);
    for (int k = 0; k < at->r->n_actuators; k++) {
        const rod_actuator *ra = &at->r->actuators[k];
        for (int i = 0; i < ra->n_efforts; i++)
            at->own->now.efforts[ra->effort + i] =
                ra->effort_scale * (0.3 + 0.1 * sin(1.0 + k + 0.7 * i));
    }
    for (int i = 0; i < at->r->n_points; i++) {
        at->m->grips[i] = 0.6 * sin(0.9 * i);
        at->m->passed[0][i] = -0.2;
        at->m->passed_history[i] = 0.2 * at->p.c0;
    }
    for (int i = 0; i < 6 * at->r->n_elements; i++) at->m->end_history[i] = cos(1.1 * i);
}

static void open_full(instant *at, const material *a, td_theory theory, int nodes, bool moving) {
    open_instant(at, a, full_robot(a), theory, nodes, moving);
    fill_efforts(at);
    at->n += at->r->n_efforts;
    assert_true(iterate_evaluate(&at->p, &at->own->now));
}

static void shift(instant *at, const double *change, double reach) {
    for (int i = 0; i < at->r->n_nodes; i++)
        for (int k = 0; k < at->d; k++) at->own->now.x[6 * i + k] += reach * change[at->d * i + k];
    for (int i = 0; i < at->r->n_efforts; i++)
        at->own->now.efforts[i] += reach * change[n_strains(at->r) + i];
}

static void difference(instant *at, const double *change, double reach, double *out) {
    const double sides[2] = {reach, -2.0 * reach};
    for (int side = 0; side < 2; side++) {
        shift(at, change, sides[side]);
        assert_true(iterate_evaluate(&at->p, &at->own->now));
        for (int i = 0; i < at->n; i++)
            out[i] = (side ? out[i] - at->own->now.residual[i] : at->own->now.residual[i]);
    }
    shift(at, change, reach);
    for (int i = 0; i < at->n; i++) out[i] /= 2.0 * reach;
    assert_true(iterate_evaluate(&at->p, &at->own->now));
}

static double solved_defect(instant *at) {
    double *change = calloc((size_t)at->n, sizeof *change);
    double *residual = calloc((size_t)at->n, sizeof *residual);
    double *step = calloc((size_t)at->n, sizeof *step), largest = 0.0;
    for (int i = 0; i < n_strains(at->r); i++)
        change[i] = (i % at->d < 3 ? 1.0 : 0.1) * cos(2.3 * i * i);
    for (int k = 0; k < at->r->n_actuators; k++)
        for (int i = 0; i < at->r->actuators[k].n_efforts; i++)
            change[n_strains(at->r) + at->r->actuators[k].effort + i] =
                at->r->actuators[k].effort_scale * sin(1.9 * i + k);
    difference(at, change, 1e-5, residual);
    assert_true(rod_factor(&at->p, at->own, at->own->now.nodes, true, NULL));
    rod_solve(at->r, at->own, residual, step);  // - J^-1 (J change)
    for (int i = 0; i < at->n; i++) step[i] += change[i];
    for (int i = 0; i < n_strains(at->r); i++) largest = fmax(largest, fabs(step[i]));
    for (int k = 0; k < at->r->n_actuators; k++)
        for (int i = 0; i < at->r->actuators[k].n_efforts; i++)
            largest = fmax(largest, fabs(step[n_strains(at->r) + at->r->actuators[k].effort + i]) /
                                        at->r->actuators[k].effort_scale);
    free(change), free(residual), free(step);
    return largest;
}

// ---------------------------------------------------------------- claims
static void the_bordered_equations_are_the_residual_s_derivative(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++)
        for (int moving = 0; moving < 2; moving++)
            for (int nodes = 4; nodes <= 8; nodes += 4) {
                instant at;
                open_full(&at, &soft, (td_theory)theory, nodes, moving);
                CHECK_NEAR(solved_defect(&at), 0.0, 1e-5);
                close_instant(&at);
            }
}

// Answers to columns: residuals, wrenches at the tip. Each must solve the equations by itself.
static void answers_to_many_columns_are_those_to_each(void **unused) {
    (void)unused;
    instant at;
    open_full(&at, &soft, TD_COSSERAT, 4, true);
    assert_true(rod_factor(&at.p, at.own, at.own->now.nodes, false, NULL));
    enum { N = 21 };
    double *all = calloc((size_t)(at.n * N), sizeof *all), *one = calloc((size_t)at.n, sizeof *one);
    double *X = calloc((size_t)(at.n * N), sizeof *X), *x = calloc((size_t)at.n, sizeof *x);
    double tip[6 * N], motion[12 * N], tip1[6], motion1[12];
    for (int i = 0; i < at.n * N; i++) all[i] = sin(0.7 * i * i);
    for (int i = 0; i < 6 * N; i++) tip[i] = cos(0.3 * i * i);
    collocation_ports.respond(&at.p, N, all, tip, NULL, X, motion, NULL);
    for (int c = 0; c < N; c++) {
        double scale = 0.0, worst = 0.0;
        for (int i = 0; i < at.n; i++) one[i] = all[i * N + c];
        for (int i = 0; i < 6; i++) tip1[i] = tip[i * N + c];
        collocation_ports.respond(&at.p, 1, one, tip1, NULL, x, motion1, NULL);
        for (int i = 0; i < at.n; i++) {
            scale = fmax(scale, fabs(x[i]));
            worst = fmax(worst, fabs(x[i] - X[i * N + c]));
        }
        CHECK_NEAR(worst / scale, 0.0, 1e-11);
        for (int i = 0; i < 12; i++)
            CHECK_NEAR(motion[i * N + c], motion1[i], 1e-9 * (1.0 + fabs(motion1[i])));
    }
    free(all), free(one), free(X), free(x);
    close_instant(&at);
}

// A rigid body: d(wrench)/d(motion) against differences along a screw.
static void a_body_s_wrench_answers_to_its_motion(void **unused) {
    (void)unused;
    const mat3 J = {{{0.3, 0.04, -0.02}, {0.04, 0.5, 0.03}, {-0.02, 0.03, 0.6}}};
    const double centre[3] = {0.2, -0.3, 0.4};
    const double history[6] = {1.0, -2.0, 0.5, 3.0, -1.0, 2.0};
    const vec3 g = vec3_make(3.0, -2.0, -9.81);
    const rigid b = rigid_make(1.7, J, centre);
    const se3 T = se3_exp(vec6_make(vec3_make(0.4, -0.7, 1.1), vec3_make(0.3, 0.2, -0.5)));
    const vec6 a = {{1.0, -0.6, 0.8}, {-0.4, 0.9, 1.3}};
    double H[72];
    rigid_wrench(&b, &T, a, 7.0, history, g, H);
    for (int k = 0; k < 12; k++) {
        double z[12] = {0.0}, side[2][6];
        for (int s = 0; s < 2; s++) {
            z[k] = s ? 1e-5 : -1e-5;
            se3 step = se3_exp(vec6_load(z)), moved = se3_mul(&step, &T);
            vec6_store(side[s], rigid_wrench(&b, &moved, vec6_add(a, vec6_load(z + 6)), 7.0,
                                             history, g, NULL));
        }
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(H[12 * i + k], (side[1][i] - side[0][i]) / 2e-5, 2e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_s_wrench_answers_to_its_motion),
        cmocka_unit_test(the_bordered_equations_are_the_residual_s_derivative),
        cmocka_unit_test(answers_to_many_columns_are_those_to_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
