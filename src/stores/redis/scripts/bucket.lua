-- Twin of bucket.ts. State: level in grains, latest time. Rule: perMs, unit, burst, capacity.
local bucket = { load = load_numbers, keep = keep_numbers }

local function level_at(s, r, ms)
  return max(0, s[1] - elapsed(s[2], ms) * r[2])
end

function bucket.decide(s, r, ms, cost)
  local perMs, unit, burst, capacity = r[2], r[3], r[4], r[5]
  local behindMs = elapsed(ms, s[2])
  local level = level_at(s, r, ms)
  local retryAfterMs = 0
  local filled, latestMs
  if cost > burst then
    retryAfterMs = NEVER
  elseif cost > 0 then
    if level + cost * unit > capacity then
      retryAfterMs = behindMs + ceil((level + cost * unit - capacity) / perMs)
    else
      level = level + cost * unit
      filled, latestMs = level, max(ms, s[2])
    end
  end
  local remaining = max(0, floor((capacity - level) / unit))
  local resetMs = level == 0 and 0 or behindMs + ceil(level / perMs)
  return remaining, resetMs, retryAfterMs, filled, latestMs
end

function bucket.charge(s, r, ms, cost)
  return min(2 * r[5], level_at(s, r, ms) + cost * r[3]), max(ms, s[2])
end

function bucket.refund(s, r, ms, cost)
  return max(0, level_at(s, r, ms) - cost * r[3]), max(ms, s[2])
end

function bucket.undo(s, r, ms, cost, takenMs)
  local leaked = elapsed(takenMs, max(ms, s[2])) * r[2]
  return max(0, level_at(s, r, ms) - max(0, cost * r[3] - leaked)), max(ms, s[2])
end

function bucket.save(key, s, r)
  save_numbers(key, s, s[2] + ceil(s[1] / r[2]), true)
end

algorithms.t = bucket
algorithms.l = bucket
