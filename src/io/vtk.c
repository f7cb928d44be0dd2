// What of a result goes into VTK files. Vectors are in the world's frame there, so that arrows show
// where things point; curvature and stretch stay in the section's own.
#include "io/vtk.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/surface.h"
#include "io/written.h"

enum { SIDES = 12, MOST_PATH = 640 };
enum {
    RADIUS,
    ARC_LENGTH,
    CURVATURE,
    STRETCH,
    MOMENT,
    FORCE,
    OMEGA,
    VELOCITY,
    GAP,
    PRESSURE,
    CONTACT,
    N_FIELDS
};
static const struct {
    const char *name;
    int components;
} fields[N_FIELDS] = {{"radius", 1}, {"s", 1},        {"curvature", 3},        {"stretch", 3},
                      {"moment", 3}, {"force", 3},    {"angular_velocity", 3}, {"velocity", 3},
                      {"gap", 1},    {"pressure", 1}, {"contact", 3}};

// Memory for the largest file of a result.
typedef struct work {
    const result *r;
    const char *folder;
    mesh mesh;
    float *points;  // (n x 3), n points of tubes or lines
    size_t room_points, room_cells;
    float *values[N_FIELDS];  // on points
    int *corners, *ends, *part;
    float *on_cells[3];  // of tendons and bodies
    double *radii;
    long n;  // points held
    int n_cells;
} work;

// ---------------------------------------------------------------- fields along rods
static void turn_to_world(const double q[4], const double v[3], float out[3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    out[0] = (float)((1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] +
                     2 * (x * z + w * y) * v[2]);
    out[1] = (float)(2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] +
                     2 * (y * z - w * x) * v[2]);
    out[2] = (float)(2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] +
                     (1 - 2 * (x * x + y * y)) * v[2]);
}

// Field f of point i of a rod.
static void value_of(const work *w, const result_rod *rod, int f, int t, int i, float *out) {
    const long row = (long)t * rod->n_points + i;
    const double *six = f <= STRETCH ? rod->strain : f <= FORCE ? rod->wrench : rod->velocity;
    if (f == RADIUS) {
        out[0] = (float)w->radii[i];
    } else if (f == ARC_LENGTH) {
        out[0] = (float)rod_point(rod, t, i);
    } else if (f == GAP || f == PRESSURE) {
        out[0] = (float)(f == GAP ? rod->gap : rod->pressure)[row];
    } else if (f == CONTACT) {
        for (int k = 0; k < 3; k++) out[k] = (float)rod->contact[3 * row + k];
    } else {
        const double *v = six + 6 * row + (f == STRETCH || f == FORCE || f == VELOCITY ? 3 : 0);
        for (int k = 0; k < 3 && f <= STRETCH; k++) out[k] = (float)v[k];
        if (f > STRETCH) turn_to_world(rod->orientation + 4 * row, v, out);
    }
}

// Was it recorded, of all rods?
static bool has_field(const result *r, int f) {
    for (int i = 0; i < r->n_rods; i++) {
        const result_rod *rod = &r->rods[i];
        if ((f == CURVATURE || f == STRETCH) && !rod->strain) return false;
        if ((f == MOMENT || f == FORCE) && !rod->wrench) return false;
        if ((f == OMEGA || f == VELOCITY) && !rod->velocity) return false;
        if (f >= GAP && !(rod->gap && rod->pressure && rod->contact)) return false;
    }
    return true;
}

static void add_values(work *w, const result_rod *rod, int t, int i) {
    for (int f = 0; f < N_FIELDS; f++) {
        if (has_field(w->r, f))
            value_of(w, rod, f, t, i, w->values[f] + fields[f].components * w->n);
    }
}

static void add_point(work *w, const double p[3]) {
    for (int k = 0; k < 3; k++) w->points[3 * w->n + k] = (float)p[k];
    w->n++;
}

static vtk_arrays rod_arrays(const work *w) {
    vtk_arrays a = {.n = 0};
    for (int f = 0; f < N_FIELDS; f++) {
        if (has_field(w->r, f))
            a.list[a.n++] =
                (vtk_array){fields[f].name, fields[f].components, w->n, w->values[f], NULL};
    }
    return a;
}

// ---------------------------------------------------------------- kinds of files
static void begin(work *w) {
    mesh_clear(&w->mesh);
    w->n = w->n_cells = 0;
}

static td_status write_piece(const work *w, const char *name, int t, const vtk_piece *p,
                             td_error *err) {
    char path[MOST_PATH + 64];
    snprintf(path, sizeof path, "%s/vtk/%s_%06d.vtp", w->folder, name, t);
    return vtk_write_piece(path, p, err);
}

// The rods' thickness; where none is known, one hundredth of their length.
static void find_radii(work *w, const result_rod *rod) {
    bool known = rod->radius && rod->radius[0] > 0;
    rod_radii(rod, known ? 0.0 : 0.01 * rod->length, w->radii);
}

static td_status write_rods(work *w, int t, td_error *err) {
    begin(w);
    for (int i = 0; i < w->r->n_rods; i++) {
        const result_rod *rod = &w->r->rods[i];
        find_radii(w, rod);
        int faces = w->mesh.n_faces;
        if (!mesh_add_rod(&w->mesh, rod, instant_of(t), rod->position + 3L * t * rod->n_points,
                          w->radii, SIDES))
            return error_set(err, TD_ERR_MEMORY, w->folder, "out of memory for tubes");
        for (; faces < w->mesh.n_faces; faces++) w->part[faces] = i;
        for (int k = 0; k < rod->n_points * SIDES; k++) {
            add_values(w, rod, t, k / SIDES);
            add_point(w, w->mesh.points + 3 * w->n);
        }
    }
    vtk_piece p = {w->n,         w->mesh.n_faces, false,   w->points, w->mesh.corners,
                   w->mesh.ends, rod_arrays(w),   {.n = 1}};
    p.on_cells.list[0] = (vtk_array){"rod", 1, w->mesh.n_faces, NULL, w->part};
    return write_piece(w, "rods", t, &p, err);
}

static td_status write_lines(work *w, int t, td_error *err) {
    begin(w);
    for (int i = 0; i < w->r->n_rods; i++) {
        const result_rod *rod = &w->r->rods[i];
        find_radii(w, rod);
        for (int k = 0; k < rod->n_points; k++) {
            w->corners[w->n] = (int)w->n;
            add_values(w, rod, t, k);
            add_point(w, rod->position + 3L * ((long)t * rod->n_points + k));
        }
        w->part[w->n_cells] = i;
        w->ends[w->n_cells++] = (int)w->n;
    }
    vtk_piece p = {w->n, w->n_cells, true, w->points, w->corners, w->ends, rod_arrays(w), {.n = 1}};
    p.on_cells.list[0] = (vtk_array){"rod", 1, w->n_cells, NULL, w->part};
    return write_piece(w, "lines", t, &p, err);
}

// Those that are lines: tendons.
static td_status write_paths(work *w, int t, td_error *err) {
    begin(w);
    for (int i = 0; i < w->r->n_actuators; i++) {
        const result_actuator *a = &w->r->actuators[i];
        if (!a->kind->thin) continue;
        for (int k = 0; k < a->n_points; k++) {
            w->corners[w->n] = (int)w->n;
            add_point(w, a->path + 3L * ((long)t * a->n_points + k));
        }
        w->part[w->n_cells] = i;
        w->on_cells[0][w->n_cells] = (float)a->values[VALUE_EFFORT][t];
        w->on_cells[1][w->n_cells] = (float)a->values[VALUE_END_EFFORT][t];
        w->on_cells[2][w->n_cells] = (float)a->values[VALUE_SUPPLIED][t];
        w->ends[w->n_cells++] = (int)w->n;
    }
    long n = w->n_cells;
    vtk_piece p = {.n_points = w->n,
                   .n_cells = n,
                   .lines = true,
                   .points = w->points,
                   .corners = w->corners,
                   .ends = w->ends};
    p.on_cells = (vtk_arrays){.list = {{"tendon", 1, n, NULL, w->part},
                                       {"tension", 1, n, w->on_cells[0], NULL},
                                       {"end_tension", 1, n, w->on_cells[1], NULL},
                                       {"displacement", 1, n, w->on_cells[2], NULL}},
                              .n = 4};
    return write_piece(w, "tendons", t, &p, err);
}

// New faces of the mesh belong to a part, and its points are those of the file.
static bool mark_faces(work *w, int part) {
    const size_t points = (size_t)w->mesh.n_points, cells = (size_t)w->mesh.n_faces;
    if (points > w->room_points || cells > w->room_cells) {
        float *p = realloc(w->points, 6 * points * sizeof *p);
        if (p) w->points = p, w->room_points = 2 * points;
        int *q = realloc(w->part, 2 * cells * sizeof *q);
        if (q) w->part = q, w->room_cells = 2 * cells;
        if (!p || !q) return false;
    }
    while (w->n_cells < w->mesh.n_faces) w->part[w->n_cells++] = part;
    while (w->n < w->mesh.n_points) add_point(w, w->mesh.points + 3 * w->n);
    return true;
}

static td_status write_mesh(work *w, const char *name, const char *part, int t, td_error *err) {
    vtk_piece p = {.n_points = w->n,
                   .n_cells = w->n_cells,
                   .points = w->points,
                   .corners = w->mesh.corners,
                   .ends = w->mesh.ends,
                   .on_cells = {.n = 1}};
    p.on_cells.list[0] = (vtk_array){part, 1, w->n_cells, NULL, w->part};
    return write_piece(w, name, t, &p, err);
}

static td_status write_bodies(work *w, int t, td_error *err) {
    begin(w);
    const double thickness = 0.0125 * largest_extent(w->r);
    for (int i = 0; i < w->r->n_bodies; i++)
        if (!mesh_add_body(&w->mesh, w->r, &w->r->bodies[i], instant_of(t), thickness) ||
            !mark_faces(w, i))
            return error_set(err, TD_ERR_MEMORY, w->folder, "out of memory for bodies");
    return write_mesh(w, "bodies", "body", t, err);
}

// What endless obstacles are cut to: as far again as the robot reaches.
static surface_cut everywhere(const result *r) {
    surface_cut cut = {.radius = 2.0 * largest_extent(r)};
    const result_rod *rod = &r->rods[0];
    const double *tip = rod->position + 3L * (rod->n_points - 1);
    for (int k = 0; k < 3; k++) cut.middle[k] = 0.5 * (rod->position[k] + tip[k]);
    return cut;
}

static bool has_surfaces(const result *r) {
    for (int i = 0; i < r->n_obstacles; i++)
        if (r->obstacles[i].shape) return true;
    return false;
}

static td_status write_obstacles(work *w, int t, td_error *err) {
    begin(w);
    const surface_cut cut = everywhere(w->r);
    for (int i = 0; i < w->r->n_obstacles; i++)
        if (!mesh_add_obstacle(&w->mesh, w->r, i, instant_of(t), &cut) || !mark_faces(w, i))
            return error_set(err, TD_ERR_MEMORY, w->folder, "out of memory for obstacles");
    return write_mesh(w, "obstacles", "obstacle", t, err);
}

// ---------------------------------------------------------------- series
static bool has_paths(const result *r) {
    bool any = false;
    for (int i = 0; i < r->n_actuators; i++) {
        if (!r->actuators[i].kind->thin) continue;
        if (!r->actuators[i].path) return false;
        any = true;
    }
    return any;
}

typedef struct series {
    const char *collection;  // "robot": which .pvd names it
    const char *name;
    td_status (*write)(work *w, int t, td_error *err);
} series;

static const series all_series[] = {{"robot", "rods", write_rods},
                                    {"robot", "tendons", write_paths},
                                    {"robot", "bodies", write_bodies},
                                    {"robot", "obstacles", write_obstacles},
                                    {"lines", "lines", write_lines}};
enum { N_SERIES = sizeof all_series / sizeof all_series[0] };

static bool applies(const result *r, const series *s) {
    if (s->write == write_paths) return has_paths(r);
    if (s->write == write_obstacles) return has_surfaces(r);
    return s->write != write_bodies || r->n_bodies > 0;
}

// A ParaView collection: which file belongs to which time.
static td_status write_collection(const work *w, const char *name, td_error *err) {
    char path[MOST_PATH + 64];
    snprintf(path, sizeof path, "%s/vtk/%s.pvd", w->folder, name);
    FILE *out = whole_open(path, err);
    if (!out) return TD_ERR_FILE;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
          out);
    for (int t = 0; t < w->r->n_times; t++) {
        int part = 0;
        for (int i = 0; i < N_SERIES; i++) {
            const series *s = &all_series[i];
            if (strcmp(s->collection, name) != 0 || !applies(w->r, s)) continue;
            fprintf(out,
                    "<DataSet timestep=\"%.12g\" part=\"%d\" name=\"%s\" file=\"%s_%06d.vtp\"/>\n",
                    w->r->time[t], part++, s->name, s->name, t);
        }
    }
    fputs("</Collection>\n</VTKFile>\n", out);
    return written_close(out, path, err);
}

// ---------------------------------------------------------------- memory
static bool allocate(work *w) {
    const result *r = w->r;
    size_t along = 0, most = 2, tubes, paths = 0;
    for (int i = 0; i < r->n_rods; i++) {
        size_t n = (size_t)r->rods[i].n_points;
        along += n;
        most = n > most ? n : most;
    }
    for (int i = 0; i < r->n_actuators; i++) paths += (size_t)r->actuators[i].n_points;
    tubes = SIDES * along + 2 * (size_t)r->n_rods;
    size_t points = w->room_points = tubes + paths;
    size_t cells = w->room_cells = points + (size_t)r->n_actuators;
    w->radii = malloc(most * sizeof *w->radii);
    w->points = malloc(3 * points * sizeof *w->points);
    w->corners = malloc(points * sizeof *w->corners);
    w->ends = malloc(cells * sizeof *w->ends);
    w->part = malloc(cells * sizeof *w->part);
    bool ok = w->radii && w->points && w->corners && w->ends && w->part;
    for (int i = 0; i < N_FIELDS && ok; i++) {
        w->values[i] = malloc(points * (size_t)fields[i].components * sizeof(float));
        ok = w->values[i] != NULL;
    }
    for (int i = 0; i < 3 && ok; i++) {
        w->on_cells[i] = malloc(cells * sizeof(float));
        ok = w->on_cells[i] != NULL;
    }
    return ok;
}

static void release(work *w) {
    mesh_free(&w->mesh);
    free(w->points);
    for (int i = 0; i < N_FIELDS; i++) free(w->values[i]);
    for (int i = 0; i < 3; i++) free(w->on_cells[i]);
    free(w->corners);
    free(w->ends);
    free(w->part);
    free(w->radii);
}

// ---------------------------------------------------------------- the whole
static td_status write_all(work *w, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < N_SERIES && status == TD_OK; i++) {
        if (!applies(w->r, &all_series[i])) continue;
        for (int t = 0; t < w->r->n_times && status == TD_OK; t++)
            status = all_series[i].write(w, t, err);
    }
    if (status == TD_OK) status = write_collection(w, "robot", err);
    if (status == TD_OK) status = write_collection(w, "lines", err);
    return status;
}

td_status vtk_export(const result *r, const char *folder, td_error *err) {
    bool shapes = r->n_rods > 0;
    for (int i = 0; i < r->n_rods; i++)
        shapes = shapes && r->rods[i].position && r->rods[i].orientation;
    if (!shapes)
        return error_set(err, TD_ERR_VALUE, r->path,
                         "there are no shapes of rods for VTK: it needs rods, and record.fields "
                         "to hold pose");
    char inner[MOST_PATH];
    snprintf(inner, sizeof inner, "%s/vtk", folder);
    written_remove(inner);  // of an earlier, maybe longer, run
    td_status status = make_folders(inner, err);
    if (status < 0) return status;
    work w = {.r = r, .folder = folder};
    status = allocate(&w) ? write_all(&w, err)
                          : error_set(err, TD_ERR_MEMORY, folder, "out of memory for VTK files");
    release(&w);
    return status;
}
