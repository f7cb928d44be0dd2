# Fortran 90 as LAPACK uses it, for f2c, which knows Fortran 77: CYCLE and EXIT become GO TO, and
# recursion, which f2c -a makes possible, is not announced. A loop has the label that ends it, or one
# of ours before its END DO; the one behind it is for EXIT.
function target(of) {
    if (!of[depth]) of[depth] = ++label
    return "GO TO " of[depth]
}
BEGIN { label = 90000 }
/^[*cC!]/ { print; next }
{
    line = toupper($0)
    if (line ~ /RECURSIVE *SUBROUTINE/) sub(/RECURSIVE */, "")
    if (match(line, /^ *DO +[0-9]+ /)) { split(line, words, " "); again[++depth] = words[2]; behind[depth] = 0; labelled[depth] = 1 }
    else if (line ~ /^ *DO +[A-Z][A-Z0-9]* *=/) { again[++depth] = 0; behind[depth] = 0; labelled[depth] = 0 }
    if (line ~ /[ )$]CYCLE *$/) sub(/CYCLE *$/, target(again))
    if (line ~ /[ )$]EXIT *$/) sub(/EXIT *$/, target(behind))
    ends = labelled[depth] ? line ~ "^ *" again[depth] " " : line ~ /^ *END *DO *$/
    if (depth && ends) {
        if (!labelled[depth] && again[depth]) printf "%5d CONTINUE\n", again[depth]
        print
        if (behind[depth]) printf "%5d CONTINUE\n", behind[depth]
        depth--
        next
    }
    print
}
