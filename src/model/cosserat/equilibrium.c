// model/cosserat/equilibrium.c - what a path of equilibria (src/solve) asks of an assembly: where it begins,
// how to get to one nearby, what turns, whether it holds, and what is wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"

#define SINGULAR 1e7      // condition of equations that are about to lose rank
#define MOST_CROWDS 10    // a way on which parts touch at too many places is soon given up
#define HARDLY_OPEN 1e-5  // of a joint, as an angle or a share of the length

static const rod_problem *only_rod(const assembly_problem *p) {
    return &p->own->problems[0];
}

// ---------------------------------------------------------------- the way there
// The unloaded rods, and the way along which their chain is closed.
void assembly_begin(void *of, const solve_instant *at, double *q) {
    assembly_problem *p = of;
    p->inputs = at->inputs, p->base_inputs = at->places;
    p->turn = at->shares[SHARE_TURNS];
    p->own->seen = false;
    if (p->a->alone) memset(q, 0, sizeof(double) * (size_t)n_point(p->a));
    else assembly_open(p, q);
}

// Of a rod alone its scheme knows the way.
td_status assembly_correct(void *of, const solve_instant *at, double drag, double *q,
                           double *size) {
    assembly_problem *p = of;
    assembly_memory *own = p->own;
    const scheme_ports *ports = p->c->scheme->ports;
    if (own->crowds > MOST_CROWDS) return TD_ERR_NOT_CONVERGED;
    own->crowded = false;
    if (!(ports && ports->stiffness)) drag = 0.0;
    p->stats = at->stats;
    assembly_instant(p, at);
    assembly_prepare(p);
    own->seen = own->tested = false;
    if (drag > 0.0) own->kept->valid = 0.0;
    assembly_hold(p, drag, drag);
    const td_status status = p->a->alone && drag == 0.0
                                 ? p->c->scheme->follow(only_rod(p), q, &own->test)
                                 : assembly_follow(p, q, &own->test);
    assembly_hold(p, 0.0, 0.0);
    own->crowds += own->crowded;
    if (drag > 0.0) own->kept->valid = 0.0;
    *size = status == TD_LOOSE ? p->stats->residual : 0.0;
    p->stats = &own->asked_stats;
    if (status < 0) return status;
    copy_doubles(n_point(p->a), own->now, q);
    copy_doubles(p->c->n_inputs, own->seen_inputs, p->inputs);
    own->tested = drag == 0.0;
    if (p->a->alone && p->fraction == 0.0) own->value_at_rest = own->test.value;
    return status;
}

void assembly_between(void *of, const double *from, const double *to, double *dz) {
    const assembly *a = ((assembly_problem *)of)->a;
    const int n = a->first[a->n_rods];
    for (int i = 0; i < n; i++) dz[i] = to[i] - from[i];
    from += n, to += n, dz += n;
    for (int k = 0; k < a->n_bodies; k++, from += 7, to += 7, dz += 6) {
        const se3 A = {quat_to_mat3(quat_load(from + B_H)), vec3_load(from)},
                  B = {quat_to_mat3(quat_load(to + B_H)), vec3_load(to)}, back = se3_inverse(&A),
                  step = se3_mul(&B, &back);
        vec6_store(dz, se3_log(&step));
    }
    for (int i = 0; i < a->n_reactions; i++) dz[i] = to[i] - from[i];
}

void assembly_lend(void *of, const double *from, double *to) {
    const assembly *a = ((assembly_problem *)of)->a;
    const int at = n_point(a) - a->n_reactions;
    copy_doubles(a->n_reactions, to + at, from + at);
}

// A chain must have been put together. Where a scheme has no verdict, the unloaded rod has the sign of one that
// holds; shooting counts changes of it along the whole path.
bool assembly_anew(void *of, const double *before, const double *inputs) {
    assembly_problem *p = of;
    const scheme_ports *ports = p->c->scheme->ports;
    (void)before;
    if (!p->a->alone) return p->a->n_joints > 0 && p->own->kept->closed == 0.0;
    if (ports && ports->stiffness) return false;
    if (!p->c->scheme->trusting) return true;
    double size;
    td_stats none = {0};
    const solve_instant at = {
        .inputs = inputs, .places = inputs, .shares = {[SHARE_TURNS] = 1.0}, .stats = &none};
    assembly_begin(p, &at, p->own->points[0]);
    return assembly_correct(p, &at, 0.0, p->own->points[0], &size) < 0;
}

// ---------------------------------------------------------------- what turns
static vec3 rotation_of(const td_base_def *frame, const double *inputs) {
    const td_number *r = frame->rotation;
    return vec3_make(number_value(r[0], inputs), number_value(r[1], inputs),
                     number_value(r[2], inputs));
}

static double turn_of(const td_base_def *frame, const double *from, const double *to) {
    const vec3 start = from ? rotation_of(frame, from) : vec3_zero();
    return vec3_norm(vec3_sub(rotation_of(frame, to), start));
}

double assembly_turn(void *of, const double *from, const double *to) {
    const assembly_problem *p = of;
    const assembly *a = p->a;
    double most = 0.0;
    for (int i = 0; i < a->n_rods && a->n_joints > 0; i++)
        most = fmax(most, turn_of(&p->c->rods[a->rods[i]].base, from, to));
    for (int k = 0; k < a->n_joints; k++)
        most = fmax(most, turn_of(&joint_of(p, k)->frame, from, to));
    return most;
}

// ---------------------------------------------------------------- does it hold?
int assembly_lost(void *of, const solve_instant *at, const double *q, bool *neutral) {
    assembly_problem *p = of;
    assembly_memory *own = p->own;
    if (!assembly_at_point(p, at, q)) return -1;
    if (!own->tested) own->test = assembly_test(p);
    own->tested = true;
    *neutral = own->test.neutral;
    if (own->test.verdict != STABILITY_UNKNOWN) return own->test.verdict == UNSTABLE;
    return p->a->alone ? own->test.value * own->value_at_rest < 0.0 : -1;
}

bool assembly_gapes(void *of) {
    const assembly_problem *p = of;
    return p->a->n_joints > 0 && p->own->gapes;
}

bool assembly_crossed(void *of) {
    assembly_memory *own = ((assembly_problem *)of)->own;
    const bool surely = own->test.verdict != STABILITY_UNKNOWN || own->test.condition > SINGULAR;
    if (!surely) own->value_at_rest = -own->value_at_rest;
    return surely;
}

// ---------------------------------------------------------------- what is wrong
static const char *first_name(const assembly_problem *p) {
    return p->a->n_rods ? p->c->rods[p->a->rods[0]].name : "free body";
}

static void blame_joints(assembly_problem *p, double reached, const char *reach, char *message) {
    char name[96] = "";
    double distance, angle;
    const int widest = assembly_widest(p, &distance, &angle);
    if (fmax(distance / p->a->length, angle) <= HARDLY_OPEN) {
        // straight rods side by side that cannot stretch: their forces are not determined
        const bool stiff = p->c->options.theory == TD_KIRCHHOFF && !assembly_factor(p, true, NULL);
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%s' and what it is joined to: no equilibrium found %s, though the chain is "
                 "closed; %s",
                 first_name(p), reach,
                 stiff ? "rods that cannot stretch hold it more often than it can move, so that "
                         "their forces are not determined: take theory: cosserat"
                       : "it may snap to a shape far away, or need a finer discretisation");
        return;
    }
    joint_name(p->c, &p->c->joints[p->a->joints[widest]], name, sizeof name);
    snprintf(message, MODEL_MESSAGE_SIZE,
             "the chain cannot be closed: at %.4g of the way and of the load %s is still %.4g m "
             "and %.3g deg away from its joint; check lengths and places, or begin nearer",
             reached, name, distance, angle * DEGREES);
}

// Of the actuators whose length or volume is given, the one that is asked to change most; NULL: none is
// asked to change at all, and something else is to blame.
static const rod_actuator *most_asked(const assembly_problem *p, double *given) {
    const rod_actuator *most = NULL;
    double largest = 1e-12;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        for (int k = 0; k < r->n_actuators; k++) {
            const actuator *a = r->actuators[k].a;
            if (a->control == CONTROL_EFFORT || actuator_is_driven(a)) continue;
            const double value = number_value(a->value, p->inputs);
            const double asked = fabs(actuator_asked(a, value) / a->rest - 1.0);
            if (!(asked > largest)) continue;
            largest = asked, most = &r->actuators[k], *given = value;
        }
    }
    return most;
}

#define FINER "with more of them (simulation.space.nodes or elements)"

static void add_resolution(double resolution, char *message) {
    const size_t used = strlen(message);
    if (resolution > TD_COARSE)
        snprintf(message + used, MODEL_MESSAGE_SIZE - used,
                 "; but directions are off by about %.2g rad between the nodes: " FINER
                 " it may be otherwise",
                 resolution);
}

// Of a shape that becomes the kept one, which a call that fails puts back.
static double resolution_at(assembly_problem *p, const solve_instant *at, const double *q) {
    double worst = 0.0;
    if (!p->c->scheme->resolution || !assembly_at_point(p, at, q)) return worst;
    assembly_publish(p);
    for (int i = 0; i < p->a->n_rods; i++) {
        rod_memory *m = p->own->problems[i].m;
        memory_accept(m->r, m);
        worst = fmax(worst, p->c->scheme->resolution(m->r, m));
    }
    return worst;
}

void assembly_blame(void *of, const solve_instant *at, const double *q, double reached,
                    const char *reach, char *message) {
    assembly_problem *p = of;
    double given = 0.0;
    assembly_instant(p, at);
    const rod_actuator *ra = most_asked(p, &given);
    if (p->a->floats && p->a->n_rods) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "nothing joins rod '%s' to the world, and what acts on it is not in balance: no "
                 "equilibrium found %s; a run may start with simulation.start: straight",
                 first_name(p), reach);
    } else if (p->a->n_joints > 0) {
        p->fraction = p->turn = 1.0;  // the frames where they belong
        assembly_prepare(p);
        p->own->seen = false;
        assembly_evaluate(p, q, p->own->residual);
        blame_joints(p, reached, reach, message);
    } else if (ra) {
        const td_actuator_quantity *asked = &ra->a->words->inputs[ra->a->control];
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%s': the %s %.4g %s of %s '%s' is out of reach, or its way there is "
                 "blocked: no equilibrium found %s, of which it is part; what else holds the rod "
                 "must let it go, or give it some compliance",
                 first_name(p), asked->name, given, asked->unit, ra->a->words->word, ra->a->name,
                 reach);
    }
    contact_add_blame(p->c, p->a, p->m, message);
    if (pairs_blame(p, message)) return;
    add_resolution(resolution_at(p, at, q), message);
}

// ---------------------------------------------------------------- obstacles
bool assembly_beyond(void *of, char *message) {
    const assembly_problem *p = of;
    for (int i = 0; i < p->a->n_rods && p->c->n_obstacles; i++)
        if (contact_is_crossed(p->c, &p->own->problems[i], message)) return true;
    return bodies_pass(p, message) || pairs_pass(p, message);
}

static void tell_depth(const assembly_problem *p, int index, const contact_depth *at,
                       char *message) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%.60s' is %.3g m %s obstacle '%.60s', which is hard to %.3g m, at s = %.4g m",
             p->c->rods[index].name, fabs(at->depth),
             at->depth > 0.0 ? "deep in" : "pressed away from", p->c->obstacle_names[at->obstacle],
             p->c->obstacles[at->obstacle].def.hard, at->s);
}

static double deepest(const assembly_problem *p, contact_push push, char *message) {
    double worst = 0.0;
    for (int i = 0; i < p->a->n_rods; i++) {
        const contact_depth at = contact_depth_of(&p->own->problems[i]);
        if (push) contact_push_ahead(&p->own->problems[i], push);
        if (message && at.times > fmax(1.0, worst)) tell_depth(p, p->a->rods[i], &at, message);
        worst = fmax(worst, at.times);
    }
    const touch_depth body = bodies_depth(p, push);
    if (message && body.times > fmax(1.0, worst))
        touch_tell_depth(&p->c->touch, &body, MODEL_MESSAGE_SIZE, message);
    return fmax(worst, body.times);
}

static bool is_hard(const cosserat *c) {
    for (int i = 0; i < c->n_obstacles; i++)
        if (c->obstacles[i].def.hard > 0.0) return true;
    return false;
}

double assembly_push(const assembly_problem *p, contact_push push, char *message) {
    if (!is_hard(p->c)) return 0.0;
    const double worst = deepest(p, PUSH_NOT, message);
    if (push && worst > 1.0) {
        deepest(p, push, NULL);
        p->own->seen = p->own->tested = false;
    }
    return worst;
}

double assembly_depth(void *of, const solve_instant *at, const double *q, contact_push push,
                      char *message) {
    assembly_problem *p = of;
    if (!is_hard(p->c) || !assembly_at_point(p, at, q)) return 0.0;
    assembly_publish(p);
    return assembly_push(p, push, message);
}

// Nothing has stuck to anything yet, where nothing had before.
static void forget_slips(const assembly_problem *p) {
    for (int i = 0; i < p->c->n_rods; i++) {
        rod_memory *m = &p->m->rods[i];
        *m->sticks = 0.0;
        const size_t touching = (size_t)m->r->n_obstacles * ((size_t)m->r->n_nodes + 1);
        memset(m->slips, 0, sizeof(double) * CONTACT_KEPT * touching);
    }
}

td_status assembly_relax(void *of, const model_call *call, double *q) {
    static const double present[3] = {1.0, 0.0, 0.0};
    assembly_problem *p = of;
    const bool stuck = *p->m->rods[p->a->rods[0]].sticks != 0.0;
    const td_status status = cosserat_relax(p->c, p->m, call);
    if (!stuck) forget_slips(p);
    assembly_forget(p);
    assembly_recall(p, present, q);
    p->own->seen = p->own->tested = false;
    return status;
}

// ---------------------------------------------------------------- the answer
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
    if (p->a->meets) pairs_accept(p->c, p->m, SHAPE_IN_EQUILIBRIUM);
    for (int i = 0; i < p->a->n_rods; i++) {
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        p->c->scheme->settle(m->r, m, p->own->now + p->a->first[i]);
        rest_rod(m);
    }
    assembly_rest(p);
    springs_work(p->c, p->m, p->inputs, false);
    p->own->kept->closed = 1.0;
}

// What is there to be said of an equilibrium that has been found without a word.
static td_status say_floats(const cosserat *c, cosserat_memory *m, const model_call *call) {
    for (int i = 0; i < c->n_assemblies; i++) {
        assembly_problem p = assembly_at(c, i, m, call);
        if (!p.own->test.neutral || !assembly_floats(&p)) continue;
        return tell(call->message, TD_BIFURCATION,
                    "rod '%s' and what hangs on it: something moves freely without bending a rod; "
                    "this is one of many equilibria",
                    first_name(&p));
    }
    return TD_OK;
}

td_status cosserat_rested(const cosserat *c, cosserat_memory *m, const model_call *call) {
    *m->time = (cosserat_time){0};
    bodies_keep_touch(c, m, SHAPE_IN_EQUILIBRIUM);
    note_resolution(c, m, call->stats);
    const double resolution = call->stats->resolution;
    const td_status floats = call->message[0] ? TD_OK : say_floats(c, m, call);
    if (call->message[0]) add_resolution(resolution, call->message);
    if (call->message[0] || resolution <= TD_COARSE) return floats;
    return tell(call->message, TD_LOOSE,
                "directions are off by about %.2g rad between the nodes: compute " FINER
                ", or give an accuracy",
                resolution);
}
