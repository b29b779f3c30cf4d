import { type Hex, isHex, parseSignature } from 'viem';
import { z } from 'zod';
import { inputRecordShape, recordShape } from '../../shapes/resources.ts';
import {
  agreementIdArgument,
  chainIdArgument,
  chainQuery,
  deploymentArguments,
  documentArgument,
  valuesArgument,
} from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { checkedData } from '../checkedData.ts';
import { defineTool, parseArguments, refuseArguments } from '../defineTool.ts';
import { lookAhead, tellNext } from '../lookAhead.ts';
import { quoteName } from '../quotedData.ts';
import { readAfterWrite } from '../readAfterWrite.ts';

const input = z.strictObject({
  purpose: z.enum(['deploy', 'input']),
  signer: z.string(),
  signature: z.string().describe('0x and 130 hex digits, as wallets give it'),
  deadline: z.int().nonnegative().describe('Of prepare_signature'),
  agreementId: agreementIdArgument.optional().describe('For input'),
  inputId: z.string().optional(),
  values: valuesArgument.optional(),
  agreement: documentArgument.optional().describe('For deploy'),
  displayName: z.string().optional().describe('For deploy: the name in lists'),
  chainId: chainIdArgument.describe('For deploy'),
  ...deploymentArguments,
  documentId: z.string().optional().describe('Of prepare_signature'),
  docUri: z.string().optional().describe('Of prepare_signature'),
  notificationTemplate: valuesArgument.optional(),
  wait: z.boolean().optional().describe('Whether to wait until it is mined; true by default'),
});

const output = z.object({
  agreementId: z.string(),
  id: z.string().optional().describe('Of the input'),
  status: z.string().describe('Of the input: PENDING, MINED, FAILED; of a deployment: Draft, Deployed'),
  state: z
    .string()
    .nullable()
    .optional()
    .describe('Absent, as isFinal and nextInputs, if the agreement could not be read'),
  isFinal: z.boolean().optional(),
  nextInputs: z.array(z.string()).optional(),
  address: z.string().optional(),
  txHash: z.string().nullable().optional(),
  error: z.string().optional(),
  consistency: z.string().optional().describe('Pass it to reads that must include this write'),
  warnings: z.array(z.string()).optional(),
});

type Args = z.output<typeof input>;

const deployPart = z.object({
  agreement: documentArgument,
  chainId: z.int(),
  displayName: z.string(),
});
const inputPart = z.object({ agreementId: z.string(), inputId: z.string() });

export const submitSigned = defineTool({
  name: 'submit_signed',
  title: 'Submit what was signed',
  description:
    'Sends a deployment or an input with the signature over the typed data of prepare_signature, and waits until the chain shows it. Give the same arguments as there, with its deadline (and docUri and documentId for deploy). The same signature sent again leads to the same result, so repeat it after a failure.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input,
  output,
  handle: (args, call) => (args.purpose === 'deploy' ? deploy(args, call) : submit(args, call)),
});

async function deploy(args: Args, call: AgentCall) {
  const { agreement, chainId, displayName } = parseArguments(deployPart, args);
  const { signer, deadline, initValues, participants, observers, documentId, docUri } = args;
  const { notificationTemplate } = args;
  const given = { initValues, participants, observers, documentId, docUri, notificationTemplate };
  const { data, meta } = await call.ask('deployWithPermit', {
    body: {
      ...{ agreement, chainId, displayName, signer, deadline, signature: splitSignature(args.signature) },
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    },
  });
  const record = checkedData(recordShape, data);
  const { consistency, warnings } = meta;
  const { text, ...standing } = tellStanding(record);
  return {
    text: record.status === 'Deployed' ? `Deployed as ${record.id}. ${text}` : text,
    data: {
      agreementId: record.id,
      status: record.status,
      ...standing,
      ...(record.address !== undefined && { address: record.address }),
      ...(record.onChain.deployTxHash !== undefined && { txHash: record.onChain.deployTxHash }),
      ...(record.onChain.error && { error: record.onChain.error.message }),
      ...(consistency !== undefined && { consistency }),
      ...(warnings && { warnings }),
    },
  };
}

async function submit(args: Args, call: AgentCall) {
  const { agreementId, inputId } = parseArguments(inputPart, args);
  const { signer, deadline, values = {}, wait = true } = args;
  const reference = { params: { id: agreementId }, query: chainQuery(args.chainId) };
  const signature = splitSignature(args.signature);
  const sent = await call.ask('submitInput', {
    ...reference,
    body: { inputId, values, signer, deadline, signature },
  });
  const submitted = checkedData(inputRecordShape, sent.data);
  const { consistency } = sent.meta;
  // Answered once the index shows the input, or refused after the waiting time of reads.
  const awaited = wait
    ? await readAfterWrite(call, () => call.ask('getAgreementState', { ...reference, consistency }))
    : undefined;
  const isShown = awaited?.found !== undefined;
  const shown = { ...reference, consistency: isShown ? consistency : undefined };
  const { found: record, refusal } = await readAfterWrite(call, async () =>
    checkedData(recordShape, (await call.ask('getAgreement', shown)).data),
  );
  const { found: read } = isShown
    ? await readAfterWrite(call, () => readStatus(call, { ...shown, submitted }))
    : {};
  const status = read ?? submitted;
  const { text, ...standing } = record
    ? tellStanding(record)
    : { text: `Its agreement cannot be read now: ${refusal}` };
  const accepted = `The input is accepted as ${submitted.id}, and on its way`;
  const why = awaited?.refusal === undefined ? '.' : `: ${awaited.refusal}`;
  const textOf = {
    MINED: `The input is mined. ${text}`,
    PENDING: record ? `${accepted}${why} Call read_agreement with consistency soon.` : `${accepted}. ${text}`,
    FAILED: `The input has failed. ${status.error?.message ?? ''} ${text}`,
  };
  return {
    text: textOf[status.status],
    data: {
      agreementId: submitted.agreementId,
      id: submitted.id,
      status: status.status,
      ...standing,
      address: submitted.agreementAddress,
      txHash: status.txHash,
      ...(status.error && { error: status.error.message }),
      ...(consistency !== undefined && { consistency }),
    },
  };
}

type Reference = { readonly params: { id: string }; readonly query: Record<string, string> };

type InputRecord = z.output<typeof inputRecordShape>;

/** By its time, which stays: many inputs of its name may have come since. */
async function readStatus(
  call: AgentCall,
  { submitted, query, ...shown }: Reference & { consistency: string | undefined; submitted: InputRecord },
): Promise<InputRecord> {
  const { id: ownId, inputId, createdAt } = submitted;
  const ofItsTime = { 'createdAt[gte]': createdAt, 'createdAt[lte]': createdAt };
  const { data } = await call.ask('listAgreementInputs', {
    ...shown,
    query: { ...query, inputId, ...ofItsTime, limit: '100' },
  });
  return (
    z
      .array(inputRecordShape)
      .parse(data)
      .find(({ id }) => id === ownId) ?? submitted
  );
}

function tellStanding({
  json,
  state,
  status,
  displayName,
  variables,
  onChain,
}: z.output<typeof recordShape>) {
  if (status !== 'Deployed' || state === undefined) {
    const text = onChain.error
      ? `It will not be deployed: ${onChain.error.message}`
      : 'The deployment is on its way: call read_agreement until it is Deployed.';
    return { text, state: null, isFinal: false, nextInputs: [] };
  }
  const next = lookAhead(json, { state, values: variables });
  return {
    text: `${quoteName(displayName)} is in state ${quoteName(state)}. ${tellNext(next)}`,
    state,
    isFinal: next.length === 0,
    nextInputs: next.map(({ inputId }) => inputId),
  };
}

/** @throws MalformedError for a signature format that wallets do not produce. */
function splitSignature(text: string): { v: number; r: Hex; s: Hex } {
  if (/^0x[0-9a-fA-F]{130}$/.test(text) && isHex(text)) {
    try {
      const { r, s, yParity } = parseSignature(text);
      return { v: 27 + yParity, r, s };
    } catch {
      // Falls through to the refusal: wallets do not write this last byte.
    }
  }
  const message = 'must be 0x and 130 hex digits: r, s and v, which is 27 or 28 (1b or 1c)';
  throw refuseArguments([{ path: 'signature', message }]);
}
