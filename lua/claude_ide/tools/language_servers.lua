--- The user's language servers, for the host: what is known of them now, and requests to them. The host
--- decides when to ask which, and what to make of the answers (`editor/servers.py`).
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local place = require('claude_ide.tools.place')
local private_api = require('claude_ide.private_api')
local publishing = require('claude_ide.diagnostics.published')
local reload = require('claude_ide.disk_changes.reload')

local M = {}

local api = vim.api

local FORGOTTEN_AFTER = 600000
-- Nanoseconds. Longer, loading many files would be felt.
local SLICE_NS = 10e6

-- Characters of a server's own words.
local LONGEST = 500
local COMMAND = 'workspace/executeCommand'
-- A server without both, such as one for linters or completion, answers few questions.
local READING = { 'textDocument/definition', 'textDocument/documentSymbol' }

-- By buffer, since it was loaded: the namespaces that have published.
local published = {} ---@type table<integer, table<integer, true>>
-- By client: what ends the requests to it.
local pending = {} ---@type table<integer, table<function, true>>

local function work_of(client)
  local _, title = next(client.progress.pending)
  return title and tostring(title) or nil
end

-- `publishing.sets` also has those that Neovim has only cleared, as it does for a new client.
publishing.subscribe(function(bufnr, namespace)
  if namespace then
    published[bufnr] = published[bufnr] or {}
    published[bufnr][namespace] = true
  end
end)

local on = autocommands.group('claude_ide_tools_language_servers')
on('LspDetach', nil, function(event)
  local id = event.data.client_id
  local client = vim.lsp.get_client_by_id(id)
  -- Neovim drops the requests to a server that ends.
  if not client or client:is_stopped() then
    for fail in pairs(pending[id] or {}) do
      fail('it has ended')
    end
  end
end)
on('BufUnload', nil, function(event)
  published[event.buf] = nil
end)

local function has_published(client, bufnr)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id, false)
  return (published[bufnr] or {})[namespace] == true
    or next(vim.diagnostic.count(bufnr, { namespace = namespace })) ~= nil
end

local function supported(client, methods, bufnr)
  return vim.tbl_filter(function(method)
    return client:supports_method(method, bufnr)
  end, methods)
end

-- The commands that a server runs; nil if it has told them later, which no public function says.
local function commands_of(client)
  local provider = client.server_capabilities.executeCommandProvider or {}
  local listed = provider.commands or {}
  return (#listed > 0 or not client:supports_method(COMMAND)) and listed or nil
end

local function filetypes(client)
  local types = {}
  for bufnr in pairs(client.attached_buffers) do
    local filetype = api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].filetype or ''
    types[filetype] = filetype ~= '' or nil
  end
  return vim.tbl_keys(types)
end

local function describe(client, bufnr, methods)
  return {
    id = client.id,
    name = client.name,
    encoding = client.offset_encoding,
    work = work_of(client),
    has_published = bufnr and has_published(client, bufnr),
    reads_code = bufnr and #supported(client, READING, bufnr) > 0,
    supports = supported(client, methods, bufnr),
    commands = commands_of(client),
    filetypes = not bufnr and filetypes(client) or nil,
    buffers = not bufnr and vim.tbl_keys(client.attached_buffers) or nil,
  }
end

local function able(bufnr, method)
  if not bufnr then
    return vim.lsp.get_clients({ method = method })
  end
  -- none-ls reports its capabilities for the current buffer, even if asked about another one.
  return api.nvim_buf_call(bufnr, function()
    return vim.lsp.get_clients({ bufnr = bufnr, method = method })
  end)
end

local function row_of(bufnr, line)
  return { row = line - 1, text = place.existing_line(bufnr, line) }
end

---@class claude_ide.ServersQuestion
---@field bufnr? integer of a loaded buffer; without one, all servers are meant
---@field method? string the servers must support it
---@field supports? string[] other methods, of which the answer says who supports them
---@field line? integer of which the answer has the text
---@field end_line? integer the same

--- What is known now. `is_loaded` is false, and the rest missing, if the buffer is not loaded any more.
---
--- Raises an error if there is no such line.
---@type fun(wanted: claude_ide.ServersQuestion): table
function M.look(wanted)
  local bufnr = wanted.bufnr
  if bufnr and not api.nvim_buf_is_loaded(bufnr) then
    return { is_loaded = false }
  end
  local starting = vim.tbl_map(function(client)
    return { id = client.id, name = client.name, filetypes = filetypes(client) }
  end, private_api.starting(bufnr))
  local methods = wanted.supports or {}
  local servers = vim.tbl_map(function(client)
    return describe(client, bufnr, methods)
  end, able(bufnr, wanted.method))
  if not bufnr then
    return { is_loaded = true, servers = servers, starting = starting }
  end
  return {
    is_loaded = true,
    bufnr = bufnr,
    uri = vim.uri_from_bufnr(bufnr),
    tick = api.nvim_buf_get_changedtick(bufnr),
    first = wanted.line and row_of(bufnr, wanted.line) or nil,
    last = wanted.end_line and row_of(bufnr, wanted.end_line) or nil,
    servers = servers,
    starting = starting,
  }
end

--- Load a file, with the text that is on disk now unless the user has changed it, and answer as `look`, and
--- whether the file `is_new`: it was loaded just now.
---@param wanted claude_ide.ServersQuestion|{ file?: string }
---@return table
function M.open(wanted)
  local is_new = false
  if wanted.file then
    wanted = vim.tbl_extend('force', wanted, {})
    wanted.bufnr, is_new = place.buffer(wanted.file)
    reload.sync()
  end
  return vim.tbl_extend('error', M.look(wanted), { is_new = is_new })
end

-- The client that publishes in a namespace. Some of its names end with what only the server knows.
local function publisher(clients, namespace)
  local name = vim.diagnostic.get_namespace(namespace).name .. '.'
  return vim.iter(clients):find(function(client)
    return name:find(('lsp.%s.%d.'):format(client.name, client.id), 1, true) ~= nil
  end)
end

--- The diagnostics of a loaded buffer as its servers have sent them, which they want back.
---@param bufnr integer
---@return { client: integer, row: integer, end_row: integer, col: integer, message: string, raw: table }[]
function M.diagnostics(bufnr)
  local found, clients = {}, vim.lsp.get_clients({ bufnr = bufnr })
  for _, one in ipairs(vim.diagnostic.get(bufnr)) do
    local raw = type(one.user_data) == 'table' and one.user_data.lsp
    local client = type(raw) == 'table' and publisher(clients, one.namespace)
    if client then
      found[#found + 1] = {
        client = client.id,
        row = one.lnum,
        end_row = one.end_lnum or one.lnum,
        col = one.col,
        message = one.message,
        raw = raw,
      }
    end
  end
  return found
end

-- The words of a server, in one line.
local function shortened(text)
  text = vim.trim((tostring(text):gsub('%s+', ' ')))
  return vim.fn.strcharlen(text) > LONGEST and vim.fn.strcharpart(text, 0, LONGEST) .. '…' or text
end

-- Send one request. `done` gets { failure, code } or { result }, once, unless it is cancelled.
---@param client vim.lsp.Client
---@return fun() cancel
---@return fun(): boolean is_owed whether the server may still answer, also after it was given up
local function send(client, bufnr, method, parameters, done)
  local has_answered, fail = false, nil ---@type boolean, fun(reason: string)
  local waiting = pending[client.id] or {}
  pending[client.id] = waiting
  local function answer(reply)
    if waiting[fail] then
      waiting[fail] = nil
      done(reply)
    end
  end
  fail = function(reason)
    answer({ failure = shortened(reason) })
  end
  waiting[fail] = true
  local function on_answer(err, result)
    has_answered = true
    if not err then
      return answer({ result = result == nil and vim.NIL or result })
    end
    local is_table = type(err) == 'table'
    local failure = shortened(is_table and err.message or err)
    answer({ failure = failure, code = is_table and err.code or nil })
  end
  local ok, is_sent, number =
    pcall(client.request, client, method, parameters, on_answer, bufnr or 0)
  local id = ok and is_sent and number or nil
  if not id then
    fail(ok and 'it is shutting down' or is_sent)
  end
  return function()
    if id and waiting[fail] then
      client:cancel_request(id)
    end
    waiting[fail] = nil
  end, function()
    return id ~= nil and not has_answered and client.requests[id] ~= nil and not client:is_stopped()
  end
end

-- The state of all buffers when a server is asked: an edit in its answer applies to these.
local function changedticks()
  local ticks = {}
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) then
      ticks[#ticks + 1] = { bufnr, api.nvim_buf_get_changedtick(bufnr) }
    end
  end
  return ticks
end

--- Send a request to a server. Answers its `result`, or a `failure` and its `code`, with the `ticks` of all
--- buffers from before. Answers { is_stale } if the buffer has another `tick` than that of the parameters.
---@param arguments table { client, method, parameters, bufnr?, tick? }: the parameters are JSON
---@param answer claude_ide.ToolAnswer
function M.send(arguments, answer)
  local bufnr, tick = arguments.bufnr, arguments.tick
  local client = vim.lsp.get_client_by_id(arguments.client)
  local is_loaded = not bufnr or api.nvim_buf_is_loaded(bufnr)
  if not is_loaded or tick and api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return { is_stale = true }
  elseif not client then
    return { failure = 'it has ended' }
  end
  local ticks = changedticks()
  local parameters = vim.json.decode(arguments.parameters, { luanil = { object = true } })
  local cancel = send(client, bufnr, arguments.method, parameters, function(reply)
    reply.ticks = ticks
    answer(reply)
  end)
  return cancel
end

local running = {} ---@type table<integer, true> by client

-- Call `done` a moment after the server has answered: until then it may send an edit.
local function when_answered(is_owed, done, waited)
  waited = (waited or 0) + private_api.settles_within
  vim.defer_fn(function()
    if is_owed() and waited < FORGOTTEN_AFTER then
      return when_answered(is_owed, done, waited)
    end
    done()
  end, private_api.settles_within)
end

--- Have a server run a command. Answers the `edits` that it sends, which are not applied; `ticks` as `send`;
--- and the `failure`. Edits that arrive after the command was given up are not applied either.
---@type fun(arguments: { client: integer, parameters: string }, answer: claude_ide.ToolAnswer)
function M.run(arguments, answer)
  local client = vim.lsp.get_client_by_id(arguments.client)
  if not client then
    return answer({ error = 'the language server has ended' })
  elseif running[client.id] then
    return answer({ error = client.name .. ' is still running another command' })
  end
  running[client.id] = true
  local parameters = vim.json.decode(arguments.parameters, { luanil = { object = true } })
  local ticks, edits = changedticks(), {}
  local cancel, is_owed, release, is_over
  local function finish()
    if not is_over then
      is_over, running[client.id] = true, nil
      release()
    end
  end
  local function answered(reply)
    when_answered(is_owed or function()
      return false
    end, function()
      finish()
      answer({ edits = edits, ticks = ticks, failure = reply.failure })
    end)
  end
  release = private_api.catch_edits(client, function()
    cancel, is_owed = send(client, nil, COMMAND, parameters, answered)
  end, function(edit)
    edits[#edits + 1] = edit
  end)
  return function()
    cancel()
    when_answered(is_owed, finish)
  end
end

--- Answers the `texts` of the first of the files, as many as can be loaded in a short time; without lines for
--- those that do not exist yet. The `version` is that of the text which the `client` has got last.
---@type claude_ide.Tool
function M.texts(arguments)
  local texts, began = {}, vim.uv.hrtime()
  local client = vim.lsp.get_client_by_id(arguments.client)
  for _, file in ipairs(arguments.files) do
    local text = { path = file.path }
    if not file.is_new then
      local bufnr = place.buffer(file.path)
      text = buffer_text.describe(bufnr, file.path)
      text.version = client and client.attached_buffers[bufnr] and private_api.version(bufnr)
    end
    texts[#texts + 1] = text
    if vim.uv.hrtime() - began > SLICE_NS then
      break
    end
  end
  return { texts = texts }
end

return M
