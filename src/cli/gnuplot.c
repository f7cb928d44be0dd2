// cli/gnuplot.c - see gnuplot.h.
#include "cli/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal.h"

extern char **environ;

void gnuplot_text(FILE *script, const char *text) {
    fputc('\'', script);
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputs("''", script);
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            fputc(' ', script);
        } else {
            fputc(*c, script);
        }
    }
    fputc('\'', script);
}

// The child gets the pipe as stdin, the figure as stdout and a temporary file as stderr; -d skips
// the settings files of the user, so that a figure looks the same everywhere. The pipe goes by its
// name as a file: "-" gnuplot would read byte by byte.
static int start(gnuplot *g, int script_end) {
    char *const argv[] = {"gnuplot", "-d", "/dev/stdin", NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    posix_spawn_file_actions_adddup2(&actions, script_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, g->figure, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(g->messages), STDERR_FILENO);
    int error = posix_spawnp(&g->pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return true;
}

static void give_up(gnuplot *g) {
    if (g->script) fclose(g->script);
    if (g->messages) fclose(g->messages);
    if (g->figure >= 0) close(g->figure);
    if (g->partial[0]) unlink(g->partial);
}

static bool open_figure(gnuplot *g, const char *path) {
    snprintf(g->path, sizeof g->path, "%s", path);
    snprintf(g->partial, sizeof g->partial, "%s.partial", g->path);
    g->figure = open(g->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (g->figure < 0) print_error(path, "cannot write the figure: %s", strerror(errno));
    return g->figure >= 0;
}

static bool open_messages(gnuplot *g, const char *path) {
    g->messages = tmpfile();
    if (!g->messages) print_error(path, "cannot make a temporary file: %s", strerror(errno));
    return g->messages != NULL;
}

// With figure and messages open: the pipe and the program.
static bool begin(gnuplot *g) {
    int ends[2];
    if (!open_pipe(ends)) {
        print_error("gnuplot", "cannot be reached: %s", strerror(errno));
        give_up(g);
        return false;
    }
    int error = start(g, ends[0]);
    close(ends[0]);
    g->script = fdopen(ends[1], "w");
    if (error || !g->script) {
        if (error == ENOENT) {
            print_error("gnuplot", "not found; figures need it (Debian: apt install gnuplot-nox)");
        } else {
            print_error("gnuplot", "cannot be started: %s", strerror(error ? error : errno));
        }
        give_up(g);
        return false;
    }
    signal(SIGPIPE, SIG_IGN);  // if gnuplot ends early, its own words say why
    return true;
}

bool gnuplot_open(gnuplot *g, const char *path) {
    *g = (gnuplot){.figure = -1};
    if (open_figure(g, path) && open_messages(g, path)) return begin(g);
    if (g->figure >= 0) give_up(g);
    return false;
}

bool gnuplot_open_into(gnuplot *g, int figure) {
    *g = (gnuplot){.figure = figure};
    if (open_messages(g, "gnuplot")) return begin(g);
    give_up(g);
    return false;
}

void gnuplot_abandon(gnuplot *g) {
    kill(g->pid, SIGKILL);
    while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR) continue;
    give_up(g);
}

// The first line that gnuplot said and that says something.
static void first_message(FILE *messages, char *text, size_t size) {
    char line[256];
    text[0] = '\0';
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        char *start_of = line + strspn(line, " \t^\n");
        start_of[strcspn(start_of, "\n")] = '\0';
        bool said = strstr(start_of, "line ") || strstr(start_of, "arning") || !text[0];
        if (*start_of && said) snprintf(text, size, "%s", start_of);
        if (strstr(text, "line ")) return;
    }
}

// gnuplot does not notice a full disk, but every format has an end: IEND, </svg>, %%EOF, a semicolon.
static bool is_whole(const char *path) {
    char tail[64];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    long back = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    fseek(file, back < (long)sizeof tail ? -back : -(long)sizeof tail, SEEK_END);
    size_t n = fread(tail, 1, sizeof tail, file);
    fclose(file);
    if (n > 0 && tail[n - 1] == ';') return true;
    for (size_t i = 0; i + 5 <= n; i++)
        if (!memcmp(tail + i, "IEND", 4) || !memcmp(tail + i, "/svg>", 5) ||
            !memcmp(tail + i, "%%EOF", 5))
            return true;
    return false;
}

bool gnuplot_close(gnuplot *g) {
    fclose(g->script);
    g->script = NULL;
    int status = 0;
    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR) continue;
    struct stat info;
    bool file = g->partial[0];
    bool drawn = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                 (!file || (fstat(g->figure, &info) == 0 && info.st_size > 0));
    if (drawn && file && !is_whole(g->partial)) {
        print_error(g->path, "cannot write the figure: it was cut short; is the disk full?");
        give_up(g);
        return false;
    }
    if (drawn && file && rename(g->partial, g->path) != 0) {
        print_error(g->path, "cannot write the figure: %s", strerror(errno));
        give_up(g);
        return false;
    }
    if (!drawn) {
        char message[256];
        first_message(g->messages, message, sizeof message);
        print_error("gnuplot", "no figure was drawn%s%s", message[0] ? ": " : "", message);
    }
    give_up(g);
    return drawn;
}
