--- Keys of our own buffers that lead to `<Plug>` maps, so that the user can choose other keys.
local M = {}

local api = vim.api

--- Define a key in a buffer, in each mode in which the user has none for the same map.
---@type fun(bufnr: integer, modes: string[], lhs: string, plug: string, desc: string)
function M.define(bufnr, modes, lhs, plug, desc)
  api.nvim_buf_call(bufnr, function()
    for _, mode in ipairs(modes) do
      if vim.fn.hasmapto(plug, mode) == 0 then
        local options = { buffer = bufnr, desc = desc, remap = true, nowait = true }
        vim.keymap.set(mode, lhs, plug, options)
      end
    end
  end)
end

--- The key of Normal mode that leads to a map: the user's own comes first.
---@param bufnr integer
---@param plug string
---@return string key the map itself if there is none
function M.typed(bufnr, plug)
  local maps = vim.list_extend(api.nvim_get_keymap('n'), api.nvim_buf_get_keymap(bufnr, 'n'))
  local found = vim.iter(maps):find(function(map)
    return map.rhs == plug
  end)
  return found and vim.fn.keytrans(vim.keycode(found.lhs)) or plug
end

return M
