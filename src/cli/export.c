// tendril export: a robot as a functional mock-up unit, for other simulators.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fmi/bundle.h"
#include "fmi/describe.h"
#include "io/place.h"
#include "io/result.h"
#include "io/zip.h"
#include "tendril/loop.h"

#ifndef TENDRIL_LIBDIR
#define TENDRIL_LIBDIR "lib"
#endif

typedef struct export {
    session s;
    const args *args;
    int version;
    const char *out;
    char library[1100], identifier[64], token[FMI_TOKEN];
    char *text;          // the robot as its file in the FMU
    char choices[8192];  // see fmi/variables.h
    td_robot *robot;     // as read from that
    td_system *system;   //
    td_state *state;     //
    fmi_variables variables;
    library_list libraries;
    char *description;  // modelDescription.xml
}
export;

// ---------------------------------------------------------------- what goes into it
// The file as people wrote it, so that what its numbers decide is decided again where one is set; where it reads other files,
// all of the robot, written out.
static void choose_text(export *e, td_error *err) {
    const char *source = td_robot_source(e->s.robot);
    td_robot *robot = td_robot_parse(source, strlen(source), "/nowhere/robot.yaml", NULL, 0, err);
    if (!robot) {
        if (args_has(e->args, "parameters"))
            print_note(e->s.file, "reads other files: parameters are those of the robot written "
                                  "out, where lengths of tendons and the like are numbers too");
        *err = (td_error){0};
        e->text = td_robot_write(e->s.robot, &e->s.options, &e->s.scenario, err);
        return;
    }
    td_robot_destroy(robot);
    e->text = strdup(source);
}

static int read_back(export *e) {
    td_error err = {0};
    choose_text(e, &err);
    if (e->text) e->robot = td_robot_parse(e->text, strlen(e->text), "robot.yaml", NULL, 0, &err);
    const td_options options = e->robot ? td_robot_options(e->robot) : e->s.options;
    if (e->robot) e->system = td_system_create(e->robot, &options, &err);
    if (e->system) e->state = td_state_create(e->system);
    if (e->state) return EXIT_FINE;
    if (!err.status) return exit_error(EXIT_FAILED, e->s.file, "out of memory");
    return exit_reported(EXIT_FAILED, e->s.file, &err);
}

static int begin(export *e) {
    const td_status status = td_begin(e->system, e->state);
    if (status < 0)
        return exit_error(EXIT_FAILED, e->s.file, "the start was not found: %s",
                          td_message(e->state));
    if (status > 0) print_note(e->s.file, "the start: %s", td_message(e->state));
    return EXIT_FINE;
}

// Does a step of this robot have a derivative? The state has moved then.
static bool has_slopes(export *e) {
    td_error err = {0};
    if (td_n_controllers(e->system) > 0) return false;
    td_linearisation *l = variables_linearisation(&e->variables, e->system, &err);
    const bool has = l && td_differentiate_step(e->system, e->state, e->s.scenario.step, l) >= 0;
    if (!has)
        print_note(e->s.file, "without directional derivatives: %s",
                   l ? td_message(e->state) : err.message);
    td_linearisation_destroy(l);
    return has;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int describe(export *e) {
    td_error err = {0};
    if (!variables_make(&e->variables, e->robot, e->system, e->choices, &err))
        return exit_reported(EXIT_INPUT, NULL, &err);
    fmi_token(e->text, e->choices, e->token);
    char stem[64];
    snprintf(stem, sizeof stem, "%s", base_name(e->s.file));
    stem[strcspn(stem, ".")] = '\0';
    fmi_identifier(stem[0] ? stem : "robot", e->identifier, sizeof e->identifier);
    const char *name = td_robot_name(e->robot);
    fmi_description d = {.version = e->version,
                         .identifier = e->identifier,
                         .name = name && name[0] ? name : stem,
                         .token = e->token,
                         .step = e->s.scenario.step,
                         .end = e->s.scenario.end,
                         .variables = &e->variables,
                         .robot = e->robot,
                         .system = e->system};
    d.slopes = has_slopes(e);
    int code = begin(e);
    if (code != EXIT_FINE) return code;
    d.state = e->state;
    size_t n;
    FILE *out = open_memstream(&e->description, &n);
    if (out) fmi_describe(out, &d);
    if (!out || fclose(out) != 0) return exit_error(EXIT_FAILED, e->s.file, "out of memory");
    return EXIT_FINE;
}

// ---------------------------------------------------------------- the library
static int find_library(export *e) {
    static const char *const places[] = {"tendril_fmu.so",
                                         "../" TENDRIL_LIBDIR "/tendril/tendril_fmu.so",
                                         "../lib/tendril/tendril_fmu.so"};
    td_error err = {0};
    const char *given = args_value(e->args, "library");
    if (given) snprintf(e->library, sizeof e->library, "%s", given);
    else if (!place_find(places, sizeof places / sizeof *places, "", e->library, sizeof e->library))
        return exit_error(EXIT_FAILED, "tendril_fmu.so",
                          "was not found beside the program; give --library");
    if (libraries_of(e->library, &e->libraries, &err) < 0)
        return exit_reported(EXIT_FAILED, NULL, &err);
    return EXIT_FINE;
}

static const char licences[] = "Tendril is under the MIT licence. Beside it, in the folder of its "
                               "library, may lie copies of shared\n"
                               "libraries that it needs, as this machine has them, each under its "
                               "own licence: cminpack (Minpack's, like\n"
                               "BSD), LAPACK and BLAS or OpenBLAS (BSD), libgfortran and "
                               "libquadmath (GPL with GCC's runtime exception; LGPL), libfyaml\n"
                               "(MIT), SUNDIALS (BSD).\n";

static int pack(export *e) {
    td_error err = {0};
    char name[160];
    const char *folder = e->version == 2 ? "binaries/linux64" : "binaries/x86_64-linux";
    zip *z = zip_create(e->out, &err);
    if (!z) return exit_reported(EXIT_INPUT, NULL, &err);
    zip_add_text(z, "modelDescription.xml", e->description);
    zip_add_text(z, "resources/robot.yaml", e->text);
    zip_add_text(z, "resources/variables.txt", e->choices);
    zip_add_text(z, "documentation/licenses/license.txt", licences);
    snprintf(name, sizeof name, "%s/%s.so", folder, e->identifier);
    zip_add_file(z, name, e->library);
    for (int i = 0; !args_has(e->args, "bare") && i < e->libraries.n; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, e->libraries.all[i].name);
        zip_add_file(z, name, e->libraries.all[i].path);
    }
    if (zip_close(z, &err) < 0) return exit_reported(EXIT_FAILED, NULL, &err);
    return EXIT_FINE;
}

static void print_words(const export *e) {
    const fmi_variables *v = &e->variables;
    printf("%s: FMI %d.0 co-simulation, %d inputs, %d parameters, %d outputs\n", e->out, e->version,
           v->n_inputs, v->n_parameters, v->n_outputs);
    printf(args_has(e->args, "bare") ? "needs on the machine that loads it:"
                                     : "has its own copies of:");
    for (int i = 0; i < e->libraries.n; i++) printf(" %s", e->libraries.all[i].name);
    printf("\n%s %s\n",
           args_has(e->args, "bare") ? "and, as everywhere:" : "needs:", e->libraries.left_out);
}

// ---------------------------------------------------------------- the verb
static int write_fmu(export *e) {
    e->out = args_value(e->args, "fmu");
    if (!e->out) return exit_error(EXIT_INPUT, "export", "to what? Give --fmu FILE.fmu");
    e->version = 3;
    if (!args_integer(e->args, "fmi", 2, 3, &e->version)) return EXIT_INPUT;
    if (!args_lines(e->args, "parameters", "parameter", e->choices, sizeof e->choices) ||
        !args_lines(e->args, "outputs", "output", e->choices, sizeof e->choices))
        return EXIT_INPUT;
    int code = session_open(&e->s, e->args);
    if (code == EXIT_FINE && same_file(e->out, e->s.file))
        code = exit_error(EXIT_INPUT, e->out, "--fmu would replace the robot file that was read");
    if (code == EXIT_FINE) session_print_notes(&e->s);
    if (code == EXIT_FINE) code = find_library(e);
    if (code == EXIT_FINE) code = read_back(e);
    if (code == EXIT_FINE) code = begin(e);
    if (code == EXIT_FINE) code = describe(e);
    if (code == EXIT_FINE) code = pack(e);
    if (code == EXIT_FINE) print_words(e);
    return code;
}

static int run(const args *a) {
    export *e = calloc(1, sizeof *e);
    if (!e) return exit_error(EXIT_FAILED, "export", "out of memory");
    e->args = a;
    const int code = write_fmu(e);
    free(e->description);
    variables_free(&e->variables);
    td_state_destroy(e->state);
    td_system_destroy(e->system);
    td_robot_destroy(e->robot);
    free(e->text);
    session_close(&e->s);
    free(e);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"fmu", "FILE", "the FMU to write, e.g. arm.fmu", false},
    {"fmi", "N", "version of FMI, 2 or 3; default: 3", false},
    {"parameters", "PATHS",
     "values of the file that may be set before a run, separated\n"
     "by commas: rods.arm.length",
     true},
    {"outputs", "NAMES",
     "outputs besides tips, bodies, actuators and sensors,\n"
     "separated by commas: tip.velocity, rod.arm.50 %.pose,\n"
     "rod.arm.base_reaction",
     true},
    {"bare", NULL, "leave out copies of the shared libraries that it needs", false},
    {"library", "FILE",
     "tendril_fmu.so; default: the one installed with the\n"
     "program",
     false},
    {0},
};

const verb verb_export = {
    .name = "export",
    .summary = "export a robot as an FMU, for Simulink, OpenModelica and others",
    .arguments = "FILE",
    .about =
        "Writes a functional mock-up unit for co-simulation (FMI 3.0 or 2.0) for Linux on\n"
        "x86-64. Its inputs are the robot's inputs. Its outputs are poses of tips and bodies,\n"
        "tensions, lengths and sensor readings. Its state can be saved, restored and\n"
        "serialised. Steps have directional derivatives if the model has them. Inputs follow\n"
        "the file until they are set. A run has the same result as tendril run.",
    .options = options,
    .examples = "  tendril export arm.yaml --fmu arm.fmu\n"
                "  tendril export arm.yaml --fmu arm.fmu --fmi 2 --parameters rods.arm.length "
                "--outputs tip.velocity\n",
    .run = run,
};
