"""Tools of a panel, as pure functions: what a page's form and a call in a prompt both do."""
