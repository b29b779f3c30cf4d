import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { MalformedError } from '../../platform/errors/serviceError.ts';
import { newSigningLinkShape } from '../shapes/sharingShapes.ts';
import type { AgentCall } from './agentCall.ts';
import type { ToolAnswer } from './defineTool.ts';

type Asked = {
  readonly agreementId: string;
  readonly participant: string;
  readonly expiresInSeconds: number | undefined;
};

const heldShape = z.object({
  principalId: z.string(),
  recordId: z.string(),
  linkId: z.string(),
  expiresAt: z.string(),
});
type Held = z.output<typeof heldShape>;

/** Keeps what a client has to hand back so that it can be neither read nor changed on the way. */
export type LinkSealer = { seal(held: Held): string; open(text: string): Held };

const context = 'a signing link shown by an agent';

export function createLinkSealer(cipher: Cipher): LinkSealer {
  return {
    seal: (held) => cipher.encrypt(JSON.stringify(held), context).toString('base64url'),
    open(text) {
      try {
        return heldShape.parse(parseJson(cipher.decrypt(Buffer.from(text, 'base64url'), context)));
      } catch {
        throw new MalformedError('The state of this request is not one that the service has given.');
      }
    },
  };
}

const request = 'sign';
const responsesShape = z.object({ [request]: z.object({ action: z.string() }) });

type LinkAnswer = {
  purpose: string;
  means: string;
  link: { id: string; url?: string; expiresAt: string; shown: 'accepted' | 'notShown' };
};

/**
 * Makes a signing link and has the client show it to a person, where it can; then the address passes no model. A link that the
 * person did not want is ended. Other clients get the address in the answer.
 *
 * @throws ServiceError as the route of links does.
 */
export async function handOutLink(
  asked: Asked,
  { call, sealer }: { call: AgentCall; sealer: LinkSealer },
): Promise<ToolAnswer<LinkAnswer> | InputRequiredResult> {
  if (call.resumed) return conclude(call, { ...call.resumed, sealer });
  const { agreementId, participant, expiresInSeconds } = asked;
  const { data } = await call.ask('createSigningLink', {
    params: { id: agreementId },
    body: { may: 'sign', participant, ...(expiresInSeconds !== undefined && { expiresInSeconds }) },
  });
  const { id, url, expiresAt, agreementId: recordId } = newSigningLinkShape.parse(data);
  if (!call.canShowUrls) return describe({ id, url, expiresAt, shown: 'notShown' });
  const message = 'Open this page to read the agreement and to sign for your part with your own wallet.';
  return inputRequired({
    inputRequests: { [request]: inputRequired.elicitUrl({ message, url }) },
    requestState: sealer.seal({ principalId: call.principalId, recordId, linkId: id, expiresAt }),
  });
}

async function conclude(
  call: AgentCall,
  { state, responses, sealer }: { state: string; responses: unknown; sealer: LinkSealer },
): Promise<ToolAnswer<LinkAnswer>> {
  const { principalId, recordId, linkId, expiresAt } = sealer.open(state);
  if (principalId !== call.principalId)
    throw new MalformedError('The state of this request belongs to another account.');
  const parsed = responsesShape.safeParse(responses);
  if (parsed.success && parsed.data[request].action === 'accept')
    return describe({ id: linkId, expiresAt, shown: 'accepted' });
  await call.ask('revokeSigningLink', { params: { id: recordId, linkId } });
  throw new MalformedError('The person did not want to open the link; it is revoked.');
}

function describe(link: LinkAnswer['link']): ToolAnswer<LinkAnswer> {
  const means =
    'Whoever opens the link sees this one agreement, and sends inputs from the wallet of the participant.';
  const next =
    link.shown === 'accepted'
      ? 'The person was shown the page. Follow what they do with read_agreement or read_events.'
      : 'Give the address to that person alone: whoever has it can read the agreement.';
  return { text: `${means} ${next}`, data: { purpose: 'link', means, link } };
}
