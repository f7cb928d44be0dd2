// The shooting machinery from the inside: the variational equations against differences.
#include "rods.h"

#include <string.h>

#include "model/cosserat/shooting/bvp.h"

// A rod with everything on it: two pieces, taper, rest curvature, damping, drag, following and dead
// loads at an interior point and spread, a moving base.
static td_robot *rich_robot(void) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.15;
    pieces[0].section_end.radius = 0.8e-3;
    pieces[0].rest_curvature[1] = 1.3;
    pieces[1].length = 0.25;
    pieces[1].section.radius = pieces[1].section_end.radius = 0.8e-3;
    pieces[1].rest_curvature[0] = -0.7, pieces[1].rest_curvature[2] = 0.9;
    pieces[1].damping_time = 1e-3;
    for (int i = 0; i < 3; i++) {
        pieces[0].drag[i] = 0.02 * (i + 1);
        pieces[1].linear_drag[i] = 0.05;
        pieces[1].drag[i] = 0.01;
    }
    td_robot *robot = td_robot_create();
    int turn = add_input(robot, "turn");
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = pieces, def.n_pieces = 2;
    def.base.rotation[1] = (td_number){0.2, 1.0, turn};
    def.base.position[2] = (td_number){0.0, 0.3, turn};
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, 1.0, -2.0, -9.81);
    td_load_def follow = point_load("follow", 0.22);
    follow.frame = TD_FRAME_BODY;
    set3(follow.force, 0.1, 0.2, -0.05);
    set3(follow.moment, 0.01, 0.0, 0.02);
    add_load(robot, &follow);
    td_load_def spread = td_default_load_def();
    spread.name = "spread", spread.distributed = true, spread.from = 0.1, spread.to = 0.3;
    spread.frame = TD_FRAME_BODY;
    set3(spread.force, 0.4, -0.2, 0.1);
    set3(spread.moment, 0.02, 0.01, 0.03);
    add_load(robot, &spread);
    add_tip_force(robot, 0.4, 0.2, 0.1, -0.1);
    return robot;
}

static void check_against_differences(td_theory theory, td_integrator integrator, double c0) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.theory = theory;
    o.integrator = integrator;
    o.steps = 40;
    td_robot *robot = rich_robot();
    td_error err = {0};
    cosserat *c = cosserat_compile(robot, NULL, &o, &err);
    assert_non_null(c);
    const rod *r = &c->rods[0];
    size_t n = (size_t)r->n_nodes;
    double *history = calloc(n * F_SIZE, sizeof(double)), *mid = calloc(n * F_SIZE, sizeof(double));
    double *nodes = calloc(n * Y_SIZE, sizeof(double)), *strains = calloc(n * 6, sizeof(double));
    double *bounds = calloc(n * Y_SIZE, sizeof(double));
    element_loads *loads = calloc((size_t)r->n_elements, sizeof *loads);
    for (size_t i = 0; c0 > 0.0 && i < n * F_SIZE; i++)
        history[i] = theory == TD_KIRCHHOFF && i % F_SIZE >= F_V && i % F_SIZE < F_W
                         ? 0.0
                         : 3.0 * sin(0.37 * (double)i);
    shoot_midpoints(r, TD_CUBIC, history, mid);
    double input = 0.1, rate = c0 > 0.0 ? 2.0 : 0.0;
    td_stats stats = {0};
    rod_loads_at(r, &input, 1.0, loads);
    shooting s = {.r = r,
                  .options = &c->options,
                  .c0 = c0,
                  .history = history,
                  .history_mid = mid,
                  .loads = loads,
                  .gravity = rod_gravity_at(c, &input, 1.0),
                  .base = rod_base_at(r, 1.0, &input, &rate),
                  .nodes = nodes,
                  .bounds = bounds,
                  .strains = strains,
                  .stats = &stats};
    shoot_whole(&s);
    const double G[6] = {0.21, -0.12, 0.3, 0.06, -0.09, 0.03};
    double residual[6], J[36], largest = 0.0;
    assert_true(shoot(&s, G, residual, J));
    for (int i = 0; i < 36; i++) largest = fmax(largest, fabs(J[i]));
    for (int k = 0; k < 6; k++) {
        double step = 1e-5, plus[6], minus[6], G_step[6];
        memcpy(G_step, G, sizeof G_step);
        G_step[k] = G[k] + step;
        assert_true(shoot(&s, G_step, plus, NULL));
        G_step[k] = G[k] - step;
        assert_true(shoot(&s, G_step, minus, NULL));
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(J[6 * i + k], (plus[i] - minus[i]) / (2.0 * step), 2e-7 * largest);
    }
    // the shot with the variational equations is the same shot
    double again[6];
    shoot(&s, G, again, NULL);
    assert_memory_equal(residual, again, sizeof again);
    free(history), free(mid), free(nodes), free(bounds), free(strains), free(loads);
    cosserat_release(c);
    td_robot_destroy(robot);
}

static void variational_equations_match_central_differences(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++)
        for (int integrator = 0; integrator < 2; integrator++) {
            check_against_differences((td_theory)theory, (td_integrator)integrator, 0.0);
            check_against_differences((td_theory)theory, (td_integrator)integrator, 300.0);
        }
}

static void elements_end_where_something_jumps(void **unused) {
    (void)unused;
    td_robot *robot = rich_robot();
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.steps = 40;
    td_error err = {0};
    cosserat *c = cosserat_compile(robot, NULL, &o, &err);
    const double cuts[6] = {0.0, 0.1, 0.15, 0.22, 0.3, 0.4};
    assert_int_equal(c->rods[0].n_elements, 5);
    int nodes = 0;
    for (int i = 0; i < 5; i++) {
        const element *e = &c->rods[0].elements[i];
        CHECK_NEAR(e->s0, cuts[i], 1e-15);
        CHECK_NEAR(e->s0 + e->length, cuts[i + 1], 1e-15);
        assert_int_equal(e->node, nodes);
        assert_int_equal(e->n_spread, i >= 1 && i <= 3);
        assert_int_equal(e->n_end_loads, i == 2 || i == 4);
        nodes += e->n_nodes;
    }
    assert_int_equal(c->rods[0].n_nodes, nodes);
    cosserat_release(c);
    td_robot_destroy(robot);
}

static void a_hopeless_shot_is_reported_not_followed(void **unused) {
    (void)unused;
    td_robot *robot = rich_robot();
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    td_error err = {0};
    cosserat *c = cosserat_compile(robot, NULL, &o, &err);
    const rod *r = &c->rods[0];
    size_t n = (size_t)r->n_nodes;
    double *zero = calloc(n * F_SIZE, sizeof(double)), *nodes = calloc(n * Y_SIZE, sizeof(double));
    double *strains = calloc(n * 6, sizeof(double)), input = 0.0, residual[6];
    double *bounds = calloc(n * Y_SIZE, sizeof(double));
    element_loads *loads = calloc((size_t)r->n_elements, sizeof *loads);
    td_stats stats = {0};
    shooting s = {.r = r,
                  .options = &c->options,
                  .history = zero,
                  .history_mid = zero,
                  .loads = loads,
                  .base = rod_base_at(r, 1.0, &input, NULL),
                  .nodes = nodes,
                  .bounds = bounds,
                  .strains = strains,
                  .stats = &stats};
    shoot_whole(&s);
    const double G[6] = {0.0, 0.0, 0.0, 0.0, 1e9, 0.0};
    assert_false(shoot(&s, G, residual, NULL));
    assert_true(s.blow_up >= 0.0 && s.blow_up <= 0.4);
    free(zero), free(nodes), free(bounds), free(strains), free(loads);
    cosserat_release(c);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variational_equations_match_central_differences),
        cmocka_unit_test(elements_end_where_something_jumps),
        cmocka_unit_test(a_hopeless_shot_is_reported_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
