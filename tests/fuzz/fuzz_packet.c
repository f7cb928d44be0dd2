// fuzz_packet.c - a libFuzzer target for packets of clients of tendril serve. Build and run it with
//     tests/fuzz/run.sh [seconds] [folder] packet
// For any bytes: no crash, a refusal has words, what is accepted holds finite numbers and whole names.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/bridge_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bridge_message m;
    char why[200] = "";
    const bool fine = bridge_parse((const char *)data, size, &m, why, sizeof why);
    require(memchr(m.token, 0, sizeof m.token) != NULL);
    if (!fine) {
        require(why[0] != '\0');
        return 0;
    }
    require(isfinite(m.id) && m.steps >= 1 && m.steps <= 10000);
    require(m.n_inputs >= 0 && m.n_inputs <= BRIDGE_INPUTS);
    for (int i = 0; i < m.n_inputs; i++) {
        require(memchr(m.inputs[i].name, 0, sizeof m.inputs[i].name) != NULL);
        require(isfinite(m.inputs[i].value));
    }
    return 0;
}
