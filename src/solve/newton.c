// solve/newton.c - Newton's method for one part at one instant.
//
// Corrections are judged by their own size, with the matrix kept (Deuflhard's natural test): so what
// turns round on the way, like a tendon that goes slack, shortens them, and units of forces play no
// part. Factors serve as long as they contract, from step to step.
#include <math.h>
#include <string.h>

#include "solve/engines.h"
#include "solve/mechanics.h"

#define SLOW 0.25      // contraction from where the matrix is renewed
#define ROUNDING 1e-8  // rad: where rounding may stop the iteration
#define LEFT 0.01      // of the tolerance, that the last correction may leave
#define TOO_FAR 1.0    // rad: a correction of a motion after which one begins anew, without motion

solve_instant instant_at_rest(const model_call *call) {
    return (solve_instant){.inputs = call->inputs,
                           .places = call->inputs,
                           .shares = ALL_SHARES,
                           .stats = call->stats,
                           .engines = engines_stages(call->engines)};
}

static void retract(const solve_part *p, const double *from, double scale, const double *dz,
                    double *to) {
    if (p->how->retract) {
        p->how->retract(p->of, from, scale, dz, to);
        return;
    }
    for (int k = 0; k < p->n_q; k++) to[k] = from[k] + scale * dz[k];
}

void part_advance(const solve_part *p, const double *from, double h, const double *v, double *to) {
    if (p->how->advance) p->how->advance(p->of, from, h, v, to);
    else retract(p, from, h, v, to);
}

// Where the velocity leads.
static void arrive(const solve_stage *s) {
    const solve_memory *m = s->p->m;
    const double c0 = s->at.cv;
    part_advance(s->p, m->star, 1.0 / c0, m->tv, m->tq);
    for (int k = 0; k < s->p->n_q; k++) m->ta[k] = c0 * (m->tv[k] - m->star_v[k]);
}

// t* = b* + share dz
static void move(const solve_stage *s, double share, const double *dz) {
    const solve_part *p = s->p;
    const solve_memory *m = p->m;
    for (int k = 0; k < p->n_l; k++) m->tl[k] = m->bl[k] + share * dz[p->n_q + k];
    if (s->at.cv == 0.0) {
        retract(p, m->bq, share, dz, m->tq);
        return;
    }
    const double *dv = dz;
    double factor = share * s->at.cv;
    if (p->how->rate_change) {
        p->how->rate_change(p->of, m->bq, m->bv, s->at.cv, dz, m->ba);
        dv = m->ba;
        factor = share;
    }
    for (int k = 0; k < p->n_q; k++) m->tv[k] = m->bv[k] + factor * dv[k];
    arrive(s);
}

static void begin_here(const solve_stage *s) {
    const solve_memory *m = s->p->m;
    copy_doubles(s->p->n_x, m->bq, m->tq);
    copy_doubles(s->p->n_l, m->bl, m->tl);
    if (s->at.cv > 0.0) copy_doubles(s->p->n_q, m->bv, m->tv);
}

void stage_move(solve_stage *s, double scale, const double *dz) {
    begin_here(s);
    move(s, scale, dz);
    s->known = false;
}

configuration stage_here(const solve_stage *s) {
    const solve_memory *m = s->p->m;
    const bool moves = s->at.cv > 0.0 || s->rates_stay;
    return (configuration){m->tq, m->tl, moves ? m->tv : NULL, moves ? m->ta : NULL};
}

void stage_residual(solve_stage *s, double *r, double *powers) {
    configuration c = stage_here(s);
    s->p->how->residual(s->p->of, &s->at, &c, r, powers);
    s->stats->evaluations++;
}

// ---------------------------------------------------------------- the matrix
// Where a change by e of coordinate or multiplier k leads, with these weights; from b*.
static void change_one(solve_stage *s, const tangent_weights *w, int k, double e) {
    const solve_part *p = s->p;
    solve_memory *m = p->m;
    if (k >= p->n_q) {
        m->tl[k - p->n_q] = m->bl[k - p->n_q] + w->q * e;
        return;
    }
    m->probe[k] = 1.0;
    retract(p, m->bq, w->q * e, m->probe, m->tq);
    m->probe[k] = 0.0;
    m->tv[k] = m->bv[k] + w->v * e;
    m->ta[k] = m->ba[k] + w->a * e;
}

// q dr/dq + v dr/dv + a dr/da by differences: to one side in a motion, where nearly is enough, and to
// both sides at rest.
static void difference(solve_stage *s, const tangent_weights *w, double *matrix) {
    const solve_part *p = s->p;
    solve_memory *m = p->m;
    const int n = part_n(p);
    const bool moves = s->at.cv > 0.0;
    const double e0 = w->v > 0.0 ? fmin(1e-7, 1e-4 / w->v) : moves ? 1e-7 : 1e-6;
    const configuration c = {m->tq, m->tl, moves || w->v != 0.0 ? m->tv : NULL,
                             moves || w->a != 0.0 ? m->ta : NULL};
    if (!moves) memset(m->tv, 0, sizeof(double) * (size_t)p->n_q);
    if (!moves) memset(m->ta, 0, sizeof(double) * (size_t)p->n_q);
    begin_here(s);
    copy_doubles(p->n_q, m->bv, m->tv);
    copy_doubles(p->n_q, m->ba, m->ta);
    memset(m->probe, 0, sizeof(double) * (size_t)n);
    if (moves) p->how->residual(p->of, &s->at, &c, m->minus, NULL);
    for (int k = 0; k < n; k++) {
        const double e = k < p->n_q ? e0 * p->unit[k] : e0 * fmax(1.0, fabs(m->bl[k - p->n_q]));
        change_one(s, w, k, e);
        p->how->residual(p->of, &s->at, &c, m->plus, NULL);
        if (!moves) change_one(s, w, k, -e);
        if (!moves) p->how->residual(p->of, &s->at, &c, m->minus, NULL);
        change_one(s, w, k, 0.0);
        const double by = moves ? 1.0 / e : 0.5 / e;
        for (int i = 0; i < n; i++) matrix[i * n + k] = (m->plus[i] - m->minus[i]) * by;
    }
    s->stats->evaluations += moves ? n + 1 : 2 * n;
    copy_doubles(p->n_x, m->tq, m->bq);
    copy_doubles(p->n_q, m->tv, m->bv);
    copy_doubles(p->n_q, m->ta, m->ba);
}

// The stiffness of the rest shape without loads stands for that of the material.
static bool difference_own(solve_stage *s, double *matrix) {
    const solve_part *p = s->p;
    const int n = part_n(p);
    const solve_instant at = s->at;
    if (!p->how->rest) return false;
    copy_doubles(p->n_x, p->m->away, p->m->tq);
    memset(s->at.shares, 0, sizeof s->at.shares);
    p->how->rest(p->of, &s->at, p->m->tq);
    difference(s, &(tangent_weights){.q = 1.0}, matrix);
    for (int i = 0; i < n * n; i++)
        if (i / n >= p->n_q || i % n >= p->n_q) matrix[i] = 0.0;
    copy_doubles(p->n_x, p->m->tq, p->m->away);
    s->at = at;
    return true;
}

bool stage_matrix(solve_stage *s, const tangent_weights *w, double *matrix) {
    const solve_part *p = s->p;
    configuration c = stage_here(s);
    if (p->how->tangent && p->how->tangent(p->of, &s->at, &c, w, matrix, NULL, NULL)) return true;
    if (part_linear(p) != &dense_ops) return false;
    if (w->own == 1.0 && w->q == 0.0 && w->v == 0.0 && w->a == 0.0)
        return difference_own(s, matrix);
    if (w->own != 0.0 || (w->symmetric && p->n_l > 0)) return false;
    difference(s, w, matrix);
    return true;
}

static bool add_drag(solve_stage *s) {
    const solve_memory *m = s->p->m;
    const size_t n = part_matrix(s->p);
    if (!stage_matrix(s, &(tangent_weights){.own = 1.0, .held = true}, m->own)) return false;
    for (size_t i = 0; i < n; i++) m->factors[i] += s->drag * m->own[i];
    return true;
}

bool stage_renew(solve_stage *s) {
    const solve_part *p = s->p;
    solve_memory *m = p->m;
    const tangent_weights w = {.q = 1.0, .v = s->at.cv, .a = s->at.ca};
    configuration c = stage_here(s);
    s->stats->jacobians++;
    *m->valid = 0.0;
    s->known =
        p->how->tangent && p->how->tangent(p->of, &s->at, &c, &w, m->factors, m->r, s->powers);
    s->stats->evaluations += s->known;
    if (!s->known && !stage_matrix(s, &w, m->factors)) return false;
    if (s->drag > 0.0 && s->at.cv == 0.0 && !add_drag(s)) return false;
    if (!part_linear(p)->factor(p, m->factors, m->pivot)) return false;
    for (int k = 0; k < part_n(p); k++) m->pivots[k] = m->pivot[k];
    *m->valid = s->at.cv;
    if (p->touch) m->valid[1] = p->touched->set[0];
    return true;
}

// Do other points touch than those that the factors know of? By the stiffness of a contact that has gone, any
// correction is small.
static bool is_stale(const solve_stage *s) {
    return s->p->touch && s->p->touched->set[0] != s->p->m->valid[1];
}

// ---------------------------------------------------------------- corrections
double part_size(const solve_part *p, const double *dz) {
    if (p->how->size) return p->how->size(p->of, part_n(p), dz);
    double most = 0.0;
    for (int k = 0; k < (p->effort_unit ? part_n(p) : p->n_q); k++) {
        const double unit = k < p->n_q ? p->unit[k] : p->effort_unit[k - p->n_q];
        const double size = fabs(dz[k]) / unit;
        if (!(size <= most)) most = size;  // takes a NaN along
    }
    return most;
}

const char *part_culprit(const solve_part *p, const double *dz) {
    return p->how->mover ? p->how->mover(p->of, dz) : p->name;
}

// The correction that is wanted where it is, and its size.
static double aim(solve_stage *s, double *dz) {
    const solve_part *p = s->p;
    if (!s->known) stage_residual(s, p->m->r, s->powers);
    s->known = false;
    for (int k = 0; k < part_n(p); k++) dz[k] = -p->m->r[k];
    part_solve(p, dz);
    return part_size(p, dz);
}

// Along the correction m->dz, as far as the next one is smaller; that is then in m->dz.
static double go(solve_stage *s, double size, const stage_rules *rules) {
    solve_memory *m = s->p->m;
    begin_here(s);
    for (double share = fmin(1.0, rules->longest / size);; share *= 0.5) {
        move(s, share, m->dz);
        double next = aim(s, m->next);
        s->stats->iterations++;
        if (!(next <= (1.0 - 0.5 * share) * size) && share > rules->shortest) continue;
        for (int k = 0; k < part_n(s->p); k++) {
            m->walked[k] += share * m->dz[k];
            m->dz[k] = m->next[k];
        }
        s->walked += share * size;
        return next;
    }
}

static void start_anew(solve_stage *s) {
    copy_doubles(s->p->n_q, s->p->m->tv, s->p->m->star_v);
    arrive(s);
    s->known = false;
}

bool stage_solve(solve_stage *s, const stage_rules *rules) {
    solve_memory *m = s->p->m;
    const bool moves = s->at.cv > 0.0;
    int renewals = 0;
    ASSERT(s->p->n_q > 0 && s->p->n_l >= 0 && s->p->n_x >= s->p->n_q);
    ASSERT(s->at.cv >= 0.0 && rules->tolerance > 0.0);
    s->known = false;
    s->walked = 0.0;
    memset(m->walked, 0, sizeof(double) * (size_t)part_n(s->p));
    if (moves) arrive(s);
    if ((!moves || *m->valid != s->at.cv) && (renewals++, !stage_renew(s))) return false;
    double size = aim(s, m->dz);
    if (moves && !(size < TOO_FAR)) {
        start_anew(s);
        size = aim(s, m->dz);
    }
    double contraction = 1.0;  // of the matrix as it is
    for (;;) {
        const bool close =
            size <= rules->tolerance || size * contraction <= LEFT * rules->tolerance;
        if (close && (!is_stale(s) || renewals >= rules->renewals)) break;
        if (!isfinite(size)) return false;
        if (close) {
            renewals++;
            contraction = 1.0;
            if (!stage_renew(s)) return false;
            size = aim(s, m->dz);
            continue;
        }
        const double next = go(s, size, rules);
        const bool fast = next <= SLOW * size;
        contraction = fast && !rules->exact ? next / size : 1.0;
        size = next;
        if ((fast && !rules->exact) || size <= rules->tolerance) continue;
        if (renewals >= rules->renewals || (renewals > 0 && !fast && size <= ROUNDING)) break;
        renewals++;
        contraction = 1.0;
        if (!stage_renew(s)) return false;
        size = aim(s, m->dz);
    }
    s->size = size;
    if (!(size * contraction <= fmax(rules->tolerance, rules->loose))) return false;
    begin_here(s);
    move(s, 1.0, m->dz);  // it is known, so it is made
    return true;
}
