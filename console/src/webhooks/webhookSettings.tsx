import { useMutation, useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import type { AgreementEvent, Webhook } from '../../../client/src/types.ts';
import { Button } from '../parts/button.tsx';
import { useDebounced } from '../parts/debounced.ts';
import { Failure } from '../parts/failure.tsx';
import { Field, TextInput } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';
import { type FilterName, filterNames, matches } from './describeEvent.ts';
import { type EventType, EventTypes } from './eventTypes.tsx';

const words = texts.webhook;
const triedEvents = 500;

type WebhookSettingsProps = {
  readonly webhook: Webhook;
  readonly mayWrite: boolean;
  /** Resolves once `webhook` has what was saved. */
  readonly onSaved: () => Promise<void>;
};

type Settings = {
  readonly types: readonly EventType[];
  /** One value a line. */
  readonly lines: Readonly<Record<FilterName, string>>;
};

/**
 * A subscription's types and filters, with the past events that they would have matched. What is typed stays until it is
 * saved, whatever else changes the subscription meanwhile.
 */
export function WebhookSettings({ webhook, mayWrite, onSaved }: WebhookSettingsProps) {
  const [typed, setTyped] = useState<Settings>();
  const saved = useMemo(
    (): Settings => ({ types: webhook.eventTypes, lines: writeFilters(webhook.filters) }),
    [webhook],
  );
  const settings = typed ?? saved;
  const { types, lines } = settings;
  const filters = readFilters(useDebounced(lines, 300));
  const past = useQuery({ queryKey: ['past events'], queryFn: readPast, staleTime: 30_000 });
  const save = useMutation({
    mutationFn: (sent: Settings) =>
      service.webhooks.update(webhook.id, { eventTypes: [...sent.types], filters: readFilters(sent.lines) }),
    async onSuccess(_, sent) {
      await onSaved();
      setTyped((now) => (now === sent ? undefined : now));
    },
  });
  const change = (changes: Partial<Settings>) => {
    setTyped({ ...settings, ...changes });
    save.reset();
  };
  const matched = past.data?.filter((event) => matches(event, { eventTypes: types, filters })).length;
  return (
    <section class="section">
      <h2>{words.settings}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(settings);
        }}
      >
        <EventTypes chosen={types} onChange={(next) => change({ types: next })} />
        <h3>{words.filters}</h3>
        <p class="soft small">{words.filterHint}</p>
        <div class="filters even">
          {filterNames.map((name) => (
            <Field key={name} label={words.filterNames[name]}>
              <TextInput
                value={lines[name]}
                onInput={(text) => change({ lines: { ...lines, [name]: text } })}
                rows={2}
                mono
              />
            </Field>
          ))}
        </div>
        <Note>
          {matched === undefined ? words.previewing : words.preview(matched, past.data?.length ?? 0)}
        </Note>
        {mayWrite && (
          <p>
            <Button submit kind="primary" disabled={save.isPending || types.length === 0}>
              {words.save}
            </Button>{' '}
            {save.isSuccess && <span role="status">{words.saved}</span>}
          </p>
        )}
        {save.error && <Failure error={save.error} />}
      </form>
    </section>
  );
}

const emptyFilters: Readonly<Record<FilterName, string>> = {
  agreementIds: '',
  templateIds: '',
  inputIds: '',
  fromStates: '',
  toStates: '',
  ruleIds: '',
};

function writeFilters(filters: Webhook['filters']): Record<FilterName, string> {
  const lines = { ...emptyFilters };
  for (const name of filterNames) lines[name] = (filters?.[name] ?? []).join('\n');
  return lines;
}

function readFilters(lines: Readonly<Record<FilterName, string>>): Partial<Record<FilterName, string[]>> {
  const filters: Partial<Record<FilterName, string[]>> = {};
  for (const name of filterNames) {
    const values = lines[name].split('\n').map((line) => line.trim());
    const given = values.filter((value) => value !== '');
    if (given.length > 0) filters[name] = given;
  }
  return filters;
}

/** The first events of the feed, for trying filters. */
async function readPast(): Promise<AgreementEvent[]> {
  const found: AgreementEvent[] = [];
  for await (const event of service.events.list({ limit: 100 })) if (found.push(event) >= triedEvents) break;
  return found;
}
