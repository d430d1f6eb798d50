--- The keys that the option `keys` maps: those of `:help claude-ide-keys`, where the user has no map.
local message = require('claude_ide.messages.message')
local python = require('claude_ide.host.python')

local M = {}

local GROUP = '<leader>a'
local BOTH = { 'n', 'x' }

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
  -- Each has its key, its <Plug> map, a description, and modes.
  for _, row in ipairs(python.json('editor/tables.json').keys) do
    local key, plug, desc, modes = unpack(row)
    for mode in modes:gmatch('.') do
      if not existing(mode, GROUP .. key) then
        vim.keymap.set(mode, GROUP .. key, ('<Plug>(claude-%s)'):format(plug), { desc = desc })
      end
    end
  end
end

return M
