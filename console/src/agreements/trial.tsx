import { explainError } from '../parts/failure.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import type { Verdict } from './source.ts';

const words = texts.act;

type TrialProps = {
  /** Guests cannot try an input. */
  readonly isPossible: boolean;
  readonly isReady: boolean;
  readonly verdict: Verdict | null | undefined;
  readonly error: unknown;
};

/** What the simulation says of an input while it is filled in. */
export function Trial({ isPossible, isReady, verdict, error }: TrialProps) {
  if (!isPossible) return null;
  const said = !isReady
    ? words.fillIn
    : error
      ? explainError(error)
      : verdict?.outcome === 'accepted'
        ? verdict.fromState === verdict.toState
          ? words.wouldStay(verdict.toState)
          : words.wouldMove(verdict.fromState, verdict.toState)
        : verdict?.outcome === 'refused'
          ? `${words.wouldRefuse} ${verdict.message ?? ''}`
          : verdict
            ? words.undecided
            : words.simulated;
  const kind =
    isReady && (error || verdict?.outcome === 'refused')
      ? 'warn'
      : verdict?.outcome === 'accepted'
        ? 'good'
        : undefined;
  return (
    <Note kind={isReady ? kind : undefined}>
      <span dir="auto">{said}</span>
      {verdict?.isExternal && <span>{words.external}</span>}
    </Note>
  );
}
