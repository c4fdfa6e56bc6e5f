-- One of several is master, for a time. KEYS: holder (`owner address`, gone when it ends), token (how many terms there were).
-- ARGV: what to do (acquire, renew, release), owner, address, ttlMs, the highest token that the asker has heard of.
-- Answers: whether the asker is master now, the token, the address of whoever is.
local holder, counter = KEYS[1], KEYS[2]
local action, owner, address, ttlMs, heard = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

local heldBy, heldAt = string.match(redis.call('GET', holder) or '', '^(%S*) (.*)$')
local isOwn = heldBy == owner

if action == 'release' then
  if isOwn then
    redis.call('DEL', holder)
  end
  return { 0, heard, '' }
end

local token = tonumber(redis.call('GET', counter) or '-1')
if token < heard then
  -- It began anew, or from an old copy. Somebody may be master by what it has forgotten: nobody else is until that has ended.
  redis.call('SET', counter, string.format('%.0f', heard))
  redis.call('SET', holder, ' ', 'PX', ttlMs)
  return { 0, heard, '' }
end

if heldBy and not isOwn then
  return { 0, token, heldAt }
end
if not isOwn or action == 'acquire' then
  token = redis.call('INCR', counter)
end
redis.call('SET', holder, owner .. ' ' .. address, 'PX', ttlMs)
return { 1, token, address }
