import { type Address, createTestClient, type Hex, http, isAddressEqual, publicActions } from 'viem';
import { z } from 'zod';

const hexSchema = z.templateLiteral(['0x', z.string()]);
const stateDiffSchema = z.object({
  post: z.record(hexSchema, z.looseObject({ storage: z.record(hexSchema, hexSchema).optional() })),
});

/** Where a contract is to stand, and the code that constructs it: creation code followed by its encoded arguments. */
export interface Placement {
  rpcUrl: string;
  address: Address;
  initCode: Hex;
}

/**
 * Makes the contract at `address` what it would be had `initCode` been deployed there: its constructor runs as that
 * address on that chain, so immutables that depend on either are right, and what it stores is stored. No transaction
 * is sent and no block is mined. Does nothing, and returns false, where code stands already. Anvil only.
 */
export async function placeContract({ rpcUrl, address, initCode }: Placement): Promise<boolean> {
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  if ((await client.getCode({ address })) !== undefined) return false;

  const stateOverride = { [address]: { code: initCode } };
  const runtimeCode = hexSchema.parse(
    await client.request<AnyRequest>({
      method: 'eth_call',
      params: [{ to: address }, 'latest', stateOverride],
    }),
  );
  const { post } = stateDiffSchema.parse(
    await client.request<AnyRequest>({
      method: 'debug_traceCall',
      params: [
        { to: address },
        'latest',
        { tracer: 'prestateTracer', tracerConfig: { diffMode: true }, stateOverrides: stateOverride },
      ],
    }),
  );

  for (const [account, { storage }] of Object.entries(post)) {
    if (!isAddressEqual(hexSchema.parse(account), address)) continue;
    for (const [slot, value] of Object.entries(storage ?? {})) {
      await client.setStorageAt({ address, index: hexSchema.parse(slot), value });
    }
  }
  // A contract's first own creation uses nonce 1; with 0 the clones of a factory would get other addresses.
  await client.setNonce({ address, nonce: 1 });
  // The code comes last: an interrupted placement is done again.
  await client.setCode({ address, bytecode: runtimeCode });
  return true;
}

/** A request whose answer is parsed here. */
interface AnyRequest {
  Method: string;
  Parameters: unknown;
  ReturnType: unknown;
}
