#!/bin/bash
echo '{"type":"system","subtype":"init","session_id":"s1","uuid":"u0","model":"claude-opus-5","tools":[]}'
echo '{"type":"assistant","session_id":"s1","uuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"starting"}],"usage":{"input_tokens":5,"output_tokens":5}}}'
echo '{"type":"rate_limit_event","session_id":"s1","uuid":"u2","rate_limit_info":{"status":"rejected","resetsAt":1795770408,"rateLimitType":"five_hour","overageStatus":"rejected"}}'
sleep ${1:-4}
