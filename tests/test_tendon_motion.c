// Tendons in motion: both spatial schemes of the library against the strain form of Till 2019 (17),
// solved on its own, and against numbers of another program.
#include "truth_robots.h"

#include "truth_arms.h"
#include "truth_till2019.h"

enum { STEPS = 12 };
static const double dt = 1.0 / 60.0, alpha = -0.03;

static td_options swing_options(td_space space) {
    td_options o = truth_options(space);
    o.scheme = TD_BDF_ALPHA, o.alpha = alpha;
    o.startup = TD_REST_HISTORY;
    return o;
}

// ---------------------------------------------------------------- against the strain form
// Without drag: where a velocity changes its sign along the rod, q|q| has a kink that costs each
// discretisation its order.
static truth_arm bare_arm(double twist) {
    truth_arm arm = truth_paper_arm((const double[4]){0.0, 0.0, 0.0, 0.0}, twist);
    memset(arm.rod.drag, 0, sizeof arm.rod.drag);
    return arm;
}

typedef struct motion {
    double start[TRUTH_TENDONS], end[TRUTH_TENDONS];  // the inputs before and after time 0
    double path[STEPS][3], tension[STEPS][TRUTH_TENDONS];
} motion;

static void set_inputs(truth_arm *arm, const double *values) {
    for (int k = 0; k < arm->n_tendons; k++)
        *(arm->tendon[k].pulled ? &arm->tendon[k].pull : &arm->tendon[k].tension) = values[k];
}

static void reference_motion(const truth_arm *model, int nodes, motion *m) {
    truth_arm arm = *model;
    set_inputs(&arm, m->start);
    truth_arm_begin(&arm, nodes, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-10);
    set_inputs(&arm, m->end);
    for (int i = 0; i < STEPS; i++) {
        CHECK_BETWEEN(truth_arm_step(&arm, truth_bdf_alpha(alpha, dt)), 0.0, 1e-10);
        memcpy(m->path[i], truth_arm_tip(&arm), sizeof m->path[i]);
        for (int k = 0; k < arm.n_tendons; k++) m->tension[i][k] = arm.tendon[k].tension;
    }
    truth_arm_free(&arm);
}

static void extrapolate(const motion *coarse, motion *fine) {
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < 3; k++)
            fine->path[i][k] += (fine->path[i][k] - coarse->path[i][k]) / 15.0;
        for (int k = 0; k < TRUTH_TENDONS; k++)
            fine->tension[i][k] += (fine->tension[i][k] - coarse->tension[i][k]) / 15.0;
    }
}

static void compare(const char *name, const truth_arm *arm, motion *want, double tolerance) {
    motion coarse = *want;
    reference_motion(arm, 81, &coarse);
    reference_motion(arm, 161, want);
    extrapolate(&coarse, want);
    for (int i = 0; i < 2; i++) {
        td_options o = swing_options(truth_spaces[i]);
        truth_arm now = *arm;
        set_inputs(&now, want->start);
        world w = truth_arm_world(&now, &o);
        double worst = 0.0;
        for (int j = 0; j < STEPS; j++) {
            for (int k = 0; k < arm->n_tendons; k++)
                td_set_input(w.system, w.state, k, want->end[k]);
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
            td_pose tip = tip_of(&w);
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(tip.p[k] - want->path[j][k]));
            for (int k = 0; k < arm->n_tendons; k++)
                worst = fmax(worst, 1e-2 * fabs(td_get_tendon(w.system, w.state, k).tension -
                                                want->tension[j][k]));
        }
        if (worst > tolerance)
            fprintf(stderr, "%s, %s: %.3g m\n", name, truth_space_names[i], worst);
        CHECK_BETWEEN(worst, 0.0, tolerance);
        world_free(&w);
    }
}

static void straight_tendons_swing_as_in_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = bare_arm(0.0);
    arm.rod.gravity[0] = -9.81;
    motion m = {.end = {2.0, 0.7}};
    compare("straight", &arm, &m, 1e-9);
}

static void wound_tendons_swing_as_in_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = bare_arm(12.0);
    arm.tendon[1].rate = -9.0;
    arm.rod.gravity[0] = -9.81;
    motion m = {.start = {0.5}, .end = {1.5, 0.7}};
    compare("wound", &arm, &m, 1e-9);
}

static void an_object_at_the_tip_swings_as_in_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = bare_arm(0.0);
    arm.rod.gravity[2] = -9.81;
    arm.tip_mass = 1e-3;
    for (int i = 0; i < 3; i++) arm.tip_inertia[i] = 2e-7 * (1 + i);
    motion m = {.start = {1.0}, .end = {1.0, 1.5}};
    compare("object", &arm, &m, 1e-9);
}

static void a_displacement_swings_as_in_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = bare_arm(0.0);
    arm.n_tendons = 1;
    arm.rod.gravity[0] = -9.81;
    arm.tendon[0].pulled = true, arm.tendon[0].compliance = 1e-3;
    motion m = {.start = {4e-3}, .end = {7e-3}};
    compare("displacement", &arm, &m, 1e-9);
}

// ---------------------------------------------------------------- against the reference numbers
static double swing_error(const truth_swing *c, const td_options *o) {
    truth_arm arm = truth_paper_arm((const double[4]){0.0, 0.0, 0.0, 0.0}, 0.0);
    arm.rod.gravity[0] = -9.81;
    world w = truth_arm_world(&arm, o);
    td_set_input(w.system, w.state, 0, 2.0);
    double worst = fabs(tip_of(&w).p[0] - c->x[0]);
    for (int i = 1; i < TRUTH_STEPS; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        td_pose tip = tip_of(&w);
        worst = fmax(worst, hypot(tip.p[0] - c->x[i], tip.p[2] - c->z[i]));
    }
    world_free(&w);
    return worst;
}

static void shooting_swings_as_the_same_discretisation_elsewhere(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_SWINGS; i++) {
        const truth_swing *c = &truth_swings[i];
        if (c->paper_form) continue;
        td_options o = swing_options(TD_SHOOTING);
        o.steps = c->nodes - 1;
        o.history = c->cubic ? TD_CUBIC : TD_LINEAR;
        CHECK_BETWEEN(swing_error(c, &o), 0.0, 1e-9);
    }
}

static void collocation_swings_as_the_finest_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_SWINGS; i++) {
        if (!truth_swings[i].cubic) continue;
        td_options o = swing_options(TD_COLLOCATION);
        o.nodes = 10;
        CHECK_BETWEEN(swing_error(&truth_swings[i], &o), 0.0, 2e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_tendons_swing_as_in_the_strain_form),
        cmocka_unit_test(wound_tendons_swing_as_in_the_strain_form),
        cmocka_unit_test(an_object_at_the_tip_swings_as_in_the_strain_form),
        cmocka_unit_test(a_displacement_swings_as_in_the_strain_form),
        cmocka_unit_test(shooting_swings_as_the_same_discretisation_elsewhere),
        cmocka_unit_test(collocation_swings_as_the_finest_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
