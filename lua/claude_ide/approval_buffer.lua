--- Texts in buffers that wait for the user's approval: an agent's plan, code for a kernel. The user may edit
--- them: writing one approves it, closing it does not.
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local colouring = require('claude_ide.colouring')
local decision = require('claude_ide.diff.decision')
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local location = require('claude_ide.window.location')
local looks = require('claude_ide.window.looks')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
local quiet = require('claude_ide.messages.quiet')
local reading = require('claude_ide.window.reading')
local ui = require('claude_ide.ui.vim_ui')
local visit = require('claude_ide.window.visit')
local winbar = require('claude_ide.window.winbar')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_approval')

local HIGHEST = 0.5 -- of the screen, for a split
local LOWEST = 5
local LONGEST = 40 -- columns of another way to approve
local OPTIONS = {
  conceallevel = 0,
  cursorbind = false,
  diff = false,
  foldenable = false,
  scrollbind = false,
  smoothscroll = true,
  winfixbuf = true,
  wrap = true,
}

---@class claude_ide.ApprovalKind
---@field buffer string the last folder of the buffers' full names
---@field keys string what the winbar says; `%s` is the other way to approve
---@field more_key string the mapping `<Plug>(…)` of the other way
---@field question string asks in words what is wrong, if the user has closed it
---@field is_prose boolean whether plugins may hide markup, and edits of a closed text say what is wrong; it
---  opens in a tab page, other texts in a split

---@type table<string, claude_ide.ApprovalKind>
local KINDS = {
  plan = {
    buffer = 'claude-plan',
    keys = ':w approve%s · :q keep planning',
    more_key = '<Plug>(claude-plan-accept-edits)',
    question = 'What should change in the plan? ',
    is_prose = true,
  },
  code = {
    buffer = 'claude-run',
    keys = ':w run%s · :q refuse',
    more_key = '<Plug>(claude-run-all)',
    question = 'Why should it not run? ',
    is_prose = false,
  },
}

---@class claude_ide.ApprovalRequest
---@field what 'plan'|'code' its name in messages
---@field label string the buffer's short name
---@field title string
---@field text string
---@field filetype string
---@field more? string the other way to approve it

---@class claude_ide.Approval: claude_ide.ApprovalRequest
---@field token integer
---@field kind claude_ide.ApprovalKind
---@field cancel fun() stops waiting for a moment to appear
---@field bufnr? integer
---@field view? claude_ide.Visit once shown
---@field reading? claude_ide.Reading how much of its text has been on the screen
---@field last? string its text when the buffer was unloaded

local pending = {} ---@type table<integer, claude_ide.Approval> by token

local function nothing() end

local function open_tabpage(view)
  local win = visit.new_tabpage(view)
  vim.wo[win].winfixbuf = false
  without_events.fill(function()
    api.nvim_win_set_buf(win, view.bufnr)
    return nil
  end)
  return win
end

-- A new tab page, if the one that the user is in has no room. A line may have many rows.
local function open_split(view)
  local most = math.floor(vim.o.lines * HIGHEST)
  local rows = float.rows(api.nvim_buf_get_lines(view.bufnr, 0, most, false), vim.o.columns) + 1
  local config = { split = 'below', win = -1, height = math.max(LOWEST, math.min(rows, most)) }
  local ok, win = pcall(api.nvim_open_win, view.bufnr, true, config)
  return ok and win or open_tabpage(view)
end

local owner = { group = 'proposal' }

function owner.open(view)
  local win = (view.is_prose and open_tabpage or open_split)(view)
  looks.set(win, OPTIONS)
  looks.set(win, view.is_prose and { breakindent = true, linebreak = true } or {})
  -- Otherwise CTRL-O would go to another buffer, such as the tab page's first, empty one.
  api.nvim_win_call(win, vim.cmd.clearjumps)
end

function owner.close(view)
  vim.iter(vim.fn.win_findbuf(view.bufnr)):each(window_close.window)
  window_close.buffer(view.bufnr)
end

function owner.has(view, win)
  return api.nvim_win_get_buf(win) == view.bufnr
end

function owner.has_opened(view, win)
  return api.nvim_win_is_valid(win) and owner.has(view, win)
end

---@param approval claude_ide.Approval
local function set_winbar(approval)
  highlights.define()
  local more = approval.more and (' · gA %s'):format(plain.fit(approval.more, LONGEST))
  local keys = approval.kind.keys:format(more or '')
  -- If there is no room for both, Neovim cuts the title.
  local bar = '%%#ClaudePlanTitle# %%<%s %%=%%#ClaudePlanKeys# %s '
  local title = plain.status_line(approval.title)
  winbar.set(api.nvim_get_current_win(), bar:format(title, plain.status_line(keys)), {
    chunks = function()
      return { { { (' %s '):format(keys), 'ClaudePlanKeys' } } }
    end,
  })
end

-- `when_ended` ends the user's mode, so it is only for a user who is still there: Neovim may have moved
-- them back already, and they may be typing there.
local function close_view(approval, after)
  local is_back = api.nvim_get_current_win() == approval.view.destination.win
  local is_there = visit.has_user(approval.view) and not is_back
  local when = is_there and moment.when_ended or moment.when_possible
  decision.close(approval.what, approval.view, when, after)
end

local function is_waiting(approval)
  return pending[approval.token] == approval
end

local function answer(approval, fields)
  pending[approval.token] = nil
  approval.cancel()
  moment.forget_typing()
  channel.emit('answered', vim.tbl_extend('error', { token = approval.token }, fields))
end

local function explain_end(approval)
  message.show(('this %s is no longer waiting for an answer'):format(approval.what), 'warn')
end

-- A buffer that is still modified after it was written has not been: `:x` and `:wq` close nothing.
local function stay_open(bufnr)
  vim.bo[bufnr].modified = true
  vim.schedule(function()
    if api.nvim_buf_is_valid(bufnr) then
      vim.bo[bufnr].modified = false
    end
  end)
end

---@type fun(approval: claude_ide.Approval, in_other_way: boolean)
local function approve(approval, in_other_way)
  if not is_waiting(approval) then
    return explain_end(approval)
  end
  local ok, text = pcall(buffer_text.get, approval.bufnr)
  local missing = reading.missing(approval.reading)
  if not ok then
    return message.show(('the %s cannot be read: %s'):format(approval.what, text), 'error')
  elseif missing then
    stay_open(approval.bufnr)
    return message.show(('not approved: %s'):format(missing), 'warn')
  end
  answer(
    approval,
    { decision = in_other_way and approval.more and 'approve_more' or 'approve', text = text }
  )
  close_view(approval)
end

local function ask_for_comments(approval)
  local function reject(comments)
    if is_waiting(approval) then
      answer(approval, { decision = 'reject', text = approval.last, comments = comments })
    elseif comments then
      explain_end(approval)
    end
  end
  -- Not immediately: the next keys were not meant for this question.
  approval.cancel = moment.when_free_for(('question about the %s'):format(approval.what), function()
    ui.from_here(function(answered)
      ui.input(approval.kind.question, '', function(comments)
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
  elseif approval.kind.is_prose and approval.last ~= approval.text then
    answer(approval, { decision = 'reject', text = approval.last })
  end
  vim.schedule(function()
    close_view(approval, function()
      if is_waiting(approval) then
        ask_for_comments(approval)
      end
    end)
  end)
end

local function fill(approval)
  decision.fill(approval.bufnr, approval.kind.buffer, approval.label, {
    text = function()
      return approval.text
    end,
    written = function()
      approve(approval, vim.v.cmdbang == 1)
    end,
    wiped = function()
      on_wiped(approval)
    end,
  })
  on('BufUnload', approval.bufnr, function()
    approval.last = buffer_text.get(approval.bufnr)
  end)
  if approval.more then
    vim.keymap.set('n', approval.kind.more_key, function()
      approve(approval, true)
    end, { buffer = approval.bufnr })
    plug.define(approval.bufnr, { 'n' }, 'gA', approval.kind.more_key, 'Approve it in another way')
  end
end

---@param approval claude_ide.Approval
local function show(approval)
  local bufnr, is_prose = approval.bufnr, approval.kind.is_prose
  quiet.run(function()
    fill(approval)
  end)
  approval.reading = reading.new(bufnr, is_prose)
  approval.view = visit.open(owner, { bufnr = bufnr, is_prose = is_prose })
  set_winbar(approval)
  colouring.set_filetype(bufnr, approval.filetype)
  local options = vim.bo[bufnr]
  options.bufhidden, options.swapfile, options.modifiable = 'wipe', false, false
  options.modified = false
  moment.guard(function()
    if api.nvim_buf_is_valid(bufnr) then
      options.modifiable = true
    end
  end)
end

local function appear(approval)
  approval.bufnr = quiet.run(function()
    return api.nvim_create_buf(false, true)
  end)
  local ok, reason = pcall(show, approval)
  if not ok then
    message.show(('the %s cannot be shown: %s'):format(approval.what, reason), 'error')
    answer(approval, { decision = 'reject', text = approval.text })
    if approval.view then
      return close_view(approval)
    end
    window_close.buffer(approval.bufnr)
  end
end

-- The user has asked to see it, so it need not wait until they are free.
local function show_now(approval)
  moment.when_harmless(function()
    location.leave_mode(function()
      if not is_waiting(approval) then
        return
      elseif approval.view then
        local win = vim.fn.win_findbuf(approval.bufnr)[1]
        return win and api.nvim_set_current_win(win)
      end
      approval.cancel()
      appear(approval)
    end)
  end, function(reason)
    message.show(reason, 'error')
  end)
end

--- Show a text at the next moment that takes nothing from the user. Called again with the same token,
--- show it immediately.
---
--- Emits `answered` {token, decision = 'approve'|'approve_more'|'reject', text, comments?}.
---@type fun(token: integer, request: claude_ide.ApprovalRequest)
function M.open(token, request)
  if pending[token] then
    return show_now(pending[token])
  end
  local fields = { token = token, kind = KINDS[request.what], cancel = nothing }
  local approval = vim.tbl_extend('error', request, fields) --[[@as claude_ide.Approval]]
  pending[token] = approval
  approval.cancel = moment.when_free_for(approval.what, function()
    appear(approval)
  end, nothing)
end

--- Whether a text is shown in its buffer, and all of it has been on the screen.
---@type fun(token: integer): boolean
function M.is_read(token)
  local approval = pending[token]
  return approval ~= nil
    and approval.view ~= nil
    and api.nvim_buf_is_valid(approval.bufnr)
    and not reading.missing(approval.reading)
end

--- Close a text that is no longer waiting for an answer. The user's edits are kept in another buffer.
---@param token integer
function M.close(token)
  local approval = pending[token]
  if not approval then
    return
  end
  pending[token] = nil
  approval.cancel()
  moment.forget_typing_to_claude()
  if approval.view and api.nvim_buf_is_valid(approval.bufnr) then
    decision.withdraw(approval.what, approval.view, approval.text, approval.title)
  end
end

--- Close all texts.
function M.close_all()
  vim.iter(vim.tbl_keys(pending)):each(M.close)
end

on('VimLeavePre', nil, function()
  for _, approval in pairs(pending) do
    local ok, text = pcall(buffer_text.get, approval.bufnr or -1)
    local last = ok and text or approval.last or approval.text
    answer(approval, { decision = 'reject', text = last })
  end
end)

return M
