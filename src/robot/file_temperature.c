// robot/file_temperature.c - temperatures of rods in files: their keys, and from the tree to the robot.
#include "robot/file_save.h"

typedef struct temperature_draft {
    actuator_draft on;
    node *moduli;
    td_temperature_def def;
} temperature_draft;

static const value_type type_moduli = {"list of [temperature, modulus]", keep_node};

#define AT(field) offsetof(temperature_draft, field)
static const key temperature_keys[] = {
    ACTUATOR_KEYS,
    {"at_rest", &type_quantity, "K", "20 degC",
     "temperature at which the rod has its given rest shape and moduli", AT(def.at_rest), 0, 0},
    {"expansion", &type_quantity, "1/K", "0", "thermal expansion along the axis", AT(def.expansion),
     0, 0},
    {"curvature", &type_vector, "1/(m K)", "[0, 0, 0]",
     "change of the rest curvature per kelvin, for layers that expand differently",
     AT(def.curvature), 0, 0},
    {"moduli", &type_moduli, "K", "constant",
     "Young's modulus over temperature (K, Pa): the stiffness scales with it; linear between rows, "
     "constant beyond them",
     AT(moduli), 0, 0},
    {"value", &type_value, NULL, "an input of its own name", "the temperature (K)", AT(on.value), 0,
     0},
    REPEAT_KEY,
};
const mapping temperature_mapping = {"temperatures[]",
                                     "The temperature of a part of a rod. Without `value` it is "
                                     "driven by an input of its name, which needs a signal.",
                                     KEYS(temperature_keys), 0, 0};
#undef AT

static td_status read_moduli(reader *r, const node *n, td_temperature_def *def) {
    if (!n) return TD_OK;
    if (n->kind != NODE_SEQUENCE || n->n_children < 2)
        return REFUSE(n, "a list of two or more is expected here, each [temperature, modulus]");
    double *rows = tree_take(r->t, 2 * sizeof *rows * (size_t)n->n_children), *to = rows;
    if (!rows) return out_of_memory(r, n);
    for (node *c = n->first; c; c = c->next, to += 2) {
        td_status status = expect_list(r, c, 2, "a row [temperature, modulus]");
        if (!status) status = read_quantity(r, c->first, "K", &to[0]);
        if (!status) status = read_quantity(r, c->last, "Pa", &to[1]);
        if (status) return status;
    }
    def->moduli = rows;
    def->n_moduli = n->n_children;
    return TD_OK;
}

td_status read_temperature(reader *r, node *n) {
    temperature_draft draft = {.def = td_default_temperature_def()};
    td_temperature_def *def = &draft.def;
    td_status status = read_mapping(r, n, &temperature_mapping, &draft);
    if (!status) status = check_name(r, n, "temperatures", find_temperature);
    if (!status) status = read_moduli(r, draft.moduli, def);
    if (!status) status = read_stretch(r, n, &draft.on, &def->rod, &def->from, &def->to);
    if (status) return status;
    // An input that nobody drives would be 0 K.
    if (!draft.on.value && !node_child(node_child(r->root, "inputs"), def->name))
        return REFUSE(n,
                      "the key 'value', or a signal under inputs, is missing: the temperature, "
                      "which is %g K at rest",
                      def->at_rest);
    status = read_effort(r, n, draft.on.value, def->name, "K", &def->value);
    return status ? status : added_part(r, n, td_robot_add_temperature(r->robot, def, r->err));
}

void save_temperature(saver *s, node *to, const void *of) {
    const temperature_draft usual = {.def = td_default_temperature_def()};
    const temperature_draft draft = {.def = *(const td_temperature_def *)of};
    save_mapping(s, to, &temperature_mapping, &draft, &usual);
    node *rows = draft.def.n_moduli ? save_node(s, to, "moduli", NODE_SEQUENCE) : NULL;
    for (int i = 0; rows && i < draft.def.n_moduli; i++)
        save_values(s, rows, NULL, draft.def.moduli + 2 * i, 2);
}
