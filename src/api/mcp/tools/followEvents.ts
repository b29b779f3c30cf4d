import { z } from 'zod';
import { feedEventShape } from '../../shapes/eventShapes.ts';
import { agreementIdArgument, chainOfAddress, chainQuery, instantArgument } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { checkedData } from '../checkedData.ts';
import { countItems, defineTool, readOnly, refuseArguments, type ToolAnswer } from '../defineTool.ts';
import { withNames } from '../namedArguments.ts';
import { searchPages } from '../searchPages.ts';

const usualLimit = 10;

const input = z.strictObject({
  after: z
    .string()
    .max(400)
    .optional()
    .describe('nextCursor of the previous answer. Without it, events start with the oldest'),
  limit: z.int().min(1).max(100).optional().describe(`${usualLimit} unless given`),
  agreementId: agreementIdArgument.optional().describe('Returns only events of this agreement'),
  chainId: chainOfAddress,
  preview: z
    .strictObject({
      at: instantArgument.optional().describe('RFC 3339. Previews the rules of time that are due by then'),
      inputId: z.string().optional().describe('Previews the rules that this input would fire'),
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
    'Reads the feed of events in order: transitions and notifications of all agreements, from a cursor on. Keep nextCursor and ask again with after to learn what is new. With preview it tells which notification rules would fire, and for whom. For what changed lately, find_agreements is quicker; for the past of one agreement, read_agreement with history.',
  annotations: readOnly,
  input,
  output,
  async handle(args, call) {
    const { agreementId, chainId, preview, limit = usualLimit } = args;
    if (preview && agreementId === undefined)
      throw refuseArguments([{ path: 'agreementId', message: 'is needed for a preview' }]);
    if (preview && (preview.at === undefined) === (preview.inputId === undefined))
      throw refuseArguments([{ path: 'preview', message: 'must have at or inputId, and not both' }]);
    const recordId = agreementId === undefined ? undefined : await findId(agreementId, { chainId, call });
    const rules = preview && (await previewRules(args, call));
    return answer(args, { call, limit, recordId, rules });
  },
});

type Asked = {
  readonly call: AgentCall;
  readonly limit: number;
  readonly recordId: string | undefined;
  readonly rules: z.input<typeof output>['rules'];
};

async function answer(args: Args, asked: Asked): Promise<ToolAnswer<z.input<typeof output>>> {
  const { rules } = asked;
  const { found, nextCursor, looked, isEnd } = await find(args, asked);
  const none = isEnd
    ? 'There are no newer events up to nextCursor.'
    : `None of the ${looked} events read so far is of this agreement: call again with after set to nextCursor.`;
  const rest =
    found.length === 0 ? none : 'There may be newer ones: call again with after set to nextCursor.';
  return {
    text: `${found.length} events, the oldest first. ${rest}`,
    data: { events: found.map(describe), nextCursor, ...(rules && { rules }) },
    maxTokens: args.maxTokens,
    page: {
      count: ({ events }) => countItems(events),
      read: (limit) => answer(args, { ...asked, limit }),
    },
  };
}

async function find({ after }: Args, { call, limit, recordId }: Asked) {
  if (recordId === undefined) {
    const page = await readPage(call, { limit, cursor: after });
    return { ...page, looked: page.found.length, isEnd: page.found.length === 0 };
  }
  const matches = ({ data }: Event) => data.agreementId === recordId;
  return searchPages((page) => readPage(call, page), { limit, cursor: after, matches });
}

async function readPage(call: AgentCall, { limit, cursor }: { limit: number; cursor: string | undefined }) {
  const { data, pageInfo } = await call.ask('listEvents', {
    query: { limit: String(limit), ...(cursor !== undefined && { after: cursor }) },
  });
  return { found: checkedData(z.array(feedEventShape), data), nextCursor: pageInfo?.nextCursor ?? null };
}

async function findId(
  id: string,
  { chainId, call }: { chainId: number | undefined; call: AgentCall },
): Promise<string> {
  const { data } = await call.ask('getAgreement', { params: { id }, query: chainQuery(chainId) });
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

async function previewRules({ agreementId, chainId, preview = {} }: Args, call: AgentCall) {
  const { at, inputId } = preview;
  const asked = call.ask('previewNotifications', {
    params: { id: agreementId ?? '' },
    query: chainQuery(chainId),
    body: {
      ...(at !== undefined && { at }),
      ...(inputId !== undefined && { transition: { inputId } }),
    },
  });
  const { data } = await withNames({ at: 'preview.at', 'transition.inputId': 'preview.inputId' }, asked);
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
