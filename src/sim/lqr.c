// sim/lqr.c - the gain that is best for small motions of steps.
//
// A step is x+ = A x + B u+ + B0 u, and u+ is chosen when it begins, from x and u: with X = (x, u)
//
//     X+ = [A B0; 0 0] X + [B; 1] u+
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/box_qp.h"
#include "math/riccati.h"
#include "sim/linearise.h"
#include "tendril/loop.h"

typedef struct lqr_room {
    double *A, *B, *Q, *P, *scratch;
    int *pivots;
} lqr_room;

static void fill(const td_step_map *map, int n_inputs, const int *inputs, int m, const double *Q,
                 lqr_room *w) {
    const int n = map->n_states, N = n + m;
    for (int i = 0; i < n; i++) {
        memcpy(w->A + (size_t)i * (size_t)N, map->A + (size_t)i * (size_t)n,
               sizeof(double) * (size_t)n);
        memcpy(w->Q + (size_t)i * (size_t)N, Q + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
        for (int j = 0; j < m; j++) {
            w->A[i * N + n + j] = map->B0[i * n_inputs + inputs[j]];
            w->B[i * m + j] = map->B[i * n_inputs + inputs[j]];
        }
    }
    for (int j = 0; j < m; j++) w->B[(n + j) * m + j] = 1.0;
}

static td_status refuse(td_linearisation *l, td_status status, const char *why) {
    snprintf(l->message, sizeof l->message, "%s", why);
    return status;
}

td_status td_design_lqr(td_linearisation *l, const int *inputs, int m, const double *Q,
                        const double *R, double *K, double *P) {
    const td_step_map *map = td_get_step_map(l);
    if (!map || !map->A) return refuse(l, TD_ERR_VALUE, "lqr: td_solve_step_map comes first");
    const int n = map->n_states, N = n + m;
    if (n != 2 * td_n_coordinates(l->system))
        return refuse(l, TD_ERR_UNSUPPORTED,
                      "lqr: the scheme remembers more than coordinates and rates; sdirk2 does not");
    for (int j = 0; j < m; j++)
        if (inputs[j] < 0 || inputs[j] >= l->system->n_inputs)
            return refuse(l, TD_ERR_ARGUMENT, "lqr: there is no such input");
    const size_t squares = (size_t)N * (size_t)N;
    double *block =
        calloc(3 * squares + (size_t)N * (size_t)m + riccati_doubles(N, m), sizeof *block);
    int *pivots = calloc(riccati_ints(N, m) + 1, sizeof *pivots);
    td_status status = block && pivots ? TD_OK : refuse(l, TD_ERR_MEMORY, "lqr: out of memory");
    if (!status) {
        lqr_room w = {.A = block, .Q = block + squares, .P = block + 2 * squares};
        w.B = block + 3 * squares;
        fill(map, l->system->n_inputs, inputs, m, Q, &w);
        if (!riccati_solve(N, m, w.A, w.B, w.Q, R, w.P, K, w.B + (size_t)N * (size_t)m, pivots))
            status =
                refuse(l, TD_ERR_SINGULAR,
                       "lqr: no gain makes it stable: R must be positive definite, and what is "
                       "unstable or neutral must be reached by the inputs and seen by Q");
        if (!status && P) memcpy(P, w.P, sizeof *P * squares);
    }
    free(block);
    free(pivots);
    return status;
}

// ---------------------------------------------------------------- predictive control
size_t td_box_qp_doubles(int n) {
    return n > 0 ? box_qp_doubles(n) : 0;
}

int td_box_qp(int n, const double *H, const double *g, const double *low, const double *high,
              double *x, double *scratch) {
    return n > 0 ? box_qp(n, H, g, low, high, x, scratch) : -1;
}
