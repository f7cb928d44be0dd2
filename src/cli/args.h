// cli/args.h - what a verb is, and the command line taken apart.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Exit codes of the program.
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_INPUT = 2 };

typedef struct args args;

typedef struct option {
    const char *name;   // without the dashes; NULL ends a list
    const char *value;  // what it takes, for the help: "DIR"; NULL: a flag
    const char *help;
    bool many;  // may be given several times
} option;

typedef struct verb {
    const char *name;
    const char *summary;    // one line
    const char *arguments;  // "FILE", "[NAME]": or none, "RESULT...": or several; NULL: none
    const char *about;      // more than the summary says; may be NULL
    const option *options;
    const char *examples;
    int (*run)(const args *args);  // returns the exit code
} verb;

struct args {
    const verb *verb;
    const char **files;  // the arguments that are not options
    int n_files;
    const option **given;  // as many as values
    const char **values;   // NULL for a flag
    int n_given;
    bool help;
};

// False: a message was printed and the program should end with EXIT_INPUT. Points into argv.
bool args_parse(args *a, const verb *v, int argc, char **argv);
void args_destroy(args *a);

bool args_has(const args *a, const char *name);
const char *args_value(const args *a, const char *name);  // the last one given; NULL: none
int args_count(const args *a, const char *name);
const char *args_nth(const args *a, const char *name, int n);

// `--name VALUE` as a number in [least, most]. Absent: *value is left alone.
bool args_integer(const args *a, const char *name, int least, int most, int *value);
bool args_seconds(const args *a, const char *name, double *value);  // "0.5", "50 ms"

// The next of "A, B,C", without the blanks around it; what does not fit is cut off. False: there is none left.
bool list_next(const char **list, char *item, size_t size);
int list_count(const char *list);  // how many there are
// The items of `--name A,B`, which may be given several times, each as a line "WORD A" behind those that are there.
bool args_lines(const args *a, const char *name, const char *word, char *lines, size_t size);
// `--name A,B,C`: n quantities of this unit ("m": "10 mm,0,0.4").
bool args_quantities(const args *a, const char *name, const char *unit, int n, double *values);
