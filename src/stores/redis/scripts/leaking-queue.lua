-- Twin of leaking-queue.ts; taken-until.lua has the state. KEYS[1] is the queue. Batch: now, rule, cost.
-- Answers now, dueMs (0: refused) and retryAfterMs. For a queue that cannot be read dueMs is -1, and the last says why.
local r, cost = batch[2], batch[3]

local function schedule()
  local unit, burst, capacity = r[3], r[4], r[5]
  if cost > burst then
    return 0, NEVER
  end
  local s = load_numbers(KEYS[1])
  local fromMs = taken_from(s, r, now)
  local ahead = taken_ahead(s, r, fromMs)
  local room = capacity - (cost - 1) * unit
  if ahead > room and cost > 0 then
    return 0, elapsed(now, when_ahead(s[1], s[2], r, room))
  end
  local dueMs = max(now, when_ahead(s[1], s[2], r, 0))
  if cost > 0 then
    s[1], s[2] = taken_until(r, fromMs, ahead + cost * unit)
    save_taken(KEYS[1], s, r)
  end
  return dueMs, 0
end

local isDone, dueMs, retryAfterMs = pcall(schedule)
if isDone then
  return { now, dueMs, retryAfterMs }
end
return fault(dueMs) or { now, -1, -1, reason(dueMs) }
