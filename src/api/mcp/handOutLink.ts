import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { MalformedError, RefusedError } from '../../platform/errors/serviceError.ts';
import { recordShape } from '../shapes/resources.ts';
import { newSigningLinkShape } from '../shapes/sharingShapes.ts';
import { chainQuery } from './agentArguments.ts';
import type { AgentCall } from './agentCall.ts';
import { checkedData } from './checkedData.ts';
import type { ToolAnswer } from './defineTool.ts';
import { readAfterWrite } from './readAfterWrite.ts';

/** The signer: a participant for an agreement's inputs, or the owner for a deployment kept as a draft. */
export type LinkSubject =
  | { readonly agreementId: string; readonly chainId: number | undefined; readonly participant: string }
  | { readonly draft: Readonly<Record<string, unknown>> };

type Asked = { readonly subject: LinkSubject; readonly expiresInSeconds: number | undefined };

const heldShape = z.object({
  principalId: z.string(),
  recordId: z.string(),
  linkId: z.string(),
  expiresAt: z.string(),
  /** The draft, which ends with its link. */
  isDraft: z.boolean().default(false),
});
type Held = z.output<typeof heldShape>;

/** Stores data for a client to hand back, which it can neither read nor change. */
export type LinkSealer = { seal(held: Held): string; open(text: string): Held };

const context = 'a signing link shown by an agent';

export function createLinkSealer(cipher: Cipher): LinkSealer {
  return {
    seal: (held) => cipher.encrypt(JSON.stringify(held), context).toString('base64url'),
    open(text) {
      try {
        return heldShape.parse(parseJson(cipher.decrypt(Buffer.from(text, 'base64url'), context)));
      } catch {
        throw new MalformedError('The state of this request is not valid.');
      }
    },
  };
}

const request = 'sign';
const responsesShape = z.object({ [request]: z.object({ action: z.enum(['accept', 'decline', 'cancel']) }) });

type LinkAnswer = {
  purpose: string;
  means: string;
  agreementId: string;
  link: { id: string; url?: string; expiresAt: string; shown: 'accepted' | 'notShown' };
};

/**
 * Creates a signing link and has the client show it to a person, if it can; then no model sees the link. A
 * declined link is ended. Other clients get the link in the answer.
 *
 * @throws ServiceError as the route of links does.
 */
export async function handOutLink(
  asked: Asked,
  { call, sealer }: { call: AgentCall; sealer: LinkSealer },
): Promise<ToolAnswer<LinkAnswer> | InputRequiredResult> {
  if (call.resumed) return conclude(call, { ...call.resumed, sealer });
  const { id, url, expiresAt, recordId, isDraft } = await makeLink(asked, call);
  if (!call.canShowUrls) return describe({ id, url, expiresAt, shown: 'notShown' }, { recordId, isDraft });
  const message = 'Open this page to read the agreement and to sign it with your own wallet.';
  return inputRequired({
    inputRequests: { [request]: inputRequired.elicitUrl({ message, url }) },
    requestState: sealer.seal({ principalId: call.principalId, recordId, linkId: id, expiresAt, isDraft }),
  });
}

async function makeLink({ subject, expiresInSeconds }: Asked, call: AgentCall) {
  const lifetime = expiresInSeconds !== undefined && { expiresInSeconds };
  if (!('draft' in subject)) {
    const { agreementId: id, chainId, participant } = subject;
    const body = { may: 'sign', participant, ...lifetime };
    const query = chainQuery(chainId);
    await requireDeployable(call, { params: { id }, query });
    const { data } = await call.ask('createSigningLink', { params: { id }, query, body });
    const { agreementId: recordId, ...link } = newSigningLinkShape.parse(data);
    return { ...link, recordId, isDraft: false };
  }
  const draft = await call.ask('createDraft', { body: subject.draft });
  const { id } = recordShape.parse(draft.data);
  try {
    const body = { may: 'sign', ...lifetime };
    const { data } = await call.ask('createSigningLink', { params: { id }, body });
    return { ...newSigningLinkShape.parse(data), recordId: id, isDraft: true };
  } catch (error) {
    // Nobody would sign it.
    await call.ask('withdrawDraft', { params: { id } });
    throw error;
  }
}

/**
 * A refusal to read it does not keep from making the link: the key may be one that only writes.
 *
 * @throws RefusedError `not_deployed` for an agreement that will not be deployed.
 */
async function requireDeployable(
  call: AgentCall,
  reference: { params: { id: string }; query: Record<string, string> },
): Promise<void> {
  const { found } = await readAfterWrite(call, async () =>
    checkedData(recordShape, (await call.ask('getAgreement', reference)).data),
  );
  const error = found?.onChain.error;
  if (!error) return;
  const message = `The agreement will not be deployed, so nobody can sign it: ${error.message}`;
  throw new RefusedError('not_deployed', message);
}

async function conclude(
  call: AgentCall,
  { state, responses, sealer }: { state: string; responses: unknown; sealer: LinkSealer },
): Promise<ToolAnswer<LinkAnswer>> {
  const { principalId, recordId, linkId, expiresAt, isDraft } = sealer.open(state);
  if (principalId !== call.principalId)
    throw new MalformedError('The state of this request belongs to another account.');
  const parsed = responsesShape.safeParse(responses);
  if (!parsed.success)
    throw new MalformedError(
      `The link is active. Send the request again with the person's reply in inputResponses.${request}.`,
    );
  if (parsed.data[request].action === 'accept')
    return describe({ id: linkId, expiresAt, shown: 'accepted' }, { recordId, isDraft });
  if (isDraft) await call.ask('withdrawDraft', { params: { id: recordId } });
  else await call.ask('revokeSigningLink', { params: { id: recordId, linkId } });
  throw new MalformedError('The person declined to open the link. It is revoked.');
}

function describe(
  link: LinkAnswer['link'],
  { recordId: agreementId, isDraft }: { recordId: string; isDraft: boolean },
): ToolAnswer<LinkAnswer> {
  const means = isDraft
    ? 'Anyone with the link can read this one draft. The wallet of signer signs it there; then it is deployed.'
    : 'Anyone with the link can read this one agreement. The wallet of the participant can submit inputs there.';
  const next =
    link.shown === 'accepted'
      ? 'The client has shown the page to the person. Call read_agreement or read_events to see what the person does.'
      : 'Give the address to that person only: anyone who has it can read the agreement.';
  return { text: `${means} ${next}`, data: { purpose: 'link', means, agreementId, link } };
}
