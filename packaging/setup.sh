#!/bin/sh
# Sets up what the app needs on this machine, once. Looks before it installs, and says what it installs and why.
#
#   sh packaging/setup.sh terminal   Python and the packages: enough for every command in a terminal
#   sh packaging/setup.sh desktop    that, and what Qt needs on this machine's screen
#   sh packaging/setup.sh tests      that, and what the tests need (no screen)
#
# FOOTNOTE_VENV   the virtual environment to use (default: .venv in the checkout)
# FOOTNOTE_PYTHON the Python to make it with (default: the first of python3, python3.11 and later that is 3.11+)
set -eu

purpose=${1:-desktop}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${FOOTNOTE_VENV:-$root/.venv}
python=$venv/bin/python
lock=$venv/.setup-lock

say() { printf '%s\n' "$*" >&2; }
fail() {
    for line in "$@"; do say "$line"; done
    exit 1
}

screen=none
if [ "$purpose" = desktop ]; then
    case ${QT_QPA_PLATFORM:-} in
    offscreen* | minimal*) ;;
    wayland*) screen=wayland ;;
    *)
        if [ -n "${WAYLAND_DISPLAY:-}" ]; then
            screen=wayland
        elif [ -n "${DISPLAY:-}" ]; then
            screen=x11
        fi
        ;;
    esac
fi

# --- Nothing to do? ---------------------------------------------------------------------------------------------------
# The stamp says for which inputs the set-up was last finished. Any change of them makes it run again.
stamp=$venv/.setup-$purpose-$screen
fingerprint() {
    {
        printf '%s\n' "$root"
        cat "$root/pyproject.toml" "$root/packaging/constraints.txt" "$root/packaging/setup.sh" "$venv/pyvenv.cfg"
    } | cksum
}
is_done() {
    [ -x "$python" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]
}

# --- One at a time ----------------------------------------------------------------------------------------------------
take_lock() {
    mkdir -p "$venv"
    waited=0
    until mkdir "$lock" 2>/dev/null; do
        holder=$(cat "$lock/pid" 2>/dev/null || true)
        if [ "$holder" = $$ ] || { [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; }; then
            # Left behind by a run that was killed. Only one waiter wins this rename; whoever took it over meanwhile
            # is not disturbed, because its pid is another.
            if mv "$lock" "$lock.$$" 2>/dev/null; then
                if [ "$(cat "$lock.$$/pid" 2>/dev/null || true)" = "$holder" ]; then
                    rm -rf "$lock.$$"
                else
                    mv "$lock.$$" "$lock"
                fi
            fi
            continue
        fi
        [ "$waited" -ne 0 ] || say "Waiting for another set-up of this checkout to finish …"
        waited=$((waited + 1))
        [ "$waited" -lt 1800 ] || fail \
            "Another set-up has held $lock for half an hour." "If none is running, remove that folder and try again: rm -r '$lock'"
        sleep 1
    done
    trap 'rm -rf "$lock"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    echo $$ >"$lock/pid"
}

# --- System packages --------------------------------------------------------------------------------------------------
# install_packages REASON PACKAGE...: with apt, as root or through sudo; otherwise fails with the command to run.
install_packages() {
    reason=$1
    shift
    if ! command -v apt-get >/dev/null 2>&1; then
        fail "$reason" "This system has no apt-get. Install what Debian calls: $*" "Then run this again."
    fi
    if [ "$(id -u)" -eq 0 ]; then
        as_root=''
    elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root='sudo'
    else
        fail "$reason" "That needs an administrator. Run this, then try again:" \
            "  apt-get update && apt-get install --yes --no-install-recommends $*"
    fi
    say "$reason"
    say "Installing with ${as_root:+$as_root }apt-get: $*"
    if ! apt_install "$@" 2>/dev/null; then # a fresh container has no package lists, an old machine has stale ones
        $as_root apt-get update --quiet >&2 || say "The package lists could not be brought up to date; trying with what there is."
        apt_install "$@" || fail "apt-get could not install them. Run this to see why:" \
            "  ${as_root:+$as_root }apt-get install --no-install-recommends $*"
    fi
}
apt_install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@" >&2 </dev/null
}

# Which library comes in which package of Debian and Ubuntu. Libraries are looked for rather than packages, because
# package names differ between releases (libglib2.0-0, libglib2.0-0t64) and libraries also come by other ways.
qt_libraries='libGL.so.1:libgl1 libEGL.so.1:libegl1 libxkbcommon.so.0:libxkbcommon0 libdbus-1.so.3:libdbus-1-3
    libfontconfig.so.1:libfontconfig1 libglib-2.0.so.0:libglib2.0-0'
x11_libraries='libxkbcommon-x11.so.0:libxkbcommon-x11-0 libxcb-cursor.so.0:libxcb-cursor0
    libxcb-icccm.so.4:libxcb-icccm4 libxcb-util.so.1:libxcb-util1 libxcb-image.so.0:libxcb-image0
    libxcb-keysyms.so.1:libxcb-keysyms1 libxcb-render-util.so.0:libxcb-render-util0
    libxcb-render.so.0:libxcb-render0 libxcb-shape.so.0:libxcb-shape0 libxcb-xkb.so.1:libxcb-xkb1'
wayland_libraries='libwayland-client.so.0:libwayland-client0 libwayland-cursor.so.0:libwayland-cursor0
    libwayland-egl.so.1:libwayland-egl1'

set_up_libraries() {
    [ "$(uname -s)" = Linux ] || return 0 # on macOS the packages bring all they need
    known=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null) || return 0
    wanted=$qt_libraries
    case $screen in
    x11) wanted="$wanted $x11_libraries" ;;
    wayland) wanted="$wanted $wayland_libraries" ;;
    esac
    missing=''
    for pair in $wanted; do
        case $known in
        *"${pair%%:*} "*) ;;
        *) missing="$missing ${pair#*:}" ;;
        esac
    done
    # Without any font Qt draws windows with no text in them.
    if [ -z "$(find /usr/share/fonts /usr/local/share/fonts "${HOME:-/}/.fonts" "${HOME:-/}/.local/share/fonts" \
        \( -name '*.ttf' -o -name '*.otf' -o -name '*.ttc' \) 2>/dev/null | head -n 1)" ]; then
        missing="$missing fonts-dejavu-core"
    fi
    # shellcheck disable=SC2086  # a list of words
    [ -z "$missing" ] || install_packages "The window is drawn by Qt, which needs libraries that this machine does not have." $missing
}

# Servers that some tests talk to; without them those tests are skipped, saying so. On Debian such a package starts its
# server, so they are installed only where no service manager runs (a container) and in CI.
test_programs='pgbouncer:pgbouncer ssh:openssh-client sshd:openssh-server'

set_up_test_programs() {
    [ "$(uname -s)" = Linux ] || return 0
    missing=''
    for pair in $test_programs; do
        PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
    done
    [ -n "$missing" ] || return 0
    if [ "${CI:-}" = true ] || { [ "$(id -u)" -eq 0 ] && [ ! -d /run/systemd/system ]; }; then
        # shellcheck disable=SC2086  # a list of words
        install_packages "Some tests talk to servers that this machine does not have." $missing
    else
        say "Tests that need these will be skipped:$missing (they start servers on this machine, so they are not installed here)"
    fi
}

# --- Python -----------------------------------------------------------------------------------------------------------
runs_here() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

choose_python() {
    for candidate in ${FOOTNOTE_PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
        if runs_here "$candidate"; then
            chosen=$candidate
            return
        fi
    done
    fail "Python 3.11 or newer is needed, and ${FOOTNOTE_PYTHON:-none} was found." \
        "On Debian 12, Ubuntu 24.04 and later: apt-get install --yes python3" \
        "If it is somewhere else, say where: FOOTNOTE_PYTHON=/path/to/python3 sh packaging/run.sh"
}

set_up_python() {
    if [ -e "$venv/pyvenv.cfg" ] && runs_here "$python" && "$python" -c 'import pip' 2>/dev/null; then
        return
    fi
    if [ ! -e "$venv/pyvenv.cfg" ] && [ -n "$(ls "$venv")" ]; then
        fail "$venv is not empty and is not a virtual environment; move it away, or set FOOTNOTE_VENV to another folder."
    fi
    choose_python
    if ! "$chosen" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$chosen" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        install_packages "Python packages are kept in a folder of their own, which needs Python's venv module." "python$version-venv"
    fi
    say "Making a virtual environment in $venv"
    for part in bin include lib lib64 pyvenv.cfg; do rm -rf "${venv:?}/$part"; done # what is left of a broken one
    "$chosen" -m venv "$venv" >&2
}

set_up_packages() {
    extra=''
    [ "$purpose" != tests ] || extra='[test]'
    say "Installing the pinned Python packages (Qt alone is about 80 MB; this is done once)"
    # The build back end is installed first, pinned like the rest: pip's isolated builds know no constraints.
    pip_install hatchling
    pip_install --no-build-isolation --editable "$root$extra"
}
pip_install() {
    "$python" -m pip install --disable-pip-version-check --constraint "$root/packaging/constraints.txt" "$@" >&2 </dev/null || fail \
        "pip could not install the packages (its words are above). Once it can reach a package index, run this again."
}

case $purpose in
terminal | desktop | tests) ;;
*) fail "usage: sh packaging/setup.sh terminal|desktop|tests" ;;
esac
if is_done; then exit 0; fi
take_lock
if is_done; then exit 0; fi # another run has just done it
rm -f "$stamp"
[ "$purpose" = terminal ] || set_up_libraries
[ "$purpose" != tests ] || set_up_test_programs
set_up_python
set_up_packages
fingerprint >"$stamp"
say "Set up."
