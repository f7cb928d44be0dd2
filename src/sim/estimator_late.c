// sim/estimator_late.c - readings that are on their way to an estimator.
//
// A reading that is taken now and comes later tells of what the robot is now. So what it should be, z = h(x, w), is kept as numbers of
// the estimate that do not change, with their covariances,
//
//     P_z. = H P,   P_zz = H P H'
//
// and a reading that comes is one of z, with H = 1. Where robots are linear this is the Kalman filter on a state that holds all past ones: of these the
// readings see nothing but z. J. A. Farrell, S. I. Roumeliotis, J. W. Burdick, "Augmenting inertial navigation with image-based motion
// estimation", ICRA 2002, call it stochastic cloning.
#include "sim/estimator.h"

#include <string.h>

#include "math/dense.h"

// Where the numbers of a slot are, in P.
static int place_of(const td_estimator *e, int which, int slot) {
    const watched *s = &e->sensors[which];
    return e->n - e->n_z + s->pending + slot * td_sensor_channels(e->system, which);
}

void pending_clear(td_estimator *e) {
    memset(e->number, 0, sizeof *e->number * (size_t)e->n_slots);
    memset(e->z, 0, sizeof *e->z * (size_t)e->n_z);
}

int pending_oldest(const td_estimator *e, int which) {
    const watched *s = &e->sensors[which];
    const double *number = e->number + s->slot;
    int oldest = -1;
    for (int k = 0; k < s->slots; k++)
        if (number[k] > 0.0 && (oldest < 0 || number[k] < number[oldest])) oldest = k;
    return oldest;
}

void pending_drop(td_estimator *e, int which, int slot) {
    const int n = e->n, first = place_of(e, which, slot);
    for (int c = first; c < first + td_sensor_channels(e->system, which); c++) {
        memset(e->P + c * n, 0, sizeof *e->P * (size_t)n);
        for (int i = 0; i < n; i++) e->P[i * n + c] = 0.0;
        e->z[c - (n - e->n_z)] = 0.0;
    }
    e->number[e->sensors[which].slot + slot] = 0.0;
}

bool pending_take(td_estimator *e, int which, double k) {
    const watched *s = &e->sensors[which];
    const int n = e->n, channels = td_sensor_channels(e->system, which);
    int slot = 0;
    while (slot < s->slots && e->number[s->slot + slot] > 0.0) slot++;
    if (slot == s->slots) slot = pending_oldest(e, which);  // it was lost
    pending_drop(e, which, slot);
    if (!sensor_rows(e, which, e->H)) return false;
    const int first = place_of(e, which, slot);
    dense_mul(channels, n, n, 1.0, e->H, e->P, e->G);
    for (int c = 0; c < channels; c++) {
        memcpy(e->P + (first + c) * n, e->G + c * n, sizeof *e->P * (size_t)n);
        for (int i = 0; i < n; i++) e->P[i * n + first + c] = e->G[c * n + i];
    }
    for (int c = 0; c < channels; c++)
        for (int d = 0; d <= c; d++)
            e->P[(first + c) * n + first + d] = e->P[(first + d) * n + first + c] =
                dense_dot((size_t)n, e->G + c * n, e->H + d * n);
    sensor_expected(e, which, e->z + first - (n - e->n_z));
    e->number[s->slot + slot] = k;
    e->taken[which] = k;
    return true;
}
