--- Draws messages: each in one line of the screen, so that Neovim never asks for <Enter>. A `vim.notify`
--- that a plugin has replaced gets the whole text, with the plugin's name as the title, in lines that its
--- windows do not cut.
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local function nothing() end

--- Draw the newest message again, while it is new: the command line has been cleared.
M.draw_again = nothing

local NAME, TITLE = 'claude-ide: ', 'claude-ide'
local NEW_MS = 500
local NOTIFICATION, NARROWEST = 0.35, 40 -- the share of the screen that a notification may use; columns
local HIGHLIGHTS = { warn = 'WarningMsg', error = 'ErrorMsg' }
local BEFORE_PATH = '%f[^%s\'"(:=%z]'

-- The home directory is a tilde. In a line that is too long, paths keep their two ends.
local function one_line(text, width)
  local home = vim.pesc(vim.uv.os_homedir() or '')
  local line = plain.one_line((text:gsub(BEFORE_PATH .. home .. '/', '~/')))
  return vim.api.nvim_strwidth(line) <= width and line
    or (line:gsub(BEFORE_PATH .. '(~?/[^%s/]+)/%S+(/[^%s/]+)', '%1/…%2'))
end

-- Whether Neovim itself would replace the middle of a message with '...' on the screen, but keep the whole
-- text in `:messages`. The message windows of Neovim 0.12 (`:help ui2`) show it in several lines.
local function is_shortened_by_neovim()
  local has_message_windows = vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
    return vim.bo[bufnr].filetype == 'pager'
  end)
  return vim.o.cmdheight > 0 and vim.o.shortmess:find('T') and not has_message_windows
end

local function echo_line(text, level, width, is_again)
  local line, highlight = one_line(text, width), HIGHLIGHTS[level] or 'None'
  local is_short = vim.api.nvim_strwidth(line) <= width
  if not (is_short or is_again or level == 'error') and is_shortened_by_neovim() then
    vim.cmd.echohl(highlight)
    vim.cmd.echomsg(vim.fn.string(line))
    vim.cmd.echohl('None')
  else
    vim.api.nvim_echo({ { plain.shorten(line, width), highlight } }, not is_again, {})
  end
end

local function echo(text, level, is_again)
  -- Without a redraw between them, two messages would scroll the screen, which causes a prompt.
  vim.cmd.redraw()
  local width, showmode = vim.v.echospace, vim.o.showmode
  -- Without any room, each character would cause a prompt.
  if width > 0 then
    -- The redraw after a message would draw the name of the mode over it.
    without_events.run({ 'OptionSet' }, function()
      vim.o.showmode = false
      echo_line(text, level, width, is_again)
      if vim.o.cmdheight > 0 then
        vim.cmd.redraw()
      end
      vim.o.showmode = showmode
    end)
  end
end

-- A mode that ends clears the command line, and so does `:stopinsert`. The mode of a window that cannot stay
-- open would take the message that says so along.
local function show_for_a_while(text, level)
  echo(text, level, false)
  local group = vim.api.nvim_create_augroup('claude_ide_new_message', {})
  local draw
  draw = vim.schedule_wrap(function()
    -- A newer message may have been shown since.
    if M.draw_again == draw then
      echo(text, level, true)
    end
  end)
  M.draw_again = draw
  vim.api.nvim_create_autocmd('ModeChanged', { group = group, pattern = '*:n', callback = draw })
  vim.defer_fn(function()
    if M.draw_again == draw then
      M.draw_again = nothing
      vim.api.nvim_clear_autocmds({ group = group })
    end
  end, NEW_MS)
end

-- Notification windows cut long lines, at whose end a message says what to do.
local function wrapped(text)
  local width = math.max(math.floor(vim.o.columns * NOTIFICATION), NARROWEST)
  local pattern = ([[\v(.{1,%d})( +|$)]]):format(width)
  return vim.trim(vim.fn.substitute(text, pattern, [[\1\n]], 'g'))
end

--- Show a message.
---@param text string one line
---@param level 'debug'|'info'|'warn'|'error'
function M.show(text, level)
  -- What `vim.notify` would print, this shows in one line. Comparing functions would not tell whether it
  -- prints: plugins may replace it at any time, and some replacements call the original.
  local ok, printed = pcall(quiet.capture, function()
    vim.notify(wrapped(text), vim.log.levels[level:upper()], { title = TITLE })
  end)
  printed = NAME .. (ok and plain.one_line(printed) or text)
  if printed == NAME then
    return
  elseif #vim.api.nvim_list_uis() == 0 then
    vim.api.nvim_echo({ { printed } }, true, { err = level == 'error' })
  else
    show_for_a_while(printed, level)
  end
end

return M
