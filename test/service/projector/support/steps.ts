import fc from 'fast-check';

const number = fc.nat(1_000_000);
const event = fc.record({ kind: fc.constantFrom('deploy', 'input', 'input', 'input'), a: number, b: number });
const blocks = fc.array(fc.array(event, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
const of = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), a: number, b: number });

export type EventSeed = { kind: string; a: number; b: number };

/** One step of a history. Its numbers choose among the things that exist at that moment. */
export const stepArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grow' as const), blocks }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 4 }),
      /** Which of the dropped events come back, as bits. */
      kept: fc.nat(255),
      blocks,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('restartIndexer' as const, 'rebuildIndex' as const),
      /** The depth of a reorg while no indexer ran. */
      depth: fc.constantFrom(0, 0, 0, 3, 15),
      blocks,
      shown: fc.constantFrom('all', 'mostly', 'little', 'nothing'),
      /**
       * `early`: an old head, while the backfill has gone on. `partial`: no head, in the middle of the last
       * block.
       */
      head: fc.constantFrom('last', 'early', 'partial'),
    }),
  },
  { weight: 2, arbitrary: of('submitDeployment') },
  { weight: 4, arbitrary: of('submitInput') },
  { weight: 2, arbitrary: of('askForAddress') },
);
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** A step, and the number of the process that folds after it; process 2 is always a new one. */
export const turnArbitrary = fc.record({ step: stepArbitrary, folder: fc.nat(2) });
