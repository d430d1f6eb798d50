--- Formats with the expression in 'formatexpr': `gq` evaluates it for the whole buffer.
local checkpoint = require('claude_ide.format.checkpoint')
local quiet = require('claude_ide.messages.quiet')
local reason = require('claude_ide.messages.reason')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local MODELINE = -1 -- the script id of an option that a modeline has set
local EVALUATE = "v:lua.require'claude_ide.format.expression'._evaluate()"

-- These block Neovim until language servers or conform.nvim answer. Both are called asynchronously
-- elsewhere.
local BLOCKING = { 'vim%.lsp%.formatexpr', 'conform', 'LazyVim' }

local expression ---@type string
local outcome ---@type { ok: boolean, result: any }?

--- Only for this module: evaluated by `gq`. It always returns 0, since any other value would request
--- Neovim's own formatting, which fills all lines up to 'textwidth'.
---@return 0
function M._evaluate()
  local ok, result = pcall(vim.fn.eval, expression)
  outcome = { ok = ok, result = result }
  return 0
end

--- Whether 'formatexpr' of a buffer can be used as a formatter.
---@param bufnr integer
---@return boolean
function M.is_usable(bufnr)
  local value = vim.bo[bufnr].formatexpr
  local is_blocking = vim.iter(BLOCKING):any(function(pattern)
    return value:find(pattern) ~= nil
  end)
  local info = vim.api.nvim_get_option_info2('formatexpr', { buf = bufnr })
  -- Neovim evaluates an expression from a modeline in a sandbox, but not after we set the option again.
  return value ~= '' and not is_blocking and info.last_set_sid ~= MODELINE
end

local function evaluate_all(bufnr)
  expression, outcome = vim.bo[bufnr].formatexpr, nil
  vim.bo[bufnr].formatexpr = EVALUATE
  local ok, err = pcall(quiet.run, function()
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd('keepjumps normal! gggqG')
    end)
  end)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].formatexpr = expression
  end
  if not ok then
    error(err, 0)
  end
end

local function complaint()
  if not outcome then
    return 'Neovim did not evaluate it'
  elseif not outcome.ok then
    return reason.of(outcome.result)
  elseif outcome.result ~= 0 and outcome.result ~= '' and outcome.result ~= vim.NIL then
    return ('it returned %s'):format(vim.inspect(outcome.result))
  end
end

--- Format a loaded buffer; its text is unchanged afterwards.
---@param bufnr integer
---@param done claude_ide.FormatDone
function M.format(bufnr, done)
  local point = checkpoint.new(bufnr)
  local ok, err = pcall(without_events.run, { 'OptionSet', 'CursorMoved' }, function()
    checkpoint.with_views(bufnr, function()
      evaluate_all(bufnr)
    end)
  end)
  done(not ok and reason.of(err) or complaint(), checkpoint.restore(point))
end

return M
