--- The winbars of a diff: the file, who proposes the change and why, what is counted, and the keys.
local decision = require('claude_ide.diff.decision')
local highlights = require('claude_ide.highlights')
local home = require('claude_ide.window.location')
local hunks = require('claude_ide.diff.hunks')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
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
local PARTS = {
  { 'title', 'ClaudeIdeWinbar' },
  { 'path', 'ClaudeIdeWinbarFile' },
  { 'warning', 'ClaudeIdeWinbarWarning' },
  { 'hint', 'ClaudeIdeWinbarNote' },
  { 'note', 'ClaudeIdeWinbarNote' },
  { 'count', 'ClaudeIdeWinbarCount' },
  { 'one_hunk', 'ClaudeIdeWinbarCount' },
  { 'why', 'ClaudeIdeWinbarWhy' },
  { 'keys', 'ClaudeIdeWinbarKeys' },
}
local ONE_HUNK = { ['1 hunk'] = true, ['hunk 1/1'] = true }
local LINE = "%%{%%v:lua.require'claude_ide.diff.winbar'.line(%d)%%}"

---@class claude_ide.Winbar
---@field path string
---@field warning string cut if only the keys leave room for it
---@field keys string[] longest first
---@field title? string
---@field note? string
---@field hint? string what to know before deciding
---@field count? string the hunk and the diff, and how many there are
---@field one_hunk? string the same if it is the only one, which matters less
---@field why? string what the agent has said before

---@type table<integer, fun(): claude_ide.Winbar> by window
local winbars = {}
-- What agents have said before they edit a file. The CLI in a terminal does not say so with its edit: its
-- hooks report it for the file, often only after the diff has opened.
local reasons = {} ---@type table<string, string> by launch and path

-- The parts of a winbar with their groups, shortened to fit the columns.
---@type fun(bar: claude_ide.Winbar, columns: integer)
local function fit(bar, columns)
  local shown = vim.fn['claude_ide#bars#Fit'](bar, columns)
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
  local position = diff.position
  if position and position[2] > 1 then
    table.insert(parts, ('diff %d/%d'):format(position[1], position[2]))
  end
  return table.concat(parts, ' · ')
end

--- Set the winbars of a diff's windows.
---@param view claude_ide.DiffView
function M.set(view)
  highlights.define()
  for win in pairs(winbars) do
    winbars[win] = vim.api.nvim_win_is_valid(win) and winbars[win] or nil
  end
  local diff, left, right = view.diff, view.left, view.right
  local is_beside = left ~= nil and left ~= right
  local path, warning = in_one_line(diff.where.path), diff.where.warning
  local note = note_of(diff, vim.bo[view.original], view.unsaved ~= nil)
  local label = diff.label and ('[%s] '):format(diff.label) or ''
  local hint, title = vim.trim(in_one_line(label .. (diff.hint or ''))), in_one_line(diff.title)
  local launch = diff.pid and home.launch_of(diff.pid)
  -- Where another plugin owns the winbar, it shows the path itself; a warning needs the path next to it.
  local function proposed(is_substitute)
    local count = count_of(diff, right)
    return {
      path = (not is_substitute or warning ~= '') and path or '',
      warning = warning,
      title = not is_substitute and title or nil,
      note = (is_substitute or not is_beside) and note or nil,
      hint = hint,
      keys = keys_for(diff),
      [ONE_HUNK[count] and 'one_hunk' or 'count'] = count,
      why = in_one_line(diff.why or launch and reasons[launch .. ' ' .. diff.path] or ''),
    }
  end
  if is_beside then
    local bar =
      { path = path, warning = warning, note = note == '' and 'current' or note, keys = { '' } }
    winbars[left] = function()
      return bar
    end
    -- Never as virtual text: the file's buffer gets no text of ours.
    vim.wo[left][0].winbar = LINE:format(left)
  end
  winbars[right] = proposed
  winbar.set(right, LINE:format(right), {
    chunks = function(columns)
      local chunks = vim.tbl_filter(function(chunk)
        return chunk[1] ~= ''
      end, fit(proposed(true), columns))
      return { chunks }
    end,
  })
end

return M
