import { useEffect, useState } from 'preact/hooks';
import type { AgreementEvent } from '../../../client/src/types.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Loading } from '../parts/loading.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { readEvents, type Standing } from '../service/eventStream.ts';
import { gather } from '../service/gather.ts';
import { texts } from '../texts/texts.ts';
import { describeEvent } from '../webhooks/describeEvent.ts';

const words = texts.events;
/** The most events that a browser holds comfortably; earlier ones are in the feed. */
const kept = 2_000;
const shownAtOnce = 100;
const drawingRestMs = 60;

/** The feed from its beginning, newest first, live. */
export function EventsPage() {
  useTitle(words.title);
  const { events, standing, error } = useFeed();
  const [count, setCount] = useState(shownAtOnce);
  const [needle, setNeedle] = useState('');
  const wanted = needle.trim().toLocaleLowerCase();
  const rows = events.filter((event) =>
    [event.data.agreementName, event.data.agreementId, event.type, describeEvent(event)].some((text) =>
      text.toLocaleLowerCase().includes(wanted),
    ),
  );
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        {error === undefined && (
          <span role="status" class={standing === 'live' ? 'tag good' : 'tag'}>
            {standing === undefined ? words.connecting : words.standings[standing]}
          </span>
        )}
      </div>
      <p class="lead">{words.lead}</p>
      {error !== undefined && <Failure error={error} />}
      {(error === undefined || events.length > 0) && (
        <div class="filters">
          <Field label={words.filter} hint={words.filterHint} wide>
            <TextInput type="search" value={needle} onInput={setNeedle} />
          </Field>
        </div>
      )}
      {rows.length === 0 ? (
        error === undefined &&
        (events.length > 0 ? (
          <p class="empty">{words.none}</p>
        ) : standing === 'live' || standing === 'lost' ? (
          <p class="empty">{standing === 'live' ? words.empty : words.unreadable}</p>
        ) : (
          <Loading lines={8} />
        ))
      ) : (
        <Table
          caption={words.caption}
          keyOf={({ id }) => id}
          rows={rows.slice(0, count)}
          columns={[
            { title: words.when, show: ({ createdAt }) => <Time at={createdAt} form="clock" /> },
            {
              title: words.agreement,
              isTitle: true,
              show: ({ data }) => (
                <a class="name" dir="auto" href={`/console/agreements/${data.agreementId}`}>
                  {showUnseen(data.agreementName)}
                </a>
              ),
            },
            {
              title: words.what,
              show: (event) => (
                <span class="written event" dir="auto">
                  {showUnseen(describeEvent(event))}
                </span>
              ),
            },
            {
              title: words.type,
              show: ({ type }) => <span class="soft small unbroken">{texts.webhooks.typeNames[type]}</span>,
            },
          ]}
        />
      )}
      {rows.length > count && (
        <p class="section">
          <Button onPress={() => setCount(count + shownAtOnce)}>{words.earlier}</Button>
          <span class="printed">{texts.unprinted}</span>
        </p>
      )}
    </>
  );
}

/** All events, gathered before they are shown, so that a thousand at once cost two drawings. */
function useFeed() {
  const [events, setEvents] = useState<readonly AgreementEvent[]>([]);
  const [standing, setStanding] = useState<Standing>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    const fresh = gather<AgreementEvent>({
      restMs: drawingRestMs,
      handOver: (gathered) => setEvents((known) => [...gathered.toReversed(), ...known].slice(0, kept)),
    });
    readEvents({ after: '', signal: stop.signal, onStanding: setStanding, onEvent: fresh.add }).catch(
      setError,
    );
    return () => {
      stop.abort();
      fresh.stop();
    };
  }, []);
  return { events, standing, error };
}
