// robot/file_joint_motor.c - motors of joints in files: their keys, and from the tree to the robot.
#include "robot/file_save.h"

typedef struct joint_motor_draft {
    const char *rod, *body;
    node *value;
    int end;
    td_joint_motor_def def;
} joint_motor_draft;

static const choice ends[] = {{"base", TD_BASE}, {"tip", TD_TIP}, {0}};
static const choice inputs[] = {{"torque", TD_MOTOR_TORQUE},   {"current", TD_MOTOR_CURRENT},
                                {"voltage", TD_MOTOR_VOLTAGE}, {"speed", TD_MOTOR_SPEED},
                                {"angle", TD_MOTOR_ANGLE},     {0}};
#define AT(field) offsetof(joint_motor_draft, field)
static const key joint_motor_keys[] = {
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(def.name), 0,
     0},
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(rod), 0, 0},
    {"body", &type_text, NULL, "-",
     "or the name of a body that is `held` by a revolute or prismatic joint", AT(body), 0, 0},
    {"end", &type_choice, NULL, "base", "end of the rod, held by a revolute or prismatic joint",
     AT(end), ends, 0},
    {"input", &type_choice, NULL, REQUIRED,
     "quantity of its input: N m, A or V of the motor, rad/s or rad of its shaft", AT(def.input),
     inputs, 0},
    {"value", &type_value, NULL, "an input of its own name", "command of the motor", AT(value), 0,
     0},
    {"stiffness", &type_quantity, "N m/rad", REQUIRED,
     "stiffness of the shaft between gear and joint", AT(def.stiffness), 0, 0},
    {"motor", &type_mapping, NULL, REQUIRED, "the motor and its gear", AT(def.motor), 0,
     &joint_motor_motor_mapping},
    REPEAT_KEY,
};
const mapping joint_motor_mapping = {
    "joint_motors[]",
    "A motor turns or slides an end of a rod, or a body, in its joint, through a shaft that gives "
    "way. Without `value` it is driven by an input of its name.",
    KEYS(joint_motor_keys), 0, 0};
#undef AT

static td_status check_lead(reader *r, const node *n, const td_joint_motor_def *def) {
    const node *motor = node_child(n, "motor");
    const bool slides = joint_of_motor(r->robot, def) == TD_PRISMATIC;
    if (!slides || node_child(motor, "lead")) return TD_OK;
    return REFUSE(motor,
                  "the key 'lead' is missing: how far the joint slides for each radian of the "
                  "shaft, in m/rad");
}

td_status read_joint_motor(reader *r, node *n) {
    joint_motor_draft draft = {.def = td_default_joint_motor_def()};
    td_joint_motor_def *def = &draft.def;
    td_status status = read_mapping(r, n, &joint_motor_mapping, &draft);
    if (!status) status = check_name(r, n, "joint_motors", find_joint_motor);
    if (!status && draft.body && (draft.rod || node_child(n, "end")))
        status = REFUSE(n, "a motor moves an end of a rod, or a body, not both");
    if (!status && !draft.body) status = read_rod_name(r, n, "rod", draft.rod, &def->rod);
    if (!status && draft.body) status = read_body_name(r, n, "body", draft.body, &def->body);
    if (status) return status;
    if (draft.body) def->rod = FREE_BODY;
    const td_actuator_quantity *input = &actuator_rows[KIND_joint_motor]->words.inputs[def->input];
    def->end = (td_end)draft.end;
    status = check_lead(r, n, def);
    if (!status) status = check_engine(r, n, "motor", true, input->name, &def->motor);
    if (!status) status = read_effort(r, n, draft.value, def->name, input->unit, &def->value);
    return status ? status : added_part(r, n, td_robot_add_joint_motor(r->robot, def, r->err));
}

void save_joint_motor(saver *s, node *to, const void *of) {
    const td_joint_motor_def *def = of;
    const joint_motor_draft usual = {.def = td_default_joint_motor_def()};
    const bool on_body = def->rod == FREE_BODY;
    const joint_motor_draft draft = {.body = on_body ? s->robot->bodies[def->body].name : NULL,
                                     .end = on_body ? TD_BASE : (int)def->end,
                                     .def = *def};
    save_mapping(s, to, &joint_motor_mapping, &draft, &usual);
}
