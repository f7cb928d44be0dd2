// tendril check: is a robot file right, and what does it say?
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/description.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "io/json.h"
#include "io/options.h"
#include "io/result.h"
#include "robot/facts.h"

static double record_interval(const td_scenario *s) {
    return s->step * fmax(1.0, round(s->record_every / s->step));
}

static double record_count(const td_scenario *s) {
    return 1 + ceil(s->end / record_interval(s) - 1e-6);
}

// Megabytes that a run will write; 0: there is no memory to tell.
static double result_size(const session *s) {
    td_error err = {0};
    result_layout layout;
    if (layout_create(&layout, s->system, &s->scenario, &err) < 0) return 0.0;
    const double width = layout.width;
    layout_destroy(&layout);
    return 8e-6 * width * record_count(&s->scenario);
}

// ---------------------------------------------------------------- parts, equal ones as one
// Of neighbours that read alike only the first and the last are named. Where PLACE stands in the text goes their
// place on a rod, in which they may differ.
#define PLACE '\1'

typedef struct run_of_parts {
    const char *word, *first, *last;
    double from, to;
    char *text;
    int n;
} run_of_parts;

static void print_run(run_of_parts *r) {
    if (r->n > 1) printf("%s %s .. %s, %d alike\n", r->word, r->first, r->last, r->n);
    else if (r->n == 1) printf("%s %s\n", r->word, r->first);
    for (const char *c = r->n ? r->text : ""; *c; c++) {
        if (*c != PLACE) putchar(*c);
        else if (r->from == r->to) printf("%g", r->from);
        else printf("%g to %g", r->from, r->to);
    }
    free(r->text);
    *r = (run_of_parts){0};
}

typedef struct part_words {
    const char *word, *name;
    double at;
} part_words;

// All parts of a kind; `put` says what stands below the name of one.
static void print_parts(const td_robot *robot, int count,
                        part_words (*put)(FILE *out, const td_robot *robot, int index)) {
    run_of_parts run = {0};
    for (int i = 0; i < count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out) break;  // no memory: what there is to say of them is left out
        const part_words w = put(out, robot, i);
        if (fclose(out) != 0 || !text) break;
        if (run.n > 0 && strcmp(text, run.text) == 0) {
            free(text);
        } else {
            print_run(&run);
            run = (run_of_parts){.word = w.word, .first = w.name, .from = w.at, .text = text};
        }
        run.last = w.name, run.to = w.at, run.n++;
    }
    print_run(&run);
}

// ---------------------------------------------------------------- text
static void put_range(FILE *out, const char *name, double base, double tip, const char *unit) {
    if (fabs(tip - base) <= 1e-9 * fabs(base)) {
        fprintf(out, " %s %.4g %s", name, base, unit);
    } else {
        fprintf(out, " %s %.4g to %.4g %s", name, base, tip, unit);
    }
}

static void put_stiffness(FILE *out, const rod_facts *f) {
    const double *b = f->base.stiffness, *t = f->tip.stiffness;
    fprintf(out, "  stiffness   ");
    if (b[0] == b[1]) {
        put_range(out, "bending", b[0], t[0], "N m^2,");
    } else {
        put_range(out, "bending x", b[0], t[0], "N m^2,");
        put_range(out, "bending y", b[1], t[1], "N m^2,");
    }
    put_range(out, "torsion", b[2], t[2], "N m^2,");
    put_range(out, "shear", b[3], t[3], "N,");
    put_range(out, "extension", b[5], t[5], "N\n");
}

static part_words put_rod(FILE *out, const td_robot *robot, int i) {
    rod_facts f = rod_facts_of(robot, i);
    fprintf(out, "  length       %g m in %d piece%s\n", f.length, f.n_pieces,
            f.n_pieces == 1 ? "" : "s");
    fprintf(out, "  mass         %.4g kg\n", f.mass);
    put_stiffness(out, &f);
    if (f.law[0]) fprintf(out, "  material     %s\n", f.law);
    fprintf(out, "  frequency    about %.4g Hz, first bending mode, base held, tip free\n",
            f.frequency);
    end_facts ends = end_facts_of(robot, i);
    if (ends.base[0]) fprintf(out, "  base         %s\n", ends.base);
    if (ends.tip[0]) fprintf(out, "  tip          %s\n", ends.tip);
    if (ends.feed[0])
        fprintf(out, "  feed         %s m%s\n", ends.feed, ends.at_tip ? ", at its tip" : "");
    if (ends.rotation[0])
        fprintf(out, "  tube         %s%s%sturned by %s rad, its back end at %s m\n",
                ends.within ? "runs in " : "", ends.within ? ends.within : "",
                ends.within ? ", " : "", ends.rotation, ends.translation);
    return (part_words){"rod", f.name, 0.0};
}

static part_words put_body(FILE *out, const td_robot *robot, int i) {
    body_facts f = body_facts_of(robot, i);
    fprintf(out, "  mass         %.4g kg, inertia (%.4g, %.4g, %.4g) kg m^2\n", f.mass,
            f.inertia[0], f.inertia[1], f.inertia[2]);
    const td_body_def *d = &robot->bodies[i].def;
    if (body_is_magnetic(d))
        fprintf(out, "  magnet       (%.4g, %.4g, %.4g) A m^2\n", d->magnet[0], d->magnet[1],
                d->magnet[2]);
    if (f.held[0]) fprintf(out, "  held         %s\n", f.held);
    else if (!f.rod) fprintf(out, "  free\n");
    else
        fprintf(out, "  rides on     %s, s = %c m%s%s\n", f.rod, PLACE,
                strcmp(f.attached, "1") ? ", attached: " : "",
                strcmp(f.attached, "1") ? f.attached : "");
    return (part_words){"body", f.name, f.at};
}

static part_words put_actuator(FILE *out, const td_robot *robot, int i) {
    const actuator_facts f = actuator_facts_of(robot, i);
    if (f.body) fprintf(out, "  on           %s, %s\n", f.body, f.where);
    else fprintf(out, "  on           %s, s = %g to %g m, %s\n", f.rod, f.from, f.to, f.where);
    fprintf(out, "  %-12s %s %s\n", f.given, f.value, f.unit);
    if (f.properties[0]) fprintf(out, "  properties   %s\n", f.properties);
    return (part_words){f.kind->word, f.name, 0.0};
}

static part_words put_load(FILE *out, const td_robot *robot, int i) {
    load_facts f = load_facts_of(robot, i);
    fprintf(out, "  on           %s", f.rod ? f.rod : f.body);
    if (f.rod) fprintf(out, ", s = %g", f.from);
    if (f.distributed) fprintf(out, " to %g", f.to);
    fprintf(out, "%s, %s frame\n", f.rod ? " m" : "", f.frame);
    if (f.force[0]) fprintf(out, "  force        %s %s\n", f.force, f.distributed ? "N/m" : "N");
    if (f.moment[0])
        fprintf(out, "  moment       %s %s\n", f.moment, f.distributed ? "N m/m" : "N m");
    return (part_words){"load", f.name, 0.0};
}

static part_words put_field(FILE *out, const td_robot *robot, int i) {
    const field_facts f = field_facts_of(robot, i);
    fprintf(out, "  %-12s %s %s\n", f.dipole ? "dipole" : "flux", f.strength,
            f.dipole ? "A m^2" : "T");
    if (f.gradient[0]) fprintf(out, "  gradient     %s T/m\n", f.gradient);
    if (f.dipole || f.gradient[0]) fprintf(out, "  position     %s m\n", f.position);
    return (part_words){"field", f.name, 0.0};
}

static part_words put_obstacle(FILE *out, const td_robot *robot, int i) {
    const obstacle_facts f = obstacle_facts_of(robot, i);
    fprintf(out, "  shape        %s%s%s%s\n", f.shape, f.size[0] ? ", " : "", f.size,
            f.inside ? ", a room" : "");
    fprintf(out, "  position     %s m\n", f.position);
    if (f.surface[0]) fprintf(out, "  surface      %s\n", f.surface);
    return (part_words){"obstacle", f.name, 0.0};
}

static void print_contacts(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_contacts(robot); i++) {
        const contact_facts f = contact_facts_of(robot, i);
        printf("contact %s\n  between      %s\n", f.name, f.between);
        if (f.surface[0]) printf("  surface      %s\n", f.surface);
    }
}

static void print_sensors(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_sensors(robot); i++) {
        const sensor_facts f = sensor_facts_of(robot, i);
        printf("sensor %s\n  measures     %s, %s\n", f.name, f.measures, f.times);
        if (f.quality[0]) printf("  quality      %s\n", f.quality);
    }
}

static void print_estimator(const session *s) {
    const td_estimator_def *d = td_robot_estimator(s->robot);
    if (!d) return;
    printf("estimator\n  unknown      ");
    for (int i = 0; i < d->n_unknowns; i++) {
        const td_unknown_def *u = &d->unknowns[i];
        printf("%s%s%s", i ? ", " : "", u->name ? u->name : td_input_name(s->system, u->inputs[0]),
               u->n_inputs > 1 ? " and where it acts" : "");
    }
    printf("%s\n", d->n_unknowns ? "" : "the shape alone");
}

static void print_controllers(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_controllers(robot); i++) {
        const controller_facts f = controller_facts_of(robot, i);
        printf("controller %s\n  drives       %s, by %s, %s\n", f.name, f.drives, f.kind, f.times);
    }
}

static void print_inputs(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_inputs(robot); i++) {
        input_facts f = input_facts_of(robot, i);
        printf("input %s\n  signal       %s\n", f.name, f.signal);
    }
}

// What the model was told, a line for each group of options.
static void print_options(const session *s) {
    const plan p = {s->options, s->scenario};
    char text[OPTION_TEXT];
    const char *name, *group = NULL;
    const sim_option *o;
    for (int i = 0; (o = next_option(&p, &i, &name));) {
        const bool off = o->traits & MAY_BE_OFF && option_value(o, &p) == 0.0;
        if (option_is_of_run(o) || o->kind == OPTION_MODEL || off) continue;
        const size_t n = strcspn(name, ".");
        const bool alone = !name[n];
        if (group && strncmp(group, name, n + 1) == 0) printf(", ");
        else if (group && alone) printf(", ");
        else
            printf("%s  %-12.*s ", group ? "\n" : "", alone ? 7 : (int)n, alone ? "options" : name);
        printf("%s %s", alone ? name : name + n + 1, option_text(o, &p, text));
        group = name;
    }
    putchar('\n');
}

static void print_model(const session *s) {
    for (int i = 0; i < td_n_models(); i++) {
        if (strcmp(td_model_name(i), s->options.model)) continue;
        printf("model %s\n  title        %s (%s)\n", td_model_name(i), td_model_title(i),
               td_model_reference(i));
    }
    printf("  supports     everything this robot uses\n");
    print_options(s);
}

static const char *value_of(const session *s, const char *path, char text[OPTION_TEXT]) {
    return option_text(sim_option_find(path), &(plan){s->options, s->scenario}, text);
}

static void print_plan(const session *s) {
    const td_scenario *scenario = &s->scenario;
    char text[OPTION_TEXT];
    printf("simulation\n  time         %g s in %.0f steps of %g s, %s", scenario->end,
           ceil(scenario->end / scenario->step - 1e-6), scenario->step, stepping_name(&s->options));
    printf("\n  start        %s\n", value_of(s, "simulation.start", text));
    printf("  record       %.0f times, every %g s, %d points, about %.2g MB: %s\n",
           record_count(scenario), record_interval(scenario), scenario->record_points,
           result_size(s), value_of(s, "record.fields", text));
}

static void print_notes(const session *s) {
    const char *note;
    char doubt[DOUBT_TEXT];
    for (int i = 0; robot_doubt(s->robot, i, doubt, sizeof doubt); i++)
        printf("warning: %s\n", doubt);
    for (int i = 0; (note = td_system_note(s->system, i)); i++) printf("note: %s\n", note);
    const double every = s->scenario.record_every, used = record_interval(&s->scenario);
    if (every > 0 && fabs(used - every) > 1e-6 * every)
        printf("note: record.every = %g s is not a multiple of the step; %g s is used\n", every,
               used);
}

static void print_text(const session *s) {
    const char *name = td_robot_name(s->robot);
    char gravity[768];
    describe_gravity(s->robot, gravity, sizeof gravity);
    char doubt[DOUBT_TEXT];
    const bool doubted = robot_doubt(s->robot, 0, doubt, sizeof doubt);
    const char *notes = doubted                        ? ", with warnings below"
                        : td_system_note(s->system, 0) ? ", with notes below"
                                                       : "";
    printf("%s: fine%s\n", s->file, notes);
    if (name && name[0]) printf("robot %s\n", name);
    printf("gravity %s m/s^2\n", gravity);
    describe_fluid(s->robot, gravity, sizeof gravity);
    if (gravity[0]) printf("fluid %s\n", gravity);
    print_parts(s->robot, td_robot_n_rods(s->robot), put_rod);
    print_parts(s->robot, td_robot_n_bodies(s->robot), put_body);
    print_parts(s->robot, s->robot->n_actuators, put_actuator);
    print_parts(s->robot, td_robot_n_loads(s->robot), put_load);
    print_parts(s->robot, td_robot_n_fields(s->robot), put_field);
    print_parts(s->robot, td_robot_n_obstacles(s->robot), put_obstacle);
    print_contacts(s->robot);
    print_sensors(s->robot);
    print_controllers(s->robot);
    print_estimator(s);
    print_inputs(s->robot);
    print_model(s);
    print_plan(s);
    print_notes(s);
}

// ---------------------------------------------------------------- JSON
static void print_json(const session *s) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", s->file);
    json_put_string(&j, "status", "fine");
    json_put_string(&j, "name", td_robot_name(s->robot));
    json_put_string(&j, "model", s->options.model);
    json_open_object(&j, "options");
    options_put(&j, &(plan){s->options, s->scenario});
    json_end_object(&j);
    json_put_number(&j, "record_every", record_interval(&s->scenario));
    json_put_number(&j, "records", record_count(&s->scenario));
    json_put_number(&j, "result_megabytes", result_size(s));
    session_put_notes(s, &j);
    char doubt[DOUBT_TEXT];
    json_open_array(&j, "warnings");
    for (int i = 0; robot_doubt(s->robot, i, doubt, sizeof doubt); i++) json_string(&j, doubt);
    json_end_array(&j);
    description_put(&j, s->robot);
    json_end_object(&j);
}

static void print_json_error(const char *file, const td_error *err) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", file);
    json_put_string(&j, "status", td_status_name(err->status));
    json_put_string(&j, "where", err->where);
    json_put_integer(&j, "line", err->line);
    json_put_integer(&j, "column", err->column);
    json_put_string(&j, "message", err->message);
    json_end_object(&j);
}

static int run(const args *a) {
    session s;
    int code = session_open(&s, a);
    if (code != EXIT_FINE && args_has(a, "json")) {
        print_json_error(a->files[0], &s.err);
    } else if (code == EXIT_FINE && args_has(a, "json")) {
        print_json(&s);
    } else if (code == EXIT_FINE) {
        print_text(&s);
    }
    session_close(&s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"json", NULL, "print as JSON", false},
    {0},
};

const verb verb_check = {
    .name = "check",
    .summary = "validate a robot file and summarise it",
    .arguments = "FILE",
    .about = "Reads the file and compiles it under its model, as run does. Reports a mistake with\n"
             "its place (file:line:column) and exit code 2. Warns of what is allowed but probably\n"
             "not meant: a tendon outside its discs, a mass of tonnes, a modulus of 200 Pa.",
    .options = options,
    .examples = "  tendril check arm.yaml\n"
                "  tendril check arm.yaml --set rods.arm.length=0.3 --json\n",
    .run = run,
};
