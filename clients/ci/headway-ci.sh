#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Runs a command of a CI job beside a daemon of its own, waits for the agents that it started, and reports on them as JUnit XML.
# The job has no sleep and no timeout: `headway wait` returns when an agent is done, is stuck, needs a person or is gone.
set -eu
set +m # setsid would fork in a job of its own

usage() {
    cat <<'TEXT'
Usage: headway-ci.sh [--wait ID]... [--until WHAT] [--junit FILE] [--deb FILE|URL] -- COMMAND [ARGUMENTS...]

  --wait ID      a session to wait for when the command has ended; repeatable
  --until WHAT   until what (default: settled; see `headway wait --help`)
  --junit FILE   write JUnit XML, one case a session
  --deb FILE     install this package if there is no headway; also an https:// URL

The command finds the daemon in HEADWAY_URL. Settings of the daemon: those of HEADWAY_CONFIG if it is set, else stuck sessions are halted; and HEADWAY_<SECTION>_<KEY>. The exit status is that of the command, or of `headway wait` if that was 0.
TEXT
}

die() { printf 'headway-ci: %s\n' "$1" >&2; exit "${2:-64}"; }

sessions='' until=settled junit='' deb=''
while [ $# -gt 0 ]; do
    case $1 in
        --wait | --until | --junit | --deb) [ $# -ge 2 ] || die "$1 needs a value" ;;
    esac
    case $1 in
        --wait)
            case $2 in '' | *[!A-Za-z0-9._~:-]*) die "--wait: '$2' is no session id" ;; esac
            sessions="$sessions $2"; shift 2 ;;
        --until) until=$2; shift 2 ;;
        --junit) junit=$2; shift 2 ;;
        --deb) deb=$2; shift 2 ;;
        --) shift; break ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; die "what is '$1'? The command stands behind --" ;;
    esac
done
[ $# -gt 0 ] || { usage >&2; die "no command is given"; }
[ -z "$junit" ] || [ -n "$sessions" ] || die "--junit needs a --wait: a case is a session"

work=$(mktemp -d)
daemon='' child='' signalled=''
# shellcheck disable=SC2317  # by trap
clean() {
    trap '' INT TERM HUP
    # Not if it is gone already: where bash reaps it as a signal comes in, it loses it, and would wait for good.
    if [ -n "$daemon" ] && kill "$daemon" 2>/dev/null; then
        # One that hangs is killed after as long as systemd waits for it. The watcher that sees to that ends by itself once it is gone.
        (
            i=0
            while [ "$i" -lt 30 ] && kill -0 "$daemon"; do
                sleep 1
                i=$((i + 1))
            done
            [ "$i" -lt 30 ] || kill -9 "$daemon"
        ) </dev/null >/dev/null 2>&1 8<&- 9>&- &
        limit=$!
        wait "$daemon" 2>/dev/null || true
        kill -9 "$limit" 2>/dev/null || true
    fi
    rm -rf "$work"
}
# Whether what runs now is in the foreground of a terminal, which sends Ctrl-C to all that is there.
# shellcheck disable=SC2317
terminal_tells() {
    if IFS= read -r stat 2>/dev/null <"/proc/$child/stat"; then
        # shellcheck disable=SC2086  # words: state, parent, group, session, terminal, its foreground group
        set -- ${stat##*) }
        [ "${3:-0}" = "${6:--1}" ]
    else
        # shellcheck disable=SC2046  # words
        set -- $(ps -o pgid= -o tpgid= -p "$child" 2>/dev/null)
        [ "${1:-0}" = "${2:--1}" ]
    fi
}
# To what runs now, at once: a shell that waits for it would sit on the signal. It is waited for all the same.
# shellcheck disable=SC2317
pass() {
    signalled=$2
    [ -n "$child" ] || exit "$2"
    # Twice would be one more than was meant: many programs take the second for "now, without cleaning up".
    [ "$1" != INT ] || ! terminal_tells || return 0
    kill -s "$1" "$child" 2>/dev/null || true
}
trap clean EXIT
trap 'pass INT 130' INT
trap 'pass TERM 143' TERM
trap 'pass HUP 129' HUP

# Runs it with this script's input; its status. In the background, where Ctrl-C would be ignored.
default=''
if env --default-signal=INT,QUIT true 2>/dev/null; then default='env --default-signal=INT,QUIT --'; fi
# A job may have none at all.
if ! (exec 8<&0) 2>/dev/null; then exec </dev/null; fi
exec 8<&0
run() {
    # shellcheck disable=SC2086  # words
    $default "$@" <&8 8<&- 9>&- &
    child=$!
    code=0
    while :; do
        wait "$child" || code=$?
        kill -0 "$child" 2>/dev/null || break # it was a signal that ended the wait
        code=0
    done
    child=''
    [ -z "$signalled" ] || exit "$signalled"
    return "$code"
}

if ! command -v headway >/dev/null; then
    [ -n "$deb" ] || die "there is no headway on PATH; --deb names the package to install" 127
    case $deb in
        http://* | https://*) curl -fsSL --retry 3 -o "$work/headway.deb" "$deb"; deb=$work/headway.deb ;;
        /*) ;;
        *) deb=$PWD/$deb ;;
    esac
    root=''
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get install -y -qq "$deb" >&2
fi

# No settings of the folder in which the job works: it is the repository's, and says how its own daemon is run. An agent that the
# command waits for itself (`headway run`) ends when it is stuck, and with it the job.
printf '[policy]\non_stuck = "halt"\n' >"$work/headway.toml"
mkfifo "$work/alive"
# In a session of its own: Ctrl-C of the terminal is for the command, which may have to report how it ended.
apart=''
if command -v setsid >/dev/null; then apart=setsid; fi
$apart headway serve --config "${HEADWAY_CONFIG:-$work/headway.toml}" --listen 127.0.0.1:0 --state-dir "$work/state" --ports-file "$work/ports" \
    >"$work/log" 2>&1 8<&- &
daemon=$!
# Ends it when this script is gone however it went, kill -9 too: nobody else holds the other end of the pipe.
# Apart as well, so that what kills the whole group of a job leaves it to do that.
# shellcheck disable=SC2016  # of the inner shell
$apart sh -c 'trap "" INT TERM HUP; cat "$1/alive" >/dev/null; kill "$2" && rm -rf "$1"' sh "$work" "$daemon" </dev/null >/dev/null 2>&1 8<&- &
exec 9>"$work/alive"
until [ -s "$work/ports" ]; do
    kill -0 "$daemon" 2>/dev/null || { cat "$work/log" >&2; die "the daemon did not start" 69; }
    sleep 0.1
done
HEADWAY_URL=$(sed -n 's/.*"http":"\([^"]*\)".*/http:\/\/\1/p' "$work/ports")
export HEADWAY_URL
unset HEADWAY_TOKEN HEADWAY_TOKEN_FILE HEADWAY_CA_FILE HEADWAY_SESSION # of another daemon

status=0
run "$@" || status=$?

waited=0
if [ -n "$sessions" ]; then
    # A failed command is not waited for.
    patience=60s
    [ "$status" = 0 ] || patience=1s
    # shellcheck disable=SC2086  # ids have no blanks
    run headway wait $sessions --until "$until" --open-within "$patience" ${junit:+--junit "$junit"} || waited=$?
fi
[ "$status" != 0 ] || status=$waited
exit "$status"
