# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Headway for shell scripts, POSIX sh:  . headway.sh; hw_start "goal"; hw_tool bash -- make test; hw_end
#
#   hw_start GOAL [AGENT]       opens a session: HEADWAY_SESSION, or a new id, in HW_SESSION
#   hw_tool NAME -- COMMAND...  runs the command as a call of this tool; its status, input and output are its own.
#                               77: the call was refused, and the command did not run; HW_REFUSAL says why
#   hw_say TEXT                 words of the agent
#   hw_usage INPUT OUTPUT [COST_USD]   tokens that the model used
#   hw_advice                   prints what the model should read with its next request, each thing once
#   hw_approve TEXT             asks a person: 0 approved, 1 not
#   hw_end [OUTCOME [REASON]]   ends it: completed (default), failed, cancelled, budget_exhausted
#
# The daemon is HEADWAY_URL (http://..., https://... or unix:/PATH), the token HEADWAY_TOKEN. With curl, else by headway-hook or
# `headway hook`. A daemon that is away, slow or wrong changes nothing: the command runs. But what a person was asked is not run
# unanswered: a daemon that went away in a hold is asked again for a minute, then the call is refused. Nothing is written to the
# terminal but the reason of a refusal, and once that HEADWAY_URL is no URL. Names that begin with hw_, _hw_ and HW_ are taken.

HW_SESSION=${HW_SESSION-} HW_REFUSAL='' HW_STOPPED='' HW_ADVICE=''
_hw_away=0 _hw_pause=2 _hw_count=0 _hw_agent='sh' _hw_said_url='' _hw_owed=''
_hw_gone_words='Headway went away while this call waited for a decision. Do something else, and try it again later.'

# Hundredths of a second of a clock that never jumps, in _hw_now; without a process of its own where /proc says it.
_hw_clock() {
    if IFS=' ' read -r _hw_now _ 2>/dev/null </proc/uptime; then
        _hw_frac=${_hw_now#*.}
        _hw_now=${_hw_now%%.*}${_hw_frac}
        while case $_hw_now in 0?*) ;; *) false ;; esac do _hw_now=${_hw_now#0}; done
    else
        _hw_now=$(date +%s)00
    fi
}

# HEADWAY_URL as all clients read it (tests/support/daemon_urls.txt): its normal form in _hw_url, of a socket with unix: before it.
_hw_where() {
    _hw_url=${HEADWAY_URL:-http://127.0.0.1:7717}
    case $_hw_url in
        [Uu][Nn][Ii][Xx]:*)
            _hw_url=${_hw_url#*:}
            case $_hw_url in ///*) _hw_url=${_hw_url#//} ;; esac
            case $_hw_url in //* | *[\"\\[:cntrl:]]*) return 1 ;; /*) ;; *) return 1 ;; esac
            _hw_url=unix:$_hw_url
            return 0
            ;;
        [Hh][Tt][Tt][Pp]://*) _hw_scheme=http _hw_url=${_hw_url#*://} ;;
        [Hh][Tt][Tt][Pp][Ss]://*) _hw_scheme=https _hw_url=${_hw_url#*://} ;;
        *) _hw_scheme=http ;;
    esac
    while case $_hw_url in */) ;; *) false ;; esac do _hw_url=${_hw_url%/}; done
    case $_hw_url in *[!A-Za-z0-9._~!$\&\'\(\)*+,\;=:@%/\[\]-]* | *//*) return 1 ;; esac
    _hw_host=${_hw_url%%/*} _hw_port=80
    case ${_hw_url#"$_hw_host"} in *[]\[]*) return 1 ;; esac
    case $_hw_host in
        \[*:*\]) _hw_host=${_hw_host#?} _hw_host=${_hw_host%?} ;;
        \[*:*\]:*) _hw_port=${_hw_host##*\]:} _hw_host=${_hw_host%\]:*} _hw_host=${_hw_host#?} ;;
        *:*:* | *[]\[]*) return 1 ;;
        *:*) _hw_port=${_hw_host#*:} _hw_host=${_hw_host%:*} ;;
    esac
    case $_hw_url in
        \[*) case $_hw_host in '' | *[!0-9A-Fa-f:.]*) return 1 ;; esac ;;
        *) case $_hw_host in '' | *[!A-Za-z0-9._-]*) return 1 ;; esac ;;
    esac
    case $_hw_port in '' | *[!0-9]* | ??????*) return 1 ;; esac
    [ "$_hw_port" -gt 0 ] && [ "$_hw_port" -lt 65536 ] || return 1
    _hw_url=$_hw_scheme://$_hw_url
}

# A name for an event, in _hw_id.
_hw_name() {
    _hw_count=$((_hw_count + 1))
    if IFS=' ' read -r _hw_id 2>/dev/null </proc/sys/kernel/random/uuid; then :; else _hw_id=$$-$(date +%s)-$_hw_count; fi
}

# $1 as a JSON string, in _hw_text. Bytes that are no UTF-8 stand as their numbers.
_hw_json() {
    case $1 in
        *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\ ._/:=,+@%-]*)
            _hw_text=$(printf '%s' "$1" | LC_ALL=C od -An -v -tu1 | LC_ALL=C awk '
                function flush(  i) { for (i = 0; i < have; i++) printf "\\u%04x", part[i]; have = need = 0 }
                BEGIN { printf "\"" }
                { for (k = 1; k <= NF; k++) { b = $k + 0
                    if (need > 0) {
                        low = 128; high = 191
                        if (have == 1) { if (part[0] == 224) low = 160; if (part[0] == 237) high = 159; if (part[0] == 240) low = 144; if (part[0] == 244) high = 143 }
                        if (b >= low && b <= high) {
                            part[have++] = b
                            if (have == need) { for (i = 0; i < have; i++) printf "%c", part[i]; have = need = 0 }
                            continue }
                        flush() }
                    if (b == 34 || b == 92) printf "\\%c", b
                    else if (b < 32 || b == 127) printf "\\u%04x", b
                    else if (b < 128) printf "%c", b
                    else if (b >= 194 && b <= 244) { need = b < 224 ? 2 : b < 240 ? 3 : 4; part[0] = b; have = 1 }
                    else printf "\\u%04x", b } }
                END { flush(); printf "\"" }') ;;
        *) _hw_text=\"$1\" ;;
    esac
}

# The text of the member $1 of the answer, in _hw_text: only of the object itself, and only if it is a text.
_hw_member() {
    case $_hw_answer in *"\"$1\""*) ;; *) _hw_text=''; return 0 ;; esac
    _hw_text=$(printf '%s' "$_hw_answer" | LC_ALL=C awk -v want="$1" '
        function utf8(c) {
            if (c < 128) return sprintf("%c", c)
            if (c < 2048) return sprintf("%c%c", 192 + int(c / 64), 128 + c % 64)
            if (c < 65536) return sprintf("%c%c%c", 224 + int(c / 4096), 128 + int(c / 64) % 64, 128 + c % 64)
            return sprintf("%c%c%c%c", 240 + int(c / 262144), 128 + int(c / 4096) % 64, 128 + int(c / 64) % 64, 128 + c % 64) }
        function hex(s,  i, n) { n = 0; for (i = 1; i <= 4; i++) n = n * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1; return n }
        function string(  out, c, code, low) {  # the text that begins behind a quotation mark at `at`
            out = ""
            while (at <= size) {
                c = substr(all, at, 1); at++
                if (c == "\"") return out
                if (c == "\\") {
                    c = substr(all, at, 1); at++
                    if (c == "n") c = "\n"; else if (c == "t") c = "\t"; else if (c == "r") c = ""; else if (c == "b" || c == "f") c = " "
                    else if (c == "u") {
                        code = hex(substr(all, at, 4)); at += 4
                        if (code >= 55296 && code < 56320 && substr(all, at, 2) == "\\u") {
                            low = hex(substr(all, at + 2, 4)); at += 6
                            code = 65536 + (code - 55296) * 1024 + low - 56320 }
                        c = code < 9 || (code > 10 && code < 32) || (code > 126 && code < 160) ? " " : utf8(code) } }
                out = out c }
            return out }
        { all = all (NR > 1 ? "\n" : "") $0 }
        END { size = length(all); at = 1; depth = 0; name = ""; is_name = 1
            while (at <= size) {
                c = substr(all, at, 1); at++
                if (c == "{" || c == "[") { depth++; if (depth == 1) is_name = 1 }
                else if (c == "}" || c == "]") depth--
                else if (c == ":" && depth == 1) is_name = 0
                else if (c == "," && depth == 1) is_name = 1
                else if (c == "\"") {
                    said = string()
                    if (depth == 1 && is_name) name = said
                    else if (depth == 1 && name == want) { printf "%s", substr(said, 1, 2000); exit } } } }')
}

# curl with the body $1, what it got on its output, and the status of HTTP in a line behind it. A daemon that holds a call sends
# a blank every 5 s: 15 s without a byte, and it is away.
_hw_curl() (
    exec 2>/dev/null # for good: a saved descriptor would live on in what waits below
    folder=$(mktemp -d "${TMPDIR:-/tmp}/headway.XXXXXX") || exit 7
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT TERM HUP
    url=$_hw_url socket=
    case $url in unix:*) socket=${url#unix:} url=http://localhost ;; esac
    : >"$folder/head"
    : >"$folder/body"
    printf '%s' "$1" >"$folder/said"
    {
        printf 'url = "%s/v1/hooks/generic"\nheader = "Content-Type: application/json"\nheader = "Expect:"\n' "$url"
        printf 'header = "X-Headway-Session: %s"\n' "$HW_SESSION"
        if [ -n "$socket" ]; then printf 'unix-socket = "%s"\n' "$socket"; fi
        case ${HEADWAY_TOKEN-} in '' | *[!A-Za-z0-9._~+/=-]*) ;; *) printf 'header = "Authorization: Bearer %s"\n' "$HEADWAY_TOKEN" ;; esac
        if [ -n "${HEADWAY_CA_FILE-}" ]; then printf 'cacert = "%s"\n' "$HEADWAY_CA_FILE"; fi
    } | curl -q -sN --noproxy '*' --connect-timeout 1 --max-filesize 4194304 -D "$folder/head" -o "$folder/body" -w '%{http_code}' \
        --data-binary "@$folder/said" -K - >"$folder/status" &
    pid=$!
    (
        before=0 sleeper=''
        trap 'kill $sleeper 2>/dev/null; exit 0' TERM
        while :; do
            sleep "${HEADWAY_SH_SILENCE:-15}" &
            sleeper=$!
            wait "$sleeper"
            if [ ! -d "$folder" ]; then exit 0; fi # it was over before the signal came
            now=$(cat "$folder/head" "$folder/body" 2>/dev/null | wc -c)
            if [ "$now" -eq "$before" ]; then
                echo >"$folder/silent"
                kill "$pid"
                exit 0
            fi
            before=$now
        done
    ) >/dev/null </dev/null &
    dog=$!
    code=0 status=''
    wait "$pid" || code=$?
    kill "$dog" || :
    if [ -e "$folder/silent" ]; then code=28; fi
    cat "$folder/body"
    IFS=' ' read -r status <"$folder/status" || :
    # It broke off, and nothing but blanks had come behind a good head: the daemon was holding the call, so a person is asked.
    held=no
    if [ "$code" -ne 0 ] && IFS=' ' read -r _ head _ <"$folder/head" && [ "$head" = 200 ] && [ -z "$(tr -d ' ' <"$folder/body")" ]; then held=yes; fi
    printf '\n%s %s %s' "${status:-000}" "$code" "$held"
)

# The same by a program of Headway, which waits as long by itself.
_hw_hook() (
    exec 2>/dev/null
    if command -v headway-hook >/dev/null; then
        printf '%s' "$1" | HEADWAY_SESSION=$HW_SESSION headway-hook generic
    else
        printf '%s' "$1" | HEADWAY_SESSION=$HW_SESSION headway hook generic
    fi
)

# Says the JSON members $1 to the daemon; the answer is in _hw_answer, and it fails where there is none. $2: it may be held. $3: what
# the daemon is told when it is there again, if it went away in the hold.
_hw_tell() {
    _hw_answer=''
    case $HW_SESSION in '' | *[!A-Za-z0-9._~:-]*) return 1 ;; esac
    _hw_clock
    if [ "$_hw_away" -gt "$_hw_now" ]; then return 1; fi
    if ! _hw_where; then
        if [ -z "$_hw_said_url" ]; then
            printf 'headway: HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH. Nothing is supervised.\n' >&2
        fi
        _hw_said_url=1 _hw_away=$((_hw_now + 100 * 60 * 60 * 24))
        return 1
    fi
    _hw_pay || return 1
    _hw_name
    _hw_said="{\"agent\":\"$_hw_agent\",\"session\":\"$HW_SESSION\",\"event_id\":\"$_hw_id\",$1}" _hw_tries=0 _hw_until=''
    while ! _hw_exchange; do
        # The same event again is counted once. What was held is asked again for long: a restart is no answer to what a person is
        # asked, and the approval outlives the daemon. Nobody is asked about any other event, whatever has begun to come.
        if [ -z "$_hw_until" ] && [ "${2-}" = held ] && [ "$_hw_held" = yes ]; then
            _hw_clock
            _hw_until=$((_hw_now + ${HEADWAY_AGAIN_MS:-60000} / 10))
        fi
        if [ -n "$_hw_until" ]; then
            _hw_clock
            if [ "$_hw_now" -ge "$_hw_until" ]; then
                _hw_gone
                if [ -n "${3-}" ]; then
                    _hw_owed="$_hw_owed$3,\"ok\":false,\"class\":\"denied\",\"error\":\"$_hw_gone_words\"
"
                fi
                _hw_answer="{\"deny\":\"$_hw_gone_words\"}"
                return 0
            fi
        else
            case $_hw_tries:$_hw_code in
                0:18 | 0:52 | 0:56) ;;
                *)
                    _hw_gone
                    return 1
                    ;;
            esac
        fi
        _hw_tries=$((_hw_tries + 1))
        sleep 0.5 2>/dev/null || sleep 1
    done
    _hw_pause=2
    _hw_answer=$_hw_got
    _hw_member context
    if [ -n "$_hw_text" ]; then HW_ADVICE=${HW_ADVICE:+$HW_ADVICE

}$_hw_text; fi
    _hw_member stop
    if [ -n "$_hw_text" ]; then HW_STOPPED=$_hw_text; fi
    return 0
}

# What the daemon does not know yet: calls that it held and that did not run when it was gone, a line each. Else they would be at work
# for good, and people be asked about them.
_hw_pay() {
    while [ -n "$_hw_owed" ]; do
        _hw_paid=${_hw_owed%%"
"*} _hw_rest=${_hw_owed#*"
"} _hw_owed=''
        _hw_tell "$_hw_paid" || {
            _hw_owed="$_hw_paid
$_hw_rest"
            return 1
        }
        _hw_owed=$_hw_rest
    done
    _hw_answer=''
}

# Sends _hw_said once; the answer is in _hw_got.
_hw_exchange() {
    _hw_held=no
    if command -v curl >/dev/null 2>&1; then
        _hw_got=$(_hw_curl "$_hw_said")
        _hw_last=${_hw_got##*"
"} _hw_got=${_hw_got%"
"*}
        _hw_http=${_hw_last%% *} _hw_held=${_hw_last##* } _hw_code=${_hw_last#* } _hw_code=${_hw_code%% *}
    else
        _hw_got=$(_hw_hook "$_hw_said") || _hw_got=''
        _hw_http=200 _hw_code=0
        if [ -z "$_hw_got" ]; then _hw_http=000 _hw_code=7; fi
    fi
    [ "$_hw_http" = 200 ] && [ "$_hw_code" = 0 ]
}

_hw_gone() {
    case $_hw_http in 401 | 403) _hw_pause=60 ;; esac
    if [ "$_hw_code" = 28 ]; then _hw_pause=60; fi
    _hw_clock
    _hw_away=$((_hw_now + _hw_pause * 100))
    if [ "$_hw_pause" -lt 60 ]; then _hw_pause=$((_hw_pause * 2)); fi
}

hw_start() {
    _hw_name
    _hw_agent=${2:-sh} HW_REFUSAL='' HW_STOPPED='' HW_ADVICE=''
    case $_hw_agent in *[!A-Za-z0-9._~:-]*) _hw_agent='sh' ;; esac
    HW_SESSION=${HEADWAY_SESSION:-$_hw_agent-$_hw_id}
    case $HW_SESSION in *[!A-Za-z0-9._~:-]*) HW_SESSION=$_hw_agent-$_hw_id ;; esac
    _hw_json "${1-}"
    _hw_tell "\"event\":\"prompt\",\"text\":$_hw_text" || :
}

# The arguments as {"argv":[...]}, in _hw_args.
_hw_argv() {
    _hw_args=''
    for _hw_one in "$@"; do
        _hw_json "$_hw_one"
        _hw_args=$_hw_args${_hw_args:+,}$_hw_text
    done
    _hw_args="{\"argv\":[$_hw_args]}"
    # More than a report may have would be as no daemon. What stands here instead is above the 64 KiB that an approval may have:
    # a call of which a person could not see all is refused there.
    if [ "${#_hw_args}" -gt 1048576 ]; then
        _hw_one=$(printf '%s' "$_hw_args" | cksum)
        _hw_args="{\"argv\":\"$_hw_one\",\"cut\":\"$(printf '%070000d' 0)\"}"
    fi
}

hw_tool() {
    _hw_tool=${1-}
    if [ "$#" -gt 0 ]; then shift; fi
    if [ "${1-}" = -- ]; then shift; fi
    if [ "$#" -eq 0 ]; then
        printf 'hw_tool: which command? hw_tool NAME -- COMMAND...\n' >&2
        return 2
    fi
    HW_REFUSAL=''
    _hw_clock
    if [ -z "$HW_SESSION" ] || [ "$_hw_away" -gt "$_hw_now" ]; then
        if [ -n "$HW_STOPPED" ]; then
            _hw_refuse "$HW_STOPPED"
            return 77
        fi
        "$@"
        return
    fi
    _hw_json "$_hw_tool"
    _hw_named=$_hw_text
    _hw_argv "$@"
    _hw_name
    _hw_call=$_hw_id
    if _hw_tell "\"event\":\"pre\",\"tool\":$_hw_named,\"call\":\"$_hw_call\",\"args\":$_hw_args" held \
        "\"event\":\"post\",\"tool\":$_hw_named,\"call\":\"$_hw_call\""; then
        _hw_may_run || return 77
    fi
    _hw_run "$_hw_call" "$_hw_named" "$_hw_args" "$@"
}

# By the answer to the call, and what it says if it may not.
_hw_may_run() {
    _hw_member stop
    if [ -z "$_hw_text" ]; then HW_STOPPED='' && _hw_member deny; fi
    case $_hw_answer in
        *'"edit":'*) if [ -z "$_hw_text" ]; then
            _hw_text='This was approved with other arguments, which a script cannot put in place.'
            HW_REFUSAL=$_hw_text
            _hw_report_denied
        fi ;;
    esac
    [ -n "$_hw_text" ] || return 0
    _hw_refuse "$_hw_text"
    return 1
}

_hw_report_denied() {
    _hw_json "$HW_REFUSAL"
    _hw_tell "\"event\":\"post\",\"tool\":$_hw_named,\"call\":\"$_hw_call\",\"ok\":false,\"class\":\"denied\",\"error\":$_hw_text" || :
    _hw_text=$HW_REFUSAL
}

_hw_refuse() {
    HW_REFUSAL=$1
    printf 'headway: %s\n' "$1" >&2
}

# Call, tool and arguments are its own, since the command may be a function that has calls.
_hw_run() {
    _hw_clock
    set -- "$_hw_now" "$@"
    if _hw_command "$@"; then set -- "$1" "$2" "$3" "$4" 0; else set -- "$1" "$2" "$3" "$4" "$?"; fi
    _hw_clock
    _hw_more="\"ok\":true,\"result\":\"exit 0\""
    if [ "$5" -ne 0 ]; then _hw_more="\"ok\":false,\"error\":\"Exit code $5\",\"exit_code\":$5"; fi
    _hw_tell "\"event\":\"post\",\"tool\":$3,\"call\":\"$2\",\"args\":$4,\"duration_ms\":$(((_hw_now - $1) * 10)),$_hw_more" || :
    return "$5"
}

_hw_command() {
    shift 4
    "$@"
}

hw_say() {
    _hw_json "${1-}"
    _hw_tell "\"event\":\"said\",\"text\":$_hw_text" || :
}

hw_usage() {
    for _hw_one in "${1-}" "${2-}" "${3:-0}"; do
        case $_hw_one in '' | *[!0-9.]* | .* | *. | *.*.* | 0[0-9]*)
            printf 'hw_usage: %s is no number\n' "$_hw_one" >&2
            return 2
            ;;
        esac
    done
    _hw_tell "\"event\":\"usage\",\"usage\":{\"input_tokens\":$1,\"output_tokens\":$2,\"cost\":${3:-0}}" || :
}

hw_advice() {
    if [ -n "$HW_ADVICE" ]; then printf '%s\n' "$HW_ADVICE"; fi
    HW_ADVICE=''
}

hw_approve() {
    _hw_json "${1-}"
    _hw_name
    _hw_tell "\"event\":\"request\",\"tool\":\"approve\",\"call\":\"$_hw_id\",\"args\":{},\"text\":$_hw_text" held || return 1
    _hw_member deny
    HW_REFUSAL=$_hw_text
    _hw_member allow
    [ -z "$HW_REFUSAL" ] && [ -n "$_hw_text" ]
}

hw_end() {
    _hw_json "${2-}"
    case ${1:-completed} in
        completed | failed | cancelled | budget_exhausted) _hw_tell "\"event\":\"end\",\"outcome\":\"${1:-completed}\",\"reason\":$_hw_text" || : ;;
        *)
            printf 'hw_end: %s is no outcome\n' "$1" >&2
            return 2
            ;;
    esac
    HW_SESSION='' _hw_owed=''
}
