// robot/file_robot.c - materials, sections and rods from the tree to the robot.
#include <math.h>
#include <string.h>

#include "robot/file_read.h"

// ---------------------------------------------------------------- materials
static td_status shear_from_poisson(reader *r, node *n, material_draft *m) {
    const node *poisson = node_child(n, "poisson_ratio"), *shear = node_child(n, "shear_modulus");
    if (!poisson && !shear)
        return REFUSE(n, "the key 'poisson_ratio' or 'shear_modulus' is missing");
    if (!poisson) return TD_OK;
    if (shear) return REFUSE(poisson, "give either poisson_ratio or shear_modulus, not both");
    if (!(m->poisson_ratio > -1.0 && m->poisson_ratio <= 0.5))
        return REFUSE(poisson, "%g must be above -1 and at most 0.5", m->poisson_ratio);
    m->shear_modulus = m->youngs_modulus / (2.0 * (1.0 + m->poisson_ratio));
    return TD_OK;
}

static td_status find_material(reader *r, node *n, node **out) {
    const node *materials = node_child(r->root, "materials");
    *out = node_child(materials, n->text);
    if (*out) return TD_OK;
    suggestion s = suggest_for(n->text);
    if (materials && materials->kind == NODE_MAPPING)
        for (const node *c = materials->first; c; c = c->next) suggest(&s, c->key);
    char hint[HINT_SIZE], there[HINT_SIZE] = "";
    if (materials && materials->kind == NODE_MAPPING)
        for (const node *c = materials->first; c; c = c->next) list_name(there, c->key);
    return REFUSE(n, "no material has the name '%.60s'%s", n->text, hint_text(&s, there, hint));
}

static td_status check_relaxation(reader *r, const node *n) {
    const node *shares = n ? node_child(n, "shares") : NULL,
               *times = n ? node_child(n, "times") : NULL;
    const int n_shares = !shares || shares->kind == NODE_SCALAR ? 1 : shares->n_children;
    const int n_times = !times || times->kind == NODE_SCALAR ? 1 : times->n_children;
    if (n_shares == n_times) return TD_OK;
    return REFUSE(times, "%d time%s for %d share%s: each share has a time", n_times,
                  n_times == 1 ? "" : "s", n_shares, n_shares == 1 ? "" : "s");
}

// What only one law reads belongs to it.
static td_status check_law(reader *r, const node *n, const material_draft *m) {
    const node *alloy = node_child(n, "superelastic"), *law = node_child(n, "law");
    if (m->law == TD_SUPERELASTIC && !alloy)
        return REFUSE(law, "the law 'superelastic' needs the key 'superelastic' beside it: "
                           "stresses and strain of the transformation");
    if (alloy && m->law != TD_SUPERELASTIC)
        return REFUSE_KEY(
            alloy,
            "'superelastic' is read by the law of this name alone: give 'law: superelastic'");
    return check_relaxation(r, node_child(n, "relaxation"));
}

static td_status read_material(reader *r, node *n, material_draft *m) {
    *m = (material_draft){0};
    td_status status = read_mapping(r, n, &material_mapping, m);
    if (!status) status = check_law(r, n, m);
    return status ? status : shear_from_poisson(r, n, m);
}

static td_status material_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_piece_def *piece = to;
    material_draft m;
    td_status status = TD_OK;
    if (n->kind == NODE_SCALAR) status = find_material(r, n, &n);
    if (!status) status = read_material(r, n, &m);
    if (status) return status;
    piece->youngs_modulus = m.youngs_modulus;
    piece->shear_modulus = m.shear_modulus;
    piece->density = m.density;
    piece->law = m.law;
    piece->mooney_share = m.mooney_share;
    piece->superelastic = m.superelastic;
    piece->relaxation = m.relaxation;
    return TD_OK;
}

// All of them, so that a mistake in one that no rod uses is found too.
td_status read_materials(reader *r, node *materials) {
    td_status status = TD_OK;
    material_draft ignored;
    for (node *c = materials ? materials->first : NULL; c && !status; c = c->next)
        status = read_material(r, c, &ignored);
    return status;
}

const value_type type_material = {"name or mapping", material_value};

// ---------------------------------------------------------------- sections
// The keys that make each shape; those in the first list are needed.
static const struct shape {
    td_section_shape shape;
    const char *words, *needed[5], *more;
} shapes[] = {
    {TD_SECTION_CIRCLE, "a circle or tube", {"radius"}, "inner_radius"},
    {TD_SECTION_RECTANGLE, "a rectangle", {"width", "height"}, NULL},
    {TD_SECTION_GENERAL,
     "a section given by its moments",
     {"area", "ixx", "iyy", "torsion"},
     "polar"},
};

static bool belongs(const struct shape *shape, const char *name) {
    for (int i = 0; shape->needed[i]; i++)
        if (strcmp(shape->needed[i], name) == 0) return true;
    return shape->more && strcmp(shape->more, name) == 0;
}

static td_status shape_of(reader *r, const node *n, td_section_shape *out) {
    if (!n->first) return REFUSE(n, "a section needs a radius, a width and height, or its moments");
    const struct shape *shape = &shapes[0];
    while (!belongs(shape, n->first->key)) shape++;
    for (const node *c = n->first; c; c = c->next)
        if (!belongs(shape, c->key))
            return REFUSE_KEY(c, "'%s' does not go with '%s', which makes %s", c->key,
                              n->first->key, shape->words);
    for (int i = 0; shape->needed[i]; i++)
        if (!node_child(n, shape->needed[i]))
            return REFUSE(n, "the key '%s' is missing for %s", shape->needed[i], shape->words);
    *out = shape->shape;
    return TD_OK;
}

static td_status section_value(reader *r, node *n, const key *k, void *to) {
    (void)k;
    td_section *section = to;
    *section = (td_section){0};
    td_status status = read_mapping(r, n, &section_mapping, section);
    if (!status) status = shape_of(r, n, &section->shape);
    if (!status && !section_is_given(section))  // to the robot, all 0 means: left out
        return REFUSE(n->first, "all dimensions are 0; those of a section must be positive");
    return status;
}

const value_type type_section = {"mapping", section_value};

static td_status stiffness_value(reader *r, node *n, const key *k, void *to) {
    td_piece_def *piece = to;
    memset(piece->stiffness, 0, sizeof piece->stiffness);
    memset(piece->stiffness_matrix, 0, sizeof piece->stiffness_matrix);
    td_status status = read_mapping(r, n, k->inside, piece);
    // to the robot 0 means: from section and material; who writes it means something else
    static const struct {
        const char *key;
        int mode, n;
    } modes[] = {{"bending", 0, 2}, {"torsion", 2, 1}, {"shear", 3, 2}, {"extension", 5, 1}};
    for (int i = 0; i < 4 && !status; i++)
        for (int m = 0; m < modes[i].n && !status; m++)
            if (node_child(n, modes[i].key) && piece->stiffness[modes[i].mode + m] == 0.0)
                status =
                    REFUSE(node_child(n, modes[i].key), "a stiffness must be positive, but is 0");
    return status;
}

static td_status damping_value(reader *r, node *n, const key *k, void *to) {
    td_piece_def *piece = to;
    memset(piece->damping, 0, sizeof piece->damping);
    piece->damping_time = 0.0;
    piece->damping_power = 1.0;
    return read_mapping(r, n, k->inside, piece);
}

const value_type type_stiffness = {"mapping", stiffness_value};
const value_type type_damping = {"mapping", damping_value};

// ---------------------------------------------------------------- rods
// Before the robot's own rules: a part that is not there at all is named as such.
static td_status check_parts(reader *r, const node *rod, const node *piece, const td_piece_def *p) {
    bool full = p->mass_per_length > 0.0;
    for (int i = 0; i < 6; i++) full = full && (p->stiffness[i] > 0.0 || piece_has_matrix(p));
    const char *const needed[] = {"material", "section"};
    for (int i = 0; i < 2 && !full; i++)
        if (!node_child(rod, needed[i]) && !node_child(piece, needed[i]))
            return REFUSE(piece,
                          "the key '%s' is missing (it is needed unless stiffness and "
                          "mass_per_length are given in full)",
                          needed[i]);
    return TD_OK;
}

static td_section section_between(const td_section *a, const td_section *b, double x) {
    td_section s = *a;
#define BETWEEN(field) s.field = (1.0 - x) * a->field + x * b->field
    BETWEEN(radius), BETWEEN(inner_radius), BETWEEN(width), BETWEEN(height), BETWEEN(area);
    BETWEEN(ixx), BETWEEN(iyy), BETWEEN(torsion), BETWEEN(polar);
#undef BETWEEN
    return s;
}

// A piece that says nothing of its section lies on the taper of the rod.
static void taper_pieces(const node *list, const td_piece_def *rod, td_piece_def *pieces, int n) {
    double length = 0.0, s = 0.0;
    for (int i = 0; i < n; i++) length += pieces[i].length;
    const node *item = list->first;
    for (int i = 0; i < n; i++, item = item->next) {
        double end = s + pieces[i].length;
        if (!node_child(item, "section") && !node_child(item, "section_end") && length > 0.0) {
            pieces[i].section = section_between(&rod->section, &rod->section_end, s / length);
            pieces[i].section_end = section_between(&rod->section, &rod->section_end, end / length);
        }
        s = end;
    }
}

static td_status read_piece(reader *r, node *rod, node *n, const td_piece_def *from,
                            td_piece_def *out) {
    *out = *from;
    out->length = 0.0;
    if (node_child(n, "section")) out->section_end = (td_section){0};
    td_status status = read_mapping(r, n, &piece_mapping, out);
    if (status) return status;
    if (!node_child(n, "length")) return REFUSE(n, "the key 'length' is missing");
    if (!node_child(n, "section_end") && node_child(n, "section")) out->section_end = out->section;
    return check_parts(r, rod, n, out);
}

static td_status check_length(reader *r, const node *rod, const td_rod_def *def, double given) {
    const node *length = node_child(rod, "length");
    double sum = rod_def_length(def);
    if (!length || fabs(given - sum) <= 1e-9 * fabs(sum)) return TD_OK;
    return REFUSE(length, "%g m is not the sum of the pieces, %g m", given, sum);
}

static td_status read_pieces(reader *r, node *rod, const rod_draft *draft, td_rod_def *def) {
    node *list = draft->pieces;
    if (list->n_children < 1 || list->n_children > MOST_PIECES)
        return REFUSE(list, "%d pieces: a rod has 1 to %d", list->n_children, MOST_PIECES);
    td_piece_def *pieces = tree_take(r->t, sizeof *pieces * (size_t)list->n_children);
    if (!pieces) return out_of_memory(r, rod);
    int i = 0;
    for (node *c = list->first; c; c = c->next) {
        td_status status = read_piece(r, rod, c, &draft->piece, &pieces[i++]);
        if (status) return status;
    }
    taper_pieces(list, &draft->piece, pieces, i);
    def->pieces = pieces;
    def->n_pieces = i;
    return check_length(r, rod, def, draft->piece.length);
}

static td_status read_rod_draft(reader *r, node *n, rod_draft *draft) {
    td_status status = check_name(r, n, "rods", find_rod);
    if (status) return status;
    const td_rod_def def = td_default_rod_def();
    const node *name = node_child(n, "name");
    *draft = (rod_draft){
        .piece = td_default_piece_def(), .base = def.base, .tip = def.tip, .tube.def = def.tube};
    r->owner = name ? name->text : "";
    status = read_mapping(r, n, &rod_mapping, draft);
    r->owner = "";
    if (!node_child(n, "section_end")) draft->piece.section_end = draft->piece.section;
    return status;
}

static td_status read_rod(reader *r, node *n) {
    rod_draft draft;
    td_status status = read_rod_draft(r, n, &draft);
    if (status) return status;
    td_rod_def def = {.name = draft.name,
                      .pieces = &draft.piece,
                      .n_pieces = 1,
                      .base = draft.base,
                      .tip = draft.tip,
                      .feed = draft.feed,
                      .tube = draft.tube.def,
                      .envelope = draft.envelope,
                      .mean_stretch = draft.mean_stretch,
                      .feed_at_tip = draft.feed_at_tip};
    if (!draft.pieces && !node_child(n, "length"))
        return REFUSE(n, "the key 'length' (or 'pieces') is missing");
    if (draft.tube.within)
        status =
            read_rod_name(r, node_child(n, "tube"), "within", draft.tube.within, &def.tube.within);
    if (status) return status;
    status = draft.pieces ? read_pieces(r, n, &draft, &def) : check_parts(r, n, n, &draft.piece);
    return status ? status : added_part(r, n, td_robot_add_rod(r->robot, &def, r->err));
}

td_status read_rods(reader *r, node *rods) {
    const bool any = rods && rods->first;
    if (!any && !node_child(r->root, "bodies"))
        return REFUSE(rods ? rods : r->root,
                      "a robot needs at least one rod under 'rods', or bodies under 'bodies'");
    if (!any) return TD_OK;
    td_status status = TD_OK;
    for (node *c = rods->first; c && !status; c = c->next) status = read_rod(r, c);
    return status;
}
