// Tables III and IV, where the floor of their rotation errors comes from, and the same cases by our
// own form of collocation.
#include <math.h>
#include <stdlib.h>

#include "accuracy.h"
#include "orekhov2020.h"
#include "rotation_floor.h"

#define NONE ((double)NAN)
#define FLOOR 0.0542  // deg: the largest rotation error that Table IV ends with

// ---------------------------------------------------------------- as printed
const printed_errors printed_order4[N_DEGREES] = {{{2.97, 28.0}, {4.28, 36.3}, 179.6},
                                                  {{0.141, 2.15}, {0.235, 3.78}, 112.1},
                                                  {{0.00573, 0.147}, {0.00889, 0.183}, 71.6},
                                                  {{0.00122, 0.0173}, {0.00453, 0.0571}, 46.3},
                                                  {{5.46e-4, 0.00707}, {0.00448, 0.0543}, 33.1}};
const printed_errors printed_order6[N_DEGREES] = {{{3.00, 28.1}, {4.29, 36.5}, 176.8},
                                                  {{0.140, 2.26}, {0.234, 3.79}, 106.2},
                                                  {{0.00467, 0.115}, {0.00889, 0.193}, 68.8},
                                                  {{1.95e-4, 0.00493}, {0.00450, 0.0553}, 42.5},
                                                  {{2.66e-5, 0.00140}, {0.00448, 0.0542}, 32.4}};

// ---------------------------------------------------------------- computing
static int n_degrees(const paper_report *r) {
    return r->effort == PAPER_QUICK ? 2 : N_DEGREES;
}

static void run_column(accuracy *a, td_space space, int magnus, study_result *out) {
    paper_report *r = a->report;
    for (int i = 0; i < a->n; i++) {
        const method m = {.space = space, .nodes = DEGREE(i) + 1, .magnus = magnus};
        td_error err = {0};
        report_progress(r, "n = %d", DEGREE(i));
        if (!study_run(&out[i], &m, a->truth, r->effort == PAPER_QUICK ? 1 : 3, &err)) {
            report_failure(r, "n = %d: %s: %s", DEGREE(i), err.where, err.message);
        } else if (out[i].solved < N_CASES) {
            report_failure(r, "n = %d: %d of %d cases have no solution; %s", DEGREE(i),
                           N_CASES - out[i].solved, N_CASES, out[i].message);
        }
    }
}

// ---------------------------------------------------------------- Tables III and IV
static void report_pair(paper_report *r, const char *what, const char *unit, int n,
                        const double printed[2], const double ours[2], const char *const notes[2]) {
    static const char *const kinds[2] = {"mean", "largest"};
    for (int k = 0; k < 2; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s, n = %d", kinds[k], what, n);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = unit,
                                        .printed = printed ? printed[k] : NONE,
                                        .ours = ours[k],
                                        .note = notes[k]});
    }
}

// The floor adds in quadrature.
static void report_rotations(paper_report *r, int n, const printed_errors *p,
                             const study_result *ours) {
    char note[120];
    snprintf(note, sizeof note, "with a floor of %g deg: %.3g deg", FLOOR,
             hypot(ours->rotation[1], FLOOR));
    const char *mean = n >= 8   ? "printed: the floor, see section 7"
                       : n >= 6 ? "printed: with the floor, see section 7"
                                : NULL;
    const char *const notes[2] = {mean, n >= 6 ? note : NULL};
    report_pair(r, "rotation error", "deg", n, p->rotation, ours->rotation, notes);
}

static void report_column(paper_report *r, const printed_errors *printed, const study_result *ours,
                          int n) {
    for (int i = 0; i < n; i++) {
        bool last = printed == printed_order6 && i == N_DEGREES - 1;
        const char *their_truth = last ? "printed: presumably the error of their shooting" : NULL;
        const char *const notes[2] = {their_truth, their_truth};
        report_pair(r, "position error", "%", DEGREE(i), printed[i].position, ours[i].position,
                    notes);
    }
    for (int i = 0; i < n; i++) report_rotations(r, DEGREE(i), &printed[i], &ours[i]);
    for (int i = 0; i < n; i++) {
        char name[64], note[64];
        snprintf(name, sizeof name, "solutions per second, n = %d", DEGREE(i));
        snprintf(note, sizeof note, "%.0f times; %.1f us, %.2f corrections",
                 ours[i].rate / printed[i].rate, 1e6 / ours[i].rate, ours[i].iterations);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "Hz",
                                        .printed = printed[i].rate,
                                        .ours = ours[i].rate,
                                        .note = note});
    }
}

// ---------------------------------------------------------------- the speed of shooting
// Steps enough for the error of n = 10 and order 6.
static void report_shooting(accuracy *a) {
    paper_report *r = a->report;
    const method m = {.space = TD_SHOOTING, .steps = 20};
    td_error err = {0};
    study_result s;
    report_heading(r, &(paper_item){{"section 7"}, "the speed of shooting", 0});
    report_progress(r, "shooting");
    if (!study_sample(&s, &m, a->truth, r->effort == PAPER_QUICK ? 81 : 4, &err)) {
        report_failure(r, "shooting: %s%s", err.where, err.message);
        return;
    }
    char note[160];
    snprintf(note, sizeof note,
             "RK4 in %d steps, exact derivatives, %d of the %d cases: mean error %.1e %%, largest "
             "%.1e %%; printed: ode45 with differences",
             m.steps, s.asked, N_CASES, s.position[0], s.position[1]);
    report_compare(r, &(comparison){.quantity = "solutions per second, shooting",
                                    .unit = "Hz",
                                    .printed = 17.6,
                                    .ours = s.rate,
                                    .note = note});
    bool faster = true;
    for (int i = 0; i < a->n; i++)
        faster = faster && a->order4[i].rate > s.rate && a->order6[i].rate > s.rate;
    const int last = a->n - 1;
    snprintf(note, sizeof note, "n = %d, order 6: %.3g times as fast; printed %.3g times",
             DEGREE(last), a->order6[last].rate / s.rate, printed_order6[last].rate / 17.6);
    report_claim(r, "collocation is faster for every n", faster, note);
}

// What the text says of the two tables.
static void report_claims(accuracy *a) {
    paper_report *r = a->report;
    if (a->n < N_DEGREES) return;
    double six = 0.0, eight = 0.0;
    for (int i = 0; i < N_DEGREES; i++) {
        if (DEGREE(i) >= 6)
            six = fmax(six, fmax(a->order4[i].position[1], a->order6[i].position[1]));
        if (DEGREE(i) >= 8) eight = fmax(eight, a->order6[i].position[1]);
    }
    char note[80];
    snprintf(note, sizeof note, "largest %.3g %%", six);
    report_claim(r, "n >= 6: off by less than 0.15 % of L", six < 0.15, note);
    snprintf(note, sizeof note, "largest %.3g %%", eight);
    report_claim(r, "n >= 8, order 6: below 0.005 %", eight < 0.005, note);
}

// ---------------------------------------------------------------- the floor
static void report_floor(accuracy *a) {
    paper_report *r = a->report;
    static const int steps[] = {10, 15, 20, 25, 30};
    report_heading(r, &(paper_item){{"section 7"}, "the floor of the printed rotation errors", 0});
    report_remark(r,
                  "The error of formula (34) when the compared rotation is integrated as nine "
                  "numbers, with Dormand & Prince's method from the exact curvature at the base, "
                  "and the angle between the same two matrices by atan2:");
    for (int i = 0; i < 5; i++) {
        if (r->effort == PAPER_QUICK && steps[i] != 20) continue;
        rotation_floor f = rotation_floor_of(a->truth, steps[i]);
        for (int k = 0; k < 2; k++) {
            char name[64], note[64];
            snprintf(name, sizeof name, "%s arccos error, %d steps", k ? "largest" : "mean",
                     steps[i]);
            snprintf(note, sizeof note, "by atan2 %.1e deg", f.atan2[k]);
            report_compare(r, &(comparison){.quantity = name,
                                            .unit = "deg",
                                            .printed = k ? FLOOR : 0.00448,
                                            .ours = f.arccos[k],
                                            .note = note});
        }
    }
    report_remark(r, "So the printed errors of n = 8 and 10 are those of the matrix they are "
                     "compared with: with 20 steps its largest error by (34) is about the printed "
                     "floor, while the two rotations differ by less than 1e-4 deg. The paper's "
                     "own settings are not known; no number of equal steps gives both its mean and "
                     "its maximum.");
}

// ---------------------------------------------------------------- better than the paper
static void report_integral_form(accuracy *a) {
    paper_report *r = a->report;
    report_heading(r, &(paper_item){{"section 7"}, "the same cases in the integral form", 0});
    report_remark(r, "Collocation of the section law K u = R' (m + (p(L) - p) x f) at Gauss nodes, "
                     "the default of this program, with as many unknowns as the paper's form and "
                     "Magnus steps of order 6:");
    run_column(a, TD_COLLOCATION, 6, a->integral);
    for (int i = 0; i < a->n; i++) {
        char notes[2][64];
        for (int k = 0; k < 2; k++)
            snprintf(notes[k], sizeof notes[k], "the paper's form: %.3g times as much",
                     a->order6[i].position[k] / a->integral[i].position[k]);
        const char *const both[2] = {notes[0], notes[1]};
        report_pair(r, "position error", "%", DEGREE(i), NULL, a->integral[i].position, both);
    }
    for (int i = 0; i < a->n; i++) {
        const char *const none[2] = {NULL, NULL};
        report_pair(r, "rotation error", "deg", DEGREE(i), NULL, a->integral[i].rotation, none);
    }
    for (int i = 0; i < a->n; i++) {
        char name[64], note[64];
        snprintf(name, sizeof name, "solutions per second, n = %d", DEGREE(i));
        snprintf(note, sizeof note, "%.1f us, %.2f corrections", 1e6 / a->integral[i].rate,
                 a->integral[i].iterations);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "Hz",
                                        .printed = NONE,
                                        .ours = a->integral[i].rate,
                                        .note = note});
    }
}

// How far from the straight rod the full load is found in one go.
static void report_at_once(accuracy *a) {
    static const td_space spaces[2] = {TD_CHEBYSHEV, TD_COLLOCATION};
    static const char *const names[2] = {"the paper's form", "the integral form"};
    for (int i = 0; i < 2; i++) {
        const method m = {.space = spaces[i], .nodes = 5, .magnus = 6};
        at_once found;
        td_error err = {0};
        if (!study_at_once(&found, &m, &err)) {
            report_failure(a->report, "%s: %s", err.where, err.message);
            continue;
        }
        char name[64], note[160];
        snprintf(name, sizeof name, "full load at once, n = 4, %s", names[i]);
        snprintf(note, sizeof note,
                 "of 729, by corrections below 4 rad; %d of them where three steps lead; the rest "
                 "by following the load",
                 found.same);
        report_compare(
            a->report,
            &(comparison){
                .quantity = name, .unit = "", .printed = NONE, .ours = found.direct, .note = note});
    }
}

// ---------------------------------------------------------------- all of it
// By collocation of the section law with many nodes, whose error is that of the Magnus steps.
static bool find_truth(accuracy *a) {
    const int nodes = a->report->effort == PAPER_QUICK ? 20 : 28;
    const method m = {.space = TD_COLLOCATION, .nodes = nodes, .magnus = 6};
    td_error err = {0};
    report_progress(a->report, "the truth");
    if (study_truth(a->truth, &m, &err)) return true;
    report_failure(a->report, "the truth: %s%s", err.where, err.message);
    return false;
}

static void check_truth(accuracy *a) {
    const method m = {.space = TD_SHOOTING, .steps = 400};
    const bool quick = a->report->effort == PAPER_QUICK;
    double apart;
    td_error err = {0};
    report_progress(a->report, "the truth against shooting");
    if (!study_distance(&apart, &m, a->truth, quick ? 181 : 31, &err)) {
        report_failure(a->report, "shooting: %s%s", err.where, err.message);
        return;
    }
    char note[120];
    snprintf(note, sizeof note, "of the length, at most: %d Gauss nodes; RK4, %d steps",
             quick ? 20 : 28, m.steps);
    report_compare(a->report, &(comparison){.quantity = "truth: collocation against shooting",
                                            .unit = "%",
                                            .printed = NONE,
                                            .ours = 100.0 * apart / ROD_LENGTH,
                                            .note = note});
}

void orekhov2020_accuracy(paper_report *r) {
    accuracy a = {.report = r, .n = n_degrees(r)};
    a.truth = calloc(N_CASES, sizeof *a.truth);
    if (!a.truth) {
        report_failure(r, "out of memory");
        return;
    }
    if (find_truth(&a)) {
        check_truth(&a);
        report_heading(r, &(paper_item){{"table 3"}, "fourth-order Magnus steps", 0});
        run_column(&a, TD_CHEBYSHEV, 4, a.order4);
        report_column(r, printed_order4, a.order4, a.n);
        report_heading(r, &(paper_item){{"table 4"}, "sixth-order Magnus steps", 0});
        run_column(&a, TD_CHEBYSHEV, 6, a.order6);
        report_column(r, printed_order6, a.order6, a.n);
        report_claims(&a);
        report_shooting(&a);
        report_floor(&a);
        report_integral_form(&a);
        report_at_once(&a);
        accuracy_write(&a);
        accuracy_draw(&a);
    }
    free(a.truth);
}
