// robot/engine.c - see engine.h.
#include "robot/engine.h"

#include <stdio.h>

#include "base/error.h"
#include "robot/rules.h"

td_motor_def td_default_motor_def(void) {
    return (td_motor_def){.gear = 1.0, .efficiency = 1.0};
}

td_valve_def td_default_valve_def(void) {
    return (td_valve_def){.critical_ratio = 0.3};
}

// ---------------------------------------------------------------- motors
static td_status needs(const char *owner, const char *key, const char *why, td_error *err) {
    char where[OWNER_SIZE + 32];
    snprintf(where, sizeof where, "%s.motor.%s", owner, key);
    return error_set(err, TD_ERR_VALUE, where, "%s", why);
}

// What a command takes for granted.
static td_status command_rule(const char *owner, const td_motor_def *m, int command,
                              td_error *err) {
    if ((command == TD_MOTOR_CURRENT || command == TD_MOTOR_VOLTAGE) && !(m->torque_constant > 0.0))
        return needs(owner, "torque_constant",
                     "a motor whose current or voltage is given needs it, N m/A", err);
    if (m->max_current > 0.0 && !(m->torque_constant > 0.0))
        return needs(owner, "torque_constant", "a limit of the current needs it, N m/A", err);
    if (command == TD_MOTOR_VOLTAGE && !(m->resistance > 0.0))
        return needs(owner, "resistance", "a motor whose voltage is given needs it, in ohm", err);
    if (command < TD_MOTOR_SPEED && !(m->inertia > 0.0) && !(m->viscous > 0.0) &&
        command != TD_MOTOR_VOLTAGE)
        return needs(owner, "inertia",
                     "a motor whose torque or current is given moves as its inertia, or its "
                     "viscous friction, lets it: give one of them; without a motor of interest "
                     "input: tension (or pressure) says the same",
                     err);
    if (command != TD_MOTOR_ANGLE && m->stiffness > 0.0)
        return refuse((place){owner, "motor", "stiffness"}, m->stiffness, "N m/rad",
                      "is of a control of the angle, but no angle is given: leave it out", err);
    if (command < TD_MOTOR_SPEED && m->damping > 0.0)
        return refuse((place){owner, "motor", "damping"}, m->damping, "N m s/rad",
                      "is of a control of angle or speed, but neither is given: leave it out, or "
                      "give viscous",
                      err);
    if (command == TD_MOTOR_ANGLE && m->damping > 0.0 && !(m->stiffness > 0.0))
        return needs(owner, "stiffness", "the damping of a control of the angle needs it, N m/rad",
                     err);
    if (command == TD_MOTOR_ANGLE && m->max_speed > 0.0 && m->stiffness > 0.0 &&
        !(m->damping > 0.0))
        return needs(owner, "damping",
                     "a control of the angle keeps a limit of the speed by its damping, N m s/rad",
                     err);
    return TD_OK;
}

td_status motor_validate(const char *owner, const char *travel, const char *unit,
                         const td_motor_def *m, int command, td_error *err) {
    const struct {
        const char *key, *unit;
        double value;
    } list[] = {
        {"inertia", "kg m^2", m->inertia},      {"friction", "N m", m->friction},
        {"viscous", "N m s/rad", m->viscous},   {"torque_constant", "N m/A", m->torque_constant},
        {"resistance", "ohm", m->resistance},   {"inductance", "H", m->inductance},
        {"stiffness", "N m/rad", m->stiffness}, {"damping", "N m s/rad", m->damping},
        {"max_torque", "N m", m->max_torque},   {"max_current", "A", m->max_current},
        {"max_speed", "rad/s", m->max_speed},
    };
    td_status status = positive((place){owner, "motor", travel}, m->travel, unit, err);
    if (!status) status = positive((place){owner, "motor", "gear"}, m->gear, "", err);
    if (!status && !(m->efficiency > 0.0 && m->efficiency <= 1.0))
        status = refuse((place){owner, "motor", "efficiency"}, m->efficiency, "",
                        "must be above 0 and at most 1", err);
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        status =
            not_negative((place){owner, "motor", list[i].key}, list[i].value, list[i].unit, err);
    return status ? status : command_rule(owner, m, command, err);
}

void motor_hash(hash *h, const td_motor_def *m) {
    HASH_DOUBLES(h, m->inertia, m->gear, m->efficiency, m->friction, m->viscous, m->travel,
                 m->torque_constant, m->resistance, m->inductance, m->stiffness, m->damping,
                 m->max_torque, m->max_current, m->max_speed);
}

double motor_scale(const td_motor_def *m, int command, double effort, double supplied) {
    const double torque = effort * m->travel / m->gear;
    switch ((td_motor_command)command) {
    case TD_MOTOR_TORQUE: return torque;
    case TD_MOTOR_CURRENT: return torque / m->torque_constant;
    case TD_MOTOR_VOLTAGE: return m->resistance * torque / m->torque_constant;
    case TD_MOTOR_SPEED:
    case TD_MOTOR_ANGLE: return supplied / m->travel;
    }
    return 1.0;
}

// ---------------------------------------------------------------- valves
td_status valve_validate(const char *owner, const td_valve_def *v, td_error *err) {
    td_status status = not_negative((place){owner, "valve", "supply"}, v->supply, "Pa", err);
    if (!status)
        status = positive((place){owner, "valve", "conductance"}, v->conductance, "m^3/s/Pa", err);
    if (!status && !(v->critical_ratio >= 0.0 && v->critical_ratio <= 0.9))
        status = refuse((place){owner, "valve", "critical_ratio"}, v->critical_ratio, "",
                        "must be between 0 and 0.9", err);
    if (!status)
        status = not_negative((place){owner, "valve", "transition"}, v->transition, "Pa", err);
    if (!status) status = not_negative((place){owner, "valve", "line"}, v->line, "m^3", err);
    if (!status)
        status = not_negative((place){owner, "valve", "line_compliance"}, v->line_compliance,
                              "m^3/Pa", err);
    if (!status && v->liquid && v->line > 0.0)
        status = refuse((place){owner, "valve", "line"}, v->line, "m^3",
                        "is of gas alone; the line of a liquid has a line_compliance", err);
    if (!status && !v->liquid && v->transition > 0.0)
        status = refuse((place){owner, "valve", "transition"}, v->transition, "Pa",
                        "is of a liquid alone (liquid: true)", err);
    if (!status && !v->liquid && v->line_compliance > 0.0)
        status =
            refuse((place){owner, "valve", "line_compliance"}, v->line_compliance, "m^3/Pa",
                   "is of a liquid alone (liquid: true); that of gas is its volume, line", err);
    return status;
}

void valve_hash(hash *h, const td_valve_def *v) {
    HASH_INTS(h, v->liquid);
    HASH_DOUBLES(h, v->supply, v->conductance, v->critical_ratio, v->transition, v->line,
                 v->line_compliance);
}
