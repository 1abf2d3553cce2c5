"""How the book is made: run, compared, built into pages, and opened in JupyterLab."""
