// cli/gnuplot.h - gnuplot at the other end of a pipe. No shell is involved, and the figure comes
// back through the program's own file, so no name is ever read as a command.
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct gnuplot {
    FILE *script;  // commands go here
    pid_t pid;
    int figure;  // descriptor of the file that gnuplot draws into
    FILE *messages;
    char path[640], partial[656];  // the figure, and its name while it is being drawn
} gnuplot;

// Starts gnuplot drawing into `path`. False: a message was printed.
bool gnuplot_open(gnuplot *g, const char *path);
// The same into a descriptor, which is closed at the end: the pipe to another program.
bool gnuplot_open_into(gnuplot *g, int figure);
// Ends gnuplot at once; no file is left.
void gnuplot_abandon(gnuplot *g);
// Waits for the figure and gives it its name. False: a message was printed; no file is left.
bool gnuplot_close(gnuplot *g);

// A pipe that other programs do not inherit.
bool open_pipe(int ends[2]);
// Text in quotes that gnuplot takes literally.
void gnuplot_text(FILE *script, const char *text);
