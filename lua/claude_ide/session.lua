--- A host's time, for the features: what they watch while it serves, and what ends with it.
---
--- A feature that was never used is not loaded for the end.
local host = require('claude_ide.host')
local ready = require('claude_ide.host.ready')

local M = {}

-- By module: what it does when a host has ended.
local ENDS = {
  { 'diff', 'close_all' },
  { 'diff.accepted', 'settle_all' },
  { 'dialogue', 'close_all' },
  { 'question', 'host_ended' },
  { 'diagnostics.unopened', 'release' },
}
-- With `!` these lead the user to Claude; `:Claude` always does.
local LEADING = { ClaudeSend = true, ClaudeAdd = true }

local function used(name)
  return package.loaded['claude_ide.' .. name]
end

---@param on boolean
local function watch(on)
  require('claude_ide.selection')[on and 'start' or 'stop']()
  require('claude_ide.file.buffers').watch(on)
  require('claude_ide.diagnostics').watch(on)
  require('claude_ide.disk.change').watch('server', on)
end

host.on_serving(function(on)
  watch(on)
  if not on and used('diff') then
    require('claude_ide.diff').close_all()
  end
end)

host.on_exit(function(reason)
  for _, each in ipairs(ENDS) do
    local module, name = unpack(each)
    if used(module) then
      used(module)[name]()
    end
  end
  if used('chat.state') then
    require('claude_ide.chat.hostless').host_ended(reason)
  end
end)

--- Carry out what needs the host, once that can run (`host.ready`).
---@param opts vim.api.keyset.create_user_command.command_args
---@param fn fun(opts: vim.api.keyset.create_user_command.command_args)
M.run = ready.run

--- Send a command to the host, which is started if need be.
---@param name string
---@param opts vim.api.keyset.create_user_command.command_args
function M.command(name, opts)
  if name == 'Claude' or opts.bang and LEADING[name] then
    -- The command will lead the user away; what is selected now is what is meant.
    local has_range = (opts.range or 0) > 0
    require('claude_ide.selection').hold(has_range and { opts.line1, opts.line2 } or nil)
  end
  host.command(name, opts)
end

return M
