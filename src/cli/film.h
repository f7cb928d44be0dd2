// cli/film.h - pictures that move: gnuplot draws the frames, and for MP4 ffmpeg takes them from its
// pipe, so that no frame ever lies on the disk.
#pragma once

#include <stdbool.h>

#include "cli/gnuplot.h"

typedef struct film {
    gnuplot g;      // frames go to g.script, one plot command each
    pid_t encoder;  // 0: none, gnuplot writes the GIF itself
    FILE *messages;
    char path[640], partial[656];
} film;

bool film_is_gif(const char *path);
// Frames of size[0] x size[1] pixels, fps of them a second. False: a message was printed.
bool film_open(film *f, const char *path, double fps, const int size[2]);
// Waits for the film and gives it its name. False: a message was printed; no file is left.
bool film_close(film *f);
// Ends it at once; no file is left.
void film_abandon(film *f);
