--- A write that a buffer has taken over: servers, autocommands and linters learn of it.
local linters = require('claude_ide.checking.linters')
local log = require('claude_ide.say.log')
local publishing = require('claude_ide.checking.publishing')
local quiet = require('claude_ide.say.quiet')

local M = {}

local POST, WRITTEN = 'FileChangedShellPost', 'ClaudeFileWritten'

-- Whether it is us who fire the event that Neovim has for this.
local is_firing = false

---@type integer? the buffer that Neovim has read in this tick
local read

local function note(name, failure)
  if failure and failure ~= '' then
    log.write('warn', ('%s: %s'):format(name, failure))
  end
end

-- What is echoed there is meant for an unexpected change, and could ask for <Enter>.
local function fire_post(bufnr)
  local was_firing = is_firing
  is_firing = true
  local _, said = pcall(quiet.capture, function()
    vim.api.nvim_exec_autocmds(POST, { buffer = bufnr, modeline = false })
  end)
  is_firing = was_firing
  note(POST, said)
end

local function fire_written(bufnr)
  local data = { path = vim.api.nvim_buf_get_name(bufnr), bufnr = bufnr }
  local failure = quiet.tolerate(function()
    vim.api.nvim_exec_autocmds('User', { pattern = WRITTEN, modeline = false, data = data })
  end)
  note(WRITTEN, failure)
end

-- An autocommand may have left the buffer, or deleted it. The window that one without a window gets for
-- this moment causes no event.
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
    note('linters', linters.run(bufnr, outdated))
  end)
end

local function report(bufnr, events)
  local outdated = linters.running(bufnr)
  publishing.ask(bufnr)
  for _, fire in ipairs(events) do
    run_inside(bufnr, fire)
  end
  lint(bufnr, outdated)
end

--- A loaded buffer holds what has just been written to its file.
---@param bufnr integer
function M.report(bufnr)
  report(bufnr, { fire_post, fire_written })
end

--- A buffer that nothing shows has just been loaded, which has caused the events of a load. What
--- autocommands have checked a moment after them is the current buffer: another one.
---@param bufnr integer
function M.report_load(bufnr)
  publishing.ask(bufnr)
  lint(bufnr, { nvim_lint = {}, ale = false })
end

-- Neovim says so of a buffer, too, that the user has kept as it was.
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

--- Report from now on also what Neovim itself reads again, as `:checktime` does.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_written', { clear = true })
  if on then
    vim.api.nvim_create_autocmd('BufReadPost', { group = group, callback = on_read })
    vim.api.nvim_create_autocmd(POST, { group = group, nested = true, callback = on_post })
  end
end

return M
