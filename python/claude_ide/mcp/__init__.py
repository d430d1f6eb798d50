"""The Model Context Protocol, server side: the editor's tools and notifications for agents."""
