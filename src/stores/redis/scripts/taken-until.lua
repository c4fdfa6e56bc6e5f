-- Twin of taken-until.ts. State: ms and fraction in grains of an instant. Rule: perMs, unit, burst, capacity.
local function taken_from(s, r, ms)
  return max(ms, s[1] - ceil(2 * r[5] / r[2]))
end

local function taken_ahead(s, r, fromMs)
  if s[1] < fromMs then
    return 0
  end
  return (s[1] - fromMs) * r[2] + s[2]
end

local function taken_until(r, fromMs, grains)
  return fromMs + floor(grains / r[2]), grains % r[2]
end

-- The first whole instant at which no more than `grains` are ahead.
local function when_ahead(untilMs, fraction, r, grains)
  return untilMs + ceil((fraction - grains) / r[2])
end

local function save_taken(key, s, r)
  save_numbers(key, s, when_ahead(s[1], s[2], r, 0), true)
end
