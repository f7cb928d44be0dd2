// Section 4.2, Algorithm 1: the inverse dynamics. Its last line multiplies by the transposed Jacobian
// of the actuators where Eq. 3 says that this must be solved for their forces.
#include <math.h>

#include "liu2020.h"
#include "robot.h"
#include "math/pi.h"

// ---------------------------------------------------------------- as printed
// tau_act = J_act' tau_load (the last line) in the coordinates theta, r, phi, from the loads in ours.
static void last_line(const double *u, const double *load, double *out) {
    const double theta = hypot(u[0], u[1]), phi = atan2(u[1], u[0]), r = u[2] / theta;
    const double theirs[3] = {cos(phi) * load[0] + sin(phi) * load[1] + r * load[2],
                              theta * load[2], theta * (cos(phi) * load[1] - sin(phi) * load[0])};
    double J[3][3];  // Eq. 34: actuators by coordinates
    for (int j = 0; j < 3; j++) {
        const double angle = 2.0 * PI * (j + 1) / 3.0 - phi - PI / 6.0;
        J[j][0] = r - ACTUATOR_RADIUS * cos(angle);
        J[j][1] = theta;
        J[j][2] = -ACTUATOR_RADIUS * theta * sin(angle);
    }
    for (int k = 0; k < 3; k++) {
        out[k] = 0.0;
        for (int j = 0; j < 3; j++) out[k] += J[j][k] * theirs[j];
    }
}

// ---------------------------------------------------------------- held still
static bool hold(liu_arm *a, double *printed, double *ours) {
    double q[COORDINATES], still[COORDINATES] = {0.0}, load[COORDINATES], efforts[ACTUATORS];
    bool fine = td_solve_statics(a->system, a->state) >= 0 &&
                td_get_coordinates(a->system, a->state, q, NULL) >= 0 &&
                td_inverse_dynamics(a->system, a->state, q, still, still, load) >= 0 &&
                td_inverse_efforts(a->system, a->state, q, still, still, efforts) >= 0;
    for (int i = 0; i < ACTUATORS && fine; i++) ours[i] = -efforts[i];  // pulling is below 0
    for (int i = 0; i < SEGMENTS && fine; i++) last_line(q + 3 * i, load + 3 * i, printed + 3 * i);
    return fine;
}

static void compare_held(paper_report *r) {
    const liu_case *which = &liu_cases[1];
    double printed[ACTUATORS], ours[ACTUATORS];
    td_error err = {0};
    liu_arm a;
    bool fine = liu_open(&a, &as_physics, which, &err);
    if (!fine) report_failure(r, "%s", err.message);
    else if (!hold(&a, printed, ours)) report_failure(r, "%s", td_message(a.state));
    else
        for (int i = 0; i < ACTUATORS; i++) {
            char name[64], note[64];
            snprintf(name, sizeof name, "%s, held: actuator %d", which->name, i + 1);
            snprintf(note, sizeof note, "set: %g N", as_physics.forces * which->forces[i]);
            report_compare(r, &(comparison){.quantity = name,
                                            .unit = "N",
                                            .printed = printed[i],
                                            .ours = ours[i],
                                            .note = note});
        }
    liu_close(&a);
}

// ---------------------------------------------------------------- in motion
// Forward dynamics moves the arm under known forces; inverse dynamics must give them back. The
// acceleration is that of three states, h apart, after the arm was let go anew where it was at 0.1 s.
static bool regain(liu_arm *a, double *efforts, td_error *err) {
    const double h = 1e-5;
    double q[3][COORDINATES], v[3][COORDINATES], acceleration[COORDINATES];
    bool fine = true;
    for (int k = 0; k < 100 && fine; k++) fine = liu_move(a, 1e-3, err);
    td_get_coordinates(a->system, a->state, q[0], v[0]);
    fine = fine && td_set_coordinates(a->system, a->state, q[0], v[0]) >= 0;
    for (int k = 0; k < 3 && fine; k++) {
        fine = liu_move(a, h, err);
        td_get_coordinates(a->system, a->state, q[k], v[k]);
    }
    for (int i = 0; i < COORDINATES; i++) acceleration[i] = (v[2][i] - v[0][i]) / (2.0 * h);
    return fine && td_inverse_efforts(a->system, a->state, q[1], v[1], acceleration, efforts) >= 0;
}

static void compare_moving(paper_report *r) {
    const liu_case *which = &liu_cases[2];
    double efforts[ACTUATORS], off = 0.0;
    td_error err = {0};
    liu_arm a;
    bool fine = liu_open(&a, &as_physics, which, &err) && regain(&a, efforts, &err);
    for (int i = 0; i < ACTUATORS && fine; i++)
        off = fmax(off, fabs(-efforts[i] - as_physics.forces * which->forces[i]));
    if (!fine) {
        report_failure(r, "%s: %s", which->name, err.message);
    } else {
        report_compare(r, &(comparison){.quantity = "out of plane, moving: forces off at most by",
                                        .unit = "N",
                                        .printed = (double)NAN,
                                        .ours = off,
                                        .note = "the motion gives them back"});
    }
    liu_close(&a);
}

void liu2020_inverse(paper_report *r) {
    compare_held(r);
    compare_moving(r);
    report_remark(r, "Printed: J' tau_load, whose unit is no force. Ours: the forces that balance "
                     "tau_load by Eq. 3, the ones that were set.");
}
