--- One request to a language server, with a time limit. It can be cancelled, and the server may end.
local time_limit = require('claude_ide.when.time_limit')

local M = {}

--- Milliseconds.
M.answers_within = 20000
local POLL = 100

-- Characters of a server's own words.
local LONGEST = 500

-- The words of a server, in one line.
local function shortened(text)
  text = vim.trim((tostring(text):gsub('%s+', ' ')))
  return vim.fn.strcharlen(text) > LONGEST and vim.fn.strcharpart(text, 0, LONGEST) .. '…' or text
end

-- Call `on_end` if the server ends; Neovim drops the requests of such a server. Returns what ends this.
local function watch(client, on_end)
  local timer = assert(vim.uv.new_timer())
  timer:start(
    POLL,
    POLL,
    vim.schedule_wrap(function()
      if not timer:is_closing() and client:is_stopped() then
        on_end()
      end
    end)
  )
  return function()
    if not timer:is_closing() then
      timer:close()
    end
  end
end

--- Send a request. `done` gets the reason of a failure with the server's code, or the result. It is not
--- called after a cancellation.
---@param client vim.lsp.Client
---@param bufnr? integer
---@param method string
---@param parameters table
---@param done fun(failure?: string, result: any, code?: integer)
---@param within? integer milliseconds
---@return fun() cancel
---@return fun(): boolean is_owed whether the server may still answer, also after it was given up
function M.send(client, bufnr, method, parameters, done, within)
  within = within or M.answers_within
  local id, stop ---@type integer?, fun()?
  local is_over, is_cancelled, has_answered = false, false, false
  local answer = time_limit.new(within, function(...)
    is_over = true
    if stop then
      stop()
    end
    if not is_cancelled then
      done(...)
    end
  end, function()
    if id then
      client:cancel_request(id)
    end
    return ('no answer within %g s'):format(within / 1000)
  end)
  local function answered(err, result)
    has_answered = true
    local failure = err and (type(err) == 'table' and err.message or err)
    answer(failure and shortened(failure), result, type(err) == 'table' and err.code or nil)
  end
  local ok, sent, request_id =
    pcall(client.request, client, method, parameters, answered, bufnr or 0)
  if not ok then
    answer(shortened(sent))
  elseif not sent then
    answer('it is shutting down')
  elseif not is_over then
    id = request_id
    stop = watch(client, function()
      answer('it has ended')
    end)
  end
  return function()
    if is_over then
      return
    end
    is_cancelled = true
    if id then
      client:cancel_request(id)
    end
    answer()
  end, function()
    return id ~= nil and not has_answered and client.requests[id] ~= nil and not client:is_stopped()
  end
end

return M
