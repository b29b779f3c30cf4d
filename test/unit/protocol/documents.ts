import { readFileSync } from 'node:fs';
import type { Address, Hex } from 'viem';

export const alice: Address = '0x9eF3c438990a6d82dc434A0174522E960cf3FaaC';
export const bob: Address = '0xE1FCbC939Ef52E7e24Bf558175f4Dc0959755EB5';
export const someHash: Hex = `0x${'5a'.repeat(32)}`;

/** The document with this name beside the frozen vectors, newly parsed. */
export function readDocument(name: 'escrow' | 'payroll'): unknown {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.agreement.json`, import.meta.url), 'utf8'));
}

type Parts = {
  metadata?: unknown;
  variables?: unknown;
  contracts?: unknown;
  content?: unknown;
  states?: unknown;
  inputs?: unknown;
  transitions?: unknown;
  actions?: unknown;
  initialState?: unknown;
  data?: unknown;
};

/** A valid document with two states and one input that anyone may submit. Given parts replace its own. */
export function buildDocument(parts: Parts = {}) {
  const {
    metadata,
    variables,
    contracts,
    content,
    states,
    inputs,
    transitions,
    actions,
    initialState,
    data,
  } = {
    metadata: { templateId: 'did:template:test' },
    variables: { owner: { type: 'address' }, amount: { type: 'uint256' }, note: { type: 'string' } },
    contracts: undefined,
    content: undefined,
    states: { A: {}, B: {} },
    inputs: { go: { data: {}, issuer: null } },
    transitions: [{ from: 'A', to: 'B', conditions: [{ input: 'go' }] }],
    actions: undefined,
    initialState: 'A',
    data: undefined,
    ...parts,
  };
  const execution = { states, initialize: { initialState, data }, inputs, transitions, actions };
  const document: unknown = JSON.parse(
    JSON.stringify({ metadata, variables, contracts, content, execution }),
  );
  return document;
}

/** A document whose input `go` has these fields. */
export function documentWithFields(fields: object, variables: object = {}) {
  return buildDocument({ variables, inputs: { go: { data: fields } } });
}

/** A document whose input `go` has this issuer. */
export function documentWithIssuer(issuer: unknown) {
  return buildDocument({ inputs: { go: { data: {}, issuer } } });
}
