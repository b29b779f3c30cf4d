import { z } from 'zod';
import { feedEventShape } from '../../shapes/eventShapes.ts';
import { agreementIdArgument, chainQuery } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { defineTool } from '../defineTool.ts';
import { quoteName } from '../quotedData.ts';

const usualLimit = 20;

const input = z.strictObject({
  after: z
    .string()
    .max(400)
    .optional()
    .describe('nextCursor of the last answer; the oldest first without it'),
  limit: z.int().min(1).max(100).optional().describe(`${usualLimit} unless given`),
  agreementId: agreementIdArgument.optional().describe('Shows the events of this one alone'),
  preview: z
    .strictObject({
      at: z.string().optional().describe('RFC 3339: rules of time due until then'),
      inputId: z.string().optional().describe('Rules that this input would set off'),
    })
    .optional()
    .describe('Which notification rules of agreementId would fire'),
  maxTokens: maxTokensArgument,
});

const output = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      createdAt: z.string(),
      agreementId: z.string(),
      quotedName: z.string(),
      inputId: z.string().optional(),
      fromState: z.string().optional(),
      toState: z.string().optional(),
      sequence: z.int().optional(),
      ruleId: z.string().optional(),
      recipient: z.string().optional(),
      quotedSubject: z.string().optional(),
    }),
  ),
  nextCursor: z.string().nullable(),
  rules: z
    .array(
      z.object({
        ruleId: z.string(),
        fires: z.boolean(),
        reason: z.string().optional().describe('Why not'),
        dueAt: z.string().optional(),
        recipients: z.array(z.string()),
        quotedSubject: z.string().optional(),
      }),
    )
    .optional(),
  omitted: omittedMember,
});

type Args = z.output<typeof input>;
type Event = z.output<typeof feedEventShape>;

export const followEvents = defineTool({
  name: 'read_events',
  title: 'Read what has happened',
  description:
    'Reads the feed of events in order: transitions and notifications of all agreements, from a cursor on. Keep nextCursor and ask again with after to learn what is new. With preview it tells which notification rules would fire, and for whom. What happened to one agreement long ago is in read_agreement with history.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input,
  output,
  async handle(args, call) {
    const { after, limit = usualLimit } = args;
    const recordId = args.agreementId === undefined ? undefined : await findId(args.agreementId, call);
    const { data, pageInfo } = await call.ask('listEvents', {
      query: { limit: String(limit), ...(after !== undefined && { after }) },
    });
    const all = z.array(feedEventShape).parse(data);
    const events = recordId === undefined ? all : all.filter((event) => event.data.agreementId === recordId);
    const rules = args.preview && (await previewRules(args, call));
    const rest = all.length === limit ? 'More may follow: ask again with after.' : 'Nothing follows for now.';
    return {
      text: [
        `${events.length} events of the ${all.length} on this page. ${rest}`,
        ...events.slice(0, 10).map(tell),
      ].join('\n'),
      data: {
        events: events.map(describe),
        nextCursor: pageInfo?.nextCursor ?? null,
        ...(rules && { rules }),
      },
      maxTokens: args.maxTokens,
    };
  },
});

async function findId(id: string, call: AgentCall): Promise<string> {
  const { data } = await call.ask('getAgreement', { params: { id } });
  return z.object({ id: z.string() }).parse(data).id;
}

const previewShape = z.object({
  rules: z.array(
    z.object({
      ruleId: z.string(),
      fires: z.boolean(),
      reason: z.string().optional(),
      dueAt: z.string().optional(),
      recipients: z.array(z.object({ recipient: z.string(), fires: z.boolean() })),
      notification: z.object({ subject: z.string() }).optional(),
    }),
  ),
});

async function previewRules({ agreementId, preview = {} }: Args, call: AgentCall) {
  const { at, inputId } = preview;
  const { data } = await call.ask('previewNotifications', {
    params: { id: agreementId ?? '' },
    query: chainQuery(undefined),
    body: {
      ...(at !== undefined && { at }),
      ...(inputId !== undefined && { transition: { inputId } }),
    },
  });
  return previewShape.parse(data).rules.map(({ ruleId, fires, reason, dueAt, recipients, notification }) => ({
    ruleId,
    fires,
    ...(reason !== undefined && { reason }),
    ...(dueAt !== undefined && { dueAt }),
    recipients: recipients.flatMap((one) => (one.fires ? one.recipient : [])),
    ...(notification && { quotedSubject: notification.subject }),
  }));
}

function describe({ id, type, createdAt, data }: Event) {
  const base = { id, type, createdAt, agreementId: data.agreementId, quotedName: data.agreementName };
  if ('sequence' in data) {
    const { inputId, fromState, toState, sequence } = data;
    return { ...base, inputId, fromState, toState, sequence };
  }
  const { ruleId, recipient, notification, transition } = data;
  return {
    ...base,
    ...(transition && {
      inputId: transition.inputId,
      fromState: transition.fromState,
      toState: transition.toState,
    }),
    ruleId,
    recipient,
    quotedSubject: notification.subject,
  };
}

function tell({ createdAt, data }: Event): string {
  const what =
    'sequence' in data
      ? `${quoteName(data.inputId)} led to ${quoteName(data.toState)}`
      : `rule ${quoteName(data.ruleId)} told ${quoteName(data.recipient)}`;
  return `- ${createdAt} ${data.agreementId} ${what}`;
}
