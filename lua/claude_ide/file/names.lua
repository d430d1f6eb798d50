--- Which buffers may hold a file, found by the last part of its path: a search looks at few buffers,
--- however many there are.
local M = {}

local api = vim.api

-- After any of these a buffer may have another name, or its name may have become a link.
local EVENTS = {
  'BufAdd',
  'BufFilePost',
  'BufNew',
  'BufReadPost',
  'BufWipeout',
  'BufWritePost',
}

local by_key ---@type table<string, table<integer, true>> nil before the first question
local keys = {} ---@type table<integer, string>
local links = {} ---@type table<integer, true> buffers whose name is a link itself
local outdated = {} ---@type table<integer, true>
local highest = 0 -- number of a buffer that was noticed

-- Some file systems see no difference between upper and lower case.
local function key_of(path)
  return vim.fs.basename(path):lower()
end

local function forget(bufnr)
  local key = keys[bufnr]
  if key then
    by_key[key][bufnr] = nil
    keys[bufnr], links[bufnr] = nil, nil
  end
end

local function remember(bufnr)
  forget(bufnr)
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or ''
  if name == '' then
    return
  end
  local key = key_of(name)
  local stat = vim.uv.fs_lstat(name)
  by_key[key] = by_key[key] or {}
  by_key[key][bufnr], keys[bufnr] = true, key
  links[bufnr] = stat and stat.type == 'link' or nil
end

local function begin()
  by_key, keys, links, outdated = {}, {}, {}, {}
  highest = vim.fn.bufnr('$')
  vim.iter(api.nvim_list_bufs()):each(remember)
  api.nvim_create_autocmd(EVENTS, {
    group = api.nvim_create_augroup('claude_ide_buffer_names', {}),
    callback = function(event)
      outdated[event.buf] = true
    end,
  })
end

-- A buffer that was made while events were ignored has a higher number than any before it.
local function catch_up()
  local last = vim.fn.bufnr('$')
  for bufnr = highest + 1, last do
    outdated[bufnr] = true
  end
  highest = math.max(highest, last)
  for bufnr in pairs(outdated) do
    remember(bufnr)
  end
  outdated = {}
end

local function add(found, bufnrs)
  for bufnr in pairs(bufnrs or {}) do
    found[bufnr] = true
  end
end

--- The buffers whose file may have one of these paths, in the order of their numbers; whether it
--- does is for the caller to find out.
---@param ... string
---@return integer[] bufnrs
function M.candidates(...)
  if not by_key then
    begin()
  end
  catch_up()
  local found = {}
  for _, path in ipairs({ ... }) do
    add(found, by_key[key_of(path)])
  end
  add(found, links)
  local bufnrs = vim.tbl_keys(found)
  table.sort(bufnrs)
  return bufnrs
end

--- Whether Neovim knows a buffer of that name which is not among the candidates: it was renamed while
--- events were ignored. Then all names have been read again.
---@param path string
---@return boolean
function M.have_missed(path)
  if vim.fn.bufexists(path) == 0 then
    return false
  end
  local is_known = vim.iter(M.candidates(path)):any(function(bufnr)
    return api.nvim_buf_get_name(bufnr) == path
  end)
  if not is_known then
    begin()
  end
  return not is_known
end

--- Notice no changes of names until the next question.
function M.stop()
  by_key = nil
  api.nvim_create_augroup('claude_ide_buffer_names', {})
end

return M
