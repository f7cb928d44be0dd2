// Writing result.h5: one extensible data set per series, rows buffered in memory.
#include "io/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/error.h"
#include "io/h5.h"
#include "io/option_names.h"
#include "robot/facts.h"

enum {
    BUFFER_BYTES = 1 << 20,
    CHUNK_BYTES = 1 << 16,  // of one data set: a few pages, so that reading one time is cheap
    SCALAR_ROWS = 512,
    BASIC_BYTES = 1 << 17,  // what a file holds besides its rows
    PATH_BYTES = 512
};
#define FLUSH_EVERY 1.0  // s; what a killed process can lose

struct result_writer {
    char path[PATH_BYTES];
    hid_t file;
    const result_layout *layout;
    hid_t *sets;         // one per series
    double *rows;        // (capacity x layout->width)
    double *gathered;    // one series of all buffered rows
    int capacity, held;  // rows
    hsize_t written;     // rows
    double last_flush;   // s, monotonic clock
    double reserve;      // bytes that a flush and the end of the file may need beyond the rows
    bool failed;         // nothing more is tried after the first write error
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Bytes that the file can still grow by. HDF5 leaves a damaged file behind when a write fails half
// way, so room is looked for first.
static double room_for(const char *path) {
    struct statvfs disk;
    struct stat file;
    struct rlimit most;
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    double room = HUGE_VAL;
    if (statvfs(slash && folder[0] ? folder : ".", &disk) == 0)
        room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
        room = fmin(room,
                    (double)most.rlim_cur - (stat(path, &file) == 0 ? (double)file.st_size : 0.0));
    return room;
}

static td_status check_room(const char *path, double bytes, td_error *err) {
    double room = room_for(path);
    if (room >= bytes) return TD_OK;
    return error_set(err, TD_ERR_FILE, path, "no space left: %.3g MB are free, %.3g MB are needed",
                     1e-6 * fmax(room, 0.0), 1e-6 * bytes);
}

// ---------------------------------------------------------------- creation
static hsize_t chunk_rows(const result_series *s, long expected) {
    hsize_t most = s->width == 1 ? SCALAR_ROWS : CHUNK_BYTES / (8 * (hsize_t)s->width);
    if (most < 1) most = 1;
    hsize_t want = expected > 0 ? (hsize_t)expected : SCALAR_ROWS;
    return want < most ? want : most;
}

static hid_t create_set(hid_t file, const result_series *s, long expected) {
    hsize_t size[3] = {0, (hsize_t)s->dims[0], (hsize_t)s->dims[1]};
    hsize_t most[3] = {H5S_UNLIMITED, size[1], size[2]};
    hsize_t chunk[3] = {chunk_rows(s, expected), size[1], size[2]};
    hid_t space = H5Screate_simple(1 + s->n_dims, size, most);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_chunk(how, 1 + s->n_dims, chunk);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_char_encoding(links, H5T_CSET_UTF8);
    hid_t type = s->whole ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    hid_t set = H5Dcreate2(file, s->path, type, space, links, how, H5P_DEFAULT);
    bool ok = set >= 0 && h5_put_text(set, "name", s->name) && h5_put_text(set, "unit", s->unit) &&
              h5_put_text(set, "description", s->about);
    if (!ok && set >= 0) H5Dclose(set);
    H5Pclose(links);
    H5Pclose(how);
    H5Sclose(space);
    return ok ? set : H5I_INVALID_HID;
}

// Groups remember the order of creation, which is the order of the robot file.
static bool create_group(hid_t file, const char *path) {
    hid_t how = H5Pcreate(H5P_GROUP_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_char_encoding(links, H5T_CSET_UTF8);
    hid_t group = H5Gcreate2(file, path, links, how, H5P_DEFAULT);
    H5Pclose(links);
    H5Pclose(how);
    if (group >= 0) H5Gclose(group);
    return group >= 0;
}

// A length for every point of a rod, which stays the same over time.
static bool write_lengths(hid_t group, const char *name, const double *values, int n_points,
                          const char *about) {
    hsize_t n = (hsize_t)n_points;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t set =
        H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 &&
              H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
              h5_put_text(set, "unit", "m") && h5_put_text(set, "description", about);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return ok;
}

static bool write_arc_lengths(hid_t group, const result_rod_layout *rod) {
    double *s = malloc(sizeof *s * (size_t)rod->n_points);
    if (!s) return false;
    for (int i = 0; i < rod->n_points; i++) s[i] = point_at(rod->length, i, rod->n_points);
    bool ok = write_lengths(group, "s", s, rod->n_points,
                            "arc length of the undeformed rod from its base");
    free(s);
    return ok;
}

static bool create_rod(hid_t file, const result_rod_layout *rod) {
    if (!create_group(file, rod->group)) return false;
    hid_t group = H5Gopen2(file, rod->group, H5P_DEFAULT);
    if (group < 0) return false;
    bool ok = h5_put_text(group, "name", rod->name) &&
              h5_put_number(group, "length", rod->length) && write_arc_lengths(group, rod);
    H5Gclose(group);
    return ok;
}

static bool create_part(hid_t file, const result_group *part) {
    if (!create_group(file, part->path)) return false;
    if (!part->name[0]) return true;
    hid_t group = H5Gopen2(file, part->path, H5P_DEFAULT);
    bool ok = group >= 0 && h5_put_text(group, "name", part->name);
    if (group >= 0) H5Gclose(group);
    return ok;
}

static bool create_everything(result_writer *w, long expected) {
    static const char *const groups[] = {"/rods", "/inputs", "/energy", "/solver"};
    for (int i = 0; i < 4; i++) {
        if (!create_group(w->file, groups[i])) return false;
    }
    for (int i = 0; i < w->layout->n_rods; i++) {
        if (!create_rod(w->file, &w->layout->rods[i])) return false;
    }
    for (int i = 0; i < w->layout->n_groups; i++) {
        if (!create_part(w->file, &w->layout->groups[i])) return false;
    }
    for (int i = 0; i < w->layout->n_series; i++) {
        w->sets[i] = create_set(w->file, &w->layout->series[i], expected);
        if (w->sets[i] < 0) return false;
    }
    return h5_put_text(w->file, "format", "tendril result") &&
           h5_put_integer(w->file, "format_version", RESULT_FORMAT) &&
           h5_put_text(w->file, "tendril_version", td_version()) &&
           h5_put_text(w->file, "ending", "unfinished") && H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0;
}

static void release(result_writer *w) {
    for (int i = 0; w->sets && i < w->layout->n_series; i++) {
        if (w->sets[i] >= 0) H5Dclose(w->sets[i]);
    }
    if (w->file >= 0) H5Fclose(w->file);
    free(w->sets);
    free(w->rows);
    free(w->gathered);
    free(w);
}

static bool allocate(result_writer *w) {
    const result_layout *l = w->layout;
    int capacity = BUFFER_BYTES / (8 * l->width), widest = 1;
    w->capacity = capacity < 1 ? 1 : capacity;
    for (int i = 0; i < l->n_series; i++) {
        if (l->series[i].width > widest) widest = l->series[i].width;
    }
    w->sets = malloc(sizeof *w->sets * (size_t)l->n_series);
    w->rows = malloc(sizeof *w->rows * (size_t)w->capacity * (size_t)l->width);
    w->gathered = malloc(sizeof *w->gathered * (size_t)w->capacity * (size_t)widest);
    for (int i = 0; w->sets && i < l->n_series; i++) w->sets[i] = H5I_INVALID_HID;
    return w->sets && w->rows && w->gathered;
}

result_writer *result_create(const char *path, const result_layout *layout, long expected_rows,
                             td_error *err) {
    h5_silence();
    result_writer *w = calloc(1, sizeof *w);
    if (!w) {
        error_set(err, TD_ERR_MEMORY, path, "out of memory for the result's buffer");
        return NULL;
    }
    w->file = H5I_INVALID_HID;
    w->layout = layout;
    w->last_flush = now();
    snprintf(w->path, sizeof w->path, "%s", path);
    if (!allocate(w)) {
        error_set(err, TD_ERR_MEMORY, path, "out of memory for the result's buffer");
        release(w);
        return NULL;
    }
    w->reserve = BASIC_BYTES;
    for (int i = 0; i < layout->n_series; i++)
        w->reserve +=
            8.0 * layout->series[i].width * (double)chunk_rows(&layout->series[i], expected_rows);
    if (check_room(path, w->reserve, err) < 0) {
        release(w);
        return NULL;
    }
    w->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (w->file < 0 || !create_everything(w, expected_rows)) {
        h5_error(err, path, "cannot write the result file");
        release(w);
        return NULL;
    }
    return w;
}

// ---------------------------------------------------------------- what the run was
static bool describe_options(hid_t group, const td_options *o) {
    return h5_put_text(group, "model", o->model) &&
           h5_put_text(group, "theory", theory_name(o->theory)) &&
           h5_put_integer(group, "rotary_inertia", o->rotary_inertia) &&
           h5_put_text(group, "space", space_name(o->space)) &&
           h5_put_text(group, "integrator", integrator_name(o->integrator)) &&
           h5_put_text(group, "history", history_name(o->history)) &&
           h5_put_integer(group, "steps", o->steps) &&
           h5_put_integer(group, "nodes", o->nodes) &&
           h5_put_integer(group, "magnus", o->magnus) &&
           h5_put_text(group, "scheme", scheme_name(o->scheme)) &&
           h5_put_number(group, "alpha", o->alpha) &&
           h5_put_text(group, "startup", startup_name(o->startup)) &&
           h5_put_text(group, "solver", solver_name(o->solver)) &&
           h5_put_number(group, "tolerance", o->tolerance) &&
           h5_put_integer(group, "max_iterations", o->max_iterations);
}

static bool describe_scenario(hid_t group, const td_scenario *s) {
    return h5_put_number(group, "step", s->step) && h5_put_number(group, "end", s->end) &&
           h5_put_text(group, "start", start_name(s->start)) &&
           h5_put_number(group, "record_every", s->record_every);
}

static bool put_date(hid_t file) {
    char text[32] = "";
    time_t t = time(NULL);
    struct tm utc;
    if (gmtime_r(&t, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return h5_put_text(file, "created", text);
}

// How thick the rods are, what their ends are joined to, and which bodies are free: the figure of
// the robot.
static bool put_number_at(hid_t file, const char *path, const char *name, double value) {
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    bool ok = group >= 0 && h5_put_number(group, name, value);
    if (group >= 0) H5Gclose(group);
    return ok;
}

static bool put_text_at(hid_t file, const char *path, const char *name, const char *text) {
    hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    bool ok = group >= 0 && h5_put_text(group, name, text);
    if (group >= 0) H5Gclose(group);
    return ok;
}

static bool describe_sections(const result_writer *w, const td_robot *robot) {
    for (int i = 0; i < w->layout->n_rods; i++) {
        const result_rod_layout *rod = &w->layout->rods[i];
        double *radius = malloc(sizeof *radius * (size_t)rod->n_points);
        hid_t group = H5Gopen2(w->file, rod->group, H5P_DEFAULT);
        for (int k = 0; radius && k < rod->n_points; k++)
            radius[k] = rod_radius_at(robot, i, point_at(rod->length, k, rod->n_points));
        bool ok = radius && group >= 0 &&
                  write_lengths(group, "radius", radius, rod->n_points,
                                "of the section, or of a circle of its area; 0: not known");
        if (group >= 0) H5Gclose(group);
        free(radius);
        if (!ok) return false;
    }
    return true;
}

static bool describe_joints(const result_writer *w, const td_robot *robot) {
    for (int i = 0; i < w->layout->n_rods; i++) {
        const char *group = w->layout->rods[i].group;
        end_facts f = end_facts_of(robot, i);
        if (f.base_body && !put_text_at(w->file, group, "base_body", f.base_body)) return false;
        if (f.tip_body && !put_text_at(w->file, group, "tip_body", f.tip_body)) return false;
    }
    return true;
}

static bool describe_bodies(const result_writer *w, const td_robot *robot) {
    for (int i = 0, k = 0; i < w->layout->n_groups; i++) {
        const result_group *g = &w->layout->groups[i];
        if (!g->name[0] || strncmp(g->path, "/bodies/", 8) != 0) continue;
        body_facts f = body_facts_of(robot, k++);
        if (f.rod && !put_text_at(w->file, g->path, "rides_on", f.rod)) return false;
        if (f.radius > 0 && (!put_number_at(w->file, g->path, "radius", f.radius) ||
                             !put_number_at(w->file, g->path, "height", f.height)))
            return false;
    }
    return true;
}

static bool describe_chambers(const result_writer *w, const td_robot *robot) {
    for (int i = 0, k = 0; i < w->layout->n_groups; i++) {
        const result_group *g = &w->layout->groups[i];
        if (!g->name[0] || strncmp(g->path, "/chambers/", 10) != 0) continue;
        chamber_facts f = chamber_facts_of(robot, k++);
        if (!put_text_at(w->file, g->path, "rod", f.rod) ||
            !put_number_at(w->file, g->path, "from", f.from) ||
            !put_number_at(w->file, g->path, "to", f.to) ||
            !put_number_at(w->file, g->path, "offset_x", f.offset[0]) ||
            !put_number_at(w->file, g->path, "offset_y", f.offset[1]))
            return false;
    }
    return true;
}

td_status result_describe(result_writer *w, const result_info *info, td_error *err) {
    const td_options *options = td_system_options(info->system);
    const char *name = td_robot_name(info->robot);
    hid_t group = H5Gcreate2(w->file, "/options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && h5_put_text(w->file, "program", info->program) &&
              h5_put_text(w->file, "robot", name ? name : "") &&
              h5_put_text(w->file, "model", options->model) && put_date(w->file) &&
              describe_options(group, options) && describe_scenario(group, info->scenario) &&
              describe_sections(w, info->robot) && describe_joints(w, info->robot) &&
              describe_bodies(w, info->robot) && describe_chambers(w, info->robot) &&
              h5_put_document(w->file, "/robot_file", td_robot_source(info->robot));
    if (group >= 0) H5Gclose(group);
    return ok ? TD_OK : h5_error(err, w->path, "cannot write the result file");
}

// ---------------------------------------------------------------- rows
static bool write_series(result_writer *w, int i) {
    const result_series *s = &w->layout->series[i];
    for (int k = 0; k < w->held; k++)
        memcpy(w->gathered + k * s->width, w->rows + k * w->layout->width + s->offset,
               sizeof(double) * (size_t)s->width);
    hsize_t held = (hsize_t)w->held;
    hsize_t size[3] = {w->written + held, (hsize_t)s->dims[0], (hsize_t)s->dims[1]};
    hsize_t start[3] = {w->written, 0, 0}, count[3] = {held, size[1], size[2]};
    if (H5Dset_extent(w->sets[i], size) < 0) return false;
    hid_t to = H5Dget_space(w->sets[i]), from = H5Screate_simple(1 + s->n_dims, count, NULL);
    bool ok = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(w->sets[i], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, w->gathered) >= 0;
    H5Sclose(from);
    H5Sclose(to);
    return ok;
}

// Time (series 0) goes last: a file cut short never names a time whose data is missing.
static td_status flush(result_writer *w, td_error *err) {
    if (w->failed) return TD_ERR_FILE;
    w->last_flush = now();
    if (w->held == 0) return TD_OK;
    double rows = 8.0 * w->held * w->layout->width;
    if (check_room(w->path, rows + w->reserve, err) < 0) {
        w->held = 0;
        return TD_ERR_FILE;
    }
    bool ok = true;
    for (int i = w->layout->n_series - 1; ok && i >= 0; i--) ok = write_series(w, i);
    ok = ok && H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0;
    w->failed = !ok;
    if (!ok) return h5_error(err, w->path, "cannot write the result file");
    w->written += (hsize_t)w->held;
    w->held = 0;
    return TD_OK;
}

td_status result_add(result_writer *w, const double *row, td_error *err) {
    if (w->failed) return TD_ERR_FILE;
    memcpy(w->rows + (size_t)w->held * (size_t)w->layout->width, row,
           sizeof *row * (size_t)w->layout->width);
    w->held++;
    if (w->held == w->capacity || now() - w->last_flush > FLUSH_EVERY) return flush(w, err);
    return TD_OK;
}

static bool put_ending(result_writer *w, const char *ending) {
    return h5_put_text(w->file, "ending", ending) && H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0;
}

td_status result_close(result_writer *w, const char *ending, td_error *err) {
    td_status status = flush(w, err);
    if (!w->failed && !put_ending(w, ending) && status == TD_OK)
        status = h5_error(err, w->path, "cannot write the result file");
    release(w);
    return status;
}

// ---------------------------------------------------------------- states
// Bytes of one kind of machine: the snapshot's own check refuses what does not fit.
static bool write_bytes(hid_t file, const void *bytes, size_t n, double time, const char *model) {
    hsize_t size = n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set =
        H5Dcreate2(file, "/state", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 &&
              H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0 &&
              h5_put_text(set, "model", model) && h5_put_number(set, "time", time) &&
              h5_put_text(set, "description", "snapshot to continue from, not to be interpreted");
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return ok;
}

static td_status put_state(hid_t file, const char *path, const td_system *system,
                           const td_state *state, td_error *err) {
    size_t n = td_snapshot_bytes(system);
    void *bytes = malloc(n ? n : 1);
    if (!bytes) return error_set(err, TD_ERR_MEMORY, path, "out of memory for the final state");
    td_status status = td_state_save(system, state, bytes, n);
    if (status < 0) {
        error_set(err, status, path, "the final state cannot be saved (%s)",
                  td_status_name(status));
    } else if (!write_bytes(file, bytes, n, td_get_time(system, state),
                            td_system_options(system)->model)) {
        status = h5_error(err, path, "cannot write the final state");
    }
    free(bytes);
    return status;
}

td_status result_put_state(result_writer *w, const td_system *system, const td_state *state,
                           td_error *err) {
    if (w->failed) return TD_ERR_FILE;
    return put_state(w->file, w->path, system, state, err);
}

td_status state_write(const char *path, const td_system *system, const td_state *state,
                      td_error *err) {
    h5_silence();
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return h5_error(err, path, "cannot write the state file");
    h5_put_text(file, "format", "tendril state");
    h5_put_integer(file, "format_version", RESULT_FORMAT);
    h5_put_text(file, "tendril_version", td_version());
    td_status status = put_state(file, path, system, state, err);
    if (status == TD_OK && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
        status = h5_error(err, path, "cannot write the state file");
    H5Fclose(file);
    return status;
}
