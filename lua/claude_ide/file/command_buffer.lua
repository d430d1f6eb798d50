--- A buffer in which `:w` runs a command instead of writing a file: a proposal, a plan, a prompt.
local autosave = require('claude_ide.file.autosave')
local buffer_text = require('claude_ide.file.text')
local message = require('claude_ide.messages.message')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_file_command_buffer', { clear = true })

-- The names under which each buffer is written, by its number.
local own = {} ---@type table<integer, string[]>

--- Note the name of a buffer, after which writing it runs the command.
---@param bufnr integer
function M.named(bufnr)
  -- `event.match` would be the short name in the current folder, where the buffer is not (`window/label`).
  own[bufnr] = { vim.fn.bufname(bufnr), vim.api.nvim_buf_get_name(bufnr) }
end

--- Save a copy of a buffer, as `:write other.txt` does.
---@param bufnr integer
---@param path string
---@return boolean is_written
function M.write_copy(bufnr, path)
  local reason = buffer_text.write(bufnr, path)
  if reason then
    message.show(('cannot write %s'):format(reason), 'error')
  end
  return reason == nil
end

-- If the buffer were modified, `:q` and `:qa` would fail, and an autosave would write it.
local function stay_unmodified(bufnr)
  local function unmodified()
    vim.bo[bufnr].modified = false
  end
  vim.api.nvim_create_autocmd('QuitPre', { group = augroup, buffer = bufnr, callback = unmodified })
  -- Without on_reload, a reload would detach the callbacks.
  vim.api.nvim_buf_attach(bufnr, false, { on_lines = unmodified, on_reload = unmodified })
end

--- Call `written` whenever the user writes a buffer. The buffer is never modified from now on.
---@param bufnr integer after it gets another name, `named` must be called
---@param written fun() called in `BufWriteCmd` when the user writes the buffer
---@param written_by_timer? fun() called when a plugin's timer writes it
function M.listen(bufnr, written, written_by_timer)
  M.named(bufnr)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    group = augroup,
    buffer = bufnr,
    callback = function(event)
      local autosaved = autosave.is_writing()
      vim.bo[bufnr].modified = false
      if not vim.list_contains(own[bufnr], event.file) then
        M.write_copy(bufnr, event.match)
      elseif not autosaved then
        written()
      elseif autosaved == 'timer' and written_by_timer then
        written_by_timer()
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      own[bufnr] = nil
    end,
  })
  stay_unmodified(bufnr)
end

local function is_exit(line)
  local ok, command = pcall(vim.api.nvim_parse_cmd, line, {})
  return ok and (command.cmd == 'xit' or command.cmd == 'exit')
end

--- Have `:x` write the buffer, as its users expect: it writes only a modified one, which this never is.
---@param bufnr integer
function M.write_on_exit(bufnr)
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      local is_run = not vim.v.event.abort and vim.v.event.cmdtype == ':'
      if is_run and is_exit(vim.fn.getcmdline()) then
        vim.bo[bufnr].modified = true
      end
    end,
  })
end

return M
