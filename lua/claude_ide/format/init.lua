--- What formats buffers: the user's own formatters. The host chooses among them, runs programs, asks language
--- servers, and applies the new text (`editor/formatting.py`).
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local conform = require('claude_ide.format.conform')
local disk = require('claude_ide.file.disk')
local expression = require('claude_ide.format.expression')
local file = require('claude_ide.file.path')
local file_load = require('claude_ide.file.load')
local private_api = require('claude_ide.private_api')
local reason = require('claude_ide.messages.reason')
local reload = require('claude_ide.disk_changes.reload')
local window_close = require('claude_ide.window.close')

local M = {}

local METHOD = 'textDocument/formatting'

---@class claude_ide.Formatter
---@field kind 'conform'|'expression'|'program'|'server'
---@field name string
---@field is_own? boolean whether the user has set it for this buffer
---@field order? string when language servers format, too
---@field id? integer of a client
---@field encoding? string in which it counts characters
---@field parameters? string of the request to it, as JSON

---@alias claude_ide.FormatDone fun(failure: string?, lines: string[])

-- Whether the option was set by one of Neovim's own scripts, such as a filetype plugin. Neovim uses the same
-- criterion before it sets 'formatexpr' for a language server.
local function is_default(bufnr, name)
  local info = vim.api.nvim_get_option_info2(name, { buf = bufnr })
  local script = vim.iter(vim.fn.getscriptinfo()):find(function(script)
    return script.sid == info.last_set_sid
  end)
  return script ~= nil and vim.startswith(script.name, vim.env.VIMRUNTIME)
end

local function is_own(bufnr, name)
  return vim.bo[bufnr][name] ~= '' and not is_default(bufnr, name)
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
  local found = { conform.find(bufnr) }
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

--- Load a file unseen. `is_new`: it was not loaded; `is_made`: there was no buffer of it.
---@param path string
---@return { path: string, bufnr?: integer, is_new?: boolean, is_made?: boolean, error?: string }
function M.open(path)
  local absolute, _, is_missing = file.check(path)
  path = absolute or path
  local bufnr, refusal, is_made = file_load.add(path)
  if not bufnr then
    return { path = path, error = is_missing and 'File not found' or refusal }
  end
  local is_new = not vim.api.nvim_buf_is_loaded(bufnr)
  local note, err = file_load.hidden(bufnr)
  if not err and (vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable) then
    err = table.concat({ path .. ' is read-only.', note }, ' ')
  end
  if err and is_new then
    M.close(bufnr, is_made)
  end
  return { path = path, bufnr = bufnr, is_new = is_new, is_made = is_made, error = err }
end

--- Unload a file that was loaded only for this, unless the user has opened or changed it.
---@param bufnr integer
---@param is_made boolean
function M.close(bufnr, is_made)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif #vim.fn.win_findbuf(bufnr) == 0 then
    pcall(window_close.temporary, bufnr, not is_made or vim.bo[bufnr].buflisted)
  end
end

--- The text of a buffer after it has followed the disk; nil if it is not loaded. `is_in_conflict`: it has
--- unsaved changes to an older text of the file.
---@param bufnr integer
---@param path string
---@return table?
function M.text(bufnr, path)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  reload.sync_one(bufnr)
  local text = buffer_text.describe(bufnr, path)
  text.is_in_conflict = text.is_modified and disk.has_changed(bufnr)
  return text
end

--- How a command of the user's, such as 'formatprg' and 'makeprg', is run in a buffer: the shell and its
--- arguments, the folder and the environment; and what `%` and `#` with their modifiers stand for, each also
--- escaped for the shell (`editor/shell.py`).
---@param bufnr integer
---@param names string[]
---@return { shell: string[], folder: string, environment: table<string, string>, names: string[][] }
function M.shell(bufnr, names)
  return vim.api.nvim_buf_call(bufnr, function()
    return {
      shell = vim.list_extend({ vim.o.shell }, vim.split(vim.o.shellcmdflag, ' ')),
      folder = vim.fn.getcwd(),
      environment = vim.fn.environ(),
      names = vim.tbl_map(function(name)
        local path = vim.fn.expand(name)
        return { path, vim.fn.shellescape(path) }
      end, names),
    }
  end)
end

--- Have a plugin or an expression format a loaded buffer, whose text is unchanged afterwards. Then emit
--- `answered` with the `token` and the new `lines`.
---@param token any
---@param bufnr integer
---@param formatter claude_ide.Formatter
function M.start(token, bufnr, formatter)
  local format = formatter.kind == 'conform' and conform.format or expression.format
  local function done(failure, lines)
    channel.emit('answered', { token = token, error = failure, lines = lines })
  end
  local ok, err = pcall(format, bufnr, done)
  if not ok then
    done(reason.of(err), {})
  end
end

return M
