--- Runs the mapping of CTRL-C in a buffer also when Neovim does not.
---
--- If CTRL-C arrives while Neovim handles events, such as the words of an agent, Neovim takes it for an
--- interruption: it ends Insert mode, but runs no mapping (0.11.4, 0.12.4).
local autocommands = require('claude_ide.messages.autocommands')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_when_ctrl_c')

local CTRL_C = '\3'

local namespace = api.nvim_create_namespace('claude_ide_ctrl_c')
local is_due = false

---@param bufnr integer
---@param insert_at? integer[] the cursor, if the user was in Insert mode
local function run_mapping(bufnr, insert_at)
  is_due = false
  if api.nvim_get_current_buf() ~= bufnr then
    return
  end
  api.nvim_feedkeys(CTRL_C, 'mx', false)
  if insert_at and api.nvim_get_current_buf() == bufnr and api.nvim_get_mode().mode == 'n' then
    local row, col = unpack(insert_at)
    api.nvim_win_set_cursor(0, insert_at)
    vim.cmd.startinsert({ bang = col >= #api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] })
  end
end

local function notice(key, typed)
  -- The key of a mapping that runs is not the typed one.
  if key ~= CTRL_C or typed ~= CTRL_C or is_due then
    return
  end
  is_due = true
  local bufnr = api.nvim_get_current_buf()
  local is_insert = api.nvim_get_mode().mode:find('^i') ~= nil
  local cursor = is_insert and api.nvim_win_get_cursor(0) or nil
  vim.schedule(function()
    run_mapping(bufnr, cursor)
  end)
end

--- Watch a buffer that maps CTRL-C.
---@param bufnr integer
function M.keep(bufnr)
  local function watch()
    vim.on_key(notice, namespace)
  end
  on('BufEnter', bufnr, watch)
  -- Wiping out a buffer that the user is in leaves it first.
  on('BufLeave', bufnr, function()
    vim.on_key(nil, namespace)
  end)
  if api.nvim_get_current_buf() == bufnr then
    watch()
  end
end

return M
