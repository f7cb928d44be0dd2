// Figure 10: the platform in two poses of its workspace. The paper shows photographs; here are two
// poses of ours, the lengths of legs that lead there (inverse statics), and where these lengths take
// the plate when they are set on a robot at rest.
#include <math.h>

#include "cli/figure.h"
#include "platform_picture.h"
#include "robots.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define DEGREES 57.29577951308232
#define ALPHA (-0.2)

typedef struct wanted {
    const char *name;
    double p[3];     // m
    double axis[3];  // of the turn, unit
    double angle;    // rad
} wanted;

enum { N_POSES = 2 };
static const wanted poses[N_POSES] = {
    {"aside and tilted", {0.06, 0.0, 0.36}, {0.0, 1.0, 0.0}, 0.35},
    {"lower and twisted", {0.0, -0.04, 0.3}, {0.0, 0.0, 1.0}, 0.5},
};

typedef struct posed {
    double legs[LEGS];  // m, fed
    double off[2];      // of the plate after setting them: m, rad
    double stability;   // smallest eigenvalue
    picture shape;
} posed;

static td_pose pose_of(const wanted *w) {
    const double c = cos(0.5 * w->angle), s = sin(0.5 * w->angle);
    return (td_pose){.p = {w->p[0], w->p[1], w->p[2]},
                     .q = {c, s * w->axis[0], s * w->axis[1], s * w->axis[2]}};
}

// ---------------------------------------------------------------- computing
static bool open_platform(paper_report *r, const td_options *o, simulation *s) {
    td_error err = {0};
    if (simulation_of(s, till_platform(NULL, 0, &err), o, &err)) return true;
    report_failure(r, "%s", err.message);
    return false;
}

// In a few parts of the way, so that each is near the last.
static bool reach(paper_report *r, const wanted *w, posed *out) {
    enum { PARTS = 5 };
    const int inputs[LEGS] = {0, 1, 2, 3, 4, 5};
    const td_options o = collocation_options(8, ALPHA);
    simulation s;
    if (!open_platform(r, &o, &s)) return false;
    const td_pose from = td_get_body(s.system, s.state, 0).pose;
    bool fine = true;
    for (int i = 1; i <= PARTS && fine; i++) {
        wanted part = *w;
        part.angle = w->angle * i / PARTS;
        for (int k = 0; k < 3; k++) part.p[k] = from.p[k] + (w->p[k] - from.p[k]) * i / PARTS;
        const td_target target = {.body = 0, .pose = pose_of(&part)};
        fine = td_solve_inverse(s.system, s.state, &target, inputs, LEGS) >= 0;
    }
    for (int i = 0; i < LEGS && fine; i++) out->legs[i] = td_get_input(s.system, s.state, i);
    if (fine && td_get_stability(s.system, s.state, &out->stability) < 0) out->stability = NONE;
    if (fine) take_picture(&s, out->shape);
    else report_failure(r, "%s: %s", w->name, td_message(s.state));
    simulation_close(&s);
    return fine;
}

// These lengths on a robot that starts from rest, by shooting: does the plate come to the pose?
static bool check(paper_report *r, const wanted *w, posed *out) {
    const td_options o = shooting_options(TD_RK4, TD_CUBIC, 101, ALPHA);
    const td_pose goal = pose_of(w);
    simulation s;
    if (!open_platform(r, &o, &s)) return false;
    for (int i = 0; i < LEGS; i++) td_set_input(s.system, s.state, i, out->legs[i]);
    bool fine = td_solve_statics(s.system, s.state) >= 0;
    const td_pose at = td_get_body(s.system, s.state, 0).pose;
    double along = 0.0;
    for (int k = 0; k < 4; k++) along += goal.q[k] * at.q[k];
    out->off[0] = hypot(hypot(at.p[0] - goal.p[0], at.p[1] - goal.p[1]), at.p[2] - goal.p[2]);
    out->off[1] = 2.0 * acos(fmin(1.0, fabs(along)));
    if (!fine) report_failure(r, "%s: %s", w->name, td_message(s.state));
    simulation_close(&s);
    return fine;
}

// ---------------------------------------------------------------- rows, table and picture
static void say(paper_report *r, const wanted *w, const char *what, const char *unit, double ours,
                const char *note) {
    char name[80];
    snprintf(name, sizeof name, "%s: %s", w->name, what);
    report_compare(
        r,
        &(comparison){.quantity = name, .unit = unit, .printed = NONE, .ours = ours, .note = note});
}

static void compare(paper_report *r, const wanted *w, const posed *found) {
    double shortest = HUGE_VAL, longest = -HUGE_VAL;
    for (int i = 0; i < LEGS; i++) {
        shortest = fmin(shortest, LEG_LENGTH + found->legs[i]);
        longest = fmax(longest, LEG_LENGTH + found->legs[i]);
    }
    say(r, w, "shortest leg", "mm", 1e3 * shortest, NULL);
    say(r, w, "longest leg", "mm", 1e3 * longest, NULL);
    say(r, w, "plate off", "mm", 1e3 * found->off[0],
        "the legs set on a robot at rest, by shooting");
    say(r, w, "plate turned off", "deg", DEGREES * found->off[1], NULL);
    say(r, w, "smallest eigenvalue", "", found->stability, "positive: it is stable");
}

static void write_table(paper_report *r, const posed found[N_POSES]) {
    FILE *out = report_table(r, "figure10.csv");
    if (!out) return;
    fputs("pose,leg1 [m],leg2 [m],leg3 [m],leg4 [m],leg5 [m],leg6 [m],smallest eigenvalue\n", out);
    for (int n = 0; n < N_POSES; n++) {
        fprintf(out, "%s", poses[n].name);
        for (int i = 0; i < LEGS; i++) fprintf(out, ",%.9g", found[n].legs[i]);
        fprintf(out, ",%.6g\n", found[n].stability);
    }
    report_close(r, out, "figure10.csv");
}

static void draw(paper_report *r, const posed found[N_POSES]) {
    gnuplot g;
    if (!report_figure(r, &g, "figure10.png", 1600, 850)) return;
    fputs("set multiplot\nset xrange [-150:200]\nset yrange [-150:150]\nset zrange [0:400]\n"
          "set xyplane at 0\nset view 72, 30, 1.2\nset view equal xyz\nunset key\nset xtics 100\n"
          "set ytics 100\nset ztics 100\nset border 31 lw 0.4\nset xlabel 'x (mm)'\n"
          "set ylabel 'y (mm)'\nset zlabel 'z (mm)' rotate\n",
          g.script);
    for (int n = 0; n < N_POSES; n++) {
        put_picture(g.script, "robot", found[n].shape);
        fprintf(g.script,
                "set origin %g, 0\nset size 0.49, 1\nset title '%s' offset 0, -2\n"
                "splot $robot_base using 1:2:3 with lines lw 1 lc rgb '#999999', \\\n"
                "for [k=0:5] $robot_legs index k using 1:2:3 with lines lw 2.5 lc rgb '%s', \\\n"
                "$robot_plate using 1:2:3 with lines lw 5 lc rgb '%s'\n",
                0.5 * n + 0.005, poses[n].name, curve_colour(0), curve_colour(6));
    }
    report_figure_end(r, &g, "figure10.png");
}

void till2019_poses(paper_report *r) {
    posed found[N_POSES];
    for (int n = 0; n < N_POSES; n++) {
        report_progress(r, "%s", poses[n].name);
        if (!reach(r, &poses[n], &found[n]) || !check(r, &poses[n], &found[n])) return;
        compare(r, &poses[n], &found[n]);
    }
    write_table(r, found);
    draw(r, found);
    report_remark(r, "The paper shows two photographs and prints no pose: these two are ours.");
}
