-- The coordinator tells all backends their levels. KEYS: seen, values, names, levels as in quota-report.lua. ARGV: token,
-- sequence, how many backends they are for, bytes, channel, ttlMs, bytes to push ('' if they are the same).
-- Answers: whether they hold. Not if a later coordinator has spoken: this one stood still, and does not know it.
local levels = KEYS[4]
local token, sequence = tonumber(ARGV[1]), tonumber(ARGV[2])

local known = redis.call('HMGET', levels, 'token', 'sequence')
local lastToken, lastSequence = tonumber(known[1] or '') or -1, tonumber(known[2] or '') or -1
if token < lastToken or (token == lastToken and sequence <= lastSequence) then
  -- Whatever wrote this without an end must not silence all coordinators for ever.
  if redis.call('PTTL', levels) == -1 then
    redis.call('PEXPIRE', levels, ARGV[6])
  end
  return 0
end
local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000000 + time[2])
redis.call('HSET', levels, 'token', ARGV[1], 'sequence', ARGV[2], 'backends', ARGV[3], 'bytes', ARGV[4], 'at', at)
redis.call('PEXPIRE', levels, ARGV[6])
-- Who may not publish is heard all the same: a report later, with the answer to it.
redis.pcall('PUBLISH', ARGV[5], ARGV[7] == '' and ARGV[4] or ARGV[7])
return 1
