// view/local.c - see local.h.
#include "view/local.h"

#include <stdlib.h>

#include "base/error.h"
#include "io/clock.h"
#include "view/frame.h"
#include "view/hello.h"
#include "view/text.h"

#define STATUS_SECONDS 0.25

static const audience ALONE = {.driving = true, .watchers = 1};
enum { READER = 1 };  // 0 is everybody

struct local {
    stage *stage;
    live *live;
    live_facts facts;
    uint8_t *frame;
    char *answer;              // to what was asked last
    unsigned long told;        // version of the last hello, 1 more; 0: none yet
    unsigned long text, seen;  // of texts, of frames
    bool status_due;
    double status_at;    // s, when the next is due
    double busy, since;  // s, of rounds; since when
    double share;        // of a core
};

local *local_open(const char *path, td_error *err) {
    local *l = calloc(1, sizeof *l);
    if (l) l->stage = stage_create(path, NULL, 0, err);
    if (l && l->stage) l->live = live_create(l->stage, true, err);
    if (l && l->live && live_facts_create(l->live, &l->facts))
        l->frame = malloc(frame_most_bytes(live_scene(l->live)));
    if (l && l->frame) {
        l->text = live_text_now(l->live);
        live_get_facts(l->live, &l->facts);
        return l;
    }
    if (!l || l->live) error_set(err, TD_ERR_MEMORY, path, "out of memory");
    local_close(l);
    return NULL;
}

void local_close(local *l) {
    if (!l) return;
    if (l->live) live_facts_destroy(&l->facts);
    live_destroy(l->live);
    stage_destroy(l->stage);
    free(l->frame);
    free(l->answer);
    free(l);
}

static void answer(local *l, const char *words) {
    free(l->answer);
    l->answer = text_message("error", words);
}

void local_ask(local *l, const char *text, size_t length) {
    message m;
    char why[200];
    if (length > MESSAGE_MOST) {
        answer(l, "a message is longer than 4096 bytes");
        return;
    }
    if (!message_parse(text, length, &m, why, sizeof why)) {
        answer(l, why);
        return;
    }
    m.from = READER;
    if (m.ask != ASK_DRIVE && !live_send(l->live, &m))
        answer(l, "too many messages wait for the solver; this one was dropped");
}

// How much of the last while was spent computing.
static void weigh(local *l, double now, double spent) {
    l->busy += spent;
    if (now - l->since < 0.5) return;
    l->share = l->since > 0.0 ? l->busy / (now - l->since) : 0.0;
    l->since = now;
    l->busy = 0.0;
}

double local_tick(local *l, double now) {
    const double begun = wall_clock(), next = live_tick(l->live, now);
    weigh(l, now, wall_clock() - begun);
    live_get_facts(l->live, &l->facts);
    if (now >= l->status_at) {
        l->status_due = true;
        l->status_at = now + STATUS_SECONDS;
    }
    return next;
}

char *local_text(local *l) {
    if (l->told != l->facts.version + 1) {
        l->told = l->facts.version + 1;
        return hello_live(l->live, &l->facts, ALONE);
    }
    char *text = l->answer;
    l->answer = NULL;
    if (!text) text = live_text(l->live, &l->text, READER);
    if (text || !l->status_due) return text;
    l->status_due = false;
    return status_live(l->live, &l->facts, ALONE, l->share);
}

const uint8_t *local_frame(local *l, size_t *bytes) {
    *bytes = live_frame(l->live, &l->seen, l->frame);
    return *bytes ? l->frame : NULL;
}
