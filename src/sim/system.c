// sim/system.c - compiling a robot under one model.
#include "sim/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *td_version(void) {
    return TD_VERSION;
}

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy) memcpy(copy, text, n);
    return copy;
}

static bool copy_signal(td_signal *to, const td_signal *from) {
    *to = *from;
    if (from->n_points == 0) return true;
    size_t bytes = sizeof(double) * 2 * (size_t)from->n_points;
    double *points = malloc(bytes);
    if (!points) return false;
    memcpy(points, from->points, bytes);
    to->points = points;
    return true;
}

static void mark_base_inputs(td_system *system, const td_robot *robot) {
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < 3; k++) {
            const td_number *p = &robot->rods[i].base.position[k];
            const td_number *r = &robot->rods[i].base.rotation[k];
            if (p->gain != 0.0) system->moves_base[p->input] = true;
            if (r->gain != 0.0) system->moves_base[r->input] = true;
        }
}

static bool copy_names(td_system *system, const td_robot *robot) {
    size_t n_rods = (size_t)robot->n_rods, n_inputs = (size_t)robot->n_inputs;
    system->rod_names = calloc(n_rods, sizeof *system->rod_names);
    system->rod_lengths = calloc(n_rods, sizeof *system->rod_lengths);
    system->inputs = calloc(n_inputs + 1, sizeof *system->inputs);
    system->moves_base = calloc(n_inputs + 1, sizeof *system->moves_base);
    if (!system->rod_names || !system->rod_lengths || !system->inputs || !system->moves_base)
        return false;
    mark_base_inputs(system, robot);
    system->n_rods = robot->n_rods;
    system->n_inputs = robot->n_inputs;
    for (int i = 0; i < robot->n_rods; i++) {
        system->rod_lengths[i] = robot->rods[i].length;
        if (!(system->rod_names[i] = copy_text(robot->rods[i].name))) return false;
    }
    for (int i = 0; i < robot->n_inputs; i++) {
        robot_input *to = &system->inputs[i];
        const robot_input *from = &robot->inputs[i];
        if (!copy_signal(&to->signal, &from->signal)) {
            to->signal.points = NULL;
            return false;
        }
        if (!(to->name = copy_text(from->name)) || !(to->unit = copy_text(from->unit)))
            return false;
    }
    return true;
}

// "rod" -> which models could represent what this one cannot.
static void list_models_with(unsigned features, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < td_n_models(); i++) {
        bool all = true;
        for (int f = 0; f < TD_N_FEATURES; f++)
            if (features >> f & 1u) all = all && td_model_supports(i, (td_feature)f);
        if (!all) continue;
        int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", td_model_name(i));
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
    if (!used) snprintf(text, size, "none");
}

static td_status check_features(const td_model *model, const td_robot *robot,
                                const td_options *options, td_error *err) {
    unsigned needed = features_needed(robot, options);
    unsigned missing = needed & ~model->features;
    if (!missing) return TD_OK;
    int f = 0;
    while (!(missing >> f & 1u)) f++;
    char able[160];
    list_models_with(needed, able, sizeof able);
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.model",
                     "%s cannot represent %s, which this robot uses; models that can: %s",
                     model->name, td_feature_name((td_feature)f), able);
}

static const td_model *choose_model(const char *name, td_error *err) {
    const td_model *model = model_find(name);
    if (model) return model;
    char known[160];
    list_models_with(0, known, sizeof known);
    error_set(err, TD_ERR_VALUE, "simulation.model", "'%s' is not a model; known models: %s", name,
              known);
    return NULL;
}

// FNV-1a over what fixes the meaning of a snapshot: model, schemes, and the rods as they are.
static void hash_bytes(unsigned long long *hash, const void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
}

static void hash_piece(unsigned long long *hash, const td_piece_def *piece) {
    for (int i = 0; i <= 2; i++) {
        td_section_properties p = piece_properties(piece, 0.5 * i);  // doubles only
        hash_bytes(hash, &p, sizeof p);
    }
    hash_bytes(hash, &piece->length, sizeof piece->length);
    hash_bytes(hash, piece->drag, sizeof piece->drag);
    hash_bytes(hash, piece->linear_drag, sizeof piece->linear_drag);
    hash_bytes(hash, piece->rest_curvature, sizeof piece->rest_curvature);
    hash_bytes(hash, piece->rest_stretch, sizeof piece->rest_stretch);
}

static double fingerprint_of(const td_system *system, const td_robot *robot) {
    unsigned long long hash = 14695981039346656037ull;
    const td_options *o = &system->options;
    const int choices[] = {(int)o->theory, (int)o->scheme, (int)o->space, o->rotary_inertia,
                           o->nodes, o->steps};
    hash_bytes(&hash, system->model->name, strlen(system->model->name));
    hash_bytes(&hash, choices, sizeof choices);
    hash_bytes(&hash, &system->keep_bytes, sizeof system->keep_bytes);
    for (int i = 0; i < robot->n_rods; i++) {
        const td_base_def *base = &robot->rods[i].base;
        for (int k = 0; k < robot->rods[i].n_pieces; k++)
            hash_piece(&hash, &robot->rods[i].pieces[k]);
        hash_bytes(&hash, base->orientation, sizeof base->orientation);
        for (int k = 0; k < 3; k++) {
            hash_bytes(&hash, &base->position[k].value, sizeof(double));
            hash_bytes(&hash, &base->rotation[k].value, sizeof(double));
        }
    }
    return (double)(hash >> 11);  // 53 bits: exact in a double
}

static td_status build(td_system *system, const td_robot *robot, td_error *err) {
    if (!copy_names(system, robot)) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    system->compiled = system->model->compile(robot, &system->options, err);
    if (!system->compiled) return TD_ERR_MEMORY;
    system->total_bytes = state_layout(system, NULL, NULL, &system->keep_bytes);
    system->fingerprint = fingerprint_of(system, robot);
    system->start = robot->scenario.start;
    return TD_OK;
}

td_system *td_system_create(const td_robot *robot, const td_options *options, td_error *err) {
    if (err) *err = (td_error){.status = TD_OK};
    if (!robot || !options) {
        error_set(err, TD_ERR_ARGUMENT, NULL, "td_system_create needs a robot and options");
        return NULL;
    }
    if (options_validate(options, err) < 0) return NULL;
    if (robot->n_rods == 0) {
        error_set(err, TD_ERR_VALUE, "rods", "a robot needs at least one rod");
        return NULL;
    }
    const td_model *model = choose_model(options->model, err);
    if (!model || check_features(model, robot, options, err) < 0) return NULL;
    td_options chosen = *options;
    bool choose = options->accuracy > 0.0 && options->space == TD_COLLOCATION;
    if (choose && choose_nodes(robot, &chosen, err) < 0) return NULL;

    td_system *system = calloc(1, sizeof *system);
    if (!system) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    system->model = model;
    system->options = chosen;
    if (build(system, robot, err) < 0) {
        td_system_destroy(system);
        return NULL;
    }
    return system;
}

void td_system_destroy(td_system *system) {
    if (!system) return;
    if (system->compiled) system->model->release(system->compiled);
    for (int i = 0; i < system->n_rods; i++) free(system->rod_names[i]);
    for (int i = 0; i < system->n_inputs; i++) {
        free(system->inputs[i].name);
        free(system->inputs[i].unit);
        free((double *)(size_t)system->inputs[i].signal.points);
    }
    free(system->rod_names);
    free(system->rod_lengths);
    free(system->inputs);
    free(system->moves_base);
    free(system);
}

const td_options *td_system_options(const td_system *system) {
    return &system->options;
}

int td_n_rods(const td_system *system) {
    return system->n_rods;
}

const char *td_rod_name(const td_system *system, int rod) {
    return rod >= 0 && rod < system->n_rods ? system->rod_names[rod] : NULL;
}

double td_rod_length(const td_system *system, int rod) {
    return rod >= 0 && rod < system->n_rods ? system->rod_lengths[rod] : 0.0;
}

int td_find_rod(const td_system *system, const char *name) {
    for (int i = 0; i < system->n_rods; i++)
        if (strcmp(system->rod_names[i], name) == 0) return i;
    return -1;
}

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
