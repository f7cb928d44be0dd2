// tendril run: simulate a robot file and keep the result.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/session.h"
#include "cli/start.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"
#include "io/vtk.h"

#define KEEP_EVERY 10.0  // s

typedef struct run {
    session s;
    const args *args;
    char folder[512], file[560], kept[560];
    recorder recorder;
    result_writer *writer;
    summary sum;
    int record_every;  // steps
    long n_steps;
    run_mark mark;  // where the run goes on; all 0: at its beginning
    bool resumed;
    double keep_every;  // s of wall time between kept states; 0: none
    double last_keep;
    bool cut;  // the result could not be written; that was said
    bool quiet;
} run;

// ---------------------------------------------------------------- preparation
// "models/arm.yaml" -> "results/arm"
static void default_folder(const char *file, char *folder, size_t size) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, size, "results/%.*s", length, name);
}

static int choose_folder(run *r) {
    const char *out = args_value(r->args, "out"), *start = args_value(r->args, "start");
    default_folder(r->s.file, r->folder, sizeof r->folder);
    if (out && (size_t)snprintf(r->folder, sizeof r->folder, "%s", out) >= sizeof r->folder)
        return exit_error(EXIT_INPUT, "--out", "the path is longer than %zu bytes",
                          sizeof r->folder - 1);
    char *end = r->folder + strlen(r->folder);
    while (end > r->folder + 1 && end[-1] == '/') *--end = '\0';
    snprintf(r->file, sizeof r->file, "%s/result.h5", r->folder);
    snprintf(r->kept, sizeof r->kept, "%s/" KEPT_FILE, r->folder);
    char from[560];
    if (start) result_file_path(start, from, sizeof from);
    if (start && same_file(from, r->file))
        return exit_error(EXIT_INPUT, r->folder,
                          "the run starts from this result and would replace it; "
                          "give another --out");
    return EXIT_FINE;
}

static int plan_steps(run *r) {
    const td_scenario *plan = &r->s.scenario;
    double left = plan->end - td_get_time(r->s.system, r->s.state);
    if (!(left > 1e-9 * plan->step))
        return exit_error(EXIT_INPUT, r->s.file,
                          "simulation.time.end = %g s must be after the start at %g s; "
                          "try --set simulation.time.end=%g",
                          plan->end, plan->end - left, 2 * plan->end - left);
    r->n_steps = r->mark.step + (long)ceil(left / plan->step - 1e-6);
    double every = round(plan->record_every / plan->step);
    r->record_every = every < 1 ? 1 : every > INT_MAX / 2 ? INT_MAX / 2 : (int)every;
    return EXIT_FINE;
}

static td_status create_result(run *r, td_error *err) {
    result_info info = {"tendril run", r->s.robot, r->s.system, &r->s.scenario};
    long expected = r->n_steps / r->record_every + 2;
    r->writer = result_create(r->file, &r->recorder.layout, expected, err);
    if (!r->writer) return TD_ERR_FILE;
    td_status status = result_describe(r->writer, &info, err);
    if (status < 0 || !r->resumed) return status;
    recorder_resume(&r->recorder, &r->mark);
    return result_continue(r->writer, r->file, &r->mark, err);
}

static int open_result(run *r) {
    td_error err = {0};
    int code = EXIT_FINE;
    if (recorder_create(&r->recorder, r->s.system, &r->s.scenario, &err) < 0) code = EXIT_FAILED;
    else if (result_folder(r->folder, &err) < 0) code = EXIT_INPUT;
    else if (create_result(r, &err) < 0) code = EXIT_FAILED;
    if (code != EXIT_FINE) report_error(NULL, &err);
    return code;
}

// A run that was begun here goes on where its last state was kept.
static int resume(run *r) {
    td_error err = {0};
    if (access(r->kept, F_OK) != 0) {
        print_note(r->folder,
                   "nothing is kept here to go on from: the run starts at its beginning");
        return begin_state(&r->s, args_value(r->args, "start"));
    }
    if (kept_read(r->folder, &r->mark, r->s.robot, r->s.system, r->s.state, &err) < 0)
        return exit_reported(EXIT_INPUT, NULL, &err);
    r->resumed = true;
    if (!r->quiet)
        print_note(r->folder, "goes on at t = %g s, after %ld records",
                   td_get_time(r->s.system, r->s.state), r->mark.records);
    return EXIT_FINE;
}

static int begin(run *r) {
    r->keep_every = KEEP_EVERY;
    if (!args_seconds(r->args, "keep", &r->keep_every)) return EXIT_INPUT;
    if (!(r->keep_every >= 0.0))
        return exit_error(EXIT_INPUT, "--keep", "%.9g s must not be negative; 0: never",
                          r->keep_every);
    if (args_has(r->args, "resume")) return resume(r);
    return begin_state(&r->s, args_value(r->args, "start"));
}

// ---------------------------------------------------------------- the loop
// The disk is full, or gone: what is on it stays, and says of itself that it is not all.
static int cut_off(run *r, const td_error *err) {
    result_kept kept = result_kept_of(r->writer);
    if (r->cut) return EXIT_FAILED;
    r->cut = true;
    r->sum.ending = "cut off";
    report_error(NULL, err);
    if (kept.records > 0)
        print_note(r->file, "%ld records up to t = %g s are kept%s", kept.records, kept.time,
                   access(r->kept, F_OK) == 0 ? "; with more room, --resume goes on" : "");
    else print_note(r->file, "no record was written; what was there before is untouched");
    return EXIT_FAILED;
}

static int record(run *r) {
    td_error err = {0};
    td_energy e = td_get_energy(r->s.system, r->s.state);
    summary_energy(&r->sum, &e);
    td_status status = result_add(r->writer, recorder_take(&r->recorder, r->s.state), &err);
    return status < 0 ? cut_off(r, &err) : EXIT_FINE;
}

static int keep(run *r, long step) {
    td_error err = {0};
    r->last_keep = wall_clock();
    td_status status = result_flush(r->writer, &err);
    run_mark mark = run_mark_of(r->writer, &r->recorder, step);
    if (status == TD_OK)
        status = kept_write(r->folder, &mark, r->s.robot, r->s.system, r->s.state, &err);
    return status < 0 ? cut_off(r, &err) : EXIT_FINE;
}

static int keep_if_due(run *r, long step) {
    bool due = r->keep_every > 0 && wall_clock() - r->last_keep > r->keep_every;
    return due && step < r->n_steps ? keep(r, step) : EXIT_FINE;
}

// The last step ends where the file says, a little shorter than the others where it must.
static double next_step(const run *r, long k) {
    double step = r->s.scenario.step;
    if (k + 1 < r->n_steps) return step;
    double left = r->s.scenario.end - td_get_time(r->s.system, r->s.state);
    return fabs(left - step) < 1e-6 * step ? step : left;
}

static int fail(run *r, td_status status) {
    double t = td_get_time(r->s.system, r->s.state);
    r->sum.ending = "failed";
    r->sum.message = td_message(r->s.state);
    return exit_error(EXIT_FAILED, r->s.file, "t = %g s: %s", t,
                      r->sum.message[0] ? r->sum.message : status_words(status));
}

static int stop(run *r) {
    r->sum.ending = "stopped";
    print_note(r->s.file, "stopped at t = %g s; what was recorded is kept",
               td_get_time(r->s.system, r->s.state));
    return EXIT_FAILED;
}

// What is kept comes before a record that only the stop asks for.
static int stop_after(run *r, long step, bool recorded) {
    int code = r->keep_every > 0 ? keep(r, step) : EXIT_FINE;
    if (code == EXIT_FINE && !recorded) code = record(r);
    return code == EXIT_FINE ? stop(r) : code;
}

static int step_through(run *r, progress *bar) {
    int code = r->resumed ? EXIT_FINE : record(r);
    for (long k = r->mark.step + 1; k <= r->n_steps && code == EXIT_FINE; k++) {
        td_status status = td_advance(r->s.system, r->s.state, next_step(r, k - 1));
        if (status < 0) {
            progress_end(bar);
            if (status != TD_ERR_STOPPED) return fail(r, status);
            return stop_after(r, k - 1, (k - 1) % r->record_every == 0);  // this one never happened
        }
        summary_step(&r->sum, status, &r->s);
        recorder_note_step(&r->recorder, td_get_stats(r->s.state));
        bool recorded = k == r->n_steps || k % r->record_every == 0;
        if (recorded) code = record(r);
        progress_update(bar, td_get_time(r->s.system, r->s.state));
        if (code == EXIT_FINE && stop_asked() && k < r->n_steps) {
            progress_end(bar);
            return stop_after(r, k, recorded);
        }
        if (code == EXIT_FINE) code = keep_if_due(r, k);
    }
    return code;
}

static int simulate(run *r) {
    r->sum = summary_begin(&r->s);
    catch_stop(true);
    progress bar = progress_begin(r->sum.from, r->s.scenario.end, r->quiet);
    double started = r->last_keep = wall_clock();
    int code = step_through(r, &bar);
    r->sum.wall = wall_clock() - started;
    r->sum.to = td_get_time(r->s.system, r->s.state);
    progress_end(&bar);
    return code;
}

// ---------------------------------------------------------------- the end
// What others read: tables, VTK.
static int write_exports(run *r) {
    bool csv = args_has(r->args, "csv"), vtk = args_has(r->args, "vtk");
    if (!csv && !vtk) return EXIT_FINE;
    td_error err = {0};
    result *kept = result_read(r->file, &err);
    td_status status = kept ? TD_OK : TD_ERR_FILE;
    if (status == TD_OK && csv) status = csv_export(kept, r->folder, &err);
    if (status == TD_OK && vtk) status = vtk_export(kept, r->folder, &err);
    result_destroy(kept);
    if (status == TD_OK) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_FILE ? EXIT_FAILED : EXIT_INPUT, NULL, &err);
}

// The last rows and the state, while there is someone to say what is kept when they do not fit.
static int write_rest(run *r) {
    td_error err = {0};
    td_status status = result_flush(r->writer, &err);
    if (status == TD_OK) status = result_put_state(r->writer, r->s.system, r->s.state, &err);
    return status < 0 ? cut_off(r, &err) : EXIT_FINE;
}

static int close_result(run *r, int code) {
    td_error err = {0};
    char ending[640];
    int rest = write_rest(r);
    snprintf(ending, sizeof ending, "%s%s%s", r->sum.ending, r->sum.message[0] ? ": " : "",
             r->sum.message);
    r->sum.records = result_kept_of(r->writer).records;
    td_status closed = result_close(r->writer, ending, &err);
    r->writer = NULL;
    if (closed < 0 && !r->cut) {
        report_error(NULL, &err);
        rest = EXIT_FAILED;
    }
    if (rest != EXIT_FINE) return rest;
    if (code == EXIT_FINE) unlink(r->kept);
    int exports = write_exports(r);
    return exports == EXIT_FINE ? code : exports;
}

static int go(run *r) {
    int code = session_open(&r->s, r->args);
    if (code == EXIT_FINE) code = choose_folder(r);
    if (code == EXIT_FINE && args_has(r->args, "resume") &&
        result_is_finished(r->file, r->s.robot)) {
        print_note(r->file, "the run is finished; nothing is left to do");
        return EXIT_FINE;
    }
    if (code == EXIT_FINE) code = begin(r);
    if (code == EXIT_FINE) code = plan_steps(r);
    if (code == EXIT_FINE) code = open_result(r);
    if (code != EXIT_FINE) return code;
    code = close_result(r, simulate(r));
    if (code == EXIT_INPUT) return code;
    if (args_has(r->args, "json")) {
        summary_print_json(&r->sum, &r->s, r->file);
    } else if (!r->quiet) {
        summary_print(&r->sum, &r->s, r->file);
        session_print_notes(&r->s);
    }
    return code;
}

static int run_run(const args *a) {
    run r = {.args = a, .quiet = args_has(a, "quiet")};
    int code = go(&r);
    if (r.writer) result_close(r.writer, "failed", NULL);
    recorder_destroy(&r.recorder);
    session_close(&r.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"start", "HOW",
     "static, straight, or a .state file or result folder to\n"
     "continue from; default: what the file says",
     false},
    {"out", "DIR", "folder for the result; default: results/<name of FILE>", false},
    {"resume", NULL,
     "continue a run that was stopped or killed, with the same\n"
     "result as if it had not been; starts anew if no state was\n"
     "kept",
     false},
    {"keep", "T",
     "wall time between states kept for --resume; default: 10 s,\n"
     "0: never",
     false},
    {"csv", NULL, "also write everything recorded as tables", false},
    {"vtk", NULL, "also write files for ParaView: vtk/robot.pvd", false},
    {"json", NULL, "print the summary as JSON on stdout", false},
    {"quiet", NULL, "no progress bar and no summary", false},
    {0},
};

const verb verb_run = {
    .name = "run",
    .summary = "simulate a robot file and write the result to a folder",
    .arguments = "FILE",
    .about = "Simulates over simulation.time with the inputs of the file, and writes result.h5\n"
             "(HDF5). An older result in the folder is replaced once the new one has records. A\n"
             "folder that holds anything else is refused. Ctrl-C stops the run and keeps its\n"
             "records. If a step fails or the disk is full, the run ends with the reason and exit\n"
             "code 1, and keeps its records.",
    .options = options,
    .examples = "  tendril run arm.yaml\n"
                "  tendril run arm.yaml --set simulation.time.step='1 ms' --out results/fine\n"
                "  tendril run arm.yaml --start results/arm --set simulation.time.end=4 "
                "--out results/more\n"
                "  tendril run arm.yaml --resume\n",
    .run = run_run,
};
