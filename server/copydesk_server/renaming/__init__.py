"""A symbol of Python code renamed with all that refers to it: in several files, or not at all, with the reason.

Names are resolved by Python's own scoping rules (`lexical.py`); what leads from one file to another, attributes and imports, by
jedi (`jedi_definitions.py`), which sees nothing but a copy of the project's texts (`mirror.py`) and runs in a process of its
own (`worker.py`).
"""
