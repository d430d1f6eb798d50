--- `:ClaudeComment`: the user's words on lines of a proposal, which wait for the decision, or on lines of any
--- other file, which wait until the user sends them.
local comments = require('claude_ide.diff.comments')
local diff = require('claude_ide.diff')
local host = require('claude_ide.host')
local message = require('claude_ide.messages.message')
local ready = require('claude_ide.host.ready')
local vim_ui = require('claude_ide.ui.vim_ui')

local M = {}

local api = vim.api

---@class claude_ide.Commented
---@field bufnr integer
---@field first integer row, 0-based
---@field last integer exclusive
---@field is_range boolean whether the user has given the lines

local repeated ---@type string? the words of the last comment, for `.`

local function is_beside_proposal()
  return vim.wo.diff
    and vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
      return diff.commentable(api.nvim_win_get_buf(win)) ~= nil
    end)
end

-- Outside of proposals the host keeps the words until the user sends them (`:ClaudeReview send`).
local function remark(where, words, is_removed)
  ---@type any
  local opts = {
    name = 'ClaudeComment',
    fargs = words ~= '' and { words } or {},
    args = words,
    bang = is_removed,
    range = where.is_range and 2 or 0,
    line1 = where.first + 1,
    line2 = where.last,
  }
  ready.run(opts, function()
    if host.start() then
      host.command('ClaudeComment', opts)
    end
  end)
end

---@type fun(where: claude_ide.Commented, words: string)
local function comment(where, words)
  local path = diff.commentable(where.bufnr)
  if path then
    return comments.add(where.bufnr, path, where, words)
  end
  remark(where, words, false)
end

local function remove(where)
  if not diff.commentable(where.bufnr) then
    return remark(where, '', true)
  elseif comments.remove(where.bufnr, where) == 0 then
    message.show('no comment is here', 'warn')
  end
end

-- Ask for the words, unless they are given.
---@type fun(where: claude_ide.Commented, words: string)
local function comment_or_ask(where, words)
  if not diff.commentable(where.bufnr) and is_beside_proposal() then
    return message.show('comment in the window of the proposal', 'warn')
  elseif words ~= '' or not diff.commentable(where.bufnr) then
    repeated = words ~= '' and words or nil
    return comment(where, words)
  end
  vim_ui.input('Comment: ', '', function(typed)
    if typed and typed:find('%S') and api.nvim_buf_is_loaded(where.bufnr) then
      repeated = typed
      comment(where, typed)
    end
  end)
end

--- Run `:ClaudeComment`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local where = {
    bufnr = api.nvim_get_current_buf(),
    first = opts.line1 - 1,
    last = opts.line2,
    is_range = opts.range > 0,
  }
  if opts.bang then
    return remove(where)
  end
  comment_or_ask(where, vim.trim(opts.args))
end

local is_of_selection = false -- whether the operator was begun in Visual mode

--- Comment on the hunk or line at the cursor, or on a selection; for 'operatorfunc'.
function M.operate()
  comment_or_ask({
    bufnr = api.nvim_get_current_buf(),
    first = vim.fn.line("'[") - 1,
    last = vim.fn.line("']"),
    is_range = is_of_selection,
  }, repeated or '')
end

--- Ask for a comment on the hunk or line at the cursor, or on a selection. An operator, so that `.` repeats
--- the words; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.operator()
  repeated, is_of_selection = nil, vim.fn.mode():find('^[vV\22]') ~= nil
  vim.o.operatorfunc = "v:lua.require'claude_ide.comment'.operate"
  return is_of_selection and 'g@' or 'g@_'
end

return M
