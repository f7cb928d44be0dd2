#!/bin/sh
# Build the fuzzer of the robot file reader and run it for a while:
#     tests/fuzz/run.sh [seconds] [folder for what it builds and finds]
# What it finds to crash is left as crash-* in that folder: put it into tests/fuzz/crashes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-60}
out=${2:-$root/build/fuzz}
mkdir -p "$out/corpus"
# shellcheck disable=SC2046
${CC:-clang} -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fno-omit-frame-pointer \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -I"$root/src" -I"$root/include" -o "$out/fuzz_file" \
    "$here/fuzz_file.c" "$root"/src/robot/*.c "$root/src/base/error.c" \
    $(pkg-config --cflags --libs libfyaml) -lm
cd "$out"
exec ./fuzz_file -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -dict="$here/robot.dict" corpus "$here/corpus" "$here/crashes"
