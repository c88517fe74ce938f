"""The parts of rrweb 2.1.6 events that a replay needs; everything else is dropped when events are read.

Events of any other shape are rejected. Names are rrweb's own.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

Id = Annotated[int, msgspec.Meta(ge=-1, le=2**31)]
Number = Annotated[float, msgspec.Meta(ge=-(2**31), le=2**31)]
Side = Annotated[float, msgspec.Meta(ge=1, le=4_096)]
StyleTable = dict[str, str | bool | list[str]]
Attribute = str | float | bool | StyleTable | None
Attributes = dict[str, Attribute]
# The path to a CSS rule nested inside other rules, with one index per level.
Indexes = Annotated[list[int], msgspec.Meta(max_length=4)]
Index = int | Indexes | UnsetType | None


class Type(IntEnum):
    FULL_SNAPSHOT = 2
    INCREMENTAL = 3
    META = 4
    CUSTOM = 5


class NodeType(IntEnum):
    DOCUMENT = 0
    DOCUMENT_TYPE = 1
    ELEMENT = 2
    TEXT = 3
    CDATA = 4
    COMMENT = 5


class Node(Struct, kw_only=True):
    """A DOM node. Fields with plain defaults are always written, since rrweb reads them for any node type."""

    type: NodeType
    id: Id
    childNodes: list[Node] = []
    attributes: Attributes = {}
    tagName: str = ""
    textContent: str = ""
    name: str | UnsetType = UNSET
    publicId: str | UnsetType = UNSET
    systemId: str | UnsetType = UNSET
    compatMode: str | UnsetType = UNSET
    rootId: Id | UnsetType = UNSET
    isSVG: bool | UnsetType | None = UNSET
    isStyle: bool | UnsetType | None = UNSET
    isShadowHost: bool | UnsetType | None = UNSET
    isShadow: bool | UnsetType | None = UNSET


class Sourced(Struct):
    source: int


class Offset(Struct):
    top: Number = 0
    left: Number = 0


class Snapshot(Struct):
    node: Node
    initialOffset: Offset


class Meta(Struct):
    width: Side
    height: Side
    href: str = ""


class Add(Struct):
    parentId: Id
    node: Node
    nextId: Id | None = None
    previousId: Id | UnsetType | None = UNSET


class Remove(Struct):
    parentId: Id
    id: Id
    isShadow: bool | UnsetType | None = UNSET


class Text(Struct):
    id: Id
    value: str | None = None


class Change(Struct):
    id: Id
    attributes: Attributes


class Mutation(Sourced):
    adds: list[Add] = []
    removes: list[Remove] = []
    texts: list[Text] = []
    attributes: list[Change] = []


class Position(Struct):
    x: Number
    y: Number
    id: Id
    timeOffset: Number = 0


class Move(Sourced):
    positions: Annotated[list[Position], msgspec.Meta(min_length=1)]


class Interaction(Sourced):
    type: Annotated[int, msgspec.Meta(ge=0, le=10)]
    id: Id
    x: Number | UnsetType = UNSET
    y: Number | UnsetType = UNSET


class Scroll(Sourced):
    id: Id
    x: Number
    y: Number


class Resize(Sourced):
    width: Side
    height: Side


class Input(Sourced):
    id: Id
    text: str = ""
    isChecked: bool = False


class Rule(Struct):
    rule: str
    index: Index = UNSET


class Cut(Struct):
    index: int | Indexes


class Rules(Sourced):
    id: Id | UnsetType | None = UNSET
    styleId: Id | UnsetType | None = UNSET
    adds: list[Rule] | UnsetType = UNSET
    removes: list[Cut] | UnsetType = UNSET
    replace: str | UnsetType = UNSET
    replaceSync: str | UnsetType = UNSET


class Setting(Struct):
    property: str
    value: str | None = None
    priority: str | UnsetType | None = UNSET


class Unsetting(Struct):
    property: str


class Declaration(Sourced):
    index: Indexes
    id: Id | UnsetType | None = UNSET
    styleId: Id | UnsetType | None = UNSET
    set: Setting | UnsetType = UNSET
    remove: Unsetting | UnsetType = UNSET


class Range(Struct):
    start: Id
    startOffset: Id
    end: Id
    endOffset: Id


class Selection(Sourced):
    ranges: list[Range]


class Sheet(Struct):
    styleId: Id
    rules: list[Rule]


class Adopted(Sourced):
    id: Id
    styleIds: list[Id]
    styles: list[Sheet] | UnsetType = UNSET


class Opening(Struct):
    id: Id
    open: bool


class Popover(Struct):
    """An event that the recorder adds when a popover opens or closes, because rrweb does not notice."""

    tag: Literal["popover"]
    payload: Opening


Incremental = (
    Mutation | Move | Interaction | Scroll | Resize | Input | Rules | Declaration | Selection | Adopted
)
Data = Snapshot | Meta | Popover | Incremental

# The keys are rrweb's ``IncrementalSource`` numbers; a replay ignores events from all other sources.
SOURCES: dict[int, type[Incremental]] = {
    0: Mutation,
    1: Move,  # the mouse
    2: Interaction,
    3: Scroll,
    4: Resize,
    5: Input,
    6: Move,  # a finger
    8: Rules,
    12: Move,  # a dragged element
    13: Declaration,
    14: Selection,
    15: Adopted,
}
SHAPES: dict[int, type[Data]] = {Type.FULL_SNAPSHOT: Snapshot, Type.META: Meta, Type.CUSTOM: Popover}


class Shown(Struct):
    """An event that is replayed."""

    type: Type
    timestamp: float
    data: Data


_sourced = msgspec.json.Decoder(Sourced).decode


def data_read(type_: int, data: bytes | msgspec.Raw) -> Data | None:
    """Return the data of an event, or None for events that a replay ignores, such as canvas and media events.

    Raises ``msgspec.DecodeError`` or ``RecursionError`` if the data has an unexpected shape.
    """
    shape = SOURCES.get(_sourced(data).source) if type_ == Type.INCREMENTAL else SHAPES.get(type_)
    return msgspec.json.decode(data, type=shape) if shape else None
