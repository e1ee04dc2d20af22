#!/bin/sh
# Starts the app on the sample ERP; arguments go to `footnote desktop`. Where there is no display, it does the main job
# in this terminal instead: asks, answers with footnotes, prints the evidence and the state of the log.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
python=${FOOTNOTE_VENV:-$here/../.venv}/bin/python

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ] || [ "$(uname -s)" = Darwin ]; then
    sh "$here/setup.sh" desktop
    exec "$python" -m footnote_desktop desktop "$@"
fi

sh "$here/setup.sh" terminal

# run WORD...: shows the command, then runs it. 1 is an answer too: "refused", or "the log is not intact".
worst=0
run() {
    printf '\n$ footnote'
    for word in "$@"; do
        case $word in
        *' '*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    code=0
    "$python" -m footnote_desktop "$@" || code=$?
}

echo "There is no display here, so the window cannot open; this is the same job in the terminal."
run ask "How much does Bergmann owe?"
[ "$code" -eq 0 ] || worst=$code
run ask "How much does Acme Corporation owe?"
[ "$code" -eq 1 ] || worst=2 # there is no such customer: anything but a refusal is a fault
run verify
[ "$code" -eq 0 ] || worst=$code
exit "$worst"
