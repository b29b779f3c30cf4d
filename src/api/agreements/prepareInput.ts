import { type Address, encodeFunctionData, type Hex } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { nameHash } from '../../protocol/index.ts';
import type { AdmissionServices } from '../admission/createAdmission.ts';
import { checkInput, requireInput } from './checkInput.ts';
import { type DeployedReference, requireDeployed } from './deployedRecord.ts';
import { type EncodedInput, encodeInput, type InputContent } from './inputPermit.ts';
import { prepareSignable, type Signable } from './signable.ts';

export type InputPreparation = InputContent &
  DeployedReference & {
    readonly signer: Address;
    /** Unix seconds; an hour ahead by default. */
    readonly deadline?: bigint | undefined;
    /** Whether open permits count. */
    readonly isPending: boolean;
  };

/**
 * The typed data for an input's signer, after all checks that come before the signature check, in the same
 * order. Stores and sends nothing.
 *
 * @throws RefusedError for an input that would be refused, whatever its signature.
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 * @throws ChainUnavailableError if the chain cannot be asked.
 */
export async function prepareInput(
  request: InputPreparation,
  services: AdmissionServices,
): Promise<Signable> {
  const { principalId, inputId, signer, deadline } = request;
  const target = await requireDeployed(services.pool, request);
  const { chainId, address: contract, agreement, variables } = target;
  requireInput(agreement, inputId);
  const encoded = encodeInput(request, target);
  return prepareSignable(
    {
      principalId,
      chainId,
      contract,
      isAgreement: true,
      nonces: request.isPending ? 'free' : 'mined',
      look: () =>
        services.admission.look({
          chainId,
          contract,
          signer,
          inputHash: nameHash(inputId),
          payload: encoded?.payload,
          asker: principalId,
          isAfterOwn: true,
        }),
      agreement,
      signer,
      deadline,
      directCall: encoded && { to: contract, data: encodeDirectCall(encoded) },
      build(facts) {
        const check = { ...request, agreement, variables, facts, encoded };
        return checkInput(check, services.limits).buildTypedData;
      },
    },
    services,
  );
}

/** The input as a call by the signer itself, without a permit. */
function encodeDirectCall({ inputHash, payload }: EncodedInput): Hex {
  return encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [inputHash, payload],
  });
}
