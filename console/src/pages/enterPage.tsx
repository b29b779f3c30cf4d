import { useMutation, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Hex } from '../parts/hex.tsx';
import { Loading } from '../parts/loading.tsx';
import { Note } from '../parts/note.tsx';
import { useTitle } from '../parts/title.ts';
import { service } from '../service/client.ts';
import { takeFragmentSecret } from '../service/fragmentSecret.ts';
import { mayPass } from '../service/pauses.ts';
import { compareWithPresent, type Exchange } from '../service/presentSession.ts';
import { tellSessionChange } from '../service/sessionChange.ts';
import { texts } from '../texts/texts.ts';

const words = texts.enter;

/** Read as soon as the page exists, before anything else can see the address. */
const early = location.pathname === '/console/enter' ? takeFragmentSecret('agp_') : undefined;

/**
 * Logs a browser in with a portal link, which is valid once. A browser that is logged in is asked first. The link is no
 * longer in the address, so after a passing failure it can be tried again here.
 */
export function EnterPage() {
  useTitle(words.title);
  const [link] = useState(() => takeFragmentSecret('agp_') ?? early);
  return (
    <main class="gate">
      <div class="stack">
        {link === undefined ? (
          <>
            <h1>{words.title}</h1>
            <Note kind="bad">{words.noLink}</Note>
            <WayOut />
          </>
        ) : (
          <Entering link={link} />
        )}
      </div>
    </main>
  );
}

function WayOut() {
  return (
    <p>
      <a href="/console/agreements">{words.toConsole}</a>
    </p>
  );
}

function Entering({ link }: { readonly link: string }) {
  const compared = useQuery({
    queryKey: ['enter'],
    queryFn: ({ signal }) => compareWithPresent(link, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const enter = useMutation({
    mutationFn: () => service.sessions.create({ link }),
    onSuccess() {
      tellSessionChange('key');
      location.replace('/console/agreements');
    },
  });
  const isFree = compared.data?.exchange === undefined && compared.isSuccess;
  useEffect(() => {
    if (isFree) enter.mutate();
  }, [isFree]);
  const error = compared.error ?? enter.error;
  const exchange = compared.data?.exchange;
  const tryAgain = () => (compared.error ? void compared.refetch() : enter.mutate());
  return (
    <>
      <h1>{exchange && enter.isIdle ? words.question : words.title}</h1>
      {error ? (
        <>
          <Failure error={error} onRetry={mayPass(error) ? tryAgain : undefined} />
          <WayOut />
        </>
      ) : exchange && enter.isIdle ? (
        <Question exchange={exchange} onEnter={() => enter.mutate()} />
      ) : (
        <Loading lines={1} />
      )}
    </>
  );
}

type QuestionProps = { readonly exchange: Exchange; readonly onEnter: () => void };

/** Shows the present session and the one that the link opens. Nothing has changed yet. */
function Question({ exchange: { present, offered, isStranger }, onEnter }: QuestionProps) {
  const stay = present.principal ? '/console/agreements' : '/console/awaiting';
  return (
    <>
      <Note kind="warn">{isStranger ? words.stranger : words.narrower}</Note>
      <dl class="facts">
        <dt>{words.present}</dt>
        <dd>
          {present.principal && <div dir="auto">{present.principal.name}</div>}
          {present.wallet !== undefined && <Hex value={present.wallet} />}
        </dd>
        <dt>{words.offered}</dt>
        <dd dir="auto">{offered.principal.name}</dd>
        {offered.label !== undefined && (
          <>
            <dt>{words.label}</dt>
            <dd dir="auto">{offered.label}</dd>
          </>
        )}
        <dt>{texts.keys.may}</dt>
        <dd>{offered.capabilities.map((scope) => texts.keys.capabilities[scope]).join(', ')}</dd>
      </dl>
      <p class="row">
        <Button kind="primary" onPress={() => location.replace(stay)}>
          {words.stay}
        </Button>
        <Button onPress={onEnter}>{words.goOn}</Button>
      </p>
      {present.principal && <p class="small soft">{words.replaced}</p>}
    </>
  );
}
