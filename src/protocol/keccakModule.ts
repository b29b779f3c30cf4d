/**
 * The sponge of Keccak-f[1600] as a WebAssembly module of about 2 kB, assembled here from its definition: JavaScript has no
 * 64-bit integers that are fast, and the engine's own are ten times as fast as pairs of 32-bit ones.
 */

/** Where the module keeps things in its one page of memory, in bytes. */
export const keccakMemory = { state: 0, roundConstants: 256, input: 1024, end: 65_536 } as const;

/** Bytes that one permutation absorbs at a capacity of 512 bits. */
export const keccakRate = 136;

const op = {
  loop: [0x03, 0x40],
  branchIf: [0x0d, 0],
  end: [0x0b],
  xor: [0x85],
  and: [0x83],
  i32Add: [0x6a],
  i32Sub: [0x6b],
} as const;

type Code = readonly number[];

/** The module's bytes. It exports `memory` and `absorb(blocks: i32)`, which absorbs whole blocks from the input area. */
export function assembleKeccak(): Uint8Array<ArrayBuffer> {
  const types = section(1, vector([[0x60, 1, 0x7f, 0]]));
  const functions = section(3, vector([[0]]));
  const memory = section(5, vector([[0, 1]]));
  const exports = section(
    7,
    vector([
      [...text('memory'), 2, 0],
      [...text('absorb'), 0, 0],
    ]),
  );
  const code = section(
    10,
    vector([
      sized([
        ...vector([
          [2, 0x7f],
          [60, 0x7e],
        ]),
        ...absorb(),
        ...op.end,
      ]),
    ]),
  );
  const data = section(
    11,
    vector([[0, ...i32Const(keccakMemory.roundConstants), ...op.end, ...sized(roundConstants())]]),
  );
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...types,
    ...functions,
    ...memory,
    ...exports,
    ...code,
    ...data,
  ]);
}

/** i32 locals: the parameter, where the next block starts, where the next round constant stands. */
const blocks = 0;
const input = 1;
const round = 2;
/** i64 locals: the lanes, by position x + 5y; the lanes after the rotations; a column each; a column's change. */
const lane = (position: number) => 3 + position;
const moved = (position: number) => 28 + position;
const column = (x: number) => 53 + (x % 5);
const change = (x: number) => 58 + (x % 5);

function absorb(): Code {
  const all = range(25);
  return [
    ...all.flatMap((at) => [...i32Const(0), ...load(keccakMemory.state + at * 8), ...set(lane(at))]),
    ...i32Const(keccakMemory.input),
    ...set(input),
    ...op.loop,
    ...range(keccakRate / 8).flatMap((at) => [
      ...get(lane(at)),
      ...get(input),
      ...load(at * 8),
      ...op.xor,
      ...set(lane(at)),
    ]),
    ...i32Const(keccakMemory.roundConstants),
    ...set(round),
    ...op.loop,
    ...theta(),
    ...rhoAndPi(),
    ...chi(),
    ...[...get(lane(0)), ...get(round), ...load(0), ...op.xor, ...set(lane(0))],
    ...[...get(round), ...i32Const(8), ...op.i32Add, ...set(round)],
    ...[
      ...get(round),
      ...i32Const(keccakMemory.roundConstants + 24 * 8),
      ...op.i32Sub,
      ...op.branchIf,
      ...op.end,
    ],
    ...[...get(input), ...i32Const(keccakRate), ...op.i32Add, ...set(input)],
    ...[...get(blocks), ...i32Const(1), ...op.i32Sub, ...tee(blocks), ...op.branchIf, ...op.end],
    ...all.flatMap((at) => [...i32Const(0), ...get(lane(at)), ...store(keccakMemory.state + at * 8)]),
  ];
}

function theta(): Code {
  return [
    ...range(5).flatMap((x) => [
      ...get(lane(x)),
      ...[1, 2, 3, 4].flatMap((y) => [...get(lane(x + 5 * y)), ...op.xor]),
      ...set(column(x)),
    ]),
    ...range(5).flatMap((x) => [
      ...get(column(x + 4)),
      ...get(column(x + 1)),
      ...rotate(1),
      ...op.xor,
      ...set(change(x)),
    ]),
  ];
}

/** Each lane, with its column's change, rotated by its own amount and moved to its next place. */
function rhoAndPi(): Code {
  return range(25).flatMap((position) => {
    const [x, y] = [position % 5, Math.floor(position / 5)];
    const target = y + 5 * ((2 * x + 3 * y) % 5);
    const rotation = rotations()[position] ?? 0;
    return [...get(lane(position)), ...get(change(x)), ...op.xor, ...rotate(rotation), ...set(moved(target))];
  });
}

function chi(): Code {
  return range(25).flatMap((position) => {
    const row = position - (position % 5);
    const [one, two] = [row + ((position + 1) % 5), row + ((position + 2) % 5)];
    const notOne = [...get(moved(one)), 0x42, 0x7f, ...op.xor];
    return [
      ...get(moved(position)),
      ...notOne,
      ...get(moved(two)),
      ...op.and,
      ...op.xor,
      ...set(lane(position)),
    ];
  });
}

function rotations(): readonly number[] {
  const amounts = Array.from({ length: 25 }, () => 0);
  let [x, y] = [1, 0];
  for (const step of range(24)) {
    amounts[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return amounts;
}

/** Little-endian; the bits come from a shift register with feedback. */
function roundConstants(): Code {
  let register = 1;
  return range(24).flatMap(() => {
    let constant = 0n;
    for (const bit of range(7)) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = (register << 1) ^ (register >> 7 ? 0x171 : 0);
    }
    return range(8).map((byte) => Number((constant >> BigInt(8 * byte)) & 0xffn));
  });
}

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const tee = (local: number): Code => [0x22, local];
const load = (offset: number): Code => [0x29, 3, ...unsigned(offset)];
const store = (offset: number): Code => [0x37, 3, ...unsigned(offset)];
const rotate = (bits: number): Code => [0x42, ...signed(bits), 0x89];
const i32Const = (value: number): Code => [0x41, ...signed(value)];

const section = (id: number, content: Code): Code => [id, ...sized(content)];
const sized = (content: Code): Code => [...unsigned(content.length), ...content];
const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const text = (value: string): Code => sized([...new TextEncoder().encode(value)]);

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** LEB128 of a number that is not negative. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
