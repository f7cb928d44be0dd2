// import/mjcf_geoms.c - masses of shapes of an MJCF file: spheres, capsules, cylinders, boxes and ellipsoids.
#include <math.h>
#include <string.h>

#include "import/mjcf.h"
#include "math/pi.h"

#define USUAL_DENSITY 1000.0  // kg/m^3

typedef struct solid {
    double volume;
    vec3 squares;  // moments of inertia of a unit mass
} solid;

typedef struct sum {
    double mass;
    vec3 moment;
    mat3 inertia;  // about the body's origin
} sum;

static solid round_solid(double r, double h, bool capsule) {
    const double bar = PI * r * r * 2.0 * h, ends = capsule ? 4.0 / 3.0 * PI * r * r * r : 0.0;
    const double whole = bar + ends, b = bar / whole, e = ends / whole, L = 2.0 * h;
    const double across =
        b * (L * L / 12.0 + 0.25 * r * r) + e * (0.4 * r * r + 0.25 * L * L + 0.375 * r * L);
    const double along = 0.5 * b * r * r + 0.4 * e * r * r;
    return (solid){whole, {across, across, along}};
}

// Of half sides, or half axes.
static solid blunt_solid(const double s[3], bool box) {
    const double part = box ? 1.0 / 3.0 : 0.2;
    const double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
    return (solid){(box ? 8.0 : 4.0 / 3.0 * PI) * s[0] * s[1] * s[2],
                   {part * (b + c), part * (a + c), part * (a + b)}};
}

// With fromto only the first number counts; further ones may stand there all the same.
static td_status sizes(const mjcf *m, const xml_node *n, int count, bool line, double *out) {
    const char *text = mjcf_text(m, n, "size");
    const char *fromto = line ? mjcf_text(m, n, "fromto") : NULL;
    double ends[6];
    int found;
    if (!text) return REFUSE(m->r, n, "<geom> has no size");
    if (some_numbers_of(m->r, n, "size", text, 3, out, &found)) return TD_ERR_PARSE;
    if (found < (fromto ? 1 : count)) return REFUSE(m->r, n, "size: %d numbers", found);
    if (fromto) {
        if (numbers_of(m->r, n, "fromto", fromto, 6, ends)) return TD_ERR_PARSE;
        out[1] = 0.5 * vec3_norm(vec3_sub(vec3_load(ends + 3), vec3_load(ends)));
    }
    for (int i = 0; i < count; i++)
        if (!(out[i] > 0.0)) return REFUSE(m->r, n, "a size of %g m", out[i]);
    return TD_OK;
}

static td_status place_of(const mjcf *m, const xml_node *n, bool line, vec3 *p, quat *q) {
    const char *fromto = line ? mjcf_text(m, n, "fromto") : NULL;
    double ends[6];
    if (!fromto) return mjcf_place(m, n, p, q);
    if (numbers_of(m->r, n, "fromto", fromto, 6, ends)) return TD_ERR_PARSE;
    const vec3 a = vec3_load(ends), b = vec3_load(ends + 3), way = vec3_sub(b, a);
    *p = vec3_scale(vec3_add(a, b), 0.5);
    *q = quat_between(vec3_make(0.0, 0.0, 1.0), vec3_scale(way, 1.0 / vec3_norm(way)));
    return vec3_norm(way) > 0.0 ? TD_OK : REFUSE(m->r, n, "fromto has no length");
}

static void add_solid(sum *to, double mass, const solid *s, vec3 p, quat q) {
    const mat3 R = quat_to_mat3(q), Rt = mat3_transpose(&R);
    const mat3 own = mat3_diag(vec3_scale(s->squares, mass)), RJ = mat3_mul(&R, &own);
    const mat3 J = mat3_mul(&RJ, &Rt), hat = mat3_hat(p), square = mat3_mul(&hat, &hat);
    const mat3 shift = mat3_scale(&square, -mass);
    to->mass += mass;
    to->moment = vec3_madd(to->moment, mass, p);
    to->inertia = mat3_add(&to->inertia, &J);
    to->inertia = mat3_add(&to->inertia, &shift);
}

static const char *const types[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
static const int counts[] = {1, 2, 2, 3, 3};

static td_status add_geom(const mjcf *m, const xml_node *n, sum *to) {
    const char *type = mjcf_text(m, n, "type"), *thin = mjcf_text(m, n, "shellinertia");
    double mass = -1.0, density = USUAL_DENSITY, size[3] = {0.0};
    int kind = 0;
    if (!type) type = "sphere";
    if (mjcf_numbers(m, n, "mass", 1, &mass) || mjcf_numbers(m, n, "density", 1, &density))
        return TD_ERR_PARSE;
    if (mass == 0.0 || (mass < 0.0 && density == 0.0) || strcmp(type, "plane") == 0) return TD_OK;
    while (kind < 5 && strcmp(type, types[kind]) != 0) kind++;
    if (kind == 5 || (thin && strcmp(thin, "true") == 0))
        return REFUSE(m->r, n,
                      "the mass of a <geom> that is %.40s is not computed; give its body an "
                      "<inertial>, or the geom the mass 0",
                      kind == 5 ? type : "a shell");
    const bool line = kind == 1 || kind == 2;
    vec3 p;
    quat q;
    if (!line && mjcf_text(m, n, "fromto"))
        return REFUSE(m->r, n, "fromto of a %s is not read", type);
    if (sizes(m, n, counts[kind], line, size) || place_of(m, n, line, &p, &q)) return TD_ERR_PARSE;
    const solid s = line        ? round_solid(size[0], size[1], kind == 1)
                    : kind == 0 ? blunt_solid((double[]){size[0], size[0], size[0]}, false)
                                : blunt_solid(size, kind == 3);
    if (mass < 0.0) mass = density * s.volume;
    if (mass < 0.0) return REFUSE(m->r, n, "a density of %g kg/m^3", density);
    add_solid(to, mass, &s, p, q);
    return TD_OK;
}

td_status mjcf_geoms(const mjcf *m, const xml_node *body, imported_body *b) {
    sum all = {0.0, {0.0, 0.0, 0.0}, mat3_zero()};
    for (xml_node *n = xml_child(body, "geom"); n; n = xml_next(n))
        if (add_geom(m, n, &all)) return TD_ERR_PARSE;
    if (!(all.mass > 0.0)) return TD_OK;
    b->mass = all.mass;
    b->centre = vec3_scale(all.moment, 1.0 / all.mass);
    const mat3 hat = mat3_hat(b->centre), square = mat3_mul(&hat, &hat);
    const mat3 shift = mat3_scale(&square, all.mass);
    b->inertia = mat3_add(&all.inertia, &shift);
    return TD_OK;
}

// ---------------------------------------------------------------- what touches
static bool touches(const mjcf *m, const xml_node *n) {
    const char *type = mjcf_text(m, n, "contype"), *affinity = mjcf_text(m, n, "conaffinity");
    return !(type && affinity && strcmp(type, "0") == 0 && strcmp(affinity, "0") == 0);
}

static td_status add_shape(const mjcf *m, const xml_node *n, int body) {
    const char *type = mjcf_text(m, n, "type");
    imported_shape s = {.body = body};
    double size[3] = {0.0};
    int kind = 0;
    if (!type) type = "sphere";
    while (kind < 4 && strcmp(type, types[kind]) != 0) kind++;
    if (kind == 4) {
        leave_out(m->r->to, "a <geom> that is %.40s", type);
        return TD_OK;
    }
    const bool line = kind == 1 || kind == 2;
    if (!line && mjcf_text(m, n, "fromto"))
        return REFUSE(m->r, n, "fromto of a %s is not read", type);
    if (sizes(m, n, counts[kind], line, size) || place_of(m, n, line, &s.p, &s.q))
        return TD_ERR_PARSE;
    if (kind == 2) return import_cylinder(m->r, n, &s, size[0], 2.0 * size[1]);
    s.kind = kind == 0 ? IMPORT_SPHERE : kind == 1 ? IMPORT_CAPSULE : IMPORT_BOX;
    for (int i = 0; i < 3; i++) s.size[i] = (kind == 3 || (line && i == 1) ? 2.0 : 1.0) * size[i];
    return import_shape(m->r, n, &s);
}

td_status mjcf_shapes(const mjcf *m, const xml_node *of, int body) {
    for (xml_node *n = m->r->to->with_shapes ? xml_child(of, "geom") : NULL; n; n = xml_next(n))
        if (touches(m, n) && add_shape(m, n, body)) return TD_ERR_PARSE;
    return TD_OK;
}
