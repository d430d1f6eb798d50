--- `:ClaudeAsk`: a question, and the window in which its answer appears.
local answer_float = require('claude_ide.question.answer_float')
local answer_window = require('claude_ide.question.answer_window')
local file = require('claude_ide.file.path')
local message = require('claude_ide.say.message')
local privacy = require('claude_ide.privacy')
local prompts = require('claude_ide.prompts')
local question = require('claude_ide.question')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

local function window_kind()
  return vim.tbl_get(vim.g.claude_ide or {}, 'ask', 'window') == 'split' and 'split' or 'float'
end

--- Ask something, and show the answer as it arrives.
---@param title string
---@param kind 'ask'|'commit'
---@param request table as for `question.begin`
---@param to_text? fun(result: any): string turns a result that is not a text into one; the answer is
---   then shown only when it is complete
---@param about? claude_ide.ScreenRows lines that a float should not cover
function M.show(title, kind, request, to_text, about)
  vim.cmd.stopinsert()
  local id
  local ok, view = pcall(answer_window.open, title, window_kind(), {
    stop = function()
      question.cancel(id)
    end,
    closed = function()
      question.cancel(id)
    end,
  }, about)
  if not ok then
    return message.show(('the answer cannot be shown: %s'):format(view), 'error')
  end
  local is_empty = true -- also after a partial answer was withdrawn
  id = question.begin(kind, request, {
    on_text = not to_text and function(text, keep)
      is_empty = text == ''
      answer_window.draw(view, text, keep)
    end or nil,
    on_progress = function(progress)
      answer_window.set_status(view, progress)
    end,
    on_end = function(err, result)
      if is_empty and result then
        answer_window.draw(view, to_text and to_text(result) or result, 0)
      end
      local is_cancelled = err == question.CANCELLED
      answer_window.finish(view, not is_cancelled and err or nil)
      if is_cancelled then
        answer_window.set_status(view, question.CANCELLED)
      end
    end,
  })
end

-- What the question is about: the range, or else the current file.
--
-- Raises an error if the range must stay in Neovim. A file that must is left out.
local function context(opts)
  local name, why = file.path(0), privacy.why(0)
  if opts.range == 0 then
    return { file = not why and name or nil }
  elseif why then
    error(why, 0)
  end
  local lines = vim.api.nvim_buf_get_lines(0, opts.line1 - 1, opts.line2, true)
  local text = table.concat(lines, '\n')
  local about = { name = name or 'an unnamed buffer', text = text }
  return { lines = vim.tbl_extend('error', about, { first = opts.line1, last = opts.line2 }) }
end

-- Where the lines of the range, or the cursor's line, are on the screen.
local function rows_about(opts)
  local line = vim.fn.line('.')
  local has_range = opts.range > 0
  return answer_float.rows_of(has_range and opts.line1 or line, has_range and opts.line2 or line)
end

--- Carry out `:[range]ClaudeAsk[!] [question]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.ask(opts)
  if opts.bang then
    return question.cancel_all('ask', 'nothing to stop')
  end
  local ok, about = pcall(context, opts)
  if not ok then
    return message.show(about, 'error')
  end
  local function ask(prompt)
    if prompt and prompt:find('%S') then
      local request = vim.tbl_extend('error', about, { prompt = prompt })
      M.show(prompt, 'ask', request, nil, rows_about(opts))
    end
  end
  local name = prompts.name_in(opts.args)
  if name then
    prompts.choose(name, opts, true, ask)
  elseif opts.args ~= '' then
    ask(opts.args)
  else
    ui.input('Ask Claude: ', '', ask)
  end
end

return M
