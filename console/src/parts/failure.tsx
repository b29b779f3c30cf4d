import { ApiError, ConnectionError, InvalidResponseError } from '../../../client/src/index.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Note } from './note.tsx';

/** The client's own sentence for a status whose answer has no error in it. */
const wordless = /^The answer is \d+ without an error\.$/;

type FailureProps = { readonly error: unknown; readonly onRetry?: (() => void) | undefined };

/** The error in words, with the id by which an operator finds it. */
export function Failure({ error, onRetry }: FailureProps) {
  return (
    <Note kind="bad">
      <p dir="auto">{explainError(error)}</p>
      {error instanceof ApiError && error.details.issues && error.details.issues.length > 1 && (
        <ul>
          {error.details.issues.slice(0, 20).map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {error instanceof ApiError && error.status >= 500 && (
        <p class="small soft">{texts.failure.requestId(error.requestId)}</p>
      )}
      {isMissingModule(error) && (
        <p>
          <Button kind="plain" onPress={() => location.reload()}>
            {texts.failure.reload}
          </Button>
        </p>
      )}
      {onRetry && !isFaulty(error) && (
        <p>
          <Button kind="plain" onPress={onRetry}>
            {texts.failure.again}
          </Button>
        </p>
      )}
    </Note>
  );
}

/** The request itself is wrong, and will be refused whenever it is sent. */
const isFaulty = (error: unknown) => error instanceof ApiError && error.status === 400;

/** A part of the console that is loaded on demand is gone: a new version has files of other names. */
function isMissingModule(error: unknown): boolean {
  return error instanceof TypeError && /\bmodule\b/i.test(error.message);
}

/** The error in one sentence, for readers of the page. */
export function explainError(error: unknown): string {
  if (error instanceof ConnectionError)
    return navigator.onLine ? texts.failure.unreachable : texts.failure.offline;
  if (isMissingModule(error)) return texts.failure.outdated;
  if (error instanceof InvalidResponseError) return texts.failure.between(error.status);
  if (error instanceof ApiError) {
    if (wordless.test(error.message)) return texts.failure.between(error.status);
    const known = error.reason === undefined ? undefined : texts.reasons[error.reason];
    return known === undefined ? error.message : `${known} ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}
