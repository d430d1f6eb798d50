--- Reports changes of diagnostics to subscribers, with the namespace that has published.
local M = {}

---@alias claude_ide.DiagnosticListener fun(bufnr: integer, namespace?: integer)

---@type table<claude_ide.DiagnosticListener, true>
local listeners = {}

---@type table<integer, table<integer, true>> by buffer: namespaces that have published, even an empty set
local published = {}

-- The publish that Neovim is about to announce by `DiagnosticChanged`, which names no namespace.
---@type { bufnr: integer, namespace: integer }?
local latest

local function remember(bufnr, namespace)
  published[bufnr] = published[bufnr] or {}
  published[bufnr][namespace] = true
end

-- Neovim calls `hide` in each `vim.diagnostic.set`, unless the user has disabled diagnostics.
vim.diagnostic.handlers.claude_ide = {
  hide = function(namespace, bufnr)
    remember(bufnr, namespace)
    latest = { bufnr = bufnr, namespace = namespace }
  end,
}

vim.api.nvim_create_autocmd('BufWipeout', {
  group = vim.api.nvim_create_augroup('claude_ide_published', { clear = true }),
  callback = function(event)
    published[event.buf] = nil
  end,
})

-- `hide` is also called, without an announcement, when the user hides or disables diagnostics.
local function namespace_of(bufnr)
  local one = latest
  latest = nil
  local is_announced = one
    and one.bufnr == bufnr
    and vim.diagnostic.is_enabled({ bufnr = bufnr, ns_id = one.namespace })
  return is_announced and one.namespace or nil
end

local function listen()
  local group = vim.api.nvim_create_augroup('claude_ide_diagnostics', { clear = true })
  if next(listeners) then
    -- A callback would receive copies of all diagnostics, which takes up to 10 ms for 5,000 of them.
    vim.api.nvim_create_autocmd('DiagnosticChanged', {
      group = group,
      command = "lua require('claude_ide.checking.events').report(vim.fn.expand('<abuf>'))",
    })
  end
end

--- Call `fn` with the buffer whenever its diagnostics change, and with the namespace, which is unknown while
--- the user has disabled diagnostics.
---@param fn claude_ide.DiagnosticListener
function M.subscribe(fn)
  listeners[fn] = true
  listen()
end

---@param fn claude_ide.DiagnosticListener
function M.unsubscribe(fn)
  listeners[fn] = nil
  listen()
end

--- The namespaces that have published diagnostics for a buffer, even an empty set.
---@param bufnr integer
---@return integer[]
function M.namespaces(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return {}
  end
  local found = vim.deepcopy(published[bufnr] or {})
  for namespace in pairs(vim.diagnostic.get_namespaces()) do
    if next(vim.diagnostic.count(bufnr, { namespace = namespace })) then
      found[namespace] = true
    end
  end
  return vim.tbl_keys(found)
end

--- Only for this module: called by the autocommand.
---@param abuf string
function M.report(abuf)
  local bufnr = assert(tonumber(abuf))
  local namespace = namespace_of(bufnr)
  if namespace then
    remember(bufnr, namespace)
  end
  for fn in pairs(listeners) do
    fn(bufnr, namespace)
  end
end

return M
