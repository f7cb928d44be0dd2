// import/mjcf_values.c - attributes of an MJCF file by classes, and places.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mjcf.h"

// ---------------------------------------------------------------- classes
const xml_node *mjcf_class(const xml_node *in, const char *name) {
    const char *own = text_of(in, "class");
    if (strcmp(own ? own : "main", name) == 0) return in;
    for (const xml_node *c = xml_child(in, "default"); c; c = xml_next(c)) {
        const xml_node *found = mjcf_class(c, name);
        if (found) return found;
    }
    return NULL;
}

static const xml_node *class_of(const mjcf *m, const xml_node *n) {
    const char *name = text_of(n, "class");
    for (const xml_node *up = n->parent; up && !name; up = up->parent)
        name = text_of(up, "childclass");
    if (!m->defaults) return NULL;
    return name ? mjcf_class(m->defaults, name) : m->defaults;
}

const char *mjcf_text(const mjcf *m, const xml_node *n, const char *name) {
    const char *own = text_of(n, name);
    const xml_node *from = own ? NULL : class_of(m, n);
    for (; from && strcmp(from->name, "default") == 0; from = from->parent) {
        const xml_node *of = xml_child(from, n->name);
        const char *text = of ? text_of(of, name) : NULL;
        if (text) return text;
    }
    return own;
}

td_status mjcf_numbers(const mjcf *m, const xml_node *n, const char *name, int count, double *out) {
    const char *text = mjcf_text(m, n, name);
    return text ? numbers_of(m->r, n, name, text, count, out) : TD_OK;
}

// ---------------------------------------------------------------- places
static quat euler(const mjcf *m, const double angles[3]) {
    quat q = quat_identity();
    for (int i = 0; i < 3; i++) {
        double v[3] = {0.0};
        v[tolower((unsigned char)m->order[i]) - 'x'] = angles[i] * m->angle;
        const quat turn = quat_exp(vec3_load(v));
        q = islower((unsigned char)m->order[i]) ? quat_mul(q, turn) : quat_mul(turn, q);
    }
    return q;
}

static bool from_axes(const double a[6], quat *q) {
    const vec3 given = vec3_load(a);
    const vec3 x = vec3_scale(given, 1.0 / vec3_norm(given)), other = vec3_load(a + 3);
    const vec3 across = vec3_madd(other, -vec3_dot(other, x), x);
    const vec3 y = vec3_scale(across, 1.0 / vec3_norm(across));
    const mat3 R = mat3_from_columns(x, y, vec3_cross(x, y));
    *q = quat_from_mat3(&R);
    return vec3_norm(given) > 1e-12 && vec3_norm(across) > 1e-12 * vec3_norm(other);
}

static td_status orient(const mjcf *m, const xml_node *n, int kind, const char *text, quat *q) {
    static const char *const words[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    static const int counts[] = {4, 4, 3, 6, 3};
    double a[6] = {0.0};
    if (numbers_of(m->r, n, words[kind], text, counts[kind], a)) return TD_ERR_PARSE;
    bool ok = true;
    if (kind == 0) {
        ok = quat_norm2(quat_load(a)) > 1e-24;
        if (ok) *q = quat_normalise(quat_load(a));
    } else if (kind == 1) {
        const vec3 axis = vec3_load(a);
        ok = vec3_norm(axis) > 1e-12;
        if (ok) *q = quat_exp(vec3_scale(axis, a[3] * m->angle / vec3_norm(axis)));
    } else if (kind == 2) {
        *q = euler(m, a);
    } else if (kind == 3) {
        ok = from_axes(a, q);
    } else {
        const vec3 z = vec3_load(a);
        ok = vec3_norm(z) > 1e-12;
        if (ok) *q = quat_between(vec3_make(0.0, 0.0, 1.0), vec3_scale(z, 1.0 / vec3_norm(z)));
    }
    return ok ? TD_OK : REFUSE(m->r, n, "%s: '%.60s' has no direction", words[kind], text);
}

td_status mjcf_place(const mjcf *m, const xml_node *n, vec3 *p, quat *q) {
    static const char *const words[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    double pos[3] = {0.0};
    bool found = false;
    *q = quat_identity();
    if (mjcf_numbers(m, n, "pos", 3, pos)) return TD_ERR_PARSE;
    *p = vec3_load(pos);
    for (int k = 0; k < 5; k++) {
        const char *text = mjcf_text(m, n, words[k]);
        if (!text) continue;
        if (found) return REFUSE(m->r, n, "<%.40s> has two orientations", n->name);
        if (orient(m, n, k, text, q)) return TD_ERR_PARSE;
        found = true;
    }
    return TD_OK;
}
