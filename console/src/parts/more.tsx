import type { Next } from '../service/useNext.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';

type MoreProps = { readonly next: Next | undefined };

/** Below a list that may go on. Another press would begin the request anew. */
export function More({ next }: MoreProps) {
  if (!next) return null;
  const { show, isBusy, error } = next;
  return (
    <div class="section stack">
      {!isBusy && error ? <Failure error={error} /> : null}
      <p>
        <Button onPress={show} disabled={isBusy}>
          {isBusy ? texts.loading : texts.more}
        </Button>
      </p>
      <p class="printed">{texts.unprinted}</p>
    </div>
  );
}
