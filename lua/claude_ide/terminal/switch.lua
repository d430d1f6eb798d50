--- `:ClaudeSwitch`: goes from one of several CLIs to another.
local focus = require('claude_ide.terminal.focus')
local message = require('claude_ide.messages.message')
local pane = require('claude_ide.terminal.pane')
local register = require('claude_ide.terminal.register')
local terminal_window = require('claude_ide.terminal.window')
local typing_mode = require('claude_ide.terminal.typing_mode')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

--- The window of this tab page in which another CLI can take the place of the current one.
---@return integer?
function M.window()
  local candidates = vim.list_extend({ register.current() }, register.all())
  for _, terminal in ipairs(candidates) do
    local window = terminal.bufnr and terminal_window.of(terminal.bufnr)
    if window then
      return window
    end
  end
end

--- Hide the pane of the current CLI, so that another one can take its place.
function M.hide_pane()
  local current = register.current()
  if current and current.pane and pane.is_shown(current.pane) then
    pane.hide(current.pane)
  end
end

---@param terminal claude_ide.Terminal
local function go(terminal)
  local window = M.window()
  if terminal.pane then
    if not pane.is_shown(terminal.pane) then
      M.hide_pane()
    end
  elseif window and not register.is_per_tab() and not terminal_window.is_shown(terminal.bufnr) then
    terminal_window.put(terminal.bufnr, terminal.place, window)
    return typing_mode.begin(terminal.bufnr)
  end
  focus.show(terminal, true)
end

---@param terminal claude_ide.Terminal
local function switch(terminal)
  local ok, reason = pcall(go, terminal)
  if not ok then
    message.show(reason, 'error')
  end
end

---@param terminals claude_ide.Terminal[]
---@return string[]
local function names(terminals)
  local found = vim.tbl_map(function(terminal)
    return terminal.name
  end, terminals)
  table.sort(found)
  return found
end

---@param others claude_ide.Terminal[]
local function choose(others)
  ui.from_here(function(answered)
    local found = names(others)
    ui.select('Claude:', found, function(index)
      local terminal = index and register.named(found[index])
      if terminal then
        switch(terminal)
      else
        answered()
      end
    end)
  end)
end

---@param others claude_ide.Terminal[]
local function refusal(others)
  if #others > 0 then
    return nil
  elseif register.current() then
    return 'only one Claude runs (:ClaudeNew starts another)'
  end
  return 'no terminal of this Neovim runs Claude (:Claude opens one)'
end

--- Go to the CLI with a name. Without a name, go to the other one, or let the user choose.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local name, current, all = vim.trim(opts.args), register.current(), register.all()
  local named = register.named(name)
  if name ~= '' and not named then
    local known = #all > 0 and (' (%s)'):format(table.concat(names(all), ', ')) or ''
    return message.show(('no Claude is named "%s"%s'):format(name, known), 'warn')
  elseif named then
    return switch(named)
  end
  local others = vim.tbl_filter(function(terminal)
    return terminal ~= current
  end, all)
  local reason = refusal(others)
  if reason then
    message.show(reason, 'warn')
  elseif #others == 1 then
    switch(others[1])
  else
    choose(others)
  end
end

--- Complete the name of a CLI, which may contain blanks (`:help :command-completion-customlist`).
---@param lead string the last word of the name
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.complete(lead, line, pos)
  local begun = line:sub(1, pos):match('Cl%a*%s+(.*)$') or lead
  return vim
    .iter(names(register.all()))
    :filter(function(name)
      return vim.startswith(name, begun)
    end)
    :map(function(name)
      return name:sub(#begun - #lead + 1)
    end)
    :totable()
end

return M
