// view/arrows.c - see arrows.h.
#include "view/arrows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh.h"
#include "robot/facts.h"

enum { ALONG = 5 };  // arrows of a load along a rod

static int arrows_of_load(const td_load_def *load) {
    return load->distributed ? ALONG : 1;
}

static bool base_is_held(const robot_rod *rod) {
    return rod->base.joint != TD_FREE;
}

static void add_load(arrow *to, const robot_load *load) {
    const td_load_def *d = &load->def;
    const int n = arrows_of_load(d);
    for (int i = 0; i < n; i++) {
        *to = (arrow){.per_length = d->distributed,
                      .rod = d->rod,
                      .body = d->body,
                      .follows = d->frame == TD_FRAME_BODY};
        snprintf(to->name, sizeof to->name, "%s", load->name);
        to->s = d->distributed ? d->from + (d->to - d->from) * i / (n - 1) : d->from;
        memcpy(to->force, d->force, sizeof to->force);
        memcpy(to->moment, d->moment, sizeof to->moment);
        to++;
    }
}

static void add_reaction(arrow *to, const td_robot *robot, int rod, bool tip) {
    *to =
        (arrow){.reaction = true, .rod = rod, .body = -1, .s = tip ? robot->rods[rod].length : 0.0};
    snprintf(to->name, sizeof to->name, "%s.%s", robot->rods[rod].name, tip ? "tip" : "base");
}

arrow *arrows_of(const td_robot *robot, int *n) {
    *n = 0;
    for (int i = 0; i < robot->n_loads; i++) *n += arrows_of_load(&robot->loads[i].def);
    for (int i = 0; i < robot->n_rods; i++)
        *n += base_is_held(&robot->rods[i]) + robot->rods[i].tip.held;
    arrow *all = calloc((size_t)*n + 1, sizeof *all), *to = all;
    if (!all) return NULL;
    for (int i = 0; i < robot->n_loads; i++) {
        add_load(to, &robot->loads[i]);
        to += arrows_of_load(&robot->loads[i].def);
    }
    for (int i = 0; i < robot->n_rods; i++) {
        if (base_is_held(&robot->rods[i])) add_reaction(to++, robot, i, false);
        if (robot->rods[i].tip.held) add_reaction(to++, robot, i, true);
    }
    return all;
}

// In the world; `turn` is that of what it follows, NULL: it keeps its direction.
static void put_load(const td_number n[3], const td_system *system, const td_state *state,
                     const double *turn, double out[3]) {
    double x[3], column[3];
    for (int k = 0; k < 3; k++) {
        x[k] = n[k].value;
        if (n[k].gain != 0.0) x[k] += n[k].gain * td_get_input(system, state, n[k].input);
        out[k] = turn ? 0.0 : x[k];
    }
    for (int k = 0; k < 3 && turn; k++) {
        quat_column(turn, k, column);
        for (int i = 0; i < 3; i++) out[i] += column[i] * x[k];
    }
}

void arrow_at(const arrow *a, const td_system *system, const td_state *state,
              double out[ARROW_FLOATS]) {
    const td_pose pose =
        a->rod < 0 ? td_get_body(system, state, a->body).pose
                   : td_get_pose(system, state, a->rod, td_get_place(system, state, a->rod, a->s));
    memcpy(out, pose.p, 3 * sizeof *out);
    if (!a->reaction) {
        put_load(a->force, system, state, a->follows ? pose.q : NULL, out + 3);
        put_load(a->moment, system, state, a->follows ? pose.q : NULL, out + 6);
        return;
    }
    const td_reaction r = td_get_reaction(system, state, a->rod, a->s > 0.0 ? TD_TIP : TD_BASE);
    memcpy(out + 3, r.force, sizeof r.force);
    memcpy(out + 6, r.moment, sizeof r.moment);
}
