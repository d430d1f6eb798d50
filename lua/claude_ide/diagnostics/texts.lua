--- The texts that buffers have got from their files: language servers are told of them, and asked for
--- diagnostics. Who has published since then are the facts by which the host waits for servers and linters.
local linters = require('claude_ide.diagnostics.linters')
local private_api = require('claude_ide.private_api')
local publishing = require('claude_ide.diagnostics.published')
local recent = require('claude_ide.window.recent')

local M = {}

-- A text is recent for so long: who reads diagnostics waits for its check.
local RECENT_MS = 1500
-- The work of servers is recorded for so long after a text.
local RECORDED_MS = 5000
local PULL = 'textDocument/diagnostic'
local MOST_DEPENDENTS = 20

---@class claude_ide.DiagnosticsAnswer publishes of one publisher after a text
---@field first_ms integer after the text
---@field last_ms integer
---@field count integer

---@class claude_ide.CheckedText
---@field number integer
---@field at number milliseconds
---@field answers table<string, claude_ide.DiagnosticsAnswer> by publisher: the name of its namespace
---@field linters string[] those that had published for the buffer before
---@field pulls table<integer, integer> by client: its latest request for diagnostics before
---@field pulled table<integer, true> clients that have been asked since
---@field works table<string, { name: string, title: string, began_ms: integer, ended_ms?: integer }> by token

---@alias claude_ide.Checks table `editor/checks.py` describes it

---@type table<integer, claude_ide.CheckedText[]> by buffer: the latest two, the newest first
local texts = {}
---@type table<string, integer> by publisher
local published = {}
local last_publish, last_number = 0, 0

local function ms_since(time)
  return math.floor(vim.uv.hrtime() / 1e6 - time)
end

local function name_of(namespace)
  return vim.diagnostic.get_namespace(namespace).name
end

local function on_published(bufnr, namespace)
  last_publish = vim.uv.hrtime() / 1e6
  if not namespace then
    return
  end
  local name, text = name_of(namespace), texts[bufnr] and texts[bufnr][1]
  published[name] = (published[name] or 0) + 1
  if text then
    local ms = ms_since(text.at)
    local answer = text.answers[name] or { first_ms = ms, count = 0 }
    answer.last_ms, answer.count = ms, answer.count + 1
    text.answers[name] = answer
  end
end

local function publisher(client_id)
  return name_of(vim.lsp.diagnostic.get_namespace(client_id, false))
end

local function on_progress(event)
  local id, params = event.data.client_id, event.data.params
  local token = ('%d %s'):format(id, params.token)
  for bufnr, known in pairs(texts) do
    local text, ms = known[1], ms_since(known[1].at)
    if params.value.kind == 'end' and text.works[token] then
      text.works[token].ended_ms = ms
    elseif
      params.value.kind == 'begin'
      and ms < RECORDED_MS
      and vim.lsp.buf_is_attached(bufnr, id)
    then
      local title = tostring(params.value.title)
      text.works[token] = { name = publisher(id), title = title, began_ms = ms }
    end
  end
end

publishing.subscribe(on_published)
vim.api.nvim_create_autocmd('LspProgress', {
  group = vim.api.nvim_create_augroup('claude_ide_texts', { clear = true }),
  pattern = { 'begin', 'end' },
  callback = on_progress,
})

-- The text as Neovim sends it, which may differ from the text on disk (`file/text.lua`): there is no byte
-- order mark, and 'fixendofline' adds no line end.
local function text_of(bufnr)
  local ending = ({ dos = '\r\n', mac = '\r' })[vim.bo[bufnr].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

-- Neovim delays changes for 150 ms, but sends them before any other notification. A server that is not
-- notified of saves gets one that tells it nothing new.
local function report(client, bufnr)
  local sync = client.server_capabilities.textDocumentSync
  local save = type(sync) == 'table' and sync.save
  if not save or save == vim.NIL then
    client:notify('$/setTrace', { value = client.config.trace or 'off' })
    return
  end
  -- The text is optional. It is omitted if the buffer has unsaved changes, and so differs from the file.
  local is_wanted = type(save) == 'table' and save.includeText == true
  client:notify('textDocument/didSave', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    text = is_wanted and not vim.bo[bufnr].modified and text_of(bufnr) or nil,
  })
end

-- Neovim 0.11 fires `LspNotify` for the current buffer, whichever has changed. Without this, the inlay hints
-- of any other buffer would stay at their old places, next to the new text.
local function refresh_looks(client, bufnr)
  if vim.fn.has('nvim-0.12') == 1 or bufnr == vim.api.nvim_get_current_buf() then
    return
  end
  vim.api.nvim_exec_autocmds('LspNotify', {
    buffer = bufnr,
    modeline = false,
    data = {
      client_id = client.id,
      method = 'textDocument/didChange',
      params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } },
    },
  })
end

-- Neovim loads what clients need, which takes 5 ms, with the first of them.
local function clients_of(bufnr)
  return package.loaded['vim.lsp'] and vim.lsp.get_clients({ bufnr = bufnr }) or {}
end

--- Send a buffer's pending changes to its servers without delay, and then that its file was saved.
---@param bufnr integer
function M.report(bufnr)
  for _, client in ipairs(clients_of(bufnr)) do
    report(client, bufnr)
    refresh_looks(client, bufnr)
  end
end

-- Whether a client has to be asked for diagnostics.
local function is_pulled(client, bufnr)
  return client:supports_method(PULL, bufnr)
end

-- The id of the latest request for diagnostics, of a buffer or of any, that a client has not answered; or 0.
local function latest_pull(client, bufnr)
  local latest = 0
  for id, request in pairs(client.requests) do
    local is_pull = request.type == 'pending' and request.method == PULL
    if is_pull and (not bufnr or request.bufnr == bufnr) then
      latest = math.max(latest, id)
    end
  end
  return latest
end

-- The request has no id of an earlier result, so the answer is complete. Neovim stores it.
local function request(client, bufnr, providers)
  for _, provider in ipairs(#providers > 0 and providers or { {} }) do
    client:request(PULL, {
      identifier = provider.identifier,
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    }, nil, bufnr)
  end
end

-- Other buffers whose diagnostics may have changed. The client itself asks for pulls of these only later. If
-- there are many, the most recently used ones.
local function dependents(client, bufnr)
  local others = vim.tbl_filter(function(other)
    return other ~= bufnr and vim.api.nvim_buf_is_loaded(other)
  end, vim.tbl_keys(client.attached_buffers))
  return vim.list_slice(recent.sort(others), 1, MOST_DEPENDENTS)
end

-- Request diagnostics of a changed buffer from a client that must be pulled, unless Neovim itself has done so
-- since the request `before`, as it does for visible buffers. If the client checks across files, request
-- those of others, too.
local function pull(client, bufnr, before)
  local providers = private_api.providers(client, PULL)
  if latest_pull(client, bufnr) <= before then
    request(client, bufnr, providers)
  end
  local all = vim.list_extend({ client.server_capabilities.diagnosticProvider }, providers)
  local looks_across_files = vim.iter(all):any(function(provider)
    return type(provider) == 'table' and provider.interFileDependencies == true
  end)
  for _, other in ipairs(looks_across_files and dependents(client, bufnr) or {}) do
    request(client, other, providers)
  end
end

-- In the next tick: Neovim itself may ask first.
local function pull_soon(bufnr)
  vim.schedule(function()
    local text = texts[bufnr] and texts[bufnr][1]
    for _, client in ipairs(text and clients_of(bufnr) or {}) do
      if not text.pulled[client.id] and is_pulled(client, bufnr) then
        text.pulled[client.id] = true
        pull(client, bufnr, text.pulls[client.id] or 0)
      end
    end
  end)
end

local function earlier_linters(bufnr)
  return vim.tbl_filter(function(name)
    return not name:find('^n?vim%.lsp%.')
  end, vim.tbl_map(name_of, vim.tbl_keys(publishing.sets(bufnr))))
end

--- Notify the servers of a loaded buffer that it has just been updated from the disk, and record all answers.
---@param bufnr integer
function M.expect(bufnr)
  last_number = last_number + 1
  local text = {
    number = last_number,
    at = vim.uv.hrtime() / 1e6,
    answers = {},
    linters = earlier_linters(bufnr),
    pulls = {},
    pulled = {},
    works = {},
  }
  for _, client in ipairs(clients_of(bufnr)) do
    text.pulls[client.id] = latest_pull(client)
  end
  texts[bufnr] = { text, texts[bufnr] and texts[bufnr][1] }
  M.report(bufnr)
  pull_soon(bufnr)
end

-- The namespace of what a client is pulled for has a longer name than that in which it publishes.
local function count_of(publisher_name)
  local count = 0
  for name, times in pairs(published) do
    local is_own = name == publisher_name or vim.startswith(name, publisher_name .. '.')
    count = count + (is_own and times or 0)
  end
  return count
end

local function server(client, bufnr, text)
  local name, must_be_pulled = publisher(client.id), is_pulled(client, bufnr)
  return {
    name = name,
    kind = must_be_pulled and 'pulled' or 'server',
    published = count_of(name),
    is_busy = must_be_pulled and (not text.pulled[client.id] or latest_pull(client) > 0),
    -- Some assistants and bridges to linters support hover, so that is no indication.
    reads_code = client:supports_method('textDocument/definition', bufnr)
      or client:supports_method('textDocument/documentSymbol', bufnr),
  }
end

local function checkers(bufnr, text)
  local found = vim.tbl_map(function(client)
    return server(client, bufnr, text)
  end, clients_of(bufnr))
  local is_running = linters.running(bufnr)
  for _, name in ipairs(text.linters) do
    is_running[name] = is_running[name] or false
  end
  for name, is_busy in pairs(is_running) do
    local count = published[name] or 0
    table.insert(found, { name = name, kind = 'linter', published = count, is_busy = is_busy })
  end
  return found
end

local function described(text)
  return {
    number = text.number,
    age_ms = ms_since(text.at),
    answers = text.answers,
    works = vim.tbl_values(text.works),
  }
end

local function state_of(bufnr)
  local starting = package.loaded['vim.lsp'] and private_api.starting(bufnr) or {}
  return {
    bufnr = bufnr,
    texts = vim.tbl_map(described, texts[bufnr]),
    checkers = checkers(bufnr, texts[bufnr][1]),
    starting = vim.tbl_map(function(client)
      return client.id
    end, starting),
  }
end

local function all(bufnrs)
  return { buffers = vim.tbl_map(state_of, bufnrs), quiet_ms = ms_since(last_publish) }
end

--- The state of the checks of these buffers, except for those that are not loaded. The check of one that has
--- got no text from its file begins now.
---@type fun(bufnrs: integer[]): claude_ide.Checks
function M.follow(bufnrs)
  local loaded = vim.tbl_filter(vim.api.nvim_buf_is_loaded, bufnrs)
  for _, bufnr in ipairs(loaded) do
    if texts[bufnr] then
      pull_soon(bufnr)
    else
      M.expect(bufnr)
    end
  end
  return all(loaded)
end

--- The state of the checks of all buffers that have recently got a text.
---@return claude_ide.Checks
function M.recent()
  return all(vim.tbl_filter(function(bufnr)
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      texts[bufnr] = nil
    end
    return texts[bufnr] ~= nil and ms_since(texts[bufnr][1].at) < RECENT_MS
  end, vim.tbl_keys(texts)))
end

return M
