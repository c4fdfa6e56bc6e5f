-- Whose numbers some backends report. KEYS: seen, values, names, levels as in quota-report.lua. ARGV: backends.
-- Answers: the names of each, '' if there are none.
local answer = {}
for i, names in ipairs(redis.call('HMGET', KEYS[3], unpack(ARGV))) do
  answer[i] = names or ''
end
return answer
