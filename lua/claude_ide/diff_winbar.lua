--- The lines above the two halves of a diff: which file it is, whose proposal, and the keys.
local plain = require('claude_ide.plain')

local M = {}

local LINKS = {
  ClaudeIdeWinbar = 'Title',
  ClaudeIdeWinbarFile = 'WinBar',
  ClaudeIdeWinbarNote = 'WarningMsg',
  ClaudeIdeWinbarWarning = 'DiagnosticError',
  ClaudeIdeWinbarKeys = 'Comment',
}
local KEYS = ':w accept · :q reject'

---@class claude_ide.Winbar
---@field path string
---@field warning string never left out
---@field title string
---@field note string
---@field keys string

---@type table<integer, claude_ide.Winbar> by window
local winbars = {}

-- What is left out one after the other where there is no room for so much of the path.
local EXTRAS = {
  { names = { 'title', 'note', 'keys' }, least = 20 },
  { names = { 'title', 'keys' }, least = 12 },
  { names = { 'keys' }, least = 12 },
  { names = {}, least = 0 },
}

local width = vim.api.nvim_strwidth

local function blank_around(text)
  return text == '' and '' or (' %s '):format(text)
end

local function part(group, text)
  return ('%%#%s#%s'):format(group, plain.status_line(text))
end

-- The end of a text, which is what tells one name from another.
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

--- Shorten a path: first by the folders in front.
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

---@param bar claude_ide.Winbar
---@return table<string, string> extras
---@return integer room for the path
local function choose(bar, columns)
  local extras, room
  for _, choice in ipairs(EXTRAS) do
    extras, room = {}, columns - width(blank_around(bar.warning)) - 2
    for _, name in ipairs(choice.names) do
      extras[name] = blank_around(bar[name])
      room = room - width(extras[name])
    end
    if room >= math.min(width(bar.path), choice.least) then
      break
    end
  end
  return extras, room
end

--- What stands above a window now.
---@param win integer
---@return string of 'statusline'
function M.line(win)
  local bar = winbars[win]
  if not bar or not vim.api.nvim_win_is_valid(win) then
    return ''
  end
  local extras, room = choose(bar, vim.api.nvim_win_get_width(win))
  local path = room > 0 and blank_around(M.shorten(bar.path, room)) or ''
  if path == '' and bar.warning ~= '' then
    return part('ClaudeIdeWinbarWarning', bar.warning) .. '%<'
  end
  return table.concat({
    part('ClaudeIdeWinbar', extras.title or ''),
    part('ClaudeIdeWinbarFile', path),
    part('ClaudeIdeWinbarWarning', blank_around(bar.warning)),
    part('ClaudeIdeWinbarNote', extras.note or ''),
    '%=',
    part('ClaudeIdeWinbarKeys', extras.keys or ''),
  })
end

local function set(win, bar)
  winbars[win] = bar
  -- Local to the buffer, too: another one that is shown here gets no winbar of ours.
  vim.wo[win][0].winbar = ("%%{%%v:lua.require'claude_ide.diff_winbar'.line(%d)%%}"):format(win)
end

local function forget_closed()
  for win in pairs(winbars) do
    if not vim.api.nvim_win_is_valid(win) then
      winbars[win] = nil
    end
  end
end

-- Neovim's own function shows a line feed as a NUL, and ours no letters that write backwards.
local function in_one_line(text)
  return vim.fn.strtrans(plain.harmless(text))
end

local function note(diff, original, unsaved)
  if unsaved then
    return 'on disk; unsaved lines stay'
  elseif diff.original then
    -- What is for a buffer replaces nothing on disk.
    return ''
  end
  return original.buftype ~= '' and 'new file' or original.modified and 'unsaved changes' or ''
end

---@param diff claude_ide.Diff
---@param left integer window
---@param right integer window
---@param unsaved boolean whether the left one shows what is on disk, not in the file's buffer
function M.set(diff, left, right, unsaved)
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  forget_closed()
  local original = vim.bo[vim.api.nvim_win_get_buf(left)]
  local path, warning = in_one_line(diff.where.path), diff.where.warning
  set(left, {
    path = path,
    warning = warning,
    title = '',
    note = note(diff, original, unsaved),
    keys = '',
  })
  set(right, {
    path = path,
    warning = warning,
    title = in_one_line(diff.title),
    note = '',
    keys = KEYS,
  })
end

return M
