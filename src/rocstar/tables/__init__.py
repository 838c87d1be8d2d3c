"""Files and mixed columns become numbers; a model of a table becomes a file."""
