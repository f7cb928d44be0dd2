// tendril convert: a finished result for other programs.
#include <stdio.h>
#include <string.h>

#include "cli/reading.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/vtk.h"

// Beside the result unless another folder is given.
static void folder_of(const args *a, const result *r, char *folder, size_t size) {
    const char *out = args_value(a, "out"), *slash = strrchr(r->path, '/');
    if (out) {
        snprintf(folder, size, "%s", out);
    } else if (slash) {
        snprintf(folder, size, "%.*s", slash > r->path ? (int)(slash - r->path) : 1, r->path);
    } else {
        snprintf(folder, size, ".");
    }
}

static int convert(const args *a, const result *r) {
    char folder[512];
    td_error err = {0};
    folder_of(a, r, folder, sizeof folder);
    td_status status = make_folders(folder, &err);
    if (status < 0) return exit_reported(EXIT_INPUT, NULL, &err);
    if (args_has(a, "csv")) {
        status = csv_export(r, folder, &err);
        if (status == TD_OK) printf("%s/*.csv\n", folder);
    }
    if (status == TD_OK && args_has(a, "vtk")) {
        status = vtk_export(r, folder, &err);
        if (status == TD_OK) printf("%s/vtk/robot.pvd\n", folder);
    }
    if (status == TD_OK) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_FILE ? EXIT_FAILED : EXIT_INPUT, NULL, &err);
}

static int run(const args *a) {
    if (!args_has(a, "csv") && !args_has(a, "vtk"))
        return exit_error(EXIT_INPUT, "convert", "to what? Give --csv, --vtk or both");
    result *r = open_result(a->files[0]);
    if (!r) return EXIT_INPUT;
    int code = convert(a, r);
    result_destroy(r);
    return code;
}

static const option options[] = {
    {"csv", NULL, "tables: tip.csv, shape.csv, tendons.csv, ...", false},
    {"vtk", NULL, "files for ParaView: vtk/robot.pvd, vtk/lines.pvd", false},
    {"out", "DIR", "folder for them; default: beside the result", false},
    {0},
};

const verb verb_convert = {
    .name = "convert",
    .summary = "convert a result to tables (CSV) or ParaView files (VTK)",
    .arguments = "RESULT",
    .about = "RESULT is a folder written by run, statics or reach, or its result.h5. Writes what\n"
             "run --csv --vtk writes, for an existing result.",
    .options = options,
    .examples = "  tendril convert results/arm --vtk\n"
                "  tendril convert results/arm --csv --out tables\n",
    .run = run,
};
