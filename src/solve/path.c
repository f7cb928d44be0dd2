// solve/path.c - a path of equilibria by steps that adapt; where it loses its stability, downhill to
// a shape that holds.
#include "solve/path.h"

#include <math.h>
#include <string.h>

#define LONGEST 0.5    // rad, of a correction
#define SMALLEST 1e-4  // step of the path
#define FEW 25         // corrections at one load, before a smaller step is tried
#define FAR 1.0        // rad, that one step of the path may bend
#define LOOSE 1e-6     // rad: a last correction that is still an answer
#define SETTLED 1e-6   // rad: corrections of a shape that are none
#define NUDGE 0.02     // rad, by which a shape that does not hold is left
#define STRIDE 0.3     // rad, of a step downhill
#define MOST_STRIDES 400
#define LEAST_DRAG 1e-4  // of the material's stiffness: from here on Newton's method will do

static void copy(int n, double *to, const double *from) {
    memcpy(to, from, sizeof(double) * (size_t)n);
}

static void keep_shape(const solve_part *p, double *q, double *l) {
    copy(p->n_x, q, p->m->tq);
    copy(p->n_l, l, p->m->tl);
}

static void put_back(const solve_part *p, const double *q, const double *l) {
    copy(p->n_x, p->m->tq, q);
    copy(p->n_l, p->m->tl, l);
}

void path_set(solve_path *p, double x) {
    const model_call *c = p->call;
    p->x = x;
    if (!p->along_inputs) {
        for (int k = 0; k < N_SHARES; k++) p->s.at.shares[k] = x;
        return;
    }
    for (int i = 0; i < c->n_inputs; i++)
        c->scratch[i] = (1.0 - x) * c->inputs_before[i] + x * c->inputs[i];
    if (x == 1.0) copy(c->n_inputs, c->scratch, c->inputs);
    p->s.at.inputs = p->s.at.places = c->scratch;
}

bool path_solve(solve_path *p, double x) {
    const td_options *o = p->call->options;
    const bool putting_together = x == 0.0 && !p->along_inputs;
    const int most = o->max_iterations < FEW ? o->max_iterations : FEW;
    const stage_rules rules = {.tolerance = o->tolerance,
                               .longest = LONGEST,
                               // from afar corrections grow before they shrink
                               .shortest = putting_together ? 1.0 : 1e-3,
                               .loose = LOOSE,
                               .renewals = putting_together ? 4 * o->max_iterations : most,
                               .exact = true};
    path_set(p, x);
    return stage_solve(&p->s, &rules);
}

bool path_is_unstable(solve_path *p) {
    return spectrum_unstable(&p->s) > 0;
}

// ---------------------------------------------------------------- downhill
// (K + drag B) dz = -r: one implicit step of B q' = -r. The drag falls as the motion calms down.
static bool stride(solve_path *p, double *drag) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const size_t n = part_matrix(part);
    p->call->stats->iterations++;
    if (!stage_matrix(&p->s, &(tangent_weights){.q = 1.0}, m->factors) ||
        !stage_matrix(&p->s, &(tangent_weights){.own = 1.0}, m->own))
        return false;
    for (size_t i = 0; i < n; i++) m->factors[i] += *drag * m->own[i];
    if (!part_linear(part)->factor(part, m->factors, m->pivot)) return false;
    stage_residual(&p->s, m->dz, NULL);
    for (int k = 0; k < part_n(part); k++) m->dz[k] = -m->dz[k];
    part_solve(part, m->dz);
    const double size = part_size(part, m->dz);
    if (!isfinite(size)) return false;
    stage_move(&p->s, fmin(1.0, STRIDE / size), m->dz);
    *drag *= size > STRIDE ? 1.5 : size > 0.1 * STRIDE ? 0.9 : 0.5;
    return true;
}

// Along the mode, by NUDGE.
static void nudge(solve_path *p, const double *mode, const double *towards) {
    const solve_part *part = p->s.p;
    double along = 0.0;
    for (int k = 0; k < part->n_q && towards; k++)
        along += mode[k] * towards[k] / (part->unit[k] * part->unit[k]);
    stage_move(&p->s, (along < 0.0 ? -NUDGE : NUDGE) / part_size(part, mode), mode);
}

bool path_relax(solve_path *p, const double *towards) {
    const solve_part *part = p->s.p;
    double smallest;
    for (int round = 0; round < 3; round++) {
        if (!spectrum_smallest(&p->s, &smallest, part->m->mode)) return false;
        nudge(p, part->m->mode, towards);
        double drag = fmax(1.0, -2.0 * smallest);
        for (int i = 0; i < MOST_STRIDES && drag > LEAST_DRAG; i++)
            if (!stride(p, &drag)) return false;
        if (!path_solve(p, p->x)) return false;
        if (!path_is_unstable(p)) return true;
        towards = NULL;
    }
    return false;
}

// ---------------------------------------------------------------- growing loads
// Past a loss of stability the path goes on from the shape that holds, if one is found.
static void leave_unstable(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    if (p->lost == 0.0) p->lost = x;
    keep_shape(part, m->path_q, m->path_l);
    if (path_relax(p, m->tangent)) return;
    put_back(part, m->path_q, m->path_l);
    path_solve(p, x);
}

// tangent: how the shape answers to this step of the path, K dz = -r_x (x - from).
static void note_answer(solve_path *p, double from, double x) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    path_set(p, from);
    stage_residual(&p->s, m->tangent, NULL);
    path_set(p, x);
    part_solve(part, m->tangent);
}

// Where the shape settles and efforts do not, they contradict one another.
static void explain(solve_path *p) {
    const solve_part *part = p->s.p;
    const configuration c = stage_here(&p->s);
    double most = 0.0;
    for (int k = 0; k < part->n_q; k++) most = fmax(most, fabs(part->m->dz[k]) / part->unit[k]);
    if (part->n_l > 0 && part->how->explain && most <= SETTLED)
        part->how->explain(part->of, &p->s.at, &c, p->call->message);
}

// A step that ends in an unstable shape, or bends far, is tried smaller before it is believed.
bool path_follow(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    double step = 1.0;
    bool lost = path_is_unstable(p);
    p->reached = 0.0;
    if (lost) leave_unstable(p, SMALLEST);
    memset(m->tangent, 0, sizeof(double) * (size_t)part_n(part));
    while (p->reached < 1.0) {
        const double from = p->reached, next = fmin(1.0, from + step);
        const bool last_try = 0.25 * step < SMALLEST;
        keep_shape(part, m->star, m->star_l);
        p->call->stats->load_steps++;
        const bool solved = path_solve(p, next) && (last_try || p->s.walked <= FAR);
        const bool unstable = solved && path_is_unstable(p);
        if (!solved || (unstable && !last_try)) {
            if (last_try && !solved) explain(p);
            put_back(part, m->star, m->star_l);
            if (last_try) return false;
            step *= 0.25;
            continue;
        }
        if (unstable) leave_unstable(p, next);
        else note_answer(p, from, next);
        p->reached = next;
        step *= 2.0;
    }
    return true;
}
