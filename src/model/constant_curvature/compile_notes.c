// model/constant_curvature/compile_notes.c - what arcs only come near, by name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/constant_curvature/compile.h"

#define NOTE_SIZE 320

static bool add(constant_curvature *c, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (!copy) return false;
    memcpy(copy, text, bytes);
    c->notes[c->n_notes++] = copy;
    return true;
}

static bool any(const td_number n[3]) {
    for (int k = 0; k < 3; k++)
        if (n[k].value != 0.0 || n[k].gain != 0.0) return true;
    return false;
}

// Tendons and chambers bend a rod evenly, and so do moments at its tip; weight and forces do not.
static bool bends_unevenly(const constant_curvature *c, const td_robot *robot, int rod) {
    if (any(c->gravity) && c->arms[rod].mass > 0.0) return true;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        bool inside = load->from < c->arms[rod].length * (1.0 - SAME_PLACE);
        if (load->rod == rod && (any(load->force) || (inside && any(load->moment)))) return true;
    }
    return false;
}

static bool note_bending(constant_curvature *c, const td_robot *robot, int rod) {
    char text[NOTE_SIZE];
    if (!bends_unevenly(c, robot, rod)) return true;
    snprintf(
        text, sizeof text,
        "rods.%s: weight and forces bend it unevenly, which its %d arc%s only come%s near; more "
        "arcs (simulation.constant_curvature.segments) come nearer, but never twist",
        c->arms[rod].name, c->arms[rod].chain.n, c->arms[rod].chain.n == 1 ? "" : "s",
        c->arms[rod].chain.n == 1 ? "s" : "");
    return add(c, text);
}

// Along the axis where the rod is straight.
static bool twists(const constant_curvature *c, const td_load_def *load) {
    const td_number *m = load->moment;
    if (load->rod < 0 || load->frame == TD_FRAME_BODY) return m[2].value != 0.0 || m[2].gain != 0.0;
    vec3 z = mat3_column(&c->arms[load->rod].base.R, 2);
    vec3 value = {m[0].value, m[1].value, m[2].value}, gain = {m[0].gain, m[1].gain, m[2].gain};
    double size = vec3_norm(value) + vec3_norm(gain);
    return fabs(vec3_dot(value, z)) + fabs(vec3_dot(gain, z)) > 1e-9 * size;
}

static bool note_twist(constant_curvature *c, const td_load_def *load) {
    char text[NOTE_SIZE];
    if (!any(load->moment) || !twists(c, load)) return true;
    snprintf(text, sizeof text,
             "loads.%s.moment: its part along the axis would twist the rod; arcs do not",
             load->name);
    return add(c, text);
}

bool arcs_add_notes(constant_curvature *c, const td_robot *robot) {
    c->notes = calloc((size_t)(robot->n_rods + robot->n_loads) + 1, sizeof *c->notes);
    bool fine = c->notes != NULL;
    for (int i = 0; i < robot->n_rods && fine; i++) fine = note_bending(c, robot, i);
    for (int i = 0; i < robot->n_loads && fine; i++) fine = note_twist(c, &robot->loads[i].def);
    return fine;
}

const char *arcs_note(const void *compiled, int index) {
    const constant_curvature *c = compiled;
    return index < c->n_notes ? c->notes[index] : NULL;
}
