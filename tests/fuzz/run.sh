#!/bin/sh
# Build the fuzzer of the robot file reader, or of the messages of a page, and run it for a while:
#     tests/fuzz/run.sh [seconds] [folder for what it builds and finds] [file|message]
# What it finds to crash is left as crash-* in that folder: put it into tests/fuzz/crashes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-60}
out=${2:-$root/build/fuzz}
mkdir -p "$out/corpus" "$out/messages"
compile="${CC:-clang} -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fno-omit-frame-pointer
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
if [ "${3:-file}" = message ]; then
    $compile -I"$root/src" -o "$out/fuzz_message" "$here/fuzz_message.c" "$root/src/view/message.c" -lm
    cd "$out"
    exec ./fuzz_message -max_total_time="$seconds" -max_len=5000 -timeout=10 \
        -dict="$here/message.dict" messages
fi
# shellcheck disable=SC2046
$compile -I"$root/src" -I"$root/include" -o "$out/fuzz_file" \
    "$here/fuzz_file.c" "$root"/src/robot/*.c "$root"/src/math/*.c "$root/src/base/error.c" \
    $(pkg-config --cflags --libs libfyaml cminpack) -lm
# The words of the format, from the page that is checked against the reader's tables.
sed -n '/^<!-- keys/,/^<!-- end of keys/p' "$root/docs/file-format.md" | grep -o '`[A-Za-z0-9_-]*`' |
    sort -u | tr '`' '"' | cat "$here/robot.dict" - >"$out/robot.dict"
cd "$out"
exec ./fuzz_file -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -dict=robot.dict corpus "$here/corpus" "$here/crashes"
