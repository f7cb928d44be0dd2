// solve/statics.c - equilibria: directly from where a robot is; where that fails, goes far or ends on
// a shape that does not hold, along its inputs from where they were, or along growing loads from the
// rest shape; through folds by arc length; and downhill from what does not hold.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/path.h"

#define MOST_ROUNDS (60 + MOST_PUSHES)
#define MOST_WORSE 4   // of these, in a row, that bring what follows the shape no nearer to rest
#define SETTLES 1e-6   // a change from where rounding may stop it
#define SAME 1e-12     // what follows the shape and may still change
#define FAR 1.0        // rad, beyond which a direct solve may have found another equilibrium
#define WAS_REST 1e-6  // rad: a shape that was an equilibrium under the inputs before
#define ROUNDING 1e-9
#define LEAST 1e-4  // of a path, that is named as where it lost its stability

static solve_path new_path(const solve_part *p, const model_call *call) {
    return (solve_path){.s = {.p = p, .at = instant_at_rest(call), .stats = call->stats},
                        .call = call,
                        .stretch = 1.0};
}

static void start_here(const solve_part *p) {
    copy_doubles(p->n_x, p->m->tq, p->m->q);
    copy_doubles(p->n_l, p->m->tl, p->m->l);
}

// ---------------------------------------------------------------- ways
static bool directly(solve_path *w, double drag) {
    w->drag = drag;
    start_here(w->s.p);
    return path_solve(w, 1.0) && (w->s.p->how->correct || w->s.walked <= FAR) &&
           !path_is_unstable(w);
}

// Where the robot rests under the inputs before, it follows them.
static bool along_inputs(solve_path *w) {
    const model_call *call = w->call;
    const size_t bytes = sizeof(double) * (size_t)call->n_inputs;
    if (call->n_inputs == 0 || memcmp(call->inputs, call->inputs_before, bytes) == 0) return false;
    w->along_inputs = true;
    start_here(w->s.p);
    if (!path_solve(w, 0.0) || w->s.walked > WAS_REST || path_is_unstable(w)) return false;
    return path_follow(w) && !w->stays;
}

static bool along_loads(solve_path *w) {
    const solve_part *p = w->s.p;
    if (!p->how->rest || !path_begin(w)) return false;
    w->begun = true;
    const bool followed = path_follow(w);
    if (w->spent) return false;
    if (followed || path_arc(w)) {
        const bool crossed = !followed || w->lost > 0.0 || w->fold > 0.0;
        if (!crossed || !path_is_unstable(w)) return true;
        if (w->lost == 0.0 && w->fold == 0.0) w->lost = fmax(w->reached, LEAST);  // along the arc
        if (path_jump(w)) w->stays = false;
        return true;
    }
    if (w->call->message[0] || !path_jump(w)) return false;
    if (w->lost == 0.0) w->lost = fmax(w->reached, LEAST);
    return true;
}

td_status call_stopped(const model_call *call) {
    return tell(call->message, TD_ERR_STOPPED, "asked to stop, on the way to an equilibrium");
}

// In a joint that lets it turn, what follows it never stops pushing.
static void add_whirl(const solve_path *w) {
    const solve_part *p = w->s.p;
    char *message = w->call->message;
    const size_t used = strlen(message);
    if (!p->floats || !stage_lacks_potential(&w->s)) return;
    snprintf(
        message + used, MODEL_MESSAGE_SIZE - used,
        "; moments, and loads that turn with what they push, may drive it round and round in its "
        "joints, where nothing is an equilibrium: a run shows how it moves");
}

static td_status give_up(const solve_path *w) {
    const model_call *call = w->call;
    const size_t used = strlen(call->message);
    snprintf(call->message + used, MODEL_MESSAGE_SIZE - used,
             "; the search was given up after %d corrections: %slet a run settle instead",
             call->stats->iterations, w->s.p->patience ? "where parts touch one another, " : "");
    return TD_ERR_NOT_CONVERGED;
}

static td_status refuse(const solve_path *w) {
    const solve_part *p = w->s.p;
    const model_call *call = w->call;
    call->stats->load_reached = w->reached;
    if (interrupted(call->interrupt)) return call_stopped(call);
    if (call->message[0]) return TD_ERR_NOT_CONVERGED;  // explained where it failed
    if (p->how->fits && p->how->fits(p->of, &w->s.at, p->m->tq, call->message) < 0)
        return TD_ERR_VALUE;
    const char *what;
    char beyond[32] = "for even a small part", reach[96] = "even without loads";
    const double share = path_told(w, w->reached, true, &what);
    if (share > 0.0) snprintf(beyond, sizeof beyond, "beyond %.4g %%", 100.0 * share);
    if (w->begun) snprintf(reach, sizeof reach, "%s of %s", beyond, what);
    snprintf(call->message, MODEL_MESSAGE_SIZE, "%s '%s': no equilibrium found %s: %s",
             part_noun(p), part_culprit(p, p->m->dz), reach,
             w->begun ? "beyond that it may have none, or jump to another"
                      : "it does not fit together, or no way was found to put it together; "
                        "another start of what holds it may help");
    if (w->spent) return give_up(w);
    if (p->how->blame) p->how->blame(p->of, &w->s.at, p->m->tq, w->reached, reach, call->message);
    add_whirl(w);
    return TD_ERR_NOT_CONVERGED;
}

static double turn_between(const solve_part *p, const double *before, const double *inputs) {
    return p->how->turn ? p->how->turn(p->of, before, inputs) : 0.0;
}

// *out: the path that was gone.
static td_status find_once(const solve_part *p, const model_call *call, solve_path *out) {
    const bool anew = p->how->anew && p->how->anew(p->of, call->inputs_before, call->inputs);
    const double turn = turn_between(p, call->inputs_before, call->inputs);
    *out = new_path(p, call);
    if (!anew && turn <= MOST_TURN && (directly(out, 0.0) || directly(out, PATH_DRAG)))
        return TD_OK;
    call->stats->fallbacks++;
    *out = new_path(p, call);
    out->turn = turn;
    if (!anew && along_inputs(out)) return TD_OK;
    *out = new_path(p, call);
    out->turn = turn_between(p, NULL, call->inputs);
    return along_loads(out) ? TD_OK : refuse(out);
}

static td_status refuse_stretch(const solve_path *w) {
    snprintf(
        w->call->message, MODEL_MESSAGE_SIZE,
        "rod '%s': no equilibrium found: its sections and its stretch do not settle; the loads "
        "may be too large for it",
        part_culprit(w->s.p, NULL));
    return TD_ERR_NOT_CONVERGED;
}

// What is hard goes ahead of what is too deep in it, but not for ever.
static double push(const solve_part *p, const solve_path *w, int *pushes) {
    const double depth = part_depth(p, &w->s.at, p->m->tq, push_after(*pushes), NULL);
    (*pushes)++;
    return depth > 1.0 ? depth : 0.0;
}

static td_status find(const solve_part *p, const model_call *call, solve_path *w) {
    double change = 1.0, least = HUGE_VAL;
    int worse = 0, pushes = 0;  // rounds that brought nothing; what is hard
    for (int round = 0; round < MOST_ROUNDS && change > SAME; round++) {
        const solve_path last = *w;
        td_status status = find_once(p, call, w);
        if (status < 0) return status;
        w->lost = fmax(w->lost, last.lost);
        w->fold = fmax(w->fold, last.fold);
        configuration c = stage_here(&w->s);
        change = p->how->settle ? p->how->settle(p->of, &w->s.at, &c) : 0.0;
        w->unsettled = change > SAME ? change : 0.0;
        worse = change < 0.9 * least ? 0 : worse + 1;
        least = fmin(least, change);
        if (change > SETTLES && worse > MOST_WORSE) return refuse_stretch(w);
        if (change > SAME && interrupted(call->interrupt)) return refuse(w);
        if (change <= SAME) w->deep = push(p, w, &pushes);
        if (w->deep > 0.0 && pushes <= MOST_PUSHES) change = 1.0, least = HUGE_VAL, worse = 0;
        if (change > SAME) {  // the next round begins here
            copy_doubles(p->n_x, p->m->q, p->m->tq);
            copy_doubles(p->n_l, p->m->l, p->m->tl);
        }
    }
    return TD_OK;
}

static td_status find_fitting(const solve_part *p, const model_call *call, solve_path *w) {
    *w = (solve_path){0};
    const td_status status = find(p, call, w);
    if (status < 0 || !p->how->fits) return status;
    return p->how->fits(p->of, &w->s.at, p->m->tq, call->message);
}

static void set_out(const solve_part *p) {
    if (p->touch) copy_doubles(p->n_x, p->m->start_q, p->m->q);
}

static bool is_beyond(const solve_part *p, const solve_path *w, bool kept, char *message) {
    if (p->how->beyond) return p->how->beyond(p->of, message);
    if (!p->touch) return false;
    through_from(p, &w->s.at, p->m->start_q, kept);
    return through_to(p, &w->s.at, p->m->tq, message);
}

static td_status relax(const solve_part *p, const model_call *call) {
    if (p->how->relax) return p->how->relax(p->of, call, p->m->q);
    copy_doubles(p->n_x, p->m->q, p->m->start_q);
    return through_relax(p, call);
}

#define NUDGE 0.02  // rad, by which a shape that does not hold is left

// On hard obstacles strides downhill shake: what presses and what does not changes with each. From a shape that does
// not hold it is left by moving.
static td_status leave_by_moving(const solve_part *p, const model_call *call, solve_path *w) {
    const double lost = w->lost, fold = w->fold;
    double smallest;
    if (!spectrum_smallest(&w->s, &smallest, p->m->mode)) return TD_OK;
    stage_move(&w->s, NUDGE / part_size(p, p->m->mode), p->m->mode);
    if (p->touch) copy_doubles(p->n_x, p->m->start_q, p->m->tq);
    else if (p->how->fits(p->of, &w->s.at, p->m->tq, call->message) >= 0)
        p->how->accept(p->of, &w->s.at, &(configuration){.q = p->m->tq, .l = p->m->tl});
    if (relax(p, call) == TD_ERR_STOPPED) return TD_ERR_STOPPED;
    call->message[0] = '\0';
    const td_status status = find_fitting(p, call, w);
    w->lost = fmax(w->lost, lost), w->fold = fmax(w->fold, fold);
    return status;
}

// Strides do not see what is thinner than they are long: then by moving there.
static td_status find_around(const solve_part *p, const model_call *call, solve_path *w) {
    char message[MODEL_MESSAGE_SIZE];
    set_out(p);
    td_status status = find_fitting(p, call, w);
    if (status >= 0 && p->kinks && (w->lost > 0.0 || w->fold > 0.0) && path_is_unstable(w))
        status = leave_by_moving(p, call, w);
    if (status < 0 || !is_beyond(p, w, true, message)) return status;
    call->stats->fallbacks++;
    const td_status moved = relax(p, call);
    if (moved == TD_ERR_STOPPED) return moved;
    call->message[0] = '\0';
    set_out(p);
    status = find_fitting(p, call, w);
    if (status < 0 || (moved >= 0 && !is_beyond(p, w, false, message))) return status;
    snprintf(
        call->message, MODEL_MESSAGE_SIZE,
        "%.300s on the way to this equilibrium, which may be on its far side; let a run settle",
        message);
    return TD_LOOSE;
}

// ---------------------------------------------------------------- words
static td_status looseness(const solve_path *w) {
    const model_call *call = w->call;
    if (w->s.size > fmax(call->options->tolerance, ROUNDING))
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "%s '%s': round-off stopped the solution at corrections of %.2g, above the "
                 "tolerance %.0e",
                 part_noun(w->s.p), part_culprit(w->s.p, w->s.p->m->dz), w->s.size,
                 call->options->tolerance);
    else if (w->unsettled > 0.0)
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': its mean stretch still changes by %.2g after %d equilibria with the "
                 "sections of the last one",
                 part_culprit(w->s.p, NULL), w->unsettled, MOST_ROUNDS);
    else if (w->deep > 0.0) {
        part_depth(w->s.p, &w->s.at, w->s.p->m->tq, PUSH_NOT, call->message);
        const size_t used = strlen(call->message);
        snprintf(call->message + used, MODEL_MESSAGE_SIZE - used,
                 ", after %d equilibria that pushed it out", MOST_PUSHES);
    } else return TD_OK;
    return TD_LOOSE;
}

static td_status verdict(solve_path *w) {
    const solve_part *p = w->s.p;
    const model_call *call = w->call;
    const bool holds = (w->lost == 0.0 && w->fold == 0.0) || !path_is_unstable(w);
    const double put_together = w->turn > MOST_TURN ? 0.5 : 1.0;
    if (holds && w->begun && w->lost <= put_together && p->how->gapes && p->how->gapes(p->of))
        w->lost = w->fold = 0.0;
    call->stats->bifurcation = fmax(w->lost, w->fold);
    const char *what;
    const double share = path_told(w, w->fold > 0.0 ? w->fold : w->lost, false, &what);
    if (w->fold > 0.0)
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "%s '%s': its equilibria turn back at %.4g %% of %s; beyond that it jumps, and "
                 "this %s shape is another branch",
                 part_noun(p), part_culprit(p, p->m->tangent), 100.0 * share, what,
                 holds ? "stable" : "unstable");
    else if (w->lost > 0.0)
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "%s '%s': the equilibrium lost its stability at %.4g %% of %s; %s", part_noun(p),
                 part_culprit(p, p->m->mode), 100.0 * share, what,
                 !holds     ? "this one is unstable, and there are others"
                 : w->stays ? "this one, farther along, holds again, and there are others"
                            : "this is a stable shape beyond, and there may be others");
    else return looseness(w);
    return TD_BIFURCATION;
}

td_status solve_statics(const solve_part *p, const model_call *call) {
    solve_path w = {0};
    td_status status = part_possible(p, call);
    if (status >= 0 && p->how->admit) status = p->how->admit(p->of, call->inputs, call->message);
    if (status >= 0) status = find_around(p, call, &w);
    if (status < 0) return status;
    call->stats->residual = fmax(call->stats->residual, w.s.size);
    char told[MODEL_MESSAGE_SIZE];
    if (status == TD_LOOSE) memcpy(told, call->message, sizeof told);
    const td_status judged = verdict(&w);
    if (status == TD_LOOSE) memcpy(call->message, told, sizeof told);  // what it may be beyond
    if (judged > status) status = judged;
    if (p->how->accept)
        p->how->accept(p->of, &w.s.at, &(configuration){.q = p->m->tq, .l = p->m->tl});
    copy_doubles(p->n_x, p->m->q, p->m->tq);
    copy_doubles(p->n_l, p->m->l, p->m->tl);
    memset(p->m->v, 0, sizeof(double) * (size_t)p->n_q);
    solve_forget(p);
    return status;
}
