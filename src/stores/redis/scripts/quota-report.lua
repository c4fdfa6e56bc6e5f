-- One backend says what its customers use. KEYS: seen (when each backend last spoke, in µs), values (its numbers), names (whose
-- numbers these are, by backend and by `version of` backend), levels (of the coordinator). ARGV: backend, numbers, version of its
-- names, names ('' if they are not sent), token and sequence of the levels it knows, ttlMs.
-- Answers: whether its names are missing, and the levels if they are others than it knows, with their age in ms (-1: nobody knows).
local seen, values, names, levels = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local backend, version, sent = ARGV[1], ARGV[3], ARGV[4]
local ttlMs = ARGV[7]

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', seen, string.format('%.0f', now), backend)
redis.call('HSET', values, backend, ARGV[2])

local versionOf = 'version of ' .. backend
local isMissing = 0
if sent ~= '' then
  redis.call('HSET', names, backend, sent, versionOf, version)
elseif redis.call('HGET', names, versionOf) ~= version then
  isMissing = 1
end

-- Whoever stops leaves nothing behind.
redis.call('PEXPIRE', seen, ttlMs)
redis.call('PEXPIRE', values, ttlMs)
redis.call('PEXPIRE', names, ttlMs)

local known = redis.call('HMGET', levels, 'token', 'sequence', 'at')
if known[1] and (known[1] ~= ARGV[5] or known[2] ~= ARGV[6]) then
  -- From before the clock was set back: they may be of any age.
  local at = tonumber(known[3] or '') or now + 1
  local ageMs = at > now and -1 or math.floor((now - at) / 1000)
  return { isMissing, redis.call('HGET', levels, 'bytes') or '', string.format('%.0f', ageMs) }
end
return { isMissing, '', '-1' }
