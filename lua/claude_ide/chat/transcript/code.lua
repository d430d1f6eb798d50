--- Closed code fences: coloured once by their language's parser, and found again for yanking.
local colouring = require('claude_ide.colouring')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_chat_transcript_code', { clear = true })

local LONGEST = 500 -- lines
-- On some texts of this size, one step of a parser takes up to 50 ms, and Neovim 0.12 may parse the whole
-- text in one step.
local LARGEST = 16000 -- bytes
local LARGEST_MARKDOWN = 5000
local SLICE = 4e6 -- nanoseconds

-- Above the marks of a frame, which have the default, 4096.
local PRIORITY = 4200

-- Nodes. The time of a query grows with the square of the depth.
local DEEPEST = 200
local ALIASES = {
  ['c++'] = 'cpp',
  console = 'bash',
  docker = 'dockerfile',
  golang = 'go',
  js = 'javascript',
  jsonc = 'json',
  jsx = 'javascript',
  md = 'markdown',
  node = 'javascript',
  py = 'python',
  python3 = 'python',
  rb = 'ruby',
  rs = 'rust',
  sh = 'bash',
  shell = 'bash',
  ts = 'typescript',
  vimscript = 'vim',
  viml = 'vim',
  yml = 'yaml',
  zsh = 'bash',
}

local colours = vim.api.nvim_create_namespace('claude_ide_chat_code')
local blocks = vim.api.nvim_create_namespace('claude_ide_chat_block')

local function look_for_parser(name)
  for _, candidate in ipairs({ ALIASES[name] or name, vim.treesitter.language.get_lang(name) }) do
    local ok, has_parser = pcall(vim.treesitter.language.add, candidate)
    if ok and has_parser then
      return candidate
    end
  end
  return false
end

-- Cached, because a search for a missing parser reads the whole 'runtimepath'.
local parsers = {} ---@type table<string, string|false>

-- The language with a parser that a name stands for.
---@param name string as written after a fence
---@return string|false|nil language
local function language_of(name)
  name = name:lower():match('^[%w_+#-]+')
  if not name then
    return
  end
  if parsers[name] == nil then
    parsers[name] = look_for_parser(name)
  end
  return parsers[name]
end

-- Colour a block. Runs in a coroutine, which yields to the user's keys at the end of its slice.
local function colour(bufnr, block, text, language)
  local parser = vim.treesitter.get_string_parser(text, language)
  local is_done, trees = false, {}
  -- Without injected languages, whose search takes longer than everything else. Only Markdown needs them:
  -- it consists of two languages.
  parser:parse(language == 'markdown', function(err)
    is_done = true
    if not err then
      parser:for_each_tree(function(tree, language_tree)
        table.insert(trees, { tree:root(), language_tree:lang() })
      end)
    end
  end)
  while not is_done do
    coroutine.yield()
  end
  local slice_end = vim.uv.hrtime() + SLICE
  for _, found in ipairs(trees) do
    local root, lang = unpack(found)
    local query = vim.treesitter.query.get(lang, 'highlights')
    local captures = query
      and query:iter_captures(root, text, nil, nil, { max_start_depth = DEEPEST })
    for capture, node, metadata in captures or function() end do
      local name = query.captures[capture]
      -- Where the block is now; nowhere once it was cleared.
      local ok, mark = pcall(vim.api.nvim_buf_get_extmark_by_id, bufnr, blocks, block, {})
      if not (ok and mark[1]) then
        return
      elseif name:sub(1, 1) ~= '_' and name ~= 'spell' and name ~= 'nospell' then
        local row, column, end_row, end_column = node:range()
        pcall(vim.api.nvim_buf_set_extmark, bufnr, colours, mark[1] + row, column, {
          end_row = mark[1] + end_row,
          end_col = end_column,
          hl_group = ('@%s.%s'):format(name, lang),
          priority = PRIORITY + (tonumber(metadata.priority) or 100) - 100,
          strict = false,
        })
      end
      if vim.uv.hrtime() > slice_end then
        coroutine.yield()
        slice_end = vim.uv.hrtime() + SLICE
      end
    end
  end
end

local waiting = {} ---@type any[][] the arguments of `colour`
local task ---@type thread?

-- Blocks are coloured one after the other: in parallel, their slices would add up.
local function run()
  if not task or coroutine.status(task) == 'dead' then
    local next_up = table.remove(waiting, 1)
    task = next_up and coroutine.create(function()
      colour(unpack(next_up))
    end)
  end
  if task then
    coroutine.resume(task)
    vim.defer_fn(run, 1)
  end
end

local function is_colourable(text, language)
  return #text <= (language == 'markdown' and LARGEST_MARKDOWN or LARGEST)
    and not colouring.obstacle(text, language)
end

--- Remember a closed fence, and colour its content unless it is very long.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
---@param language string as written after the fence
function M.add(bufnr, first, last, language)
  if last <= first then
    return
  end
  local mark = { end_row = last, strict = false }
  local block = vim.api.nvim_buf_set_extmark(bufnr, blocks, first, 0, mark)
  if last - first > LONGEST then
    return
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, first, last, false), '\n')
  local parser_name = #text <= LARGEST and language_of(language)
  if parser_name and is_colourable(text, parser_name) then
    table.insert(waiting, { bufnr, block, text, parser_name })
    if not task then
      run()
    end
  end
end

--- Forget the blocks and colours of lines.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
function M.clear(bufnr, first, last)
  vim.api.nvim_buf_clear_namespace(bufnr, colours, first, last)
  vim.api.nvim_buf_clear_namespace(bufnr, blocks, first, last)
end

--- The content of the block at a row, which may also be the row of a fence.
---@param bufnr integer
---@param row integer
---@return integer? first row
---@return integer? last row, end-exclusive
function M.at(bufnr, row)
  local found = vim.api.nvim_buf_get_extmarks(
    bufnr,
    blocks,
    { row + 1, 0 },
    0,
    { limit = 1, details = true }
  )[1]
  if found and found[4].end_row and row <= found[4].end_row then
    return found[2], found[4].end_row
  end
end

-- How many bytes before a fence belong to the quotation or list around it.
local function indent_of(bufnr, first)
  local fence = first > 0 and vim.api.nvim_buf_get_lines(bufnr, first - 1, first, false)[1] or ''
  local column = fence:match('()[`~][`~][`~]') or 1
  return column - 1, fence:sub(1, column - 1):find('>', 1, true) ~= nil
end

-- Not every line must have all of the indentation.
local function unindent(line, indent, is_quoted)
  local _, blanks = line:find(is_quoted and '^[%s>]*' or '^%s*')
  return line:sub(math.min(indent, blanks) + 1)
end

--- Remove from the next yank the marks and blanks of a quotation or list, if it is that of a block.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
function M.unindent_yank(bufnr, first, last)
  local indent, is_quoted = indent_of(bufnr, first)
  if indent == 0 or vim.v.operator ~= 'y' then
    return
  end
  local source = vim.api.nvim_buf_get_lines(bufnr, first, last, false)
  local code = vim.tbl_map(function(line)
    return unindent(line, indent, is_quoted)
  end, source)
  vim.api.nvim_create_autocmd('TextYankPost', {
    group = augroup,
    buffer = bufnr,
    once = true,
    callback = function()
      for _, register in ipairs({ vim.v.event.regname, '0' }) do
        local yanked = register ~= '' and vim.fn.getreginfo(register).regcontents
        if vim.deep_equal(yanked, source) then
          vim.fn.setreg(register, code, 'V')
        end
      end
    end,
  })
end

return M
