// cli/film.c - see film.h.
#include "cli/film.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal.h"

extern char **environ;

bool film_is_gif(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && !strcasecmp(dot, ".gif");
}

// ---------------------------------------------------------------- ffmpeg
static void drop_encoder(film *f) {
    if (f->messages) fclose(f->messages);
    if (f->partial[0]) unlink(f->partial);
    f->messages = NULL;
}

// Reads PNGs from `frames`. A name with file: before it is never taken for an option or an address.
static int start_encoder(film *f, int frames, double fps) {
    char rate[32], out[704];
    snprintf(rate, sizeof rate, "%.6g", fps);
    snprintf(out, sizeof out, "file:%s", f->partial);
    char *const argv[] = {"ffmpeg",     "-nostdin",   "-y",   "-loglevel", "error",
                          "-f",         "image2pipe", "-c:v", "png",       "-framerate",
                          rate,         "-i",         "-",    "-c:v",      "libx264",
                          "-pix_fmt",   "yuv420p",    "-crf", "20",        "-movflags",
                          "+faststart", "-f",         "mp4",  out,         NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    posix_spawn_file_actions_adddup2(&actions, frames, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(f->messages), STDERR_FILENO);
    int error = posix_spawnp(&f->encoder, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// The file is made here first, so that a folder that is not there is said in plain words.
static bool make_file(const film *f) {
    int file = open(f->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return print_error(f->path, "cannot write the film: %s", strerror(errno));
    close(file);
    return true;
}

static bool open_encoder(film *f, double fps, int *frames) {
    int ends[2];
    if (!make_file(f)) return false;
    f->messages = tmpfile();
    if (!f->messages || !open_pipe(ends))
        return print_error("ffmpeg", "cannot be reached: %s", strerror(errno));
    int error = start_encoder(f, ends[0], fps);
    close(ends[0]);
    *frames = ends[1];
    if (!error) return true;
    close(ends[1]);
    if (error == ENOENT)
        print_error("ffmpeg", "not found; MP4 needs it (Debian: apt install ffmpeg); "
                              "a GIF does not: --out FILE.gif");
    else print_error("ffmpeg", "cannot be started: %s", strerror(error));
    return false;
}

// ---------------------------------------------------------------- the film
bool film_open(film *f, const char *path, double fps, const int size[2]) {
    *f = (film){.encoder = 0};
    snprintf(f->path, sizeof f->path, "%s", path);
    if (film_is_gif(path)) {
        if (!gnuplot_open(&f->g, path)) return false;
        fprintf(f->g.script,
                "set terminal gif animate delay %.0f loop 0 optimize noenhanced size %d,%d "
                "font 'Sans,11' fontscale 1.0 background rgb 'white'\n",
                round(100.0 / fps), size[0], size[1]);
    } else {
        int frames = -1;
        snprintf(f->partial, sizeof f->partial, "%s.partial", path);
        bool encoding = open_encoder(f, fps, &frames);
        if (!encoding || !gnuplot_open_into(&f->g, frames)) {
            if (encoding) kill(f->encoder, SIGKILL), waitpid(f->encoder, NULL, 0);
            drop_encoder(f);
            return false;
        }
        fprintf(f->g.script,
                "set terminal pngcairo noenhanced size %d,%d font 'Sans,11' background rgb "
                "'white'\n",
                size[0], size[1]);
    }
    fputs("set encoding utf8\n", f->g.script);
    return true;
}

static bool finish_encoder(film *f) {
    int status = 0;
    while (waitpid(f->encoder, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        if (rename(f->partial, f->path) == 0) return true;
        return print_error(f->path, "cannot write the film: %s", strerror(errno));
    }
    char line[256] = "";
    rewind(f->messages);
    if (!fgets(line, sizeof line, f->messages)) line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return print_error("ffmpeg", "made no film%s%s", line[0] ? ": " : "", line);
}

bool film_close(film *f) {
    bool drawn = gnuplot_close(&f->g);
    if (!f->encoder) return drawn;
    if (!drawn) kill(f->encoder, SIGKILL);
    bool made = finish_encoder(f) && drawn;
    drop_encoder(f);
    return made;
}

void film_abandon(film *f) {
    gnuplot_abandon(&f->g);
    if (!f->encoder) return;
    kill(f->encoder, SIGKILL);
    while (waitpid(f->encoder, NULL, 0) < 0 && errno == EINTR) continue;
    drop_encoder(f);
}
