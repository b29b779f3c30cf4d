import { pick } from '../../support/random.ts';

/** Texts that often break parsers, stores and pages. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202e\u2066',
  '💥'.repeat(300),
  'é\u0301'.repeat(50),
  'A'.repeat(5_000),
  '../../etc/passwd',
  '%00',
  '%',
  '%E0%A4%A',
  `' or 1=1 --`,
  `"; drop table service.records; --`,
  `\${variables.landlord}`,
  `\${constructor.constructor('return process')()}`,
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '1e400',
  '0x',
  '0x0',
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(40)}`,
  `0x${'A'.repeat(40)}`,
  '9'.repeat(400),
  '-1',
  '1.5',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '2026-01-31',
  '(a+)+$',
  'http://127.0.0.1:9/x',
  'http://[::1]/',
  'http://user:pw@203.0.113.1/',
  'ftp://203.0.113.1/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  '\r\nset-cookie: a=b',
  'agr_',
  `agr_${'0'.repeat(32)}`,
  `wh_${'0'.repeat(32)}`,
];

const hostileNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 2 ** 63, 2 ** 64, 1e21, 1e308, -1e308];

/** Numbers in JSON text that `JSON.stringify` never writes. */
const rawTokens = ['1e400', '-1e400', `${'9'.repeat(400)}`, '0.0000000000000000000001', '1E+2'];

/** A value of any kind, often of a wrong kind. */
export function pickHostile(random: () => number): unknown {
  const kind = random();
  if (kind < 0.45) return pick(random, hostileTexts);
  if (kind < 0.65) return pick(random, hostileNumbers);
  if (kind < 0.75) return pick(random, [null, true, false]);
  if (kind < 0.82) return [];
  if (kind < 0.88) return {};
  if (kind < 0.92) return nest(pick(random, [3, 60, 66, 70, 500]), random() < 0.5);
  if (kind < 0.96) return Object.fromEntries(hostileTexts.slice(27, 32).map((name) => [name, { a: 1 }]));
  return new Array(pick(random, [2, 257, 3_000])).fill(pick(random, hostileTexts.slice(0, 8)));
}

function nest(depth: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
}

/** A damaged body text, which may be no JSON at all. */
export function breakText(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const breakages = [
    () => text.slice(0, at),
    () => '',
    () => `${text}x`,
    () => `\ufeff${text}`,
    () => text.replace('{', '{"__proto__": {"isAdmin": true}, '),
    () => text.replace('{', '{"chainId": 1, "agreement": 1, '),
    () => text.replace(/"(\w+)":/, '"$1": 1, "$1":'),
    () => text.replace(/:\s*-?\d+(?=[,}])/, `: ${pick(random, rawTokens)}`),
    () => text.replaceAll('"', "'"),
    () => '['.repeat(20_000),
    () => `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
    () => text.replace(/"(\w)/, '"\\ud800$1'),
    () => text.replace(/"(\w)/, '"\\u0000$1'),
    () => `"${'a'.repeat(1_100_000)}"`,
    () => 'null',
    () => '[]',
    () => '"text"',
  ];
  return pick(random, breakages)();
}
