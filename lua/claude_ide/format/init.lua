--- What formats buffers: the user's own formatters. The host chooses among them, runs programs, asks language
--- servers, and applies the new text (`editor/formatting.py`).
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')
local expression = require('claude_ide.format.expression')
local private_api = require('claude_ide.private_api')
local reason = require('claude_ide.messages.reason')
local reload = require('claude_ide.disk_changes.reload')

local M = {}

local METHOD = 'textDocument/formatting'
local CONFORM = 'conform.nvim'

---@class claude_ide.Formatter
---@field kind 'conform'|'expression'|'program'|'server'
---@field name string
---@field is_own? boolean whether the user has set it for this buffer
---@field order? string when language servers format, too
---@field id? integer of a client
---@field encoding? string in which it counts characters
---@field parameters? string of the request to it, as JSON

---@alias claude_ide.FormatDone fun(failure: string?, lines: string[])

-- lazy.nvim adds a plugin to the runtime path only when it is used. `require` alone would also run a
-- `conform.lua` in the working folder.
local function load_conform()
  local lazy = package.loaded.lazy
  local plugins = not package.loaded.conform and lazy and lazy.plugins() or {}
  for _, plugin in ipairs(plugins) do
    if plugin.name == CONFORM then
      lazy.load({ plugins = { CONFORM } })
    end
  end
  local is_there = #vim.api.nvim_get_runtime_file('lua/conform/init.lua', false) > 0
  return package.loaded.conform or is_there and require('conform') or nil
end

-- The names of the formatters that conform.nvim, if there is one, would run.
local function conform_names(plugin, bufnr)
  return vim.tbl_map(function(formatter)
    return formatter.name
  end, plugin and plugin.list_formatters_to_run(bufnr) or {})
end

---@return claude_ide.Formatter[] of conform.nvim: at most one
local function conform(bufnr)
  local plugin = load_conform()
  local names = conform_names(plugin, bufnr)
  if #names == 0 then
    return {}
  end
  -- 'first', 'last', 'prefer', or other values for never.
  local for_filetype = (plugin.formatters_by_ft or {})[vim.bo[bufnr].filetype]
  local own = type(for_filetype) == 'table' and for_filetype.lsp_format
  return {
    {
      kind = 'conform',
      name = ('%s (%s)'):format(CONFORM, table.concat(names, ', ')),
      is_own = true,
      order = own or (plugin.default_format_opts or {}).lsp_format or 'never',
    },
  }
end

-- A program that hangs goes on, and nobody uses what it makes of the text.
---@param done claude_ide.FormatDone
local function format_with_conform(bufnr, done)
  local plugin = require('conform')
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local options = { bufnr = bufnr, async = true, quiet = true }
  plugin.format_lines(conform_names(plugin, bufnr), lines, options, function(err, new)
    done(err and (err.message or tostring(err)), new or {})
  end)
end

-- Whether the user has set an option, and not one of Neovim's own scripts, such as a filetype plugin. Neovim
-- uses the same criterion before it sets 'formatexpr' for a language server.
local function is_own(bufnr, name)
  local sid = vim.api.nvim_get_option_info2(name, { buf = bufnr }).last_set_sid
  local script = sid > 0 and vim.fn.getscriptinfo({ sid = sid })[1]
  local is_default = script and vim.startswith(script.name, vim.env.VIMRUNTIME)
  return vim.bo[bufnr][name] ~= '' and not is_default
end

-- The servers that can format a buffer, in the order of `vim.lsp.buf.format()`.
local function servers(bufnr)
  -- none-ls reports its capabilities for the current buffer, even if asked about another one.
  return vim.api.nvim_buf_call(bufnr, function()
    local parameters = vim.json.encode(vim.lsp.util.make_formatting_params())
    return vim.tbl_map(function(client)
      return {
        kind = 'server',
        name = client.name,
        id = client.id,
        encoding = client.offset_encoding,
        parameters = parameters,
      }
    end, vim.lsp.get_clients({ bufnr = bufnr, method = METHOD }))
  end)
end

---@return claude_ide.Formatter[]
local function candidates(bufnr)
  local ok, found = pcall(conform, bufnr)
  found = ok and found or {}
  -- Most default expressions fill paragraphs.
  if is_own(bufnr, 'formatexpr') and expression.is_usable(bufnr) then
    found[#found + 1] = { kind = 'expression', name = "'formatexpr'", is_own = true }
  end
  vim.list_extend(found, servers(bufnr))
  for _, option in ipairs({ 'formatprg', 'equalprg' }) do
    local own = vim.bo[bufnr][option]
    local program = own ~= '' and own or vim.go[option]
    if program ~= '' then
      local is_first = option == 'formatprg' and is_own(bufnr, option)
      found[#found + 1] = { kind = 'program', name = program, is_own = is_first }
    end
  end
  return found
end

--- What can format a buffer now, in the order in which `gq` looks; nil if it is not loaded.
---@param bufnr integer
---@return { candidates: claude_ide.Formatter[], is_starting: boolean, may_attach: boolean }?
function M.formatters(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  local is_starting = #private_api.starting(bufnr) > 0
  return { candidates = candidates(bufnr), is_starting = is_starting, may_attach = true }
end

--- The text of a buffer after it has followed the disk; nil if it is not loaded. `is_in_conflict`: it has
--- unsaved changes to an older text of the file.
---@type fun(bufnr: integer, path: string): table?
function M.text(bufnr, path)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  reload.sync_one(bufnr)
  local text = buffer_text.describe(bufnr, path)
  text.is_in_conflict = text.is_modified and disk.has_changed(bufnr)
  return text
end

--- Have a plugin or an expression format a loaded buffer, whose text is unchanged afterwards. Then emit
--- `answered` with the `token` and the new `lines`.
---@type fun(token: any, bufnr: integer, formatter: claude_ide.Formatter)
function M.start(token, bufnr, formatter)
  local format = formatter.kind == 'conform' and format_with_conform or expression.format
  local function done(failure, lines)
    channel.emit('answered', { token = token, error = failure, lines = lines })
  end
  local ok, err = pcall(format, bufnr, done)
  if not ok then
    done(reason.of(err), {})
  end
end

return M
