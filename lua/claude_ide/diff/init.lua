--- Proposed changes: shown beside the file, decided by the user, and answered once.
local announce = require('claude_ide.messages.announce')
local autocommands = require('claude_ide.messages.autocommands')
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local buffers = require('claude_ide.file.buffers')
local channel = require('claude_ide.channel')
local decision = require('claude_ide.diff.decision')
local diff_winbar = require('claude_ide.diff.winbar')
local diff_windows = require('claude_ide.diff.windows')
local disk = require('claude_ide.file.disk')
local hunks = require('claude_ide.diff.hunks')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local own_options = require('claude_ide.own_options')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local NOTICED_MS = 400 -- on the screen: a key typed earlier was not meant for it
local NO_OFFER = 'only this edit can be accepted here (:help claude-ide-accept-edits)'

---@class claude_ide.DiffRequest
---@field path string the file to change
---@field old_path? string the file to compare it with, if it is another one
---@field where? { path: string, warning: string } the file as it is shown
---@field text string the proposed content
---@field title string who proposes it
---@field agent? string the agent's name, for the buffer
---@field layout 'tab'|'vertical'|'horizontal'|'inline' unless the option is a function
---@field original? integer the buffer to change, if the change is for a buffer and not for a file
---@field is_unsaved? boolean whether the text is for the file's buffer as it is, with unsaved changes
---@field pid? integer the process of the client that proposes it, if it is known
---@field hint? string what the user should know before deciding, for the winbar
---@field label? string what tells the client that proposes it from others
---@field why? string what the agent has said before
---@field is_reported? boolean whether the host will report if an accepted text was written
---@field more_keys? string[][] of the proposal, with their descriptions
---@field offer? string what its agent offers to allow from now on, together with it
---@field on_ready? fun(diff: claude_ide.Diff) called once the user can work on it

---@class claude_ide.Diff: claude_ide.DiffRequest
---@field id integer
---@field on_decided? fun(text?: string) gets the accepted text; without it, the host does
---@field cancel fun() stops waiting for a moment to appear
---@field position? integer[] its number among the waiting diffs, and their number
---@field saved? claude_ide.SavedText the file on disk when the diff was requested
---@field focus boolean whether it takes the user to it
---@field bufnr? integer the proposal
---@field view? claude_ide.DiffView once shown
---@field shown_at? integer nanoseconds: when it was shown
---@field is_ready? boolean whether it accepts the user's keys

---@type table<integer, claude_ide.Diff>
local diffs = {}

local function is_waiting(diff)
  return diffs[diff.id] == diff
end

local function announce_event(diff, event, accepted)
  local data = { id = diff.id, path = diff.path, bufnr = diff.bufnr, accepted = accepted }
  announce.event(event, data)
end

-- What follows when the windows of a diff are closed.
local function closing(diff, accepted)
  return function(is_closed)
    if is_closed and diff.is_ready then
      announce_event(diff, 'ClaudeDiffClosed', accepted)
    end
    -- Compiled code may keep the diff for as long as Neovim runs.
    diff.text, diff.saved = '', nil
  end
end

-- Whoever proposed the change writes the file next; let its buffer follow.
---@param how 'expect'|'follow'
local function expect_write(diff, how)
  if diff.saved then
    require('claude_ide.disk_changes.reload')[how](diff.path, diff.saved)
  end
end

-- The window bars count the diffs. Not synchronously: the caller may be inside an autocommand.
local redraw_counts = vim.schedule_wrap(function()
  if next(diffs) then
    vim.cmd.redrawstatus({ bang = true })
  end
end)

---@return claude_ide.Diff[] oldest first
local function ordered()
  local list = vim.tbl_values(diffs)
  table.sort(list, function(a, b)
    return a.id < b.id
  end)
  return list
end

local function count_changed()
  local list, labels = ordered(), {}
  for index, diff in ipairs(list) do
    diff.position, labels[index] = { index, #list }, diff.label or ''
  end
  vim.fn['claude_ide#status#Report']('diffs', labels)
  redraw_counts()
end

local function remove(diff)
  diffs[diff.id], diff.position = nil, nil
  diff.cancel()
  count_changed()
end

local function fail(diff, reason)
  remove(diff)
  channel.emit('diff_failed', { id = diff.id, message = vim.split(reason, '\n')[1] })
  if diff.view then
    decision.withdraw('diff', diff.view, diff.text, diff.path, closing(diff))
  elseif diff.bufnr then
    window_close.buffer(diff.bufnr)
  end
end

-- The text of an accepted diff, which is held from now on: the user's next keys may save the buffer, or leave
-- Neovim. The diff fails if the text cannot be read.
---@return string? text
local function hold_text(diff)
  local text, ok = diff.text, true
  if diff.bufnr then
    ok, text = pcall(hunks.text, diff.bufnr)
  end
  if not ok then
    fail(diff, text)
    return nil
  end
  expect_write(diff, 'expect')
  if text ~= diff.text and (diff.is_reported or not diff.original) then
    require('claude_ide.diff.accepted').hold(diff, text)
  end
  return text
end

-- The user may not know that `:e` in the window of a proposal rejects it.
local function report_replacement(diff)
  local win, original = diff.view.right, diff.view.original
  vim.schedule(function()
    local bufnr = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win)
    local name = bufnr and vim.fs.basename(vim.api.nvim_buf_get_name(bufnr)) or ''
    if bufnr ~= diff.bufnr and bufnr ~= original and name ~= '' then
      local edit = vim.fs.basename(diff.path)
      message.show(('edit of %s rejected: %s is in its window now'):format(edit, name), 'warn')
    end
  end)
end

-- Pass on the decision on a diff, whose windows are still open. `text` is the accepted one.
local function answer(diff, accepted, reason, text)
  local answered = { id = diff.id, accepted = accepted, path = diff.where.path }
  answered.comments = require('claude_ide.diff.comments').of(diff)
  if not accepted and (reason or '') ~= '' then
    answered.reason = reason
    answered.hunks = vim.tbl_map(function(hunk)
      return { hunk.now[1] + 1, math.max(hunk.now[1] + 1, hunk.now[2]) }
    end, diff.bufnr and hunks.list(diff.bufnr) or {})
  end
  if diff.on_decided then
    diff.on_decided(text)
  else
    answered.text = text
  end
  remove(diff)
  moment.forget_typing()
  channel.emit('diff_decided', answered)
end

-- One that has not appeared yet can be decided, too, but not accepted if the user has to see a warning.
local function decide(diff, accepted, reason)
  if not is_waiting(diff) then
    if accepted then
      message.show('this diff is no longer waiting for an answer', 'warn')
    end
    return
  elseif diff.bufnr and not diff.view then
    return
  elseif accepted and not diff.view and diff.where.warning ~= '' then
    return message.show(('%s: see it before you accept it'):format(diff.where.path), 'warn')
  elseif accepted and diff.view and hunks.are_all_dropped(diff.bufnr) then
    message.show('every hunk was dropped, so the edit is rejected', 'info')
    accepted = false
  end
  local text = accepted and hold_text(diff) or nil
  if accepted and not text then
    return
  end
  answer(diff, accepted, reason, text)
  if diff.view then
    if not accepted then
      report_replacement(diff)
    end
    local when = visit.has_user(diff.view) and moment.when_ended or moment.when_possible
    decision.close('diff', diff.view, when, closing(diff, accepted))
  end
end

local function when_ready(diff)
  if not (is_waiting(diff) and vim.api.nvim_buf_is_valid(diff.bufnr)) then
    return
  end
  quiet.run(function()
    vim.bo[diff.bufnr].modifiable = true
  end)
  diff.is_ready = true
  if diff.on_ready then
    diff.on_ready(diff)
  end
  local is_here = vim.fn.bufwinid(diff.bufnr) > 0
  channel.emit('diff_shown', { id = diff.id, is_here = is_here })
  announce_event(diff, 'ClaudeDiffOpened')
end

-- The state of a file, for the write that may follow.
local function saved_text(path)
  local bufnr = buffers.loaded(path)
  if bufnr and vim.bo[bufnr].modified then
    return require('claude_ide.disk_changes.reload').saved(path)
  end
  local lines = bufnr and vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
  return { stamp = disk.stamp(path), lines = lines }
end

---@class claude_ide.DiffVisitOwner: claude_ide.VisitOwner
local owner = { group = 'proposal', has = diff_windows.has, close = diff_windows.close }

-- Show a diff by the user's function; false, after a message, if that fails.
local function open_custom(view, show)
  local diff = view.diff
  local ok, reason = pcall(require('claude_ide.diff.custom').open, view, show)
  if not ok then
    diff_windows.close(view, true)
    local problem = plain.one_line(tostring(reason))
    message.show(('diff.layout: %s; the usual layout is used'):format(problem), 'error')
  end
  if not diff.focus or not ok then
    location.stay(view.origin, function() end)
  end
  if vim.api.nvim_buf_is_valid(diff.bufnr) then
    vim.bo[diff.bufnr].bufhidden = 'wipe'
  end
  return ok
end

function owner.open(view)
  local show = own_options.as_function('diff', 'layout')
  if not (show and open_custom(view, show)) then
    view.is_inline = view.diff.layout == 'inline'
    local layout = view.is_inline and require('claude_ide.diff.inline') or diff_windows
    layout.open(view)
  end
  diff_winbar.set(view)
end

function owner.has_opened(view, win)
  return vim.list_contains(view.opened, win)
end

-- If the user has put another buffer into the proposal's window, they are no longer in the diff.
function owner.has_user(view)
  local win = vim.api.nvim_get_current_win()
  return not view.is_left and (win ~= view.right or diff_windows.has(view, win))
end

local function show(diff)
  quiet.run(function()
    diff.bufnr = vim.api.nvim_create_buf(false, true)
    decision.propose(diff, function(accepted)
      decide(diff, accepted)
    end)
  end)
  local function open()
    return location.visit(diff.pid, function()
      local fields = { bufnr = diff.bufnr, diff = diff, opened = {}, used = {}, added = {} }
      local view = visit.open(owner, fields)
      view.is_left = not diff.focus
      return view
    end)
  end
  -- In the same tab page, the user's float would cover the diff.
  local leaves = diff.layout == 'tab' and diff.focus
  diff.view = leaves and location.leave(open) or open()
  if diff.view.are_large then
    -- Finding the hunks takes as long as all before.
    vim.cmd.redraw()
    redraw_counts()
  end
  local original = diff.view.original
  local old = hunks.track(diff.bufnr, original)
  -- The file may have been unloaded or unreadable when the diff was requested.
  if diff.saved and not diff.saved.lines then
    local is_file = original == buffers.loaded(diff.path) and not vim.bo[original].modified
    -- Reading the lines of a large buffer again takes longer than comparing them.
    diff.saved.lines = is_file and old or saved_text(diff.path).lines
  end
  decision.define_keys(diff)
  if diff.view.is_inline then
    require('claude_ide.diff.inline_marks').show(diff.bufnr, diff.view.right)
  end
  diff.shown_at = vim.uv.hrtime()
  if diff.focus then
    moment.guard(function()
      when_ready(diff)
    end)
  else
    when_ready(diff)
  end
end

--- Show a proposed change at the next moment that takes nothing from the user.
---
--- Emits `diff_shown` {id, is_here} once the user can work on it. Then emits either `diff_decided`
--- {id, accepted, path, text?, reason?, hunks?, comments} or `diff_failed` {id, message},
--- unless the diff is closed first.
---@param id integer
---@param request claude_ide.DiffRequest
---@param on_decided? fun(text?: string) called with the accepted text, which the host then does not
---   get; without a text if the diff is rejected
---@return { error: string }? refusal if the file cannot be shown; then no event is emitted
function M.open(id, request, on_decided)
  -- A buffer needs no file. Everything shows the path as it is from here on.
  local paths = { request.old_path or request.path, request.path }
  for _, path in ipairs(request.original and {} or paths) do
    local ok, checked = pcall(borrowed_buffer.check, path)
    if not ok then
      return { error = checked }
    end
    request.path = checked
  end
  -- Vimscript may write the option as a number.
  local focus = own_options.get('diff', 'focus')
  local diff = vim.tbl_extend('force', request, {
    id = id,
    on_decided = on_decided,
    -- The host knows nothing of a rewrite of a buffer, for which no file will be written.
    where = request.where or { path = vim.fn.fnamemodify(request.path, ':~:.'), warning = '' },
    saved = not request.original and saved_text(request.path) or nil,
    focus = focus ~= false and focus ~= 0,
  }) --[[@as claude_ide.Diff]]
  diffs[id] = diff
  count_changed()
  local function open()
    show(diff)
  end
  local function on_error(reason)
    fail(diff, reason)
  end
  -- A diff that leaves the user where they are need not wait until they can be taken elsewhere.
  local what = ('edit of %s'):format(vim.fs.basename(diff.path))
  diff.cancel = diff.focus and moment.when_free_for(what, open, on_error)
    or moment.when_harmless(open, on_error)
end

--- Close a diff that was decided elsewhere, or that is no longer needed.
---@param id integer
function M.close(id)
  local diff = diffs[id]
  if not diff then
    return
  end
  remove(diff)
  moment.forget_typing_to_claude()
  local comments = package.loaded['claude_ide.diff.comments']
  local said = comments and comments.of(diff) or {}
  if #said > 0 then
    channel.emit('commented', { path = diff.where.path, comments = said })
  end
  -- The user may have accepted it in the terminal, which does not report it.
  expect_write(diff, 'follow')
  if diff.view then
    decision.withdraw('diff', diff.view, diff.text, diff.path, closing(diff))
  end
end

--- Close all diffs.
function M.close_all()
  vim.iter(vim.tbl_keys(diffs)):each(M.close)
end

--- The diffs that wait for a decision, ordered by id.
---@return { id: integer, path: string, title: string, shown: boolean }[] shown: whether it accepts keys
function M.list()
  return vim.tbl_map(function(diff)
    return { id = diff.id, path = diff.path, title = diff.title, shown = diff.is_ready == true }
  end, ordered())
end

--- The id of the diff to which a window belongs.
---@type fun(win: integer): integer?
function M.in_window(win)
  for id, diff in pairs(diffs) do
    if diff.view and diff_windows.has(diff.view, win) then
      return id
    end
  end
end

--- The path of the file of a proposal that takes comments, because an agent waits for the decision.
---@type fun(bufnr: integer): string?
function M.commentable(bufnr)
  for _, diff in pairs(diffs) do
    if diff.bufnr == bufnr and diff.view and not diff.on_decided then
      return diff.path
    end
  end
end

-- Call `apply` with the diff that the user means: that of the current window, else the only one, else the one
-- that they choose.
local function with_chosen(apply)
  local win = vim.api.nvim_get_current_win()
  local shown = vim.tbl_filter(function(diff)
    return diff.view ~= nil
  end, ordered())
  local here = vim.iter(shown):find(function(diff)
    return diff_windows.has(diff.view, win)
  end)
  if here or #shown == 1 then
    return apply(here or shown[1])
  elseif #shown == 0 then
    return message.show('no diff is open', 'warn')
  end
  local names = vim.tbl_map(function(diff)
    return ('%s (%s)'):format(vim.fn.fnamemodify(diff.path, ':~:.'), diff.title)
  end, shown)
  require('claude_ide.ui.vim_ui').select('Which diff?', names, function(index)
    if index then
      apply(shown[index])
    end
  end)
end

-- A diff that takes the user to it discards their keys until then.
local function is_noticed(diff)
  return diff.is_ready and (diff.focus or (vim.uv.hrtime() - diff.shown_at) / 1e6 >= NOTICED_MS)
end

--- Accept or reject the diff that the user means (`with_chosen`). A key that was typed before they could
--- notice it accepts nothing.
---@type fun(accepted: boolean, reason?: string)
function M.decide(accepted, reason)
  with_chosen(function(diff)
    if not accepted or is_noticed(diff) then
      decide(diff, accepted, reason)
    end
  end)
end

--- The diffs in the current tab page, as one.
---@return { since: integer, is_here: boolean, answer: fun(accepted: boolean, reason?: string) }?
function M.awaiting()
  local current, since, is_here = vim.api.nvim_get_current_win(), math.huge, false
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    for _, diff in pairs(diffs) do
      if diff.shown_at and diff_windows.has(diff.view, win) then
        since, is_here = math.min(since, diff.shown_at), is_here or win == current
      end
    end
  end
  return since < math.huge and { since = since, is_here = is_here, answer = M.decide } or nil
end

--- Offer to accept a proposal together with the edits that follow it.
---@param id integer
---@param what string what that allows
function M.offer(id, what)
  if diffs[id] then
    diffs[id].offer = what
    redraw_counts()
  end
end

--- Accept the diff that the user means (`with_chosen`) and the edits that follow it, if its agent offers
--- that: see `M.offer`. The host then calls `M.accept`.
---
--- Emits `diff_accept_edits` {id}.
function M.accept_edits()
  with_chosen(function(diff)
    if not diff.offer then
      message.show(NO_OFFER, 'warn')
    elseif is_noticed(diff) then
      channel.emit('diff_accept_edits', { id = diff.id })
    end
  end)
end

--- Accept a proposal with its current text.
---@param id integer
function M.accept(id)
  if diffs[id] then
    decide(diffs[id], true)
  end
end

--- Accept or reject all proposals, also those that wait for a moment to appear.
---@type fun(accepted: boolean, reason?: string)
function M.decide_all(accepted, reason)
  if next(diffs) == nil then
    message.show('no diff is waiting', 'warn')
  end
  for _, diff in ipairs(ordered()) do
    decide(diff, accepted, reason)
  end
end

autocommands.group('claude_ide_diff')('VimLeavePre', nil, function()
  for _, diff in pairs(diffs) do
    channel.emit('diff_decided', { id = diff.id, accepted = false })
  end
end)

return M
