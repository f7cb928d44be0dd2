// cli/mode_shapes.c - see mode_shapes.h.
#include "cli/mode_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/animate.h"
#include "cli/drawing.h"
#include "cli/terminal.h"
#include "io/mesh.h"
#include "io/mode_shape.h"
#include "math/pi.h"
#include "robot/facts.h"

enum {
    ROD_POINTS = 41,
    MOST_DRAWN = 12,
    PERIODS = 3,
    FRAMES_OF_PERIOD = 24,
    RIBS = 11,

    COLUMNS = 3,
    ROW_HEIGHT = 350
};
#define LARGEST_MOVE 0.14  // of the robot's size, in a picture
#define LEAST_SHOWN 0.3    // of motion and length, by a view along an axis
#define LARGEST_TURN 0.7   // rad

typedef struct shapes {
    const linear *x;
    mode_shape of;
} shapes;

// ---------------------------------------------------------------- what is there
// Poses of all places are outputs of a new linearisation, with its n slowest modes.
static int shapes_make(shapes *m, linear *x, int n_modes) {
    m->x = x;
    if (!mode_shape_make(&m->of, x->s.system, x->s.state, ROD_POINTS))
        return exit_error(EXIT_FAILED, x->s.file, "out of memory");
    const int code = linear_about(x, m->of.outputs, m->of.n_places);
    if (code != EXIT_FINE) return code;
    if (td_solve_modes(x->l, n_modes) >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, x->s.file, "%s", td_linearisation_message(x->l));
}

static bool load_mode(shapes *m, int mode) {
    return mode_shape_load(&m->of, m->x->l, mode, LARGEST_MOVE * m->of.size, LARGEST_TURN);
}

// ---------------------------------------------------------------- a mode as a result
static bool make_rod(const shapes *m, int i, int n_times, result_rod *rod) {
    const session *s = &m->x->s;
    const end_facts ends = end_facts_of(s->robot, i);
    const size_t n = (size_t)n_times * ROD_POINTS;
    snprintf(rod->name, sizeof rod->name, "%s", td_rod_name(s->system, i));
    snprintf(rod->base_body, sizeof rod->base_body, "%s", ends.base_body ? ends.base_body : "");
    snprintf(rod->tip_body, sizeof rod->tip_body, "%s", ends.tip_body ? ends.tip_body : "");
    rod->length = td_rod_length(s->system, i);
    rod->n_points = ROD_POINTS;
    rod->s = calloc(ROD_POINTS, sizeof(double));
    rod->radius = calloc(ROD_POINTS, sizeof(double));
    rod->position = calloc(3 * n, sizeof(double));
    rod->orientation = calloc(4 * n, sizeof(double));
    if (!rod->s || !rod->radius || !rod->position || !rod->orientation) return false;
    for (int k = 0; k < ROD_POINTS; k++) {
        rod->s[k] = point_along(fed_stretch_in(s->system, i), rod->length, k, ROD_POINTS);
        rod->radius[k] = rod_radius_at(s->robot, i, rod->s[k]);
    }
    return result_rod_find_sides(rod, s->robot, i);
}

static bool make_body(const shapes *m, int i, int n_times, result_body *body) {
    const body_facts facts = body_facts_of(m->x->s.robot, i);
    const size_t n = (size_t)n_times;
    snprintf(body->name, sizeof body->name, "%s", facts.name);
    body->free = !facts.rod;
    body->radius = facts.radius, body->height = facts.height;
    body->position = calloc(3 * n, sizeof(double));
    body->orientation = calloc(4 * n, sizeof(double));
    return body->position && body->orientation;
}

static bool make_parts(const shapes *m, result *r) {
    r->time = calloc((size_t)r->n_times, sizeof *r->time);
    r->rods = calloc((size_t)m->of.n_rods + 1, sizeof *r->rods);
    r->bodies = calloc((size_t)m->of.n_bodies + 1, sizeof *r->bodies);
    if (!r->time || !r->rods || !r->bodies) return false;
    for (int i = 0; i < m->of.n_rods; i++, r->n_rods++)
        if (!make_rod(m, i, r->n_times, &r->rods[i])) return r->n_rods++, false;
    for (int i = 0; i < m->of.n_bodies; i++, r->n_bodies++)
        if (!make_body(m, i, r->n_times, &r->bodies[i])) return r->n_bodies++, false;
    return true;
}

static void put_record(const shapes *m, result *r, int record, const double by[2]) {
    for (int i = 0; i < m->of.n_places; i++) {
        const int rod = i / ROD_POINTS, body = i - m->of.n_rods * ROD_POINTS;
        const long at = body < 0 ? (long)record * ROD_POINTS + i % ROD_POINTS : record;
        const td_pose pose = mode_shape_pose(&m->of, i, by);
        double *p = body < 0 ? r->rods[rod].position : r->bodies[body].position;
        double *q = body < 0 ? r->rods[rod].orientation : r->bodies[body].orientation;
        memcpy(p + 3 * at, pose.p, sizeof pose.p);
        memcpy(q + 4 * at, pose.q, sizeof pose.q);
    }
}

static result *empty_result(const shapes *m, int n_times) {
    result *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    const char *name = td_robot_name(m->x->s.robot);
    r->n_times = n_times;
    snprintf(r->path, sizeof r->path, "%s", m->x->s.file);
    snprintf(r->robot, sizeof r->robot, "%s", name ? name : "");
    if (make_parts(m, r)) return r;
    result_destroy(r);
    return NULL;
}

// Three records: at rest, and at both extremes.
static result *extremes_of(const shapes *m) {
    static const double by[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {-1.0, 0.0}};
    result *r = empty_result(m, 3);
    for (int k = 0; r && k < 3; k++) {
        r->time[k] = k;
        put_record(m, r, k, by[k]);
    }
    return r;
}

// ---------------------------------------------------------------- pictures
// "2.35 Hz, damping 0.012"
static void mode_describe(const td_mode *m, char *text, size_t size) {
    const double constant = fabs(1.0 / m->re);
    switch (m->kind) {
    case TD_MODE_OSCILLATES:
        if (m->damping > 0.0)
            snprintf(text, size, "%.4g Hz, damping %.2g", m->frequency, m->damping);
        else snprintf(text, size, "%.4g Hz", m->frequency);
        return;
    case TD_MODE_DECAYS: snprintf(text, size, "decays in %.3g s", constant); return;
    case TD_MODE_NEUTRAL: snprintf(text, size, "moves freely"); return;
    case TD_MODE_DIVERGES: snprintf(text, size, "diverges in %.3g s", constant); return;
    case TD_MODE_FLUTTERS:
        snprintf(text, size, "%.4g Hz, flutters in %.3g s", m->frequency, constant);
        return;
    }
}

static const char *const record_colours[3] = {"#a8a8a8", "#0b6fb3", "#d1570c"};

static void put_point(FILE *script, const projection *v, double factor, const double p[3]) {
    double q[2];
    view_project(v, p, q);
    fprintf(script, "%.9g %.9g\n", factor * q[0], factor * q[1]);
}

// The x axis of sections, where nothing else is seen to move.
static void put_ribs(FILE *script, const projection *v, double factor, const result_rod *rod,
                     int record, double length) {
    for (int k = 0; k < RIBS; k++) {
        const long at = (long)record * ROD_POINTS + k * (ROD_POINTS - 1) / (RIBS - 1);
        const double *p = rod->position + 3 * at;
        double axis[3], end[3];
        quat_column(rod->orientation + 4 * at, 0, axis);
        for (int c = 0; c < 3; c++) end[c] = p[c] + length * axis[c];
        put_point(script, v, factor, p);
        put_point(script, v, factor, end);
        fputs("\n", script);
    }
}

static void put_shape(FILE *script, const projection *v, double factor, const result *r, int record,
                      double ribs) {
    fprintf(script, "$shape%d << EOD\n", record);
    for (int i = 0; i < r->n_rods; i++) {
        const double *p = r->rods[i].position + 3L * record * ROD_POINTS;
        for (int k = 0; k < ROD_POINTS; k++) put_point(script, v, factor, p + 3 * k);
        fputs("\n", script);
        if (ribs > 0.0) put_ribs(script, v, factor, &r->rods[i], record, ribs);
    }
    for (int i = 0; i < r->n_bodies; i++) {
        double corners[MOST_CORNERS][3];
        const int n =
            r->bodies[i].free ? body_corners(r, &r->bodies[i], instant_of(record), corners) : 0;
        for (int k = 0; k <= n && n > 1; k++) put_point(script, v, factor, corners[k % n]);
        fputs("\n", script);
    }
    fputs("EOD\n", script);
}

static void bounds_of(const result *r, double ribs, double lo[3], double hi[3]) {
    for (int k = 0; k < 3; k++) lo[k] = HUGE_VAL, hi[k] = -HUGE_VAL;
    for (int i = 0; i < r->n_rods; i++)
        for (int j = 0; j < 3 * r->n_times * ROD_POINTS; j++) {
            lo[j % 3] = fmin(lo[j % 3], r->rods[i].position[j] - ribs);
            hi[j % 3] = fmax(hi[j % 3], r->rods[i].position[j] + ribs);
        }
}

// own: of each result whether it only turns, as lengths of ribs (m).
static void draw_mode(FILE *script, const figure *f, const panel *p) {
    const result *r = f->results[p->result];
    const double ribs = ((const double *)f->own)[p->result];
    const axis_unit unit = shape_unit(f);
    double lo[3], hi[3];
    bounds_of(r, ribs, lo, hi);
    panel_begin(script, p);
    for (int k = 0; k < 3; k++) put_shape(script, &p->view, unit.factor, r, k, ribs);
    set_space(script, p, lo, hi, &unit);
    for (int k = 0; k < 3; k++)
        fprintf(script, "%s $shape%d with lines lc rgb '%s' lw %s notitle", k ? ", \\\n" : "plot",
                k, record_colours[k], k ? "2" : "2.4");
    fputs("\n", script);
}

// The share of motion and length that a view shows: 1 where nothing goes along the line of sight.
static double shown_by(const projection *v, const result *r) {
    double moved[2] = {0.0, 0.0}, length[2] = {0.0, 0.0}, q[2];
    for (int i = 0; i < r->n_rods; i++)
        for (int j = 0; j < ROD_POINTS; j++) {
            const double *p = r->rods[i].position + 3 * j, *end = p + 3 * ROD_POINTS;
            const double *base = r->rods[i].position;
            const double d[3] = {end[0] - p[0], end[1] - p[1], end[2] - p[2]};
            const double l[3] = {p[0] - base[0], p[1] - base[1], p[2] - base[2]};
            view_project(v, d, q);
            moved[0] += q[0] * q[0] + q[1] * q[1];
            moved[1] += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            view_project(v, l, q);
            length[0] += q[0] * q[0] + q[1] * q[1];
            length[1] += l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
        }
    if (!(moved[1] > 0.0) || !(length[1] > 0.0)) return 0.0;
    return moved[0] / moved[1] * sqrt(length[0] / length[1]);
}

// Along the axis of the world that hides least of it; from a corner where each hides much.
static projection view_of(const result *r, const projection *asked) {
    static const int axes[3][2] = {{0, 2}, {0, 1}, {1, 2}};
    double most = LEAST_SHOWN;
    if (asked) return *asked;
    projection best = view_from_corner();
    for (int k = 0; k < 3; k++) {
        const projection v = view_along(axes[k][0], axes[k][1]);
        const double shown = shown_by(&v, r);
        if (shown > most) best = v, most = shown;
    }
    return best;
}

static int draw_results(const linear *x, drawing *d, result *const *results, const double *ribs,
                        int n, const projection *asked) {
    figure f = figure_of(results, n);
    panel_list l = {.n = 0};
    char title[192];
    static const char *const words[3] = {"at rest", "one extreme", "the other"};
    f.own = ribs;
    for (int i = 0; i < n; i++) {
        const td_mode mode = td_get_mode(x->l, i);
        char told[80];
        panel p = {.draw = draw_mode, .result = i, .view = view_of(results[i], asked)};
        mode_describe(&mode, told, sizeof told);
        snprintf(p.title, sizeof p.title, "%d: %s", i + 1, told);
        panel_add(&l, p);
    }
    for (int k = 0; k < 3; k++) {
        legend_add(&l.results, &f, words[k], (pen){0});
        l.results.entries[k].pen = (pen){record_colours[k], 0};
    }
    const char *name = td_robot_name(x->s.robot);
    snprintf(title, sizeof title, "%.100s%smodes, not to scale", name ? name : "",
             name && name[0] ? ": " : "");
    d->size[1] = 80.0 + ROW_HEIGHT * ((n + COLUMNS - 1) / COLUMNS);
    return draw_panels(d, &l, &f, title);
}

static bool read_view(const args *a, projection *view) {
    const char *text = args_value(a, "view");
    if (!text || view_parse(text, view)) return true;
    return print_error("--view", VIEW_RULE, text);
}

int mode_shapes_draw(linear *x, const args *a, int count) {
    shapes m;
    drawing d;
    projection view;
    result *results[MOST_DRAWN] = {0};
    double ribs[MOST_DRAWN] = {0};
    if (!read_view(a, &view) || !drawing_begin(&d, "picture", args_value(a, "picture")))
        return EXIT_INPUT;
    int code = shapes_make(&m, x, count), n = 0;
    if (count > td_n_modes(x->l)) count = td_n_modes(x->l);
    if (count > MOST_DRAWN) count = MOST_DRAWN;
    for (; code == EXIT_FINE && n < count; n++) {
        results[n] = load_mode(&m, n) ? extremes_of(&m) : NULL;
        ribs[n] = m.of.turns ? 0.08 * m.of.size : 0.0;
        if (results[n]) continue;
        print_error(x->s.file, "no shape of mode %d", n + 1);
        code = EXIT_FAILED;
    }
    if (code == EXIT_FINE && n > 0)
        code = draw_results(x, &d, results, ribs, n, args_has(a, "view") ? &view : NULL);
    for (int i = 0; i < n; i++) result_destroy(results[i]);
    mode_shape_free(&m.of);
    return code;
}

// ---------------------------------------------------------------- films
int mode_shapes_film(linear *x, const args *a, int mode) {
    shapes m;
    int code = shapes_make(&m, x, mode + 1);
    const int n = PERIODS * FRAMES_OF_PERIOD + 1;
    const td_mode of = td_get_mode(x->l, mode);
    const double period = of.frequency > 0.0 ? 1.0 / of.frequency : 1.0;
    result *r = code == EXIT_FINE && load_mode(&m, mode) ? empty_result(&m, n) : NULL;
    for (int k = 0; r && k < n; k++) {
        const double angle = 2.0 * PI * k / FRAMES_OF_PERIOD;
        const double by[2] = {cos(angle), sin(angle)};
        r->time[k] = period * k / FRAMES_OF_PERIOD;
        put_record(&m, r, k, by);
    }
    if (r) code = animate_result(a, "film", r);
    else if (code == EXIT_FINE) {
        print_error(x->s.file, "no shape of mode %d", mode + 1);
        code = EXIT_FAILED;
    }
    result_destroy(r);
    mode_shape_free(&m.of);
    return code;
}
