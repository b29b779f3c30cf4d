import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Note } from '../parts/note.tsx';
import { useTitle } from '../parts/title.ts';
import { service } from '../service/client.ts';
import { takeFragmentSecret } from '../service/fragmentSecret.ts';
import { texts } from '../texts/texts.ts';

/** Read as soon as the page exists, before anything else can see the address. */
const secret = location.pathname === '/console/enter' ? takeFragmentSecret('agp_') : undefined;
let opening: Promise<unknown> | undefined;

/** Logs a browser in with a portal link, which is valid once. */
export function EnterPage() {
  useTitle(texts.enter.title);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (secret === undefined) return;
    opening ??= service.sessions.create({ link: secret });
    opening.then(() => location.replace('/console/agreements'), setError);
  }, []);
  return (
    <main class="gate">
      <div class="stack">
        <h1>{texts.enter.title}</h1>
        {secret === undefined ? (
          <Note kind="bad">{texts.enter.noLink}</Note>
        ) : error === undefined ? (
          <Loading lines={1} />
        ) : (
          <Failure error={error} />
        )}
        <p>
          <a href="/console/agreements">{texts.enter.withKey}</a>
        </p>
      </div>
    </main>
  );
}
