--- Buffers of which `:w` writes no file: it runs a command in a proposal, a plan, a prompt; and a text that
--- would otherwise be lost has no file until the user names one.
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local colouring = require('claude_ide.colouring')
local label = require('claude_ide.window.label')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_file_command_buffer')

-- The names under which each buffer is written, by its number.
local own = {} ---@type table<integer, string[]>

-- Whether an entry of `<stack>` is an autocommand, such as `InsertLeave Autocommands for "*"`: all but
-- the event is translated, which is anywhere.
local function is_autocommand(entry)
  return vim.iter(vim.split(entry, ' ', { plain = true })):any(function(word)
    local event = word:match('^"?(%a+)"?$')
    return event ~= nil and vim.fn.exists('##' .. event) == 1
  end)
end

-- Which kind of autosave has caused the current autocommand, if any. A script that runs while no typed
-- command is being executed was started by a timer. A remote client's `:write` runs outside any script.
---@return 'autocommand'|'timer'|nil how
local function autosaved()
  local around = vim.split(vim.fn.expand('<stack>'), '..', { plain = true })
  table.remove(around)
  if vim.iter(around):any(is_autocommand) then
    return 'autocommand'
  end
  -- "S": a typed key is being executed. A pending operator was typed, too, but writes nothing.
  local state = vim.fn.state('So')
  local is_idle = state == '' or state:find('o') ~= nil
  local private_api = require('claude_ide.private_api')
  return is_idle and (#around > 0 or private_api.is_in_lua_of_others()) and 'timer' or nil
end

-- Save a copy of a buffer, as `:write other.txt` does.
---@return boolean is_written
local function write_copy(bufnr, path)
  local file, problem = io.open(path, 'wb')
  if file then
    local ok, reason = file:write(buffer_text.get(bufnr))
    -- A full disk may show only when the last bytes are written.
    local is_closed, failure = file:close()
    reason = not ok and reason or not is_closed and failure or nil
    problem = reason and ('%s: %s'):format(path, reason)
  end
  if problem then
    message.show(('cannot write %s'):format(problem), 'error')
  end
  return problem == nil
end

--- Note the name of a buffer, after which writing it runs the command.
---@param bufnr integer
function M.named(bufnr)
  -- `event.match` would be the short name in the current folder, where the buffer is not (`window/label`).
  own[bufnr] = { vim.fn.bufname(bufnr), api.nvim_buf_get_name(bufnr) }
end

--- Call `written` whenever the user writes a buffer. The buffer is never modified from now on: `:q` and `:qa`
--- would fail, and an autosave would write it.
---@param bufnr integer after it gets another name, `named` must be called
---@param written fun() called in `BufWriteCmd` when the user writes the buffer
---@param written_by_timer? fun() called when a plugin's timer writes it
function M.listen(bufnr, written, written_by_timer)
  local function unmodified()
    vim.bo[bufnr].modified = false
  end
  M.named(bufnr)
  on('BufWipeout', bufnr, function()
    own[bufnr] = nil
  end)
  on('QuitPre', bufnr, unmodified)
  on('BufWriteCmd', bufnr, function(event)
    local how = autosaved()
    unmodified()
    if not vim.list_contains(own[bufnr], event.file) then
      write_copy(bufnr, event.match)
    elseif not how then
      written()
    elseif how == 'timer' and written_by_timer then
      written_by_timer()
    end
  end)
  -- Without on_reload, a reload would detach the callbacks.
  api.nvim_buf_attach(bufnr, false, { on_lines = unmodified, on_reload = unmodified })
end

--- Have `:x` write the buffer, as its users expect: it writes only a modified one, which this never is.
---@param bufnr integer
---@param updated? fun() called when the user runs `:update`, which writes nothing for the same reason
function M.write_on_exit(bufnr, updated)
  on('CmdlineLeave', bufnr, function()
    local is_run = not vim.v.event.abort and vim.v.event.cmdtype == ':'
    local ok, command = pcall(api.nvim_parse_cmd, is_run and vim.fn.getcmdline() or '', {})
    if ok and (command.cmd == 'xit' or command.cmd == 'exit') then
      vim.bo[bufnr].modified = true
    elseif ok and command.cmd == 'update' and updated then
      updated()
    end
  end)
end

--- Keep a text in a listed, modified buffer.
---@param name string what the text was for; only the last part of a path is shown
---@param text string
---@param what string subject and verb, such as "your edits are"
---@param filetype? string
---@return string line a message that names the buffer
function M.keep(name, text, what, filetype)
  local tail, bufnr = plain.one_line(vim.fs.basename(name)), api.nvim_create_buf(true, true)
  -- The prefix and the suffix keep plugins from writing this buffer: no pattern such as `*.gpg` matches.
  label.give(bufnr, 'claude-kept', ('Kept (%s)'):format(tail))
  local label_name, options = vim.fn.bufname(bufnr), vim.bo[bufnr]
  options.buftype, options.modifiable = 'acwrite', true
  on('BufWriteCmd', bufnr, function(event)
    if event.file == label_name then
      message.show('this text has no file; `:w {file}` saves it', 'warn')
    elseif write_copy(bufnr, event.match) then
      options.modified = false
    end
  end)
  buffer_text.put(bufnr, text)
  colouring.set_filetype(bufnr, filetype or '')
  options.modified = true
  return ('%s: %s kept in buffer %d'):format(tail, what, bufnr)
end

--- Keep the user's edits of a proposal that is being withdrawn, if there are any.
---@param bufnr integer the buffer of the proposal
---@param proposed string
---@param name string as for `keep`
function M.keep_edits(bufnr, proposed, name)
  local ok, text = pcall(buffer_text.get, bufnr)
  if ok and text ~= proposed then
    message.show(M.keep(name, text, 'your edits are', vim.bo[bufnr].filetype), 'warn')
  end
end

return M
