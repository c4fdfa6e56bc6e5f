-- One answer for each key, each for itself: `decide(i)` says remaining, resetMs and retryAfterMs. For a state that cannot be
-- read remaining is -1, and the last of the answers says why.
local function answers(decide)
  local answer = { now }
  local failure
  for i = 1, #KEYS do
    local isDone, remaining, resetMs, retryAfterMs = pcall(decide, i)
    local at = 3 * i - 1
    if isDone then
      answer[at], answer[at + 1], answer[at + 2] = remaining, resetMs, retryAfterMs
    else
      local whole_answer = fault(remaining)
      if whole_answer then
        return whole_answer
      end
      failure = reason(remaining)
      answer[at], answer[at + 1], answer[at + 2] = -1, -1, -1
    end
  end
  if failure then
    answer[#answer + 1] = failure
  end
  return answer
end
