// tendril animate: a result as a film.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/animate.h"
#include "cli/film.h"
#include "cli/reading.h"
#include "cli/obstacles.h"
#include "cli/scene.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/written.h"

enum { MOST_FRAMES = 20000, MOST_SIDE = 4096 };
#define SHORTEST 3.0  // s, of a film whose speed is not given
#define LONGEST 20.0

typedef struct plan {
    char path[640];
    bool quiet;
    double fps, speed;  // simulated seconds in one of the film
    int size[2];
    int n_frames;
    projection view;
    double lo[3], hi[3];  // around everything that happens, m
} plan;

// ---------------------------------------------------------------- what was asked for
static bool read_path(const char *option_name, const char *out, const result *r, plan *p) {
    const char *slash = strrchr(r->path, '/');
    int folder = slash ? (int)(slash - r->path) + 1 : 0;
    snprintf(p->path, sizeof p->path, "%.*sanimation.mp4", folder, r->path);
    if (out) snprintf(p->path, sizeof p->path, "%s", out);
    const char *dot = strrchr(p->path, '.');
    if (dot && (!strcasecmp(dot, ".mp4") || !strcasecmp(dot, ".gif"))) return true;
    char where[32];
    snprintf(where, sizeof where, "--%s", option_name);
    return print_error(where, "'%s' must end in .mp4 or .gif", p->path);
}

static bool read_size(const args *a, plan *p) {
    const char *text = args_value(a, "size");
    bool gif = film_is_gif(p->path);
    p->size[0] = gif ? 640 : 960, p->size[1] = gif ? 480 : 720;
    if (!text) return true;
    char after;
    if (sscanf(text, "%dx%d%c", &p->size[0], &p->size[1], &after) != 2 || p->size[0] < 100 ||
        p->size[1] < 100 || p->size[0] > MOST_SIDE || p->size[1] > MOST_SIDE)
        return print_error("--size", "'%s' must be WxH in pixels, e.g. 960x720 (100 to %d each)",
                           text, MOST_SIDE);
    for (int k = 0; k < 2 && !gif; k++) p->size[k] -= p->size[k] % 2;  // as MP4 needs it
    return true;
}

static bool read_rate(const args *a, plan *p) {
    bool gif = film_is_gif(p->path);
    int fps = gif ? 20 : 30;
    if (!args_integer(a, "fps", 1, gif ? 50 : 120, &fps)) return false;
    p->fps = gif ? 100.0 / round(100.0 / fps) : fps;  // a GIF counts in hundredths of a second
    return true;
}

static bool read_speed(const args *a, const result *r, plan *p) {
    double span = r->time[r->n_times - 1] - r->time[0];
    const char *text = args_value(a, "speed");
    p->speed = span > LONGEST ? round_step(span / LONGEST) : 1.0;
    if (span < SHORTEST) p->speed = round_step(span / SHORTEST);
    if (text) {
        char *end;
        p->speed = strtod(text, &end);
        if (end == text || *end || !(p->speed > 0) || !isfinite(p->speed))
            return print_error("--speed",
                               "'%s' must be a positive number: 1 is real time, 0.1 ten times "
                               "slower",
                               text);
    }
    double frames = floor(span / p->speed * p->fps + 1e-9) + 1;
    if (!(frames <= MOST_FRAMES))
        return print_error("--speed", "%g gives %.0f frames, more than %d; try --speed %g",
                           p->speed, frames, MOST_FRAMES,
                           round_step(2 * p->speed * frames / MOST_FRAMES));
    p->n_frames = (int)frames;
    return true;
}

static bool read_plan(const args *a, const char *option_name, const result *r, plan *p) {
    const char *view = args_value(a, "view");
    *p = (plan){.quiet = args_has(a, "quiet"), .view = view_from_corner()};
    if (view && !view_parse(view, &p->view)) return print_error("--view", VIEW_RULE, view);
    return read_path(option_name, args_value(a, option_name), r, p) && read_size(a, p) &&
           read_rate(a, p) && read_speed(a, r, p);
}

// ---------------------------------------------------------------- frames
static void find_bounds(const figure *f, plan *p) {
    double thickest = 0.0;
    const result *r = f->results[0];
    for (int i = 0; i < r->n_rods; i++) {
        const result_rod *rod = &r->rods[i];
        for (int k = 0; rod->radius && k < rod->n_points; k++)
            thickest = fmax(thickest, rod->radius[k]);
    }
    for (int k = 0; k < 3; k++) p->lo[k] = f->lo[k] - thickest, p->hi[k] = f->hi[k] + thickest;
}

static void lay_out(const figure *f, const plan *p, panel_list *l) {
    const result *r = f->results[0];
    double size[2] = {p->size[0], p->size[1]};
    panel only = {.view = p->view};
    snprintf(only.title, sizeof only.title, "%.100s", r->robot[0] ? r->robot : r->label);
    for (int i = 0; i < r->n_actuators; i++)
        legend_add(&only.legend, f, r->actuators[i].name, pen_of(f, 0, r->actuators[i].name, i));
    panel_add(l, only);
    layout_panels(l, false, size);
}

// Decimals that change from frame to frame.
static int decimals_of(const plan *p) {
    double step = p->speed / p->fps;
    return step >= 1 ? 0 : (int)fmin(6, ceil(-log10(step)));
}

static bool put_frame(FILE *script, const figure *f, const plan *p, const panel *only, double t) {
    axis_unit unit = shape_unit(f);
    panel_begin(script, only);
    fprintf(script, "set label 't = %.*f s' at screen 0.97,0.04 right font ',12'\n", decimals_of(p),
            t);
    double pixel = set_space(script, only, p->lo, p->hi, &unit);
    scene_look look = {&only->view, unit.factor, pixel, box_around(p->lo, p->hi).lo[2],
                       cut_around(&only->view, p->lo, p->hi)};
    return put_scene(script, f, 0, instant_at(f->results[0], t), &look) && fflush(script) == 0;
}

static bool put_frames(film *reel, const figure *f, const plan *p) {
    panel_list l = {.n = 0};
    lay_out(f, p, &l);
    progress bar = progress_begin_share(p->quiet);
    bool ok = true;
    for (int k = 0; k < p->n_frames && ok && !stop_asked(); k++) {
        double t = f->results[0]->time[0] + k * p->speed / p->fps;
        ok = put_frame(reel->g.script, f, p, &l.list[0], t);
        progress_update(&bar, (double)(k + 1) / p->n_frames);
    }
    progress_end(&bar);
    return ok;
}

static int make_film(const figure *f, const plan *p) {
    film reel;
    if (!film_open(&reel, p->path, p->fps, p->size)) return EXIT_INPUT;
    catch_stop(false);
    put_frames(&reel, f, p);
    if (stop_asked()) {
        film_abandon(&reel);
        print_note(p->path, "stopped; nothing was written");
        return EXIT_FAILED;
    }
    if (!film_close(&reel)) return EXIT_FAILED;  // says why the frames ended early, too
    written_note(p->path);
    if (p->quiet) return EXIT_FINE;
    printf("%s: %d frames, %.3g s, %.3g x real time\n", p->path, p->n_frames, p->n_frames / p->fps,
           p->speed);
    return EXIT_FINE;
}

static bool can_move(const result *r) {
    bool shape = false;
    for (int i = 0; i < r->n_rods; i++) shape |= r->rods[i].position != NULL;
    if (!shape)
        print_error(r->path, "nothing to animate: it needs rods, and record.fields to hold pose");
    else if (r->n_times < 2)
        print_error(r->path, "it holds one instant; tendril plot --kind robot draws it");
    return shape && r->n_times > 1;
}

int animate_result(const args *a, const char *option_name, result *r) {
    plan p;
    if (!can_move(r) || !read_plan(a, option_name, r, &p)) return EXIT_INPUT;
    figure f = figure_of(&r, 1);
    find_bounds(&f, &p);
    return make_film(&f, &p);
}

static int run(const args *a) {
    result *r = open_result(a->files[0]);
    if (!r) return EXIT_INPUT;
    int code = animate_result(a, "out", r);
    result_destroy(r);
    return code;
}

static const option options[] = {
    {"out", "FILE", "a .mp4 or .gif; default: animation.mp4 beside the result", false},
    {"view", "VIEW",
     "3d (default), xz, xy, yz, or azimuth and elevation in\ndegrees: --view=-60,25", false},
    {"speed", "X",
     "simulated seconds per second of film; default: 1, or such\n"
     "that the film lasts 3 to 20 s",
     false},
    {"fps", "N", "frames per second; default: 30, for a GIF 20", false},
    {"size", "WxH", "size in pixels; default: 960x720, for a GIF 640x480", false},
    {"quiet", NULL, "no progress bar and no summary", false},
    {0},
};

const verb verb_animate = {
    .name = "animate",
    .summary = "make a film of a result: MP4 or GIF",
    .arguments = "RESULT",
    .about = "RESULT is a folder written by run, or its result.h5. Rods are drawn with their\n"
             "thickness, with tendons, bodies and discs. Frames between records are interpolated.\n"
             "Needs gnuplot, and ffmpeg for MP4.",
    .options = options,
    .examples = "  tendril animate results/arm\n"
                "  tendril animate results/arm --out arm.gif --view xz --speed 0.5\n",
    .run = run,
};
