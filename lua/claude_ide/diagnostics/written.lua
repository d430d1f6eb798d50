--- Notifies language servers, autocommands and linters that a buffer has been updated from its file.
local log = require('claude_ide.messages.log')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local POST, WRITTEN = 'FileChangedShellPost', 'ClaudeFileWritten'

-- Whether we are firing `FileChangedShellPost` ourselves.
local is_firing = false

---@type integer? the buffer that Neovim has read in this tick
local read

local function note(name, failure)
  if failure and failure ~= '' then
    log.write('warn', ('%s: %s'):format(name, failure))
  end
end

-- Messages of these autocommands are meant for unexpected changes, and could cause a hit-enter prompt.
local function fire_post(bufnr)
  local was_firing = is_firing
  is_firing = true
  local _, output = pcall(quiet.capture, function()
    vim.api.nvim_exec_autocmds(POST, { buffer = bufnr, modeline = false })
  end)
  is_firing = was_firing
  note(POST, output)
end

local function fire_written(bufnr)
  local data = { path = vim.api.nvim_buf_get_name(bufnr), bufnr = bufnr }
  local failure = quiet.tolerate(function()
    vim.api.nvim_exec_autocmds('User', { pattern = WRITTEN, modeline = false, data = data })
  end)
  note(WRITTEN, failure)
end

-- An earlier autocommand may have left the buffer, or deleted it. A hidden buffer gets a temporary window
-- here, which causes no events.
local function run_inside(bufnr, step)
  if vim.api.nvim_buf_is_loaded(bufnr) then
    local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
      step(bufnr)
    end)
    note(WRITTEN, not ok and tostring(err) or nil)
  end
end

local function lint(bufnr, outdated)
  run_inside(bufnr, function()
    note('linters', require('claude_ide.diagnostics.linters').run(bufnr, outdated))
  end)
end

local function report(bufnr, events)
  local outdated = require('claude_ide.diagnostics.linters').running(bufnr)
  require('claude_ide.diagnostics.texts').expect(bufnr)
  for _, fire in ipairs(events) do
    run_inside(bufnr, fire)
  end
  lint(bufnr, outdated)
end

--- Report that a loaded buffer holds the text that has just been written to its file.
---@param bufnr integer
function M.report(bufnr)
  report(bufnr, { fire_post, fire_written })
end

--- Report that a buffer has just been loaded without being shown. The events of the load have already
--- occurred, but autocommands that start linters a moment later check the current buffer instead.
---@param bufnr integer
function M.report_load(bufnr)
  require('claude_ide.diagnostics.texts').expect(bufnr)
  lint(bufnr, {})
end

-- This event also occurs if the user has chosen to keep the buffer's text.
local function on_post(event)
  if not is_firing and read == event.buf then
    report(event.buf, { fire_written })
  end
end

local function on_read(event)
  read = event.buf
  vim.schedule(function()
    read = nil
  end)
end

--- Also report files that Neovim itself reloads, as `:checktime` does.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_written', { clear = true })
  if on then
    vim.api.nvim_create_autocmd('BufReadPost', { group = group, callback = on_read })
    vim.api.nvim_create_autocmd(POST, { group = group, nested = true, callback = on_post })
  end
end

return M
