#!/bin/sh
# Runs all checks and all tests; arguments go to pytest. The last line is pytest's own summary.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
sh "$here/setup.sh" tests
python=${FOOTNOTE_VENV:-$here/../.venv}/bin/python
case $python in /*) ;; *) python=$PWD/$python ;; esac
cd "$here/.."

export QT_QPA_PLATFORM=offscreen
failed=''
# check NAME ARGUMENT...: runs Python with the arguments; a failure is remembered, so that one run shows all of them.
check() {
    name=$1
    shift
    printf '== %s\n' "$name"
    "$python" "$@" || failed="$failed, $name"
}
check 'ruff check' -m ruff check
check 'ruff format' -m ruff format --check
check 'mypy' -m mypy
check 'import-linter' -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

printf '== pytest\n'
[ -z "$failed" ] || printf 'Failed before the tests: %s\n' "${failed#, }"
code=0
"$python" -m pytest "$@" || code=$?
if [ "$code" -eq 0 ] && [ -n "$failed" ]; then exit 1; fi
exit "$code"
