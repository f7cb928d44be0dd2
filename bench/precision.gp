# Error against cost, from the CSV of bench_precision:
#     build/bench/bench_precision > precision.csv
#     gnuplot -e "data='precision.csv'; out='docs/images/precision.png'" bench/precision.gp
if (!exists("data")) data = "precision.csv"
if (!exists("out")) out = "precision.png"
set terminal pngcairo size 1500,620 font "Sans,13"
set output out
set datafile separator ","
set datafile missing NaN
set logscale xy
set xrange [2:2000]
set yrange [1e-10:1]
set format x "10^{%L}"
set format y "10^{%L}"
set grid back linetype 1 linecolor "#d8d8d8"
set xlabel "cost of a time step in µs"
set style line 1 linecolor "#0060ad" pointtype 7 pointsize 1.1 linewidth 2
set style line 2 linecolor "#d95319" pointtype 5 pointsize 1.0 linewidth 2
set style line 3 linecolor "#7f7f7f" pointtype 9 pointsize 1.1 linewidth 2
pick(rod, scheme) = stringcolumn(1) eq rod && stringcolumn(2) eq scheme ? column(4) : NaN
titles = "'steel cantilever, released, 5 ms' 'rubber in water, 5 ms' 'tapered hook, in space, 4 ms'"
rods = "steel rubber hook"
set multiplot layout 1,3 margins 0.065,0.985,0.30,0.93 spacing 0.055,0
do for [i=1:3] {
    rod = word(rods, i)
    set title word(titles, i)
    set ylabel i == 1 ? "largest error of the tip / length" : ""
    if (i == 2) { set key at screen 0.52,0.10 center vertical reverse Left } else { unset key }
    plot data using (column(5)):(pick(rod, "collocation")) every ::1 with linespoints linestyle 1 \
             title "collocation, 2 to 16 nodes", \
         data using (column(5)):(pick(rod, "shooting RK4")) every ::1 with linespoints linestyle 2 \
             title "shooting, RK4, 4 to 400 steps", \
         data using (column(5)):(pick(rod, "shooting Euler")) every ::1 with linespoints \
             linestyle 3 title "shooting, Euler, 10 to 1280 steps", \
         1e-3 with lines dashtype 2 linecolor "black" title "0.1 % of the length"
}
unset multiplot
