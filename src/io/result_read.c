// Reading result.h5 back, whole, for figures and tables.
#include "io/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/guard.h"
#include "io/h5.h"
#include "io/layout.h"
#include "math/pi.h"
#include "robot/facts.h"

void result_file_path(const char *path, char *file, size_t size) {
    struct stat info;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    size_t length = strlen(path);
    bool slash = length > 0 && path[length - 1] == '/';
    snprintf(file, size, "%s%s", path, !folder ? "" : slash ? "result.h5" : "/result.h5");
}

// ---------------------------------------------------------------- numbers
// The first `rows` rows of `width` numbers, or NULL.
static double *read_rows(hid_t file, const char *path, hsize_t rows, hsize_t width) {
    hsize_t found_rows, found_width;
    if (!h5_size(file, path, &found_rows, &found_width)) return NULL;
    if (found_rows < rows || found_width != width || rows * width == 0) return NULL;
    double *values = malloc(sizeof *values * (size_t)(found_rows * width));
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    bool ok = values && set >= 0 &&
              H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0) H5Dclose(set);
    if (ok) return values;
    free(values);
    return NULL;
}

// ---------------------------------------------------------------- groups
static hsize_t group_size(hid_t file, const char *path) {
    H5G_info_t info;
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0 ||
        H5Gget_info_by_name(file, path, &info, H5P_DEFAULT) < 0)
        return 0;
    return info.nlinks;
}

// Path of the k-th member in order of creation.
static bool member_path(hid_t file, const char *group, hsize_t k, char *path, size_t size) {
    char link[160];
    if (H5Lget_name_by_idx(file, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, k, link, sizeof link,
                           H5P_DEFAULT) < 0)
        return false;
    snprintf(path, size, "%s/%s", group, link);
    return true;
}

static bool get_text_at(hid_t file, const char *path, const char *name, char *text, size_t size) {
    text[0] = '\0';
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0) return false;
    bool ok = h5_get_text(object, name, text, size);
    H5Oclose(object);
    return ok;
}

static void get_number_at(hid_t file, const char *path, const char *name, double *value) {
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0) return;
    if (!h5_get_number(object, name, value)) *value = 0.0;
    H5Oclose(object);
}

// One member of a group, into an element of a list.
typedef bool member_reader(hid_t file, const char *group, int n_times, void *to);

// All of them, unless something is damaged: then *ok is false. *n counts those that must be freed.
static void *read_members(hid_t file, const char *group, int n_times, member_reader *read,
                          size_t size, int *n, bool *ok) {
    const hsize_t members = group_size(file, group);
    char *list = calloc((size_t)members + 1, size), path[256];
    *ok = *ok && list;
    for (hsize_t k = 0; *ok && k < members; k++)
        *ok = member_path(file, group, k, path, sizeof path) &&
              read(file, path, n_times, list + (size_t)(*n)++ * size);
    return list;
}

// All of a rod, unless it says which part.
static void read_growth(hid_t file, const char *group, result_rod *rod) {
    fed_stretch g = {0.0, 0.0};
    get_number_at(file, group, "grows_from", &g.from);
    get_number_at(file, group, "grows_to", &g.to);
    const bool told = g.from >= 0.0 && g.from < g.to && g.to <= rod->length;
    rod->grows = told ? g : (fed_stretch){0.0, rod->length};
}

static bool read_rod(hid_t file, const char *group, int n_times, void *to) {
    result_rod *rod = to;
    char path[320];
    hsize_t points, width;
    snprintf(path, sizeof path, "%s/s", group);
    if (!h5_size(file, path, &points, &width) || points < 1 || width != 1) return false;
    rod->n_points = (int)points;
    rod->s = read_rows(file, path, points, 1);
    if (!rod->s) return false;
    get_text_at(file, group, "name", rod->name, sizeof rod->name);
    get_text_at(file, group, "base_body", rod->base_body, sizeof rod->base_body);
    get_text_at(file, group, "tip_body", rod->tip_body, sizeof rod->tip_body);
    rod->length = rod->s[points - 1];
    read_growth(file, group, rod);
    snprintf(path, sizeof path, "%s/radius", group);
    rod->radius = read_rows(file, path, points, 1);
    get_number_at(file, group, "envelope", &rod->envelope);
    snprintf(path, sizeof path, "%s/length", group);
    rod->length_now = read_rows(file, path, (hsize_t)n_times, 1);
    for (int i = 0; i < n_rod_fields; i++) {
        const field *f = &rod_fields[i];
        snprintf(path, sizeof path, "%s/%s", group, f->name);
        *rod_field(rod, f) =
            read_rows(file, path, (hsize_t)n_times, points * (hsize_t)f->components);
    }
    snprintf(path, sizeof path, "%s/base_reaction", group);
    rod->base_reaction = read_rows(file, path, (hsize_t)n_times, 6);
    snprintf(path, sizeof path, "%s/tip_reaction", group);
    rod->tip_reaction = read_rows(file, path, (hsize_t)n_times, 6);
    return true;
}

// ---------------------------------------------------------------- actuators, bodies
typedef struct column {
    const char *name;
    int width;
    double **values;
} column;

// All of a group's columns; false when one is missing.
static bool read_columns(hid_t file, const char *group, int n_times, const column *columns, int n) {
    for (int i = 0; i < n; i++) {
        char path[320];
        snprintf(path, sizeof path, "%s/%s", group, columns[i].name);
        *columns[i].values = read_rows(file, path, (hsize_t)n_times, (hsize_t)columns[i].width);
        if (!*columns[i].values) return false;
    }
    return true;
}

static bool read_path(hid_t file, const char *group, int n_times, result_actuator *a) {
    char path[320];
    hsize_t rows, width;
    snprintf(path, sizeof path, "%s/path", group);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return true;
    if (!h5_size(file, path, &rows, &width) || width % 3) return false;
    a->n_points = (int)(width / 3);
    a->path = read_rows(file, path, (hsize_t)n_times, width);
    return a->path != NULL;
}

static bool read_actuator(hid_t file, const char *group, int n_times, result_actuator *a) {
    get_text_at(file, group, "name", a->name, sizeof a->name);
    get_text_at(file, group, "rod", a->rod, sizeof a->rod);
    get_number_at(file, group, "from", &a->from);
    get_number_at(file, group, "to", &a->to);
    get_number_at(file, group, "offset_x", &a->offset[0]);
    get_number_at(file, group, "offset_y", &a->offset[1]);
    for (int k = 0; k < a->kind->n_recorded; k++) {
        const td_actuator_quantity *q = &a->kind->recorded[k];
        const column c = {q->name, 1, &a->values[value_number(q)]};
        if (!read_columns(file, group, n_times, &c, 1)) return false;
    }
    return read_path(file, group, n_times, a);
}

static bool read_body(hid_t file, const char *group, int n_times, void *to) {
    result_body *b = to;
    const column columns[] = {{"position", 3, &b->position},
                              {"orientation", 4, &b->orientation},
                              {"velocity", 6, &b->velocity},
                              {"attached", 1, &b->attached}};
    char rod[128];
    get_text_at(file, group, "name", b->name, sizeof b->name);
    b->free = !get_text_at(file, group, "rides_on", rod, sizeof rod);
    get_text_at(file, group, "held_by", b->held_by, sizeof b->held_by);
    get_number_at(file, group, "radius", &b->radius);
    get_number_at(file, group, "height", &b->height);
    char path[320];
    snprintf(path, sizeof path, "%s/reaction", group);
    b->reaction = read_rows(file, path, (hsize_t)n_times, 6);
    snprintf(path, sizeof path, "%s/hold_reaction", group);
    b->hold_reaction = read_rows(file, path, (hsize_t)n_times, 6);
    return read_columns(file, group, n_times, columns, 4);
}

static bool read_obstacle(hid_t file, const char *group, int n_times, void *to) {
    result_obstacle *o = to;
    const column columns[] = {{"position", 3, &o->position},
                              {"orientation", 4, &o->orientation},
                              {"wrench", 6, &o->wrench}};
    get_text_at(file, group, "name", o->name, sizeof o->name);
    return read_columns(file, group, n_times, columns, 3);
}

static bool read_input(hid_t file, const char *path, int n_times, void *to) {
    result_input *input = to;
    get_text_at(file, path, "name", input->name, sizeof input->name);
    get_text_at(file, path, "unit", input->unit, sizeof input->unit);
    input->value = read_rows(file, path, (hsize_t)n_times, 1);
    return input->value != NULL;
}

bool result_rod_find_sides(result_rod *rod, const td_robot *robot, int index) {
    bool rectangle = true;
    double *sides = malloc(sizeof *sides * 2 * (size_t)rod->n_points);
    for (int i = 0; sides && i < rod->n_points; i++) {
        const td_section at = td_robot_section(robot, index, rod->s[i]);
        rectangle = rectangle && at.shape == TD_SECTION_RECTANGLE;
        sides[2 * i] = at.width, sides[2 * i + 1] = at.height;
    }
    if (sides && rectangle) {
        rod->sides = sides;
        return true;
    }
    free(sides);
    return sides || rod->n_points == 0;
}

static void find_look(result_rod *rod, const td_robot *robot) {
    for (int k = 0; k < robot->n_rods && !rod->sides; k++) {
        if (strcmp(rod->name, robot->rods[k].name) != 0) continue;
        rod->free = robot->rods[k].base.joint == TD_FREE;
        result_rod_find_sides(rod, robot, k);
    }
}

static void find_looks(result *r) {
    for (int i = 0; i < r->n_rods; i++) find_look(&r->rods[i], r->description);
    for (int i = 0; i < r->n_actuators; i++) {
        result_actuator *a = &r->actuators[i];
        for (int k = 0; k < r->description->n_actuators; k++) {
            const actuator_facts f = actuator_facts_of(r->description, k);
            if (f.kind == a->kind && !strcmp(f.name, a->name)) a->radius = sqrt(f.area / PI);
        }
    }
}

// Records tell where parts were, the robot file what they look like.
static void find_shapes(hid_t file, result *r) {
    if (!r->robot_file) return;
    const bool own = H5Lexists(file, "/robot_whole", H5P_DEFAULT) > 0;
    char *whole = own ? h5_get_document(file, "/robot_whole") : NULL;
    const char *text = whole ? whole : r->robot_file;
    r->description = td_robot_parse(text, strlen(text), r->path, NULL, 0, NULL);
    free(whole);
    if (r->description) find_looks(r);
    for (int i = 0; r->description && i < r->n_obstacles; i++) {
        const int k = find_obstacle(r->description, r->obstacles[i].name);
        if (k >= 0) r->obstacles[i].shape = &r->description->obstacles[k].def;
    }
}

static bool read_actuators(hid_t file, result *r) {
    hsize_t n = 0;
    char all[64], path[256];
    const td_actuator_kind *kind;
    for (int i = 0; (kind = td_actuator_kind_at(i)); i++) {
        snprintf(all, sizeof all, "/%s", kind->plural);
        n += group_size(file, all);
    }
    r->actuators = calloc((size_t)n + 1, sizeof *r->actuators);
    bool ok = r->actuators != NULL;
    for (int i = 0; ok && (kind = td_actuator_kind_at(i)); i++) {
        snprintf(all, sizeof all, "/%s", kind->plural);
        for (hsize_t k = 0; ok && k < group_size(file, all); k++) {
            r->actuators[r->n_actuators].kind = kind;
            ok = member_path(file, all, k, path, sizeof path) &&
                 read_actuator(file, path, r->n_times, &r->actuators[r->n_actuators++]);
        }
    }
    return ok;
}

static void read_scalars(hid_t file, result *r) {
    hsize_t n = (hsize_t)r->n_times;
    for (int i = 0; i < N_ENERGY; i++) {
        char path[64];
        snprintf(path, sizeof path, "/energy/%s", energy_names[i]);
        r->energy[i] = read_rows(file, path, n, 1);
    }
    r->iterations = read_rows(file, "/solver/iterations", n, 1);
    r->evaluations = read_rows(file, "/solver/evaluations", n, 1);
    r->residual = read_rows(file, "/solver/residual", n, 1);
}

// ---------------------------------------------------------------- the whole
// "results/arm/result.h5" and "results/arm" are both labelled "arm".
static void label_of(const char *file, char *label, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s", file);
    char *slash = strrchr(path, '/');
    if (slash && !strcmp(slash, "/result.h5")) *slash = '\0';
    char *end = path + strlen(path);
    while (end > path + 1 && end[-1] == '/') *--end = '\0';
    slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    snprintf(label, size, "%.*s", (int)size - 1, name);
}

static td_status read_all(hid_t file, result *r, td_error *err) {
    char format[32];
    if (!h5_get_text(file, "format", format, sizeof format) || strcmp(format, "tendril result"))
        return error_set(err, TD_ERR_FILE, r->path, "not a result of this program%s",
                         !strcmp(format, "tendril state") ? ": it holds only a state" : "");
    double version = 0.0;
    h5_get_number(file, "format_version", &version);
    if (version != RESULT_FORMAT)
        return error_set(err, TD_ERR_FILE, r->path, "format version %g; this program reads %d",
                         version, RESULT_FORMAT);
    h5_get_text(file, "robot", r->robot, sizeof r->robot);
    h5_get_text(file, "model", r->model, sizeof r->model);
    h5_get_text(file, "tendril_version", r->version, sizeof r->version);
    h5_get_text(file, "ending", r->ending, sizeof r->ending);
    hsize_t rows = 0, width = 0;
    if (!h5_size(file, "/time", &rows, &width) || rows == 0)
        return error_set(err, TD_ERR_FILE, r->path, "it holds no record yet");
    r->n_times = (int)rows;
    r->time = read_rows(file, "/time", rows, 1);
    const int n = r->n_times;
    bool ok = r->time && read_actuators(file, r);
    r->rods = read_members(file, "/rods", n, read_rod, sizeof *r->rods, &r->n_rods, &ok);
    r->bodies = read_members(file, "/bodies", n, read_body, sizeof *r->bodies, &r->n_bodies, &ok);
    r->obstacles = read_members(file, "/obstacles", n, read_obstacle, sizeof *r->obstacles,
                                &r->n_obstacles, &ok);
    r->inputs = read_members(file, "/inputs", n, read_input, sizeof *r->inputs, &r->n_inputs, &ok);
    r->sensors =
        read_members(file, "/sensors", n, read_input, sizeof *r->sensors, &r->n_sensors, &ok);
    if (!ok) return error_set(err, TD_ERR_FILE, r->path, "the file is damaged or incomplete");
    read_scalars(file, r);
    r->robot_file = h5_get_document(file, "/robot_file");
    find_shapes(file, r);
    return TD_OK;
}

static result *read_result(const char *path, td_error *err) {
    result *r = calloc(1, sizeof *r);
    if (!r) {
        error_set(err, TD_ERR_MEMORY, path, "out of memory");
        return NULL;
    }
    hid_t file = h5_open(path, r->path, sizeof r->path, err);
    if (file < 0) {
        free(r);
        return NULL;
    }
    label_of(r->path, r->label, sizeof r->label);
    td_status status = read_all(file, r, err);
    H5Fclose(file);
    if (status == TD_OK) return r;
    result_destroy(r);
    return NULL;
}

static td_status try_to_read(void *path, td_error *err) {
    result *r = read_result(path, err);
    result_destroy(r);
    return r ? TD_OK : TD_ERR_FILE;
}

// The child does what is done here, with the same memory: what does not crash there does not here.
result *result_read(const char *path, td_error *err) {
    char file[512];
    result_file_path(path, file, sizeof file);
    if (guard_look(try_to_read, (void *)(size_t)path, file, err) < 0) return NULL;
    return read_result(path, err);
}

double rod_point(const result_rod *rod, int record, int i) {
    if (!rod->length_now || i == 0) return rod->s[i];
    const double now = rod->length_now[record];
    return i == rod->n_points - 1 ? now : fed_place(rod->grows, rod->s[i], now - rod->length);
}

static void free_parts(result *r) {
    for (int i = 0; i < r->n_actuators; i++) {
        for (int k = 0; k < N_VALUES; k++) free(r->actuators[i].values[k]);
        free(r->actuators[i].path);
    }
    for (int i = 0; i < r->n_bodies; i++) {
        free(r->bodies[i].position);
        free(r->bodies[i].orientation);
        free(r->bodies[i].velocity);
        free(r->bodies[i].attached);
        free(r->bodies[i].reaction);
        free(r->bodies[i].hold_reaction);
    }
    free(r->actuators);
    free(r->bodies);
    for (int i = 0; i < r->n_obstacles; i++) {
        free(r->obstacles[i].position);
        free(r->obstacles[i].orientation);
        free(r->obstacles[i].wrench);
    }
    free(r->obstacles);
}

void result_destroy(result *r) {
    if (!r) return;
    free_parts(r);
    for (int i = 0; i < r->n_rods; i++) {
        result_rod *rod = &r->rods[i];
        free(rod->s);
        free(rod->radius);
        free(rod->sides);
        free(rod->length_now);
        for (int k = 0; k < n_rod_fields; k++) free(*rod_field(rod, &rod_fields[k]));
        free(rod->base_reaction);
        free(rod->tip_reaction);
    }
    for (int i = 0; i < r->n_inputs; i++) free(r->inputs[i].value);
    for (int i = 0; i < r->n_sensors; i++) free(r->sensors[i].value);
    free(r->sensors);
    for (int i = 0; i < N_ENERGY; i++) free(r->energy[i]);
    free(r->rods);
    free(r->inputs);
    free(r->time);
    free(r->iterations);
    free(r->evaluations);
    free(r->residual);
    free(r->robot_file);
    td_robot_destroy(r->description);
    free(r);
}
