vim9script
# The output of commands that only show something.

# By the names that the model gives. None takes an argument, and none shows registers, variables or
# the history, in which secrets may be.
const COMMANDS = {
  abbreviations: 'abbreviate',
  arguments: 'args',
  autocommands: 'autocmd',
  changed_options: 'set',
  commands: 'command',
  diff_options: 'set diffopt?',
  filetype: 'filetype',
  highlights: 'highlight',
  insert_maps: 'verbose imap',
  normal_maps: 'verbose nmap',
  scripts: 'scriptnames',
  signs: 'sign list',
  spelling: 'spellinfo',
  syntax: 'syntax',
  tabs: 'tabs',
  terminal_maps: 'verbose tmap',
  version: 'version',
  visual_maps: 'verbose xmap',
}

# The output of one of these commands, in `lines`.
export def Show(arguments: dict<any>): dict<any>
  const command = get(COMMANDS, arguments.command, '')
  if command ==# ''
    throw $'claude-ide: there is no command {arguments.command} here'
  endif
  return {lines: execute(command, 'silent!')->trim()->split("\n", true)}
enddef

defcompile
