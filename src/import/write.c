// import/write.c - an imported chain as a robot file, to be included by one with rods.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/imported.h"

#define SAME 1e-15  // a number that is nothing but rounding beside 1

typedef struct page {
    char *text;
    size_t used, size;
    bool failed;
} page;

static void put(page *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(page *o, const char *format, ...) {
    va_list args;
    for (int again = 0; again < 2 && !o->failed; again++) {
        const size_t left = o->size - o->used;
        va_start(args, format);
        const int n = vsnprintf(o->text ? o->text + o->used : NULL, left, format, args);
        va_end(args);
        if (n < 0) o->failed = true;
        else if ((size_t)n < left) {
            o->used += (size_t)n;
            return;
        }
        char *more = realloc(o->text, 2 * (o->size + (size_t)(n > 0 ? n : 0)) + 4096);
        if (!more) o->failed = true;
        else o->text = more, o->size = 2 * (o->size + (size_t)n) + 4096;
    }
}

// As short as it comes back to the same bits.
static void put_number(page *o, double x) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x + 0.0);
        if (strtod(text, NULL) == x) break;
    }
    put(o, "%s", text);
}

static void put_list(page *o, const char *before, const double *x, int n) {
    put(o, "%s[", before);
    for (int i = 0; i < n; i++) {
        if (i) put(o, ", ");
        put_number(o, x[i]);
    }
    put(o, "]");
}

static void put_vec3(page *o, const char *before, vec3 v) {
    double x[3];
    vec3_store(x, v);
    put_list(o, before, x, 3);
}

// p + way * (zero + gain * input), component by component
static void put_driven(page *o, const char *before, vec3 p, vec3 way, const imported_body *b) {
    double at[3], along[3];
    vec3_store(at, vec3_madd(p, b->zero, way));
    vec3_store(along, vec3_scale(way, b->gain));
    put(o, "%s[", before);
    for (int i = 0; i < 3; i++) {
        if (i) put(o, ", ");
        if (fabs(along[i]) <= SAME) {
            put_number(o, at[i]);
            continue;
        }
        if (at[i] != 0.0) {
            put_number(o, at[i]);
            put(o, " + ");
        }
        if (along[i] == -1.0) put(o, "-");
        if (fabs(along[i]) != 1.0) {
            put_number(o, along[i]);
            put(o, "*");
        }
        put(o, "%s", b->input);
    }
    put(o, "]");
}

// ---------------------------------------------------------------- bodies
static bool is_turned(quat q) {
    return fabs(q.x) + fabs(q.y) + fabs(q.z) > 0.0;
}

static void put_orientation(page *o, quat q) {
    double x[4];
    if (!is_turned(q)) return;
    quat_store(x, q);
    put_list(o, ", quaternion: ", x, 4);
}

static void put_passive(page *o, const imported_body *b) {
    put_vec3(o,
             b->joint == IMPORT_HINGE ? ", joint: revolute, axis: " : ", joint: prismatic, axis: ",
             b->axis);
    if (b->stiffness == 0.0 && b->damping == 0.0) return;
    put(o, ", spring: {stiffness: ");
    put_number(o, b->stiffness);
    put(o, ", damping: ");
    put_number(o, b->damping);
    put(o, ", rest: ");
    put_number(o, b->rest);
    put(o, "}");
}

static void put_hold(page *o, const imported *from, const imported_body *b) {
    put(o, "    held: {");
    if (b->parent != WORLD) put(o, "body: %s, ", from->bodies[b->parent].name);
    const bool driven = b->input[0] && b->joint != IMPORT_FIXED;
    if (driven && b->joint == IMPORT_SLIDE)
        put_driven(o, "position: ", b->p, quat_rotate(b->q, b->axis), b);
    else put_vec3(o, "position: ", b->p);
    put_orientation(o, b->q);
    if (driven && b->joint == IMPORT_HINGE) {
        put_driven(o, ", motion: {rotation: ", vec3_zero(), b->axis, b);
        put(o, "}");
    }
    if (!driven && b->joint != IMPORT_FIXED) put_passive(o, b);
    put(o, "}\n");
}

static void put_body(page *o, const imported *from, const imported_body *b) {
    const mat3 *J = &b->inertia;
    const double products[3] = {J->m[0][1], J->m[0][2], J->m[1][2]};
    const double most = fmax(J->m[0][0], fmax(J->m[1][1], J->m[2][2]));
    put(o, "  - name: %s\n", b->name);
    if (b->mass > 0.0) {
        put(o, "    mass: ");
        put_number(o, b->mass);
        put_vec3(o, "\n    centre: ", b->centre);
        put(o, "\n");
    }
    if (most > 0.0) {
        put_list(o, "    inertia: ", (double[]){J->m[0][0], J->m[1][1], J->m[2][2]}, 3);
        put(o, "\n");
    }
    bool off = false;
    for (int i = 0; i < 3; i++) off = off || fabs(products[i]) > SAME * most;
    if (off) {
        put_list(o, "    products: ", products, 3);
        put(o, "\n");
    }
    if (b->joint != IMPORT_FREE) {
        put_hold(o, from, b);
        return;
    }
    put_vec3(o, "    position: ", b->p);
    put(o, "\n");
    if (!is_turned(b->q)) return;
    double x[4];
    quat_store(x, b->q);
    put_list(o, "    quaternion: ", x, 4);
    put(o, "\n");
}

// A body without mass, held by its own.
static void put_shape(page *o, const imported *from, int index) {
    static const char *const words[] = {"sphere: {radius: ", "capsule: {radius: ", "box: "};
    const imported_shape *s = &from->shapes[index];
    int number = 1;
    for (int i = 0; i < index; i++) number += from->shapes[i].body == s->body;
    put(o, "  - name: %.50s_shape%d\n    shape: {%s", from->bodies[s->body].name, number,
        words[s->kind]);
    if (s->kind == IMPORT_BOX) put_list(o, "", s->size, 3);
    else put_number(o, s->size[0]);
    if (s->kind == IMPORT_CAPSULE) put(o, ", length: "), put_number(o, s->size[1]);
    put(o, s->kind == IMPORT_BOX ? "}\n" : "}}\n");
    put(o, "    held: {body: %s, ", from->bodies[s->body].name);
    put_vec3(o, "position: ", s->p);
    put_orientation(o, s->q);
    put(o, "}\n");
}

// ---------------------------------------------------------------- inputs
// What mimics another joint has its input, which is said where that joint is.
static bool says_input(const imported *from, int body) {
    const imported_body *b = &from->bodies[body];
    if (!b->input[0]) return false;
    for (int i = 0; i < body; i++)
        if (strcmp(from->bodies[i].input, b->input) == 0) return false;
    return true;
}

static const imported_body *limits_of(const imported *from, const char *input) {
    for (int i = 0; i < from->n_bodies; i++) {
        const imported_body *b = &from->bodies[i];
        if (strcmp(b->input, input) == 0 && (b->limited || b->rate > 0.0)) return b;
    }
    return NULL;
}

static void put_inputs(page *o, const imported *from) {
    bool any = false, limits = false;
    for (int i = 0; i < from->n_bodies; i++) {
        if (!says_input(from, i)) continue;
        const imported_body *b = limits_of(from, from->bodies[i].input);
        put(o, "%s  %s: ", any ? "" : "\ninputs:\n", from->bodies[i].input);
        put_number(o, b && b->limited ? fmin(fmax(0.0, b->low), b->high) : 0.0);
        put(o, "\n");
        any = true;
    }
    for (int i = 0; i < from->n_bodies; i++) {
        const imported_body *b =
            says_input(from, i) ? limits_of(from, from->bodies[i].input) : NULL;
        if (!b) continue;
        put(o, "%s  %s: {", limits ? "" : "\nlimits:\n", b->input);
        if (b->limited) {
            put_list(o, "range: ", (double[]){b->low, b->high}, 2);
        }
        if (b->rate > 0.0) {
            put(o, "%srate: ", b->limited ? ", " : "");
            put_number(o, b->rate);
        }
        put(o, "}\n");
        limits = true;
    }
}

char *import_write(const imported *from, const char *path) {
    const char *slash = strrchr(path, '/');
    page o = {0};
    put(&o,
        "# Bodies of the %s file %s, by tendril import. A robot file with rods may include this "
        "one.\n",
        from->format, slash ? slash + 1 : path);
    if (from->n_left) put(&o, "# Left out:\n");
    for (int i = 0; i < from->n_left; i++)
        put(&o, from->left[i].count > 1 ? "#   %s (%d)\n" : "#   %s\n", from->left[i].what,
            from->left[i].count);
    put(&o, "tendril: 1\n");
    if (from->has_gravity) {
        put_list(&o, "gravity: ", from->gravity, 3);
        put(&o, "\n");
    }
    put(&o, "\nbodies:\n");
    for (int i = 0; i < from->n_bodies; i++) put_body(&o, from, &from->bodies[i]);
    for (int i = 0; i < from->n_shapes; i++) put_shape(&o, from, i);
    put_inputs(&o, from);
    if (!o.failed) return o.text;
    free(o.text);
    return NULL;
}
