// view/replay.h - a recorded run as frames for the page.
#pragma once

#include <stdint.h>

#include "view/scene.h"

enum { REPLAY_MOST = 256 << 20 };  // bytes; of a longer run every second record is taken, or fewer

typedef struct replay {
    scene *scene;
    uint8_t *frames;
    size_t bytes;
    int n_frames;
    double begin, end;  // s
    char model[32], ending[512];
} replay;

// `path` is a result folder or a file. NULL on failure.
replay *replay_create(const char *path, td_error *err);
void replay_destroy(replay *r);
