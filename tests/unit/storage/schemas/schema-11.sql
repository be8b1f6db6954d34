PRAGMA application_id=1212438361;
BEGIN;
CREATE TABLE session(
    key INTEGER PRIMARY KEY,
    name TEXT UNIQUE,
    opened_at INTEGER NOT NULL,
    n INTEGER NOT NULL DEFAULT 0,
    tail INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    state BLOB
) STRICT;
CREATE INDEX session_open ON session(key) WHERE ended_at IS NULL;
CREATE INDEX session_ended ON session(ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE journal(
    cursor INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    prev INTEGER NOT NULL,
    events BLOB NOT NULL
) STRICT;
CREATE TABLE mark(
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    PRIMARY KEY(session, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE event_id(
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY(session, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency(
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE used(
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    outcome INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL
) STRICT;
CREATE INDEX used_agent ON used(agent);

CREATE TABLE token(
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE approval(
    cursor INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    identity INTEGER NOT NULL,
    decided INTEGER NOT NULL,
    state BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX approval_session ON approval(session, n);
CREATE INDEX approval_pending ON approval(cursor) WHERE pending=1;
CREATE INDEX approval_identical ON approval(identity) WHERE pending=1;

CREATE TABLE judge_check(
    id TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    done INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX judge_check_session ON judge_check(session);
CREATE INDEX judge_check_pending ON judge_check(asked) WHERE done=0;
CREATE TABLE estimate(
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    percent_milli INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    source TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY(session, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE estimate_score(
    model TEXT NOT NULL,
    source TEXT NOT NULL,
    decile INTEGER NOT NULL,
    count INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    abs_error_milli INTEGER NOT NULL,
    signed_error_milli INTEGER NOT NULL,
    PRIMARY KEY(source, model, decile)
) STRICT, WITHOUT ROWID;

CREATE TABLE session_index(
    session INTEGER PRIMARY KEY,
    open INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    attention_at INTEGER,
    over_budget_at INTEGER,
    agent TEXT NOT NULL,
    parent TEXT NOT NULL,
    labels TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX session_index_verdict ON session_index(open, verdict);
CREATE INDEX session_index_parent ON session_index(parent) WHERE parent<>'';
CREATE INDEX session_index_attention ON session_index(attention_at) WHERE attention_at IS NOT NULL;
CREATE INDEX session_index_budget ON session_index(over_budget_at) WHERE over_budget_at IS NOT NULL;

CREATE TABLE webhook_message(
    id INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL,
    message TEXT NOT NULL,
    type TEXT NOT NULL,
    session TEXT NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    tried_at INTEGER NOT NULL,
    dead_at INTEGER NOT NULL,
    away INTEGER NOT NULL,
    reason TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_message_pending ON webhook_message(endpoint, id) WHERE dead_at=0;
CREATE INDEX webhook_message_due ON webhook_message(endpoint, due_at) WHERE dead_at=0;
CREATE INDEX webhook_message_dead ON webhook_message(endpoint, id) WHERE dead_at>0;
CREATE TABLE webhook_endpoint(
    name TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    disabled_at INTEGER NOT NULL,
    removed_at INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    died INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    succeeded_at INTEGER NOT NULL,
    failed_at INTEGER NOT NULL,
    failure TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE session_index ADD COLUMN alarm INTEGER;
ALTER TABLE session_index ADD COLUMN alarm_at INTEGER;
CREATE INDEX session_index_alarm ON session_index(alarm) WHERE alarm IS NOT NULL;

ALTER TABLE journal ADD COLUMN crc INTEGER;
ALTER TABLE session ADD COLUMN crc INTEGER;

CREATE TABLE inbox(
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    event BLOB NOT NULL
) STRICT;
CREATE INDEX inbox_session ON inbox(session);

CREATE TABLE expectation(
    agent TEXT NOT NULL,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    sketches BLOB NOT NULL,
    PRIMARY KEY(agent, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX expectation_agent ON expectation(updated_at) WHERE kind=0;
INSERT INTO session(key,name,opened_at,n,tail,ended_at,state) VALUES(1,'plain',1795288785120,0,0,NULL,NULL);
INSERT INTO session(key,name,opened_at,n,tail,ended_at,state) VALUES(2,'busy',1795288785161,0,0,NULL,NULL);
INSERT INTO session(key,name,opened_at,n,tail,ended_at,state) VALUES(3,'ended',1795288785172,0,0,1795288785181,NULL);
INSERT INTO session(key,name,opened_at,n,tail,ended_at,state) VALUES(4,'01a1ff8c-e125-770e-967f-9372b24bcbae',1795288785189,0,0,NULL,NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(1,1,1,0,x'020100e0c1b3fc9f34000000000101097361792068656c6c6f00020104706c616e00040101047465616d0201610005010002904e030504010500060007000800000000000000000b000c000d000e01000701d80402320000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(2,1,2,1,x'020104f1c1b3fc9f3400a09c01026530030109617373697374616e740201067465787420300000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(3,1,3,2,x'020104f9c1b3fc9f340000026531000109617373697374616e740201067465787420310000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(4,1,4,3,x'02010485c2b3fc9f340000026532000109617373697374616e740201067465787420320000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(5,2,1,0,x'02020089c2b3fc9f340000000005010002904e030504010500060007000800000000000000000b000c000d000e01000601000189c2b3fc9f34000000000104776f726b020300',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(7,2,3,5,x'02010a8cc2b3fc9f340000000001000000000000444005056167656e7400',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(8,3,1,0,x'02020094c2b3fc9f340000000005010002904e030504010500060007000800000000000000000b000c000d000e01000601000494c2b3fc9f3400a09c01016d030109617373697374616e740201036279650000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(10,3,3,8,x'0202139dc2b3fc9f340000000103010d7b22616e73776572223a34327d00000f9dc2b3fc9f3400000000020905010300',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(12,4,1,0,x'020100a5c2b3fc9f34000000000101046f6e63650005010002904e030504010500060007000800000000000000000b000c000d000e010000',NULL);
INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(13,1,5,4,x'020219b1c2b3fc9f34000000050204626173680401107b22636f6d6d616e64223a226c73227d0005477368613235363a346366323936313161363639333438363266323961636663633831376533306239303563316162373364356536353833313431336562366234353464343964620601046c6f6f6b000c056167656e740d8ceee0bc80f7c8b39001000fb1c2b3fc9f3400904e00000205032a776169747320666f72206120706572736f6e20746f20616c6c6f7720626173682c2073696e63652023350408617070726f76616c05010500',NULL);
INSERT INTO event_id(session,id,n) VALUES(1,'e0',2);
INSERT INTO event_id(session,id,n) VALUES(1,'e1',3);
INSERT INTO event_id(session,id,n) VALUES(1,'e2',4);
INSERT INTO event_id(session,id,n) VALUES(3,'m',2);
INSERT INTO idempotency(key,fingerprint,session,at) VALUES('key','4218ad25ecd01c9938260ae4390ef3ce','01a1ff8c-e125-770e-967f-9372b24bcbae',1795288785189);
INSERT INTO used(id,agent,outcome,ended_at,elapsed_ms,steps,tokens,cost_micros) VALUES(1,'',0,1795288785181,9,0,0,0);
INSERT INTO token(id,name,scopes,hash,created_at,expires_at,revoked_at,used_at) VALUES('PGY2IY5VS895','reader','read',x'03074783bb47aece07e259e3bdf0e2bebeedc73a9000879fe7c02f1f3f6ecffe',1795288785209,0,0,0);
INSERT INTO approval(cursor,session,n,pending,kind,identity,decided,state) VALUES(13,1,5,1,0,5181699720895001967,0,x'010503046261736805046c6f6f6b07056167656e7409b1c2b3fc9f340f477368613235363a3463663239363131613636393334383632663239616366636338313765333062393035633161623733643565363538333134313365623662343534643439646210efeabfe5938ec6f447118ceee0bc80f7c8b39001240500');
INSERT INTO estimate(session,n,percent_milli,calls,source,model) VALUES(2,3,40000,0,'agent','');
INSERT INTO session_index(session,open,verdict,attention_at,over_budget_at,agent,parent,labels,text,alarm,alarm_at) VALUES(1,1,5,NULL,NULL,'plan','','4:team1:a','plainplanasay hello',NULL,NULL);
INSERT INTO session_index(session,open,verdict,attention_at,over_budget_at,agent,parent,labels,text,alarm,alarm_at) VALUES(2,1,0,NULL,NULL,'','','','busy',NULL,NULL);
INSERT INTO session_index(session,open,verdict,attention_at,over_budget_at,agent,parent,labels,text,alarm,alarm_at) VALUES(3,0,9,NULL,NULL,'','','','ended',NULL,NULL);
INSERT INTO session_index(session,open,verdict,attention_at,over_budget_at,agent,parent,labels,text,alarm,alarm_at) VALUES(4,1,0,NULL,NULL,'','','','01a1ff8c-e125-770e-967f-9372b24bcbaeonce',NULL,NULL);
INSERT INTO webhook_endpoint(name,target,disabled_at,removed_at,delivered,failed,died,dropped,succeeded_at,failed_at,failure) VALUES('ops','b0ca55e18d29ee8ab253d7ae661db0ce',0,0,0,1,0,0,0,1795300473277,'leads to 127.0.0.1, a loopback address; if that is meant, set its allow_private_addresses = "on"');
INSERT INTO webhook_message(id,endpoint,message,type,session,n,at,tries,due_at,tried_at,dead_at,away,reason,body) VALUES(1,'ops','msg_b8a7d803e0f684ac569312c9a6854427','session.ended','ended',3,1795300473268,1,1795300478882,1795300473277,0,1,'leads to 127.0.0.1, a loopback address; if that is meant, set its allow_private_addresses = "on"','{"type":"session.ended","timestamp":"2026-11-21T22:34:33.268Z","data":{"session":"ended","n":3,"verdict":"completed","agent":"","goal":"","labels":{},"reason":"","event":{"outcome":"completed","result":{"answer":42},"automatic":false}}}');
INSERT INTO webhook_message(id,endpoint,message,type,session,n,at,tries,due_at,tried_at,dead_at,away,reason,body) VALUES(2,'ops','msg_5b9b2a715d789b66b951437c2772f92a','approval.requested','plain',5,1795300473284,0,1795300473284,0,0,0,'','{"type":"approval.requested","timestamp":"2026-11-21T22:34:33.284Z","data":{"session":"plain","n":5,"verdict":"blocked","approval":"plain.a5","agent":"plan","goal":"say hello","labels":{"team":"a"},"reason":"waits for a person to allow bash, since #5","event":{"kind":"tool","tool":"bash","args":{"command":"ls"},"args_digest":"sha256:4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","summary":"look","risk":"unknown","on_expiry":"hold","source":"agent"}}}');
INSERT INTO expectation(agent,kind,name,sessions,updated_at,sketches) VALUES('',0,'',1,1795407317125,x'0101010101028080040002010002010102808004000201000301010280800400020100040101028080040002010000');
PRAGMA user_version=11;
COMMIT;
