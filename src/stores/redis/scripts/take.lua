-- Decides many requests, one after the other, each of one or several rules: all of them take or none does. Batch: now, rules,
-- entries as two numbers each (4 × index of the rule + 2 if it is in shadow + 1 if it is the last of its request; cost), whose
-- keys are KEYS in the same order.
--
-- Answers now and three numbers an entry: remaining, resetMs, retryAfterMs. Of a request whose states cannot be read
-- remaining is -1, nothing is taken, and the last of the answer says why.
local rules, entries = batch[2], batch[3]
local answer = { now }
local states, changed = {}, {}
local failure

local function state_of(key, r)
  local s = states[key]
  if s == nil then
    s = algorithms[r[1]].load(key, r, now)
    states[key] = s
  end
  return s
end

-- Decides entry i, and says what becomes of its state.
local function decide(i, cost)
  local r = rules[floor(entries[2 * i - 1] / 4) + 1]
  local s = state_of(KEYS[i], r)
  local remaining, resetMs, retryAfterMs, a, b, c = algorithms[r[1]].decide(s, r, now, cost)
  local at = 3 * i - 1
  answer[at], answer[at + 1], answer[at + 2] = remaining, resetMs, retryAfterMs
  return retryAfterMs == 0, a, b, c
end

local function keep(i, a, b, c)
  if a == nil then
    return
  end
  local r = rules[floor(entries[2 * i - 1] / 4) + 1]
  algorithms[r[1]].keep(states[KEYS[i]], a, b, c)
  changed[KEYS[i]] = r
end

local function take_one(i)
  local _, a, b, c = decide(i, entries[2 * i])
  keep(i, a, b, c)
end

local function take_group(first, last)
  local passes, news = {}, {}
  local isAllowed = true
  for i = first, last do
    local a, b, c
    passes[i], a, b, c = decide(i, entries[2 * i])
    news[i] = { a, b, c }
    local isShadow = entries[2 * i - 1] % 4 >= 2
    isAllowed = isAllowed and (passes[i] or isShadow)
  end
  for i = first, last do
    if isAllowed or not passes[i] then
      keep(i, news[i][1], news[i][2], news[i][3])
    else
      -- It would pass, but others keep the request from it: it only says how it stands.
      decide(i, 0)
    end
  end
end

local first = 1
for i = 1, #KEYS do
  if entries[2 * i - 1] % 2 == 1 then
    local isDone, thrown
    if first == i then
      isDone, thrown = pcall(take_one, i)
    else
      isDone, thrown = pcall(take_group, first, i)
    end
    if not isDone then
      local whole_answer = fault(thrown)
      if whole_answer then
        return whole_answer
      end
      failure = reason(thrown)
      for at = 3 * first - 1, 3 * i + 1 do
        answer[at] = -1
      end
    end
    first = i + 1
  end
end

for key, r in pairs(changed) do
  algorithms[r[1]].save(key, states[key], r)
end

if failure then
  answer[#answer + 1] = failure
end
return answer
