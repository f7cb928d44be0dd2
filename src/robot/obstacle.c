// robot/obstacle.c - the rules of obstacles, and their sizes in words, shape by shape.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "robot/mesh.h"
#include "robot/obstacles.h"
#include "robot/rules.h"

static const part_kind obstacle_kind = {"obstacles", "obstacle", find_obstacle};

// ---------------------------------------------------------------- shapes
typedef td_status shape_rule(const char *owner, const td_obstacle_def *def, td_error *err);

static td_status plane_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    (void)owner, (void)def, (void)err;
    return TD_OK;
}

static td_status sphere_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    return positive((place){owner, "sphere", "radius"}, def->radius, "m", err);
}

static td_status cylinder_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    td_status status = positive((place){owner, "cylinder", "radius"}, def->radius, "m", err);
    if (status) return status;
    return not_negative((place){owner, "cylinder", "length"}, def->length, "m", err);
}

static td_status capsule_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    td_status status = positive((place){owner, "capsule", "radius"}, def->radius, "m", err);
    if (status) return status;
    return positive((place){owner, "capsule", "length"}, def->length, "m", err);
}

static td_status box_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = positive((place){owner, "box", axis_names[i]}, def->sides[i], "m", err);
    return status;
}

static td_status torus_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    const place thickness = {owner, "torus", "thickness"};
    td_status status = positive((place){owner, "torus", "radius"}, def->radius, "m", err);
    if (!status) status = positive(thickness, def->thickness, "m", err);
    if (!status && !(def->thickness < 2.0 * def->radius))
        status = refuse(thickness, def->thickness, "m", "closes the ring; twice its radius is more",
                        err);
    return status;
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// A ball that grows faster than it moves on would hide those before it.
static td_status tube_step_rule(const char *owner, const double *from, int i, td_error *err) {
    char where[OWNER_SIZE + 32];
    const double way = distance(from, from + 4), change = fabs(from[7] - from[3]);
    snprintf(where, sizeof where, "%s.tube.points.%d", owner, i + 1);
    if (!(way > 1e-9 * (from[3] + from[7])))
        return error_set(err, TD_ERR_VALUE, where, "it is the same as the point before it");
    if (change < way) return TD_OK;
    return error_set(
        err, TD_ERR_VALUE, where,
        "the radius changes by %g m over %g m from the point before it; a tube changes "
        "by less than the way",
        change, way);
}

// Every line, the tube's own and those of its branches, has two points or more.
static td_status branches_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    char where[OWNER_SIZE + 32];
    const int n = def->n_branches;
    snprintf(where, sizeof where, "%s.tube.branches", owner);
    if (n < 0 || n > TD_MOST_BRANCHES)
        return error_set(err, TD_ERR_VALUE, where, "%d branches: a tube has at most %d", n,
                         TD_MOST_BRANCHES);
    for (int i = 0; i < n; i++) {
        snprintf(where, sizeof where, "%s.tube.branches.%d.points", owner, i);
        if (def->branches[i] < 2 || def->branches[i] > def->n_points)
            return error_set(err, TD_ERR_VALUE, where, "%d points: a branch has 2 or more",
                             def->branches[i]);
    }
    snprintf(where, sizeof where, "%s.tube.points", owner);
    if (tube_own_points(def) < 2)
        return error_set(err, TD_ERR_VALUE, where,
                         "%d points besides those of its branches: a tube has 2 or more",
                         tube_own_points(def));
    return TD_OK;
}

// Where a branch begins some ball of the tube, or of a branch before it, must be: else nothing leads there.
static td_status mouth_rule(const char *owner, const td_obstacle_def *def, int first, int branch,
                            td_error *err) {
    char where[OWNER_SIZE + 32];
    const double *p = def->points + 4 * first;
    double nearest = HUGE_VAL;
    for (int i = 0; i + 1 < first; i++) {
        const double *a = def->points + 4 * i, *b = a + 4;
        double along = 0.0, square = 0.0, away[3];
        for (int k = 0; k < 3; k++) {
            along += (p[k] - a[k]) * (b[k] - a[k]);
            square += (b[k] - a[k]) * (b[k] - a[k]);
        }
        const double t = fmax(0.0, fmin(1.0, along / square));
        for (int k = 0; k < 3; k++) away[k] = p[k] - a[k] - t * (b[k] - a[k]);
        const double d = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
        nearest = fmin(nearest, d - 1.2 * (a[3] + t * (b[3] - a[3])));  // splines bulge
    }
    if (nearest <= 0.0) return TD_OK;
    snprintf(where, sizeof where, "%s.tube.branches.%d.points.0", owner, branch);
    return error_set(err, TD_ERR_VALUE, where,
                     "it is %g m outside of the tube; a branch begins within it", nearest);
}

static td_status tube_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    char group[64], where[OWNER_SIZE + 32];
    td_status status = TD_OK;
    snprintf(where, sizeof where, "%s.tube.points", owner);
    if (!def->points || def->n_points < 2 || def->n_points > MOST_PIECES)
        return error_set(err, TD_ERR_VALUE, where, "%d points: a tube has 2 to %d", def->n_points,
                         MOST_PIECES);
    status = branches_rule(owner, def, err);
    for (int i = 0; i < def->n_points && !status; i++) {
        snprintf(group, sizeof group, "tube.points.%d", i);
        status = finite_values(owner, group, def->points + 4 * i, 3, "m", err);
        if (!status)
            status = positive((place){owner, "tube", "radius"}, def->points[4 * i + 3], "m", err);
    }
    for (int line = 0, first = 0; line <= def->n_branches && !status; line++) {
        const int n = line ? def->branches[line - 1] : tube_own_points(def);
        if (line) status = mouth_rule(owner, def, first, line - 1, err);
        for (int i = first; i + 1 < first + n && !status; i++)
            status = tube_step_rule(owner, def->points + 4 * i, i, err);
        first += n;
    }
    return status;
}

#define RULE(NAME, word, traits) [TD_OBSTACLE_##NAME] = word##_rule,
static shape_rule *const rules[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(RULE)};

void obstacle_describe(const td_obstacle_def *d, char *text, size_t size) {
    const double *s = d->sides;
    switch (d->shape) {
    case TD_OBSTACLE_PLANE: break;
    case TD_OBSTACLE_SPHERE: snprintf(text, size, "radius %g m", d->radius); break;
    case TD_OBSTACLE_CYLINDER:
    case TD_OBSTACLE_CAPSULE:
        if (d->length > 0.0) snprintf(text, size, "radius %g m, length %g m", d->radius, d->length);
        else snprintf(text, size, "radius %g m, endless", d->radius);
        break;
    case TD_OBSTACLE_BOX: snprintf(text, size, "%g x %g x %g m", s[0], s[1], s[2]); break;
    case TD_OBSTACLE_TORUS:
        snprintf(text, size, "radius %g m, thickness %g m", d->radius, d->thickness);
        break;
    case TD_OBSTACLE_TUBE:
        snprintf(text, size, "through %d points, radius %g m at the first", d->n_points,
                 d->points[3]);
        break;
    case TD_OBSTACLE_MESH: snprintf(text, size, "%d triangles", d->n_points / 3); break;
    case TD_OBSTACLE_HEIGHTFIELD: snprintf(text, size, "%d heights", d->n_points); break;
    }
}

// ---------------------------------------------------------------- all of them
static td_status frame_rule(const td_robot *robot, const char *owner, const td_obstacle_def *def,
                            td_error *err) {
    td_status status = vector_validate(robot, owner, "position", def->position, "m", err);
    if (!status)
        status = vector_validate(robot, owner, "motion.rotation", def->rotation, "rad", err);
    if (!status)
        status = quaternion_validate((place){owner, NULL, "quaternion"}, def->orientation, err);
    return status;
}

// A free body that is there already; the obstacle then moves with it.
static td_status carrier_rule(const td_robot *robot, const char *owner, const td_obstacle_def *def,
                              td_error *err) {
    const place on = {owner, NULL, "on"};
    char where[OWNER_SIZE + 32];
    if (def->body == TD_WORLD) return TD_OK;
    if (def->body < 0 || def->body >= robot->n_bodies)
        return refuse(on, def->body, "", "is not the index of a body", err);
    const robot_body *b = &robot->bodies[def->body];
    snprintf(where, sizeof where, "%s.on", owner);
    if (b->def.rod != FREE_BODY)
        return error_set(err, TD_ERR_VALUE, where,
                         "the body '%s' rides on rod '%s'; only a free body carries obstacles",
                         b->name, robot->rods[b->def.rod].name);
    for (int k = 0; k < 3; k++) {
        if (def->position[k].gain == 0.0 && def->rotation[k].gain == 0.0) continue;
        snprintf(where, sizeof where, "%s.%s", owner,
                 def->position[k].gain != 0.0 ? "position" : "motion.rotation");
        return error_set(err, TD_ERR_VALUE, where,
                         "an input drives it, but an obstacle on a body moves with the body");
    }
    return TD_OK;
}

static td_status surface_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    td_status status = not_negative((place){owner, NULL, "stiffness"}, def->stiffness, "Pa", err);
    if (!status) status = not_negative((place){owner, NULL, "friction"}, def->friction, "", err);
    if (!status)
        status = not_negative((place){owner, NULL, "presliding"}, def->presliding, "m", err);
    const double e = def->restitution;
    if (!status && e != 0.0 && !(e >= 0.1 && e <= 1.0))
        status =
            refuse((place){owner, NULL, "restitution"}, e, "", "must lie between 0.1 and 1", err);
    if (!status) status = not_negative((place){owner, NULL, "hard"}, def->hard, "m", err);
    if (!status && def->hard > 0.0 && e != 0.0)
        status =
            refuse((place){owner, NULL, "restitution"}, e, "",
                   "must be left out where an obstacle is hard: what hits it stays there", err);
    return status;
}

td_status obstacle_validate(const td_robot *robot, const td_obstacle_def *def, td_error *err) {
    char owner[OWNER_SIZE], where[OWNER_SIZE + 16];
    td_status status =
        part_validate(robot, &obstacle_kind, def->name, robot->n_obstacles, owner, err);
    if (!status)
        status = enumerator((place){owner, NULL, "shape"}, (int)def->shape, N_OBSTACLE_SHAPES - 1,
                            "a shape", err);
    if (!status) status = rules[def->shape](owner, def, err);
    if (!status) status = frame_rule(robot, owner, def, err);
    if (!status) status = carrier_rule(robot, owner, def, err);
    if (!status) status = surface_rule(owner, def, err);
    if (status || !def->inside || obstacle_is(def->shape, CAN_BE_ROOM)) return status;
    snprintf(where, sizeof where, "%s.inside", owner);
    return error_set(err, TD_ERR_VALUE, where, "a %s is no room that rods can be inside of%s",
                     obstacle_word(def->shape),
                     obstacle_is(def->shape, IS_ROOM) ? ": they are inside of it anyway" : "");
}
