// robot/file_let.c - constants (`let`), and formulas of them in the place of quantities: "2*reach + 3 mm".
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/file_read.h"

static formula_names names_of(const reader *r, const char *unit) {
    const constants *c = &r->constants;
    return (formula_names){
        .names = c->names, .n = c->n, .time = -1, .unit = unit, .values = c->values};
}

bool is_constant(const reader *r, const char *name) {
    for (int i = 0; i < r->constants.n; i++)
        if (strcmp(r->constants.names[i], name) == 0) return true;
    return false;
}

// ---------------------------------------------------------------- is it a formula?
static const char *before(const char *text, const char *at) {
    while (at > text && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at > text ? at - 1 : NULL;
}

// "1e-3", "m^-1": the sign belongs to a number.
static bool is_sign(const char *text, const char *at) {
    const char *last = before(text, at);
    if (!last || strchr("^*/(+-,", *last)) return true;
    const bool exponent = (*last == 'e' || *last == 'E') && last == at - 1;
    return exponent && last > text && (isdigit((unsigned char)last[-1]) || last[-1] == '.');
}

// An operator before a number: "2 * 0.15 m", "0.3 m - 2 mm", "1/3"; units have none there.
static bool is_operator(const char *text, const char *at) {
    if (!strchr("+-*/", *at) || is_sign(text, at)) return false;
    const char *next = at + 1 + strspn(at + 1, " \t(");
    return isdigit((unsigned char)*next) || *next == '.';
}

static bool is_formula(const reader *r, const char *text) {
    const formula_names names = names_of(r, NULL);
    if (text[strspn(text, "+- ")] == '(' || formula_is_meant(text, &names)) return true;
    for (const char *c = text; *c; c++)
        if (is_operator(text, c)) return true;
    return false;
}

td_status refuse_formula(reader *r, const node *n, const formula_error *wrong) {
    node place = *n;
    if (place.line > 0) place.column += wrong->at + n->quoted;
    return REFUSE(&place, "%s in '%.60s'", wrong->why, n->text);
}

static td_status read_formula(reader *r, const node *n, const char *unit, quantity *out) {
    const formula_names names = names_of(r, unit);
    formula_error wrong;
    return formula_constant(n->text, &names, out, &wrong) ? TD_OK : refuse_formula(r, n, &wrong);
}

td_status constant_formula(reader *r, const node *n, const char *unit, bool *is, quantity *out) {
    *is = is_formula(r, n->text);
    return *is ? read_formula(r, n, unit, out) : TD_OK;
}

// ---------------------------------------------------------------- and of one input
static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// Where a name begins that no unit is: those follow a number, or another unit.
static size_t name_at(const char *text, const char *at) {
    size_t n = 0;
    if (isdigit((unsigned char)*at) || (at > text && in_name(at[-1]))) return 0;
    while (in_name(at[n])) n++;
    const char *last = before(text, at);
    return n > 0 && last && (in_name(*last) || *last == '.') ? 0 : n;
}

td_status sum_input(reader *r, const node *n, const char **input) {
    const char *last = NULL;
    *input = NULL;
    for (const char *c = n->text; *c; c += *c ? 1 : 0) {
        const size_t length = name_at(n->text, c);
        if (length == 0) continue;
        const char *name = tree_text(r->t, c, length);
        if (!name) return out_of_memory(r, n);
        c += length - 1;
        quantity q;
        char one[64], why[UNITS_TEXT];
        const bool known = is_input(r, name);
        snprintf(one, sizeof one, "1 %.60s", name);
        if (is_constant(r, name) || !is_name_of_input(name)) continue;
        if (!known && formula_reserves(name)) continue;
        if (!known && quantity_parse(one, &q, why)) continue;  // "N/mm"
        if (last && strcmp(last, name) != 0)
            return REFUSE(
                n, "'%.60s' is of two inputs, '%.40s' and '%.40s', but one at most drives a number",
                n->text, last, name);
        *input = last = name;
    }
    return TD_OK;
}

td_status sum_of_input(reader *r, const node *n, const char *unit, const char *input,
                       double *constant, double *gain) {
    const constants *c = &r->constants;
    const size_t most = (size_t)c->n + 1;
    const char **names = tree_take(r->t, most * sizeof *names);
    quantity *values = tree_take(r->t, most * sizeof *values);
    if (!names || !values) return out_of_memory(r, n);
    for (int i = 0; i < c->n; i++) names[i] = c->names[i], values[i] = c->values[i];
    names[c->n] = input;
    const formula_names known = {
        .names = names, .n = c->n + 1, .time = -1, .unit = unit, .values = values};
    double at[3];
    for (int i = 0; i < 3; i++) {  // at -1, 0 and 1
        formula_error wrong;
        quantity q;
        values[c->n] = (quantity){.value = i - 1, .dim = unit_dimension(unit), .has_unit = true};
        if (!formula_constant(n->text, &known, &q, &wrong)) return refuse_formula(r, n, &wrong);
        at[i] = q.value;
    }
    *constant = at[1], *gain = 0.5 * (at[2] - at[0]);
    if (fabs(at[2] - 2.0 * at[1] + at[0]) > 1e-12 * (fabs(at[0]) + fabs(at[2])))
        return REFUSE(n,
                      "'%.60s' is not straight in the input '%.40s', which may be multiplied by a "
                      "number and added "
                      "to one; a formula of the time does more: {formula: ...}",
                      n->text, input);
    if (fabs(*constant) > LARGEST_QUANTITY)
        return REFUSE(n, "'%.60s' is too large to compute with", n->text);
    return TD_OK;
}

// ---------------------------------------------------------------- let
static td_status check_constant(reader *r, const node *n) {
    const char *c = n->key;
    quantity q;
    char text[64], why[UNITS_TEXT];
    bool good = (isalpha((unsigned char)*c) || *c == '_') && strlen(c) < 40;
    for (; *c && good; c++) good = isalnum((unsigned char)*c) || *c == '_';
    if (!good)
        return REFUSE_KEY(n, "'%.60s': the name of a constant has letters, digits and '_'", n->key);
    if (formula_reserves(n->key))
        return REFUSE_KEY(n, "'%s' has a meaning in formulas: choose another name", n->key);
    snprintf(text, sizeof text, "1 %s", n->key);
    if (quantity_parse(text, &q, why))
        return REFUSE_KEY(n, "'%s' is a unit: choose another name", n->key);
    return TD_OK;
}

// A quantity, or a formula of the constants before it.
static td_status read_constant(reader *r, const node *n, quantity *out) {
    char why[UNITS_TEXT];
    td_status status = check_constant(r, n);
    if (!status) status = expect_scalar(r, n, "a quantity or a formula");
    if (!status && !quantity_parse(n->text, out, why)) status = read_formula(r, n, NULL, out);
    if (status) return status;
    if (fabs(out->value) > LARGEST_QUANTITY)
        return REFUSE(n, "'%.60s' is too large to compute with", n->text);
    if (r->asked && n->source == r->asked) {
        dimension_unit(out->dim, why);
        r->answer = tree_text(r->t, why, strlen(why));
    }
    return TD_OK;
}

td_status read_constants(reader *r, const node *let) {
    constants *c = &r->constants;
    *c = (constants){0};
    if (!let) return TD_OK;
    td_status status = expect_kind(r, let, NODE_MAPPING, "a mapping (name: quantity)");
    if (status) return status;
    const size_t n = (size_t)let->n_children;
    c->names = tree_take(r->t, (n + 1) * sizeof *c->names);
    c->values = tree_take(r->t, (n + 1) * sizeof *c->values);
    if (!c->names || !c->values) return out_of_memory(r, let);
    for (const node *at = let->first; at && !status; at = at->next) {
        status = read_constant(r, at, &c->values[c->n]);
        c->names[c->n] = at->key;
        if (!status) c->n++;
    }
    return status;
}
