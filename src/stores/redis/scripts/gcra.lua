-- Twin of gcra.ts; taken-until.lua has the state.
local gcra = { load = load_numbers, keep = keep_numbers, save = save_taken }

function gcra.decide(s, r, ms, cost)
  local perMs, unit, burst, capacity = r[2], r[3], r[4], r[5]
  local fromMs = taken_from(s, r, ms)
  local ahead = taken_ahead(s, r, fromMs)
  local untilMs, fraction = s[1], s[2]
  local retryAfterMs = 0
  local nextMs, nextFraction
  if cost > burst then
    retryAfterMs = NEVER
  elseif cost > 0 then
    local room = capacity - cost * unit
    if ahead > room then
      retryAfterMs = elapsed(ms, when_ahead(untilMs, fraction, r, room))
    else
      ahead = ahead + cost * unit
      nextMs, nextFraction = taken_until(r, fromMs, ahead)
      untilMs, fraction = nextMs, nextFraction
    end
  end
  local remaining = max(0, floor((capacity - ahead) / unit))
  local resetMs = elapsed(ms, when_ahead(untilMs, fraction, r, 0))
  return remaining, resetMs, retryAfterMs, nextMs, nextFraction
end

function gcra.charge(s, r, ms, cost)
  local fromMs = taken_from(s, r, ms)
  local ahead = taken_ahead(s, r, fromMs)
  return taken_until(r, fromMs, max(ahead, min(2 * r[5], ahead + cost * r[3])))
end

local function give_back(s, r, ms, grains)
  local fromMs = taken_from(s, r, ms)
  return taken_until(r, fromMs, max(0, taken_ahead(s, r, fromMs) - grains))
end

function gcra.refund(s, r, ms, cost)
  return give_back(s, r, ms, cost * r[3])
end

function gcra.undo(s, r, ms, cost, takenMs)
  local flowed = elapsed(takenMs, taken_from(s, r, ms)) * r[2]
  return give_back(s, r, ms, max(0, cost * r[3] - flowed))
end

algorithms.g = gcra
