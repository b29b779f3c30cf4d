import { z } from 'zod';
import { summaryShape } from '../../shapes/resources.ts';
import { chainIdArgument, instantArgument } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { countItems, defineTool, readOnly, type ToolAnswer } from '../defineTool.ts';
import { searchPages } from '../searchPages.ts';

const usualLimit = 8;
/** The most agreements of an answer, and of a page of the list. */
const mostAgreements = 100;

const input = z.strictObject({
  text: z.string().min(1).max(200).optional().describe('Part of the name or of the template id, in any case'),
  nameStartsWith: z.string().min(1).max(200).optional().describe('A prefix of the name; faster than text'),
  state: z.string().max(1_000).optional().describe('Exact name of the present state'),
  chainId: chainIdArgument,
  updatedAfter: instantArgument.optional().describe('RFC 3339'),
  createdAfter: instantArgument.optional(),
  sort: z.enum(['newest', 'oldest', 'recentlyUpdated', 'name']).optional(),
  limit: z.int().min(1).max(mostAgreements).optional().describe(`${usualLimit} unless given`),
  cursor: z
    .string()
    .max(4_096)
    .optional()
    .describe('nextCursor of the previous answer. Keep the other arguments the same'),
  maxTokens: maxTokensArgument,
});

const output = z.object({
  agreements: z.array(
    z.object({
      agreementId: z.string(),
      quotedName: z.string(),
      status: z.string(),
      state: z.string().optional(),
      chainId: z.int(),
      address: z.string().optional(),
      quotedTemplateId: z.string().optional(),
      lastInput: z.object({ inputId: z.string(), at: z.string() }).optional(),
      updatedAt: z.string(),
    }),
  ),
  nextCursor: z.string().nullable(),
  totalCount: z.int().optional(),
  omitted: omittedMember,
});

type Args = z.output<typeof input>;
type Summary = z.output<typeof summaryShape>;

const sorts = {
  newest: { 'sort[createdAt]': 'desc' },
  oldest: { 'sort[createdAt]': 'asc' },
  recentlyUpdated: { 'sort[updatedAt]': 'desc' },
  name: { 'sort[displayName]': 'asc' },
} as const;

export const findAgreements = defineTool({
  name: 'find_agreements',
  title: 'Find agreements',
  description:
    'Lists the agreements of this account, or searches them by name, state, chain or time. Start here to get the agreementId that other tools take. To learn who has to act, call read_agreement next. What changed lately: sort recentlyUpdated.',
  annotations: readOnly,
  input,
  output,
  handle: (args, call) => answer(args, { call, limit: args.limit ?? usualLimit }),
});

type Asked = { readonly call: AgentCall; readonly limit: number };

async function answer(args: Args, { call, limit }: Asked): Promise<ToolAnswer<z.input<typeof output>>> {
  const { found, nextCursor, totalCount, looked } = await find(args, { call, limit });
  const none =
    args.text === undefined
      ? 'No agreement matches.'
      : `No match among the ${looked} agreements searched so far.`;
  const said = found.length === 0 ? none : `${found.length} found.`;
  const rest = nextCursor === null ? '' : ' There may be more: call again with cursor set to nextCursor.';
  return {
    text: `${said}${rest}`,
    data: { agreements: found.map(describe), nextCursor, ...(totalCount !== undefined && { totalCount }) },
    maxTokens: args.maxTokens,
    page: {
      count: ({ agreements }) => countItems(agreements),
      read: (shorter) => answer(args, { call, limit: shorter }),
    },
  };
}

async function find(args: Args, { call, limit }: Asked) {
  const { text, cursor } = args;
  const wanted = text?.toLowerCase();
  if (wanted === undefined) {
    const page = await readPage(args, { call, limit, cursor });
    return { ...page, looked: page.found.length };
  }
  const found = await searchPages((page) => readPage(args, { call, ...page }), {
    limit,
    cursor,
    matches: ({ displayName, templateId = '' }) =>
      `${displayName}\n${templateId}`.toLowerCase().includes(wanted),
  });
  return { ...found, totalCount: undefined };
}

async function readPage(
  { nameStartsWith, state, chainId, updatedAfter, createdAfter, sort = 'newest' }: Args,
  { call, limit, cursor }: { call: AgentCall; limit: number; cursor: string | undefined },
) {
  const { data, pageInfo } = await call.ask('listAgreements', {
    query: {
      limit: String(limit),
      ...sorts[sort],
      ...(cursor !== undefined && { cursor }),
      ...(nameStartsWith !== undefined && { 'displayName[startsWith]': nameStartsWith }),
      ...(state !== undefined && { state }),
      ...(chainId !== undefined && { chainId: String(chainId) }),
      ...(updatedAfter !== undefined && { 'updatedAt[gte]': updatedAfter }),
      ...(createdAfter !== undefined && { 'createdAt[gte]': createdAfter }),
    },
  });
  const { nextCursor = null, totalCount } = pageInfo ?? {};
  return { found: z.array(summaryShape).parse(data), nextCursor, totalCount };
}

function describe(summary: Summary) {
  const {
    id,
    displayName,
    status,
    state,
    chainId,
    address,
    templateId,
    lastInputId,
    lastInputAt,
    updatedAt,
  } = summary;
  return {
    agreementId: id,
    quotedName: displayName,
    status,
    ...(state !== undefined && { state }),
    chainId,
    ...(address !== undefined && { address }),
    ...(templateId !== undefined && { quotedTemplateId: templateId }),
    ...(lastInputId !== undefined &&
      lastInputAt !== undefined && { lastInput: { inputId: lastInputId, at: lastInputAt } }),
    updatedAt,
  };
}
