import { type Hex, pad, parseTransaction } from 'viem';
import { buildDeployMessage } from '../../../src/protocol/evidence/evidenceTypedData.ts';
import { compileAgreement, deployTypedData, nameHash } from '../../../src/protocol/index.ts';
import { buildLease } from '../../service/support/documents.ts';
import { at, readObject, set, write } from '../editJson.ts';
import { stepOf } from './alterChain.ts';
import { buildDepositedLease, landlord, tenant } from './depositedLease.ts';
import { signCall } from './sealChain.ts';

const wrapper: Hex = `0x${'bb'.repeat(20)}`;
const chainId = 84532;
const deadline = 1_800_000_000n;

/** The lease without its action, whose event would show the rent. */
const withoutActions = ({ execution }: ReturnType<typeof buildLease>) => {
  execution.actions = [];
};

/**
 * A lease that the tenant deployed through a contract of its own, by a permit of the landlord. The chain is
 * the same for every rent; the file has the landlord's genuine permit over that rent.
 *
 * @param nonce of the permit at the factory.
 * @param call the tenant's, if not to that contract.
 */
export async function wrapDeployment(
  rent: string,
  nonce: bigint,
  call: { to: Hex; data: Hex } = { to: wrapper, data: '0xdeadbeef' },
): Promise<string> {
  const raw = await signCall(tenant, { nonce: 9, chainId, ...call });
  let factory: Hex = '0x';
  const text = await buildDepositedLease({
    edit: withoutActions,
    alter(chain) {
      const step = stepOf(chain, 0);
      const { to } = parseTransaction(step.raw);
      if (!to) throw new Error('no call');
      factory = to;
      step.raw = raw;
      const event = nameHash('AgreementCreatedWithPermit(address,address,address)');
      const topics = [
        event,
        pad(chain.contract),
        pad(landlord.address),
        pad(call.to === wrapper ? wrapper : tenant.address),
      ];
      step.logs.push({ address: factory, topics: topics.map(lower), data: '0x' });
    },
  });
  const values = { landlord: landlord.address, rent, tenant: tenant.address };
  const file = readObject(text);
  const document = buildLease(`0x${'70'.repeat(20)}`);
  withoutActions(document);
  const parameters = compileAgreement(document, { values });
  const typed = deployTypedData({ chainId, factory, parameters, nonce, deadline });
  const signature = await landlord.signTypedData(typed);
  const core = {
    ...{ signer: lower(landlord.address), nonce: String(nonce), deadline: String(deadline) },
    v: Number(`0x${signature.slice(-2)}`),
    r: `0x${signature.slice(2, 66)}` as const,
    s: `0x${signature.slice(66, 130)}` as const,
  };
  const { typedData } = buildDeployMessage(core, { chainId, factory, parameters });
  Object.assign(at(file, 'deployment'), { permit: { ...core, typedData } });
  set(
    at(file, 'document'),
    'values',
    Object.entries(values).map(([name, value]) => ({ name, value })),
  );
  return write(file);
}

function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
