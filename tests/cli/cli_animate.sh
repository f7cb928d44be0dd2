# Films: as many frames as were asked for, of the size that was asked for; nothing left of those that
# were not made.
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || {
    echo "gnuplot is not installed: nothing to draw with"
    exit 77
}

expect 0 run parts.yaml --quiet --set simulation.time.end='0.2 s' --out results/parts
expect 0 animate results/parts --out film.gif --speed 0.2 --fps 10 --size 320x240
says out "film.gif: 11 frames, 1.1 s, 0.2 x real time"
silent err
"$PYTHON" "$here/gif_frames.py" film.gif 320 240 11 10 >out 2>err || fail "film.gif"
expect 0 animate results/parts/result.h5 --out flat.gif --view xz --speed 0.5 --fps 8 --size 200x200 --quiet
silent out
# 8 a second are 12 or 13 hundredths: what a GIF can say counts
"$PYTHON" "$here/gif_frames.py" flat.gif 200 200 4 13 >out 2>err || fail "flat.gif"

if command -v ffmpeg >/dev/null; then
    expect 0 animate results/parts --speed 0.2 --fps 12 --size 321x241
    says out "results/parts/animation.mp4: 13 frames"
    [ "$(head -c 8 results/parts/animation.mp4 | tail -c 4)" = ftyp ] || fail "not an MP4"
    if command -v ffprobe >/dev/null; then
        ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 \
            results/parts/animation.mp4 >out 2>err
        says out "320,240,13"
    fi
    # a name that ffmpeg would take for an option or an address
    expect 0 animate results/parts --speed 0.5 --fps 4 --size 200x200 --out "--x:y.mp4" --quiet ||
        fail "a name with a dash"
    expect 0 animate results/parts --speed 0.5 --fps 4 --size 200x200 --out=-x:y.mp4 --quiet
    [ -s "-x:y.mp4" ] || fail "a name with a dash and a colon"
    # stopped half way
    "$TENDRIL" animate results/parts --speed 0.001 --out stopped.mp4 >out 2>err &
    sleep 0.7
    kill -INT $!
    wait $!
    [ $? = 1 ] || fail "a film that was stopped does not end with 1"
    says err "stopped.mp4: stopped; nothing was written"
    [ -z "$(ls | grep stopped)" ] || fail "a film that was stopped left $(ls | grep stopped)"
fi

# Without ffmpeg.
mkdir bin
ln -s "$(command -v gnuplot)" bin/gnuplot
PATH=$PWD/bin "$TENDRIL" animate results/parts --out none.mp4 >out 2>err
[ $? = 2 ] || fail "without ffmpeg the exit code is not 2"
says err "ffmpeg: not found; MP4 needs it (Debian: apt install ffmpeg)"
PATH=/nowhere "$TENDRIL" animate results/parts --out none.gif >out 2>err
[ $? = 2 ] || fail "without gnuplot the exit code is not 2"
says err "gnuplot: not found"
[ -z "$(ls | grep none)" ] || fail "a film that was not made left $(ls | grep none)"

expect 2 animate results/parts --out film.avi
says err "--out: 'film.avi' must end in .mp4 or .gif"
expect 2 animate results/parts --out no/such/folder/film.gif
says err "cannot write"
expect 2 animate results/parts --speed 0
says err "--speed: '0' must be a positive number"
expect 2 animate results/parts --speed 1e-9
says err "frames, more than 20000; try --speed"
expect 2 animate results/parts --fps 0
expect 2 animate results/parts --size 10x10
says err "--size: '10x10' must be WxH"
expect 2 animate results/parts --view xx
says err "--view: 'xx' must be"
expect 0 statics arm.yaml --out results/still
expect 2 animate results/still
says err "it holds one instant; tendril plot --kind robot draws it"
expect 0 run arm.yaml --quiet --set 'record.fields=[energy]' --out results/blind
expect 2 animate results/blind
says err "nothing to animate: it needs rods, and record.fields to hold pose"
finish
