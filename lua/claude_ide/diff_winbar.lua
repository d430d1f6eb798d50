--- The lines above the two halves of a diff: whose it is, and the keys.
local plain = require('claude_ide.plain')

local M = {}

local LINKS = {
  ClaudeIdeWinbar = 'Title',
  ClaudeIdeWinbarFile = 'WinBar',
  ClaudeIdeWinbarNote = 'WarningMsg',
  ClaudeIdeWinbarKeys = 'Comment',
}
local KEYS = ':w accept · :q reject'

local function part(group, text)
  return ('%%#%s#%s'):format(group, plain.status_line(text))
end

local function set(win, parts)
  -- Local to the buffer, too: another one that is shown here gets no winbar of ours.
  vim.wo[win][0].winbar = table.concat(parts)
end

---@param diff claude_ide.Diff
---@param left integer window
---@param right integer window
function M.set(diff, left, right)
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  local tail = vim.fs.basename(diff.path)
  local original = vim.bo[vim.api.nvim_win_get_buf(left)]
  -- What is for a buffer replaces nothing on disk.
  local is_new = not diff.original and original.buftype ~= ''
  local unsaved = not diff.original and not is_new and original.modified
  set(left, {
    part('ClaudeIdeWinbarFile', (' %s '):format(tail)),
    part('ClaudeIdeWinbarNote', is_new and 'new file' or unsaved and 'unsaved changes' or ''),
  })
  set(right, {
    part('ClaudeIdeWinbar', (' %s '):format(diff.title)),
    -- What there is no room for goes from here on.
    '%<',
    part('ClaudeIdeWinbarFile', tail .. ' '),
    part('ClaudeIdeWinbarNote', unsaved and 'unsaved changes on the left' or ''),
    '%=',
    part('ClaudeIdeWinbarKeys', (' %s '):format(KEYS)),
  })
end

return M
