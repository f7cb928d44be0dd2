// The parts of the virtual-power model against numbers computed independently (truth_rone2014.h).
#include <stdbool.h>
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "math/positive.h"
#include "model/virtual_power/chain.h"
#include "truth_rone2014.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define N RONE_COORDINATES

static void check_all(const double *ours, const double *truth, int n, double tol) {
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(truth[i]));
    for (int i = 0; i < n; i++) CHECK_NEAR(ours[i], truth[i], tol * fmax(size, 1e-300));
}

// ---------------------------------------------------------------- the robot of Table 1
typedef struct rig {
    segment segments[RONE_DISCS];
    drive drives[RONE_RODS];
    disc_motion discs[RONE_DISCS];
    vec6 wrenches[RONE_DISCS];
    composite composites[RONE_DISCS];
    vec6 columns[2 * RONE_DISCS], rubs[RONE_DISCS];
    vec3 places[RONE_DISCS];
    double forces[2 * RONE_DISCS], slip[RONE_DISCS], gains[RONE_DISCS], rates[RONE_DISCS];
    double q[N], q_t[N], M[N * N];
    chain chain;
    disc_contact contact;
} rig;

static void make_rig(rig *r) {
    memset(r, 0, sizeof *r);
    for (int i = 0; i < RONE_DISCS; i++) {
        r->segments[i] = (segment){.length = 0.03, .s = 0.03 * (i + 1), .mass = rone_mass[i]};
        r->segments[i].stiffness[0] = r->segments[i].stiffness[1] = rone_bending;
        r->segments[i].inertia =
            mat3_diag(vec3_make(rone_ixx_table[i], rone_ixx_table[i], rone_izz[i]));
    }
    for (int j = 0; j < RONE_RODS; j++)
        r->drives[j] = (drive){.end = j < 3 ? 4 : 8,
                               .parallel = true,
                               .bending = rone_bending,
                               .hole = {rone_rod_rx[j], rone_rod_ry[j], 0.0},
                               .friction = 0.3};
    r->chain = (chain){.n = RONE_DISCS,
                       .per = 2,
                       .n_q = N,
                       .segments = r->segments,
                       .drives = r->drives,
                       .n_drives = RONE_RODS,
                       .options = td_default_options().virtual_power};
    r->contact = (disc_contact){.columns = r->columns,
                                .rubs = r->rubs,
                                .places = r->places,
                                .forces = r->forces,
                                .slip = r->slip,
                                .gains = r->gains,
                                .rates = r->rates};
}

static void set_point(rig *r, const rone_point *p) {
    make_rig(r);
    r->chain.options.one_direction = !p->two_directions;
    r->chain.options.printed_moment = !p->axial_moment;
    r->chain.options.printed_elasticity = !p->energy_form;
    for (int k = 0; k < N; k++) {
        r->q[k] = p->q_scale * rone_q[k];
        r->q_t[k] = p->rate_scale * rone_rates[k];
    }
    move_chain(&r->chain, r->q, r->q_t, r->discs);
}

static slip_law law_of(const rone_point *p) {
    return p->friction == 0 ? SLIP_NONE : p->friction == 1 ? SLIP_STATIC : SLIP_SLIDING;
}

static void act(rig *r, const rone_point *p) {
    memset(r->wrenches, 0, sizeof r->wrenches);
    for (int j = 0; j < RONE_RODS; j++) {
        const drive *d = &r->drives[j];
        solve_contact(&r->chain, d, r->q, r->q_t, r->discs, rone_tensions[j], law_of(p), 1.0,
                      &r->contact);
        add_contact(&r->chain, d, r->discs, r->q, &r->contact, r->wrenches);
    }
}

// ---------------------------------------------------------------- kinematics
static void stumpff_functions_agree_from_zero_to_large_angles(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_stumpff); i += 9) {
        double c[8];
        stumpff(rone_stumpff[i], c);
        for (int k = 0; k < 8; k++) CHECK_NEAR(c[k], rone_stumpff[i + 1 + k], 1e-14);
    }
}

static void store(const vec3 *v, int n, double *out) {
    for (int i = 0; i < n; i++) vec3_store(out + 3 * i, v[i]);
}

static void a_subsegment_moves_as_the_reference_does(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_locals); i++) {
        const rone_local *t = &rone_locals[i];
        double q[2] = {t->b, t->g}, rates[2] = {t->b_t, t->g_t}, v[9];
        local_motion m = move_locally(t->L, 2, q, rates, false);
        vec3_store(v, m.p);
        check_all(v, t->p, 3, 1e-13);
        check_all(&m.R.m[0][0], t->R, 9, 1e-13);
        store(m.by_q, 2, v);
        check_all(v, t->by_q, 6, 1e-12);
        store(m.turn_by_q, 2, v);
        check_all(v, t->turn, 6, 1e-12);
        for (int k = 0; k < 3; k++) {
            double a = t->by_q_t[k] * t->b_t + t->by_q_t[3 + k] * t->g_t;
            double w = t->turn_t[k] * t->b_t + t->turn_t[3 + k] * t->g_t;
            double ours[3];
            vec3_store(ours, m.acceleration);
            CHECK_NEAR(ours[k], a, 1e-12 * fabs(t->b_t * t->b_t));
            vec3_store(ours, m.turn_rate);
            CHECK_NEAR(ours[k], w, 1e-12 * fabs(t->b_t * t->b_t));
        }
    }
}

static void a_twisted_subsegment_moves_as_the_reference_does(void **unused) {
    (void)unused;
    double q[3] = {4.0, -3.0, 0.2}, rates[3] = {0.0, 0.0, 0.0}, v[9];
    local_motion m = move_locally(0.03, 3, q, rates, false);
    vec3_store(v, m.p);
    check_all(v, rone_twisted_p, 3, 1e-13);
    check_all(&m.R.m[0][0], rone_twisted_r, 9, 1e-13);
    store(m.by_q, 3, v);
    check_all(v, rone_twisted_by_q, 9, 1e-12);
    store(m.turn_by_q, 3, v);
    check_all(v, rone_twisted_turn, 9, 1e-12);
}

// ---------------------------------------------------------------- at points
static void positions_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        rig r;
        set_point(&r, &rone_points[i]);
        double p[24];
        for (int k = 0; k < RONE_DISCS; k++) vec3_store(p + 3 * k, r.discs[k].p);
        check_all(p, rone_points[i].p, 24, 1e-12);
        check_all(&r.discs[RONE_DISCS - 1].R.m[0][0], rone_points[i].R_tip, 9, 1e-12);
    }
}

static void mass_matrix_and_velocity_forces_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        rig r;
        double h[N], diagonal[N];
        set_point(&r, &rone_points[i]);
        mass_matrix(&r.chain, r.discs, r.composites, r.M);
        for (int k = 0; k < N; k++) diagonal[k] = r.M[k * N + k];
        check_all(diagonal, rone_points[i].mass_diagonal, N, 1e-12);
        check_all(r.M, rone_points[i].mass_row, N, 1e-12);
        add_inertial(&r.chain, r.discs, r.wrenches);
        project_wrenches(&r.chain, r.discs, r.wrenches, h);
        for (int k = 0; k < N; k++) h[k] = -h[k];
        check_all(h, rone_points[i].h, N, 1e-9);
    }
}

static void elastic_and_gravity_forces_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        rig r;
        double Q[N] = {0.0};
        set_point(&r, &rone_points[i]);
        add_elastic(&r.chain, r.q, r.q_t, Q);
        check_all(Q, rone_points[i].elastic, N, 1e-12);
        add_weight(&r.chain, r.discs, vec3_make(-9.81, 0.0, 0.0), r.wrenches);
        project_wrenches(&r.chain, r.discs, r.wrenches, Q);
        check_all(Q, rone_points[i].weight, N, 1e-12);
    }
}

static void contact_forces_and_friction_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        const rone_point *p = &rone_points[i];
        rig r;
        set_point(&r, p);
        const double *truth = p->forces;
        for (int j = 0; j < RONE_RODS; j++) {
            solve_contact(&r.chain, &r.drives[j], r.q, r.q_t, r.discs, rone_tensions[j], law_of(p),
                          1.0, &r.contact);
            check_all(r.forces, truth, r.contact.n, 1e-9);
            CHECK_NEAR(r.contact.end_tension, p->end_tension[j], 1e-9);
            CHECK_NEAR(r.contact.residual, p->residual[j], 1e-9);
            truth += (r.drives[j].end - 1) * (p->two_directions ? 2 : 1);
        }
    }
}

static void wrenches_and_forces_of_the_rods_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        const rone_point *p = &rone_points[i];
        rig r;
        double F[24], M[24], Q[N];
        set_point(&r, p);
        act(&r, p);
        for (int k = 0; k < RONE_DISCS; k++) {
            vec3_store(F + 3 * k, r.wrenches[k].l);
            vec3_store(M + 3 * k, r.wrenches[k].a);
        }
        check_all(F, p->F, 24, 1e-9);
        check_all(M, p->M, 24, 1e-9);
        project_wrenches(&r.chain, r.discs, r.wrenches, Q);
        check_all(Q, p->actuation, N, 1e-9);
    }
}

static void accelerations_agree(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(rone_points); i++) {
        const rone_point *p = &rone_points[i];
        rig r;
        double Q[N];
        set_point(&r, p);
        act(&r, p);
        add_inertial(&r.chain, r.discs, r.wrenches);
        add_weight(&r.chain, r.discs, vec3_make(-9.81, 0.0, 0.0), r.wrenches);
        project_wrenches(&r.chain, r.discs, r.wrenches, Q);
        add_elastic(&r.chain, r.q, r.q_t, Q);
        mass_matrix(&r.chain, r.discs, r.composites, r.M);
        assert_true(positive_factor(N, r.M));
        positive_solve(N, r.M, Q);
        check_all(Q, p->acceleration, N, 1e-8);
    }
}

// ---------------------------------------------------------------- laws
// What the rods do to discs and ground together is nothing: they have no mass, and equilibrium is
// missed only by what the damping leaves.
static void the_wrench_of_each_rod_balances(void **unused) {
    (void)unused;
    rig r;
    set_point(&r, &rone_points[3]);
    r.chain.options.damping = 1e-6;
    for (int j = 0; j < RONE_RODS; j++) {
        const drive *d = &r.drives[j];
        memset(r.wrenches, 0, sizeof r.wrenches);
        solve_contact(&r.chain, d, r.q, r.q_t, r.discs, 10.0, SLIP_SLIDING, 1.0, &r.contact);
        add_contact(&r.chain, d, r.discs, r.q, &r.contact, r.wrenches);
        vec3 force = vec3_make(0.0, 0.0, 10.0), moment = vec3_cross(d->hole, force);
        for (int i = 0; i < RONE_DISCS; i++) {
            force = vec3_add(force, r.wrenches[i].l);
            moment = vec3_add(moment, r.wrenches[i].a);
            moment = vec3_add(moment, vec3_cross(r.discs[i].p, r.wrenches[i].l));
        }
        CHECK_NEAR(vec3_norm(force), 0.0, 1e-7);
        CHECK_NEAR(vec3_norm(moment), 0.0, 1e-7);
    }
}

static double potential(rig *r, const double *q) {
    move_chain(&r->chain, q, NULL, r->discs);
    return elastic_energy(&r->chain, q) + weight_energy(&r->chain, r->discs, vec3_make(3, -5, 7));
}

static void make_spatial(rig *r, int per, double *q, double *rates) {
    make_rig(r);
    r->chain.per = per;
    r->chain.n = 5;
    r->chain.n_q = r->chain.n * per;
    for (int i = 0; i < RONE_DISCS; i++) {
        r->segments[i].stiffness[2] = 0.01;
        r->segments[i].moment = vec3_make(1e-6, -2e-6, 3e-6 * i);
    }
    for (int j = 0; j < RONE_RODS; j++) {
        if (r->drives[j].end > r->chain.n) r->drives[j].end = r->chain.n;
        r->drives[j].torsion = 0.005;
    }
    for (int k = 0; k < r->chain.n_q; k++) {
        bool twist = per == 3 && k % 3 == 2;
        q[k] = twist ? 0.1 * rone_q[k] : rone_q[k];
        rates[k] = twist ? 0.2 * rone_rates[k] : 3.0 * rone_rates[k];
    }
}

static void static_forces_are_the_gradient_of_the_energy(void **unused) {
    (void)unused;
    for (int per = 2; per <= 3; per++) {
        rig r;
        double q[N], rates[N], Q[N], e = 1e-4;
        make_spatial(&r, per, q, rates);
        move_chain(&r.chain, q, NULL, r.discs);
        add_weight(&r.chain, r.discs, vec3_make(3, -5, 7), r.wrenches);
        project_wrenches(&r.chain, r.discs, r.wrenches, Q);
        add_elastic(&r.chain, q, NULL, Q);
        for (int k = 0; k < r.chain.n_q; k++) {
            double at[4], keep = q[k];
            for (int i = 0; i < 4; i++) {
                q[k] = keep + e * (double[]){-2.0, -1.0, 1.0, 2.0}[i];
                at[i] = potential(&r, q);
            }
            q[k] = keep;
            CHECK_NEAR(Q[k], -(at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * e), 1e-10);
        }
    }
}

// d/dt (dT/dq') - dT/dq by finite differences of the kinetic energy alone: no partial velocity, no
// recursion of accelerations goes in. T = q' M q'/2 gives M by polarisation.
static double kinetic(rig *r, const double *q, const double *rates) {
    move_chain(&r->chain, q, rates, r->discs);
    return kinetic_energy(&r->chain, r->discs);
}

static double momentum(rig *r, const double *q, double *rates, int k) {
    double keep = rates[k], e = 1.0;  // T is quadratic in the rates: the difference is exact
    rates[k] = keep + e;
    double up = kinetic(r, q, rates);
    rates[k] = keep - e;
    double down = kinetic(r, q, rates);
    rates[k] = keep;
    return (up - down) / (2.0 * e);
}

static double lagrange(rig *r, const double *q, double *rates, int k) {
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    double moved[N], sum = 0.0, e = 2e-4, e_q = 2e-3;
    for (int i = 0; i < 4; i++) {
        for (int l = 0; l < r->chain.n_q; l++) moved[l] = q[l] + e * at[i] * rates[l];
        sum += weight[i] * momentum(r, moved, rates, k) / (12.0 * e);
        memcpy(moved, q, sizeof moved);
        moved[k] += e_q * at[i];
        sum -= weight[i] * kinetic(r, moved, rates) / (12.0 * e_q);
    }
    return sum;
}

static void equations_of_motion_are_those_of_lagrange(void **unused) {
    (void)unused;
    for (int per = 2; per <= 3; per++) {
        rig r;
        double q[N], rates[N], h[N], M[N * N], row[N];
        make_spatial(&r, per, q, rates);
        int n = r.chain.n_q;
        move_chain(&r.chain, q, rates, r.discs);
        mass_matrix(&r.chain, r.discs, r.composites, M);
        add_inertial(&r.chain, r.discs, r.wrenches);
        project_wrenches(&r.chain, r.discs, r.wrenches, h);
        double size = 0.0;
        for (int k = 0; k < n; k++) size = fmax(size, fabs(h[k]));
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int l = 0; l < n; l++) sum += M[k * n + l] * rates[l];
            row[k] = sum;
        }
        for (int k = 0; k < n; k++) {
            CHECK_NEAR(row[k], momentum(&r, q, rates, k), 1e-10 * fabs(row[0]));
            CHECK_NEAR(-h[k], lagrange(&r, q, rates, k), 1e-6 * size);
        }
    }
}

// Eq. 12 is not the angular velocity of Eq. 10's frame: with it the velocity forces are far off.
static void the_printed_angular_velocity_is_no_rigid_motion(void **unused) {
    (void)unused;
    double q[2] = {4.0, -3.0}, rates[2] = {10.0, 20.0};
    local_motion right = move_locally(0.03, 2, q, rates, false);
    local_motion printed = move_locally(0.03, 2, q, rates, true);
    vec3 t = mat3_column(&right.R, 2);
    CHECK_NEAR(vec3_dot(printed.turn, t), 0.0, 1e-15);
    // omega.t = -phi' (1 - cos theta)
    double phi_t = (q[0] * rates[1] - q[1] * rates[0]) / 25.0;
    CHECK_NEAR(vec3_dot(right.turn, t), -phi_t * (1.0 - cos(0.15)), 1e-14);
    vec3 across = vec3_madd(right.turn, -vec3_dot(right.turn, t), t);
    CHECK_NEAR(vec3_norm(vec3_sub(across, printed.turn)), 0.0, 1e-14);
}

static void planar_motion_does_not_notice_the_printed_angular_velocity(void **unused) {
    (void)unused;
    double q[2] = {4.0, 0.0}, rates[2] = {10.0, 0.0};
    local_motion right = move_locally(0.03, 2, q, rates, false);
    local_motion printed = move_locally(0.03, 2, q, rates, true);
    CHECK_NEAR(vec3_norm(vec3_sub(right.turn, printed.turn)), 0.0, 1e-15);
    CHECK_NEAR(vec3_norm(vec3_sub(right.turn_rate, printed.turn_rate)), 0.0, 1e-12);
}

static void the_largest_eigenvalue_is_found_where_several_are_near(void **unused) {
    (void)unused;
    // D + v v' with the known spectrum of a Householder reflection applied to diag(d)
    const double d[6] = {7.0, 7.0 - 1e-9, 6.9, 1e-3, 1e-8, 0.0};
    double v[6] = {1.0, -2.0, 0.5, 3.0, -1.0, 0.25}, a[6][6] = {{0}}, H[6][6], norm2 = 0.0;
    for (int i = 0; i < 6; i++) norm2 += v[i] * v[i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) H[i][j] = (i == j) - 2.0 * v[i] * v[j] / norm2;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++) a[i][j] += H[i][k] * d[k] * H[j][k];
    CHECK_NEAR(largest_eigenvalue(6, &a[0][0]), 7.0, 1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stumpff_functions_agree_from_zero_to_large_angles),
        cmocka_unit_test(a_subsegment_moves_as_the_reference_does),
        cmocka_unit_test(a_twisted_subsegment_moves_as_the_reference_does),
        cmocka_unit_test(positions_agree),
        cmocka_unit_test(mass_matrix_and_velocity_forces_agree),
        cmocka_unit_test(elastic_and_gravity_forces_agree),
        cmocka_unit_test(contact_forces_and_friction_agree),
        cmocka_unit_test(wrenches_and_forces_of_the_rods_agree),
        cmocka_unit_test(accelerations_agree),
        cmocka_unit_test(the_wrench_of_each_rod_balances),
        cmocka_unit_test(static_forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(equations_of_motion_are_those_of_lagrange),
        cmocka_unit_test(the_printed_angular_velocity_is_no_rigid_motion),
        cmocka_unit_test(planar_motion_does_not_notice_the_printed_angular_velocity),
        cmocka_unit_test(the_largest_eigenvalue_is_found_where_several_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
