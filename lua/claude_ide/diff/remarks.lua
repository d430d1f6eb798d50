--- What the user says about an edit when it is decided: the reason of a rejection, and the comments.
local comments = require('claude_ide.diff.comments')
local hunks = require('claude_ide.diff.hunks')
local quotation = require('claude_ide.diff.quotation')

local M = {}

local function of_comments(diff)
  return diff.bufnr and comments.of(diff.bufnr, diff.where.path) or {}
end

-- The lines of the hunks, in words.
local function lines_of(diff)
  local found = vim.tbl_map(function(hunk)
    return quotation.lines({ hunk.now[1] + 1, math.max(hunk.now[1] + 1, hunk.now[2]) })
  end, diff.bufnr and hunks.list(diff.bufnr) or {})
  return #found > 0 and (' (%s)'):format(table.concat(found, ', ')) or ''
end

---@class claude_ide.Remarks
---@field reason? string for an agent that accepts one with the answer
---@field words? string for an agent that has to be told in its next prompt

--- The remarks on a decision.
---@param diff claude_ide.Diff
---@param accepted boolean
---@param reason? string
---@return claude_ide.Remarks
function M.of(diff, accepted, reason)
  local found = of_comments(diff)
  reason = not accepted and reason ~= '' and reason or nil
  if #found == 0 and not reason then
    return {}
  end
  local edit = ('your edit of %s'):format(diff.where.path)
  local head = ('I have %s %s.'):format(accepted and 'accepted' or 'rejected', edit)
  if reason then
    head = ('I have rejected %s%s: %s'):format(edit, lines_of(diff), reason)
  end
  return {
    reason = not accepted and table.concat(vim.list_extend({ reason }, found), '\n\n') or nil,
    words = table.concat({ head, unpack(found) }, '\n\n'),
  }
end

--- The comments on an edit that was decided elsewhere; nil if there are none.
---@param diff claude_ide.Diff
---@return string?
function M.unsent(diff)
  local found = of_comments(diff)
  if #found == 0 then
    return nil
  end
  return table.concat({ ('About your edit of %s:'):format(diff.where.path), unpack(found) }, '\n\n')
end

return M
