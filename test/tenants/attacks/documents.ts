import { type Attack, flood, long, post, times } from './attack.ts';
import { buildDocument, named } from './document.ts';

/** Sends documents to every route that takes one. */
function withDocuments(name: string, build: () => object[]): Attack {
  return {
    name,
    run(scene) {
      const { chainId } = scene;
      const requests = build().flatMap((agreement) => [
        post('/agreements/validate-template', agreement),
        post('/agreements/validate', { agreement, chainId }),
        post('/agreements/simulate', { agreement, chainId, steps: [{ inputId: 'go', values: {}, by: 'a' }] }),
        post('/agreements/deploy-typed-data', { agreement, chainId, signer: `0x${'1'.repeat(40)}` }),
      ]);
      return flood(scene, requests);
    },
  };
}

function buildActions({ inputs }: { inputs: unknown[] }) {
  return buildDocument({
    execution: {
      actions: times(8, (at) => ({
        id: `a${at}`,
        when: { from: 'A', input: 'go' },
        call: {
          type: 'evmCall',
          target: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
          abi: [{ type: 'function', name: 'f', inputs }],
          method: 'f',
          args: times(inputs.length, () => []),
        },
      })),
    },
  });
}

/** Documents with costly texts, names, patterns and types. */
export const documents: readonly Attack[] = [
  withDocuments('names of combining characters', () => [
    buildDocument({ variables: named(512, (at) => `${at}${long('\u0301', 100)}`) }),
  ]),
  withDocuments('names that differ by their normal form alone', () => [
    buildDocument({ variables: named(512, (at) => `${at % 2 ? 'é' : 'e\u0301'}${Math.floor(at / 2)}`) }),
  ]),
  withDocuments('names that objects have by themselves', () => [
    buildDocument({
      variables: JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"},"\\ud800":{"type":"string"}}',
      ),
    }),
  ]),
  withDocuments('names of right-to-left marks and nulls', () => [
    buildDocument({ variables: named(512, (at) => `\u202e\u0000${at}`) }),
  ]),
  withDocuments('references within references', () => [
    buildDocument({
      variables: named(2, (at) => `v${at}`),
      data: long(`\${variables.\${variables.v0}}`, 15_000),
    }),
  ]),
  withDocuments('references without an end', () => [buildDocument({ data: long(`\${variables.`, 40_000) })]),
  withDocuments('references that begin again and again', () => [
    buildDocument({ data: `${long('${', 200_000)}}` }),
  ]),
  withDocuments('values that refer to one another', () => [
    buildDocument({
      variables: named(512, (at) => `v${at}`),
      execution: {
        initialize: {
          initialState: 'A',
          data: Object.fromEntries(times(512, (at) => [`v${at}`, `\${variables.v${(at + 1) % 512}}`])),
        },
      },
    }),
  ]),
  withDocuments('patterns that backtrack', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(128, (at) => [`v${at}`, { type: 'string', validation: { pattern: '^(((a+)+)+)+$' } }]),
      ),
    }),
  ]),
  withDocuments('patterns of many alternatives', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(100, (at) => [
          `v${at}`,
          { type: 'string', validation: { pattern: times(900, (each) => `a${each}`).join('|') } },
        ]),
      ),
    }),
  ]),
  withDocuments('patterns that look behind and repeat themselves', () => [
    buildDocument({
      variables: Object.fromEntries(
        times(128, (at) => [
          `v${at}`,
          { type: 'string', validation: { pattern: '(?<=(a+))(b*)\\2{1,1000}\\p{L}{1000}' } },
        ]),
      ),
    }),
  ]),
  withDocuments('tuples within tuples', () => {
    const nest = (depth: number): object =>
      depth === 0
        ? { name: 'x', type: 'uint256' }
        : { name: 'x', type: 'tuple[]', components: [nest(depth - 1)] };
    return [buildActions({ inputs: [nest(28)] }), buildActions({ inputs: times(200, () => nest(2)) })];
  }),
  withDocuments('arrays of types without end', () => [
    buildActions({ inputs: [{ name: 'x', type: `uint256${long('[]', 10_000)}` }] }),
    buildActions({ inputs: [{ name: 'x', type: 'uint256[99999999999999999999]' }] }),
    buildActions({ inputs: [{ name: 'x', type: `uint256${long('[9]', 60)}` }] }),
  ]),
  withDocuments('quotes within quotes', () => [
    buildDocument({ data: long('>', 100_000) }),
    buildDocument({ data: long('- ', 100_000) }),
  ]),
  withDocuments('conditions of every input in every state', () => [
    buildDocument({
      execution: {
        states: Object.fromEntries(times(256, (at) => [`s${at}`, {}])),
        inputs: Object.fromEntries(times(256, (at) => [`i${at}`, { data: {} }])),
        initialize: { initialState: 's0', data: {} },
        transitions: times(256, (at) => ({
          from: `s${at}`,
          to: `s${(at * 7) % 256}`,
          conditions: times(64, (each) => ({ input: `i${(at + each) % 256}` })),
        })),
      },
    }),
  ]),
];
