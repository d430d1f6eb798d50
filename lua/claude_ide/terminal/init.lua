--- The CLIs in terminals: starts, shows and hides them, and takes the user there and back (`:ClaudeFocus`).
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local own_options = require('claude_ide.own_options')
local quiet = require('claude_ide.messages.quiet')
local register = require('claude_ide.terminal.register')
local terminal_program = require('claude_ide.system.terminal_program')
local terminal_window = require('claude_ide.terminal.window')
local tiling = require('claude_ide.window.tiling')
local typing_mode = require('claude_ide.terminal.typing_mode')
local window_close = require('claude_ide.window.close')

local M = {}

local api, fn = vim.api, vim.fn
local on = autocommands.group('claude_ide_terminal')

local NONE_RUNS = 'no terminal of this Neovim runs Claude (:Claude opens one)'

local failed ---@type integer? buffer with the last output of a CLI that ended with an error
local origins = {} ---@type table<integer, claude_ide.Location> by buffer: where the user came from

-- Going there and back.

local ANYWHERE = { side = 'right', size = 0.4 } ---@type claude_ide.TerminalPlace

local function enter(bufnr, will_type)
  local window = terminal_window.of(bufnr) or fn.win_findbuf(bufnr)[1]
  if window then
    api.nvim_set_current_win(window)
    typing_mode.resume(bufnr)
  else
    local terminal = register.of(bufnr)
    terminal_window.open(bufnr, terminal and terminal.place or ANYWHERE)
  end
  if will_type or not (window or typing_mode.is_reading(bufnr)) then
    typing_mode.begin(bufnr)
  end
end

-- Go to a terminal; show it if it is hidden. The user continues in the mode in which they left it.
---@param bufnr integer
---@param will_type? boolean whether they type in any case
local function go(bufnr, will_type)
  if fn.mode():find('^[iR]') then
    location.end_insert()
  end
  local origin = location.current()
  location.leave_mode(function()
    if not api.nvim_buf_is_valid(bufnr) then
      return
    end
    origins[bufnr] = origin
    local ok, reason = pcall(enter, bufnr, will_type)
    if not ok then
      message.show(tostring(reason), 'error')
    end
  end)
end

-- Go to a terminal, or have the host go to its pane; show it if it is hidden.
---@param terminal claude_ide.Terminal|{ bufnr: integer }
---@param will_type? boolean whether the user types in any case
local function show(terminal, will_type)
  if terminal.pane then
    fn['claude_ide#terminals#Visit'](terminal.number)
    channel.emit('pane_wanted', { id = terminal.pane.id })
  else
    go(terminal.bufnr, will_type)
  end
end

-- The window that the user came from, or another one. They may have come in another way since.
local function way_back(bufnr)
  local origin, before = origins[bufnr], fn.win_getid(fn.winnr('#'))
  local tabpage = api.nvim_list_tabpages()[fn.tabpagenr('#')]
  if origin and (origin.win == before or origin.tabpage == tabpage) then
    return origin
  end
  local win = vim.iter({ before, unpack(tiling.windows(0)) }):find(function(candidate)
    return candidate > 0 and api.nvim_win_get_buf(candidate) ~= bufnr
  end) or tabpage and api.nvim_tabpage_get_win(tabpage)
  return win and { win = win, tabpage = api.nvim_win_get_tabpage(win), terminal = false }
end

-- Leave the current window, which shows a terminal, for the window that the user came from.
---@param bufnr integer its buffer
local function leave(bufnr)
  local target = way_back(bufnr)
  if not target then
    -- Nothing else is open.
    return terminal_window.close(api.nvim_get_current_win())
  end
  -- Terminal mode ends by itself, but later. Insert mode can begin only then.
  local has_insert = target.insert and fn.mode() == 't'
  location.go_back(target)
  if has_insert then
    local function go_back()
      if api.nvim_get_current_win() == target.win then
        location.go_back(target)
      end
    end
    on('TermLeave', nil, vim.schedule_wrap(go_back), { once = true })
  end
end

--- `:ClaudeFocus`: go to Claude's terminal, or back to where the user was before.
---@param opts vim.api.keyset.create_user_command.command_args
function M.toggle_focus(opts)
  if vim.b.claude_ide_terminal then
    return leave(api.nvim_get_current_buf())
  end
  local terminal = register.current()
  -- A terminal that the user has opened counts, if a client runs in it.
  local bufnr = not terminal
    and vim.iter(api.nvim_list_bufs()):find(function(each)
      return vim.b[each].claude_ide_terminal
    end)
  if not (terminal or bufnr) then
    return message.show(NONE_RUNS, 'warn')
  end
  -- The user means the current selection, which would otherwise end with the visit to the terminal.
  local selection = package.loaded['claude_ide.selection']
  if selection then
    selection.hold((opts.range or 0) > 0 and { opts.line1, opts.line2 } or nil)
  end
  show(terminal or { bufnr = bufnr })
end

--- Called by the host: go to the terminal in which a client runs; to that of `:Claude` if none is found.
---@param pid integer the client's process id; 0 if unknown
---@return { error: string }?
function M.focus(pid)
  local terminal = register.of_client(pid) or register.current()
  if not terminal then
    local elsewhere = 'Claude is not in a terminal of this Neovim; switch to it yourself'
    return { error = pid == 0 and NONE_RUNS or elsewhere }
  end
  show(terminal, true)
end

-- Starting.

local function is_valid(bufnr)
  return bufnr ~= nil and api.nvim_buf_is_valid(bufnr)
end

local function remove(bufnr)
  vim.iter(fn.win_findbuf(bufnr)):each(window_close.window)
  window_close.buffer(bufnr)
end

---@type fun(bufnr: integer, launch: string)
local function on_exit(bufnr, launch)
  return function(_, code)
    local terminal = register.of(bufnr)
    if terminal then
      fn['claude_ide#terminals#Remove'](terminal.number)
    elseif launch ~= '' then
      channel.emit('terminal_ended', { launch = launch })
    end
    if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_valid(bufnr) then
      return
    elseif code ~= 0 then
      -- Keep the last output until its window is closed or another CLI is started.
      failed = bufnr
      vim.bo[bufnr].bufhidden = terminal_window.is_shown(bufnr) and 'wipe' or 'hide'
      return fn['claude_ide#terminals#Mark']()
    end
    fn['claude_ide#quitting#After'](function()
      moment.when_possible(function()
        remove(bufnr)
      end, message.failure('the terminal cannot be closed: %s'))
    end)
  end
end

-- Neovim's name for a terminal contains the whole command. Renaming it replaces the alternate buffer by one
-- with that name, which is deleted: showing it would start the command again.
local function rename(bufnr, name)
  local alternate = fn.bufnr('#')
  local shown = name:find('^%d+$') and 'Claude' or ('Claude (%s)'):format(name)
  label.give(bufnr, 'claude-terminal', shown)
  if alternate > 0 and api.nvim_buf_is_valid(alternate) then
    fn.setreg('#', alternate)
  end
end

---@class claude_ide.TerminalRequest: claude_ide.TerminalPlace
---@field cmd string[] the path of the program, and its arguments
---@field env table<string, string> more variables of its environment
---@field launch? string the id under which the CLI reports what it does; nil if it does not
---@field keys boolean whether CTRL-W leads out of the terminal
---@field name? string for `:ClaudeSwitch`; default: a number
---@field takes_window? boolean whether it opens in the window of another CLI
---@field note? string a message about its place
---@field cwd? string the folder to run it in; default: the working folder
---@field attached? string the session in the background that it shows
---@field shows? string the launch under which that session reports what it does

-- Add the terminal in a buffer.
---@param request claude_ide.TerminalRequest
---@param bufnr integer
---@param side claude_ide.TerminalPlace.side
---@return claude_ide.Terminal
local function add(request, bufnr, side)
  local terminal = register.add({
    name = request.name,
    place = { side = side, size = request.size },
    launch = request.launch or '',
    bufnr = bufnr,
    attached = request.attached,
    shows = request.shows,
  })
  if vim.bo[bufnr].filetype == '' then
    quiet.tolerate(function()
      vim.bo[bufnr].filetype = 'claude-terminal'
    end)
  end
  typing_mode.attach(bufnr, request.keys)
  on('BufEnter', bufnr, function()
    fn['claude_ide#terminals#Use'](terminal.number)
  end)
  return terminal
end

-- A buffer in the current window, which is new, that of a CLI that has failed, or that of another one.
---@param request claude_ide.TerminalRequest
---@return integer bufnr
local function new_buffer(request)
  local window = is_valid(failed) and terminal_window.of(failed)
    or request.takes_window and terminal_window.of_any()
  local bufnr = api.nvim_create_buf(false, false)
  local ok, reason = pcall(terminal_window.open, bufnr, request, window)
  if not ok then
    window_close.buffer(bufnr)
    error(reason, 0)
  end
  vim.bo[bufnr].bufhidden = 'hide'
  if is_valid(failed) then
    remove(failed)
  end
  failed = nil
  return bufnr
end

---@param request claude_ide.TerminalRequest
local function start_in_buffer(request)
  local bufnr = new_buffer(request)
  local on_end = on_exit(bufnr, request.launch or '')
  local options = { on_exit = on_end, env = request.env, cwd = request.cwd }
  local ok, reason = pcall(terminal_program.start, request.cmd, options)
  if not ok then
    remove(bufnr)
    return { error = ('cannot run %s: %s'):format(request.cmd[1], reason) }
  end
  local terminal = add(request, bufnr, request.side)
  rename(bufnr, terminal.name)
  terminal_window.entitle(bufnr)
  if request.note then
    -- Terminal mode would replace an earlier line.
    on('TermEnter', bufnr, function()
      message.show(request.note, 'warn')
      return true
    end)
  end
  typing_mode.begin(bufnr)
end

-- The user's function has given the terminal its window, and closes it.
---@type fun(request: claude_ide.TerminalRequest, open: claude_ide.TerminalFunction)
local function start_as_wanted(request, open)
  local wanted = { cmd = request.cmd, cwd = request.cwd or fn.getcwd(), env = request.env }
  local bufnr = terminal_window.call_custom(open, wanted)
  if bufnr then
    local terminal = add(request, bufnr, open)
    on('TermClose', bufnr, function()
      fn['claude_ide#terminals#Remove'](terminal.number)
    end)
  end
end

--- Called by the host: start a CLI, and go there.
---@type fun(request: claude_ide.TerminalRequest): { error: string }?
function M.start(request)
  local open = own_options.as_function('terminal', 'side')
  if open then
    return start_as_wanted(request, open)
  end
  return start_in_buffer(request)
end

--- Called by the host: take over a CLI in a pane of tmux.
---@param found table `TmuxPane` of the port
function M.adopt(found)
  register.add({
    name = found.name,
    place = { side = 'tmux', size = found.size },
    launch = found.launch,
    pane = { id = found.id, pid = found.pid },
    is_found = found.is_found,
  })
end

-- Showing, hiding, switching.

---@param terminal claude_ide.Terminal
local function toggle(terminal)
  local bufnr, is_tab = terminal.bufnr, terminal.place.side == 'tab'
  local window = terminal_window.of(bufnr)
  if not window and is_tab and terminal_window.is_shown(bufnr) then
    return go(bufnr, true)
  elseif not window then
    terminal_window.open(bufnr, terminal.place)
    return typing_mode.begin(bufnr)
  end
  if is_tab and window == api.nvim_get_current_win() then
    leave(bufnr)
  end
  terminal_window.close(window)
end

--- Called by the host: hide or show the CLI that runs. If the last one failed while it was hidden, show its
--- output instead, once.
---@param place claude_ide.TerminalPlace
---@return table `Toggled` of the port, or { error }
function M.toggle(place)
  local terminal = register.current()
  if terminal and terminal.pane then
    fn['claude_ide#terminals#Visit'](terminal.number)
    return { is_done = true, pane = terminal.pane.id, is_found = terminal.is_found }
  elseif terminal then
    local ok, reason = pcall(toggle, terminal)
    return ok and { is_done = true } or { error = reason }
  elseif is_valid(failed) and not terminal_window.is_shown(failed) then
    terminal_window.open(failed, place)
    vim.bo[failed].bufhidden = 'wipe'
    return { is_done = true }
  end
  return { is_done = false }
end

--- Called by the host: show another CLI instead of the current one, and go there.
---@param name string
function M.switch(name)
  local terminal = register.named(name)
  local bufnr, window = terminal and terminal.bufnr, terminal_window.of_any()
  local is_per_tab = fn['claude_ide#terminals#IsPerTab']() == 1
  if bufnr and window and not is_per_tab and not terminal_window.is_shown(bufnr) then
    terminal_window.open(bufnr, terminal.place, window)
    typing_mode.begin(bufnr)
  elseif terminal then
    show(terminal, true)
  end
end

return M
