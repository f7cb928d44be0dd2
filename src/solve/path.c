// solve/path.c - a path of equilibria by steps that adapt; where it loses its stability, downhill to
// a shape that holds.
#include "solve/path.h"

#include <math.h>
#include <string.h>

#define LONGEST 0.5     // rad, of a correction
#define SHORTEST 1e-3   // share of a correction
#define ROUNDING 1e-9   // rad: where rounding may stop the iteration
#define SMALLEST 1e-4   // step of the path
#define FEW 25          // corrections at one load, before a smaller step is tried
#define FEW_AHEAD 6     // of them from where the shape leads
#define PATIENCE 50000  // corrections on one way, where its part says no other number
#define FAR 1.0         // rad, that one step of the path may bend
#define LOOSE 1e-6      // rad: a last correction that is still an answer
#define SETTLED 1e-6    // rad: corrections of a shape that are none
#define NUDGE 0.02      // rad, by which a shape that does not hold is left
#define STRIDE 0.3      // rad, of a step downhill
#define GROWTH 10.0     // of such steps: where it hardly holds Newton's method leads anywhere
#define HALVINGS 40
#define CLOSE 1e-9  // of a path, where stability is lost
#define MOST_STRIDES 400
#define MOST_SLIPS 120
#define MOST_DRAG 1e6
#define LITTLE                                                                                     \
    0.3  // of the material's stiffness, that makes a shape hold which leans where its imperfections lead
#define LEAST_DRAG 1e-4  // of the material's stiffness: from here on Newton's method will do
#define NEAR_BY 0.05     // rad: what is so near is of the same branch
#define NOISE 1e-8       // rad
#define NEARLY 1e-2      // rad: from here on Newton's method will do
#define MOST_RELIEFS 4   // of a stride
#define RELIEVED 0.01    // of its size
#define HARDER 10.0      // at once, of what is put together soft

static void keep_shape(const solve_part *p, double *q, double *l) {
    copy_doubles(p->n_x, q, p->m->tq);
    copy_doubles(p->n_l, l, p->m->tl);
}

static void put_back(const solve_part *p, const double *q, const double *l) {
    copy_doubles(p->n_x, p->m->tq, q);
    copy_doubles(p->n_l, p->m->tl, l);
}

// ---------------------------------------------------------------- legs
// n legs one after another take 1/n of the path each.
static int own_legs(const solve_path *p) {
    return p->along_inputs || p->s.p->n_legs == 0 ? 1 : p->s.p->n_legs;
}

// Turns come last.
static bool turns_last(const solve_path *p) {
    return !p->along_inputs && p->turn > MOST_TURN;
}

static int n_legs(const solve_path *p) {
    return own_legs(p) + turns_last(p);
}

static int leg_at(const solve_path *p, double x, bool beyond) {
    const int n = n_legs(p), at = beyond ? (int)floor(n * x) : (int)ceil(n * x) - 1;
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

double path_told(const solve_path *p, double x, bool beyond, const char **what) {
    const int at = leg_at(p, x, beyond);
    *what = p->along_inputs      ? "the way of its inputs"
            : at == own_legs(p)  ? "the turn of what holds it"
            : p->s.p->n_legs > 0 ? p->s.p->legs[at].name
                                 : "its loads";
    return n_legs(p) * x - at;
}

static void set_shares(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    const double legs = n_legs(p) * x, first = turns_last(p) ? fmin(1.0, legs) : x;
    for (int k = 0; k < N_SHARES; k++) p->s.at.shares[k] = first;
    for (int i = 0; i < part->n_legs; i++)
        for (int k = 0; k < N_SHARES; k++)
            if (part->legs[i].shares & 1u << k) p->s.at.shares[k] = fmin(1.0, fmax(0.0, legs - i));
    p->s.at.shares[SHARE_STRETCH] = p->stretch;
    p->s.at.shares[SHARE_TURNS] = turns_last(p) ? fmax(0.0, legs - own_legs(p)) : 1.0;
}

// The longest step from x on: turns are followed in small ones.
static double longest_from(const solve_path *p, double x) {
    const double most = p->s.p->longest > 0.0 ? p->s.p->longest : 1.0;
    const bool turning = p->along_inputs || leg_at(p, x, true) == own_legs(p);
    return turning && p->turn > MOST_TURN ? fmin(most, MOST_TURN / p->turn) / n_legs(p) : most;
}

void path_set(solve_path *p, double x) {
    const model_call *c = p->call;
    ASSERT(isfinite(x));
    p->x = x;
    if (!p->along_inputs) {
        set_shares(p, x);
        return;
    }
    for (int i = 0; i < c->n_inputs; i++)
        c->scratch[i] = (1.0 - x) * c->inputs_before[i] + x * c->inputs[i];
    if (x == 1.0) copy_doubles(c->n_inputs, c->scratch, c->inputs);
    p->s.at.inputs = p->s.at.places = c->scratch;
}

// Where forces have kinks, the correction beyond one is large however small the one before it was, and no
// search across it finds a smaller one: whole corrections come first. Nor is a small one an answer.
static bool solve_across_kinks(solve_path *p, stage_rules rules) {
    const solve_part *part = p->s.p;
    rules.loose = ROUNDING;
    rules.shortest = 1.0;
    if (stage_solve(&p->s, &rules)) return true;
    put_back(part, part->m->try_q, part->m->try_l);
    rules.shortest = SHORTEST;
    return stage_solve(&p->s, &rules);
}

// Where something is nearly neutral, as the plane in which a round column has buckled, rounding moves it more than the
// tolerance, or far away, unless it is held a little.
static bool solve_held(solve_path *p, const stage_rules *rules) {
    const solve_part *part = p->s.p;
    if (p->s.drag > 0.0 || !(p->s.size < NEARLY)) return false;
    put_back(part, part->m->try_q, part->m->try_l);
    p->s.drag = PATH_DRAG;
    return stage_solve(&p->s, rules);
}

// By its own means, held a little as above.
static bool correct(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    copy_doubles(part->n_x, m->bq, m->tq);
    p->s.known = false;
    td_status status = part->how->correct(part->of, &p->s.at, p->s.drag, m->tq, &p->s.size);
    if (status != TD_OK && p->s.drag == 0.0) {
        copy_doubles(part->n_x, m->tq, m->bq);
        status = part->how->correct(part->of, &p->s.at, PATH_DRAG, m->tq, &p->s.size);
    }
    if (status < 0) return false;
    part->how->between(part->of, m->bq, m->tq, m->walked);
    p->s.walked = part_size(part, m->walked);
    return true;
}

bool path_solve(solve_path *p, double x) {
    const td_options *o = p->call->options;
    const bool putting_together = x == 0.0 && !p->along_inputs;
    const int few = p->leading ? FEW_AHEAD : FEW,
              most = o->max_iterations < few ? o->max_iterations : few;
    const stage_rules rules = {.tolerance = o->tolerance,
                               .longest = LONGEST,
                               // from afar corrections grow before they shrink
                               .shortest = putting_together ? 1.0 : SHORTEST,
                               .loose = LOOSE,
                               .renewals = putting_together ? 4 * o->max_iterations : most,
                               .exact = true};
    path_set(p, x);
    p->s.drag = p->lost > 0.0 || (p->floated && p->s.p->floats) ? PATH_DRAG : p->drag;
    if (p->s.p->how->correct) return correct(p);
    keep_shape(p->s.p, p->s.p->m->try_q, p->s.p->m->try_l);
    if (p->s.p->kinks) return solve_across_kinks(p, rules);
    return stage_solve(&p->s, &rules) || solve_held(p, &rules);
}

bool path_is_unstable(solve_path *p) {
    return spectrum_unstable(&p->s) > 0;
}

// ---------------------------------------------------------------- downhill
static double along(const solve_part *p, const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < p->n_q; k++) sum += a[k] * b[k] / (p->unit[k] * p->unit[k]);
    return sum;
}

// B of a slender rod that is held at both ends is that of a stouter one: a stride that turns by a stretches by a^2/2, and
// with a drag on stretch that would be left for many strides, in which its tension holds what is to fall.
static bool make_drag(solve_path *p, bool symmetric) {
    const solve_part *part = p->s.p;
    double *stretch = &p->s.at.shares[SHARE_STRETCH], share = *stretch;
    if (part->softest > 0.0) *stretch = part->softest;
    const bool made = stage_matrix(
        &p->s, &(tangent_weights){.own = 1.0, .symmetric = symmetric, .held = symmetric},
        part->m->own);
    *stretch = share;
    return made;
}

// K + drag B factored, with a drag that lets nothing grow uphill.
static bool factor_dragged(solve_path *p, double *drag) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const size_t n = part_matrix(part);
    if (!stage_matrix(&p->s, &(tangent_weights){.q = 1.0, .symmetric = true}, m->whole) ||
        !make_drag(p, true))
        return false;
    for (;; *drag = fmax(10.0 * LEAST_DRAG, 2.0 * *drag)) {
        for (size_t i = 0; i < n; i++) m->matrix[i] = m->whole[i] + *drag * m->own[i];
        if (spectrum_negative(part) <= 0) break;
        if (*drag > MOST_DRAG) return false;
    }
    if (part->n_l > 0 &&
        (!stage_matrix(&p->s, &(tangent_weights){.q = 1.0}, m->whole) || !make_drag(p, false)))
        return false;
    for (size_t i = 0; i < n; i++) m->factors[i] = m->whole[i] + *drag * m->own[i];
    return part_linear(part)->factor(part, m->factors, m->pivot);
}

// A stride by m->dz from where the residual was m->r has stretched what is slender by half its square; its tension would
// hold the next ones. So Newton's method goes on with r + drag B (q - q_0) = (1 - share) r_0, to where it is relieved.
static void relieve(solve_path *p, double drag, double share, double size) {
    const solve_part *part = p->s.p;
    const int n = part_n(part);
    solve_memory *m = part->m;
    double *moved = m->before, *r = m->plus;
    for (int k = 0; k < n; k++) moved[k] = share * m->dz[k];
    const double enough = fmax(NOISE, RELIEVED * size);
    for (int i = 0; i < MOST_RELIEFS && size > enough; i++) {
        if (!factor_dragged(p, &drag)) return;
        part_linear(part)->multiply(part, m->own, moved, m->next);
        stage_residual(&p->s, r, NULL);
        for (int k = 0; k < n; k++) m->dz[k] = (1.0 - share) * m->r[k] - r[k] - drag * m->next[k];
        part_solve(part, m->dz);
        const double by = part_size(part, m->dz);
        if (!(by < size)) return;
        stage_move(&p->s, 1.0, m->dz);
        for (int k = 0; k < n; k++) moved[k] += m->dz[k];
        size = by;
    }
}

// (K + drag B) dz = -r: one implicit step of B q' = -r, as far as `longest`, of the size of its correction; < 0:
// there is none.
static double stride(solve_path *p, double *drag, double longest) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    p->call->stats->iterations++;
    if (!factor_dragged(p, drag)) return -1.0;
    stage_residual(&p->s, m->r, NULL);
    for (int k = 0; k < part_n(part); k++) m->dz[k] = -m->r[k];
    part_solve(part, m->dz);
    const double size = part_size(part, m->dz);
    if (!isfinite(size)) return -1.0;
    const double share = fmin(1.0, longest / size);
    stage_move(&p->s, share, m->dz);
    if (part->softest > 0.0) relieve(p, *drag, share, share * size);
    return size;
}

// The drag falls as the motion calms down.
static bool slide(solve_path *p) {
    double drag = 1.0, last = HUGE_VAL;
    for (int i = 0; i < MOST_STRIDES && drag > LEAST_DRAG; i++) {
        const double size = stride(p, &drag, STRIDE);
        if (size < 0.0 || interrupted(p->call->interrupt)) return false;
        if (size < last && size < STRIDE) drag *= 0.3;
        last = size;
    }
    return true;
}

// With as little drag as lets nothing grow uphill; where none is needed this is Newton's method. What calms
// down under drag that it needs stands on the edge: rounding must not decide where it goes. Without an energy there is no
// uphill, and that drag tells nothing. *way: rad, that it went.
static bool slip(solve_path *p, double *way) {
    const double least = p->s.p->floats ? PATH_DRAG : 0.0;  // what moves freely stays where it is
    double drag = least, longest = STRIDE;
    *way = 0.0;
    for (int i = 0; i < MOST_SLIPS; i++) {
        const double asked = drag, size = stride(p, &drag, longest), moved = fmin(size, longest);
        if (size < 0.0 || interrupted(p->call->interrupt)) return false;
        *way += moved;
        longest = fmin(STRIDE, GROWTH * fmax(moved, NOISE));
        // the first one brings the forces inside into balance, on which it hangs whether it holds
        if (i > 0 && drag == least && size <= NEARLY) return true;
        if (drag > asked && size <= NOISE) return stage_lacks_potential(&p->s);
        drag = drag > 20.0 * LEAST_DRAG && size > NOISE ? 0.5 * drag : least;
    }
    return false;
}

// Along the mode, by so much.
static void nudge(solve_path *p, const double *mode, const double *towards, double by) {
    const solve_part *part = p->s.p;
    const bool back = towards && along(part, mode, towards) < 0.0;
    stage_move(&p->s, (back ? -by : by) / part_size(part, mode), mode);
}

static bool relax_by(solve_path *p, const double *towards, double by) {
    const solve_part *part = p->s.p;
    double smallest;
    for (int round = 0; round < 3; round++) {
        if (!spectrum_smallest(&p->s, &smallest, part->m->mode)) return false;
        nudge(p, part->m->mode, towards, by);
        if (!slide(p)) return false;
        if (!path_solve(p, p->x)) return false;
        if (!path_is_unstable(p)) return true;
    }
    return false;
}

// From a shape that does not hold, at the present x, to one that does: where a slow, damped motion
// ends that begins along its softest mode, to the side of the change `towards` (NULL: any).
static bool path_relax(solve_path *p, const double *towards) {
    return relax_by(p, towards, NUDGE);
}

static void start_at_rest(solve_path *p) {
    const solve_part *part = p->s.p;
    part->how->rest(part->of, &p->s.at, part->m->tq);
    memset(part->m->tl, 0, sizeof(double) * (size_t)part->n_l);
}

// A slender rod that is held at both ends hardly stretches: turned by an angle a, which corrections do not see, its segments
// are stretched by a^2/2, with forces far beyond buckling. So it begins as a stouter one that bends as easily, and hardens.
static bool harden(solve_path *p) {
    const double softest = p->s.p->softest;
    bool found = softest > 0.0;
    if (found) start_at_rest(p);
    for (double share = softest; found && share > 0.0; share = share < 1.0 ? HARDER * share : 0.0) {
        p->stretch = fmin(1.0, share);
        found = path_solve(p, 0.0) && (!path_is_unstable(p) || path_relax(p, NULL));
    }
    p->stretch = 1.0;
    path_set(p, 0.0);
    return found;
}

// What is held at both ends may be pushed together far beyond buckling by its first shape.
bool path_begin(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    start_at_rest(p);
    const bool solved = path_solve(p, 0.0);
    if (solved && !path_is_unstable(p)) return true;
    keep_shape(part, m->path_q, m->path_l);
    if (solved) p->lost = SMALLEST;
    if ((solved && path_relax(p, NULL)) || harden(p)) return true;
    if (!solved) {
        start_at_rest(p);
        return path_relax(p, NULL);
    }
    put_back(part, m->path_q, m->path_l);
    return path_solve(p, 0.0);
}

bool path_jump(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const double x = p->x;
    keep_shape(part, m->path_q, m->path_l);
    path_set(p, 1.0);
    if (path_relax(p, NULL)) return true;
    for (int i = 0; i < 2; i++) {  // the last steps of a way down may not get across a kink
        put_back(part, m->path_q, m->path_l);
        if (path_solve(p, x) && (path_set(p, 1.0), relax_by(p, NULL, i ? 30.0 * NUDGE : -NUDGE)))
            return true;
    }
    start_at_rest(p);
    if (slide(p) && path_solve(p, 1.0) && !path_is_unstable(p)) return true;
    put_back(part, m->path_q, m->path_l);
    path_solve(p, x);
    return false;
}

// ---------------------------------------------------------------- growing loads
// tangent: how the shape answers to the path, K dz/dx = -r_x.
static void find_answer(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const double x = p->x, e = 1e-6;
    memset(m->tangent, 0, sizeof(double) * (size_t)part_n(part));
    if (!stage_renew(&p->s)) return;
    p->s.known = false;
    stage_residual(&p->s, m->r, NULL);
    path_set(p, x + e);
    stage_residual(&p->s, m->tangent, NULL);
    path_set(p, x);
    for (int k = 0; k < part_n(part); k++) m->tangent[k] = -(m->tangent[k] - m->r[k]) / e;
    part_solve(part, m->tangent);
}

// Downhill from the shape where the step began, to the side that its answer points to.
static bool go_downhill(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    put_back(part, m->star, m->star_l);
    path_set(p, x);
    return path_relax(p, m->tangent);
}

// To where the step began, with the reactions of the shape that is kept.
static void start_with_reactions(const solve_part *p) {
    put_back(p, p->m->star, p->m->path_l);
    if (p->how->lend) p->how->lend(p->of, p->m->path_q, p->m->tq);
}

// Downhill from where the step began, as it leans by itself, to a shape nearby.
static bool lean(solve_path *p, double x, bool found, bool last_try) {
    const solve_part *part = p->s.p;
    double drag = LITTLE, way;
    const bool far = last_try || p->floated;
    if (found) start_with_reactions(part);
    else put_back(part, part->m->star, part->m->star_l);
    path_set(p, x);
    if (!far && (!factor_dragged(p, &drag) || drag > LITTLE)) return false;
    if (!slip(p, &way) || !path_solve(p, x) || path_is_unstable(p)) return false;
    return p->floated || way <= FAR;
}

// Where between the last shape that held and x stability is lost.
static double locate_loss(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    double low = p->reached, high = x;
    for (int i = 0; i < HALVINGS && high - low > CLOSE; i++) {
        put_back(part, part->m->star, part->m->star_l);
        if (!path_solve(p, 0.5 * (low + high))) break;
        if (path_is_unstable(p)) high = p->x;
        else low = p->x;
    }
    put_back(part, part->m->path_q, part->m->path_l);
    path_set(p, x);
    return 0.5 * (low + high);
}

// Past a loss of stability the path goes on from the shape that holds; where none is found it stays
// on the one that does not, to its end.
static void leave_unstable(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    keep_shape(part, m->path_q, m->path_l);
    const double lost = locate_loss(p, x);
    if (part->how->crossed && !part->how->crossed(part->of)) return;
    if (p->lost == 0.0) p->lost = lost;
    put_back(part, m->star, m->star_l);
    path_set(p, p->reached);
    find_answer(p);
    if (go_downhill(p, x)) return;
    put_back(part, m->path_q, m->path_l);
    if (path_relax(p, m->tangent)) return;
    put_back(part, m->path_q, m->path_l);
    path_solve(p, x);
    p->stays = true;
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

typedef enum step_end { STEP_HOLDS, STEP_UNSTABLE, STEP_FAILED } step_end;

// From a shape that no longer holds at x, though with the reactions of the one found there, what is far away may
// be of another branch.
static bool is_of_branch(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    if (p->s.walked <= NEAR_BY) return true;
    keep_shape(part, m->path_q, m->path_l);
    start_with_reactions(part);
    path_set(p, x);
    const bool holds =
        stage_matrix(&p->s, &(tangent_weights){.q = 1.0, .symmetric = true}, m->matrix) &&
        spectrum_negative(part) == 0;
    put_back(part, m->path_q, m->path_l);
    return holds;
}

// From where the shape leads, K dz = -r_x dx with K of an equilibrium. From the shape itself efforts that press what
// is slender, as heat does, count with their change and without the stretch that takes it up: a small part of a step
// is enough to buckle it, and Newton's method leads anywhere.
static bool solve_ahead(solve_path *p, double x) {
    const solve_part *part = p->s.p;
    put_back(part, part->m->star, part->m->star_l);
    path_set(p, p->reached);
    find_answer(p);
    stage_move(&p->s, x - p->reached, part->m->tangent);
    p->leading = true;
    const bool found = path_solve(p, x);
    p->leading = false;
    if (found && p->s.walked <= NEAR_BY && (p->stays || !path_is_unstable(p))) return true;
    put_back(part, part->m->star, part->m->star_l);
    return false;
}

// Where Newton's method finds nothing, or what is unstable or may be of another branch, the shape leads on, or leans
// downhill; in the end what Newton's method found is believed.
static step_end take_step(solve_path *p, double x, bool last_try) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const bool own = part->how->correct;
    const bool matrix = part->how->tangent || !own;      // is there one?
    const bool leans = matrix && (own || !part->kinks);  // across kinks strides downhill shake
    if (p->ahead && solve_ahead(p, x)) return STEP_HOLDS;
    if (p->ahead && !last_try) return STEP_FAILED;
    const bool found = path_solve(p, x), holds = found && (p->stays || !path_is_unstable(p));
    if (holds && (p->stays || !matrix || is_of_branch(p, x))) return STEP_HOLDS;
    if (found) keep_shape(part, m->path_q, m->path_l);
    if (leans && !own && !p->ahead && (!found || holds) && solve_ahead(p, x)) {
        p->ahead = true;
        return STEP_HOLDS;
    }
    if (leans && lean(p, x, found, last_try)) return STEP_HOLDS;
    if (!found || (holds && !last_try)) return STEP_FAILED;
    put_back(part, m->path_q, m->path_l);
    path_set(p, x);
    return holds ? STEP_HOLDS : STEP_UNSTABLE;
}

// A step that ends in an unstable shape, bends far, or to the wrong side is tried smaller before it is
// believed.
bool path_follow(solve_path *p) {
    const solve_part *part = p->s.p;
    solve_memory *m = part->m;
    const int begun = p->call->stats->iterations,
              patience = part->patience ? part->patience : PATIENCE;
    double step = longest_from(p, 0.0);
    p->reached = 0.0;
    memset(m->tangent, 0, sizeof(double) * (size_t)part_n(part));
    keep_shape(part, m->star, m->star_l);
    if (path_is_unstable(p)) leave_unstable(p, SMALLEST);
    while (p->reached < 1.0) {
        p->spent = p->call->stats->iterations - begun > patience;
        if (interrupted(p->call->interrupt) || p->spent) return false;
        const double from = p->reached, end_of_leg = (leg_at(p, from, true) + 1.0) / n_legs(p);
        step = fmin(fmin(step, longest_from(p, from)), end_of_leg - from);
        const double next = step < end_of_leg - from ? from + step : end_of_leg;
        const bool last_try = 0.25 * step < SMALLEST;
        keep_shape(part, m->star, m->star_l);
        p->floated = p->s.neutral;
        p->call->stats->load_steps++;
        const step_end end = take_step(p, next, last_try);
        if (end == STEP_FAILED || (end == STEP_UNSTABLE && !last_try)) {
            if (last_try) explain(p);
            put_back(part, m->star, m->star_l);
            if (last_try) return false;
            step *= 0.25;
            continue;
        }
        if (end == STEP_UNSTABLE) leave_unstable(p, next);
        p->reached = next;
        step *= 2.0;
    }
    return true;
}
