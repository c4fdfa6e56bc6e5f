-- Twin of src/core/rate-limiting/leasing: hands out units in blocks. Batch: now, rules, asks as a list each: index of the rule,
-- holder, turn, wants, urgent, needs, holds, returns, epochMs, validMs.
--
-- A key is a hash: field '' has amount and time, the field of a holder has its units, until when, and its turn.
-- Answers now and six numbers an ask: granted, validMs, epochMs, remaining, retryAfterMs, resetMs; granted -1 if unreadable.
local rules, asks = batch[2], batch[3]
local answer = { now }
local SHARE = 4
local failure

local function load_lease(key)
  local flat = redis.call('HGETALL', key)
  local amount, ms, holders = 0, 0, {}
  for i = 1, #flat, 2 do
    local a, b, c = match(flat[i + 1], '^(%d+) (%d+) ?(%d*)$')
    if flat[i] == '' then
      amount, ms = parse(a), parse(b)
    else
      holders[flat[i]] = { parse(a), parse(b), parse(c) }
    end
  end
  return amount, ms, holders
end

local function portion(available, wants, urgent, needs)
  if available < max(1, needs) then
    return 0
  end
  return min(wants, available, max(urgent, ceil(available / SHARE)))
end

local function save_lease(key, amount, ms, expiryMs)
  redis.call('HSET', key, '', format('%.0f %.0f', amount, ms))
  redis.call('PEXPIRE', key, whole(live(expiryMs)))
end

local function lease_bucket(key, r, ask)
  local perMs, unit, capacity = r[2], r[3], r[5]
  local holder, turn, wants, urgent, needs = ask[2], ask[3], ask[4], ask[5], ask[6]
  local holds, returns, validMs = ask[7], ask[8], ask[10]
  local amount, lastMs, holders = load_lease(key)
  local ms = max(lastMs, now)
  local outstanding, longestMs = 0, ms
  for name, held in pairs(holders) do
    outstanding = outstanding + held[1]
    if held[2] <= ms then
      redis.call('HDEL', key, name)
      holders[name] = nil
    else
      longestMs = max(longestMs, held[2])
    end
  end
  local level = max(amount - elapsed(lastMs, ms) * perMs, outstanding * unit)
  local held = holders[holder] or { 0, 0, 0 }
  local returned = min(returns, held[1])
  level = level - returned * unit
  local available = floor((capacity - level) / unit)
  local granted = portion(available, wants, urgent, needs)
  level = level + granted * unit
  local kept = held[1] - returned
  if turn > held[3] then
    kept = min(kept, holds)
  end
  if kept + granted > 0 then
    longestMs = max(longestMs, ms + validMs)
    redis.call('HSET', key, holder, format('%.0f %.0f %.0f', kept + granted, ms + validMs, max(turn, held[3])))
  else
    redis.call('HDEL', key, holder)
  end
  save_lease(key, level, ms, max(longestMs, ms + ceil(level / perMs)))
  local retryAfterMs = 0
  if granted == 0 and wants > 0 then
    retryAfterMs = ceil(max(0, level + max(1, needs) * unit - capacity) / perMs)
  end
  return granted, validMs, 0, available - granted, retryAfterMs, ceil(level / perMs)
end

local function lease_window(key, r, ask)
  local limit, windowMs = r[2], r[3]
  local wants, urgent, needs, returns, epochMs = ask[4], ask[5], ask[6], ask[8], ask[9]
  local amount, begunMs = load_lease(key)
  local beginMs = max(begunMs, now - now % windowMs)
  local count = begunMs == beginMs and amount or 0
  if epochMs == beginMs then
    count = max(0, count - returns)
  end
  local available = limit - count
  local granted = portion(available, wants, urgent, needs)
  count = count + granted
  local leftMs = elapsed(now, beginMs + windowMs)
  save_lease(key, count, beginMs, beginMs + windowMs)
  local retryAfterMs = (granted == 0 and wants > 0) and leftMs or 0
  return granted, leftMs, beginMs, available - granted, retryAfterMs, count == 0 and 0 or leftMs
end

for i = 1, #KEYS do
  local r = rules[asks[i][1] + 1]
  local isDone, a, b, c, d, e, f = pcall(r[1] == 'f' and lease_window or lease_bucket, KEYS[i], r, asks[i])
  if not isDone then
    local whole_answer = fault(a)
    if whole_answer then
      return whole_answer
    end
    failure = reason(a)
    a, b, c, d, e, f = -1, 0, 0, 0, 0, 0
  end
  local at = 6 * i - 4
  answer[at], answer[at + 1], answer[at + 2] = a, b, c
  answer[at + 3], answer[at + 4], answer[at + 5] = d, e, f
end
if failure then
  answer[#answer + 1] = failure
end
return answer
