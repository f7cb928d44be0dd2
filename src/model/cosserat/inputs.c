// model/cosserat/inputs.c - what an input does to an assembly.
#include <math.h>

#include "model/cosserat/assembly.h"

static bool frame_is_driven(const td_base_def *frame, int input) {
    return any_driven_by(frame->position, 3, input) || any_driven_by(frame->rotation, 3, input);
}

static bool loads_are_driven(const rod_load *loads, int n, int input) {
    for (int i = 0; i < n; i++)
        if (any_driven_by(loads[i].force, 3, input) || any_driven_by(loads[i].moment, 3, input))
            return true;
    return false;
}

static bool element_is_driven(const element *e, int input) {
    for (int i = 0; i < e->n_riders; i++)
        if (is_driven_by(&e->riders[i].attached, input)) return true;
    return loads_are_driven(e->spread, e->n_spread, input) ||
           loads_are_driven(e->end_loads, e->n_end_loads, input);
}

static bool obstacles_are_driven(const rod *r, int input) {
    for (int i = 0; i < r->n_obstacles; i++) {
        const td_obstacle_def *o = &r->obstacles[i].def;
        if (any_driven_by(o->position, 3, input) || any_driven_by(o->rotation, 3, input))
            return true;
    }
    return false;
}

static bool rod_is_moved(const rod *r, int input) {
    return frame_is_driven(&r->base, input) || is_driven_by(&r->feed, input) ||
           obstacles_are_driven(r, input);
}

static bool surroundings_are_driven(const environment *e, int input) {
    return any_driven_by(e->gravity, 3, input) || any_driven_by(e->fluid.velocity, 3, input) ||
           fields_driven_by(e->fields, e->n_fields, input);
}

static bool rod_is_loaded(const cosserat *c, const rod *r, int input) {
    if (surroundings_are_driven(&c->around, input)) return true;
    for (int k = 0; k < r->n_elements; k++)
        if (element_is_driven(&r->elements[k], input)) return true;
    return false;
}

bool input_drives_rod(const cosserat *c, int rod_index, int input) {
    const rod *r = &c->rods[rod_index];
    for (int k = 0; k < r->n_actuators; k++)
        if (is_driven_by(&r->actuators[k].a->value, input)) return true;
    return rod_is_moved(r, input) || rod_is_loaded(c, r, input);
}

static bool joint_is_driven(const joint *j, int input) {
    return frame_is_driven(&j->frame, input) || is_driven_by(&j->spring.rest, input) ||
           (j->motor && is_driven_by(&j->motor->value, input));
}

// Joints and bodies.
static bool input_drives_border(const cosserat *c, const assembly *a, int input) {
    for (int k = 0; k < a->n_joints; k++)
        if (joint_is_driven(&c->joints[a->joints[k]], input)) return true;
    for (int k = 0; k < a->n_bodies; k++) {
        const free_body *b = &c->bodies[a->bodies[k]];
        if (surroundings_are_driven(&c->around, input) ||
            loads_are_driven(b->loads, b->n_loads, input))
            return true;
    }
    return false;
}

bool input_moves(const assembly_problem *p, int input) {
    for (int i = 0; i < p->a->n_rods; i++)
        if (rod_is_moved(&p->c->rods[p->a->rods[i]], input)) return true;
    return false;
}

bool input_gives_efforts(const assembly_problem *p, int input) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        if (rod_is_moved(r, input) || rod_is_loaded(p->c, r, input)) return false;
        for (int k = 0; k < r->n_actuators; k++) {
            const actuator *a = r->actuators[k].a;
            const bool plain = a->control == CONTROL_EFFORT && !r->actuators[k].n_efforts;
            if (is_driven_by(&a->value, input) && !plain) return false;
        }
    }
    return !input_drives_border(p->c, p->a, input);
}

static bool surroundings_move(const cosserat *c, int input) {
    return surroundings_are_driven(&c->around, input) || c->n_obstacles > 0 || c->contacts.n > 0;
}

bool input_only_loads(const assembly_problem *p, int input) {
    if (input_gives_efforts(p, input)) return true;
    if (input_moves(p, input) || surroundings_move(p->c, input)) return false;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        for (int k = 0; k < r->n_actuators; k++)
            if (is_driven_by(&r->actuators[k].a->value, input) &&
                r->actuators[k].a->control != CONTROL_EFFORT)
                return false;
    }
    for (int k = 0; k < p->a->n_joints; k++)
        if (joint_is_driven(&p->c->joints[p->a->joints[k]], input)) return false;
    return true;
}

// ---------------------------------------------------------------- what cannot be
#define LEAST_LENGTH 1e-6  // of a rod that is drawn in, in lengths at rest

static td_status check_riders(const rod *r, const element *e, const double *inputs, char *message) {
    for (int i = 0; i < e->n_riders; i++) {
        const double share = number_value(e->riders[i].attached, inputs);
        if (share >= 0.0 && share <= 1.0) continue;
        return tell(message, TD_ERR_VALUE,
                    "rod '%s': a body on it at s = %.4g m: attached = %.4g must be between 0 (not "
                    "there) and 1",
                    r->name, e->s0 + e->length, share);
    }
    return TD_OK;
}

// A chamber can be emptied, no more.
static td_status check_efforts(const rod *r, const double *inputs, char *message) {
    for (int i = 0; i < r->n_actuators; i++) {
        const actuator *a = r->actuators[i].a;
        if (a->control != CONTROL_EFFORT) continue;
        const double effort = number_value(a->value, inputs);
        if (effort >= a->least) continue;
        if (a->kind->curvature)
            return tell(message, TD_ERR_VALUE,
                        "%s '%s': %s = %.6g leaves no stiffness: it must be above %g",
                        a->words->word, a->name, a->words->inputs[0].name, effort, a->least);
        return tell(message, TD_ERR_VALUE, "%s '%s': %s = %.6g %s is below a vacuum, %.6g %s",
                    a->words->word, a->name, a->words->inputs[0].name, effort,
                    a->words->inputs[0].unit, a->least, a->words->inputs[0].unit);
    }
    return TD_OK;
}

static td_status check_length(const rod *r, double length, char *message) {
    const double all = r->grows.to - r->grows.from, left = grown_length(r, length);
    if (all < r->length)
        return tell(message, TD_ERR_VALUE,
                    "rod '%s': feed = %.6g m leaves %.4g m of the %.4g m from %s; some of that "
                    "must stay %s",
                    r->name, length - r->length, left, all,
                    r->grows_at_tip ? "where something is on it or its sections change to its tip"
                                    : "its base to where something is on it or its sections change",
                    r->grows_at_tip ? "there" : "out");
    return tell(message, TD_ERR_VALUE,
                "rod '%s': feed = %.6g m leaves %.4g m of its %.4g m %s; some of it must stay %s",
                r->name, length - r->length, length, r->length,
                r->grows_at_tip ? "where it grows at its tip" : "outside the base",
                r->grows_at_tip ? "there" : "out");
}

td_status inputs_check(const cosserat *c, const double *inputs, char *message) {
    td_status status = TD_OK;
    for (int i = 0; i < c->n_rods && status >= 0; i++) {
        const rod *r = &c->rods[i];
        const double length = rod_length_at(r, inputs);
        if (!(grown_length(r, length) >= LEAST_LENGTH * r->length))
            return check_length(r, length, message);
        for (int k = 0; k < r->n_elements && status >= 0 && r->ridden; k++)
            status = check_riders(r, &r->elements[k], inputs, message);
        if (status >= 0) status = check_efforts(r, inputs, message);
    }
    return status;
}

// ---------------------------------------------------------------- differences
#define MOTION_STEP 1e-5   // m or rad: poses and lengths are not linear
#define PULL_STEP 1e-8     // m: must not reach across a slack tendon
#define WARMING_STEP 1e-3  // K
#define TOUCH_STEP 1e-10   // m or rad: nor across the little that a rod is pressed into an obstacle
#define COMMAND_SHARE 1e-5  // of an effort that a motor or valve holds
#define LEAST_EFFORT 1e-4   // N or Pa, from where that is a share of nothing

// Of the command of a motor or valve at rest. What it holds answers evenly, but not across a tendon that gets slack, a
// limit, or what another pressure begins at.
static double command_step(const actuator *a, double command, bool *one_sided) {
    const engine_hold h = engine_hold_of(&a->engine, command, 1.0, &(engine_stage){0});
    const double per = fabs(h.by_command);
    if (per == 0.0) return command != 0.0 ? COMMAND_SHARE * fabs(command) : COMMAND_SHARE;
    if (!h.effort) return PULL_STEP / per;
    if (h.value == 0.0 && a->pulls_only) *one_sided = true;
    return fmax(COMMAND_SHARE * fabs(h.value), h.value == 0.0 ? LEAST_EFFORT : 0.0) / per;
}

// The largest step for what the input does to one rod; *one_sided: a tension or an amount of gas
// of 0, which cannot be less.
static double rod_step(const rod *r, int input, double now, double step, bool *one_sided) {
    if (rod_is_moved(r, input)) step = fmin(step, r->n_obstacles ? TOUCH_STEP : MOTION_STEP);
    for (int k = 0; k < r->n_actuators; k++) {
        const actuator *a = r->actuators[k].a;
        if (a->map && is_driven_by(&a->value, input))
            step = fmin(step, WARMING_STEP / fabs(a->value.gain));
        const bool bounded = a->from_rest || a->control == CONTROL_GAS;
        if (!bounded || !is_driven_by(&a->value, input)) continue;
        const double gain = fabs(a->value.gain), given = a->value.value + a->value.gain * now;
        if (actuator_is_driven(a)) step = fmin(step, command_step(a, given, one_sided) / gain);
        else if (a->control == CONTROL_MEASURE) step = fmin(step, PULL_STEP / gain);
        else if (given > 0.0) step = fmin(step, given / gain);
        else *one_sided = true;
    }
    return step;
}

static double joint_step(const joint *j, int input, double now, double step, bool *one_sided) {
    if (frame_is_driven(&j->frame, input)) step = fmin(step, MOTION_STEP);
    if (!j->motor || !is_driven_by(&j->motor->value, input)) return step;
    const td_number n = j->motor->value;
    return fmin(step, command_step(j->motor, n.value + n.gain * now, one_sided) / fabs(n.gain));
}

input_span input_span_of(const assembly_problem *p, int input, double now) {
    double step = fmax(1.0, fabs(now));  // loads are linear: any step is exact
    bool one_sided = false;
    for (int i = 0; i < p->a->n_rods; i++)
        step = rod_step(&p->c->rods[p->a->rods[i]], input, now, step, &one_sided);
    for (int k = 0; k < p->a->n_joints; k++)
        step = joint_step(&p->c->joints[p->a->joints[k]], input, now, step, &one_sided);
    for (int i = 0; i < p->c->around.n_fields; i++)
        if (field_moves_by(&p->c->around.fields[i], input)) step = fmin(step, MOTION_STEP);
    for (int i = 0; i < 3; i++)
        if (is_driven_by(&p->c->around.fluid.velocity[i], input)) step = fmin(step, MOTION_STEP);
    return (input_span){one_sided ? now : now - step, now + step};
}
