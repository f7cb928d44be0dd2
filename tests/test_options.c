// The table of options: what follows from a line, for every line and every model alike.
#include "robot/options.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "robot/robot.h"
#include "rods.h"

#define EACH_OPTION(o)                                                                             \
    int i_##o = 0;                                                                                 \
    (o = sim_option_at(i_##o));                                                                    \
    i_##o++

// Another value that obeys the rule.
static void change(const sim_option *o, plan *p) {
    char *at = (char *)p + o->place;
    const double value = option_value(o, p);
    if (o->kind == OPTION_FLAG) *(bool *)at = value == 0.0;
    if (o->kind == OPTION_COUNT) *(int *)at += value < o->most ? 1 : -1;
    if (o->kind == OPTION_QUANTITY) *(double *)at = value == o->least ? o->most : o->least;
    if (o->kind == OPTION_CHOICE) {
        const int other = o->choices[o->choices->value == (int)value].value;
        memcpy(at, &other, sizeof other);
    }
}

// Every model's own defaults, with the neighbour that an option asks for.
static plan plan_for(const char *model, const sim_option *o) {
    plan p = default_plan();
    snprintf(p.options.model, sizeof p.options.model, "%s", model);
    if (!o->when || option_applies(o, &p)) return p;
    char path[96];
    const char *word = strchr(o->when, ' ') + 1;
    snprintf(path, sizeof path, "%.*s%.*s", (int)(strrchr(o->path, '.') + 1 - o->path), o->path,
             (int)(word - 1 - o->when), o->when);
    const sim_option *neighbour = sim_option_find(path);
    assert_non_null(neighbour);
    if (neighbour->kind == OPTION_FLAG) change(neighbour, &p);
    for (const choice *c = neighbour->choices; c && c->name; c++)
        if (strncmp(word, c->name, strlen(c->name)) == 0) option_choose(neighbour, c->name, &p);
    if (!option_applies(o, &p)) fail_msg("%s: nothing is '%s'", o->path, o->when);
    return p;
}

static void every_default_obeys_its_rule(void **unused) {
    (void)unused;
    const plan p = default_plan();
    td_error err = {0};
    CHECK_OK(options_validate(&p.options, &err), err);
    CHECK_OK(scenario_validate(&p.scenario, &err), err);
}

// Outside its rule a value is refused by its path, within it is taken.
static void every_rule_is_kept(void **unused) {
    (void)unused;
    const sim_option *o;
    for (EACH_OPTION(o)) {
        if (o->kind == OPTION_MODEL || option_is_of_run(o)) continue;
        td_error err = {0};
        plan p = plan_for("cosserat", o);
        change(o, &p);
        CHECK_OK(options_validate(&p.options, &err), err);
        void *at = (char *)&p + o->place;
        const int none = -77;
        if (o->kind == OPTION_COUNT || o->kind == OPTION_CHOICE) memcpy(at, &none, sizeof none);
        if (o->kind == OPTION_QUANTITY) *(double *)at = nextafter(o->most, HUGE_VAL);
        if (o->kind == OPTION_FLAG) continue;
        assert_int_equal(options_validate(&p.options, &err), TD_ERR_VALUE);
        assert_string_equal(err.where, o->path);
        if (o->kind != OPTION_QUANTITY) continue;
        *(double *)at = (double)NAN;
        assert_int_equal(options_validate(&p.options, &err), TD_ERR_VALUE);
    }
}

// What a default means is what the file means by the same words.
static void the_file_reads_each_default_as_it_is(void **unused) {
    (void)unused;
    const sim_option *o;
    for (EACH_OPTION(o)) {
        if (o->traits & MAY_BE_OFF) continue;
        static const char rod[] =
            "tendril: 1\n"
            "rods: [{name: a, length: 1, section: {radius: 1},\n"
            "        material: {youngs_modulus: 1, poisson_ratio: 0, density: 1}}]\n";
        char set[200];
        const char *sets[] = {set};
        snprintf(set, sizeof set, "%s=%s", o->path, o->fallback);
        td_error err = {0};
        td_robot *robot = td_robot_parse(rod, strlen(rod), NULL, sets, 1, &err);
        if (!robot) fail_msg("%s: %s: %s", set, err.where, err.message);
        const plan read = {robot->options, robot->scenario}, usual = default_plan();
        if (option_differs(o, &read, &usual)) fail_msg("%s is not what the default is", set);
        td_robot_destroy(robot);
    }
}

// A word of td_model.reads that means nothing would leave an option out of snapshots in silence.
static void every_word_of_a_model_names_an_option(void **unused) {
    (void)unused;
    for (int m = 0; m < td_n_models(); m++)
        for (const char *const *r = model_find(td_model_name(m))->reads; r && *r; r++) {
            bool found = false;
            const sim_option *o;
            for (EACH_OPTION(o)) {
                const char *name = strchr(o->path, '.') + 1;
                found = found || (strncmp(name, *r, strlen(*r)) == 0 &&
                                  strchr(".", name[strlen(*r)]) != NULL);
            }
            if (!found) fail_msg("%s reads '%s', which is no option", td_model_name(m), *r);
        }
}

static void every_option_is_read_by_some_model(void **unused) {
    (void)unused;
    const sim_option *o;
    for (EACH_OPTION(o)) {
        bool read = false;
        for (int m = 0; m < td_n_models(); m++) {
            const plan p = plan_for(td_model_name(m), o);
            read = read || td_reads_option(&p.options, o->path);
        }
        if (!read) fail_msg("no model reads %s", o->path);
    }
}

// ---------------------------------------------------------------- snapshots and notes
static td_robot *sagging_rod(void) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 9.81, 0, 0);
    return robot;
}

static bool note_names(const td_system *system, const char *name) {
    const char *note;
    for (int i = 0; (note = td_system_note(system, i)); i++)
        if (strncmp(note, "simulation: ", 12) == 0 && strstr(note, name)) return true;
    return false;
}

typedef struct seen {  // of a state, without computing anything
    td_pose tip;
    td_energy energy;
} seen;

typedef struct run_of {
    td_system *system;
    td_state *state;
} run_of;

static run_of open_run(const td_robot *robot, const td_options *options) {
    td_error err = {0};
    run_of w = {.system = td_system_create(robot, options, &err)};
    if (w.system) w.state = td_state_create(w.system);
    return w;
}

static void close_run(run_of *w) {
    td_state_destroy(w->state);
    td_system_destroy(w->system);
}

static seen look(const run_of *w) {
    return (seen){td_get_pose(w->system, w->state, 0, 0.4), td_get_energy(w->system, w->state)};
}

// Offers the state of one system to another.
static td_status offer(const run_of *from, const run_of *to) {
    const size_t bytes = td_snapshot_bytes(from->system), own = td_snapshot_bytes(to->system);
    void *buffer = calloc(1, own > bytes ? own : bytes);
    assert_int_equal(td_state_save(from->system, from->state, buffer, bytes), TD_OK);
    const td_status status = td_state_restore(to->system, to->state, buffer, own);
    free(buffer);
    return status;
}

// Whatever is taken must mean what it meant: the same shape, the same energies.
static void check_meaning(const run_of *from, const run_of *to, const char *model,
                          const char *path) {
    const seen a = look(from), b = look(to);
    if (memcmp(&a, &b, sizeof a) == 0) return;  // doubles only
    fail_msg("%s, another %s: a state of %g J is one of %g J now", model, path, a.energy.elastic,
             b.energy.elastic);
}

static bool check_change(const td_robot *robot, const char *model, const sim_option *o) {
    plan p = plan_for(model, o);
    run_of before = open_run(robot, &p.options);
    change(o, &p);
    run_of after = open_run(robot, &p.options);
    const bool both = before.state && after.state;  // not every scheme takes every rod
    if (both) {
        assert_true(td_solve_statics(before.system, before.state) >= 0);
        const td_status status = offer(&before, &after);
        const bool read = td_reads_option(&p.options, o->path);
        if (status != (read && o->traits & OF_STATE ? TD_ERR_ARGUMENT : TD_OK))
            fail_msg("%s, another %s: %s", model, o->path, td_status_name(status));
        if (status == TD_OK) check_meaning(&before, &after, model, o->path);
        const bool told = note_names(after.system, strchr(o->path, '.') + 1);
        if (told == (read || (o->traits & REFUSED) != 0))
            fail_msg("%s, %s: %s", model, o->path, told ? "a note" : "no note");
    }
    close_run(&before);
    close_run(&after);
    return both;
}

// A snapshot is refused where an option differs that the model reads and that states depend on, and
// taken otherwise; an option that is not read is told.
static void options_that_are_read_matter_and_others_are_told(void **unused) {
    (void)unused;
    td_robot *robot = sagging_rod();
    int n = 0;
    const sim_option *o;
    for (int m = 0; m < td_n_models(); m++)
        for (EACH_OPTION(o)) {
            if (o->kind == OPTION_MODEL || option_is_of_run(o)) continue;
            if (strcmp(o->path, "simulation.space.accuracy") == 0) continue;  // chooses the nodes
            n += check_change(robot, td_model_name(m), o);
        }
    assert_true(n > 36 * td_n_models());
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_obeys_its_rule),
        cmocka_unit_test(every_rule_is_kept),
        cmocka_unit_test(the_file_reads_each_default_as_it_is),
        cmocka_unit_test(every_word_of_a_model_names_an_option),
        cmocka_unit_test(every_option_is_read_by_some_model),
        cmocka_unit_test(options_that_are_read_matter_and_others_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
