// sim/system.c - compiling a robot under one model.
#include "sim/drive.h"
#include "sim/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/pi.h"
#include "robot/facts.h"
#include "robot/places.h"
#include "robot/suggest.h"
#include "sim/controller.h"
#include "sim/sensor.h"
#include "sim/solver.h"
#include "sim/watch.h"
#include "solve/chart.h"
#include "model/obstacles.h"

const char *td_version(void) {
    return TD_VERSION;
}

static void mark_rate(td_system *system, const td_number *n) {
    if (n->gain != 0.0) system->rate_matters[n->input] = true;
}

// A scheme that damps nothing keeps for ever what it is given once: where an effort follows from a
// displacement, a volume or an amount that has a kink, it would ring from step to step.
static bool rings(const td_options *o) {
    if (!td_reads_option(o, "simulation.time.scheme")) return false;
    return o->scheme == TD_TRAPEZOIDAL || (o->scheme == TD_BDF_ALPHA && o->alpha <= -0.5);
}

static void mark_efforts(td_system *system) {
    for (int i = 0; i < system->n_actuators; i++)
        if (system->actuators[i].control != CONTROL_EFFORT &&
            !actuator_is_driven(&system->actuators[i]))
            mark_rate(system, &system->actuators[i].value);
}

static void mark_rates(td_system *system, const td_robot *robot) {
    if (rings(&system->options)) mark_efforts(system);
    for (int i = 0; i < robot->n_rods; i++) {
        const robot_rod *rod = &robot->rods[i];
        mark_rate(system, &rod->feed);
        mark_rate(system, &rod->tube.rotation);
        mark_rate(system, &rod->tube.translation);
        for (int k = 0; k < 3; k++) {
            mark_rate(system, &rod->base.position[k]);
            mark_rate(system, &rod->base.rotation[k]);
            mark_rate(system, &rod->tip.position[k]);
            mark_rate(system, &rod->tip.rotation[k]);
        }
    }
    for (int i = 0; i < robot->n_bodies; i++)
        for (int k = 0; k < 3; k++) {
            mark_rate(system, &robot->bodies[i].def.hold.position[k]);
            mark_rate(system, &robot->bodies[i].def.hold.rotation[k]);
        }
}

// ---------------------------------------------------------------- names
static bool add_name(name_list *list, const char *name) {
    list->names[list->n] = strdup(name);
    return list->names[list->n++] != NULL;
}

static bool reserve_names(name_list *list, int n) {
    list->names = calloc((size_t)n + 1, sizeof *list->names);
    return list->names != NULL;
}

static void free_names(name_list *list) {
    for (int i = 0; i < list->n; i++) free(list->names[i]);
    free(list->names);
}

static int find_name(const name_list *list, const char *name) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->names[i], name) == 0) return i;
    return -1;
}

static const char *name_at(const name_list *list, int index) {
    return has(list, index) ? list->names[index] : NULL;
}

static bool copy_loads(td_system *system, const td_robot *robot) {
    memcpy(system->gravity, robot->gravity, sizeof system->gravity);
    for (int i = 0; i < robot->n_loads; i++) {
        if (!add_name(&system->load_names, robot->loads[i].name)) return false;
        td_load_def *to = &system->loads[system->n_loads++];
        *to = robot->loads[i].def;
        to->name = system->load_names.names[i];
    }
    return true;
}

static double magnet_radius(const robot_rod *rod) {
    double widest = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i];
        const td_section *s = &p->section, *e = &p->section_end;
        if (!piece_is_magnetic(p)) continue;
        widest = fmax(widest, fmax(fmax(s->radius, e->radius), 0.5 * fmin(s->width, s->height)));
        widest = fmax(widest, sqrt(s->area / PI));
    }
    return widest;
}

static bool copy_dipoles(td_system *system, const td_robot *robot) {
    system->dipoles = calloc((size_t)robot->n_fields + 1, sizeof *system->dipoles);
    system->magnet_radii = calloc((size_t)robot->n_rods, sizeof *system->magnet_radii);
    bool ok = system->dipoles && system->magnet_radii &&
              reserve_names(&system->dipole_names, robot->n_fields);
    for (int i = 0; ok && i < robot->n_rods; i++)
        system->magnet_radii[i] = magnet_radius(&robot->rods[i]);
    for (int i = 0; ok && robot_has_magnets(robot) && i < robot->n_fields; i++) {
        const td_field_def *d = &robot->fields[i].def;
        if (d->kind != TD_FIELD_DIPOLE) continue;
        system->dipoles[system->dipole_names.n] = *d;
        system->dipoles[system->dipole_names.n].name = NULL;
        ok = add_name(&system->dipole_names, robot->fields[i].name);
    }
    return ok;
}

static bool copy_obstacles(td_system *system, const td_robot *robot) {
    system->obstacle_shapes = obstacles_create(robot);
    system->n_obstacle_shapes = robot->n_obstacles;
    bool ok = system->obstacle_shapes && reserve_names(&system->obstacles, robot->n_obstacles);
    for (int i = 0; ok && i < robot->n_obstacles; i++)
        ok = add_name(&system->obstacles, robot->obstacles[i].name);
    return ok;
}

static bool copy_contacts(td_system *system, const td_robot *robot) {
    bool ok = reserve_names(&system->contacts, robot->n_contacts);
    for (int i = 0; ok && i < robot->n_contacts; i++)
        ok = add_name(&system->contacts, robot->contacts[i].name);
    return ok;
}

// Is a rod held at its tip, and so part of a chain that its base twists?
static bool is_closed(const td_robot *robot, int rod) {
    const td_tip_def *tip = &robot->rods[rod].tip;
    bool shared = tip->body == TD_WORLD;
    for (int i = 0; i < robot->n_rods && tip->held; i++) {
        const robot_rod *other = &robot->rods[i];
        if (i == rod) continue;
        shared = shared || (other->tip.held && other->tip.body == tip->body) ||
                 other->base.body == tip->body;
    }
    return tip->held && shared;
}

// Turns of a base count where its rod is held elsewhere too: a turn less is another shape.
static bool copy_turns(td_system *system, const td_robot *robot) {
    const size_t n = (size_t)robot->n_rods;
    bool any = false;
    for (int i = 0; i < robot->n_rods; i++) {
        const td_number *r = robot->rods[i].base.rotation;
        any = any ||
              (is_closed(robot, i) && (r[0].gain != 0.0 || r[1].gain != 0.0 || r[2].gain != 0.0));
    }
    if (!any) return true;
    system->turns = calloc(n, sizeof *system->turns);
    for (int i = 0; i < robot->n_rods && system->turns; i++)
        if (is_closed(robot, i))
            memcpy(system->turns[i], robot->rods[i].base.rotation, sizeof *system->turns);
    return system->turns != NULL;
}

static bool copy_parts(td_system *system, const td_robot *robot) {
    system->rod_lengths = calloc((size_t)robot->n_rods, sizeof *system->rod_lengths);
    system->growths = calloc((size_t)robot->n_rods, sizeof *system->growths);
    system->tips_held = calloc((size_t)robot->n_rods, sizeof *system->tips_held);
    system->fed = calloc((size_t)robot->n_rods, sizeof *system->fed);
    system->free_bodies = calloc((size_t)robot->n_bodies + 1, sizeof *system->free_bodies);
    system->attached = calloc((size_t)robot->n_bodies + 1, sizeof *system->attached);
    system->body_defs = calloc((size_t)robot->n_bodies + 1, sizeof *system->body_defs);
    system->loads = calloc((size_t)robot->n_loads + 1, sizeof *system->loads);
    bool ok = system->rod_lengths && system->growths && system->tips_held && system->fed &&
              system->free_bodies && system->attached && system->body_defs && system->loads &&
              reserve_names(&system->rods, robot->n_rods) &&
              reserve_names(&system->bodies, robot->n_bodies) &&
              reserve_names(&system->load_names, robot->n_loads);
    system->remembers = robot_remembers(robot);
    system->remembers_ways = robot_remembers_ways(robot);
    for (int i = 0; ok && i < robot->n_rods; i++) {
        system->rod_lengths[i] = robot->rods[i].length;
        system->growths[i] = fed_stretch_of(robot, i);
        system->tips_held[i] = robot->rods[i].tip.held;
        system->fed[i] = robot->rods[i].feed.gain != 0.0;
        system->follows = system->follows || robot->rods[i].mean_stretch;
        ok = add_name(&system->rods, robot->rods[i].name);
        if (ok && system->fed[i] && piece_relaxations(growing_piece(&robot->rods[i])) > 0)
            system->fed_relaxing = name_at(&system->rods, i);
    }
    for (int i = 0; ok && i < robot->n_bodies; i++) {
        system->free_bodies[i] = robot->bodies[i].def.rod < 0;
        system->attached[i] = robot->bodies[i].def.attached;
        system->body_defs[i] = robot->bodies[i].def;
        system->body_defs[i].name = NULL;
        ok = add_name(&system->bodies, robot->bodies[i].name);
    }
    if (ok)
        ok = copy_turns(system, robot) && copy_loads(system, robot) &&
             copy_dipoles(system, robot) && copy_obstacles(system, robot) &&
             copy_contacts(system, robot);
    for (int k = 0; k < N_ACTUATOR_KINDS; k++) system->n_of_kind[k] = robot_n_actuators(robot, k);
    if (ok) system->actuators = actuators_make(robot, &system->n_actuators);
    return ok && (system->actuators || robot->n_actuators == 0);
}

static bool copy_inputs(td_system *system, const td_robot *robot) {
    size_t n = (size_t)robot->n_inputs + 1;
    system->inputs = calloc(n, sizeof *system->inputs);
    system->rate_matters = calloc(n, sizeof *system->rate_matters);
    if (!system->inputs || !system->rate_matters) return false;
    system->n_inputs = robot->n_inputs;
    mark_rates(system, robot);
    for (int i = 0; i < robot->n_inputs; i++) {
        robot_input *to = &system->inputs[i];
        const robot_input *from = &robot->inputs[i];
        if (!signal_copy(&to->signal, &from->signal) || !(to->name = strdup(from->name)) ||
            !(to->unit = strdup(from->unit)))
            return false;
        to->low = from->low, to->high = from->high, to->rate = from->rate;
    }
    return true;
}

// ---------------------------------------------------------------- notes
// Plane sections are far from the truth in a body that is hardly longer than thick.
static bool note_thickness(td_system *system, const td_robot *robot, int rod) {
    const double length = robot->rods[rod].length;
    double radius = 0.0;
    for (int i = 0; i <= 16; i++)
        radius = fmax(radius, rod_radius_at(robot, rod, length * i / 16.0));
    if (4.0 * radius <= length) return true;
    char note[256];
    snprintf(note, sizeof note,
             "rods.%s.section: the rod is %.3g m long and %.3g m thick; a rod is much longer than "
             "thick, and no model here holds for a block",
             robot->rods[rod].name, length, 2.0 * radius);
    return add_name(&system->notes, note);
}

// What differs from the default although the model does not read it.
static bool note_options(td_system *system) {
    const plan now = {.options = system->options}, usual = default_plan();
    char unread[400] = "", note[512];
    const sim_option *o;
    for (int i = 0; (o = sim_option_at(i)); i++) {
        if (!option_differs(o, &now, &usual) || option_is_of_run(o) || o->traits & REFUSED)
            continue;
        if (model_reads(system->model, o, &now.options)) continue;
        const size_t used = strlen(unread);
        snprintf(unread + used, sizeof unread - used, "%s%s", used ? ", " : "",
                 o->path + strlen("simulation."));
    }
    if (!unread[0]) return true;
    snprintf(note, sizeof note, "simulation: %s does not read %s", system->model->name, unread);
    return add_name(&system->notes, note);
}

// Where the rate of a table's straight lines jumps: how often, and where most.
typedef struct corners {
    int n;
    double largest, at;  // in units of the input per second, s
} corners;

static corners corners_of(const td_signal *s) {
    corners c = {0};
    for (int i = 0; s->kind == TD_SIGNAL_POINTS && i < s->n_points; i++) {
        const double t = s->points[2 * i];
        if (i > 0 && t == s->points[2 * i - 2]) continue;
        double jump = fabs(td_signal_rate(s, t, TD_AFTER) - td_signal_rate(s, t, TD_BEFORE));
        c.n += jump > 0.0;
        if (jump > c.largest) c.largest = jump, c.at = t;
    }
    return c;
}

static bool note_corners(td_system *system, int i) {
    const robot_input *input = &system->inputs[i];
    const corners c = corners_of(&input->signal);
    if (!system->rate_matters[i] || c.n == 0) return true;
    char note[256];
    snprintf(
        note, sizeof note,
        "inputs.%.60s: the velocity of what it moves jumps at %d of its points, most at t = %g s "
        "by %.3g %s/s; curve in place of points (in a table smooth: true) has no jumps",
        input->name, c.n, c.at, c.largest, input->unit[0] ? input->unit : "1");
    return add_name(&system->notes, note);
}

static bool add_notes(td_system *system, const td_robot *robot) {
    bool fine =
        reserve_names(&system->notes, robot->n_rods + robot->n_inputs + 1) && note_options(system);
    for (int i = 0; fine && i < robot->n_inputs; i++) fine = note_corners(system, i);
    for (int i = 0; i < robot->n_rods && fine; i++) fine = note_thickness(system, robot, i);
    return fine;
}

// "rod" -> which models could represent what this one cannot.
static void list_models_with(feature_set features, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < td_n_models(); i++) {
        bool all = true;
        for (int f = 0; f < TD_FEATURE_JACOBIAN; f++)
            if (features >> f & 1u) all = all && td_model_supports(i, (td_feature)f);
        if (!all) continue;
        int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", td_model_name(i));
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
    if (!used) snprintf(text, size, "none");
}

// All of them: who wrote only one of them would look for the others in vain.
static void list_features(feature_set features, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int f = 0; f < TD_N_FEATURES && used < size; f++) {
        if (!(features >> f & 1u)) continue;
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               td_feature_name((td_feature)f));
        used += n > 0 ? (size_t)n : 0;
    }
}

// What is rigid is held step by step, and which way fibres went is kept so, which an integrator that chooses its
// own does not do.
static td_status check_rigid(const td_model *model, const td_robot *robot,
                             const td_options *options, td_error *err) {
    if (model->step || options->integration.method == TD_STEPS_FIXED) return TD_OK;
    if (options->integration.method == TD_STEPS_MIDPOINT &&
        !(model->features >> TD_FEATURE_MIDPOINT_STEPS & 1u))
        return error_set(
            err, TD_ERR_UNSUPPORTED, "simulation.integration.method",
            "steps of %s by the midpoint rule would not keep momenta: take 'fixed', or "
            "the model eba",
            model->name);
    const bool flags = features_needed(robot, options) >> TD_FEATURE_SUPERELASTIC & 1u,
               middle = options->integration.method == TD_STEPS_MIDPOINT;
    if (middle ? robot_remembers(robot) : flags)
        return error_set(
            err, TD_ERR_UNSUPPORTED, "simulation.integration.method", "%s need 'fixed'",
            middle ? "materials that remember what they went through" : "superelastic alloys");
    for (int i = 0; i < robot->n_obstacles; i++)
        if (robot->obstacles[i].def.hard > 0.0)
            return error_set(err, TD_ERR_UNSUPPORTED, "simulation.integration.method",
                             "obstacles that are hard, as '%s' is, need 'fixed'; or leave out "
                             "'hard'",
                             robot->obstacles[i].name);
    return TD_OK;
}

static td_status check_features(const td_model *model, const td_robot *robot,
                                const td_options *options, td_error *err) {
    feature_set needed = features_needed(robot, options);
    feature_set missing = needed & ~model->features;
    if (!missing) return TD_OK;
    char lacking[256], able[160];
    list_features(missing, lacking, sizeof lacking);
    list_models_with(needed, able, sizeof able);
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.model",
                     "%s cannot represent %s, which this robot uses; models that can: %s",
                     model->name, lacking, able);
}

static const td_model *choose_model(const char *name, td_error *err) {
    const td_model *model = model_find(name);
    if (model) return model;
    char known[160], hint[HINT_SIZE];
    suggestion near = suggest_for(name);
    for (int i = 0; i < td_n_models(); i++) suggest(&near, td_model_name(i));
    list_models_with(0, known, sizeof known);
    error_set(err, TD_ERR_VALUE, "simulation.model", "'%s' is not a model%s Known models: %s", name,
              hint_text(&near, ".", hint), known);
    return NULL;
}

// "rod.arm.node3.curvature_x", "body.plate.x"; "q7" where the model has no words.
static bool name_coordinate(td_system *system, int part, int k) {
    char name[512];
    const int n = system->coordinates.n;
    coordinate_words w = {.rod = -1, .body = -1, .unit = "1"};
    if (system->model->coordinate) w = system->model->coordinate(system->compiled, part, k);
    if (w.rod >= 0) snprintf(name, sizeof name, "rod.%.400s.%s", system->rods.names[w.rod], w.what);
    else if (w.body >= 0)
        snprintf(name, sizeof name, "body.%.400s.%s", system->bodies.names[w.body], w.what);
    else snprintf(name, sizeof name, "q%d", n + 1);
    system->coordinate_units[n] = w.unit;
    return add_name(&system->coordinates, name);
}

// "tendon.pull.angle", "chamber.room.fluid"
static bool name_numbers(td_system *system, const actuator *a) {
    const engine *e = &a->engine;
    char name[512];
    bool ok = true;
    for (int j = 0; j < engine_n_numbers(e) && ok; j++) {
        const bool valve = e->kind == ENGINE_VALVE, gas = a->control == CONTROL_GAS;
        const char *what = valve ? "fluid" : j == 0 ? "angle" : "current";
        snprintf(name, sizeof name, "%s.%.400s.%s", a->words->word, a->name, what);
        system->coordinate_units[system->coordinates.n] = valve    ? (gas ? "mol" : "m^3")
                                                          : j == 0 ? "rad"
                                                                   : "A";
        ok = add_name(&system->coordinates, name);
    }
    return ok;
}

static bool place_actuators(td_system *system) {
    system->actuator_parts =
        calloc((size_t)system->n_actuators + 1, sizeof *system->actuator_parts);
    for (int i = 0; i < system->n_actuators && system->actuator_parts; i++)
        system->actuator_parts[i] = solver_part_of_actuator(system, &system->actuators[i]);
    return system->actuator_parts != NULL;
}

static bool name_coordinates(td_system *system) {
    const int n = solver_n_coordinates(system);
    system->coordinate_units = calloc((size_t)n + 1, sizeof *system->coordinate_units);
    bool ok = system->coordinate_units && reserve_names(&system->coordinates, n);
    for (int i = 0; ok && n > 0 && i < solver_n_parts(system); i++) {
        const solve_part p = solver_motion(system, NULL, i);
        for (int k = 0; k < p.n_q && ok; k++)
            ok = part_holds(&p, k) || name_coordinate(system, i, k);
    }
    for (int i = 0; i < system->n_actuators && ok && n > 0; i++)
        if (actuator_is_driven(&system->actuators[i]))
            ok = name_numbers(system, &system->actuators[i]);
    return ok;
}

static td_status build(td_system *system, const td_robot *robot, td_error *err) {
    if (!copy_parts(system, robot) || !copy_inputs(system, robot) || !add_notes(system, robot))
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    const td_status possible = drives_check(system, err);
    if (possible < 0) return possible;
    system->compiled = system->model->compile(robot, system->actuators, &system->options, err);
    if (!system->compiled) return TD_ERR_MEMORY;
    if (robot->estimator && !(system->estimator = estimator_copy(robot->estimator)))
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    td_status status = sensors_compile(system, robot, err);
    if (status < 0) return status;
    if (!place_actuators(system) || !name_coordinates(system))
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    status = sensors_find_numbers(system, robot, err);
    if (status < 0) return status;
    status = controllers_compile(system, robot, err);
    if (status < 0) return status;
    status = resolve_initial(system, robot, err);
    if (status < 0) return status;
    system->watches = watch_needed(system);
    system->total_bytes = state_layout(system, NULL, NULL, &system->keep_bytes);
    system->fingerprint = fingerprint_of(system, robot);
    system->start = robot->scenario.start;
    return watch_check(system, err);
}

static td_system *create(const td_robot *robot, const td_options *options, td_error *err) {
    if (options_validate(options, err) < 0) return NULL;
    if (robot->n_rods + robot->n_bodies == 0) {
        error_set(err, TD_ERR_VALUE, "rods", "a robot needs at least one rod or body");
        return NULL;
    }
    if (robot_validate_whole(robot, err) < 0) return NULL;
    const td_model *model = choose_model(options->model, err);
    if (!model || check_features(model, robot, options, err) < 0) return NULL;
    if (check_rigid(model, robot, options, err) < 0) return NULL;
    td_options chosen = *options;
    bool choose = options->accuracy > 0.0 && td_reads_option(options, "simulation.space.accuracy");
    if (choose && choose_nodes(robot, &chosen, err) < 0) return NULL;

    td_system *system = calloc(1, sizeof *system);
    if (!system) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    system->model = model;
    system->options = chosen;
    if (build(system, robot, err) >= 0) return system;
    td_system_destroy(system);
    return NULL;
}

td_system *td_system_create(const td_robot *robot, const td_options *options, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    *e = (td_error){.status = TD_OK};
    if (!robot || !options) {
        error_set(e, TD_ERR_ARGUMENT, NULL, "td_system_create needs a robot and options");
        return NULL;
    }
    td_system *system = create(robot, options, e);
    // Options may be others than those of the file.
    const bool others = strcmp(robot->options.model, options->model) != 0;
    if (!system && robot->document && !(others && strncmp(e->where, "simulation", 10) == 0))
        robot->document->locate(robot->document, e);
    return system;
}

void td_system_destroy(td_system *system) {
    if (!system) return;
    if (system->compiled) system->model->release(system->compiled);
    free(system->actuator_parts);
    for (int i = 0; i < system->n_inputs; i++) {
        free(system->inputs[i].name);
        free(system->inputs[i].unit);
        signal_release(&system->inputs[i].signal);
    }
    estimator_release(system->estimator);
    controllers_release(system);
    sensors_release(system);
    actuators_free(system->actuators, system->n_actuators);
    free_names(&system->rods);
    free_names(&system->bodies);
    free_names(&system->load_names);
    free_names(&system->obstacles);
    free_names(&system->contacts);
    free_names(&system->notes);
    free_names(&system->dipole_names);
    free_names(&system->coordinates);
    free(system->coordinate_units);
    free(system->initial);
    free(system->rod_lengths);
    free(system->growths);
    free(system->tips_held);
    free(system->fed);
    free(system->turns);
    free(system->free_bodies);
    free(system->attached);
    free(system->body_defs);
    free(system->loads);
    free(system->dipoles);
    free(system->magnet_radii);
    obstacles_destroy(system->obstacle_shapes, system->n_obstacle_shapes);
    free(system->inputs);
    free(system->rate_matters);
    free(system);
}

const td_options *td_system_options(const td_system *system) {
    return &system->options;
}

const char *td_system_note(const td_system *system, int index) {
    if (index < system->notes.n) return name_at(&system->notes, index);
    if (!system->model->note) return NULL;
    return system->model->note(system->compiled, index - system->notes.n);
}

bool td_rod_tip_held(const td_system *system, int rod) {
    return has(&system->rods, rod) && system->tips_held[rod];
}

bool td_body_is_held(const td_system *system, int body) {
    return has(&system->bodies, body) && system->body_defs[body].hold.held;
}

double td_rod_length(const td_system *system, int rod) {
    return has(&system->rods, rod) ? system->rod_lengths[rod] : 0.0;
}

void td_rod_growing(const td_system *system, int rod, double ends[2]) {
    const fed_stretch none = {0.0, 0.0}, g = has(&system->rods, rod) ? system->growths[rod] : none;
    ends[0] = g.from, ends[1] = g.to;
}

// Count, name and search of one kind of parts.
#define PART_NAMES(plural, singular)                                                               \
    int td_n_##plural(const td_system *system) {                                                   \
        return system->plural.n;                                                                   \
    }                                                                                              \
    const char *td_##singular##_name(const td_system *system, int index) {                         \
        return name_at(&system->plural, index);                                                    \
    }                                                                                              \
    int td_find_##singular(const td_system *system, const char *name) {                            \
        return find_name(&system->plural, name);                                                   \
    }

PART_NAMES(rods, rod)
PART_NAMES(bodies, body)
PART_NAMES(obstacles, obstacle)
PART_NAMES(contacts, contact)
PART_NAMES(coordinates, coordinate)

const char *td_coordinate_unit(const td_system *system, int index) {
    return has(&system->coordinates, index) ? system->coordinate_units[index] : NULL;
}

// ---------------------------------------------------------------- actuators
int td_n_actuators(const td_system *system) {
    return system->n_actuators;
}

const char *td_actuator_name(const td_system *system, int index) {
    return has_actuator(system, index) ? system->actuators[index].name : NULL;
}

const td_actuator_kind *td_actuator_kind_of(const td_system *system, int index) {
    return has_actuator(system, index) ? system->actuators[index].words : NULL;
}

int actuator_of_kind(const td_system *system, int kind, int index) {
    int first = 0;
    for (int k = 0; k < kind; k++) first += system->n_of_kind[k];
    return index >= 0 && index < system->n_of_kind[kind] ? first + index : -1;
}

static int find_of_kind(const td_system *system, int kind, const char *name) {
    for (int i = 0; i < system->n_actuators; i++) {
        const actuator *a = &system->actuators[i];
        if (a->words == &actuator_rows[kind]->words && strcmp(a->name, name) == 0) return a->index;
    }
    return -1;
}

#define ACTUATOR_NAMES(word, plural, flag, help)                                                   \
    int td_n_##plural(const td_system *system) {                                                   \
        return system->n_of_kind[KIND_##word];                                                     \
    }                                                                                              \
    const char *td_##word##_name(const td_system *system, int index) {                             \
        return td_actuator_name(system, actuator_of_kind(system, KIND_##word, index));             \
    }                                                                                              \
    int td_find_##word(const td_system *system, const char *name) {                                \
        return find_of_kind(system, KIND_##word, name);                                            \
    }
ACTUATOR_KINDS(ACTUATOR_NAMES)

int td_n_inputs(const td_system *system) {
    return system->n_inputs;
}

const char *td_input_name(const td_system *system, int input) {
    return input >= 0 && input < system->n_inputs ? system->inputs[input].name : NULL;
}

const char *td_input_unit(const td_system *system, int input) {
    return input >= 0 && input < system->n_inputs ? system->inputs[input].unit : NULL;
}

int td_find_input(const td_system *system, const char *name) {
    for (int i = 0; i < system->n_inputs; i++)
        if (strcmp(system->inputs[i].name, name) == 0) return i;
    return -1;
}
