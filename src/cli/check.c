// tendril check: is a robot file right, and what does it say?
#include <math.h>
#include <stdio.h>
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

// ---------------------------------------------------------------- text
static void print_range(const char *name, double base, double tip, const char *unit) {
    if (fabs(tip - base) <= 1e-9 * fabs(base)) {
        printf(" %s %.4g %s", name, base, unit);
    } else {
        printf(" %s %.4g to %.4g %s", name, base, tip, unit);
    }
}

static void print_stiffness(const rod_facts *f) {
    const double *b = f->base.stiffness, *t = f->tip.stiffness;
    printf("  stiffness   ");
    if (b[0] == b[1]) {
        print_range("bending", b[0], t[0], "N m^2,");
    } else {
        print_range("bending x", b[0], t[0], "N m^2,");
        print_range("bending y", b[1], t[1], "N m^2,");
    }
    print_range("torsion", b[2], t[2], "N m^2,");
    print_range("shear", b[3], t[3], "N,");
    print_range("extension", b[5], t[5], "N\n");
}

static void print_rods(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_rods(robot); i++) {
        rod_facts f = rod_facts_of(robot, i);
        printf("rod %s\n", f.name);
        printf("  length       %g m in %d piece%s\n", f.length, f.n_pieces,
               f.n_pieces == 1 ? "" : "s");
        printf("  mass         %.4g kg\n", f.mass);
        print_stiffness(&f);
        printf("  frequency    about %.4g Hz, first bending mode, base held, tip free\n",
               f.frequency);
        end_facts ends = end_facts_of(robot, i);
        if (ends.base[0]) printf("  base         %s\n", ends.base);
        if (ends.tip[0]) printf("  tip          %s\n", ends.tip);
        if (ends.feed[0]) printf("  feed         %s m\n", ends.feed);
        if (ends.rotation[0])
            printf("  tube         %s%s%sturned by %s rad, its back end at %s m\n",
                   ends.within ? "runs in " : "", ends.within ? ends.within : "",
                   ends.within ? ", " : "", ends.rotation, ends.translation);
    }
}

static void print_bodies(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_bodies(robot); i++) {
        body_facts f = body_facts_of(robot, i);
        printf("body %s\n  mass         %.4g kg, inertia (%.4g, %.4g, %.4g) kg m^2\n", f.name,
               f.mass, f.inertia[0], f.inertia[1], f.inertia[2]);
        if (!f.rod) printf("  free\n");
        else
            printf("  rides on     %s, s = %g m%s%s\n", f.rod, f.at,
                   strcmp(f.attached, "1") ? ", attached: " : "",
                   strcmp(f.attached, "1") ? f.attached : "");
    }
}

static void print_actuators(const td_robot *robot) {
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_facts f = actuator_facts_of(robot, i);
        printf("%s %s\n  on           %s, s = %g to %g m, %s\n", f.kind->word, f.name, f.rod,
               f.from, f.to, f.where);
        printf("  %-12s %s %s\n", f.given, f.value, f.unit);
        if (f.properties[0]) printf("  properties   %s\n", f.properties);
    }
}

static void print_loads(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_loads(robot); i++) {
        load_facts f = load_facts_of(robot, i);
        printf("load %s\n  on           %s", f.name, f.rod ? f.rod : f.body);
        if (f.rod) printf(", s = %g", f.from);
        if (f.distributed) printf(" to %g", f.to);
        printf("%s, %s frame\n", f.rod ? " m" : "", f.frame);
        if (f.force[0]) printf("  force        %s %s\n", f.force, f.distributed ? "N/m" : "N");
        if (f.moment[0])
            printf("  moment       %s %s\n", f.moment, f.distributed ? "N m/m" : "N m");
    }
}

static void print_obstacles(const td_robot *robot) {
    for (int i = 0; i < td_robot_n_obstacles(robot); i++) {
        const obstacle_facts f = obstacle_facts_of(robot, i);
        printf("obstacle %s\n  shape        %s%s%s%s\n", f.name, f.shape, f.size[0] ? ", " : "",
               f.size, f.inside ? ", a room" : "");
        printf("  position     %s m\n", f.position);
        if (f.surface[0]) printf("  surface      %s\n", f.surface);
    }
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
    for (int i = 0; (note = td_system_note(s->system, i)); i++) printf("note: %s\n", note);
    const double every = s->scenario.record_every, used = record_interval(&s->scenario);
    if (every > 0 && fabs(used - every) > 1e-6 * every)
        printf("note: record.every = %g s is not a multiple of the step; %g s is used\n", every,
               used);
}

static void print_text(const session *s) {
    const char *name = td_robot_name(s->robot);
    char gravity[640];
    describe_gravity(s->robot, gravity, sizeof gravity);
    printf("%s: fine%s\n", s->file, td_system_note(s->system, 0) ? ", with notes below" : "");
    if (name && name[0]) printf("robot %s\n", name);
    printf("gravity %s m/s^2\n", gravity);
    print_rods(s->robot);
    print_bodies(s->robot);
    print_actuators(s->robot);
    print_loads(s->robot);
    print_obstacles(s->robot);
    print_contacts(s->robot);
    print_sensors(s->robot);
    print_controllers(s->robot);
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
    .summary = "validate a robot file and say what is in it",
    .arguments = "FILE",
    .about = "Reads the file as run would and compiles it under its model. A mistake is reported\n"
             "with its place, file:line:column, and exit code 2.",
    .options = options,
    .examples = "  tendril check arm.yaml\n"
                "  tendril check arm.yaml --set rods.arm.length=0.3 --json\n",
    .run = run,
};
