"""JSON Schemas by the names of the files they are for, shipped as data, and whether an edit brings a text new errors under one.

Nothing is fetched. The schemas come from SchemaStore (`data/ORIGIN.md`).
"""
