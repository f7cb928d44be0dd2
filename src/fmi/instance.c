// fmi/instance.c - see instance.h.
#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define SLACK 1e-6  // of a step, by which times may be off

fmi_status instance_say(fmi_instance *f, fmi_status status, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (status >= FMI_DISCARD || f->logging) f->tell(f, status, text);
    return status;
}

fmi_status instance_lacks(fmi_instance *f, const char *function) {
    if (!f) return FMI_ERROR;
    return instance_say(f, FMI_ERROR,
                        "%s: this FMU has co-simulation with real numbers alone, without clocks, "
                        "events, derivatives of outputs by time, or continuous states",
                        function);
}

static fmi_status say_error(fmi_instance *f, const td_error *err) {
    return instance_say(f, FMI_ERROR, "%s%s%s", err->where, err->where[0] ? ": " : "",
                        err->message);
}

// ---------------------------------------------------------------- made and freed
static char *read_text(fmi_instance *f, const char *folder, const char *name) {
    char path[1200];
    const size_t n = strlen(folder);
    snprintf(path, sizeof path, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    if (!text) instance_say(f, FMI_ERROR, "%s: cannot be read", path);
    return text;
}

static bool reserve(fmi_instance *f) {
    f->parameters = calloc(2 * (size_t)f->variables.n_parameters + 1, sizeof *f->parameters);
    return f->parameters && driven_reserve(&f->d, f->variables.n_inputs);
}

// A robot with these parameters takes the place of the one that is there.
static fmi_status compile(fmi_instance *f, const td_robot *robot) {
    td_error err = {0};
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = system ? td_state_create(system) : NULL;
    uint8_t *before = system ? malloc(td_snapshot_bytes(system)) : NULL;
    if (!state || !before) {
        free(before);
        td_state_destroy(state);
        td_system_destroy(system);
        return system ? instance_say(f, FMI_ERROR, "out of memory") : say_error(f, &err);
    }
    free(f->before);
    td_linearisation_destroy(f->linear);
    td_state_destroy(f->trial);
    td_state_destroy(f->d.state);
    td_system_destroy(f->d.system);
    td_apply_signals(system, state, 0.0, TD_BEFORE);
    f->d.system = system, f->d.state = state, f->before = before;
    f->linear = NULL, f->trial = NULL;
    f->took = f->known = f->rebuild = false;
    return FMI_OK;
}

// Tips are elsewhere on rods of another length.
static fmi_status place_outputs(fmi_instance *f, const td_robot *robot) {
    td_error err = {0};
    fmi_variables moved;
    if (!variables_make(&moved, robot, f->d.system, f->choices, &err)) {
        variables_free(&moved);
        return say_error(f, &err);
    }
    td_output *there = f->variables.outputs;
    f->variables.outputs = moved.outputs;
    moved.outputs = there;
    variables_free(&moved);
    return FMI_OK;
}

fmi_status instance_build(fmi_instance *f) {
    td_error err = {0};
    const int n = f->variables.n_parameters;
    if (n == 0) return compile(f, f->d.robot);
    const char **sets = malloc(sizeof *sets * (size_t)n);
    char(*texts)[224] = malloc(sizeof *texts * (size_t)n);
    for (int i = 0; sets && texts && i < n; i++) {
        snprintf(texts[i], sizeof *texts, "%s=%.17g",
                 f->variables.all[f->variables.first_parameter + i].name, f->parameters[i]);
        sets[i] = texts[i];
    }
    td_robot *robot = sets && texts
                          ? td_robot_parse(f->text, strlen(f->text), "robot.yaml", sets, n, &err)
                          : NULL;
    free(texts);
    free(sets);
    if (!robot)
        return err.status ? say_error(f, &err) : instance_say(f, FMI_ERROR, "out of memory");
    fmi_status status = compile(f, robot);
    if (status == FMI_OK) status = place_outputs(f, robot);
    td_robot_destroy(robot);
    return status;
}

static bool open_robot(fmi_instance *f, const char *token, const char *resources) {
    td_error err = {0};
    char own[FMI_TOKEN];
    f->text = read_text(f, resources, "robot.yaml");
    f->choices = f->text ? read_text(f, resources, "variables.txt") : NULL;
    if (!f->choices) return false;
    fmi_token(f->text, f->choices, own);
    if (!token || strcmp(token, own) != 0) {
        instance_say(f, FMI_ERROR,
                     "the token %.60s is not %s, that of the robot in %.500s: model description, "
                     "library and resources are not of one FMU",
                     token ? token : "(none)", own, resources);
        return false;
    }
    f->seed = hash_bytes(HASH_START, own, strlen(own));
    f->d.robot = td_robot_parse(f->text, strlen(f->text), "robot.yaml", NULL, 0, &err);
    if (!f->d.robot) {
        say_error(f, &err);
        return false;
    }
    if (compile(f, f->d.robot) != FMI_OK) return false;
    if (!variables_make(&f->variables, f->d.robot, f->d.system, f->choices, &err)) {
        say_error(f, &err);
        return false;
    }
    f->longest = td_robot_scenario(f->d.robot).step;
    if (!reserve(f)) {
        instance_say(f, FMI_ERROR, "out of memory");
        return false;
    }
    return true;
}

fmi_instance *instance_create(const char *name, const char *token, const char *resources,
                              fmi_tell *tell, void (*logger)(void), void *environment,
                              bool logging) {
    fmi_instance *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->tell = tell, f->logger = logger, f->environment = environment, f->logging = logging;
    f->name = strdup(name ? name : "");
    bool fine = f->name != NULL;
    if (!resources) {
        instance_say(f, FMI_ERROR, "the folder of resources is needed: the robot is in it");
        fine = false;
    }
    if (fine && open_robot(f, token, resources) && instance_reset(f) == FMI_OK) return f;
    instance_destroy(f);
    return NULL;
}

void instance_destroy(fmi_instance *f) {
    if (!f) return;
    td_linearisation_destroy(f->linear);
    td_state_destroy(f->trial);
    td_state_destroy(f->d.state);
    td_system_destroy(f->d.system);
    td_robot_destroy(f->d.robot);
    variables_free(&f->variables);
    free(f->parameters);
    driven_free(&f->d);
    free(f->before);
    free(f->jacobian);
    free(f->text);
    free(f->choices);
    free(f->name);
    free(f);
}

// ---------------------------------------------------------------- the start
static const char *words_of(const fmi_instance *f, td_status status) {
    const char *words = td_message(f->d.state);
    return words[0] ? words : status_words(status);
}

static fmi_status settle(fmi_instance *f) {
    if (!f->stale) return FMI_OK;
    if (f->rebuild && instance_build(f) != FMI_OK) return FMI_ERROR;
    const td_status status = driven_begin(&f->d);
    if (status < 0)
        return instance_say(f, FMI_ERROR, "the start was not found: %s", words_of(f, status));
    f->stale = false;
    if (status == TD_OK) return FMI_OK;
    return instance_say(f, FMI_WARNING, "the start: %s", words_of(f, status));
}

fmi_status instance_reset(fmi_instance *f) {
    for (int i = 0; i < f->variables.n_parameters; i++)
        td_robot_get_number(f->d.robot, f->variables.all[f->variables.first_parameter + i].name,
                            &f->parameters[i], NULL);
    for (int i = 0; i < f->variables.n_inputs; i++) f->d.held[i] = false;
    f->mode = FMI_INSTANTIATED;
    f->start_time = 0.0;
    f->took = f->known = false;
    f->stale = true;
    f->rebuild = f->variables.n_parameters > 0;
    td_state_reset(f->d.system, f->d.state);
    td_apply_signals(f->d.system, f->d.state, 0.0, TD_BEFORE);
    return FMI_OK;
}

fmi_status instance_set_up(fmi_instance *f, double start_time) {
    if (f->mode != FMI_INSTANTIATED)
        return instance_say(f, FMI_ERROR, "the experiment is set up before the initialization");
    f->start_time = start_time;
    return FMI_OK;
}

fmi_status instance_initialize(fmi_instance *f, double start_time) {
    if (f->mode != FMI_INSTANTIATED)
        return instance_say(f, FMI_ERROR,
                            "initialization begins once, right after instantiation "
                            "or reset");
    if (!isfinite(start_time))
        return instance_say(f, FMI_ERROR, "a start at %g s is no time", start_time);
    f->mode = FMI_INITIALIZING;
    f->start_time = start_time;
    return FMI_OK;
}

fmi_status instance_begin(fmi_instance *f) {
    if (f->mode != FMI_INITIALIZING)
        return instance_say(f, FMI_ERROR, "initialization ends where it was begun");
    const fmi_status status = settle(f);
    if (status <= FMI_WARNING) f->mode = FMI_STEPPING;
    return status;
}

fmi_status instance_terminate(fmi_instance *f) {
    f->mode = FMI_TERMINATED;
    return FMI_OK;
}

// ---------------------------------------------------------------- variables
double instance_time(const fmi_instance *f) {
    return f->start_time + td_get_time(f->d.system, f->d.state);
}

static double value_of(const fmi_instance *f, const fmi_variable *one) {
    switch (one->kind) {
    case FMI_TIME: return instance_time(f);
    case FMI_PARAMETER: return f->parameters[one->index];
    case FMI_INPUT:
        return f->d.held[one->index] ? f->d.inputs[one->index]
                                     : td_get_input(f->d.system, f->d.state, one->index);
    case FMI_VALUE:
    case FMI_TURN:
    case FMI_READING: break;
    }
    return variable_output(one, &f->variables, f->d.system, f->d.state);
}

static fmi_status no_variable(fmi_instance *f, uint32_t reference) {
    return instance_say(f, FMI_ERROR, "value reference %u: there are only 0 to %d", reference,
                        f->variables.n - 1);
}

fmi_status instance_get(fmi_instance *f, const uint32_t *references, size_t n, double *values) {
    fmi_status worst = FMI_OK;
    for (size_t i = 0; i < n; i++) {
        if (references[i] >= (uint32_t)f->variables.n) return no_variable(f, references[i]);
        const fmi_variable *one = &f->variables.all[references[i]];
        if (one->kind >= FMI_VALUE && f->mode == FMI_INITIALIZING && f->stale) {
            worst = settle(f);
            if (worst > FMI_WARNING) return worst;
        }
        values[i] = value_of(f, one);
    }
    return worst;
}

static fmi_status set_one(fmi_instance *f, const fmi_variable *one, double value) {
    if (!isfinite(value))
        return instance_say(f, FMI_ERROR, "%s: %g is no finite number", one->name, value);
    if (one->kind == FMI_PARAMETER) {
        if (f->mode > FMI_INITIALIZING)
            return instance_say(f, FMI_ERROR, "%s: a parameter is fixed once the run has begun",
                                one->name);
        f->rebuild = f->rebuild || f->parameters[one->index] != value;
        f->stale = f->stale || f->rebuild;
        f->parameters[one->index] = value;
        return FMI_OK;
    }
    if (one->kind != FMI_INPUT)
        return instance_say(f, FMI_ERROR, "%s: this variable is computed and cannot be set",
                            one->name);
    f->d.inputs[one->index] = value;
    f->d.held[one->index] = true;
    if (f->mode <= FMI_INITIALIZING) f->stale = true;
    return FMI_OK;
}

fmi_status instance_set(fmi_instance *f, const uint32_t *references, size_t n,
                        const double *values) {
    for (size_t i = 0; i < n; i++) {
        if (references[i] >= (uint32_t)f->variables.n) return no_variable(f, references[i]);
        const fmi_status status = set_one(f, &f->variables.all[references[i]], values[i]);
        if (status != FMI_OK) return status;
    }
    return FMI_OK;
}

// ---------------------------------------------------------------- steps
int instance_n_parts(const fmi_instance *f, double h) {
    return (int)fmin(1e6, fmax(1.0, ceil(h / f->longest - SLACK)));
}

// The master's times round; a part ends where its whole says.
double instance_part(const fmi_instance *f, const td_state *state, int k, int n) {
    const double end = f->began - f->start_time + f->size * ((k + 1.0) / n);
    return end - td_get_time(f->d.system, state);
}

static td_status take_parts(fmi_instance *f) {
    const int n = instance_n_parts(f, f->size);
    td_status worst = TD_OK;
    for (int k = 0; k < n; k++) {
        const td_status status =
            driven_step(&f->d, instance_part(f, f->d.state, k, n), (k + 1.0) / n);
        if (status < 0) return status;
        if (status != TD_OK) worst = status;
    }
    return worst;
}

fmi_status instance_step(fmi_instance *f, double t, double h) {
    const double now = instance_time(f);
    if (f->mode != FMI_STEPPING)
        return instance_say(f, FMI_ERROR, "steps come after the initialization and before the end");
    if (!(h > 0.0) || !isfinite(h))
        return instance_say(f, FMI_ERROR, "a communication step of %g s must be above 0", h);
    if (!(fabs(t - now) <= SLACK * h + 1e-12 * fabs(now)))
        return instance_say(f, FMI_ERROR, "a step from %.17g s, but the robot is at %.17g s", t,
                            now);
    const size_t bytes = td_snapshot_bytes(f->d.system);
    td_state_save(f->d.system, f->d.state, f->before, bytes);
    driven_from_here(&f->d);
    f->took = f->known = false;
    f->began = t, f->size = h;
    const td_status status = take_parts(f);
    if (status < 0) {
        const fmi_status said = instance_say(f, FMI_DISCARD, "no step from %g s to %g s: %s", t,
                                             t + h, words_of(f, status));
        td_state_restore(f->d.system, f->d.state, f->before, bytes);
        return said;
    }
    f->took = true;
    if (status == TD_OK) return FMI_OK;
    return instance_say(f, FMI_WARNING, "%s", words_of(f, status));
}
