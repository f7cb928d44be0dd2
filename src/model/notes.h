// model/notes.h - what a model only comes near in a robot, in words: see td_model.note.
#pragma once

#include "math/mat3.h"
#include "robot/robot.h"

typedef struct model_notes {
    char **of;  // (n)
    int n;
} model_notes;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool notes_add(model_notes *notes, const char *format, ...);  // false: out of memory
const char *notes_get(const model_notes *notes, int index);  // NULL: none
void notes_free(model_notes *notes);

// ---------------------------------------------------------------- what models ask about robots
bool any_number(const td_number n[3]);  // is it ever other than 0?
// Has a moment a part along the axis of a rod that is straight, on such a base?
bool load_twists(const td_load_def *load, const mat3 *base);
