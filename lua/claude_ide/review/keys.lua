--- The keys in the quickfix window while it shows a review.
local announce = require('claude_ide.say.announce')
local float = require('claude_ide.window.float')
local list = require('claude_ide.review.list')
local location = require('claude_ide.window.location')
local message = require('claude_ide.say.message')
local record = require('claude_ide.review.record')
local revert = require('claude_ide.review.revert')

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

local KEYS = {
  { 'x', 'revert', 'Revert the change', on_hunks('reverted') },
  { 'u', 'restore', 'Restore a reverted change', on_hunks('present') },
}

local HELP = {
  ' <CR>  Go to the change ',
  ' x     Revert the change, or those in a range ',
  ' u     Restore a reverted change ',
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
