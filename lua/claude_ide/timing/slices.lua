--- Processes many values in slices, so that Neovim can handle keys between them.
local M = {}

local SLICE_MS, PAUSE_MS = 8, 1

--- Call `fn` with each value in turn. The first slice runs synchronously.
---@generic T
---@param values T[]
---@param fn fun(value: T)
---@param on_end? fun() called after the last value
function M.each(values, fn, on_end)
  local index = 0
  local function run()
    local began = vim.uv.hrtime()
    while index < #values do
      index = index + 1
      fn(values[index])
      if (vim.uv.hrtime() - began) / 1e6 > SLICE_MS then
        return vim.defer_fn(run, PAUSE_MS)
      end
    end
    if on_end then
      on_end()
    end
  end
  run()
end

return M
