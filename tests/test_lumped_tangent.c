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
    near.tip.held = true, near.tip.body = body, near.tip.position[0] = -0.05;
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
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.rod = 1, t.to = 0.5, t.offset[0] = t.offset_end[1] = 0.03;
    t.stiffness = 50.0, t.input = TD_DISPLACEMENT, t.value = td_constant(0.1);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

// Q = Q* (1, w/(2 c0)) solved for w.
static node_state moved(const node_state *x, const node_state *from, const double dz[6],
                        double c0) {
    node_state y = *x;
    y.q = quat_mul(quat_exp(vec3_load(dz)), x->q);
    y.p = vec3_add(x->p, vec3_load(dz + 3));
    quat by = quat_mul(quat_conj(from->q), y.q);
    y.w = vec3_scale(quat_vector(by), 2.0 * c0 / by.w);
    y.v = vec3_scale(vec3_sub(y.p, from->p), c0);
    return y;
}

static void the_matrix_is_the_derivative(void **state) {
    (void)state;
    static const td_joint joints[] = {TD_CLAMP, TD_BALL, TD_REVOLUTE, TD_UNIVERSAL};
    for (int variant = 0; variant < 8; variant++) {
        const bool printed = variant % 2;
        td_options o = lumped_options("eba", 2, printed);
        bare b = bare_eba(busy_net(joints[variant / 2]), &o);
        net *c = b.c;
        net_memory *m = b.m;
        const double c0 = 20.0, effort = 2.0;
        node_state x[8], from[8];
        assert_true(c->n_nodes <= 8);
        situation at = {.share = 1.0, .c0 = c0, .before = from};
        memcpy(from, m->nodes, sizeof(node_state) * (size_t)c->n_nodes);
        for (int i = 0; i < c->n_free; i++) {
            double dz[6];
            for (int k = 0; k < 6; k++) dz[k] = 0.08 * sin(3.0 * i + 1.7 * k + 0.5);
            from[i].v = (vec3){0.3 * i, -0.2, 0.1};
            from[i].w = (vec3){-0.5, 0.4 * i, 0.2};
            x[i] = moved(&m->nodes[i], &from[i], dz, c0);
        }
        hold_nodes(c, m, &at, x);
        assemble(c, m, &at, x, &effort, true);
        const int rows = 6 * c->n_free;
        double *matrix = malloc(sizeof(double) * BLOCK * (size_t)blocks_of(&c->pattern));
        memcpy(matrix, m->a, sizeof(double) * BLOCK * (size_t)blocks_of(&c->pattern));
        for (int k = 0; k < rows; k++) {
            double r[2][48], dz[6] = {0.0};
            node_state keep_x = x[k / 6];
            for (int side = 0; side < 2; side++) {
                dz[k % 6] = side ? 1e-5 : -1e-5;
                x[k / 6] = moved(&keep_x, &from[k / 6], dz, c0);
                assemble(c, m, &at, x, &effort, false);
                memcpy(r[side], m->r, sizeof(double) * (size_t)rows);
                x[k / 6] = keep_x;
            }
            for (int i = 0; i < rows; i++) {
                int block = block_at(&c->pattern, i / 6, k / 6);
                double a = block < 0 ? 0.0 : matrix[BLOCK * block + 6 * (i % 6) + k % 6];
                CHECK_NEAR((r[1][i] - r[0][i]) / 2e-5, a, 1e-6 * (1.0 + fabs(a)));
            }
        }
        free(matrix);
        bare_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_matrix_is_the_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
