--- What only Neovim knows of where the user is, for `autoload/claude_ide/contexts.vim`: the function and
--- class around the cursor, the last command in a terminal, and what is selected.
local buffer_recent = require('claude_ide.window.recent')

local M = {}

local api, fn = vim.api, vim.fn

local MOST_PRINTED = 100 -- lines of a terminal without the marks of a shell
local MOST_OF_COMMAND = 2000 -- lines of a command in a terminal
local LARGEST = 5e5 -- bytes of a text that is parsed

---@alias claude_ide.Here table where the user is, for the facts of a text that may come later

--- Where the user is, and what is selected there, or the range of a command.
---@type fun(opts: vim.api.keyset.create_user_command.command_args): claude_ide.Here
function M.of_command(opts)
  return fn['claude_ide#contexts#Here'](M.lines_of(opts))
end

--- The first and the last line of a command's range, if it has one.
---@type fun(opts: vim.api.keyset.create_user_command.command_args): integer[]
function M.lines_of(opts)
  return (opts.range or 0) > 0 and { opts.line1, opts.line2 } or {}
end

--- What the placeholders of a text mean (`Facts` of the port).
---@type fun(here: claude_ide.Here, text: string): table
function M.facts(here, text)
  return fn['claude_ide#contexts#Facts'](here, text)
end

-- What grammars call the nodes of functions and classes: one of these words, and one of the ends.
local FUNCTION = { 'function', 'method', 'constructor', 'func_literal' }
local CLASS =
  { 'class', 'struct', 'interface', 'trait', 'impl', 'enum', 'record', 'module', 'type_decl' }
local ENDS = {
  '_definition$',
  '_declaration$',
  '_item$',
  '_expression$',
  '_specifier$',
  '_statement$',
  '_literal$',
}
local WHOLE = { class = true, module = true, method = true, singleton_method = true }
WHOLE['function'], WHOLE.arrow_function, WHOLE.generator_function = true, true, true

local function matches(text, patterns)
  return vim.iter(patterns):any(function(pattern)
    return text:find(pattern) ~= nil
  end)
end

local function is_one(kind, words)
  -- PHP has a function_call_expression.
  local is_call = kind:find('call') ~= nil
  return matches(kind, words) and (WHOLE[kind] or matches(kind, ENDS)) and not is_call
end

---@param words string[]
---@return integer[]? lines the first and the last one
local function enclosing(here, words)
  local bufnr = here.bufnr
  if api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr)) > LARGEST then
    error('this buffer is too large to be parsed', 0)
  end
  local ok, parser = pcall(vim.treesitter.get_parser, bufnr, nil, { error = false })
  if not (ok and parser) then
    local filetype = vim.bo[bufnr].filetype
    error(
      ('there is no tree-sitter parser for %s'):format(filetype ~= '' and filetype or 'this buffer'),
      0
    )
  end
  local row, col = here.cursor[1] - 1, here.cursor[2] - 1
  parser:parse({ row, row + 1 })
  -- Before the first word of a line nothing is but what surrounds it.
  local text = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  col = math.max(col, #(text:match('^%s*')))
  local node = vim.treesitter.get_node({ bufnr = bufnr, pos = { row, col } })
  while node do
    if node:named() and is_one(node:type(), words) then
      local parent = node:parent()
      if parent and parent:type() == 'decorated_definition' then
        node = parent
      end
      local first, _, last, last_col = node:range()
      return { first + 1, last_col == 0 and last > first and last or last + 1 }
    end
    node = node:parent()
  end
end

-- The rows, from 0, at which a shell has drawn its prompt (OSC 133): Neovim marks them.
local function prompts_in(bufnr)
  local namespace = api.nvim_get_namespaces()['nvim.terminal.prompt']
  local marks = namespace and api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}) or {}
  return vim.tbl_map(function(mark)
    return mark[2]
  end, marks)
end

local function runs_a_command(bufnr)
  local pid = vim.b[bufnr].terminal_job_pid
  return pid ~= nil and #api.nvim_get_proc_children(pid) > 0
end

-- The rows of the last command with its output, or the last ones of all.
---@return integer first
---@return integer last exclusive
local function printed_rows(bufnr)
  local last = api.nvim_buf_line_count(bufnr)
  while last > 0 and api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] == '' do
    last = last - 1
  end
  local prompts = prompts_in(bufnr)
  if #prompts == 0 then
    return math.max(0, last - MOST_PRINTED), last
  elseif last > prompts[#prompts] + 1 and runs_a_command(bufnr) then
    return prompts[#prompts], last
  elseif #prompts == 1 then
    error('no command has run in the terminal', 0)
  end
  return prompts[#prompts - 1], prompts[#prompts]
end

---@return { name: string, lines: string[], folder?: string }?
local function terminal()
  local terminals = vim.tbl_filter(function(bufnr)
    return vim.bo[bufnr].buftype == 'terminal'
      and api.nvim_buf_is_loaded(bufnr)
      and vim.bo[bufnr].buflisted
      and not vim.b[bufnr].claude_ide_terminal
  end, api.nvim_list_bufs())
  local bufnr = buffer_recent.sort(terminals)[1]
  if not bufnr then
    return nil
  end
  local first, last = printed_rows(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, first, math.min(last, first + MOST_OF_COMMAND), false)
  while lines[#lines] == '' do
    table.remove(lines)
  end
  local pid = vim.b[bufnr].terminal_job_pid
  return {
    name = api.nvim_buf_get_name(bufnr),
    lines = lines,
    folder = pid and vim.uv.fs_readlink(('/proc/%d/cwd'):format(pid)) or nil,
  }
end

--- What a placeholder means.
---@param name 'function'|'class'|'terminal'
---@param here claude_ide.Here
---@return table? found the first and the last line; of a terminal `Printed` of the port
function M.find(name, here)
  if name == 'terminal' then
    return terminal()
  end
  return enclosing(here, name == 'class' and CLASS or FUNCTION)
end

return M
