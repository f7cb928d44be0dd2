// batch/variants.c - robots of one structure with other numbers: moduli, masses, lengths, loads, gains.
//
// A variant is a system that some robots of a batch are built as. An ordinary state of such a robot is one of that
// system; in lanes its numbers stand behind what inputs give it, and a spare state takes it as it takes any other.
#include "batch/variants.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/options.h"

static bool is_chosen(const bool *which, int robot) {
    return !which || which[robot];
}

void variant_free(const td_batch *b, batch_variant *v) {
    if (!v) return;
    if (v->plan) b->lanes->release(v->plan);
    td_system_destroy(v->owned);
    free(v);
}

static void variant_drop(td_batch *b, batch_variant *v) {
    if (v && --v->robots == 0) variant_free(b, v);
}

void variants_release(td_batch *b) {
    for (int i = 0; b->variants && i < b->n; i++) variant_drop(b, b->variants[i]);
    free(b->variants);
    b->variants = NULL;
}

const td_system *td_batch_system(const td_batch *b, int robot) {
    return robot >= 0 && robot < b->n ? system_of(b, robot) : NULL;
}

// ---------------------------------------------------------------- the same structure?
static td_status check_count(td_error *err, const char *what, int n, int needed) {
    if (n == needed) return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, what, "%d, but the batch's robots have %d", n, needed);
}

static td_status check_inputs(const td_system *own, const td_system *other, td_error *err) {
    td_status status = check_count(err, "inputs", other->n_inputs, own->n_inputs);
    for (int i = 0; i < own->n_inputs && !status; i++)
        if (strcmp(own->inputs[i].name, other->inputs[i].name) != 0)
            status = error_set(err, TD_ERR_ARGUMENT, "inputs",
                               "number %d is '%.60s', but '%.60s' of the batch's robots", i,
                               other->inputs[i].name, own->inputs[i].name);
    return status;
}

static td_status check_options(const td_system *a, const td_system *b, td_error *err) {
    const plan x = {.options = a->options}, y = {.options = b->options};
    const sim_option *o;
    for (int i = 0; (o = sim_option_at(i)); i++)
        if (!option_is_of_run(o) && option_differs(o, &x, &y))
            return error_set(err, TD_ERR_ARGUMENT, o->path,
                             "it is not what the batch's robots have");
    return TD_OK;
}

static td_status check_structure(const td_system *own, const td_system *other, td_error *err) {
    td_status status = check_inputs(own, other, err);
    if (!status) status = check_count(err, "rods", other->rods.n, own->rods.n);
    if (!status) status = check_count(err, "bodies", other->bodies.n, own->bodies.n);
    if (!status) status = check_count(err, "actuators", other->n_actuators, own->n_actuators);
    return status ? status : check_options(own, other, err);
}

static td_status plan_variant(const td_batch *b, batch_variant *v, td_error *err) {
    char why[128];
    v->plan = b->lanes->make(v->system->compiled, b->width, why, sizeof why);
    if (!v->plan) return error_set(err, TD_ERR_UNSUPPORTED, "system", "no lanes for it: %s", why);
    if (b->lanes->put_own(b->plan, v->plan, NULL)) return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, "system",
                     "its rod is cut, routed, loaded or driven in other places than that of the "
                     "batch's robots, which are in lanes");
}

batch_variant *variant_make(const td_batch *b, const td_system *system, td_system *owned,
                            td_error *err) {
    if (check_structure(b->system, system, err) < 0) return NULL;
    batch_variant *v = calloc(1, sizeof *v);
    if (!v) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    *v = (batch_variant){.system = system};
    if (b->kind != TD_BATCH_STATES && plan_variant(b, v, err) < 0) {
        variant_free(b, v);
        return NULL;
    }
    v->owned = owned;
    return v;
}

// ---------------------------------------------------------------- taking them
static bool make_room(td_batch *b) {
    if (b->variants) return true;
    batch_variant **variants = calloc((size_t)b->n + 1, sizeof *variants);
    if (!variants || (b->kind != TD_BATCH_STATES && !lanes_make_own(b))) {
        free(variants);
        return false;
    }
    b->variants = variants;
    b->bytes += (size_t)b->n * sizeof *variants;
    for (int i = 0; b->kind != TD_BATCH_STATES && i < b->n; i++) lanes_put_own(b, i);
    return true;
}

// A state of its own for each robot that becomes another, all or none.
static bool make_states(const td_batch *b, batch_variant *const *given, td_state **made) {
    for (int i = 0; i < b->n; i++)
        if (given[i] && !(made[i] = td_state_create(given[i]->system))) return false;
    return true;
}

static void take(td_batch *b, batch_variant *const *given, td_state **made) {
    for (int i = 0; i < b->n; i++) {
        if (!given[i]) continue;
        given[i]->robots++;
        variant_drop(b, b->variants[i]);
        b->variants[i] = given[i];
        if (b->kind != TD_BATCH_STATES) {
            lanes_put_own(b, i);
            continue;
        }
        td_state *old = b->states[i];
        b->states[i] = made[i], made[i] = old;
    }
}

td_status variants_set(td_batch *b, batch_variant *const *given, td_error *err) {
    const bool states = b->kind == TD_BATCH_STATES;
    td_state **made = calloc((size_t)b->n + 1, sizeof *made);
    bool *which = calloc((size_t)b->n + 1, sizeof *which);
    const bool room = made && which && make_room(b) && (!states || make_states(b, given, made));
    if (room) {
        for (int i = 0; i < b->n; i++) which[i] = given[i] != NULL;
        gpu_changed(b);
        take(b, given, made);
        gpu_numbers_changed(b);
        td_batch_reset(b, which);
    }
    for (int i = 0; made && i < b->n; i++) td_state_destroy(made[i]);
    free(made), free(which);
    return room ? TD_OK : error_set(err, TD_ERR_MEMORY, NULL, "no memory for robots of their own");
}

td_status td_batch_set_system(td_batch *b, const td_system *system, const bool *which,
                              td_error *err) {
    if (!system) return error_set(err, TD_ERR_ARGUMENT, "system", "there is none");
    batch_variant **given = calloc((size_t)b->n + 1, sizeof *given);
    batch_variant *v = given ? variant_make(b, system, NULL, err) : NULL;
    if (!v) {
        free(given);
        return given ? TD_ERR_ARGUMENT : error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    }
    for (int i = 0; i < b->n; i++) given[i] = is_chosen(which, i) ? v : NULL;
    const td_status status = variants_set(b, given, err);
    if (v->robots == 0) variant_free(b, v);
    free(given);
    return status;
}
