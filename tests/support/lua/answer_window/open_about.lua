local first, last = ...
local about = require('claude_ide.headless.answer_window').rows_of(first, last)
local function nothing() end
local handlers = { stop = nothing, closed = nothing }
_G.view = require('claude_ide.headless.answer_window').open('Why?', 'float', handlers, about)
