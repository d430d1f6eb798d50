--- Proposed changes: shown beside the file, decided by the user, answered once.
local accepted_text = require('claude_ide.diff.accepted')
local announce = require('claude_ide.say.announce')
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local folders = require('claude_ide.file.folders')
local layout = require('claude_ide.diff.layout')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local place = require('claude_ide.window.place')
local plain = require('claude_ide.say.plain')
local proposal = require('claude_ide.diff.proposal')
local quiet = require('claude_ide.say.quiet')
local reload = require('claude_ide.disk.reload')
local rewrite = require('claude_ide.question.rewrite')
local waiting = require('claude_ide.diff.waiting')
local whereabouts = require('claude_ide.file.whereabouts')
local window_close = require('claude_ide.window.close')

local M = {}

---@class claude_ide.DiffRequest
---@field path string of the file
---@field old_path? string what it was asked to be compared with, if another one
---@field text string what it would become
---@field title string who proposes it
---@field layout 'tab'|'vertical'|'horizontal'
---@field original? integer the buffer that it is for, when no file is going to be written
---@field rewrite? integer the question that takes what is accepted (`question/rewrite.lua`)
---@field is_reported? boolean whether the host will say what became of an accepted text

---@class claude_ide.Diff: claude_ide.DiffRequest
---@field id integer
---@field cancel fun() no longer waits for the moment to appear
---@field saved? claude_ide.SavedText of the file that will be written, when the diff was asked for
---@field where { path: string, warning: string } the file as the user knows it
---@field bufnr? integer the proposal
---@field view? claude_ide.DiffView once shown
---@field is_ready? boolean whether the user's keys get to it

---@type table<integer, claude_ide.Diff>
local diffs = {}

---@param diff claude_ide.Diff
---@param event string
---@param accepted? boolean
local function tell(diff, event, accepted)
  announce.event(event, {
    id = diff.id,
    path = diff.path,
    bufnr = diff.bufnr,
    accepted = accepted,
  })
end

-- Never at once: inside the `:wq` that decides, closing a window would make Neovim quit another.
local function close_view(diff, when, accepted)
  when(function()
    if accepted == nil then
      proposal.keep_edits(diff)
    end
    layout.close(diff.view)
    if diff.is_ready then
      tell(diff, 'ClaudeDiffClosed', accepted)
    end
  end, function(reason)
    message.show(('the diff cannot be closed: %s'):format(reason), 'error')
  end)
end

-- Who proposes a change of a file writes it next.
local function expect_write(diff, expect)
  if diff.saved then
    expect(diff.path, diff.saved)
  end
end

local function locate(diff)
  local where = whereabouts.of(diff.path, folders.all())
  if diff.original then
    -- Nothing is written.
    where.warning = ''
  end
  return where
end

local function forget(diff)
  diffs[diff.id] = nil
  diff.cancel()
end

local function fail(diff, reason)
  forget(diff)
  channel.emit('diff_failed', { id = diff.id, message = vim.split(reason, '\n')[1] })
  if diff.view then
    close_view(diff, moment.when_possible)
  elseif diff.bufnr then
    window_close.buffer(diff.bufnr)
  end
end

-- Keep the accepted text and pass it on, at once: the user's next keys may save the buffer, or leave
-- Neovim. The diff fails where it cannot be read.
---@return string?
local function pass_on(diff)
  local ok, text = pcall(buffer_text.get, diff.bufnr)
  if not ok then
    fail(diff, text)
    return nil
  end
  expect_write(diff, reload.expect)
  if not diff.original then
    accepted_text.hold(diff, text)
  end
  if diff.rewrite then
    rewrite.apply(diff.rewrite, text)
  end
  return text
end

---@param diff claude_ide.Diff
---@param accepted boolean
---@param reason? string why not
local function decide(diff, accepted, reason)
  if diffs[diff.id] ~= diff then
    if accepted then
      message.show('this diff is no longer waiting for an answer', 'warn')
    end
    return
  elseif not diff.view then
    return
  end
  local text = accepted and pass_on(diff) or nil
  if accepted and not text then
    return
  end
  local answer = { id = diff.id, accepted = accepted, reason = reason, text = text }
  forget(diff)
  channel.emit('diff_decided', answer)
  local when = layout.has_user(diff.view) and moment.when_ended or moment.when_possible
  close_view(diff, when, accepted)
end

local function when_ready(diff)
  if diffs[diff.id] ~= diff or not vim.api.nvim_buf_is_valid(diff.bufnr) then
    return
  end
  quiet.run(function()
    vim.bo[diff.bufnr].modifiable = true
  end)
  diff.is_ready = true
  channel.emit('diff_shown', { id = diff.id })
  tell(diff, 'ClaudeDiffOpened')
end

local function show(diff)
  quiet.run(function()
    diff.bufnr = vim.api.nvim_create_buf(false, true)
    proposal.fill(diff, function(accepted)
      decide(diff, accepted)
    end)
  end)
  local function open()
    return layout.open(diff)
  end
  -- In the same tab page a float would cover the diff.
  diff.view = diff.layout == 'tab' and place.leave(open) or open()
  -- Not loaded until now, or asked for in a moment in which the file could not be read.
  if diff.saved then
    diff.saved.lines = diff.saved.lines or reload.saved(diff.path).lines
  end
  moment.guard(function()
    when_ready(diff)
  end)
end

-- The path as everything shows it from here on. A buffer that has no file needs none.
local function check(request)
  if request.original then
    return
  elseif request.old_path then
    borrowed_buffer.check(request.old_path)
  end
  request.path = borrowed_buffer.check(request.path)
end

--- Show a proposed change at the next moment that takes nothing from the user.
---
--- Emits `diff_shown` {id} when they can work on it. Emits `diff_decided` {id, accepted, text?} or
--- `diff_failed` {id, message}, once, unless it is closed before.
---@param id integer
---@param request claude_ide.DiffRequest
---@return { error: string }? refusal when its file cannot be shown: nothing is emitted then
function M.open(id, request)
  local ok, refusal = pcall(check, request)
  if not ok then
    return { error = refusal }
  end
  local diff = vim.tbl_extend('error', request, { id = id })
  diff.saved = not diff.original and reload.saved(diff.path) or nil
  diff.where = locate(diff)
  diffs[id] = diff
  local what = ('edit of %s'):format(vim.fs.basename(diff.path))
  diff.cancel = waiting.when_free(what, function()
    show(diff)
  end, function(reason)
    fail(diff, reason)
  end)
end

--- Take a diff away that was decided elsewhere, or that nobody waits for any more.
---@param id integer
function M.close(id)
  local diff = diffs[id]
  if not diff then
    return
  end
  forget(diff)
  -- Who has accepted it in the terminal does not say so here.
  expect_write(diff, reload.follow)
  if not diff.view then
    return
  end
  if not layout.has_user(diff.view) then
    return close_view(diff, moment.when_harmless)
  end
  -- Taken back to where they were, the user may be typing on.
  close_view(diff, function(close, on_error)
    moment.when_free(function()
      close()
      moment.guard(function() end)
    end, on_error)
  end)
end

--- Take all diffs away.
function M.close_all()
  for _, id in ipairs(vim.tbl_keys(diffs)) do
    M.close(id)
  end
end

--- The diffs that wait for a decision, by id.
---@return { id: integer, path: string, title: string, shown: boolean }[] shown: takes keys
function M.list()
  local list = {}
  for id, diff in vim.spairs(diffs) do
    local shown = diff.is_ready == true
    table.insert(list, { id = id, path = diff.path, title = diff.title, shown = shown })
  end
  return list
end

local function ask(shown, act)
  vim.ui.select(shown, {
    prompt = 'Which diff?',
    format_item = function(diff)
      local name = vim.fn.fnamemodify(diff.path, ':~:.')
      return plain.one_line(('%s (%s)'):format(name, diff.title))
    end,
  }, function(diff)
    if diff then
      act(diff)
    end
  end)
end

-- The diff that a command means: this window's, else the only one, else the user's choice.
local function choose(id, act)
  if diffs[id] then
    return act(diffs[id])
  end
  local here = vim.api.nvim_get_current_win()
  local shown = vim.tbl_filter(function(diff)
    return diff.view ~= nil
  end, vim.tbl_values(diffs))
  table.sort(shown, function(a, b)
    return a.id < b.id
  end)
  for _, diff in ipairs(shown) do
    if layout.has_window(diff.view, here) then
      return act(diff)
    end
  end
  if #shown > 1 then
    ask(shown, act)
  elseif shown[1] then
    act(shown[1])
  else
    message.show('no diff is open', 'warn')
  end
end

--- Accept what a proposal holds now.
---@param id? integer
function M.accept(id)
  choose(id, function(diff)
    decide(diff, true)
  end)
end

--- Reject a proposal; the reason is told where whoever proposes it takes one.
---@param id? integer
---@param reason? string
function M.reject(id, reason)
  choose(id, function(diff)
    decide(diff, false, reason)
  end)
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('claude_ide_diff', { clear = true }),
  callback = function()
    for _, diff in pairs(diffs) do
      channel.emit('diff_decided', { id = diff.id, accepted = false })
    end
  end,
})

return M
