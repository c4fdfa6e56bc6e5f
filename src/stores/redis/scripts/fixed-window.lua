-- Twin of fixed-window.ts. State: count, begin of its window. Rule: limit, windowMs.
local fixed = { load = load_numbers, keep = keep_numbers }

local function fixed_at(s, r, ms)
  local beginMs = max(s[2], ms - ms % r[3])
  return beginMs, s[2] == beginMs and s[1] or 0
end

function fixed.decide(s, r, ms, cost)
  local limit = r[2]
  local beginMs, count = fixed_at(s, r, ms)
  local leftMs = elapsed(ms, beginMs + r[3])
  local retryAfterMs = 0
  local newCount, newBeginMs
  if cost > limit then
    retryAfterMs = NEVER
  elseif cost > 0 then
    if count + cost > limit then
      retryAfterMs = leftMs
    else
      count = count + cost
      newCount, newBeginMs = count, beginMs
    end
  end
  return max(0, limit - count), count == 0 and 0 or leftMs, retryAfterMs, newCount, newBeginMs
end

function fixed.charge(s, r, ms, cost)
  local beginMs, count = fixed_at(s, r, ms)
  return min(2 * r[2], count + cost), beginMs
end

function fixed.refund(s, r, ms, cost, takenMs)
  local beginMs, count = fixed_at(s, r, ms)
  if takenMs < beginMs then
    return nil
  end
  return max(0, count - cost), beginMs
end

fixed.undo = fixed.refund

function fixed.save(key, s, r)
  save_numbers(key, s, s[1] == 0 and 0 or s[2] + r[3])
end

algorithms.f = fixed
