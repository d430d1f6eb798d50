--- Which functions call a function, and which ones it calls.
local language = require('claude_ide.tools.language')
local locations = require('claude_ide.tools.locations')
local request = require('claude_ide.tools.request')
local servers = require('claude_ide.tools.servers')
local slices = require('claude_ide.when.slices')
local source = require('claude_ide.tools.source')
local symbols = require('claude_ide.tools.symbols')

local M = {}

-- Of one function.
local MOST_CALLS = 20
-- A place may stand for overloads.
local MOST_ITEMS = 10

---@class claude_ide.CallHierarchyEntry
---@field item lsp.CallHierarchyItem
---@field path string
---@field range lsp.Range of the name
---@field encoding string
---@field calls lsp.Range[]
---@field calls_path string the file with the calls

-- Some servers give each range twice.
local function without_duplicates(ranges)
  local kept, known = {}, {}
  for _, range in ipairs(type(ranges) == 'table' and ranges or {}) do
    local key = locations.is_range(range)
      and ('%d:%d'):format(range.start.line, range.start.character)
    if key and not known[key] then
      known[key] = true
      kept[#kept + 1] = range
    end
  end
  return kept
end

-- The other function of a call, nil for anything else.
local function entry(call, field, asked_path, encoding)
  local item = type(call) == 'table' and call[field]
  local path = type(item) == 'table' and locations.path(item.uri)
  local range = path
    and (locations.is_range(item.selectionRange) and item.selectionRange or item.range)
  if not locations.is_range(range) then
    return nil
  end
  return {
    item = item,
    path = path,
    range = range,
    encoding = encoding,
    calls = without_duplicates(call.fromRanges),
    calls_path = field == 'from' and path or asked_path,
  }
end

local function gather(found, field)
  local entries, known = {}, {}
  for _, one in ipairs(found) do
    local asked_path = locations.path(one.item.uri)
    for _, call in ipairs(one.calls) do
      local each = entry(call, field, asked_path, one.client.offset_encoding)
      local start = each and each.range.start
      local key = each and ('%s\0%d\0%s'):format(each.path, start.line, each.item.name)
      if each and not known[key] then
        known[key] = true
        entries[#entries + 1] = each
      end
    end
  end
  table.sort(entries, function(a, b)
    if a.path ~= b.path then
      return a.path < b.path
    end
    return locations.is_before(a, b)
  end)
  return entries
end

local function describe_calls(one, line_at)
  local calls = {}
  for index = 1, math.min(#one.calls, MOST_CALLS) do
    local start = one.calls[index].start
    local text = line_at(one.calls_path, start.line)
    calls[index] = {
      line = start.line + 1,
      column = source.column(text, start.character, one.encoding),
      text = source.excerpt(text, source.byte(text, start.character, one.encoding)),
    }
  end
  return calls
end

local function describe(entries, facts, arguments, answer)
  local described, place_of, line_at = {}, locations.describer(), source.reader()
  slices.each(
    locations.part(entries, arguments),
    servers.guarded(answer, function(one)
      local place = place_of(one)
      described[#described + 1] = {
        path = one.path,
        line = place.line,
        column = place.column,
        name = tostring(one.item.name):sub(1, 200),
        kind = symbols.kind(one.item.kind),
        calls = describe_calls(one, line_at),
        more_calls = math.max(#one.calls - MOST_CALLS, 0),
      }
    end),
    function()
      answer(vim.tbl_extend('error', facts, { entries = described, total = #entries }))
    end
  )
end

-- The functions at the place, each with the server that knows it. Its `data` goes back to that server.
local function items_of(answers)
  local items, names = {}, {}
  for _, answer in ipairs(answers) do
    for index, item in ipairs(vim.islist(answer.result) and answer.result or { answer.result }) do
      if type(item) == 'table' and type(item.uri) == 'string' and index <= MOST_ITEMS then
        items[#items + 1] = { client = answer.client, item = item }
        names[tostring(item.name):sub(1, 200)] = true
      end
    end
  end
  names = vim.tbl_keys(names)
  table.sort(names)
  return items, names
end

local function ask_each(items, method, done)
  local open, found, failures, cancels = #items, {}, {}, {}
  local function settle(one, failure, result)
    open = open - 1
    if failure then
      failures[#failures + 1] = ('%s: %s'):format(one.client.name, failure)
    elseif type(result) == 'table' then
      found[#found + 1] = { client = one.client, item = one.item, calls = result }
    end
    if open == 0 then
      done(found, failures)
    end
  end
  for index, one in ipairs(items) do
    cancels[index] = request.send(one.client, nil, method, { item = one.item }, function(...)
      settle(one, ...)
    end)
  end
  return cancels
end

local function find(method, field, arguments, answer)
  local cancels = {}
  local prepare = 'textDocument/prepareCallHierarchy'
  cancels[1] = language.ask(prepare, arguments, {}, answer, function(answers, asked)
    local items, names = items_of(answers)
    local facts = vim.tbl_extend('error', { names = names }, asked)
    if #items == 0 then
      return answer(vim.tbl_extend('error', facts, { entries = {}, total = 0 }))
    end
    local function done(found, failures)
      if #found == 0 and #failures > 0 then
        return answer({ error = table.concat(failures, '; ') })
      end
      describe(gather(found, field), facts, arguments, answer)
    end
    vim.list_extend(cancels, ask_each(items, method, servers.guarded(answer, done)))
  end)
  return function()
    vim.iter(cancels):each(function(cancel)
      cancel()
    end)
  end
end

--- Answers { entries, total, names, asked }: the functions that call the one at the place.
---@type claude_ide.Tool
function M.incoming(arguments, answer)
  return find('callHierarchy/incomingCalls', 'from', arguments, answer)
end

--- Answers the same for the functions that are called.
---@type claude_ide.Tool
function M.outgoing(arguments, answer)
  return find('callHierarchy/outgoingCalls', 'to', arguments, answer)
end

return M
