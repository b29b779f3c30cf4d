import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { useTitle } from '../parts/title.ts';
import { openKey } from '../service/client.ts';
import { changeSession } from '../service/sessionChange.ts';
import { texts } from '../texts/texts.ts';

type LoginPageProps = {
  /** Whether a session has ended while the page was open. */
  readonly hasEnded: boolean;
};

/** Opens a session with an API key, which is sent once and stored nowhere. */
export function LoginPage({ hasEnded }: LoginPageProps) {
  useTitle(texts.login.title);
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await openKey(key.trim()).sessions.create({ label: texts.login.sessionLabel });
      setKey('');
      await changeSession('key');
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="gate">
      <form class="stack" onSubmit={enter}>
        <p class="brand">{texts.brand}</p>
        <h1>{texts.login.title}</h1>
        {hasEnded && <Note kind="warn">{texts.login.ended}</Note>}
        <p class="soft">{texts.login.lead}</p>
        <Field label={texts.login.key} hint={texts.login.keyHint}>
          <TextInput type="password" value={key} onInput={setKey} mono required />
        </Field>
        {error !== undefined && <Failure error={error} />}
        <p>
          <Button submit kind="primary" disabled={isBusy || key.trim() === ''}>
            {isBusy ? texts.loading : texts.login.enter}
          </Button>
        </p>
        <p>
          <a href="/console/awaiting">{texts.login.withWallet}</a>
        </p>
      </form>
    </main>
  );
}
