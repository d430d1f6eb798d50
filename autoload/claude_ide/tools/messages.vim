vim9script
# The model's question about the last messages.

const MOST = 200 # lines

# The last `lines` of `:messages`.
export def Recent(arguments: dict<any>): dict<any>
  const lines = execute('messages')->split("\n")
  return {lines: lines[-min([arguments.limit, MOST]) :]}
enddef

defcompile
