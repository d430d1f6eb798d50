--- Finds the words of a shell command that deserve a colour, where Neovim has no parser of the language.
--- It takes linear time, and knows only as much of the language as a reader needs to find each program.
local M = {}

local SINGLE, DOUBLE = "'", '"'
local OPERATOR = '^[|&;()`]+'
local REDIRECTION = '^%d*[<>]+[&|]?'
local HEREDOC = [[^<<[-~]?%s*['"]?([%w_]+)['"]?]]
local VARIABLES = { '^%${[^}\n]*}', '^%$[%w_]+', '^%$[#?!@*$-]' }
-- Whether a command follows.
local KEYWORDS = {
  ['!'] = true,
  ['{'] = true,
  ['do'] = true,
  ['elif'] = true,
  ['else'] = true,
  ['if'] = true,
  ['then'] = true,
  ['time'] = true,
  ['until'] = true,
  ['while'] = true,
  ['}'] = false,
  ['case'] = false,
  ['done'] = false,
  ['esac'] = false,
  ['fi'] = false,
  ['for'] = false,
  ['function'] = false,
  ['in'] = false,
}

---@class claude_ide.ShellScan
---@field text string
---@field at integer byte from 1
---@field starts_command boolean
---@field heredoc? string the delimiter of the text that begins in the next line
---@field emit fun(first: integer, last: integer, name: string) bytes from 1, inclusive

---@alias claude_ide.ShellRule fun(scan: claude_ide.ShellScan): integer? last byte, if the rule applies

local function quoted(scan)
  local quote = scan.text:sub(scan.at, scan.at)
  if quote ~= SINGLE and quote ~= DOUBLE then
    return
  end
  local last = scan.at
  repeat
    last = scan.text:find(quote, last + 1, true) or #scan.text
    local escapes = quote == DOUBLE and scan.text:sub(1, last - 1):match('\\*$') or ''
  until #escapes % 2 == 0 or last == #scan.text
  scan.emit(scan.at, last, 'string')
  scan.starts_command = false
  return last
end

local function comment(scan)
  local is_first = scan.at == 1 or scan.text:find('^[%s;]', scan.at - 1)
  local _, last = scan.text:find('^#[^\n]*', scan.at)
  if is_first and last then
    scan.emit(scan.at, last, 'comment')
    return last
  end
end

local function variable(scan)
  for _, pattern in ipairs(VARIABLES) do
    local _, last = scan.text:find(pattern, scan.at)
    if last then
      scan.emit(scan.at, last, 'variable')
      scan.starts_command = false
      return last
    end
  end
end

local function redirection(scan)
  local delimiter = scan.text:match(HEREDOC, scan.at)
  local _, last = scan.text:find(delimiter and HEREDOC or REDIRECTION, scan.at)
  if last then
    scan.heredoc = delimiter or scan.heredoc
    scan.emit(scan.at, last, 'operator')
    return last
  end
end

local function operator(scan)
  local _, last = scan.text:find(OPERATOR, scan.at)
  if not last and scan.text:find('^%$%(', scan.at) then
    last = scan.at + 1
  end
  if last then
    scan.emit(scan.at, last, 'operator')
    scan.starts_command = true
    return last
  end
end

-- The lines up to the delimiter of a here-document.
local function line_break(scan)
  if scan.text:sub(scan.at, scan.at) ~= '\n' then
    return
  end
  scan.starts_command = true
  local delimiter = scan.heredoc
  if not delimiter then
    return scan.at
  end
  scan.heredoc = nil
  local rest = scan.text .. '\n'
  local stop = rest:find('\n' .. delimiter .. '\n', scan.at, true)
  local last = stop and stop + #delimiter or #scan.text
  if last > scan.at then
    scan.emit(scan.at + 1, last, 'string')
  end
  return last
end

local function name_of(scan, word)
  if not scan.starts_command then
    return word:find('^%-') and 'constant' or nil
  elseif word:find('^[%a_][%w_]*=') then
    return 'variable'
  end
  scan.starts_command = KEYWORDS[word] == true
  return KEYWORDS[word] ~= nil and 'keyword' or 'function.call'
end

local function word(scan)
  local last = scan.at
  while true do
    local _, stop = scan.text:find('^[^%s|&;()`<>\'"$\\]+', last)
    stop = stop or (scan.text:find('^\\.', last) and last + 1)
    if not stop then
      break
    end
    last = stop + 1
  end
  if last == scan.at then
    return
  end
  local name = name_of(scan, scan.text:sub(scan.at, last - 1))
  if name then
    scan.emit(scan.at, last - 1, name)
  end
  return last - 1
end

---@type claude_ide.ShellRule[] the first one that applies counts
local RULES = { line_break, comment, quoted, redirection, variable, operator, word }

--- Call a function for each word with a colour, with its first and last byte (from 1) and the name of its
--- highlight.
---@param text string
---@param emit fun(first: integer, last: integer, name: string)
function M.each(text, emit)
  local scan = { text = text, at = 1, starts_command = true, emit = emit }
  while scan.at <= #text do
    local last
    for _, rule in ipairs(RULES) do
      last = rule(scan)
      if last then
        break
      end
    end
    scan.at = (last or scan.at) + 1
  end
end

return M
