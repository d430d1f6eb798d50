--- `:ClaudeInstall`: creates or updates the plugin's own Python environment.
local log = require('claude_ide.messages.log')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local process = require('claude_ide.host.process')
local program = require('claude_ide.system.program')
local window_close = require('claude_ide.window.close')
local work = require('claude_ide.host.work')

local M = {}

-- What can be installed beside the needed packages.
local EXTRAS = { 'jupyter' }

local RECORD = 'packages.txt' -- beside the environment (`install.py`)
local LONGEST_MS = 30 * 60 * 1000
local POLL_MS = 50
local WIDTH = 60 -- columns of the progress

---@class claude_ide.Installation
---@field lines string[] the installer's output
---@field package? string a package of the user's
---@field removes? boolean whether the package is removed
---@field code? integer the exit code, once the installer has ended
---@field on_line fun(line: string) called in a fast event
---@field on_end fun(text: string, failed: boolean)

local running ---@type claude_ide.Installation?

local function has_ui()
  return #vim.api.nvim_list_uis() > 0
end

-- Show the result where it will be seen. Without a UI, a failure is an error for the calling script.
local function report(text, failed)
  if has_ui() then
    message.show(text, failed and 'error' or 'info')
  elseif failed then
    -- A Lua error would add a traceback.
    vim.api.nvim_echo({ { 'claude-ide: ' .. text } }, true, { err = true })
  else
    print('claude-ide: ' .. text)
  end
end

---@param installation claude_ide.Installation
local function success_message(installation)
  local package = installation.package
  local done = installation.removes and 'removed' or 'installed, not pinned'
  local configured = vim.fn['claude_ide#python#Configured']()
  if configured ~= '' then
    return ('installed, but g:claude_ide.python is set and used instead: %s'):format(configured)
  elseif process.outdate() then
    local what = package and done or 'Python is updated'
    return what .. '; :ClaudeStop | ClaudeStart restarts the server with it'
  elseif package then
    return ('%s: %s'):format(done, package)
  end
  local waiting = vim.fn['claude_ide#ready#Waiting']()
  return waiting ~= '' and ('Python is ready for %s'):format(waiting)
    or 'Python is ready; :Claude opens Claude Code'
end

local function conclude(installation)
  if running ~= installation then
    return
  end
  running = nil
  local lines, failed = installation.lines, installation.code ~= 0
  local doc = process.root .. '/doc'
  -- A plain clone has no help tags: without them `:help claude_ide` would fail.
  if not failed and vim.fn.filewritable(doc) == 2 then
    pcall(vim.cmd.helptags, vim.fn.fnameescape(doc))
  end
  -- The last line that the installer prints is the reason why it failed.
  local reason = vim.trim(lines[#lines] or 'The installer gave no reason')
  local text = failed and reason .. '; see :ClaudeLog' or success_message(installation)
  installation.on_end(text, failed)
  if not failed then
    vim.fn['claude_ide#ready#Installed']()
  end
end

-- Return a function that sends output to the log, and its complete lines to the installation.
local function output_reader(installation)
  local append = log.appender()
  local rest = '' -- an incomplete line
  return function(_, chunk)
    if chunk then
      append(chunk)
    end
    local whole = vim.split(rest .. (chunk or '\n'), '\n')
    rest = table.remove(whole)
    for _, line in ipairs(whole) do
      if line:find('%S') then
        table.insert(installation.lines, line)
        installation.on_line(line)
      end
    end
  end
end

-- A folder of the user's is relative to Neovim's, which is not that of the installer.
local function absolute(package)
  local is_path = package:find('^[./~]') and not package:find('://', 1, true)
  return is_path and vim.fn.fnamemodify(package, ':p') or package
end

--- Whether this Neovim is installing.
---@return boolean
function M.is_running()
  return running ~= nil
end

--- Start creating or updating the environment in the background.
---
--- Raises an error when it cannot start.
---@param what? string an extra, or a package of the user's, beside the needed packages
---@param on_line fun(line: string) called in a fast event for each line that the installer prints
---@param on_end fun(text: string, failed: boolean) called once with a message to the user
---@param removes? boolean whether the package is to be removed
---@return claude_ide.Installation
function M.begin(what, on_line, on_end, removes)
  if running then
    error('An installation is already running', 0)
  end
  local path = vim.fn['claude_ide#python#Recent']()
  if path == '' then
    error(vim.fn['claude_ide#python#Refusal']()[1], 0)
  end
  local is_extra = not removes and vim.list_contains(EXTRAS, what)
  ---@type claude_ide.Installation
  local installation = {
    lines = {},
    on_line = on_line,
    on_end = on_end,
    removes = removes,
    package = not is_extra and what or nil,
  }
  local command = {
    path,
    '-I',
    process.root .. '/python/claude_ide/install.py',
    vim.fn['claude_ide#python#Own'](),
  }
  local option = removes and '--remove=' or '--package='
  command[#command + 1] = is_extra and what or what and option .. absolute(what)
  vim.system(command, {
    text = true,
    -- Version managers would choose a Python according to the working folder.
    cwd = program.neutral,
    stdout = output_reader(installation),
  }, function(done)
    installation.code = done.code
    vim.schedule(function()
      conclude(installation)
    end)
  end)
  running = installation
  return installation
end

-- Process only fast events while waiting. Otherwise an error that another plugin reports at that
-- time would look like one of this command.
local function wait_for(installation, show)
  local last
  return (
    vim.wait(LONGEST_MS, function()
      local line = installation.lines[#installation.lines]
      if line ~= last then
        last = line
        show(line)
      end
      return installation.code ~= nil
    end, POLL_MS, true)
  )
end

--- Complete the argument of `:ClaudeInstall`, or of `:ClaudeUninstall`: the packages that the user has added.
---@param lead string
---@param line string the command line; the command may be abbreviated
---@return string[]
function M.complete(lead, line)
  local record = vim.fs.joinpath(vim.fs.dirname(vim.fn['claude_ide#python#Own']()), RECORD)
  local added = vim.fn.filereadable(record) == 1 and vim.fn.readfile(record) or {}
  local packages = line:find('ClaudeU') and added or EXTRAS
  return vim.fn['claude_ide#arguments#Beginning'](packages, lead)
end

-- Show one line in the corner of the screen, in a float that never takes the focus; none if Neovim does not
-- allow it now, as in the command-line window.
---@return integer bufnr
local function open_progress()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  pcall(vim.api.nvim_open_win, bufnr, false, {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns,
    width = math.min(WIDTH, vim.o.columns - 2),
    height = 1,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
  })
  return bufnr
end

---@type fun(bufnr: integer, text: string)
local function show_progress(bufnr, text)
  local win = vim.fn.win_findbuf(bufnr)[1]
  if win then
    local line = plain.fit(text, vim.api.nvim_win_get_width(win))
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
    vim.cmd.redraw()
  end
end

--- Create or update the environment in the background; each line is shown in a float and as a progress
--- message.
---@param wait? boolean whether to return only when it is done; without a UI it always waits
---@param what? string an extra, or a package of the user's, beside the needed packages
---@param removes? boolean whether the package is to be removed
function M.run(wait, what, removes)
  local is_waiting = wait or not has_ui()
  local name, bufnr = removes and 'ClaudeUninstall' or 'ClaudeInstall', open_progress()
  local function show(line)
    -- A line may arrive after the end.
    if running then
      show_progress(bufnr, (' %s: %s'):format(name, vim.trim(line)))
      work.report('install', 'ClaudeInstall', line, 'running')
    end
  end
  local ok, installation = pcall(M.begin, what, vim.schedule_wrap(show), function(text, failed)
    local status = failed and 'failed' or 'success'
    work.report('install', 'ClaudeInstall', status, status)
    pcall(window_close.buffer, bufnr)
    report(text, failed)
  end, removes)
  if not ok then
    pcall(window_close.buffer, bufnr)
    return report(installation, true)
  end
  show_progress(bufnr, (' %s: …'):format(name))
  work.report('install', 'ClaudeInstall', 'starting', 'running')
  if is_waiting and wait_for(installation, show) then
    conclude(installation)
  elseif is_waiting then
    report('the installation continues in the background', false)
  end
end

return M
