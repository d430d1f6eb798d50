--- Messages to the user: one line on the screen, so that none asks for <Enter>. A replaced
--- `vim.notify` and the log get the whole text.
local log = require('claude_ide.say.log')
local plain = require('claude_ide.say.plain')
local quiet = require('claude_ide.say.quiet')

local M = {}

local NAME = 'claude-ide: '
local TITLE = 'Claude'
local HEAD = 0.6 -- of what is shown of a long text
local SETTLING = 50 -- milliseconds
local LOOKS, LOOK = 5, 100 -- how often it is looked at whether a message is still there, every so many ms
local NAMED_MODES = '^[iRvVsS\22\19t]' -- those whose names 'showmode' draws
local HIGHLIGHTS = { warn = 'WarningMsg', error = 'ErrorMsg' }

local function cut(text, columns)
  local kept = vim.fn.strcharpart(text, 0, columns)
  while vim.api.nvim_strwidth(kept) > columns do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept
end

local function cut_start(text, columns)
  local kept = vim.fn.strcharpart(text, math.max(vim.fn.strchars(text) - columns, 0))
  while vim.api.nvim_strwidth(kept) > columns do
    kept = vim.fn.strcharpart(kept, 1)
  end
  return kept
end

--- A text as one line, cut if it is too wide.
---@param text string
---@param width integer columns
---@return string
function M.fit(text, width)
  text = plain.one_line(text)
  width = math.max(width, 1)
  return vim.api.nvim_strwidth(text) <= width and text or cut(text, width - 1) .. '…'
end

--- A text as one line. If it is too wide, its beginning and its end are kept.
---@param text string
---@param width integer columns, at least one
---@return string
function M.shorten(text, width)
  text = plain.one_line(text)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local first = math.ceil((width - 1) * HEAD)
  return cut(text, first) .. '…' .. cut_start(text, width - 1 - first)
end

local function with_home(text)
  local home = vim.uv.os_homedir()
  if not home or #home < 2 then
    return text
  end
  return (text:gsub('%f[^%s\'"(:=]' .. vim.pesc(home) .. '/', '~/'))
end

-- The two ends of a long path say most.
local function with_short_paths(text)
  return (text:gsub('%f[^%s\'"(:=%z](~?/[^%s/]+)/%S+(/[^%s/]+)', '%1/…%2'))
end

local function one_line(text, width)
  local line = plain.one_line(with_home(text))
  return vim.api.nvim_strwidth(line) <= width and line or with_short_paths(line)
end

-- Whether Neovim itself would show the middle of a message as '...', and remember all of it.
local function is_shortened_by_neovim()
  return vim.o.cmdheight > 0 and vim.o.shortmess:find('T') and not package.loaded['vim._core.ui2']
end

local function echo_line(line, level, width)
  local highlight = HIGHLIGHTS[level] or 'None'
  local is_long = vim.api.nvim_strwidth(line) > width
  if is_long and level ~= 'error' and is_shortened_by_neovim() then
    vim.cmd.echohl(highlight)
    vim.cmd.echomsg(vim.fn.string(line))
    vim.cmd.echohl('None')
  else
    -- As an error it stays longer beside '-- INSERT --'; without a command line it would be a prompt.
    local err = level == 'error' and vim.o.cmdheight > 0
    vim.api.nvim_echo({ { M.shorten(line, width), highlight } }, true, { err = err })
  end
end

local latest = 0

local function is_wiped_off()
  local row = vim.o.lines - vim.o.cmdheight + 1
  for column = 1, #NAME do
    if vim.fn.screenstring(row, column) ~= ' ' then
      return false
    end
  end
  return vim.o.cmdheight > 0 and vim.fn.mode(1) == 'n'
end

local function echo_again(text, level)
  local width = vim.v.echospace
  local line = M.shorten(one_line(text, width), math.max(width, 1))
  vim.api.nvim_echo({ { line, HIGHLIGHTS[level] or 'None' } }, false, {})
end

-- The end of a mode, and windows that close, wipe a message off: what says why they do goes unseen.
local function keep_in_sight(text, level)
  latest = latest + 1
  local this = latest
  for look = 1, LOOKS do
    vim.defer_fn(function()
      if this == latest and is_wiped_off() then
        echo_again(text, level)
      end
    end, look * LOOK)
  end
end

local function echo(text, level)
  -- Two messages between two redraws would scroll, and a scrolled screen is a prompt.
  vim.cmd.redraw()
  local width = vim.v.echospace
  -- Without any room each letter would be a prompt.
  if width > 0 then
    echo_line(one_line(text, width), level, width)
    keep_in_sight(text, level)
  end
end

local is_mode_hidden = false

local function set_showmode(on)
  vim.cmd.set({ args = { on and 'showmode' or 'noshowmode' }, mods = { noautocmd = true } })
end

-- The name of the mode would be drawn over a message at once, unless a redraw comes before it.
local function echo_in_mode(text, level)
  if vim.o.showmode and not is_mode_hidden then
    is_mode_hidden = true
    set_showmode(false)
    vim.schedule(function()
      vim.cmd.redraw()
      set_showmode(true)
      is_mode_hidden = false
    end)
  end
  echo(text, level)
end

local function notify(text, level)
  vim.notify(text, vim.log.levels[level:upper()], { title = TITLE })
end

-- What `vim.notify` would print, which is shown in one line instead. Which function it is says little:
-- plugins replace it at any time, and some of theirs end in Neovim's own.
local function captured(text, level)
  local ok, printed = pcall(quiet.capture, function()
    notify(text, level)
  end)
  return ok and printed or text
end

local function say(text, level)
  if #vim.api.nvim_list_uis() == 0 then
    return notify(text, level)
  end
  local printed = captured(text, level)
  if printed == '' then
    return
  elseif vim.fn.mode():find(NAMED_MODES) then
    -- While Insert mode is being ended a message would be wiped off, and an error would be a prompt.
    vim.defer_fn(function()
      echo_in_mode(printed, level)
    end, SETTLING)
  else
    echo(printed, level)
  end
end

--- Say something without logging it.
---@param text string
---@param level 'debug'|'info'|'warn'|'error'
function M.say(text, level)
  vim.schedule(function()
    say(NAME .. plain.one_line(text), level)
  end)
end

---@param text string
---@param level 'debug'|'info'|'warn'|'error'
function M.show(text, level)
  vim.schedule(function()
    local line = plain.one_line(text)
    log.write(level, line)
    say(NAME .. line, level)
  end)
end

return M
