-- Twin of sliding-log.ts, on a sorted set: one member for each millisecond, which is its score. A member is `from:to`, the
-- units counted since the first one before and after it, so that its cost is to − from and a sum of many is one subtraction.
-- A decision thus takes steps by the logarithm of the log's length, not by the length: Redis serves others as well.
-- Rule: limit, windowMs, countRefused (1 or 0).
--
-- State: from and to of all that counts, and the newest instant; `saved…` is the newest member as it is in Redis. All calls
-- of a script see one instant: what they add is one member, written at the end.
local log = {}

-- Counting begins anew beyond, so that sums stay exact: no limit is above 2^51.
local MOST_COUNTED = 2 ^ 52
-- Arguments of one command.
local MOST_MEMBERS = 2000
-- Members that one refund moves.
local MOST_MOVED = 2000

local MEMBER = WHOLE .. ':' .. WHOLE

local function member_of(text)
  local from, to = match(text, '^(%d+):(%d+)$')
  return parse(from), parse(to)
end

local function member_text(from, to)
  return format(MEMBER, from, to)
end

function log.load(key, r, ms)
  local s = { key = key, from = 0, to = 0, ms = 0, firstFrom = 0, savedFrom = 0, savedTo = 0, savedMs = 0 }
  local newest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  if newest[1] == nil then
    return s
  end
  local from, to = member_of(newest[1])
  local newestMs = parse(newest[2])
  local gone = ms - r[3]
  -- None counts any more.
  if newestMs <= gone then
    s.isReplaced = true
    return s
  end
  s.hasMembers = true
  local first = redis.call('ZRANGEBYSCORE', key, '(' .. whole(gone), '+inf', 'LIMIT', 0, 1)
  s.from = member_of(first[1])
  s.firstFrom, s.to, s.ms = s.from, to, newestMs
  s.savedFrom, s.savedTo, s.savedMs = from, to, newestMs
  return s
end

-- The rank of the first member that goes beyond so many units, and its text.
local function first_beyond(key, units)
  local low, high = 0, redis.call('ZCARD', key) - 1
  while low < high do
    local middle = floor((low + high) / 2)
    local _, to = member_of(redis.call('ZRANGE', key, middle, middle)[1])
    if to > units then
      high = middle
    else
      low = middle + 1
    end
  end
  return low, redis.call('ZRANGE', key, low, low)[1]
end

-- When the unit came that is the last of so many. Many are refused at once for the same reason: it is asked once.
local function came_at(s, units, addedMs)
  if units > s.savedTo then
    return addedMs
  end
  if s.asked ~= units then
    local _, text = first_beyond(s.key, units - 1)
    s.asked, s.answer = units, parse(redis.call('ZSCORE', s.key, text))
  end
  return s.answer
end

local function added(s, r, ms, cost)
  local to = s.to + min(cost, r[2])
  return to, max(s.from, to - r[2]), max(s.ms, ms)
end

function log.decide(s, r, ms, cost)
  local limit, windowMs = r[2], r[3]
  local isAllowed = cost == 0 or s.to - s.from + cost <= limit
  local from, to, newestMs = s.from, s.to, s.ms
  local isAdded = cost > 0 and (isAllowed or r[4] == 1)
  if isAdded then
    to, from, newestMs = added(s, r, ms, cost)
  end
  local used = to - from
  local retryAfterMs = 0
  if cost > limit then
    retryAfterMs = NEVER
  elseif not isAllowed then
    retryAfterMs = elapsed(ms, came_at(s, from + used + cost - limit, newestMs) + windowMs)
  end
  local resetMs = newestMs == 0 and 0 or elapsed(ms, newestMs + windowMs)
  if isAdded then
    return limit - used, resetMs, retryAfterMs, to, from, newestMs
  end
  return limit - used, resetMs, retryAfterMs
end

function log.charge(s, r, ms, cost)
  return added(s, r, ms, cost)
end

-- All members at and after an instant, their units moved down by so many from that one on.
local function move_down(key, fromMs, units, movesFirst)
  local found = redis.call('ZRANGEBYSCORE', key, fromMs, '+inf', 'WITHSCORES')
  for begin = 1, #found, 2 * MOST_MEMBERS do
    local gone, moved = {}, {}
    for i = begin, min(#found, begin + 2 * MOST_MEMBERS - 1), 2 do
      local from, to = member_of(found[i])
      gone[#gone + 1] = found[i]
      if i > 1 or movesFirst then
        from = from - units
      end
      if to - units > from then
        moved[#moved + 1] = found[i + 1]
        moved[#moved + 1] = member_text(from, to - units)
      end
    end
    redis.call('ZREM', key, unpack(gone))
    if moved[1] ~= nil then
      redis.call('ZADD', key, unpack(moved))
    end
  end
end

-- What was counted at that instant, and still is. It is written at once; the state is of no use after it. With more than two
-- thousand members since, which all would have to be written anew (8 ms), it stays taken.
function log.refund(s, r, ms, cost, takenMs)
  if s.savedTo == 0 or takenMs <= ms - r[3] then
    return nil
  end
  if redis.call('ZCOUNT', s.key, takenMs, '+inf') > MOST_MOVED then
    return nil
  end
  local found = redis.call('ZRANGEBYSCORE', s.key, takenMs, takenMs)
  if found[1] ~= nil then
    local from, to = member_of(found[1])
    move_down(s.key, takenMs, min(cost, to - from), false)
  end
  return nil
end

log.undo = log.refund

-- Drops the oldest units, so that counting begins at `from`.
local function trim(key, from)
  local rank, oldest = first_beyond(key, from)
  if rank > 0 then
    redis.call('ZREMRANGEBYRANK', key, 0, rank - 1)
  end
  local oldFrom, to = member_of(oldest)
  if oldFrom < from then
    local ms = redis.call('ZSCORE', key, oldest)
    redis.call('ZREM', key, oldest)
    redis.call('ZADD', key, ms, member_text(from, to))
  end
end

function log.keep(s, to, from, ms)
  if from < s.savedTo then
    s.to, s.from, s.ms = to, from, ms
    return
  end
  -- Nothing is left of what is in Redis: counting begins anew, so that numbers stay exact however much a script adds.
  s.to, s.from, s.ms = to - from, 0, ms
  s.firstFrom, s.savedFrom, s.savedTo, s.savedMs = 0, 0, 0, 0
  s.isReplaced, s.hasMembers = s.isReplaced or s.hasMembers, false
end

function log.save(key, s, r)
  if s.isReplaced then
    redis.call('DEL', key)
  elseif s.hasMembers then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now - r[3])
  end
  if s.ms == s.savedMs then
    redis.call('ZREM', key, member_text(s.savedFrom, s.savedTo))
    redis.call('ZADD', key, s.ms, member_text(s.savedFrom, s.to))
  else
    redis.call('ZADD', key, s.ms, member_text(s.savedTo, s.to))
  end
  if s.from > s.firstFrom then
    trim(key, s.from)
  end
  if s.to > MOST_COUNTED then
    move_down(key, 0, s.from, true)
  end
  redis.call('PEXPIRE', key, live(s.ms + r[3]))
end

algorithms.s = log
