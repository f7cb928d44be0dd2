// Broken robot files: the reader refuses them in words, or the robot it makes can be compiled or
// is refused in words; nothing crashes, leaks or hangs.
#include <stdint.h>

#include "tendril/tendril.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const td_error *err) {
    if (err->status >= 0 || !err->message[0]) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_error err;
    td_robot *robot = td_robot_parse((const char *)data, size, "fuzz.yaml", NULL, 0, &err);
    if (!robot) {
        check_refusal(&err);
        return 0;
    }
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    if (!system) check_refusal(&err);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return 0;
}
