// import/mjcf.c - bodies and joints of an MJCF file.
//
// The frame of a body is where it is when its joints are at `ref`. A body with one joint at its origin becomes one body;
// others get bodies without mass at their joints, called BODY_1, BODY_2, ..., and stand on the last of them.
#include "import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"

// ---------------------------------------------------------------- the whole file
static td_status read_flag(importer *r, const xml_node *n, const char *name, bool *out) {
    const char *text = text_of(n, name);
    if (!text) return TD_OK;
    *out = strcmp(text, "true") == 0;
    if (*out || strcmp(text, "false") == 0) return TD_OK;
    return REFUSE(r, n, "%s: '%.40s' is neither true nor false", name, text);
}

static td_status read_compiler(mjcf *m, const xml_node *n) {
    static const char *const refused[] = {"balanceinertia", "settotalmass", "boundmass",
                                          "boundinertia", "inertiagrouprange"};
    const char *angle = text_of(n, "angle"), *order = text_of(n, "eulerseq");
    const char *geoms = text_of(n, "inertiafromgeom"), *frame = text_of(n, "coordinate");
    for (int i = 0; i < 5; i++)
        if (text_of(n, refused[i]))
            return REFUSE(m->r, n, "%s of <compiler>, which changes masses, is not read",
                          refused[i]);
    if (frame && strcmp(frame, "local") != 0)
        return REFUSE(m->r, n, "coordinate: '%.40s'; places must be local", frame);
    if (angle && strcmp(angle, "degree") != 0 && strcmp(angle, "radian") != 0)
        return REFUSE(m->r, n, "angle: '%.40s' is neither degree nor radian", angle);
    if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1.0 : PI / 180.0;
    if (order) {
        if (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3)
            return REFUSE(m->r, n, "eulerseq: '%.40s' is not three of x, y, z, X, Y, Z", order);
        memcpy(m->order, order, 4);
    }
    if (geoms)
        m->from_geoms = strcmp(geoms, "true") == 0 ? 1 : strcmp(geoms, "false") == 0 ? 0 : -1;
    return read_flag(m->r, n, "autolimits", &m->autolimits);
}

static td_status read_option(mjcf *m, const xml_node *n) {
    imported *to = m->r->to;
    if (!text_of(n, "gravity")) return TD_OK;
    to->has_gravity = true;
    return optional_numbers(m->r, n, "gravity", 3, to->gravity);
}

// Classes that elements name must be there.
static td_status check_classes(const mjcf *m, const xml_node *n) {
    static const char *const words[2] = {"class", "childclass"};
    for (int i = 0; i < 2; i++) {
        const char *name = text_of(n, words[i]);
        const bool known = !name || (m->defaults ? mjcf_class(m->defaults, name) != NULL
                                                 : strcmp(name, "main") == 0);
        if (!known) return REFUSE(m->r, n, "no <default> has the class '%.60s'", name);
    }
    for (const xml_node *c = n->first; c; c = c->next)
        if (check_classes(m, c)) return TD_ERR_PARSE;
    return TD_OK;
}

static td_status read_head(mjcf *m, const xml_node *root) {
    static const char *const refused[] = {"include", "equality", "deformable"};
    for (int i = 0; i < 3; i++) {
        const xml_node *n = xml_child(root, refused[i]);
        if (n)
            return REFUSE(m->r, n, "<%s> is not read: %s", refused[i],
                          i == 0   ? "put all into one file"
                          : i == 1 ? "bodies are held by their joints alone"
                                   : "bodies are rigid here");
    }
    for (xml_node *n = xml_child(root, "compiler"); n; n = xml_next(n))
        if (read_compiler(m, n)) return TD_ERR_PARSE;
    for (xml_node *n = xml_child(root, "option"); n; n = xml_next(n))
        if (read_option(m, n)) return TD_ERR_PARSE;
    m->defaults = xml_child(root, "default");
    if (m->defaults && xml_next(m->defaults))
        return REFUSE(m->r, xml_next(m->defaults), "a second <default> at the top");
    return check_classes(m, root);
}

// ---------------------------------------------------------------- joints
static td_status read_limits(mjcf *m, const xml_node *n, double unit, imported_body *b) {
    const char *range = mjcf_text(m, n, "range"), *limited = mjcf_text(m, n, "limited");
    double ends[2] = {0.0};
    if (mjcf_numbers(m, n, "range", 2, ends)) return TD_ERR_PARSE;
    b->limited = limited && strcmp(limited, "auto") != 0 ? strcmp(limited, "true") == 0
                                                         : range && m->autolimits;
    if (!b->limited) return TD_OK;
    if (!range || !(ends[0] <= ends[1]))
        return REFUSE(m->r, n, "a range from %g to %g leaves nothing", ends[0], ends[1]);
    b->low = ends[0] * unit, b->high = ends[1] * unit;
    return TD_OK;
}

// Springs and dampers of what nothing drives.
static td_status read_spring(mjcf *m, const xml_node *n, double unit, double ref,
                             imported_body *b) {
    double at_rest = 0.0;
    if (mjcf_numbers(m, n, "stiffness", 1, &b->stiffness) ||
        mjcf_numbers(m, n, "damping", 1, &b->damping) ||
        mjcf_numbers(m, n, "springref", 1, &at_rest))
        return TD_ERR_PARSE;
    if (b->stiffness < 0.0 || b->damping < 0.0)
        return REFUSE(m->r, n, "a stiffness of %g and a damping of %g", b->stiffness, b->damping);
    b->rest = (at_rest - ref) * unit;
    if (!b->input[0]) return TD_OK;
    if (b->stiffness != 0.0 || b->damping != 0.0)
        leave_out(m->r->to, "stiffness and damping of <joint>: a driven joint goes where its input "
                            "says");
    b->stiffness = b->damping = 0.0;
    return TD_OK;
}

static td_status read_axis(mjcf *m, const xml_node *n, imported_body *b) {
    double axis[3] = {0.0, 0.0, 1.0};
    if (mjcf_numbers(m, n, "axis", 3, axis)) return TD_ERR_PARSE;
    const double norm = vec3_norm(vec3_load(axis));
    if (!(norm > 1e-12)) return REFUSE(m->r, n, "the axis of a joint has no direction");
    b->axis = vec3_scale(vec3_load(axis), 1.0 / norm);
    return TD_OK;
}

static td_status read_joint(mjcf *m, const xml_node *n, const char *fallback, imported_body *b) {
    const char *type = mjcf_text(m, n, "type"), *name = text_of(n, "name");
    double ref = 0.0;
    const bool slides = type && strcmp(type, "slide") == 0;
    if (type && !slides && strcmp(type, "hinge") != 0)
        return REFUSE(m->r, n,
                      "a joint that is %.40s; those that are taken over are hinge and slide", type);
    b->joint = slides ? IMPORT_SLIDE : IMPORT_HINGE;
    const double unit = slides ? 1.0 : m->angle;
    if (!name) name = fallback;
    if (!is_passive(m->r, name) && input_name(m->r, n, name, b->input)) return TD_ERR_PARSE;
    if (read_axis(m, n, b) || mjcf_numbers(m, n, "ref", 1, &ref) || read_limits(m, n, unit, b) ||
        read_spring(m, n, unit, ref, b))
        return TD_ERR_PARSE;
    b->zero = -ref * unit;
    if (!b->input[0] && b->limited) {
        b->limited = false;
        leave_out(m->r->to, "range of '%.60s', which nothing drives", name);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- bodies
static td_status read_inertial(mjcf *m, const xml_node *body, imported_body *b) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const xml_node *n = xml_child(body, "inertial");
    double diagonal[3] = {0.0}, full[6];
    mat3 J = mat3_zero();
    quat q;
    if (m->from_geoms == 1 || (!n && m->from_geoms < 0)) return mjcf_geoms(m, body, b);
    if (!n) return TD_OK;
    if (mjcf_place(m, n, &b->centre, &q) || required_numbers(m->r, n, "mass", 1, &b->mass))
        return TD_ERR_PARSE;
    if (b->mass < 0.0) return REFUSE(m->r, n, "a mass of %g kg", b->mass);
    if (text_of(n, "fullinertia")) {
        if (optional_numbers(m->r, n, "fullinertia", 6, full)) return TD_ERR_PARSE;
        for (int i = 0; i < 6; i++) J.m[row[i]][column[i]] = J.m[column[i]][row[i]] = full[i];
    } else {
        if (required_numbers(m->r, n, "diaginertia", 3, diagonal)) return TD_ERR_PARSE;
        J = mat3_diag(vec3_load(diagonal));
    }
    const mat3 R = quat_to_mat3(q), Rt = mat3_transpose(&R), RJ = mat3_mul(&R, &J);
    b->inertia = mat3_mul(&RJ, &Rt);
    return TD_OK;
}

// Bodies without mass at the joints, before the body itself. `at` is where the body is in what holds it, and becomes that on the
// last of them.
static td_status add_joints(mjcf *m, const xml_node *n, const char *name, int *parent, vec3 *p,
                            quat *q) {
    int count = 0;
    for (xml_node *j = xml_child(n, "joint"); j; j = xml_next(j)) {
        char part[80], input[80];
        double pos[3] = {0.0};
        snprintf(part, sizeof part, "%.60s_%d", name, ++count);
        snprintf(input, sizeof input, "%.60s_joint%d", name, count);
        imported_body *b = import_body(m->r, j, part);
        if (!b) return TD_ERR_PARSE;
        if (mjcf_numbers(m, j, "pos", 3, pos) || read_joint(m, j, input, b)) return TD_ERR_PARSE;
        b->parent = *parent;
        b->p = vec3_add(*p, quat_rotate(*q, vec3_load(pos))), b->q = *q;
        *parent = (int)(b - m->r->to->bodies);
        *p = vec3_neg(vec3_load(pos)), *q = quat_identity();
    }
    return TD_OK;
}

static td_status add_bodies(mjcf *m, const xml_node *in, int parent);

static bool is_free(const mjcf *m, const xml_node *n) {
    const xml_node *joint = xml_child(n, "joint");
    const char *type = joint ? mjcf_text(m, joint, "type") : NULL;
    return xml_child(n, "freejoint") || (type && strcmp(type, "free") == 0);
}

static td_status read_body(mjcf *m, const xml_node *n, int parent) {
    const char *name = text_of(n, "name"), *mocap = text_of(n, "mocap");
    char made[80], input[80];
    vec3 p;
    quat q;
    if (!name) snprintf(made, sizeof made, "body%d", ++m->n_unnamed), name = made;
    if (mocap && strcmp(mocap, "true") == 0)
        return REFUSE(m->r, n, "the body '%.60s' is moved from outside (mocap)", name);
    if (mjcf_place(m, n, &p, &q)) return TD_ERR_PARSE;
    const bool free = is_free(m, n);
    if (free && parent != WORLD)
        return REFUSE(m->r, n, "the body '%.60s' is free, and in another one", name);
    const xml_node *joint = free ? NULL : xml_child(n, "joint");
    double pos[3] = {0.0};
    if (joint && mjcf_numbers(m, joint, "pos", 3, pos)) return TD_ERR_PARSE;
    const bool several = joint && (xml_next(joint) || vec3_norm(vec3_load(pos)) != 0.0);
    if (several && add_joints(m, n, name, &parent, &p, &q)) return TD_ERR_PARSE;
    imported_body *b = import_body(m->r, n, name);
    if (!b) return TD_ERR_PARSE;
    snprintf(input, sizeof input, "%.60s_joint", name);
    if (joint && !several && read_joint(m, joint, input, b)) return TD_ERR_PARSE;
    b->parent = parent, b->p = p, b->q = q;
    if (free || (!joint && parent == WORLD && m->r->to->free_base)) b->joint = IMPORT_FREE;
    const int body = (int)(b - m->r->to->bodies);
    if (read_inertial(m, n, b) || mjcf_shapes(m, n, body)) return TD_ERR_PARSE;
    return add_bodies(m, n, body);
}

static td_status add_bodies(mjcf *m, const xml_node *in, int parent) {
    static const char *const refused[] = {"frame", "replicate", "composite", "flexcomp", "attach"};
    for (int i = 0; i < 5; i++) {
        const xml_node *n = xml_child(in, refused[i]);
        if (n) return REFUSE(m->r, n, "<%s> is not read; write its bodies out", refused[i]);
    }
    for (xml_node *n = xml_child(in, "body"); n; n = xml_next(n))
        if (read_body(m, n, parent)) return TD_ERR_PARSE;
    return TD_OK;
}

td_status mjcf_import(importer *r, const xml_node *root) {
    mjcf m = {.r = r, .angle = PI / 180.0, .order = "xyz", .autolimits = true, .from_geoms = -1};
    if (read_head(&m, root)) return TD_ERR_PARSE;
    const xml_node *world = xml_child(root, "worldbody");
    if (!world) return REFUSE(r, root, "<mujoco> has no <worldbody>");
    if (add_bodies(&m, world, WORLD)) return TD_ERR_PARSE;
    if (r->to->n_bodies == 0) return REFUSE(r, world, "<worldbody> has no <body>");
    text_of(root, "model");
    for (const xml_node *n = root->first; n; n = n->next) leave_out_unread(r->to, n);
    return TD_OK;
}
