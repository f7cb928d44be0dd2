// robot/file_repeat.c - several parts from one entry: copies in the tree, made before anything else reads it.
//
//     {name: finger, repeat: {count: 3, around: z}, ...}    finger1, finger2, finger3
//
// In the texts of the entry `#` stands for the number of the copy. What is placed `around` an axis is turned by
// R(axis, (i - 1) angle): position p' = R p, orientation Q' = R Q, in the frame that they are given in.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "math/quat.h"
#include "robot/file_read.h"

typedef struct repeat_draft {
    int count, around;
    double angle;
} repeat_draft;

#define AT(field) offsetof(repeat_draft, field)
static const choice axes[] = {{"x", 1}, {"y", 2}, {"z", 3}, {0}};
// clang-format off
static const key repeat_keys[] = {
    {"count", &type_count, NULL, REQUIRED, "number of parts", AT(count), 0, 0},
    {"around", &type_choice, NULL, "not turned", "axis through the origin about which each next rod (base and tip), free body or obstacle is turned", AT(around), axes, 0},
    {"angle", &type_quantity, "rad", "360 deg / count", "angle from one to the next", AT(angle), 0, 0},
};
// clang-format on
#undef AT
const mapping repeat_mapping = {
    "repeat",
    "Several parts from one entry of a list. A whole number alone is `count`. The names are "
    "numbered, and in every text of the entry `#` stands for the number.",
    KEYS(repeat_keys), 0, 0};

// The tables name it for the reference; it is gone from the tree before they are read.
static td_status nowhere(reader *r, node *n, const key *k, void *to) {
    (void)k, (void)to;
    return REFUSE_KEY(n, "'repeat' cannot be set here");
}
const value_type type_repeat = {"whole number or mapping", nowhere};

static td_status no_room(reader *r, const node *n) {
    if (r->t->n_nodes < MOST_NODES) return out_of_memory(r, n);
    return REFUSE(n, "the document then holds more values than %d, which are allowed", MOST_NODES);
}

// ---------------------------------------------------------------- numbers in texts
// Every '#' becomes the number.
static const char *numbered(tree *t, const char *text, int number) {
    char digits[16];
    const size_t n = (size_t)snprintf(digits, sizeof digits, "%d", number);
    size_t length = 1;
    for (const char *c = text; *c; c++) length += *c == '#' ? n : 1;
    char *out = tree_take(t, length), *to = out;
    for (const char *c = text; *c && out; c++) {
        if (*c == '#') to = stpcpy(to, digits);
        else *to++ = *c;
    }
    return out;
}

static bool number_texts(tree *t, node *n, int number) {
    if (n->kind == NODE_SCALAR && strchr(n->text, '#')) n->text = numbered(t, n->text, number);
    bool good = n->kind != NODE_SCALAR || n->text;
    for (node *c = n->first; c && good; c = c->next) good = number_texts(t, c, number);
    return good;
}

static td_status number_copy(reader *r, node *copy, int number) {
    node *name = node_child(copy, "name");
    if (name && name->kind == NODE_SCALAR && !strchr(name->text, '#')) {
        char *text = tree_take(r->t, strlen(name->text) + 2);
        if (!text) return out_of_memory(r, copy);
        stpcpy(stpcpy(text, name->text), "#");
        name->text = text;
    }
    return number_texts(r->t, copy, number) ? TD_OK : out_of_memory(r, copy);
}

// ---------------------------------------------------------------- around an axis
typedef struct turn {
    int axis;  // 0, 1, 2
    double angle;
} turn;

static td_status put_number(reader *r, node *n, double value) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%.17g", value);
    n->text = tree_text(r->t, text, (size_t)length);
    return n->text ? TD_OK : out_of_memory(r, n);
}

// What lies along the axis stays as it is, and may be driven by an input.
static td_status turn_position(reader *r, node *m, turn by) {
    node *position = node_child(m, "position");
    if (!position) return TD_OK;
    td_status status = expect_list(r, position, 3, "a list of 3 numbers");
    position->axes = true;
    if (status) return status;
    node *u = node_at(position, (by.axis + 1) % 3), *v = node_at(position, (by.axis + 2) % 3);
    double a = 0.0, b = 0.0;
    status = read_quantity(r, u, "m", &a);
    if (!status) status = read_quantity(r, v, "m", &b);
    const double c = cos(by.angle), s = sin(by.angle);
    if (!status) status = put_number(r, u, c * a - s * b);
    return status ? status : put_number(r, v, s * a + c * b);
}

static td_status put_quaternion(reader *r, node *m, quat q) {
    node *list = tree_node(r->t, NODE_SEQUENCE);
    if (!list) return no_room(r, m);
    list->line = m->line, list->column = m->column, list->source = m->source;
    list->key = "quaternion";
    node_append(m, list);
    const double values[4] = {q.w, q.x, q.y, q.z};
    td_status status = TD_OK;
    for (int i = 0; i < 4 && !status; i++) {
        node *c = tree_node(r->t, NODE_SCALAR);
        if (!c) return no_room(r, m);
        c->line = m->line, c->column = m->column, c->source = m->source;
        node_append(list, c);
        status = put_number(r, c, values[i]);
    }
    return status;
}

static td_status turn_orientation(reader *r, node *m, turn by) {
    orientation_draft draft = {0};
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    const struct {
        const char *word, *unit;
        int n;
        double *to;
    } ways[] = {{"direction", "", 3, draft.direction},
                {"quaternion", "", 4, draft.quaternion},
                {"rotation", "rad", 3, draft.rotation}};
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++) {
        node *c = node_child(m, ways[i].word);
        if (c) status = read_quantities(r, c, ways[i].unit, ways[i].n, ways[i].to);
    }
    if (!status) status = read_orientation(r, m, &draft, q);
    if (status) return status;
    for (int i = 0; i < 3; i++)
        if (node_child(m, ways[i].word)) node_remove(node_child(m, ways[i].word));
    const double s = sin(0.5 * by.angle);
    const vec3 v = {by.axis == 0 ? s : 0.0, by.axis == 1 ? s : 0.0, by.axis == 2 ? s : 0.0};
    return put_quaternion(r, m, quat_mul(quat_make(cos(0.5 * by.angle), v), quat_load(q)));
}

static td_status turn_mapping(reader *r, node *m, turn by) {
    if (m->kind != NODE_MAPPING) return TD_OK;  // which is told where it is read
    td_status status = turn_position(r, m, by);
    return status ? status : turn_orientation(r, m, by);
}

// Without `base` a rod stands at the origin.
static td_status turn_rod(reader *r, node *rod, turn by) {
    node *base = node_child(rod, "base"), *tip = node_child(rod, "tip");
    if (!base) {
        base = tree_node(r->t, NODE_MAPPING);
        if (!base) return no_room(r, rod);
        base->line = rod->line, base->column = rod->column, base->source = rod->source;
        base->key = "base";
        node_append(rod, base);
    }
    td_status status = turn_mapping(r, base, by);
    return !status && tip ? turn_mapping(r, tip, by) : status;
}

static td_status turn_copy(reader *r, const char *list, node *copy, turn by) {
    return strcmp(list, "rods") == 0 ? turn_rod(r, copy, by) : turn_mapping(r, copy, by);
}

// ---------------------------------------------------------------- copies
static td_status read_repeat(reader *r, node *n, repeat_draft *out) {
    const key k = {.name = "repeat"};
    *out = (repeat_draft){0};
    td_status status = n->kind == NODE_MAPPING ? read_mapping(r, n, &repeat_mapping, out)
                                               : type_count.read(r, n, &k, &out->count);
    const node *count = node_child(n, "count"), *angle = node_child(n, "angle");
    if (status) return status;
    if (out->count < 1 || out->count > MOST_PARTS)
        return REFUSE(count ? count : n, "%d parts: there can be 1 to %d", out->count, MOST_PARTS);
    if (angle && !out->around)
        return REFUSE_KEY(angle, "'angle' goes with 'around', which says about which axis");
    if (!angle) out->angle = 2.0 * PI / out->count;
    return TD_OK;
}

static td_status check_around(reader *r, const node *list, const node *item, const node *repeat) {
    const bool places = strcmp(list->key, "rods") == 0 || strcmp(list->key, "obstacles") == 0 ||
                        (strcmp(list->key, "bodies") == 0 && !node_child(item, "on"));
    if (places) return TD_OK;
    return REFUSE(node_child(repeat, "around"),
                  "only rods, free bodies and obstacles have a place in space; write an angle by "
                  "its number, such as offset: {radius: 8 mm, angle: \"# * 120 deg\"}");
}

static td_status read_item(reader *r, const node *list, const node *item, repeat_draft *out) {
    node *repeat = node_child(item, "repeat");
    td_status status = read_repeat(r, repeat, out);
    return !status && out->around ? check_around(r, list, item, repeat) : status;
}

// Copies of item, which no list holds any more, to the end of this one.
static td_status copy_item(reader *r, node *list, const node *item) {
    repeat_draft draft;
    td_status status = read_item(r, list, item, &draft);
    for (int i = 0; i < draft.count && !status; i++) {
        node *copy = node_copy(r->t, item, list);
        if (!copy) return no_room(r, list);
        node_remove(node_child(copy, "repeat"));
        status = number_copy(r, copy, i + 1);
        const turn by = {draft.around - 1, i * draft.angle};
        if (!status && draft.around && i > 0) status = turn_copy(r, list->key, copy, by);
    }
    return status;
}

static td_status expand_list(reader *r, node *list) {
    bool any = false;
    td_status status = TD_OK;
    repeat_draft ignored;
    for (const node *c = list->first; c && !status; c = c->next)
        if (node_child(c, "repeat")) any = true, status = read_item(r, list, c, &ignored);
    if (!any || status) return status;  // mistakes are told while every entry is in its place
    r->rewritten = true;
    node old = *list;
    list->first = list->last = NULL, list->n_children = 0;
    for (node *c = old.first, *next; c && !status; c = next) {
        next = c->next;
        if (node_child(c, "repeat")) status = copy_item(r, list, c);
        else node_append(list, c);
    }
    return status;
}

td_status expand_repeats(reader *r) {
    td_status status = read_constants(r, node_child(r->root, "let"));
    for (node *c = r->root->first; c && !status; c = c->next)
        if (c->kind == NODE_SEQUENCE && c->key) status = expand_list(r, c);
    return status;
}
