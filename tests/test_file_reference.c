// The references in docs/file-format.md and docs/studies.md are those that the readers' own tables give.
//
//     test_file_reference --print | --print-study
//
// prints that part of a page, to be pasted between its two marks when a key changes.
#include "robot/actuators.h"
#include "robot/file_read.h"

#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"

#include "check.h"

#include "study/study_keys.h"

static const struct page {
    const char *path, *option;
    const mapping *root;
} pages[] = {{EXAMPLES "/../docs/file-format.md", "--print", &root_mapping},
             {EXAMPLES "/../docs/studies.md", "--print-study", &study_mapping}};
enum { N_PAGES = sizeof pages / sizeof *pages };

#define BEGIN "<!-- keys: made from the reader's tables -->\n"
#define END "\n<!-- end of keys -->"

// ---------------------------------------------------------------- the reference, from the tables
// All mappings in the order in which keys lead to them, each once.
typedef struct atlas {
    const mapping *all[128];
    int n;
} atlas;

static void explore(atlas *a, const mapping *m) {
    for (int i = 0; i < a->n; i++)
        if (a->all[i] == m) return;
    assert_true(a->n < (int)(sizeof a->all / sizeof *a->all));
    a->all[a->n++] = m;
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++)
        if (k.inside) explore(a, k.inside);
}

static atlas all_mappings(const mapping *root) {
    atlas a = {.n = 0};
    explore(&a, root);
    return a;
}

static void put_type(FILE *p, const key *k) {
    fprintf(p, "%s", k->type->words);
    for (const choice *c = k->choices; c && c->name; c++)
        fprintf(p, "%s `%s`", c == k->choices ? "" : ",", c->name);
    if (!k->unit) return;
    if (strcmp(k->unit, SIGNAL_UNIT) == 0) fprintf(p, ", in the unit of its place");
    else if (*k->unit) fprintf(p, ", %s", k->unit);
    else fprintf(p, ", no unit");
}

static void put_mapping(FILE *p, const mapping *m) {
    fprintf(p, "\n### %s\n\n%s\n\n", m->path, m->title);
    fprintf(p, "| key | value | when left out | meaning |\n|---|---|---|---|\n");
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++) {
        fprintf(p, "| `%s` | ", k.name);
        put_type(p, &k);
        fprintf(p, " | %s | %s |\n", k.fallback ? k.fallback : "**required**", k.text);
    }
}

static char *reference(const mapping *root) {
    char *text = NULL;
    size_t length;
    FILE *page = open_memstream(&text, &length);
    assert_non_null(page);
    const atlas a = all_mappings(root);
    for (int i = 0; i < a.n; i++) put_mapping(page, a.all[i]);
    assert_int_equal(fclose(page), 0);
    return text;
}

// ---------------------------------------------------------------- the page
static char *read_page(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 18) - 1, file);
    fclose(file);
    assert_in_range(length, 1000, (1 << 18) - 2);
    return text;
}

static void check_page(const struct page *of) {
    char *page = read_page(of->path), *expected = reference(of->root);
    char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    assert_non_null(begin);
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(begin + strlen(BEGIN), expected);
    free(page);
    free(expected);
}

static void the_pages_list_exactly_the_keys_of_the_tables(void **state) {
    (void)state;
    for (int i = 0; i < N_PAGES; i++) check_page(&pages[i]);
}

static void check_rod(const robot_rod *a, const robot_rod *b) {
    td_section_properties p = piece_properties(&a->pieces[0], 1.0);
    td_section_properties q = piece_properties(&b->pieces[0], 1.0);
    assert_memory_equal(&p, &q, sizeof p);  // doubles only
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a->pieces[0].drag[i], b->pieces[0].drag[i], 0.0);
        CHECK_NEAR(a->pieces[0].linear_drag[i], b->pieces[0].linear_drag[i], 0.0);
        CHECK_NEAR(a->pieces[0].rest_curvature[i], b->pieces[0].rest_curvature[i], 0.0);
        CHECK_NEAR(a->pieces[0].rest_stretch[i], b->pieces[0].rest_stretch[i], 0.0);
        CHECK_NEAR(a->base.position[i].value, b->base.position[i].value, 0.0);
        CHECK_NEAR(a->base.rotation[i].value, b->base.rotation[i].value, 0.0);
    }
    for (int i = 0; i < 4; i++) CHECK_NEAR(a->base.orientation[i], b->base.orientation[i], 0.0);
}

// Fields that lie side by side are compared together.
static void check_parts(const td_robot *a, const td_robot *b) {
    for (int i = 0; i < 2; i++) {
        const td_body_def *p = &a->bodies[i].def, *q = &b->bodies[i].def;
        assert_int_equal(p->rod, q->rod);
        assert_memory_equal(&p->at, &q->at, sizeof(double) * 8);  // to the centre
        CHECK_NEAR(p->attached.value, q->attached.value, 0.0);
        assert_memory_equal(p->position, q->position, sizeof(double) * 7);
    }
    const td_tendon_def *s = robot_tendon(a, 0), *t = robot_tendon(b, 0);
    assert_memory_equal(&s->from, &t->from, sizeof(double) * 2);
    assert_memory_equal(s->offset, t->offset, sizeof(double) * 4);
    assert_int_equal(s->input, t->input);
    assert_memory_equal(&s->stiffness, &t->stiffness, sizeof(double) * 10);  // to the mass
    assert_int_equal(s->pushes, t->pushes);
    assert_memory_equal(&robot_tendon(a, 1)->phase, &robot_tendon(b, 1)->phase, sizeof(double));
    const td_chamber_def *c = robot_chamber(a, 0), *d = robot_chamber(b, 0);
    assert_memory_equal(&c->from, &d->from, sizeof(double) * 6);  // to the area
    assert_int_equal(c->input, d->input);
    CHECK_NEAR(c->temperature, d->temperature, 0.0);
    CHECK_NEAR(c->atmosphere, d->atmosphere, 0.0);
    assert_int_equal(c->path_volume, d->path_volume);
    assert_int_equal(a->n_inputs, b->n_inputs);
    for (int i = 0; i < a->n_inputs; i++) assert_string_equal(a->inputs[i].name, b->inputs[i].name);
}

static void check_ends(const robot_rod *a, const robot_rod *b) {
    assert_int_equal(a->base.body, b->base.body);
    assert_int_equal(a->base.joint, b->base.joint);
    assert_memory_equal(a->base.axis, b->base.axis, sizeof(double) * 6);
    CHECK_NEAR(a->feed.value, b->feed.value, 0.0);
    assert_int_equal(a->tip.held, b->tip.held);
    assert_int_equal(a->tip.body, b->tip.body);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a->tip.position[i].value, b->tip.position[i].value, 0.0);
    assert_memory_equal(a->tip.orientation, b->tip.orientation, sizeof a->tip.orientation);
    assert_int_equal(a->tip.joint, b->tip.joint);
    assert_memory_equal(a->tip.axis, b->tip.axis, sizeof(double) * 6);
}

static void the_defaults_of_the_parts_are_those_on_the_page(void **state) {
    (void)state;
#define A "material: {youngs_modulus: 1, poisson_ratio: 0, density: 1}, section: {radius: 1}"
    const char *text =
        "tendril: 1\n"
        "bodies: [{name: hub, mass: 0, inertia: 0, centre: [0, 0, 0], position: [0, 0, 0],\n"
        "  direction: [0, 0, 1]}, {name: bob, on: a, at: tip, mass: 1, attached: 1}]\n"
        "rods: [{name: a, length: 1, " A ", feed: 0, base: {body: world, joint: clamp},\n"
        "  tip: {body: hub, position: [0, 0, 0], rotation: [0, 0, 0], joint: universal,\n"
        "    axis: [1, 0, 0], axis2: [0, 1, 0]}}]\n"
        "tendons: [{name: t, rod: a, from: base, to: tip, offset: [1, 2], offset_end: [1, 2],\n"
        "  input: tension, value: t, stiffness: 0, outside: 0, compliance: 0, pretension: 0,\n"
        "  friction: 0, presliding: 0, viscous: 0, pushes: false, bending: 0, torsion: 0,\n"
        "  mass_per_length: 0},\n"
        "  {name: u, routing: {helix: {radius: 1, turns: 1, phase: 0}}}]\n"
        "chambers: [{name: c, rod: a, from: base, to: tip, offset: [0, 0], radius: 1,\n"
        "  input: pressure, value: c, temperature: 20 degC, atmosphere: 101325,\n"
        "  volume: energy}]\n";
    const char *bare =
        "tendril: 1\n"
        "bodies: [{name: hub}, {name: bob, on: a, mass: 1}]\n"
        "rods: [{name: a, length: 1, " A ", tip: {body: hub, joint: universal}}]\n"
        "tendons: [{name: t, offset: [1, 2]}, {name: u, routing: {helix: {radius: 1, turns: 1}}}]\n"
        "chambers: [{name: c, radius: 1}]\n";
    td_error err;
    td_robot *full = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!full) fail_msg("%s: %s", err.where, err.message);
    td_robot *short_ = td_robot_parse(bare, strlen(bare), NULL, NULL, 0, &err);
    if (!short_) fail_msg("%s: %s", err.where, err.message);
    check_parts(full, short_);
    check_ends(&full->rods[0], &short_->rods[0]);
    td_robot_destroy(full);
    td_robot_destroy(short_);
}

// What the page says holds when a key is left out.
static void the_defaults_are_those_on_the_page(void **state) {
    (void)state;
    const char *text =
        "tendril: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "rods: [{name: a, length: 1, material: {youngs_modulus: 1, poisson_ratio: 0, density: 1},\n"
        "  section: {radius: 1, inner_radius: 0}, shear_factor: 1, drag: 0, linear_drag: 0,\n"
        "  damping: {bending: 0, torsion: 0, shear: 0, extension: 0, time: 0},\n"
        "  rest: {curvature: [0, 0, 0], stretch: [0, 0, 1]},\n"
        "  base: {position: [0, 0, 0], direction: [0, 0, 1], motion: {rotation: [0, 0, 0]}}}]\n";
    const char *bare =
        "tendril: 1\n"
        "rods: [{name: a, length: 1, material: {youngs_modulus: 1, poisson_ratio: 0, density: 1},\n"
        "  section: {radius: 1}}]\n";
    td_error err;
    td_robot *full = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!full) fail_msg("%s: %s", err.where, err.message);
    td_robot *short_ = td_robot_parse(bare, strlen(bare), NULL, NULL, 0, &err);
    if (!short_) fail_msg("%s: %s", err.where, err.message);
    check_rod(&full->rods[0], &short_->rods[0]);
    for (int i = 0; i < 3; i++) CHECK_NEAR(full->gravity[i].value, short_->gravity[i].value, 0.0);
    td_robot_destroy(full);
    td_robot_destroy(short_);
}

int main(int argc, char **argv) {
    for (int i = 0; i < N_PAGES; i++)
        if (argc == 2 && strcmp(argv[1], pages[i].option) == 0) {
            char *text = reference(pages[i].root);
            fputs(text, stdout);
            free(text);
            return 0;
        }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pages_list_exactly_the_keys_of_the_tables),
        cmocka_unit_test(the_defaults_are_those_on_the_page),
        cmocka_unit_test(the_defaults_of_the_parts_are_those_on_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
