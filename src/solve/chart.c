// solve/chart.c - see chart.h.
#include "solve/chart.h"

#include "math/quat.h"

int part_n_coordinates(const solve_part *p) {
    int n = 0;
    for (int k = 0; k < p->n_q; k++) n += !part_holds(p, k);
    return n;
}

void part_read(const solve_part *p, const double *x, double *q) {
    const int n = n_plain(p);
    copy_doubles(n, q, x);
    for (int i = 0; i < p->n_frames; i++) {
        const double *at = x + n + 7 * i;
        vec3_store(q + n + 6 * i, quat_log(quat_load(at + 3)));
        vec3_store(q + n + 6 * i + 3, vec3_load(at));
    }
}

void part_write(const solve_part *p, const double *q, double *x) {
    const int n = n_plain(p);
    copy_doubles(n, x, q);
    for (int i = 0; i < p->n_frames; i++) {
        double *at = x + n + 7 * i;
        vec3_store(at, vec3_load(q + n + 6 * i + 3));
        quat_store(at + 3, quat_exp(vec3_load(q + n + 6 * i)));
    }
}

// The velocities of frames turned from the axes of the frame into the world, or back.
static void turn_rates(const solve_part *p, const double *x, bool back, double *v) {
    const int n = n_plain(p);
    for (int i = 0; i < p->n_frames && p->twists; i++) {
        const quat Q = quat_load(x + n + 7 * i + 3);
        double *at = v + n + 6 * i + 3;
        vec3_store(at, quat_rotate(back ? quat_conj(Q) : Q, vec3_load(at)));
    }
}

void part_read_rates(const solve_part *p, const double *x, const double *v, double *rates) {
    memmove(rates, v, sizeof(double) * (size_t)p->n_q);
    turn_rates(p, x, false, rates);
}

void part_write_rates(const solve_part *p, const double *x, const double *rates, double *v) {
    memmove(v, rates, sizeof(double) * (size_t)p->n_q);
    turn_rates(p, x, true, v);
}

void part_shift(const solve_part *p, const double *from, double scale, const double *dz,
                double *to) {
    const int n = n_plain(p);
    for (int k = 0; k < n; k++) to[k] = from[k] + scale * dz[k];
    for (int i = 0; i < p->n_frames; i++) {
        const double *x = from + n + 7 * i, *z = dz + n + 6 * i;
        double *at = to + n + 7 * i;
        const quat turn = quat_exp(vec3_scale(vec3_load(z), scale));
        vec3_store(at, vec3_madd(vec3_load(x), scale, vec3_load(z + 3)));
        quat_store(at + 3, quat_normalise(quat_mul(turn, quat_load(x + 3))));
    }
}

void part_carry(const solve_part *p, const double *x, const double *v, const double *dz_t,
                const double *dz_tt, double *dv, double *da) {
    const int n = n_plain(p);
    copy_doubles(p->n_q, dv, dz_t);
    copy_doubles(p->n_q, da, dz_tt);
    for (int i = 0; i < p->n_frames; i++) {
        const quat back = quat_conj(quat_load(x + n + 7 * i + 3));
        const int at = n + 6 * i;
        const vec3 w = v ? vec3_load(v + at) : vec3_zero();
        const vec3 turn = quat_rotate(back, vec3_load(dz_t + at));
        const vec3 faster = quat_rotate(back, vec3_load(dz_tt + at));
        vec3_store(dv + at, turn);
        vec3_store(da + at, vec3_sub(faster, vec3_cross(w, turn)));
        if (!p->twists) continue;
        const vec3 V = v ? vec3_load(v + at + 3) : vec3_zero();
        const vec3 shift = quat_rotate(back, vec3_load(dz_t + at + 3));
        const vec3 swing = vec3_add(vec3_cross(turn, V), vec3_cross(w, shift));
        vec3_store(dv + at + 3, shift);
        vec3_store(da + at + 3, vec3_sub(quat_rotate(back, vec3_load(dz_tt + at + 3)), swing));
    }
}

void part_stay(const solve_part *p, const double *x, const double *v, const double *a,
               const double *dz, double *dv, double *da) {
    const int n = n_plain(p);
    memset(dv, 0, sizeof(double) * (size_t)p->n_q);
    memset(da, 0, sizeof(double) * (size_t)p->n_q);
    for (int i = 0; i < p->n_frames && p->twists; i++) {
        const int at = n + 6 * i;
        const quat back = quat_conj(quat_load(x + n + 7 * i + 3));
        const vec3 th = quat_rotate(back, vec3_load(dz + at)), w = vec3_load(v + at);
        const vec3 V = vec3_load(v + at + 3), dV = vec3_cross(V, th);
        const vec3 A = vec3_add(vec3_load(a + at + 3), vec3_cross(w, V));  // R'v'
        vec3_store(dv + at + 3, dV);
        vec3_store(da + at + 3, vec3_sub(vec3_cross(A, th), vec3_cross(w, dV)));
    }
}

void part_carry_back(const solve_part *p, const double *x, const double *v, double *dz) {
    const int n = n_plain(p);
    copy_doubles(p->n_q, dz, v);
    for (int i = 0; i < p->n_frames; i++) {
        const quat h = quat_load(x + n + 7 * i + 3);
        vec3_store(dz + n + 6 * i, quat_rotate(h, vec3_load(v + n + 6 * i)));
        if (p->twists) vec3_store(dz + n + 6 * i + 3, quat_rotate(h, vec3_load(v + n + 6 * i + 3)));
    }
}

void part_read_accelerations(const solve_part *p, const double *x, const double *v, const double *a,
                             double *z_tt) {
    const int n = n_plain(p);
    copy_doubles(p->n_q, z_tt, a);
    for (int i = 0; i < p->n_frames; i++) {
        const quat h = quat_load(x + n + 7 * i + 3);
        const int at = n + 6 * i;
        const vec3 swing = vec3_cross(vec3_load(v + at), vec3_load(v + at + 3));
        vec3_store(z_tt + at, quat_rotate(h, vec3_load(a + at)));
        if (p->twists)
            vec3_store(z_tt + at + 3, quat_rotate(h, vec3_add(vec3_load(a + at + 3), swing)));
    }
}
