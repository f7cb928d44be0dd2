// robot/file_estimator.c - the estimator in files: its keys, and from the tree to the robot and back.
#include <math.h>
#include <string.h>

#include "robot/file_save.h"
#include "robot/sensor.h"

typedef struct estimator_draft {
    td_estimator_def def;
    node *unknowns, *sensors, *noise, *start;
    // of noise and start
    node *coordinates, *rates;
} estimator_draft;

typedef struct unknown_draft {
    const char *name;
    node *input, *inputs, *bias, *places, *mean, *deviation, *walk, *place;
    // of its place
    node *place_mean, *place_deviation, *place_walk;
} unknown_draft;

// ---------------------------------------------------------------- keys
static const value_type type_kept = {"mapping", keep_node};
static const value_type type_names = {"list of names", keep_node};
static const value_type type_one_name = {"name", keep_node};
static const value_type type_lengths = {"list of lengths", keep_node};
static const value_type type_of_input = {"quantity", keep_node};
static const value_type type_rooted = {"quantity by a root", keep_node};

// clang-format off
#define AT(field) offsetof(estimator_draft, field)
static const key noise_keys[] = {
    {"coordinates", &type_rooted, NULL, "0", "random walk of the shape, for example `0.01 rad/sqrt(s)`", AT(coordinates), 0, 0},
    {"rates", &type_rooted, NULL, "0", "random walk of its rates, for example `0.1 rad/s/sqrt(s)`", AT(rates), 0, 0},
};
const mapping estimator_noise_mapping = {"estimator.noise", "Process noise: random walks of all coordinates and rates, in units in which each counts like a radian.", KEYS(noise_keys), 0, 0};
static const key start_keys[] = {
    {"coordinates", &type_of_input, "rad", "0", "standard deviation of the shape", AT(coordinates), 0, 0},
    {"rates", &type_of_input, "rad/s", "0", "standard deviation of its rates", AT(rates), 0, 0},
};
const mapping estimator_start_mapping = {"estimator.start", "Uncertainty of the start, besides the effect of the unknown numbers on the equilibrium.", KEYS(start_keys), 0, 0};
#undef AT
#define AT(field) offsetof(unknown_draft, field)
static const key place_keys[] = {
    {"mean", &type_of_input, "m", "mean", "prior mean", AT(place_mean), 0, 0},
    {"deviation", &type_of_input, "m", "anywhere", "standard deviation of that", AT(place_deviation), 0, 0},
    {"walk", &type_rooted, NULL, "0", "random walk, for example `1 mm/sqrt(s)`", AT(place_walk), 0, 0},
};
const mapping unknown_place_mapping = {"estimator.unknowns[].place", "Prior of where a force acts, between the places of its loads.", KEYS(place_keys), 0, 0};
static const key unknown_keys[] = {
    {"name", &type_text, NULL, "name of its input, or `SENSOR.bias`", "name of the estimate", AT(name), 0, 0},
    {"input", &type_one_name, NULL, "-", "an input of unknown value: a tension, a pressure, a force", AT(input), 0, 0},
    {"inputs", &type_names, NULL, "-", "or inputs of loads along a rod, in one direction, that together represent a force somewhere between them", AT(inputs), 0, 0},
    {"bias", &type_one_name, NULL, "-", "or a sensor whose readings are all off by an unknown number, one for each channel", AT(bias), 0, 0},
    {"places", &type_lengths, NULL, "-", "with `inputs`: position of each of these loads along the rod, m", AT(places), 0, 0},
    {"mean", &type_of_input, NULL, "0", "prior mean, in the unit of the input or sensor", AT(mean), 0, 0},
    {"deviation", &type_of_input, NULL, "anything", "prior standard deviation; required for a motion", AT(deviation), 0, 0},
    {"walk", &type_rooted, NULL, "0; of a bias the `drift` of its sensor", "random walk of the number, for example `0.1 N/sqrt(s)`", AT(walk), 0, 0},
    {"place", &type_kept, NULL, "anywhere", "with `inputs`: prior of where the force acts", AT(place), 0, &unknown_place_mapping},
};
#undef AT
const mapping unknown_mapping = {"estimator.unknowns[]", "An unknown number: `input`, or `inputs` and `places`, or `bias`.", KEYS(unknown_keys), 0, 0};
#define AT(field) offsetof(estimator_draft, field)
static const key estimator_keys[] = {
    {"unknowns", &type_list, NULL, "none", "unknown numbers besides the shape", AT(unknowns), 0, &unknown_mapping},
    {"sensors", &type_names, NULL, "all that have derivatives and noise", "names of the sensors that it uses", AT(sensors), 0, 0},
    {"noise", &type_kept, NULL, "none", "process noise: errors of the model", AT(noise), 0, &estimator_noise_mapping},
    {"start", &type_kept, NULL, "known", "uncertainty of the start", AT(start), 0, &estimator_start_mapping},
    {"iterations", &type_count, NULL, "3", "largest number of iterations of an update; 1: an extended Kalman filter", AT(def.iterations), 0, 0},
    {"period", &type_quantity, "s", "every step", "period in a run, where sensors or controllers read it", AT(def.period), 0, 0},
};
#undef AT
// clang-format on
const mapping estimator_mapping = {
    "estimator", "Estimates the shape, its rates, and unknown numbers from readings.",
    KEYS(estimator_keys), 0, 0};

// ---------------------------------------------------------------- reading
static td_status read_if(reader *r, const node *n, const char *unit, double *out) {
    return n ? read_quantity(r, n, unit, out) : TD_OK;
}

static td_status read_places(reader *r, const unknown_draft *d, td_unknown_def *u) {
    td_status status = expect_kind(r, d->inputs, NODE_SEQUENCE, "a list of names");
    if (status) return status;
    if (d->inputs->n_children < 2 || d->inputs->n_children > TD_MOST_PLACES)
        return REFUSE(d->inputs, "%d inputs; 2 to %d are expected, one for each place",
                      d->inputs->n_children, TD_MOST_PLACES);
    u->n_inputs = 0;
    for (const node *c = d->inputs->first; c && !status; c = c->next)
        status = read_input_name(r, c, &u->inputs[u->n_inputs++]);
    if (status) return status;
    if (!d->places) return REFUSE(d->inputs, "`places` must say where these loads are");
    status = read_quantities(r, d->places, "m", u->n_inputs, u->places);
    u->place_mean = 0.5 * (u->places[0] + u->places[u->n_inputs - 1]);
    if (!status) status = read_if(r, d->place_mean, "m", &u->place_mean);
    if (!status) status = read_if(r, d->place_deviation, "m", &u->place_deviation);
    return status ? status : read_rooted(r, d->place_walk, "m", "/sqrt(s)", &u->place_walk);
}

static td_status read_prior(reader *r, const unknown_draft *d, const char *unit,
                            td_unknown_def *u) {
    td_status status = read_if(r, d->mean, unit, &u->mean);
    if (!status) status = read_if(r, d->deviation, unit, &u->deviation);
    return status ? status : read_rooted(r, d->walk, unit, "/sqrt(s)", &u->walk);
}

static td_status read_bias(reader *r, const unknown_draft *d, td_unknown_def *u) {
    td_status status = expect_scalar(r, d->bias, "the name of a sensor");
    if (status) return status;
    const int sensor = find_sensor(r->robot, d->bias->text);
    if (sensor < 0) return REFUSE(d->bias, "there is no sensor '%.60s'", d->bias->text);
    const robot_sensor *s = &r->robot->sensors[sensor];
    u->bias = d->bias->text;
    u->walk = s->def.drift;
    return read_prior(r, d, sensor_word_of(s->measures)->unit, u);
}

static td_status read_unknown(reader *r, node *n, td_unknown_def *u) {
    unknown_draft d = {0};
    *u = td_default_unknown_def();
    td_status status = read_mapping(r, n, &unknown_mapping, &d);
    if (!status && d.place) status = read_mapping(r, d.place, &unknown_place_mapping, &d);
    if (status) return status;
    if (!!d.input + !!d.inputs + !!d.bias != 1)
        return REFUSE(n, "one of `input`, `inputs` and `bias` is expected");
    u->name = d.name;
    if (d.bias && (d.places || d.place))
        return REFUSE(n, "a `bias` has no place; `inputs` along a rod have");
    if (d.bias) return read_bias(r, &d, u);
    status = d.input ? read_input_name(r, d.input, &u->inputs[0]) : read_places(r, &d, u);
    if (status) return status;
    if (d.input && (d.places || d.place))
        return REFUSE(n, "an `input` has no place; `inputs` along a rod have");
    return read_prior(r, &d, r->robot->inputs[u->inputs[0]].unit, u);
}

static td_status read_names(reader *r, const node *n, td_estimator_def *def) {
    if (!n) return TD_OK;
    td_status status = expect_kind(r, n, NODE_SEQUENCE, "a list of names of sensors");
    const char **list = tree_take(r->t, sizeof *list * ((size_t)n->n_children + 1));
    if (!list) return out_of_memory(r, n);
    def->sensors = list;
    for (const node *c = n->first; c && !status; c = c->next) {
        status = expect_scalar(r, c, "the name of a sensor");
        if (!status && find_sensor(r->robot, c->text) < 0)
            status = REFUSE(c, "there is no sensor '%.60s'", c->text);
        list[def->n_sensors++] = c->text;
    }
    return status;
}

td_status read_estimator(reader *r, node *n) {
    estimator_draft d = {.def = td_default_estimator_def()};
    if (!n) return TD_OK;
    td_status status = read_mapping(r, n, &estimator_mapping, &d);
    const int n_unknowns = d.unknowns ? d.unknowns->n_children : 0;
    td_unknown_def *unknowns = tree_take(r->t, sizeof *unknowns * ((size_t)n_unknowns + 1));
    if (!unknowns) return out_of_memory(r, n);
    d.def.unknowns = unknowns;
    for (node *c = d.unknowns ? d.unknowns->first : NULL; c && !status; c = c->next)
        status = read_unknown(r, c, &unknowns[d.def.n_unknowns++]);
    if (!status) status = read_names(r, d.sensors, &d.def);
    if (!status && d.noise) {
        status = read_mapping(r, d.noise, &estimator_noise_mapping, &d);
        if (!status)
            status = read_rooted(r, d.coordinates, "rad", "/sqrt(s)", &d.def.coordinate_noise);
        if (!status) status = read_rooted(r, d.rates, "rad/s", "/sqrt(s)", &d.def.rate_noise);
    }
    d.coordinates = d.rates = NULL;
    if (!status && d.start) {
        status = read_mapping(r, d.start, &estimator_start_mapping, &d);
        if (!status) status = read_if(r, d.coordinates, "rad", &d.def.coordinate_deviation);
        if (!status) status = read_if(r, d.rates, "rad/s", &d.def.rate_deviation);
    }
    return status ? status : added_part(r, NULL, td_robot_set_estimator(r->robot, &d.def, r->err));
}

// ---------------------------------------------------------------- writing
static void save_if(saver *s, node *to, const char *under, double value) {
    if (value != 0.0 && isfinite(value)) save_value(s, to, under, value);
}

static void save_unknown(saver *s, node *to, const td_unknown_def *u) {
    if (u->name) save_text(s, to, "name", u->name);
    if (u->bias) save_text(s, to, "bias", u->bias);
    if (u->n_inputs == 1) save_text(s, to, "input", s->robot->inputs[u->inputs[0]].name);
    save_if(s, to, "mean", u->mean);
    if (isfinite(u->deviation)) save_value(s, to, "deviation", u->deviation);
    if (u->bias) save_value(s, to, "walk", u->walk);
    else save_if(s, to, "walk", u->walk);
    if (u->n_inputs <= 1) return;
    node *list = save_node(s, to, "inputs", NODE_SEQUENCE);
    for (int k = 0; list && k < u->n_inputs; k++)
        save_text(s, list, NULL, s->robot->inputs[u->inputs[k]].name);
    save_values(s, to, "places", u->places, u->n_inputs);
    node *place = save_node(s, to, "place", NODE_MAPPING);
    if (!place) return;
    save_value(s, place, "mean", u->place_mean);
    if (isfinite(u->place_deviation)) save_value(s, place, "deviation", u->place_deviation);
    save_if(s, place, "walk", u->place_walk);
}

static void save_pair(saver *s, node *to, const char *under, double coordinates, double rates) {
    node *in = coordinates != 0.0 || rates != 0.0 ? save_node(s, to, under, NODE_MAPPING) : NULL;
    if (!in) return;
    save_if(s, in, "coordinates", coordinates);
    save_if(s, in, "rates", rates);
}

void save_estimator(saver *s, node *to, const td_estimator_def *def) {
    node *list = def->n_unknowns ? save_node(s, to, "unknowns", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < def->n_unknowns; i++) {
        node *item = save_node(s, list, NULL, NODE_MAPPING);
        if (item) save_unknown(s, item, &def->unknowns[i]);
    }
    list = def->n_sensors ? save_node(s, to, "sensors", NODE_SEQUENCE) : NULL;
    for (int i = 0; list && i < def->n_sensors; i++) save_text(s, list, NULL, def->sensors[i]);
    save_pair(s, to, "noise", def->coordinate_noise, def->rate_noise);
    save_pair(s, to, "start", def->coordinate_deviation, def->rate_deviation);
    save_value(s, to, "iterations", def->iterations);
    save_if(s, to, "period", def->period);
}
