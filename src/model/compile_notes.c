// model/compile_notes.c - notes that a compiled model keeps.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/notes.h"

#define NOTE_SIZE 320

bool notes_add(model_notes *notes, const char *format, ...) {
    char text[NOTE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char **more = realloc(notes->of, sizeof *more * ((size_t)notes->n + 1));
    if (!more) return false;
    notes->of = more;
    notes->of[notes->n] = strdup(text);
    return notes->of[notes->n] && ++notes->n;
}

const char *notes_get(const model_notes *notes, int index) {
    return index >= 0 && index < notes->n ? notes->of[index] : NULL;
}

void notes_free(model_notes *notes) {
    for (int i = 0; i < notes->n; i++) free(notes->of[i]);
    free(notes->of);
}

// ---------------------------------------------------------------- what models ask about robots
bool any_number(const td_number n[3]) {
    for (int k = 0; k < 3; k++)
        if (n[k].value != 0.0 || n[k].gain != 0.0) return true;
    return false;
}

bool load_twists(const td_load_def *load, const mat3 *base) {
    const td_number *m = load->moment;
    if (load->rod < 0 || load->frame == TD_FRAME_BODY) return m[2].value != 0.0 || m[2].gain != 0.0;
    const vec3 z = mat3_column(base, 2);
    const vec3 value = {m[0].value, m[1].value, m[2].value},
               gain = {m[0].gain, m[1].gain, m[2].gain};
    const double size = vec3_norm(value) + vec3_norm(gain);
    return fabs(vec3_dot(value, z)) + fabs(vec3_dot(gain, z)) > 1e-9 * size;
}
