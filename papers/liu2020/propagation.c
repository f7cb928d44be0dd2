// Section 4.1: how the angular velocity goes from segment to segment. Eq. 38 takes d(s theta)/dt for
// the rate of exp(s^ theta), which it is only as long as the axis s does not turn, and it rotates the
// velocity before.
#include <math.h>

#include "liu2020.h"
#include "robot.h"

typedef struct bending {
    double theta, phi, theta_t, phi_t;  // rad, rad/s
} bending;

// Bent, and turning its planes of bending.
static const bending moving[SEGMENTS] = {{1.0, 0.5, 1.0, 2.0}, {0.8, -0.7, -0.5, 1.5}};

static void put_state(double *q, double *q_t) {
    for (int i = 0; i < SEGMENTS; i++) {
        const bending *b = &moving[i];
        const double c = cos(b->phi), s = sin(b->phi);
        q[3 * i] = b->theta * c, q[3 * i + 1] = b->theta * s, q[3 * i + 2] = SEGMENT_LENGTH;
        q_t[3 * i] = b->theta_t * c - b->theta * b->phi_t * s;
        q_t[3 * i + 1] = b->theta_t * s + b->theta * b->phi_t * c;
        q_t[3 * i + 2] = 0.0;
    }
}

// ---------------------------------------------------------------- vectors and turns
static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void add(double a[3], double scale, const double b[3]) {
    for (int k = 0; k < 3; k++) a[k] += scale * b[k];
}

static double apart(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// v turned by an angle with this sine and cosine about a unit axis: Rodrigues.
static void turn_about(const double axis[3], double sine, double cosine, const double v[3],
                       double out[3]) {
    double across[3], along = 0.0;
    cross(axis, v, across);
    for (int k = 0; k < 3; k++) along += axis[k] * v[k];
    for (int k = 0; k < 3; k++)
        out[k] = cosine * v[k] + sine * across[k] + (1.0 - cosine) * along * axis[k];
}

// v turned by a unit quaternion: the same with half of its angle twice.
static void turn_by(const double q[4], const double v[3], double out[3]) {
    double once[3], twice[3];
    cross(q + 1, v, once);
    cross(q + 1, once, twice);
    for (int k = 0; k < 3; k++) out[k] = v[k] + 2.0 * (q[0] * once[k] + twice[k]);
}

// ---------------------------------------------------------------- by the formula
// Eq. 38 over one segment that begins at a pose, as printed or corrected (errata.md). omega: in the
// world, before and behind.
static void propagate(const double pose[4], const bending *b, bool printed, double omega[3]) {
    static const double ez[3] = {0.0, 0.0, 1.0};
    const double plane[3] = {cos(b->phi), sin(b->phi), 0.0};
    const double s = sin(b->theta), c = cos(b->theta);
    double z[3], towards[3], axis[3];  // z, b and s of Eqs. 8, 9 and 36
    turn_by(pose, ez, z);
    turn_by(pose, plane, towards);
    cross(z, towards, axis);
    if (printed) {
        double axis_t[3];  // the axis turns with its segment and with phi
        cross(omega, axis, axis_t);
        add(axis_t, -b->phi_t, towards);
        turn_about(axis, s, c, omega, omega);
        add(omega, b->theta_t, axis);
        add(omega, b->theta, axis_t);
    } else {
        add(omega, b->theta_t, axis);
        add(omega, -s * b->phi_t, towards);
        add(omega, (1.0 - c) * b->phi_t, z);
    }
}

// ---------------------------------------------------------------- in the model
static void angular_velocity(const liu_arm *a, double s, double out[3]) {
    td_sample at = td_get_sample(a->system, a->state, 0, s);
    turn_by(at.pose.q, at.velocity, out);
}

// From the turn between two poses, one before and one after: twice the vector of the quaternion
// between them, by the time between.
static void by_differences(liu_arm *a, double s, const double *q, const double *q_t,
                           double out[3]) {
    const double h = 1e-5;
    td_pose poses[2];
    for (int side = 0; side < 2; side++) {
        double near[COORDINATES];
        for (int k = 0; k < COORDINATES; k++) near[k] = q[k] + (side ? h : -h) * q_t[k];
        td_set_coordinates(a->system, a->state, near, NULL);
        poses[side] = td_get_pose(a->system, a->state, 0, s);
    }
    const double *p = poses[0].q, *n = poses[1].q;
    cross(p + 1, n + 1, out);
    for (int k = 0; k < 3; k++) out[k] = (out[k] + p[0] * n[k + 1] - n[0] * p[k + 1]) / h;
}

// ---------------------------------------------------------------- rows
static void compare(paper_report *r, int segment, const double printed[3], const double ours[3],
                    double differences) {
    static const char *const axes[3] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        char name[64], note[96];
        snprintf(name, sizeof name, "angular velocity behind segment %d, %s", segment + 1, axes[k]);
        snprintf(note, sizeof note, "off by %.0e from differences of the pose", differences);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "1/s",
                                        .printed = printed[k],
                                        .ours = ours[k],
                                        .note = k == 0 ? note : NULL});
    }
}

static void compare_segments(paper_report *r, liu_arm *a) {
    double q[COORDINATES], q_t[COORDINATES], off = 0.0;
    double printed[3] = {0.0}, corrected[3] = {0.0}, ours[3], truth[3];
    put_state(q, q_t);
    for (int i = 0; i < SEGMENTS; i++) {
        const double s = (i + 1) * SEGMENT_LENGTH;
        by_differences(a, s, q, q_t, truth);
        if (td_set_coordinates(a->system, a->state, q, q_t) < 0) {
            report_failure(r, "%s", td_message(a->state));
            return;
        }
        const td_pose begins = td_get_pose(a->system, a->state, 0, s - SEGMENT_LENGTH);
        angular_velocity(a, s, ours);
        propagate(begins.q, &moving[i], true, printed);
        propagate(begins.q, &moving[i], false, corrected);
        off = fmax(off, apart(corrected, ours));
        compare(r, i, printed, ours, apart(ours, truth));
    }
    report_compare(r, &(comparison){.quantity = "Eq. 38 corrected, off the model",
                                    .unit = "1/s",
                                    .printed = (double)NAN,
                                    .ours = off});
}

void liu2020_propagation(paper_report *r) {
    liu_arm a;
    td_error err = {0};
    if (liu_open(&a, &as_physics, &liu_cases[0], &err)) compare_segments(r, &a);
    else report_failure(r, "%s", err.message);
    liu_close(&a);
    report_remark(r,
                  "Printed: Eq. 38 evaluated as it stands. Right is w + theta' s - sin(theta) "
                  "phi' b + (1 - cos(theta)) phi' z, with s, b and z of the segment before. In a "
                  "plane, phi' = 0, both agree.");
}
