-- What take would say of each entry alone. Batch: now, rules, entries as two numbers each (index of the rule, cost).
local rules, entries = batch[2], batch[3]

return answers(function(i)
  local r = rules[entries[2 * i - 1] + 1]
  local algorithm = algorithms[r[1]]
  return algorithm.decide(algorithm.load(KEYS[i], r, now), r, now, entries[2 * i])
end)
