// cli/description.c - see description.h.
#include "cli/description.h"

#include "robot/facts.h"

static void put_ends(json *j, const td_robot *robot, int rod) {
    end_facts f = end_facts_of(robot, rod);
    if (f.base[0]) json_put_string(j, "base", f.base);
    if (f.tip[0]) json_put_string(j, "tip", f.tip);
    if (f.feed[0]) json_put_string(j, "feed", f.feed);
    if (f.feed[0] && f.at_tip) json_put_bool(j, "feed_at_tip", true);
    if (f.within) json_put_string(j, "within", f.within);
    if (f.rotation[0]) json_put_string(j, "rotation", f.rotation);
    if (f.rotation[0]) json_put_string(j, "translation", f.translation);
}

static void put_rod(json *j, const void *robot, int i) {
    rod_facts f = rod_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_number(j, "length", f.length);
    json_put_integer(j, "pieces", f.n_pieces);
    json_put_number(j, "mass", f.mass);
    json_put_numbers(j, "stiffness", f.base.stiffness, 6);
    json_put_numbers(j, "stiffness_tip", f.tip.stiffness, 6);
    if (f.law[0]) json_put_string(j, "material", f.law);
    json_put_number(j, "first_frequency", f.frequency);
    put_ends(j, robot, i);
}

static void put_load(json *j, const void *robot, int i) {
    load_facts f = load_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_string(j, f.rod ? "rod" : "body", f.rod ? f.rod : f.body);
    json_put_bool(j, "distributed", f.distributed);
    json_put_number(j, "from", f.from);
    json_put_number(j, "to", f.to);
    json_put_string(j, "frame", f.frame);
    json_put_string(j, "force", f.force[0] ? f.force : NULL);
    json_put_string(j, "moment", f.moment[0] ? f.moment : NULL);
}

static void put_obstacle(json *j, const void *robot, int i) {
    const obstacle_facts f = obstacle_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_string(j, "shape", f.shape);
    json_put_bool(j, "inside", f.inside);
    json_put_string(j, "size", f.size[0] ? f.size : NULL);
    json_put_string(j, "position", f.position);
    json_put_string(j, "surface", f.surface[0] ? f.surface : NULL);
}

static void put_field(json *j, const void *robot, int i) {
    const field_facts f = field_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_string(j, f.dipole ? "moment" : "flux", f.strength);
    json_put_string(j, "gradient", f.gradient[0] ? f.gradient : NULL);
    json_put_string(j, "position", f.position);
}

static void put_input(json *j, const void *robot, int i) {
    input_facts f = input_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_string(j, "unit", f.unit);
    json_put_string(j, "signal", f.signal);
}

static void put_body(json *j, const void *robot, int i) {
    body_facts f = body_facts_of(robot, i);
    json_put_string(j, "name", f.name);
    json_put_string(j, "rides_on", f.rod);
    if (f.rod) json_put_number(j, "at", f.at);
    json_put_number(j, "mass", f.mass);
    json_put_numbers(j, "inertia", f.inertia, 3);
    if (f.rod) json_put_string(j, "attached", f.attached);
}

static void put_actuator(json *j, const actuator_facts *f) {
    json_begin_object(j);
    json_put_string(j, "name", f->name);
    json_put_string(j, f->rod ? "rod" : "body", f->rod ? f->rod : f->body);
    json_put_number(j, "from", f->from);
    json_put_number(j, "to", f->to);
    if (f->kind->thin) json_put_string(j, "route", f->where);
    if (!f->kind->thin) json_put_numbers(j, "offset", f->offset, 2);
    if (!f->kind->thin) json_put_number(j, "area", f->area);
    json_put_string(j, "given", f->given);
    json_put_string(j, "value", f->value);
    if (f->kind->thin) json_put_string(j, "properties", f->properties);
    json_end_object(j);
}

// An array for each kind: "tendons", ...
static void put_actuators(json *j, const td_robot *robot) {
    const td_actuator_kind *kind;
    for (int k = 0; (kind = td_actuator_kind_at(k)); k++) {
        json_open_array(j, kind->plural);
        for (int i = 0; i < robot->n_actuators; i++) {
            const actuator_facts f = actuator_facts_of(robot, i);
            if (f.kind == kind) put_actuator(j, &f);
        }
        json_end_array(j);
    }
}

void description_put(json *j, const td_robot *robot) {
    json_put_list(j, "rods", td_robot_n_rods(robot), put_rod, robot);
    json_put_list(j, "bodies", td_robot_n_bodies(robot), put_body, robot);
    put_actuators(j, robot);
    json_put_list(j, "loads", td_robot_n_loads(robot), put_load, robot);
    if (td_robot_n_fields(robot))
        json_put_list(j, "fields", td_robot_n_fields(robot), put_field, robot);
    json_put_list(j, "obstacles", td_robot_n_obstacles(robot), put_obstacle, robot);
    json_put_list(j, "inputs", td_robot_n_inputs(robot), put_input, robot);
}
