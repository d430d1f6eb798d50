--- Whether language servers have started, and know a file.
local events = require('claude_ide.checking.events')
local private_api = require('claude_ide.private_api')

local M = {}

local api = vim.api

--- Milliseconds. A configuration may start a server a moment after a file is loaded.
M.attaches_within = 1000
M.starts_within = 10000
M.settles_within = 10000
local POLL = 20
-- A server that begins no work in this time has read the file; the first one takes longer.
local SETTLE, SETTLE_FIRST = 400, 2500
local LONGEST = 80

---@type table<integer, table<integer, true>> by client: buffers whose text it knows
local warm = {}
---@type table<integer, integer> by buffer: when a server was first looked for, in milliseconds
local first_asked = {}
---@type table<integer, true> clients that have not started in time
local slow_starters = {}

-- Those that serve buffers before the first question.
for _, client in ipairs(vim.lsp.get_clients()) do
  local is_busy = next((client.progress or {}).pending or {}) ~= nil
  warm[client.id] = not is_busy and vim.deepcopy(client.attached_buffers) or nil
end

---@type table<integer, table<integer, true>> by buffer: namespaces that have published since it was loaded
local published = {}

-- `events.namespaces` also knows those that Neovim has only cleared, as it does for a new client.
events.subscribe(function(bufnr, namespace)
  if namespace then
    published[bufnr] = published[bufnr] or {}
    published[bufnr][namespace] = true
  end
end)

local group = api.nvim_create_augroup('claude_ide_tools_readiness', { clear = true })
api.nvim_create_autocmd('LspDetach', {
  group = group,
  callback = function(event)
    (warm[event.data.client_id] or {})[event.buf] = nil
  end,
})
api.nvim_create_autocmd('BufUnload', {
  group = group,
  callback = function(event)
    first_asked[event.buf], published[event.buf] = nil, nil
  end,
})

--- The servers of a buffer, or all, that know a method.
---@param bufnr? integer
---@param method? string
---@return vim.lsp.Client[]
function M.able(bufnr, method)
  if not bufnr then
    return vim.lsp.get_clients({ method = method })
  end
  -- none-ls reports its capabilities for the current buffer, even if asked about another one.
  return api.nvim_buf_call(bufnr, function()
    return vim.lsp.get_clients({ bufnr = bufnr, method = method })
  end)
end

local function poll(is_ready, done)
  local function check()
    if is_ready() then
      done()
    else
      vim.defer_fn(check, POLL)
    end
  end
  check()
end

local function is_starting(bufnr, age)
  local waiting = vim.tbl_filter(function(client)
    return not slow_starters[client.id]
  end, private_api.starting(bufnr))
  if age < M.starts_within then
    return #waiting > 0
  end
  for _, client in ipairs(waiting) do
    slow_starters[client.id] = true
  end
  return false
end

--- Call `done` when no server is starting. Soon after a file was loaded, there may be none yet.
---@param bufnr? integer
---@param method? string
---@param done fun()
function M.when_started(bufnr, method, done)
  local began = vim.uv.now()
  if bufnr then
    first_asked[bufnr] = first_asked[bufnr] or began
  end
  poll(function()
    local now = vim.uv.now()
    return not is_starting(bufnr, now - began)
      and (
        not bufnr
        or now - (first_asked[bufnr] or began) >= M.attaches_within
        or not api.nvim_buf_is_loaded(bufnr)
        or #M.able(bufnr, method) > 0
      )
  end, done)
end

--- Record that a server knows the text of a buffer.
---@param client vim.lsp.Client
---@param bufnr integer
function M.warm_up(client, bufnr)
  warm[client.id] = warm[client.id] or {}
  warm[client.id][bufnr] = true
end

local function is_warm(client, bufnr)
  return warm[client.id] ~= nil and warm[client.id][bufnr] == true
end

local function has_published(client, bufnr)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id, false)
  return (published[bufnr] or {})[namespace] == true
    or next(vim.diagnostic.count(bufnr, { namespace = namespace })) ~= nil
end

--- Whether some of the servers may not have read a file yet. One that has published about it has.
---@param clients vim.lsp.Client[]
---@param bufnr? integer
---@return boolean
function M.is_cold(clients, bufnr)
  local found = false
  for _, client in ipairs(bufnr and clients or {}) do
    if not is_warm(client, bufnr) then
      found = true
      if has_published(client, bufnr) then
        M.warm_up(client, bufnr)
      end
    end
  end
  return found
end

local function work_of(client)
  local _, title = next((client.progress or {}).pending or {})
  return title
end

--- What servers report as in progress: until its end they may know only a part.
---@param clients vim.lsp.Client[]
---@return string?
function M.work(clients)
  local works = {}
  for _, client in ipairs(clients) do
    local title = work_of(client)
    if title then
      works[#works + 1] = ('%s: %s'):format(client.name, tostring(title):sub(1, LONGEST))
    end
  end
  return #works > 0 and table.concat(works, ', ') or nil
end

--- Call `done` when the servers seem to have read a file. Before, some answer a part, such as an import in
--- place of the definition.
---@param clients vim.lsp.Client[]
---@param bufnr? integer
---@param done fun()
---@param patience? integer milliseconds for servers that publish nothing and begin no work
function M.when_settled(clients, bufnr, done, patience)
  local began = vim.uv.now()
  poll(function()
    local age = vim.uv.now() - began
    return not bufnr
      or age >= M.settles_within
      or vim.iter(clients):all(function(client)
        local least = patience or warm[client.id] and SETTLE or SETTLE_FIRST
        return is_warm(client, bufnr)
          or client:is_stopped()
          or not api.nvim_buf_is_loaded(bufnr)
          or has_published(client, bufnr)
          or (age >= least and not work_of(client))
      end)
  end, done)
end

return M
