"""What the black-box tests share: a daemon, HTTP and SSE clients, recorded sessions."""
