import { z } from 'zod';
import { isJsonObject } from '../../../protocol/jsonCursor.ts';
import { inputRecordShape, recordShape } from '../../shapes/resources.ts';
import { agreementIdArgument, chainOfAddress, chainQuery, consistencyArgument } from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { checkedData } from '../checkedData.ts';
import { countItems, defineTool, readOnly, type ToolAnswer } from '../defineTool.ts';
import { describeState, lookAhead, tellNext } from '../lookAhead.ts';
import { tellOtherRules } from '../meaning/tellOtherRules.ts';
import { withNames } from '../namedArguments.ts';
import { nextShape } from '../nextShape.ts';
import { quoteName } from '../quotedData.ts';

const historyPage = 20;
/** A caller who asks for the text, the history or the JSON expects to read more. */
const tokensOnDemand = 8_000;

const input = z.strictObject({
  agreementId: agreementIdArgument,
  chainId: chainOfAddress,
  include: z
    .array(z.enum(['document', 'history', 'json']))
    .max(3)
    .optional()
    .describe('document: the text with its values; history: the inputs, newest first; json: as authored'),
  historyCursor: z.string().max(4_096).optional().describe('nextCursor of the previous history'),
  consistency: consistencyArgument,
  maxTokens: maxTokensArgument,
});

const historyShape = z.object({
  inputs: z.array(
    z.object({
      inputId: z.string(),
      status: z.string(),
      fromState: z.string().optional(),
      toState: z.string().optional(),
      signer: z.string().optional(),
      at: z.string(),
      txHash: z.string().nullable(),
      quotedValues: z.record(z.string(), z.unknown()),
      error: z.string().optional(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

const output = z.object({
  agreementId: z.string(),
  quotedName: z.string(),
  status: z.string().describe('Draft until the chain shows the agreement, then Deployed'),
  awaitsOwner: z.literal(true).optional().describe('A Draft that owner has not signed'),
  error: z.string().optional().describe('Why a Draft will not be deployed'),
  state: z.string().nullable(),
  quotedState: z.string().optional(),
  isFinal: z.boolean(),
  differsFromDocument: recordShape.shape.onChain.shape.differsFromDocument,
  next: nextShape,
  chainId: z.int(),
  address: z.string().optional(),
  owner: z.string().optional(),
  participants: z.array(z.object({ variable: z.string(), wallet: z.string() })),
  quotedValues: z.record(z.string(), z.unknown()).describe('Values by variable'),
  documentId: z.string().optional(),
  blockNumber: z.int().nullable(),
  updatedAt: z.string(),
  quotedDocument: z.string().optional(),
  quotedJson: z.record(z.string(), z.unknown()).optional(),
  history: historyShape.optional(),
  omitted: omittedMember,
});

type Args = z.output<typeof input>;
type AgreementRecord = z.output<typeof recordShape>;

export const readAgreement = defineTool({
  name: 'read_agreement',
  title: 'Read an agreement',
  description:
    'Reads an agreement: its state, who may do what next, with which fields, and where each input leads. `include` adds its text, history or JSON.',
  annotations: readOnly,
  input,
  output,
  handle: (args, call) => answer(args, { call, historyLimit: historyPage }),
});

type Asked = { readonly call: AgentCall; readonly historyLimit: number };

async function answer(args: Args, asked: Asked): Promise<ToolAnswer<z.input<typeof output>>> {
  const { call } = asked;
  const { agreementId: id, chainId, consistency } = args;
  const request = { params: { id }, query: chainQuery(chainId), consistency };
  const record = checkedData(recordShape, (await call.ask('getAgreement', request)).data);
  const { json, variables: values } = record;
  const state = record.status === 'Deployed' ? (record.state ?? null) : null;
  const next = state === null ? [] : lookAhead(json, { state, values });
  const quotedState = state === null ? undefined : describeState(json, state);
  const included = new Set(args.include);
  const quotedDocument = included.has('document') ? await readText(record, { call, consistency }) : undefined;
  const history = included.has('history') ? await readHistory(args, asked) : undefined;
  return {
    text: tell(record, { state, next: tellNext(next) }),
    data: {
      ...describe(record),
      state,
      ...(quotedState !== undefined && { quotedState }),
      isFinal: state !== null && next.length === 0,
      next,
      blockNumber: record.onChain.updatedBlockNumber ?? null,
      updatedAt: record.updatedAt,
      ...(quotedDocument !== undefined && { quotedDocument }),
      ...(included.has('json') && isJsonObject(json) && { quotedJson: json }),
      ...(history !== undefined && { history }),
    },
    maxTokens: args.maxTokens ?? (included.size > 0 ? tokensOnDemand : undefined),
    page: history && {
      count: (data) => countHistory(data.history),
      read: (limit) => answer(args, { call, historyLimit: limit }),
    },
  };
}

function countHistory(history: unknown): number {
  return isJsonObject(history) ? countItems(history.inputs) : 0;
}

function describe(record: AgreementRecord) {
  const { id, displayName, status, chainId, address, owner, participants, variables, documentId, onChain } =
    record;
  return {
    agreementId: id,
    quotedName: displayName,
    status,
    ...(record.awaitsOwner && { awaitsOwner: true as const }),
    ...(onChain.error && { error: onChain.error.message }),
    chainId,
    ...(address !== undefined && { address }),
    ...(onChain.differsFromDocument && { differsFromDocument: onChain.differsFromDocument }),
    ...(owner !== undefined && { owner }),
    participants: participants.map(({ variableKey, walletAddress }) => ({
      variable: variableKey,
      wallet: walletAddress,
    })),
    quotedValues: variables,
    ...(documentId !== undefined && { documentId }),
  };
}

function tell(record: AgreementRecord, { state, next }: { state: string | null; next: string }): string {
  const { displayName, status } = record;
  if (state !== null) {
    const caution = tellOtherRules(record);
    const said = `${quoteName(displayName)} is in state ${quoteName(state)}. ${next}`;
    return caution === undefined ? said : `${caution} By the document: ${said}`;
  }
  return `${quoteName(displayName)} is a ${status}. ${tellDeployment(record)}`;
}

function tellDeployment({ awaitsOwner, onChain }: AgreementRecord): string {
  if (awaitsOwner) return 'It waits for its owner to sign; until then nothing is sent.';
  return onChain.error ? `It will not be deployed: ${onChain.error.message}` : 'It is being deployed.';
}

async function readText(
  { documentId }: AgreementRecord,
  { call, consistency }: { call: AgentCall; consistency: string | undefined },
): Promise<string> {
  if (documentId === undefined) return '(This service hosts no text for the agreement.)';
  const { data } = await call.ask('getAgreementDocument', { params: { documentId }, consistency });
  return z.object({ content: z.string() }).parse(data).content;
}

async function readHistory(
  { agreementId: id, chainId, historyCursor, consistency }: Args,
  { call, historyLimit }: Asked,
) {
  const cursor = historyCursor === undefined ? {} : { cursor: historyCursor };
  const query = { ...chainQuery(chainId), ...cursor, limit: String(historyLimit) };
  const asked = call.ask('listAgreementInputs', { params: { id }, query, consistency });
  const { data, pageInfo } = await withNames({ cursor: 'historyCursor' }, asked);
  const inputs = checkedData(z.array(inputRecordShape), data).map((one) => ({
    inputId: one.inputId,
    status: one.status,
    ...(one.fromState !== undefined && { fromState: one.fromState }),
    ...(one.toState !== undefined && { toState: one.toState }),
    ...(one.signer !== undefined && { signer: one.signer }),
    at: one.createdAt,
    txHash: one.txHash,
    quotedValues: one.values,
    ...(one.error && { error: one.error.message }),
  }));
  return { inputs, nextCursor: pageInfo?.nextCursor ?? null };
}
