--- Processes many values in slices, so that Neovim can handle keys between them.
local M = {}

-- Milliseconds.
local SLICE = 8
local PAUSE = 1

--- Call `step` until it returns false. The first slice runs synchronously.
---@param step fun(): boolean whether to go on
---@param on_end? fun() called after the last step
function M.steps(step, on_end)
  local function run()
    local began = vim.uv.hrtime()
    while step() do
      if (vim.uv.hrtime() - began) / 1e6 > SLICE then
        return vim.defer_fn(run, PAUSE)
      end
    end
    if on_end then
      on_end()
    end
  end
  run()
end

--- Call `fn` with each value in turn. The first slice runs synchronously.
---@generic T
---@param values T[]
---@param fn fun(value: T)
---@param on_end? fun() called after the last value
function M.each(values, fn, on_end)
  local index = 0
  M.steps(function()
    index = index + 1
    if index > #values then
      return false
    end
    fn(values[index])
    return true
  end, on_end)
end

return M
