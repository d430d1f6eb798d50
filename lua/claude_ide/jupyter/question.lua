--- Code that a model wants to run, in a buffer that the user may edit: writing it runs it, closing it
--- does not.
local approval = require('claude_ide.approval_buffer')
local approval_window = require('claude_ide.approval_buffer.window')
local float = require('claude_ide.window.float')
local plain = require('claude_ide.messages.plain')
local visit = require('claude_ide.window.visit')

local M = {}

local api = vim.api

local HIGHEST = 0.5 -- of the screen
local LOWEST = 5

---@class claude_ide.CodeRequest: claude_ide.ApprovalRequest
---@field name string who asks
---@field kernel string where it runs
---@field language string

-- A line may have many rows.
local function height_for(bufnr)
  local most = math.floor(vim.o.lines * HIGHEST)
  local lines = api.nvim_buf_get_lines(bufnr, 0, most, false)
  return math.max(LOWEST, math.min(float.rows(lines, vim.o.columns) + 1, most))
end

-- A new tab page, if the one that the user is in has no room.
local function open_window(view)
  local config = { split = 'below', win = -1, height = height_for(view.bufnr) }
  local ok, win = pcall(api.nvim_open_win, view.bufnr, true, config)
  return ok and win or approval_window.tabpage(view)
end

local guest = approval_window.guest(open_window)

guest.has_opened = function(view, win)
  return api.nvim_win_is_valid(win) and guest.has(view, win)
end

local function keys_of(more)
  return (':w run%s · :q refuse'):format(
    more and (' · gA %s'):format(plain.status_line(more)) or ''
  )
end

local questions = approval.new({
  noun = 'code',
  buffer = 'claude-run',
  label = function(request)
    return ('Code (%s)'):format(plain.one_line(request.name))
  end,
  filetype = function(request)
    return request.language:lower():match('^[%w_]+$') or 'python'
  end,
  open = function(bufnr, request)
    local view = visit.open(guest, { bufnr = bufnr })
    approval_window.set_winbar(request.title, keys_of(request.more))
    return view --[[@as claude_ide.ApprovalView]]
  end,
  question = 'Why should it not run? ',
  question_name = 'question about the code',
  approves = 'run',
  approves_more = 'run_all',
  rejects = 'refuse',
  more_key = '<Plug>(claude-run-all)',
  edits_say_why = false,
})

--- Show code at the next moment that takes nothing from the user.
---
--- Emits `answered` {token, decision = 'run'|'run_all'|'refuse', text, comments?}.
---@param token integer
---@param request claude_ide.CodeRequest
function M.open(token, request)
  request.title = ('%s asks to run this in %s'):format(request.name, request.kernel)
  questions.open(token, request)
end

--- Close code that no longer waits for an answer. The user's edits are kept in another buffer.
---@param token integer
function M.close(token)
  questions.close(token)
end

--- Close all code that waits.
function M.close_all()
  questions.close_all()
end

return M
