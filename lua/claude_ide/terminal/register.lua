--- The CLIs in terminals, which `autoload/claude_ide/terminals.vim` knows for both editors.
local M = {}

--- A pane of the user's tmux, which the host shows and hides (`hooks/panes.py`).
---@class claude_ide.Pane
---@field id string tmux's, such as `%3`
---@field pid integer of the shell in it: it ends with the CLI, or when the user has seen why that ended

--- A copy of what is known of a CLI in a buffer or in a pane of tmux. A terminal that the user has opened has
--- only its `bufnr`.
---@class claude_ide.Terminal
---@field number integer
---@field name string the user's name for it, or a number
---@field place claude_ide.TerminalPlace where it is shown
---@field launch string the id under which it reports what it does; empty if it does not
---@field bufnr? integer
---@field pane? claude_ide.Pane
---@field is_found boolean whether an earlier editor has left it, and the user was not there yet

---@return claude_ide.Terminal?
local function found(terminal)
  if next(terminal) ~= nil then
    terminal.bufnr = terminal.bufnr > 0 and terminal.bufnr or nil
    terminal.pane = next(terminal.pane) ~= nil and terminal.pane or nil
    return terminal
  end
end

-- A function from its arguments to a terminal.
local function finding(name)
  return function(...)
    return found(vim.fn['claude_ide#terminals#' .. name](...))
  end
end

---@type fun(bufnr: integer): claude_ide.Terminal?
M.of = finding('Of')

---@type fun(name: string): claude_ide.Terminal?
M.named = finding('Named')

---@type fun(): claude_ide.Terminal?
M.current = finding('Current')

---@type fun(pid: integer): claude_ide.Terminal?
M.of_client = finding('OfClient')

---@type fun(terminal: table): claude_ide.Terminal
M.add = finding('Add')

--- All that run, the last used one first.
---@return claude_ide.Terminal[]
function M.all()
  return vim.tbl_map(found, vim.fn['claude_ide#terminals#All']())
end

return M
