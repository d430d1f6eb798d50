--- From change to change that the user has not seen, through all files; and marks changes as seen.
local file_load = require('claude_ide.file.load')
local message = require('claude_ide.messages.message')
local unseen = require('claude_ide.unseen')

local M = {}

local api = vim.api

local NONE_HERE = 'no unseen change is here'
local OFF = 'changes have no signs (:help claude-ide-changes.signs)'

local function row_of_cursor()
  return api.nvim_win_get_cursor(0)[1] - 1
end

local function go_to(row)
  api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd('normal! zv')
end

-- The changes of the current buffer that begin after the cursor, or before it; the nearest comes first.
local function ahead(is_forward)
  local row, found = row_of_cursor(), {}
  for _, block in ipairs(unseen.blocks()) do
    if is_forward and block.first > row then
      table.insert(found, block)
    elseif not is_forward and block.first < row then
      table.insert(found, 1, block)
    end
  end
  return found
end

-- The other files, in the order in which they follow the current one.
local function others(is_forward)
  local here, later, earlier = api.nvim_buf_get_name(0), {}, {}
  for _, path in ipairs(unseen.paths()) do
    if path ~= here then
      table.insert(path > here and later or earlier, path)
    end
  end
  local all = vim.list_extend(later, earlier)
  return is_forward and all or vim.iter(all):rev():totable()
end

---@return string? refusal
local function open(path)
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return refusal
  end
  vim.bo[bufnr].buflisted = true
  local _, failure = file_load.in_window(api.nvim_get_current_win(), bufnr)
  return failure
end

---@return string? refusal
local function go_to_other(is_forward)
  -- The lines of a file may have changed since.
  local path = vim.iter(others(is_forward)):find(unseen.has)
  if path then
    local refusal, blocks = open(path), unseen.blocks()
    if not refusal and #blocks > 0 then
      go_to(blocks[is_forward and 1 or #blocks].first)
    end
    return refusal
  end
  local where = #unseen.blocks() > 0 and (is_forward and ' below' or ' above') or ''
  return unseen.is_on() and ('no unseen change%s'):format(where) or OFF
end

local function move(is_forward)
  local blocks, count = ahead(is_forward), vim.v.count1
  if #blocks > 0 then
    vim.cmd("normal! m'")
    return go_to(blocks[math.min(count, #blocks)].first)
  end
  -- Another file would end a selection, and replace a window's list or terminal.
  local may_leave = vim.fn.mode(1) == 'n' and vim.bo.buftype == ''
  local refusal = may_leave and go_to_other(is_forward) or not may_leave and NONE_HERE
  if refusal then
    message.show(refusal, 'info')
  end
end

--- Go to the start of the next change that the user has not seen, or of the [count]th; from the last one to
--- the next file.
function M.next()
  move(true)
end

--- Go to the start of the previous such change, or of the [count]th.
function M.previous()
  move(false)
end

local function see(first, last)
  local count = unseen.see(api.nvim_get_current_buf(), first, last)
  if count == 0 then
    message.show(NONE_HERE, 'info')
  end
end

--- Mark the change under the cursor as seen, and those after it, [count] in all; for 'operatorfunc'.
function M.see_here()
  local row, count, last = row_of_cursor(), vim.v.count1, nil
  local first
  for _, block in ipairs(unseen.blocks()) do
    -- The line that the cursor is in has been seen, so the change may begin below it.
    local is_here = block.first <= row + 1 and block.last >= row
    if count > 0 and (first or is_here) then
      first, last, count = first or block.first, block.last, count - 1
    end
  end
  see(first or row, last or row + 1)
end

--- Mark the lines of a Visual selection as seen; for 'operatorfunc'.
function M.see_lines()
  see(vim.fn.line("'[") - 1, vim.fn.line("']"))
end

--- Mark changes as seen; for an `<expr>` map in Normal or Visual mode. `.` repeats it.
---@return string keys
function M.operator()
  local is_visual = vim.fn.mode():find('^[vV\22]') ~= nil
  local name = is_visual and 'see_lines' or 'see_here'
  vim.o.operatorfunc = ("v:lua.require'claude_ide.unseen.walk'.%s"):format(name)
  return is_visual and 'g@' or 'g@l'
end

local function counted(count)
  return count == 1 and '1 line' or ('%d lines'):format(count)
end

--- `:ClaudeSeen`: mark lines as seen: those of the range, of the file, or with `!` of all files.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local count
  if opts.bang then
    count = unseen.see_all()
  elseif opts.range > 0 then
    count = unseen.see(api.nvim_get_current_buf(), opts.line1 - 1, opts.line2)
  else
    count = unseen.see(api.nvim_get_current_buf(), 0, -1)
  end
  local text = count > 0 and ('%s marked as seen'):format(counted(count))
    or unseen.is_on() and NONE_HERE
    or OFF
  message.show(text, 'info')
end

return M
