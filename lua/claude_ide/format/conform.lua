--- Formats with conform.nvim, if the user has configured it for a buffer's filetype.
local checkpoint = require('claude_ide.format.checkpoint')
local window_close = require('claude_ide.window.close')

local M = {}

local LAZY_NAME = 'conform.nvim'

-- lazy.nvim adds a plugin to the runtime path only when it is used.
local function load_lazily()
  local lazy = package.loaded.lazy
  local plugins = lazy and lazy.plugins and lazy.plugins() or {}
  if vim.iter(plugins):any(function(plugin)
    return plugin.name == LAZY_NAME
  end) then
    lazy.load({ plugins = { LAZY_NAME } })
  end
end

-- Looks only on the runtime path: `require` would also run a `conform.lua` in the working folder.
local function conform()
  if not package.loaded.conform then
    pcall(load_lazily)
  end
  if
    package.loaded.conform or #vim.api.nvim_get_runtime_file('lua/conform/init.lua', false) > 0
  then
    local ok, plugin = pcall(require, 'conform')
    return ok and type(plugin) == 'table' and plugin.list_formatters_to_run and plugin or nil
  end
end

-- When language servers format, too: 'first', 'last', 'prefer', or other values for never.
local function order(plugin, bufnr)
  local for_filetype = (plugin.formatters_by_ft or {})[vim.bo[bufnr].filetype]
  local own = type(for_filetype) == 'table' and for_filetype.lsp_format
  return own or (plugin.default_format_opts or {}).lsp_format or 'never'
end

--- The formatter of a buffer, if conform.nvim has one.
---@param bufnr integer
---@return claude_ide.Formatter?
function M.find(bufnr)
  local plugin = conform()
  local ok, formatters = pcall(function()
    return plugin and plugin.list_formatters_to_run(bufnr) or {}
  end)
  if not ok or #formatters == 0 then
    return nil
  end
  local names = vim.tbl_map(function(formatter)
    return formatter.name
  end, formatters)
  return {
    kind = 'conform',
    name = ('conform.nvim (%s)'):format(table.concat(names, ', ')),
    is_own = true,
    order = order(plugin, bufnr),
  }
end

-- In Visual mode, conform.nvim would format only the selected text.
local function without_selection(bufnr, fn)
  if vim.api.nvim_get_current_buf() ~= bufnr then
    return vim.api.nvim_buf_call(bufnr, fn)
  end
  local elsewhere = vim.api.nvim_create_buf(false, true)
  local ok, err = pcall(vim.api.nvim_buf_call, elsewhere, fn)
  window_close.buffer(elsewhere)
  if not ok then
    error(err, 0)
  end
end

--- Format a loaded buffer; its text is unchanged afterwards. A program that hangs goes on, but what it makes
--- of the text is undone.
---@param bufnr integer
---@param done claude_ide.FormatDone
function M.format(bufnr, done)
  local point = checkpoint.new(bufnr)
  local options = { bufnr = bufnr, async = true, quiet = true, lsp_format = 'never' }
  without_selection(bufnr, function()
    require('conform').format(options, function(err, did_edit)
      local lines = did_edit and vim.api.nvim_buf_is_loaded(bufnr) and checkpoint.restore(point)
      done(err, lines or point.lines)
    end)
  end)
end

return M
