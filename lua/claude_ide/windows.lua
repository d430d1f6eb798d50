--- Files in windows: shown, gone to, closed; nothing of the user's is lost or taken from under them.
local buffers = require('claude_ide.buffers')
local channel = require('claude_ide.channel')
local choice = require('claude_ide.window_choice')
local disk = require('claude_ide.disk')
local file = require('claude_ide.file')
local loading = require('claude_ide.loading')
local moment = require('claude_ide.moment')
local passage = require('claude_ide.passage')
local usage = require('claude_ide.usage')

local M = {}

---@class claude_ide.OpenFile
---@field path string
---@field make_frontmost? boolean go to it (the default), or leave the user where they are
---@field start_text? string select from here …
---@field end_text? string … to here, else only `start_text`
---@field select_to_end_of_line? boolean
---@field line? integer 1-based; used when no `start_text` is given
---@field end_line? integer select the lines from `line` to here

---@class claude_ide.OpenedFile
---@field path string
---@field languageId string
---@field lineCount integer
---@field wasOpen boolean
---@field isShown boolean whether a window of the current tabpage shows it
---@field found? boolean whether `start_text` and `end_text` were found
---@field note? string what the model should know besides

-- A value that Python left out.
local function given(value)
  if value ~= vim.NIL and value ~= '' then
    return value
  end
end

-- In every other mode a change of the window would give what the user types to another file.
local function can_leave_window()
  local mode = vim.fn.mode(1)
  return mode == 't' or mode == 'n' or mode == 'nt' or mode:find('^[vV\22]$') ~= nil
end

-- As the user would with `:buffer`, but silently.
local function show(win, bufnr)
  local ok, err = pcall(vim.api.nvim_win_call, win, function()
    vim.cmd.buffer({ args = { tostring(bufnr) }, mods = { silent = true } })
  end)
  -- When the buffer is there all the same, an autocommand of the user's has failed.
  if not ok and vim.api.nvim_win_get_buf(win) ~= bufnr then
    error(err, 0)
  end
end

local function enter(bufnr)
  if vim.fn.mode():find('[vV\22]') then
    vim.cmd('normal! \27')
  end
  local win = choice.to_enter(bufnr)
  vim.api.nvim_set_current_win(win)
  if vim.api.nvim_win_get_buf(win) == bufnr then
    -- Where CTRL-O goes back to; `:buffer` does that itself.
    vim.cmd("normal! m'")
  else
    show(win, bufnr)
  end
  return win
end

-- Show a buffer without the focus; nil when only the user's own window could.
local function show_beside(bufnr)
  local win = choice.to_show(bufnr)
  if win and vim.api.nvim_win_get_buf(win) ~= bufnr then
    show(win, bufnr)
  end
  return win
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

-- Load a buffer, in a window if there is one for it.
local function load(bufnr, has_focus)
  local win
  local note, err = loading.without_dialog(function()
    win = has_focus and enter(bufnr) or show_beside(bufnr)
  end)
  if not win and not err then
    note, err = loading.hidden(bufnr)
  end
  if err or not vim.api.nvim_buf_is_loaded(bufnr) then
    error(err or 'Neovim did not load the file', 0)
  end
  return win, note
end

---@param request claude_ide.OpenFile
---@return claude_ide.OpenedFile|{ error: string }
local function open_file(request)
  local path = loading.absolute(request.path)
  local was_open = buffers.dirty(path).isOpen
  local bufnr, refusal = loading.add(path)
  if not bufnr then
    return { error = refusal }
  end
  vim.bo[bufnr].buflisted = true
  local is_frontmost = request.make_frontmost ~= false
  local has_focus = is_frontmost and can_leave_window()
  local here = vim.api.nvim_get_current_win()
  local win, note = load(bufnr, has_focus)
  local notes = { note }
  if is_frontmost and not has_focus then
    table.insert(notes, 'The user is typing elsewhere; the file was opened without the focus.')
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

--- Open a file in a window for files, and select a passage of it.
---@param request claude_ide.OpenFile
---@return claude_ide.OpenedFile|{ error: string }
function M.open_file(request)
  local ok, result = pcall(open_file, request)
  return ok and result or { error = disk.reason(tostring(result)) }
end

-- Load a file as one that the user can go to, without showing it.
local function open_hidden(path)
  local bufnr, refusal = loading.add(loading.absolute(path))
  if not bufnr then
    return refusal
  end
  vim.bo[bufnr].buflisted = true
  local _, err = loading.hidden(bufnr)
  return err
end

--- Open several files; the first one is shown.
---@param paths string[]
---@return { opened: string[], errors: string[] } opened those of `paths` that are open now
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

-- An empty buffer as Neovim starts with.
local function blank()
  return vim.iter(vim.api.nvim_list_bufs()):find(function(bufnr)
    local options = vim.bo[bufnr]
    local is_plain = options.buflisted and options.buftype == '' and not options.modified
    return is_plain and vim.api.nvim_buf_get_name(bufnr) == ''
  end) or vim.api.nvim_create_buf(true, false)
end

-- What a window shows instead of a buffer that goes: what it showed before, else what was used last.
local function replacement(win, bufnr)
  local alternate = vim.api.nvim_win_call(win, function()
    return vim.fn.bufnr('#')
  end)
  local function can_replace(candidate)
    return candidate ~= bufnr and vim.bo[candidate].buflisted and file.path(candidate) ~= nil
  end
  if alternate > 0 and can_replace(alternate) then
    return alternate
  end
  return usage.sort(vim.tbl_filter(can_replace, vim.api.nvim_list_bufs()))[1] or blank()
end

local function is_float(win)
  return vim.api.nvim_win_get_config(win).relative ~= ''
end

-- Why a buffer has to stay, as one sentence.
local function obstacle(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].modified then
    return ('%s has unsaved changes; it stays open.'):format(name)
  elseif vim.api.nvim_get_current_buf() == bufnr and not can_leave_window() then
    return ('The user is typing in %s; it stays open.'):format(name)
  end
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    if vim.wo[win].diff then
      return ('%s is part of a diff; it stays open.'):format(name)
    end
  end
end

--- Close a file that has no unsaved changes; its windows stay, with another file in them.
---@param path string
---@return { closed: boolean, error?: string }
function M.close_file(path)
  local buffer = buffers.find(loading.absolute(path))
  if not buffer or not (buffer.loaded or buffer.listed) then
    return { closed = false, error = ('%s is not open in Neovim.'):format(path) }
  end
  local bufnr = buffer.bufnr
  local reason = obstacle(bufnr)
  if reason then
    return { closed = false, error = reason }
  end
  local ok, err = pcall(function()
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      if is_float(win) or vim.wo[win].winfixbuf then
        vim.api.nvim_win_close(win, false)
      else
        loading.without_dialog(function()
          show(win, replacement(win, bufnr))
        end)
      end
    end
    vim.cmd.bdelete({ count = bufnr, mods = { silent = true } })
  end)
  return { closed = ok, error = not ok and disk.reason(tostring(err)) or nil }
end

--- Call one of the functions above as soon as that takes nothing from the user, and emit
--- `window_action_done` with the `token` and its `result`.
---@param token any
---@param action 'open_file'|'open_files'|'close_file'
---@param argument any
function M.when_free(token, action, argument)
  moment.when_free(function()
    channel.emit('window_action_done', { token = token, result = M[action](argument) })
  end, function(message)
    local result = { error = disk.reason(message) }
    channel.emit('window_action_done', { token = token, result = result })
  end)
end

return M
