--- A state of a buffer that can be restored, including its marks: plugins change the buffer itself, and this
--- takes the result out of it.
local file_edit = require('claude_ide.file.edit')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local MARK = '^[%a<>]$'

---@class claude_ide.Checkpoint
---@field bufnr integer
---@field lines string[]
---@field modified boolean
---@field listed boolean
---@field state integer number in the undo history
---@field marks table<string, integer[]> by name: line (1-based) and column (0-based)

---@param bufnr integer
---@return string[]
function M.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function marks_of(bufnr)
  local marks = {}
  for _, mark in ipairs(vim.list_extend(vim.fn.getmarklist(bufnr), vim.fn.getmarklist())) do
    local name = mark.mark:sub(2)
    if mark.pos[1] == bufnr and name:find(MARK) then
      marks[name] = { mark.pos[2], math.max(mark.pos[3] - 1, 0) }
    end
  end
  return marks
end

--- Save the state of a loaded buffer. The next change starts a new undo step.
---@param bufnr integer
---@return claude_ide.Checkpoint
function M.new(bufnr)
  file_edit.break_undo(bufnr)
  return {
    bufnr = bufnr,
    lines = M.lines(bufnr),
    modified = vim.bo[bufnr].modified,
    listed = vim.bo[bufnr].buflisted,
    state = vim.fn.undotree(bufnr).seq_cur,
    marks = marks_of(bufnr),
  }
end

--- Call `fn`, and then restore the view of each window that shows the buffer.
---@param bufnr integer
---@param fn fun()
function M.with_views(bufnr, fn)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  fn()
  for win, view in pairs(views) do
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

-- Without an undo history ('undolevels' is -1), replace the lines instead.
local function undo(point)
  quiet.run(function()
    vim.api.nvim_buf_call(point.bufnr, function()
      vim.cmd(('noautocmd keepjumps undo %d'):format(point.state))
    end)
  end)
  if not vim.deep_equal(M.lines(point.bufnr), point.lines) then
    file_edit.change(point.bufnr, point.lines)
  end
end

--- Revert all changes since the checkpoint.
---@param point claude_ide.Checkpoint
---@return string[] lines of the buffer before that
function M.restore(point)
  local lines = M.lines(point.bufnr)
  if not vim.deep_equal(lines, point.lines) then
    M.with_views(point.bufnr, function()
      undo(point)
    end)
    for name, position in pairs(point.marks) do
      pcall(vim.api.nvim_buf_set_mark, point.bufnr, name, position[1], position[2], {})
    end
  end
  vim.bo[point.bufnr].modified = point.modified
  -- `vim.lsp.util` lists a buffer to which it applies text edits.
  if vim.bo[point.bufnr].buflisted ~= point.listed then
    vim.bo[point.bufnr].buflisted = point.listed
  end
  return lines
end

return M
