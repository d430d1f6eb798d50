--- The agent's plan in a buffer that the user may edit: writing it approves, closing it does not.
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local chat_focus = require('claude_ide.chat.window.focus')
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.diff.decision')
local kept = require('claude_ide.file.kept')
local label = require('claude_ide.window.label')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local plain = require('claude_ide.say.plain')
local plan_winbar = require('claude_ide.chat.plan.winbar')
local plan_window = require('claude_ide.chat.plan.window')
local quiet = require('claude_ide.say.quiet')
local ui = require('claude_ide.dialogue.vim_ui')
local visit = require('claude_ide.window.visit')
local waiting = require('claude_ide.diff.waiting')
local window_close = require('claude_ide.window.close')

local M = {}

local ACCEPT_EDITS = '<Plug>(claude-plan-accept-edits)'

---@class claude_ide.PlanRequest
---@field title string
---@field name? string the agent's name
---@field text string
---@field more? string the other way to approve it

---@class claude_ide.Plan: claude_ide.PlanRequest
---@field token integer
---@field cancel fun() stops waiting for a moment to appear
---@field bufnr? integer
---@field view? claude_ide.PlanView once shown
---@field last? string its text when the buffer was unloaded

---@type table<integer, claude_ide.Plan> by token
local plans = {}

local function is_waiting(plan)
  return plans[plan.token] == plan
end

local function answer(plan, fields)
  plans[plan.token] = nil
  plan.cancel()
  channel.emit('answered', vim.tbl_extend('error', { token = plan.token }, fields))
end

-- Never synchronously: inside the `:wq` that decides, closing a window would make Neovim quit another
-- one.
local function close_view(plan, when, after)
  when(function()
    visit.close(plan.view)
    after()
  end, function(reason)
    message.show(('the plan cannot be closed: %s'):format(reason), 'error')
    after()
  end)
end

-- `when_ended` ends the user's mode, so it is only for a user who is still in the plan: Neovim may have
-- moved them back already, and they may be typing there.
local function when_closable(plan)
  local is_back = vim.api.nvim_get_current_win() == plan.view.destination.win
  local is_there = visit.has_user(plan.view) and not is_back
  return is_there and moment.when_ended or moment.when_possible
end

local function nothing() end

---@param plan claude_ide.Plan
---@param how 'approve'|'approve_edits'
local function approve(plan, how)
  if not is_waiting(plan) then
    return message.show('this plan is no longer waiting for an answer', 'warn')
  end
  local ok, text = pcall(buffer_text.get, plan.bufnr)
  if not ok then
    return message.show(('the plan cannot be read: %s'):format(text), 'error')
  end
  answer(plan, { decision = how, text = text })
  close_view(plan, when_closable(plan), nothing)
end

local function ask_for_comments(plan)
  local function revise(comments)
    if is_waiting(plan) then
      answer(plan, { decision = 'revise', text = plan.last, comments = comments })
    elseif comments then
      message.show('this plan is no longer waiting for an answer', 'warn')
    end
  end
  -- Not immediately: the next keys were not meant for this question.
  plan.cancel = waiting.when_free('question about the plan', function()
    ui.input('What should change in the plan? ', '', function(comments)
      revise(comments ~= '' and comments or nil)
    end)
  end, function()
    revise(nil)
  end)
end

-- The user's edits in the plan say what should change. Without any, the user is asked.
local function on_wiped(plan)
  if not (is_waiting(plan) and plan.view) then
    return
  elseif plan.last ~= plan.text then
    answer(plan, { decision = 'revise', text = plan.last })
  end
  vim.schedule(function()
    close_view(plan, when_closable(plan), function()
      if is_waiting(plan) then
        ask_for_comments(plan)
      end
    end)
  end)
end

local function map(plan)
  local function accept_edits()
    approve(plan, 'approve_edits')
  end
  local options = { buffer = plan.bufnr, desc = 'Approve the plan in another way' }
  vim.keymap.set('n', ACCEPT_EDITS, accept_edits, options)
  if vim.fn.hasmapto(ACCEPT_EDITS, 'n') == 0 then
    vim.keymap.set('n', 'gA', ACCEPT_EDITS, vim.tbl_extend('error', options, { remap = true }))
  end
end

local function fill(plan)
  label.give(plan.bufnr, 'claude-plan', ('%s plan'):format(plain.one_line(plan.name or 'Claude')))
  decision.fill(plan.bufnr, plan.text, {
    written = function()
      approve(plan, vim.v.cmdbang == 1 and 'approve_edits' or 'approve')
    end,
    wiped = function()
      on_wiped(plan)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = plan.bufnr,
    callback = function()
      plan.last = buffer_text.get(plan.bufnr)
    end,
  })
  if plan.more then
    map(plan)
  end
end

local function set_options(plan)
  colouring.set_filetype(plan.bufnr, 'markdown')
  local options = vim.bo[plan.bufnr]
  options.bufhidden, options.swapfile, options.modifiable = 'wipe', false, false
  options.modified = false
end

local function show(plan)
  quiet.run(function()
    plan.bufnr = vim.api.nvim_create_buf(false, true)
    fill(plan)
  end)
  plan.view = plan_window.open(plan.bufnr)
  set_options(plan)
  plan_winbar.set(plan.title, plan.more)
  moment.guard(function()
    if vim.api.nvim_buf_is_valid(plan.bufnr) then
      vim.bo[plan.bufnr].modifiable = true
    end
  end)
end

local function fail(plan, reason)
  message.show(('the plan cannot be shown: %s'):format(reason), 'error')
  answer(plan, { decision = 'revise', text = plan.text })
  if plan.view then
    close_view(plan, when_closable(plan), nothing)
  elseif plan.bufnr then
    window_close.buffer(plan.bufnr)
  end
end

local function appear(plan)
  local ok, reason = pcall(show, plan)
  if not ok then
    fail(plan, reason)
  end
end

-- The user has asked to see it, so it need not wait until they are free.
local function show_now(plan)
  moment.when_harmless(function()
    chat_focus.leave_mode(function()
      if not is_waiting(plan) then
        return
      elseif plan.view then
        return plan_window.enter(plan.view)
      end
      plan.cancel()
      appear(plan)
    end)
  end, function(reason)
    message.show(reason, 'error')
  end)
end

--- Show a plan at the next moment that takes nothing from the user. Called again with the same token,
--- show it immediately.
---
--- Emits `answered` {token, decision = 'approve'|'approve_edits'|'revise', text, comments?}.
---@param token integer
---@param request claude_ide.PlanRequest
function M.open(token, request)
  if plans[token] then
    return show_now(plans[token])
  end
  local plan = vim.tbl_extend('error', request, { token = token, cancel = nothing }) --[[@as claude_ide.Plan]]
  plans[token] = plan
  plan.cancel = waiting.when_free('plan', function()
    appear(plan)
  end, nothing)
end

--- Whether a plan is shown in its buffer, where the user can read it.
---@param token integer
---@return boolean
function M.is_open(token)
  local plan = plans[token]
  return plan ~= nil and plan.view ~= nil and vim.api.nvim_buf_is_valid(plan.bufnr)
end

--- Close a plan that is no longer waiting for an answer. The user's edits are kept in another buffer.
---@param token integer
function M.close(token)
  local plan = plans[token]
  if not plan then
    return
  end
  plans[token] = nil
  plan.cancel()
  if not (plan.view and vim.api.nvim_buf_is_valid(plan.bufnr)) then
    return
  end
  local function close(when, after)
    close_view(plan, function(fn, on_error)
      when(function()
        kept.keep_edits(plan.bufnr, plan.text, plan.title)
        fn()
      end, on_error)
    end, after)
  end
  if not visit.has_user(plan.view) then
    return close(moment.when_harmless, nothing)
  end
  -- The user, moved back to where they were, may still be typing for the plan.
  close(moment.when_free, function()
    moment.guard(nothing)
  end)
end

--- Close all plans.
function M.close_all()
  vim.iter(vim.tbl_keys(plans)):each(M.close)
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('claude_ide_chat_plan', { clear = true }),
  callback = function()
    for _, plan in pairs(plans) do
      local ok, text = pcall(buffer_text.get, plan.bufnr or -1)
      local last = ok and text or plan.last or plan.text
      answer(plan, { decision = 'revise', text = last })
    end
  end,
})

return M
