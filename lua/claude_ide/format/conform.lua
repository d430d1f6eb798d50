--- Formats with conform.nvim, if the user has configured it for a buffer's filetype.
local checkpoint = require('claude_ide.format.checkpoint')
local time_limit = require('claude_ide.when.time_limit')
local window_close = require('claude_ide.window.close')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_format_conform', { clear = true })

-- Milliseconds.
local POLL = 100
local DIES_WITHIN = 2000

--- Milliseconds after which a formatter is killed.
M.answers_within = 30000

local LAZY_NAME = 'conform.nvim'

-- Looks only on the runtime path: `require` would also run a `conform.lua` in the working folder.
local function is_installed()
  return #vim.api.nvim_get_runtime_file('lua/conform/init.lua', false) > 0
end

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

local function conform()
  if not package.loaded.conform then
    pcall(load_lazily)
  end
  if package.loaded.conform or is_installed() then
    local ok, plugin = pcall(require, 'conform')
    return ok and type(plugin) == 'table' and plugin.list_formatters_to_run and plugin or nil
  end
end

local function lsp_format(plugin, bufnr)
  local for_filetype = (plugin.formatters_by_ft or {})[vim.bo[bufnr].filetype]
  local own = type(for_filetype) == 'table' and for_filetype.lsp_format
  return own or (plugin.default_format_opts or {}).lsp_format or 'never'
end

---@alias claude_ide.ServerOrder 'first'|'last'|'prefer' before conform.nvim, after it, or instead of it

---@type table<string, claude_ide.ServerOrder>
local ORDERS = { first = 'first', last = 'last', prefer = 'prefer' }

-- When conform.nvim wants language servers to format a buffer.
---@return claude_ide.ServerOrder?
local function server_order(plugin, bufnr)
  return ORDERS[lsp_format(plugin, bufnr)]
end

--- The formatter of a buffer, if conform.nvim has one.
---@param bufnr integer
---@return claude_ide.Formatter?
---@return claude_ide.ServerOrder? order when language servers format, too
function M.find(bufnr)
  local plugin = conform()
  if not plugin then
    return nil
  end
  local ok, formatters = pcall(plugin.list_formatters_to_run, bufnr)
  if not ok or #formatters == 0 then
    return nil
  end
  local names = vim.tbl_map(function(formatter)
    return formatter.name
  end, formatters)
  ---@type claude_ide.Formatter
  local formatter = {
    name = ('conform.nvim (%s)'):format(table.concat(names, ', ')),
    format = function(done)
      return M.format(plugin, bufnr, done)
    end,
  }
  return formatter, server_order(plugin, bufnr)
end

local function end_tree(pid)
  for _, child in ipairs(vim.api.nvim_get_proc_children(pid)) do
    end_tree(child)
  end
  pcall(vim.uv.kill, pid, 'sigkill')
end

-- conform.nvim does not clear the id of a process that has ended. Another process may have that id now.
local function end_program(bufnr)
  local pid = vim.api.nvim_buf_is_valid(bufnr) and vim.b[bufnr].conform_pid
  local process = pid and vim.api.nvim_get_proc(pid)
  if process and process.ppid == vim.uv.os_getpid() then
    end_tree(pid)
  end
end

-- Kills repeatedly: when a formatter ends, conform.nvim starts the next one.
local function end_all(bufnr, is_over)
  local deadline = vim.uv.now() + DIES_WITHIN
  local function poll()
    if not is_over() and vim.uv.now() < deadline then
      end_program(bufnr)
      vim.defer_fn(poll, POLL)
    end
  end
  poll()
end

-- Restore the buffer, and return the text that conform.nvim has produced.
local function undone(point)
  if checkpoint.is_current(point) then
    return point.lines
  end
  local lines = vim.api.nvim_buf_get_lines(point.bufnr, 0, -1, true)
  checkpoint.restore(point)
  return lines
end

-- Returns a function that tells whether the buffer was still unchanged when conform.nvim had its result. It
-- applies the result right after this event, unless the user has changed the buffer.
local function watch_finish(bufnr)
  local before, last = vim.api.nvim_buf_get_changedtick(bufnr), nil
  local id = vim.api.nvim_create_autocmd('User', {
    group = augroup,
    pattern = 'ConformFormatPost',
    callback = function()
      last = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr)
    end,
  })
  return function()
    pcall(vim.api.nvim_del_autocmd, id)
    return last == before
  end
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

--- Format a loaded buffer; its text is unchanged afterwards.
---@param plugin table the module of conform.nvim
---@param bufnr integer
---@param done fun(err?: string, lines?: fun(): string[])
---@return fun() stop
function M.format(plugin, bufnr, done)
  local point = checkpoint.new(bufnr)
  local was_untouched = watch_finish(bufnr)
  local is_over = false
  local answer, stop = time_limit.new(M.answers_within, done, function()
    end_all(bufnr, function()
      return is_over
    end)
    return ('did not answer within %g s and was stopped'):format(M.answers_within / 1000)
  end)
  local options = { bufnr = bufnr, async = true, quiet = true, lsp_format = 'never' }
  local function finish(err)
    is_over = true
    if not vim.api.nvim_buf_is_loaded(bufnr) or not was_untouched() then
      return answer(err or 'an older conform.nvim, or the buffer was changed')
    end
    local lines = undone(point)
    answer(err, function()
      return lines
    end)
  end
  local ok, err = pcall(without_selection, bufnr, function()
    plugin.format(options, finish)
  end)
  if not ok then
    was_untouched()
    answer(tostring(err))
  end
  return stop
end

return M
