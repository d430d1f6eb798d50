--- What the model gets to know about diagnostics beyond those that clients get: columns, lines, fixes.
local lsp_write = require('claude_ide.checking.lsp_write')
local place = require('claude_ide.tools.place')
local positions = require('claude_ide.file.positions')
local readiness = require('claude_ide.tools.readiness')
local request = require('claude_ide.tools.request')
local servers = require('claude_ide.tools.servers')
local slices = require('claude_ide.when.slices')
local source = require('claude_ide.tools.source')

local M = {}

local api = vim.api

local METHOD = 'textDocument/codeAction'
-- Milliseconds.
local FIXES_WITHIN = 4000
local FIRST_PUBLISH_WITHIN = 3000
local MOST_FIXES = 5
local MOST_ASKED = 100
local LONGEST = 200

-- The servers that publish without being asked.
local function publishers(bufnr)
  return vim.tbl_filter(function(client)
    return not lsp_write.is_pulled(client, bufnr)
  end, readiness.able(bufnr))
end

--- Load a file, and wait until its servers have started and published about it. What follows is a check.
--- Answers { bufnr, was_cold }; `was_cold`: some of them may not have known the file.
---@type claude_ide.Tool
function M.prepare(arguments, answer)
  local bufnr, was_loaded = place.buffer(arguments.file)
  readiness.when_started(
    bufnr,
    nil,
    servers.guarded(answer, function()
      local clients = api.nvim_buf_is_loaded(bufnr) and publishers(bufnr) or {}
      local was_cold = was_loaded or readiness.is_cold(clients, bufnr)
      readiness.when_settled(clients, bufnr, function()
        for _, client in ipairs(clients) do
          readiness.warm_up(client, bufnr)
        end
        answer({ bufnr = bufnr, was_cold = was_cold })
      end, FIRST_PUBLISH_WITHIN)
    end)
  )
end

---@class claude_ide.ListedDiagnostic
---@field path string
---@field line integer 0-based
---@field character integer in UTF-16
---@field message string

-- Add what a model counts and reads to diagnostics.
local function locate(items, done)
  local line_at, found = source.reader(), {}
  slices.each(items, function(item)
    local text = line_at(item.path, item.line)
    found[#found + 1] = {
      column = source.column(text, item.character, 'utf-16'),
      text = source.excerpt(text, source.byte(text, item.character, 'utf-16')),
    }
  end, function()
    done(found)
  end)
end

-- The server that has published in a namespace.
local function publisher(bufnr, namespace)
  return vim.iter(vim.lsp.get_clients({ bufnr = bufnr, method = METHOD })):find(function(client)
    return servers.publishes_in(client, namespace)
  end)
end

-- The diagnostic as its server has sent it, which it wants back, and that server.
local function original(bufnr, item)
  local text = api.nvim_buf_get_lines(bufnr, item.line, item.line + 1, false)[1] or ''
  for _, one in ipairs(vim.diagnostic.get(bufnr, { lnum = item.line })) do
    local raw = type(one.user_data) == 'table' and one.user_data.lsp
    if
      type(raw) == 'table'
      and type(raw.range) == 'table'
      and one.message == item.message
      and positions.character(text, one.col) == item.character
    then
      return raw, publisher(bufnr, one.namespace)
    end
  end
end

-- Servers that ignore `only` answer refactorings, too.
local function is_fix(action)
  if type(action) ~= 'table' or type(action.title) ~= 'string' or action.title == '' then
    return false
  end
  return not action.disabled
    and (type(action.kind) ~= 'string' or vim.startswith(action.kind, 'quickfix'))
end

local function titles(actions)
  local found = {}
  for _, action in ipairs(vim.islist(actions or false) and actions or {}) do
    if is_fix(action) and #found < MOST_FIXES then
      local title = action.title:gsub('%s+', ' '):sub(1, LONGEST)
      found[#found + 1] = { title = title, is_preferred = action.isPreferred == true }
    end
  end
  return found
end

-- Request the fixes of a diagnostic; `done` gets their titles. Returns what cancels a sent request.
local function request_fixes(bufnr, item, done)
  local raw, client = original(bufnr, item)
  if not client then
    return done({})
  end
  return request.send(client, bufnr, METHOD, {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    range = raw.range,
    context = { diagnostics = { raw }, only = { 'quickfix' }, triggerKind = 1 },
  }, function(failure, result)
    done(failure and {} or titles(result))
  end, FIXES_WITHIN)
end

-- Add the fixes on offer to the located diagnostics.
local function add_fixes(bufnr, items, found, cancels, done)
  local numbers = {}
  for number = 1, math.min(#items, MOST_ASKED) do
    numbers[number] = number
  end
  local open = #numbers + 1
  local function settle()
    open = open - 1
    if open == 0 then
      done()
    end
  end
  slices.each(numbers, function(number)
    if cancels.is_cancelled then
      return
    end
    cancels[#cancels + 1] = request_fixes(bufnr, items[number], function(fixes)
      found[number].fixes = fixes
      settle()
    end)
  end, settle)
end

--- Answers { items } with the `column`, `text` and, with `wants_fixes`, the `fixes` of the diagnostics.
---@param arguments { items: claude_ide.ListedDiagnostic[], wants_fixes?: boolean }
---@param answer claude_ide.ToolAnswer
function M.describe(arguments, answer)
  local items, cancels = arguments.items, {}
  locate(
    items,
    servers.guarded(answer, function(found)
      local bufnr = arguments.wants_fixes and items[1] and place.buffer(items[1].path)
      if not bufnr then
        return answer({ items = found })
      end
      add_fixes(bufnr, items, found, cancels, function()
        answer({ items = found })
      end)
    end)
  )
  return function()
    cancels.is_cancelled = true
    vim.iter(ipairs(cancels)):each(function(_, cancel)
      cancel()
    end)
  end
end

return M
