--- The state of a user's window before a diff uses it: options, folds and view.
local M = {}

-- `:diffthis` sets all of them but 'winbar', which is ours.
local OPTIONS = {
  'winbar',
  'diff',
  'scrollbind',
  'cursorbind',
  'wrap',
  'foldmethod',
  'foldcolumn',
  'foldlevel',
  'foldenable',
}

---@class claude_ide.BorrowedWindow
---@field win integer
---@field bufnr integer
---@field options table<string, any>
---@field view vim.fn.winsaveview.ret
---@field folds string[] commands that make them

-- The commands that make the folds of the current window, taken from the script that `:mkview` writes.
-- The rest of the script loads files, sets options and runs autocommands.
local function fold_commands()
  local name = vim.fn.tempname()
  local viewoptions = vim.o.viewoptions
  vim.o.viewoptions = 'folds'
  local ok, err = pcall(vim.cmd.mkview, name)
  vim.o.viewoptions = viewoptions
  local script = ok and vim.fn.readfile(name) or {}
  os.remove(name)
  if not ok then
    error(err, 0)
  end
  local commands = {}
  for _, line in ipairs(script) do
    if vim.startswith(line, 'setlocal ') then
      commands = {}
    elseif vim.startswith(line, 'let &g:so') then
      return commands
    else
      table.insert(commands, line)
    end
  end
  return {}
end

--- Snapshot a window, for `give_back`.
---@param win integer
---@return claude_ide.BorrowedWindow
function M.borrow(win)
  local options = {}
  for _, name in ipairs(OPTIONS) do
    options[name] = vim.api.nvim_get_option_value(name, { win = win, scope = 'local' })
  end
  return {
    win = win,
    bufnr = vim.api.nvim_win_get_buf(win),
    options = options,
    view = vim.api.nvim_win_call(win, vim.fn.winsaveview),
    folds = vim.api.nvim_win_call(win, fold_commands),
  }
end

-- Only those that differ: setting 'foldlevel', even to its own value, opens and closes folds.
local function restore_options(window)
  for name, value in pairs(window.options) do
    if vim.api.nvim_get_option_value(name, { win = window.win, scope = 'local' }) ~= value then
      vim.api.nvim_set_option_value(name, value, { win = window.win, scope = 'local' })
    end
  end
end

--- End diff mode in a window and restore its state; folds and view only if it shows the same buffer.
---@param window claude_ide.BorrowedWindow
function M.give_back(window)
  if vim.api.nvim_win_is_valid(window.win) then
    vim.api.nvim_win_call(window.win, vim.cmd.diffoff)
    restore_options(window)
    if vim.api.nvim_win_get_buf(window.win) == window.bufnr then
      vim.api.nvim_win_call(window.win, function()
        for _, command in ipairs(window.folds) do
          vim.cmd('silent! keepjumps ' .. command)
        end
        vim.fn.winrestview(window.view)
      end)
    end
  end
end

return M
