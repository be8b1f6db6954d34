// SPDX-License-Identifier: Apache-2.0
#include "core/calls/command.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

TEST_CASE("command: what only asks for a state", "[core]") {
    const char* const look = GENERATE(
        "ls -la", "cd /x && cat a.txt", "test -f out && echo yes", "curl -s localhost:3000/health",
        "sleep 5; tail -n 3 run.log", "kubectl get pods | grep web", "FOO=1 git status --short",
        "timeout 5 curl -sf http://x", "curl -s -o /dev/null -w '%{http_code}' http://x",
        "git -C repo log -1", "for r in $(cat hosts); do echo $r $(dig +short x @$r); done",
        "find . -name '*.o'", "until ls out; do sleep 5; done");
    CAPTURE(look);
    CHECK(only_looks(look));
}

TEST_CASE("command: what acts, or does neither", "[core]") {
    const char* const act =
        GENERATE("make", "ls > files.txt", "curl -X POST http://x", "curl -d a=b http://x",
                 "rm -rf x", "find . -delete", "./deploy.sh", "echo $(make)", "echo $(", "cd /x",
                 "echo hi", "", "ls && ./run");
    CAPTURE(act);
    CHECK_FALSE(only_looks(act));
}

TEST_CASE("command: words alone have no effect", "[command]") {
    for (const char* none : {"echo \"I could not run it\"", "pwd", "true", ":", "exit 0", "cd src",
                             "printf 'x' && pwd", "whoami; id", "sleep 1; echo done"})
        CHECK(has_no_effect(CommandParts{none}));
    for (const char* some : {"", "make", "echo x > f", "echo $(rm f)", "echo `rm f`", "true > f",
                             "echo x | tee f", "cd src && make", "env make"})
        CHECK_FALSE(has_no_effect(CommandParts{some}));
}

TEST_CASE("command: questions to schedulers and services are polls", "[core]") {
    CHECK(asks_for_status("kubectl get pods -o wide | grep web"));
    CHECK(asks_for_status("sleep 30 && squeue -u me"));
    CHECK(asks_for_status("gh run view 4411"));
    CHECK(asks_for_status("sleep 20; kubectl -n shop get deploy checkout"));
    CHECK(asks_for_status("docker --context far ps"));
    CHECK_FALSE(asks_for_status("kubectl -n shop delete pod web"));
    CHECK_FALSE(asks_for_status("kubectl -n"));
    CHECK_FALSE(asks_for_status("ls | tail -1"));
    CHECK_FALSE(asks_for_status("kubectl get pods && kubectl delete pod web"));
    CHECK_FALSE(asks_for_status("echo docker ps"));
}

TEST_CASE("command: sleeps, guards, restores and nothing at all", "[core]") {
    CHECK(sleeps_and_more("sleep 30 && kubectl get pods"));
    CHECK_FALSE(sleeps_and_more("sleep 30"));
    CHECK(is_guard("test -w /memory && mkdir -p /memory/sessions"));
    CHECK(is_guard("cd /x && grep -q word file"));
    CHECK(is_guard("which cargo"));
    CHECK_FALSE(is_guard("grep word file"));
    CHECK(takes_files_back("cd /x && git checkout -- a.py"));
    CHECK(takes_files_back("git stash pop"));
    CHECK_FALSE(takes_files_back("git commit -m 'git stash'"));
    CHECK(does_nothing("touch marker_7"));
    CHECK(does_nothing("git commit --allow-empty -m wip"));
    CHECK_FALSE(does_nothing("touch a && make"));
    CHECK(does_nothing("git stash && git stash pop"));
    CHECK(does_nothing("cd /x && git stash push -u -m wip; git stash pop"));
    CHECK_FALSE(does_nothing("git stash"));
    CHECK_FALSE(does_nothing("git stash pop"));
    CHECK_FALSE(does_nothing("git stash && git pull && git stash pop"));
    CHECK_FALSE(does_nothing("git stash pop && git stash"));
    CHECK_FALSE(does_nothing("git stash && git stash pop && git stash"));
    CHECK_FALSE(does_nothing("git stash && git stash drop"));
}

TEST_CASE("command: a line of any shape is read to its end once", "[core]") {
    for (const char* part :
         {"timeout ", "FOO=1 ", "sudo ", "while ", "> ", "' ", "# ", "&& ", ";"}) {
        std::string line;
        for (int i = 0; i < 2'000; ++i)
            line += part;
        CHECK_FALSE(asks_for_status(line));
        CHECK_FALSE(does_nothing(line));
        CHECK_FALSE(rests_first(line));
        CHECK_FALSE(waits_itself(line));
    }
}

TEST_CASE("command: printing a text of one's own leaves nothing, printing an answer does",
          "[core]") {
    CHECK(does_nothing("printf '%s\\n' 'step 4 is complete'"));
    CHECK(does_nothing("cd /x && echo done"));
    CHECK_FALSE(does_nothing("echo $(date)"));
    CHECK_FALSE(does_nothing("echo $PATH"));
    CHECK_FALSE(does_nothing("echo src/*"));
    CHECK(does_nothing("echo '[24%] done'"));
    CHECK_FALSE(does_nothing("echo done > file"));
    CHECK_FALSE(does_nothing("echo done; make"));
}

TEST_CASE("command: a sleep of zero lets no time pass", "[core]") {
    CHECK(sleeps_and_more("sleep 0.5; ls"));
    CHECK(sleeps_and_more("sleep $N && ls"));
    CHECK_FALSE(sleeps_and_more("sleep 0; ls"));
    CHECK_FALSE(sleeps_and_more("sleep 0.0 && ls"));
}

TEST_CASE("command: a sleep of ten seconds and more stands before the rest", "[core]") {
    for (const char* command : {"sleep 60; ./export.sh", "sleep 10 && make", "cd /x; sleep 1m; ls",
                                "sleep 0.5h && ls", "sleep 30s; psql -c 'select 1'"})
        CHECK(rests_first(command));
    for (const char* command : {"sleep 5; ls", "make; sleep 60", "sleep 60", "sleep $N && ls", "ls",
                                "", "sleep infinity; ls", "echo sleep 60 && ls"})
        CHECK_FALSE(rests_first(command));
}

TEST_CASE("command: commands that wait by themselves", "[core]") {
    for (const char* command :
         {"kubectl -n shop wait --for=condition=ready pod/web --timeout=60s", "gh run watch 123",
          "timeout 60 tail -f app.log", "journalctl -u web -f | head -5",
          "aws ec2 wait instance-running --instance-ids i-1", "docker wait job"})
        CHECK(waits_itself(command));
    for (const char* command : {"tail -n 5 app.log", "kubectl get pods", "gh run rerun 4",
                                "docker wait job && docker rm job", "aws s3 ls", ""})
        CHECK_FALSE(waits_itself(command));
}

TEST_CASE("command: questions to databases, clouds and other machines", "[core]") {
    for (const char* command :
         {"psql -c 'SELECT state FROM jobs'", "mysql -e \"show processlist\"", "az vm show -n a",
          "gcloud compute instances list", "aws ec2 describe-instances",
          "ssh box 'cat /var/run/state'", "ssh -p 22 box \"squeue -u me\""})
        CHECK(only_looks(command));
    for (const char* command :
         {"psql -c 'delete from jobs'", "psql -c 'with x as (insert into a select 1) select 1'",
          "psql -f load.sql", "az vm start -n a", "ssh box 'rm -rf x'", "ssh box",
          "ssh a 'ssh b \"ls\"'", "ssh box 'ls; reboot'"})
        CHECK_FALSE(only_looks(command));
}

TEST_CASE("command: a program that is asked for a list or a status changes nothing", "[core]") {
    for (const char* looks : {"gh pr list --json number", "rabbitmqctl list_queues",
                              "flux list kustomizations", "sleep 120 && gh issue list"})
        CHECK(only_looks(looks));
    for (const char* acts : {"gh pr merge 12", "python list.py", "git stash drop",
                             "gh pr list && rm x", "tool list --delete old"})
        CHECK_FALSE(only_looks(acts));
}

TEST_CASE("command: keys, clicks and swipes that are sent to a screen", "[core]") {
    for (const char* line :
         {"adb shell input swipe 500 1500 500 500", "adb -s emulator-5554 shell input tap 5 9",
          "DISPLAY=:1 xdotool key Tab", "cliclick c:100,200 && sleep 0.2",
          "tmux -L own send-keys -t 0 'j'; tmux send-keys -t 0 Enter",
          "sudo ydotool key 28:1 28:0"}) {
        INFO(line);
        CHECK(sends_input(line));
    }
    for (const char* line :
         {"adb shell dumpsys input", "tmux capture-pane -p", "xdotools", "sleep 1",
          "tmux send-keys -t 0 q; tmux capture-pane -p", "xdotool key Tab > out", "make"}) {
        INFO(line);
        CHECK_FALSE(sends_input(line));
    }
}

TEST_CASE("command: probes of hosts, ports and names", "[core]") {
    for (const char* line :
         {"ping -c1 -W1 10.0.0.5", "nc -zv -w1 10.0.0.5 8000", "nc -w1 -z db 5432",
          "timeout 2 whois a.io | grep -i match", "cd /x && host a.example", "dig +short a.io"}) {
        INFO(line);
        CHECK_FALSE(probed_target(line).empty());
    }
    for (const char* line : {"nc -l 8000", "nc db 5432", "curl -f http://a.example", "ls",
                             "ping a && make deploy", "psql -h db -c 'select 1'", "sleep 5",
                             "grep -r ping", "getent hosts db && psql -h db -c 'select 1'",
                             "nc -z db 5432; curl -sS http://db/v1/2", "ping a | tee log"}) {
        INFO(line);
        CHECK(probed_target(line).empty());
    }
}

TEST_CASE("command: the target of a probe is without options", "[core]") {
    CHECK(probed_target("timeout 2 nc -zv -w 1 db 5432") == probed_target("nc -w 2.5 -z db 5432"));
    CHECK(probed_target("nc -zv -w1 10.0.0.5 80") != probed_target("nc -zv -w1 10.0.0.6 80"));
    CHECK(probed_target("nc -z db 80") != probed_target("nc -z db 81"));
    CHECK(probed_target("whois a.io | head -1") == probed_target("whois a.io"));
    CHECK(probed_target("whois a.io") != probed_target("ping a.io"));
}
