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
---@field folds string name of a file that `:source` makes the folds from

local function save_folds()
  local name = vim.fn.tempname()
  local viewoptions = vim.o.viewoptions
  vim.o.viewoptions = 'folds'
  local ok, err = pcall(vim.cmd.mkview, name)
  vim.o.viewoptions = viewoptions
  if not ok then
    error(err, 0)
  end
  return name
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
    folds = vim.api.nvim_win_call(win, save_folds),
  }
end

---@param window claude_ide.BorrowedWindow
function M.give_back(window)
  local win = window.win
  if vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, vim.cmd.diffoff)
    for name, value in pairs(window.options) do
      vim.api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
    end
    if vim.api.nvim_win_get_buf(win) == window.bufnr then
      vim.api.nvim_win_call(win, function()
        vim.cmd({ cmd = 'source', args = { window.folds }, mods = { silent = true, keepjumps = true } })
        vim.fn.winrestview(window.view)
      end)
    end
  end
  os.remove(window.folds)
end

return M
