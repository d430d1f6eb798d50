--- Runs the login of an agent in a terminal, and lets the chat go on when it has ended.
local chat_state = require('claude_ide.chat.state')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local program = require('claude_ide.system.program')
local terminal_program = require('claude_ide.system.terminal_program')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

---@class claude_ide.LoginRequest
---@field name string the agent's
---@field cmd string[]
---@field arguments string[]
---@field environment table<string, string>

---@type table<integer, integer> buffer of the terminal by chat
local terminals = {}

-- The output of a login that has failed stays until its window is closed.
local function ended(chat, bufnr, has_succeeded)
  if vim.v.exiting ~= vim.NIL then
    return
  end
  terminals[chat.id] = nil
  if chat_state.get(chat.id) == chat then
    chat_state.emit(chat, 'logged_in', { succeeded = has_succeeded })
  end
  if not has_succeeded then
    pcall(api.nvim_set_option_value, 'bufhidden', 'wipe', { buf = bufnr })
    return
  end
  moment.when_possible(function()
    pcall(window_close.buffer, bufnr)
  end, message.failure('the terminal cannot be closed: %s'))
end

---@param command string
local function open_window(command)
  local origin = location.current()
  vim.cmd('botright ' .. command)
  location.return_on_close(api.nvim_get_current_win(), origin)
end

---@param request claude_ide.LoginRequest
---@return { error: string }?
local function start(chat, request)
  local name = request.cmd[1]
  local path = program.find(name)
  if not path then
    return { error = ('%s is not on PATH'):format(name) }
  end
  open_window('new')
  local bufnr = api.nvim_get_current_buf()
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].buflisted = 'hide', false
  local ok, reason = pcall(terminal_program.start, vim.list_extend({ path }, request.arguments), {
    -- An empty table would be a list, which is no environment.
    env = next(request.environment) and request.environment or nil,
    on_exit = function(_, code)
      ended(chat, bufnr, code == 0)
    end,
  })
  if not ok then
    window_close.buffer(bufnr)
    return { error = ('cannot run %s: %s'):format(name, reason) }
  end
  label.give(bufnr, 'claude-login', request.name .. ' login')
  terminals[chat.id] = bufnr
  vim.cmd.startinsert()
end

--- Called by the host: run the login of a chat's agent, or go to the terminal in which it runs. Its end is
--- the event `logged_in`.
---@type fun(id: integer, request: claude_ide.LoginRequest): { error: string }?
M.open = chat_state.of_id(function(chat, request)
  local bufnr = terminals[chat.id]
  if not (bufnr and api.nvim_buf_is_valid(bufnr)) then
    return start(chat, request)
  elseif vim.fn.win_gotoid(vim.fn.win_findbuf(bufnr)[1] or 0) == 0 then
    open_window(('sbuffer %d'):format(bufnr))
  end
  vim.cmd.startinsert()
end)

return M
