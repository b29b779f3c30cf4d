import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { signTypedData } from './signTypedData.ts';

const address = process.env.AGREEMENTS_MCP ?? 'http://127.0.0.1:3000/mcp';
const key = process.env.AGREEMENTS_KEY ?? '';

const resultShape = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()),
});
const nextShape = z.object({
  state: z.string().nullable(),
  isFinal: z.boolean(),
  next: z.array(z.object({ inputId: z.string(), by: z.array(z.string()) })),
});

const client = new Client(
  { name: 'both-parties', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
const requestInit = { headers: { authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));

/** Calls a tool, prints its answer, and exits if it refuses. */
async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, content, structuredContent } = resultShape.parse(
    await client.callTool({ name, arguments: args }),
  );
  const text = content.map((block) => block.text).join('\n');
  console.log(`\n${name}\n  ${text.replaceAll('\n', '\n  ')}`);
  if (isError) throw new Error(`${name}: ${text}`);
  return structuredContent;
}

/** Has a wallet sign the prepared data, and submits the signature. */
async function act(account: (typeof parties)['owner'], subject: Record<string, unknown>, name = {}) {
  const asked = { ...subject, signer: account.address };
  const prepared = await call('prepare_signature', asked);
  const signed = await signTypedData(account, prepared);
  return call('submit_signed', { ...asked, ...signed, ...name });
}

const { contents } = await client.readResource({ uri: 'agreements://examples/simple-agreement.json' });
const agreement = z
  .object({ text: z.string() })
  .transform(({ text }) => JSON.parse(text))
  .parse(contents[0]);
const parties = {
  owner: privateKeyToAccount(generatePrivateKey()),
  rider: privateKeyToAccount(generatePrivateKey()),
};
const deployment = {
  agreement,
  chainId: 59_141,
  initValues: { bicycle: 'A green tandem', depositCents: '5000' },
  participants: Object.entries(parties).map(([variableKey, { address: walletAddress }]) => ({
    variableKey,
    walletAddress,
  })),
};

await call('draft_agreement', deployment);
await call('simulate_agreement', {
  ...deployment,
  steps: [
    { inputId: 'take', by: 'rider', values: {} },
    { inputId: 'giveBack', by: 'rider', values: {} },
  ],
});
const { agreementId } = await act(
  parties.owner,
  { purpose: 'deploy', ...deployment },
  { displayName: 'Tandem for the summer' },
);

for (;;) {
  const { isFinal, next } = nextShape.parse(await call('read_agreement', { agreementId }));
  const [first] = next;
  if (isFinal || !first) break;
  const account = first.by[0] === 'owner' ? parties.owner : parties.rider;
  await act(account, { purpose: 'input', agreementId, inputId: first.inputId, values: {} });
}
await client.close();
