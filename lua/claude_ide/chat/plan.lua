--- The agent's plan in a buffer that the user may edit: writing it approves, closing it does not.
local approval = require('claude_ide.approval_buffer')
local approval_window = require('claude_ide.approval_buffer.window')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local visit = require('claude_ide.window.visit')

local M = {}

---@class claude_ide.PlanRequest: claude_ide.ApprovalRequest
---@field name? string the agent's name

local LONGEST = 40 -- columns of another way to approve

local guest =
  approval_window.guest(approval_window.tabpage, { breakindent = true, linebreak = true })

local function keys_of(more)
  local another = more and (' · gA %s'):format(plain.status_line(message.fit(more, LONGEST)))
  return (':w approve%s · :q keep planning'):format(another or '')
end

local plans = approval.new({
  noun = 'plan',
  buffer = 'claude-plan',
  label = function(plan)
    return ('%s plan'):format(plain.one_line(plan.name or 'Claude'))
  end,
  filetype = function()
    return 'markdown'
  end,
  open = function(bufnr, plan)
    local view = visit.open(guest, { bufnr = bufnr })
    approval_window.set_winbar(plan.title, keys_of(plan.more))
    return view --[[@as claude_ide.ApprovalView]]
  end,
  question = 'What should change in the plan? ',
  question_name = 'question about the plan',
  approves = 'approve',
  approves_more = 'approve_edits',
  rejects = 'revise',
  more_key = '<Plug>(claude-plan-accept-edits)',
  is_markup = true,
  edits_say_why = true,
})

--- Show a plan at the next moment that takes nothing from the user. Called again with the same token,
--- show it immediately.
---
--- Emits `answered` {token, decision = 'approve'|'approve_edits'|'revise', text, comments?}.
---@param token integer
---@param request claude_ide.PlanRequest
function M.open(token, request)
  plans.open(token, request)
end

--- Whether a plan is shown in its buffer, and the user could read all of it.
---@param token integer
---@return boolean
function M.is_read(token)
  return plans.is_read(token)
end

--- Close a plan that is no longer waiting for an answer. The user's edits are kept in another buffer.
---@param token integer
function M.close(token)
  plans.close(token)
end

--- Close all plans.
function M.close_all()
  plans.close_all()
end

return M
