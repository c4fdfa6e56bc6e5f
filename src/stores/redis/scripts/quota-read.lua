-- What backends have said since the last look, oldest first, for the coordinator. KEYS: seen, values, names, levels as in
-- quota-report.lua. ARGV: since (as answered by the last look; 0: everything), how many at most, dropMs.
-- Answers: since for the next look, whether there is more now, token and backends as last published ('' if never), then of each
-- report the backend, its age in ms and its numbers.
local seen, values, names, levels = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local since, most, dropMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The clock was set back: whoever spoke by the old one has spoken now. It would seem to speak for ever otherwise.
local ahead = redis.call('ZRANGEBYSCORE', seen, string.format('(%.0f', now), '+inf', 'LIMIT', 0, 1000)
for _, backend in ipairs(ahead) do
  redis.call('ZADD', seen, string.format('%.0f', now), backend)
end
if since > now then
  since = 0
end

local silent = redis.call('ZRANGEBYSCORE', seen, '-inf', string.format('%.0f', now - dropMs * 1000), 'LIMIT', 0, 1000)
for _, backend in ipairs(silent) do
  redis.call('ZREM', seen, backend)
  redis.call('HDEL', values, backend)
  redis.call('HDEL', names, backend, 'version of ' .. backend)
end

local found =
  redis.call('ZRANGEBYSCORE', seen, string.format('(%.0f', since), '+inf', 'WITHSCORES', 'LIMIT', 0, most)
local answer = { '', 0, '', '' }
local known = redis.call('HMGET', levels, 'token', 'backends')
if known[1] and known[2] then
  answer[3], answer[4] = known[1], known[2]
end
for i = 1, #found, 2 do
  local spoke = tonumber(found[i + 1])
  local numbers = redis.call('HGET', values, found[i])
  if numbers then
    answer[#answer + 1] = found[i]
    answer[#answer + 1] = math.floor((now - spoke) / 1000)
    answer[#answer + 1] = numbers
  end
  since = spoke
end
answer[1] = string.format('%.0f', since)
if #found == 2 * most then
  answer[2] = 1
end
return answer
