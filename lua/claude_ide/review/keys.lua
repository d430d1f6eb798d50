--- The keys in the quickfix window while it shows a review.
local announce = require('claude_ide.messages.announce')
local commenting = require('claude_ide.review.commenting')
local current = require('claude_ide.review.current')
local file_load = require('claude_ide.file.load')
local float = require('claude_ide.window.float')
local list = require('claude_ide.review.list')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local record = require('claude_ide.review.record')
local revert = require('claude_ide.review.revert')
local review_hunks = require('claude_ide.review.hunks')
local unseen = require('claude_ide.unseen')
local vim_ui = require('claude_ide.ui.vim_ui')

local M = {}

local function noun(count)
  return count == 1 and '1 change' or ('%d changes'):format(count)
end

local function report(result, wanted)
  local parts = vim.list_extend({}, result.notes)
  if #result.done > 0 then
    local form = wanted == 'reverted' and 'reverted %s; u restores' or 'restored %s'
    table.insert(parts, 1, form:format(noun(#result.done)))
  end
  if #parts > 0 then
    message.show(table.concat(parts, '; '), #result.notes > 0 and 'warn' or 'info')
  end
end

local function announce_each(hunks, wanted)
  local counts = {}
  for _, hunk in ipairs(hunks) do
    counts[hunk.file.path] = (counts[hunk.file.path] or 0) + 1
  end
  for path, count in pairs(counts) do
    local data = { path = path, hunks = count, reverted = wanted == 'reverted' }
    announce.event('ClaudeChangesReverted', data)
  end
end

---@param wanted 'reverted'|'present'
local function bring(review, hunks, wanted)
  revert.bring(hunks, wanted, function(result)
    record.add(review.source, result.done)
    list.refresh(review)
    report(result, wanted)
    announce_each(result.done, wanted)
  end)
end

-- The lines that a key applies to: a count or the Visual area.
local function span()
  local line = vim.fn.line('.')
  if vim.fn.mode():find('[vV\22]') then
    local other = vim.fn.line('v')
    vim.cmd('normal! \27')
    return math.min(line, other), math.max(line, other)
  end
  return line, line + vim.v.count1 - 1
end

local function on_hunks(wanted)
  return function()
    local review = list.current()
    if review then
      local hunks = list.hunks(review, span())
      bring(review, hunks, wanted)
    end
  end
end

-- The lines of hunks lose their signs. A hunk without lines has its sign at the line above.
local function remove_signs(hunks)
  local comparisons = {}
  for _, hunk in ipairs(hunks) do
    local comparison = comparisons[hunk.file] or current.compared(hunk.file)
    comparisons[hunk.file] = comparison
    local place = review_hunks.find(hunk, comparison)
    local first = place.first < place.last and place.first or math.max(place.first - 1, 0)
    if comparison.now and place.state == 'present' then
      unseen.see_in(hunk.file.path, comparison.now.lines, first, math.max(place.last, first + 1))
    end
  end
end

local function mark_seen()
  local review = list.current()
  if review then
    local hunks = list.hunks(review, span())
    record.mark_seen(review.source, hunks)
    if unseen.is_on() then
      remove_signs(hunks)
    end
    list.refresh(review)
  end
end

-- The lines of a hunk in the present text of its buffer, which is loaded.
---@return integer? bufnr
---@return integer|string first row, 0-based; a message if the file cannot be opened
---@return integer? last exclusive
local function lines_of(hunk)
  local comparison = current.compared(hunk.file)
  if not comparison.now then
    return nil, ('%s does not exist'):format(hunk.file.name)
  end
  local bufnr, refusal = file_load.add(hunk.file.path)
  local _, failure = nil, refusal
  if bufnr then
    _, failure = file_load.hidden(bufnr)
  end
  if not bufnr or failure then
    return nil, failure or ''
  end
  local place, count = review_hunks.find(hunk, comparison), vim.api.nvim_buf_line_count(bufnr)
  local first = math.min(place.first, count - 1)
  return bufnr, first, math.max(first + 1, math.min(place.last, count))
end

local function comment()
  local review = list.current()
  local hunk = review and list.hunks(review, span())[1]
  if not hunk then
    return
  end
  vim_ui.input('Comment: ', '', function(words)
    if not words or not words:find('%S') then
      return
    end
    local bufnr, first, last = lines_of(hunk)
    if not bufnr then
      return message.show(first --[[@as string]], 'warn')
    end
    commenting.comment(bufnr, first --[[@as integer]], last --[[@as integer]], words)
  end)
end

local KEYS = {
  { 'x', 'revert', 'Revert the change', on_hunks('reverted') },
  { 'u', 'restore', 'Restore a reverted change', on_hunks('present') },
  { 's', 'seen', 'Mark the change as seen', mark_seen },
  { 'c', 'comment', 'Comment on the change', comment },
}

local HELP = {
  ' <CR>  Go to the change ',
  ' x     Revert the change, or those in a range ',
  ' u     Restore a reverted change ',
  ' s     Mark the change as seen ',
  ' c     Tell the agent something about it ',
  ' g?    Show these keys ',
}

local function show_keys()
  local origin = location.current()
  float.show(HELP, { title = 'Keys', keys = { 'g?' }, zindex = 80 })
  location.return_on_close(vim.api.nvim_get_current_win(), origin)
end

local attached = {} ---@type table<integer, table[]> replaced maps by buffer

local function set(bufnr, replaced, mode, key, right, options)
  local known = vim.fn.maparg(key, mode, false, true)
  if known.buffer == 1 then
    table.insert(replaced, known)
  end
  vim.keymap.set(mode, key, right, vim.tbl_extend('error', { buffer = bufnr }, options))
end

--- Define the keys in the quickfix window's buffer, which is the current one.
---@param bufnr integer
function M.attach(bufnr)
  if attached[bufnr] then
    return
  end
  local replaced = {}
  for _, each in ipairs(KEYS) do
    local key, name, desc, run = unpack(each)
    local plug = ('<Plug>(claude-changes-%s)'):format(name)
    for _, mode in ipairs({ 'n', 'x' }) do
      set(bufnr, {}, mode, plug, run, { desc = desc })
      set(bufnr, replaced, mode, key, plug, { desc = desc, remap = true, nowait = true })
    end
  end
  set(bufnr, replaced, 'n', 'g?', show_keys, { desc = 'Show these keys', nowait = true })
  attached[bufnr] = replaced
end

--- Remove the keys, and bring back those that they had replaced.
---@param bufnr integer
function M.detach(bufnr)
  local replaced = attached[bufnr]
  if not replaced then
    return
  end
  attached[bufnr] = nil
  for _, each in ipairs(KEYS) do
    for _, mode in ipairs({ 'n', 'x' }) do
      pcall(vim.keymap.del, mode, each[1], { buffer = bufnr })
      pcall(vim.keymap.del, mode, ('<Plug>(claude-changes-%s)'):format(each[2]), { buffer = bufnr })
    end
  end
  pcall(vim.keymap.del, 'n', 'g?', { buffer = bufnr })
  vim.api.nvim_buf_call(bufnr, function()
    for _, map in ipairs(replaced) do
      pcall(vim.fn.mapset, map)
    end
  end)
end

return M
