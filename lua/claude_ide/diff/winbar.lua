--- The winbars of a diff: the file, who proposes the change, and the keys.
local count = require('claude_ide.diff.count')
local diff_keys = require('claude_ide.diff.keys')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local why = require('claude_ide.diff.why')
local winbar = require('claude_ide.window.winbar')

local M = {}

-- Widest first.
local KEYS =
  { ':w accept · :q reject · g? keys', ':w accept · :q reject', ':w yes · :q no', ':w · :q' }
-- What comes before them when the user may also accept the edits that follow.
local WITH_OFFER = {
  ':w accept · %s always · :q reject · g? keys',
  ':w accept · %s always · :q reject',
  ':w yes · %s always · :q no',
}
-- How many of the last spellings are for narrow windows only.
local SHORT = 2

---@class claude_ide.Winbar
---@field path string
---@field warning string cut if only the keys leave room for it
---@field title string
---@field note string
---@field hint string what to know before deciding; it matters more than the title and long keys
---@field keys fun(): string[] longest first, all but the last two for wide windows; empty for none
---@field counts fun(): string the hunk and the diff, and how many there are
---@field why fun(): string what the agent has said before; it gives way to all others but title and long keys

---@type table<integer, claude_ide.Winbar> by window
local winbars = {}

-- What is shown along with the path, longest first: the next entry applies if the path would get fewer
-- than `least` columns.
local EXTRAS = {
  { names = { 'title', 'hint', 'note', 'count' }, least = 20 },
  { names = { 'title', 'hint', 'count' }, least = 12 },
  { names = { 'title', 'hint' }, least = 8, is_alone = true }, -- a single hunk need not be counted
  { names = { 'hint', 'count' }, least = 8 },
  { names = { 'hint' }, least = 4 },
  { names = {}, least = 0 },
}
local ALONE = { ['1 hunk'] = true, ['hunk 1/1'] = true }
local LEAST_WARNING = 4
local LEAST_WHY, GOOD_WHY = 12, 40

local width = vim.api.nvim_strwidth

local function blank_around(text)
  return text == '' and '' or (' %s '):format(text)
end

-- The end of a text, which distinguishes names better than their start.
local function ending(text, room)
  if width(text) <= room then
    return text
  end
  local length = vim.fn.strchars(text)
  while length > 0 and width(vim.fn.strcharpart(text, vim.fn.strchars(text) - length)) >= room do
    length = length - 1
  end
  return '…' .. vim.fn.strcharpart(text, vim.fn.strchars(text) - length)
end

--- Shorten a path, first by its leading folders.
---@param path string
---@param room integer columns
---@return string
function M.shorten(path, room)
  if width(path) <= room then
    return path
  end
  local kept = vim.fs.basename(path)
  local folder = vim.fs.dirname(path)
  while width('…/' .. vim.fs.basename(folder) .. '/' .. kept) <= room do
    kept = vim.fs.basename(folder) .. '/' .. kept
    folder = vim.fs.dirname(folder)
  end
  local shortened = '…/' .. kept
  return width(shortened) <= room and shortened or ending(kept, room)
end

-- The keys, and the columns that remain.
local function keys_of(bar, columns)
  local least = bar.warning == '' and 10 or 20
  local wanted = math.min(width(bar.path), least) + 2
  local shown, room = '', columns
  for index, keys in ipairs(bar.keys) do
    shown = blank_around(keys)
    room = columns - width(shown)
    -- Keys are shortened to make room for the warning, but not for a few letters of the path.
    local texts = width(blank_around(bar.warning)) + width(blank_around(bar.hint))
    -- The spelling with `g?` is for a window with room for everything.
    texts = texts
      + (index == 1 and width(blank_around(bar.title) .. blank_around(bar.counts())) or 0)
    local is_long = index <= #bar.keys - SHORT or bar.hint ~= ''
    if room >= texts + (is_long and wanted or 0) then
      break
    end
  end
  return shown, room
end

local function warning_of(bar, room)
  local shown = blank_around(bar.warning)
  if width(shown) <= room then
    return shown
  end
  return room >= LEAST_WARNING and message.fit(bar.warning, room) or ''
end

-- Title and note if they fit, and the columns that remain for the path.
local function extras_of(bar, columns)
  local extras, room
  for _, choice in ipairs(EXTRAS) do
    extras, room = {}, columns - 2
    for _, name in ipairs(choice.names) do
      extras[name] = blank_around(name == 'count' and bar.counts() or bar[name])
      room = room - width(extras[name])
    end
    local fits = room >= math.min(width(bar.path), choice.least)
    if fits and (ALONE[bar.counts()] or not choice.is_alone) then
      break
    end
  end
  return extras, room
end

---@param bar claude_ide.Winbar
---@param columns integer
---@return table<string, string>
local function without_why(bar, columns)
  local keys, room = keys_of(bar, columns)
  local warning = warning_of(bar, room)
  local extras, remaining = extras_of(bar, room - width(warning))
  return {
    title = extras.title or '',
    path = remaining > 0 and blank_around(M.shorten(bar.path, remaining)) or '',
    warning = warning,
    note = (extras.hint or '') .. (extras.note or ''),
    count = extras.count or '',
    keys = keys,
  }
end

local function spare(shown, columns)
  return vim.iter(vim.tbl_values(shown)):fold(columns, function(room, text)
    return room - width(text)
  end)
end

-- The parts without the title and with the longest keys that leave room for the agent's words, if any do.
local function with_room(bar, columns)
  for first = 2, #bar.keys - SHORT do
    local brief = { title = '', keys = vim.list_slice(bar.keys, first) }
    local shown = without_why(vim.tbl_extend('force', bar, brief), columns)
    if spare(shown, columns) >= LEAST_WHY then
      return shown
    end
  end
end

-- The parts of a winbar by name, shortened to fit the columns. The agent's words get the room that is left,
-- and that of the title and of long keys if they need it.
---@param bar claude_ide.Winbar
---@param columns integer
---@return table<string, string>
local function fit(bar, columns)
  bar = vim.tbl_extend('force', bar, { keys = bar.keys() })
  local shown, words = without_why(bar, columns), blank_around(bar.why())
  if words ~= '' and spare(shown, columns) < math.min(width(words), GOOD_WHY) then
    shown = with_room(bar, columns) or shown
  end
  local room = spare(shown, columns)
  shown.why = room >= LEAST_WHY and message.fit(words, room) or ''
  return shown
end

--- The winbar of a window, evaluated at each redraw.
---@param win integer
---@return string in the format of 'statusline'
function M.line(win)
  local bar = winbars[win]
  if not bar or not vim.api.nvim_win_is_valid(win) then
    return ''
  end
  local shown = fit(bar, vim.api.nvim_win_get_width(win))
  return table.concat({
    winbar.part(shown.title, 'ClaudeIdeWinbar'),
    winbar.part(shown.path, 'ClaudeIdeWinbarFile'),
    winbar.part(shown.warning, 'ClaudeIdeWinbarWarning'),
    winbar.part(shown.note, 'ClaudeIdeWinbarNote'),
    winbar.part(shown.count, 'ClaudeIdeWinbarCount'),
    winbar.part(shown.why, 'ClaudeIdeWinbarWhy'),
    '%=',
    winbar.part(shown.keys, 'ClaudeIdeWinbarKeys'),
  })
end

-- Where another plugin owns the winbar, it shows the path itself; a warning needs the path next to it.
local function substitute(bar)
  bar.title, bar.path = '', bar.warning ~= '' and bar.path or ''
  return {
    chunks = function(columns)
      local shown = fit(bar, columns)
      local chunks = {
        { shown.path, 'ClaudeIdeWinbarFile' },
        { shown.warning, 'ClaudeIdeWinbarWarning' },
        { shown.note, 'ClaudeIdeWinbarNote' },
        { shown.count, 'ClaudeIdeWinbarCount' },
        { shown.why, 'ClaudeIdeWinbarWhy' },
        { shown.keys, 'ClaudeIdeWinbarKeys' },
      }
      return { vim.tbl_filter(function(chunk)
        return chunk[1] ~= ''
      end, chunks) }
    end,
  }
end

local function expression(win, bar)
  winbars[win] = bar
  return ("%%{%%v:lua.require'claude_ide.diff.winbar'.line(%d)%%}"):format(win)
end

--- Forget the winbars of windows that are closed: they keep the diffs, with their texts, in memory.
function M.forget_closed()
  for win in pairs(winbars) do
    if not vim.api.nvim_win_is_valid(win) then
      winbars[win] = nil
    end
  end
end

-- Both are needed: strtrans() would show a line feed as a NUL, and `harmless` keeps characters that
-- reverse the text.
local function in_one_line(text)
  return vim.fn.strtrans(plain.harmless(text))
end

local function no_counts()
  return ''
end

local function no_keys()
  return {}
end

local function keys_for(diff)
  if not diff.offer then
    return KEYS
  end
  local key = diff_keys.accept_edits(diff.bufnr)
  local more = vim.tbl_map(function(keys)
    return keys:format(key)
  end, WITH_OFFER)
  return vim.list_extend(more, vim.list_slice(KEYS, 2))
end

local function note_of(diff, original, unsaved)
  if unsaved then
    return 'on disk; unsaved lines stay'
  elseif diff.original and not diff.is_unsaved then
    -- A change to a buffer replaces nothing on disk.
    return ''
  end
  return original.buftype ~= '' and 'new file' or original.modified and 'unsaved changes' or ''
end

--- Set the winbars of a diff's windows.
---@param diff claude_ide.Diff
---@param windows claude_ide.DiffWindows
function M.set(diff, windows)
  highlights.define()
  M.forget_closed()
  local left, right, original = windows.left, windows.right, vim.bo[windows.original]
  local is_beside = left ~= nil and left ~= right
  local path, warning = in_one_line(diff.where.path), diff.where.warning
  local note = note_of(diff, original, windows.unsaved ~= nil)
  local label = diff.label and ('[%s] '):format(diff.label) or ''
  local hint = vim.trim(in_one_line(label .. (diff.hint or '')))
  local launch = why.launch_of(diff)
  local function said()
    return in_one_line(why.of(diff, launch))
  end
  local function bar(fields)
    local rest = { path = path, warning = warning, title = '', note = '', hint = '' }
    rest.counts = no_counts
    rest.why = fields.counts and said or no_counts
    return vim.tbl_extend('keep', fields, rest)
  end
  local function counts()
    return count.of(diff, right)
  end
  local function keys()
    return keys_for(diff)
  end
  local title = in_one_line(diff.title)
  local on_right = bar({ title = title, hint = hint, keys = keys, counts = counts })
  if is_beside then
    -- Never as virtual text: the file's buffer gets no text of ours.
    local now = note == '' and 'current' or note
    vim.wo[left][0].winbar = expression(left, bar({ note = now, keys = no_keys }))
  else
    on_right.note = note
  end
  local replacing = substitute(bar({ note = note, hint = hint, keys = keys, counts = counts }))
  winbar.set(right, expression(right, on_right), replacing)
end

return M
