import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { signTypedData } from './signTypedData.ts';

const address = process.env.AGREEMENTS_MCP ?? 'http://127.0.0.1:3000/mcp';
const key = process.env.AGREEMENTS_KEY;
if (key === undefined) {
  console.error('Set AGREEMENTS_KEY to the key that npm run dev has printed.');
  process.exit(1);
}

const resultShape = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ text: z.string() })]).rest(z.unknown()),
  structuredContent: z.record(z.string(), z.unknown()),
});
const standingShape = z.object({
  isFinal: z.boolean(),
  next: z.array(z.object({ inputId: z.string(), by: z.array(z.string()) })),
});

const client = new Client(
  { name: 'both-parties', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
const requestInit = { headers: { authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));

/** Calls a tool, prints its answer in words, and throws if it refuses. */
async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, content, structuredContent } = resultShape.parse(
    await client.callTool({ name, arguments: args }),
  );
  const [{ text }] = content;
  console.log(`\n${name}\n  ${text.replaceAll('\n', '\n  ')}`);
  if (isError) throw new Error(`${name}: ${text}`);
  return structuredContent;
}

const resultHash = `0x${'5c'.repeat(32)}`;

/** What each party wants to do, in its own order, and the values that it sends. */
const parties = {
  client: {
    account: privateKeyToAccount(generatePrivateKey()),
    wishes: [
      { inputId: 'askForChanges', values: { wishes: 'Please add a map of the way.' } },
      { inputId: 'acceptResult', values: { acceptedHash: resultHash } },
    ],
  },
  contractor: {
    account: privateKeyToAccount(generatePrivateKey()),
    wishes: [
      { inputId: 'acceptOffer', values: {} },
      { inputId: 'deliver', values: { resultUri: 'https://example.com/first', resultHash } },
      { inputId: 'deliver', values: { resultUri: 'https://example.com/second', resultHash } },
    ],
  },
};

/** Has a party's wallet sign the prepared data, and submits the signature. */
async function act(party: keyof typeof parties, subject: Record<string, unknown>, name = {}) {
  const { account } = parties[party];
  const asked = { ...subject, signer: account.address };
  const signed = await signTypedData(account, await call('prepare_signature', asked));
  return call('submit_signed', { ...asked, ...signed, ...name });
}

/** The first party whose next wish is possible now, with that wish. */
function findTurn(next: z.output<typeof standingShape>['next']) {
  for (const party of ['client', 'contractor'] as const) {
    const [wish] = parties[party].wishes;
    if (wish && next.some(({ inputId, by }) => inputId === wish.inputId && by.includes(party)))
      return { party, wish };
  }
  return undefined;
}

const { contents } = await client.readResource({ uri: 'agreements://examples/complex-agreement.json' });
const agreement = z
  .object({ text: z.string() })
  .transform(({ text }) => JSON.parse(text))
  .parse(contents[0]);
const deployment = {
  agreement,
  chainId: 59_141,
  initValues: { task: 'Write a guide to the old harbour', feeCents: '90000', dueOn: '2030-06-30T00:00:00Z' },
  participants: Object.entries(parties).map(([variableKey, { account }]) => ({
    variableKey,
    walletAddress: account.address,
  })),
};

await call('draft_agreement', deployment);
await call('simulate_agreement', {
  ...deployment,
  steps: [
    { inputId: 'acceptOffer', by: 'contractor' },
    { inputId: 'cancel', by: 'client', values: { reason: 'No budget' } },
  ],
});
const { agreementId } = await act(
  'client',
  { purpose: 'deploy', ...deployment },
  { displayName: 'Guide to the harbour' },
);

for (;;) {
  const { isFinal, next } = standingShape.parse(await call('read_agreement', { agreementId }));
  if (isFinal) break;
  const turn = findTurn(next);
  if (!turn) throw new Error('No party wants to do what the agreement allows.');
  await act(turn.party, { purpose: 'input', agreementId, ...turn.wish });
  parties[turn.party].wishes.shift();
}
await client.close();
