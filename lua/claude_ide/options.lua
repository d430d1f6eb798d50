---@meta claude_ide.options
--- The types of the options, and of the `data` of the events, for lua-language-server.
--- `:help claude-ide-options` and `:help claude-ide-events` describe them.

--- The options: `vim.g.claude_ide`, or the argument of `require('claude_ide').setup()`.
---@class (exact) claude_ide.Options
---@field python? string The Python that runs the server; '' (default): search for one
---@field auto_start? boolean Start the server with Neovim; default false
---@field keys? boolean Map the suggested keys (`:help claude-ide-maps`); default false
---@field host? string The address to listen on; default '127.0.0.1'
---@field cmd? string|string[] What `:Claude` runs, or a list with its arguments; default 'claude'
---@field diff? claude_ide.Options.Diff How a proposed edit is shown
---@field terminal? claude_ide.Options.Terminal The terminal of `:Claude`
---@field chat? claude_ide.Options.Chat The chat
---@field ask? claude_ide.Options.Ask `:ClaudeAsk`, `:ClaudeEdit`, `:ClaudeCommit` and `ask()`
---@field headless? claude_ide.Options.Headless Who answers these
---@field tools? claude_ide.Options.Tools The model's tools
---@field review? claude_ide.Options.Review The review of what agents have written
---@field limits? claude_ide.Options.Limits The limits of your plan
---@field attention? claude_ide.Options.Attention|false When an agent calls you; `false`: never
---@field hooks? boolean `:Claude` has the CLI report what it does (`:help claude-ide-events`); default true
---@field privacy? claude_ide.Options.Privacy Files that stay in Neovim
---@field agents? table<string,claude_ide.Options.Agent|false> Agents for the chat; `false` removes one
---@field mcp_servers? table<string,claude_ide.Options.McpServer> Your MCP servers for these; default none
---@field contexts? table<string,function> Own placeholders by their names; default none
---@field prompts? table<string,string|false> Prompts by their names; `false` removes a built-in one
---@field log_level? 'debug'|'info'|'warning'|'error' The level of `:ClaudeLog`; default 'info'

---@alias claude_ide.Options.Mode
---| 'manual' # asks before each edit, which opens as a diff; 'default' is the CLI's word for it
---| 'acceptEdits'
---| 'plan'
---| 'auto'
---| 'dontAsk'
---| 'bypassPermissions'
---| 'default'
---| '' # the CLI chooses

---@alias claude_ide.Options.Layout 'tab'|'vertical'|'horizontal'|'inline'|fun(ctx:claude_ide.LayoutContext)

---@alias claude_ide.Options.TerminalSide
---| 'right'
---| 'left'
---| 'above'
---| 'below'
---| 'float'
---| 'tab'
---| 'tmux' # a pane beside that of Neovim
---| 'none' # the user starts the CLI elsewhere
---| fun(terminal:claude_ide.CustomTerminal):integer? # in its own way

---@class (exact) claude_ide.Options.Diff
---@field layout? claude_ide.Options.Layout Where a diff opens; default 'tab'
---@field focus? boolean A diff that opens takes the cursor to it; default true

---@class (exact) claude_ide.Options.Terminal
---@field side? claude_ide.Options.TerminalSide Its place; default 'right'
---@field size? number Below 1 a fraction of the screen, otherwise columns or lines; default 0.4
---@field per? 'neovim'|'tab'|'worktree' Which of several CLIs commands mean; default 'neovim'
---@field mode? claude_ide.Options.Mode The permission mode of the CLI; default 'manual'
---@field keys? boolean CTRL-W with h, j, k, l or p leaves the terminal; default true
---@field status_line? boolean The CLI shows a row of ours if you have no `statusLine`; default true
---@field quit? 'end'|'ask'|'background' What becomes of a CLI that works when you quit; default 'end'

---@class (exact) claude_ide.Options.Chat
---@field side? 'right'|'left'|'above'|'below'|'float'|'tab' Where `:ClaudeChat` opens; default 'right'
---@field size? number Below 1 a fraction of the screen, otherwise columns or lines; default 0.4
---@field model? string The model that Claude starts with; '' (default): the CLI's
---@field mode? string The permission mode that Claude starts with; '' (default): the CLI's
---@field agent? string The agent of a new chat; '' (default): Claude, or one that is installed
---@field render? boolean Show Markdown rendered; default true
---@field follow? boolean Show the files that the agent reads and edits; default false

--- What an entry omits is that of the built-in agent with its name.
---@class (exact) claude_ide.Options.Agent
---@field cmd? string|string[] The program with its arguments; it speaks the Agent Client Protocol
---@field env? table<string,string|number> Environment variables, in addition to Neovim's
---@field name? string The agent's name in bars and messages
---@field mcp? 'stdio'|'http' How it connects to the editor's MCP server; default 'stdio', for Copilot 'http'
---@field mcp_servers? table<string,claude_ide.Options.McpServer> Your MCP servers for this agent alone

---@class (exact) claude_ide.Options.McpServer
---@field command? string The program of a server that the agent starts
---@field args? string[] Its arguments
---@field env? table<string,string|number> Its environment variables
---@field type? 'stdio'|'http'|'sse' How it is reached; default 'http' with a `url`, otherwise 'stdio'
---@field url? string The address of a server that runs
---@field headers? table<string,string> Header fields of each request to it

---@class (exact) claude_ide.Options.Tools
---@field enabled? boolean `:Claude` passes the model's tools to the CLI; default true
---@field allow_read? boolean Tools that change nothing need no permission; default true
---@field clipboard? boolean The model may read the clipboard; default false

---@class (exact) claude_ide.Options.Privacy
---@field deny? string[] Globs of files that stay in Neovim; default none
---@field allow? string[] Globs of secrets that may leave it; default none

---@class (exact) claude_ide.Options.Review
---@field overlay? boolean Files show what waits for review; default true
---@field notify? boolean A message ends each turn that has left something to review; default true
---@field commit_keeps? boolean A commit keeps what it contains; default true
---@field keys? table<string,string> Keys in buffers with hunks, such as `keep`; default none

---@class (exact) claude_ide.Options.Limits
---@field show_above? number The percentage above which status lines show a limit; default 75

---@class (exact) claude_ide.Options.Attention
---@field seconds? number How long a turn lasts, or a request waits on the screen; default 20
---@field bell? boolean Ring, or have the terminal notify you; default false

---@class (exact) claude_ide.Options.Ask
---@field model? string The model; '' (default): the CLI's
---@field window? 'float'|'split' Where an answer is shown; default 'float'

---@class (exact) claude_ide.Options.Headless
---@field agent? string The id of an agent; '' (default): Claude

-- The `data` of the events.

---@class claude_ide.ClientsEvent of `ClaudeConnected` and `ClaudeDisconnected`
---@field clients integer the number of clients now

---@class claude_ide.ChatCountEvent of `ClaudeChatWaiting` and `ClaudeChatTasks`
---@field chat integer
---@field count integer the number of the chat's waiting requests, or of its tasks, now

---@class claude_ide.PermissionEvent of `ClaudePermissionWaiting`
---@field count integer the number of permissions for which CLIs in terminals wait, now
---@field agent? string the name of the agent that asks first; nil if none waits
---@field tool? string the tool that it wants to use

---@class claude_ide.WaitingEvent of `ClaudeWaiting`
---@field count integer the number of edits and plans that wait for a free moment, now

---@alias claude_ide.State 'off'|'ready'|'idle'|'working'|'wants you'

---@class claude_ide.StatusEvent of `ClaudeStatusChanged`
---@field state claude_ide.State
---@field text string for a status line; empty if there is nothing to show
---@field model? string
---@field context? integer percentage of the context that is used
---@field cost? number dollars

---@class claude_ide.LimitsEvent of `ClaudeLimits`
---@field limits claude_ide.Limit[]

---@class claude_ide.Limit
---@field name string such as 'five_hour' or 'seven_day'
---@field used? integer percentage; nil if it is unknown
---@field resets? integer when it resets, as a Unix time; nil if it is unknown

---@class claude_ide.DiffEvent of `ClaudeDiffOpened` and `ClaudeDiffClosed`
---@field id integer
---@field path string the file
---@field bufnr integer the buffer of the proposal
---@field accepted? boolean nil while the diff is open, and if it closed without a decision

---@class claude_ide.CommentEvent of `ClaudeComment`
---@field path string the file
---@field first integer line
---@field last integer line
---@field words string
---@field bufnr integer the file's buffer, or that of the proposal

---@class claude_ide.OfAgent what the events of agents share
---@field agent string the name of the agent
---@field session string its id
---@field chat? integer nil for the CLI in a terminal

---@class claude_ide.SessionEvent: claude_ide.OfAgent of `ClaudeSessionStart` and `ClaudeSessionEnd`
---@field folder string

---@class claude_ide.PromptEvent: claude_ide.OfAgent of `ClaudePrompt`
---@field prompt string

---@class claude_ide.TurnEndEvent: claude_ide.OfAgent of `ClaudeTurnEnd`
---@field reason 'completed'|'interrupted'|'failed'
---@field paths string[] the files that were changed

---@class claude_ide.NotificationEvent: claude_ide.OfAgent of `ClaudeNotification`
---@field message string
---@field title? string
---@field type? string such as 'permission_prompt' or 'idle_prompt'

---@class claude_ide.PermissionDeniedEvent: claude_ide.OfAgent of `ClaudePermissionDenied`
---@field id string of the use of the tool
---@field tool string its name
---@field path? string its file
---@field command? string its shell command
---@field reason? string

---@class claude_ide.SubagentEvent: claude_ide.OfAgent of `ClaudeSubagentStart` and `ClaudeSubagentStop`
---@field id string
---@field kind? string such as 'Explore'
---@field said? string its last message; nil at its start

---@class claude_ide.PreCompactEvent: claude_ide.OfAgent of `ClaudePreCompact`
---@field trigger? 'manual'|'auto'
---@field instructions? string those of the user

---@class claude_ide.ToolStartEvent: claude_ide.OfAgent of `ClaudeToolStart`
---@field id string of this use
---@field tool string its name
---@field path? string its file
---@field command? string its shell command

---@class claude_ide.ToolEndEvent: claude_ide.ToolStartEvent of `ClaudeToolEnd`
---@field status 'completed'|'failed'|'rejected'|'interrupted'
---@field files claude_ide.ChangedFile[]

---@class claude_ide.ChangedFile
---@field path string
---@field hunks? claude_ide.ChangedHunk[] nil if the earlier text is unknown

---@class claude_ide.ChangedHunk
---@field old_start integer
---@field old_lines integer
---@field new_start integer
---@field new_lines integer
---@field lines string[] each begins with a blank, `-` or `+`

---@class claude_ide.SharedEvent of `ClaudeShared`
---@field shared boolean whether the selection may leave Neovim now

---@class claude_ide.SessionsChangedEvent of `ClaudeSessionsChanged`
---@field sessions claude_ide.SessionValue[]

---@class claude_ide.ReviewChangedEvent of `ClaudeReviewChanged`
---@field files integer
---@field hunks integer
---@field remarks integer those that are not sent

---@class claude_ide.RevertedEvent of `ClaudeChangesReverted`
---@field path string
---@field hunks integer
---@field reverted boolean false if the hunks were restored

---@class claude_ide.FileWrittenEvent of `ClaudeFileWritten`
---@field path string
---@field bufnr integer

-- What functions return.

---@class claude_ide.SessionValue of `sessions()`
---@field id string the session's own, or the plugin's until it has one
---@field name string
---@field kind 'terminal'|'chat'|'background'|'elsewhere'|'stored'
---@field state 'waits'|'works'|'idle'|'ended'|'failed'
---@field needs string what it waits for, or why it has failed; or empty
---@field folder string
---@field worktree string the root of its worktree, or else its folder
---@field branch string empty if it is on none
---@field agent string
---@field pid integer of its process; 0 if it has none, or it is not known

---@class claude_ide.ReviewValue of `review()`
---@field files { path: string, status: string, hunks: table[] }[]
---@field remarks table[]
---@field unknown string[] what cannot be known, in one line each
