// tendril reach: which inputs bring a body, or a point of a rod, to a place?
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/equilibrium.h"
#include "cli/parts.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/waypoints.h"
#include "io/json.h"
#include "io/result.h"
#include "robot/facts.h"
#include "robot/units.h"

#define STRIDE 0.05       // of the longest rod: how far one solve may move the target ...
#define TURN 0.15         // rad: ... and turn it
#define LEAST_SHARE 1e-4  // of the way: below this it cannot go on

typedef struct reach {
    session s;
    const args *args;
    td_target target;
    double rod_share;  // where on its rod the point is, from 0 to 1
    td_pose from;      // where it was
    td_pose at;        // where it is
    int *chosen;       // inputs that may move
    int n;
    double *before;  // (n_inputs)
    waypoints way;
    int solves;
    double share;  // of the way that was made
    td_status status;
    td_stats stats;  // of the last solve
    char message[512];
    verdict verdict;
} reach;

// ---------------------------------------------------------------- what is asked for
static bool parse_place(const char *text, double length, double *s) {
    char why[UNITS_TEXT] = "";
    quantity q = {0};
    size_t n = strlen(text);
    if (!strcmp(text, "tip")) return *s = length, true;
    if (!strcmp(text, "base")) return *s = 0.0, true;
    char number[64];
    bool share = n > 1 && n < sizeof number && text[n - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(share ? n - 1 : n), text);
    bool ok = quantity_parse(number, &q, why);
    if (ok && q.has_unit && (share || !dimension_fits(q.dim, unit_dimension("m")))) ok = false;
    *s = share ? 0.01 * q.value * length : q.value;
    if (ok && *s >= 0.0 && *s <= length) return true;
    return print_error("--at", "'%s' must be base, tip, a length up to %g m or a percentage%s%s",
                       text, length, why[0] ? ": " : "", why);
}

static bool choose_point(reach *r) {
    const session *s = &r->s;
    const char *body = args_value(r->args, "body"), *rod = args_value(r->args, "rod");
    const char *place = args_value(r->args, "at");
    if ((body && rod) || (body && place) || (!body && !rod && td_n_rods(s->system) > 1))
        return print_error("reach",
                           "give either --body NAME, or --rod NAME and perhaps --at PLACE");
    r->target.body = r->target.rod = -1;
    if (body) {
        r->target.body = td_find_body(s->system, body);
        return r->target.body >= 0 ||
               session_has_no("--body", "body", body, s, td_n_bodies(s->system), td_body_name);
    }
    r->target.rod = rod ? td_find_rod(s->system, rod) : 0;
    if (r->target.rod < 0)
        return session_has_no("--rod", "rod", rod, s, td_n_rods(s->system), td_rod_name);
    double length = td_get_length(s->system, s->state, r->target.rod), at = 0.0;
    if (!parse_place(place ? place : "tip", length, &at)) return false;
    r->rod_share = at / length;
    return true;
}

// A rotation vector as a quaternion.
static void quaternion_of(const double rotation[3], double q[4]) {
    double angle =
        sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++)
        q[1 + i] = angle > 0.0 ? sin(0.5 * angle) * rotation[i] / angle : 0.0;
}

static bool choose_pose(reach *r) {
    double rotation[3], *q = r->target.pose.q;
    bool turned = args_has(r->args, "rotation"), given = args_has(r->args, "quaternion");
    r->target.position_only = !turned && !given;
    q[0] = 1.0;
    if (!args_has(r->args, "position") || (turned && given))
        return print_error("reach", turned && given ? "give --rotation or --quaternion, not both"
                                                    : "--position X,Y,Z is missing");
    if (!args_quantities(r->args, "position", "m", 3, r->target.pose.p) ||
        !args_quantities(r->args, "rotation", "rad", 3, rotation) ||
        !args_quantities(r->args, "quaternion", "rad", 4, q))
        return false;
    if (turned) quaternion_of(rotation, q);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1.0) < 1e-3))
        return print_error("--quaternion", "its norm is %g and must be 1 (within 0.001)", norm);
    for (int i = 0; i < 4; i++) q[i] /= norm;
    return true;
}

static bool name_inputs(reach *r, const char *list) {
    char name[128];
    while (list_next(&list, name, sizeof name)) {
        const int input = td_find_input(r->s.system, name);
        if (input < 0)
            return session_has_no("--inputs", "input", name, &r->s, td_n_inputs(r->s.system),
                                  td_input_name);
        for (int i = 0; i < r->n; i++) {
            if (r->chosen[i] != input) continue;
            return print_error("--inputs", "'%s' is named twice", name);
        }
        r->chosen[r->n++] = input;
    }
    return true;
}

static bool choose_inputs(reach *r) {
    const char *list = args_value(r->args, "inputs");
    int n = td_n_inputs(r->s.system);
    r->chosen = calloc((size_t)n + 1, sizeof *r->chosen);
    r->before = calloc((size_t)n + 1, sizeof *r->before);
    if (!r->chosen || !r->before) return print_error(r->s.file, "out of memory");
    if (list && !name_inputs(r, list)) return false;
    for (int i = 0; !list && i < n; i++)
        if (input_actuates(r->s.robot, i)) r->chosen[r->n++] = i;
    if (r->n > 0) return true;
    return print_error(r->s.file,
                       "no input drives a tendon, a chamber or a feed; name those that may "
                       "move with --inputs");
}

// ---------------------------------------------------------------- the way
// The point keeps its share of a rod that is fed.
static double place_now(const reach *r) {
    return r->rod_share * td_get_length(r->s.system, r->s.state, r->target.rod);
}

static td_pose pose_now(const reach *r) {
    const td_target *t = &r->target;
    if (t->body >= 0) return td_get_body(r->s.system, r->s.state, t->body).pose;
    return td_get_pose(r->s.system, r->s.state, t->rod, place_now(r));
}

static double distance(const td_pose *a, const td_pose *b) {
    return sqrt(pow(a->p[0] - b->p[0], 2) + pow(a->p[1] - b->p[1], 2) + pow(a->p[2] - b->p[2], 2));
}

static double cosine(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// By which b is turned against a, rad.
static double angle_between(const td_pose *a, const td_pose *b) {
    double c = fabs(cosine(a->q, b->q)), sine = 0.0;
    double sign = cosine(a->q, b->q) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) sine += pow(b->q[i] * sign - c * a->q[i], 2);
    return 2.0 * atan2(sqrt(sine), c);
}

// The pose after a share of the straight way, turning evenly.
static td_pose pose_on_way(const td_pose *a, const td_pose *b, double share) {
    td_pose out;
    double half = 0.5 * angle_between(a, b), sign = cosine(a->q, b->q) < 0.0 ? -1.0 : 1.0;
    double wa = half > 1e-9 ? sin((1.0 - share) * half) / sin(half) : 1.0 - share;
    double wb = half > 1e-9 ? sin(share * half) / sin(half) : share;
    for (int i = 0; i < 3; i++) out.p[i] = a->p[i] + share * (b->p[i] - a->p[i]);
    for (int i = 0; i < 4; i++) out.q[i] = wa * a->q[i] + wb * sign * b->q[i];
    if (share >= 1.0) out = *b;
    return out;
}

// The share of the way that one solve may make.
static double first_share(const reach *r) {
    double longest = 0.0, share = 1.0;
    for (int i = 0; i < td_n_rods(r->s.system); i++)
        longest = fmax(longest, td_get_length(r->s.system, r->s.state, i));
    double far = distance(&r->from, &r->target.pose);
    if (far > STRIDE * longest) share = STRIDE * longest / far;
    double turn = r->target.position_only ? 0.0 : angle_between(&r->from, &r->target.pose);
    return turn > TURN ? fmin(share, TURN / turn) : share;
}

static void keep_last(reach *r) {
    r->stats = *td_get_stats(r->s.state);
    snprintf(r->message, sizeof r->message, "%s", td_message(r->s.state));
}

// Inputs for the pose after this share of the way, from where the arm is now; false: there are none, and all
// is as it was.
static bool solve_for(reach *r, double share) {
    td_target next = r->target;
    if (next.body < 0) next.s = place_now(r);
    next.pose = pose_on_way(&r->from, &r->target.pose, share);
    r->status = td_solve_inverse(r->s.system, r->s.state, &next, r->chosen, r->n);
    r->solves++;
    keep_last(r);
    if (r->status < 0) return false;
    r->share = share;
    return true;
}

static bool is_refused(const reach *r) {
    return r->status == TD_ERR_ARGUMENT || r->status == TD_ERR_UNSUPPORTED;
}

// After a solve that fails a shorter one is tried. Where the straight way cannot be followed the last solve is
// for the target itself: there may be another way, as for a rod that does not stretch, whose tip cannot start
// along its axis; and what it says of the distance is meant for the target.
static bool follow_way(reach *r, progress *bar) {
    const double most = first_share(r);
    double stride = most;
    r->from = pose_now(r);
    if (!waypoints_add(&r->way, &r->s, 0.0)) return false;
    while (r->share < 1.0) {
        const bool last = stride < LEAST_SHARE;
        if (!solve_for(r, last ? 1.0 : fmin(1.0, r->share + stride))) {
            if (last || is_refused(r)) return true;
            stride *= 0.5;
            continue;
        }
        stride = fmin(most, 2.0 * stride);
        if (!waypoints_add(&r->way, &r->s, r->share)) return false;
        progress_update(bar, r->share);
    }
    return true;
}

// ---------------------------------------------------------------- output
static const char *target_name(const reach *r) {
    return r->target.body >= 0 ? td_body_name(r->s.system, r->target.body)
                               : td_rod_name(r->s.system, r->target.rod);
}

static void print_text(const reach *r) {
    const session *s = &r->s;
    printf("%s: %s at (%.6f, %.6f, %.6f) m", s->file, target_name(r), r->at.p[0], r->at.p[1],
           r->at.p[2]);
    printf(", %.2g m", distance(&r->at, &r->target.pose));
    if (!r->target.position_only) printf(" and %.2g rad", angle_between(&r->at, &r->target.pose));
    printf(" from the target, after %d solves\n", r->solves);
    if (r->status > 0) printf("note: %s\n", r->message);
    verdict_print(&r->verdict);
    printf("\ninputs\n");
    for (int i = 0; i < r->n; i++) {
        int k = r->chosen[i];
        printf("  %-12s %.9g %s (was %.6g)\n", td_input_name(s->system, k),
               td_get_input(s->system, s->state, k), td_input_unit(s->system, k), r->before[k]);
    }
    parts_print(s);
}

static void put_pose(json *j, const char *key, const td_pose *pose, bool position_only) {
    json_open_object(j, key);
    json_put_numbers(j, "p", pose->p, 3);
    if (!position_only) json_put_numbers(j, "q", pose->q, 4);
    json_end_object(j);
}

static void print_json(const reach *r) {
    const session *s = &r->s;
    json j = session_begin_json(s, r->status, r->message);
    session_put_notes(s, &j);
    json_put_string(&j, r->target.body >= 0 ? "body" : "rod", target_name(r));
    if (r->target.body < 0) json_put_number(&j, "s", place_now(r));
    json_put_number(&j, "share", r->share);
    json_put_integer(&j, "solves", r->solves);
    put_pose(&j, "target", &r->target.pose, r->target.position_only);
    put_pose(&j, "pose", &r->at, false);
    json_put_number(&j, "distance", distance(&r->at, &r->target.pose));
    if (!r->target.position_only)
        json_put_number(&j, "angle", angle_between(&r->at, &r->target.pose));
    json_put_number(&j, "residual", r->stats.residual);
    json_open_object(&j, "inputs");
    for (int i = 0; i < r->n; i++)
        json_put_number(&j, td_input_name(s->system, r->chosen[i]),
                        td_get_input(s->system, s->state, r->chosen[i]));
    json_end_object(&j);
    parts_put(&j, s);
    verdict_put(&j, &r->verdict);
    json_end_object(&j);
}

// ---------------------------------------------------------------- the verb
// --limits 'east=[0 N, 8 N]' is what `limits` of the file would say.
static int open_with_limits(reach *r) {
    enum { LONGEST = 256 };
    const int n = args_count(r->args, "limits");
    char(*sets)[LONGEST] = calloc((size_t)n + 1, sizeof *sets);
    const char **list = calloc((size_t)n + 1, sizeof *list);
    int code = sets && list ? EXIT_FINE : exit_error(EXIT_FAILED, "tendril", "out of memory");
    for (int i = 0; i < n && code == EXIT_FINE; i++) {
        const char *given = args_nth(r->args, "limits", i);
        if (snprintf(sets[i], LONGEST, "limits.%s", given) >= LONGEST || !strchr(given, '='))
            code = exit_error(EXIT_INPUT, "--limits", "'%s' is not NAME=[LOW, HIGH]", given);
        list[i] = sets[i];
    }
    if (code == EXIT_FINE) code = session_load_with(&r->s, r->args, list, n);
    if (code == EXIT_FINE) code = session_compile(&r->s);
    free(sets);
    free(list);
    return code;
}

static int begin(reach *r) {
    double t = 0.0;
    if (!args_seconds(r->args, "time", &t)) return EXIT_INPUT;
    int code = open_with_limits(r);
    if (code != EXIT_FINE) return code;
    td_side side = args_has(r->args, "time") ? TD_AFTER : TD_BEFORE;
    td_status status = td_apply_signals(r->s.system, r->s.state, t, side);
    if (status < 0) return exit_error(EXIT_FAILED, r->s.file, "%s", td_message(r->s.state));
    if (!choose_point(r) || !choose_pose(r) || !choose_inputs(r)) return EXIT_INPUT;
    for (int i = 0; i < td_n_inputs(r->s.system); i++)
        r->before[i] = td_get_input(r->s.system, r->s.state, i);
    status = td_solve_statics(r->s.system, r->s.state);
    if (status >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, r->s.file, "no equilibrium to start from: %s",
                      td_message(r->s.state));
}

static bool came_nearer(const reach *r) {
    const td_pose *to = &r->target.pose;
    return distance(&r->at, to) < distance(&r->from, to) ||
           (!r->target.position_only && angle_between(&r->at, to) < angle_between(&r->from, to));
}

static int solve(reach *r) {
    r->from = pose_now(r);
    progress bar = progress_begin_share(args_has(r->args, "json"));
    bool ok = follow_way(r, &bar);
    progress_end(&bar);
    if (!ok) return exit_error(EXIT_FAILED, r->s.file, "out of memory");
    r->at = pose_now(r);
    if (is_refused(r))
        return exit_error(r->status == TD_ERR_ARGUMENT ? EXIT_INPUT : EXIT_FAILED, r->s.file, "%s",
                          r->message);
    if (r->status == TD_LOOSE && !came_nearer(r)) r->status = TD_ERR_NOT_CONVERGED, r->share = 0.0;
    r->verdict = verdict_of(&r->s);
    if (args_has(r->args, "json")) print_json(r);
    if (r->status >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, r->s.file,
                      "came %.3g %% of the way, to (%.6g, %.6g, %.6g) m: %s", 100 * r->share,
                      r->at.p[0], r->at.p[1], r->at.p[2], r->message);
}

static int write_files(const reach *r) {
    const char *file = args_value(r->args, "write"), *state = args_value(r->args, "save");
    const char *folder = args_value(r->args, "out");
    td_error err = {0};
    if (state && state_write(state, r->s.system, r->s.state, &err) < 0)
        return exit_reported(err.status == TD_ERR_VALUE ? EXIT_INPUT : EXIT_FAILED, NULL, &err);
    equilibrium e = {"tendril reach", &r->s, &r->stats, 0};
    int code = folder ? equilibrium_write(&e, folder) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    return file ? waypoints_write(&r->way, &r->s, file) : EXIT_FINE;
}

static int run(const args *a) {
    reach r = {.args = a};
    int code = begin(&r);
    if (code == EXIT_FINE) code = solve(&r);
    if (code == EXIT_FINE && !args_has(a, "json")) {
        print_text(&r);
        session_print_notes(&r.s);
    }
    if (code == EXIT_FINE) code = write_files(&r);
    waypoints_free(&r.way);
    free(r.chosen);
    free(r.before);
    session_close(&r.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"time", "T", "use the inputs at this time; default: as a run starts", false},
    {"body", "NAME", "the free body to move", false},
    {"rod", "NAME", "or the rod to move; may be left out if there is only one", false},
    {"at", "PLACE", "point of the rod: base, tip (default), a length or '50 %'", false},
    {"position", "X,Y,Z", "target position in the world: '10 mm,0,0.35'", false},
    {"rotation", "X,Y,Z", "target orientation as a rotation vector: '0,0,30 deg'", false},
    {"quaternion", "W,X,Y,Z", "target orientation as a unit quaternion", false},
    {"inputs", "A,B,C",
     "inputs that may change; default: all that drive tendons,\n"
     "chambers, feeds and concentric tubes",
     false},
    {"limits", "NAME=RANGE",
     "range of an input, e.g. east='[0 N, 8 N]'; default:\n"
     "`limits` of the file. Tendons never push",
     true},
    {"json", NULL, "print as JSON", false},
    {"out", "DIR", "write the equilibrium as a result folder, for plot", false},
    {"save", "FILE", "write the state, for run --start", false},
    {"write", "FILE", "write a robot file whose inputs move it to the target", false},
    {0},
};

const verb verb_reach = {
    .name = "reach",
    .summary = "find the inputs that bring a point or body to a target",
    .arguments = "FILE",
    .about =
        "Inverse statics. Starts from the equilibrium of the file and moves in a straight\n"
        "line to the target, solving for the inputs on the way. If that fails, it solves for\n"
        "the target directly. Without --rotation or --quaternion only the position counts.\n"
        "With more inputs than needed, it takes the smallest change of the inputs. With\n"
        "fewer, it finds the best fit and prints the remaining distance. If the target cannot\n"
        "be reached, the exit code is 1.",
    .options = options,
    .examples =
        "  tendril reach stewart-gough.yaml --body plate --position 0,0.02,0.35 --rotation 0,0,0\n"
        "  tendril reach two-segment-arm.yaml --rod backbone --position '80 mm,0,0.38' "
        "--inputs a1,a2,a3\n"
        "  tendril reach arm.yaml --position 0.05,0,0.28 --write there.yaml\n"
        "  tendril run there.yaml\n",
    .run = run,
};
