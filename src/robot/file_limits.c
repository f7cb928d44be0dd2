// robot/file_limits.c - limits of inputs in files: their keys, and from the tree to the robot and back.
#include <stdio.h>

#include "robot/file_save.h"
#include "robot/units.h"

typedef struct limits_draft {
    node *range, *rate;
} limits_draft;

// ---------------------------------------------------------------- keys
static const value_type type_ends = {"[low, high]", keep_node};
static const value_type type_speed = {"quantity", keep_node};

// clang-format off
#define AT(field) offsetof(limits_draft, field)
static const key limits_keys[] = {
    {"range", &type_ends, NULL, "anywhere", "[low, high], in the unit of the input", AT(range), 0, 0},
    {"rate", &type_speed, NULL, "any", "largest rate of change: unit of the input per s, for example `5 N/s`", AT(rate), 0, 0},
};
#undef AT
// clang-format on
const mapping input_limits_mapping = {"limits.NAME",
                                      "Limits of an input that is computed by inverse statics or "
                                      "controllers. `[low, high]` alone is its range.",
                                      KEYS(limits_keys), 0, 0};

// ---------------------------------------------------------------- reading
static td_status read_range(reader *r, node *n, const char *unit, double ends[2]) {
    if (!n) return TD_OK;
    const td_status status = read_quantities(r, n, unit, 2, ends);
    if (status) return status;
    return ends[0] < ends[1] ? TD_OK : REFUSE(n, "[low, high] with low below high is expected");
}

// Below 0 it would be no speed, and 0 would hold the input where it is.
static td_status read_rate(reader *r, const node *n, const char *unit, double *rate) {
    char per_second[64], why[UNITS_TEXT];
    quantity q;
    if (!n) return TD_OK;
    snprintf(per_second, sizeof per_second, "%s/s", unit[0] ? unit : "1");
    if (n->kind == NODE_SCALAR && quantity_parse(n->text, &q, why) && q.has_unit &&
        !dimension_fits(q.dim, unit_dimension(per_second)))
        return REFUSE(n,
                      "'%.60s' is not how fast the input may change: '%s' is in %s, its rate in %s",
                      n->text, n->parent->key, unit[0] ? unit : "no unit", per_second);
    const td_status status = read_quantity(r, n, per_second, rate);
    if (status || *rate > 0.0) return status;
    return REFUSE(n, "a rate of %g %s must be positive; left out, there is no limit", *rate,
                  per_second);
}

static td_status read_one(reader *r, node *n) {
    limits_draft draft = {0};
    double ends[2] = {0.0, 0.0}, rate = 0.0;
    node name = *n;
    int input = -1;
    name.kind = NODE_SCALAR, name.text = n->key;
    td_status status = read_input_name(r, &name, &input);
    if (!status && n->kind == NODE_SCALAR)
        status = REFUSE(n, "[low, high], or a mapping with range and rate, is expected");
    if (!status && n->kind != NODE_SEQUENCE)
        status = read_mapping(r, n, &input_limits_mapping, &draft);
    if (!status && n->kind != NODE_SEQUENCE && !draft.range && !draft.rate)
        status = REFUSE(n, "limits nothing: give [low, high], or the keys range and rate");
    if (status) return status;
    const char *unit = r->robot->inputs[input].unit;
    status = read_range(r, n->kind == NODE_SEQUENCE ? n : draft.range, unit, ends);
    if (!status) status = read_rate(r, draft.rate, unit, &rate);
    if (status) return status;
    const td_status set = td_robot_set_limits(r->robot, input, ends[0], ends[1], rate, r->err);
    return set ? added_part(r, n, set) : TD_OK;
}

td_status read_input_limits(reader *r, node *n) {
    td_status status = TD_OK;
    for (node *c = n ? n->first : NULL; c && !status; c = c->next) status = read_one(r, c);
    return status;
}

// ---------------------------------------------------------------- writing
void save_input_limits(saver *s, node *root) {
    const td_robot *robot = s->robot;
    node *limits = NULL;
    for (int i = 0; i < robot->n_inputs; i++) {
        const robot_input *in = &robot->inputs[i];
        if (in->low == in->high && in->rate == 0.0) continue;
        if (!limits) limits = save_node(s, root, "limits", NODE_MAPPING);
        node *one = limits ? save_node(s, limits, in->name, NODE_MAPPING) : NULL;
        if (!one) return;
        if (in->low < in->high)
            save_values(s, one, "range", (const double[]){in->low, in->high}, 2);
        if (in->rate > 0.0) save_value(s, one, "rate", in->rate);
    }
}
