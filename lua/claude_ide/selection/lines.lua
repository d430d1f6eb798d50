--- The lines that a mention means in a buffer that lists files.
local M = {}

---@return integer
function M.cursor()
  return vim.api.nvim_win_get_cursor(0)[1]
end

--- Collect what `at` returns for each line, without those for which that is nil or false.
---@generic T
---@param first? integer default: the cursor's line
---@param last? integer
---@param at fun(line: integer): T|false?
---@return T[]
function M.collect(first, last, at)
  local found = {}
  for line = first or M.cursor(), last or M.cursor() do
    found[#found + 1] = at(line) or nil
  end
  return found
end

return M
