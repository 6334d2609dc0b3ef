"""The local HTTP interface: guards, routes, and the server that listens for them."""
