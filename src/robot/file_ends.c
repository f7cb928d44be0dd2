// robot/file_ends.c - where and how the ends of rods are held.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/file_read.h"

// ---------------------------------------------------------------- orientation
// The shortest rotation that takes z to d: q ~ (1 + d_z, z x d).
static td_status from_direction(reader *r, const node *n, const double d[3], double q[4]) {
    double norm = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(norm > 0.0)) return REFUSE(n, "a direction cannot be zero");
    double x = d[0] / norm, y = d[1] / norm, z = d[2] / norm;
    double across = x * x + y * y;
    double w = z < 0.0 ? across / (1.0 - z) : 1.0 + z;  // 1 + z without cancellation
    double length = sqrt(w * w + across);
    bool backwards = !(length > 0.0);  // any half turn will do: about x
    q[0] = backwards ? 0.0 : w / length;
    q[1] = backwards ? 1.0 : (0.0 - y) / length;  // no -0
    q[2] = backwards ? 0.0 : x / length;
    q[3] = 0.0;
    return TD_OK;
}

static void from_rotation(const double v[3], double q[4]) {
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double factor = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;  // below, exact to double
    q[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++) q[i + 1] = factor * v[i];
}

static td_status from_quaternion(reader *r, const node *n, const double given[4], double q[4]) {
    double norm = 0.0;
    for (int i = 0; i < 4; i++) norm += given[i] * given[i];
    norm = sqrt(norm);
    if (!(fabs(norm - 1.0) <= 1e-3))
        return REFUSE(n, "the norm of the quaternion is %g, but must be 1 (within 0.001)", norm);
    if (fabs(norm - 1.0) <= 1e-15)
        norm = 1.0;  // as good as a double can be: what was written stays
    for (int i = 0; i < 4; i++) q[i] = given[i] / norm;
    return TD_OK;
}

td_status read_orientation(reader *r, const node *n, const orientation_draft *draft, double q[4]) {
    const node *direction = node_child(n, "direction"), *quaternion = node_child(n, "quaternion");
    const node *rotation = node_child(n, "rotation");
    const node *second = direction && (quaternion || rotation) ? direction
                         : quaternion && rotation              ? quaternion
                                                               : NULL;
    if (second) return REFUSE(second, "give only one of direction, quaternion and rotation");
    if (direction) return from_direction(r, direction, draft->direction, q);
    if (quaternion) return from_quaternion(r, quaternion, draft->quaternion, q);
    if (rotation) from_rotation(draft->rotation, q);
    return TD_OK;
}

// ---------------------------------------------------------------- what holds an end
// Bodies that ride on rods are read after the rods, but are there in the file.
static const node *body_in_file(const reader *r, const char *name) {
    const node *bodies = node_child(r->root, "bodies");
    return bodies && bodies->kind == NODE_SEQUENCE ? node_named(bodies, name) : NULL;
}

static td_status read_holder(reader *r, const node *n, const char *name, int *out) {
    *out = TD_WORLD;
    if (!name || strcmp(name, "world") == 0) return TD_OK;
    const node *body = body_in_file(r, name);
    if (node_child(body, "on"))
        return REFUSE(node_child(n, "body"),
                      "the body '%.60s' rides on a rod; only a free body can hold an end of a rod",
                      name);
    if (body && find_body(r->robot, name) < 0)
        return REFUSE(node_child(n, "body"),
                      "the body '%.60s' stands further down; what holds another comes first", name);
    return read_body_name(r, n, "body", name, out);
}

// An axis that the joint does not turn about says that another joint was meant.
static td_status check_axes(reader *r, const node *n, td_joint joint) {
    const node *axis = node_child(n, "axis"), *axis2 = node_child(n, "axis2");
    if (axis && (joint == TD_CLAMP || joint == TD_BALL || joint == TD_FREE))
        return REFUSE(axis, "only the joints revolute, universal and prismatic have an axis");
    if (axis2 && joint != TD_UNIVERSAL)
        return REFUSE(axis2, "only the joint universal has a second axis");
    return TD_OK;
}

// `free` alone says that nothing holds it.
static td_status base_value(reader *r, node *n, const key *k, void *to) {
    base_draft draft = {.def = td_default_rod_def().base};
    if (n->kind == NODE_SCALAR && strcmp(n->text, "free") == 0) {
        draft.def.joint = TD_FREE;
        *(td_base_def *)to = draft.def;
        return TD_OK;
    }
    const char *rod = r->owner;
    char owner[80] = "";
    if (*rod) snprintf(owner, sizeof owner, "%.63s.base", rod);
    r->owner = owner;
    td_status status = read_mapping(r, n, k->inside, &draft);
    r->owner = rod;
    if (!status) status = read_orientation(r, n, &draft.turned, draft.def.orientation);
    if (!status) status = read_holder(r, n, draft.body, &draft.def.body);
    if (!status) status = check_axes(r, n, draft.def.joint);
    *(td_base_def *)to = draft.def;
    return status;
}

// A tip, or a body that is held.
static td_status tip_value(reader *r, node *n, const key *k, void *to) {
    tip_draft draft = {.def = td_default_rod_def().tip};
    const char *part = r->owner;
    char owner[80] = "";
    if (*part) snprintf(owner, sizeof owner, "%.63s.%.8s", part, k->name);
    r->owner = owner;
    td_status status = read_mapping(r, n, k->inside, &draft);
    r->owner = part;
    if (!status) status = read_orientation(r, n, &draft.turned, draft.def.orientation);
    if (!status) status = read_holder(r, n, draft.body, &draft.def.body);
    if (!status) status = check_axes(r, n, draft.def.joint);
    if (status) return status;
    if (draft.def.body == TD_WORLD && !node_child(n, "position"))
        return REFUSE(n, "the key 'position' is missing: where in the world it is held");
    draft.def.held = true;
    *(td_tip_def *)to = draft.def;
    return TD_OK;
}

const value_type type_base = {"mapping", base_value};
// Its units are those of the joint that it stands beside.
static td_status spring_value(reader *r, node *n, const key *k, void *to) {
    const node *joint = node_child(n->parent, "joint");
    const char *word = !joint ? "clamp" : joint->kind == NODE_SCALAR ? joint->text : "";
    const bool turns = strcmp(word, "revolute") == 0;
    (void)k;
    if (!turns && strcmp(word, "prismatic") != 0)
        return REFUSE(
            n, "only the joints revolute and prismatic have a spring or a damper, not '%.30s'",
            word);
    td_spring_def *spring = to;
    td_status status = read_mapping(r, n, turns ? &turning_mapping : &spring_mapping, spring);
    if (status) return status;
    const node *stiffness = node_child(n, "stiffness");
    if (stiffness && spring->stiffness == 0.0)
        return REFUSE(stiffness, "a spring of 0 %s is none: it must be positive, or left out",
                      turns ? "N m/rad" : "N/m");
    if (node_child(n, "rest") && spring->stiffness == 0.0)
        return REFUSE(node_child(n, "rest"), "without a stiffness nothing pulls towards 'rest'");
    return TD_OK;
}

const value_type type_spring = {"mapping", spring_value};
const value_type type_tip = {"mapping", tip_value};
