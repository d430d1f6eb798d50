--- Waits for one answer within a time limit.
local M = {}

--- Pass the first answer on to `done`, and ignore any later one. If none comes in time, the answer
--- is the result of `give_up`.
---@param milliseconds integer
---@param done fun(...)
---@param give_up fun(): string
---@return fun(...) answer
---@return fun() stop give up now, unless there is an answer
function M.new(milliseconds, done, give_up)
  local is_answered = false
  local timer ---@type uv.uv_timer_t
  local function answer(...)
    if not is_answered then
      is_answered = true
      if not timer:is_closing() then
        timer:close()
      end
      done(...)
    end
  end
  local function stop()
    if not is_answered then
      answer(give_up())
    end
  end
  timer = vim.defer_fn(stop, milliseconds)
  return answer, stop
end

return M
