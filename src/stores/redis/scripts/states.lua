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
local pack_state, unpack_state = struct.pack, struct.unpack

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

local UNREADABLE = 'it is no state of this rule'

local function unreadable()
  error(UNREADABLE, 0)
end

-- A whole number as text. tostring loses digits; %d is faster than %.0f, where its numbers are long enough. As an argument of a
-- command a number keeps all of its digits.
local WHOLE = format('%d', EXACT) == '9007199254740992' and '%d' or '%.0f'

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

-- States of up to three numbers, and until when the key lives: four doubles as they are, since reading and writing them as text
-- takes as long as all the rest of a decision. Zeros when there is none.
local STATE = '<dddd'
local STATE_BYTES = 32

local function is_whole(number)
  return number >= 0 and number < EXACT
end

local function load_numbers(key)
  local bytes = redis.call('GET', key)
  if not bytes then
    return { 0, 0, 0, 0 }
  end
  if #bytes ~= STATE_BYTES then
    unreadable()
  end
  local a, b, c, livesMs = unpack_state(STATE, bytes)
  if not (is_whole(a) and is_whole(b) and is_whole(c) and is_whole(livesMs)) then
    unreadable()
  end
  return { a, b, c, livesMs }
end

local function keep_numbers(s, a, b, c)
  s[1], s[2], s[3] = a, b, c or 0
end

-- A key that lives long enough already is only written, which takes half as long as telling it anew how long to live. Where
-- each request makes it longer, it is therefore given twice the time that it needs, and a second.
local function save_numbers(key, s, expiryMs, grows)
  if expiryMs <= s[4] then
    redis.call('SET', key, pack_state(STATE, s[1], s[2], s[3], s[4]), 'KEEPTTL')
    return
  end
  local liveMs = grows and 2 * live(expiryMs) + 1000 or live(expiryMs)
  s[4] = now + liveMs
  redis.call('PSETEX', key, liveMs, pack_state(STATE, s[1], s[2], s[3], s[4]))
end

-- The text of an error, whatever this version of Redis throws.
local function reason(thrown)
  return type(thrown) == 'table' and thrown.err or tostring(thrown)
end

-- What has to do with Redis and not with one key (it is a replica now, it is out of memory) is the answer to the whole call:
-- those who connect must hear of it. Nil for what concerns one key.
local function fault(thrown)
  local text = reason(thrown)
  if text == UNREADABLE or string.find(text, 'WRONGTYPE', 1, true) then
    return nil
  end
  local message = string.gsub(text, '^[^%u]*:%s*', '')
  return redis.error_reply(message)
end
