--- `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change, and refines the
--- rewrite while its diff is open. The host finds the lines again, and merges (`headless/rewriting.py`).
local contexts = require('claude_ide.contexts')
local command_buffer = require('claude_ide.file.command_buffer')
local diff = require('claude_ide.diff')
local edit = require('claude_ide.file.edit')
local headless = require('claude_ide.headless')
local hunks = require('claude_ide.diff.hunks')
local message = require('claude_ide.messages.message')
local privacy = require('claude_ide.privacy')
local quiet = require('claude_ide.messages.quiet')
local rebase = require('claude_ide.file.rebase')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

local api = vim.api

local CHANGED = 'the lines have changed'
local MORE_KEYS = { { ':ClaudeEdit', 'Refine the rewrite: `:ClaudeEdit shorter`' } }
local SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'

---@class claude_ide.Rewrite
---@field id integer of its question
---@field bufnr integer
---@field name string of the file, for a buffer that keeps the new lines
---@field base? string[] the lines from which the proposal was made, once there is one
---@field diff? claude_ide.Diff while the user can work on it
---@field refining? integer the id of the question that refines it

---@type table<integer, claude_ide.Rewrite> by the id of its question
local rewrites = {}

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- Texts in which each line has its end.
local function text_of(lines)
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
end

local function split(text)
  return text == '' and {} or vim.split(text:gsub('\n$', ''), '\n', { plain = true })
end

-- Why the text of a buffer cannot be changed, if so.
local function why_unchangeable(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    return 'the buffer is gone'
  elseif not vim.bo[bufnr].modifiable then
    return "this buffer is read-only ('nomodifiable')"
  end
end

--- Called by the host: the lines of a buffer that it wants to change.
---@type fun(bufnr: integer): { tick: integer, text: string }|{ error: string }
function M.look(bufnr)
  local problem = why_unchangeable(bufnr)
  return problem and { error = problem }
    or { tick = api.nvim_buf_get_changedtick(bufnr), text = text_of(lines_of(bufnr)) }
end

-- Keep new lines in another buffer, so that the answer is not lost.
---@param rewrite claude_ide.Rewrite
---@param text string
---@param why string they were not put in
local function keep(rewrite, text, why)
  local is_valid = api.nvim_buf_is_valid(rewrite.bufnr)
  local filetype = is_valid and vim.bo[rewrite.bufnr].filetype or ''
  local what = why .. '; the rewrite is'
  message.show(command_buffer.keep(rewrite.name, text, what, filetype), 'error')
end

--- Called by the host: keep lines that it could not put into the buffer or the proposal of a rewrite.
---@type fun(id: integer, lines: { text: string }, why: string)
function M.keep(id, lines, why)
  if rewrites[id] then
    keep(rewrites[id], lines.text, why)
  end
end

-- Apply the accepted text to the buffer as one undo step. `:q` or `:qa` may come next.
---@param rewrite claude_ide.Rewrite
---@param accepted string all lines of the buffer
local function apply(rewrite, accepted)
  local problem = why_unchangeable(rewrite.bufnr)
  if problem then
    return keep(rewrite, accepted, problem)
  end
  local merged, has_conflict = rebase.merge(rewrite.base, split(accepted), lines_of(rewrite.bufnr))
  if has_conflict then
    return keep(rewrite, accepted, CHANGED)
  end
  quiet.run(function()
    edit.change(rewrite.bufnr, merged)
  end)
end

-- The user can no longer work on the diff of a rewrite.
local function end_diff(rewrite)
  rewrite.diff = nil
  headless.cancel(rewrite.refining)
end

--- Called by the host: show the new lines as a diff. The question ends with the user's decision.
---
--- Emits the diff's events (`diff.open`), but never the text.
---@param id integer diff
---@param question_id integer
---@param proposal { text: string, base: { text: string }, title: string, layout: string }
---@return { error: string }? refusal why no diff is shown
function M.show(id, question_id, proposal)
  local rewrite = rewrites[question_id]
  if not rewrite then
    return { error = headless.CANCELLED }
  end
  rewrite.base = split(proposal.base.text)
  headless.unmark(question_id)
  return diff.open(id, {
    path = rewrite.name,
    text = proposal.text,
    title = proposal.title,
    layout = proposal.layout,
    original = rewrite.bufnr,
    more_keys = MORE_KEYS,
    on_ready = function(shown)
      rewrite.diff = shown
      vim.keymap.set('n', '<C-c>', function()
        if not headless.cancel(rewrite.refining) then
          message.show('nothing to stop', 'info')
        end
      end, { buffer = shown.bufnr, desc = 'Stop refining' })
    end,
  }, function(text)
    end_diff(rewrite)
    if text then
      apply(rewrite, text)
    end
    -- Scheduled: a message must not interrupt the `:w` that decides.
    vim.schedule(function()
      headless.finish(question_id, {})
    end)
  end)
end

--- Called by the host: give the proposal of a rewrite other lines.
---@param id integer
---@param lines { text: string }
---@return integer|{ error: string } version
function M.revise(id, lines)
  local shown = rewrites[id] and rewrites[id].diff
  return shown and hunks.revise(shown, split(lines.text))
    or { error = 'the diff is no longer open' }
end

-- Ask Claude for other lines of a buffer.
---@param rewrite claude_ide.Rewrite
---@param bufnr integer
---@param range [integer, integer] rows; both 0: all that Claude has rewritten
---@param request table the other fields
---@param on_end fun()
---@return integer id
local function ask(rewrite, bufnr, range, request, on_end)
  local lines = lines_of(bufnr)
  -- The buffer may have got shorter while the user typed the instruction.
  local last = math.min(range[2], #lines)
  local first = math.max(0, math.min(range[1], last - 1))
  local asked = {
    name = rewrite.name,
    filetype = vim.bo[bufnr].filetype,
    bufnr = bufnr,
    text = text_of(lines),
    rows = { first, last },
  }
  local verb = request.refines and 'refining' or 'rewriting'
  return headless.begin('rewrite', vim.tbl_extend('error', request, asked), {
    mark = { bufnr = bufnr, row = last > 0 and first, verb = verb },
    on_end = on_end,
  })
end

-- The fields of a request that say what the user wants.
---@type fun(here: claude_ide.Here, instruction: string)
local function asked(here, instruction)
  return { instruction = instruction, facts = contexts.facts(here, instruction) }
end

local function begin(bufnr, range, instruction)
  local name = api.nvim_buf_get_name(bufnr)
  ---@type claude_ide.Rewrite
  local rewrite = { id = 0, bufnr = bufnr, name = name ~= '' and name or '[No Name]' }
  rewrite.id = ask(rewrite, bufnr, range, instruction, function()
    rewrites[rewrite.id] = nil
    end_diff(rewrite)
  end)
  rewrites[rewrite.id] = rewrite
end

-- Have Claude refine a rewrite. The result becomes the text of the same diff.
local function refine(rewrite, range, instruction)
  local bufnr = rewrite.diff.bufnr
  local version = hunks.version(bufnr)
  local request = vim.tbl_extend('error', instruction, { refines = rewrite.id, version = version })
  rewrite.refining = ask(rewrite, bufnr, range or { 0, 0 }, request, function()
    rewrite.refining = nil
  end)
end

-- Why Claude may not rewrite a buffer, or refine a rewrite, if so.
---@type fun(bufnr: integer, rewrite?: claude_ide.Rewrite): string?
local function refusal(bufnr, rewrite)
  if not rewrite then
    return why_unchangeable(bufnr) or privacy.why(bufnr)
  elseif not rewrite.diff then
    return 'the diff is no longer open'
  elseif rewrite.refining then
    return 'this is being refined already (:ClaudeEdit! stops it)'
  end
  local has_file = api.nvim_buf_is_valid(rewrite.bufnr)
  return why_unchangeable(rewrite.diff.bufnr) or has_file and privacy.why(rewrite.bufnr) or nil
end

-- Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the user.
local function stop()
  local is_stopped = false
  for id, rewrite in pairs(vim.tbl_extend('error', rewrites, {})) do
    local running = rewrite.refining or not rewrite.base and id or nil
    is_stopped = headless.cancel(running) or is_stopped
  end
  if is_stopped then
    return message.show('stopped', 'info')
  end
  headless.cancel_all('rewrite', 'nothing to stop')
end

-- The open rewrites of which a buffer is the proposal or, unless lines of it are named, the file.
---@type fun(bufnr: integer, has_range: boolean): claude_ide.Rewrite[]
local function open_in(bufnr, has_range)
  return vim.tbl_filter(function(rewrite)
    local is_file = rewrite.bufnr == bufnr and not has_range
    return rewrite.diff ~= nil and (rewrite.diff.bufnr == bufnr or is_file)
  end, vim.tbl_values(rewrites))
end

--- Carry out `:[range]ClaudeEdit[!] [instruction]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.edit(opts)
  if opts.bang then
    return stop()
  end
  local bufnr = api.nvim_get_current_buf()
  local range = opts.range > 0 and { opts.line1 - 1, opts.line2 } or nil
  local open = open_in(bufnr, range ~= nil)
  local rewrite = open[1]
  if #open > 1 then
    return message.show(SEVERAL, 'warn')
  end
  local here = contexts.of_command(opts)
  local function use(instruction)
    -- The user may have decided while they typed.
    local reason = refusal(bufnr, rewrite)
    if reason then
      message.show(reason, 'error')
    elseif instruction == '' then
      ui.input(rewrite and 'Refine: ' or 'Edit with Claude: ', '', function(typed)
        if typed and typed:find('%S') then
          use(typed)
        end
      end)
    elseif rewrite then
      refine(rewrite, range, asked(here, instruction))
    else
      local rows = range or { 0, api.nvim_buf_line_count(bufnr) }
      begin(bufnr, rows, asked(here, instruction))
    end
  end
  use(opts.args:find('%S') and opts.args or '')
end

return M
