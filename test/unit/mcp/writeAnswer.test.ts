import { expect, test } from 'vitest';
import { z } from 'zod';
import { writeAnswer } from '../../../src/api/mcp/writeAnswer.ts';

const sizes = [500, 700, 1_000, 2_000, 8_000];

/** 20 members on each level, so that no bound of lists and maps makes it shorter. */
function buildTree(depth: number, leaf: unknown): unknown {
  if (depth === 0) return leaf;
  const names = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index));
  return Object.fromEntries(names.map((name) => [name, buildTree(depth - 1, leaf)]));
}

const write = async (data: Record<string, unknown>, maxTokens?: number, text = 'x') => {
  const result = await writeAnswer({ text, data, maxTokens });
  const shape = z.object({
    structuredContent: z.looseObject({ omitted: z.array(z.string()).default([]) }),
    content: z.tuple([z.object({ text: z.string() }), z.object({ text: z.string() })]),
  });
  const { structuredContent, content } = shape.parse(result);
  const { omitted, ...shown } = structuredContent;
  return {
    tokens: JSON.stringify(result).length / 4,
    shown,
    omitted,
    texts: [content[0].text, content[1].text] as const,
  };
};

test('names chosen by the parties protect nothing from being shortened', async () => {
  const long = 'SYSTEM: x '.repeat(6_000);
  for (const name of ['url', 'address', 'id', 'means', 'digest', 'typedData', 'nextCursor', 'quotedCall']) {
    const values = { [name]: long, deeper: [{ [name]: { [name]: long } }] };
    const { tokens, shown, omitted } = await write({ quotedValues: values, agreementId: 'agr_1' });
    expect(tokens, name).toBeLessThanOrEqual(2_000);
    expect(shown).toMatchObject({ agreementId: 'agr_1', quotedValues: { deeper: [{}] } });
    expect(omitted[0]).toMatch(new RegExp(`^quotedValues\\.${name}: \\d+ of 60000 characters$`));
  }
});

test('the largest quoted members are left out if nothing else makes an answer fit', async () => {
  const data = { quotedName: 'Tree', quotedJson: { metadata: buildTree(3, 1) }, quotedValues: { a: '1' } };
  for (const maxTokens of sizes) {
    const { tokens, shown, omitted } = await write(data, maxTokens);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    expect(shown).toEqual({ quotedName: 'Tree', quotedJson: {}, quotedValues: { a: '1' } });
    expect(omitted).toEqual(['quotedJson: left out']);
  }
  const named = { [`${'n'.repeat(40_000)}`]: 1 };
  expect((await write({ next: [{ fields: [{ quotedValidation: named }] }] })).shown).toEqual({
    next: [{ fields: [{ quotedValidation: {} }] }],
  });
});

test('an answer keeps its size with the longest names, lists and sentences', async () => {
  for (const character of ['x', '"', '\u0001', '\ud800', '\u2028', '\u{e0152}']) {
    const name = character.repeat(3_000);
    const map = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${name}${index}`, name]));
    const many = (item: unknown) => Array.from({ length: 30 }, () => item);
    const [address, at] = [`0x${'b'.repeat(40)}`, '2026-01-01T00:00:00.000Z'];
    const data = {
      ...{
        agreementId: `agr_${'c'.repeat(26)}`,
        quotedName: name,
        status: 'Deployed',
        chainId: 59_141,
        address,
      },
      ...{ owner: address, state: name, quotedState: name, isFinal: false, blockNumber: 12_345_678 },
      ...{
        updatedAt: at,
        quotedValues: map,
        quotedDocument: name,
        quotedJson: { a: map },
        documentId: name.slice(0, 9),
      },
      participants: many({ variable: name, wallet: address }),
      next: many({
        ...{ inputId: name, by: many(name), wallets: many(address), anyone: false, leadsTo: name },
        ...{ quotedLeadsTo: name, followedBy: many(name) },
        fields: many({ name, type: 'participant', required: true, quotedValidation: map }),
      }),
      history: {
        inputs: many({
          ...{ inputId: name, status: 'MINED', fromState: name, toState: name, signer: address, at },
          ...{ txHash: `0x${'a'.repeat(64)}`, quotedValues: map, error: name },
        }),
        nextCursor: 'z'.repeat(150),
      },
    };
    for (const maxTokens of sizes) {
      const { tokens, shown } = await write(data, maxTokens, `${JSON.stringify(name)} stands. `.repeat(5));
      expect(tokens, `${JSON.stringify(character)} ${maxTokens}`).toBeLessThanOrEqual(maxTokens);
      expect(Object.keys(shown)).toEqual(Object.keys(data));
    }
  }
});

test('a name stays inside of its quotes where sentences are cut', async () => {
  for (let before = 0; before < 12; before += 1) {
    const sentences = `${'a'.repeat(before)} ${JSON.stringify('\\"\n'.repeat(3_000))} is a name. What to do: nothing.`;
    const { texts, tokens } = await write({ quotedName: 'x'.repeat(9_000) }, 500, sentences);
    expect(tokens).toBeLessThanOrEqual(500);
    expect(texts[0].split('\n')[0]?.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).toMatch(/^a* $/);
  }
});

test('the text of an answer shows every character, and has the same data', async () => {
  const hidden = 'pay \u202e09\u2028SYSTEM: x\u{e0041}\u{e0152}\u3164';
  const { shown, texts } = await write({ quotedName: hidden });
  expect(texts[1]).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(texts[1])).toEqual(shown);
  expect(shown).toEqual({ quotedName: hidden });
});

test('typed data stay whole, and do not make the rest shorter', async () => {
  const typedData = { message: buildTree(3, 1) };
  const { shown, omitted } = await write({ typedData, quotedValues: { memo: 'm'.repeat(1_000) } });
  expect(shown).toEqual({ typedData, quotedValues: { memo: 'm'.repeat(1_000) } });
  expect(omitted).toEqual([]);
});

test('a call of another contract is shown whole or not at all', async () => {
  const quotedCall = { target: 'registry', method: 'set', args: Array.from({ length: 300 }, () => 'x') };
  expect((await write({ quotedCall, quotedValues: { a: 'y'.repeat(9_000) } })).shown).toMatchObject({
    quotedCall,
  });
  const longer = { ...quotedCall, method: 'm'.repeat(9_000) };
  const { shown, omitted } = await write({ quotedCall: longer, quotedValues: { a: 'y' } });
  expect(shown).toEqual({ quotedValues: { a: 'y' } });
  expect(omitted).toEqual(['quotedCall: left out']);
});

test('the time to shorten an answer depends on its limit, not on its length', async () => {
  const [small, large] = [2, 4].map((depth) => ({ quotedJson: { m: buildTree(depth, 'xxxxxxxxx') } }));
  const time = async (data: Record<string, unknown> = {}) => {
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const startedAt = performance.now();
      await write(data, 500);
      times.push(performance.now() - startedAt);
    }
    return Math.min(...times);
  };
  await time(small);
  // Twice the serialisation of the large one alone takes longer.
  expect(await time(large)).toBeLessThan((await time(small)) + 20);
});
