--- Chooses the formatters of a buffer: those that the user has set for it, in the order in which `gq` looks
--- for them; otherwise its language servers; otherwise the global options.
local conform = require('claude_ide.format.conform')
local expression = require('claude_ide.format.expression')
local filter = require('claude_ide.format.filter')
local private_api = require('claude_ide.private_api')
local server = require('claude_ide.format.server')

local M = {}

-- Milliseconds.
local POLL = 50
local SERVER_ATTACHES_WITHIN = 1500
local SERVER_STARTS_WITHIN = 300

---@class claude_ide.Formatter
---@field name string
-- Calls `done` once; may return a function that gives up.
---@field format fun(done: fun(err?: string, lines?: fun(): string[])): fun()?

-- Whether the option was set by one of Neovim's own scripts, such as a filetype plugin. Neovim uses the same
-- criterion before it sets 'formatexpr' for a language server.
local function is_default(bufnr, name)
  local info = vim.api.nvim_get_option_info2(name, { buf = bufnr })
  local script = vim.iter(vim.fn.getscriptinfo()):find(function(script)
    return script.sid == info.last_set_sid
  end)
  return script ~= nil and vim.startswith(script.name, vim.env.VIMRUNTIME)
end

local function is_own(bufnr, name)
  return vim.bo[bufnr][name] ~= '' and not is_default(bufnr, name)
end

local ORDERS = {
  first = function(formatter, servers)
    return vim.list_extend(servers, { formatter })
  end,
  last = function(formatter, servers)
    return vim.list_extend({ formatter }, servers)
  end,
  prefer = function(formatter, servers)
    return #servers > 0 and servers or { formatter }
  end,
}

---@param bufnr integer
---@return claude_ide.Formatter[]? formatters
---@return boolean awaits_servers
local function chosen(bufnr)
  local formatter, order = conform.find(bufnr)
  if formatter and order then
    return ORDERS[order](formatter, server.find(bufnr)), true
  end
  formatter = formatter
    or is_own(bufnr, 'formatexpr') and expression.find(bufnr)
    or is_own(bufnr, 'formatprg') and filter.find(bufnr, 'formatprg')
    or nil
  return formatter and { formatter }, false
end

-- A default 'formatexpr' is not included, because most of them fill paragraphs.
---@param bufnr integer
---@return claude_ide.Formatter[]
local function defaults(bufnr)
  return { filter.find(bufnr, 'formatprg') or filter.find(bufnr, 'equalprg') }
end

---@param bufnr integer
---@param waited integer milliseconds
---@param is_new boolean
---@return claude_ide.Formatter[]? formatters nil while a server may still attach
local function find(bufnr, waited, is_new)
  local formatters, awaits_servers = chosen(bufnr)
  if formatters and not awaits_servers then
    return formatters
  end
  local servers = server.find(bufnr)
  formatters = formatters or (#servers > 0 and servers or defaults(bufnr))
  local patience = is_new and #formatters == 0 and SERVER_ATTACHES_WITHIN
    or is_new and #servers == 0 and SERVER_STARTS_WITHIN
    or 0
  if #private_api.starting(bufnr) > 0 then
    patience = SERVER_ATTACHES_WITHIN
  end
  return waited >= patience and formatters or nil
end

--- Find the formatters of a buffer. Each of them formats the result of the previous one.
---@param bufnr integer loaded
---@param is_new boolean it has just been loaded, and servers may need a while to attach
---@param done fun(formatters?: claude_ide.Formatter[]) nil if the buffer was closed
function M.find(bufnr, is_new, done)
  local start = vim.uv.now()
  local function poll()
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      return done(nil)
    end
    local formatters = find(bufnr, vim.uv.now() - start, is_new)
    if formatters then
      return done(formatters)
    end
    vim.defer_fn(poll, POLL)
  end
  poll()
end

return M
