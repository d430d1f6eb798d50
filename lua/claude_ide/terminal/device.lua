--- What a CLI runs in: a terminal of this Neovim, or a pane of tmux. Its screen can be read, and texts can be
--- sent to it.
local pane = require('claude_ide.terminal.pane')

local M = {}

local api = vim.api

-- Bracketed paste.
local BEGIN, END = '\27[200~', '\27[201~'

---@class claude_ide.Device
---@field id string
---@field read fun(answer: fun(rows?: string[])) answers with its text; with nil once the CLI has ended
---@field paste fun(text: string)
---@field enter fun() presses Enter

---@param bufnr integer
---@return claude_ide.Device
local function of_buffer(bufnr)
  local channel = vim.bo[bufnr].channel
  local function send(keys)
    pcall(api.nvim_chan_send, channel, keys)
  end
  local function is_running()
    return api.nvim_buf_is_valid(bufnr) and vim.fn.jobwait({ channel }, 0)[1] == -1
  end
  return {
    id = ('buffer %d'):format(bufnr),
    read = function(answer)
      answer(is_running() and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil)
    end,
    paste = function(text)
      send(BEGIN .. text .. END)
    end,
    enter = function()
      send('\r')
    end,
  }
end

---@param opened claude_ide.Pane
---@return claude_ide.Device
local function of_pane(opened)
  return {
    id = ('pane %s'):format(opened.id),
    read = function(answer)
      pane.read(opened, answer)
    end,
    paste = function(text)
      pane.paste(opened, text)
    end,
    enter = function()
      pane.enter(opened)
    end,
  }
end

--- The device of a CLI.
---@param where { bufnr?: integer, pane?: claude_ide.Pane }
---@return claude_ide.Device
function M.of(where)
  return where.pane and of_pane(where.pane) or of_buffer(where.bufnr)
end

return M
