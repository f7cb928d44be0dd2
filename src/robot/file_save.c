// robot/file_save.c - a robot as the text of a file, whether it was read or built in code.
//
// What the tables of keys describe is written by them: a key whose value is not the usual one. By hand stands here
// only what a reader does by hand: places, paths, materials, signals.
#include "robot/file_save.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------- nodes
node *save_node(saver *s, node *to, const char *under, node_kind kind) {
    node *n = s->failed ? NULL : tree_node(s->t, kind);
    if (n && under) n->key = tree_text(s->t, under, strlen(under));
    if (!n || (under && !n->key)) {
        s->failed = true;
        return NULL;
    }
    if (to) node_append(to, n);
    return n;
}

void save_text(saver *s, node *to, const char *under, const char *text) {
    node *n = save_node(s, to, under, NODE_SCALAR);
    if (!n) return;
    n->text = tree_text(s->t, text, strlen(text));
    s->failed |= !n->text;
}

// The shortest text that reads as this number.
static const char *number_text(double value, char text[32]) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

void save_value(saver *s, node *to, const char *under, double value) {
    char text[32];
    save_text(s, to, under, number_text(value, text));
}

void save_values(saver *s, node *to, const char *under, const double *values, int n) {
    node *list = save_node(s, to, under, NODE_SEQUENCE);
    for (int i = 0; list && i < n; i++) save_value(s, list, NULL, values[i]);
}

static void save_number(saver *s, node *to, const char *under, td_number n) {
    char text[256], value[32], gain[32];
    if (n.gain == 0.0) {
        save_value(s, to, under, n.value);
        return;
    }
    const char *name = s->robot->inputs[n.input].name;
    number_text(n.value, value), number_text(n.gain, gain);
    if (n.value != 0.0) snprintf(text, sizeof text, "%s + %s*%s", value, gain, name);
    else if (n.gain != 1.0) snprintf(text, sizeof text, "%s*%s", gain, name);
    else snprintf(text, sizeof text, "%s", name);
    save_text(s, to, under, text);
}

static void save_numbers(saver *s, node *to, const char *under, const td_number n[3]) {
    node *list = save_node(s, to, under, NODE_SEQUENCE);
    for (int i = 0; list && i < 3; i++) save_number(s, list, NULL, n[i]);
}

// ---------------------------------------------------------------- by the tables
static bool is_group(const value_type *type) {
    return type == &type_mapping || type == &type_stiffness || type == &type_damping ||
           type == &type_spring;
}

// A group is there where something in it is not as usual; then it has its required keys, too.
static void save_group(saver *s, node *to, const key *k, const void *from, const void *usual) {
    const bool outer = s->looking;
    node *trial = save_node(s, NULL, k->name, NODE_MAPPING);
    s->looking = true;
    if (trial) save_mapping(s, trial, k->inside, from, usual);
    s->looking = outer;
    node *group = trial && trial->first ? save_node(s, to, k->name, NODE_MAPPING) : NULL;
    if (group) save_mapping(s, group, k->inside, from, usual);
}

static void save_choices(saver *s, node *to, const key *k, unsigned value) {
    node *list = k->type == &type_fields ? save_node(s, to, k->name, NODE_SEQUENCE) : NULL;
    for (const choice *c = k->choices; c && c->name; c++) {
        if (list && value & (unsigned)c->value) save_text(s, list, NULL, c->name);
        if (list || (unsigned)c->value != value) continue;
        save_text(s, to, k->name, c->name);
        return;
    }
}

static void save_rows(saver *s, node *to, const char *under, const double *matrix) {
    node *rows = save_node(s, to, under, NODE_SEQUENCE);
    for (int i = 0; rows && i < 6; i++) save_values(s, rows, NULL, matrix + 6 * i, 6);
}

// Up to the last that is not 0.
static void save_series(saver *s, node *to, const char *under, const double *values) {
    int n = TD_MOST_RELAXATIONS;
    while (n > 1 && values[n - 1] == 0.0) n--;
    save_values(s, to, under, values, n);
}

static bool differ(const saver *s, const key *k, const void *a, const void *b, size_t size) {
    return (!k->fallback && !s->looking) || memcmp(a, b, size) != 0;
}

static void save_section(saver *s, node *to, const key *k, const td_section *from,
                         const td_section *usual) {
    const td_section none = {0};
    node *group = NULL;
    if (memcmp(from, usual, sizeof *from) != 0) group = save_node(s, to, k->name, NODE_MAPPING);
    if (group) save_mapping(s, group, k->inside, from, &none);
}

static void save_plain(saver *s, node *to, const key *k, const void *from, const void *usual) {
    const bool whole = k->type == &type_choice || k->type == &type_fields;
    if (whole && differ(s, k, from, usual, sizeof(int)))
        save_choices(s, to, k, *(const unsigned *)from);
    if (k->type == &type_count && differ(s, k, from, usual, sizeof(int)))
        save_value(s, to, k->name, *(const int *)from);
    if (k->type == &type_flag && differ(s, k, from, usual, sizeof(bool)))
        save_text(s, to, k->name, *(const bool *)from ? "true" : "false");
    if (k->type == &type_text && *(const char *const *)from)
        save_text(s, to, k->name, *(const char *const *)from);
    if (k->type == &type_model && strcmp(from, usual) != 0) save_text(s, to, k->name, from);
    if (k->type == &type_matrix && differ(s, k, from, usual, 36 * sizeof(double)))
        save_rows(s, to, k->name, from);
    if (k->type == &type_series && differ(s, k, from, usual, TD_MOST_RELAXATIONS * sizeof(double)))
        save_series(s, to, k->name, from);
    if (k->type == &type_number && differ(s, k, from, usual, sizeof(td_number)))
        save_number(s, to, k->name, *(const td_number *)from);
    if (k->type == &type_numbers && differ(s, k, from, usual, 3 * sizeof(td_number)))
        save_numbers(s, to, k->name, from);
}

void save_key(saver *s, node *to, const key *k, const void *from, const void *usual) {
    const int n = doubles_of(k->type);
    if (n && differ(s, k, from, usual, (size_t)n * sizeof(double))) {
        if (n == 1) save_value(s, to, k->name, *(const double *)from);
        else save_values(s, to, k->name, from, n);
    }
    if (k->type == &type_section) save_section(s, to, k, from, usual);
    else if (is_group(k->type)) save_group(s, to, k, from, usual);
    else save_plain(s, to, k, from, usual);
}

void save_mapping(saver *s, node *to, const mapping *m, const void *from, const void *usual) {
    key k;
    for (int i = 0; mapping_key(m, i, &k) && !s->failed; i++)
        save_key(s, to, &k, (const char *)from + k.offset, (const char *)usual + k.offset);
}

// ---------------------------------------------------------------- rods
static void save_material(saver *s, node *to, const td_piece_def *p) {
    if (p->youngs_modulus == 0.0 && p->shear_modulus == 0.0 && p->density == 0.0) return;
    const material_draft none = {0}, m = {.youngs_modulus = p->youngs_modulus,
                                          .shear_modulus = p->shear_modulus,
                                          .density = p->density,
                                          .law = p->law,
                                          .mooney_share = p->mooney_share,
                                          .superelastic = p->superelastic,
                                          .relaxation = p->relaxation};
    node *group = save_node(s, to, "material", NODE_MAPPING);
    if (group) save_mapping(s, group, &material_mapping, &m, &none);
}

static const char *holder(const saver *s, int body) {
    return body == TD_WORLD ? NULL : s->robot->bodies[body].name;
}

static void save_hold(saver *s, node *to, const char *word, const td_tip_def *hold) {
    if (!hold->held) return;
    tip_draft none = {.def = td_default_rod_def().tip, .turned.quaternion = {1.0, 0.0, 0.0, 0.0}};
    tip_draft draft = {.def = *hold, .body = holder(s, hold->body)};
    memcpy(draft.turned.quaternion, hold->orientation, sizeof draft.turned.quaternion);
    none.def.position[0].value = HUGE_VAL;  // it is always said where
    const key k = {word, &type_mapping, NULL, "", "", 0, NULL, &tip_mapping};
    save_group(s, to, &k, &draft, &none);
}

static void save_ends(saver *s, node *to, const robot_rod *rod) {
    const td_rod_def def = td_default_rod_def();
    const base_draft usual = {.def = def.base, .turned.quaternion = {1.0, 0.0, 0.0, 0.0}};
    base_draft base = {.def = rod->base, .body = holder(s, rod->base.body)};
    memcpy(base.turned.quaternion, rod->base.orientation, sizeof base.turned.quaternion);
    const key as_base = {"base", &type_mapping, NULL, "", "", 0, NULL, &base_mapping};
    save_group(s, to, &as_base, &base, &usual);
    save_hold(s, to, "tip", &rod->tip);
}

// What a piece says that differs from what every piece says.
static td_piece_def usual_piece(const td_piece_def *p) {
    td_piece_def usual = td_default_piece_def();
    usual.length = 0.0;
    usual.section_end = p->section;
    return usual;
}

static tube_draft tube_as_written(const saver *s, const td_tube_def *tube) {
    return (tube_draft){.def = *tube,
                        .within = tube->within < 0 ? NULL : s->robot->rods[tube->within].name};
}

static void save_rod(saver *s, node *to, const robot_rod *rod) {
    const bool one = rod->n_pieces == 1;
    const rod_draft draft = {.name = rod->name,
                             .piece = one ? rod->pieces[0] : td_default_piece_def(),
                             .feed = rod->feed,
                             .tube = tube_as_written(s, &rod->tube),
                             .envelope = rod->envelope,
                             .mean_stretch = rod->mean_stretch,
                             .feed_at_tip = rod->feed_at_tip};
    const rod_draft usual = {.piece = one ? usual_piece(&draft.piece) : draft.piece,
                             .tube.def = td_default_rod_def().tube};
    save_mapping(s, to, &rod_mapping, &draft, &usual);
    if (one) save_material(s, to, &draft.piece);
    save_ends(s, to, rod);
    node *pieces = one ? NULL : save_node(s, to, "pieces", NODE_SEQUENCE);
    for (int i = 0; pieces && i < rod->n_pieces; i++) {
        node *piece = save_node(s, pieces, NULL, NODE_MAPPING);
        const td_piece_def plain = usual_piece(&rod->pieces[i]);
        if (!piece) return;
        save_mapping(s, piece, &piece_mapping, &rod->pieces[i], &plain);
        save_material(s, piece, &rod->pieces[i]);
    }
}

// ---------------------------------------------------------------- what rods carry
// What touches; the inertia stands beside it.
static void save_surface(saver *s, node *to, const td_body_def *def) {
    static const char *const words[] = {NULL, "sphere", "capsule", "box"};
    node *shape = save_node(s, to, "shape", NODE_MAPPING);
    if (shape && def->shape == TD_BODY_BOX) save_values(s, shape, "box", def->sides, 3);
    if (!shape || def->shape == TD_BODY_BOX) return;
    node *round = save_node(s, shape, words[def->shape], NODE_MAPPING);
    if (round) save_value(s, round, "radius", def->radius);
    if (round && def->shape == TD_BODY_CAPSULE)
        save_value(s, round, "length", def->height - 2.0 * def->radius);
}

static void save_body(saver *s, node *to, const td_body_def *def) {
    const body_draft usual = {.def = td_default_body_def(),
                              .turned.quaternion = {1.0, 0.0, 0.0, 0.0}};
    const bool rides = def->rod != FREE_BODY;
    body_draft draft = {.on = rides ? s->robot->rods[def->rod].name : NULL, .def = *def};
    memcpy(draft.turned.quaternion, def->orientation, sizeof draft.turned.quaternion);
    save_mapping(s, to, &body_mapping, &draft, &usual);
    save_hold(s, to, "held", &def->hold);
    if (def->shape != TD_BODY_PLAIN) save_surface(s, to, def);
    if (rides) save_value(s, to, "at", def->at);
}

// Where an actuator is, and what drives it.
static void save_place(saver *s, node *to, const robot_actuator *a) {
    const actuator_head head = actuator_head_of(a);
    if (head.rod != FREE_BODY) save_text(s, to, "rod", s->robot->rods[head.rod].name);
    if (!a->kind->in_joint) save_value(s, to, "from", head.from);
    if (!a->kind->in_joint) save_value(s, to, "to", head.to);
    save_number(s, to, "value", head.value);
}

static void save_load(saver *s, node *to, const td_load_def *def) {
    const load_draft usual = {.frame = TD_FRAME_WORLD};
    const bool on_rod = def->rod != FREE_BODY;
    const load_draft draft = {.name = def->name,
                              .rod = on_rod ? s->robot->rods[def->rod].name : NULL,
                              .body = on_rod ? NULL : s->robot->bodies[def->body].name,
                              .frame = def->frame};
    save_mapping(s, to, &load_mapping, &draft, &usual);
    if (on_rod) save_value(s, to, def->distributed ? "from" : "at", def->from);
    if (def->distributed) save_value(s, to, "to", def->to);
    save_numbers(s, to, "force", def->force);
    save_numbers(s, to, "moment", def->moment);
}

// ---------------------------------------------------------------- inputs
static void save_points(saver *s, node *to, const char *under, const td_signal *signal) {
    node *list = save_node(s, to, under, NODE_SEQUENCE);
    for (int i = 0; list && i < signal->n_points; i++)
        save_values(s, list, NULL, signal->points + 2 * i, 2);
}

static void save_signal(saver *s, node *to, const char *name, const td_signal *signal) {
    static const struct {
        const char *word;
        const mapping *keys;
    } kinds[] = {[TD_SIGNAL_STEP] = {"step", &step_mapping},
                 [TD_SIGNAL_RAMP] = {"ramp", &ramp_mapping},
                 [TD_SIGNAL_HAT] = {"hat", &hat_mapping},
                 [TD_SIGNAL_SINE] = {"sine", &sine_mapping}};
    const td_signal none = {0};
    if (signal->kind == TD_SIGNAL_CONSTANT) {
        save_value(s, to, name, signal->from);
        return;
    }
    node *n = save_node(s, to, name, NODE_MAPPING);
    if (!n) return;
    if (signal_has_points(signal)) {
        save_points(s, n, signal->kind == TD_SIGNAL_CURVE ? "curve" : "points", signal);
        return;
    }
    if (signal->kind == TD_SIGNAL_FORMULA) {
        save_text(s, n, "formula", signal->formula);
        return;
    }
    node *inside = save_node(s, n, kinds[signal->kind].word, NODE_MAPPING);
    if (inside) save_mapping(s, inside, kinds[signal->kind].keys, signal, &none);
}

// A name that is given again holds with what is given last.
static bool is_given_again(const td_robot *r, int i) {
    for (int k = i + 1; k < r->n_initial; k++)
        if (r->initial[k].rate == r->initial[i].rate &&
            strcmp(r->initial[k].name, r->initial[i].name) == 0)
            return true;
    return false;
}

static void save_initial(saver *s, node *root) {
    const td_robot *r = s->robot;
    node *groups[2] = {NULL, NULL};
    const bool thrown = robot_is_thrown(r);
    node *to = r->n_initial || thrown ? save_node(s, root, "initial", NODE_MAPPING) : NULL;
    if (to && thrown) {
        const struct initial_draft draft = {.motion = r->motion}, none = {0};
        const key motion = {"motion", &type_mapping, NULL, "", "", 0, NULL, &moving_mapping};
        save_group(s, to, &motion, &draft, &none);
    }
    for (int i = 0; to && i < r->n_initial; i++) {
        const robot_initial *one = &r->initial[i];
        node **group = &groups[one->rate];
        if (is_given_again(r, i)) continue;
        if (!*group)
            *group = save_node(s, to, one->rate ? "velocities" : "coordinates", NODE_MAPPING);
        if (*group) save_value(s, *group, one->name, one->value);
    }
}

// ---------------------------------------------------------------- the whole
#define ROW(word, plural, flag, help) [KIND_##word] = save_##word,
static void (*const writers[N_ACTUATOR_KINDS])(saver *, node *,
                                               const void *) = {ACTUATOR_KINDS(ROW)};
#undef ROW

static void save_actuators(saver *s, node *root) {
    for (int kind = 0; kind < N_ACTUATOR_KINDS; kind++) {
        const actuator_row *row = actuator_rows[kind];
        const int n = robot_n_actuators(s->robot, kind);
        node *list = NULL;
        for (int i = 0; i < n; i++) {
            const robot_actuator *a = robot_actuator_at(s->robot, kind, i);
            if (row->made && row->made(a->def)) continue;
            if (!list) list = save_node(s, root, row->words.plural, NODE_SEQUENCE);
            node *item = list ? save_node(s, list, NULL, NODE_MAPPING) : NULL;
            if (!item) continue;
            writers[kind](s, item, a->def);
            save_place(s, item, a);
        }
    }
}

static node *next_item(saver *s, node *list) {
    return list ? save_node(s, list, NULL, NODE_MAPPING) : NULL;
}

static void save_parts(saver *s, node *root) {
    const td_robot *r = s->robot;
    node *list = save_node(s, root, "rods", NODE_SEQUENCE), *item;
    for (int i = 0; i < r->n_rods; i++)
        if ((item = next_item(s, list))) save_rod(s, item, &r->rods[i]);
    list = r->n_bodies ? save_node(s, root, "bodies", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_bodies; i++)
        if ((item = next_item(s, list))) save_body(s, item, &r->bodies[i].def);
    save_actuators(s, root);
    list = r->n_loads ? save_node(s, root, "loads", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_loads; i++)
        if ((item = next_item(s, list))) save_load(s, item, &r->loads[i].def);
    list = r->n_fields ? save_node(s, root, "fields", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_fields; i++)
        if ((item = next_item(s, list))) save_field(s, item, &r->fields[i].def);
    save_fluid(s, root);
    list = r->n_obstacles ? save_node(s, root, "obstacles", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_obstacles; i++)
        if ((item = next_item(s, list))) save_obstacle(s, item, &r->obstacles[i].def);
    list = r->n_contacts ? save_node(s, root, "contacts", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_contacts; i++)
        if ((item = next_item(s, list))) save_contact(s, item, &r->contacts[i].def);
    list = r->n_sensors ? save_node(s, root, "sensors", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_sensors; i++)
        if ((item = next_item(s, list))) save_sensor(s, item, &r->sensors[i].def);
    list = r->n_controllers ? save_node(s, root, "controllers", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < r->n_controllers; i++)
        if (r->controllers[i].def.kind != TD_CONTROLLER_CALLBACK && (item = next_item(s, list)))
            save_controller(s, item, &r->controllers[i].def);
    if (r->estimator && (item = save_node(s, root, "estimator", NODE_MAPPING)))
        save_estimator(s, item, r->estimator);
}

static void save_all(saver *s, node *root, const plan *p) {
    const td_robot *r = s->robot;
    const plan usual = default_plan();
    save_text(s, root, "tendril", "1");
    if (r->name && *r->name) save_text(s, root, "name", r->name);
    save_numbers(s, root, "gravity", r->gravity);
    save_parts(s, root);
    node *inputs = r->n_inputs ? save_node(s, root, "inputs", NODE_MAPPING) : NULL;
    for (int i = 0; inputs && i < r->n_inputs; i++)
        save_signal(s, inputs, r->inputs[i].name, &r->inputs[i].signal);
    save_input_limits(s, root);
    save_initial(s, root);
    const key simulation = {"simulation", &type_mapping,      NULL, "", "", 0,
                            NULL,         &simulation_mapping},
              record = {"record", &type_mapping, NULL, "", "", 0, NULL, &record_mapping};
    save_group(s, root, &simulation, p, &usual);
    save_group(s, root, &record, p, &usual);
}

static char *text_of(const td_robot *robot, const plan *p) {
    tree t = {.files = {"robot"}};
    saver s = {.t = &t, .robot = robot};
    node *root = tree_node(&t, NODE_MAPPING);
    s.failed = !root;
    if (root) save_all(&s, root, p);
    char *text = s.failed ? NULL : tree_write(root);
    tree_free(&t);
    return text;
}

char *td_robot_write(const td_robot *robot, const td_options *options, const td_scenario *scenario,
                     td_error *err) {
    if (!robot) {
        error_set(err, TD_ERR_ARGUMENT, NULL, "there is no robot");
        return NULL;
    }
    const plan p = {.options = options ? *options : robot->options,
                    .scenario = scenario ? *scenario : robot->scenario};
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    char *text = text_of(robot, &p);
    if (c_locale) uselocale(before), freelocale(c_locale);
    if (!text) error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    return text;
}

void td_free_text(char *text) {
    free(text);
}
