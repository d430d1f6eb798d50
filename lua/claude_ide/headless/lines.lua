--- Lines of a buffer that Claude rewrites: marked while it does, then found again, and replaced.
local kept = require('claude_ide.file.kept')
local plain = require('claude_ide.messages.plain')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api
local marks = api.nvim_create_namespace('claude_ide_rewrite')

M.NO_NAME = '[No Name]'

---@class claude_ide.RewrittenLines
---@field bufnr integer
---@field name string of the file, for a buffer that keeps the new lines
---@field base string[] all lines of the buffer
---@field first integer row, 0-based
---@field last integer row, end-exclusive
---@field mark? integer extmark on the lines

---@param bufnr integer
---@return string[]
function M.all(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

---@param bufnr integer
---@return string
function M.name_of(bufnr)
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or ''
  return name ~= '' and name or M.NO_NAME
end

--- Lines as the text of a file.
---@param lines string[]
---@return string
function M.join(lines)
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
end

--- The lines of a file's text.
---@param text string
---@return string[]
function M.split(text)
  return vim.split(text:gsub('\n$', ''), '\n', { plain = true })
end

--- Show behind the first of the lines what Claude does with them.
---@param target claude_ide.RewrittenLines
---@param verb string such as "rewriting"
---@param progress string may be empty
function M.mark(target, verb, progress)
  if not api.nvim_buf_is_valid(target.bufnr) then
    return
  end
  local position = target.mark
    and api.nvim_buf_get_extmark_by_id(target.bufnr, marks, target.mark, { details = true })
  local row, last = target.first, target.last - 1
  if position and position[1] then
    row, last = position[1], position[3].end_row
  end
  local words = progress == '' and '…' or (' (%s)'):format(progress)
  local shown = (' Claude is %s%s'):format(verb, plain.one_line(words))
  target.mark = api.nvim_buf_set_extmark(target.bufnr, marks, row, 0, {
    id = target.mark,
    end_row = math.max(row, last),
    virt_text = { { shown, 'Comment' } },
    strict = false,
  })
end

---@param target claude_ide.RewrittenLines
function M.unmark(target)
  if target.mark and api.nvim_buf_is_valid(target.bufnr) then
    api.nvim_buf_del_extmark(target.bufnr, marks, target.mark)
  end
end

-- The lines' present rows: those of the mark if it still covers the same text, else where the text is
-- found.
---@param target claude_ide.RewrittenLines
---@param current string[] all lines of the buffer
---@return integer? first
---@return integer? last
local function locate(target, current)
  local first, last = target.first, target.last
  local position =
    api.nvim_buf_get_extmark_by_id(target.bufnr, marks, target.mark, { details = true })
  local row = position[1]
  if row and position[3].end_row - row == last - first - 1 then
    local marked = vim.list_slice(current, row + 1, row + last - first)
    if vim.deep_equal(marked, vim.list_slice(target.base, first + 1, last)) then
      return row, row + last - first
    end
  end
  return rebase.locate(target.base, current, first, last)
end

--- Keep new lines in another buffer, so that the answer is not lost.
---@param target claude_ide.RewrittenLines
---@param lines string[]
---@param reason string why they were not put in
---@return string message
function M.keep(target, lines, reason)
  local is_valid = api.nvim_buf_is_valid(target.bufnr)
  local filetype = is_valid and vim.bo[target.bufnr].filetype or ''
  local what = reason .. '; the rewrite is'
  return kept.keep(target.name, M.join(lines), what, filetype)
end

--- Why the text of a buffer cannot be changed, if so.
---@param bufnr integer
---@return string?
function M.why_unchangeable(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    return 'the buffer is gone'
  elseif not vim.bo[bufnr].modifiable then
    return "this buffer is read-only ('nomodifiable')"
  end
end

local function trailing_line_feeds(text)
  return #text:match('\n*$')
end

-- The lines of Claude's answer. It may end with a line feed, which ends the last line, or with as many
-- as the lines given to Claude: then the last one precedes an empty line.
---@param target claude_ide.RewrittenLines
---@param replacement string
---@return string[]
local function lines_in(target, replacement)
  if replacement == '' then
    return {}
  end
  local text = replacement:gsub('\r\n', '\n')
  local given = table.concat(vim.list_slice(target.base, target.first + 1, target.last), '\n')
  if trailing_line_feeds(text) <= trailing_line_feeds(given) then
    return vim.split(text, '\n', { plain = true })
  end
  return M.split(text)
end

--- Put Claude's answer in the place of the lines. `base`, `first` and `last` are those of now afterwards.
---@param target claude_ide.RewrittenLines
---@param replacement string
---@return string[]? lines of the whole buffer; nil if they were kept in another one
---@return string? message in that case
function M.replace(target, replacement)
  local lines = lines_in(target, replacement)
  local reason = M.why_unchangeable(target.bufnr)
  if reason then
    return nil, M.keep(target, lines, reason)
  end
  local current = M.all(target.bufnr)
  local first, last = locate(target, current)
  if not (first and last) then
    return nil, M.keep(target, lines, 'the lines have changed')
  end
  M.unmark(target)
  target.base, target.first, target.last = current, first, last
  return rebase.splice(current, first, last, lines)
end

return M
