import { useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';

type MoreProps = {
  /** Resolves with the error, if it fails. */
  readonly onMore: (() => Promise<unknown>) | undefined;
};

/** Below a list that may go on. Another press would begin the request anew. */
export function More({ onMore }: MoreProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  if (!onMore) return null;
  const show = async () => {
    setBusy(true);
    setError(undefined);
    setError(await onMore());
    setBusy(false);
  };
  return (
    <div class="section stack">
      {error ? <Failure error={error} /> : null}
      <p>
        <Button onPress={() => void show()} disabled={isBusy}>
          {isBusy ? texts.loading : texts.more}
        </Button>
      </p>
    </div>
  );
}
