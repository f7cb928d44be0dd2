// Results on disk: what is written is what is read, and what a broken file, a killed program or a
// folder of someone else's must not lead to.
#include "tendril/tendril.h"

#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/h5.h"
#include "io/result.h"

enum { STEPS = 20 };
#define STEP 5e-3

typedef struct world {
    char folder[64];
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_scenario scenario;
} world;

static td_robot *two_rods(void) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_input_def push = {.name = "push", .unit = "N"};
    push.signal =
        (td_signal){.kind = TD_SIGNAL_RAMP, .from = 0, .to = 0.5, .start = 0.01, .duration = 0.05};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000;
    piece.section.radius = piece.section_end.radius = 1e-3;
    td_rod_def rod = td_default_rod_def();
    rod.pieces = &piece, rod.n_pieces = 1;
    int input = td_robot_add_input(robot, &push, &err);
    // Not in alphabetical order: the file's order must survive.
    rod.name = "second";
    assert_int_equal(td_robot_add_rod(robot, &rod, &err), 0);
    rod.name = "first";
    rod.base.position[0] = td_constant(0.1);
    assert_int_equal(td_robot_add_rod(robot, &rod, &err), 1);
    td_load_def load = td_default_load_def();
    load.name = "tip", load.rod = 1, load.from = load.to = 0.4;
    load.force[0] = (td_number){0, 1, input};
    assert_true(td_robot_add_load(robot, &load, &err) >= 0);
    return robot;
}

static int setup(void **state) {
    world *w = calloc(1, sizeof *w);
    td_error err = {0};
    snprintf(w->folder, sizeof w->folder, "/tmp/tendril_test_io.XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->robot = two_rods();
    td_options options = td_default_options();
    options.steps = 30;
    w->system = td_system_create(w->robot, &options, &err);
    assert_non_null(w->system);
    w->state = td_state_create(w->system);
    w->scenario = td_robot_scenario(w->robot);
    w->scenario.step = STEP;
    w->scenario.record_points = 7;
    w->scenario.record_fields = TD_RECORD_POSE | TD_RECORD_STRAIN | TD_RECORD_WRENCH |
                                TD_RECORD_VELOCITY | TD_RECORD_ENERGY | TD_RECORD_INPUTS;
    *state = w;
    return 0;
}

static int teardown(void **state) {
    world *w = *state;
    td_state_destroy(w->state);
    td_system_destroy(w->system);
    td_robot_destroy(w->robot);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    assert_int_equal(system(command), 0);
    free(w);
    return 0;
}

static const char *path_in(const world *w, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return path;
}

// A writer that holds the records of `steps` steps, not yet closed.
static result_writer *record(world *w, recorder *r, const char *path, int steps) {
    td_error err = {0};
    CHECK_OK(recorder_create(r, w->system, &w->scenario, &err), err);
    result_writer *writer = result_create(path, &r->layout, steps + 1, &err);
    if (!writer) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(writer);
    result_info info = {"test", w->robot, w->system, &w->scenario};
    CHECK_OK(result_describe(writer, &info, &err), err);
    CHECK_OK(result_add(writer, recorder_take(r, w->state), &err), err);
    for (int i = 0; i < steps; i++) {
        CHECK_OK(td_advance(w->system, w->state, STEP), err);
        recorder_note_step(r, td_get_stats(w->state));
        CHECK_OK(result_add(writer, recorder_take(r, w->state), &err), err);
    }
    return writer;
}

static void write_run(world *w, const char *path, int steps) {
    td_error err = {0};
    recorder r;
    result_writer *writer = record(w, &r, path, steps);
    CHECK_OK(result_put_state(writer, w->system, w->state, &err), err);
    CHECK_OK(result_close(writer, "finished", &err), err);
    recorder_destroy(&r);
}

static result *read_good(const char *path) {
    td_error err = {0};
    result *r = result_read(path, &err);
    if (!r) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(r);
    return r;
}

// ---------------------------------------------------------------- round trip
static void check_record(const world *w, const result *r, int t) {
    assert_true(r->time[t] == td_get_time(w->system, w->state));
    for (int i = 0; i < 2; i++) {
        const result_rod *rod = &r->rods[i];
        for (int k = 0; k < rod->n_points; k++) {
            td_sample at = td_get_sample(w->system, w->state, i, rod->s[k]);
            long row = (long)t * rod->n_points + k;
            assert_memory_equal(rod->position + 3 * row, at.pose.p, sizeof at.pose.p);
            assert_memory_equal(rod->orientation + 4 * row, at.pose.q, sizeof at.pose.q);
            assert_memory_equal(rod->strain + 6 * row, at.strain, sizeof at.strain);
            assert_memory_equal(rod->wrench + 6 * row, at.wrench, sizeof at.wrench);
            assert_memory_equal(rod->velocity + 6 * row, at.velocity, sizeof at.velocity);
        }
    }
    td_energy e = td_get_energy(w->system, w->state);
    assert_true(r->energy[ENERGY_KINETIC][t] == e.kinetic);
    assert_true(r->energy[ENERGY_ELASTIC][t] == e.elastic);
    assert_true(r->energy[ENERGY_GRAVITY][t] == e.gravity);
    assert_true(r->energy[ENERGY_DISSIPATED][t] == e.dissipated);
    assert_true(r->energy[ENERGY_WORK][t] == e.work);
    assert_true(r->inputs[0].value[t] == td_get_input(w->system, w->state, 0));
}

static void everything_written_reads_back_to_the_bit(void **state) {
    world *w = *state;
    td_error err = {0};
    const char *path = path_in(w, "result.h5");
    write_run(w, path, STEPS);
    result *r = read_good(path);
    assert_int_equal(r->n_times, STEPS + 1);
    assert_int_equal(r->n_rods, 2);
    assert_string_equal(r->rods[0].name, "second");
    assert_string_equal(r->rods[1].name, "first");
    assert_int_equal(r->rods[0].n_points, 7);
    assert_true(r->rods[0].length == 0.4);
    assert_int_equal(r->n_inputs, 1);
    assert_string_equal(r->inputs[0].name, "push");
    assert_string_equal(r->inputs[0].unit, "N");
    assert_string_equal(r->model, "cosserat");
    assert_string_equal(r->version, td_version());
    assert_string_equal(r->ending, "finished");
    assert_string_equal(r->robot_file, td_robot_source(w->robot));
    td_state_reset(w->system, w->state);  // the same run again, compared instant by instant
    check_record(w, r, 0);
    for (int t = 1; t <= STEPS; t++) {
        CHECK_OK(td_advance(w->system, w->state, STEP), err);
        check_record(w, r, t);
    }
    result_destroy(r);
}

// Attributes of /options are what the model reads, in the words of the file.
// A shaft and a thinner tip of 0.2 m each, fed by 0.3 m: points of the tip stay on the tip.
static td_robot *fed_rod(void) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def pieces[2] = {td_default_piece_def(), td_default_piece_def()};
    for (int i = 0; i < 2; i++) {
        pieces[i].length = 0.2;
        pieces[i].youngs_modulus = 207e9, pieces[i].shear_modulus = 79e9, pieces[i].density = 8000;
        pieces[i].section.radius = pieces[i].section_end.radius = i ? 1e-3 : 2e-3;
    }
    td_rod_def rod = td_default_rod_def();
    rod.name = "fed", rod.pieces = pieces, rod.n_pieces = 2, rod.feed = td_constant(0.3);
    assert_int_equal(td_robot_add_rod(robot, &rod, &err), 0);
    return robot;
}

static void points_of_a_fed_rod_are_its_material(void **state) {
    world *w = *state, fed = {.robot = fed_rod(), .scenario = w->scenario};
    td_error err = {0};
    const td_options options = td_default_options();
    fed.system = td_system_create(fed.robot, &options, &err);
    assert_non_null(fed.system);
    fed.state = td_state_create(fed.system);
    CHECK_OK(td_begin(fed.system, fed.state), err);
    write_run(&fed, path_in(w, "fed"), 1);
    result *r = read_good(path_in(w, "fed"));
    const result_rod *rod = &r->rods[0];
    assert_int_equal(rod->n_points, 7);
    for (int i = 0; i < 7; i++) {
        const double s = 0.4 * i / 6, z = s <= 0.2 ? 2.5 * s : s + 0.3;
        CHECK_NEAR(rod->s[i], s, 1e-15);
        CHECK_NEAR(rod_point(rod, 1, i), z, 1e-15);
        CHECK_NEAR(rod->position[3 * i + 2], z, 1e-6);
        CHECK_NEAR(rod->radius[i], i > 3 ? 1e-3 : 2e-3, 1e-15);
    }
    result_destroy(r);
    td_state_destroy(fed.state);
    td_system_destroy(fed.system);
    td_robot_destroy(fed.robot);
}

static void options_are_those_that_the_model_reads(void **state) {
    world *w = *state;
    td_error err = {0};
    td_options options = td_default_options();
    snprintf(options.model, sizeof options.model, "eba");
    options.lumped.segments = 5;
    td_state_destroy(w->state);
    td_system_destroy(w->system);
    w->system = td_system_create(w->robot, &options, &err);
    w->state = td_state_create(w->system);
    write_run(w, path_in(w, "result.h5"), 1);
    char file[300], word[32];
    double value = 0.0;
    hid_t h = h5_open(path_in(w, "result.h5"), file, sizeof file, &err);
    hid_t group = H5Gopen2(h, "/options", H5P_DEFAULT);
    assert_true(group >= 0);
    static const char *const unread[] = {"space", "space.scheme", "time.scheme", "theory",
                                         "rom.order"};
    for (int i = 0; i < 5; i++) assert_true(H5Aexists(group, unread[i]) == 0);
    assert_true(h5_get_text(group, "model", word, sizeof word));
    assert_string_equal(word, "eba");
    assert_true(h5_get_text(group, "integration.method", word, sizeof word));
    assert_string_equal(word, "fixed");
    assert_true(h5_get_number(group, "lumped.segments", &value) && value == 5.0);
    assert_true(h5_get_number(group, "time.step", &value) && value == STEP);
    H5Gclose(group);
    H5Fclose(h);
}

static void solver_effort_is_that_of_the_steps(void **state) {
    world *w = *state;
    td_error err = {0};
    write_run(w, path_in(w, "result.h5"), STEPS);
    result *r = read_good(w->folder);  // a folder reads like its file
    td_state_reset(w->system, w->state);
    for (int t = 1; t <= STEPS; t++) {
        CHECK_OK(td_advance(w->system, w->state, STEP), err);
        const td_stats *stats = td_get_stats(w->state);
        assert_true(r->iterations[t] == stats->iterations);
        assert_true(r->evaluations[t] == stats->evaluations);
        assert_true(r->residual[t] == stats->residual);
    }
    assert_string_equal(r->label, strrchr(w->folder, '/') + 1);
    result_destroy(r);
}

static void fields_that_were_not_asked_for_are_absent(void **state) {
    world *w = *state;
    w->scenario.record_fields = TD_RECORD_STRAIN;
    write_run(w, path_in(w, "result.h5"), 2);
    result *r = read_good(w->folder);
    assert_int_equal(r->n_times, 3);
    assert_null(r->rods[0].position);
    assert_null(r->rods[0].wrench);
    assert_non_null(r->rods[0].strain);
    assert_null(r->energy[0]);
    assert_int_equal(r->n_inputs, 0);
    result_destroy(r);
}

// More rows than the buffer holds: they leave it in several writes.
static void long_runs_come_back_in_order(void **state) {
    world *w = *state;
    td_error err = {0};
    recorder r;
    CHECK_OK(recorder_create(&r, w->system, &w->scenario, &err), err);
    result_writer *writer = result_create(path_in(w, "result.h5"), &r.layout, 0, &err);
    assert_non_null(writer);
    const int n = 3 * (1 << 20) / (8 * r.layout.width) + 5;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < r.layout.width; k++) r.row[k] = i + 1e-6 * k;
        CHECK_OK(result_add(writer, r.row, &err), err);
    }
    CHECK_OK(result_close(writer, "finished", &err), err);
    result *back = read_good(w->folder);
    assert_int_equal(back->n_times, n);
    for (int i = 0; i < n; i++) {
        assert_true(back->time[i] == i);
        assert_true(back->rods[0].length_now[i] == i + 1e-6);  // follows the time
        for (int k = 0; k < 21; k++)                           // and its positions follow that
            assert_true(back->rods[0].position[21 * i + k] == i + 1e-6 * (k + 2));
    }
    result_destroy(back);
    recorder_destroy(&r);
}

// ---------------------------------------------------------------- stopping and continuing
static void a_killed_run_keeps_its_records(void **state) {
    world *w = *state;
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child ==
        0) {  // records, waits until a second has passed, adds one more, waits to be killed
        td_error err = {0};
        recorder r;
        result_writer *writer = record(w, &r, path_in(w, "result.h5"), STEPS);
        sleep(2);
        if (result_add(writer, recorder_take(&r, w->state), &err) < 0) _exit(1);
        if (write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    result *r = read_good(w->folder);
    assert_int_equal(r->n_times, STEPS + 2);
    assert_string_equal(r->ending, "unfinished");
    CHECK_NEAR(r->time[STEPS], STEPS * STEP, 1e-12);
    result_destroy(r);
    close(ready[0]);
    close(ready[1]);
}

static void a_continued_run_equals_an_uninterrupted_one(void **state) {
    world *w = *state;
    td_error err = {0};
    const char *path = path_in(w, "result.h5");
    write_run(w, path, STEPS / 2);
    for (int i = STEPS / 2; i < STEPS; i++) CHECK_OK(td_advance(w->system, w->state, STEP), err);
    size_t bytes = td_snapshot_bytes(w->system);
    char *straight = malloc(bytes), *continued = malloc(bytes);
    CHECK_OK(td_state_save(w->system, w->state, straight, bytes), err);

    td_state *other = td_state_create(w->system);
    CHECK_OK(state_load(w->folder, w->system, other, &err), err);
    for (int i = STEPS / 2; i < STEPS; i++) CHECK_OK(td_advance(w->system, other, STEP), err);
    CHECK_OK(td_state_save(w->system, other, continued, bytes), err);
    assert_memory_equal(straight, continued, bytes);
    td_state_destroy(other);
    free(straight);
    free(continued);
}

static void a_state_file_restores_the_state(void **state) {
    world *w = *state;
    td_error err = {0};
    CHECK_OK(td_solve_statics(w->system, w->state), err);
    td_pose tip = td_get_pose(w->system, w->state, 1, 0.4);
    CHECK_OK(state_write(path_in(w, "bent.state"), w->system, w->state, &err), err);
    td_set_input(w->system, w->state, 0, 1.0);
    CHECK_OK(td_solve_statics(w->system, w->state), err);
    CHECK_OK(state_load(path_in(w, "bent.state"), w->system, w->state, &err), err);
    td_pose back = td_get_pose(w->system, w->state, 1, 0.4);
    assert_memory_equal(&back, &tip, sizeof tip);
}

static void a_state_of_another_system_is_refused(void **state) {
    world *w = *state;
    td_error err = {0};
    CHECK_OK(state_write(path_in(w, "bent.state"), w->system, w->state, &err), err);
    td_options options = td_default_options();
    options.nodes = 60;
    td_system *other = td_system_create(w->robot, &options, &err);
    td_state *target = td_state_create(other);
    assert_int_equal(state_load(path_in(w, "bent.state"), other, target, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "does not fit"));
    td_state_destroy(target);
    td_system_destroy(other);
}

// ---------------------------------------------------------------- broken files
static void missing_and_foreign_files_are_named(void **state) {
    world *w = *state;
    td_error err = {0};
    assert_null(result_read(path_in(w, "nothing"), &err));
    assert_int_equal(err.status, TD_ERR_FILE);
    assert_non_null(strstr(err.where, "nothing"));
    FILE *file = fopen(path_in(w, "result.h5"), "w");
    fputs("not HDF5 at all", file);
    fclose(file);
    assert_null(result_read(w->folder, &err));
    assert_non_null(strstr(err.message, "not an HDF5 file"));
    CHECK_OK(state_write(path_in(w, "only.state"), w->system, w->state, &err), err);
    assert_null(result_read(path_in(w, "only.state"), &err));
    assert_non_null(strstr(err.message, "only a state"));
}

static void a_truncated_file_is_an_error_and_no_crash(void **state) {
    world *w = *state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_in(w, "result.h5"));
    write_run(w, path, 3);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    for (long size = info.st_size - 1; size > 0; size = size * 3 / 4) {
        assert_int_equal(truncate(path, size), 0);
        td_error err = {0};
        result *r = result_read(path, &err);
        assert_null(r);
        assert_int_equal(err.status, TD_ERR_FILE);
        assert_true(err.message[0]);
    }
}

static void a_path_that_cannot_be_written_is_an_error(void **state) {
    world *w = *state;
    td_error err = {0};
    recorder r;
    CHECK_OK(recorder_create(&r, w->system, &w->scenario, &err), err);
    assert_null(result_create("no/such/folder/result.h5", &r.layout, 1, &err));
    assert_int_equal(err.status, TD_ERR_FILE);
    assert_non_null(strstr(err.message, "No such file or directory"));
    recorder_destroy(&r);
}

// ---------------------------------------------------------------- folders
static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void put_file(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void a_new_folder_is_made_with_its_parents(void **state) {
    world *w = *state;
    td_error err = {0};
    char deep[128];
    snprintf(deep, sizeof deep, "%s/a/b/c", w->folder);
    CHECK_OK(result_folder(deep, &err), err);
    assert_true(exists(deep));
    CHECK_OK(result_folder(deep, &err), err);  // empty: used again
}

static void a_folder_of_other_files_is_refused_untouched(void **state) {
    world *w = *state;
    td_error err = {0};
    put_file(path_in(w, "thesis.tex"));
    put_file(path_in(w, "tip.csv"));
    assert_int_equal(result_folder(w->folder, &err), TD_ERR_FILE);
    assert_true(exists(path_in(w, "thesis.tex")));
    assert_true(exists(path_in(w, "tip.csv")));
}

// Until there are records of the new one the older result is all there; then its own tables go, but
// not what someone else wrote or changed.
static void an_older_result_is_replaced_and_nothing_else_is(void **state) {
    world *w = *state;
    td_error err = {0};
    recorder r;
    write_run(w, path_in(w, "result.h5"), 3);
    result *old = read_good(w->folder);
    CHECK_OK(csv_export(old, w->folder, &err), err);
    result_destroy(old);
    put_file(path_in(w, "notes.txt"));
    put_file(path_in(w, "tip.csv"));
    CHECK_OK(result_folder(w->folder, &err), err);
    result_writer *writer = record(w, &r, path_in(w, "result.h5"), 5);
    old = read_good(w->folder);
    assert_int_equal(old->n_times, 4);
    assert_string_equal(old->ending, "finished");
    result_destroy(old);
    assert_true(exists(path_in(w, "shape.csv")));
    CHECK_OK(result_close(writer, "finished", &err), err);
    result *new = read_good(w->folder);
    assert_int_equal(new->n_times, 6);
    result_destroy(new);
    recorder_destroy(&r);
    assert_false(exists(path_in(w, "shape.csv")));
    assert_true(exists(path_in(w, "tip.csv")));
    assert_true(exists(path_in(w, "notes.txt")));
}

static void a_file_that_only_has_the_name_is_left_alone(void **state) {
    world *w = *state;
    td_error err = {0};
    FILE *file = fopen(path_in(w, "result.h5"), "w");
    fputs("not of this program", file);
    fclose(file);
    assert_int_equal(result_folder(w->folder, &err), TD_ERR_FILE);
    assert_non_null(strstr(err.message, "did not write"));
}

static void a_result_without_records_is_none(void **state) {
    world *w = *state;
    td_error err = {0};
    recorder r;
    CHECK_OK(recorder_create(&r, w->system, &w->scenario, &err), err);
    write_run(w, path_in(w, "result.h5"), 3);
    result_writer *writer = result_create(path_in(w, "result.h5"), &r.layout, 1, &err);
    assert_non_null(writer);
    CHECK_OK(result_close(writer, "failed", &err), err);
    result *old = read_good(w->folder);
    assert_int_equal(old->n_times, 4);
    result_destroy(old);
    assert_false(exists(path_in(w, "result.h5" BESIDE)));
    recorder_destroy(&r);
}

static void a_file_in_the_way_is_refused(void **state) {
    world *w = *state;
    td_error err = {0};
    put_file(path_in(w, "file"));
    assert_int_equal(result_folder(path_in(w, "file"), &err), TD_ERR_FILE);
}

// ---------------------------------------------------------------- CSV
static FILE *open_csv(const world *w, const char *name, const char *header) {
    char line[2048];
    FILE *file = fopen(path_in(w, name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, header);
    return file;
}

static int parse_numbers(FILE *file, double *values, int most) {
    char line[4096];
    if (!fgets(line, sizeof line, file)) return -1;
    int n = 0;
    for (char *at = line, *end; n < most; at = end + 1) {
        values[n++] = strtod(at, &end);
        if (end == at || *end != ',') break;
    }
    return n;
}

static void csv_numbers_parse_back_to_the_same_bits(void **state) {
    world *w = *state;
    td_error err = {0};
    write_run(w, path_in(w, "result.h5"), STEPS);
    result *r = read_good(w->folder);
    CHECK_OK(csv_export(r, w->folder, &err), err);
    double v[64];
    FILE *tip =
        open_csv(w, "tip.csv",
                 "time [s],second.x [m],second.y [m],second.z [m],second.qw,second.qx,"
                 "second.qy,second.qz,first.x [m],first.y [m],first.z [m],first.qw,first.qx,"
                 "first.qy,first.qz");
    FILE *energy = open_csv(w, "energy.csv",
                            "time [s],kinetic [J],elastic [J],gravity [J],"
                            "dissipated [J],work [J]");
    FILE *inputs = open_csv(w, "inputs.csv", "time [s],push [N]");
    for (int t = 0; t <= STEPS; t++) {
        assert_int_equal(parse_numbers(tip, v, 64), 15);
        assert_true(v[0] == r->time[t]);
        assert_memory_equal(v + 8, r->rods[1].position + 3 * (7 * t + 6), 3 * sizeof *v);
        assert_memory_equal(v + 11, r->rods[1].orientation + 4 * (7 * t + 6), 4 * sizeof *v);
        assert_int_equal(parse_numbers(energy, v, 64), 6);
        for (int i = 0; i < N_ENERGY; i++) assert_true(v[1 + i] == r->energy[i][t]);
        assert_int_equal(parse_numbers(inputs, v, 64), 2);
        assert_true(v[1] == r->inputs[0].value[t]);
    }
    assert_int_equal(parse_numbers(tip, v, 64), -1);
    fclose(tip);
    fclose(energy);
    fclose(inputs);
    result_destroy(r);
}

static void csv_shape_has_a_row_for_every_time_rod_and_point(void **state) {
    world *w = *state;
    td_error err = {0};
    w->scenario.record_fields = TD_RECORD_POSE;
    write_run(w, path_in(w, "result.h5"), 2);
    result *r = read_good(w->folder);
    CHECK_OK(csv_export(r, w->folder, &err), err);
    FILE *file = open_csv(w, "shape.csv", "time [s],rod,s [m],x [m],y [m],z [m],qw,qx,qy,qz");
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 7; k++) {
                double time, s, p[3];
                char line[512], name[16];
                assert_non_null(fgets(line, sizeof line, file));
                assert_int_equal(sscanf(line, "%lf,%15[^,],%lf,%lf,%lf,%lf", &time, name, &s, &p[0],
                                        &p[1], &p[2]),
                                 6);
                assert_true(time == r->time[t]);
                assert_string_equal(name, r->rods[i].name);
                assert_true(s == r->rods[i].s[k]);
                assert_memory_equal(p, r->rods[i].position + 3 * (7 * t + k), sizeof p);
            }
        }
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    result_destroy(r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(everything_written_reads_back_to_the_bit),
        TEST(points_of_a_fed_rod_are_its_material),
        TEST(options_are_those_that_the_model_reads),
        TEST(solver_effort_is_that_of_the_steps),
        TEST(fields_that_were_not_asked_for_are_absent),
        TEST(long_runs_come_back_in_order),
        TEST(a_killed_run_keeps_its_records),
        TEST(a_continued_run_equals_an_uninterrupted_one),
        TEST(a_state_file_restores_the_state),
        TEST(a_state_of_another_system_is_refused),
        TEST(missing_and_foreign_files_are_named),
        TEST(a_truncated_file_is_an_error_and_no_crash),
        TEST(a_path_that_cannot_be_written_is_an_error),
        TEST(a_new_folder_is_made_with_its_parents),
        TEST(a_folder_of_other_files_is_refused_untouched),
        TEST(an_older_result_is_replaced_and_nothing_else_is),
        TEST(a_file_that_only_has_the_name_is_left_alone),
        TEST(a_result_without_records_is_none),
        TEST(a_file_in_the_way_is_refused),
        TEST(csv_numbers_parse_back_to_the_same_bits),
        TEST(csv_shape_has_a_row_for_every_time_rod_and_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
