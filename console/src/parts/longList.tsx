import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** As many as the style sheet leaves of a long list on narrow screens. */
const shortLength = 4;

type LongListProps = {
  readonly length: number;
  /** The list; its items have the class `item`. */
  readonly children: ComponentChildren;
};

/** A list that begins short on narrow screens, with a button that shows the rest. */
export function LongList({ length, children }: LongListProps) {
  const [isOpen, setOpen] = useState(false);
  const isShort = !isOpen && length > shortLength;
  return (
    <div class={isShort ? 'long-list short' : 'long-list'}>
      {children}
      {isShort && (
        <div class="rest">
          <Button kind="plain" onPress={() => setOpen(true)}>
            {texts.showAll(length)}
          </Button>
        </div>
      )}
    </div>
  );
}
