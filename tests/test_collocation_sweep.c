// The sweep over the elements of a rod against the equations it eliminates.
#include "test_collocation.h"

typedef struct raw_element {  // the tangent of an element before it is factored
    element_factor f;
    double base[72], load[72];
    int m, w;  // w: numbers of a motion
} raw_element;

static raw_element raw_of(const instant *at, int k) {
    raw_element e = {.m = at->d * at->r->elements[k].n_nodes, .w = motions_of(at->p.c0)};
    size_t m = (size_t)e.m;
    double *block = calloc(m * m + 36 * m + 144, sizeof *block);
    e.f.lu = block, e.f.rows = e.f.lu + m * m, e.f.out = e.f.rows + 6 * m;
    e.f.lean = e.f.out + 6 * m, e.f.tip = e.f.lean + 12 * m, e.f.carry = e.f.tip + 12 * m;
    tangent_element(&at->p, &at->own->now, at->own->now.nodes, k, true, false, &e.f, e.base,
                    at->own->blocks);
    tangent_end_load(&at->p, &at->own->now, k, e.w, false, e.load);
    return e;
}

static void add_product(int rows, int columns, double s, const double *a, const double *x,
                        double *y) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) y[i] += s * a[i * columns + j] * x[j];
}

// J x of the whole rod: motions from the base to the tip, then wrenches back.
static void apply(const instant *at, const raw_element *raw, const double *x, double *y) {
    const int n = at->r->n_elements;
    double(*w)[12] = calloc((size_t)n + 1, sizeof *w), dS[6] = {0.0};
    for (int k = 0; k < n; k++) {
        const double *X = x + at->d * at->r->elements[k].node;
        if (raw[k].w == 12) add_product(12, 12, 1.0, raw[k].f.carry, w[k], w[k + 1]);
        else memcpy(w[k + 1], w[k], sizeof w[k]);
        add_product(raw[k].w, raw[k].m, 1.0, raw[k].f.tip, X, w[k + 1]);
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *X = x + at->d * at->r->elements[k].node;
        double *Y = y + at->d * at->r->elements[k].node;
        memset(Y, 0, sizeof *Y * (size_t)raw[k].m);
        add_product(6, raw[k].w, 1.0, raw[k].load, w[k + 1], dS);
        add_product(raw[k].m, raw[k].m, 1.0, raw[k].f.lu, X, Y);
        add_product(raw[k].m, raw[k].w, 1.0, raw[k].f.lean, w[k], Y);
        add_product(raw[k].m, 6, -1.0, raw[k].f.rows, dS, Y);
        add_product(6, raw[k].m, 1.0, raw[k].f.out, X, dS);
        add_product(6, raw[k].w, 1.0, raw[k].base, w[k], dS);
    }
    free(w);
}

// The worst of J X + residual, moments and forces each in units of the largest of their kind.
static double sweep_defect(instant *at) {
    const size_t n = (size_t)at->n;
    raw_element *raw = calloc((size_t)at->r->n_elements, sizeof *raw);
    for (int k = 0; k < at->r->n_elements; k++) raw[k] = raw_of(at, k);
    double *X = malloc(sizeof *X * n), *Y = malloc(sizeof *Y * n);
    double error[2] = {0.0, 0.0}, size[2] = {0.0, 0.0};
    factor(at);
    sweep_solve(at, at->own->now.residual, X);
    apply(at, raw, X, Y);
    for (int i = 0; i < at->n; i++) {
        int kind = i % at->d / 3;
        error[kind] = fmax(error[kind], fabs(Y[i] + at->own->now.residual[i]));
        size[kind] = fmax(size[kind], fabs(at->own->now.residual[i]));
    }
    for (int k = 0; k < at->r->n_elements; k++) free(raw[k].f.lu);
    free(raw), free(X), free(Y);
    return fmax(error[0] / size[0], at->d == 6 ? error[1] / size[1] : 0.0);
}

static void sweep_solves_the_whole_rod(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++)
        for (int moving = 0; moving < 2; moving++)
            for (int k = 0; k < 2; k++) {
                const material *a = k ? &soft : &steel;
                instant at;
                open_instant(&at, a, rich_robot(a, false), (td_theory)theory, 8, moving);
                assert_int_equal(at.r->n_elements, 5);
                CHECK_NEAR(sweep_defect(&at), 0.0, 1e-12);
                close_instant(&at);
            }
}

// A rod cut by loads of zero.
static td_robot *chain_robot(const material *a, int elements) {
    td_robot *robot = dead_robot(a, false, false);
    for (int k = 1; k < elements; k++) {
        char name[32];
        snprintf(name, sizeof name, "cut%d", k);
        td_load_def cut = point_load(name, k * L / elements);
        add_load(robot, &cut);
    }
    return robot;
}

static void sweep_stays_exact_over_many_elements_and_small_steps(void **unused) {
    (void)unused;
    const double steps[4] = {5e-3, 5e-4, 5e-5, 5e-6};
    for (int theory = 0; theory < 2; theory++)
        for (int k = 0; k < 4; k++) {
            material a = steel;
            a.c0 = 1.5 / steps[k];
            instant at;
            open_instant(&at, &a, chain_robot(&a, 64), (td_theory)theory, 8, true);
            assert_int_equal(at.r->n_elements, 64);
            CHECK_NEAR(sweep_defect(&at), 0.0, 5e-11);
            close_instant(&at);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_solves_the_whole_rod),
        cmocka_unit_test(sweep_stays_exact_over_many_elements_and_small_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
