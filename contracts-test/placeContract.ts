import { type Address, createTestClient, type Hex, http, isAddressEqual, publicActions } from 'viem';
import { z } from 'zod';

const hexSchema = z.templateLiteral(['0x', z.string()]);
const stateDiffSchema = z.object({
  post: z.record(hexSchema, z.looseObject({ storage: z.record(hexSchema, hexSchema).optional() })),
});

/** The contract's address, and its construction code: creation code followed by its encoded arguments. */
export interface Placement {
  rpcUrl: string;
  address: Address;
  initCode: Hex;
}

/**
 * Gives `address` the contract that deploying `initCode` there would create. Its constructor runs as that
 * address on that chain, so immutables that depend on either are right, and its storage is kept. Sends no
 * transaction and mines no block. Returns false and does nothing if there is code already. Anvil only.
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
  // A contract's own first creation uses nonce 1; with 0 the clones of a factory would get other addresses.
  await client.setNonce({ address, nonce: 1 });
  // The code comes last: an interrupted placement is repeated.
  await client.setCode({ address, bytecode: runtimeCode });
  return true;
}

/** A request whose answer is parsed here. */
interface AnyRequest {
  Method: string;
  Parameters: unknown;
  ReturnType: unknown;
}
