// solve/arc.c - a path by arc length, through folds: K dz = -r - r_x dx with the change across the
// tangent (dz/dx, 1), two solves with the same factors each.
#include <math.h>
#include <string.h>

#include "solve/path.h"

#define MOST_ARCS 400
#define MOST_CORRECTIONS 8
#define FIRST 0.01      // of the path
#define SHORTEST 1e-7   // of an arc
#define STRIDE 0.1      // rad, of one arc
#define BACKWARDS 1e-6  // of the path: less is what turns freely, under noise
#define BACK -10.0      // of the path: a way that leads here leads nowhere

typedef struct arc {
    solve_path *path;
    const solve_part *p;
    double x;
    double *t, *old, *dr, *dx;  // (n each) tangent, the last one, correction, answer to the load
    double t_x, old_x;
} arc;

static void set(arc *a, double x) {
    a->x = x;
    path_set(a->path, x);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum / n;
}

// dr = -K^-1 r, dx = -K^-1 dr/dx
static bool answers(arc *a) {
    const int n = part_n(a->p);
    const double x = a->x, e = 1e-6;
    solve_stage *s = &a->path->s;
    if (!stage_renew(s)) return false;
    set(a, x + e);
    stage_residual(s, a->dx, NULL);
    set(a, x);
    stage_residual(s, a->dr, NULL);
    for (int k = 0; k < n; k++) {
        a->dx[k] = -(a->dx[k] - a->dr[k]) / e;
        a->dr[k] = -a->dr[k];
    }
    part_solve(a->p, a->dr);
    part_solve(a->p, a->dx);
    return true;
}

static bool correct(arc *a, double tolerance) {
    const int n = part_n(a->p);
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        if (!answers(a)) return false;
        const double by = -dot(n, a->t, a->dr) / (dot(n, a->t, a->dx) + a->t_x);
        for (int k = 0; k < n; k++) a->dr[k] += by * a->dx[k];
        const double size = part_size(a->p, a->dr);
        if (!(size < 0.5) || !(fabs(by) < 1.0)) return false;
        stage_move(&a->path->s, 1.0, a->dr);
        set(a, a->x + by);
        a->path->call->stats->iterations++;
        if (size <= tolerance) return true;
    }
    return false;
}

// The direction of the path here, on as it came.
static void find_tangent(arc *a, bool first) {
    const int n = part_n(a->p);
    const double length = sqrt(dot(n, a->dx, a->dx) + 1.0);
    const double sign = first || dot(n, a->old, a->dx) + a->old_x > 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < n; k++) a->t[k] = sign * a->dx[k] / length;
    a->t_x = sign / length;
    memcpy(a->old, a->t, sizeof(double) * (size_t)n);
    a->old_x = a->t_x;
}

// One arc of at most *h, which adapts.
static bool take_arc(arc *a, double *h) {
    const solve_part *p = a->p;
    solve_memory *m = p->m;
    const double from = a->x;
    memcpy(m->path_q, m->tq, sizeof(double) * (size_t)p->n_x);
    memcpy(m->path_l, m->tl, sizeof(double) * (size_t)p->n_l);
    for (; *h >= SHORTEST; *h *= 0.5) {
        const double by = fmin(*h, STRIDE / part_size(p, a->t));
        stage_move(&a->path->s, by, a->t);
        set(a, from + by * a->t_x);
        if (correct(a, fmax(1e-9, a->path->call->options->tolerance))) {
            *h *= 1.5;
            return true;
        }
        memcpy(m->tq, m->path_q, sizeof(double) * (size_t)p->n_x);
        memcpy(m->tl, m->path_l, sizeof(double) * (size_t)p->n_l);
        set(a, from);
    }
    return false;
}

// Does the shape still mean anything?
static bool fits(const arc *a) {
    char words[MODEL_MESSAGE_SIZE];
    const mechanics *how = a->p->how;
    return !how->fits || how->fits(a->p->of, &a->path->s.at, a->p->m->tq, words) >= 0;
}

bool path_arc(solve_path *path) {
    const solve_part *p = path->s.p;
    solve_memory *m = p->m;
    arc a = {
        .path = path, .p = p, .t = m->tangent, .old = m->mode, .dr = m->before, .dx = m->walked};
    double h = FIRST, farthest = path->reached;
    set(&a, path->reached);
    for (int i = 0; i < MOST_ARCS; i++) {
        if (!answers(&a)) return false;
        find_tangent(&a, i == 0);
        if (!take_arc(&a, &h) || !fits(&a)) return false;
        path->call->stats->load_steps++;
        farthest = fmax(farthest, a.x);
        if (path->fold == 0.0 && a.x < farthest - BACKWARDS &&
            (path->lost == 0.0 || farthest > path->reached + BACKWARDS))
            path->fold = farthest;
        if (a.x >= 1.0) return path_solve(path, 1.0);
        if (a.x < BACK || interrupted(path->call->interrupt)) return false;
    }
    return false;
}
