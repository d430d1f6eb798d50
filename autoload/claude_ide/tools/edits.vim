vim9script
# Texts with which edits were computed, until these are applied.

import autoload '../disk_changes/agent_file.vim'
import autoload '../file/text.vim' as buffer_text

# The text of a loaded buffer, and what a write would add to its lines (`BufferText` in `mcp/lsp/edits.py`).
# Throws if the lines cannot cross the channel.
export def Text(bufnr: number, path: string): dict<any>
  const lines = getbufline(bufnr, 1, '$')
  if !buffer_text.IsUtf8(lines)
    throw $'claude-ide: {path}: not valid UTF-8'
  endif
  const Of = (name) => getbufvar(bufnr, '&' .. name)
  return {
    path: path,
    bufnr: bufnr,
    lines: lines,
    fileformat: Of('fileformat'),
    has_bom: !!Of('bomb'),
    is_ended: Of('endofline') || (Of('fixendofline') && !Of('binary')),
    is_modified: !!Of('modified'),
    is_writable: Of('modifiable') && !Of('readonly'),
    digest: agent_file.Digest(bufnr),
  }
enddef

defcompile
