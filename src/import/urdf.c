// import/urdf.c - links and joints of a URDF file.
//
// The frame of a joint lies at its origin in the frame of the parent link, and is that of the child where the joint is at
// 0. A link becomes a body, a joint what holds it.
#include <math.h>
#include <string.h>

#include "import/imported.h"

typedef struct urdf_joint {
    xml_node *at;
    const char *name, *type;
    int parent, child;  // links
} urdf_joint;

typedef struct urdf {
    importer *r;
    xml_node *links[MOST_IMPORTED];
    urdf_joint joints[MOST_IMPORTED];
    int held_by[MOST_IMPORTED];  // joint of a link; -1: it is the root
    int body_of[MOST_IMPORTED];  // link; WORLD; -2: not yet
    int n_links, n_joints;
} urdf;

static int link_named(const urdf *u, const char *name) {
    for (int i = 0; i < u->n_links; i++)
        if (strcmp(text_of(u->links[i], "name"), name) == 0) return i;
    return -1;
}

// ---------------------------------------------------------------- what is there
static td_status find_links(urdf *u, const xml_node *root) {
    for (xml_node *n = xml_child(root, "link"); n; n = xml_next(n)) {
        const char *name;
        if (required_text(u->r, n, "name", &name)) return TD_ERR_PARSE;
        if (link_named(u, name) >= 0) return REFUSE(u->r, n, "two links are called '%.60s'", name);
        if (u->n_links == MOST_IMPORTED)
            return REFUSE(u->r, n, "more than %d links", MOST_IMPORTED);
        u->held_by[u->n_links] = -1, u->body_of[u->n_links] = -2;
        u->links[u->n_links++] = n;
    }
    return u->n_links ? TD_OK : REFUSE(u->r, root, "<robot> has no <link>");
}

static td_status link_of(urdf *u, const urdf_joint *j, const char *end, int *out) {
    const char *name;
    const xml_node *n = xml_child(j->at, end);
    if (!n) return REFUSE(u->r, j->at, "the joint '%.60s' has no <%s>", j->name, end);
    if (required_text(u->r, n, "link", &name)) return TD_ERR_PARSE;
    *out = link_named(u, name);
    if (*out >= 0) return TD_OK;
    return REFUSE(u->r, n, "no link has the name '%.60s'", name);
}

static td_status find_joint(urdf *u, xml_node *n) {
    urdf_joint *j = &u->joints[u->n_joints];
    *j = (urdf_joint){.at = n};
    if (required_text(u->r, n, "name", &j->name) || required_text(u->r, n, "type", &j->type))
        return TD_ERR_PARSE;
    for (int i = 0; i < u->n_joints; i++)
        if (strcmp(u->joints[i].name, j->name) == 0)
            return REFUSE(u->r, n, "two joints are called '%.60s'", j->name);
    if (link_of(u, j, "parent", &j->parent) || link_of(u, j, "child", &j->child))
        return TD_ERR_PARSE;
    if (u->held_by[j->child] >= 0)
        return REFUSE(u->r, n, "the link '%.60s' is the child of '%.60s' already",
                      text_of(u->links[j->child], "name"), u->joints[u->held_by[j->child]].name);
    u->held_by[j->child] = u->n_joints++;
    return TD_OK;
}

static td_status find_joints(urdf *u, const xml_node *root) {
    for (xml_node *n = xml_child(root, "joint"); n; n = xml_next(n)) {
        if (u->n_joints == MOST_IMPORTED)
            return REFUSE(u->r, n, "more than %d joints", MOST_IMPORTED);
        if (find_joint(u, n)) return TD_ERR_PARSE;
    }
    return TD_OK;
}

// ---------------------------------------------------------------- origins and masses
static td_status read_origin(urdf *u, const xml_node *of, vec3 *p, quat *q) {
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    const xml_node *origin = xml_child(of, "origin");
    *p = vec3_zero(), *q = quat_identity();
    if (!origin) return TD_OK;
    if (optional_numbers(u->r, origin, "xyz", 3, xyz) ||
        optional_numbers(u->r, origin, "rpy", 3, rpy))
        return TD_ERR_PARSE;
    *p = vec3_load(xyz), *q = from_angles(rpy[0], rpy[1], rpy[2]);
    return TD_OK;
}

static td_status read_inertial(urdf *u, const xml_node *link, imported_body *b) {
    static const char *const words[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const xml_node *n = xml_child(link, "inertial"), *mass, *inertia;
    quat q;
    if (!n) return TD_OK;
    if (read_origin(u, n, &b->centre, &q)) return TD_ERR_PARSE;
    mass = xml_child(n, "mass"), inertia = xml_child(n, "inertia");
    if (!mass) return REFUSE(u->r, n, "<inertial> has no <mass>");
    if (required_numbers(u->r, mass, "value", 1, &b->mass)) return TD_ERR_PARSE;
    if (b->mass < 0.0) return REFUSE(u->r, mass, "a mass of %g kg", b->mass);
    if (!inertia) return REFUSE(u->r, n, "<inertial> has no <inertia>");
    mat3 J = mat3_zero();
    for (int i = 0; i < 6; i++) {
        double x;
        if (required_numbers(u->r, inertia, words[i], 1, &x)) return TD_ERR_PARSE;
        J.m[row[i]][column[i]] = J.m[column[i]][row[i]] = x;
    }
    const mat3 R = quat_to_mat3(q), Rt = mat3_transpose(&R), RJ = mat3_mul(&R, &J);
    b->inertia = mat3_mul(&RJ, &Rt);
    return TD_OK;
}

// ---------------------------------------------------------------- what collides
static td_status read_shape(urdf *u, xml_node *n, imported_shape *s) {
    const xml_node *geometry = xml_child(n, "geometry"), *at;
    double radius = 0.0, length = 0.0;
    if (!geometry) return REFUSE(u->r, n, "<collision> has no <geometry>");
    if (read_origin(u, n, &s->p, &s->q)) return TD_ERR_PARSE;
    if ((at = xml_child(geometry, "sphere"))) {
        s->kind = IMPORT_SPHERE;
        return required_numbers(u->r, at, "radius", 1, s->size) ? TD_ERR_PARSE
                                                                : import_shape(u->r, at, s);
    }
    if ((at = xml_child(geometry, "box"))) {
        s->kind = IMPORT_BOX;
        return required_numbers(u->r, at, "size", 3, s->size) ? TD_ERR_PARSE
                                                              : import_shape(u->r, at, s);
    }
    if (!(at = xml_child(geometry, "cylinder"))) return TD_OK;  // left out, as unread
    if (required_numbers(u->r, at, "radius", 1, &radius) ||
        required_numbers(u->r, at, "length", 1, &length))
        return TD_ERR_PARSE;
    return import_cylinder(u->r, at, s, radius, length);
}

static td_status read_shapes(urdf *u, const xml_node *link, int body) {
    imported_shape s = {.body = body};
    for (xml_node *n = u->r->to->with_shapes ? xml_child(link, "collision") : NULL; n;
         n = xml_next(n))
        if (read_shape(u, n, &s)) return TD_ERR_PARSE;
    return TD_OK;
}

// ---------------------------------------------------------------- what moves
static td_status read_axis(urdf *u, const urdf_joint *j, imported_body *b) {
    double axis[3] = {1.0, 0.0, 0.0};
    const xml_node *n = xml_child(j->at, "axis");
    if (n && required_numbers(u->r, n, "xyz", 3, axis)) return TD_ERR_PARSE;
    const double norm = vec3_norm(vec3_load(axis));
    if (!(norm > 1e-12)) return REFUSE(u->r, n, "the axis of '%.60s' has no direction", j->name);
    b->axis = vec3_scale(vec3_load(axis), 1.0 / norm);
    return TD_OK;
}

static td_status read_limit(urdf *u, const urdf_joint *j, imported_body *b) {
    const bool needed = strcmp(j->type, "continuous") != 0;
    const xml_node *n = xml_child(j->at, "limit");
    double effort = 0.0;
    if (!n && needed) return REFUSE(u->r, j->at, "the joint '%.60s' has no <limit>", j->name);
    if (!n) return TD_OK;
    b->limited = needed;
    if (needed && (optional_numbers(u->r, n, "lower", 1, &b->low) ||
                   optional_numbers(u->r, n, "upper", 1, &b->high)))
        return TD_ERR_PARSE;
    if (optional_numbers(u->r, n, "velocity", 1, &b->rate) ||
        optional_numbers(u->r, n, "effort", 1, &effort))
        return TD_ERR_PARSE;
    if (b->limited && !(b->low <= b->high))
        return REFUSE(u->r, n, "the limits %g and %g of '%.60s' leave nothing between them", b->low,
                      b->high, j->name);
    if (b->rate < 0.0) return REFUSE(u->r, n, "a largest velocity of %g", b->rate);
    if (effort != 0.0) leave_out(u->r->to, "effort of <limit>: what a drive can do is not bounded");
    return TD_OK;
}

static td_status read_dynamics(urdf *u, const urdf_joint *j, imported_body *b) {
    const xml_node *n = xml_child(j->at, "dynamics");
    double damping = 0.0, friction = 0.0;
    if (!n) return TD_OK;
    if (optional_numbers(u->r, n, "damping", 1, &damping) ||
        optional_numbers(u->r, n, "friction", 1, &friction))
        return TD_ERR_PARSE;
    if (damping < 0.0) return REFUSE(u->r, n, "a damping of %g", damping);
    if (friction != 0.0) leave_out(u->r->to, "friction of <dynamics>");
    if (!b->input[0]) b->damping = damping;
    else if (damping != 0.0)
        leave_out(u->r->to, "damping of <dynamics>: a driven joint goes where its input says");
    return TD_OK;
}

// A joint that mimics another one has its input.
static td_status read_mimic(urdf *u, const urdf_joint *j, imported_body *b) {
    const xml_node *n = xml_child(j->at, "mimic");
    const char *name;
    if (!n) return TD_OK;
    if (required_text(u->r, n, "joint", &name)) return TD_ERR_PARSE;
    if (optional_numbers(u->r, n, "multiplier", 1, &b->gain) ||
        optional_numbers(u->r, n, "offset", 1, &b->zero))
        return TD_ERR_PARSE;
    for (int i = 0; i < u->n_joints; i++) {
        if (strcmp(u->joints[i].name, name) != 0) continue;
        if (xml_child(u->joints[i].at, "mimic"))
            return REFUSE(u->r, n, "'%.60s' mimics another joint itself", name);
        if (is_passive(u->r, name))
            return REFUSE(u->r, n, "nothing drives '%.60s', which is mimicked", name);
        b->limited = false, b->rate = 0.0;
        return input_name(u->r, n, name, b->input);
    }
    return REFUSE(u->r, n, "no joint has the name '%.60s'", name);
}

static td_status read_motion(urdf *u, const urdf_joint *j, imported_body *b) {
    const char *t = j->type;
    const bool turns = strcmp(t, "revolute") == 0 || strcmp(t, "continuous") == 0;
    if (strcmp(t, "fixed") == 0) return TD_OK;
    if (!turns && strcmp(t, "prismatic") != 0)
        return REFUSE(u->r, j->at,
                      "the joint '%.60s' is %.40s; joints that are taken over are fixed, revolute, "
                      "continuous and prismatic",
                      j->name, t);
    b->joint = turns ? IMPORT_HINGE : IMPORT_SLIDE;
    if (!is_passive(u->r, j->name) && input_name(u->r, j->at, j->name, b->input))
        return TD_ERR_PARSE;
    td_status status = read_axis(u, j, b);
    if (!status) status = read_limit(u, j, b);
    if (!status && b->input[0]) status = read_mimic(u, j, b);
    if (!status) status = read_dynamics(u, j, b);
    if (!b->input[0] && b->limited) {
        b->limited = false;
        leave_out(u->r->to, "limits of '%.60s', which nothing drives", j->name);
    }
    return status;
}

// ---------------------------------------------------------------- one after another
static td_status add_link(urdf *u, int link) {
    const xml_node *n = u->links[link];
    const int joint = u->held_by[link];
    const char *name = text_of(n, "name");
    if (joint < 0 && strcmp(name, "world") == 0) {  // by custom the world itself
        u->body_of[link] = WORLD;
        if (xml_child(n, "inertial")) leave_out(u->r->to, "<inertial> of the link 'world'");
        return TD_OK;
    }
    imported_body *b = import_body(u->r, n, name);
    if (!b) return TD_ERR_PARSE;
    u->body_of[link] = (int)(b - u->r->to->bodies);
    if (read_inertial(u, n, b) || read_shapes(u, n, u->body_of[link])) return TD_ERR_PARSE;
    if (joint < 0) {
        b->joint = u->r->to->free_base ? IMPORT_FREE : IMPORT_FIXED;
        return TD_OK;
    }
    const urdf_joint *j = &u->joints[joint];
    b->parent = u->body_of[j->parent];
    if (read_origin(u, j->at, &b->p, &b->q)) return TD_ERR_PARSE;
    return read_motion(u, j, b);
}

static td_status add_links(urdf *u) {
    int root = -1;
    for (int i = 0; i < u->n_links; i++) {
        if (u->held_by[i] >= 0) continue;
        if (root >= 0)
            return REFUSE(u->r, u->links[i], "no joint holds the link '%.60s', nor '%.60s'",
                          text_of(u->links[i], "name"), text_of(u->links[root], "name"));
        root = i;
    }
    if (root < 0)
        return REFUSE(u->r, u->links[0], "joints hold all links in a circle: no link is the first");
    if (add_link(u, root)) return TD_ERR_PARSE;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < u->n_links; i++) {
            if (u->body_of[i] != -2 || u->body_of[u->joints[u->held_by[i]].parent] == -2) continue;
            if (add_link(u, i)) return TD_ERR_PARSE;
            more = true;
        }
    }
    for (int i = 0; i < u->n_links; i++)
        if (u->body_of[i] == -2)
            return REFUSE(u->r, u->links[i], "joints hold the link '%.60s' in a circle",
                          text_of(u->links[i], "name"));
    return TD_OK;
}

td_status urdf_import(importer *r, const xml_node *root) {
    urdf u = {.r = r};
    td_status status = find_links(&u, root);
    if (!status) status = find_joints(&u, root);
    if (!status) status = add_links(&u);
    if (status) return status;
    text_of(root, "name");
    for (xml_node *n = root->first; n; n = n->next) {
        const bool known = strcmp(n->name, "link") == 0 || strcmp(n->name, "joint") == 0;
        if (known || strcmp(n->name, "material") != 0) leave_out_unread(r->to, n);
    }
    return TD_OK;
}
