import { times } from './attack.ts';

const field = { type: 'string', validation: { required: false } };

/** A valid document except for the given parts. */
export function buildDocument(parts: { variables?: unknown; data?: string; execution?: object } = {}) {
  const { variables = {}, data = '', execution = {} } = parts;
  return {
    metadata: { templateId: 'did:template:attack' },
    variables,
    content: { type: 'md', data },
    execution: {
      initialize: { initialState: 'A', data: {} },
      states: { A: {}, B: {} },
      inputs: { go: { data: { a: field } } },
      transitions: [{ from: 'A', to: 'B', conditions: [{ input: 'go' }] }],
      ...execution,
    },
  };
}

export const named = (count: number, nameOf: (at: number) => string) =>
  Object.fromEntries(times(count, (at) => [nameOf(at), field]));
