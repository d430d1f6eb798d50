--- Text from outside, made harmless for a buffer, a title or a message; `chat/plain.py` has the
--- same rule for the host.
local M = {}

local REPLACEMENT = '\239\191\189'

local function caret(control)
  return '^' .. string.char(bit.bxor(control:byte(), 0x40))
end

local function code(control)
  return ('<%02x>'):format(control:byte(2))
end

--- A line as a buffer may hold it: `^X` for control characters, `<9b>` for those of 8 bits, a DOS
--- end removed.
---@param line string
---@return string
function M.harmless(line)
  line = line:gsub('\r+$', ''):gsub('[%z\1-\8\10-\31\127]', caret)
  -- Half of a surrogate pair is no character, whatever its bytes say.
  return (line:gsub('\194[\128-\159]', code):gsub('\237[\160-\191][\128-\191]', REPLACEMENT))
end

--- The lines of a text, harmless.
---@param text string
---@return string[]
function M.lines(text)
  return vim.tbl_map(M.harmless, vim.split(text, '\n', { plain = true }))
end

--- A text as one line, harmless.
---@param text string
---@return string
function M.one_line(text)
  return M.harmless((text:gsub('%s+', ' ')))
end

--- A text for a status line or a winbar, which shows it and evaluates nothing.
---@param text string
---@return string
function M.status_line(text)
  return (M.harmless(text):gsub('%%', '%%%%'))
end

return M
