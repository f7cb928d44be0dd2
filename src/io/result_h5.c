// Writing result.h5: one extensible data set per series, rows buffered in memory. The file is made
// beside its place and takes it when it holds records: an older result stays until then.
#include "io/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/clock.h"
#include "io/guard.h"
#include "io/h5.h"
#include "io/options.h"
#include "io/state_file.h"
#include "io/written.h"
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
    char beside[PATH_BYTES + sizeof BESIDE];  // where it is written until it takes its place
    bool in_place;
    bool continues, copied;  // the result in its place, whose records it has
    hid_t file;
    const result_layout *layout;
    hid_t *sets;         // one per series
    double *rows;        // (capacity x layout->width)
    double *gathered;    // one series of all buffered rows
    int capacity, held;  // rows
    hsize_t written;     // rows
    double last_time;    // s, of the last row written
    hash digest;         // of all rows added
    double last_flush;   // s, monotonic clock
    double reserve;      // bytes that a flush and the end of the file may need beyond the rows
    bool cut;            // something had no room: the file is whole, the run in it is not
    bool failed;         // HDF5 could not write: nothing more is tried
};

// Bytes that the file can still grow by. HDF5 leaves a damaged file behind when a write fails half
// way, so room is looked for first.
static double room_for(const char *path) {
    struct statvfs disk;
    struct stat file;
    struct rlimit most;
    char folder[PATH_BYTES];
    folder_holding(path, folder, sizeof folder);
    double room = HUGE_VAL;
    if (statvfs(folder, &disk) == 0) room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
        room = fmin(room,
                    (double)most.rlim_cur - (stat(path, &file) == 0 ? (double)file.st_size : 0.0));
    return room;
}

// TD_ERR_FILE where there is less than this in the folder of `file`; the error names `path`.
static td_status check_room(const char *file, const char *path, double bytes, td_error *err) {
    double room = room_for(file);
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
    for (int i = 0; i < rod->n_points; i++)
        s[i] = point_along(rod->grows, rod->length, i, rod->n_points);
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
    if (rod->grows.from < rod->grows.to)
        ok = ok && h5_put_number(group, "grows_from", rod->grows.from) &&
             h5_put_number(group, "grows_to", rod->grows.to);
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

static bool has_sensors(const result_layout *l) {
    for (int i = 0; i < l->n_series; i++)
        if (!strncmp(l->series[i].path, "/sensors/", 9)) return true;
    return false;
}

static bool create_everything(result_writer *w, long expected) {
    static const char *const groups[] = {"/rods", "/inputs", "/energy", "/solver"};
    for (int i = 0; i < 4; i++) {
        if (!create_group(w->file, groups[i])) return false;
    }
    if (has_sensors(w->layout) && !create_group(w->file, "/sensors")) return false;
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

// False: not all of the file reached the disk.
static bool close_file(result_writer *w) {
    bool ok = true;
    for (int i = 0; w->sets && i < w->layout->n_series; i++)
        if (w->sets[i] >= 0) ok = H5Dclose(w->sets[i]) >= 0 && ok;
    if (w->file < 0) return ok;
    ok = H5Fclose(w->file) >= 0 && ok;
    if (!w->in_place) unlink(w->beside);
    return ok;
}

static bool release(result_writer *w) {
    bool ok = close_file(w);
    free(w->sets);
    free(w->rows);
    free(w->gathered);
    free(w);
    return ok;
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

static result_writer *writer_of(const char *path, const result_layout *layout, td_error *err) {
    result_writer *w = calloc(1, sizeof *w);
    if (w) {
        *w = (result_writer){.file = H5I_INVALID_HID,
                             .layout = layout,
                             .last_flush = wall_clock(),
                             .digest = HASH_START};
        snprintf(w->path, sizeof w->path, "%s", path);
        snprintf(w->beside, sizeof w->beside, "%s" BESIDE, w->path);
        if (allocate(w)) return w;
        release(w);
    }
    error_set(err, TD_ERR_MEMORY, path, "out of memory for the result's buffer");
    return NULL;
}

static bool begin_file(result_writer *w, long expected, td_error *err) {
    w->reserve = BASIC_BYTES;
    for (int i = 0; i < w->layout->n_series; i++) {
        const result_series *s = &w->layout->series[i];
        w->reserve += 8.0 * s->width * (double)chunk_rows(s, expected);
    }
    if (check_room(w->beside, w->path, w->reserve, err) < 0) return false;
    w->file = H5Fcreate(w->beside, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (w->file >= 0 && create_everything(w, expected)) return true;
    h5_error(err, w->path, "cannot write the result file");
    return false;
}

result_writer *result_create(const char *path, const result_layout *layout, long expected_rows,
                             td_error *err) {
    h5_silence();
    result_writer *w = writer_of(path, layout, err);
    if (!w || begin_file(w, expected_rows, err)) return w;
    release(w);
    return NULL;
}

// ---------------------------------------------------------------- what the run was
static bool put_option(hid_t group, const char *name, const sim_option *o, const plan *p) {
    char text[OPTION_TEXT];
    const double value = option_value(o, p);
    if (o->kind == OPTION_QUANTITY) return h5_put_number(group, name, value);
    if (o->kind == OPTION_FLAG || o->kind == OPTION_COUNT)
        return h5_put_integer(group, name, (int)value);
    return h5_put_text(group, name, option_text(o, p, text));
}

static bool describe_options(hid_t group, const plan *p) {
    const sim_option *o;
    const char *name;
    bool ok = true;
    for (int i = 0; ok && (o = next_option(p, &i, &name));) ok = put_option(group, name, o, p);
    return ok;
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
            radius[k] =
                rod_radius_at(robot, i, point_along(rod->grows, rod->length, k, rod->n_points));
        bool ok = radius && group >= 0 &&
                  write_lengths(group, "radius", radius, rod->n_points,
                                "of the section, or of a circle of its area; 0: not known");
        if (group >= 0) H5Gclose(group);
        free(radius);
        const double envelope = robot->rods[i].envelope;
        if (!ok || (envelope > 0.0 && !put_number_at(w->file, rod->group, "envelope", envelope)))
            return false;
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
        if (f.held_by && !put_text_at(w->file, g->path, "held_by", f.held_by)) return false;
        if (f.radius > 0 && (!put_number_at(w->file, g->path, "radius", f.radius) ||
                             !put_number_at(w->file, g->path, "height", f.height)))
            return false;
    }
    return true;
}

static bool describe_actuator(const result_writer *w, const char *group, const actuator_facts *f) {
    if (!put_text_at(w->file, group, "rod", f->rod) ||
        !put_number_at(w->file, group, "from", f->from) ||
        !put_number_at(w->file, group, "to", f->to))
        return false;
    return f->kind->thin || (put_number_at(w->file, group, "offset_x", f->offset[0]) &&
                             put_number_at(w->file, group, "offset_y", f->offset[1]));
}

// Groups of actuators stand in the order of the robot, without the kinds that are not recorded.
static bool describe_actuators(const result_writer *w, const td_robot *robot) {
    int g = 0;
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_facts f = actuator_facts_of(robot, i);
        char all[64];
        const int length = snprintf(all, sizeof all, "/%s/", f.kind->plural);
        int k = g;
        while (k < w->layout->n_groups && strncmp(w->layout->groups[k].path, all, (size_t)length))
            k++;
        if (k == w->layout->n_groups) continue;
        if (!describe_actuator(w, w->layout->groups[k].path, &f)) return false;
        g = k + 1;
    }
    return true;
}

// Where the file names others that hold shapes, all of it is kept in one text beside it.
static bool describe_shapes(result_writer *w, const td_robot *robot) {
    bool any = false;
    for (int i = 0; i < robot->n_obstacles; i++) any = any || obstacle_facts_of(robot, i).in_file;
    if (!any) return true;
    char *text = td_robot_write(robot, NULL, NULL, NULL);
    const bool ok = text && h5_put_document(w->file, "/robot_whole", text);
    td_free_text(text);
    return ok;
}

td_status result_describe(result_writer *w, const result_info *info, td_error *err) {
    const td_options *options = td_system_options(info->system);
    const char *name = td_robot_name(info->robot);
    hid_t group = H5Gcreate2(w->file, "/options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && h5_put_text(w->file, "program", info->program) &&
              h5_put_text(w->file, "robot", name ? name : "") &&
              h5_put_text(w->file, "model", options->model) && put_date(w->file) &&
              describe_options(group, &(plan){*options, *info->scenario}) &&
              describe_sections(w, info->robot) && describe_joints(w, info->robot) &&
              describe_bodies(w, info->robot) && describe_actuators(w, info->robot) &&
              describe_shapes(w, info->robot) &&
              h5_put_document(w->file, "/robot_file", td_robot_source(info->robot));
    if (group >= 0) H5Gclose(group);
    return ok ? TD_OK : h5_error(err, w->path, "cannot write the result file");
}

// ---------------------------------------------------------------- rows
// The first n of the buffered rows.
static bool write_series(result_writer *w, int i, int n) {
    const result_series *s = &w->layout->series[i];
    for (int k = 0; k < n; k++)
        memcpy(w->gathered + k * s->width, w->rows + k * w->layout->width + s->offset,
               sizeof(double) * (size_t)s->width);
    hsize_t rows = (hsize_t)n;
    hsize_t size[3] = {w->written + rows, (hsize_t)s->dims[0], (hsize_t)s->dims[1]};
    hsize_t start[3] = {w->written, 0, 0}, count[3] = {rows, size[1], size[2]};
    if (H5Dset_extent(w->sets[i], size) < 0) return false;
    hid_t to = H5Dget_space(w->sets[i]), from = H5Screate_simple(1 + s->n_dims, count, NULL);
    bool ok = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(w->sets[i], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, w->gathered) >= 0;
    H5Sclose(from);
    H5Sclose(to);
    return ok;
}

static const char *file_of(const result_writer *w) {
    return w->in_place ? w->path : w->beside;
}

static td_status broken(result_writer *w, td_error *err) {
    w->failed = true;
    return h5_error(err, w->path, "cannot write the result file");
}

// The tables of an older result go with it, and what it would have gone on from.
static void clear_older(const result_writer *w) {
    char folder[PATH_BYTES], inner[PATH_BYTES + 16];
    folder_holding(w->path, folder, sizeof folder);
    snprintf(inner, sizeof inner, "%s/" KEPT_FILE, folder);
    if (!w->continues && access(inner, F_OK) == 0 && is_own_file(inner)) unlink(inner);
    snprintf(inner, sizeof inner, "%s/vtk", folder);
    written_remove(folder);
    written_remove(inner);
    rmdir(inner);  // stays when it holds something else
}

// There are records: the new result takes the place of an older one.
static td_status take_place(result_writer *w, td_error *err) {
    if (w->in_place || (w->continues && !w->copied)) return TD_OK;
    if (rename(w->beside, w->path) != 0) {
        w->cut = true;
        return error_set(err, TD_ERR_FILE, w->path, "cannot be replaced: %s", strerror(errno));
    }
    w->in_place = true;
    clear_older(w);
    return TD_OK;
}

// Time (series 0) goes last: a file cut short never names a time whose data is missing.
static td_status write_rows(result_writer *w, int n, td_error *err) {
    bool ok = true;
    for (int i = w->layout->n_series - 1; ok && i >= 0; i--) ok = write_series(w, i, n);
    if (!ok || H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0) return broken(w, err);
    w->written += (hsize_t)n;
    w->last_time = w->rows[(size_t)(n - 1) * (size_t)w->layout->width];
    w->held -= n;
    return take_place(w, err);
}

// Where there is no room for all rows, those that fit are the last ones.
static td_status write_what_fits(result_writer *w, td_error *err) {
    double fit = floor((room_for(file_of(w)) - w->reserve) / (8.0 * w->layout->width));
    int n = fit < 1 ? 0 : fit < w->held ? (int)fit : w->held - 1;
    td_status status = n ? write_rows(w, n, err) : TD_OK;
    w->cut = true;
    return status;
}

td_status result_flush(result_writer *w, td_error *err) {
    if (w->failed || w->cut) return TD_ERR_FILE;
    w->last_flush = wall_clock();
    if (w->held == 0) return TD_OK;
    double bytes = 8.0 * w->held * w->layout->width + w->reserve;
    td_status status = check_room(file_of(w), w->path, bytes, err);
    if (status == TD_OK) return write_rows(w, w->held, err);
    write_what_fits(w, NULL);
    return status;
}

td_status result_add(result_writer *w, const double *row, td_error *err) {
    if (w->failed || w->cut) return TD_ERR_FILE;
    const size_t width = (size_t)w->layout->width;
    memcpy(w->rows + (size_t)w->held * width, row, sizeof *row * width);
    w->digest = hash_bytes(w->digest, row, sizeof *row * width);
    w->held++;
    if (w->held == w->capacity || wall_clock() - w->last_flush > FLUSH_EVERY)
        return result_flush(w, err);
    return TD_OK;
}

result_kept result_kept_of(const result_writer *w) {
    return (result_kept){(long)w->written, w->last_time};
}

td_status result_put_state(result_writer *w, const td_system *system, const td_state *state,
                           td_error *err) {
    if (w->failed || w->cut) return TD_ERR_FILE;
    double bytes = (double)td_snapshot_bytes(system) + BASIC_BYTES;
    td_status status = check_room(file_of(w), w->path, bytes, err);
    if (status < 0) w->cut = true;
    else if ((status = h5_put_state(w->file, w->path, system, state, err)) < 0) w->failed = true;
    return status;
}

// What could not be written is not called finished, whoever says so.
static bool put_ending(result_writer *w, const char *ending) {
    return h5_put_text(w->file, "ending",
                       w->cut ? "cut off: there was no room to write" : ending) &&
           H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0;
}

td_status result_close(result_writer *w, const char *ending, td_error *err) {
    td_status status = result_flush(w, err);
    if (!w->failed && !put_ending(w, ending)) {
        td_status ended = broken(w, status < 0 ? NULL : err);
        status = status < 0 ? status : ended;
    }
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", w->path);
    if (!release(w) && status == TD_OK)
        status = h5_error(err, path, "cannot write the result file");
    return status;
}

// ---------------------------------------------------------------- going on
run_mark run_mark_of(const result_writer *w, const recorder *r, long step) {
    return (run_mark){step,           (long)w->written, w->digest,  r->iterations,
                      r->evaluations, r->fallbacks,     r->residual};
}

// Rows [first, first + n) of one series, into its columns of the buffer.
static bool fetch_series(result_writer *w, hid_t file, int i, hsize_t first, int n) {
    const result_series *s = &w->layout->series[i];
    hsize_t rows, width, start[3] = {first, 0, 0};
    hsize_t count[3] = {(hsize_t)n, (hsize_t)s->dims[0], (hsize_t)s->dims[1]};
    if (!h5_size(file, s->path, &rows, &width) || rows < first + (hsize_t)n ||
        width != (hsize_t)s->width)
        return false;
    hid_t set = H5Dopen2(file, s->path, H5P_DEFAULT);
    hid_t from = H5Dget_space(set), to = H5Screate_simple(1 + s->n_dims, count, NULL);
    bool ok = H5Sget_simple_extent_ndims(from) == 1 + s->n_dims &&
              H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(set, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, w->gathered) >= 0;
    H5Sclose(to);
    H5Sclose(from);
    H5Dclose(set);
    for (int k = 0; ok && k < n; k++)
        memcpy(w->rows + k * w->layout->width + s->offset, w->gathered + k * s->width,
               sizeof(double) * (size_t)s->width);
    return ok;
}

static bool fetch(result_writer *w, hid_t file, hsize_t first, int n) {
    for (int i = 0; i < w->layout->n_series; i++)
        if (!fetch_series(w, file, i, first, n)) return false;
    return true;
}

// All rows through the buffer in turn, to `take`; false when they cannot be read.
typedef bool row_taker(result_writer *w, int n, void *data);

static bool read_rows(result_writer *w, const char *path, long records, row_taker *take,
                      void *data) {
    char name[PATH_BYTES];
    hid_t file = h5_open(path, name, sizeof name, NULL);
    bool ok = file >= 0;
    for (long k = 0; ok && k < records; k += w->capacity) {
        long left = records - k;
        int n = left < w->capacity ? (int)left : w->capacity;
        ok = fetch(w, file, (hsize_t)k, n) && take(w, n, data);
    }
    if (file >= 0) H5Fclose(file);
    return ok;
}

static bool digest_rows(result_writer *w, int n, void *digest) {
    size_t bytes = sizeof(double) * (size_t)n * (size_t)w->layout->width;
    *(hash *)digest = hash_bytes(*(hash *)digest, w->rows, bytes);
    return true;
}

static bool keep_rows(result_writer *w, int n, void *err) {
    w->held = n;
    return result_flush(w, err) == TD_OK;
}

typedef struct older {
    result_writer *w;
    const char *path;
    const run_mark *mark;
} older;

static td_status is_followed(void *data, td_error *err) {
    const older *o = data;
    hash digest = HASH_START;
    if (read_rows(o->w, o->path, o->mark->records, digest_rows, &digest) &&
        digest == o->mark->digest)
        return TD_OK;
    return error_set(err, TD_ERR_FILE, o->path,
                     "its first %ld records are not those that " KEPT_FILE " follows, or are "
                     "damaged; start anew without --resume",
                     o->mark->records);
}

td_status result_continue(result_writer *w, const char *path, const run_mark *mark, td_error *err) {
    older o = {w, path, mark};
    td_status status = guard_look(is_followed, &o, path, err);
    if (status < 0) return status;
    td_error reason = {0};
    w->continues = true;
    bool ok = read_rows(w, path, mark->records, keep_rows, &reason);
    w->digest = mark->digest;
    if (!ok && reason.status == TD_OK) return h5_error(err, path, "cannot be read");
    if (!ok) return error_set(err, TD_ERR_FILE, reason.where, "%s", reason.message);
    w->copied = true;
    return take_place(w, err);
}

// ---------------------------------------------------------------- has it ended?
typedef struct question {
    const char *path, *source;
} question;

static td_status look_for_end(void *data, td_error *err) {
    (void)err;
    const question *q = data;
    char name[PATH_BYTES], ending[64];
    h5_silence();
    hid_t file = h5_open(q->path, name, sizeof name, NULL);
    if (file < 0) return TD_ERR_FILE;
    h5_get_text(file, "ending", ending, sizeof ending);
    char *source = h5_get_document(file, "/robot_file");
    bool same = source && !strcmp(source, q->source) && !strcmp(ending, "finished");
    free(source);
    H5Fclose(file);
    return same ? TD_OK : TD_ERR_VALUE;
}

bool result_is_finished(const char *path, const td_robot *robot) {
    question q = {path, td_robot_source(robot)};
    return guard_look(look_for_end, &q, path, NULL) == TD_OK;
}
