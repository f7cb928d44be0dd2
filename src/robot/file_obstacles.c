// robot/file_obstacles.c - obstacles in files: their keys, and from the tree to the robot.
#include <stdio.h>
#include <string.h>

#include "robot/file_save.h"
#include "robot/obstacles.h"

typedef struct obstacle_draft {
    td_obstacle_def def;
    node *points, *radii, *branches;
    node *file, *corners, *heights;
    double scale, size[2];
    const char *on;
    orientation_draft turned;
} obstacle_draft;

// ---------------------------------------------------------------- keys
static const value_type type_branches = {"list", keep_node};
static const value_type type_stl = {"text", keep_node};
// clang-format off
#define AT(field) offsetof(obstacle_draft, field)
static const mapping plane_keys = {"obstacles[].plane", "A plane has no keys: `plane: {}`. Its `position` and `direction` are keys of the obstacle.", NULL, 0, false, 0, 0};

static const key ball_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(def.radius), 0, 0},
};
static const mapping sphere_keys = {"obstacles[].sphere", "A sphere.", KEYS(ball_keys), 0, 0};

static const key drum_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(def.radius), 0, 0},
    {"length", &type_quantity, "m", "endless", "length along z", AT(def.length), 0, 0},
};
static const mapping cylinder_keys = {"obstacles[].cylinder", "A cylinder.", KEYS(drum_keys), 0, 0};

static const key pill_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(def.radius), 0, 0},
    {"length", &type_quantity, "m", REQUIRED, "length along z, without its round ends", AT(def.length), 0, 0},
};
static const mapping capsule_keys = {"obstacles[].capsule", "A capsule.", KEYS(pill_keys), 0, 0};

static const key ring_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius of the circle in the middle of the ring", AT(def.radius), 0, 0},
    {"thickness", &type_quantity, "m", REQUIRED, "diameter of the ring's section", AT(def.thickness), 0, 0},
};
static const mapping torus_keys = {"obstacles[].torus", "A torus.", KEYS(ring_keys), 0, 0};

static const key vessel_keys[] = {
    {"points", &type_centre_line, "m", REQUIRED, "points of its centre line; it goes straight on beyond the ends", AT(points), 0, 0},
    {"radius", &type_radii, "m", REQUIRED, "radius, everywhere or at each point", AT(radii), 0, 0},
    {"branches", &type_branches, NULL, "none", "tubes that branch off: a list of `{points: .., radius: ..}`", AT(branches), 0, 0},
};
static const mapping tube_keys = {"obstacles[].tube", "A tube; rods are inside.", KEYS(vessel_keys), 0, 0};

static const key mesh_keys_list[] = {
    {"file", &type_stl, NULL, "-", "STL file, relative to the robot file", AT(file), 0, 0},
    {"scale", &type_quantity, "m", "1", "length of one unit of the file: `1 mm`", AT(scale), 0, 0},
    {"corners", &type_centre_line, "m", "-", "instead of a file: corners of triangles, three for each, counter-clockwise seen from outside", AT(corners), 0, 0},
    {"resolution", &type_quantity, "m", "1/40 of its largest side", "spacing of its distance grid", AT(def.resolution), 0, 0},
};
static const mapping mesh_keys = {"obstacles[].mesh", "A closed surface of triangles, in a `file` or as `corners`.", KEYS(mesh_keys_list), 0, 0};

static const key field_keys[] = {
    {"heights", &type_centre_line, "m", REQUIRED, "rows of heights along x, a row for each y", AT(heights), 0, 0},
    {"size", &type_pair, "m", REQUIRED, "size of the rectangle along x and y; its centre is at the origin of its frame", AT(size), 0, 0},
};
static const mapping heightfield_keys = {"obstacles[].heightfield", "A smooth surface through a grid of heights, level beyond its rectangle.", KEYS(field_keys), 0, 0};

static const key moved_keys[] = {
    {"rotation", &type_numbers, "rad", "[0, 0, 0]", "rotation vector in the axes of its frame, added to its orientation", AT(def.rotation), 0, 0},
};
static const mapping moved_mapping = {"obstacles[].motion", "Rotation by inputs.", KEYS(moved_keys), 0, 0};

static const key obstacle_keys[] = {
    {"name", &type_text, NULL, "obstacle1, obstacle2, ...", "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},
    {"plane", &type_mapping, NULL, "-", "solid below z = 0 of its frame", 0, 0, &plane_keys},
    {"sphere", &type_mapping, NULL, "-", "a sphere", 0, 0, &sphere_keys},
    {"cylinder", &type_mapping, NULL, "-", "a cylinder along z; its centre is at the origin of its frame", 0, 0, &cylinder_keys},
    {"capsule", &type_mapping, NULL, "-", "a cylinder along z with hemispherical ends", 0, 0, &capsule_keys},
    {"box", &type_vector, "m", "-", "a box: lengths of its sides along x, y and z; its centre is at the origin of its frame", AT(def.sides), 0, 0},
    {"torus", &type_mapping, NULL, "-", "a ring around z", 0, 0, &torus_keys},
    {"tube", &type_mapping, NULL, "-", "a vessel; rods are inside", 0, 0, &tube_keys},
    {"mesh", &type_mapping, NULL, "-", "a closed surface of triangles", 0, 0, &mesh_keys},
    {"heightfield", &type_mapping, NULL, "-", "solid below heights over a rectangle", 0, 0, &heightfield_keys},
    {"inside", &type_flag, NULL, "false", "rods are inside the sphere, cylinder, capsule, box or mesh", AT(def.inside), 0, 0},
    {"on", &type_text, NULL, "world", "name of the free body that carries it", AT(on), 0, 0},
    {"position", &type_numbers, "m", "[0, 0, 0]", "position of its frame, in the world or in the frame of the body", AT(def.position), 0, 0},
    {"motion", &type_mapping, NULL, "none", "rotation of the obstacle by inputs", 0, 0, &moved_mapping},
    {"stiffness", &type_quantity, "Pa", "chosen by the model", "contact stiffness: force per length of rod and depth", AT(def.stiffness), 0, 0},
    {"friction", &type_quantity, "", "0", "Coulomb coefficient", AT(def.friction), 0, 0},
    {"presliding", &type_quantity, "m", "1/100 of the rod's radius", "displacement over which a sticking contact begins to slide", AT(def.presliding), 0, 0},
    {"restitution", &type_quantity, "", "1", "ratio of normal velocities after and before an impact, 0.1 to 1", AT(def.restitution), 0, 0},
    {"hard", &type_quantity, "m", "not rigid", "rigid: largest penetration, for example `1 um`", AT(def.hard), 0, 0},
    REPEAT_KEY,
};
#undef AT
// clang-format on
const mapping obstacle_mapping = {
    "obstacles[]",
    "An obstacle that rods and bodies touch. It has exactly one shape: `plane`, `sphere`, "
    "`cylinder`, `capsule`, `box`, `torus`, `tube`, `mesh` or `heightfield`. Give at most one of "
    "`direction`, `quaternion` and `rotation`.",
    KEYS(obstacle_keys), &orientation_mapping, offsetof(obstacle_draft, turned)};

// ---------------------------------------------------------------- tubes
static td_status read_radii(reader *r, const node *n, int count, double *points) {
    const bool list = n->kind == NODE_SEQUENCE;
    if (list && n->n_children != count)
        return REFUSE(n, "%d radii for %d points: give one, or one for each point", n->n_children,
                      count);
    const node *c = list ? n->first : n;
    td_status status = TD_OK;
    for (int i = 0; i < count && !status; i++, c = list ? c->next : c)
        status = read_quantity(r, c, "m", &points[4 * i + 3]);
    return status;
}

static td_status read_line(reader *r, node *points, const node *radii, double *out) {
    td_status status = TD_OK;
    int i = 0;
    for (node *c = points->first; c && !status; c = c->next, i++)
        status = read_quantities(r, c, "m", 3, &out[4 * i]);
    return status ? status : read_radii(r, radii, points->n_children, out);
}

static td_status check_line(reader *r, const node *points) {
    if (points->kind == NODE_SEQUENCE && points->n_children >= 2) return TD_OK;
    return REFUSE(points, "a list of two or more points [x, y, z] is expected here");
}

// A branch has points and a radius, and nothing else.
static td_status check_branch(reader *r, const node *branch) {
    if (branch->kind != NODE_MAPPING)
        return REFUSE(branch, "a branch {points: .., radius: ..} is expected here");
    for (const node *c = branch->first; c; c = c->next)
        if (strcmp(c->key, "points") != 0 && strcmp(c->key, "radius") != 0)
            return REFUSE(c, "unknown key '%s'; a branch has 'points' and 'radius'", c->key);
    for (int i = 0; i < 2; i++)
        if (!node_child(branch, i ? "radius" : "points"))
            return REFUSE(branch, "'%s' is missing: a branch has 'points' and 'radius'",
                          i ? "radius" : "points");
    return check_line(r, node_child(branch, "points"));
}

static td_status check_branches(reader *r, const node *branches, td_obstacle_def *def) {
    if (branches->kind != NODE_SEQUENCE)
        return REFUSE(branches, "a list of branches {points: .., radius: ..} is expected here");
    if (branches->n_children > TD_MOST_BRANCHES)
        return REFUSE(branches, "%d branches: a tube has at most %d", branches->n_children,
                      TD_MOST_BRANCHES);
    for (const node *c = branches->first; c; c = c->next) {
        const td_status status = check_branch(r, c);
        if (status) return status;
        def->branches[def->n_branches] = node_child(c, "points")->n_children;
        def->n_points += def->branches[def->n_branches++];
    }
    return TD_OK;
}

static td_status read_tube(reader *r, obstacle_draft *draft) {
    td_obstacle_def *def = &draft->def;
    td_status status = check_line(r, draft->points);
    def->n_points = draft->points->n_children;
    if (!status && draft->branches) status = check_branches(r, draft->branches, def);
    if (status) return status;
    double *points = tree_take(r->t, 4 * sizeof *points * (size_t)def->n_points), *at = points;
    if (!points) return out_of_memory(r, draft->points);
    def->points = points;
    status = read_line(r, draft->points, draft->radii, at);
    at += 4 * draft->points->n_children;
    for (node *c = draft->branches ? draft->branches->first : NULL; c && !status; c = c->next) {
        node *own = node_child(c, "points");
        status = read_line(r, own, node_child(c, "radius"), at);
        at += 4 * own->n_children;
    }
    return status;
}

// ---------------------------------------------------------------- meshes and heights
static td_status read_mesh(reader *r, const node *n, obstacle_draft *draft) {
    double *corners = NULL;
    if (draft->file && draft->corners)
        return REFUSE(draft->corners, "a mesh has a 'file' or 'corners', but both are given");
    if (draft->file) {
        const td_status status =
            read_stl(r, draft->file, node_child(n, "scale") ? draft->scale : 1.0, &corners,
                     &draft->def.n_points);
        draft->def.points = corners;
        return status;
    }
    const node *list = draft->corners;
    if (!list) return REFUSE(n, "a mesh has a 'file' or 'corners', and none is given");
    if (list->kind != NODE_SEQUENCE)
        return REFUSE(list, "a list of points [x, y, z] is expected here");
    corners = tree_take(r->t, 4 * sizeof *corners * ((size_t)list->n_children + 1));
    if (!corners) return out_of_memory(r, list);
    td_status status = TD_OK;
    int i = 0;
    for (node *c = list->first; c && !status; c = c->next, i++)
        status = read_quantities(r, c, "m", 3, &corners[4 * i]);
    draft->def.points = corners;
    draft->def.n_points = list->n_children;
    return status;
}

// One row of heights, at y.
static td_status read_heights(reader *r, const node *row, int n, const double size[2], double y,
                              double *points) {
    td_status status = TD_OK;
    if (row->kind != NODE_SEQUENCE || row->n_children != n)
        return REFUSE(row, "a row of %d heights is expected here, as many as in the first", n);
    int i = 0;
    for (const node *c = row->first; c && !status; c = c->next, i++) {
        points[4 * i] = size[0] * ((double)i / (n - 1) - 0.5);
        points[4 * i + 1] = y;
        status = read_quantity(r, c, "m", &points[4 * i + 2]);
    }
    return status;
}

static td_status read_heightfield(reader *r, obstacle_draft *draft) {
    const node *list = draft->heights, *first = list->first;
    if (list->kind != NODE_SEQUENCE || list->n_children < 2 || first->kind != NODE_SEQUENCE ||
        first->n_children < 2)
        return REFUSE(list, "two or more rows [z, z, ..] of two or more heights are expected here");
    const int n = first->n_children, rows = list->n_children;
    double *points = tree_take(r->t, 4 * sizeof *points * (size_t)n * (size_t)rows);
    if (!points) return out_of_memory(r, list);
    td_status status = TD_OK;
    int i = 0;
    for (const node *row = first; row && !status; row = row->next, i++)
        status = read_heights(r, row, n, draft->size,
                              draft->size[1] * ((double)i / (rows - 1) - 0.5), points + 4 * n * i);
    draft->def.points = points;
    draft->def.n_points = n * rows;
    return status;
}

// ---------------------------------------------------------------- reading
#define SHAPE_LIST(NAME, word, traits) " " #word

static td_status read_shape(reader *r, const node *n, obstacle_draft *draft) {
    const node *given = NULL;
    for (int i = 0; i < N_OBSTACLE_SHAPES; i++) {
        const node *c = node_child(n, obstacle_word((td_obstacle_shape)i));
        if (c && given)
            return REFUSE(c, "an obstacle has one shape, but '%s' is given too", given->key);
        if (!c) continue;
        given = c;
        draft->def.shape = (td_obstacle_shape)i;
    }
    if (!given) return REFUSE(n, "the shape is missing: one of" OBSTACLE_SHAPES(SHAPE_LIST));
    switch (draft->def.shape) {
    case TD_OBSTACLE_TUBE: return read_tube(r, draft);
    case TD_OBSTACLE_MESH: return read_mesh(r, given, draft);
    case TD_OBSTACLE_HEIGHTFIELD: return read_heightfield(r, draft);
    default: return TD_OK;
    }
}

td_status check_not_zero(reader *r, const node *n, const char *word, double value) {
    const node *c = node_child(n, word);
    if (!c || value != 0.0) return TD_OK;
    return REFUSE(c, "'%s' must be positive, but is 0; left out, it is chosen", word);
}

static td_status read_obstacle(reader *r, node *n, int number) {
    char automatic[32];
    td_status status = check_name(r, n, "obstacles", find_obstacle);
    if (status) return status;
    const node *name = node_child(n, "name");
    obstacle_draft draft = {.def = td_default_obstacle_def()};
    snprintf(automatic, sizeof automatic, "obstacle%d", number);
    draft.def.name = automatic;
    r->owner = name ? name->text : automatic;
    status = read_mapping(r, n, &obstacle_mapping, &draft);
    r->owner = "";
    if (!status) status = read_shape(r, n, &draft);
    if (!status && draft.on) status = read_body_name(r, n, "on", draft.on, &draft.def.body);
    if (!status) status = check_not_zero(r, n, "stiffness", draft.def.stiffness);
    if (!status) status = check_not_zero(r, n, "presliding", draft.def.presliding);
    if (!status) status = check_not_zero(r, n, "restitution", draft.def.restitution);
    if (!status) status = check_not_zero(r, n, "hard", draft.def.hard);
    if (!status) status = read_orientation(r, n, &draft.turned, draft.def.orientation);
    return status ? status : added_part(r, n, td_robot_add_obstacle(r->robot, &draft.def, r->err));
}

td_status read_obstacles(reader *r, node *obstacles) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = obstacles ? obstacles->first : NULL; c && !status; c = c->next)
        status = read_obstacle(r, c, number++);
    return status;
}

// ---------------------------------------------------------------- writing
static void save_line(saver *s, node *to, const double *line, int n) {
    node *points = to ? save_node(s, to, "points", NODE_SEQUENCE) : NULL;
    node *radii = to ? save_node(s, to, "radius", NODE_SEQUENCE) : NULL;
    for (int i = 0; points && radii && i < n; i++) {
        save_values(s, points, NULL, line + 4 * i, 3);
        save_value(s, radii, NULL, line[4 * i + 3]);
    }
}

static void save_vessel(saver *s, node *to, const td_obstacle_def *def) {
    node *tube = save_node(s, to, "tube", NODE_MAPPING), *branches = NULL;
    const double *line = def->points;
    save_line(s, tube, line, tube_own_points(def));
    line += 4 * tube_own_points(def);
    if (tube && def->n_branches) branches = save_node(s, tube, "branches", NODE_SEQUENCE);
    for (int i = 0; branches && i < def->n_branches; line += 4 * def->branches[i++])
        save_line(s, save_node(s, branches, NULL, NODE_MAPPING), line, def->branches[i]);
}

static void save_mesh(saver *s, node *to, const td_obstacle_def *def) {
    node *mesh = save_node(s, to, "mesh", NODE_MAPPING);
    node *corners = mesh ? save_node(s, mesh, "corners", NODE_SEQUENCE) : NULL;
    for (int i = 0; corners && i < def->n_points; i++)
        save_values(s, corners, NULL, def->points + 4 * i, 3);
    if (mesh && def->resolution > 0.0) save_value(s, mesh, "resolution", def->resolution);
}

static void save_heights(saver *s, node *to, const td_obstacle_def *def) {
    node *field = save_node(s, to, "heightfield", NODE_MAPPING);
    node *rows = field ? save_node(s, field, "heights", NODE_SEQUENCE) : NULL, *row = NULL;
    const double *last = def->points + 4 * (def->n_points - 1);
    for (int i = 0; rows && i < def->n_points; i++) {
        const double *p = def->points + 4 * i;
        if (i == 0 || p[1] != p[-3]) row = save_node(s, rows, NULL, NODE_SEQUENCE);
        if (row) save_value(s, row, NULL, p[2]);
    }
    const double size[2] = {last[0] - def->points[0], last[1] - def->points[1]};
    if (field) save_values(s, field, "size", size, 2);
}

// Of the shapes only its own, whose numbers others have as well.
static void save_shape(saver *s, node *to, const key *k, const obstacle_draft *draft) {
    const obstacle_draft none = {0};
    if (draft->def.shape == TD_OBSTACLE_BOX) {
        save_key(s, to, k, (const char *)draft + k->offset, (const char *)&none + k->offset);
        return;
    }
    node *shape = save_node(s, to, k->name, NODE_MAPPING);
    if (shape) save_mapping(s, shape, k->inside, draft, &none);
}

void save_obstacle(saver *s, node *to, const td_obstacle_def *def) {
    const char *on = def->body == TD_WORLD ? NULL : s->robot->bodies[def->body].name;
    obstacle_draft draft = {.def = *def, .on = on}, usual = {.def = td_default_obstacle_def()};
    memcpy(draft.turned.quaternion, def->orientation, sizeof def->orientation);
    memcpy(usual.turned.quaternion, (double[]){1.0, 0.0, 0.0, 0.0}, sizeof def->orientation);
    key k;
    for (int i = 0; mapping_key(&obstacle_mapping, i, &k); i++) {
        bool shape = false;
        for (int j = 0; j < N_OBSTACLE_SHAPES; j++)
            shape |= strcmp(k.name, obstacle_word((td_obstacle_shape)j)) == 0;
        const bool own = shape && strcmp(k.name, obstacle_word(def->shape)) == 0;
        if (own && def->shape == TD_OBSTACLE_TUBE) save_vessel(s, to, def);
        else if (own && def->shape == TD_OBSTACLE_MESH) save_mesh(s, to, def);
        else if (own && def->shape == TD_OBSTACLE_HEIGHTFIELD) save_heights(s, to, def);
        else if (own) save_shape(s, to, &k, &draft);
        else if (!shape)
            save_key(s, to, &k, (const char *)&draft + k.offset, (const char *)&usual + k.offset);
    }
}
