--- The buffer that holds a proposed text: writing it accepts, wiping it out rejects.
local buffer_text = require('claude_ide.buffer_text')
local message = require('claude_ide.message')

local M = {}

local TOO_BIG_TO_COLOUR = 1e6
local LAYOUT_OPTIONS = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop' }

---@param bufnr integer
local function unmodified(bufnr)
  vim.bo[bufnr].modified = false
end

-- Whether an autocommand around this one wrote: an autosave, not the user. In `<stack>` an
-- autocommand's entry begins with its event.
local function is_autosave()
  local around = vim.split(vim.fn.expand('<stack>'), '..', { plain = true })
  table.remove(around)
  return vim.iter(around):any(function(entry)
    local event = entry:match('^%a+')
    return event ~= nil and vim.fn.exists('##' .. event) == 1
  end)
end

-- `:write other.txt` saves a copy and decides nothing.
local function write_copy(bufnr, path)
  local file, reason = io.open(path, 'wb')
  local ok = file ~= nil
  if file then
    ok, reason = file:write(buffer_text.get(bufnr))
    file:close()
  end
  if not ok then
    message.show(('cannot write %s'):format(reason), 'error')
  end
end

-- `:x` writes only what is modified, and a proposal never is; yet its user means to write.
local function is_exit(line)
  local ok, command = pcall(vim.api.nvim_parse_cmd, line, {})
  return ok and (command.cmd == 'xit' or command.cmd == 'exit')
end

---@param bufnr integer
---@param text string
---@param decide fun(accepted: boolean)
local function listen(bufnr, text, decide)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { buffer = bufnr, callback = callback })
  end
  on('BufWriteCmd', function(event)
    unmodified(bufnr)
    if event.match ~= name then
      write_copy(bufnr, event.match)
    elseif not is_autosave() then
      decide(true)
    end
  end)
  on('BufWipeout', function()
    decide(false)
  end)
  -- `:edit!` goes back to what was proposed.
  on('BufReadCmd', function()
    buffer_text.put(bufnr, text)
  end)
  on('CmdlineLeave', function()
    if not vim.v.event.abort and vim.v.event.cmdtype == ':' and is_exit(vim.fn.getcmdline()) then
      vim.bo[bufnr].modified = true
    end
  end)
  on('LspAttach', function(event)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.lsp.buf_detach_client(bufnr, event.data.client_id)
      end
    end)
  end)

  -- A modified proposal would keep `:q` and `:qa` from leaving, and an autosave would accept it.
  on('QuitPre', function()
    unmodified(bufnr)
  end)
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      unmodified(bufnr)
    end,
    -- Without it a reload would end the attachment.
    on_reload = function()
      unmodified(bufnr)
    end,
  })
end

--- Make a new buffer, `diff.bufnr`, the proposal of a diff; it is not modifiable yet.
---@param diff claude_ide.Diff
---@param decide fun(accepted: boolean) may be called more than once
function M.fill(diff, decide)
  local bufnr = diff.bufnr
  local options = vim.bo[bufnr]
  local tail = vim.fs.basename(diff.path)
  vim.api.nvim_buf_set_name(bufnr, ('claude-ide://%d/%s'):format(bufnr, tail))
  options.buftype = 'acwrite'
  options.bufhidden = 'wipe'
  options.fileencoding = 'utf-8'
  buffer_text.put(bufnr, diff.text)
  options.modifiable = false
  listen(bufnr, diff.text, decide)
  vim.keymap.set('n', 'ZZ', '<Cmd>write<CR>', { buffer = bufnr, desc = 'Accept the proposal' })
end

--- Give a proposal the looks of the file that it is for.
---@param diff claude_ide.Diff
---@param original integer the buffer beside it
function M.dress(diff, original)
  local options = vim.bo[diff.bufnr]
  if #diff.text < TOO_BIG_TO_COLOUR then
    local filetype = vim.bo[original].filetype
    if filetype == '' then
      filetype = vim.filetype.match({ buf = diff.bufnr, filename = diff.path }) or ''
    end
    -- An autocommand of the user's may fail. An Ex command raises here what setting the option
    -- would raise later.
    pcall(vim.api.nvim_buf_call, diff.bufnr, function()
      vim.cmd.setlocal('filetype=' .. filetype)
    end)
  end
  if vim.bo[original].buftype == '' then
    for _, name in ipairs(LAYOUT_OPTIONS) do
      options[name] = vim.bo[original][name]
    end
  end
  -- What a filetype plugin sets for itself must not outlive the proposal's own ways.
  options.bufhidden = 'wipe'
  options.swapfile = false
  unmodified(diff.bufnr)
end

--- Keep what the user has made of a proposal that is taken away, if they have edited it.
---@param diff claude_ide.Diff
function M.keep_edits(diff)
  local ok, text = pcall(buffer_text.get, diff.bufnr)
  if not ok or text == diff.text then
    return
  end
  local kept = vim.api.nvim_create_buf(true, true)
  local tail = vim.fs.basename(diff.path)
  vim.api.nvim_buf_set_name(kept, ('edited proposal %d for %s'):format(kept, tail))
  buffer_text.put(kept, text)
  vim.bo[kept].filetype = vim.bo[diff.bufnr].filetype
  message.show(('%s: your edits are kept in buffer %d'):format(tail, kept), 'warn')
end

return M
