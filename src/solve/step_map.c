// solve/step_map.c - see step_map.h.
#include "solve/step_map.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

step_scheme step_scheme_sdirk2(double dt) {
    const double gamma = 1.0 - sqrt(0.5), c0 = 1.0 / (gamma * dt);
    return (step_scheme){.n_stages = 2,
                         .n_levels = 1,
                         .stages = {{c0, {-c0, 0.0, 0.0}, 0.0, gamma},
                                    {c0, {0.0, -c0, 0.0}, -(1.0 - gamma) / gamma, 1.0}}};
}

int step_map_states(const step_scheme *s, int n_q) {
    return n_q * (2 * s->n_levels + s->rate);
}

void step_map_layout(int n, int n_q, int n_u, int n_y, int most, arena *a, step_map *out) {
    step_map m = {.A = ARENA_TAKE(a, double, most *most), .C = ARENA_TAKE(a, double, n_y *most)};
    for (int i = 0; i < 2; i++) {
        m.B[i] = ARENA_TAKE(a, double, most *n_u);
        m.D[i] = ARENA_TAKE(a, double, n_y *n_u);
    }
    m.J = ARENA_TAKE(a, double, n *n);
    m.z = ARENA_TAKE(a, double, n);
    m.past = ARENA_TAKE(a, double, 9 * n_q);
    m.pivot = ARENA_TAKE(a, int, n);
    if (out) *out = m;
}

// The memory of a formula, level after level: z, z' of four levels; z'' is that of the newest.
typedef struct memory {
    double *z[4], *rate[4];
    double *acceleration;
} memory;

typedef struct column {
    int input;                // -1: none
    double at_start, at_end;  // of it
} column;

static bool factor(const linear_matrices *of, step_map *m, double c0) {
    for (int i = 0; i < of->n * of->n; i++) m->J[i] = of->K[i] + c0 * (of->D[i] + c0 * of->M[i]);
    return lu_factor(of->n, m->J, m->pivot);
}

// Histories h and g, in place of the oldest level.
static void histories(const step_stage *s, int n_q, const memory *y, double *h, double *g) {
    for (int k = 0; k < n_q; k++) {
        double a = s->d * y->rate[0][k], b = s->d * y->acceleration[k];
        for (int i = 0; i < 3; i++) {
            a += s->c[i] * y->z[i][k];
            b += s->c[i] * y->rate[i][k];
        }
        h[k] = a, g[k] = b;
    }
}

// m->z is then the new z with its multipliers.
static void take_stage(const linear_matrices *of, const step_stage *s, const column *c, step_map *m,
                       memory *y) {
    const int n = of->n, n_q = of->n_q;
    double *h = y->z[3], *g = y->rate[3];
    histories(s, n_q, y, h, g);
    const double u = c->at_start + s->at * (c->at_end - c->at_start);
    for (int i = 0; i < n; i++) {
        double sum = c->input >= 0 ? u * of->B[0][i * of->n_u + c->input] : 0.0;
        for (int k = 0; k < n_q; k++) {
            const double M = of->M[i * n + k];
            sum -= (s->c0 * M + of->D[i * n + k]) * h[k] + M * g[k];
        }
        m->z[i] = sum;
    }
    lu_solve(n, m->J, m->pivot, m->z);
    for (int k = 0; k < n_q; k++) {
        h[k] += s->c0 * m->z[k];
        g[k] += s->c0 * h[k];
    }
    // the levels move on: what held the histories holds the new rates
    double *oldest_z = y->z[2], *oldest_rate = y->rate[2];
    memcpy(y->acceleration, g, sizeof(double) * (size_t)n_q);
    y->rate[3] = oldest_rate;
    y->z[3] = oldest_z;
    y->z[2] = y->z[1], y->z[1] = y->z[0];
    y->rate[2] = y->rate[1], y->rate[1] = y->rate[0];
    y->rate[0] = h;
    y->z[0] = g;
    memcpy(y->z[0], m->z, sizeof(double) * (size_t)n_q);
}

static memory memory_at(double *past, int n_q) {
    memory y;
    for (int i = 0; i < 4; i++) y.z[i] = past + 2 * i * n_q, y.rate[i] = past + (2 * i + 1) * n_q;
    y.acceleration = past + 8 * n_q;
    return y;
}

// Number k of the state.
static double *state_at(const step_scheme *s, const memory *y, int n_q, int k) {
    const int level = k / (2 * n_q), within = k % (2 * n_q);
    if (level == s->n_levels) return y->acceleration + within;
    return within < n_q ? y->z[level] + within : y->rate[level] + within - n_q;
}

static void outputs(const linear_matrices *of, const step_map *m, const memory *y, double *to,
                    int stride) {
    for (int j = 0; j < of->n_y; j++) {
        double sum = 0.0;
        for (int k = 0; k < of->n; k++) sum += of->C[0][j * of->n + k] * m->z[k];
        for (int k = 0; k < of->n_q; k++)
            sum += of->C[1][j * of->n + k] * y->rate[0][k] +
                   of->C[2][j * of->n + k] * y->acceleration[k];
        to[j * stride] = sum;
    }
}

bool step_map_make(const linear_matrices *of, const step_scheme *s, step_map *m) {
    const int n_q = of->n_q, n_x = step_map_states(s, n_q), n_u = of->n_u;
    m->n_states = n_x;
    ASSERT(s->n_stages == 1 || s->stages[1].c0 == s->stages[0].c0);
    if (!factor(of, m, s->stages[0].c0)) return false;
    for (int k = 0; k < n_x + 2 * n_u; k++) {
        const int input = k < n_x ? -1 : (k - n_x) % n_u, side = k < n_x ? 0 : (k - n_x) / n_u;
        const column c = {input, input >= 0 && side == 0, input >= 0 && side == 1};
        memset(m->past, 0, sizeof(double) * 9 * (size_t)n_q);
        memory y = memory_at(m->past, n_q);
        if (k < n_x) *state_at(s, &y, n_q, k) = 1.0;
        for (int i = 0; i < s->n_stages; i++) take_stage(of, &s->stages[i], &c, m, &y);
        double *to = input < 0 ? m->A + k : m->B[side] + input;
        const int stride = input < 0 ? n_x : n_u;
        for (int i = 0; i < n_x; i++) to[(size_t)i * (size_t)stride] = *state_at(s, &y, n_q, i);
        outputs(of, m, &y, input < 0 ? m->C + k : m->D[side] + input, stride);
        for (int j = 0; j < of->n_y && side == 1 && input >= 0; j++)
            m->D[1][j * n_u + input] += of->F[0][j * n_u + input];
    }
    return true;
}
