--- Runs a tree-sitter query of the model's in a process of its own. Some queries take hours inside one call
--- of the library, which nothing but the end of the process can stop.
local reason = require('claude_ide.messages.reason')

local M = {}

--- Milliseconds after which the process is killed.
M.ends_within = 5000
-- Of the processor, in case this Neovim is killed before. In kB, what it may take of the memory.
local LIMITED = { 'sh', '-c', 'ulimit -t 10; ulimit -v 4000000; exec "$@"', 'sh' }
local SCRIPT = 'lua/claude_ide/tools/syntax_query.lua'

local function program()
  local script = assert(vim.api.nvim_get_runtime_file(SCRIPT, false)[1])
  local limited = vim.fn.executable('sh') == 1 and vim.deepcopy(LIMITED) or {}
  return vim.list_extend(limited, { vim.v.progpath, '--clean', '--headless', '-l', script })
end

local function parser_of(language)
  return vim.api.nvim_get_runtime_file(('parser/%s.*'):format(language), false)[1]
end

-- The answer of a process that has ended.
local function result_of(ended, is_late)
  if is_late then
    local text = 'the query was stopped after %g s; use fewer wildcards and repetitions (* and +)'
    return { error = text:format(M.ends_within / 1000) }
  end
  local ok, result = pcall(vim.json.decode, ended.stdout)
  if ok and type(result) == 'table' then
    return result
  end
  return { error = ('the query ended the process in which it ran (%d)'):format(ended.code) }
end

--- Run a query on a text.
---@param source { text: string, language: string }
---@param query { query: string, offset: integer, limit: integer }
---@param done fun(answer: table) called with the tool's answer, which may be an error
---@return fun() cancel
function M.run(source, query, done)
  local request = vim.json.encode({
    language = source.language,
    parser = parser_of(source.language),
    query = query.query,
    offset = query.offset,
    limit = query.limit,
  })
  local is_late, timer = false, nil
  local ok, process = pcall(vim.system, program(), {
    stdin = request .. '\n' .. source.text,
    stderr = false,
  }, function(ended)
    vim.schedule(function()
      if timer and not timer:is_closing() then
        timer:close()
      end
      done(result_of(ended, is_late))
    end)
  end)
  if not ok then
    done({ error = ('the query could not be run: %s'):format(reason.of(process)) })
    return function() end
  end
  local function kill()
    process:kill('sigkill')
  end
  timer = vim.defer_fn(function()
    is_late = true
    kill()
  end, M.ends_within)
  return kill
end

return M
