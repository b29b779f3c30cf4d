import { randomUUID } from 'node:crypto';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Limits } from '../../../src/platform/config/limits.ts';
import { type SignedPermit, signDeployPermit, signInputPermit } from '../../support/permits.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { GenerationScene } from './generateRequests.ts';
import { buildAgentRequest } from './generateToolCalls.ts';
import type { WorstRequest } from './worstRequests.ts';
import { deployAs, type WorstWorld } from './worstWorld.ts';

type Headers = Record<string, string>;
/** The length of lists without a smaller limit: a full page. */
const pageLength = 100;
const longText = (bytes: number) => 'é'.repeat(bytes / 2);
const newAccount = () => privateKeyToAccount(generatePrivateKey());
const idShape = z.looseObject({ data: z.looseObject({ id: z.string() }) });

/**
 * Gives a hostile principal data for all its routes: links, sessions, drafts, webhooks with filters and
 * deliveries, each list a page long, and logged-in browsers. Returns the data for generating requests, and
 * the requests that need a signature.
 */
export async function createWorstScene(
  stack: ServiceStack,
  options: { baseUrl: string; apiKey: string; otherKey: string; world: WorstWorld; limits: Limits },
): Promise<{
  scene: Omit<GenerationScene, 'schemas'>;
  signed: WorstRequest[];
  /** The secret of a link by which the participant signs. */
  linkSecret: string;
}> {
  const { baseUrl, apiKey, otherKey, world, limits } = options;
  const { chainId, factory, reader } = stack;
  const { record, account, agreement, values } = world;
  const key = { 'x-api-key': apiKey };
  const page = { 'x-agreements-session': '1' };

  const call = async (method: string, path: string, asked: { body?: unknown; headers?: Headers } = {}) => {
    const { body, headers = key } = asked;
    const response = await fetch(`${baseUrl}/v0${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    const [cookie] = response.headers.getSetCookie();
    return { body: JSON.parse(text), cookie: cookie?.split(';', 1)[0] ?? '' };
  };
  const make = async (path: string, body?: unknown) =>
    idShape.parse((await call('POST', path, { body })).body).data;
  const secretOf = (link: unknown) =>
    new URL(z.looseObject({ url: z.string() }).parse(link).url).hash.slice(1);

  const enter = async () => (await call('POST', '/sessions', { body: {} })).cookie;
  const login = async (wallet: PrivateKeyAccount) => {
    const headers = page;
    const asked = await call('POST', '/wallet/challenges', { body: { wallet: wallet.address }, headers });
    const { id: challengeId, message } = z
      .object({ id: z.string(), message: z.string() })
      .parse(asked.body.data);
    return { challengeId, signature: await wallet.signMessage({ message }) };
  };
  const enterAs = async (wallet: PrivateKeyAccount) =>
    (await call('POST', '/wallet/sessions', { body: await login(wallet), headers: page })).cookie;
  const byCookie = (cookie: string) => ({ ...page, cookie });

  await call('PATCH', `/agreements/${record.id}`, { body: { participantAccess: 'sign' } });
  const link = await make(`/agreements/${record.id}/links`, { may: 'sign', participant: 'party' });
  for (let count = 0; count < pageLength - 12; count++)
    await make(`/agreements/${record.id}/links`, { may: 'read', note: longText(500) });
  const draftOf = async () => {
    const documentId = randomUUID();
    const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
    const participants = [{ variableKey: 'party', walletAddress: account.address }];
    const named = { agreement, chainId, participants, displayName: longText(500), signer: account.address };
    const draft = await make('/agreements/drafts', { ...named, documentId, docUri });
    return { id: draft.id, docUri };
  };
  for (let count = 0; count < pageLength / 10; count++) await draftOf();
  const [draft, withdrawn] = [await draftOf(), await draftOf()];
  const draftLink = secretOf(await make(`/agreements/${draft.id}/links`, { may: 'sign' }));
  const label = longText(200);
  for (let count = 0; count < pageLength; count++) {
    await make('/sessions/links', { label });
    await make('/sessions', { label });
  }
  const filters = Object.fromEntries(
    ['agreementIds', 'templateIds', 'inputIds', 'fromStates', 'toStates', 'ruleIds'].map((name) => [
      name,
      Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(100, 'x')),
    ]),
  );
  const webhook = await make('/webhooks', { url: 'http://127.0.0.1:9/hook' });
  for (let count = 0; count < 40; count++)
    await make('/webhooks', { url: 'http://127.0.0.1:9/hook', filters });
  await call('POST', `/webhooks/${webhook.id}/test`);
  const listDeliveries = async () => {
    const { body } = await call('GET', `/webhooks/${webhook.id}/deliveries?limit=1`);
    return z.array(z.looseObject({ id: z.string() })).parse(body.data);
  };
  await waitUntil('there is a delivery', async () => (await listDeliveries()).length > 0);
  const [delivery] = await listDeliveries();

  const other = newAccount();
  const others = createSingleCallClient({ baseUrl, apiKey: otherKey });
  const foreign = await deployAs(stack, {
    client: others,
    baseUrl,
    account: other,
    agreement,
    party: other.address,
  });
  const deployment = async (signer: PrivateKeyAccount, docUri: string) =>
    signDeployPermit({
      ...{ client: reader, chainId, factory, agreement, docUri, account: signer },
      values: { party: account.address },
    });
  const input = async (signer: PrivateKeyAccount) => ({
    ...{ inputId: 'go', values },
    ...(await signInputPermit({
      ...{ client: reader, chainId, agreementAddress: record.address, agreement, inputId: 'go', values },
      account: signer,
    })),
  });

  const third = newAccount();
  const participants = [{ variableKey: 'party', walletAddress: account.address }];
  const prepareDeployment = async () => {
    const documentId = randomUUID();
    const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
    const body = { agreement, chainId, docUri, documentId, participants, displayName: longText(500) };
    return { body, permit: await deployment(newAccount(), docUri) };
  };
  const own = await prepareDeployment();
  const hosted = await prepareDeployment();
  const post = (name: string, path: string, parts: Partial<WorstRequest>): WorstRequest => ({
    name: `signed: ${name}`,
    method: 'POST',
    path: `/v0${path}`,
    ...parts,
  });
  const byLink = (secret: string) =>
    ({ credential: 'signingLink', headers: { 'x-agreements-link': secret } }) as const;
  const signed = [
    post('a deployment', '/agreements/deploy-with-permit', {
      body: { ...own.body, ...own.permit },
    }),
    post('an input', `/agreements/${record.id}/input`, { body: await input(third) }),
    post('an input by a link', '/shared/agreement/input', {
      ...byLink(secretOf(link)),
      body: await input(account),
    }),
    post('a deployment by a link, to be signed', '/shared/agreement/deploy-typed-data', {
      ...byLink(draftLink),
      body: { signer: account.address },
    }),
    post('a deployment by a link', '/shared/agreement/deploy-with-permit', {
      ...byLink(draftLink),
      body: await deployment(account, draft.docUri),
    }),
    post('a wallet that logs in', '/wallet/sessions', {
      credential: 'none',
      headers: page,
      // Each login works only once.
      prepare: async () => ({ body: await login(third) }),
    }),
    post('a portal link before it is used', '/sessions/links/preview', {
      credential: 'none',
      headers: page,
      body: { link: secretOf(await make('/sessions/links', { label })) },
    }),
    post('an agreement of somebody else', '/agreements/import', {
      body: { agreement, chainId, address: foreign.address, displayName: longText(500) },
    }),
  ];
  const calls = [
    callTool('/mcp', 'simulate_agreement', {
      agreementId: record.id,
      steps: [{ inputId: 'go', values, by: 'party' }],
    }),
    callTool('/mcp', 'prepare_signature', {
      ...{ purpose: 'input', agreementId: record.id, signer: account.address, inputId: 'go', values },
    }),
    callTool('/mcp', 'submit_signed', {
      ...{ purpose: 'input', agreementId: record.id, wait: false, ...toAgent(await input(newAccount())) },
    }),
    callTool('/mcp/compat', 'get_agreement_document', { documentId: record.documentId }),
    callTool('/mcp/compat', 'prepare_deployment_typed_data', {
      ...{ agreement, chainId, participants, signerAddress: account.address },
    }),
    callTool('/mcp/compat', 'prepare_input_typed_data', {
      ...{ agreementId: record.id, inputId: 'go', values, signerAddress: account.address },
    }),
    callTool('/mcp/compat', 'deploy_agreement', {
      ...hosted.body,
      ...toHosted(hosted.permit),
    }),
    callTool('/mcp/compat', 'submit_input', {
      ...{ agreementId: record.id, ...toHosted(await input(newAccount())) },
    }),
  ];
  const walletSession = byCookie(await enterAs(account));
  const ids = {
    'v0/agreements/{id}': record.id,
    'agreements/drafts/{id}': withdrawn.id,
    'agreements/documents/{documentId}': record.documentId,
    'agreements/links/{linkId}': (await make(`/agreements/${record.id}/links`, { may: 'read' })).id,
    'v0/webhooks/{id}': webhook.id,
    'webhooks/deliveries/{deliveryId}': delivery?.id ?? '',
    'v0/sessions/{id}': (await make('/sessions', {})).id,
    'sessions/links/{id}': (await make('/sessions/links', {})).id,
  };
  return {
    linkSecret: secretOf(link),
    signed: [...signed, ...calls],
    scene: {
      bodyValues: limits.bodyValues,
      parts: ids,
      headers: {
        apiKey: key,
        bearer: { authorization: `Bearer ${apiKey}` },
        session: byCookie(await enter()),
        signingLink: { 'x-agreements-link': secretOf(link) },
        walletSession,
        none: page,
      },
      ownHeaders: {
        endCurrentSession: byCookie(await enter()),
        endWalletSession: byCookie(await enterAs(account)),
      },
      known: {
        ...{ agreement, chainId, values, participants, initValues: {}, inputId: 'go' },
        ...{
          agreementId: record.id,
          address: foreign.address,
          signer: account.address,
          wallet: account.address,
        },
        ...{
          by: account.address,
          may: 'read',
          deadline: Math.floor(Date.now() / 1_000) + 7_200,
          documentId: undefined,
          docUri: undefined,
          signerAddress: account.address,
          environment: 'testnet',
        },
        // Left out: separate requests test notification rules.
        ...{
          notificationTemplate: undefined,
          participant: undefined,
          link: undefined,
          at: undefined,
        },
      },
    },
  };
}

function callTool(path: string, name: string, args: object): WorstRequest {
  const params = { name, arguments: args };
  return buildAgentRequest({
    path,
    tool: `${path} ${name}`,
    name: `${name}: with meaning`,
    method: 'tools/call',
    params,
  });
}

/** A permit in the tools' form. */
function toAgent({ signature: { v, r, s }, ...permit }: SignedPermit & object) {
  return { ...permit, signature: `${r}${s.slice(2)}${v.toString(16)}` };
}

function toHosted({ signature: { v, r, s }, ...permit }: SignedPermit & object) {
  return { ...permit, signatureV: v, signatureR: r, signatureS: s };
}
