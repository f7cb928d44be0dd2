"""Compares `tendril --help` and every `tendril VERB --help` with the manual: the same verbs with the
same words, the same options with the same values."""
import re
import subprocess
import sys

program, manual = sys.argv[1:]
text = open(manual, encoding="utf-8").read()


def ask(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def option_lines(section, pattern):
    return {(name, value or "") for name, value in re.findall(pattern, section, re.M)}


problems = []
listed = dict(re.findall(r"^  ([a-z]+) +(.+)$", ask("--help").split("verbs:")[1].split("\n\n")[0], re.M))
described = dict(re.findall(r"^\| `([a-z]+)` \| (.+) \|$", text, re.M))
if listed != described:
    problems.append(f"verbs: help {listed}, manual {described}")
for verb in listed:
    found = re.search(rf"^## tendril {verb}\n(.*?)(?=^## )", text, re.M | re.S)
    if not found:
        problems.append(f"{verb}: no section in the manual")
        continue
    help_text = ask(verb, "--help")
    usage = re.search(r"^usage: (.*)$", help_text, re.M).group(1)
    if f"    {usage}\n" not in found.group(1):
        problems.append(f"{verb}: the manual does not show '{usage}'")
    in_help = option_lines(help_text, r"^  --([a-z-]+)(?: ([A-Z][A-Za-z=,]*))?(?:  |$)")
    in_manual = option_lines(found.group(1), r"^\| `--([a-z-]+)(?: ([^`]+))?` \|")
    in_help.discard(("help", ""))
    if in_help != in_manual or not in_help:
        problems.append(f"{verb}: only in help {in_help - in_manual}, only in the manual {in_manual - in_help}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
