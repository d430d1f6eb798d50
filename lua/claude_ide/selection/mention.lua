--- What the host needs to mention a file, a folder or lines of a file (`editor/mentioning.py`), and how the
--- user types a mention.
local buffers = require('claude_ide.file.buffers')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')
local sources = require('claude_ide.selection.sources')

local M = {}

local LONGEST_REASON = 200 -- columns

--- Where the user is.
---@param bufnr integer 0 for the current one
---@param modifiers string of `%`
---@return { folder: string, file: string, current: string } facts the current folder; the file of the
---  buffer, and what `%` with the modifiers means: empty without a file
function M.facts(bufnr, modifiers)
  return {
    folder = vim.fn.getcwd(),
    file = file.path(bufnr) or '',
    current = file.path(0) and vim.fn.expand('%:p' .. modifiers .. ':p') or '',
  }
end

--- The lines of a file in its buffer; 0 if it is not loaded.
---@param path string
---@return integer
function M.line_count(path)
  local buffer = buffers.find(path)
  return buffer and buffer.loaded and vim.api.nvim_buf_line_count(buffer.bufnr) or 0
end

--- What the user means in a buffer that lists files.
---@param first? integer the range of the command, if it has one
---@param last? integer
---@return (claude_ide.SourceEntry|{ error: string })[]? entries nil if files are not listed in the current
---  buffer
function M.listed(first, last)
  local entries, reason = sources.entries(first, last)
  return reason and { { error = message.shorten(reason, LONGEST_REASON) } } or entries
end

-- Whether the command line already has a complete path, so that the next argument is a line.
local function has_path(before)
  local ok, command = pcall(vim.api.nvim_parse_cmd, before, {})
  return ok and #command.args > 0
end

--- Complete the path of `:ClaudeAdd`, but no later argument (`:help :command-completion-customlist`).
---@param lead string
---@param cmdline string
---@param cursor integer bytes before the cursor
---@return string[]
function M.complete(lead, cmdline, cursor)
  if has_path(cmdline:sub(1, cursor - #lead)) then
    return {}
  end
  local folder, start = lead:gsub('\\(.)', '%1'):match('^(.-)([^/]*)$')
  local found = {}
  for name in vim.fs.dir(vim.fn.fnamemodify(folder == '' and '.' or folder, ':p')) do
    local is_hidden = start == '' and vim.startswith(name, '.')
    if vim.startswith(name, start) and not is_hidden then
      local path = folder .. name
      -- `isdirectory()` follows links.
      local is_folder = vim.fn.isdirectory(vim.fn.fnamemodify(path, ':p')) == 1
      found[#found + 1] = vim.fn.fnameescape(path) .. (is_folder and '/' or '')
    end
  end
  table.sort(found)
  return found
end

--- Send the lines that an operator or a Visual selection covers; for 'operatorfunc'.
function M.send()
  vim.cmd("'[,']ClaudeSend")
end

--- Start the operator that mentions lines; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'claude_ide.selection.mention'.send"
  return 'g@'
end

return M
