--- A text in a buffer that waits for the user's approval. They may edit it: writing it approves, closing
--- it does not.
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.diff.decision')
local kept = require('claude_ide.file.kept')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local quiet = require('claude_ide.messages.quiet')
local reading = require('claude_ide.window.reading')
local ui = require('claude_ide.ui.vim_ui')
local visit = require('claude_ide.window.visit')
local waiting = require('claude_ide.diff.waiting')
local window_close = require('claude_ide.window.close')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_approval', { clear = true })

--- What the approvals of one kind have in common.
---@class claude_ide.ApprovalKind
---@field noun string its name in messages, such as "plan"
---@field buffer string the last folder of the buffers' full names
---@field label fun(request: table): string the buffers' short name
---@field filetype fun(request: table): string
---@field open fun(bufnr: integer, request: table): claude_ide.ApprovalView shows the buffer, and enters it
---@field question string asks in words what is wrong, if the user has closed it
---@field question_name string how a message names this question
---@field approves string the decision when it is written
---@field approves_more string the decision when it is approved in the other way
---@field rejects string the decision when it is closed
---@field more_key string the mapping `<Plug>(…)` of the other way
---@field is_markup? boolean whether plugins may hide markup of the text
---@field edits_say_why boolean whether the user's edits in a closed text say what is wrong

---@class claude_ide.ApprovalRequest
---@field title string
---@field text string
---@field more? string the other way to approve it

---@class claude_ide.ApprovalView: claude_ide.Visit
---@field bufnr integer

---@class claude_ide.Approval: claude_ide.ApprovalRequest
---@field token integer
---@field cancel fun() stops waiting for a moment to appear
---@field bufnr? integer
---@field view? claude_ide.ApprovalView once shown
---@field reading? claude_ide.Reading how much of its text has been on the screen
---@field last? string its text when the buffer was unloaded

---@class claude_ide.Approvals
---@field open fun(token: integer, request: claude_ide.ApprovalRequest) shows a text at the next moment
---  that takes nothing from the user; called again with the same token, immediately. Emits `answered`
---  {token, decision, text, comments?}
---@field is_read fun(token: integer): boolean whether a text is shown, and all of it has been on the screen
---@field close fun(token: integer) closes one that is no longer waiting for an answer. The user's edits are
---  kept in another buffer
---@field close_all fun()

local function nothing() end

-- Never synchronously: inside the `:wq` that decides, closing a window would make Neovim quit another
-- one.
local function close_view(kind, approval, when, after)
  when(function()
    visit.close(approval.view)
    after()
  end, function(reason)
    message.show(('the %s cannot be closed: %s'):format(kind.noun, reason), 'error')
    after()
  end)
end

-- `when_ended` ends the user's mode, so it is only for a user who is still there: Neovim may have moved
-- them back already, and they may be typing there.
local function when_closable(approval)
  local is_back = vim.api.nvim_get_current_win() == approval.view.destination.win
  local is_there = visit.has_user(approval.view) and not is_back
  return is_there and moment.when_ended or moment.when_possible
end

local function enter(view)
  local win = vim.fn.win_findbuf(view.bufnr)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  end
end

local function set_options(kind, approval)
  colouring.set_filetype(approval.bufnr, kind.filetype(approval))
  local options = vim.bo[approval.bufnr]
  options.bufhidden, options.swapfile, options.modifiable = 'wipe', false, false
  options.modified = false
end

-- A buffer that is still modified after it was written has not been: `:x` and `:wq` close nothing.
local function stay_open(bufnr)
  vim.bo[bufnr].modified = true
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.bo[bufnr].modified = false
    end
  end)
end

local function map_more(kind, approval, approve)
  local options = { buffer = approval.bufnr, desc = 'Approve it in another way' }
  vim.keymap.set('n', kind.more_key, approve, options)
  if vim.fn.hasmapto(kind.more_key, 'n') == 0 then
    vim.keymap.set('n', 'gA', kind.more_key, vim.tbl_extend('error', options, { remap = true }))
  end
end

--- The approvals of one kind.
---@param kind claude_ide.ApprovalKind
---@return claude_ide.Approvals
function M.new(kind)
  ---@type table<integer, claude_ide.Approval> by token
  local pending = {}
  local approvals = {}

  local function is_waiting(approval)
    return pending[approval.token] == approval
  end

  local function answer(approval, fields)
    pending[approval.token] = nil
    approval.cancel()
    channel.emit('answered', vim.tbl_extend('error', { token = approval.token }, fields))
  end

  local function explain_end()
    message.show(('this %s is no longer waiting for an answer'):format(kind.noun), 'warn')
  end

  local function approve(approval, how)
    if not is_waiting(approval) then
      return explain_end()
    end
    local ok, text = pcall(buffer_text.get, approval.bufnr)
    if not ok then
      return message.show(('the %s cannot be read: %s'):format(kind.noun, text), 'error')
    end
    local missing = reading.missing(approval.reading)
    if missing then
      stay_open(approval.bufnr)
      return message.show(('not approved: %s'):format(missing), 'warn')
    end
    answer(approval, { decision = how, text = text })
    moment.forget_typing()
    close_view(kind, approval, when_closable(approval), nothing)
  end

  local function ask_for_comments(approval)
    local function reject(comments)
      if is_waiting(approval) then
        local fields = { decision = kind.rejects, text = approval.last, comments = comments }
        answer(approval, fields)
        moment.forget_typing()
      elseif comments then
        explain_end()
      end
    end
    -- Not immediately: the next keys were not meant for this question.
    approval.cancel = waiting.when_free(kind.question_name, function()
      ui.from_here(function(answered)
        ui.input(kind.question, '', function(comments)
          answered()
          reject(comments ~= '' and comments or nil)
        end, true)
      end, approval.view.destination)
    end, function()
      reject(nil)
    end)
  end

  local function on_wiped(approval)
    if not (is_waiting(approval) and approval.view) then
      return
    elseif kind.edits_say_why and approval.last ~= approval.text then
      answer(approval, { decision = kind.rejects, text = approval.last })
    end
    vim.schedule(function()
      close_view(kind, approval, when_closable(approval), function()
        if is_waiting(approval) then
          ask_for_comments(approval)
        end
      end)
    end)
  end

  local function approve_more(approval)
    approve(approval, approval.more and kind.approves_more or kind.approves)
  end

  local function fill(approval)
    label.give(approval.bufnr, kind.buffer, kind.label(approval))
    decision.fill(approval.bufnr, approval.text, {
      written = function()
        local decide = vim.v.cmdbang == 1 and approve_more or approve
        decide(approval, kind.approves)
      end,
      wiped = function()
        on_wiped(approval)
      end,
    })
    vim.api.nvim_create_autocmd('BufUnload', {
      group = augroup,
      buffer = approval.bufnr,
      callback = function()
        approval.last = buffer_text.get(approval.bufnr)
      end,
    })
    if approval.more then
      map_more(kind, approval, function()
        approve_more(approval)
      end)
    end
  end

  local function show(approval)
    quiet.run(function()
      approval.bufnr = vim.api.nvim_create_buf(false, true)
      fill(approval)
    end)
    approval.reading = reading.new(approval.bufnr, kind.is_markup)
    approval.view = kind.open(approval.bufnr, approval)
    set_options(kind, approval)
    moment.guard(function()
      if vim.api.nvim_buf_is_valid(approval.bufnr) then
        vim.bo[approval.bufnr].modifiable = true
      end
    end)
  end

  local function fail(approval, reason)
    message.show(('the %s cannot be shown: %s'):format(kind.noun, reason), 'error')
    answer(approval, { decision = kind.rejects, text = approval.text })
    if approval.view then
      close_view(kind, approval, when_closable(approval), nothing)
    elseif approval.bufnr then
      window_close.buffer(approval.bufnr)
    end
  end

  local function appear(approval)
    local ok, reason = pcall(show, approval)
    if not ok then
      fail(approval, reason)
    end
  end

  -- The user has asked to see it, so it need not wait until they are free.
  local function show_now(approval)
    moment.when_harmless(function()
      location.leave_mode(function()
        if not is_waiting(approval) then
          return
        elseif approval.view then
          return enter(approval.view)
        end
        approval.cancel()
        appear(approval)
      end)
    end, function(reason)
      message.show(reason, 'error')
    end)
  end

  function approvals.open(token, request)
    if pending[token] then
      return show_now(pending[token])
    end
    local fields = { token = token, cancel = nothing }
    local approval = vim.tbl_extend('error', request, fields) --[[@as claude_ide.Approval]]
    pending[token] = approval
    approval.cancel = waiting.when_free(kind.noun, function()
      appear(approval)
    end, nothing)
  end

  function approvals.is_read(token)
    local approval = pending[token]
    return approval ~= nil
      and approval.view ~= nil
      and vim.api.nvim_buf_is_valid(approval.bufnr)
      and not reading.missing(approval.reading)
  end

  function approvals.close(token)
    local approval = pending[token]
    if not approval then
      return
    end
    pending[token] = nil
    approval.cancel()
    moment.forget_typing_to_claude()
    if not (approval.view and vim.api.nvim_buf_is_valid(approval.bufnr)) then
      return
    end
    local function close(when, after)
      close_view(kind, approval, function(fn, on_error)
        when(function()
          kept.keep_edits(approval.bufnr, approval.text, approval.title)
          fn()
        end, on_error)
      end, after)
    end
    if not visit.has_user(approval.view) then
      return close(moment.when_harmless, nothing)
    end
    -- The user, moved back to where they were, may still be typing for it.
    close(moment.when_free, function()
      moment.guard(nil, true)
    end)
  end

  function approvals.close_all()
    vim.iter(vim.tbl_keys(pending)):each(approvals.close)
  end

  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('claude_ide_approval_' .. kind.buffer, { clear = true }),
    callback = function()
      for _, approval in pairs(pending) do
        local ok, text = pcall(buffer_text.get, approval.bufnr or -1)
        local last = ok and text or approval.last or approval.text
        answer(approval, { decision = kind.rejects, text = last })
      end
    end,
  })

  return approvals
end

return M
