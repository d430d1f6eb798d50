--- `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change, and refines the
--- rewrite while its diff is open.
local channel = require('claude_ide.channel')
local command_buffer = require('claude_ide.file.command_buffer')
local diff = require('claude_ide.diff')
local edit = require('claude_ide.file.edit')
local headless = require('claude_ide.headless')
local hunks = require('claude_ide.diff.hunks')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local plain = require('claude_ide.messages.plain')
local privacy = require('claude_ide.privacy')
local quiet = require('claude_ide.messages.quiet')
local rebase = require('claude_ide.file.rebase')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

local api = vim.api
local marks = api.nvim_create_namespace('claude_ide_rewrite')

local CHANGED = 'the lines have changed'
local MORE_KEYS = { { ':ClaudeEdit', 'Refine the rewrite: `:ClaudeEdit shorter`' } }
local UNCHANGED = 'Claude suggests no changes'
local SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'

--- Lines of a buffer for which Claude writes others.
---@class claude_ide.RewrittenLines
---@field bufnr integer
---@field name string of the file, for a buffer that keeps the new lines
---@field base string[] all lines of the buffer when they were last looked at
---@field first integer row, 0-based
---@field last integer row, end-exclusive
---@field mark? integer extmark on the lines

---@class claude_ide.Refinement
---@field id integer of its question
---@field target claude_ide.RewrittenLines in the proposal
---@field instructions string[] the new one, after those that led to the text of now
---@field cancel fun() stops waiting for a moment to show the result

---@class claude_ide.Rewrite: claude_ide.RewrittenLines
---@field cwd string
---@field instructions table<integer, string[]> that led to each version of the proposal (`hunks.version`)
---@field is_proposed? boolean
---@field diff? claude_ide.Diff while the user can work on it
---@field refinement? claude_ide.Refinement that is running

---@type table<integer, claude_ide.Rewrite> by question id
local rewrites = {}

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function join(lines)
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
end

local function split(text)
  return text == '' and {} or vim.split(text:gsub('\n$', ''), '\n', { plain = true })
end

-- Show behind the first of the lines what Claude does with them.
---@param target claude_ide.RewrittenLines
---@param verb string such as "rewriting"
---@param progress string may be empty
local function mark(target, verb, progress)
  if not api.nvim_buf_is_valid(target.bufnr) then
    return
  end
  local position = target.mark
    and api.nvim_buf_get_extmark_by_id(target.bufnr, marks, target.mark, {})
  local words = progress == '' and '…' or (' (%s)'):format(progress)
  local shown = (' Claude is %s%s'):format(verb, plain.one_line(words))
  target.mark =
    api.nvim_buf_set_extmark(target.bufnr, marks, (position or {})[1] or target.first, 0, {
      id = target.mark,
      virt_text = { { shown, 'Comment' } },
      strict = false,
    })
end

local function unmark(target)
  if target.mark and api.nvim_buf_is_valid(target.bufnr) then
    api.nvim_buf_del_extmark(target.bufnr, marks, target.mark)
  end
end

-- Keep new lines in another buffer, so that the answer is not lost.
---@param target claude_ide.RewrittenLines
---@param lines string[]
---@param reason string why they were not put in
---@return string message
local function keep(target, lines, reason)
  local is_valid = api.nvim_buf_is_valid(target.bufnr)
  local filetype = is_valid and vim.bo[target.bufnr].filetype or ''
  return command_buffer.keep(target.name, join(lines), reason .. '; the rewrite is', filetype)
end

-- Why the text of a buffer cannot be changed, if so.
local function why_unchangeable(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    return 'the buffer is gone'
  elseif not vim.bo[bufnr].modifiable then
    return "this buffer is read-only ('nomodifiable')"
  end
end

-- Why Claude may not rewrite a buffer, if so.
local function refusal(bufnr)
  return why_unchangeable(bufnr) or privacy.why(bufnr)
end

-- The rows of lines in a later text. What was inserted at either end of them belongs to them.
---@return integer first 0-based
---@return integer last exclusive
local function rows_in(base, current, first, last)
  local below = #current - (#base - last)
  local is_same = below >= first
    and vim.deep_equal(vim.list_slice(base, 1, first), vim.list_slice(current, 1, first))
    and vim.deep_equal(vim.list_slice(base, last + 1), vim.list_slice(current, below + 1))
  if is_same then
    return first, below
  end
  local from, to, shift = first, last, 0
  for _, hunk in ipairs(rebase.hunks(base, current)) do
    local old_from, old_to = rebase.rows(hunk[1], hunk[2])
    local new_from, new_to = rebase.rows(hunk[3], hunk[4])
    if old_from > last or (old_from == last and old_to > last) then
      break
    end
    shift = shift + hunk[4] - hunk[2]
    if old_from < first then
      from = old_to <= first and first + shift or new_from
    end
    to = old_to > last and new_to or last + shift
  end
  return from, to
end

-- Put Claude's lines in the place of those of a target, which are those of now afterwards.
---@param target claude_ide.RewrittenLines
---@param lines string[]
---@return string[]? lines of the whole buffer; nil if Claude's were kept in another one
---@return string? problem in that case
local function replace(target, lines)
  local base, first, last = target.base, target.first, target.last
  local problem = why_unchangeable(target.bufnr)
  if problem then
    return nil, keep(target, lines, problem)
  end
  local current = lines_of(target.bufnr)
  local replaced, has_conflict =
    rebase.merge(base, rebase.splice(base, first, last, lines), current)
  if has_conflict then
    return nil, keep(target, lines, CHANGED)
  end
  target.base = current
  target.first, target.last = rows_in(base, current, first, last)
  return replaced
end

-- Apply the accepted text to the buffer as one undo step. `:q` or `:qa` may come next.
---@param rewrite claude_ide.Rewrite
---@param accepted string[] all lines of the buffer
---@return string? problem
local function apply(rewrite, accepted)
  local problem = why_unchangeable(rewrite.bufnr)
  if problem then
    return keep(rewrite, accepted, problem)
  end
  local merged, has_conflict = rebase.merge(rewrite.base, accepted, lines_of(rewrite.bufnr))
  if has_conflict then
    return keep(rewrite, accepted, CHANGED)
  end
  quiet.run(function()
    edit.change(rewrite.bufnr, merged)
  end)
end

-- Stop refining a rewrite, whose diff stays as it is.
---@param rewrite claude_ide.Rewrite
---@return boolean was_refined
local function stop_refining(rewrite)
  local refinement = rewrite.refinement
  if refinement then
    rewrite.refinement = nil
    refinement.cancel()
    headless.cancel(refinement.id)
    unmark(refinement.target)
  end
  return refinement ~= nil
end

---@param rewrite claude_ide.Rewrite
---@param shown claude_ide.Diff
local function on_ready(rewrite, shown)
  rewrite.diff = shown
  vim.keymap.set('n', '<C-c>', function()
    if not stop_refining(rewrite) then
      message.show('nothing to stop', 'info')
    end
  end, { buffer = shown.bufnr, desc = 'Stop refining' })
end

--- Show Claude's lines as a diff. The question ends with the user's decision.
---
--- Emits the diff's events (`diff.open`), but never the text.
---@param id integer diff
---@param question_id integer
---@param proposal { text: string, title: string, layout: 'tab'|'vertical'|'horizontal' } each line of the
---  text has its end
---@return { error: string }? refusal why no diff is shown
function M.show(id, question_id, proposal)
  local rewrite = rewrites[question_id]
  local function on_decided(text)
    if rewrite then
      rewrite.diff = nil
      stop_refining(rewrite)
      local problem = text and apply(rewrite, split(text))
      if problem then
        message.show(problem, 'error')
      end
    end
    -- Scheduled: a message must not interrupt the `:w` that decides.
    vim.schedule(function()
      headless.finish(question_id, {})
    end)
  end
  local lines, problem
  if rewrite then
    lines, problem = replace(rewrite, split(proposal.text))
  end
  if problem then
    return { error = problem }
  elseif not lines or vim.deep_equal(lines, rewrite.base) then
    if lines then
      message.show(UNCHANGED, 'info')
    end
    channel.emit('diff_decided', { id = id, accepted = false })
    return on_decided()
  end
  rewrite.is_proposed = true
  unmark(rewrite)
  return diff.open(id, {
    path = rewrite.name,
    text = join(lines),
    title = proposal.title,
    layout = proposal.layout,
    original = rewrite.bufnr,
    more_keys = MORE_KEYS,
    on_ready = function(shown)
      on_ready(rewrite, shown)
    end,
  }, on_decided)
end

-- Ask Claude for other lines. `on_end` gets an error, unless the user has cancelled, or the text.
---@param kind 'rewrite'|'refine'
---@param target claude_ide.RewrittenLines
---@param request table the fields of this kind
---@param on_end fun(text: string?)
---@return integer id
local function ask(kind, target, request, on_end)
  local verb = kind == 'rewrite' and 'rewriting' or 'refining'
  mark(target, verb, '')
  return headless.begin(
    kind,
    vim.tbl_extend('error', request, {
      name = target.name,
      filetype = vim.bo[target.bufnr].filetype,
      text = table.concat(target.base, '\n'),
      first = target.first,
      last = target.last,
    }),
    {
      on_progress = function(progress)
        mark(target, verb, progress)
      end,
      on_end = function(err, text)
        if err and err ~= headless.CANCELLED then
          message.show(err, 'error')
        end
        on_end(not err and text or nil)
      end,
    }
  )
end

local function begin(bufnr, first, last, instruction)
  local reason = refusal(bufnr)
  if reason then
    return message.show(reason, 'error')
  end
  local lines = lines_of(bufnr)
  -- The buffer may have got shorter while the user typed the instruction.
  last = math.min(last, #lines)
  local name = api.nvim_buf_get_name(bufnr)
  ---@type claude_ide.Rewrite
  local rewrite = {
    bufnr = bufnr,
    name = name ~= '' and name or '[No Name]',
    base = lines,
    first = math.min(first, last - 1),
    last = last,
    cwd = vim.fn.getcwd(),
    instructions = { { instruction } },
  }
  local id
  id = ask('rewrite', rewrite, { cwd = rewrite.cwd, instruction = instruction }, function()
    rewrites[id] = nil
    rewrite.diff = nil
    stop_refining(rewrite)
    unmark(rewrite)
  end)
  rewrites[id] = rewrite
end

-- Why a rewrite cannot be refined now, if so.
---@param rewrite claude_ide.Rewrite
---@return string?
local function why_unrefinable(rewrite)
  if not rewrite.diff then
    return 'the diff is no longer open'
  elseif rewrite.refinement then
    return 'Claude is already refining this (:ClaudeEdit! stops it)'
  end
  local has_file = api.nvim_buf_is_valid(rewrite.bufnr)
  return why_unchangeable(rewrite.diff.bufnr) or has_file and privacy.why(rewrite.bufnr) or nil
end

---@param rewrite claude_ide.Rewrite
---@param refinement claude_ide.Refinement
---@param lines string[]
local function show_refined(rewrite, refinement, lines)
  local target = refinement.target
  unmark(target)
  local replaced, problem = replace(target, lines)
  if not replaced then
    return message.show(problem --[[@as string]], 'error')
  elseif vim.deep_equal(replaced, target.base) then
    return message.show(UNCHANGED, 'info')
  end
  rewrite.instructions[hunks.revise(rewrite.diff, replaced)] = refinement.instructions
  message.show('refined (u undoes it)', 'info')
end

-- The text must not change under a user who is typing in it, or selecting.
---@param rewrite claude_ide.Rewrite
---@param refinement claude_ide.Refinement
---@param lines string[]
local function show_when_free(rewrite, refinement, lines)
  local is_there = api.nvim_get_current_buf() == refinement.target.bufnr
  local when = is_there and moment.when_free or moment.when_possible
  refinement.cancel = when(function()
    rewrite.refinement = nil
    show_refined(rewrite, refinement, lines)
  end, function(reason)
    rewrite.refinement = nil
    unmark(refinement.target)
    message.show(keep(refinement.target, lines, reason), 'error')
  end)
end

-- Have Claude refine a rewrite. The result becomes the text of the same diff.
---@param rewrite claude_ide.Rewrite
---@param instruction string
---@param range? [integer, integer] rows of the proposal, if not all that Claude has rewritten
local function begin_refining(rewrite, instruction, range)
  local reason = why_unrefinable(rewrite)
  if reason then
    return message.show(reason, 'error')
  end
  local bufnr = rewrite.diff.bufnr --[[@as integer]]
  local lines = lines_of(bufnr)
  local first, last = rows_in(rewrite.base, lines, rewrite.first, rewrite.last)
  if range then
    -- The proposal may have got shorter while the user typed the instruction.
    last = math.min(range[2], #lines)
    first = math.min(range[1], last - 1)
  end
  local earlier = rewrite.instructions[hunks.version(bufnr)]
  ---@type claude_ide.Refinement
  local refinement = {
    id = 0,
    target = { bufnr = bufnr, name = rewrite.name, base = lines, first = first, last = last },
    instructions = vim.list_extend(vim.deepcopy(earlier), { instruction }),
    cancel = function() end,
  }
  rewrite.refinement = refinement
  refinement.id = ask('refine', refinement.target, {
    cwd = rewrite.cwd,
    instruction = instruction,
    earlier = earlier,
    original = { text = table.concat(rewrite.base, '\n', rewrite.first + 1, rewrite.last) },
  }, function(text)
    if text then
      show_when_free(rewrite, refinement, split(text))
    elseif rewrite.refinement == refinement then
      rewrite.refinement = nil
      unmark(refinement.target)
    end
  end)
end

-- Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the user.
local function stop()
  local running = vim.tbl_filter(function(id)
    return not rewrites[id].is_proposed
  end, vim.tbl_keys(rewrites))
  vim.iter(running):each(headless.cancel)
  local refined = vim.tbl_filter(stop_refining, vim.tbl_values(rewrites))
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
  local reason = not rewrite and refusal(bufnr) or rewrite and why_unrefinable(rewrite)
  if #open > 1 then
    return message.show(SEVERAL, 'warn')
  elseif reason then
    return message.show(reason, 'error')
  end
  local function use(instruction)
    if not (instruction and instruction:find('%S')) then
      return
    elseif rewrite then
      return begin_refining(rewrite, instruction, range)
    end
    local first, last = unpack(range or { 0, api.nvim_buf_line_count(bufnr) })
    begin(bufnr, first, last, instruction)
  end
  if opts.args:find('%S') then
    return use(opts.args)
  end
  ui.input(rewrite and 'Refine: ' or 'Edit with Claude: ', '', use)
end

return M
