// A segment between two frames: strain against its inverse, wrenches against differences of the
// energy, tangents against differences of the wrenches.
#include <string.h>

#include "check.h"
#include "model/lumped/element.h"

static const double stiffness[6] = {0.3, 0.4, 0.2, 30.0, 40.0, 90.0};
static const double damping[6] = {0.01, 0.02, 0.03, 0.5, 0.4, 0.3};

typedef struct ends {
    end_motion a, b;
} ends;

static ends far_apart(double angle) {
    vec3 axis = {0.48, -0.6, 0.64};
    mat3 Ra = so3_exp((vec3){0.7, -0.2, 0.4}), E = so3_exp(vec3_scale(axis, angle));
    return (ends){{Ra, {0.1, 0.2, 0.3}, {0.5, -0.7, 0.3}, {0.2, 0.1, -0.4}},
                  {mat3_mul(&Ra, &E), {0.05, 0.33, 0.6}, {-0.4, 0.8, 1.1}, {-0.3, 0.7, 0.5}}};
}

// th, p of a, then of b.
static ends moved(const ends *x, const double z[12]) {
    ends y = *x;
    mat3 ta = so3_exp(vec3_load(z)), tb = so3_exp(vec3_load(z + 6));
    y.a.R = mat3_mul(&ta, &x->a.R);
    y.b.R = mat3_mul(&tb, &x->b.R);
    y.a.p = vec3_add(x->a.p, vec3_load(z + 3));
    y.b.p = vec3_add(x->b.p, vec3_load(z + 9));
    return y;
}

static ends pushed(const ends *x, const double z[12]) {
    ends y = *x;
    y.a.w = vec3_add(x->a.w, vec3_load(z));
    y.b.w = vec3_add(x->b.w, vec3_load(z + 6));
    y.a.v = vec3_add(x->a.v, vec3_load(z + 3));
    y.b.v = vec3_add(x->b.v, vec3_load(z + 9));
    return y;
}

static vec6 wrench_of(const element *e) {
    double x[6], r[6];
    vec6_store(x, (vec6){e->phi, e->eps});
    vec6_store(r, (vec6){e->phi_t, e->eps_t});
    for (int i = 0; i < 6; i++) x[i] = stiffness[i] * x[i] + damping[i] * r[i];
    return vec6_load(x);
}

static void pull_of(const ends *x, bool printed, double out[12]) {
    element e = element_make(&x->a, &x->b, printed);
    element_ends w = element_pull(&e, wrench_of(&e));
    vec6_store(out, w.a);
    vec6_store(out + 6, w.b);
}

static double energy_of(const ends *x, bool printed) {
    element e = element_make(&x->a, &x->b, printed);
    double s[6], sum = 0.0;
    vec6_store(s, (vec6){e.phi, e.eps});
    for (int i = 0; i < 6; i++) sum += 0.5 * stiffness[i] * s[i] * s[i];
    return sum;
}

static const double angles[] = {0.0, 1e-9, 1e-3, 0.2, 0.23, 1.0, 2.5};
#define N_ANGLES (int)(sizeof angles / sizeof *angles)
#define EACH_CASE(angle_, printed_)                                                                \
    for (int at = 0; at < 2 * N_ANGLES; at++)                                                      \
        for (int printed_ = at % 2, once = 1; once;)                                               \
            for (double angle_ = angles[at / 2]; once; once = 0)

static void strain_and_its_inverse_agree(void **state) {
    (void)state;
    EACH_CASE(angle, printed) {
        ends x = far_apart(angle);
        element e = element_make(&x.a, &x.b, printed);
        se3 a = {x.a.R, x.a.p}, b = element_across(&a, e.phi, e.eps, printed);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) CHECK_NEAR(b.R.m[i][k], x.b.R.m[i][k], 1e-14);
        CHECK_NEAR(vec3_norm(vec3_sub(b.p, x.b.p)), 0.0, 1e-15);
    }
}

static void rates_are_the_derivatives_of_the_strain(void **state) {
    (void)state;
    EACH_CASE(angle, printed) {
        ends x = far_apart(angle);
        element e = element_make(&x.a, &x.b, printed);
        const double h = 1e-5;
        double forth[12], back[12];
        vec3_store(forth, vec3_scale(x.a.w, h)), vec3_store(forth + 3, vec3_scale(x.a.v, h));
        vec3_store(forth + 6, vec3_scale(x.b.w, h)), vec3_store(forth + 9, vec3_scale(x.b.v, h));
        for (int i = 0; i < 12; i++) back[i] = -forth[i];
        ends y = moved(&x, forth), z = moved(&x, back);
        element f = element_make(&y.a, &y.b, printed), g = element_make(&z.a, &z.b, printed);
        vec3 phi_t = vec3_scale(vec3_sub(f.phi, g.phi), 0.5 / h);
        vec3 eps_t = vec3_scale(vec3_sub(f.eps, g.eps), 0.5 / h);
        CHECK_NEAR(vec3_norm(vec3_sub(phi_t, e.phi_t)), 0.0, 1e-8);
        CHECK_NEAR(vec3_norm(vec3_sub(eps_t, e.eps_t)), 0.0, 1e-8);
        vec6 by = element_strain_by(&e, (vec6){x.a.w, x.a.v}, (vec6){x.b.w, x.b.v});
        CHECK_NEAR(vec3_norm(vec3_sub(by.a, e.phi_t)), 0.0, 1e-14);
        CHECK_NEAR(vec3_norm(vec3_sub(by.l, e.eps_t)), 0.0, 1e-14);
    }
}

static void wrenches_are_the_gradient_of_the_energy_and_balance(void **state) {
    (void)state;
    EACH_CASE(angle, printed) {
        ends x = far_apart(angle);
        x.a.w = x.a.v = x.b.w = x.b.v = vec3_zero();
        double pull[12];
        pull_of(&x, printed, pull);
        for (int k = 0; k < 12; k++) {
            double z[12] = {0.0};
            z[k] = 1e-5;
            ends y = moved(&x, z);
            double up = energy_of(&y, printed);
            z[k] = -1e-5;
            y = moved(&x, z);
            CHECK_NEAR((up - energy_of(&y, printed)) / 2e-5, pull[k], 2e-8);
        }
        vec3 arm = vec3_sub(x.b.p, x.a.p), about = vec3_cross(arm, vec3_load(pull + 9));
        vec3 sum = vec3_add(vec3_add(vec3_load(pull), vec3_load(pull + 6)), about);
        CHECK_NEAR(vec3_norm(sum), 0.0, 1e-13);
    }
}

static void check_columns(const ends *x, bool printed, const double *m,
                          ends (*changed)(const ends *, const double *)) {
    for (int k = 0; k < 12; k++) {
        double z[12] = {0.0}, up[12], down[12];
        z[k] = 1e-5;
        ends y = changed(x, z);
        pull_of(&y, printed, up);
        z[k] = -1e-5;
        y = changed(x, z);
        pull_of(&y, printed, down);
        for (int i = 0; i < 12; i++) CHECK_NEAR((up[i] - down[i]) / 2e-5, m[12 * i + k], 1e-7);
    }
}

static void tangents_are_the_derivatives_of_the_wrenches(void **state) {
    (void)state;
    double S[36] = {0.0}, B[36] = {0.0};
    for (int i = 0; i < 6; i++) S[7 * i] = stiffness[i], B[7 * i] = damping[i];
    EACH_CASE(angle, printed) {
        ends x = far_apart(angle);
        element e = element_make(&x.a, &x.b, printed);
        double K[144], D[144];
        element_tangent(&e, wrench_of(&e), S, B, K, D);
        check_columns(&x, printed, K, moved);
        check_columns(&x, printed, D, pushed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_and_its_inverse_agree),
        cmocka_unit_test(rates_are_the_derivatives_of_the_strain),
        cmocka_unit_test(wrenches_are_the_gradient_of_the_energy_and_balance),
        cmocka_unit_test(tangents_are_the_derivatives_of_the_wrenches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
