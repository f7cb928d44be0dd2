// study/study_aim.c - what a search is for, from the key `optimise` of a study file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/study_keys.h"

#define USUAL_TOLERANCE 1e-7
#define USUAL_STEPS 500
#define TIGHT 1e-12  // solver.tolerance: differences of cases must show small changes

// Of parameters and results alone.
static const expression *aim_expression(reader *r, td_study *s, const node *n, const char *text) {
    const int before = s->n_quantities;
    const expression *e = study_expression_of(r, s, n, text);
    if (e && (s->n_quantities > before || expression_n_totals(e) > 0)) {
        const char *name =
            s->n_quantities > before ? s->quantities[before].name : "what is over time";
        s->n_quantities = before;
        REFUSE(n, "'%.80s' names %.80s: give that a name under 'results', and name it here", text,
               name);
        return NULL;
    }
    return e;
}

// A length and a force do not, where one is written with its unit.
static bool sides_compare(reader *r, td_study *s, const node *n, const char *left,
                          const char *right) {
    const size_t size = strlen(left) + strlen(right) + 2;
    char *text = tree_take(r->t, size);
    if (!text) return out_of_memory(r, n), false;
    snprintf(text, size, "%s<%s", left, right);
    return study_expression_of(r, s, n, text);
}

// "give <= 2 mm/N": the first sign of comparison outside quotes divides it.
static td_status read_bound(reader *r, td_study *s, const node *n) {
    study_bound *b = &s->aim.bounds[s->aim.n_bounds];
    td_status status = expect_scalar(r, n, "a comparison like 'give <= 2 mm/N'");
    if (status) return status;
    if (s->aim.n_bounds == MOST_BOUNDS) return REFUSE(n, "at most %d comparisons", MOST_BOUNDS);
    bool quoted = false;
    const char *at = n->text;
    while (*at && (quoted || !strchr("<>=", *at))) quoted ^= *at++ == '`';
    if (!*at) return REFUSE(n, "'%.80s' compares nothing: '<=', '>=' or '=' is expected", n->text);
    const char *right = at + 1 + (at[1] == '=');
    char *left = tree_text(r->t, n->text, (size_t)(at - n->text));
    if (!left) return out_of_memory(r, n);
    *b = (study_bound){.text = n->text,
                       .relation = *at == '<'   ? AT_MOST
                                   : *at == '>' ? AT_LEAST
                                                : EQUAL};
    b->left = aim_expression(r, s, n, left);
    b->right = b->left ? aim_expression(r, s, n, right) : NULL;
    if (!b->right || !sides_compare(r, s, n, left, right)) return r->err->status;
    s->aim.n_bounds++;
    return TD_OK;
}

// A search needs ends: where numbers may go on for ever there may be no best one.
static td_status check_ranges(reader *r, const td_study *s, const node *n) {
    for (int i = 0; i < s->n_parameters; i++) {
        const distribution *d = &s->parameters[i].d;
        const bool listed = d->kind == DISTRIBUTION_VALUES || d->kind == DISTRIBUTION_CHOICES;
        if (!listed && (!isfinite(d->low) || !isfinite(d->high)))
            return REFUSE(n, "parameter '%s' has no bounds: a search needs a 'range'",
                          s->parameters[i].name);
    }
    return TD_OK;
}

td_status study_read_aim(reader *r, td_study *s, node *n) {
    aim_draft draft = {.tolerance = USUAL_TOLERANCE, .most = USUAL_STEPS};
    if (!n) return TD_OK;
    td_status status = read_mapping(r, n, &aim_mapping, &draft);
    if (status) return status;
    if (!draft.minimise == !draft.maximise)
        return REFUSE(n, "what should be best? Give one of 'minimise' and 'maximise'");
    study_aim *aim = &s->aim;
    aim->given = true, aim->maximise = draft.maximise != NULL;
    aim->text = aim->maximise ? draft.maximise : draft.minimise;
    aim->method = draft.method, aim->tolerance = draft.tolerance, aim->most = draft.most;
    if (!(aim->tolerance > 0.0 && aim->tolerance < 1.0))
        return REFUSE(node_child(n, "tolerance"), "%g must be between 0 and 1", aim->tolerance);
    if (aim->most < 1) return REFUSE(node_child(n, "iterations"), "%d must be positive", aim->most);
    aim->value =
        aim_expression(r, s, node_child(n, aim->maximise ? "maximise" : "minimise"), aim->text);
    if (!aim->value) return r->err->status;
    if (draft.subject_to)
        status = expect_kind(r, draft.subject_to, NODE_SEQUENCE, "a list of comparisons");
    for (const node *c = draft.subject_to ? draft.subject_to->first : NULL; c && !status;
         c = c->next)
        status = read_bound(r, s, c);
    s->tightest = TIGHT;
    return status ? status : check_ranges(r, s, n);
}
