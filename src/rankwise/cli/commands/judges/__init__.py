"""Commands on the judges of documents."""
