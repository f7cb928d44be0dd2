// The robot itself at one instant, a panel for each result and view.
#include <math.h>

#include "cli/obstacles.h"
#include "cli/scene.h"

static bool has_positions(const result *r) {
    for (int i = 0; i < r->n_rods; i++)
        if (r->rods[i].position) return true;
    return r->n_rods == 0 && r->n_bodies > 0 && r->bodies[0].position;  // an arm alone
}

// Frames of free bodies, as of an arm that carries rods.
static void span_bodies(const result *r, instant at, double lo[3], double hi[3]) {
    for (int i = 0; i < r->n_bodies; i++) {
        double p[3];
        if (!r->bodies[i].free || !r->bodies[i].position) continue;
        between_records(r->bodies[i].position, 3, at, p);
        for (int k = 0; k < 3; k++) lo[k] = fmin(lo[k], p[k]), hi[k] = fmax(hi[k], p[k]);
    }
}

// Around one instant, with the thickness of what is there.
static void bounds_at(const result *r, instant at, double lo[3], double hi[3]) {
    double p[3];
    for (int k = 0; k < 3; k++) lo[k] = HUGE_VAL, hi[k] = -HUGE_VAL;
    for (int i = 0; i < r->n_rods; i++) {
        const result_rod *rod = &r->rods[i];
        for (int j = 0; rod->position && j < rod->n_points; j++) {
            double radius = rod->radius ? rod->radius[j] : 0.0;
            if (rod->sides) radius = 0.5 * hypot(rod->sides[2 * j], rod->sides[2 * j + 1]);
            rod_point_at(rod, at, j, p);
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], p[k] - radius);
                hi[k] = fmax(hi[k], p[k] + radius);
            }
        }
    }
    span_bodies(r, at, lo, hi);
}

static void draw_robot(FILE *script, const figure *f, const panel *p) {
    axis_unit unit = shape_unit(f);
    instant at = instant_at(f->results[p->result], f->time);
    double lo[3], hi[3];
    bounds_at(f->results[p->result], at, lo, hi);
    widen_for_obstacles(f->results[p->result], at, lo, hi);
    panel_begin(script, p);
    double pixel = set_space(script, p, lo, hi, &unit);
    box around = box_around(lo, hi);
    scene_look look = {&p->view, unit.factor, pixel, around.lo[2], cut_around(&p->view, lo, hi)};
    if (!put_scene(script, f, p->result, at, &look)) fputs("plot -1 notitle\n", script);
}

// From a corner unless another view was asked for.
void add_robot(panel_list *l, const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        if (!has_positions(r)) continue;
        double t = fmin(fmax(f->time, r->time[0]), r->time[r->n_times - 1]);
        for (int k = 0; k < (f->chosen ? f->n_views : 1); k++) {
            panel p = {.draw = draw_robot, .result = i};
            p.view = f->chosen ? f->views[k] : view_from_corner();
            if (f->n_results > 1) snprintf(p.title, sizeof p.title, "%.100s", r->label);
            else if (r->n_times > 1) snprintf(p.title, sizeof p.title, "t = %.4g s", t);
            for (int j = 0; f->n_results == 1 && j < r->n_actuators; j++) {
                const char *name = r->actuators[j].name;
                legend_add(&p.legend, f, name, pen_of(f, i, name, j));
            }
            panel_add(l, p);
        }
    }
}
