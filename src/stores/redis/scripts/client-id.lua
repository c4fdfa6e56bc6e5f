-- Small whole numbers, each with one holder at a time. KEYS: owners (hash: number → owner), ends (sorted set: number by when its
-- lease ends), numbers (sorted set: number by itself). ARGV: what to do, owner, number, ttlMs, now (tests; else Redis' own).
-- Answers the number, or -1.
local owners, ends, numbers = KEYS[1], KEYS[2], KEYS[3]
local action, owner, number, ttlMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local now = tonumber(ARGV[5])
if now == 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function free(id)
  redis.call('HDEL', owners, id)
  redis.call('ZREM', ends, id)
  redis.call('ZREM', numbers, id)
end

local function hold(id)
  redis.call('HSET', owners, id, owner)
  redis.call('ZADD', ends, string.format('%.0f', now + ttlMs), id)
  redis.call('ZADD', numbers, id, id)
  -- All is forgotten when nobody has renewed anything for that long.
  for i = 1, 3 do
    redis.call('PEXPIRE', KEYS[i], string.format('%.0f', 2 * ttlMs))
  end
  return tonumber(id)
end

-- Those that are over, some at a time: nobody waits for a long list.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)) do
  free(id)
end

if action == 'release' then
  if redis.call('HGET', owners, number) ~= owner then
    return -1
  end
  free(number)
  return tonumber(number)
end

if action == 'renew' then
  local holder = redis.call('HGET', owners, number)
  -- Nobody's: it was forgotten, by a Redis that began anew or because this owner was late, and is taken again.
  if holder and holder ~= owner then
    return -1
  end
  return hold(number)
end

-- The smallest that is free. Without a gap the n-th of those in use is n, so a gap is found by halving.
local low, high = 0, redis.call('ZCARD', numbers)
while low < high do
  local middle = math.floor((low + high) / 2)
  if tonumber(redis.call('ZRANGE', numbers, middle, middle)[1]) == middle then
    low = middle + 1
  else
    high = middle
  end
end
return hold(string.format('%.0f', low))
