// cli/reading.c - see reading.h.
#include "cli/reading.h"

#include <string.h>

#include "cli/terminal.h"

static const char *in_words(const char *ending) {
    if (!ending[0]) return "how the run ended is not known";
    return strcmp(ending, "unfinished") ? ending : "the run goes on, or was killed";
}

result *open_result(const char *path) {
    td_error err = {0};
    result *r = result_read(path, &err);
    if (!r) report_error(NULL, &err);
    else if (strcmp(r->ending, "finished") != 0)
        print_note(r->path, "incomplete, %d records up to t = %g s: %s", r->n_times,
                   r->time[r->n_times - 1], in_words(r->ending));
    return r;
}
