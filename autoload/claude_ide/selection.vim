vim9script
# Reports where the user is to the host.

# Start or stop to report.
export def Watch(on: bool)
enddef

# Keep what is selected now, or these lines, for the next question about the selection.
export def Hold(lines: list<number>)
enddef

# The selection or the cursor in the file where the user was last; null if there is none.
export def Latest(): any
  return v:null
enddef
