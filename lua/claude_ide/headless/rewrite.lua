--- `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change.
local channel = require('claude_ide.channel')
local diff = require('claude_ide.diff')
local edit = require('claude_ide.file.edit')
local lines_of = require('claude_ide.headless.lines')
local message = require('claude_ide.messages.message')
local privacy = require('claude_ide.privacy')
local headless = require('claude_ide.headless')
local quiet = require('claude_ide.messages.quiet')
local rebase = require('claude_ide.file.rebase')
local refinement = require('claude_ide.headless.refinement')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

local MORE_KEYS = { { ':ClaudeEdit', 'Refine the rewrite: `:ClaudeEdit shorter`' } }
local SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'

--- `base` has the lines when the rewrite was requested; once a change is proposed, the lines then.
---@class claude_ide.Rewrite: claude_ide.RewrittenLines
---@field cwd string
---@field instructions table<integer, string[]> that led to each version of the proposal (`hunks.version`)
---@field is_proposed? boolean
---@field diff? claude_ide.Diff while the user can work on it
---@field refinement? claude_ide.Refinement that is running

---@type table<integer, claude_ide.Rewrite> by question id
local rewrites = {}

-- Why Claude may not rewrite a buffer, if so.
local function refusal(bufnr)
  return lines_of.why_unchangeable(bufnr) or privacy.why(bufnr)
end

-- The buffer's text with the new lines, or an error; nil if the text would not change.
---@param rewrite claude_ide.Rewrite
---@param replacement string
---@return { text?: string, error?: string }?
local function propose(rewrite, replacement)
  local proposed, problem = lines_of.replace(rewrite, replacement)
  if not proposed then
    return { error = problem }
  elseif vim.deep_equal(rewrite.base, proposed) then
    message.show('Claude suggests no changes', 'info')
    return nil
  end
  return { text = lines_of.join(proposed) }
end

---@return string? problem
local function change(rewrite, accepted)
  local reason = lines_of.why_unchangeable(rewrite.bufnr)
  if reason then
    return lines_of.keep(rewrite, accepted, reason)
  end
  local merged, has_conflict = rebase.merge(rewrite.base, accepted, lines_of.all(rewrite.bufnr))
  if has_conflict then
    return lines_of.keep(rewrite, accepted, 'the lines have changed')
  end
  quiet.run(function()
    edit.change(rewrite.bufnr, merged)
  end)
end

-- Apply the accepted text to the buffer as one undo step.
---@param rewrite claude_ide.Rewrite
---@param text string of the whole buffer
local function apply(rewrite, text)
  local problem = change(rewrite, lines_of.split(text))
  if problem then
    message.show(problem, 'error')
  end
end

---@param rewrite claude_ide.Rewrite
---@param shown claude_ide.Diff
local function on_ready(rewrite, shown)
  rewrite.diff = shown
  vim.keymap.set('n', '<C-c>', function()
    if not refinement.stop(rewrite) then
      message.show('nothing to stop', 'info')
    end
  end, { buffer = shown.bufnr, desc = 'Stop refining' })
end

--- Show Claude's lines as a diff. The question ends with the user's decision.
---
--- Emits the diff's events (`diff.open`), but never the text.
---@param id integer diff
---@param question_id integer
---@param proposal { text: string, title: string, layout: 'tab'|'vertical'|'horizontal' }
---@return { error: string }? refusal why no diff is shown
function M.show(id, question_id, proposal)
  local rewrite = rewrites[question_id]
  local function on_decided(text)
    if rewrite then
      rewrite.diff = nil
      refinement.stop(rewrite)
    end
    if text and rewrite then
      apply(rewrite, text)
    end
    -- Scheduled: a message must not interrupt the `:w` that decides.
    vim.schedule(function()
      headless.finish(question_id, {})
    end)
  end
  local proposed = rewrite and propose(rewrite, proposal.text)
  if not rewrite or not proposed then
    channel.emit('diff_decided', { id = id, accepted = false })
    return on_decided()
  elseif proposed.error then
    return { error = proposed.error }
  end
  rewrite.is_proposed = true
  return diff.open(id, {
    path = rewrite.name,
    text = proposed.text,
    title = proposal.title,
    layout = proposal.layout,
    original = rewrite.bufnr,
    more_keys = MORE_KEYS,
    on_ready = function(shown)
      on_ready(rewrite, shown)
    end,
  }, on_decided)
end

local function finish(id, err)
  local rewrite = rewrites[id]
  rewrites[id] = nil
  rewrite.diff = nil
  refinement.stop(rewrite)
  lines_of.unmark(rewrite)
  if err and err ~= headless.CANCELLED then
    message.show(err, 'error')
  end
end

local function begin(bufnr, first, last, instruction)
  local reason = refusal(bufnr)
  if reason then
    return message.show(reason, 'error')
  end
  local lines = lines_of.all(bufnr)
  -- The buffer may have got shorter while the user typed the instruction.
  last = math.min(last, #lines)
  ---@type claude_ide.Rewrite
  local rewrite = {
    bufnr = bufnr,
    name = lines_of.name_of(bufnr),
    base = lines,
    first = math.min(first, last - 1),
    last = last,
    cwd = vim.fn.getcwd(),
    instructions = { { instruction } },
  }
  local id
  id = headless.begin('rewrite', {
    cwd = rewrite.cwd,
    instruction = instruction,
    name = rewrite.name,
    filetype = vim.bo[bufnr].filetype,
    text = table.concat(lines, '\n'),
    first = rewrite.first,
    last = rewrite.last,
  }, {
    on_progress = function(progress)
      lines_of.mark(rewrite, 'rewriting', progress)
    end,
    on_end = function(err)
      finish(id, err)
    end,
  })
  rewrites[id] = rewrite
  lines_of.mark(rewrite, 'rewriting', '')
end

-- Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the user.
local function stop()
  local running = vim.tbl_filter(function(id)
    return not rewrites[id].is_proposed
  end, vim.tbl_keys(rewrites))
  vim.iter(running):each(headless.cancel)
  local refined = vim.tbl_filter(refinement.stop, vim.tbl_values(rewrites))
  if #running + #refined > 0 then
    return message.show('stopped', 'info')
  end
  headless.cancel_all('rewrite', 'nothing to stop')
end

-- The open rewrites of which a buffer is the proposal or, unless lines of it are named, the file.
---@param bufnr integer
---@param has_range boolean
---@return claude_ide.Rewrite[]
local function open_in(bufnr, has_range)
  return vim.tbl_filter(function(rewrite)
    local is_here = rewrite.diff and rewrite.diff.bufnr == bufnr
    return is_here or (rewrite.diff ~= nil and rewrite.bufnr == bufnr and not has_range)
  end, vim.tbl_values(rewrites))
end

---@param opts vim.api.keyset.create_user_command.command_args
---@param prompt string
---@param use fun(instruction: string)
local function with_instruction(opts, prompt, use)
  if opts.args:find('%S') then
    return use(opts.args)
  end
  ui.input(prompt, '', function(instruction)
    if instruction and instruction:find('%S') then
      use(instruction)
    end
  end)
end

---@param rewrite claude_ide.Rewrite
---@param opts vim.api.keyset.create_user_command.command_args
local function refine(rewrite, opts)
  local reason = refinement.refusal(rewrite)
  if reason then
    return message.show(reason, 'error')
  end
  local range = opts.range > 0 and { opts.line1 - 1, opts.line2 } or nil
  with_instruction(opts, 'Refine: ', function(instruction)
    refinement.begin(rewrite, instruction, range)
  end)
end

--- Carry out `:[range]ClaudeEdit[!] [instruction]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.edit(opts)
  if opts.bang then
    return stop()
  end
  local bufnr, has_range = vim.api.nvim_get_current_buf(), opts.range > 0
  local open = open_in(bufnr, has_range)
  if #open > 1 then
    return message.show(SEVERAL, 'warn')
  elseif open[1] then
    return refine(open[1], opts)
  end
  local first, last = 0, vim.api.nvim_buf_line_count(bufnr)
  if has_range then
    first, last = opts.line1 - 1, opts.line2
  end
  local reason = refusal(bufnr)
  if reason then
    return message.show(reason, 'error')
  end
  with_instruction(opts, 'Edit with Claude: ', function(instruction)
    begin(bufnr, first, last, instruction)
  end)
end

return M
