// What can be said of bodies, actuators and of how rods are held.
#include <stdio.h>
#include <string.h>

#include "robot/actuators.h"
#include "robot/facts.h"
#include "robot/sensor.h"

// ---------------------------------------------------------------- ends of rods
static void describe_joint(const td_robot *robot, td_joint joint, int body, char *text,
                           size_t size) {
    static const char *const words[] = {"clamped to", "by a ball joint on",
                                        "by a revolute joint on", "by a universal joint on",
                                        "by a prismatic joint on"};
    if (joint == TD_FREE) {
        snprintf(text, size, "free");
        return;
    }
    snprintf(text, size, "%s %s", words[joint],
             body == TD_WORLD ? "the world" : robot->bodies[body].name);
}

end_facts end_facts_of(const td_robot *robot, int index) {
    const robot_rod *rod = &robot->rods[index];
    const td_base_def *base = &rod->base;
    const td_tip_def *tip = &rod->tip;
    end_facts f = {0};
    if (base->body != TD_WORLD) f.base_body = robot->bodies[base->body].name;
    if (tip->held && tip->body != TD_WORLD) f.tip_body = robot->bodies[tip->body].name;
    if (base->body != TD_WORLD || base->joint != TD_CLAMP)
        describe_joint(robot, base->joint, base->body, f.base, sizeof f.base);
    if (tip->held) describe_joint(robot, tip->joint, tip->body, f.tip, sizeof f.tip);
    if (is_fed(rod->feed)) describe_number(robot, rod->feed, f.feed, sizeof f.feed);
    f.at_tip = rod->feed_at_tip;
    if (!is_tube(robot, index)) return f;
    if (rod->tube.within >= 0) f.within = robot->rods[rod->tube.within].name;
    describe_number(robot, rod->tube.rotation, f.rotation, sizeof f.rotation);
    describe_number(robot, rod->tube.translation, f.translation, sizeof f.translation);
    return f;
}

// ---------------------------------------------------------------- bodies
body_facts body_facts_of(const td_robot *robot, int index) {
    const td_body_def *d = &robot->bodies[index].def;
    body_facts f = {.name = robot->bodies[index].name, .mass = d->mass};
    if (d->rod != FREE_BODY) {
        f.rod = robot->rods[d->rod].name;
        f.at = d->at;
    }
    memcpy(f.inertia, d->inertia, sizeof f.inertia);
    f.radius = d->radius, f.height = d->height;
    describe_number(robot, d->attached, f.attached, sizeof f.attached);
    if (d->hold.held && d->hold.body != TD_WORLD) f.held_by = robot->bodies[d->hold.body].name;
    if (d->hold.held) describe_joint(robot, d->hold.joint, d->hold.body, f.held, sizeof f.held);
    return f;
}

// ---------------------------------------------------------------- actuators
actuator_facts actuator_facts_of(const td_robot *robot, int index) {
    const robot_actuator *a = &robot->actuators[index];
    const actuator_head h = actuator_head_of(a);
    const td_actuator_quantity *given = &a->kind->words.inputs[h.input];
    actuator_facts f = {.kind = &a->kind->words,
                        .name = a->name,
                        .index = a->index,
                        .rod_index = h.rod,
                        .from = h.from,
                        .to = h.to,
                        .given = given->name,
                        .unit = given->unit,
                        .by_effort = h.input == 0,
                        .number = h.value,
                        .takes_negative = a->kind->takes_negative(a->def)};
    const robot_rod *rod = h.rod == FREE_BODY ? NULL : &robot->rods[h.rod];
    if (rod) f.rod = rod->name;
    else f.body = robot->bodies[((const td_joint_motor_def *)a->def)->body].name;
    f.scale = a->kind->scale(rod, a->def, h.input);
    f.effort_scale = a->kind->scale(rod, a->def, 0);
    const actuator_look look =
        a->kind->look ? a->kind->look(a->def) : (actuator_look){.straight = true};
    f.straight = look.straight;
    f.area = look.area;
    memcpy(f.offset, look.offset, sizeof f.offset);
    if (a->kind->made && a->kind->made(a->def)) f.given = "driven by", f.unit = "";
    a->kind->describe(a->def, f.where, f.properties, sizeof f.where);
    describe_number(robot, h.value, f.value, sizeof f.value);
    return f;
}

// ---------------------------------------------------------------- inputs
bool input_actuates(const td_robot *robot, int input) {
    for (int i = 0; i < robot->n_rods; i++)
        if (is_driven_by(&robot->rods[i].feed, input) ||
            is_driven_by(&robot->rods[i].tube.rotation, input) ||
            is_driven_by(&robot->rods[i].tube.translation, input))
            return true;
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (is_driven_by(&h.value, input)) return true;
    }
    return false;
}

// ---------------------------------------------------------------- sensors
static void add_quality(char *text, size_t size, const char *what, double value, const char *unit) {
    const size_t used = strlen(text);
    if (value != 0.0 && used < size)
        snprintf(text + used, size - used, "%s%s %g%s%s", used ? ", " : "", what, value,
                 *unit ? " " : "", unit);
}

sensor_facts sensor_facts_of(const td_robot *robot, int index) {
    const td_sensor_def *d = &robot->sensors[index].def;
    const sensor_word *word = sensor_word_of(d->measures);
    const char *unit = strcmp(word->unit, "1") ? word->unit : "";
    char rooted[48];
    sensor_facts f = {.name = d->name, .measures = d->measures, .rate = d->rate, .delay = d->delay};
    if (d->rate > 0.0) snprintf(f.times, sizeof f.times, "%g Hz", d->rate);
    else snprintf(f.times, sizeof f.times, "after every step");
    if (d->delay > 0.0)
        snprintf(f.times + strlen(f.times), sizeof f.times - strlen(f.times), ", %g s late",
                 d->delay);
    add_quality(f.quality, sizeof f.quality, "noise", d->noise, unit);
    snprintf(rooted, sizeof rooted, "%s/sqrt(Hz)", unit);
    add_quality(f.quality, sizeof f.quality, "density", d->density, rooted);
    add_quality(f.quality, sizeof f.quality, "bias", d->bias, unit);
    snprintf(rooted, sizeof rooted, "%s/sqrt(s)", unit);
    add_quality(f.quality, sizeof f.quality, "drift", d->drift, rooted);
    add_quality(f.quality, sizeof f.quality, "quantum", d->quantum, unit);
    return f;
}

// ---------------------------------------------------------------- controllers
controller_facts controller_facts_of(const td_robot *robot, int index) {
    static const char *const kinds[] = {"pid",   "formula",         "feedback",
                                        "track", "computed torque", "a function"};
    const td_controller_def *d = &robot->controllers[index].def;
    controller_facts f = {.name = d->name, .kind = kinds[d->kind]};
    size_t used = 0;
    for (int i = 0; i < d->n_inputs && used < sizeof f.drives; i++)
        used += (size_t)snprintf(f.drives + used, sizeof f.drives - used, "%s%s", i ? ", " : "",
                                 robot->inputs[d->inputs[i]].name);
    if (d->period > 0.0) snprintf(f.times, sizeof f.times, "every %g s", d->period);
    else snprintf(f.times, sizeof f.times, "at every step");
    if (d->delay > 0.0)
        snprintf(f.times + strlen(f.times), sizeof f.times - strlen(f.times), ", %g s late",
                 d->delay);
    return f;
}
