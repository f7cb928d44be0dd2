// robot/joint_motor.c - motors of joints as they are described: their words, and the rules of what is said of them.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "robot/actuators.h"
#include "robot/engine.h"
#include "robot/rules.h"

td_joint_motor_def td_default_joint_motor_def(void) {
    td_joint_motor_def def = {.motor = td_default_motor_def()};
    def.motor.travel = 1.0;
    return def;
}

static actuator_head head(const void *of) {
    const td_joint_motor_def *d = of;
    return (actuator_head){d->name, d->rod, 0.0, 0.0, (int)d->input, d->value};
}

td_joint joint_of_motor(const td_robot *robot, const td_joint_motor_def *def) {
    if (def->rod >= 0 && def->end == TD_BASE) return robot->rods[def->rod].base.joint;
    const td_tip_def *hold =
        def->rod >= 0 ? &robot->rods[def->rod].tip : &robot->bodies[def->body].def.hold;
    return hold->held ? hold->joint : TD_FREE;
}

static bool moves_the_same(const td_joint_motor_def *a, const td_joint_motor_def *b) {
    return a->rod == b->rod && (a->rod >= 0 ? a->end == b->end : a->body == b->body);
}

static int find_motor(const td_robot *robot, const td_joint_motor_def *like) {
    for (int i = 0; i < robot->n_actuators; i++)
        if (robot->actuators[i].kind == actuator_rows[KIND_joint_motor] &&
            moves_the_same(robot->actuators[i].def, like))
            return i;
    return -1;
}

int motor_of_joint(const td_robot *robot, int rod, td_end end) {
    return find_motor(robot, &(td_joint_motor_def){.rod = rod, .end = end});
}

int motor_of_body(const td_robot *robot, int body) {
    return find_motor(robot, &(td_joint_motor_def){.rod = FREE_BODY, .body = body});
}

static td_status says(const char *owner, const char *key, const char *rule, td_error *err) {
    char where[OWNER_SIZE + 32];
    snprintf(where, sizeof where, "%s.%s", owner, key);
    return error_set(err, TD_ERR_VALUE, where, "%s", rule);
}

static td_status joint_rule(const td_robot *robot, const char *owner, const td_joint_motor_def *d,
                            td_error *err) {
    const td_joint joint = joint_of_motor(robot, d);
    const int other = find_motor(robot, d);
    char where[OWNER_SIZE + 32], what[192];
    snprintf(where, sizeof where, "%s.%s", owner, d->rod >= 0 ? "end" : "body");
    if (d->rod < 0) snprintf(what, sizeof what, "body '%.100s'", robot->bodies[d->body].name);
    else
        snprintf(what, sizeof what, "the %s of rod '%.100s'", d->end == TD_BASE ? "base" : "tip",
                 robot->rods[d->rod].name);
    if (joint != TD_REVOLUTE && joint != TD_PRISMATIC)
        return error_set(err, TD_ERR_VALUE, where,
                         "%s has no joint that a motor could move: give it 'joint: revolute' or "
                         "'joint: prismatic'%s",
                         what, d->rod < 0 ? " where it is 'held'" : "");
    if (other >= 0)
        return error_set(err, TD_ERR_VALUE, where, "the joint of %s has a motor: '%s'", what,
                         robot->actuators[other].name);
    if (joint == TD_REVOLUTE && d->motor.travel != 1.0)
        return says(owner, "motor.lead", "is of a joint that slides; this one turns with the shaft",
                    err);
    return TD_OK;
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_joint_motor_def *d = of;
    td_status status = enumerator((place){owner, NULL, "end"}, (int)d->end, TD_TIP, "an end", err);
    if (!status && d->rod < 0 && (d->body < 0 || d->body >= robot->n_bodies)) {
        char where[OWNER_SIZE + 32];
        snprintf(where, sizeof where, "%s.body", owner);
        return error_set(err, TD_ERR_VALUE, where, "%d is not the index of one of %d bodies",
                         d->body, robot->n_bodies);
    }
    if (!status) status = joint_rule(robot, owner, d, err);
    if (!status) status = positive((place){owner, NULL, "stiffness"}, d->stiffness, "N m/rad", err);
    return status ? status : motor_validate(owner, "lead", "m/rad", &d->motor, (int)d->input, err);
}

static bool own(const robot_rod *rod, const char *name, void *of) {
    (void)rod;
    ((td_joint_motor_def *)of)->name = name;
    return true;
}

static void add_to_hash(hash *h, const void *of) {
    const td_joint_motor_def *d = of;
    HASH_INTS(h, d->rod, d->rod < 0 ? d->body : (int)d->end, (int)d->input);
    HASH_DOUBLES(h, d->stiffness);
    motor_hash(h, &d->motor);
}

static feature_set features(const void *of) {
    (void)of;
    return 1ull << TD_FEATURE_JOINT_MOTORS;
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    const td_joint_motor_def *d = of;
    if (d->rod < 0) snprintf(where, size, "its joint");
    else snprintf(where, size, "joint of the %s", d->end == TD_BASE ? "base" : "tip");
    snprintf(properties, size, "shaft %g N m/rad, gear %g", d->stiffness, d->motor.gear);
}

#define TWIST_OF_SHAFT 0.05  // rad, by the torque of one that moves a body

// A turn of a radian, and a torque or a force that bends the rod by that; where it slides, a tenth of its length.
static double scale(const robot_rod *rod, const void *of, int input) {
    const td_joint_motor_def *d = of;
    if (!rod)
        return motor_scale(&d->motor, input, TWIST_OF_SHAFT * d->stiffness / d->motor.travel,
                           d->motor.travel);
    const bool slides = (d->end == TD_BASE ? rod->base.joint : rod->tip.joint) == TD_PRISMATIC;
    const double bending = softest_bending(rod) / rod->length, lead = d->motor.travel;
    const double torque = slides ? lead * bending / rod->length : bending;
    td_motor_def shaft = d->motor;
    shaft.travel = 1.0;
    return motor_scale(&shaft, input, torque, slides ? 0.1 * rod->length / lead : 1.0);
}

static bool takes_negative(const void *of) {
    (void)of;
    return true;
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {MOTOR_INPUTS};
static const td_actuator_quantity recorded[] = {
    {"load", "N m", "torque of its shaft on the joint", AT(effort), false},
    {"turn", "rad", "of the shaft, at the joint", AT(measure), false},
    {"driven", "rad", "of the shaft, behind the gear", AT(supplied), false},
};
const actuator_row joint_motor_row = {
    .words = {"joint_motor", "joint_motors", TD_RECORD_JOINT_MOTORS, false, inputs, recorded, 5, 3},
    .size = sizeof(td_joint_motor_def), .head = head, .validate = validate, .own = own,
    .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative, .in_joint = true,
};
