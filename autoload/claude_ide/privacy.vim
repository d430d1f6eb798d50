vim9script
# Decides which files stay in the editor.

# Start or stop.
export def Watch(on: bool)
enddef
