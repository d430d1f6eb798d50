--- What a diff's window bar counts: `hunk 2/5 · diff 2/3`.
local hunks = require('claude_ide.diff.hunks')

local M = {}

local function hunk_count(bufnr, row)
  local list = hunks.list(bufnr)
  local index = hunks.at(bufnr, row, row + 1)[1]
  if #list == 0 then
    return nil
  elseif not index then
    return #list == 1 and '1 hunk' or ('%d hunks'):format(#list)
  end
  return ('hunk %d/%d%s'):format(index, #list, list[index].is_dropped and ' dropped' or '')
end

--- The hunk at a window's cursor, or how many there are; and the diff's number if several wait.
---@param diff claude_ide.Diff
---@param win integer the window of the proposal
---@return string
function M.of(diff, win)
  local row = vim.api.nvim_win_get_cursor(win)[1] - 1
  local parts = { hunk_count(diff.bufnr, row) }
  local place, count = diff.place()
  if place > 0 and count > 1 then
    table.insert(parts, ('diff %d/%d'):format(place, count))
  end
  return table.concat(parts, ' · ')
end

return M
