"""Formats how full the context is."""

from claude_ide.agents.agent import ContextUsage


def lines(usage: ContextUsage) -> list[str]:
    """Return a line for the total, and one for each category with its tokens and its share."""
    total = f"{usage.used:,}" + (f" of {usage.size:,}" if usage.size else "") + " tokens"
    named = [(name, tokens) for name, tokens in usage.categories if tokens]
    widest = max((len(name) for name, _ in named), default=0)
    of = usage.size or usage.used or 1
    return [
        f"{total} ({usage.used / of:.0%})" if usage.size else total,
        *(f"  {name:{widest}}  {tokens:>9,}  {tokens / of:>4.0%}" for name, tokens in named),
    ]
