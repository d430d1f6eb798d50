--- Starts and stops the process of the host, with the user's options.
local channel = require('claude_ide.channel')

local M = {}

-- The options are in the environment because every user of the machine can read a command line.
local OPTIONS = 'CLAUDE_IDE_HOST'
local LARGEST_OPTIONS = 128 * 1024 - #OPTIONS - 2 -- bytes; Linux limits each variable to 128 kB
local LONGEST_END_MS = 3000

--- The folder of the plugin's checkout.
---@type string
M.root = vim.fn['claude_ide#python#Root']()
--- The path of the remote plugin that the host loads.
---@type string
M.entry = M.root .. '/rplugin/python3/claude_ide_rplugin.py'

-- The options that may be functions: these stay in Neovim, which alone can call them.
local FUNCTIONS = { ['diff.layout'] = true, ['terminal.side'] = true }

local A_FUNCTION = { ['function'] = true } -- `config.py` says that no option takes it

--- Copy the options for the host, without functions.
---@param value any
---@param name? string of the option
---@return any copy
function M.sendable(value, name)
  if type(value) == 'function' then
    return not FUNCTIONS[name] and A_FUNCTION or nil
  elseif type(value) ~= 'table' then
    return value
  end
  local copy = vim.islist(value) and next(value) ~= nil and {} or vim.empty_dict()
  for key, inner in pairs(value) do
    copy[key] = M.sendable(inner, (name and name .. '.' or '') .. key)
  end
  return copy
end

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
---@return integer? channel nil if it cannot run
---@return string? reason
function M.start(options, on_exit)
  local found = vim.fn['claude_ide#python#Find']()
  if found.path == '' then
    return nil, vim.fn['claude_ide#python#Refusal'](found.problem)[1]
  end
  options.entry, options.pid = M.entry, vim.fn.getpid()
  local json, refusal = encode(options)
  if not json then
    return nil, refusal
  end
  local stderr = {} ---@type string[]
  local ok, id = pcall(
    vim.fn.jobstart,
    { found.path, '-I', M.root .. '/python/claude_ide/host.py' },
    {
      -- What it has as NVIM is this Neovim (`attention.py`).
      env = { [OPTIONS] = json, CLAUDE_IDE_OUTER_NVIM = vim.env.NVIM },
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
    }
  )
  if not ok or id <= 0 then
    return nil, ('cannot run %s'):format(found.path)
  end
  return id
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
