--- Handles `|` after commands with free text or quotes. Neovim's own rule (`:help :command-bar`)
--- would cut off the text, or treat a quote as the start of a comment.
local message = require('claude_ide.messages.message')
local reason = require('claude_ide.messages.reason')

local M = {}

---@return integer? index of the first `|` that is neither quoted nor after a backslash
local function find_bar(args)
  local index = vim.fn['claude_ide#arguments#Bar'](args)
  return index >= 0 and index + 1 or nil
end

-- Split arguments as Neovim would.
local function split(args)
  if not args:find('%S') then
    return {}
  end
  local words = vim.api.nvim_parse_cmd('Claude ' .. args, {}).args
  return vim.tbl_map(function(word)
    return (word:gsub('\\|', '|'))
  end, words)
end

local function run_next(command)
  local ok, err = pcall(function()
    vim.cmd(command)
  end)
  if not ok then
    message.show(reason.of(err), 'error')
  end
end

local function call(run, opts, bar)
  local args = vim.trim(opts.args:sub(1, bar and bar - 1 or nil))
  run(vim.tbl_extend('force', opts, { args = args, fargs = split(args) }))
  if bar then
    run_next(opts.args:sub(bar + 1))
  end
end

--- Wrap a command whose arguments end at a `|` that is neither quoted nor after a backslash.
---@type fun(run: claude_ide.CommandFunction): claude_ide.CommandFunction
function M.after_arguments(run)
  return function(opts)
    call(run, opts, find_bar(opts.args))
  end
end

--- Wrap a command that ends in free text. A `|` belongs to the text, unless the text would begin
--- with it.
---@param run claude_ide.CommandFunction
---@param words? string[] the subcommands with free text; default: the command itself has it
---@return claude_ide.CommandFunction
function M.after_text(run, words)
  return function(opts)
    local word, text = opts.args:match('^(%S+)%s+()')
    local has_text = not words or vim.list_contains(words, word)
    if not has_text then
      return call(run, opts, find_bar(opts.args))
    end
    local first = words and text or 1
    if opts.args:sub(first, first) == '|' then
      call(run, opts, first)
    else
      run(opts)
    end
  end
end

return M
