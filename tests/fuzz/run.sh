#!/bin/sh
# Build the fuzzer of the robot file reader, of the messages of a page, or of the packets of tendril serve, and run it for a while:
#     tests/fuzz/run.sh [seconds] [folder for what it builds and finds] [file|message|packet]
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
    $compile -I"$root/src" -o "$out/fuzz_message" "$here/fuzz_message.c" "$root/src/view/message.c" "$root/src/io/json_read.c" -lm
    cd "$out"
    exec ./fuzz_message -max_total_time="$seconds" -max_len=5000 -timeout=10 \
        -dict="$here/message.dict" messages
fi
if [ "${3:-file}" = packet ]; then
    mkdir -p "$out/packets"
    $compile -I"$root/src" -o "$out/fuzz_packet" "$here/fuzz_packet.c" "$root/src/view/bridge_message.c" \
        "$root/src/io/json_read.c" -lm
    cd "$out"
    exec ./fuzz_packet -max_total_time="$seconds" -max_len=9000 -timeout=10 -dict="$here/packet.dict" packets
fi
# shellcheck disable=SC2046
$compile -I"$root/src" -I"$root/include" -o "$out/fuzz_file" \
    "$here/fuzz_file.c" "$root"/src/robot/*.c "$root"/src/math/*.c "$root/src/base/error.c" \
    $(pkg-config --cflags --libs libfyaml cminpack lapack) -lm
# The words of the format, from the page that is checked against the reader's tables.
sed -n '/^<!-- keys/,/^<!-- end of keys/p' "$root/docs/file-format.md" | grep -o '`[A-Za-z0-9_-]*`' |
    sort -u | tr '`' '"' | cat "$here/robot.dict" - >"$out/robot.dict"
cd "$out"
exec ./fuzz_file -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -dict=robot.dict corpus "$here/corpus" "$here/crashes"
