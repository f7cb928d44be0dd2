// robot/file_engine.c - motors and valves in files: their keys.
#include <string.h>

#include "robot/file_read.h"

// 0 stands for no limit in td_motor_def, and for a control that holds by any torque; in a file what is written down
// is meant.
static td_status check_zeros(reader *r, const node *n, const td_motor_def *m, bool by_speed) {
    const struct {
        const char *key;
        double value;
    } list[] = {{"max_torque", m->max_torque},
                {"max_current", m->max_current},
                {"max_speed", m->max_speed}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const node *c = node_child(n, list[i].key);
        if (c && list[i].value == 0.0)
            return REFUSE(c, "'%s' must be positive, but is 0; left out, there is no limit",
                          list[i].key);
    }
    const node *stiffness = node_child(n, "stiffness"), *damping = node_child(n, "damping");
    if (stiffness && m->stiffness == 0.0)
        return REFUSE(stiffness,
                      "a control of 0 N m/rad holds no angle; left out, it holds by any torque");
    if (by_speed && damping && m->damping == 0.0)
        return REFUSE(damping,
                      "a control of 0 N m s/rad holds no speed; left out, it holds by any torque");
    return TD_OK;
}

td_status check_engine(reader *r, const node *n, const char *group, bool wanted, const char *input,
                       const td_motor_def *motor) {
    const node *given = node_child(n, group);
    if (given && wanted && motor) return check_zeros(r, given, motor, strcmp(input, "speed") == 0);
    if (!given == !wanted) return TD_OK;
    if (given)
        return REFUSE(given, "input '%s' is not given to a %s; it is: %s", input, group,
                      group[0] == 'm' ? "torque, current, voltage, speed or angle" : "opening");
    return REFUSE(n, "the key '%s' is missing: input '%s' is given to one", group, input);
}

// clang-format off
#define AT(field) offsetof(td_motor_def, field)
static const key motor_keys[] = {
    {"inertia", &type_quantity, "kg m^2", "0", "inertia of the rotor and what turns with it", AT(inertia), 0, 0},
    {"gear", &type_quantity, "", "1", "gear ratio: turns of the rotor per turn of the spool or pump", AT(gear), 0, 0},
    {"efficiency", &type_quantity, "", "1", "efficiency of the gear: the load gets this share of the rotor's torque; when the load drives, the rotor gets this share", AT(efficiency), 0, 0},
    {"friction", &type_quantity, "N m", "0", "Coulomb friction at the rotor", AT(friction), 0, 0},
    {"viscous", &type_quantity, "N m s/rad", "0", "viscous friction at the rotor", AT(viscous), 0, 0},
    {"torque_constant", &type_quantity, "N m/A", "required for current and voltage", "torque per current", AT(torque_constant), 0, 0},
    {"resistance", &type_quantity, "ohm", "required for voltage", "of its coil", AT(resistance), 0, 0},
    {"inductance", &type_quantity, "H", "0", "of its coil", AT(inductance), 0, 0},
    {"stiffness", &type_quantity, "N m/rad", "rigid: any torque", "stiffness of the angle control, at the rotor", AT(stiffness), 0, 0},
    {"damping", &type_quantity, "N m s/rad", "0; of speed control rigid: any torque", "damping of the angle or speed control, at the rotor", AT(damping), 0, 0},
    {"max_torque", &type_quantity, "N m", "no limit", "largest torque at the rotor", AT(max_torque), 0, 0},
    {"max_current", &type_quantity, "A", "no limit", "of its coil", AT(max_current), 0, 0},
    {"max_speed", &type_quantity, "rad/s", "no limit", "largest speed of the spool or pump", AT(max_speed), 0, 0},
};
static const mapping motor_mapping = {"motor", "A motor with its gear.", KEYS(motor_keys), 0, 0};
static const key spool_keys[] = {
    {"spool", &type_quantity, "m", "required", "radius of the spool that winds the tendon up", AT(travel), 0, 0},
};
const mapping tendon_motor_mapping = {"tendons[].motor", "The motor of a tendon whose `input` is a torque, current, voltage, speed or angle.", KEYS(spool_keys), &motor_mapping, 0};
static const key stroke_keys[] = {
    {"stroke", &type_quantity, "m^3/rad", "required", "volume delivered per radian of the pump", AT(travel), 0, 0},
};
const mapping chamber_motor_mapping = {"chambers[].motor", "The pump of a chamber whose `input` is a torque, current, voltage, speed or angle. The fluid is incompressible.", KEYS(stroke_keys), &motor_mapping, 0};
static const key lead_keys[] = {
    {"lead", &type_quantity, "m/rad", "required for a prismatic joint", "how far a joint that slides moves per radian of the shaft: the lead of a screw, the radius of a pinion", AT(travel), 0, 0},
};
const mapping joint_motor_motor_mapping = {"joint_motors[].motor", "The motor of a joint.", KEYS(lead_keys), &motor_mapping, 0};
#undef AT

#define AT(field) offsetof(td_valve_def, field)
static const key valve_keys[] = {
    {"supply", &type_quantity, "Pa", "0", "pressure of the supply above the atmosphere", AT(supply), 0, 0},
    {"conductance", &type_quantity, "m^3/(s Pa)", "required", "when fully open: sonic conductance (ISO 6358) of gas, or flow per pressure of liquid", AT(conductance), 0, 0},
    {"critical_ratio", &type_quantity, "", "0.3", "of gas: downstream over upstream pressure (absolute) below which the flow is choked", AT(critical_ratio), 0, 0},
    {"liquid", &type_flag, NULL, "false", "an incompressible fluid instead of gas", AT(liquid), 0, 0},
    {"transition", &type_quantity, "Pa", "never", "of liquid: pressure difference beyond which the flow is that of an orifice", AT(transition), 0, 0},
    {"line", &type_quantity, "m^3", "0", "of gas: volume between valve and chamber", AT(line), 0, 0},
    {"line_compliance", &type_quantity, "m^3/Pa", "0", "of liquid: volume per pressure that the line between valve and chamber takes up", AT(line_compliance), 0, 0},
};
const mapping valve_mapping = {"chambers[].valve", "A valve between a supply, the chamber and the atmosphere, where `input` is its opening.", KEYS(valve_keys), 0, 0};
#undef AT
// clang-format on
