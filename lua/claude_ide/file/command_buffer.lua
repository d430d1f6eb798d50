--- A buffer in which `:w` carries out something instead of writing a file: a proposal, a plan, a prompt.
local autosave = require('claude_ide.file.autosave')
local buffer_text = require('claude_ide.file.text')
local message = require('claude_ide.say.message')

local M = {}

--- Save a copy of a buffer, as for `:write other.txt`.
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

-- A modified buffer would keep `:q` and `:qa` from leaving, and an autosave would write it.
local function stay_unmodified(bufnr)
  local function unmodified()
    vim.bo[bufnr].modified = false
  end
  vim.api.nvim_create_autocmd('QuitPre', { buffer = bufnr, callback = unmodified })
  -- Without on_reload a reload would end the attachment.
  vim.api.nvim_buf_attach(bufnr, false, { on_lines = unmodified, on_reload = unmodified })
end

--- Carry out something whenever the user writes a buffer, which is never modified from now on.
---@param bufnr integer its name is final
---@param written fun() called in `BufWriteCmd` when the user writes it
---@param written_by_timer? fun() called when a plugin does that by itself
function M.listen(bufnr, written, written_by_timer)
  local name = vim.api.nvim_buf_get_name(bufnr)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function(event)
      local autosaved = autosave.is_writing()
      vim.bo[bufnr].modified = false
      if event.match ~= name then
        M.write_copy(bufnr, event.match)
      elseif not autosaved then
        written()
      elseif autosaved == 'timer' and written_by_timer then
        written_by_timer()
      end
    end,
  })
  stay_unmodified(bufnr)
end

return M
