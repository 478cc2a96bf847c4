"""What a name does where it stands in a syntax tree: its role, whether it is given a value, and what is written round it."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.syntax.tree import text_of
from copydesk_server.renaming.occurrence import Role

_PATTERNS = (
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "parenthesized_expression",
    "as_pattern_target", "tuple", "list", "expression_list", "list_splat",
)  # fmt: skip
"""What targets of assignments may be inside of."""
_TARGETS = {
    "assignment": "left", "augmented_assignment": "left", "for_statement": "left", "for_in_clause": "left",
    "named_expression": "name", "function_definition": "name", "class_definition": "name", "aliased_import": "alias",
    "as_pattern": "alias", "type_alias_statement": "left",
}  # fmt: skip
"""The field in which a node holds what it gives a value."""
PARAMETERS = ("parameters", "lambda_parameters")


def role_of(node: Node) -> tuple[Role, bool, str | None]:
    """What an identifier does, whether it gives its variable a value, and how it declares it."""
    parent = node.parent
    assert parent is not None
    if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        return Role.ATTRIBUTE, _is_target(parent), None
    if parent.type == "keyword_argument" and parent.child_by_field_name("name") == node:
        return Role.KEYWORD, False, None
    if parent.type == "keyword_pattern" and parent.named_children[0] == node:
        return Role.ATTRIBUTE, False, None
    if parent.type == "dotted_name":
        return _in_dotted_name(node, parent)
    if parent.type in ("global_statement", "nonlocal_statement"):
        return Role.VARIABLE, True, parent.type.partition("_")[0]
    return Role.VARIABLE, _is_target(node), None


def _in_dotted_name(node: Node, dotted: Node) -> tuple[Role, bool, str | None]:
    above = dotted.parent
    first = dotted.named_children[0] == node
    aliased = above is not None and above.type == "aliased_import"
    statement = above.parent if aliased and above is not None else above
    if statement is not None and statement.type in ("import_from_statement", "future_import_statement"):
        if dotted == statement.child_by_field_name("module_name") or not _is_only(node, dotted):
            return Role.MODULE_PATH, False, None
        return Role.IMPORTED, not aliased, None
    if statement is not None and statement.type == "import_statement":
        return Role.MODULE_PATH, first and not aliased, None
    if statement is not None and statement.type == "relative_import":
        return Role.MODULE_PATH, False, None
    # A pattern: one name catches a value, names with dots are looked up; a class is looked up as well.
    if not first:
        return Role.ATTRIBUTE, False, None
    caught = _is_only(node, dotted) and above is not None and above.type != "class_pattern"
    return Role.VARIABLE, caught, None


def _is_only(node: Node, dotted: Node) -> bool:
    return len(dotted.named_children) == 1 and dotted.named_children[0] == node


def _is_target(node: Node) -> bool:
    """Whether an identifier is what a statement gives a value."""
    child, parent = node, node.parent
    while parent is not None and parent.type in _PATTERNS:
        child, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in ("case_pattern", "splat_pattern", "delete_statement", "type_parameter"):
        return parent.type != "delete_statement" or child.type != "parenthesized_expression"
    if parent.type == "as_pattern":
        inner = parent.parent is not None and parent.parent.type == "case_pattern"
        return child == parent.child_by_field_name("alias") or (inner and child == parent.named_children[-1])
    if parent.type in PARAMETERS:
        return True
    if parent.type in ("default_parameter", "typed_default_parameter"):
        return child == parent.child_by_field_name("name")
    if parent.type == "typed_parameter":
        return child == parent.named_children[0]
    if parent.type == "type":  # of a type's own parameter, and the name of a type alias
        above = parent.parent
        if above is not None and above.type == "type_alias_statement":
            return above.child_by_field_name("left") == parent
        return above is not None and above.type == "type_parameter" and _defines_type(above)
    if parent.type == "except_clause":
        return child == parent.child_by_field_name("alias")
    field = _TARGETS.get(parent.type)
    return field is not None and child == parent.child_by_field_name(field)


def _defines_type(parameter: Node) -> bool:
    return parameter.parent is not None and parameter.parent.type in (
        "function_definition",
        "class_definition",
    )


def alias_of(node: Node) -> str | None:
    """What an imported name or module is called instead."""
    dotted = node.parent
    above = dotted.parent if dotted is not None and dotted.type == "dotted_name" else None
    if above is None or above.type != "aliased_import" or dotted is None or dotted.named_children[-1] != node:
        return None
    alias = above.child_by_field_name("alias")
    return text_of(alias) if alias is not None else None


def is_assigned(node: Node) -> bool:
    """Whether a plain assignment gives it its value."""
    parent = node.parent
    return parent is not None and parent.type == "assignment"


def receiver_of(node: Node, *, alone: bool = False) -> str | None:
    """The variable in front of the first dot. alone: only where nothing else stands before the name."""
    attribute = node.parent
    of = attribute.child_by_field_name("object") if attribute is not None else None
    while not alone and of is not None and of.type == "attribute":
        of = of.child_by_field_name("object")
    return text_of(of) if of is not None and of.type == "identifier" else None
