// robot/file_read.c - reading a mapping by its table, and the plain types of values.
#include "robot/file_read.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "robot/units.h"

static const char *kind_words(node_kind kind) {
    return kind == NODE_SCALAR ? "a single value" : kind == NODE_SEQUENCE ? "a list" : "a mapping";
}

td_status expect_kind(reader *r, const node *n, node_kind kind, const char *wanted) {
    if (n->kind == kind) return TD_OK;
    return REFUSE(n, "%s is expected here, not %s", wanted, kind_words(n->kind));
}

td_status expect_scalar(reader *r, const node *n, const char *wanted) {
    td_status status = expect_kind(r, n, NODE_SCALAR, wanted);
    if (status || n->text[0]) return status;
    return REFUSE(n, "%s is expected here, but there is nothing", wanted);
}

// "9,5 mm" in a list is two numbers, of which the first is a whole one.
static bool has_comma_within(const node *n) {
    for (const node *c = n->first; c && c->next; c = c->next) {
        const node *next = c->next;
        if (c->kind != NODE_SCALAR || next->kind != NODE_SCALAR) continue;
        const char *digits = c->text + (c->text[0] == '-');
        if (*digits && !digits[strspn(digits, "0123456789")] && isdigit((unsigned char)*next->text))
            return true;
    }
    return false;
}

td_status expect_list(reader *r, const node *n, int count, const char *wanted) {
    td_status status = expect_kind(r, n, NODE_SEQUENCE, wanted);
    if (status || n->n_children == count) return status;
    return REFUSE(n, "%s is expected here, but there are %d%s", wanted, n->n_children,
                  n->n_children > count && has_comma_within(n)
                      ? ": if a comma was meant as a decimal point, write a point"
                      : "");
}

td_status out_of_memory(reader *r, const node *n) {
    return node_error(r->t, n, false, r->err, TD_ERR_MEMORY, "out of memory");
}

// ---------------------------------------------------------------- mappings
static void add_name(char *text, size_t size, const char *name) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

// Option number *i of those directly below a path, as a key; past the last, *i counts on from there.
static bool option_key(const char *path, int *i, key *out) {
    static const value_type *const types[] = {
        [OPTION_FLAG] = &type_flag,         [OPTION_COUNT] = &type_count,
        [OPTION_QUANTITY] = &type_quantity, [OPTION_CHOICE] = &type_choice,
        [OPTION_FIELDS] = &type_fields,     [OPTION_MODEL] = &type_model};
    const size_t n = strlen(path);
    const sim_option *o;
    for (int at = 0; (o = sim_option_at(at)); at++) {
        if (strncmp(o->path, path, n) != 0 || o->path[n] != '.') continue;
        const char *name = o->path + n + 1;
        if (strchr(name, '.') || (*i)-- > 0) continue;
        *out = (key){name, types[o->kind], o->unit, o->fallback, o->text, o->place, o->choices, 0};
        return true;
    }
    return false;
}

bool mapping_key(const mapping *m, int i, key *out) {
    if (m->has_options && option_key(m->path, &i, out)) return true;
    if (i < m->n_keys) {
        *out = m->keys[i];
        return true;
    }
    if (!m->also || i - m->n_keys >= m->also->n_keys) return false;
    *out = m->also->keys[i - m->n_keys];
    out->offset += m->also_offset;
    return true;
}

static bool has_key(const mapping *m, const char *name) {
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++)
        if (strcmp(k.name, name) == 0) return true;
    return false;
}

// A word that is no key but a choice of one: "input: tension" for "tension".
static bool is_choice(const key *k, const char *word) {
    for (const choice *c = k->choices; c && c->name; c++)
        if (strcmp(c->name, word) == 0) return true;
    return false;
}

// What formulas, other programs and other people call it.
static const char *our_word(const char *theirs) {
    static const char *const words[][2] = {{"E", "youngs_modulus"},
                                           {"G", "shear_modulus"},
                                           {"nu", "poisson_ratio"},
                                           {"rho", "density"},
                                           {"diameter", "radius"},
                                           {"outer_radius", "radius"},
                                           {"mu", "friction"},
                                           {"pos", "position"},
                                           {"rpy", "rotation"},
                                           {"EI", "bending"},
                                           {"GJ", "torsion"},
                                           {"EA", "extension"},
                                           {"inner_diameter", "inner_radius"},
                                           {"outer_diameter", "radius"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(theirs, words[i][0]) == 0) return words[i][1];
    return theirs;
}

static td_status unknown_key(reader *r, const node *n, const mapping *m) {
    char names[300] = "", hint[HINT_SIZE], chosen[64], deeper[80] = "";
    const char *word = our_word(n->key);
    suggestion s = suggest_for(word);
    key k;
    if (isdigit((unsigned char)n->key[0]) && n->kind == NODE_SCALAR && !n->text[0])
        return REFUSE_KEY(n,
                          "unknown key '%.60s': if a comma before it was meant as a decimal "
                          "point, write a point",
                          n->key);
    for (int i = 0; mapping_key(m, i, &k); i++) {
        suggest(&s, k.name);
        add_name(names, sizeof names, k.name);
        if (k.inside && has_key(k.inside, word) && !deeper[0])
            snprintf(deeper, sizeof deeper, "%.30s: {%.25s: ...}", k.name, word);
        if (!is_choice(&k, n->key)) continue;
        snprintf(chosen, sizeof chosen, "%.30s: %.30s", k.name, n->key);
        s = (suggestion){n->key, chosen, 0};
    }
    if (!s.best && deeper[0]) s.best = deeper;
    return REFUSE_KEY(n, "unknown key '%.60s'%s %s%s", n->key, hint_text(&s, ".", hint),
                      names[0] ? "Keys allowed here: " : m->title, names);
}

static td_status missing_key(reader *r, const node *n, const key *k) {
    return REFUSE(n, "the key '%s' is missing: %s", k->name, k->text);
}

td_status read_mapping(reader *r, node *n, const mapping *m, void *to) {
    td_status status = expect_kind(r, n, NODE_MAPPING, "a mapping (key: value)");
    for (const node *c = n->first; c && !status; c = c->next)
        if (!has_key(m, c->key)) return unknown_key(r, c, m);
    key k;
    for (int i = 0; !status && mapping_key(m, i, &k); i++) {
        node *c = node_child(n, k.name);
        if (!c && !k.fallback) return missing_key(r, n, &k);
        if (c) status = k.type->read(r, c, &k, (char *)to + k.offset);
    }
    return status;
}

// ---------------------------------------------------------------- quantities
#define WORDS (UNITS_TEXT + 4)
#define MOST_RADIANS 6.2832  // of an angle without a unit: a turn
static const char *with_article(dimension d, char words[WORDS]) {
    char name[UNITS_TEXT];
    dimension_name(d, name);
    snprintf(words, WORDS, "%s %s", strchr("aeiou", name[0]) ? "an" : "a", name);
    return words;
}

td_status read_quantity(reader *r, const node *n, const char *unit, double *out) {
    if (strcmp(unit, SIGNAL_UNIT) == 0) unit = r->unit;
    if (r->asked && n->source == r->asked) r->answer = unit;
    char found[WORDS], wanted[WORDS];
    dimension expected = unit_dimension(unit);
    with_article(expected, wanted);
    td_status status = expect_scalar(r, n, wanted);
    if (status) return status;
    quantity q;
    char why[UNITS_TEXT];
    bool is = false;
    const bool plain = quantity_parse(n->text, &q, why);
    if (!plain) status = constant_formula(r, n, unit, &is, &q);
    if (status) return status;
    if (!plain && !is) return REFUSE(n, "%s; %s is expected", why, wanted);
    if (q.has_unit && !dimension_fits(q.dim, expected))
        return REFUSE(n, "'%.60s' is %s, but %s is expected", n->text, with_article(q.dim, found),
                      wanted);
    if (fabs(q.value) > LARGEST_QUANTITY)
        return REFUSE(n, "'%.60s' is too large to compute with", n->text);
    *out = q.value;
    return TD_OK;
}

td_status read_quantities(reader *r, node *n, const char *unit, int count, double *out) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
    td_status status = expect_list(r, n, count, wanted);
    n->axes = count <= 3;
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_quantity(r, c, unit, &out[i++]);
    return status;
}

static const struct {
    const value_type *type;
    int n;
    bool spreads;  // one value stands for all components
} arrays[] = {{&type_quantity, 1, true}, {&type_pair, 2, true},    {&type_offset, 2, false},
              {&type_triple, 3, true},   {&type_vector, 3, false}, {&type_quaternion, 4, false}};

static int array_of(const value_type *type) {
    int i = (int)(sizeof arrays / sizeof *arrays) - 1;
    while (i >= 0 && arrays[i].type != type) i--;
    return i;
}

int doubles_of(const value_type *type) {
    const int i = array_of(type);
    return i < 0 ? 0 : arrays[i].n;
}

// A plain number of degrees where radians are meant.
static td_status check_turn(reader *r, const node *n) {
    td_status status = TD_OK;
    char why[UNITS_TEXT];
    quantity q;
    for (const node *c = n->first; c && !status; c = c->next) status = check_turn(r, c);
    if (status || n->kind != NODE_SCALAR || !quantity_parse(n->text, &q, why)) return status;
    if (q.has_unit || fabs(q.value) <= MOST_RADIANS) return TD_OK;
    return REFUSE(n,
                  "'%.40s' is in rad, %.3g turns; is a unit missing (deg)? Otherwise write "
                  "'%.40s rad'",
                  n->text, fabs(q.value) / (2.0 * PI), n->text);
}

static td_status doubles_value(reader *r, node *n, const key *k, void *to) {
    const int i = array_of(k->type), count = arrays[i].n;
    double *out = to;
    td_status status;
    if (!arrays[i].spreads || (count > 1 && n->kind == NODE_SEQUENCE)) {
        status = read_quantities(r, n, k->unit, count, out);
    } else {
        status = read_quantity(r, n, k->unit, out);
        for (int c = 1; c < count; c++) out[c] = out[0];
    }
    return status || !k->unit || strcmp(k->unit, "rad") != 0 ? status : check_turn(r, n);
}

// A row of six after the other.
static td_status matrix_value(reader *r, node *n, const key *k, void *to) {
    td_status status = expect_list(r, n, 6, "a list of 6 rows");
    double *row = to;
    for (node *c = n->first; c && !status; c = c->next, row += 6)
        status = read_quantities(r, c, k->unit, 6, row);
    return status;
}

// One, or a list of up to TD_MOST_RELAXATIONS; those that are left out are 0.
static td_status series_value(reader *r, node *n, const key *k, void *to) {
    double *out = to;
    if (n->kind != NODE_SEQUENCE) return read_quantity(r, n, k->unit, out);
    int count = 0;
    for (const node *c = n->first; c; c = c->next) count++;
    if (count < 1 || count > TD_MOST_RELAXATIONS)
        return REFUSE(n, "a list of 1 to %d is expected, not of %d", TD_MOST_RELAXATIONS, count);
    td_status status = TD_OK;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_quantity(r, c, k->unit, out++);
    return status;
}

// ---------------------------------------------------------------- words
static td_status text_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_status status = expect_scalar(r, n, "text");
    if (!status) *(const char **)to = n->text;
    return status;
}

static td_status flag_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_status status = expect_scalar(r, n, "true or false");
    if (status) return status;
    bool yes = strcmp(n->text, "true") == 0;
    if (!yes && strcmp(n->text, "false") != 0)
        return REFUSE(n, "'%.60s': write true or false", n->text);
    *(bool *)to = yes;
    return TD_OK;
}

static td_status count_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_status status = expect_scalar(r, n, "a whole number");
    if (status) return status;
    quantity q = {0};
    char why[UNITS_TEXT];
    bool is = false, plain = number_parse(n->text, &q.value, NULL, why);
    if (!plain) status = constant_formula(r, n, "", &is, &q);
    if (status) return status;
    if (!(plain || is) || q.value != floor(q.value))
        return REFUSE(n, "'%.60s' is not a whole number", n->text);
    if (fabs(q.value) > INT_MAX) return REFUSE(n, "'%.60s' is too large", n->text);
    *(int *)to = (int)q.value;
    return TD_OK;
}

static td_status find_choice(reader *r, const node *n, const choice *choices, int *value) {
    td_status status = expect_scalar(r, n, "a word");
    if (status) return status;
    char names[200] = "", hint[HINT_SIZE];
    suggestion s = suggest_for(n->text);
    for (const choice *c = choices; c->name; c++) {
        *value = c->value;
        if (strcmp(n->text, c->name) == 0) return TD_OK;
        suggest(&s, c->name);
        add_name(names, sizeof names, c->name);
    }
    return REFUSE(n, "'%.60s' is not one of: %s%s", n->text, names, hint_text(&s, "", hint));
}

// Enumerations of C are as wide as an int here; the copy does not rely on their sign.
static td_status choice_value(reader *r, node *n, const key *k, void *to) {
    int value = 0;
    td_status status = find_choice(r, n, k->choices, &value);
    _Static_assert(sizeof(td_scheme) == sizeof(int), "enumerations are read as int");
    if (!status) memcpy(to, &value, sizeof value);
    return status;
}

static td_status fields_value(reader *r, node *n, const key *k, void *to) {
    td_status status = expect_kind(r, n, NODE_SEQUENCE, "a list");
    unsigned all = 0;
    for (const node *c = n->first; c && !status; c = c->next) {
        int bit = 0;
        status = find_choice(r, c, k->choices, &bit);
        all |= (unsigned)bit;
    }
    if (!status) *(unsigned *)to = all;
    return status;
}

static td_status model_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_status status = expect_scalar(r, n, "the name of a model");
    if (status) return status;
    const size_t room = sizeof((td_options *)0)->model;
    if (strlen(n->text) >= room)
        return REFUSE(n, "'%.60s' is too long for a model's name", n->text);
    memset(to, 0, room);
    memcpy(to, n->text, strlen(n->text));
    return TD_OK;
}

// ---------------------------------------------------------------- containers
static td_status mapping_value(reader *r, node *n, const key *k, void *to) {
    return read_mapping(r, n, k->inside, to);
}

// Kept for later: its reading depends on other parts of the file.
td_status keep_node(reader *r, node *n, const key *k, void *to) {
    (void)r, (void)k;
    *(node **)to = n;
    return TD_OK;
}

static td_status list_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    *(node **)to = n;
    return expect_kind(r, n, NODE_SEQUENCE, "a list (- item)");
}

static td_status named_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    *(node **)to = n;
    return expect_kind(r, n, NODE_MAPPING, "a mapping (name: ...)");
}

const value_type type_text = {"text", text_value};
const value_type type_flag = {"true or false", flag_value};
const value_type type_count = {"whole number", count_value};
const value_type type_quantity = {"quantity", doubles_value};
const value_type type_pair = {"quantity or [x, y]", doubles_value};
const value_type type_triple = {"quantity or [x, y, z]", doubles_value};
const value_type type_vector = {"[x, y, z]", doubles_value};
const value_type type_matrix = {"6 rows of 6", matrix_value};
const value_type type_series = {"quantity, or a list of up to 6", series_value};
const value_type type_quaternion = {"[w, x, y, z]", doubles_value};
const value_type type_choice = {"one of", choice_value};
const value_type type_fields = {"list of", fields_value};
const value_type type_model = {"name", model_value};
const value_type type_mapping = {"mapping", mapping_value};
const value_type type_later = {"[x, y, z], each a number", keep_node};
const value_type type_list = {"list", list_value};
const value_type type_named = {"mapping by name", named_value};
const value_type type_quantities = {"quantities by name", named_value};
const value_type type_signals = {"signals by name", named_value};
const value_type type_column = {"name or number", keep_node};
const value_type type_place = {"`base`, `tip`, quantity or `50 %`", keep_node};
const value_type type_places = {"`tip`, quantity or `50 %`, or a list of them", keep_node};
const value_type type_path = {"list of [place, x, y]", keep_node};
const value_type type_polar_path = {"list of [place, radius, angle]", keep_node};
const value_type type_centre_line = {"list of [x, y, z]", keep_node};
const value_type type_parts = {"list of names", keep_node};
const value_type type_radii = {"quantity, or a list of them", keep_node};
const value_type type_value = {"number", keep_node};
