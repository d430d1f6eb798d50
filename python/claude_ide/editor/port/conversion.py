"""Converts tables of the editors to the types of the port."""

from functools import cache
from typing import Any

import msgspec


def convert(value: Any, expected: Any) -> Any:
    """Return a value from an editor as the expected type. Raises `msgspec.ValidationError`."""
    return msgspec.convert(_fitted(value, _shape(expected)), expected)


@cache
def _shape(expected: Any) -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(expected)


@cache
def _fields(struct: type) -> dict[str, msgspec.inspect.Type]:
    shape = _shape(struct)
    assert isinstance(shape, msgspec.inspect.StructType)
    return {field.encode_name: field.type for field in shape.fields}


def _fitted(value: Any, shape: msgspec.inspect.Type) -> Any:
    """Return a value with the expected types, which the editors do not tell apart.

    In Lua an empty list and an empty dict are the same; in Vim a truth value may be a number.
    """
    match shape:
        case msgspec.inspect.UnionType(types):
            shapes = [each for each in types if not isinstance(each, msgspec.inspect.NoneType)]
            return value if value is None or len(shapes) > 1 else _fitted(value, shapes[0])
        case msgspec.inspect.BoolType():
            return bool(value) if isinstance(value, int) else value
        case (
            msgspec.inspect.ListType() | msgspec.inspect.SetType() | msgspec.inspect.VarTupleType()
        ):
            if value == {}:
                return []
            inner = shape.item_type
            if isinstance(value, list) and not isinstance(inner, _LEAVES):
                return [_fitted(each, inner) for each in value]
        case msgspec.inspect.DictType():
            if value == []:
                return {}
            inner = shape.value_type
            if isinstance(value, dict) and not isinstance(inner, _LEAVES):
                return {key: _fitted(each, inner) for key, each in value.items()}
        case msgspec.inspect.StructType(cls=struct):
            if value == []:
                return {}
            if isinstance(value, dict):
                known = _fields(struct)
                return {
                    key: _fitted(each, known[key]) if key in known else each
                    for key, each in value.items()
                }
    return value


_LEAVES = (
    msgspec.inspect.AnyType,
    msgspec.inspect.FloatType,
    msgspec.inspect.IntType,
    msgspec.inspect.StrType,
)
