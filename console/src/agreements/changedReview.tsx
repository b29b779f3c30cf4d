import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';

const words = texts.act;

type ChangedReviewProps = {
  /** Whether the wallet has signed what was reviewed; then it was not sent. */
  readonly isSigned: boolean;
  readonly onReview: () => void;
};

/** Stands in place of a review once the agreement has changed, so that nobody signs by it. */
export function ChangedReview({ isSigned, onReview }: ChangedReviewProps) {
  return (
    <>
      <Note kind="warn">{isSigned ? words.changedUnsent : words.changed}</Note>
      <p>
        <Button kind="primary" onPress={onReview}>
          {words.reviewAgain}
        </Button>
      </p>
    </>
  );
}
