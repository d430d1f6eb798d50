local function record(name)
  return function(first, second)
    local opts = type(first) == 'table' and first or second
    table.insert(
      _G.ran,
      type(opts) == 'table' and { name, opts.args or '', opts.fargs or {} }
        or { name, second or '', {} }
    )
  end
end
_G.ran = {}
package.loaded['claude_ide.session'] = {
  run = function(opts, fn)
    fn(opts)
  end,
  command = function(name, opts)
    table.insert(_G.ran, { name, opts.args, opts.fargs })
  end,
}
require('claude_ide.chat.command').run = record('ClaudeChat')
package.loaded['claude_ide.decide'] = {
  accept = record('ClaudeAccept'),
  reject = record('ClaudeReject'),
}
package.loaded['claude_ide.comment'] = { run = record('ClaudeComment') }
package.loaded['claude_ide.terminal_prompt'] = { open = record('ClaudePrompt') }
package.loaded['claude_ide.headless.answer'] = { ask = record('ClaudeAsk') }
package.loaded['claude_ide.headless.rewrite'] = { edit = record('ClaudeEdit') }
package.loaded['claude_ide.headless.commit_message'] = { write = record('ClaudeCommit') }
package.loaded['claude_ide.host.install'] = {
  is_running = function()
    return false
  end,
  run = function(_, package, is_removed)
    local name = is_removed and 'ClaudeUninstall' or 'ClaudeInstall'
    table.insert(_G.ran, { name, package or '', {} })
  end,
}
package.loaded['claude_ide.tools.showing'] = { dismiss = record('ClaudeDismiss') }
package.loaded['claude_ide.sending'] = {
  type = record('ClaudeType'),
  fix = record('ClaudeFix'),
  background = record('ClaudeBackground'),
}
package.loaded['claude_ide.log_window'] = { open = record('ClaudeLog') }
package.loaded['claude_ide.terminal'] = { toggle_focus = record('ClaudeFocus') }
require('claude_ide.selection').share = record('ClaudeShare')
