--- The options that determine how a window shows lines. A new window inherits them from the window
--- that was split.
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api

local OPTIONS = {
  'breakindent',
  'colorcolumn',
  'conceallevel',
  'concealcursor',
  'cursorcolumn',
  'cursorline',
  'linebreak',
  'list',
  'listchars',
  'number',
  'numberwidth',
  'relativenumber',
  'showbreak',
  'signcolumn',
  'statuscolumn',
}

--- Of a window with one entry in each line.
M.OF_LISTS = {
  cursorline = true,
  foldcolumn = '0',
  list = false,
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  wrap = false,
}

--- Set options of one window. Only those that differ: setting 'foldlevel', even to its own value, opens and
--- closes folds.
---@param win integer
---@param options table<string, any>
function M.set(win, options)
  local where = { win = win, scope = 'local' }
  for name, value in pairs(options) do
    if api.nvim_get_option_value(name, where) ~= value then
      api.nvim_set_option_value(name, value, where)
    end
  end
end

--- Options of a window.
---@param win integer
---@param names? string[] default: its looks
---@return table<string, any> options
function M.read(win, names)
  local values = {}
  for _, name in ipairs(names or OPTIONS) do
    values[name] = api.nvim_get_option_value(name, { win = win, scope = 'local' })
  end
  return values
end

--- Copy the looks of one window to another.
---@param win integer the target
---@param source integer window
function M.copy(win, source)
  M.set(win, M.read(source))
end

local function shows_file(win)
  return tiling.has(win)
    and not vim.wo[win].diff
    and vim.bo[api.nvim_win_get_buf(win)].buftype == ''
end

--- Give a window that will show a file the looks that an existing file window gives to a file without local
--- options. Otherwise it would keep those of the window that was split, such as a terminal without numbers.
---@param win integer
---@param candidates integer[] windows; the first one that shows a file is the source
function M.adopt(win, candidates)
  local source = vim.iter(candidates):find(shows_file)
  for _, name in ipairs(source and OPTIONS or {}) do
    vim.wo[win][name] = api.nvim_win_call(source, function()
      return api.nvim_get_option_value(name, { scope = 'global' })
    end)
  end
end

--- Another window that shows the same file, and is not in diff mode.
---@type fun(win: integer): integer?
function M.twin(win)
  return vim.iter(vim.fn.win_findbuf(api.nvim_win_get_buf(win))):find(function(other)
    return other ~= win and shows_file(other)
  end)
end

return M
