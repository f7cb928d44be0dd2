// Snapshots of a state on disk: in files of their own, and inside results.
#include "io/state_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/guard.h"

enum { PATH_BYTES = 512 };

// ---------------------------------------------------------------- writing
static bool write_bytes(hid_t file, const void *bytes, size_t n, double time, const char *model) {
    hsize_t size = n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set =
        H5Dcreate2(file, "/state", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 &&
              H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0 &&
              h5_put_text(set, "model", model) && h5_put_number(set, "time", time) &&
              h5_put_text(set, "description", "snapshot to continue from, not to be interpreted");
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

td_status h5_put_state(hid_t file, const char *path, const td_system *system, const td_state *state,
                       td_error *err) {
    size_t n = td_snapshot_bytes(system);
    void *bytes = malloc(n ? n : 1);
    if (!bytes) return error_set(err, TD_ERR_MEMORY, path, "out of memory for the state");
    td_status status = td_state_save(system, state, bytes, n);
    if (status < 0) {
        error_set(err, status, path, "the state cannot be saved (%s)", status_words(status));
    } else if (!write_bytes(file, bytes, n, td_get_time(system, state),
                            td_system_options(system)->model)) {
        status = h5_error(err, path, "cannot write the state");
    }
    free(bytes);
    return status;
}

static bool put_hash(hid_t file, const char *name, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return h5_put_text(file, name, text);
}

static bool put_mark(hid_t file, const run_mark *m, uint64_t robot) {
    return h5_put_number(file, "step", (double)m->step) &&
           h5_put_number(file, "records", (double)m->records) &&
           put_hash(file, "digest", m->digest) && put_hash(file, "robot", robot) &&
           h5_put_number(file, "iterations", (double)m->iterations) &&
           h5_put_number(file, "evaluations", (double)m->evaluations) &&
           h5_put_number(file, "fallbacks", (double)m->fallbacks) &&
           h5_put_number(file, "residual", m->residual);
}

static bool describe(hid_t file, const char *format) {
    return h5_put_text(file, "format", format) &&
           h5_put_integer(file, "format_version", RESULT_FORMAT) &&
           h5_put_text(file, "tendril_version", td_version());
}

// A state alone, or with the mark of a run of this robot file.
typedef struct state_content {
    const td_system *system;
    const td_state *state;
    const run_mark *mark;
    uint64_t robot;
} state_content;

static td_status write_file(const char *name, const char *path, const state_content *content,
                            td_error *err) {
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return h5_error(err, path, "cannot write the state file");
    bool ok = describe(file, content->mark ? "tendril kept" : "tendril state") &&
              (!content->mark || put_mark(file, content->mark, content->robot));
    td_status status = ok ? h5_put_state(file, path, content->system, content->state, err)
                          : h5_error(err, path, "cannot write the state file");
    if (status == TD_OK && H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
        status = h5_error(err, path, "cannot write the state file");
    if (H5Fclose(file) < 0 && status == TD_OK)
        status = h5_error(err, path, "cannot write the state file");
    return status;
}

// A link, or what is not a plain file, is written through; anything else beside, then renamed.
static bool is_written_through(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static td_status write_beside(const char *path, const char *beside, const state_content *content,
                              td_error *err) {
    td_status status = write_file(beside, path, content, err);
    if (status == TD_OK && rename(beside, path) != 0)
        status =
            error_set(err, TD_ERR_FILE, path, "cannot write the state file: %s", strerror(errno));
    if (status < 0) unlink(beside);
    return status;
}

// Something else stands under this name: a robot file, a thesis.
static bool is_foreign(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
           !is_own_file(path);
}

static td_status write_content(const char *path, const state_content *content, td_error *err) {
    char beside[PATH_BYTES + sizeof BESIDE];
    h5_silence();
    if (is_foreign(path))
        return error_set(err, TD_ERR_VALUE, path,
                         "there is a file that this program did not write, so it is left alone; "
                         "give another name");
    if ((size_t)snprintf(beside, sizeof beside, "%s" BESIDE, path) >= sizeof beside)
        return error_set(err, TD_ERR_FILE, path, "the path is longer than %d bytes", PATH_BYTES);
    if (is_written_through(path)) return write_file(path, path, content, err);
    return write_beside(path, beside, content, err);
}

td_status state_write(const char *path, const td_system *system, const td_state *state,
                      td_error *err) {
    return write_content(path, &(state_content){.system = system, .state = state}, err);
}

static uint64_t robot_hash(const td_robot *robot) {
    const char *text = td_robot_source(robot);
    return hash_bytes(HASH_START, text, strlen(text));
}

static void kept_path(const char *folder, char *path) {
    snprintf(path, PATH_BYTES, "%s/" KEPT_FILE, folder);
}

td_status kept_write(const char *folder, const run_mark *mark, const td_robot *robot,
                     const td_system *system, const td_state *state, td_error *err) {
    char path[PATH_BYTES];
    kept_path(folder, path);
    return write_content(path, &(state_content){system, state, mark, robot_hash(robot)}, err);
}

// ---------------------------------------------------------------- reading
typedef struct state_block {
    unsigned char *bytes;  // malloc
    size_t n;
    char model[32], version[32];
    bool has_mark;
    run_mark mark;
    uint64_t robot;
} state_block;

static bool get_long(hid_t file, const char *name, long *value) {
    double number;
    if (!h5_get_number(file, name, &number) || !(number >= 0 && number < 9e15)) return false;
    *value = (long)number;
    return true;
}

static bool get_hash(hid_t file, const char *name, uint64_t *value) {
    char text[24];
    return h5_get_text(file, name, text, sizeof text) && sscanf(text, "%" SCNx64, value) == 1;
}

static bool get_mark(hid_t file, run_mark *m, uint64_t *robot) {
    return get_long(file, "step", &m->step) && get_long(file, "records", &m->records) &&
           get_hash(file, "digest", &m->digest) && get_hash(file, "robot", robot) &&
           get_long(file, "iterations", &m->iterations) &&
           get_long(file, "evaluations", &m->evaluations) &&
           get_long(file, "fallbacks", &m->fallbacks) &&
           h5_get_number(file, "residual", &m->residual);
}

static td_status read_block(hid_t file, const char *path, state_block *block, td_error *err) {
    hsize_t n, width;
    if (!h5_size(file, "/state", &n, &width) || width != 1)
        return error_set(err, TD_ERR_FILE, path, "it holds no state to start from");
    hid_t set = H5Dopen2(file, "/state", H5P_DEFAULT);
    td_status status = TD_OK;
    block->n = (size_t)n;
    block->bytes = malloc((size_t)n + 1);
    h5_get_text(set, "model", block->model, sizeof block->model);
    if (!block->bytes) status = error_set(err, TD_ERR_MEMORY, path, "out of memory for the state");
    else if (H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, block->bytes) < 0)
        status = h5_error(err, path, "the state cannot be read");
    H5Dclose(set);
    return status;
}

static td_status read_file(const char *path, char *name, state_block *block, td_error *err) {
    hid_t file = h5_open(path, name, PATH_BYTES, err);
    if (file < 0) return TD_ERR_FILE;
    td_status status = read_block(file, name, block, err);
    h5_get_text(file, "tendril_version", block->version, sizeof block->version);
    block->has_mark = get_mark(file, &block->mark, &block->robot);
    H5Fclose(file);
    return status;
}

static td_status try_to_read(void *path, td_error *err) {
    char name[PATH_BYTES];
    state_block block = {0};
    return read_file(path, name, &block, err);
}

static td_status restore(const state_block *block, const char *path, const td_system *system,
                         td_state *state, td_error *err) {
    td_status status = block->n == td_snapshot_bytes(system)
                           ? td_state_restore(system, state, block->bytes, block->n)
                           : TD_ERR_ARGUMENT;
    if (status == TD_ERR_ARGUMENT)
        return error_set(err, TD_ERR_VALUE, path,
                         "the state does not fit this robot and its options: it was saved with "
                         "model %s by parts, nodes, schemes or a version (%s) that differ",
                         block->model, block->version);
    if (status < 0)
        return error_set(err, TD_ERR_FILE, path, "the state in it is damaged: %s",
                         td_message(state));
    return TD_OK;
}

static td_status load_block(const char *path, char *name, state_block *block, td_error *err) {
    result_file_path(path, name, PATH_BYTES);
    td_status status = guard_look(try_to_read, (void *)(size_t)path, name, err);
    return status < 0 ? status : read_file(path, name, block, err);
}

td_status state_load(const char *path, const td_system *system, td_state *state, td_error *err) {
    char name[PATH_BYTES];
    state_block block = {0};
    td_status status = load_block(path, name, &block, err);
    if (status == TD_OK) status = restore(&block, name, system, state, err);
    free(block.bytes);
    return status;
}

td_status kept_read(const char *folder, run_mark *mark, const td_robot *robot,
                    const td_system *system, td_state *state, td_error *err) {
    char path[PATH_BYTES], name[PATH_BYTES];
    state_block block = {0};
    kept_path(folder, path);
    td_status status = load_block(path, name, &block, err);
    if (status == TD_OK && !block.has_mark)
        status = error_set(err, TD_ERR_FILE, path, "the file is damaged, or not of this program");
    if (status == TD_OK && block.robot != robot_hash(robot))
        status = error_set(err, TD_ERR_VALUE, path,
                           "the run that was begun here had another robot file or other --set; "
                           "give the same, or start anew without --resume");
    if (status == TD_OK) status = restore(&block, path, system, state, err);
    *mark = block.mark;
    free(block.bytes);
    return status;
}
