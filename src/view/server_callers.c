// Connections that say nothing, or not all of a request: they take room from pages that come later,
// so the oldest goes when there are too many.
#include <string.h>

#include "view/server_inner.h"

static void forget(server *s, int index) {
    s->n_callers--;
    memmove(s->callers + index, s->callers + index + 1,
            sizeof *s->callers * (size_t)(s->n_callers - index));
}

void caller_came(server *s, struct lws *wsi) {
    if (s->n_callers == MOST_CALLERS) {
        lws_set_timeout(s->callers[0], PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC);
        forget(s, 0);
    }
    s->callers[s->n_callers++] = wsi;
}

void caller_asked(server *s, struct lws *wsi) {
    for (int i = 0; i < s->n_callers; i++)
        if (s->callers[i] == wsi) {
            forget(s, i);
            return;
        }
}
