--- The lines above the two halves of a diff: whose it is, and the keys.
local M = {}

local LINKS = {
  ClaudeIdeWinbar = 'Title',
  ClaudeIdeWinbarFile = 'WinBar',
  ClaudeIdeWinbarNote = 'WarningMsg',
  ClaudeIdeWinbarKeys = 'Comment',
}
local KEYS = ':w accept · :q reject'

local function part(group, text)
  return ('%%#%s#%s'):format(group, (text:gsub('%%', '%%%%')))
end

local function set(win, parts)
  -- Local to the buffer, too: another one that is shown here gets no winbar of ours.
  vim.wo[win][0].winbar = table.concat(parts)
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
  local tail = vim.fs.basename(diff.path)
  local original = vim.bo[vim.api.nvim_win_get_buf(left)]
  set(left, {
    part('ClaudeIdeWinbarFile', (' %s '):format(tail)),
    part('ClaudeIdeWinbarNote', note(diff, original, unsaved)),
  })
  set(right, {
    part('ClaudeIdeWinbar', (' %s '):format(diff.title)),
    -- What there is no room for goes from here on.
    '%<',
    part('ClaudeIdeWinbarFile', tail),
    '%=',
    part('ClaudeIdeWinbarKeys', (' %s '):format(KEYS)),
  })
end

return M
