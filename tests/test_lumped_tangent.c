// The matrix of a step against differences of what is out of balance, with everything that a net can
// carry: rods on both sides of a body, loads that follow, drag, tendons of unknown tension.
#include <stdlib.h>

#include "math/se3.h"

#include "lumped_bare.h"

static td_robot *busy_net(td_joint held_by) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    r.length = 0.5;
    for (int i = 0; i < 6; i++)
        r.stiffness[i] = i < 3 ? 0.5 + i : 20.0 + i, r.damping[i] = 0.1 + 0.02 * i;
    td_piece_def piece = lumped_piece(&r);
    for (int i = 0; i < 3; i++) piece.drag[i] = 0.3 + i, piece.linear_drag[i] = 0.2 + 0.1 * i;
    td_robot *robot = td_robot_create();
    set_gravity(robot, 1.0, -2.0, 3.0);
    td_body_def hub = td_default_body_def();
    hub.name = "hub", hub.rod = -1, hub.position[2] = 0.5, hub.mass = 0.3;
    for (int i = 0; i < 3; i++) hub.inertia[i] = 0.01 * (i + 1), hub.centre[i] = 0.02 * i - 0.03;
    int body = td_robot_add_body(robot, &hub, &err);
    CHECK_OK(body, err);
    td_rod_def near = td_default_rod_def(), far = td_default_rod_def();
    near.name = "near", near.pieces = &piece, near.n_pieces = 1;
    near.tip.held = true, near.tip.body = body, near.tip.position[0] = td_constant(-0.05);
    near.tip.joint = far.base.joint = held_by;
    near.tip.axis[0] = 0.6, near.tip.axis[1] = 0.8;
    near.tip.axis2[0] = -0.8, near.tip.axis2[1] = 0.6;
    far.name = "far", far.pieces = &piece, far.n_pieces = 1;
    far.base.body = body, far.base.position[1] = td_constant(0.04);
    CHECK_OK(td_robot_add_rod(robot, &near, &err), err);
    CHECK_OK(td_robot_add_rod(robot, &far, &err), err);
    td_load_def jet = point_load("jet", 0.5), push = point_load("push", 0.0);
    jet.rod = 1, jet.frame = TD_FRAME_BODY;
    set3(jet.force, 0.5, -0.3, 0.8);
    set3(jet.moment, 0.1, 0.2, -0.1);
    push.rod = 1;  // at the base, on an arm of the body
    set3(push.force, -0.4, 0.6, 0.2);
    add_load(robot, &jet);
    add_load(robot, &push);
    if (held_by == TD_CLAMP) {  // one that follows there: eba refuses it on ends that turn
        td_load_def blow = jet;
        blow.name = "blow", blow.from = 0.0;
        add_load(robot, &blow);
    }
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.rod = 1, t.to = 0.5, t.offset[0] = t.offset_end[1] = 0.03;
    t.stiffness = 50.0, t.input = TD_DISPLACEMENT, t.value = td_constant(0.1);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

// ---------------------------------------------------------------- a stage of a step
#define MOST 64  // rows

typedef struct stage {  // velocities, and where they lead: as a time formula has it
    const solve_part *p;
    double c0;
    double star[MOST], star_v[MOST];
    double q[MOST], l[4], v[MOST], a[MOST];
} stage;

static void arrive(stage *s) {
    s->p->how->advance(s->p->of, s->star, 1.0 / s->c0, s->v, s->q);
    for (int k = 0; k < s->p->n_q; k++) s->a[k] = s->c0 * (s->v[k] - s->star_v[k]);
}

static void residual(const stage *s, const solve_instant *at, double *r) {
    const configuration x = {s->q, s->l, s->v, s->a};
    s->p->how->residual(s->p->of, at, &x, r, NULL);
}

// Column k of the matrix, by differences of the way that Newton's method goes.
static void difference(const stage *s, const solve_instant *at, int k, double *column) {
    const int n = part_n(s->p);
    const double e = 1e-5;
    double r[2][MOST], dz[MOST] = {0.0}, dv[MOST];
    for (int side = 0; side < 2; side++) {
        stage x = *s;
        dz[k] = side ? e : -e;
        s->p->how->rate_change(s->p->of, s->q, s->v, s->c0, dz, dv);
        for (int i = 0; i < s->p->n_q; i++) x.v[i] += dv[i];
        if (k >= s->p->n_q) x.l[k - s->p->n_q] += dz[k];
        arrive(&x);
        residual(&x, at, r[side]);
    }
    for (int i = 0; i < n; i++) column[i] = (r[1][i] - r[0][i]) / (2.0 * e);
}

static stage moving_stage(const solve_part *p, double c0) {
    stage s = {.p = p, .c0 = c0};
    for (int i = 0; i < p->n_l; i++) s.l[i] = 2.0;
    memcpy(s.star, p->m->q, sizeof(double) * (size_t)p->n_x);
    for (int k = 0; k < p->n_q; k++) {
        s.star_v[k] = 0.4 * sin(1.3 * k);
        s.v[k] = s.star_v[k] + c0 * 0.08 * sin(0.5 + 3.0 * (k / 6) + 1.7 * (k % 6));
    }
    arrive(&s);
    return s;
}

static void check_matrix(const solve_part *p) {
    const double c0 = 20.0;
    const solve_instant at = {.cv = c0, .ca = c0 * c0, .shares = ALL_SHARES};
    const tangent_weights w = {.q = 1.0, .v = c0, .a = c0 * c0};
    const stage s = moving_stage(p, c0);
    const configuration x = {s.q, s.l, s.v, s.a};
    const int n = part_n(p);
    double *matrix = p->m->matrix;
    assert_true(n <= MOST);
    assert_true(p->how->tangent(p->of, &at, &x, &w, matrix, NULL, NULL));
    for (int k = 0; k < n; k++) {
        double unit[MOST] = {0.0}, column[MOST], exact[MOST];
        unit[k] = 1.0;
        difference(&s, &at, k, column);
        p->linear->multiply(p, matrix, unit, exact);
        for (int i = 0; i < n; i++) CHECK_NEAR(column[i], exact[i], 1e-6 * (1.0 + fabs(exact[i])));
    }
}

static void the_matrix_is_the_derivative(void **state) {
    (void)state;
    static const td_joint joints[] = {TD_CLAMP, TD_BALL, TD_REVOLUTE, TD_UNIVERSAL};
    for (int variant = 0; variant < 8; variant++) {
        td_options o = lumped_options("eba", 2, variant % 2);
        bare b = bare_eba(busy_net(joints[variant / 2]), &o);
        check_matrix(&b.part);
        bare_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_matrix_is_the_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
