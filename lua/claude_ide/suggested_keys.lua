--- The keys that the option `keys` maps: those of `:help claude-ide-keys`, where the user has no map.
local message = require('claude_ide.messages.message')

local M = {}

local GROUP = '<leader>a'
local BOTH = { 'n', 'x' }

---@type { [1]: string, [2]: string, [3]: string, [4]: string[]? }[] key, <Plug> map, description, modes
local KEYS = {
  { 'c', 'toggle', 'Claude Code' },
  { 'a', 'chat', 'Chat' },
  { 's', 'send', 'Send lines', BOTH },
  { 'b', 'add', 'Send file' },
  { 'q', 'ask', 'Ask', BOTH },
  { 'e', 'edit', 'Rewrite', BOTH },
  { 'm', 'commit', 'Commit message' },
  { 'h', 'changes', 'Review changes' },
  { 'y', 'accept', 'Yes: edit or request' },
  { 'n', 'reject', 'No: edit or request' },
  { 'r', 'answer', 'Go to the request' },
  { 'f', 'focus', 'Go to Claude, or back' },
  { 'p', 'prompt', 'Write a prompt', BOTH },
  { 'k', 'comment', 'Comment', BOTH },
  { 'o', 'new', 'Another Claude' },
  { 'w', 'switch', 'Switch to another Claude' },
  { ']', 'hunk-next', 'Next hunk', BOTH },
  { '[', 'hunk-previous', 'Previous hunk', BOTH },
  { 'v', 'hunk-keep', 'Keep hunk', BOTH },
  { 'x', 'hunk-revert', 'Revert hunk', BOTH },
  { 'd', 'hunk-show', 'Show removed lines' },
  { 'V', 'file-keep', 'Keep file' },
  { 'X', 'file-revert', 'Revert file' },
}

local function existing(mode, lhs)
  local found = vim.fn.maparg(lhs, mode, false, true)
  return next(found) and found or nil
end

-- Whether longer keys would delay no map of the user's. A map without a right side, or whose description
-- begins with `+`, only names a group: which-key and its kind show it.
local function is_free(mode)
  local found = existing(mode, GROUP)
  if not found then
    vim.keymap.set(mode, GROUP, '', { desc = '+claude' })
    return true
  end
  return vim.startswith(found.desc or '', '+') or not found.callback and (found.rhs or '') == ''
end

--- Map the keys. If the user has mapped `<leader>a` itself, none is mapped.
function M.define()
  local are_free = vim.tbl_map(is_free, BOTH)
  if vim.list_contains(are_free, false) then
    return message.show('<leader>a is mapped, so no keys were (:help claude-ide-keys)', 'warn')
  end
  for _, row in ipairs(KEYS) do
    local key, plug, desc, modes = unpack(row, 1, 4)
    for _, mode in ipairs(modes or { 'n' }) do
      if not existing(mode, GROUP .. key) then
        vim.keymap.set(mode, GROUP .. key, ('<Plug>(claude-%s)'):format(plug), { desc = desc })
      end
    end
  end
end

return M
