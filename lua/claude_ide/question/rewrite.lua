--- `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change.
local channel = require('claude_ide.channel')
local diff = require('claude_ide.diff')
local edit = require('claude_ide.file.edit')
local kept = require('claude_ide.file.kept')
local message = require('claude_ide.say.message')
local plain = require('claude_ide.say.plain')
local privacy = require('claude_ide.privacy')
local question = require('claude_ide.question')
local quiet = require('claude_ide.say.quiet')
local rebase = require('claude_ide.file.rebase')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

local marks = vim.api.nvim_create_namespace('claude_ide_rewrite')
local NO_NAME = '[No Name]'

---@class claude_ide.Rewrite
---@field bufnr integer
---@field base string[] all lines of the buffer when the rewrite was requested; once a change is
---   proposed, the lines then
---@field first integer row, 0-based
---@field last integer row, end-exclusive
---@field mark? integer extmark on the lines

---@type table<integer, claude_ide.Rewrite> by question id
local rewrites = {}

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function name_of(bufnr)
  local name = vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_get_name(bufnr) or ''
  return name ~= '' and name or NO_NAME
end

local function split(text)
  return vim.split(text:gsub('\n$', ''), '\n', { plain = true })
end

local function join(lines)
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
end

---@param rewrite claude_ide.Rewrite
---@param progress string
local function mark(rewrite, progress)
  if not vim.api.nvim_buf_is_valid(rewrite.bufnr) then
    return
  end
  local position = rewrite.mark
    and vim.api.nvim_buf_get_extmark_by_id(rewrite.bufnr, marks, rewrite.mark, { details = true })
  local row, last = rewrite.first, rewrite.last - 1
  if position and position[1] then
    row, last = position[1], position[3].end_row
  end
  local words = progress == '' and '…' or (' (%s)'):format(progress)
  rewrite.mark = vim.api.nvim_buf_set_extmark(rewrite.bufnr, marks, row, 0, {
    id = rewrite.mark,
    end_row = last,
    virt_text = { { ' Claude is rewriting' .. plain.one_line(words), 'Comment' } },
    strict = false,
  })
end

-- The lines' present rows: those of the mark if it still covers the same text, else where the text is
-- found.
---@param rewrite claude_ide.Rewrite
---@param current string[] all lines of the buffer
---@return integer? first
---@return integer? last
local function locate(rewrite, current)
  local first, last = rewrite.first, rewrite.last
  local position =
    vim.api.nvim_buf_get_extmark_by_id(rewrite.bufnr, marks, rewrite.mark, { details = true })
  local row = position[1]
  if row and position[3].end_row - row == last - first - 1 then
    local marked = vim.list_slice(current, row + 1, row + last - first)
    if vim.deep_equal(marked, vim.list_slice(rewrite.base, first + 1, last)) then
      return row, row + last - first
    end
  end
  return rebase.locate(rewrite.base, current, first, last)
end

-- Keep the new lines in another buffer, so that the answer is not lost.
local function keep(rewrite, lines, reason)
  local is_valid = vim.api.nvim_buf_is_valid(rewrite.bufnr)
  local filetype = is_valid and vim.bo[rewrite.bufnr].filetype or ''
  local text, what = join(lines), reason .. '; the rewrite is'
  return { error = kept.keep(name_of(rewrite.bufnr), text, what, filetype) }
end

local function why_unchangeable(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return 'the buffer is gone'
  elseif not vim.bo[bufnr].modifiable then
    return "this buffer is read-only ('nomodifiable')"
  end
end

-- Why Claude may not rewrite a buffer, if so.
local function refusal(bufnr)
  return why_unchangeable(bufnr) or privacy.why(bufnr)
end

local function trailing_line_feeds(text)
  return #text:match('\n*$')
end

-- The lines of Claude's answer. It may end with a line feed, which ends the last line, or with as many
-- as the lines given to Claude: then the last one precedes an empty line.
---@param rewrite claude_ide.Rewrite
---@param replacement string
---@return string[]
local function lines_in(rewrite, replacement)
  if replacement == '' then
    return {}
  end
  local text = replacement:gsub('\r\n', '\n')
  local given = table.concat(vim.list_slice(rewrite.base, rewrite.first + 1, rewrite.last), '\n')
  if trailing_line_feeds(text) <= trailing_line_feeds(given) then
    return vim.split(text, '\n', { plain = true })
  end
  return split(text)
end

-- The buffer's text with the new lines, or an error; nil if the text would not change.
---@param rewrite claude_ide.Rewrite
---@param replacement string
---@return { text?: string, error?: string }?
local function propose(rewrite, replacement)
  local lines = lines_in(rewrite, replacement)
  local reason = why_unchangeable(rewrite.bufnr)
  if reason then
    return keep(rewrite, lines, reason)
  end
  local current = lines_of(rewrite.bufnr)
  local first, last = locate(rewrite, current)
  if not (first and last) then
    return keep(rewrite, lines, 'the lines have changed')
  end
  local proposed = rebase.splice(current, first, last, lines)
  vim.api.nvim_buf_del_extmark(rewrite.bufnr, marks, rewrite.mark)
  if vim.deep_equal(current, proposed) then
    message.show('Claude suggests no changes', 'info')
    return nil
  end
  rewrite.base = current
  return { text = join(proposed) }
end

local function change(rewrite, accepted)
  local reason = why_unchangeable(rewrite.bufnr)
  if reason then
    return keep(rewrite, accepted, reason)
  end
  local merged, conflicts = rebase.merge(rewrite.base, accepted, lines_of(rewrite.bufnr))
  if conflicts > 0 then
    return keep(rewrite, accepted, 'the lines have changed')
  end
  quiet.run(function()
    edit.change(rewrite.bufnr, merged)
  end)
end

-- Apply the accepted text to the buffer as one undo step.
---@param rewrite claude_ide.Rewrite
---@param text string of the whole buffer
local function apply(rewrite, text)
  local failure = change(rewrite, split(text))
  if failure then
    message.show(failure.error, 'error')
  end
end

--- Show Claude's lines as a diff. The question ends with the user's decision.
---
--- Emits the diff's events (`diff.open`), but never the text.
---@param id integer diff
---@param question_id integer
---@param proposal { text: string, title: string, layout: 'tab'|'vertical'|'horizontal' }
---@return { error: string }? refusal why no diff is shown
function M.show(id, question_id, proposal)
  local function on_decided(text)
    local rewrite = rewrites[question_id]
    if text and rewrite then
      apply(rewrite, text)
    end
    -- Scheduled: a message must not interrupt the `:w` that decides.
    vim.schedule(function()
      question.finish(question_id, {})
    end)
  end
  local rewrite = rewrites[question_id]
  local proposed = rewrite and propose(rewrite, proposal.text)
  if not rewrite or not proposed then
    channel.emit('diff_decided', { id = id, accepted = false })
    return on_decided()
  elseif proposed.error then
    return { error = proposed.error }
  end
  return diff.open(id, {
    path = name_of(rewrite.bufnr),
    text = proposed.text,
    title = proposal.title,
    layout = proposal.layout,
    original = rewrite.bufnr,
  }, on_decided)
end

local function finish(id, err)
  local rewrite = rewrites[id]
  rewrites[id] = nil
  if vim.api.nvim_buf_is_valid(rewrite.bufnr) and rewrite.mark then
    vim.api.nvim_buf_del_extmark(rewrite.bufnr, marks, rewrite.mark)
  end
  if err and err ~= question.CANCELLED then
    message.show(err, 'error')
  end
end

local function begin(bufnr, first, last, instruction)
  local reason = refusal(bufnr)
  if reason then
    return message.show(reason, 'error')
  end
  local lines = lines_of(bufnr)
  -- The buffer may have got shorter while the user typed the instruction.
  last = math.min(last, #lines)
  ---@type claude_ide.Rewrite
  local rewrite = { bufnr = bufnr, base = lines, first = math.min(first, last - 1), last = last }
  local id
  id = question.begin('rewrite', {
    instruction = instruction,
    name = name_of(bufnr),
    filetype = vim.bo[bufnr].filetype,
    lines = lines,
    first = rewrite.first,
    last = rewrite.last,
  }, {
    on_progress = function(progress)
      mark(rewrite, progress)
    end,
    on_end = function(err)
      finish(id, err)
    end,
  })
  rewrites[id] = rewrite
  mark(rewrite, '')
end

--- Carry out `:[range]ClaudeEdit[!] [instruction]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.edit(opts)
  if opts.bang then
    return question.cancel_all('rewrite', 'nothing to stop')
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local first, last = 0, vim.api.nvim_buf_line_count(bufnr)
  if opts.range > 0 then
    first, last = opts.line1 - 1, opts.line2
  end
  local reason = refusal(bufnr)
  if reason then
    return message.show(reason, 'error')
  elseif opts.args:find('%S') then
    return begin(bufnr, first, last, opts.args)
  end
  ui.input('Edit with Claude: ', '', function(instruction)
    if instruction and instruction:find('%S') then
      begin(bufnr, first, last, instruction)
    end
  end)
end

return M
