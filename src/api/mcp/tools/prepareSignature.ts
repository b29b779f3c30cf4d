import { z } from 'zod';
import { findTitle } from '../../../protocol/findTitle.ts';
import { recordShape } from '../../shapes/resources.ts';
import { signableDeploymentShape, signableShape } from '../../shapes/signableShape.ts';
import {
  agreementIdArgument,
  chainIdArgument,
  chainQuery,
  deploymentArguments,
  documentArgument,
  present,
  valuesArgument,
} from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { checkedData } from '../checkedData.ts';
import { defineTool, parseArguments } from '../defineTool.ts';
import { handOutLink, type LinkSealer, type LinkSubject } from '../handOutLink.ts';
import { lookAhead } from '../lookAhead.ts';
import { type ActionCall, findCall, tellCall } from '../meaning/findCall.ts';
import { readSignedValues } from '../meaning/readSignedValues.ts';
import { sortValues } from '../meaning/sortValues.ts';
import { tellContract } from '../meaning/tellContract.ts';
import { tellName } from '../meaning/tellName.ts';
import { tellOtherRules } from '../meaning/tellOtherRules.ts';
import { tellValues } from '../meaning/tellValues.ts';
import { quoteName, quoteNames } from '../quotedData.ts';

const input = z.strictObject({
  purpose: z.enum(['deploy', 'input', 'link']).describe('link: an address at which a person signs'),
  signer: z.string().optional().describe('The wallet that will sign; for deploy and input'),
  agreementId: agreementIdArgument.optional().describe('For input, and for link to its participant'),
  inputId: z.string().optional(),
  values: valuesArgument.optional().describe('For input: the values of its fields'),
  participant: z.string().optional().describe('For link: the participant variable that signs'),
  expiresInSeconds: z.int().positive().optional().describe('For link. A week by default'),
  agreement: documentArgument.optional().describe('For deploy, and for link to its owner, the signer'),
  displayName: z.string().optional().describe('For link to the owner'),
  chainId: chainIdArgument.describe('For deploy, and for an address that is known on several chains'),
  ...deploymentArguments,
  documentId: z.string().optional(),
  docUri: z.string().optional(),
  deadline: z.int().optional().describe('Unix seconds. An hour from now by default'),
});

const output = z.object({
  purpose: z.string(),
  means: z.string().describe('What signing does, in words'),
  quotedValues: z.record(z.string(), z.unknown()).optional().describe('The values that are signed'),
  quotedCall: z
    .object({
      address: z.string().optional(),
      target: z.string(),
      method: z.string(),
      args: z.array(z.unknown()),
      value: z.unknown().optional(),
    })
    .optional()
    .describe('The call of another contract that the input triggers, as written in the document'),
  typedData: z
    .object({
      domain: z.record(z.string(), z.unknown()),
      types: z.record(z.string(), z.unknown()),
      primaryType: z.string(),
      message: z.record(z.string(), z.unknown()),
    })
    .optional()
    .describe('Pass it to eth_signTypedData_v4 unchanged'),
  digest: z.string().optional(),
  deadline: z.int().optional().describe('Goes into submit_signed'),
  nonce: z.string().optional(),
  docUri: z.string().optional().describe('Goes into submit_signed'),
  documentId: z.string().optional().describe('Goes into submit_signed'),
  verdict: z
    .object({ ok: z.boolean(), reason: z.string().optional(), message: z.string() })
    .optional()
    .describe('Whether the service would send it now'),
  agreementId: z.string().optional().describe('For link'),
  link: z
    .object({
      id: z.string(),
      url: z.string().optional().describe('Give it to that person only. Absent if the client has shown it'),
      expiresAt: z.string(),
      shown: z.enum(['accepted', 'notShown']),
    })
    .optional(),
});

type Args = z.output<typeof input>;
type Signable = z.output<typeof signableShape>;

const deployPart = z.object({ agreement: documentArgument, chainId: z.int(), signer: z.string() });
const inputPart = z.object({ agreementId: z.string(), inputId: z.string(), signer: z.string() });
const linkPart = z.object({ agreementId: z.string(), participant: z.string() });
const ownerPart = deployPart.extend({ displayName: z.string() });

/** @param sealer keeps what a client holds between two requests for the same link. */
export function prepareSignature(sealer: LinkSealer) {
  return defineTool({
    name: 'prepare_signature',
    title: 'Prepare data or a link for signing',
    description:
      'deploy or input: makes the EIP-712 typed data for the wallet that signs, says what signing does and whether it would be accepted; then submit_signed with the signature and the same arguments. The service holds no keys. link: makes an address at which a person signs with a wallet of their own, for a participant of a deployed agreement, or as owner of one to deploy; give it to that person alone.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    input,
    output,
    async handle(args, call) {
      if (args.purpose === 'deploy') return prepareDeploy(args, call);
      if (args.purpose === 'input') return prepareInput(args, call);
      const { expiresInSeconds } = args;
      return handOutLink({ subject: readSubject(args), expiresInSeconds }, { call, sealer });
    },
  });
}

function readSubject(args: Args): LinkSubject {
  if (args.agreement === undefined) return { ...parseArguments(linkPart, args), chainId: args.chainId };
  const { initValues, participants, observers, documentId, docUri } = args;
  const given = { initValues, participants, observers, documentId, docUri };
  return { draft: { ...parseArguments(ownerPart, args), ...present(given) } };
}

async function prepareDeploy(args: Args, call: AgentCall) {
  const { agreement, chainId, signer } = parseArguments(deployPart, args);
  const { initValues, participants, observers, documentId, docUri, deadline } = args;
  const given = { initValues, participants, observers, documentId, docUri, deadline };
  const { data } = await call.ask('makeDeployTypedData', {
    body: { agreement, chainId, signer, ...present(given) },
  });
  const signable = checkedData(signableDeploymentShape, data);
  const title = findTitle(agreement);
  const { signed, unsigned } = sortValues({ agreement, initValues, participants });
  const means = [
    `Signing deploys ${title === undefined ? 'the agreement' : quoteName(title)} on chain ${chainId}, owned by ${signer}, with ${tellValues(signed) || 'no values'}.`,
    ...(unsigned.length > 0 ? [`The signature does not cover the values of ${quoteNames(unsigned)}.`] : []),
    `The signature is valid until ${at(signable.deadline)}.`,
  ].join(' ');
  const { docUri: uri, documentId: id } = signable;
  const more = { quotedValues: signed, docUri: uri, documentId: id };
  return answer({ purpose: 'deploy', means, signable, more });
}

async function prepareInput(args: Args, call: AgentCall) {
  const { agreementId, inputId, signer } = parseArguments(inputPart, args);
  const reference = { params: { id: agreementId }, query: chainQuery(args.chainId) };
  const body = { inputId, values: args.values ?? {}, signer, ...present({ deadline: args.deadline }) };
  const { data } = await call.ask('makeInputTypedData', { ...reference, body });
  const signable = checkedData(signableShape, data);
  const record = checkedData(recordShape, (await call.ask('getAgreement', reference)).data);
  const { state = '', variables: values, json } = record;
  const led = lookAhead(json, { state, values }).find((next) => next.inputId === inputId);
  const leads = led ? ` It leads from ${quoteName(state)} to ${quoteName(led.leadsTo)}.` : '';
  const quotedValues = readSignedValues(json, { inputId, payload: signable.message.payload });
  const quotedCall = findCall(json, { state, inputId, values });
  const step = { inputId, values: body.values, by: signer };
  const reading = { leadsTo: led?.leadsTo, call: quotedCall };
  const doubt = tellOtherRules(record);
  const isOther = record.onChain.differsFromDocument !== undefined;
  const caution = doubt && ((await tellContract(call, { reference, step, reading, isOther })) ?? doubt);
  const { named, otherName } = tellName(record);
  const means = [
    ...(caution ? [caution] : []),
    `Signing sends ${quoteName(inputId)} to ${named} in the name of ${signer}, with ${tellValues(quotedValues) || 'no values'}.${caution ? '' : leads}`,
    ...(otherName ? [otherName] : []),
    ...(quotedCall && !caution ? [tellCall(quotedCall)] : []),
    `The signature is valid until ${at(signable.deadline)}.`,
  ].join(' ');
  const more = { quotedValues, quotedCall: caution ? undefined : quotedCall };
  return answer({ purpose: 'input', means, signable, more });
}

function answer(facts: {
  purpose: string;
  means: string;
  signable: Signable;
  more: {
    quotedValues: Record<string, unknown>;
    quotedCall?: ActionCall | undefined;
    docUri?: string;
    documentId?: string;
  };
}) {
  const { purpose, means, signable } = facts;
  const { quotedValues, quotedCall, ...more } = facts.more;
  const { domain, types, primaryType, message, digest, deadline, nonce, verdict } = signable;
  const { ok, reason, message: word } = verdict;
  const next = ok
    ? 'Have typedData signed by that wallet, then call submit_signed with the signature, this deadline and the same arguments.'
    : `It would be refused now: ${word}`;
  return {
    text: `${means} ${next}`,
    data: {
      purpose,
      means,
      quotedValues,
      ...(quotedCall && { quotedCall: { ...quotedCall, args: [...quotedCall.args] } }),
      typedData: { domain, types, primaryType, message },
      digest,
      deadline,
      nonce,
      ...more,
      verdict: { ok, message: word, ...(reason !== undefined && { reason }) },
    },
    // Typed data is useless in part, and as long as the caller's values.
    maxTokens: 100_000,
  };
}

function at(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
