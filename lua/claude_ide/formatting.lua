--- A file is reformatted by the user's own formatter, while Neovim goes on.
local channel = require('claude_ide.channel')
local disk = require('claude_ide.disk')
local disk_edit = require('claude_ide.disk_edit')
local filter = require('claude_ide.format_filter')
local loading = require('claude_ide.loading')
local path_gate = require('claude_ide.path_gate')
local server = require('claude_ide.format_server')
local window_close = require('claude_ide.window.close')

local M = {}

-- Milliseconds.
local POLL = 50
local SERVER_ATTACHES_WITHIN = 1500

local CLOSED = '%s was closed while it was being reformatted.'

---@class claude_ide.Formatter
---@field name string
---@field format fun(done: fun(err?: string, lines?: fun(): string[])) `done` is called later, once

---@class claude_ide.Reformatting
---@field bufnr integer
---@field path string
---@field was_loaded boolean
---@field finish fun(err?: string)

-- A file that was loaded for this only goes again, unless the user has come across it meanwhile.
---@param reformatting claude_ide.Reformatting
local function unload(reformatting)
  local bufnr = reformatting.bufnr
  if reformatting.was_loaded or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    vim.bo[bufnr].buflisted = true
  elseif #vim.fn.win_findbuf(bufnr) == 0 then
    pcall(window_close.buffer, bufnr, { force = false, unload = vim.bo[bufnr].buflisted })
  end
end

---@param reformatting claude_ide.Reformatting
---@param lines string[]
---@return string? err
local function apply(reformatting, lines)
  local bufnr = reformatting.bufnr
  local was_modified = vim.bo[bufnr].modified
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  disk_edit.change(bufnr, lines)
  if vim.api.nvim_buf_get_changedtick(bufnr) ~= tick and not was_modified then
    local refusal = disk.write(bufnr)
    return refusal and ('%s was reformatted but not saved: %s'):format(reformatting.path, refusal)
  end
end

---@param reformatting claude_ide.Reformatting
---@param formatter claude_ide.Formatter
local function run(reformatting, formatter)
  local bufnr, path = reformatting.bufnr, reformatting.path
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local started, why = pcall(formatter.format, function(err, lines)
    if err then
      err = ('%s could not reformat %s: %s'):format(formatter.name, path, err)
    elseif not vim.api.nvim_buf_is_loaded(bufnr) then
      err = CLOSED:format(path)
    elseif vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      err = ('%s was changed while it was being reformatted; the changes were kept.'):format(path)
    else
      local ok, result = pcall(function()
        return apply(reformatting, lines())
      end)
      err = ok and result or not ok and disk.reason(tostring(result)) or nil
    end
    reformatting.finish(err)
  end)
  if not started then
    reformatting.finish(('%s could not be started: %s'):format(formatter.name, disk.reason(why)))
  end
end

-- A server needs a while to attach to a file that has just been loaded.
---@param reformatting claude_ide.Reformatting
---@param polls_left integer
local function find_formatter(reformatting, polls_left)
  local bufnr, path = reformatting.bufnr, reformatting.path
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return reformatting.finish(CLOSED:format(path))
  end
  local formatter = server.find(bufnr) or filter.find(bufnr)
  if formatter then
    run(reformatting, formatter)
  elseif polls_left > 0 then
    vim.defer_fn(function()
      find_formatter(reformatting, polls_left - 1)
    end, POLL)
  else
    reformatting.finish(
      ('%s has no formatter: '):format(path)
        .. "no language server that formats it is attached, and 'formatprg' and 'equalprg' are empty."
    )
  end
end

--- Reformat a file, and save it unless it had unsaved changes before; then emit `reformatted` with
--- the `token`, `ok`, and an `error` of one sentence if it is not.
---@param token any
---@param path string
function M.reformat(token, path)
  local absolute, _, is_missing = path_gate.check(path)
  path = absolute or path
  local function answer(err)
    channel.emit('reformatted', { token = token, ok = err == nil, error = err })
  end
  local bufnr, refusal = loading.add(path)
  if not bufnr then
    return answer(is_missing and 'File not found' or refusal)
  end
  local reformatting = { bufnr = bufnr, path = path }
  reformatting.was_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  function reformatting.finish(err)
    unload(reformatting)
    answer(err)
  end
  local note, err = loading.hidden(bufnr)
  if err or vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable then
    return reformatting.finish(err or table.concat({ path .. ' is read-only.', note }, ' '))
  end
  find_formatter(reformatting, reformatting.was_loaded and 0 or SERVER_ATTACHES_WITHIN / POLL)
end

return M
