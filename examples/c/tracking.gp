# What tracking.c wrote: the path of the tip from above, its distance from the target, and the tensions.
#   gnuplot -e "data='track.csv'; out='tracking.png'" tracking.gp
set terminal pngcairo size 1100,420 font 'sans,10'
set output out
set datafile separator ','
set multiplot layout 1,3
set grid lc rgb '#dddddd'
set tics nomirror
set border 3
set key top right
set size ratio -1
set xlabel 'x [mm]'
set ylabel 'y [mm]'
set key off
plot data using (1e3*$2):(1e3*$3) with lines lw 5 lc rgb '#cccccc', \
     data using (1e3*$5):(1e3*$6) with lines lw 1.5 lc rgb '#0060ad'
set size noratio
set xlabel 'time [s]'
set ylabel 'distance from the target [mm]'
set yrange [0:*]
plot data using 1:(1e3*sqrt(($5-$2)**2 + ($6-$3)**2 + ($7-$4)**2)) with lines lw 1.5 lc rgb '#0060ad'
set ylabel 'tension [N]'
set key top left horizontal
plot for [i=0:5] data using 1:(column(8 + i)) with lines lw 1.3 title word('a1 a2 a3 b1 b2 b3', i + 1)
