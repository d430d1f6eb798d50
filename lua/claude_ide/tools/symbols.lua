--- The symbols that language servers know: those of a file as a tree, and those of the project.
local language = require('claude_ide.tools.language')
local locations = require('claude_ide.tools.locations')
local servers = require('claude_ide.tools.servers')
local slices = require('claude_ide.when.slices')
local source = require('claude_ide.tools.source')

local M = {}

---@class claude_ide.Symbol
---@field name string
---@field kind string
---@field detail string
---@field depth integer from 0
---@field line integer of the name
---@field column integer of the name
---@field first integer line
---@field last integer line

-- Characters. Some servers put a whole value into the detail.
local LONGEST = 120

local function shortened(text)
  if type(text) ~= 'string' then
    return ''
  end
  text = vim.trim((text:sub(1, 4 * LONGEST):gsub('%s+', ' ')))
  return vim.fn.strcharlen(text) > LONGEST and vim.fn.strcharpart(text, 0, LONGEST) .. '…' or text
end

--- The name of a symbol's kind.
---@param number any
---@return string
function M.kind(number)
  local name = type(number) == 'number' and vim.lsp.protocol.SymbolKind[number]
  return type(name) == 'string' and name:lower() or 'symbol'
end

local is_range = locations.is_range

-- A `DocumentSymbol`, or a `SymbolInformation`, which has no children; nil for anything else.
local function plain(symbol)
  if type(symbol) ~= 'table' or type(symbol.name) ~= 'string' then
    return nil
  end
  local location = type(symbol.location) == 'table' and symbol.location or {}
  local range = is_range(symbol.range) and symbol.range or location.range
  if not is_range(range) then
    return nil
  end
  return {
    symbol = symbol,
    range = range,
    name_range = is_range(symbol.selectionRange) and symbol.selectionRange or range,
  }
end

local function is_tree(result)
  return type(result[1]) == 'table' and result[1].location == nil
end

-- Of several servers, one that answers a tree; their trees together would name everything twice.
local function best(answers)
  for _, answer in ipairs(answers) do
    if is_tree(answer.result) then
      return answer
    end
  end
  return answers[1]
end

local function is_around(outer, inner)
  local a, b = outer['end'], inner['end']
  return a.line > b.line or (a.line == b.line and a.character >= b.character)
end

local function is_before(a, b)
  local first, second = a.range.start, b.range.start
  if first.line ~= second.line then
    return first.line < second.line
  elseif first.character ~= second.character then
    return first.character < second.character
  end
  return is_around(a.range, b.range)
    and not (is_around(b.range, a.range) and a.index > b.index)
    and a ~= b
end

-- Most servers answer in order; sorting many would block Neovim.
local function sort(list)
  for index = 2, #list do
    if is_before(list[index], list[index - 1]) then
      return table.sort(list, is_before)
    end
  end
end

-- A function that returns the next symbol of a flat list and its depth: it is in those around it.
local function flat(list)
  local found = {}
  for index, symbol in ipairs(list) do
    local one = plain(symbol)
    if one then
      one.index = index
      found[#found + 1] = one
    end
  end
  sort(found)
  local index, around = 0, {}
  return function()
    index = index + 1
    local one = found[index]
    while one and #around > 0 and not is_around(around[#around].range, one.range) do
      around[#around] = nil
    end
    around[#around + 1] = one
    return one, #around - 1
  end
end

-- A function that returns the next symbol of a tree and its depth.
local function tree(list)
  local path = { { list = list, index = 0 } }
  return function()
    while #path > 0 do
      local level = path[#path]
      level.index = level.index + 1
      local symbol = level.list[level.index]
      if symbol == nil then
        path[#path] = nil
      else
        local one, depth = plain(symbol), #path - 1
        if one then
          local children = symbol.children
          path[#path + 1] = type(children) == 'table' and { list = children, index = 0 } or nil
          return one, depth
        end
      end
    end
  end
end

local function described(one, depth, text, encoding)
  local start = one.name_range.start
  return {
    name = shortened(one.symbol.name),
    kind = M.kind(one.symbol.kind),
    detail = shortened(one.symbol.detail),
    depth = depth,
    line = start.line + 1,
    column = source.column(text, start.character, encoding),
    first = one.range.start.line + 1,
    last = one.range['end'].line + 1,
  }
end

-- Describe the wanted part of the symbols above a depth.
local function describe(answers, asked, arguments, answer)
  local chosen = best(answers)
  local result = chosen and chosen.result or {}
  local next_one = is_tree(result) and tree(result) or flat(result)
  local first = (arguments.offset or 0) + 1
  local last = first + arguments.limit - 1
  local symbols, total, deeper, line_at = {}, 0, 0, source.reader()
  slices.steps(
    servers.guarded(answer, function()
      local one, depth = next_one()
      if not one then
        return false
      elseif depth >= arguments.depth then
        deeper = deeper + 1
        return true
      end
      total = total + 1
      if total >= first and total <= last then
        local text = line_at(arguments.file, one.name_range.start.line)
        local encoding = chosen.client.offset_encoding
        symbols[#symbols + 1] = described(one, depth, text, encoding)
      end
      return true
    end),
    function()
      local facts = { symbols = symbols, total = total, deeper = deeper }
      answer(vim.tbl_extend('error', facts, asked))
    end
  )
end

--- Answers { symbols, total, deeper, asked }. `deeper` counts the symbols below the depth.
---@type claude_ide.Tool
function M.of_document(arguments, answer)
  local bufnr = language.buffer(arguments.file)
  local method = 'textDocument/documentSymbol'
  return servers.ask(
    bufnr,
    method,
    function()
      return { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
    end,
    language.unless_failed(answer, function(answers, asked)
      describe(answers, asked, arguments, answer)
    end),
    vim.islist
  )
end

-- A symbol of the project. Some servers give only its file.
local function of_project(symbol, encoding)
  local location = type(symbol) == 'table' and symbol.location
  local path = type(location) == 'table' and locations.path(location.uri)
  if not path or type(symbol.name) ~= 'string' then
    return nil
  end
  return {
    symbol = symbol,
    path = path,
    range = is_range(location.range) and location.range or nil,
    encoding = encoding,
  }
end

local function key(one)
  local start = one.range and one.range.start or {}
  return table.concat({ one.path, one.symbol.name, start.line or '', start.character or '' }, '\0')
end

-- In the order of the servers: they rank what they find.
local function gather(answers, done)
  local found, known, all = {}, {}, {}
  for _, one in ipairs(answers) do
    all[#all + 1] = { list = one.result, encoding = one.client.offset_encoding }
  end
  slices.each(all, function(one)
    for _, symbol in ipairs(one.list) do
      local each = of_project(symbol, one.encoding)
      if each and not known[key(each)] then
        known[key(each)] = true
        found[#found + 1] = each
      end
    end
  end, function()
    done(found)
  end)
end

local function describe_project(answers, asked, arguments, answer)
  gather(answers, function(found)
    local describe_place, symbols = locations.describer(), {}
    slices.each(
      locations.part(found, arguments),
      servers.guarded(answer, function(one)
        local place = one.range and describe_place(one) or { path = one.path }
        symbols[#symbols + 1] = {
          path = place.path,
          line = place.line,
          column = place.column,
          name = shortened(one.symbol.name),
          kind = M.kind(one.symbol.kind),
          container = shortened(one.symbol.containerName),
        }
      end),
      function()
        answer(vim.tbl_extend('error', { symbols = symbols, total = #found }, asked))
      end
    )
  end)
end

--- Answers { symbols, total, asked }. Without a file, all servers that run are asked.
---@type claude_ide.Tool
function M.of_workspace(arguments, answer)
  local bufnr = type(arguments.file) == 'string' and language.buffer(arguments.file) or nil
  return servers.ask(
    bufnr,
    'workspace/symbol',
    function()
      return { query = arguments.query }
    end,
    language.unless_failed(answer, function(answers, asked)
      describe_project(answers, asked, arguments, answer)
    end),
    vim.islist
  )
end

return M
