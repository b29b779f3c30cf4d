import { type Address, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { nameHash } from '../../../src/protocol/index.ts';
import { list, object, readObject, set, write } from '../editJson.ts';
import { logOf, stepOf } from './alterChain.ts';
import { buildDepositedLease, type LeaseOptions, submitter } from './depositedLease.ts';
import { signCall } from './sealChain.ts';

const contract: Address = `0x${'a9'.repeat(20)}`;

/** The lease whose `knock`, which anybody may send, a stranger sends with this payload. */
export async function sendPayload(payload: Hex, edit?: LeaseOptions['edit']): Promise<string> {
  const inputId = nameHash('knock');
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [inputId, payload],
  });
  const raw = await signCall(submitter, { nonce: 3, chainId: 84532, to: contract, data });
  const text = await buildDepositedLease({
    ...(edit && { edit }),
    alter(chain) {
      stepOf(chain, 1).raw = raw;
      logOf(chain, 1).data = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'bytes' }],
        [inputId, payload],
      );
    },
  });
  const file = readObject(text);
  set(object(list(file, 'inputs')[0]), 'payload', payload);
  return write(file);
}
