// Rods with any number of nodes, up to the largest: what is computed four nodes at a time is what the
// equations say of one, whatever is left over in the last four.
#include "test_collocation.h"

#include "math/se3_lanes.h"

static const int numbers[] = {2, 3, 4, 5, 7, 8, 9, 63, 64};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

// ---------------------------------------------------------------- Magnus steps and exponentials
static double noise(void) {
    static unsigned long long s = 11;
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(s >> 11) / 4503599627370496.0 - 1.0;
}

static vec6 take_lane(const lanes6 *x, int i) {
    const double *a = (const double *)x + i;
    return (vec6){{a[0], a[4], a[8]}, {a[12], a[16], a[20]}};
}

static lanes6 random_lanes6(double angular, double linear) {
    lanes6 out;
    double *a = (double *)&out;
    for (int k = 0; k < 24; k++) a[k] = (k < 12 ? angular : linear) * noise();
    return out;
}

static double difference_of(vec6 a, vec6 b) {
    vec6 d = vec6_sub(a, b);
    return sqrt(vec6_dot(d, d));
}

static void check_pose(const lanes_pose *got, int i, const se3 *want, double tolerance) {
    const double *a = (const double *)got + i, p[3] = {want->p.x, want->p.y, want->p.z};
    for (int k = 0; k < 9; k++) CHECK_NEAR(a[4 * k], want->R.m[k / 3][k % 3], tolerance);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a[36 + 4 * k], p[k], tolerance);
}

// From none to several turns, small and large ones side by side.
static void four_exponentials_are_those_of_each(void **unused) {
    (void)unused;
    for (int round = 0; round < 200; round++) {
        lanes6 x = random_lanes6(pow(10.0, -9.0 + 0.05 * round), 1.0);
        for (int k = 0; k < 12 && round % 3 == 0; k += 4) ((double *)&x)[k] = 0.0;
        lanes_pose out;
        lanes_exp(&x, &out);
        for (int i = 0; i < LANES; i++) {
            const se3 want = se3_exp(take_lane(&x, i));
            check_pose(&out, i, &want, 4e-15);
        }
    }
}

static void four_magnus_steps_are_those_of_each(void **unused) {
    (void)unused;
    for (int round = 0; round < 50; round++) {
        lanes6 g[3] = {random_lanes6(3.0, 0.5), random_lanes6(3.0, 0.5), random_lanes6(3.0, 0.5)};
        lanes d = {0.3, 0.0, 0.01, 0.1};
        lanes6 four = lanes6_magnus4(d, g), six = lanes6_magnus6(d, g, false);
        for (int i = 0; i < LANES; i++) {
            vec6 a = take_lane(&g[0], i), b = take_lane(&g[1], i), c = take_lane(&g[2], i);
            CHECK_NEAR(difference_of(take_lane(&four, i), se3_magnus4(d[i], a, b)), 0.0, 2e-15);
            CHECK_NEAR(difference_of(take_lane(&six, i), se3_magnus6(d[i], a, b, c)), 0.0, 2e-15);
        }
        g[1].l = g[2].l = g[0].l;  // a rod that neither shears nor stretches
        lanes6 still = lanes6_magnus6(d, g, true), moving = lanes6_magnus6(d, g, false);
        for (int i = 0; i < LANES; i++)
            CHECK_NEAR(difference_of(take_lane(&still, i), take_lane(&moving, i)), 0.0, 2e-15);
    }
}

// ---------------------------------------------------------------- the residual, node by node
// The equations of collocation.h as they stand there.
typedef struct plain_node {
    se3 T;
    vec3 slope, bend, nu, O, Om, V, f, l, F;
} plain_node;

static vec3 rate_at(const instant *at, int node, int from) {
    return vec3_madd(vec3_load(at->m->history + F_SIZE * node + from), at->p.c0,
                     vec3_load(at->own->now.x + 6 * node + from));
}

static void plain_loads(const instant *at, const element *e, const element_loads *load, int i,
                        plain_node *n) {
    const station *st = &e->stations[i];
    const double *h = at->m->history + F_SIZE * (e->node + i), c0 = at->p.c0;
    vec3 w = mat3_tmul_vec(&n->T.R, n->Om), q = mat3_tmul_vec(&n->T.R, n->V);
    vec3 q_t = vec3_madd(vec3_load(h + F_Q), c0, q), w_t = vec3_madd(vec3_load(h + F_W), c0, w);
    vec3 speed = vec3_make(fabs(q.x), fabs(q.y), fabs(q.z));
    vec3 drag = vec3_mul(vec3_add(vec3_mul(st->drag, speed), st->linear), q);
    vec3 f = vec3_madd(drag, st->mass, vec3_add(q_t, vec3_cross(w, q)));
    vec3 l = vec3_add(vec3_mul(st->J, w_t), vec3_cross(w, vec3_mul(st->J, w)));
    n->f = mat3_mul_vec(&n->T.R, vec3_sub(f, load->body.force));
    n->l = mat3_mul_vec(&n->T.R, vec3_sub(l, load->body.moment));
    n->f = vec3_sub(vec3_madd(n->f, -st->mass, at->p.gravity), load->world.force);
    n->l = vec3_sub(n->l, load->world.moment);
}

// Outwards along element k: its nodes, and the far side's pose and velocity from the near side's.
static void plain_out(const instant *at, int k, plain_node *nodes, se3 *T, vec6 *a) {
    const element *e = &at->r->elements[k];
    const gauss_table *t = gauss_of(at->r, e);
    const double *x = at->own->now.x + 6 * e->node, h = e->length;
    const int n = e->n_nodes;
    const se3 near = *T;
    const vec3 V_b = vec3_sub(a->l, vec3_cross(near.p, a->a)), Om_b = a->a;
    for (int i = 0; i <= n; i++) {
        se3 step = collocation_step(e, t, x, 6, i ? t->c[i - 1] : 0.0, i < n ? t->c[i] : 1.0);
        *T = se3_mul(T, &step);
        if (i == n) break;
        plain_node *m = &nodes[i];
        m->T = *T;
        m->slope = mat3_mul_vec(&T->R, vec3_add(e->stations[i].v_rest, vec3_load(x + 6 * i + 3)));
        m->bend = mat3_mul_vec(&T->R, rate_at(at, e->node + i, 0));
        m->nu = mat3_mul_vec(&T->R, rate_at(at, e->node + i, 3));
    }
    for (int q = 0; q < n; q++) {
        nodes[q].O = vec3_make(0.0, 0.0, 0.0);
        for (int j = 0; j < n; j++)
            nodes[q].O = vec3_madd(nodes[q].O, h * t->A[q * n + j], nodes[j].bend);
    }
    for (int q = 0; q < n; q++) {
        plain_node *m = &nodes[q];
        m->Om = vec3_add(Om_b, m->O);
        m->V = vec3_add(V_b, vec3_cross(Om_b, vec3_sub(m->T.p, near.p)));
        for (int j = 0; j < n; j++) {
            vec3 grown = vec3_add(vec3_cross(nodes[j].O, nodes[j].slope), nodes[j].nu);
            m->V = vec3_madd(m->V, h * t->A[q * n + j], grown);
        }
        plain_loads(at, e, &at->m->loads[k], q, m);
        vec3 linear = vec3_add(vec3_cross(m->T.p, m->bend), m->nu);
        *a = vec6_madd(*a, h * t->w[q], vec6_make(m->bend, linear));
    }
}

// Back along element k: its residual, and the near side's wrench S from the far side's.
static void plain_back(const instant *at, int k, plain_node *nodes, vec6 *S, double *residual) {
    const element *e = &at->r->elements[k];
    const gauss_table *t = gauss_of(at->r, e);
    const int n = e->n_nodes;
    const vec6 far = *S;
    for (int i = 0; i < n; i++) {
        nodes[i].F = vec3_make(0.0, 0.0, 0.0);
        for (int q = 0; q < n; q++)
            nodes[i].F = vec3_madd(nodes[i].F, e->length * t->Q[i * n + q], nodes[q].f);
    }
    for (int i = 0; i < n; i++) {
        const plain_node *m = &nodes[i];
        vec3 M = vec3_sub(far.a, vec3_cross(m->T.p, far.l)), N = vec3_sub(far.l, m->F);
        for (int q = 0; q < n; q++) {
            vec3 asked = vec3_add(nodes[q].l, vec3_cross(nodes[q].slope, nodes[q].F));
            M = vec3_madd(M, -e->length * t->Q[i * n + q], asked);
        }
        double carried[6];
        vec6_store(carried, vec6_make(mat3_tmul_vec(&m->T.R, M), mat3_tmul_vec(&m->T.R, N)));
        const double *x = at->own->now.x + 6 * (e->node + i);
        const double *past = at->m->history + F_SIZE * (e->node + i);
        for (int c = 0; c < at->d; c++)
            residual[at->d * i + c] = e->stations[i].K[c] * x[c] +
                                      e->stations[i].B[c] * (at->p.c0 * x[c] + past[c]) -
                                      carried[c];
        vec3 moment = vec3_add(m->l, vec3_cross(m->T.p, m->f));
        *S = vec6_madd(*S, -e->length * t->w[i], vec6_make(moment, m->f));
    }
}

static vec6 plain_end(const element_loads *load, const se3 *T) {
    vec3 F = vec3_add(load->end_world.force, mat3_mul_vec(&T->R, load->end_body.force));
    vec3 M = vec3_add(load->end_world.moment, mat3_mul_vec(&T->R, load->end_body.moment));
    return vec6_make(vec3_add(M, vec3_cross(T->p, F)), F);
}

static void plain_residual(const instant *at, double *residual) {
    const iterate *now = &at->own->now;
    plain_node *nodes = calloc((size_t)at->r->n_nodes, sizeof *nodes);
    se3 T = now->bounds[0].T, ends[8];
    vec6 a = now->bounds[0].a, S = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < at->r->n_elements; k++) {
        plain_out(at, k, nodes + at->r->elements[k].node, &T, &a);
        ends[k] = T;
        CHECK_NEAR(difference_of(a, now->bounds[k + 1].a), 0.0, 1e-12 * sqrt(vec6_dot(a, a)));
    }
    for (int k = at->r->n_elements - 1; k >= 0; k--) {
        const int node = at->r->elements[k].node;
        S = vec6_add(S, plain_end(&at->m->loads[k], &ends[k]));
        plain_back(at, k, nodes + node, &S, residual + at->d * node);
    }
    CHECK_NEAR(difference_of(S, now->bounds[0].S), 0.0, 1e-12 * sqrt(vec6_dot(S, S)));
    free(nodes);
}

static void check_residual(td_theory theory, bool whole, bool moving, int nodes, int magnus) {
    instant at;
    open_instant_of_order(&at, &soft, rich_robot(&soft, whole), theory, nodes, moving, magnus);
    double *want = calloc((size_t)at.n, sizeof *want), size = 0.0, off = 0.0;
    plain_residual(&at, want);
    for (int i = 0; i < at.n; i++) {
        size = fmax(size, fabs(want[i]));
        off = fmax(off, fabs(want[i] - at.own->now.residual[i]));
    }
    CHECK_NEAR(off / size, 0.0, 1e-12);
    free(want);
    close_instant(&at);
}

static void the_residual_is_that_of_the_equations_with_any_number_of_nodes(void **unused) {
    (void)unused;
    for (size_t i = 0; i < N_NUMBERS; i++)
        for (int c = 0; c < 16; c++)
            check_residual((td_theory)(c & 1), c & 2, c & 4, numbers[i], c & 8 ? 4 : 6);
}

// ---------------------------------------------------------------- shapes and motions
static td_options options_of(td_theory theory, int nodes, int magnus) {
    td_options o = td_default_options();
    o.theory = theory, o.nodes = nodes, o.magnus = magnus;
    return o;
}

// A moment alone bends a rod to an arc, which two nodes hold as well as sixty-four do.
static void a_moment_makes_an_arc_with_any_number_of_nodes(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    const double bend = 3.0, EI = piece.youngs_modulus * acos(-1.0) / 4.0 * 1e-12, r = L / bend;
    for (size_t i = 0; i < N_NUMBERS; i++)
        for (int c = 0; c < 4; c++) {
            td_robot *robot = rod_robot(&piece, 1);
            add_tip_moment(robot, L, 0.0, bend * EI / L, 0.0);
            td_options o = options_of((td_theory)(c & 1), numbers[i], c & 2 ? 4 : 6);
            world w = world_make(robot, &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            td_pose tip = tip_of(&w);
            CHECK_NEAR(tip.p[0], r * (1.0 - cos(bend)), 1e-9);
            CHECK_NEAR(tip.p[1], 0.0, 1e-12);
            CHECK_NEAR(tip.p[2], r * sin(bend), 1e-9);
            world_free(&w);
        }
}

// A released rod, with as many nodes as can be and cut in the middle of some fours: the same motion.
static void released_tip(td_theory theory, int nodes, int magnus, int cuts, double tip[3]) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    const int force = add_input(robot, "force");
    for (int i = 1; i <= cuts + 1; i++) {
        char name[8] = {'c', (char)('0' + i)};
        td_load_def load = point_load(name, i <= cuts ? L * i * i / ((cuts + 1) * (cuts + 1)) : L);
        if (i > cuts) load.force[0] = (td_number){0.0, 1.0, force};
        add_load(robot, &load);
    }
    td_options o = options_of(theory, nodes, magnus);
    o.tolerance = 1e-10;
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, force, 0.5);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, force, 0.0);
    for (int i = 0; i < 20; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    memcpy(tip, tip_of(&w).p, 3 * sizeof *tip);
    world_free(&w);
}

static void a_release_is_the_same_with_more_nodes_than_it_needs(void **unused) {
    (void)unused;
    static const struct { int nodes, cuts; } rods[] = {{15, 0}, {18, 3}, {63, 0}, {64, 0}, {64, 2}};
    for (int theory = 0; theory < 2; theory++) {
        double want[3], got[3];
        released_tip((td_theory)theory, 16, 6, 0, want);
        for (size_t i = 0; i < sizeof rods / sizeof *rods; i++)
            for (int magnus = 4; magnus <= 6; magnus += 2) {
                if (magnus == 4 && rods[i].nodes < 60) continue;  // its own error shows
                released_tip((td_theory)theory, rods[i].nodes, magnus, rods[i].cuts, got);
                for (int k = 0; k < 3; k++) CHECK_NEAR(got[k], want[k], 1e-7 * L);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_exponentials_are_those_of_each),
        cmocka_unit_test(four_magnus_steps_are_those_of_each),
        cmocka_unit_test(the_residual_is_that_of_the_equations_with_any_number_of_nodes),
        cmocka_unit_test(a_moment_makes_an_arc_with_any_number_of_nodes),
        cmocka_unit_test(a_release_is_the_same_with_more_nodes_than_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
