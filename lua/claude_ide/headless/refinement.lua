--- Refines a rewrite while its diff is open: `:ClaudeEdit shorter`.
local hunks = require('claude_ide.diff.hunks')
local lines_of = require('claude_ide.headless.lines')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local privacy = require('claude_ide.privacy')
local headless = require('claude_ide.headless')
local rebase = require('claude_ide.file.rebase')
local revision = require('claude_ide.diff.revision')

local M = {}

--- A rewrite whose diff is open.
---@class claude_ide.ProposedRewrite: claude_ide.Rewrite
---@field diff claude_ide.Diff

---@class claude_ide.Refinement
---@field id integer of its question
---@field target claude_ide.RewrittenLines in the proposal
---@field instructions string[] the new one, after those that led to the text of now
---@field cancel fun() stops waiting for a moment to show the result

-- The rows of lines in a later text. What was inserted at either end of them belongs to them.
---@param base string[]
---@param current string[]
---@param first integer 0-based
---@param last integer exclusive
---@return integer first
---@return integer last
local function rows_in(base, current, first, last)
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

-- Where the rewritten lines are in the proposal. The lines around them are usually as in the buffer; if not,
-- the user has changed them.
---@param rewrite claude_ide.ProposedRewrite
---@param current string[] all lines of the proposal
---@return integer first row, 0-based
---@return integer last exclusive
local function region(rewrite, current)
  local base, first, last = rewrite.base, rewrite.first, rewrite.last
  local below = #current - (#base - last)
  local is_same = below >= first
    and vim.deep_equal(vim.list_slice(base, 1, first), vim.list_slice(current, 1, first))
    and vim.deep_equal(vim.list_slice(base, last + 1), vim.list_slice(current, below + 1))
  if is_same then
    return first, below
  end
  return rows_in(base, current, first, last)
end

---@param rewrite claude_ide.ProposedRewrite
---@param refinement claude_ide.Refinement
local function finish(rewrite, refinement)
  rewrite.refinement = nil
  lines_of.unmark(refinement.target)
end

---@param rewrite claude_ide.ProposedRewrite
---@param refinement claude_ide.Refinement
---@param replacement string
local function show(rewrite, refinement, replacement)
  local target = refinement.target
  local lines, problem = lines_of.replace(target, replacement)
  finish(rewrite, refinement)
  if not lines then
    return message.show(problem --[[@as string]], 'error')
  elseif vim.deep_equal(lines, target.base) then
    return message.show('Claude suggests no changes', 'info')
  end
  rewrite.instructions[revision.revise(rewrite.diff, lines)] = refinement.instructions
  message.show('refined (u undoes it)', 'info')
end

-- The text must not change under a user who is typing in it, or selecting.
---@param rewrite claude_ide.ProposedRewrite
---@param refinement claude_ide.Refinement
---@param replacement string
local function show_when_free(rewrite, refinement, replacement)
  local is_there = vim.api.nvim_get_current_buf() == refinement.target.bufnr
  local when = is_there and moment.when_free or moment.when_possible
  refinement.cancel = when(function()
    show(rewrite, refinement, replacement)
  end, function(reason)
    finish(rewrite, refinement)
    local lines = lines_of.split(replacement)
    message.show(lines_of.keep(refinement.target, lines, reason), 'error')
  end)
end

---@param rewrite claude_ide.ProposedRewrite
---@param range? [integer, integer] rows of the proposal, 0-based and end-exclusive
---@return claude_ide.RewrittenLines
local function target_of(rewrite, range)
  local bufnr = rewrite.diff.bufnr --[[@as integer]]
  local lines = lines_of.all(bufnr)
  local first, last = region(rewrite, lines)
  if range then
    -- The proposal may have got shorter while the user typed the instruction.
    last = math.min(range[2], #lines)
    first = math.min(range[1], last - 1)
  end
  return { bufnr = bufnr, name = rewrite.name, base = lines, first = first, last = last }
end

--- Why a rewrite cannot be refined now, if so.
---@param rewrite claude_ide.Rewrite
---@return string?
function M.refusal(rewrite)
  if not rewrite.diff then
    return 'the diff is no longer open'
  elseif rewrite.refinement then
    return 'Claude is already refining this (:ClaudeEdit! stops it)'
  end
  local has_file = vim.api.nvim_buf_is_valid(rewrite.bufnr)
  return lines_of.why_unchangeable(rewrite.diff.bufnr)
    or has_file and privacy.why(rewrite.bufnr)
    or nil
end

--- Have Claude refine a rewrite. The result becomes the text of the same diff.
---@param rewrite claude_ide.Rewrite
---@param instruction string
---@param range? [integer, integer] rows of the proposal, if not all that Claude has rewritten
function M.begin(rewrite, instruction, range)
  local reason = M.refusal(rewrite)
  if reason then
    return message.show(reason, 'error')
  end
  ---@cast rewrite claude_ide.ProposedRewrite
  local target = target_of(rewrite, range)
  local earlier = rewrite.instructions[hunks.version(target.bufnr)]
  ---@type claude_ide.Refinement
  local refinement = {
    id = 0,
    target = target,
    instructions = vim.list_extend(vim.deepcopy(earlier), { instruction }),
    cancel = function() end,
  }
  rewrite.refinement = refinement
  lines_of.mark(target, 'refining', '')
  refinement.id = headless.begin('refine', {
    cwd = rewrite.cwd,
    instruction = instruction,
    earlier = earlier,
    original = { text = table.concat(rewrite.base, '\n', rewrite.first + 1, rewrite.last) },
    name = rewrite.name,
    filetype = vim.bo[target.bufnr].filetype,
    text = table.concat(target.base, '\n'),
    first = target.first,
    last = target.last,
  }, {
    on_progress = function(progress)
      lines_of.mark(target, 'refining', progress)
    end,
    on_end = function(err, replacement)
      if not err then
        return show_when_free(rewrite, refinement, replacement)
      end
      finish(rewrite, refinement)
      if err ~= headless.CANCELLED then
        message.show(err, 'error')
      end
    end,
  })
end

--- Stop refining a rewrite, whose diff stays as it is.
---@param rewrite claude_ide.Rewrite
---@return boolean was_refined
function M.stop(rewrite)
  local refinement = rewrite.refinement
  if refinement then
    ---@cast rewrite claude_ide.ProposedRewrite
    refinement.cancel()
    headless.cancel(refinement.id)
    finish(rewrite, refinement)
  end
  return refinement ~= nil
end

return M
