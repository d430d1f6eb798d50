--- A window of the user's while it takes part in a diff: its options, folds and view.
local M = {}

-- What `:diffthis` sets, and a winbar.
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
---@field folds string[] commands

-- The commands that make the folds of the current window, out of the script that `:mkview` writes:
-- the rest of it loads files, sets options and runs autocommands.
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

---@param win integer
---@return claude_ide.BorrowedWindow
function M.take(win)
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

-- Setting 'foldlevel', even to what it is, opens and closes folds.
local function restore_options(window)
  for name, value in pairs(window.options) do
    if vim.api.nvim_get_option_value(name, { win = window.win, scope = 'local' }) ~= value then
      vim.api.nvim_set_option_value(name, value, { win = window.win, scope = 'local' })
    end
  end
end

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
