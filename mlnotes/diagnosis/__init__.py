"""Judge an answer: run it beside the right function, find the cause of what differs, and say so."""
