// fuzz_message.c - a libFuzzer target for messages of a page. Build and run it with
//     tests/fuzz/run.sh [seconds] [folder] message
// For any bytes: no crash, a refusal has words, what is accepted holds finite numbers and whole names.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    message m;
    char why[200] = "";
    if (!message_parse((const char *)data, size, &m, why, sizeof why)) {
        require(why[0] != '\0');
        return 0;
    }
    require(isfinite(m.value) && isfinite(m.step) && isfinite(m.s));
    require(isfinite(m.force[0]) && isfinite(m.force[1]) && isfinite(m.force[2]));
    require(m.input >= 0 && m.rod >= 0 && m.body >= 0);
    require(memchr(m.name, 0, sizeof m.name) && memchr(m.scheme, 0, sizeof m.scheme));
    return 0;
}
