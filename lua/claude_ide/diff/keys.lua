--- The keys of a proposal: from hunk to hunk, to drop or take them, and to accept more than it. Dropped hunks
--- are marked: their lines are like those of the file.
local hunks = require('claude_ide.diff.hunks')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_dropped')

local OTHERS = {
  { 'u', 'Undo a decision or a change' },
  { ':w', 'Accept what stands' },
  { ':q', 'Reject' },
  { ':ClaudeComment', 'Comment on the hunk' },
  { 'g?', 'Show these keys' },
}

local is_dropping, is_of_selection = false, false -- what the operator does

local function has_hunks(bufnr)
  local is_proposal = hunks.is_tracked(bufnr)
  if not is_proposal then
    message.show('no proposed edit is here', 'warn')
  end
  return is_proposal
end

local function show_row(win, row)
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  api.nvim_win_set_cursor(win, { math.min(row + 1, count), 0 })
  -- Dropped lines are like the old ones, so they may be in a fold.
  api.nvim_win_call(win, function()
    vim.cmd('normal! zv')
  end)
end

local function go_to(bufnr, hunk)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.wo[win].diff and api.nvim_win_get_buf(win) ~= bufnr then
      show_row(win, hunk.old[1])
    end
  end
  -- Last: 'cursorbind' has moved this cursor with the others.
  show_row(api.nvim_get_current_win(), hunks.row(bufnr, hunk))
end

local function move(is_forward)
  local bufnr, row = api.nvim_get_current_buf(), vim.fn.line('.') - 1
  if not has_hunks(bufnr) then
    return
  end
  local ahead = vim.tbl_filter(function(hunk)
    local other = hunks.row(bufnr, hunk)
    return is_forward and other > row or (not is_forward and other < row)
  end, hunks.list(bufnr))
  if #ahead > 0 then
    local count = math.min(vim.v.count1, #ahead)
    vim.cmd("normal! m'")
    go_to(bufnr, ahead[is_forward and count or #ahead + 1 - count])
  end
end

--- Go to the start of the next hunk, or of the [count]th.
function M.next()
  move(true)
end

--- Go to the start of the previous hunk, or of the [count]th.
function M.previous()
  move(false)
end

local function decide(bufnr, indexes)
  local first = hunks.list(bufnr)[indexes[1]]
  if not first then
    return message.show('no hunk is here', 'warn')
  elseif not vim.bo[bufnr].modifiable then
    return message.show("the proposal is 'nomodifiable'", 'warn')
  elseif hunks.decide(bufnr, indexes, is_dropping) == 0 then
    local form = #indexes == 1 and 'this hunk is already %s' or 'these hunks are already %s'
    message.show(form:format(is_dropping and 'dropped' or 'taken'), 'info')
  end
  -- Otherwise Neovim 0.12 would close the new fold of dropped lines after `go_to` has opened it.
  vim.cmd.diffupdate()
  vim.cmd.redraw()
  go_to(bufnr, first)
end

-- The hunks under the cursor: those of a closed fold, as for any operator; then more, up to a count.
local function hunks_here(bufnr, count)
  local first, last = vim.fn.line('.'), vim.fn.line('.')
  if vim.fn.foldclosed('.') > 0 then
    first, last = vim.fn.foldclosed('.'), vim.fn.foldclosedend('.')
  end
  local indexes = hunks.at(bufnr, first - 1, last)
  while #indexes > 0 and #indexes < count and indexes[#indexes] < #hunks.list(bufnr) do
    table.insert(indexes, indexes[#indexes] + 1)
  end
  return indexes
end

--- Decide the hunks in the lines of a Visual selection, else the one under the cursor and those after it,
--- [count] in all; for 'operatorfunc'.
function M.operate()
  local bufnr, count = api.nvim_get_current_buf(), vim.v.count1
  if has_hunks(bufnr) then
    local selected = is_of_selection and hunks.at(bufnr, vim.fn.line("'[") - 1, vim.fn.line("']"))
    decide(bufnr, selected or hunks_here(bufnr, count))
  end
end

-- An operator, so that `.` repeats it. In Normal mode the motion only completes it.
local function operator(is_drop)
  is_dropping, is_of_selection = is_drop, vim.fn.mode():find('^[vV\22]') ~= nil
  vim.o.operatorfunc = "v:lua.require'claude_ide.diff.keys'.operate"
  return is_of_selection and 'g@' or 'g@l'
end

--- Drop hunks; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.drop()
  return operator(true)
end

--- Take dropped hunks; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.take()
  return operator(false)
end

--- Show the keys of a proposal.
---@param diff claude_ide.Diff
---@param maps string[][] keys with <Plug> maps, modes and descriptions
function M.show(diff, maps)
  local rows = vim.tbl_map(function(map)
    return { plug.typed(diff.bufnr, map[2]), map[4] }
  end, maps)
  if diff.offer then
    local offered = ('Accept, and from now on: %s'):format(plain.one_line(diff.offer))
    table.insert(rows, { plug.typed(diff.bufnr, '<Plug>(claude-accept-edits)'), offered })
  end
  vim.list_extend(rows, diff.more_keys or {})
  vim.list_extend(rows, OTHERS)
  local width = vim.iter(rows):fold(0, function(most, row)
    return math.max(most, api.nvim_strwidth(row[1]))
  end)
  local lines = vim.tbl_map(function(row)
    return (' %s%s  %s '):format(row[1], (' '):rep(width - api.nvim_strwidth(row[1])), row[2])
  end, rows)
  local origin = location.current()
  require('claude_ide.window.float').show(lines, { title = 'Keys', keys = { 'g?' }, zindex = 80 })
  location.return_on_close(api.nvim_get_current_win(), origin)
end

--- Mark the dropped hunks of a proposal.
---@param bufnr integer
function M.mark_dropped(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, hunk in ipairs(hunks.list(bufnr)) do
    if hunk.is_dropped then
      local row, count, note = hunks.row(bufnr, hunk), hunk.new[2] - hunk.new[1], 'dropped'
      if hunk.now[1] == hunk.now[2] then
        local lines = count == 1 and '1 line' or ('%d lines'):format(count)
        note = ('%s dropped %s'):format(lines, row < hunk.now[1] and 'below' or 'above')
      end
      local virt_text = { { note, 'ClaudeIdeHunkDropped' } }
      api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { virt_text = virt_text })
    end
  end
end

return M
