import { useQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { ForbiddenError, NotFoundError, UnauthorizedError } from '../../../client/src/index.ts';
import { AgreementView } from '../agreements/agreementView.tsx';
import { nameOfVariable } from '../agreements/naming.ts';
import { guestSource } from '../agreements/source.ts';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { ThemeChoice } from '../parts/themeChoice.tsx';
import { useTitle } from '../parts/title.ts';
import { TitledPage } from '../parts/titledPage.tsx';
import { openLink } from '../service/client.ts';
import { takeFragmentSecret } from '../service/fragmentSecret.ts';
import { lookAfter } from '../service/pauses.ts';
import { texts } from '../texts/texts.ts';

const words = texts.shared;
const keptUnder = 'agreements-link';

/** Stored for this tab only, so that it can be reloaded. */
function findLink(): string | undefined {
  const fresh = takeFragmentSecret('agl_');
  if (fresh !== undefined) sessionStorage.setItem(keptUnder, fresh);
  return fresh ?? sessionStorage.getItem(keptUnder) ?? undefined;
}

/** The agreement of a signing link, for somebody without a session. */
export function SharedPage() {
  const link = useMemo(findLink, []);
  return (
    <>
      <header class="guest-bar">
        <span class="brand">{texts.brand}</span>
        <span>
          <ThemeChoice />
        </span>
      </header>
      <main class="page guest" id="main">
        {link === undefined ? <Closed why={words.noLink} /> : <Opened link={link} />}
      </main>
    </>
  );
}

function Closed({ why }: { readonly why: string }) {
  useTitle(words.title);
  return (
    <TitledPage title={words.title}>
      <Note kind="bad">{why}</Note>
    </TitledPage>
  );
}

function Opened({ link }: { readonly link: string }) {
  const client = useMemo(() => openLink(link), [link]);
  const source = useMemo(() => guestSource(client.shared, 'by link'), [client]);
  const access = useQuery({
    queryKey: ['shared', 'access'],
    queryFn: ({ signal }) => client.shared.get({ signal }),
    refetchInterval: ({ state: { error } }) => lookAfter(30_000, error),
  });
  const isGone = [UnauthorizedError, NotFoundError, ForbiddenError].some(
    (kind) => access.error instanceof kind,
  );
  if (isGone) return <Closed why={words.gone} />;
  const { may, participant, wallet } = access.data?.access ?? {};
  return (
    <>
      {may && (
        <p class="small soft">
          {words.may[may]}{' '}
          {participant !== undefined && wallet !== undefined && (
            <>
              {words.signAs(nameOfVariable(access.data?.json, participant))} <Hex value={wallet} />.
            </>
          )}
        </p>
      )}
      <AgreementView source={source} />
    </>
  );
}
