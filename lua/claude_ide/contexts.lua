--- What the placeholders of a text mean where the user is, in one instant. The host says it in words, and
--- judges what may leave the editor (`editor/contexts.py`).
local buffer_recent = require('claude_ide.window.recent')
local file = require('claude_ide.file.path')
local own_options = require('claude_ide.own_options')
local reason = require('claude_ide.messages.reason')
local visual = require('claude_ide.selection.visual')

local M = {}

local api, fn = vim.api, vim.fn

local MOST_PRINTED = 100 -- lines of a terminal without the marks of a shell
local MOST_OF_COMMAND = 2000 -- lines of a command in a terminal
local LARGEST = 5e5 -- bytes of a text that is parsed
local KINDS = { v = 'v', V = 'V', ['\22'] = '\22', s = 'v', S = 'V', ['\19'] = '\22' }
local NAMES = { v = 'part', ['\22'] = 'block', V = 'lines' }
local NO_NAME = '[No Name]'
-- What `autoload/claude_ide/places.vim` finds, for Vim, too.
local SHARED = { 'quickfix', 'loclist', 'buffers', 'visible', 'marks' }

---@class claude_ide.Quoted
---@field first integer line, 1-based
---@field last integer inclusive
---@field lines string[]
---@field kind? 'lines'|'part'|'block' of a text that is a part of the lines
---@field paths string[] the files that the lines of a list are about

--- Where the user is, for the facts of a text that may come later.
---@class claude_ide.Here
---@field win integer
---@field bufnr integer
---@field cursor integer[]
---@field selection? claude_ide.Quoted

---@type fun(bufnr: integer, first: integer, last: integer): claude_ide.Quoted
local function lines_of(bufnr, first, last)
  return {
    first = first,
    last = last,
    lines = api.nvim_buf_get_lines(bufnr, first - 1, last, false),
    paths = fn['claude_ide#places#About'](bufnr, first, last),
  }
end

---@param kind 'v'|'V'|'\22'
---@param to_eol? boolean whether a block extends to the ends of its lines; nil: as the cursor says
---@return claude_ide.Quoted
local function area(kind, from, to, to_eol)
  if kind == 'V' then
    return lines_of(api.nvim_get_current_buf(), math.min(from[2], to[2]), math.max(from[2], to[2]))
  end
  if to_eol == nil then
    to_eol = fn.getcurpos()[5] == vim.v.maxcol
  end
  local found = visual.area(kind, from, to, to_eol)
  local ends_before = found.last.col == 0 and found.last.row > found.first.row
  local first, last = found.first.row + 1, found.last.row + (ends_before and 0 or 1)
  return {
    first = first,
    last = last,
    lines = vim.split(found.text:gsub('\n$', ''), '\n', { plain = true }),
    kind = NAMES[kind],
    paths = fn['claude_ide#places#About'](api.nvim_get_current_buf(), first, last),
  }
end

-- Whether a range is that of `:'<,'>` after the Visual mode that has just ended, in which less than whole
-- lines were selected: the cursor is still at an end, or in the upper left corner of a block.
local function is_of_selection(lines)
  local kind, first, last = fn.visualmode(), fn.getpos("'<"), fn.getpos("'>")
  local cursor = api.nvim_win_get_cursor(0)
  if kind == 'V' or lines[1] ~= first[2] or lines[2] ~= last[2] then
    return false
  elseif kind == '\22' then
    local left = math.min(fn.virtcol("'<", true)[1], fn.virtcol("'>", true)[1])
    local here = fn.virtcol('.', true)
    return cursor[1] == first[2] and here[1] <= left and left <= here[2]
  end
  return vim.iter({ first, last }):any(function(pos)
    return cursor[1] == pos[2] and (cursor[2] == pos[3] - 1 or pos[3] == vim.v.maxcol)
  end)
end

-- What was selected in it. Only `gv` knows whether a block extended to the ends of its lines.
local function selected_before()
  local view = fn.winsaveview()
  vim.cmd('noautocmd normal! gv')
  local found = area(KINDS[fn.mode()], fn.getpos('v'), fn.getpos('.'))
  vim.cmd('noautocmd normal! \27')
  fn.winrestview(view)
  return found
end

--- Where the user is, and what is selected there: in Visual mode that, otherwise the range.
---@param range? integer[] first and last line
---@return claude_ide.Here
function M.here(range)
  local kind = KINDS[fn.mode()]
  local selection
  if kind then
    selection = area(kind, fn.getpos('v'), fn.getpos('.'))
  elseif range and is_of_selection(range) then
    selection = selected_before()
  elseif range then
    selection = lines_of(api.nvim_get_current_buf(), range[1], range[2])
  end
  return {
    win = api.nvim_get_current_win(),
    bufnr = api.nvim_get_current_buf(),
    cursor = api.nvim_win_get_cursor(0),
    selection = selection,
  }
end

--- The same for what an operator covers.
---@param kind 'char'|'line'|'block' as 'operatorfunc' gets it
---@param to_eol boolean whether a block extends to the ends of its lines
---@return claude_ide.Here
function M.covered(kind, to_eol)
  local here = M.here()
  local letter = ({ char = 'v', line = 'V', block = '\22' })[kind]
  here.selection = area(letter, fn.getpos("'["), fn.getpos("']"), to_eol)
  return here
end

--- The same for the range of a command.
---@type fun(opts: vim.api.keyset.create_user_command.command_args): claude_ide.Here
function M.of_command(opts)
  return M.here((opts.range or 0) > 0 and { opts.line1, opts.line2 } or nil)
end

-- The other placeholders need nothing but what is always there, or what only the host knows.
---@type table<string, fun(here: claude_ide.Here, facts: table)> each sets a field, or raises why it cannot
local FACTS = {}

function FACTS.line(here, facts)
  facts.current = lines_of(here.bufnr, here.cursor[1], here.cursor[1])
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
---@return claude_ide.Quoted?
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
  local row, col = here.cursor[1] - 1, here.cursor[2]
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
      return lines_of(bufnr, first + 1, last_col == 0 and last > first and last or last + 1)
    end
    node = node:parent()
  end
end

FACTS['function'] = function(here, facts)
  facts['function'] = enclosing(here, FUNCTION)
end

function FACTS.class(here, facts)
  facts.enclosing_class = enclosing(here, CLASS)
end

for _, name in ipairs(SHARED) do
  FACTS[name] = function(here, facts)
    facts[name] = fn['claude_ide#places#' .. name](here.bufnr)
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

function FACTS.terminal(_, facts)
  local terminals = vim.tbl_filter(function(bufnr)
    return vim.bo[bufnr].buftype == 'terminal'
      and api.nvim_buf_is_loaded(bufnr)
      and vim.bo[bufnr].buflisted
      and not vim.b[bufnr].claude_ide_terminal
  end, api.nvim_list_bufs())
  local bufnr = buffer_recent.sort(terminals)[1]
  if not bufnr then
    return
  end
  local first, last = printed_rows(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, first, math.min(last, first + MOST_OF_COMMAND), false)
  while lines[#lines] == '' do
    table.remove(lines)
  end
  local pid = vim.b[bufnr].terminal_job_pid
  facts.terminal = {
    name = api.nvim_buf_get_name(bufnr),
    lines = lines,
    folder = pid and vim.uv.fs_readlink(('/proc/%d/cwd'):format(pid)) or nil,
  }
end

-- The user's functions, by their names.
---@return table<string, function>
local function own()
  local given = own_options.get('contexts')
  local found = {}
  for name, context in pairs(type(given) == 'table' and given or {}) do
    found[name] = type(context) == 'function' and context or nil
  end
  return found
end

---@return string
local function call(context, here)
  local selection = here.selection or {}
  local said = context({
    bufnr = here.bufnr,
    win = here.win,
    line = here.cursor[1],
    column = here.cursor[2] + 1,
    first = selection.first,
    last = selection.last,
  })
  if said == nil or said == false or type(said) == 'string' and not said:find('%S') then
    error('it has nothing to say here', 0)
  elseif type(said) ~= 'string' then
    error(('its function returned no text, but a %s'):format(type(said)), 0)
  end
  return said
end

-- Set what the placeholders of a text mean. The user's functions may go elsewhere, so they come last.
local function gather(here, facts, text)
  local contexts = own()
  local names = vim.tbl_filter(function(name)
    return text:find(('{%s}'):format(name), 1, true) ~= nil
  end, fn['claude_ide#arguments#Placeholders']())
  local function try(name, describe, ...)
    local ok, said = pcall(describe, ...)
    facts.problems[name] = not ok and reason.of(said) or nil
    return ok and said or nil
  end
  for _, name in ipairs(names) do
    if FACTS[name] and not contexts[name] then
      try(name, FACTS[name], here, facts)
    end
  end
  for _, name in ipairs(names) do
    facts.own[name] = contexts[name] and try(name, call, contexts[name], here)
  end
end

--- What the placeholders of a text mean (`Facts` of the port).
---@param here claude_ide.Here
---@param text string
---@return table facts
function M.facts(here, text)
  local line = api.nvim_buf_get_lines(here.bufnr, here.cursor[1] - 1, here.cursor[1], false)[1]
    or ''
  local name = api.nvim_buf_get_name(here.bufnr)
  local facts = {
    folder = fn.getcwd(),
    path = file.path(here.bufnr),
    name = name ~= '' and fn.fnamemodify(name, ':.') or NO_NAME,
    line = here.cursor[1],
    column = vim.str_utfindex(line, 'utf-32', math.min(here.cursor[2], #line), false) + 1,
    selection = here.selection,
    own = vim.empty_dict(),
    problems = vim.empty_dict(),
  }
  if api.nvim_win_is_valid(here.win) and api.nvim_win_get_buf(here.win) == here.bufnr then
    api.nvim_win_call(here.win, function()
      gather(here, facts, text)
    end)
  else
    gather(here, facts, text)
  end
  return facts
end

return M
