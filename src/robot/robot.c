// robot/robot.c - building a robot in code, part by part. Every part is checked before anything is
// changed, and copied.
#include "robot/obstacles.h"
#include "robot/robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/actuators.h"
#include "robot/rules.h"

static td_status no_memory(td_error *err) {
    return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
}

static void *copy_bytes(const void *from, size_t bytes) {
    void *copy = malloc(bytes);
    if (copy) memcpy(copy, from, bytes);
    return copy;
}

// Room for one more element at the end of *array; the count is the caller's.
static bool grow(void **array, int n, size_t size) {
    void *larger = realloc(*array, (size_t)(n + 1) * size);
    if (larger) *array = larger;
    return larger != NULL;
}

// ---------------------------------------------------------------- defaults
td_piece_def td_default_piece_def(void) {
    return (td_piece_def){
        .shear_factor = 1.0, .damping_power = 1.0, .rest_stretch = {0.0, 0.0, 1.0}};
}

#define NOT_HELD                                                                                   \
    {                                                                                              \
        .held = false, .body = TD_WORLD, .orientation = {1.0, 0.0, 0.0, 0.0}, .joint = TD_CLAMP,   \
        .axis = {1.0, 0.0, 0.0}, .axis2 = {                                                        \
            0.0,                                                                                   \
            1.0,                                                                                   \
            0.0                                                                                    \
        }                                                                                          \
    }

td_rod_def td_default_rod_def(void) {
    return (td_rod_def){
        .base = {.orientation = {1.0, 0.0, 0.0, 0.0},
                 .body = TD_WORLD,
                 .joint = TD_CLAMP,
                 .axis = {1.0, 0.0, 0.0},
                 .axis2 = {0.0, 1.0, 0.0}},
        .tip = NOT_HELD,
        .tube = {.within = -1, .slip_rate = 1.0},
    };
}

td_body_def td_default_body_def(void) {
    return (td_body_def){
        .attached = {.value = 1.0}, .orientation = {1.0, 0.0, 0.0, 0.0}, .hold = NOT_HELD};
}

td_load_def td_default_load_def(void) {
    return (td_load_def){.frame = TD_FRAME_WORLD};
}

td_field_def td_default_field_def(void) {
    return (td_field_def){.orientation = {1.0, 0.0, 0.0, 0.0}};
}

td_obstacle_def td_default_obstacle_def(void) {
    return (td_obstacle_def){.body = TD_WORLD, .orientation = {1.0, 0.0, 0.0, 0.0}};
}

td_contact_def td_default_contact_def(void) {
    return (td_contact_def){.friction = 0.0};
}

// ---------------------------------------------------------------- create and destroy
td_robot *td_robot_create(void) {
    td_robot *robot = calloc(1, sizeof *robot);
    if (!robot) return NULL;
    robot->gravity[2] = td_constant(-9.81);
    robot->options = td_default_options();
    robot->scenario = default_scenario();
    return robot;
}

static void free_contact(robot_contact *c) {
    free(c->name);
    free((int *)c->def.rods);
    free((int *)c->def.bodies);
}

void td_robot_destroy(td_robot *robot) {
    if (!robot) return;
    for (int i = 0; i < robot->n_inputs; i++) {
        free(robot->inputs[i].name);
        free(robot->inputs[i].unit);
        signal_release(&robot->inputs[i].signal);
    }
    for (int i = 0; i < robot->n_rods; i++) {
        free(robot->rods[i].name);
        free(robot->rods[i].pieces);
    }
    for (int i = 0; i < robot->n_bodies; i++) free(robot->bodies[i].name);
    robot_free_actuators(robot);
    for (int i = 0; i < robot->n_loads; i++) free(robot->loads[i].name);
    for (int i = 0; i < robot->n_fields; i++) free(robot->fields[i].name);
    free(robot->fields);
    for (int i = 0; i < robot->n_obstacles; i++) {
        free(robot->obstacles[i].name);
        free((double *)robot->obstacles[i].def.points);
        spline_grid_release(robot->obstacles[i].grid);
    }
    for (int i = 0; i < robot->n_contacts; i++) free_contact(&robot->contacts[i]);
    for (int i = 0; i < robot->n_initial; i++) free(robot->initial[i].name);
    free(robot->initial);
    free(robot->inputs);
    free(robot->rods);
    free(robot->bodies);
    free(robot->loads);
    free(robot->obstacles);
    free(robot->contacts);
    for (int i = 0; i < robot->n_sensors; i++) sensor_release(&robot->sensors[i]);
    free(robot->sensors);
    for (int i = 0; i < robot->n_controllers; i++) controller_release(&robot->controllers[i]);
    free(robot->controllers);
    estimator_release(robot->estimator);
    free(robot->name);
    free(robot->source);
    if (robot->document) robot->document->release(robot->document);
    free(robot->named_file);
    free(robot->file);
    free(robot);
}

// ---------------------------------------------------------------- look
// Count and search of one kind of parts.
#define PARTS(list, word)                                                                          \
    int td_robot_n_##list(const td_robot *robot) {                                                 \
        return robot ? robot->n_##list : 0;                                                        \
    }                                                                                              \
    int find_##word(const td_robot *robot, const char *name) {                                     \
        for (int i = 0; i < robot->n_##list; i++)                                                  \
            if (strcmp(robot->list[i].name, name) == 0) return i;                                  \
        return -1;                                                                                 \
    }

PARTS(rods, rod)
PARTS(bodies, body)
PARTS(loads, load)
PARTS(fields, field)
PARTS(obstacles, obstacle)
PARTS(contacts, contact)
PARTS(sensors, sensor)
PARTS(controllers, controller)
PARTS(inputs, input)

const char *td_robot_name(const td_robot *robot) {
    return robot && robot->name ? robot->name : "";
}

const char *td_robot_source(const td_robot *robot) {
    return robot && robot->source ? robot->source : "";
}

td_options td_robot_options(const td_robot *robot) {
    return robot ? robot->options : td_default_options();
}

td_scenario td_robot_scenario(const td_robot *robot) {
    return robot ? robot->scenario : default_scenario();
}

// ---------------------------------------------------------------- name and gravity
td_status td_robot_set_name(td_robot *robot, const char *name, td_error *err) {
    if (!robot || !name) return error_set(err, TD_ERR_ARGUMENT, "name", "an argument is NULL");
    char *copy = strdup(name);
    if (!copy) return no_memory(err);
    free(robot->name);
    robot->name = copy;
    return TD_OK;
}

td_status td_robot_set_gravity(td_robot *robot, const td_number gravity[3], td_error *err) {
    if (!robot || !gravity)
        return error_set(err, TD_ERR_ARGUMENT, "gravity", "an argument is NULL");
    td_status status = gravity_validate(robot, gravity, err);
    if (status) return status;
    memcpy(robot->gravity, gravity, sizeof robot->gravity);
    return TD_OK;
}

td_status td_robot_set_fluid(td_robot *robot, const td_fluid_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "fluid", "an argument is NULL");
    const td_status status = fluid_validate(robot, def, err);
    if (!status) robot->fluid = *def;
    return status;
}

// ---------------------------------------------------------------- inputs
static const part_kind input_kind = {"inputs", "input", find_input};

static td_status limits_validate(double low, double high, double rate, const char *where,
                                 td_error *err) {
    if (low <= high && isfinite(low) && isfinite(high) && rate >= 0.0 && isfinite(rate))
        return TD_OK;
    return error_set(err, TD_ERR_VALUE, where,
                     "[%g, %g], rate %g: low below high and a rate above 0 are expected", low, high,
                     rate);
}

static td_status input_validate(const td_robot *robot, const td_input_def *def, td_error *err) {
    char where[OWNER_SIZE];
    td_status status = part_validate(robot, &input_kind, def->name, robot->n_inputs, where, err);
    if (!status) status = limits_validate(def->low, def->high, def->rate, where, err);
    return status ? status : signal_validate(&def->signal, where, err);
}

int td_robot_add_input(td_robot *robot, const td_input_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "inputs", "an argument is NULL");
    td_status status = input_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->inputs, robot->n_inputs, sizeof *robot->inputs))
        return no_memory(err);

    robot_input input = {.name = strdup(def->name),
                         .unit = strdup(def->unit ? def->unit : ""),
                         .low = def->low,
                         .high = def->high,
                         .rate = def->rate};
    if (!signal_copy(&input.signal, &def->signal) || !input.name || !input.unit) {
        free(input.name);
        free(input.unit);
        signal_release(&input.signal);
        return no_memory(err);
    }
    robot->inputs[robot->n_inputs] = input;
    return robot->n_inputs++;
}

td_status td_robot_set_limits(td_robot *robot, int input, double low, double high, double rate,
                              td_error *err) {
    char where[128];
    if (!robot || input < 0 || input >= robot->n_inputs)
        return error_set(err, TD_ERR_ARGUMENT, "limits", "there is no input %d", input);
    robot_input *i = &robot->inputs[input];
    snprintf(where, sizeof where, "limits.%.100s", i->name);
    const td_status status = limits_validate(low, high, rate, where, err);
    if (status) return status;
    i->low = low, i->high = high, i->rate = rate;
    return TD_OK;
}

td_status robot_set_signal(td_robot *robot, int input, const td_signal *signal, td_error *err) {
    td_signal copy;
    const td_status status = signal_validate(signal, robot->inputs[input].name, err);
    if (status) return status;
    if (!signal_copy(&copy, signal)) return no_memory(err);
    signal_release(&robot->inputs[input].signal);
    robot->inputs[input].signal = copy;
    return TD_OK;
}

// ---------------------------------------------------------------- rods
static void normalise(double *a, int n) {
    double square = 0.0;
    for (int i = 0; i < n; i++) square += a[i] * a[i];
    for (int i = 0; i < n; i++) a[i] /= sqrt(square);
}

// What the rules let pass within a small angle is made exact.
static void make_exact(td_joint joint, double axis[3], double axis2[3]) {
    if (joint == TD_CLAMP || joint == TD_BALL || joint == TD_FREE) return;
    normalise(axis, 3);
    if (joint != TD_UNIVERSAL) return;
    normalise(axis2, 3);
    double along = axis[0] * axis2[0] + axis[1] * axis2[1] + axis[2] * axis2[2];
    for (int i = 0; i < 3; i++) axis2[i] -= along * axis[i];
    normalise(axis2, 3);
}

static void make_held_exact(td_tip_def *hold) {
    if (!hold->held) return;
    normalise(hold->orientation, 4);
    make_exact(hold->joint, hold->axis, hold->axis2);
}

int td_robot_add_rod(td_robot *robot, const td_rod_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "rods", "an argument is NULL");
    td_status status = rod_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->rods, robot->n_rods, sizeof *robot->rods)) return no_memory(err);

    robot_rod rod = {.name = strdup(def->name),
                     .pieces = copy_bytes(def->pieces, sizeof *def->pieces * (size_t)def->n_pieces),
                     .n_pieces = def->n_pieces,
                     .length = rod_def_length(def),
                     .base = def->base,
                     .tip = def->tip,
                     .feed = def->feed,
                     .tube = def->tube,
                     .envelope = def->envelope,
                     .mean_stretch = def->mean_stretch,
                     .feed_at_tip = def->feed_at_tip};
    if (!rod.name || !rod.pieces) {
        free(rod.name);
        free(rod.pieces);
        return no_memory(err);
    }
    normalise(rod.base.orientation, 4);
    make_exact(rod.base.joint, rod.base.axis, rod.base.axis2);
    make_held_exact(&rod.tip);
    for (int i = 0; i < rod.n_pieces; i++)
        if (!section_is_given(&rod.pieces[i].section_end))
            rod.pieces[i].section_end = rod.pieces[i].section;
    robot->rods[robot->n_rods] = rod;
    return robot->n_rods++;
}

// ---------------------------------------------------------------- bodies
int td_robot_add_body(td_robot *robot, const td_body_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "bodies", "an argument is NULL");
    td_status status = body_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->bodies, robot->n_bodies, sizeof *robot->bodies))
        return no_memory(err);

    robot_body body = {.name = strdup(def->name), .def = *def};
    if (!body.name) return no_memory(err);
    body.def.name = body.name;
    make_held_exact(&body.def.hold);
    if (def->rod == FREE_BODY) normalise(body.def.orientation, 4);
    else body.def.at = fmin(def->at, robot->rods[def->rod].length);
    robot->bodies[robot->n_bodies] = body;
    return robot->n_bodies++;
}

// ---------------------------------------------------------------- loads
int td_robot_add_load(td_robot *robot, const td_load_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "loads", "an argument is NULL");
    td_status status = load_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->loads, robot->n_loads, sizeof *robot->loads)) return no_memory(err);

    robot_load load = {.name = strdup(def->name), .def = *def};
    if (!load.name) return no_memory(err);
    double length = def->rod == FREE_BODY ? 0.0 : robot->rods[def->rod].length;
    load.def.name = load.name;
    load.def.from = fmin(def->from, length);
    load.def.to = def->distributed ? fmin(def->to, length) : load.def.from;
    robot->loads[robot->n_loads] = load;
    return robot->n_loads++;
}

// ---------------------------------------------------------------- fields
int td_robot_add_field(td_robot *robot, const td_field_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "fields", "an argument is NULL");
    td_status status = field_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->fields, robot->n_fields, sizeof *robot->fields))
        return no_memory(err);
    robot_field field = {.name = strdup(def->name), .def = *def};
    if (!field.name) return no_memory(err);
    field.def.name = field.name;
    normalise(field.def.orientation, 4);
    robot->fields[robot->n_fields] = field;
    return robot->n_fields++;
}

bool robot_has_magnets(const td_robot *robot) {
    bool any = false;
    for (int i = 0; i < robot->n_bodies && !any; i++) any = body_is_magnetic(&robot->bodies[i].def);
    for (int i = 0; i < robot->n_rods && !any; i++)
        for (int k = 0; k < robot->rods[i].n_pieces && !any; k++)
            any = piece_is_magnetic(&robot->rods[i].pieces[k]);
    return any && robot->n_fields > 0;
}

// ---------------------------------------------------------------- obstacles
int td_robot_add_obstacle(td_robot *robot, const td_obstacle_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "obstacles", "an argument is NULL");
    td_status status = obstacle_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->obstacles, robot->n_obstacles, sizeof *robot->obstacles))
        return no_memory(err);

    const bool has_grid = obstacle_is(def->shape, HAS_GRID);
    const bool has_points = obstacle_is(def->shape, HAS_POINTS);
    robot_obstacle obstacle = {.name = strdup(def->name), .def = *def};
    obstacle.def.points = NULL;
    if (has_points)
        obstacle.def.points = copy_bytes(def->points, 4 * sizeof(double) * (size_t)def->n_points);
    else obstacle.def.n_points = 0;
    if (def->shape != TD_OBSTACLE_TUBE) obstacle.def.n_branches = 0;
    if (has_grid) obstacle.grid = obstacle_grid(def);
    if (!obstacle.name || (has_points && !obstacle.def.points) || (has_grid && !obstacle.grid)) {
        free(obstacle.name);
        spline_grid_release(obstacle.grid);
        free((double *)obstacle.def.points);
        return no_memory(err);
    }
    obstacle.def.name = obstacle.name;
    normalise(obstacle.def.orientation, 4);
    robot->obstacles[robot->n_obstacles] = obstacle;
    return robot->n_obstacles++;
}

// ---------------------------------------------------------------- contacts
int td_robot_add_contact(td_robot *robot, const td_contact_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "contacts", "an argument is NULL");
    td_status status = contact_validate(robot, def, err);
    if (status) return status;
    if (!grow((void **)&robot->contacts, robot->n_contacts, sizeof *robot->contacts))
        return no_memory(err);

    robot_contact contact = {.name = strdup(def->name), .def = *def};
    contact.def.name = contact.name;
    contact.def.rods = contact.def.bodies = NULL;
    if (def->n_rods > 0)
        contact.def.rods = copy_bytes(def->rods, sizeof(int) * (size_t)def->n_rods);
    if (def->n_bodies > 0)
        contact.def.bodies = copy_bytes(def->bodies, sizeof(int) * (size_t)def->n_bodies);
    if (!contact.name || (def->n_rods > 0 && !contact.def.rods) ||
        (def->n_bodies > 0 && !contact.def.bodies)) {
        free_contact(&contact);
        return no_memory(err);
    }
    robot->contacts[robot->n_contacts] = contact;
    return robot->n_contacts++;
}

// ---------------------------------------------------------------- where a motion starts
td_status robot_add_initial(td_robot *robot, const char *name, const robot_initial *given,
                            td_error *err) {
    char where[160];
    const char *group = given->rate ? "velocities" : "coordinates";
    snprintf(where, sizeof where, "initial.%s", group);
    if (!*name) return error_set(err, TD_ERR_VALUE, where, "the name of a coordinate is missing");
    snprintf(where, sizeof where, "initial.%s.%.120s", group, name);
    if (!(fabs(given->value) <= LARGEST_QUANTITY))
        return error_set(err, TD_ERR_VALUE, where, "%g must be finite and at most %g", given->value,
                         LARGEST_QUANTITY);
    if (robot->n_initial >= MOST_PARTS)
        return error_set(err, TD_ERR_VALUE, where, "there are more than %d of them", MOST_PARTS);
    if (!grow((void **)&robot->initial, robot->n_initial, sizeof *robot->initial))
        return no_memory(err);
    robot_initial *to = &robot->initial[robot->n_initial];
    *to = *given;
    if (!(to->name = strdup(name))) return no_memory(err);
    robot->n_initial++;
    return TD_OK;
}

static td_status set_initial(td_robot *robot, const char *name, double value, bool rate,
                             td_error *err) {
    if (!robot || !name) return error_set(err, TD_ERR_ARGUMENT, "initial", "an argument is NULL");
    return robot_add_initial(robot, name, &(robot_initial){.value = value, .rate = rate}, err);
}

td_status td_robot_set_initial_motion(td_robot *robot, const double linear[3],
                                      const double angular[3], const double about[3],
                                      td_error *err) {
    if (!robot || !linear || !angular || !about)
        return error_set(err, TD_ERR_ARGUMENT, "initial.motion", "an argument is NULL");
    td_status status = finite_values("initial", "motion.linear", linear, 3, "m/s", err);
    if (!status) status = finite_values("initial", "motion.angular", angular, 3, "rad/s", err);
    if (!status) status = finite_values("initial", "motion.about", about, 3, "m", err);
    if (status) return status;
    memcpy(robot->motion.linear, linear, sizeof robot->motion.linear);
    memcpy(robot->motion.angular, angular, sizeof robot->motion.angular);
    memcpy(robot->motion.about, about, sizeof robot->motion.about);
    return TD_OK;
}

td_status td_robot_set_initial(td_robot *robot, const char *name, double value, td_error *err) {
    return set_initial(robot, name, value, false, err);
}

td_status td_robot_set_initial_rate(td_robot *robot, const char *name, double value,
                                    td_error *err) {
    return set_initial(robot, name, value, true, err);
}
