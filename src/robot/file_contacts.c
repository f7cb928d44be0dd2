// robot/file_contacts.c - contacts between parts in files: their keys, and from the tree to the robot.
#include <stdio.h>
#include <string.h>

#include "robot/file_save.h"

typedef struct contact_draft {
    td_contact_def def;
    node *between;
} contact_draft;

// ---------------------------------------------------------------- keys
// clang-format off
#define AT(field) offsetof(contact_draft, field)
static const key contact_keys[] = {
    {"name", &type_text, NULL, "contact1, contact2, ...", "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},
    {"between", &type_parts, NULL, REQUIRED, "names of rods and bodies: each touches every other", AT(between), 0, 0},
    {"self", &type_flag, NULL, "false", "each of these rods touches itself too", AT(def.self), 0, 0},
    {"stiffness", &type_quantity, "Pa", "chosen by the model", "contact stiffness: force per length of rod and depth", AT(def.stiffness), 0, 0},
    {"friction", &type_quantity, "", "0", "Coulomb coefficient", AT(def.friction), 0, 0},
    REPEAT_KEY,
};
#undef AT
// clang-format on
const mapping contact_mapping = {
    "contacts[]",
    "Parts that touch one another. Parts that no contact names pass through one another.",
    KEYS(contact_keys), 0, 0};

// ---------------------------------------------------------------- reading
static td_status read_part(reader *r, const node *n, int *rods, int *bodies, td_contact_def *def) {
    const td_robot *robot = r->robot;
    td_status status = expect_scalar(r, n, "the name of a rod or a body");
    if (status) return status;
    const int rod = find_rod(robot, n->text), body = find_body(robot, n->text);
    if (rod >= 0 && body >= 0)
        return REFUSE(n, "a rod and a body have the name '%.60s'; give them different ones",
                      n->text);
    if (rod >= 0) rods[def->n_rods++] = rod;
    else if (body >= 0) bodies[def->n_bodies++] = body;
    if (rod >= 0 || body >= 0) return TD_OK;
    char hint[HINT_SIZE];
    suggestion s = suggest_for(n->text);
    for (int i = 0; i < robot->n_rods; i++) suggest(&s, robot->rods[i].name);
    for (int i = 0; i < robot->n_bodies; i++) suggest(&s, robot->bodies[i].name);
    return REFUSE(n, "no rod and no body has the name '%.60s'%s", n->text, hint_text(&s, "", hint));
}

static td_status read_parts(reader *r, const node *n, td_contact_def *def) {
    if (n->kind != NODE_SEQUENCE)
        return REFUSE(n, "a list of the names of rods and bodies is expected here");
    int *rods = tree_take(r->t, sizeof(int) * ((size_t)n->n_children + 1));
    int *bodies = tree_take(r->t, sizeof(int) * ((size_t)n->n_children + 1));
    if (!rods || !bodies) return out_of_memory(r, n);
    td_status status = TD_OK;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_part(r, c, rods, bodies, def);
    def->rods = rods;
    def->bodies = bodies;
    return status;
}

static td_status read_contact(reader *r, node *n, int number) {
    char automatic[32];
    td_status status = check_name(r, n, "contacts", find_contact);
    if (status) return status;
    contact_draft draft = {.def = td_default_contact_def()};
    snprintf(automatic, sizeof automatic, "contact%d", number);
    draft.def.name = automatic;
    status = read_mapping(r, n, &contact_mapping, &draft);
    if (!status) status = read_parts(r, draft.between, &draft.def);
    if (!status) status = check_not_zero(r, n, "stiffness", draft.def.stiffness);
    return status ? status : added_part(r, n, td_robot_add_contact(r->robot, &draft.def, r->err));
}

td_status read_contacts(reader *r, node *contacts) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = contacts ? contacts->first : NULL; c && !status; c = c->next)
        status = read_contact(r, c, number++);
    return status;
}

// ---------------------------------------------------------------- writing
void save_contact(saver *s, node *to, const td_contact_def *def) {
    const contact_draft draft = {.def = *def}, usual = {.def = td_default_contact_def()};
    key k;
    for (int i = 0; mapping_key(&contact_mapping, i, &k); i++) {
        if (k.type != &type_parts) {
            save_key(s, to, &k, (const char *)&draft + k.offset, (const char *)&usual + k.offset);
            continue;
        }
        node *list = save_node(s, to, k.name, NODE_SEQUENCE);
        for (int p = 0; list && p < def->n_rods; p++)
            save_text(s, list, NULL, s->robot->rods[def->rods[p]].name);
        for (int p = 0; list && p < def->n_bodies; p++)
            save_text(s, list, NULL, s->robot->bodies[def->bodies[p]].name);
    }
}
