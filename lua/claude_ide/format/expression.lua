--- Formats with the expression in 'formatexpr': `gq` evaluates it for the whole buffer, which then gets its
--- earlier text, marks and views again.
local file_edit = require('claude_ide.file.edit')
local quiet = require('claude_ide.messages.quiet')
local reason = require('claude_ide.messages.reason')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local MODELINE = -1 -- the script id of an option that a modeline has set
local EVALUATE = "v:lua.require'claude_ide.format.expression'._evaluate()"

-- These block Neovim until language servers or conform.nvim answer, which are asked elsewhere.
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
---@type fun(bufnr: integer): boolean
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
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd('silent! keepjumps normal! gggqG')
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

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- What restores the present text of a buffer, its marks and views.
---@return fun()
local function checkpoint(bufnr)
  file_edit.break_undo(bufnr)
  local lines, modified = lines_of(bufnr), vim.bo[bufnr].modified
  local state, views = vim.fn.undotree(bufnr).seq_cur, {}
  local marks = vim.list_extend(vim.fn.getmarklist(bufnr), vim.fn.getmarklist())
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  return function()
    quiet.run(function()
      vim.api.nvim_buf_call(bufnr, function()
        vim.cmd(('noautocmd keepjumps undo %d'):format(state))
      end)
    end)
    -- Without an undo history ('undolevels' is -1).
    file_edit.change(bufnr, lines)
    for _, each in ipairs(marks) do
      local name, number, line, column = each.mark:sub(2), unpack(each.pos)
      if number == bufnr and name:find('^[%a<>]$') then
        pcall(vim.api.nvim_buf_set_mark, bufnr, name, line, math.max(column - 1, 0), {})
      end
    end
    for win, view in pairs(views) do
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
    vim.bo[bufnr].modified = modified
  end
end

--- What the expression makes of a loaded buffer, whose text is unchanged afterwards.
---@type fun(bufnr: integer, done: claude_ide.FormatDone)
function M.format(bufnr, done)
  local restore = checkpoint(bufnr)
  local ok, err = pcall(without_events.run, { 'OptionSet', 'CursorMoved' }, function()
    evaluate_all(bufnr)
  end)
  local lines = lines_of(bufnr)
  restore()
  done(not ok and reason.of(err) or complaint(), lines)
end

return M
