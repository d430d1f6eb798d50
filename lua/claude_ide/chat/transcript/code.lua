--- Closed code fences: coloured once by their language's parser, and found again for yanking.
local autocommands = require('claude_ide.messages.autocommands')
local colouring = require('claude_ide.colouring')

local M = {}

local on = autocommands.group('claude_ide_chat_transcript_code')

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

local colours = vim.api.nvim_create_namespace('claude_ide_chat_code')
local blocks = vim.api.nvim_create_namespace('claude_ide_chat_block')

-- Cached, because a search for a missing parser reads the whole 'runtimepath'.
local parsers = {} ---@type table<string, string|false>

-- The language with a parser that a name stands for.
---@param name string
---@return string|false language
local function language_of(name)
  if parsers[name] == nil then
    local candidates = { name, vim.treesitter.language.get_lang(name) }
    parsers[name] = vim.iter(candidates):find(function(candidate)
      local ok, has_parser = pcall(vim.treesitter.language.add, candidate)
      return ok and has_parser
    end) or false
  end
  return parsers[name]
end

---@class claude_ide.ChatBlock
---@field bufnr integer
---@field mark integer
---@field text string
---@field language string

-- Runs in a coroutine, which yields to the user's keys at the end of its slice.
---@param block claude_ide.ChatBlock
local function set_colours(block, root, language)
  local query = vim.treesitter.query.get(language, 'highlights')
  local options, slice_end = { max_start_depth = DEEPEST }, vim.uv.hrtime() + SLICE
  local captures = query and query:iter_captures(root, block.text, nil, nil, options)
  for id, node, metadata in captures or function() end do
    local name = query.captures[id]
    -- Where the block is now; nowhere once it was cleared.
    local at = vim.api.nvim_buf_get_extmark_by_id(block.bufnr, blocks, block.mark, {})[1]
    if not at then
      return
    elseif name:sub(1, 1) ~= '_' and name ~= 'spell' and name ~= 'nospell' then
      local row, column, end_row, end_column = node:range()
      pcall(vim.api.nvim_buf_set_extmark, block.bufnr, colours, at + row, column, {
        end_row = at + end_row,
        end_col = end_column,
        hl_group = ('@%s.%s'):format(name, language),
        priority = PRIORITY + (tonumber(metadata.priority) or 100) - 100,
        strict = false,
      })
    end
    if vim.uv.hrtime() > slice_end then
      coroutine.yield(true)
      slice_end = vim.uv.hrtime() + SLICE
    end
  end
end

local waiting = {} ---@type claude_ide.ChatBlock[]
local is_busy = false

-- Call a function every millisecond until it returns nil; then `done`.
local function repeatedly(step, done)
  local ok, has_more = pcall(step)
  vim.defer_fn(function()
    if ok and has_more then
      return repeatedly(step, done)
    end
    done()
  end, 1)
end

-- Colour the blocks one after the other: in parallel, their slices would add up.
local function colour_next()
  local block = table.remove(waiting, 1)
  is_busy = block ~= nil
  if not block then
    return
  end
  local parser = vim.treesitter.get_string_parser(block.text, block.language)
  -- Without injected languages, whose search takes longer than everything else. Only Markdown needs them:
  -- it consists of two languages.
  parser:parse(block.language == 'markdown', function(err)
    local trees = {}
    if not err then
      parser:for_each_tree(function(tree, language_tree)
        table.insert(trees, { tree:root(), language_tree:lang() })
      end)
    end
    repeatedly(
      coroutine.wrap(function()
        for _, found in ipairs(trees) do
          set_colours(block, unpack(found))
        end
      end),
      colour_next
    )
  end)
end

--- Remember a closed fence, and colour its content unless it is very long.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
---@param language string that after the fence, in the usual word
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
  local parser = language ~= '' and #text <= LARGEST and language_of(language)
  local most = parser == 'markdown' and LARGEST_MARKDOWN or LARGEST
  if parser and #text <= most and not colouring.obstacle(text, parser) then
    table.insert(waiting, { bufnr = bufnr, mark = block, text = text, language = parser })
    if not is_busy then
      colour_next()
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

--- Remove from the next yank the marks and blanks of a quotation or list, if it is that of a block.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
function M.unindent_yank(bufnr, first, last)
  local fence = first > 0 and vim.api.nvim_buf_get_lines(bufnr, first - 1, first, false)[1] or ''
  local around = fence:match('^(.-)[`~][`~][`~]') or ''
  if around == '' or vim.v.operator ~= 'y' then
    return
  end
  local source = vim.api.nvim_buf_get_lines(bufnr, first, last, false)
  local marks = around:find('>', 1, true) and '^[%s>]*' or '^%s*'
  local code = vim.tbl_map(function(line)
    -- Not every line must have all of the indentation.
    local _, blanks = line:find(marks)
    return line:sub(math.min(#around, blanks) + 1)
  end, source)
  on('TextYankPost', bufnr, function()
    for _, register in ipairs({ vim.v.event.regname, '0' }) do
      local yanked = register ~= '' and vim.fn.getreginfo(register).regcontents
      if vim.deep_equal(yanked, source) then
        vim.fn.setreg(register, code, 'V')
      end
    end
  end, { once = true })
end

return M
