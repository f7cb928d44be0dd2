// cli/token.c - see token.h.
#include "cli/token.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

int choose_token(const args *a, char token[TOKEN_SIZE]) {
    const char *given = args_value(a, "token");
    if (given) {
        size_t n = strlen(given);
        if (n >= 8 && n <= 64 &&
            strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789-_") == n) {
            snprintf(token, TOKEN_SIZE, "%s", given);
            return EXIT_FINE;
        }
        return exit_error(EXIT_INPUT, "--token", "'%s' must be 8 to 64 letters, digits, - or _",
                          given);
    }
    unsigned char random[16];
    FILE *file = fopen("/dev/urandom", "rb");
    size_t n = file ? fread(random, 1, sizeof random, file) : 0;
    if (file) fclose(file);
    if (n < sizeof random)
        return exit_error(EXIT_FAILED, "/dev/urandom", "cannot be read; give --token");
    for (size_t i = 0; i < n; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
    return EXIT_FINE;
}
