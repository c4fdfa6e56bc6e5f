-- What all scripts share. The arithmetic is that of src/core/rate-limiting, whose files say why; numbers are doubles here as
-- there, and whole, so both decide alike.
--
-- An algorithm is a table of functions on a state `s` (what is read of a key) and a rule `r` (its numbers, see rule-code.ts):
--   load(key, r, now)            the state; raises what cannot be read
--   decide(s, r, now, cost)      remaining, resetMs, retryAfterMs, and what the state becomes: nil if it stays as it is
--   keep(s, …)                   the state becomes that
--   charge, refund, undo         what the state becomes, as of decide
--   save(key, s, r, now)         written, to be gone when it says no more than none would
-- Nothing is written before all is decided that belongs together.

local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local format, match = string.format, string.match

-- In the place of retryAfterMs: it costs more than ever passes.
local NEVER = -1
-- Sums stay exact below.
local EXACT = 2 ^ 53

local algorithms = {}

-- Redis' own clock, so that all who share it see one time. Tests bring theirs; keys must then outlive real time.
local function clock(given)
  if given > 0 then
    return floor(given), 3600000
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000), 0
end

local batch = cjson.decode(ARGV[1])
local now, spareMs = clock(batch[1])

local function elapsed(since, instant)
  if instant > since then
    return instant - since
  end
  return 0
end

local function unreadable()
  error('it is no state of this rule', 0)
end

-- Whole numbers as text. tostring loses digits; %d is faster than %.0f, where its numbers are long enough. As an argument of
-- a command a number keeps all of its digits.
local WHOLE = format('%d', EXACT) == '9007199254740992' and '%d' or '%.0f'
local TWO, THREE = WHOLE .. ' ' .. WHOLE, WHOLE .. ' ' .. WHOLE .. ' ' .. WHOLE

local function whole(number)
  return format(WHOLE, number)
end

local function parse(text)
  local number = tonumber(text)
  if number == nil or number >= EXACT then
    unreadable()
  end
  return number
end

-- How long a key lives that is to be gone then.
local function live(expiryMs)
  return max(1, expiryMs - now) + spareMs
end

-- States of two or three numbers: a text of them, zeros when there is none.
local function load_two(key)
  local text = redis.call('GET', key)
  if not text then
    return { 0, 0 }
  end
  local a, b = match(text, '^(%d+) (%d+)$')
  return { parse(a), parse(b) }
end

local function load_three(key)
  local text = redis.call('GET', key)
  if not text then
    return { 0, 0, 0 }
  end
  local a, b, c = match(text, '^(%d+) (%d+) (%d+)$')
  return { parse(a), parse(b), parse(c) }
end

local function keep_numbers(s, a, b, c)
  s[1], s[2], s[3] = a, b, c
end

local function save_numbers(key, s, expiryMs)
  local text = s[3] and format(THREE, s[1], s[2], s[3]) or format(TWO, s[1], s[2])
  -- Faster than SET … PX, and the same.
  redis.call('PSETEX', key, live(expiryMs), text)
end

-- The text of an error, whatever this version of Redis throws.
local function reason(thrown)
  return type(thrown) == 'table' and thrown.err or tostring(thrown)
end
