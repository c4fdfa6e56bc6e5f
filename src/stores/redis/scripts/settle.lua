-- Gives back what was taken, or takes more. Batch: now, rules, entries as four numbers each (index of the rule; 0 refund,
-- 1 charge, 2 undo; cost; takenAtMs). Answers how each stands afterwards.
local rules, entries = batch[2], batch[3]
local KINDS = { 'refund', 'charge', 'undo' }

return answers(function(i)
  local at = 4 * i - 3
  local r = rules[entries[at] + 1]
  local algorithm = algorithms[r[1]]
  local settle = algorithm[KINDS[entries[at + 1] + 1]]
  local s = algorithm.load(KEYS[i], r, now)
  local a, b, c = settle(s, r, now, entries[at + 2], entries[at + 3])
  if a ~= nil then
    algorithm.keep(s, a, b, c)
    algorithm.save(KEYS[i], s, r)
  end
  return algorithm.decide(algorithm.load(KEYS[i], r, now), r, now, 0)
end)
