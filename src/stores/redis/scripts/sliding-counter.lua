-- Twin of sliding-counter.ts. State: current, previous, begin of the current window. Rule: limit, windowMs.
local counter = { load = load_numbers, keep = keep_numbers }

local function counted_at(s, r, ms)
  local windowMs = r[3]
  local beginMs = max(s[3], ms - ms % windowMs)
  local passed = elapsed(s[3], beginMs) / windowMs
  if passed == 0 then
    return s[1], s[2], beginMs
  elseif passed == 1 then
    return 0, s[1], beginMs
  end
  return 0, 0, beginMs
end

local function gone_at(r, current, previous, beginMs)
  if current > 0 then
    return beginMs + 2 * r[3]
  end
  return previous > 0 and beginMs + r[3] or 0
end

local function until_faded(r, ms, cost, current, previous, beginMs)
  local limit, windowMs = r[2], r[3]
  local room = limit - cost
  if current > room then
    return elapsed(ms, beginMs + 2 * windowMs - floor(room * windowMs / current))
  end
  return elapsed(ms, beginMs + windowMs - floor((room - current) * windowMs / previous))
end

function counter.decide(s, r, ms, cost)
  local limit, windowMs = r[2], r[3]
  local current, previous, beginMs = counted_at(s, r, ms)
  local used = current + ceil(previous * (windowMs - elapsed(beginMs, ms)) / windowMs)
  local retryAfterMs = 0
  local newCurrent, newPrevious, newBeginMs
  if cost > limit then
    retryAfterMs = NEVER
  elseif cost > 0 then
    if used + cost > limit then
      retryAfterMs = until_faded(r, ms, cost, current, previous, beginMs)
    else
      used, current = used + cost, current + cost
      newCurrent, newPrevious, newBeginMs = current, previous, beginMs
    end
  end
  local resetMs = elapsed(ms, gone_at(r, current, previous, beginMs))
  return max(0, limit - used), resetMs, retryAfterMs, newCurrent, newPrevious, newBeginMs
end

function counter.charge(s, r, ms, cost)
  local current, previous, beginMs = counted_at(s, r, ms)
  return min(2 * r[2], current + cost), previous, beginMs
end

function counter.refund(s, r, ms, cost, takenMs)
  local current, previous, beginMs = counted_at(s, r, ms)
  if takenMs >= beginMs then
    current = max(0, current - cost)
  elseif takenMs >= beginMs - r[3] then
    previous = max(0, previous - cost)
  end
  return current, previous, beginMs
end

counter.undo = counter.refund

function counter.save(key, s, r)
  save_numbers(key, s, gone_at(r, s[1], s[2], s[3]))
end

algorithms.c = counter
