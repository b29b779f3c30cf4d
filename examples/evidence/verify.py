#!/usr/bin/env python3
"""Checks files of evidence (docs/evidence.md, docs/evidence-protocol.md) with nothing but Python's standard library.

    verify.py FILE... [--require LEVEL] [--trust-hash n:0x...] [--trust-sequencer 0x...] [--trust-layout 4,5,6,7] [--json]

It shares no code with the service: if both agree, these two pages are complete. Exit code 0 if every file reaches the
level of --require, otherwise 1.
"""

import argparse
import json
import re
import sys
from functools import lru_cache

LEVELS = ["none", "signed", "included", "anchored"]
MOST_BYTES, MOST_ITEMS, MOST_TEXT, MOST_SIGNERS = 64 * 1024 * 1024, 100_000, 1_048_576, 1_000
BASE = ("0x76daa59c02d902e7063e6328d2e64acee6cc121e", "0x1c2961ac5e2fbe47b3c0654d7df543db04f031a6")
CHAINS = {
    59141: ("0x26ff3adec23fc5778f190371b1cccadda74e26c8", "0x1f0f9c889e6c762d8d5669c65a1a8fdfbee38664"),
    59144: ("0xb772ea12546fd7153bf1f5ed7266b8fab0dad6c9", "0x9263a3a927939aa76be7bfa1850a1ef50454e122"),
    11155111: BASE,
    84532: BASE,
    8453: BASE,
}


class Refused(Exception):
    """The file does not prove what it says."""

    def __init__(self, reason, path=""):
        super().__init__(f"{reason} at {path}" if path else reason)
        self.reason, self.path = reason, path


class Malformed(Exception):
    """Bytes are not a valid encoding."""


class Invalid(Exception):
    """A document does not compile."""


class Reverted(Exception):
    """The contract would have refused this."""


def require(condition, reason, path=""):
    if not condition:
        raise Refused(reason, path)


class guarded:
    """Turns malformed bytes into a refusal with this reason and path."""

    def __init__(self, reason, path):
        self.reason, self.path = reason, path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, Malformed):
            raise Refused(self.reason, f"{self.path} {error}") from error


# Keccak-256

MASK = (1 << 64) - 1


def _constants():
    register, rounds = 1, []
    for _ in range(24):
        constant = 0
        for power in range(7):
            if register & 1:
                constant |= 1 << ((1 << power) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        rounds.append(constant)
    moves, x, y = [], 1, 0
    for step in range(24):
        moves.append((x + 5 * y, (step + 1) * (step + 2) // 2 % 64))
        x, y = y, (2 * x + 3 * y) % 5
    return rounds, moves


ROUNDS, MOVES = _constants()
TARGETS = [MOVES[(step + 1) % 24][0] for step in range(24)]
ROWS = range(0, 25, 5)


def _permute(a):
    for constant in ROUNDS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ ((c[(x + 1) % 5] << 1 | c[(x + 1) % 5] >> 63) & MASK) for x in range(5)]
        a = [lane ^ d[at % 5] for at, lane in enumerate(a)]
        b = a[:]
        for (source, turn), target in zip(MOVES, TARGETS):
            lane = a[source]
            b[target] = (lane << turn | lane >> (64 - turn)) & MASK
        a = []
        for row in ROWS:
            p, q, r, s, t = b[row : row + 5]
            a += [p ^ (~q & r), q ^ (~r & s), r ^ (~s & t), s ^ (~t & p), t ^ (~p & q)]
        a = [lane & MASK for lane in a]
        a[0] ^= constant
    return a


@lru_cache(maxsize=20_000)
def keccak(data):
    padded = bytearray(data)
    padded += bytes(136 - len(data) % 136)
    padded[len(data)] ^= 1
    padded[-1] ^= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), 136):
        for at in range(17):
            lanes[at] ^= int.from_bytes(padded[start + 8 * at : start + 8 * at + 8], "little")
        lanes = _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def utf8(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


@lru_cache(maxsize=10_000)
def name_id(name):
    return keccak(utf8(name))


def checksum(address):
    digits = address[2:].lower()
    nibbles = keccak(digits.encode()).hex()
    return "0x" + "".join(d.upper() if int(n, 16) > 7 else d for d, n in zip(digits, nibbles))


# The curve

P = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def _double(point):
    x, y, z = point
    if not z or not y:
        return (0, 1, 0)
    s = 4 * x * y * y % P
    m = 3 * x * x % P
    nx = (m * m - 2 * s) % P
    return (nx, (m * (s - nx) - 8 * pow(y, 4, P)) % P, 2 * y * z % P)


def _add(one, other):
    if not one[2]:
        return other
    if not other[2]:
        return one
    (x1, y1, z1), (x2, y2, z2) = one, other
    z1z1, z2z2 = z1 * z1 % P, z2 * z2 % P
    u1, u2 = x1 * z2z2 % P, x2 * z1z1 % P
    s1, s2 = y1 * z2 * z2z2 % P, y2 * z1 * z1z1 % P
    if u1 == u2:
        return _double(one) if s1 == s2 else (0, 1, 0)
    h, r = u2 - u1, s2 - s1
    hh = h * h % P
    hhh, v = h * hh % P, u1 * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return (x3, (r * (v - x3) - s1 * hhh) % P, h * z1 * z2 % P)


@lru_cache(maxsize=20_000)
def recover(digest, r, s, parity):
    """The address (20 bytes) that signed, or None. A signature with a high s is invalid."""
    if not 0 < r < ORDER or not 0 < s <= ORDER // 2 or parity not in (0, 1):
        return None
    square = (pow(r, 3, P) + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    if y % 2 != parity:
        y = P - y
    inverse = pow(r, -1, ORDER)
    first, second = -int.from_bytes(digest, "big") * inverse % ORDER, s * inverse % ORDER
    g, q = (*G, 1), (r, y, 1)
    both, total = _add(g, q), (0, 1, 0)
    for bit in range(255, -1, -1):
        total = _double(total)
        a, b = first >> bit & 1, second >> bit & 1
        if a or b:
            total = _add(total, both if a and b else g if a else q)
    if not total[2]:
        return None
    z = pow(total[2], -1, P)
    x, y = total[0] * z * z % P, total[1] * z * z * z % P
    return keccak(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:]


# RLP


MOST_DEPTH, MOST_PARTS = 8, 1_000_000


def rlp_decode(data):
    item, end = _rlp_item(data, 0, len(data), 0, [MOST_PARTS])
    if end != len(data):
        raise Malformed("has bytes after its end")
    return item


def _rlp_item(data, at, end, depth, left):
    if at >= end:
        raise Malformed("ends too early")
    left[0] -= 1
    if left[0] < 0:
        raise Malformed("has too many parts")
    first = data[at]
    if first < 0x80:
        return data[at : at + 1], at + 1
    base = 0xC0 if first >= 0xC0 else 0x80
    size, start = first - base, at + 1
    if size > 55:
        width = size - 55
        digits = data[start : min(start + width, end)]
        size = int.from_bytes(digits, "big")
        if len(digits) < width or digits[0] == 0 or size < 56:
            raise Malformed("has a length that is not canonical")
        start += width
    stop = start + size
    if stop > end:
        raise Malformed("ends too early")
    if base == 0x80:
        if size == 1 and data[start] < 0x80:
            raise Malformed("has a byte that is not canonical")
        return data[start:stop], stop
    if depth == MOST_DEPTH:
        raise Malformed("is nested too deeply")
    items = []
    while start < stop:
        item, start = _rlp_item(data, start, stop, depth + 1, left)
        items.append(item)
    return items, stop


def rlp_encode(item):
    if isinstance(item, list):
        body = b"".join(rlp_encode(one) for one in item)
        return _rlp_head(0xC0, len(body)) + body
    return item if len(item) == 1 and item[0] < 0x80 else _rlp_head(0x80, len(item)) + item


def _rlp_head(base, size):
    if size < 56:
        return bytes([base + size])
    digits = minimal(size)
    return bytes([base + 55 + len(digits)]) + digits


def minimal(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def as_list(item):
    if not isinstance(item, list):
        raise Malformed("lacks a list")
    return item


def as_bytes(item, size=None):
    if isinstance(item, list) or (size is not None and len(item) != size):
        raise Malformed("has a field of another size")
    return item


def as_number(item):
    found = as_bytes(item)
    if len(found) > 32 or found[:1] == b"\0":
        raise Malformed("has a number that is not canonical")
    return int.from_bytes(found, "big")


# Trie proofs


def trie_value(root, key, proof):
    """The trie's value at the key, or None. Every given node must be used and have the hash that its parent names."""
    nodes = list(reversed(proof))

    def load(reference):
        if isinstance(reference, list):
            return reference
        if len(reference) != 32 or not nodes or keccak(nodes[-1]) != reference:
            raise Malformed("lacks a node, or has a wrong one")
        return as_list(rlp_decode(nodes.pop()))

    path = [nibble for byte in key for nibble in (byte >> 4, byte & 15)]
    node, value = load(root), None
    while True:
        if len(node) == 17:
            child = node[path[0] if path else 16]
            if child == b"":
                break
            if not path:
                value = as_bytes(child)
                break
            path, node = path[1:], load(child)
            continue
        if len(node) != 2:
            raise Malformed("has a node that is neither a branch nor a leaf")
        head = as_bytes(node[0])
        flag = head[0] >> 4 if head else 15
        if flag > 3 or (flag % 2 == 0 and head[0] & 15) or len(head) > 33:
            raise Malformed("has a node whose path is not valid")
        nibbles = [nibble for byte in head for nibble in (byte >> 4, byte & 15)][1 if flag % 2 else 2 :]
        if path[: len(nibbles)] != nibbles:
            break
        path = path[len(nibbles) :]
        if flag >= 2:
            value = as_bytes(node[1]) if not path else None
            break
        if not nibbles:
            raise Malformed("has an extension without a path")
        node = load(node[1])
    if nodes:
        raise Malformed("has nodes that are not used")
    return value


# The ABI. Types are names, lists of one type (arrays) and tuples.

FIELD = ("bytes32", "uint8", "bool", "bool")
CONDITION = ("uint8", "bytes32", "bytes")
INPUT_DEF = ("bytes32", [FIELD], [CONDITION], ["bytes32"])
TRANSITION = ("bytes32", "bytes32", "bytes32")
DATA_FIELD = ("bytes32", "uint8", "bytes")
VERIFIER = ("bytes32", "address")
ACTION = ("bytes32", "bytes32", "address", "uint256", "bytes")
CONTENT = ("string", "bytes32", "bytes32", [INPUT_DEF], [TRANSITION], [DATA_FIELD], [VERIFIER], [ACTION])
PERMIT = ("uint256", "uint8", "bytes32", "bytes32")


def is_dynamic(kind):
    if isinstance(kind, tuple):
        return any(is_dynamic(part) for part in kind)
    return isinstance(kind, list) or kind in ("string", "bytes")


def head_size(kind):
    if is_dynamic(kind) or isinstance(kind, str):
        return 32
    return sum(head_size(part) for part in kind)


def signature_of(kind):
    if isinstance(kind, tuple):
        return f"({','.join(signature_of(part) for part in kind)})"
    return f"{signature_of(kind[0])}[]" if isinstance(kind, list) else kind


def selector(name, kinds):
    return keccak((name + signature_of(kinds)).encode())[:4]


def word(number):
    return (number % 2**256).to_bytes(32, "big")


def abi_encode(kinds, values):
    """Encodes a tuple. A word may be given as bytes."""
    heads, tails = [], []
    size = sum(head_size(kind) for kind in kinds)
    for kind, value in zip(kinds, values):
        encoded = _abi_value(kind, value)
        if is_dynamic(kind):
            heads.append(word(size + sum(map(len, tails))))
            tails.append(encoded)
        else:
            heads.append(encoded)
    return b"".join(heads + tails)


def _abi_value(kind, value):
    if isinstance(kind, tuple):
        return abi_encode(kind, value)
    if isinstance(kind, list):
        return word(len(value)) + abi_encode(kind * len(value), value)
    if kind in ("string", "bytes"):
        return word(len(value)) + value + bytes(-len(value) % 32)
    return value.rjust(32, b"\0") if isinstance(value, bytes) else word(int(value))


class Room:
    """How many words may still be read. Parts may share bytes, so that small data could decode to huge values."""

    def __init__(self, words):
        self.words = words

    def take(self, words):
        self.words -= words
        if self.words < 0:
            raise Malformed("the values are larger than the data")


def abi_decode(kinds, data, base=0, room=None):
    values, at = [], base
    for kind in kinds:
        if room and is_dynamic(kind):
            room.take(1)
        place = base + _place(data, at) if is_dynamic(kind) else at
        values.append(_abi_read(kind, data, place, room))
        at += head_size(kind)
    return values


def _word(data, at):
    if at + 32 > len(data):
        raise Malformed("ends too early")
    return data[at : at + 32]


def _place(data, at):
    return int.from_bytes(_word(data, at), "big")


def _abi_read(kind, data, at, room=None):
    if isinstance(kind, tuple):
        return abi_decode(kind, data, at, room)
    if room:
        room.take(1)
    if isinstance(kind, list):
        length = _place(data, at)
        if at + 32 + 32 * length > len(data):
            raise Malformed("ends too early")
        return abi_decode(kind * length, data, at + 32, room)
    if kind in ("string", "bytes"):
        length = _place(data, at)
        if at + 32 + length > len(data):
            raise Malformed("ends too early")
        if room:
            room.take(-(-length // 32))
        return data[at + 32 : at + 32 + length]
    found = _word(data, at)
    if kind == "address":
        return found[12:]
    return found if kind == "bytes32" else int.from_bytes(found, "big")


# JSON as ECMAScript reads and writes it


def number_text(number):
    """How ECMAScript writes a number."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = f"{abs(float(number))!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        power = point - 1
        rest = f".{digits[1:]}" if count > 1 else ""
        text = f"{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"
    return sign + text


def _read_number(text):
    number = float(text)
    return int(number) if number.is_integer() and text != "-0" else number


def _refuse_constant(text):
    raise ValueError(text)


def _read_object(pairs):
    """Of members with one name the last counts; members named by integers come first."""
    members = dict(pairs)
    indexes = [key for key in members if re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1]
    first = {key: members[key] for key in sorted(indexes, key=int)}
    return {**first, **members}


DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object,
    parse_int=_read_number,
    parse_float=_read_number,
    parse_constant=_refuse_constant,
)


def read_json(text):
    stripped = text.strip(" \t\r\n")
    value, end = DECODER.raw_decode(stripped)
    if end != len(stripped):
        raise ValueError("more than one value")
    return value


SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
ESCAPED = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')


def escape(found):
    return SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}"


def write_json(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return f'"{ESCAPED.sub(escape, value)}"'
    if isinstance(value, list):
        return f"[{','.join(map(write_json, value))}]"
    return f"{{{','.join(f'{write_json(key)}:{write_json(item)}' for key, item in value.items())}}}"


# The file's shape


def units(text):
    """Length as ECMAScript counts it."""
    return len(text) + sum(1 for unit in text if ord(unit) > 0xFFFF)


def bad(path):
    raise Refused("bad_format", path)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def matches(pattern):
    compiled = re.compile(pattern)
    return lambda value, path: None if isinstance(value, str) and compiled.fullmatch(value) else bad(path)


def text_shape(value, path):
    if not isinstance(value, str) or units(value) > MOST_TEXT or re.search("[\ud800-\udfff]", value):
        bad(path)


def count_shape(value, path):
    if not is_count(value):
        bad(path)


def one_of(*allowed):
    def check(value, path):
        if isinstance(value, bool) or value not in allowed:
            bad(path)

    return check


def value_shape(value, path):
    if not isinstance(value, bool):
        text_shape(value, path)


def members(**shape):
    def check(value, path):
        if not isinstance(value, dict) or list(value) != list(shape):
            bad(path)
        for key, inner in shape.items():
            inner(value[key], f"{path}.{key}" if path else key)

    return check


def items(inner):
    def check(value, path):
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            bad(path)
        for at, item in enumerate(value):
            inner(item, f"{path}[{at}]")

    return check


def map_of(inner):
    def check(value, path):
        if not isinstance(value, dict):
            bad(path)
        for key, item in value.items():
            inner(item, f"{path}.{key}")

    return check


def or_null(inner):
    return lambda value, path: None if value is None else inner(value, path)


HEX = matches("0x([0-9a-f]{2})*")
WORD = matches("0x[0-9a-f]{64}")
ADDRESS = matches("0x[0-9a-f]{40}")
DIGITS = matches("0|[1-9][0-9]{0,77}")


def DECIMAL(value, path):
    DIGITS(value, path)
    require(int(value) < 2**256, "bad_format", path)


PERMIT_SHAPE = members(
    signer=ADDRESS,
    nonce=DECIMAL,
    deadline=DECIMAL,
    v=one_of(27, 28),
    r=WORD,
    s=WORD,
    typedData=members(
        domain=members(name=text_shape, version=text_shape, chainId=count_shape, verifyingContract=ADDRESS),
        primaryType=text_shape,
        types=map_of(items(members(name=text_shape, type=text_shape))),
        message=map_of(text_shape),
    ),
)
FILE = members(
    format=one_of("agreement-evidence/1"),
    made=members(
        at=matches(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"),
        by=text_shape,
        software=text_shape,
    ),
    chain=members(chainId=count_shape, factory=ADDRESS, implementation=ADDRESS),
    agreement=members(
        address=ADDRESS,
        owner=ADDRESS,
        docUri=text_shape,
        docHash=WORD,
        initialState=WORD,
        currentState=WORD,
        inputCount=count_shape,
    ),
    document=members(text=text_shape, values=items(members(name=text_shape, value=value_shape))),
    notes=items(one_of("no_state_proof", "no_inclusion_proof", "signature_not_readable")),
    blocks=items(members(number=count_shape, hash=WORD, timestamp=count_shape, header=or_null(HEX))),
    transactions=items(
        members(
            block=count_shape,
            index=count_shape,
            hash=WORD,
            raw=HEX,
            proof=or_null(items(HEX)),
            receipt=HEX,
            receiptProof=or_null(items(HEX)),
        )
    ),
    deployment=members(transaction=count_shape, log=count_shape, permit=or_null(PERMIT_SHAPE)),
    inputs=items(
        members(
            transaction=count_shape,
            log=count_shape,
            inputId=WORD,
            fromState=WORD,
            toState=WORD,
            payload=HEX,
            permit=or_null(PERMIT_SHAPE),
        )
    ),
    state=or_null(
        members(
            block=count_shape,
            layout=members(docHash=WORD, initialState=WORD, currentState=WORD, nonces=WORD),
            accountProof=items(HEX),
            storage=items(members(of=text_shape, value=WORD, proof=items(HEX))),
        )
    ),
)


def read_file(data):
    require(len(data) <= MOST_BYTES, "too_large")
    try:
        text = data.decode("utf-8")
        require(not text.startswith("\ufeff"), "not_json")
        value = read_json(text)
    except (UnicodeDecodeError, ValueError, OverflowError, RecursionError) as error:
        raise Refused("not_json") from error
    FILE(value, "")
    require(write_json(value) + "\n" == text, "not_canonical")
    return value


def raw(hexadecimal):
    return bytes.fromhex(hexadecimal[2:])


# What a document compiles to

UINT256, STRING, ADDRESS_TYPE, BOOL, BYTES32 = range(5)
TYPES = {"uint256": UINT256, "address": ADDRESS_TYPE, "bool": BOOL, "bytes32": BYTES32, "txHash": BYTES32}
VARIABLE = re.compile(r"\$\{variables\.(\w+)", re.ASCII)
CONTRACT = re.compile(r"\$\{contracts\.(\w+)\.address\}", re.ASCII)


def invalid(condition):
    if condition:
        raise Invalid()


def member(holder, key):
    """A member, None if it or the whole object is absent. A holder that is no object is invalid."""
    invalid(holder is not None and not isinstance(holder, dict))
    return (holder or {}).get(key)


def text_of(value):
    invalid(not isinstance(value, str))
    return value


def list_of(value):
    invalid(value is not None and not isinstance(value, list))
    return value or []


def object_of(value):
    invalid(value is not None and not isinstance(value, dict))
    return value or {}


def read_uint(value, most=2**53 - 1):
    """A decimal or 0x text, or a whole number up to `most`; None for anything else."""
    if isinstance(value, str):
        if re.fullmatch("0x[0-9a-fA-F]+", value):
            number = int(value, 16)
        elif re.fullmatch("[0-9]+", value):
            digits = value.lstrip("0") or "0"
            number = int(digits) if len(digits) <= 78 else 2**256
        else:
            return None
        return number if number < 2**256 else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None


def read_address(value):
    if not isinstance(value, str) or not re.fullmatch("0x[0-9a-fA-F]{40}", value):
        return None
    return value if value in (value.lower(), checksum(value)) else None


def canonical(value, variable):
    """The canonical form of a file's value; None if the value has another type."""
    kind = variable["kind"]
    if kind == UINT256:
        number = read_uint(value)
        return None if number is None else str(number)
    if kind == BOOL:
        return {True: True, "true": True, False: False, "false": False}.get(value)
    if kind == ADDRESS_TYPE:
        return checksum(value) if read_address(value) else None
    if kind == BYTES32:
        fits = isinstance(value, str) and re.fullmatch("0x[0-9a-fA-F]{64}", value)
        return value.lower() if fits else None
    if isinstance(value, str):
        return value
    return None if variable["type"] in ("string", "signature", "dateTime") else write_json(value)


def encode_value(kind, value):
    if kind == STRING:
        return abi_encode(["string"], [utf8(value)])
    if kind in (UINT256, BOOL):
        return word(int(value))
    return raw(value).rjust(32, b"\0")


class Compiler:
    """Reads one document with its values."""

    def __init__(self, document, values):
        self.document, self.values, self.needed = document, values, set()

    def definition(self, value):
        kind = member(value, "type")
        validation = member(value, "validation")
        required = member(validation, "required") is not False
        known = kind if isinstance(kind, str) else None
        return {"type": known, "kind": TYPES.get(known, STRING), "required": required, "validation": validation}

    def variable(self, name):
        found = object_of(member(self.document, "variables")).get(name)
        return None if found is None else {**self.definition(found), "name": name}

    def value(self, name):
        self.needed.add(name)
        invalid(self.values.get(name) is None)
        return self.values[name]

    def compile(self):
        execution = member(self.document, "execution")
        initialize = member(execution, "initialize")
        self.initial_state = name_id(text_of(member(initialize, "initialState")))
        inputs = object_of(member(execution, "inputs"))
        self.input_defs = [self.input_def(name, one) for name, one in inputs.items()]
        self.transitions = [self.transition(one) for one in list_of(member(execution, "transitions"))]
        self.init_vars = self.initial_variables(object_of(member(initialize, "data")))
        self.actions = [self.action(one) for one in list_of(member(execution, "actions"))]

    def initial_variables(self, data):
        found = []
        for entry in data.values():
            match = VARIABLE.search(entry) if isinstance(entry, str) else None
            variable = self.variable(match[1]) if match else None
            if variable is None:
                continue
            value = canonical(self.value(variable["name"]), variable)
            invalid(value is None)
            kind = variable["kind"]
            found.append((name_id(variable["name"]), kind, encode_value(kind, value)))
        return found

    def input_def(self, name, one):
        invalid(not isinstance(one, dict))
        definitions = one.get("data")
        if definitions is None and not isinstance(one.get("schema"), str):
            definitions = one.get("schema")
        fields = [self.field(key, value) for key, value in object_of(definitions).items()]
        conditions = [condition for field in fields for condition in self.bounds(field)]
        listed = [(name_id(f["name"]), f["kind"], f["required"], f["persist"]) for f in fields]
        return (name_id(name), listed, conditions + self.issuer(one.get("issuer")), [])

    def field(self, key, value):
        match = VARIABLE.search(value) if isinstance(value, str) else None
        variable = self.variable(match[1]) if match else None
        if variable is not None:
            return {**variable, "persist": variable["type"] == "address"}
        if isinstance(value, dict):
            return {**self.definition(value), "name": key, "persist": False}
        name = match[1] if match else key
        return {"name": name, "kind": STRING, "required": True, "persist": False, "validation": None}

    def bounds(self, field):
        rules = {UINT256: [("min", 6), ("max", 8)], STRING: [("minLength", 0), ("maxLength", 1)]}
        found = []
        for name, op in rules.get(field["kind"], []):
            limit = member(field["validation"], name)
            if limit is not None:
                number = read_uint(limit, most=2**256 - 1)
                invalid(number is None)
                found.append((op, name_id(field["name"]), word(number)))
        return found

    def issuer(self, issuer):
        if issuer is None or issuer == "":
            return []
        if isinstance(issuer, dict):
            invalid(issuer.get("type") != "participant")
            variables, literals = [self.address_variable(text_of(issuer.get("variable")))], []
        else:
            texts = [issuer] if isinstance(issuer, str) else list_of(issuer)
            invalid(not texts)
            variables, literals = [], []
            for one in texts:
                match = VARIABLE.search(text_of(one))
                if match:
                    variables.append(self.address_variable(match[1]))
                else:
                    invalid(read_address(one) is None)
                    literals.append(raw(one.lower()))
        if len(variables) == 1 and not literals:
            return [(16, variables[0], b"")]
        return [(17, bytes(32), abi_encode([["bytes32"], ["address"]], [variables, literals]))]

    def address_variable(self, name):
        variable = self.variable(name)
        invalid(variable is None or variable["type"] != "address")
        return name_id(name)

    def transition(self, one):
        start, end = text_of(member(one, "from")), text_of(member(one, "to"))
        conditions = list_of(member(one, "conditions"))
        invalid(not conditions)
        name = text_of(member(conditions[0], "input"))
        invalid(name == "")
        return (name_id(start), name_id(end), name_id(name))

    def resolve(self, text):
        match = VARIABLE.search(text_of(text))
        if match:
            return self.value(match[1])
        match = CONTRACT.search(text)
        if not match:
            return text
        contracts = member(self.document, "contracts")
        address = member(member(contracts, match[1]), "address")
        invalid(address is None)
        return address

    def action(self, one):
        when, call = member(one, "when"), member(one, "call")
        start, name = text_of(member(when, "from")), text_of(member(when, "input"))
        invalid(member(call, "type") != "evmCall")
        target = read_address(self.resolve(member(call, "target")))
        amount = member(call, "value")
        value = 0 if amount is None else read_uint(amount)
        invalid(target is None or value is None)
        return (name_id(start), name_id(name), raw(target.lower()), value, self.call_data(call))

    def call_data(self, call):
        method, args = text_of(call.get("method")), list_of(call.get("args"))
        functions = []
        for item in list_of(call.get("abi")):
            if isinstance(item, dict) and item.get("type") == "function" and item.get("name") == method:
                inputs = item.get("inputs") if isinstance(item.get("inputs"), list) else []
                kinds = [one.get("type") if isinstance(one, dict) else "" for one in inputs]
                functions.append([kind if isinstance(kind, str) else "" for kind in kinds])
        functions = [kinds for kinds in functions if len(kinds) == len(args)]
        invalid(not functions)
        values = [prepare(kind, self.resolve(arg)) for kind, arg in zip(functions[0], args)]
        kinds = choose(functions, values)
        encoded = [encode_argument(kind, value) for kind, value in zip(kinds, values)]
        types = ["bytes" if dynamic else "bytes32" for dynamic, _ in encoded]
        data = abi_encode(types, [value for _, value in encoded])
        return keccak(utf8(f"{method}({','.join(kinds)})"))[:4] + data


def is_plain_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def prepare(kind, value):
    invalid(not isinstance(value, (str, int, float)))
    if kind == "bool":
        return value is True or value == "true"
    if not re.match("u?int", kind):
        return value
    if not isinstance(value, str):
        invalid(isinstance(value, float))
        return int(value)
    invalid(units(value) > 256)
    text = value.strip(" \t\n\r\v\f\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B))))
    if text == "":
        return 0
    if re.fullmatch("[+-]?[0-9]+", text):
        return int(text)
    found = re.fullmatch("0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", text)
    invalid(not found)
    return int(text, 0)


def fits(value, kind):
    if kind == "address":
        return isinstance(value, str) and re.fullmatch("0x[0-9a-fA-F]{40}", value) is not None
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "string" or re.fullmatch("bytes([1-9]|[12][0-9]|3[0-2])?", kind):
        return isinstance(value, str)
    return width(kind) is not None and is_plain_number(value)


def width(kind):
    found = re.fullmatch("u?int([0-9]{0,3})", kind)
    bits = int(found[1] or 256) if found else 0
    return bits if 8 <= bits <= 256 and bits % 8 == 0 else None


def choose(functions, values):
    if len(functions) == 1:
        return functions[0]
    chosen = None
    for kinds in functions:
        if not all(fits(value, kind) for value, kind in zip(values, kinds)):
            continue
        for one, other, value in zip(chosen or [], kinds, values):
            pair = {one, other}
            invalid("address" in pair and "bytes20" in pair)
            invalid("address" in pair and pair & {"string", "bytes"} and fits(value, "address"))
        chosen = kinds
    return chosen or functions[0]


def encode_argument(kind, value):
    """Whether the type is dynamic, and the word or the bytes."""
    if kind == "bool":
        return False, word(1 if value is True else 0)
    if kind == "address":
        invalid(read_address(value) is None)
        return False, raw(value).rjust(32, b"\0")
    if kind == "string":
        return True, utf8(value if isinstance(value, str) else write_json(value))
    bits = width(kind)
    if bits is not None:
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if kind.startswith("int") else (0, 2**bits)
        invalid(not is_plain_number(value) or not low <= value < high)
        return False, word(value)
    found = re.fullmatch("bytes([0-9]{0,2})", kind)
    invalid(not found or not isinstance(value, str) or not re.fullmatch("0x([0-9a-fA-F]{2})*", value))
    content = raw(value)
    if found[1] == "":
        return True, content
    invalid(not 0 < len(content) <= 32 or len(content) != int(found[1]))
    return False, content.ljust(32, b"\0")


def compile_file(file):
    facts, document = file["agreement"], file["document"]
    require(keccak(utf8(document["text"])) == raw(facts["docHash"]), "document_mismatch", "document.text")
    try:
        parsed = read_json(document["text"])
        is_same = isinstance(parsed, dict) and write_json(parsed) == document["text"]
    except (ValueError, OverflowError):
        is_same = False
    require(is_same, "document_mismatch", "document.text")
    values = {one["name"]: one["value"] for one in document["values"]}
    compiled = Compiler(parsed, values)
    try:
        compiled.compile()
        needed = [{"name": name, "value": values[name]} for name in sorted(compiled.needed)]
        require(write_json(needed) == write_json(document["values"]), "parameters_mismatch", "document.values")
        for name, value in values.items():
            variable = compiled.variable(name)
            form = canonical(value, variable) if variable else None
            is_other = form is not None and (form != value or type(form) is not type(value))
            require(not is_other, "parameters_mismatch", "document.values")
    except Invalid as error:
        raise Refused("parameters_mismatch", "document") from error
    initial = raw(facts["initialState"])
    require(compiled.initial_state == initial, "parameters_mismatch", "agreement.initialState")
    text = utf8(facts["docUri"])
    content = [text, raw(facts["docHash"]), initial, compiled.input_defs, compiled.transitions]
    compiled.content = content + [compiled.init_vars, [], compiled.actions]
    return compiled


# Blocks and transactions


def check_blocks(file):
    used = {one["block"] for one in file["transactions"]}
    if file["state"]:
        used.add(file["state"]["block"])
    headers, before = [], None
    for at, block in enumerate(file["blocks"]):
        path = f"blocks[{at}]"
        if before:
            is_after = before["number"] < block["number"] and before["timestamp"] <= block["timestamp"]
            require(is_after, "order_invalid", path)
        require(at in used, "order_invalid", path)
        headers.append(None if block["header"] is None else check_header(block, path))
        before = block
    return headers


def check_header(block, path):
    data = raw(block["header"])
    with guarded("header_mismatch", path):
        fields = as_list(rlp_decode(data))
        if len(fields) < 15:
            raise Malformed("is not a block header")
        number, time = as_number(fields[8]), as_number(fields[11])
        for at in (3, 4, 5):
            as_bytes(fields[at], 32)
    is_same = keccak(data) == raw(block["hash"]) and number == block["number"] and time == block["timestamp"]
    require(is_same, "header_mismatch", path)
    return fields


PLACES = {1: (4, 6, 11), 2: (5, 7, 12), 3: (5, 7, 14), 4: (5, 7, 13)}


def envelope(data):
    if data[:1] in (b"", b"\0"):
        raise Malformed("has an unknown type")
    return (data[0], data[1:]) if data[0] < 0x80 else (0, data)


def parse_transaction(data):
    """Receiver, data, chain id, nonce, sender (None: invalid signature), and the type."""
    kind, body = envelope(data)
    fields = as_list(rlp_decode(body))
    if kind == 0x7E:
        if len(fields) != 8:
            raise Malformed("is not a deposit")
        return receiver(fields[2]), as_bytes(fields[7]), None, None, as_bytes(fields[1], 20), kind
    if kind == 0:
        if len(fields) != 9:
            raise Malformed("is not a transaction")
        v, r, s = map(as_number, fields[6:])
        chain_id, parity, unsigned = None, v - 27, fields[:6]
        if v >= 35:
            chain_id, parity = (v - 35) // 2, (v - 35) % 2
            unsigned = unsigned + [minimal(chain_id), b"", b""]
        signer = recover(keccak(rlp_encode(unsigned)), r, s, parity)
        return receiver(fields[3]), as_bytes(fields[5]), chain_id, as_number(fields[0]), signer, kind
    to, place, size = PLACES.get(kind, (0, 0, 0))
    if len(fields) != size or not size:
        raise Malformed("is not of a known type")
    parity, r, s = map(as_number, fields[-3:])
    signer = recover(keccak(bytes([kind]) + rlp_encode(fields[:-3])), r, s, parity)
    nonce = as_number(fields[1])
    return receiver(fields[to]), as_bytes(fields[place]), as_number(fields[0]), nonce, signer, kind


def receiver(item):
    return None if item == b"" else as_bytes(item, 20)


def parse_receipt(data):
    kind, body = envelope(data)
    fields = as_list(rlp_decode(body))
    if not 4 <= len(fields) <= (6 if kind == 0x7E else 4):
        raise Malformed("is not a receipt")
    logs = []
    for item in as_list(fields[3]):
        parts = as_list(item)
        if len(parts) != 3:
            raise Malformed("has a log that has not three fields")
        topics = [as_bytes(topic, 32) for topic in as_list(parts[1])]
        logs.append((as_bytes(parts[0], 20), topics, as_bytes(parts[2])))
    return kind, as_number(fields[0]) == 1, logs


class Transaction:
    def __init__(self, file, at, headers):
        entry, path = file["transactions"][at], f"transactions[{at}]"
        require(entry["block"] < len(file["blocks"]), "bad_format", path)
        self.block = file["blocks"][entry["block"]]
        if at:
            before = file["transactions"][at - 1]
            is_after = (before["block"], before["index"]) < (entry["block"], entry["index"])
            require(is_after, "order_invalid", path)
        data = raw(entry["raw"])
        with guarded("transaction_invalid", path):
            self.to, self.data, chain_id, self.nonce, sender, kind = parse_transaction(data)
        self.hash = entry["hash"]
        require(keccak(data) == raw(entry["hash"]), "transaction_invalid", path)
        is_here = chain_id is None or chain_id == file["chain"]["chainId"]
        require(is_here and sender is not None, "transaction_invalid", path)
        self.sender, self.is_deposit = sender, kind == 0x7E
        self.is_included = self.check_inclusion(entry, headers[entry["block"]], path)
        with guarded("receipt_proof_invalid", path):
            receipt_kind, succeeded, self.logs = parse_receipt(raw(entry["receipt"]))
        require(receipt_kind == kind and succeeded, "transaction_invalid", path)

    @staticmethod
    def check_inclusion(entry, header, path):
        parts = (header, entry["proof"], entry["receiptProof"])
        if None in parts:
            require(parts == (None, None, None), "bad_format", path)
            return False
        key = rlp_encode(minimal(entry["index"]))
        for field, proof, item, reason in (
            (4, "proof", "raw", "transaction_proof_invalid"),
            (5, "receiptProof", "receipt", "receipt_proof_invalid"),
        ):
            with guarded(reason, path):
                found = trie_value(header[field], key, [raw(node) for node in entry[proof]])
            require(found == raw(entry[item]), reason, path)
        return True

    def event(self, at, name, address):
        """The topics and data of a log if it is that event of that contract, else None."""
        if not 0 <= at < len(self.logs):
            return None
        emitter, topics, data = self.logs[at]
        is_it = emitter == address and topics[:1] == [EVENTS[name]]
        return (topics + [b""] * 4, data) if is_it else None

    def events(self, name, address):
        return [at for at in range(len(self.logs)) if self.event(at, name, address)]


EVENTS = {
    text.partition("(")[0]: keccak(text.encode())
    for text in (
        "AgreementDeployed(address,address,string,bytes32)",
        "AgreementCreatedWithPermit(address,address,address)",
        "AgreementInitialized(address,string,bytes32,bytes32)",
        "ActionRegistered(bytes32,bytes32,address,uint256,bytes)",
        "ActionExecuted(bytes32,bytes32,bytes32,address)",
        "InputAccepted(bytes32,bytes32,bytes32,bytes)",
        "InputSubmittedWithPermit(address,address,bytes32)",
    )
}


def topic(address):
    return address.rjust(32, b"\0")


def check_complete(file, transactions):
    agreement, inputs = raw(file["agreement"]["address"]), file["inputs"]
    require(file["deployment"]["transaction"] == 0, "order_invalid", "deployment.transaction")
    require(len(inputs) == file["agreement"]["inputCount"], "incomplete", "agreement.inputCount")
    held = [(at, log) for at, one in enumerate(transactions) for log in one.events("InputAccepted", agreement)]
    before = (-1, -1)
    for at, one in enumerate(inputs):
        place, path = (one["transaction"], one["log"]), f"inputs[{at}]"
        require(before < place, "order_invalid", path)
        require(place[0] < len(transactions), "bad_format", path)
        require(transactions[place[0]].event(place[1], "InputAccepted", agreement), "log_mismatch", path)
        require(at < len(held) and held[at] == place, "incomplete", path)
        before = place
    require(len(held) == len(inputs), "incomplete", "inputs")
    used = {0, *(one["transaction"] for one in inputs)}
    require(len(used) == len(transactions), "order_invalid", "transactions")
    nonces = {}
    for one in transactions:
        if one.nonce is not None:
            require(nonces.get(one.sender, -1) < one.nonce, "order_invalid", "transactions")
            nonces[one.sender] = one.nonce
    require(len({one.hash for one in transactions}) == len(transactions), "order_invalid", "transactions")
    direct = [one["transaction"] for one in inputs if transactions[one["transaction"]].to == agreement]
    require(len(set(direct)) == len(direct), "order_invalid", "inputs")


# Permits

DOMAIN = [("name", "string"), ("version", "string"), ("chainId", "uint256"), ("verifyingContract", "address")]
DEPLOY = [("docUri", "string")] + [
    (name, "bytes32")
    for name in (
        "docHash initialState inputDefsHash transitionsHash initVarsHash verifiersHash actionsHash".split()
    )
]
INPUT = [("inputId", "bytes32"), ("payload", "bytes")]
NUMBERS = [("nonce", "uint256"), ("deadline", "uint256")]
ARRAYS = [[INPUT_DEF], [TRANSITION], [DATA_FIELD], [VERIFIER], [ACTION]]


def hash_content(content):
    return content[:3] + [keccak(abi_encode([kind], [part])) for kind, part in zip(ARRAYS, content[3:])]


def hash_struct(name, fields, values):
    kind = f"{name}({','.join(f'{kind} {field}' for field, kind in fields)})"
    words = [keccak(value) if kind in ("string", "bytes") else value for (_, kind), value in zip(fields, values)]
    return keccak(keccak(kind.encode()) + b"".join(words))


def check_permit(file, permit, message, path):
    """`message`: the contract's name and address, the type's name, its fields, and their values but nonce and deadline."""
    contract, address, name, fields, values = message
    numbers = [permit["nonce"], permit["deadline"]]
    fields = fields + NUMBERS
    shown = [value.decode() if kind == "string" else f"0x{value.hex()}" for (_, kind), value in zip(fields, values)]
    chain_id = file["chain"]["chainId"]
    describe = lambda all: [{"name": field, "type": kind} for field, kind in all]
    typed_data = {
        "domain": {"name": contract, "version": "1", "chainId": chain_id, "verifyingContract": f"0x{address.hex()}"},
        "primaryType": name,
        "types": {"EIP712Domain": describe(DOMAIN), name: describe(fields)},
        "message": dict(zip([field for field, _ in fields], shown + numbers)),
    }
    require(write_json(typed_data) == write_json(permit["typedData"]), "signature_invalid", f"{path}.typedData")
    domain = hash_struct("EIP712Domain", DOMAIN, [contract.encode(), b"1", word(chain_id), topic(address)])
    digest = keccak(b"\x19\x01" + domain + hash_struct(name, fields, values + [word(int(n)) for n in numbers]))
    signer = recover(digest, int(permit["r"], 16), int(permit["s"], 16), permit["v"] - 27)
    require(signer == raw(permit["signer"]), "signature_invalid", path)


def is_same_permit(called, permit):
    signer, deadline, v, r, s = called
    found = [f"0x{signer.hex()}", str(deadline), v, f"0x{r.hex()}", f"0x{s.hex()}"]
    return found == [permit[key] for key in ("signer", "deadline", "v", "r", "s")]


def read_call(data, functions):
    """The name and arguments of the call, if it is one of these, and at most about twice as large as its data."""
    for name, kinds in functions.items():
        if data[:4] == selector(name, kinds):
            try:
                return name, abi_decode(kinds, data[4:], room=Room(2 * -(-(len(data) - 4) // 32)))
            except Malformed:
                return None
    return None


CREATE = {
    "createAgreement": CONTENT,
    "createAgreementDeterministic": ("bytes32", *CONTENT),
    "createAgreementWithPermit": ("address", *CONTENT, *PERMIT),
    "createAgreementDeterministicWithPermit": ("address", "bytes32", *CONTENT, *PERMIT),
}
SUBMIT = {
    "submitInput": ("bytes32", "bytes"),
    "submitInputWithPermit": ("address", "bytes32", "bytes", *PERMIT),
}


def is_create(data):
    """Whether these are data of a create function. If they cannot be read, what they say is unproved."""
    return any(data[:4] == selector(name, kinds) for name, kinds in CREATE.items())


def read_create(data):
    """The content, and the permit or None."""
    found = read_call(data, CREATE)
    if found is None:
        return None
    name, args = found
    permit = [args[0], *args[-4:]] if name.endswith("Permit") else None
    skipped = len(args) - 8 - (4 if permit else 0)
    return args[skipped : skipped + 8], permit


def read_submit(data):
    found = read_call(data, SUBMIT)
    if found is None:
        return None
    name, args = found
    return (*args, None) if name == "submitInput" else (args[1], args[2], [args[0], *args[3:]])


# Deployment


def check_deployment(file, transaction, compiled):
    """What proves the deployer: a permit, a transaction, or nothing."""
    facts, place = file["agreement"], file["deployment"]["log"]
    factory, address, owner = raw(file["chain"]["factory"]), raw(facts["address"]), raw(facts["owner"])
    uri, doc_hash, initial = compiled.content[:3]
    log = transaction.event(place, "AgreementDeployed", factory)
    require(log, "log_mismatch", "deployment.log")
    topics, data = log
    require(topics[1] == topic(address) and topics[2] == topic(owner), "log_mismatch", "agreement")
    with guarded("log_mismatch", "agreement.docUri"):
        require(abi_decode(("string", "bytes32"), data) == [uri, doc_hash], "log_mismatch", "agreement.docUri")
    own = transaction.events("AgreementInitialized", address)
    require(len(own) == 1, "log_mismatch", "agreement.initialState")
    topics, data = transaction.event(own[0], "AgreementInitialized", address)
    with guarded("log_mismatch", "agreement.initialState"):
        said = abi_decode(("string", "bytes32", "bytes32"), data)
    require(said == [uri, doc_hash, initial] and topics[1] == topic(owner), "log_mismatch", "agreement")
    registered = []
    with guarded("log_mismatch", "document.text"):
        for at in transaction.events("ActionRegistered", address):
            topics, data = transaction.event(at, "ActionRegistered", address)
            registered.append((topics[1], topics[2], topics[3][12:], *abi_decode(("uint256", "bytes"), data)))
    require(registered == compiled.actions, "parameters_mismatch", "document.text")
    permit_log = transaction.event(place + 1, "AgreementCreatedWithPermit", factory)
    signer = permit_log[0][2][12:] if permit_log and permit_log[0][1] == topic(address) else None
    return check_creator(file, transaction, compiled, signer)


def check_creator(file, transaction, compiled, signer):
    permit, path = file["deployment"]["permit"], "deployment.permit"
    factory, owner = raw(file["chain"]["factory"]), raw(file["agreement"]["owner"])
    called = read_create(transaction.data) if transaction.to == factory else None
    require(transaction.to != factory or is_create(transaction.data), "call_mismatch", "deployment")
    hashes = hash_content(compiled.content)
    require(not called or hash_content(called[0]) == hashes, "parameters_mismatch", "document")
    if signer is None:
        require(permit is None, "log_mismatch", path)
        require(not called or called[1] is None, "call_mismatch", "deployment")
        if not called or transaction.is_deposit:
            return "nothing"
        require(transaction.sender == owner, "signature_invalid", "agreement.owner")
        return "transaction"
    require(signer == owner, "log_mismatch", "agreement.owner")
    if permit is None:
        require(not called, "call_mismatch", path)
        return "nothing"
    require(raw(permit["signer"]) == signer, "log_mismatch", path)
    is_same = not called or (called[1] is not None and is_same_permit(called[1], permit))
    require(is_same, "call_mismatch", path)
    check_permit(file, permit, ("AgreementFactory", factory, "PermitAgreementWithActions", DEPLOY, hashes), path)
    require(int(permit["deadline"]) >= transaction.block["timestamp"], "signature_invalid", path)
    return "permit"


# What the contract does


def revert(condition):
    if condition:
        raise Reverted()


def decode_fields(payload):
    """Copies nothing: fields may share bytes, and the contract reads of most of them only the id."""
    try:
        (fields,) = abi_decode([[DATA_FIELD]], memoryview(payload))
    except Malformed as error:
        raise Reverted() from error
    revert(any(kind > 4 for _, kind, _ in fields))
    return fields


def check_data(kind, data):
    if kind == STRING:
        revert(len(data) < 64)
        try:
            return abi_decode(["string"], data)[0]
        except Malformed as error:
            raise Reverted() from error
    revert(len(data) != 32)
    revert(kind == ADDRESS_TYPE and any(data[:12]))
    revert(kind == BOOL and int.from_bytes(data, "big") > 1)
    return data


class Engine:
    """An agreement replayed from its creation."""

    def __init__(self, compiled, owner):
        self.state, self.nonces = compiled.initial_state, {}
        self.inputs = {one[0]: one for one in compiled.input_defs}
        # Names that are not well-formed may have one id.
        revert(len(self.inputs) < len(compiled.input_defs))
        self.transitions, self.actions, self.variables = {}, {}, {}
        revert(not any(owner))
        for start, end, name in compiled.transitions:
            self.transitions.setdefault((start, name), end)
        for start, name, target, *_ in compiled.actions:
            revert(not any(target))
            self.actions[start, name] = target
        conditions = [condition for one in compiled.input_defs for condition in one[2]]
        self.asked, self.signers, self.permitted = set(), set(), set()
        for op, field, argument in conditions:
            if op == 16:
                self.asked.add(field)
            if op == 17:
                names, literals = abi_decode([["bytes32"], ["address"]], argument)
                self.asked.update(names)
                self.signers.update(literals)
        for name, kind, data in compiled.init_vars:
            self.store(name, kind, data)

    def store(self, name, kind, data):
        self.variables[name] = (kind, data)
        if name in self.asked and kind == ADDRESS_TYPE:
            self.signers.add(bytes(data[12:]))

    def possible_signers(self):
        """If there are too many, signers of permits take precedence."""
        signers = sorted(self.permitted) + sorted(self.signers - self.permitted)
        return sorted(signers[:MOST_SIGNERS])

    def load_address(self, name):
        kind, data = self.variables.get(name, (None, b""))
        revert(kind != ADDRESS_TYPE)
        return bytes(data[12:])

    def play(self, name, payload, sender, permit, time):
        """`sender` None: unknown, conditions about it are skipped. `permit`: signer, nonce, deadline. Returns the action's target, if any."""
        if permit:
            signer, nonce, deadline = permit
            self.permitted.add(signer)
            revert(time > deadline or not any(signer) or nonce != self.nonces.get(signer, 0))
            self.nonces[signer] = nonce + 1
            sender = signer
        revert(name not in self.inputs)
        _, fields, conditions, _ = self.inputs[name]
        submitted = {}
        for field, kind, data in decode_fields(payload):
            submitted.setdefault(field, (kind, data))
        contents = {}
        for field, kind, required, persist in fields:
            if field not in submitted:
                revert(required)
                continue
            found, data = submitted[field]
            revert(found != kind)
            contents[field] = check_data(kind, data)
            if persist:
                self.store(field, kind, data)
        for op, field, argument in conditions:
            if op == 16:
                revert(sender is not None and self.load_address(field) != sender)
            elif op == 17:
                revert(sender is not None and not self.is_allowed(argument, sender))
            elif field in contents:
                size = len(contents[field]) if op < 2 else int.from_bytes(contents[field], "big")
                limit = int.from_bytes(argument, "big")
                revert(size < limit if op in (0, 6) else size > limit)
        key = (self.state, name)
        revert(key not in self.transitions)
        self.state = self.transitions[key]
        return self.actions.get(key)

    def is_allowed(self, argument, sender):
        names, literals = abi_decode([["bytes32"], ["address"]], argument)
        return any(self.load_address(name) == sender for name in names) or sender in literals


# Inputs


def check_input(file, at, transactions, engine):
    """What proves the actor: a permit, a transaction, or nothing."""
    one, path = file["inputs"][at], f"inputs[{at}]"
    transaction = transactions[one["transaction"]]
    agreement = raw(file["agreement"]["address"])
    name, payload = raw(one["inputId"]), raw(one["payload"])
    before, after = raw(one["fromState"]), raw(one["toState"])
    topics, data = transaction.event(one["log"], "InputAccepted", agreement)
    with guarded("log_mismatch", path):
        said = abi_decode(("bytes32", "bytes"), data)
    require([*topics[1:3], *said] == [before, after, name, payload], "log_mismatch", path)
    permit_log = transaction.event(one["log"] + 1, "InputSubmittedWithPermit", agreement)
    require(not permit_log or permit_log[0][3] == name, "log_mismatch", path)
    signer = permit_log[0][1][12:] if permit_log else None
    by, actor = check_actor(file, one, transaction, signer, path)
    permit, time = one["permit"], transaction.block["timestamp"]
    used = None
    if signer is not None:
        used = (signer, engine.nonces.get(signer, 0), time)
        if permit:
            used = (signer, int(permit["nonce"]), int(permit["deadline"]))
    try:
        start = engine.state
        target = engine.play(name, payload, actor, used, time)
    except Reverted as error:
        raise Refused("replay_refused", path) from error
    require((start, engine.state) == (before, after), "replay_refused", path)
    executed = transaction.event(one["log"] - 1, "ActionExecuted", agreement)
    if target is None:
        require(not executed, "log_mismatch", path)
    else:
        expected = [before, after, name, topic(target)]
        require(executed and [*executed[0][1:4], executed[1]] == expected, "log_mismatch", path)
    return by


def check_actor(file, one, transaction, signer, path):
    permit, agreement = one["permit"], raw(file["agreement"]["address"])
    name, payload = raw(one["inputId"]), raw(one["payload"])
    is_direct = transaction.to == agreement
    call = read_submit(transaction.data) if is_direct else None
    is_same = not is_direct or (call is not None and (call[0], call[1]) == (name, payload))
    require(is_same, "call_mismatch", path)
    if signer is None:
        require(permit is None, "log_mismatch", path)
        require(not is_direct or call[2] is None, "call_mismatch", path)
        if not is_direct or transaction.is_deposit:
            return "nothing", transaction.sender if is_direct else None
        return "transaction", transaction.sender
    if permit is None:
        require(not is_direct, "call_mismatch", path)
        return "nothing", signer
    require(raw(permit["signer"]) == signer, "log_mismatch", path)
    is_same = not is_direct or (call[2] is not None and is_same_permit(call[2], permit))
    require(is_same, "call_mismatch", path)
    check_permit(file, permit, ("AgreementEngine", agreement, "PermitInput", INPUT, [name, payload]), path)
    return "permit", signer


# The last state

OWN_PLACE = 0x5AB42CED628888259C08AC98DB1EB0CF702FC1501344311D8B100CD1BFE4BB00


LAYOUT = ("docHash", "initialState", "currentState", "nonces")


def check_state(file, headers, engine, layout):
    """`layout`: the slots that the reader knows, in the order of LAYOUT. None: the file's own layout is used."""
    state, facts = file["state"], file["agreement"]
    is_last = state["block"] == len(headers) - 1 and headers[state["block"]] is not None
    require(is_last, "state_proof_invalid", "state.block")
    slots = {key: int(slot, 16) for key, slot in state["layout"].items()}
    ordinary = [slot < 64 or (key == "nonces" and slot == OWN_PLACE) for key, slot in slots.items()]
    require(all(ordinary) and len(set(slots.values())) == 4, "state_proof_invalid", "state.layout")
    require(layout in (None, [slots[key] for key in LAYOUT]), "state_proof_invalid", "state.layout")
    path = "state.accountProof"
    with guarded("state_proof_invalid", path):
        nodes = [raw(node) for node in state["accountProof"]]
        account = trie_value(headers[-1][3], keccak(raw(facts["address"])), nodes)
        if account is None:
            raise Malformed("shows no account")
        fields = as_list(rlp_decode(account))
        if len(fields) != 4:
            raise Malformed("is not an account")
        root, code = as_bytes(fields[2], 32), as_bytes(fields[3], 32)
    engine_address = raw(file["chain"]["implementation"])
    proxy = bytes.fromhex("363d3d373d3d3d363d73") + engine_address + bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
    require(code == keccak(proxy), "code_mismatch", path)
    expected = [
        ("docHash", word(slots["docHash"]), int(facts["docHash"], 16), "document_mismatch"),
        ("initialState", word(slots["initialState"]), int(facts["initialState"], 16), "final_state_mismatch"),
        ("currentState", word(slots["currentState"]), int.from_bytes(engine.state, "big"), "final_state_mismatch"),
    ]
    for signer in engine.possible_signers():
        slot = keccak(topic(signer) + word(slots["nonces"]))
        expected.append((f"0x{signer.hex()}", slot, engine.nonces.get(signer, 0), "nonce_mismatch"))
    require(len(expected) == len(state["storage"]), "nonce_mismatch", "state.storage")
    for at, ((of, slot, wanted, reason), entry) in enumerate(zip(expected, state["storage"])):
        path = f"state.storage[{at}]"
        require(entry["of"] == of, "nonce_mismatch", path)
        with guarded("state_proof_invalid", path):
            stored = trie_value(root, keccak(slot), [raw(node) for node in entry["proof"]])
            value = 0 if stored is None else as_number(rlp_decode(stored))
        require(value == int(entry["value"], 16), "state_proof_invalid", path)
        require(value == wanted, reason, path)


# Anchors


def sealer(fields):
    extra = as_bytes(fields[12])
    if len(extra) < 32 + 65:
        return None
    seal, unsealed = extra[-65:], [*fields[:12], extra[:-65], *fields[13:]]
    r, s = int.from_bytes(seal[:32], "big"), int.from_bytes(seal[32:64], "big")
    return recover(keccak(rlp_encode(unsealed)), r, s, seal[64])


def is_anchored(file, headers, hashes, sequencers):
    for at, block in enumerate(file["blocks"]):
        known = hashes.get(block["number"])
        require(known is None or known == block["hash"], "block_contradicted", f"blocks[{at}].hash")
    if None in headers:
        return False
    if all(block["number"] in hashes for block in file["blocks"]):
        return True
    return bool(sequencers) and all(sealer(header) in sequencers for header in headers)


def verify(data, hashes=None, sequencers=(), factory=None, layout=None):
    """The level that a file reaches, and what its storage shows. Raises Refused."""
    try:
        return find_level(data, hashes or {}, set(sequencers), factory, layout)
    except RecursionError as error:
        raise Refused("bad_format", "nested too deeply") from error


def find_level(data, hashes, sequencers, factory, layout):
    file = read_file(data)
    chain = file["chain"]
    contracts = (chain["factory"], chain["implementation"])
    require(contracts in (CHAINS.get(chain["chainId"]), factory), "unknown_factory", "chain")
    compiled = compile_file(file)
    headers = check_blocks(file)
    transactions = [Transaction(file, at, headers) for at in range(len(file["transactions"]))]
    check_complete(file, transactions)
    require(transactions, "incomplete", "transactions")
    shown = [check_deployment(file, transactions[0], compiled)]
    try:
        engine = Engine(compiled, raw(file["agreement"]["owner"]))
    except Reverted as error:
        raise Refused("replay_refused", "deployment") from error
    shown += [check_input(file, at, transactions, engine) for at in range(len(file["inputs"]))]
    final = raw(file["agreement"]["currentState"])
    require(engine.state == final, "final_state_mismatch", "agreement.currentState")
    if file["state"]:
        check_state(file, headers, engine, layout)
    is_included = all(one.is_included for one in transactions)
    missing = {
        "no_state_proof": file["state"] is None,
        "no_inclusion_proof": not is_included,
        "signature_not_readable": "nothing" in shown,
    }
    require(file["notes"] == [note for note, is_missing in missing.items() if is_missing], "bad_format", "notes")
    anchored = is_anchored(file, headers, hashes, sequencers)
    storage = "not shown"
    if file["state"] and is_included:
        conditions = [] if anchored else ["the block is one of the chain"]
        conditions += ["the layout in the file is right"] if layout is None else []
        storage = "shown" + (" if " + " and ".join(conditions) if conditions else "")
        storage += " for the first 1,000 accounts" if len(engine.signers | engine.permitted) > MOST_SIGNERS else ""
    if is_included and anchored:
        return "anchored", storage
    if "nothing" in shown:
        return "none", storage
    return ("included" if is_included else "signed"), storage


def read_options():
    parser = argparse.ArgumentParser(description="Checks evidence files without any request.")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--require", choices=LEVELS[1:], default="included")
    parser.add_argument("--trust-hash", action="append", default=[], metavar="n:0x…")
    parser.add_argument("--trust-sequencer", action="append", default=[], metavar="0x…")
    parser.add_argument("--trust-layout", metavar="4,5,6,7", help="slots of docHash, initialState, currentState, nonces")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    return parser.parse_args()


def main():
    options = read_options()
    pairs = [text.lower().split(":", 1) for text in options.trust_hash]
    hashes = {int(number): found for number, found in pairs}
    sequencers = [raw(text.lower()) for text in options.trust_sequencer]
    layout = [int(slot, 0) for slot in options.trust_layout.split(",")] if options.trust_layout else None
    holds = True
    for name in options.files:
        with open(name, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        try:
            level, storage = verify(data, hashes, sequencers, layout=layout)
            found = {"file": name, "ok": True, "level": level, "storage": storage}
            holds = holds and LEVELS.index(level) >= LEVELS.index(options.require)
        except Refused as error:
            found = {"file": name, "ok": False, "reason": error.reason, "path": error.path}
            holds = False
        shown = f"{found['level']}, last state {found['storage']}" if found["ok"] else f"refused, {found['reason']} ({found['path']})"
        print(json.dumps(found) if options.json else f"{name}: {shown}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
