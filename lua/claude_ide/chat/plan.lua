--- The agent's plan in a buffer that the user may edit: writing it approves, closing it does not.
local approval = require('claude_ide.approval')
local plain = require('claude_ide.say.plain')
local filling = require('claude_ide.window.filling')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.say.message')
local visit = require('claude_ide.window.visit')
local winbar = require('claude_ide.window.winbar')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

---@class claude_ide.PlanRequest: claude_ide.ApprovalRequest
---@field name? string the agent's name

---@class claude_ide.PlanView: claude_ide.ApprovalView

local LONGEST = 40 -- columns of another way to approve
local OPTIONS = {
  breakindent = true,
  conceallevel = 0,
  cursorbind = false,
  diff = false,
  foldenable = false,
  linebreak = true,
  scrollbind = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}

---@class claude_ide.PlanGuest: claude_ide.Guest
local guest = { kin = 'proposal' }

---@param view claude_ide.PlanView
function guest.open(view)
  local win = visit.new_tabpage(view)
  vim.wo[win].winfixbuf = false
  filling.run(function()
    api.nvim_win_set_buf(win, view.bufnr)
    return nil
  end)
  for name, value in pairs(OPTIONS) do
    vim.wo[win][0][name] = value
  end
  -- Otherwise CTRL-O would go to the tab page's first, empty buffer.
  api.nvim_win_call(win, vim.cmd.clearjumps)
end

---@param view claude_ide.PlanView
function guest.close(view)
  vim.iter(vim.fn.win_findbuf(view.bufnr)):each(window_close.window)
  window_close.buffer(view.bufnr)
end

---@param view claude_ide.PlanView
function guest.has(view, win)
  return api.nvim_win_get_buf(win) == view.bufnr
end

-- Show a plan's buffer, and enter it.
--
-- Raises an error if it cannot be shown; then no window remains.
---@param bufnr integer
---@return claude_ide.PlanView
local function open(bufnr)
  local view = visit.open(guest, { bufnr = bufnr })
  return view --[[@as claude_ide.PlanView]]
end

local function keys_of(more)
  local another = more and (' · gA %s'):format(plain.status_line(message.fit(more, LONGEST)))
  return (':w approve%s · :q keep planning'):format(another or '')
end

-- Set the winbar of the current window: the title, and the keys.
---@param title string
---@param more? string the other way to approve it
local function set_winbar(title, more)
  highlights.define()
  local keys = keys_of(more)
  local shown = plain.status_line(title)
  -- If there is no room for both, Neovim cuts the title.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  winbar.set(api.nvim_get_current_win(), bar:format(shown, keys), {
    chunks = function()
      return { { { (' %s '):format(keys), 'ClaudePlanKeys' } } }
    end,
  })
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
    local view = open(bufnr)
    set_winbar(plan.title, plan.more)
    return view
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
