--- Tracks the progress that language servers report after a write. Some servers check a saved file in two
--- steps: they publish quick results first, and others by the end of some reported work.
local M = {}

-- Milliseconds.
local LIMIT = 1500
local ATTENTION = 5000
local SETTLE = 60
-- Limits of the time in which known work must begin.
local SHORTEST, LONGEST = 100, 400
-- How often to wait for work that has never led to diagnostics.
local TRIALS = 3

---@class claude_ide.KnownWork
---@field delay number milliseconds from a write to the start of the work
---@field is_slow boolean whether it has not ended in time
---@field is_useful boolean whether it has led to diagnostics
---@field vain integer how often it has ended; counts only while it is not useful

---@class claude_ide.BegunWork
---@field known claude_ide.KnownWork
---@field began number milliseconds
---@field ended? number milliseconds

---@class claude_ide.ClientWork
---@field sent number when it was last sent a text, in milliseconds
---@field known table<string, claude_ide.KnownWork> by title
---@field begun table<integer|string, claude_ide.BegunWork> by token

---@type table<integer, claude_ide.ClientWork>
local clients = {}
local is_listening = false

local function now()
  return vim.uv.hrtime() / 1e6
end

local function begin(client, token, title)
  local known = client.known[title] or { is_slow = false, is_useful = false, vain = 0 }
  known.delay = now() - client.sent
  client.known[title] = known
  client.begun[token] = { known = known, began = now() }
end

local function finish(client, work)
  if work and not work.ended then
    work.ended = now()
    work.known.vain = work.known.vain + 1
    work.known.is_slow = work.ended - client.sent > LIMIT
  end
end

local function on_progress(event)
  local client, params = clients[event.data.client_id], event.data.params
  local value = type(params.value) == 'table' and params.value or {}
  if not client or now() - client.sent > ATTENTION then
    return
  elseif value.kind == 'begin' then
    begin(client, params.token, value.title or '')
  elseif value.kind == 'end' then
    finish(client, client.begun[params.token])
  end
end

local function listen()
  if not is_listening then
    is_listening = true
    vim.api.nvim_create_autocmd('LspProgress', {
      group = vim.api.nvim_create_augroup('claude_ide_lsp_work', { clear = true }),
      pattern = { 'begin', 'end' },
      callback = on_progress,
    })
  end
end

--- Track the work of a client that has just been sent a text.
---@param client_id integer
function M.track(client_id)
  listen()
  local client = clients[client_id] or { known = {} }
  clients[client_id] = client
  client.sent, client.begun = now(), {}
end

local function is_recent(work)
  return not work.ended or now() - work.ended < SETTLE
end

--- Record that diagnostics have been published: recent work of that client is useful.
---@param namespace integer
function M.published(namespace)
  for id, client in pairs(clients) do
    if next(client.begun) and namespace == vim.lsp.diagnostic.get_namespace(id, false) then
      for _, work in pairs(client.begun) do
        work.known.is_useful = work.known.is_useful or is_recent(work)
      end
    end
  end
end

local function is_worth_it(known)
  return not known.is_slow and (known.is_useful or known.vain < TRIALS)
end

local function has_begun(client, known)
  return vim.iter(pairs(client.begun)):any(function(_, work)
    return work.known == known
  end)
end

local function is_to_begin(client, known)
  local patience = math.max(SHORTEST, math.min(2 * known.delay, LONGEST))
  return known.is_useful
    and not known.is_slow
    and now() - client.sent < patience
    and not has_begun(client, known)
end

--- Whether work of a client, running or about to begin, may still lead to diagnostics.
---@param client_id integer
---@return boolean
function M.is_pending(client_id)
  local client = clients[client_id]
  if not client then
    return false
  end
  return vim.iter(pairs(client.begun)):any(function(_, work)
    return is_recent(work) and is_worth_it(work.known)
  end) or vim.iter(pairs(client.known)):any(function(_, known)
    return is_to_begin(client, known)
  end)
end

--- Give up on the running work of a client: from now on it counts as slow.
---@param client_id integer
function M.abandon(client_id)
  for _, work in pairs(clients[client_id] and clients[client_id].begun or {}) do
    work.known.is_slow = work.known.is_slow or not work.ended
  end
end

return M
