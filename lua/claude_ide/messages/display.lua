--- Draws messages: each in one line of the screen, so that Neovim never asks for <Enter>. A `vim.notify`
--- that a plugin has replaced gets the whole text, with the plugin's name as the title, in lines that its
--- windows do not cut.
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local NAME = 'claude-ide: '
local TITLE = 'claude-ide'
local SETTLING, NEW = 50, 500 -- milliseconds
local NOTIFICATION, NARROWEST = 0.35, 40 -- the share of the screen that a notification may use; columns
local NAMED_MODES = '^[iRvVsS\22\19t]' -- the modes whose names 'showmode' draws
local HIGHLIGHTS = { warn = 'WarningMsg', error = 'ErrorMsg' }

local function with_home(text)
  local home = vim.uv.os_homedir()
  if not home or #home < 2 then
    return text
  end
  return (text:gsub('%f[^%s\'"(:=]' .. vim.pesc(home) .. '/', '~/'))
end

-- The two ends of a long path are the most useful parts.
local function with_short_paths(text)
  return (text:gsub('%f[^%s\'"(:=%z](~?/[^%s/]+)/%S+(/[^%s/]+)', '%1/…%2'))
end

local function one_line(text, width)
  local line = plain.one_line(with_home(text))
  return vim.api.nvim_strwidth(line) <= width and line or with_short_paths(line)
end

-- Whether Neovim itself would replace the middle of a message with '...' on the screen, but keep the whole
-- text in `:messages`. The message windows of Neovim 0.12 (`:help ui2`) show it in several lines.
local function is_shortened_by_neovim()
  local has_message_windows = vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
    return vim.bo[bufnr].filetype == 'pager'
  end)
  return vim.o.cmdheight > 0 and vim.o.shortmess:find('T') and not has_message_windows
end

local function echo_line(line, level, width)
  local highlight = HIGHLIGHTS[level] or 'None'
  if vim.api.nvim_strwidth(line) > width and level ~= 'error' and is_shortened_by_neovim() then
    vim.cmd.echohl(highlight)
    vim.cmd.echomsg(vim.fn.string(line))
    vim.cmd.echohl('None')
  else
    -- An error stays longer next to '-- INSERT --'. With 'cmdheight' 0 it would cause a prompt.
    local err = level == 'error' and vim.o.cmdheight > 0
    vim.api.nvim_echo({ { plain.shorten(line, width), highlight } }, true, { err = err })
  end
end

local is_mode_hidden = false

local function set_showmode(on)
  vim.cmd.set({ args = { on and 'showmode' or 'noshowmode' }, mods = { noautocmd = true } })
end

-- Neovim would draw the name of the mode over a message, unless a redraw comes first.
local function hide_mode()
  if vim.o.showmode and not is_mode_hidden then
    is_mode_hidden = true
    set_showmode(false)
    vim.schedule(function()
      vim.cmd.redraw()
      set_showmode(true)
      is_mode_hidden = false
    end)
  end
end

local function is_in_named_mode()
  return vim.fn.mode():find(NAMED_MODES) ~= nil
end

local function echo_again(line, level, width)
  vim.api.nvim_echo({ { plain.shorten(line, width), HIGHLIGHTS[level] } }, false, {})
end

-- `echo_in_width` is `echo_line`, or `echo_again`, which adds nothing to `:messages`.
local function echo(text, level, echo_in_width)
  -- Without a redraw between them, two messages would scroll the screen, which causes a prompt.
  vim.cmd.redraw()
  local width = vim.v.echospace
  -- Without any room, each character would cause a prompt.
  if width > 0 then
    echo_in_width(one_line(text, width), level, width)
  end
end

local draw_new ---@type fun()? draws the newest message again, while it is new

--- Draw a message again that has just been shown: the command line has been cleared.
function M.draw_again()
  if draw_new then
    vim.schedule(draw_new)
  end
end

-- A mode that ends clears the command line, and so does `:stopinsert`. The mode of a window that cannot stay
-- open would take the message that says so along.
local function show_for_a_while(text, level)
  echo(text, level, echo_line)
  local function draw()
    echo(text, level, echo_again)
  end
  draw_new = draw
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = vim.api.nvim_create_augroup('claude_ide_new_message', {}),
    callback = function()
      if vim.v.event.old_mode:find(NAMED_MODES) and vim.v.event.new_mode == 'n' then
        M.draw_again()
      end
    end,
  })
  vim.defer_fn(function()
    if draw_new == draw then
      draw_new = nil
      vim.api.nvim_create_augroup('claude_ide_new_message', {})
    end
  end, NEW)
end

-- Notification windows cut long lines, at whose end a message says what to do.
local function wrapped(text)
  local width = math.max(math.floor(vim.o.columns * NOTIFICATION), NARROWEST)
  local lines, line = {}, ''
  for word in text:gmatch('%S+') do
    if line ~= '' and vim.api.nvim_strwidth(line .. ' ' .. word) > width then
      lines[#lines + 1], line = line, word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

-- What `vim.notify` would print; the caller shows it in one line instead. Comparing functions would
-- not tell whether it prints: plugins may replace it at any time, and some replacements call the
-- original.
local function captured(text, level)
  local ok, printed = pcall(quiet.capture, function()
    vim.notify(wrapped(text), vim.log.levels[level:upper()], { title = TITLE })
  end)
  return ok and plain.one_line(printed) or text
end

--- Show a message.
---@param text string one line
---@param level 'debug'|'info'|'warn'|'error'
function M.show(text, level)
  local printed = captured(text, level)
  if printed == '' then
    return
  end
  printed = NAME .. printed
  if #vim.api.nvim_list_uis() == 0 then
    vim.api.nvim_echo({ { printed } }, true, { err = level == 'error' })
  elseif is_in_named_mode() then
    -- If Insert mode is just ending, an error would cause a prompt.
    vim.defer_fn(function()
      hide_mode()
      show_for_a_while(printed, level)
    end, SETTLING)
  else
    show_for_a_while(printed, level)
  end
end

return M
