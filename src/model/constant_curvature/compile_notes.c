// model/constant_curvature/compile_notes.c - what arcs only come near, by name.
#include <stdlib.h>

#include "model/constant_curvature/compile.h"

// Tendons and chambers bend a rod evenly, and so do moments at its tip; weight, forces and obstacles do not.
static bool bends_unevenly(const constant_curvature *c, const td_robot *robot, int rod) {
    if (robot->n_obstacles > 0) return true;
    if (any_number(c->around.gravity) && c->arms[rod].mass > 0.0) return true;
    if (c->arms[rod].n_around > 0) return true;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        bool inside = load->from < c->arms[rod].length * (1.0 - SAME_PLACE);
        if (load->rod == rod && (any_number(load->force) || (inside && any_number(load->moment))))
            return true;
    }
    return false;
}

static bool note_bending(constant_curvature *c, const td_robot *robot, int rod) {
    const int arcs = c->arms[rod].chain.n;
    if (!bends_unevenly(c, robot, rod)) return true;
    return notes_add(
        &c->notes,
        "rods.%s: weight and forces%s bend it unevenly, which its %d arc%s only come%s near; more "
        "arcs (simulation.constant_curvature.segments) come nearer, but never twist",
        c->arms[rod].name, robot->n_obstacles ? ", those of obstacles too," : "", arcs,
        arcs == 1 ? "" : "s", arcs == 1 ? "s" : "");
}

static bool note_twist(constant_curvature *c, const td_load_def *load) {
    const mat3 *base = load->rod < 0 ? NULL : &c->arms[load->rod].base.R;
    if (!any_number(load->moment) || !load_twists(load, base)) return true;
    return notes_add(&c->notes,
                     "loads.%s.moment: its part along the axis would twist the rod; arcs do not",
                     load->name);
}

static bool note_obstacles(constant_curvature *c, const td_robot *robot) {
    double *gaps = calloc((size_t)c->n_arms + 1, sizeof *gaps);
    if (!gaps) return false;
    for (int i = 0; i < c->n_arms; i++) {
        const touch *t = &c->arms[i].touch;
        for (int k = 0; k < t->n_points; k++)
            gaps[i] = fmax(gaps[i], t->points[k].s - (k ? t->points[k - 1].s : 0.0));
    }
    const bool ok = touch_notes(robot, gaps, "simulation.constant_curvature.segments", &c->notes);
    free(gaps);
    return ok;
}

bool arcs_add_notes(constant_curvature *c, const td_robot *robot) {
    bool fine = note_obstacles(c, robot);
    for (int i = 0; i < robot->n_rods && fine; i++) fine = note_bending(c, robot, i);
    for (int i = 0; i < robot->n_loads && fine; i++) fine = note_twist(c, &robot->loads[i].def);
    return fine;
}

const char *arcs_note(const void *compiled, int index) {
    return notes_get(&((const constant_curvature *)compiled)->notes, index);
}
