// Section 2, assumption A5: turning of the slices is neglected, since "the angular energy was
// reported to contribute only 5 % of the total energy". How much is it in the three cases?
#include <math.h>

#include "liu2020.h"
#include "robot.h"

#define DT 1e-3
enum { STEPS = 1500 };

typedef struct share {
    double mean;        // of the kinetic energy, over the whole motion
    double most;        // at one instant, where there is a tenth of the largest
    double tips[2][3];  // m, at the end: without and with the inertia of turning
} share;

static double kinetic(const liu_arm *a) {
    return td_get_energy(a->system, a->state).kinetic;
}

// The same motion under inertia of points alone (a), whose energy is then taken with that of turning
// (turning). False: err says why.
static bool follow(liu_arm *a, liu_arm *turning, share *out, td_error *err) {
    double with[STEPS + 1], points[STEPS + 1];
    double sum[2] = {0.0}, largest = 0.0, q[COORDINATES], q_t[COORDINATES];
    bool fine = true;
    for (int k = 0; k <= STEPS && fine; k++) {
        if (k > 0) fine = liu_move(a, DT, err);
        td_get_coordinates(a->system, a->state, q, q_t);
        fine = fine && td_set_coordinates(turning->system, turning->state, q, q_t) >= 0;
        points[k] = kinetic(a), with[k] = kinetic(turning);
        sum[0] += points[k], sum[1] += with[k];
        largest = fmax(largest, with[k]);
    }
    out->mean = 1.0 - sum[0] / sum[1];
    out->most = 0.0;
    for (int k = 0; k <= STEPS; k++)
        if (with[k] > 0.1 * largest) out->most = fmax(out->most, 1.0 - points[k] / with[k]);
    liu_tip(a, out->tips[0]);
    return fine;
}

static bool find(const liu_case *which, share *out, td_error *err) {
    liu_arm a = {0}, turning = {0};
    bool fine = liu_open(&a, &as_physics, which, err) &&
                liu_open_turning(&turning, &as_physics, which, err);
    fine = fine && follow(&a, &turning, out, err);
    liu_close(&turning);
    fine = fine && liu_open_turning(&turning, &as_physics, which, err);
    for (int k = 0; k < STEPS && fine; k++) fine = liu_move(&turning, DT, err);
    if (fine) liu_tip(&turning, out->tips[1]);
    liu_close(&turning);
    liu_close(&a);
    return fine;
}

static void compare(paper_report *r, const liu_case *which, const share *s) {
    char name[80], note[96];
    const double *p = s->tips[0], *q = s->tips[1];
    snprintf(name, sizeof name, "%s: share of turning", which->name);
    snprintf(note, sizeof note, "of the kinetic energy; %.1f %% at most, where there is much",
             100.0 * s->most);
    report_compare(
        r,
        &(comparison){
            .quantity = name, .unit = "%", .printed = 5.0, .ours = 100.0 * s->mean, .note = note});
    snprintf(name, sizeof name, "%s: tip moved by it at 1.5 s", which->name);
    report_compare(
        r, &(comparison){.quantity = name,
                         .unit = "mm",
                         .printed = (double)NAN,
                         .ours = 1e3 * hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2])});
}

void liu2020_angular(paper_report *r) {
    for (int i = 0; i < CASES; i++) {
        td_error err = {0};
        share s;
        report_progress(r, "%s", liu_cases[i].name);
        if (find(&liu_cases[i], &s, &err)) compare(r, &liu_cases[i], &s);
        else report_failure(r, "%s: %s", liu_cases[i].name, err.message);
    }
    report_remark(r, "5 % is quoted from another robot. A slice of radius R has R^2/4 of inertia "
                     "per mass across and R^2/2 along; the model of this program takes it into "
                     "account unless told otherwise.");
}
