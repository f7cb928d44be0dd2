#include "cli/slack.h"

#include <stdio.h>

#include "robot/facts.h"

static slack_span *open_span(slack_log *log, int tendon) {
    for (int i = log->n_spans - 1; i >= 0; i--)
        if (log->spans[i].tendon == tendon && log->spans[i].open) return &log->spans[i];
    return NULL;
}

static void begin_span(slack_log *log, int tendon, double t) {
    if (log->n_spans == MOST_SLACK_SPANS) {
        log->n_lost++;
        return;
    }
    log->spans[log->n_spans++] = (slack_span){.tendon = tendon, .from = t, .to = t, .open = true};
}

void slack_note(slack_log *log, const session *s) {
    double t = td_get_time(s->system, s->state);
    for (int i = 0; i < td_n_tendons(s->system); i++) {
        if (!tendon_is_displaced(s->robot, i)) continue;  // the others have what they are given
        bool slack = td_get_tendon(s->system, s->state, i).slack;
        slack_span *span = open_span(log, i);
        if (span) {
            span->to = t;
            span->open = slack;
        } else if (slack) {
            begin_span(log, i, t);
        }
    }
}

void slack_print(const slack_log *log, const session *s) {
    for (int i = 0; i < log->n_spans; i++) {
        const slack_span *span = &log->spans[i];
        printf("  slack        tendon '%s' was slack from %.4g s ",
               td_tendon_name(s->system, span->tendon), span->from);
        if (span->open) printf("to the end\n");
        else printf("to %.4g s\n", span->to);
    }
    if (log->n_lost) printf("  slack        %d times more\n", log->n_lost);
}

void slack_put(json *j, const slack_log *log, const session *s) {
    json_key(j, "slack");
    json_begin_array(j);
    for (int i = 0; i < log->n_spans; i++) {
        json_begin_object(j);
        json_put_string(j, "tendon", td_tendon_name(s->system, log->spans[i].tendon));
        json_put_number(j, "from", log->spans[i].from);
        json_put_number(j, "to", log->spans[i].to);
        json_end_object(j);
    }
    json_end_array(j);
}
