import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { isObject, member } from '../agreements/member.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { describeRule } from '../rules/describeRule.ts';
import { useAddressBar } from '../service/addressBar.ts';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';

const words = texts.rules;
type Asked = {
  /** All that was typed. */
  readonly asked: string;
  readonly of: string;
  /** Throws for a time that is none. */
  readonly body: () => Parameters<typeof service.agreements.previewNotifications>[1];
};

/** Rules in words, and a preview of their messages for a transition or a moment. */
export function RulesPage() {
  useTitle(words.title);
  const { query, set } = useAddressBar();
  const id = (query.agreement ?? '').trim();
  const [template, setTemplate] = useState('');
  const [kind, setKind] = useState('transition');
  const [inputId, setInputId] = useState('__deploy');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [at, setAt] = useState('');
  const isId = /^(agr_[0-9a-f]{32}|0x[0-9a-fA-F]{40})$/.test(id);
  const record = useQuery({
    queryKey: ['agreement', id, 'whole'],
    queryFn: ({ signal }) => service.agreements.get(id, { signal }),
    enabled: isId,
  });
  const parsed = parse(template);
  const rules = member(parsed.value, 'rules');
  // A preview is of what was asked. It is shown until anything is changed.
  const asked = JSON.stringify([id, template, kind, inputId, from, to, at]);
  const preview = useMutation({
    mutationFn: ({ of, body }: Asked) => service.agreements.previewNotifications(of, body()),
  });
  const { data: outcome, error: fault } = preview.variables?.asked === asked ? preview : {};
  const fired = outcome?.rules.filter(({ fires }) => fires) ?? [];
  const inputs = member(record.data?.json, 'execution', 'inputs');
  const inputOptions = [
    ['__deploy', words.deploy] as const,
    ...Object.keys(isObject(inputs) ? inputs : {}).map((input) => [input, input] as const),
  ];
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      <p class="lead">{words.lead}</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          preview.mutate({
            asked,
            of: id,
            body: () => ({
              ...(kind === 'transition'
                ? { transition: { inputId, ...(from && { fromState: from }), ...(to && { toState: to }) } }
                : { at: new Date(at).toISOString() }),
              ...(isObject(parsed.value) && { notificationTemplate: { ...parsed.value } }),
            }),
          });
        }}
      >
        <Field label={words.agreement} hint={showUnseen(record.data?.displayName ?? words.agreementHint)}>
          <TextInput
            value={query.agreement ?? ''}
            onInput={(text) => set({ agreement: text })}
            mono
            required
          />
        </Field>
        <Field
          label={words.template}
          hint={words.templateHint}
          fault={parsed.isFaulty ? words.notJson : undefined}
        >
          <TextInput value={template} onInput={setTemplate} rows={8} mono />
        </Field>
        {Array.isArray(rules) && rules.length > 0 && (
          <section>
            <h2>{words.inWords}</h2>
            <ul class="choices">
              {rules.map((rule, index) => (
                <li key={`${index} ${describeRule(rule)}`} dir="auto">
                  <span>
                    <strong>{String(member(rule, 'name') ?? member(rule, 'id') ?? '')}</strong>{' '}
                    {describeRule(rule)}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <div class="filters">
          <Field label={words.when}>
            <Select
              value={kind}
              onChange={setKind}
              options={[
                ['transition', words.transition],
                ['moment', words.moment],
              ]}
            />
          </Field>
          {kind === 'transition' ? (
            <>
              <Field label={words.input}>
                <Select value={inputId} onChange={setInputId} options={inputOptions} />
              </Field>
              <Field label={words.from}>
                <TextInput value={from} onInput={setFrom} />
              </Field>
              <Field label={words.to}>
                <TextInput value={to} onInput={setTo} />
              </Field>
            </>
          ) : (
            <Field label={words.at}>
              <TextInput type="datetime-local" value={at} onInput={setAt} required />
            </Field>
          )}
          <Button submit kind="primary" disabled={!isId || parsed.isFaulty || preview.isPending}>
            {words.run}
          </Button>
        </div>
      </form>
      {record.error && isId && <Failure error={record.error} />}
      {fault && <Failure error={fault} />}
      <p role="status" class="soft">
        {outcome && words.outcome(fired.length, outcome.rules.length)}
      </p>
      <ul class="choices">
        {outcome?.rules.map((rule) => (
          <li key={rule.ruleId}>
            <div class="stack">
              <div class="row">
                <strong dir="auto">{rule.ruleId}</strong>
                <span class={rule.fires ? 'tag good' : 'tag'}>{rule.fires ? words.fires : words.silent}</span>
                <span class="small soft">
                  {rule.reason && words.reasons[rule.reason]}
                  {rule.dueAt && (
                    <>
                      {' '}
                      {words.due} <Time at={rule.dueAt} form="clock" />
                    </>
                  )}
                </span>
              </div>
              {rule.recipients.length > 0 && (
                <div class="small">{rule.recipients.map(({ recipient }) => recipient).join(', ')}</div>
              )}
              {rule.notification && (
                <div class="panel">
                  <strong dir="auto">{rule.notification.subject}</strong>
                  <pre dir="auto">{rule.notification.body}</pre>
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function parse(text: string): { value: unknown; isFaulty: boolean } {
  if (text.trim() === '') return { value: undefined, isFaulty: false };
  try {
    const value: unknown = JSON.parse(text);
    return { value, isFaulty: !isObject(value) };
  } catch {
    return { value: undefined, isFaulty: true };
  }
}
