--- Follows the user's selection, and reports each change to the host.
local autocommands = require('claude_ide.messages.autocommands')
local announce = require('claude_ide.messages.announce')
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')
local privacy = require('claude_ide.privacy')

local M = {}

local api, fn = vim.api, vim.fn

-- Milliseconds.
local PERIOD = 50
local HELD_PERIOD = 150 -- while a key is held down
local KINDS = { v = 'v', V = 'V', ['\22'] = '\22', s = 'v', S = 'V', ['\19'] = '\22' }

---@class claude_ide.Selection
---@field text string
---@field filePath string
---@field fileUrl string
---@field selection { start: claude_ide.Position, end: claude_ide.Position, isEmpty: boolean }

local on, group = autocommands.group('claude_ide_selection')
local beat ---@type claude_ide.Debounce? while changes are reported
local latest ---@type claude_ide.Selection? the last one in a file
local seen ---@type string? the state at the last look

-- The last Visual area, until the user does anything but leave it.
local former ---@type { whereabouts: string, selection: claude_ide.Selection }?
-- Cache of `current_path`.
local known = {} ---@type { bufnr?: integer, name?: string, path?: string, is_private?: boolean }

-- Where the user was when they left for a terminal or a chat. `latest` stays as it is until they act
-- in a file.
local held ---@type string?

local is_shared = true -- whether the user lets the selection leave Neovim

-- Clears what a client knows of the selection.
local NOTHING = { filePath = '' }

-- Whether a buffer is known to be private. Before the host has started, a selection is only kept.
local function is_private(bufnr)
  return privacy.is_known() and privacy.of_buffer(bufnr) ~= nil
end

-- The path of the current file, and whether the selection there stays in Neovim. They are cached because
-- checking them takes longer than the rest of a look, and they change only with certain events.
local function current_path()
  local bufnr, name = api.nvim_get_current_buf(), api.nvim_buf_get_name(0)
  if known.bufnr ~= bufnr or known.name ~= name then
    local path = file.path(bufnr)
    local is_here_private = path ~= nil and is_private(bufnr)
    known = { bufnr = bufnr, name = name, path = path, is_private = is_here_private }
  end
  return vim.bo.buftype == '' and known.path or nil, known.is_private or not is_shared
end

-- The path of the current file; nil also if it stays in Neovim.
local function shared_path()
  local path = is_shared and file.path(0)
  return path and not is_private(0) and path or nil
end

local function forget_path()
  known = {}
end

---@param path string
---@param text string
---@param first { row: integer, col: integer } 0-based, bytes
---@param last { row: integer, col: integer } exclusive
---@return claude_ide.Selection
local function describe(path, text, first, last)
  local start = buffer_text.to_lsp(0, first.row, first.col)
  local stop = buffer_text.to_lsp(0, last.row, last.col)
  local is_empty = start.line == stop.line and start.character == stop.character
  return {
    text = text,
    filePath = path,
    fileUrl = vim.uri_from_fname(path),
    selection = { start = start, ['end'] = stop, isEmpty = is_empty },
  }
end

local function describe_area(path, kind, from, to)
  local area = fn['claude_ide#visual#Area'](kind, from, to, fn.getcurpos()[5] == vim.v.maxcol)
  local lines = area.lines
  if not lines then
    -- Passing these on from the script would take ten times as long.
    lines = api.nvim_buf_get_lines(0, area.first.row, area.cut.row + 1, false)
    -- The end may be below the last line.
    local last = area.cut.row - area.first.row + 1
    lines[last] = (lines[last] or ''):sub(1, area.cut.col)
    lines[1] = lines[1]:sub(area.first.col + 1)
  end
  return describe(path, buffer_text.join(lines), area.first, area.last)
end

-- The area between '< and '>, after Visual mode has ended.
local function describe_former(path)
  return describe_area(path, fn.visualmode(), fn.getpos("'<"), fn.getpos("'>"))
end

local function in_visual()
  return KINDS[fn.mode()]
end

---@param path string of the current buffer
---@return claude_ide.Selection
local function describe_current(path)
  local kind = in_visual()
  if kind then
    return describe_area(path, kind, fn.getpos('v'), fn.getpos('.'))
  end
  local cursor = api.nvim_win_get_cursor(0)
  local at = { row = cursor[1] - 1, col = cursor[2] }
  return describe(path, '', at, at)
end

--- The selection or the cursor of the current window; nil if it does not show a file.
---@return claude_ide.Selection?
function M.current()
  local path = privacy.is_known() and shared_path()
  return path and describe_current(path) or nil
end

-- Identifies the buffer, its text and the cursor, but not the mode.
local function whereabouts()
  local cursor = api.nvim_win_get_cursor(0)
  return ('%d %d %d %d'):format(
    api.nvim_get_current_buf(),
    api.nvim_buf_get_changedtick(0),
    cursor[1],
    cursor[2]
  )
end

-- Identifies everything that a selection depends on. It has to be cheap: most looks end here.
local function state(path, here)
  local mode = fn.mode()
  if not KINDS[mode] then
    return ('%s %s %s'):format(path, here, mode)
  end
  local start, cursor = fn.getpos('v'), fn.getcurpos()
  local area = table.concat(start, ',', 2) .. ' ' .. table.concat(cursor, ',', 4)
  return ('%s %s %s %s'):format(path, here, mode, area)
end

---@param selection claude_ide.Selection
---@return boolean changed
local function update(selection)
  if vim.deep_equal(selection, latest) then
    return false
  end
  latest = selection
  if beat then
    channel.emit('selection_changed', selection)
  end
  return true
end

-- Whether a hidden buffer is current for a moment: a formatter on its write lets timers run.
local function is_visiting()
  return fn.win_gettype() == 'autocmd'
end

-- Report the selection to the host if it has changed.
---@return boolean changed
local function look()
  -- New rules cause another look.
  if fn.mode() == 'c' or is_visiting() or beat and not privacy.is_known() then
    return false
  end
  local path, is_withheld = current_path()
  if path and is_withheld then
    seen, held, former = nil, nil, nil
    return latest ~= nil and update(NOTHING)
  elseif not path then
    local area = former
    former = nil
    if not area then
      return false
    end
    held, seen = area.whereabouts, nil
    return update(area.selection)
  end
  local here = whereabouts()
  local now = state(path, here)
  if now == seen or held == here and not in_visual() then
    return false
  end
  seen, held, former = now, nil, nil
  return update(describe_current(path))
end

-- Stop after an error: Neovim would show it in a prompt at every key.
local function look_safely()
  local ok, changed = pcall(look)
  if not ok then
    M.stop()
    message.show(('the selection is no longer sent: %s'):format(changed), 'error')
  end
  return ok and changed
end

local function remember(gather)
  local path = shared_path()
  if path then
    local ok, selection = pcall(gather, path)
    former = ok and { whereabouts = whereabouts(), selection = selection } or nil
  end
end

local function remember_former_area(event)
  if event.match:find('^[vVsS\22\19][^:]*:n') then
    remember(describe_former)
  end
end

-- Some ways of leaving a window, such as `nvim_set_current_win()`, do not end Visual mode.
local function remember_area()
  if in_visual() then
    remember(describe_current)
  end
end

--- The selection in the current file, or in the last file that the user was in.
---@return claude_ide.Selection?
function M.latest()
  if not beat then
    forget_path()
  end
  look()
  if not privacy.is_known() then
    return nil
  end
  return latest == nil and M.current() or latest ~= NOTHING and latest or nil
end

--- Keep the current selection as the latest, because a command is about to take the user to a
--- terminal or a chat. It stays until the user acts in a file again.
---@param lines? integer[] first and last line of the command's range, if it has one
function M.hold(lines)
  local path = shared_path()
  if not path then
    look()
    return
  end
  local selection
  local is_former = lines and lines[1] == fn.line("'<") and lines[2] == fn.line("'>")
  if former and former.whereabouts == whereabouts() and not in_visual() then
    selection = former.selection
  elseif is_former and not in_visual() then
    selection = describe_former(path)
  else
    selection = describe_current(path)
  end
  held, former = whereabouts(), nil
  seen = state(path, held)
  update(selection)
  if beat then
    beat.rest()
  end
end

-- What was selected may no longer be shared, or may be shared again.
local function recheck()
  forget_path()
  seen = nil
  if latest and latest ~= NOTHING and (not is_shared or privacy.of_name(latest.filePath)) then
    held, former = nil, nil
    update(NOTHING)
  end
  look()
end

--- Whether the selection may leave Neovim.
---@return boolean
function M.is_shared()
  return is_shared
end

--- Let the selection leave Neovim, or keep it there: run `:ClaudeShare`. Without a word, show the state.
---@param word string
function M.share(word)
  if word ~= '' and not vim.list_contains({ 'off', 'on', 'toggle' }, word) then
    return message.show(('not off, on or toggle: %s'):format(word), 'error')
  elseif word ~= '' then
    local was_shared = is_shared
    is_shared = word == 'on' or word == 'toggle' and not was_shared
    vim.fn['claude_ide#status#Report']('is_shared', is_shared)
    recheck()
    if is_shared ~= was_shared then
      announce.event('ClaudeShared', { shared = is_shared })
    end
  end
  message.show(is_shared and 'the selection is shared' or 'the selection stays in Neovim', 'info')
end

--- Report changes to the host: the first one immediately, then at most every 50 ms, or every 150 ms while
--- a key is held down, and always the last, within 50 ms.
function M.start()
  if beat then
    return
  end
  forget_path()
  look()
  beat = debounce.new(PERIOD, look_safely, HELD_PERIOD)
  on({ 'BufEnter', 'BufFilePost', 'BufReadPost', 'BufWritePost', 'FileType' }, nil, forget_path)
  on({ 'CursorMoved', 'CursorMovedI' }, nil, beat.overdue)
  on({ 'TextChanged', 'TextChangedP', 'BufEnter', 'BufFilePost', 'ModeChanged' }, nil, beat.soon)
  on('ModeChanged', nil, remember_former_area)
  on('BufLeave', nil, remember_area)
end

--- Stop reporting changes; `current` and `latest` keep working.
function M.stop()
  if beat then
    beat.stop()
    beat = nil
    api.nvim_clear_autocmds({ group = group })
  end
end

privacy.subscribe(recheck)

return M
