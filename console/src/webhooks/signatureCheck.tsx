import { useState } from 'preact/hooks';
import { verifyWebhook, WebhookVerificationError } from '../../../client/src/webhooks/verifyWebhook.ts';
import { Button } from '../parts/button.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';

const words = texts.webhookCheck;
const century = 3_200_000_000;
type Result = { readonly event: string } | { readonly reason: string };

/** Checks whether this service sent a pasted request; entirely in this browser. */
export function SignatureCheck() {
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const [secret, setSecret] = useState('');
  const [isOldTaken, setOldTaken] = useState(true);
  const [result, setResult] = useState<Result>();
  const check = async (event: Event) => {
    event.preventDefault();
    try {
      const options = isOldTaken ? { toleranceSeconds: century } : {};
      const found = await verifyWebhook(body, readHeaders(headers), secret.trim(), options);
      setResult({ event: JSON.stringify(found, null, 2) });
    } catch (error) {
      const known = error instanceof WebhookVerificationError ? words.reasons[error.reason] : undefined;
      setResult({ reason: known ?? (error instanceof Error ? error.message : String(error)) });
    }
  };
  return (
    <section class="section">
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <form class="stack unprinted" onSubmit={check}>
        <Field label={words.headers} hint={words.headersHint}>
          <TextInput value={headers} onInput={setHeaders} rows={4} mono required />
        </Field>
        <Field label={words.body}>
          <TextInput value={body} onInput={setBody} rows={4} mono required />
        </Field>
        <Field label={words.secret}>
          <TextInput type="password" value={secret} onInput={setSecret} mono required />
        </Field>
        <label class="row">
          <input
            type="checkbox"
            checked={isOldTaken}
            onChange={(event) => setOldTaken(event.currentTarget.checked)}
          />
          {words.old}
        </label>
        <p>
          <Button submit>{words.check}</Button>
        </p>
      </form>
      {result && 'event' in result && (
        <Note kind="good">
          <p>{words.good}</p>
          <pre>{result.event}</pre>
        </Note>
      )}
      {result && 'reason' in result && (
        <Note kind="bad">
          <p>{words.bad}</p>
          <p>{result.reason}</p>
        </Note>
      )}
    </section>
  );
}

function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':', 1);
      return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]];
    }),
  );
}
