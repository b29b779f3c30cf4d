import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { More } from '../parts/more.tsx';
import { NewSecret } from '../parts/newSecret.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { service } from '../service/client.ts';
import { queries } from '../service/queries.ts';
import { usePages } from '../service/usePages.ts';
import { texts } from '../texts/texts.ts';
import { nameOfInput, nameOfVariable } from './naming.ts';

const words = texts.links;
const daySeconds = 86_400;
const lifetimes = [1, 7, 30].map((days) => [String(days), words.daysOf(days)] as const);

/** Links with which others see this agreement or act in it: create, list and revoke them. */
export function LinksPanel({ id }: { readonly id: string }) {
  const key = ['agreement', id, 'links'];
  const { rows, error, retry, next } = usePages({
    queryKey: key,
    list: async (cursor, signal) => service.links.list(id, { limit: 100, cursor }, { signal }),
  });
  const record = useQuery({
    queryKey: ['agreement', id, 'whole'],
    queryFn: ({ signal }) => service.agreements.get(id, { signal }),
  });
  const json = record.data?.json;
  const parties = (record.data?.participants ?? []).map(
    ({ variableKey }) => [variableKey, nameOfVariable(json, variableKey)] as const,
  );
  const revoke = useMutation({
    mutationFn: (linkId: string) => service.links.revoke(id, linkId),
    // An answer may be lost although the link is revoked.
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <section class="section" {...useKeptFocus()}>
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <NewLink id={id} parties={parties} onTried={() => void queries.invalidateQueries({ queryKey: key })} />
      {error && <Failure error={error} onRetry={retry} />}
      {revoke.error && <Failure error={revoke.error} />}
      {rows?.length === 0 ? (
        <p class="soft">{words.empty}</p>
      ) : !rows && error ? null : (
        <Table
          caption={words.caption}
          expected={1}
          rows={rows}
          keyOf={(link) => link.id}
          columns={[
            {
              title: words.participant,
              show: ({ participant }) =>
                participant === undefined ? (
                  words.anyReader
                ) : (
                  <bdi title={participant}>{nameOfVariable(json, participant)}</bdi>
                ),
            },
            { title: words.may, show: ({ may }) => words.mays[may] },
            {
              title: words.note,
              show: ({ note }) => (
                <span class="written" dir="auto">
                  {note ?? '–'}
                </span>
              ),
            },
            {
              title: words.uses,
              show: ({ uses: [last] }) =>
                last ? (
                  <>
                    {words.used[last.kind](nameOfInput(json, last.inputId ?? ''))} <Time at={last.usedAt} />
                  </>
                ) : (
                  <span class="soft">{words.unused}</span>
                ),
            },
            { title: words.expires, show: ({ expiresAt }) => <Time at={expiresAt} form="clock" /> },
            {
              title: words.revoke,
              isAction: true,
              show: (link) => (
                <Button kind="danger" onPress={() => revoke.mutate(link.id)} disabled={revoke.isPending}>
                  {words.revoke}
                </Button>
              ),
            },
          ]}
        />
      )}
      <More next={next} />
    </section>
  );
}

type NewLinkProps = {
  readonly id: string;
  /** Values and names of the participants. */
  readonly parties: readonly (readonly [string, string])[];
  readonly onTried: () => void;
};

function NewLink({ id, parties, onTried }: NewLinkProps) {
  const [participant, setParticipant] = useState('');
  const [may, setMay] = useState('read');
  const [days, setDays] = useState('7');
  const [note, setNote] = useState('');
  const make = useMutation({
    mutationFn: () =>
      service.links.create(id, {
        may: participant !== '' && may === 'sign' ? 'sign' : 'read',
        ...(participant !== '' && { participant }),
        expiresInSeconds: Number(days) * daySeconds,
        ...(note.trim() !== '' && { note: note.trim() }),
      }),
    onSettled: onTried,
  });
  const choose = (value: string) => {
    setParticipant(value);
    setMay(value === '' ? 'read' : 'sign');
  };
  return (
    <>
      <form
        class="filters unprinted"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label={words.participant}>
          <Select value={participant} onChange={choose} options={[['', words.anyReader], ...parties]} />
        </Field>
        <Field label={words.may}>
          <Select
            value={may}
            onChange={setMay}
            options={participant === '' ? [['read', words.mays.read]] : Object.entries(words.mays)}
          />
        </Field>
        <Field label={words.days}>
          <Select value={days} onChange={setDays} options={lifetimes} />
        </Field>
        <Field label={words.note}>
          <TextInput value={note} onInput={setNote} />
        </Field>
        <Button submit disabled={make.isPending}>
          {words.create}
        </Button>
      </form>
      {make.error && <Failure error={make.error} />}
      {make.data && <NewSecret lead={words.made} secret={make.data.url} />}
    </>
  );
}
