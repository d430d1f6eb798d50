--- An answer that has to come within a time, and that counts once.
local M = {}

--- Pass the first answer on. If none comes in time, `give_up` is called, and what it returns is the
--- answer.
---@param milliseconds integer
---@param done fun(...)
---@param give_up fun(): string
---@return fun(...) answer
function M.new(milliseconds, done, give_up)
  local is_answered = false
  local timer
  local function answer(...)
    if not is_answered then
      is_answered = true
      if not timer:is_closing() then
        timer:close()
      end
      done(...)
    end
  end
  timer = vim.defer_fn(function()
    if not is_answered then
      answer(give_up())
    end
  end, milliseconds)
  return answer
end

return M
