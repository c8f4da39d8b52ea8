"""A safetensors reader and writer of our own, after the published specification and nothing else.

Strict: everything that the specification calls a must is checked.
"""
import json
import struct

WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
          "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}


class Refused(Exception):
    pass


def demand(condition, reason):
    if not condition:
        raise Refused(reason)


def without_duplicates(pairs):
    keys = [key for key, _ in pairs]
    demand(len(set(keys)) == len(keys), "duplicate key")
    return dict(pairs)


def parse(file):
    """Gives the metadata and {name: (dtype, shape, bytes)} in the order of the data."""
    demand(len(file) >= 8, "no length")
    size = struct.unpack_from("<Q", file)[0]
    demand(size <= 100_000_000, "header too long")
    demand(8 + size <= len(file), "header cut")
    text = file[8:8 + size].decode("utf-8")
    demand(text.startswith("{"), "header does not begin with {")
    header = json.loads(text.rstrip(" "), object_pairs_hook=without_duplicates)
    metadata = header.pop("__metadata__", {})
    demand(all(isinstance(v, str) for v in metadata.values()), "metadata is not text to text")
    data = file[8 + size:]
    tensors = {}
    at = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        demand(set(entry) == {"dtype", "shape", "data_offsets"}, "keys of " + name)
        begin, end = entry["data_offsets"]
        count = 1
        for extent in entry["shape"]:
            demand(isinstance(extent, int) and extent >= 0, "shape of " + name)
            count *= extent
        demand(begin == at and end >= begin, "hole or overlap at " + name)
        demand(end - begin == count * WIDTHS[entry["dtype"]], "size of " + name)
        demand(end <= len(data), "data cut")
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
        at = end
    demand(at == len(data), "data that belongs to nobody")
    return metadata, tensors


def make(tensors, metadata=None, order=None):
    """A file of {name: (dtype, shape, bytes)}; the keys in `order`, the data as they come."""
    entries = {}
    data = b""
    for name, (dtype, shape, content) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": list(shape),
                         "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    header = {"__metadata__": metadata} if metadata is not None else {}
    header.update((name, entries[name]) for name in (order or entries))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data
