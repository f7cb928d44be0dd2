// study/quantity.c - see quantity.h.
#include "study/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/facts.h"
#include "robot/suggest.h"
#include "tendril/gradient.h"

#define COUNT(list) ((int)(sizeof list / sizeof *list))

typedef struct word {
    const char *name, *unit;
    int value;
} word;

static const word energies[] = {{"kinetic", "J", 0},    {"gravity", "J", 1}, {"elastic", "J", 2},
                                {"dissipated", "J", 3}, {"work", "J", 4},    {"total", "J", 5}};
static const word mode_parts[] = {
    {"frequency", "Hz", 0}, {"damping", "", 1}, {"re", "1/s", 2}, {"im", "1/s", 3}};
static const word reach_parts[] = {{"distance", "m", 0}, {"angle", "rad", 1}};
static const word single[] = {{"stability", "", QUANTITY_STABILITY},
                              {"mass", "kg", QUANTITY_MASS},
                              {"time", "s", QUANTITY_TIME},
                              {"solver.iterations", "", QUANTITY_ITERATIONS},
                              {"solver.residual", "", QUANTITY_RESIDUAL}};
// Rows of rotation come first in a compliance.
static const word compliances[] = {{"compliance_x", "m/N", 3},
                                   {"compliance_y", "m/N", 4},
                                   {"compliance_z", "m/N", 5},
                                   {"compliance_turn_x", "rad/(N m)", 0},
                                   {"compliance_turn_y", "rad/(N m)", 1},
                                   {"compliance_turn_z", "rad/(N m)", 2}};

static const word *find_word(const word *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].name, name)) return &list[i];
    return NULL;
}

static td_status no_word(const word *list, int n, const char *name, const char *rest,
                         td_error *err) {
    char hint[HINT_SIZE], words[200] = "";
    suggestion s = suggest_for(rest);
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", list[i].name);
        suggest(&s, list[i].name);
    }
    return error_set(err, TD_ERR_ARGUMENT, name, "'%.60s' is not one of: %s%s", rest, words,
                     hint_text(&s, "", hint));
}

static td_status take_word(const word *list, int n, const char *name, const char *rest,
                           quantity_kind kind, study_quantity *q, td_error *err) {
    const word *w = find_word(list, n, rest);
    if (!w) return no_word(list, n, name, rest, err);
    q->kind = kind, q->part = w->value, q->unit = w->unit;
    return TD_OK;
}

static const char *behind(const char *name, const char *prefix) {
    const size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? NULL : name + n;
}

static td_status input_named(const td_system *system, const char *name, const char *rest,
                             study_quantity *q, td_error *err) {
    char hint[HINT_SIZE];
    suggestion s = suggest_for(rest);
    q->kind = QUANTITY_INPUT;
    q->index = td_find_input(system, rest);
    for (int i = 0; i < td_n_inputs(system); i++) suggest(&s, td_input_name(system, i));
    if (q->index < 0)
        return error_set(err, TD_ERR_ARGUMENT, name, "the robot has no input '%.60s'%s", rest,
                         hint_text(&s, "", hint));
    q->unit = td_input_unit(system, q->index);
    return TD_OK;
}

// "mode.2.frequency"
static td_status find_mode(const char *name, const char *rest, study_quantity *q, td_error *err) {
    char *end;
    const long number = strtol(rest, &end, 10);
    if (number < 1 || number > 1000 || *end != '.')
        return error_set(err, TD_ERR_ARGUMENT, name, "modes count from 1: mode.1.frequency");
    q->index = (int)number - 1;
    return take_word(mode_parts, COUNT(mode_parts), name, end + 1, QUANTITY_MODE, q, err);
}

// Of a point that td_find_output knows: "tip.compliance_x".
static td_status find_compliance(const td_system *system, const char *name, const char *dot,
                                 study_quantity *q, td_error *err) {
    char point[160];
    snprintf(point, sizeof point, "%.*s.pose", (int)(dot - name), name);
    td_status status = td_find_output(system, point, &q->output, err);
    if (status < 0) return status;
    status = take_word(compliances, COUNT(compliances), name, dot + 1, QUANTITY_COMPLIANCE, q, err);
    if (status >= 0) q->index = q->part;
    return status;
}

static td_status find_output(const td_system *system, const char *name, study_quantity *q,
                             td_error *err) {
    const td_status status = td_find_output(system, name, &q->output, err);
    if (status < 0) return status;
    q->kind = QUANTITY_OUTPUT;
    q->unit = q->output.units[0];
    q->index = q->output.first;
    if (!strcmp(q->unit, "1")) q->unit = "";
    if (q->output.n == 1) return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, name, "is %d numbers: name one of them, like %s",
                     q->output.n, q->output.names[0]);
}

td_status quantity_find(const td_system *system, const char *name, study_quantity *q,
                        td_error *err) {
    const char *rest, *dot = strrchr(name, '.');
    const word *w = find_word(single, COUNT(single), name);
    *q = (study_quantity){.name = name, .unit = ""};
    if (w) {
        q->kind = (quantity_kind)w->value, q->unit = w->unit;
        return TD_OK;
    }
    if ((rest = behind(name, "input."))) return input_named(system, name, rest, q, err);
    if ((rest = behind(name, "energy.")))
        return take_word(energies, COUNT(energies), name, rest, QUANTITY_ENERGY, q, err);
    if ((rest = behind(name, "reach.")))
        return take_word(reach_parts, COUNT(reach_parts), name, rest, QUANTITY_REACH, q, err);
    if ((rest = behind(name, "mode."))) return find_mode(name, rest, q, err);
    if (dot && behind(dot, ".compliance")) return find_compliance(system, name, dot, q, err);
    return find_output(system, name, q, err);
}

// ---------------------------------------------------------------- values
static double mass_of(const td_robot *robot) {
    double mass = 0.0;
    for (int i = 0; i < robot->n_rods; i++) mass += rod_facts_of(robot, i).mass;
    for (int i = 0; i < robot->n_bodies; i++) mass += body_facts_of(robot, i).mass;
    return mass;
}

static double energy_of(const quantity_source *from, int part) {
    const td_energy e = td_get_energy(from->system, from->state);
    const double parts[] = {e.kinetic,    e.gravity, e.elastic,
                            e.dissipated, e.work,    e.kinetic + e.gravity + e.elastic};
    return parts[part];
}

static td_status mode_value(const study_quantity *q, const quantity_source *from, double *value,
                            td_error *err) {
    const int n = from->linear ? td_n_modes(from->linear) : 0;
    if (q->index >= n)
        return error_set(err, TD_ERR_ARGUMENT, q->name, "there are only %d modes", n);
    const td_mode m = td_get_mode(from->linear, q->index);
    const double parts[] = {m.frequency, m.damping, m.re, m.im};
    *value = parts[q->part];
    return TD_OK;
}

static td_status compliance_value(const study_quantity *q, const quantity_source *from,
                                  double *value, td_error *err) {
    const td_output *at = &q->output.output;
    double C[36];
    const td_status status =
        at->body >= 0
            ? td_get_body_compliance(from->system, from->state, at->body, C)
            : td_get_compliance(from->system, from->state, at->rod, at->s, at->rod, at->s, C);
    if (status < 0) return error_set(err, status, q->name, "%s", td_message(from->state));
    *value = C[7 * q->index];
    return status;
}

static td_status stability_value(const study_quantity *q, const quantity_source *from,
                                 double *value, td_error *err) {
    const td_status status = td_get_stability(from->system, from->state, value);
    if (status < 0) return error_set(err, status, q->name, "%s", td_message(from->state));
    return status;
}

static double output_value(const study_quantity *q, const quantity_source *from) {
    double all[6];
    td_get_output(from->system, from->state, &q->output.output, all);
    return all[q->index];
}

td_status quantity_value(const study_quantity *q, const quantity_source *from, double *value,
                         td_error *err) {
    switch (q->kind) {
    case QUANTITY_OUTPUT: *value = output_value(q, from); break;
    case QUANTITY_INPUT: *value = td_get_input(from->system, from->state, q->index); break;
    case QUANTITY_ENERGY: *value = energy_of(from, q->part); break;
    case QUANTITY_MODE: return mode_value(q, from, value, err);
    case QUANTITY_REACH: *value = q->part ? from->angle : from->distance; break;
    case QUANTITY_COMPLIANCE: return compliance_value(q, from, value, err);
    case QUANTITY_STABILITY: return stability_value(q, from, value, err);
    case QUANTITY_MASS: *value = mass_of(from->robot); break;
    case QUANTITY_TIME: *value = td_get_time(from->system, from->state); break;
    case QUANTITY_ITERATIONS: *value = td_get_stats(from->state)->iterations; break;
    case QUANTITY_RESIDUAL: *value = td_get_stats(from->state)->residual; break;
    }
    return TD_OK;
}
