--- Opens and closes files in windows, without losing changes or interrupting the user.
local buffers = require('claude_ide.file.buffers')
local choice = require('claude_ide.file.choice')
local file_close = require('claude_ide.file.close')
local file_load = require('claude_ide.file.load')
local passage = require('claude_ide.file.passage')
local path_gate = require('claude_ide.file.gate')
local quiet = require('claude_ide.messages.quiet')
local reason = require('claude_ide.messages.reason')

local M = {}

---@class claude_ide.OpenFile
---@field path string
---@field make_frontmost? boolean whether the file gets the focus; true by default
---@field start_text? string where the selection starts
---@field end_text? string where the selection ends; by default it is `start_text` itself
---@field select_to_end_of_line? boolean
---@field line? integer 1-based; used only without `start_text`
---@field end_line? integer select the lines from `line` to this one

---@class claude_ide.OpenedFile
---@field path string
---@field languageId string
---@field lineCount integer
---@field wasOpen boolean
---@field isShown boolean whether a window of the current tabpage shows it
---@field found? boolean whether `start_text` and `end_text` were found
---@field note? string more for the model to know, in sentences

-- Nil for a value that Python has left out.
local function given(value)
  if value ~= vim.NIL and value ~= '' then
    return value
  end
end

-- Show a buffer and give it the focus.
local function enter(bufnr)
  if vim.fn.mode():find('[vV\22]') then
    vim.cmd('normal! \27')
  end
  local win = choice.to_enter(bufnr)
  quiet.run(function()
    vim.api.nvim_set_current_win(win)
  end)
  if vim.api.nvim_win_get_buf(win) == bufnr then
    -- Add a jump for CTRL-O. Entering another buffer adds one by itself.
    vim.cmd("normal! m'")
    return win
  end
  return win, file_load.in_window(win, bufnr)
end

-- Load a buffer without giving it the focus, and show it if another window can.
local function load(bufnr)
  local win = choice.to_show(bufnr)
  if not win then
    return nil, file_load.hidden(bufnr)
  elseif vim.api.nvim_win_get_buf(win) == bufnr then
    return win
  end
  return win, file_load.in_window(win, bufnr)
end

local function find_passage(bufnr, request)
  local start_text, line = given(request.start_text), given(request.line)
  if not start_text then
    return line and passage.of_lines(bufnr, line, given(request.end_line))
  end
  local found, missing = passage.find(bufnr, start_text, given(request.end_text))
  if found and request.select_to_end_of_line == true then
    found = passage.to_end_of_line(bufnr, found)
  end
  return found, missing
end

---@param request claude_ide.OpenFile
---@return claude_ide.OpenedFile|{ error: string }
local function open_file(request)
  local path = path_gate.absolute(request.path)
  local was_open = buffers.dirty(path).isOpen
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return { error = refusal }
  end
  vim.bo[bufnr].buflisted = true
  local is_frontmost = request.make_frontmost ~= false
  local has_focus = is_frontmost and choice.is_user_free()
  local here = vim.api.nvim_get_current_win()
  local win, note, err = (has_focus and enter or load)(bufnr)
  if err then
    return { error = err }
  end
  local notes = { note }
  if is_frontmost and not has_focus then
    table.insert(notes, 'The user is typing elsewhere; the file was opened without focus.')
  end

  local found, missing = find_passage(bufnr, request)
  table.insert(notes, missing)
  if found and has_focus then
    passage.select(found)
  elseif found and win and win ~= here then
    passage.show(win, found)
  end
  return {
    path = path,
    languageId = vim.bo[bufnr].filetype,
    lineCount = vim.api.nvim_buf_line_count(bufnr),
    wasOpen = was_open,
    isShown = win ~= nil,
    found = given(request.start_text) and missing == nil,
    note = #notes > 0 and table.concat(notes, ' ') or nil,
  }
end

--- Open a file in a window, and select a passage of it.
---@param request claude_ide.OpenFile
---@return claude_ide.OpenedFile|{ error: string }
function M.open_file(request)
  local ok, result = pcall(open_file, request)
  return ok and result or { error = reason.of(result) }
end

-- Load and list a file without showing it.
local function open_hidden(path)
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return refusal
  end
  vim.bo[bufnr].buflisted = true
  local _, err = file_load.hidden(bufnr)
  return err
end

--- Open several files; only the first one is shown.
---@param paths string[]
---@return { opened: string[], errors: string[] } `opened`: the `paths` that are open now
function M.open_files(paths)
  local opened, errors = {}, {}
  for _, path in ipairs(paths) do
    local err
    if #opened == 0 then
      err = M.open_file({ path = path }).error
    else
      err = open_hidden(path)
    end
    table.insert(err and errors or opened, err or path)
  end
  return { opened = opened, errors = errors }
end

M.close_file = file_close.close_file

return M
