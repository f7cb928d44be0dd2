// view/local.h - a live robot for one page in the same process: what the server is to many pages over
// sockets, without them and without a thread. It says the same words (docs/view-protocol.md), so that a
// page that computes in the browser is the page of tendril view.
#pragma once

#include "view/live.h"

typedef struct local local;

// Reads the robot file. NULL on failure.
local *local_open(const char *path, td_error *err);
void local_close(local *l);

// What the page asks for, as text; what cannot be taken is answered by local_text.
void local_ask(local *l, const char *text, size_t length);
// Work of one round at `now` (s, any origin). Returns when the next is due.
double local_tick(local *l, double now);

// What there is for the page, the most important first: a text, malloc'ed; NULL: none.
char *local_text(local *l);
// The newest frame, valid until the next call; NULL: it was asked for already.
const uint8_t *local_frame(local *l, size_t *bytes);

// The run that the file describes, as a table: malloc'ed. A step that fails ends it; then err says why, and
// the table holds what came before. NULL: there is none.
char *local_table(const char *path, td_error *err);
