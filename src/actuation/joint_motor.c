// actuation/joint_motor.c - motors of joints: the turn of a shaft, and the torque with which it pushes.
//
// With the lead l of the joint and its coordinate x the shaft is turned by x/l at the joint, and by s, what the engine
// supplies, at the gear. It pushes the joint with e/l, e = k (s - x/l); by the engine s falls with e (engine.h).
#include "actuation/actuator.h"
#include "math/pi.h"

static void make(const void *of, arena *block, actuator *a) {
    const td_joint_motor_def *def = of;
    td_motor_def motor = def->motor;
    (void)block;
    motor.travel = 1.0;
    a->sign = -1.0;
    a->control = CONTROL_MEASURE;
    a->lead = def->motor.travel;
    a->end = def->end;
    a->body = def->body;
    a->compliance = 1.0 / def->stiffness;
    a->least = -HUGE_VAL;
    a->engine = engine_with_motor(&motor, (int)def->input);
}

const actuator_kind joint_motor_kind = {.make = make};

// A joint that turns is known within a turn: it is the one nearest to what the engine supplies.
static double turn_near(const actuator *a, supply from, double turn) {
    const engine_stage *s = from.stage;
    double near = turn;
    if (s && (s->cv > 0.0 || s->fixed)) {
        near = a->engine.ratio * s->star[Y_ANGLE];
    } else {
        const engine_stage begun = {0};
        const engine_hold h = engine_hold_of(&a->engine, from.given, from.share, s ? s : &begun);
        if (!h.effort) near = h.value;
    }
    return turn + 2.0 * PI * round((near - turn) / (2.0 * PI));
}

joint_push actuator_push(const actuator *a, supply from, bool turns, double x) {
    const double l = a->lead, turn = turns ? turn_near(a, from, x / l) : x / l;
    const driven_effort now = actuator_driven(a, from, a->yield, 0.0, turn);
    return (joint_push){.effort = now.effort / l,
                        .by_x = now.by_measure / (l * l),
                        .torque = now.effort,
                        .turn = turn,
                        .supplied = turn + a->yield * now.effort};
}
