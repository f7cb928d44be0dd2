// robot/file.c - a robot from a file: text, tree, what it includes, overrides,
// and then every part in the order in which they need one another.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "robot/file_read.h"
#include "robot/units.h"

// ---------------------------------------------------------------- bytes and paths
static td_status check_file(FILE *file, const char *path, size_t *length, td_error *err) {
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return error_set(err, TD_ERR_FILE, path, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(info.st_mode)) return error_set(err, TD_ERR_FILE, path, "is a directory");
    if (!S_ISREG(info.st_mode)) return error_set(err, TD_ERR_FILE, path, "is not a plain file");
    if (info.st_size > (off_t)LARGEST_FILE)
        return error_set(err, TD_ERR_FILE, path, "is larger than %u MiB", LARGEST_FILE >> 20);
    *length = (size_t)info.st_size;
    return TD_OK;
}

td_status file_bytes(const char *path, char **bytes, size_t *length, td_error *err) {
    *bytes = NULL;
    // Without O_NONBLOCK a pipe would wait for a writer before it could be refused.
    int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) {
        error_set(err, TD_ERR_FILE, path, "cannot be opened: %s", strerror(errno));
        if (descriptor >= 0) close(descriptor);
        return TD_ERR_FILE;
    }
    td_status status = check_file(file, path, length, err);
    if (!status) *bytes = malloc(*length + 1);
    if (!status && !*bytes) status = error_set(err, TD_ERR_MEMORY, path, "out of memory");
    if (!status) {
        *length = fread(*bytes, 1, *length, file);
        (*bytes)[*length] = '\0';
        if (ferror(file)) status = error_set(err, TD_ERR_FILE, path, "cannot be read");
    }
    fclose(file);
    if (!status) return TD_OK;
    free(*bytes);
    *bytes = NULL;
    return status;
}

const char *directory_of(tree *t, const char *path) {
    const char *slash = strrchr(path, '/');
    return tree_text(t, path, slash ? (size_t)(slash - path) + 1 : 0);
}

td_status read_named_file(reader *r, const node *n, const char **path, char **text,
                          size_t *length) {
    td_status status = expect_scalar(r, n, "the path of a file");
    if (status) return status;
    const char *directory =
        n->source > 0 ? directory_of(r->t, r->t->files[n->source]) : r->directory;
    if (!directory)
        return REFUSE(n, "'%.60s' cannot be read: this text does not come from a file", n->text);
    if (n->text[0] == '/') directory = "";
    char *joined = tree_take(r->t, strlen(directory) + strlen(n->text) + 1);
    if (!joined) return out_of_memory(r, n);
    strcpy(stpcpy(joined, directory), n->text);
    *path = joined;
    td_error why;
    status = file_bytes(joined, text, length, &why);
    if (!status) return TD_OK;
    return node_error(r->t, n, false, r->err, status, "'%.100s' %s", joined, why.message);
}

// For the tree, which then reads it as part of the document.
static td_status open_included(void *opener, const node *n, char **text, size_t *length,
                               int *source) {
    reader *r = opener;
    if (r->t->n_more + 1 >= MOST_FILES)
        return REFUSE(n, "'%.60s' is one of more than %d files", n->text, MOST_FILES);
    *source = r->t->n_more + 1;
    td_status status = read_named_file(r, n, &r->t->files[*source], text, length);
    if (!status) r->t->n_more++;
    return status;
}

// ---------------------------------------------------------------- where a rule was broken
// By name, as "disc" for "disc3" of a row too, or by number or axis.
static node *item_at(const node *list, const char *element) {
    node *named = node_named(list, element);
    const int axis = axis_index(element);
    char row[256];
    size_t n = strlen(element);
    if (named) return named;
    while (n > 0 && element[n - 1] >= '0' && element[n - 1] <= '9') n--;
    if (axis >= 0 || n == 0) return node_at(list, axis >= 0 ? axis : atoi(element));
    snprintf(row, sizeof row, "%.*s", (int)n, element);
    return node_named(list, row);
}

// One step of the path of a refusal, from `at`. NULL: no such thing in the file.
static node *step_down(reader *r, node *at, const char *element) {
    if (at->kind == NODE_SCALAR) return axis_index(element) >= 0 ? at : NULL;
    if (at->kind == NODE_SEQUENCE) return item_at(at, element);
    node *child = node_child(at, element);
    // What a piece leaves out stands with its rod.
    bool piece = at->parent && at->parent->key && strcmp(at->parent->key, "pieces") == 0;
    if (!child && piece) child = node_child(at->parent->parent, element);
    // `end` is another word for `to`.
    if (!child && strcmp(element, "to") == 0) child = node_child(at, "end");
    bool material = child && strcmp(element, "material") == 0 && child->kind == NODE_SCALAR;
    if (material) child = node_child(node_child(r->root, "materials"), child->text);
    return child;
}

// Behind the first n elements of a path.
static char *behind(char *path, int n) {
    for (; path && n > 0; n--) {
        path = strchr(path, '.');
        if (path) path++;
    }
    return path;
}

void relocate(reader *r, node *part) {
    char path[sizeof r->err->where];
    memcpy(path, r->err->where, sizeof path);
    node *at = part ? part : r->root;
    char *rest = part ? behind(path, 2) : path;
    while (rest && *rest) {
        char *element = rest, *dot = strchr(rest, '.');
        if (dot) *dot = '\0';
        node *child = step_down(r, at, element);
        if (!child && strcmp(element, "pieces") == 0 && dot) {
            rest = behind(dot + 1, 1);  // the rod is written without pieces: skip their index too
            continue;
        }
        if (dot && !child) *dot = '.';
        if (!child) break;
        at = child;
        rest = dot ? dot + 1 : NULL;
    }
    node_place_error(r->t, at, rest, r->err);
}

typedef struct document {
    robot_document kept;
    tree t;
    node *root;
} document;

static void document_release(robot_document *kept) {
    document *d = (document *)kept;
    tree_free(&d->t);
    free(d);
}

static void document_locate(robot_document *kept, td_error *err) {
    document *d = (document *)kept;
    char first[sizeof err->where];
    memcpy(first, err->where, sizeof first);
    first[strcspn(first, ".")] = '\0';
    if (!first[0] || !node_child(d->root, first)) return;
    const td_error before = *err;
    reader r = {.t = &d->t, .err = err, .root = d->root};
    relocate(&r, NULL);
    if (err->line == 0) *err = before;  // said by an override
}

// ---------------------------------------------------------------- the whole document
static td_status set_plan(reader *r, const plan *p) {
    td_status status = options_validate(&p->options, r->err);
    if (!status) status = scenario_validate(&p->scenario, r->err);
    if (status) {
        relocate(r, NULL);
        return status;
    }
    r->robot->options = p->options;
    r->robot->scenario = p->scenario;
    return TD_OK;
}

static td_status check_whole(reader *r) {
    td_status status = robot_validate_whole(r->robot, r->err);
    if (status) relocate(r, NULL);
    return status;
}

static td_status read_document(reader *r) {
    root_draft draft = {.plan = default_plan()};
    td_status status = check_format(r, r->root);
    if (!status) status = read_constants(r, node_child(r->root, "let"));
    if (!status) status = read_mapping(r, r->root, &root_mapping, &draft);
    if (status) return status;
    if (draft.robot)
        return REFUSE(node_child(r->root, "robot"),
                      "the robot file cannot be chosen by an override");
    if (draft.name) status = td_robot_set_name(r->robot, draft.name, r->err);
    if (!status) status = set_plan(r, &draft.plan);
    if (!status) status = read_materials(r, draft.materials);
    if (!status) status = read_bodies(r, draft.bodies, false);
    if (!status) status = read_rods(r, draft.rods);
    if (!status) status = read_bodies(r, draft.bodies, true);
    if (!status) status = read_actuators(r, draft.actuators);
    if (!status) status = read_loads(r, draft.loads);
    if (!status) status = read_fields(r, draft.fields);
    if (!status) status = read_fluid(r, draft.fluid);
    if (!status) status = read_obstacles(r, draft.obstacles);
    if (!status) status = read_contacts(r, draft.contacts);
    if (!status) status = read_sensors(r, draft.sensors);
    if (!status) status = read_gravity(r, draft.gravity);
    if (!status) status = read_controllers(r, draft.controllers);
    if (!status) status = read_estimator(r, draft.estimator);
    if (!status) status = read_input_limits(r, draft.limits);
    if (!status) status = read_initial(r, &draft.initial);
    if (!status) status = check_inputs(r, draft.inputs);
    return status ? status : check_whole(r);
}

static td_status keep_source(reader *r, const char *text, size_t length) {
    if (r->rewritten) {
        r->robot->source = tree_write(r->root);
    } else if ((r->robot->source = malloc(length + 1))) {
        memcpy(r->robot->source, text, length);
        r->robot->source[length] = '\0';
    }
    return r->robot->source ? TD_OK : error_set(r->err, TD_ERR_MEMORY, NULL, "out of memory");
}

static td_status parse(reader *r, const char *text, size_t length, const char *name,
                       const char *const *sets, int n_sets) {
    if (name) r->directory = directory_of(r->t, name);
    if (name) r->robot->file = strdup(name);
    if (name && (!r->directory || !r->robot->file))
        return error_set(r->err, TD_ERR_MEMORY, name, "out of memory");
    r->t->open = open_included, r->t->opener = r;
    td_status status = tree_parse(r->t, text, length, 0, &r->root, r->err);
    if (!status) status = join_documents(r);
    if (!status) status = apply_overrides(r, sets, n_sets, true);
    if (!status) status = expand_repeats(r);
    if (!status) status = apply_overrides(r, sets, n_sets, false);
    if (!status) status = read_document(r);
    return status ? status : keep_source(r, text, length);
}

numerals plain_numerals(void) {
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return (numerals){plain, plain ? uselocale(plain) : (locale_t)0};
}

void restore_numerals(numerals n) {
    if (!n.plain) return;
    uselocale(n.before);
    freelocale(n.plain);
}

td_robot *robot_parse_asking(const char *text, size_t length, const char *name,
                             const char *const *sets, int n_sets, asked_unit *unit, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    *e = (td_error){.status = TD_OK};
    if (!text || n_sets < 0 || (n_sets > 0 && !sets)) {
        error_set(e, TD_ERR_ARGUMENT, name, "an argument is NULL");
        return NULL;
    }
    document *d = calloc(1, sizeof *d);
    td_robot *robot = td_robot_create();
    if (!d || !robot) {
        free(d);
        td_robot_destroy(robot);
        error_set(e, TD_ERR_MEMORY, name, "out of memory");
        return NULL;
    }
    d->kept = (robot_document){document_release, document_locate};
    robot->document = &d->kept;
    d->t.files[0] = name ? name : "text";
    reader r = {.t = &d->t, .err = e, .robot = robot, .owner = "", .unit = ""};
    r.asked = unit ? -n_sets : 0;

    const numerals before = plain_numerals();
    td_status status = parse(&r, text, length, name, sets, n_sets);
    restore_numerals(before);
    if (unit) *unit = (asked_unit){.found = r.answer != NULL};
    if (r.answer) snprintf(unit->text, sizeof unit->text, "%s", r.answer);
    d->root = r.root;
    d->t.files[0] = name ? robot->file : "text";
    if (!status) return robot;
    td_robot_destroy(r.robot);
    return NULL;
}

td_robot *td_robot_parse(const char *text, size_t length, const char *name, const char *const *sets,
                         int n_sets, td_error *err) {
    return robot_parse_asking(text, length, name, sets, n_sets, NULL, err);
}

td_robot *td_robot_load(const char *path, const char *const *sets, int n_sets, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    char *text;
    size_t length;
    if (!path) {
        error_set(e, TD_ERR_ARGUMENT, NULL, "the path is NULL");
        return NULL;
    }
    if (file_bytes(path, &text, &length, e)) return NULL;
    td_robot *robot = td_robot_parse(text, length, path, sets, n_sets, e);
    free(text);
    return robot;
}

// A quantity, or a formula of the constants of the file.
static td_status number_at(reader *r, const node *at, const char *path, double *value) {
    quantity q = {0};
    char why[UNITS_TEXT];
    bool is = at->kind == NODE_SCALAR && quantity_parse(at->text, &q, why);
    td_status status = TD_OK;
    if (!is && at->kind == NODE_SCALAR) {
        status = read_constants(r, node_child(r->root, "let"));
        if (!status) status = constant_formula(r, at, NULL, &is, &q);
    }
    if (status) return status;
    if (!is)
        return error_set(r->err, TD_ERR_VALUE, path, "'%.60s' is no plain number",
                         at->kind == NODE_SCALAR ? at->text : "a list or a mapping");
    *value = q.value;
    return TD_OK;
}

static td_status number_in(const char *text, const char *path, double *value, td_error *err) {
    tree t = {.files = {"robot"}};
    reader r = {.t = &t, .err = err, .owner = "", .unit = ""};
    td_status status = tree_parse(&t, text, strlen(text), 0, &r.root, err);
    char *copy = status ? NULL : tree_text(&t, path, strlen(path));
    const node *at = copy ? find_at_path(r.root, copy) : NULL;
    if (at) status = number_at(&r, at, path, value);
    else if (!status) status = error_set(err, TD_ERR_VALUE, path, "the file says nothing there");
    tree_free(&t);
    return status;
}

td_status td_robot_get_number(const td_robot *robot, const char *path, double *value,
                              td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    if (!robot || !path || !path[0])
        return error_set(e, TD_ERR_ARGUMENT, "path", "there is no path");
    char *written = robot->source ? NULL : td_robot_write(robot, NULL, NULL, e);
    const char *text = robot->source ? robot->source : written;
    if (!text) return TD_ERR_MEMORY;
    const numerals before = plain_numerals();
    const td_status status = number_in(text, path, value, e);
    restore_numerals(before);
    td_free_text(written);
    return status;
}
