import { expect, test } from 'vitest';
import { Trial } from '../../../../console/src/agreements/trial.tsx';
import { texts } from '../../../../console/src/texts/texts.ts';
import { textOf } from './textOf.ts';

test.each([true, false])(
  'guests, who cannot try an input, read of no simulation (complete: %s)',
  (isReady) => {
    const unknown = { isReady, verdict: undefined, error: null };
    expect(textOf(Trial({ ...unknown, isPossible: false }))).toBe('');
    expect(textOf(Trial({ ...unknown, isPossible: true }))).toBe(
      isReady ? texts.act.simulated : texts.act.fillIn,
    );
  },
);
