"""Tools of a panel, as pure functions, shared by a page's form and a call in a prompt."""
