import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileAgreement } from '../../../src/protocol/index.ts';

const directory = fileURLToPath(new URL('../../../examples/agreements/', import.meta.url));
const files = readdirSync(directory).filter((name) => name.endsWith('.json'));

const shape = z.object({
  variables: z.record(z.string(), z.object({ type: z.string(), subtype: z.string().optional() })),
  content: z.object({ data: z.string() }),
  execution: z.object({
    initialize: z.object({ initialState: z.string() }),
    states: z.record(z.string(), z.object({ description: z.string() })),
    inputs: z.record(z.string(), z.unknown()),
    transitions: z.array(
      z.object({ from: z.string(), to: z.string(), conditions: z.tuple([z.object({ input: z.string() })]) }),
    ),
  }),
});

const sample: Record<string, string | boolean> = {
  address: '0x00000000000000000000000000000000000000a1',
  uint256: '1000',
  bool: true,
  string: 'a text of some length',
  dateTime: '2026-06-01T00:00:00Z',
  signature: 'signed',
  bytes32: `0x${'ab'.repeat(32)}`,
  txHash: `0x${'cd'.repeat(32)}`,
};

describe.each(files)('%s', (file) => {
  const document: unknown = JSON.parse(readFileSync(`${directory}${file}`, 'utf8'));
  const { variables, content, execution } = shape.parse(document);

  test('compiles, with each input on the chain', () => {
    const values = Object.fromEntries(
      Object.entries(variables).map(([name, { type }]) => [name, sample[type] ?? '']),
    );
    const { inputDefs, transitions } = compileAgreement(document, {
      docUri: 'https://example.com/d',
      values,
    });
    expect(inputDefs).toHaveLength(Object.keys(execution.inputs).length);
    expect(transitions).toHaveLength(execution.transitions.length);
  });

  test('has two participants, and every state can be reached', () => {
    const participants = Object.values(variables).filter(({ subtype }) => subtype === 'participant');
    expect(participants).toHaveLength(2);
    const reached = new Set([execution.initialize.initialState]);
    for (const state of reached) {
      for (const { from, to } of execution.transitions) if (from === state) reached.add(to);
    }
    expect([...reached].sort()).toEqual(Object.keys(execution.states).sort());
    expect(reached.size).toBeGreaterThanOrEqual(4);
  });

  test('its text names only variables that it has', () => {
    const named = [...content.data.matchAll(/\$\{variables\.(\w+)/g)].map(([, name]) => name);
    expect(named.filter((name) => name === undefined || !(name in variables))).toEqual([]);
  });
});
