# The frequencies of a cantilever against the number of nodes, from the CSV of bench_spectrum.
if (!exists("data")) data = "spectrum.csv"
if (!exists("out")) out = "spectrum.png"
set terminal pngcairo size 1300,560 font "Sans,13"
set output out
set datafile separator ","
set datafile missing NaN
set logscale y
set yrange [2.5:400]
set xrange [2.5:16.5]
set xlabel "nodes"
set grid back linetype 1 linecolor "#e4e4e4"
pick(form) = stringcolumn(1) eq form && valid(3) && !valid(4) ? column(3) : NaN
array true[6] = [3.5160, 22.0345, 61.6972, 120.9019, 199.8595, 298.5555]
do for [i=1:6] { set arrow i from 2.5,true[i] to 16.5,true[i] nohead linewidth 1.5 linecolor "#9a9a9a" back }
set multiplot layout 1,2 margins 0.07,0.985,0.13,0.9 spacing 0.06,0
set ylabel "frequency (rad/s, L = EI = rhoA = 1)"
set title "summed at once: one line too many, which wanders"
plot data using 2:(pick("at once")) with points pointtype 7 pointsize 1.1 linecolor "#d95319" notitle
set ylabel ""
set title "summed in turn: the lines of the rod (grey), and no other"
plot data using 2:(pick("in turn")) with points pointtype 7 pointsize 1.1 linecolor "#0060ad" notitle
unset multiplot
