// cli/equilibrium.c - see equilibrium.h.
#include "cli/equilibrium.h"

#include <stdio.h>

#include "cli/terminal.h"
#include "io/result.h"

static td_status write_record(const equilibrium *e, recorder *r, const td_scenario *scenario,
                              const char *folder, td_error *err) {
    const session *s = e->s;
    char file[560];
    snprintf(file, sizeof file, "%s/result.h5", folder);
    result_writer *w = result_create(file, &r->layout, 1, err);
    if (!w) return TD_ERR_FILE;
    result_info info = {e->program, s->robot, s->system, scenario};
    recorder_note_step(r, e->stats);
    td_status status = result_describe(w, &info, err);
    if (status >= 0) status = result_add(w, recorder_take(r, s->state), err);
    if (status >= 0) status = result_put_state(w, s->system, s->state, err);
    td_status closed = result_close(w, "finished", status < 0 ? NULL : err);
    return status < 0 ? status : closed;
}

int equilibrium_write(const equilibrium *e, const char *folder) {
    td_error err = {0};
    recorder r = {0};
    td_scenario scenario = e->s->scenario;
    if (e->points) scenario.record_points = e->points;
    scenario.record_fields |= TD_RECORD_POSE | TD_RECORD_STRAIN | TD_RECORD_WRENCH;
    if (result_folder(folder, &err) < 0) return exit_reported(EXIT_INPUT, NULL, &err);
    td_status status = recorder_create(&r, e->s->system, &scenario, &err);
    if (status >= 0) status = write_record(e, &r, &scenario, folder, &err);
    recorder_destroy(&r);
    if (status >= 0) return EXIT_FINE;
    return exit_reported(EXIT_FAILED, NULL, &err);
}
