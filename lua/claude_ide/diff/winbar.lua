--- The winbars of a diff: the file, who proposes the change and why, what is counted, and the keys.
local decision = require('claude_ide.diff.decision')
local highlights = require('claude_ide.highlights')
local home = require('claude_ide.window.location')
local hunks = require('claude_ide.diff.hunks')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
local winbar = require('claude_ide.window.winbar')

local M = {}

-- Widest first; the first one is for windows with room for everything.
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
-- What is shown beside path, warning and keys, fullest first: the next entry applies if the path would get
-- fewer columns than `least`.
local BESIDE = {
  { 'title', 'hint', 'note', 'count', least = 20 },
  { 'title', 'hint', 'count', least = 12 },
  { 'title', 'hint', least = 8, is_alone = true }, -- a single hunk need not be counted
  { 'hint', 'count', least = 8 },
  { 'hint', least = 4 },
  { least = 0 },
}
local ALONE = { ['1 hunk'] = true, ['hunk 1/1'] = true }
local PARTS = {
  { 'title', 'ClaudeIdeWinbar' },
  { 'path', 'ClaudeIdeWinbarFile' },
  { 'warning', 'ClaudeIdeWinbarWarning' },
  { 'hint', 'ClaudeIdeWinbarNote' },
  { 'note', 'ClaudeIdeWinbarNote' },
  { 'count', 'ClaudeIdeWinbarCount' },
  { 'why', 'ClaudeIdeWinbarWhy' },
  { 'keys', 'ClaudeIdeWinbarKeys' },
}
local LEAST_WARNING = 4
local LEAST_WHY, GOOD_WHY = 12, 40

---@class claude_ide.Winbar
---@field path string
---@field warning string cut if only the keys leave room for it
---@field title string
---@field note string
---@field hint string what to know before deciding; it matters more than the title and long keys
---@field keys string[] longest first
---@field count string the hunk and the diff, and how many there are
---@field why string what the agent has said before; it gives way to all others but title and long keys

---@type table<integer, fun(): claude_ide.Winbar> by window
local winbars = {}
-- What agents have said before they edit a file. The CLI in a terminal does not say so with its edit: its
-- hooks report it for the file, often only after the diff has opened.
local reasons = {} ---@type table<string, string> by launch and path

local width = vim.api.nvim_strwidth

local function around(text)
  return text == '' and '' or (' %s '):format(text)
end

-- Shorten a path, first by its leading folders; the end of a name distinguishes it better than its start.
local function shorten(path, room)
  local shortened, parts = path, vim.split(path, '/')
  while width(shortened) > room and #parts > 1 do
    table.remove(parts, 1)
    shortened = '…/' .. table.concat(parts, '/')
  end
  if width(shortened) <= room then
    return shortened
  end
  local name = parts[1]
  while name ~= '' and width(name) >= room do
    name = vim.fn.strcharpart(name, 1)
  end
  return '…' .. name
end

-- The parts but path and words, and the columns that remain for these.
local function composed(bar, columns, keys, names)
  local shown, room = { keys = around(keys) }, columns - width(around(keys))
  for _, name in ipairs(names) do
    shown[name] = around(bar[name])
    room = room - width(shown[name])
  end
  shown.warning = around(bar.warning)
  if width(shown.warning) > room then
    shown.warning = room >= LEAST_WARNING and plain.fit(bar.warning, room) or ''
  end
  return shown, room - width(shown.warning)
end

-- The fullest composition in which the path has room. Keys are shortened to make room for the warning, but
-- not for a few letters of the path.
local function without_why(bar, columns)
  local wanted = bar.warning == '' and 10 or 20
  local shown, room
  for index, keys in ipairs(bar.keys) do
    local is_long = index <= #bar.keys - SHORT
    for _, beside in ipairs(index == 1 and { BESIDE[1] } or BESIDE) do
      local least = is_long and math.max(wanted, beside.least) or beside.least
      shown, room = composed(bar, columns, keys, beside)
      -- Keys are shortened for the hint, too.
      local is_complete = shown.hint ~= nil or bar.hint == '' or index == #bar.keys
      is_complete = is_complete and (not beside.is_alone or ALONE[bar.count])
      if is_complete and room >= (least > 0 and math.min(width(bar.path), least) + 2 or 0) then
        return shown, room
      end
    end
  end
  return shown, room
end

-- One without the title and with the longest keys that leave room for the agent's words, if there is one.
local function with_room(bar, columns)
  for index = 2, #bar.keys - SHORT do
    local shown, room = composed(bar, columns, bar.keys[index], { 'hint', 'note', 'count' })
    if room >= width(bar.path) + 2 + LEAST_WHY then
      return shown, room
    end
  end
end

-- The parts of a winbar with their groups, shortened to fit the columns. The agent's words get the room that
-- is left, and that of the title and of long keys if they need it.
---@param bar claude_ide.Winbar
---@param columns integer
---@return claude_ide.Chunks
local function fit(bar, columns)
  local shown, room = without_why(bar, columns)
  local words = around(bar.why)
  if words ~= '' and room - width(bar.path) - 2 < math.min(width(words), GOOD_WHY) then
    local brief, rest = with_room(bar, columns)
    shown, room = brief or shown, rest or room
  end
  shown.path = room > 2 and around(shorten(bar.path, room - 2)) or ''
  room = room - width(shown.path)
  shown.why = words ~= '' and room >= LEAST_WHY and plain.fit(words, room) or ''
  return vim.tbl_map(function(part)
    return { shown[part[1]] or '', part[2] }
  end, PARTS)
end

--- The winbar of a window, evaluated at each redraw.
---@param win integer
---@return string in the format of 'statusline'
function M.line(win)
  if not winbars[win] or not vim.api.nvim_win_is_valid(win) then
    return ''
  end
  local chunks = fit(winbars[win](), vim.api.nvim_win_get_width(win))
  local parts = vim.tbl_map(function(chunk)
    return winbar.part(chunk[1], chunk[2])
  end, chunks)
  table.insert(parts, #parts, '%=')
  return table.concat(parts)
end

--- Note what a CLI has said before it edits a file.
---@param launch string its id
---@param path string
---@param words string empty if the edit is over
function M.tell(launch, path, words)
  reasons[launch .. ' ' .. path] = words ~= '' and words or nil
  vim.cmd.redrawstatus({ bang = true })
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

local function keys_for(diff)
  if not diff.offer then
    return KEYS
  end
  local key = plug.typed(diff.bufnr, decision.ACCEPT_EDITS)
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

local function hunk_count(bufnr, row)
  local list = hunks.list(bufnr)
  local index = hunks.at(bufnr, row, row + 1)[1]
  if #list == 0 then
    return nil
  elseif not index then
    return #list == 1 and '1 hunk' or ('%d hunks'):format(#list)
  end
  return ('hunk %d/%d%s'):format(index, #list, list[index].is_dropped and ' dropped' or '')
end

-- The hunk at the cursor in the window of a proposal, or how many there are; and the diff's number if several
-- wait: `hunk 2/5 · diff 2/3`.
local function count_of(diff, win)
  local parts = { hunk_count(diff.bufnr, vim.api.nvim_win_get_cursor(win)[1] - 1) }
  local position, count = diff.queue_position()
  if position > 0 and count > 1 then
    table.insert(parts, ('diff %d/%d'):format(position, count))
  end
  return table.concat(parts, ' · ')
end

-- Set a window's winbar, whose fields `bar` returns at each redraw.
local function expression(win, bar)
  winbars[win] = bar
  return ("%%{%%v:lua.require'claude_ide.diff.winbar'.line(%d)%%}"):format(win)
end

--- Set the winbars of a diff's windows.
---@param diff claude_ide.Diff
---@param windows claude_ide.DiffWindows
function M.set(diff, windows)
  highlights.define()
  M.forget_closed()
  local left, right = windows.left, windows.right
  local is_beside = left ~= nil and left ~= right
  local path, warning = in_one_line(diff.where.path), diff.where.warning
  local note = note_of(diff, vim.bo[windows.original], windows.unsaved ~= nil)
  local label = diff.label and ('[%s] '):format(diff.label) or ''
  local hint, title = vim.trim(in_one_line(label .. (diff.hint or ''))), in_one_line(diff.title)
  local launch = diff.pid and home.launch_of(diff.pid)
  -- Where another plugin owns the winbar, it shows the path itself; a warning needs the path next to it.
  local function proposed(is_substitute)
    local said = diff.why or launch and reasons[launch .. ' ' .. diff.path] or ''
    return {
      path = (not is_substitute or warning ~= '') and path or '',
      warning = warning,
      title = is_substitute and '' or title,
      note = (is_substitute or not is_beside) and note or '',
      hint = hint,
      keys = keys_for(diff),
      count = count_of(diff, right),
      why = in_one_line(said),
    }
  end
  if is_beside then
    local beside = { path = path, warning = warning, title = '', hint = '', count = '', why = '' }
    beside.note, beside.keys = note == '' and 'current' or note, { '', '' }
    -- Never as virtual text: the file's buffer gets no text of ours.
    vim.wo[left][0].winbar = expression(left, function()
      return beside
    end)
  end
  winbar.set(right, expression(right, proposed), {
    chunks = function(columns)
      local chunks = vim.tbl_filter(function(chunk)
        return chunk[1] ~= ''
      end, fit(proposed(true), columns))
      return { chunks }
    end,
  })
end

return M
