--- What the host needs to parse the text of a file in a process of its own (`mcp/model/syntax.py`).
local place = require('claude_ide.tools.place')

local M = {}

local api = vim.api

local LARGEST = 5e5 -- bytes
local SCRIPT = 'lua/claude_ide/tools/parsing.lua'

local function parsers()
  local names = {}
  for _, path in ipairs(api.nvim_get_runtime_file('parser/*', true)) do
    names[vim.fn.fnamemodify(path, ':t:r')] = true
  end
  local sorted = vim.tbl_keys(names)
  table.sort(sorted)
  return table.concat(sorted, ', ')
end

--- Answers the `lines` of a file, saved or not, their `language`, its `parser`, and a `program` with its
--- `runtime` files that can run the `script`.
---@type claude_ide.Tool
function M.source(arguments, answer)
  local bufnr = place.buffer(arguments.file)
  local filetype = vim.bo[bufnr].filetype
  if filetype == '' then
    filetype = vim.filetype.match({ buf = bufnr, filename = arguments.file }) or ''
  end
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  local parser = api.nvim_get_runtime_file(('parser/%s.*'):format(language), false)[1]
  if not parser then
    local named = filetype == '' and 'this file, whose type is unknown' or filetype
    error(('no tree-sitter parser for %s; there are: %s'):format(named, parsers()), 0)
  elseif api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr)) > LARGEST then
    error(('%s is not parsed, because of its size'):format(vim.fn.strtrans(arguments.file)), 0)
  end
  answer({
    language = language,
    parser = parser,
    lines = api.nvim_buf_get_lines(bufnr, 0, -1, true),
    program = vim.v.progpath,
    runtime = vim.env.VIMRUNTIME,
    script = api.nvim_get_runtime_file(SCRIPT, false)[1],
  })
end

return M
