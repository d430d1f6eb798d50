--- Who hears of changed diagnostics.
local M = {}

---@type table<fun(bufnr: integer), true>
local listeners = {}

local function listen()
  local group = vim.api.nvim_create_augroup('claude_ide_diagnostics', { clear = true })
  if next(listeners) then
    -- A callback would be given copies of all the diagnostics: up to 10 ms for 5,000 of them.
    vim.api.nvim_create_autocmd('DiagnosticChanged', {
      group = group,
      command = "lua require('claude_ide.diagnostic_events').tell(vim.fn.expand('<abuf>'))",
    })
  end
end

--- Call `fn` with the buffer each time that its diagnostics have changed.
---@param fn fun(bufnr: integer)
function M.subscribe(fn)
  listeners[fn] = true
  listen()
end

---@param fn fun(bufnr: integer)
function M.unsubscribe(fn)
  listeners[fn] = nil
  listen()
end

---@param abuf string
function M.tell(abuf)
  for fn in pairs(listeners) do
    fn(tonumber(abuf))
  end
end

return M
