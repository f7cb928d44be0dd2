// model/cosserat/statics.c - equilibrium: the same boundary value problem with an infinite step.
#include "material/stretch.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALLEST_LOAD_STEP 1e-6
#define MOST_LOAD_STEPS 300     // tried, so that a hopeless load ends
#define SINGULAR_CONDITION 1e7  // of equations that are about to lose rank
#define FOLD_CONDITION 1e5      // of those that stop the path
#define BISECTIONS 40
#define NUDGE 0.05  // EI/L^2
#define FIRST_INPUT_STEP 0.5
#define SMALLEST_INPUT_STEP 1e-2
#define MOST_TURN 1.0  // rad, of what holds a chain, from one shape to the next

typedef enum path_way {
    ALONG_LOADS,
    ALONG_INPUTS,  // from those of the present shape, with all of the load
    ALONG_TURNS,   // of what holds a chain, from none, with all of the load
} path_way;

// One assembly; a rod that the scheme solves alone is its first and only one.
typedef struct statics {
    const cosserat *c;
    assembly_problem p;
    const model_call *call;
    int n_unknowns;
    path_way way;
    double lost_at;  // fraction of the load where stability was lost; 0: nowhere
    path_way lost_along;
    bool descended;  // downhill from a branch that ended, or lost its stability
    bool plain;      // not again
    bool folded;     // beyond where it stopped everything is far away
    bool neutral;    // in the answer something moves freely
} statics;

typedef struct path_point {
    double fraction;   // of the load
    double *unknowns;  // (n_unknowns)
    path_test test;
} path_point;

static void copy_point(const statics *s, path_point *to, const path_point *from) {
    memcpy(to->unknowns, from->unknowns, sizeof(double) * (size_t)s->n_unknowns);
    to->fraction = from->fraction;
    to->test = from->test;
}

// At a share of the way.
static void set_load(statics *s, double fraction) {
    const model_call *call = s->call;
    s->p.fraction = s->way == ALONG_LOADS ? fraction : 1.0;
    if (s->way == ALONG_TURNS) s->p.turn = fraction;
    s->p.inputs = s->p.base_inputs = call->inputs;
    if (s->way == ALONG_INPUTS && fraction < 1.0) {
        double *between = s->p.m->half_inputs;
        for (int i = 0; i < s->c->n_inputs; i++)
            between[i] =
                call->inputs_before[i] + fraction * (call->inputs[i] - call->inputs_before[i]);
        s->p.inputs = s->p.base_inputs = between;
    }
    assembly_prepare(&s->p);
}

static const rod_problem *only_rod(const statics *s) {
    return &s->p.own->problems[0];
}

// The equilibrium at point->fraction near point->unknowns.
static td_status solve_at(statics *s, path_point *point) {
    set_load(s, point->fraction);
    if (s->p.a->alone) {
        td_status status = s->c->scheme->follow(only_rod(s), point->unknowns, &point->test);
        if (status >= 0 && point->test.verdict != STABILITY_UNKNOWN &&
            !assembly_has_potential(&s->p) && !assembly_rubs(&s->p))
            point->test.verdict = assembly_test(&s->p).verdict;
        return status;
    }
    return assembly_follow(&s->p, point->unknowns, &point->test);
}

// The unloaded rods, and the way along which their chain is closed.
static void set_rest(statics *s, path_point *point) {
    point->fraction = 0.0;
    if (s->p.a->alone) memset(point->unknowns, 0, sizeof(double) * (size_t)s->n_unknowns);
    else assembly_open(&s->p, point->unknowns);
}

// ---------------------------------------------------------------- bifurcations
// Has the rod lost its stability between the two? Where a scheme has no verdict, a change of sign
// of the test value may tell.
static bool lost(const path_point *a, const path_point *b) {
    if (b->test.verdict == STABILITY_UNKNOWN) return a->test.value * b->test.value < 0.0;
    return a->test.verdict == STABLE && b->test.verdict == UNSTABLE;
}

// The fraction between a and b where it is lost, by bisection; 0 when a test value without a
// verdict changed sign through infinity instead, which the condition tells. Consumes a and b.
static double locate_loss(statics *s, path_point *a, path_point *b, path_point *mid) {
    bool sure = b->test.verdict != STABILITY_UNKNOWN;
    double worst = 0.0;
    for (int i = 0; i < BISECTIONS && b->fraction - a->fraction > 1e-9; i++) {
        mid->fraction = 0.5 * (a->fraction + b->fraction);
        for (int k = 0; k < s->n_unknowns; k++)
            mid->unknowns[k] = 0.5 * (a->unknowns[k] + b->unknowns[k]);
        if (solve_at(s, mid) < 0) break;
        worst = fmax(worst, mid->test.condition);
        copy_point(s, lost(a, mid) ? b : a, mid);
    }
    return sure || worst > SINGULAR_CONDITION ? 0.5 * (a->fraction + b->fraction) : 0.0;
}

// ---------------------------------------------------------------- load continuation
static void predict(const statics *s, const path_point *old, const path_point *now,
                    path_point *next) {
    double x = 0.0;
    if (now->fraction > old->fraction)
        x = (next->fraction - now->fraction) / (now->fraction - old->fraction);
    for (int i = 0; i < s->n_unknowns; i++)
        next->unknowns[i] = now->unknowns[i] + x * (now->unknowns[i] - old->unknowns[i]);
}

static const char *const way_names[] = {"load", "way of the inputs", "turn of what holds it"};

// How far an equilibrium was followed.
typedef struct reach {
    char text[80];
} reach;

static reach reached(const statics *s, double fraction) {
    reach r;
    if (fraction > 0.0)
        snprintf(r.text, sizeof r.text, "beyond %.6g of the %s", fraction, way_names[s->way]);
    else snprintf(r.text, sizeof r.text, "for even a small part of the %s", way_names[s->way]);
    return r;
}

static const char *first_name(const statics *s) {
    return s->p.a->n_rods ? s->c->rods[s->p.a->rods[0]].name : "free body";
}

#define HARDLY_OPEN 1e-6  // of a joint, as an angle or a share of the length

// Closed, and still no equilibrium at the fraction that was evaluated last.
static td_status stop_closed(const statics *s, double fraction) {
    // straight rods side by side that cannot stretch: their forces are not determined
    const bool stiff = s->c->options.theory == TD_KIRCHHOFF && !assembly_factor(&s->p, true, NULL);
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s' and what it is joined to: no equilibrium was found %s, though the chain is "
             "closed; %s",
             first_name(s), reached(s, fraction).text,
             stiff ? "rods that cannot stretch hold it more often than it can move, so that their "
                     "forces are not determined: take theory: cosserat"
             : s->folded ? "a fold, where it would snap to a shape far away"
                         : "try a smaller load or a finer discretisation");
    return TD_ERR_NOT_CONVERGED;
}

static td_status stop_open(statics *s, const path_point *now) {
    char name[96] = "";
    double distance, angle;
    set_load(s, 1.0);  // the frames where they belong
    assembly_evaluate(&s->p, now->unknowns, s->p.own->residual);
    int widest = assembly_widest(&s->p, &distance, &angle);
    joint_name(s->c, &s->c->joints[s->p.a->joints[widest]], name, sizeof name);
    if (distance <= HARDLY_OPEN * s->p.a->length && angle <= HARDLY_OPEN)
        return stop_closed(s, now->fraction);
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "the chain cannot be closed: at %.4g of the way and of the load %s is still %.4g m "
             "and %.3g deg away from its joint; check lengths and places, or begin nearer",
             now->fraction, name, distance, angle * DEGREES);
    return TD_ERR_NOT_CONVERGED;
}

// Of the actuators whose length or volume is given, the one that is asked to change most; NULL: none is
// asked to change at all, and something else is to blame.
static const rod_actuator *most_asked(const statics *s, double *given) {
    const rod_actuator *most = NULL;
    double largest = 1e-12;
    for (int i = 0; i < s->p.a->n_rods; i++) {
        const rod *r = &s->c->rods[s->p.a->rods[i]];
        for (int k = 0; k < r->n_actuators; k++) {
            const actuator *a = r->actuators[k].a;
            if (a->control == CONTROL_EFFORT) continue;
            double value = number_value(a->value, s->call->inputs);
            double asked = fabs(actuator_asked(a, value) / a->rest - 1.0);
            if (!(asked > largest)) continue;
            largest = asked, most = &r->actuators[k], *given = value;
        }
    }
    return most;
}

static td_status stop_short(statics *s, const path_point *now, const rod_actuator *ra,
                            double given) {
    const td_actuator_quantity *asked = &ra->a->words->inputs[ra->a->control];
    snprintf(
        s->call->message, MODEL_MESSAGE_SIZE,
        "rod '%s': the %s %.4g %s of %s '%s' is out of reach, or its way there is blocked: no "
        "equilibrium was found %s, of which it is part; what else holds the rod must let it go, or "
        "give it some compliance",
        first_name(s), asked->name, given, asked->unit, ra->a->words->word, ra->a->name,
        reached(s, now->fraction).text);
    return TD_ERR_NOT_CONVERGED;
}

static td_status stop_singular(const statics *s) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s' and what hangs on it: no equilibrium: something moves freely without "
             "bending a rod, or rods that do not stretch are held twice",
             first_name(s));
    return TD_ERR_SINGULAR;
}

static td_status stop(statics *s, const path_point *now) {
    const bool singular = now->test.condition > FOLD_CONDITION || s->folded;
    double given = 0.0;
    s->call->stats->load_reached = now->fraction;
    if (s->p.a->n_joints > 0) return stop_open(s, now);
    const rod_actuator *asked = most_asked(s, &given);
    if (asked) return stop_short(s, now, asked, given);
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium was found %s; the equations at the last one have condition "
             "%.1e%s",
             first_name(s), reached(s, now->fraction).text, now->test.condition,
             singular ? ": a fold, where the rod would snap, or a discretisation too coarse for it"
                      : "; try a finer discretisation or a smaller load");
    return singular ? TD_ERR_SINGULAR : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- where a step does not lead
// A step that lands on an unstable equilibrium has probably left the branch: it is tried shorter,
// until it is so short that the branch itself must have lost its stability there.
#define SURE_OF_LOSS 1e-3
// Beyond a bifurcation, no farther than this, the last shape leans to the branch that its imperfections lead to.
#define LITTLE_UNSTABLE 0.3
#define SURE_OF_FOLD 1e-4
#define CLOSE 0.05
#define FAR 1.0  // rad, or lengths: a solution so far from where it began may be of another branch

static bool can_descend(const statics *s) {
    return !s->plain && s->c->n_obstacles == 0 && s->c->scheme->ports &&
           s->c->scheme->ports->stiffness && !assembly_rubs(&s->p);
}

// How far apart two points are: angles along the rods, and lengths.
static double distance(const statics *s, const path_point *a, const path_point *b) {
    double *change = s->p.own->change;
    const assembly *of = s->p.a;
    memset(change, 0, sizeof(double) * (size_t)n_change(of));
    for (int i = 0; i < of->first[of->n_rods]; i++) change[i] = b->unknowns[i] - a->unknowns[i];
    const double *from = a->unknowns + of->first[of->n_rods],
                 *to = b->unknowns + of->first[of->n_rods];
    for (int k = 0; k < of->n_bodies; k++, from += 7, to += 7) {
        double *z = change + of->first[of->n_rods] + 6 * k;
        const quat turn = quat_mul(quat_load(to + B_H), quat_conj(quat_load(from + B_H)));
        vec3_store(z, quat_log(turn));
        s->p.own->bodies[k].T.p = vec3_zero();  // of which assembly_size takes the distance
        vec3_store(z + 3, vec3_sub(vec3_load(to), vec3_load(from)));
    }
    return assembly_size(&s->p, change);
}

typedef struct load_path {
    path_point now, old, next, mid;
    double step, longest, shortest;
    bool held;    // something is nearly neutral
    bool folded;  // beyond `now` everything is far away
} load_path;

// The shape of `now` at the load of `next`, with the reactions that Newton's method found there, or else as they
// are expected: those of another load would say nothing about stability.
static void set_down(const statics *s, load_path *path, bool found) {
    const assembly *a = s->p.a;
    path_point *down = &path->mid, *next = &path->next;
    const size_t first = (size_t)(a->first[a->n_rods] + 7 * a->n_bodies);
    if (!found) predict(s, &path->old, &path->now, next);
    const double fraction = next->fraction;
    copy_point(s, down, &path->now);
    down->fraction = fraction;
    if (a->n_reactions)
        memcpy(down->unknowns + first, next->unknowns + first,
               sizeof(double) * (size_t)a->n_reactions);
}

// Where something is nearly neutral, as the plane in which a round column has buckled, rounding moves it more
// than the tolerance, unless it is held a little.
static td_status solve_held(statics *s, load_path *path) {
    if (!(s->c->scheme->ports && s->c->scheme->ports->stiffness)) return TD_ERR_NOT_CONVERGED;
    predict(s, &path->old, &path->now, &path->next);
    td_status status = assembly_follow_held(&s->p, path->next.unknowns, &path->next.test);
    path->held = path->held || status >= 0;
    return status;
}

// One step along the path, to path->next. Where Newton's method finds nothing, or what is unstable or may be
// of another branch, downhill from the last shape. A step that leads far away is tried shorter: beyond a
// bifurcation the branch is continuous. In the end what Newton's method found is believed.
static td_status take_step(statics *s, load_path *path) {
    path_point *now = &path->now, *next = &path->next, *down = &path->mid;
    predict(s, &path->old, now, next);
    td_status status = solve_at(s, next);
    if (status < 0 && (path->held || path->step <= SURE_OF_LOSS)) status = solve_held(s, path);
    if (!can_descend(s) || path->folded) return status;
    if (status >= 0 && !lost(now, next)) {
        if (next->test.verdict != STABLE || distance(s, now, next) <= CLOSE) return status;
        set_down(s, path, true);
        if (assembly_is_definite(&s->p, down->unknowns)) return status;
    }
    const bool any = path->step <= SURE_OF_LOSS || now->test.neutral;
    set_down(s, path, status >= 0);
    s->call->stats->fallbacks++;
    const td_status fell =
        assembly_descend(&s->p, down->unknowns, any ? HUGE_VAL : LITTLE_UNSTABLE, &down->test);
    if (fell >= 0 && down->test.verdict == STABLE &&
        (now->test.neutral || distance(s, now, down) <= FAR)) {
        copy_point(s, next, down);
        s->descended = true;
        return fell;
    }
    path->folded = s->folded = path->step <= SURE_OF_FOLD;
    return path->folded || (any && fell >= 0 && down->test.verdict != STABLE)
               ? status
               : TD_ERR_NOT_CONVERGED;
}

static load_path path_on(const statics *s, double longest, double shortest) {
    double **memory = s->p.own->points;
    return (load_path){.now.unknowns = memory[0],
                       .old.unknowns = memory[1],
                       .next.unknowns = memory[2],
                       .mid.unknowns = memory[3],
                       .step = longest,
                       .longest = longest,
                       .shortest = shortest};
}

// From path->now to the end. The answer is left in unknowns[0].
static td_status follow_path(statics *s, load_path *path) {
    td_stats *stats = s->call->stats;
    path_point *now = &path->now, *old = &path->old, *next = &path->next;
    td_status status = TD_OK;
    copy_point(s, old, now);
    for (int steps = 0; now->fraction < 1.0; steps++) {
        if (interrupted(s->call->interrupt)) return call_stopped(s->call);
        if (path->step < path->shortest || steps >= MOST_LOAD_STEPS) return stop(s, now);
        next->fraction = fmin(1.0, now->fraction + path->step);
        status = take_step(s, path);
        bool loss = status >= 0 && lost(now, next);
        if (status < 0 || (loss && path->step > SURE_OF_LOSS)) {
            path->step *= 0.5;
            continue;
        }
        stats->load_steps++;
        copy_point(s, old, now);
        copy_point(s, now, next);
        path->step = fmin(2.0 * path->step, path->longest);
        if (!loss || s->lost_at != 0.0) continue;
        const double residual = stats->residual;
        s->lost_at = locate_loss(s, old, next, &path->mid);
        s->lost_along = s->way;
        stats->residual = residual;
        old->fraction = now->fraction;  // it has been used up: no prediction in the next step
    }
    s->neutral = now->test.neutral;
    return status;
}

// From the unloaded rod to the full load.
static td_status follow_load_once(statics *s) {
    load_path path = path_on(s, s->c->scheme->first_load_step, SMALLEST_LOAD_STEP);
    set_rest(s, &path.now);
    td_status status = solve_at(s, &path.now);
    if (status == TD_ERR_SINGULAR && !s->p.a->alone) return stop_singular(s);
    if (status < 0) return stop(s, &path.now);
    status = follow_path(s, &path);
    // the way on which a chain is put together is of no interest once it stands
    if (s->p.a->n_joints > 0 && path.now.test.verdict == STABLE) s->lost_at = 0.0;
    return status;
}

// Where the way downhill ends nowhere, on the branch itself.
static td_status follow_load(statics *s) {
    s->descended = s->plain = false;
    td_status status = follow_load_once(s);
    if (status >= 0 || !s->descended) return status;
    s->plain = true;
    s->lost_at = 0.0;
    status = follow_load_once(s);
    if (status >= 0) s->call->message[0] = '\0';
    s->plain = false;
    return status;
}

// ---------------------------------------------------------------- one assembly
// From where it is now, while the answer is near and sure to be stable. It is left in points[0].
static td_status solve_near(statics *s) {
    static const double present[3] = {1.0, 0.0, 0.0};
    path_point now = {.fraction = 1.0, .unknowns = s->p.own->points[0]};
    set_load(s, 1.0);
    assembly_recall(&s->p, present, now.unknowns);
    td_status status = TD_OK;
    if (s->p.a->alone && s->c->options.solver != TD_NEWTON)
        status = s->c->scheme->seek(only_rod(s), now.unknowns);
    if (status >= 0) status = solve_at(s, &now);
    if (status < 0) return status;
    s->neutral = now.test.neutral;
    const bool unknown = now.test.verdict == STABILITY_UNKNOWN;
    bool sure = now.test.verdict == STABLE || (unknown && !s->p.a->alone);
    if (unknown && s->p.a->alone && s->c->scheme->trusting) {
        path_point unloaded = {.unknowns = s->p.own->points[1]};
        double residual = s->call->stats->residual;
        set_rest(s, &unloaded);
        sure = solve_at(s, &unloaded) >= 0 && !lost(&unloaded, &now);
        s->call->stats->residual = residual;
    }
    return sure ? status : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- from the last inputs
static vec3 rotation_of(const td_base_def *frame, const double *inputs) {
    const td_number *r = frame->rotation;
    return vec3_make(number_value(r[0], inputs), number_value(r[1], inputs),
                     number_value(r[2], inputs));
}

static double turn_of(const td_base_def *frame, const double *from, const double *to) {
    const vec3 start = from ? rotation_of(frame, from) : vec3_zero();
    return vec3_norm(vec3_sub(rotation_of(frame, to), start));
}

// By how much what holds the chain turns from one set of inputs (NULL: before it turns) to another, at most.
static double turned(const statics *s, const double *from, const double *to) {
    const assembly *a = s->p.a;
    double most = 0.0;
    for (int i = 0; i < a->n_rods; i++)
        most = fmax(most, turn_of(&s->c->rods[a->rods[i]].base, from, to));
    for (int k = 0; k < a->n_joints; k++)
        most = fmax(most, turn_of(&joint_of(&s->p, k)->frame, from, to));
    return most;
}

// From the shape in points[0] along the way.
static td_status follow_way(statics *s, path_way way, double turn) {
    const bool turns = turn > MOST_TURN;
    load_path path = turns ? path_on(s, MOST_TURN / turn, SMALLEST_LOAD_STEP)
                           : path_on(s, FIRST_INPUT_STEP, SMALLEST_INPUT_STEP);
    path.now.test.verdict = STABLE;
    s->way = way;
    td_status status = follow_path(s, &path);
    s->way = ALONG_LOADS;
    return status;
}

// A closed chain has several shapes: from the present one it follows its inputs to the next one while that is
// stable. Turns are followed in any case, for a shape with a turn less is another one.
// TD_ERR_NOT_CONVERGED: it had better be put together anew.
static td_status follow_present(statics *s) {
    static const double present[3] = {1.0, 0.0, 0.0};
    set_load(s, 1.0);
    assembly_recall(&s->p, present, s->p.own->points[0]);
    const double turn = turned(s, s->call->inputs_before, s->call->inputs);
    td_status status = follow_way(s, ALONG_INPUTS, turn);
    if (status < 0) s->call->message[0] = '\0';
    return status;
}

// Leaves the answer, in points[0], as the shape in progress.
static td_status publish(statics *s) {
    const double *answer = s->p.own->points[0];
    set_load(s, 1.0);
    memcpy(s->p.own->now, answer, sizeof(double) * (size_t)s->n_unknowns);
    bool ok = s->p.a->alone ? s->c->scheme->evaluate(only_rod(s), answer)
                            : assembly_evaluate(&s->p, answer, s->p.own->residual);
    if (ok && !s->p.a->alone) assembly_publish(&s->p);
    td_status status = ok ? TD_OK : TD_ERR_NOT_CONVERGED;
    for (int i = 0; i < s->p.a->n_rods && status >= 0; i++) {
        rod_memory *m = s->p.own->problems[i].m;
        status = memory_check(m->r, m, s->call->message);
    }
    return status;
}

// Where straight rods cannot be pressed any further, a nudge on the way leads them into bending.
// So it does where they would become unstable, in a chain that is bent together for the first
// time: it has no shape yet that one could stay with.
static td_status put_together(statics *s) {
    double *first = s->p.own->points[4], *answer = s->p.own->points[0];
    const size_t bytes = sizeof(double) * (size_t)s->n_unknowns;
    const td_status status = follow_load(s);
    if (status >= 0 && (s->lost_at == 0.0 || s->p.own->kept->closed != 0.0 || !s->p.own->gapes))
        return status;
    char message[MODEL_MESSAGE_SIZE];
    const double lost_at = s->lost_at;
    memcpy(first, answer, bytes);
    memcpy(message, s->call->message, sizeof message);
    s->call->message[0] = '\0';
    s->lost_at = 0.0;
    s->p.nudge = NUDGE;
    td_status nudged = follow_load(s);
    s->p.nudge = 0.0;
    if (nudged >= 0 || status < 0) return nudged;
    memcpy(answer, first, bytes);
    memcpy(s->call->message, message, sizeof message);
    s->lost_at = lost_at;
    return status;
}

// A chain whose ends are turned is put together as it is before they turn.
static td_status put_together_and_turn(statics *s) {
    const double turn = turned(s, NULL, s->call->inputs);
    if (turn <= MOST_TURN) return put_together(s);
    s->p.turn = 0.0;
    td_status status = put_together(s);
    if (status >= 0) status = follow_way(s, ALONG_TURNS, turn);
    s->p.turn = 1.0;
    return status;
}

static bool inputs_are_new(const statics *s) {
    for (int i = 0; i < s->c->n_inputs; i++)
        if (s->call->inputs[i] != s->call->inputs_before[i]) return true;
    return false;
}

// A shape in motion, at the inputs that it has: where it comes to rest. The answer is left in points[0].
static td_status come_to_rest(statics *s) {
    static const double present[3] = {1.0, 0.0, 0.0};
    path_point now = {.fraction = 1.0, .unknowns = s->p.own->points[0]};
    if (inputs_are_new(s) || !can_descend(s)) return TD_ERR_NOT_CONVERGED;
    set_load(s, 1.0);
    assembly_recall(&s->p, present, now.unknowns);
    td_status status = assembly_descend(&s->p, now.unknowns, HUGE_VAL, &now.test);
    if (status < 0 || now.test.verdict != STABLE) return TD_ERR_NOT_CONVERGED;
    s->neutral = now.test.neutral;
    return status;
}

static td_status solve_chain(statics *s) {
    const model_call *call = s->call;
    td_status status = TD_ERR_NOT_CONVERGED;
    if (s->p.own->kept->closed != 0.0) {
        if (turned(s, call->inputs_before, call->inputs) <= MOST_TURN) status = solve_near(s);
        if (status < 0) status = come_to_rest(s);
        if (status < 0) status = follow_present(s);
    }
    return status < 0 ? put_together_and_turn(s) : status;
}

static td_status solve_alone(statics *s) {
    td_status status = solve_near(s);
    return status < 0 ? follow_load(s) : status;
}

static td_status solve_static(statics *s) {
    td_status status = s->p.a->n_joints > 0 ? solve_chain(s) : solve_alone(s);
    if (status < 0) return interrupted(s->call->interrupt) ? call_stopped(s->call) : status;
    td_stats *stats = s->call->stats;
    stats->load_reached = 1.0;
    td_status possible = publish(s);
    if (possible < 0) return possible;
    if (status == TD_LOOSE)
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': round-off stopped the solution above the tolerance %.0e", first_name(s),
                 s->c->options.tolerance);
    if (s->lost_at == 0.0 && s->neutral && assembly_floats(&s->p)) {
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s' and what hangs on it: something moves freely without bending a rod; "
                 "this is one of "
                 "many equilibria",
                 first_name(s));
        return TD_BIFURCATION;
    }
    if (s->lost_at == 0.0) return status;
    stats->bifurcation = s->lost_at;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': at %.6g of the %s a bifurcation or fold was passed; this equilibrium may "
             "be unstable, and there are others",
             first_name(s), s->lost_at, way_names[s->lost_along]);
    return TD_BIFURCATION;
}

// At rest: every past state is the present one.
static void rest_rod(rod_memory *m) {
    const rod *r = m->r;
    const size_t bytes = sizeof(double) * F_SIZE * (size_t)r->n_nodes;
    const size_t end_bytes = r->ridden ? sizeof(double) * 6 * (size_t)r->n_elements : 0;
    memory_accept(r, m);
    for (int i = 1; i < 3; i++) {
        memcpy(m->fields[i], m->fields[0], bytes);
        memcpy(m->ends[i], m->ends[0], end_bytes);
        memcpy(m->efforts[i], m->efforts[0], sizeof(double) * (size_t)r->n_efforts);
        m->lengths[i] = m->lengths[0];
    }
    memset(m->rate, 0, bytes);
    memset(m->end_rate, 0, end_bytes);
    memory_rest_tendons(r, m);
}

void assembly_settle(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        p->c->scheme->settle(m->r, m, p->own->now + p->a->first[i]);
        rest_rod(m);
    }
    assembly_rest(p);
    p->own->kept->closed = 1.0;
}

static td_status solve_from_present(statics *s, int index) {
    *s = (statics){.c = s->c,
                   .p = assembly_at(s->c, index, s->p.m, s->call),
                   .call = s->call,
                   .n_unknowns = n_point(&s->c->assemblies[index])};
    assembly_forget(&s->p);
    return solve_static(s);
}

// ---------------------------------------------------------------- obstacles
// Has the equilibrium that was found been reached through an obstacle?
static bool is_beyond(const statics *s, char *message) {
    for (int i = 0; i < s->p.a->n_rods; i++)
        if (contact_is_crossed(s->c, &s->p.own->problems[i], message)) return true;
    return false;
}

// Nothing has stuck to anything yet, where nothing had before.
static void forget_slips(const statics *s) {
    for (int i = 0; i < s->c->n_rods; i++) {
        rod_memory *m = &s->p.m->rods[i];
        *m->sticks = 0.0;
        memset(m->slips, 0, sizeof(double) * 3 * (size_t)m->r->n_obstacles * (size_t)m->r->n_nodes);
    }
}

// Strides do not see what is thinner than they are long: then by moving there.
static td_status solve_around(statics *s, int index, td_status found) {
    char message[MODEL_MESSAGE_SIZE];
    if (s->c->n_obstacles == 0 || !is_beyond(s, message)) return found;
    const bool stuck = *s->p.m->rods[s->p.a->rods[0]].sticks != 0.0;
    s->call->stats->fallbacks++;
    const td_status moved = cosserat_relax(s->c, s->p.m, s->call);
    if (!stuck) forget_slips(s);
    if (moved == TD_ERR_STOPPED) return moved;
    s->call->message[0] = '\0';
    const td_status status = solve_from_present(s, index);
    if (status < 0 || (moved >= 0 && !is_beyond(s, message))) return status;
    snprintf(
        s->call->message, MODEL_MESSAGE_SIZE,
        "%.300s on the way to this equilibrium, which may be on its far side; let a run settle",
        message);
    return TD_LOOSE;
}

td_status assembly_statics(const cosserat *c, int index, cosserat_memory *m,
                           const model_call *call) {
    statics s = {.c = c, .p.m = m, .call = call};
    td_status status = solve_from_present(&s, index);
    if (status >= 0) status = solve_around(&s, index, status);
    if (status >= 0) assembly_settle(&s.p);
    else if (status != TD_ERR_STOPPED) contact_add_blame(c, s.p.a, m, call->message);
    return status;
}

td_status cosserat_statics(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    td_status worst = inputs_check(c, call->inputs, call->message);
    if (worst < 0) return worst;
    double change = cosserat_follow(c, m);
    for (int round = 0; round == 0 || (round < MOST_ROUNDS && change > SAME_STRETCH); round++) {
        worst = TD_OK;
        for (int i = 0; i < c->n_assemblies; i++) {
            td_status status = assembly_statics(c, i, m, call);
            if (status < 0) return status;
            if (status > worst) worst = status;
        }
        change = cosserat_follow(c, m);
    }
    *m->time = (cosserat_time){0};
    bodies_keep_touch(c, m, SHAPE_IN_EQUILIBRIUM);
    note_resolution(c, m, call->stats);
    if (worst == TD_OK && change > SAME_STRETCH) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "the mean stretch still changed by %.2g after %d equilibria", change, MOST_ROUNDS);
        return TD_LOOSE;
    }
    if (worst == TD_OK && call->stats->resolution > TD_COARSE) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "directions are off by about %.2g rad between the nodes: use more of them, or an "
                 "accuracy",
                 call->stats->resolution);
        return TD_LOOSE;
    }
    return worst;
}
