--- Starts and stops the process of the host, with the user's options, and removes the lock that it leaves.
local channel = require('claude_ide.channel')
local lock = require('claude_ide.host.lock')
local python = require('claude_ide.host.python')

local M = {}

-- The options are in the environment because every user of the machine can read a command line.
local OPTIONS = 'CLAUDE_IDE_HOST'
local LARGEST_OPTIONS = 128 * 1024 - #OPTIONS - 2 -- bytes; Linux limits each variable to 128 kB
local LONGEST_END_MS = 3000

--- The folder of the plugin's checkout.
---@type string
M.root = python.root
--- The path of the remote plugin that the host loads.
---@type string
M.entry = M.root .. '/rplugin/python3/claude_ide_rplugin.py'

-- The options that may be functions: these stay in Neovim, which alone can call them.
local FUNCTIONS = { ['diff.layout'] = true, ['terminal.side'] = true }

local function without_functions(value, name, complaints)
  if type(value) ~= 'table' then
    return value
  end
  local is_list = vim.islist(value) and next(value) ~= nil
  local copy = is_list and {} or vim.empty_dict()
  for key, inner in pairs(value) do
    local inner_name = is_list and name or (name and name .. '.' or '') .. tostring(key)
    if type(inner) ~= 'function' then
      copy[is_list and #copy + 1 or key] = without_functions(inner, inner_name, complaints)
    elseif not FUNCTIONS[inner_name] then
      table.insert(complaints, ('g:claude_ide.%s must not be a function'):format(inner_name))
    end
  end
  return copy
end

--- Copy the options for the host, without functions.
---@param options any
---@return any copy
---@return string[] complaints one line for each function that is not the value of an option
function M.sendable(options)
  local complaints = {} ---@type string[]
  local copy = without_functions(options, nil, complaints)
  table.sort(complaints)
  return copy, complaints
end

---@class claude_ide.HostProcess
---@field channel integer
---@field pid integer
---@field locks string the folder of its lock file

---@param options table
---@return string? json nil if they cannot be passed
---@return string? reason
local function encode(options)
  local is_json, json = pcall(vim.json.encode, options)
  if not is_json then
    return nil, ('g:claude_ide: %s'):format(json)
  elseif #json > LARGEST_OPTIONS then
    local size = math.ceil(#json / 1024)
    return nil, ('g:claude_ide is too large: %d kB (at most 127 kB)'):format(size)
  end
  return json
end

--- Start a host.
---@param options table the fields of `startup.Options`, except `entry` and `pid`
---@param on_exit fun(code: integer, stderr: string[])
---@return claude_ide.HostProcess? process nil if it cannot run
---@return string? reason
function M.start(options, on_exit)
  local program, missing = python.find()
  if not program then
    ---@cast missing -nil
    return nil, (python.refusal(missing))
  end
  options.entry, options.pid = M.entry, vim.fn.getpid()
  local json, refusal = encode(options)
  if not json then
    return nil, refusal
  end
  local stderr = {} ---@type string[]
  local ok, id = pcall(vim.fn.jobstart, { program, '-I', M.root .. '/python/claude_ide/host.py' }, {
    env = { [OPTIONS] = json },
    rpc = true,
    on_exit = function(_, code)
      on_exit(code, stderr)
    end,
    on_stderr = function(_, lines)
      for _, line in ipairs(lines) do
        if line ~= '' then
          stderr[#stderr + 1] = line
        end
      end
    end,
  })
  if not ok or id <= 0 then
    return nil, ('cannot run %s'):format(program)
  end
  return { channel = id, pid = vim.fn.jobpid(id), locks = lock.folder() }
end

--- Remove the lock of a host that has died: it contains a token, and a port that is free now.
---@param process claude_ide.HostProcess
function M.withdraw(process)
  lock.withdraw(process.locks, process.pid)
end

--- Stop a host, not only its server. Waits up to three seconds, then kills it.
---@param id integer its channel
function M.stop(id)
  vim.fn.chanclose(id)
  if vim.fn.jobwait({ id }, LONGEST_END_MS)[1] < 0 then
    vim.fn.jobstop(id)
  end
end

local outdated ---@type integer? channel of a host that still runs the previous Python

--- The plugin's own Python has been updated.
---@return boolean is_outdated whether a host still runs the previous Python
function M.outdate()
  outdated = channel.id
  return outdated ~= nil
end

--- Whether the running host still runs the previous Python.
---@return boolean
function M.is_outdated()
  return outdated ~= nil and outdated == channel.id
end

return M
