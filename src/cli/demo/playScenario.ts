import { type Address, createPublicClient, http } from 'viem';
import type { AgreementRecord, AgreementsClient } from '../../../client/src/index.ts';
import { deployAgreement } from '../../../client/src/viem/index.ts';
import { parseAddress } from '../../protocol/index.ts';
import type { DevStack } from '../dev/devStack.ts';
import { type ContractAccount, readContractAccount } from './contractAccount.ts';
import { type Payment, preparePayment } from './payment.ts';
import { type PlayedStep, playStep, readServed, type Served, tryAsWrongParty } from './playStep.ts';
import { type Parties, readExample, type Scenario } from './scenarios.ts';

const pollMs = 25;

/** The states of a simulation, and its final state. */
export type Simulated = {
  steps: readonly { inputId: string; outcome: string; fromState: string; toState: string }[];
  state: string;
  variables: Readonly<Record<string, string | boolean>>;
};

export type Played = {
  scenario: Scenario;
  address: Address;
  warnings: number;
  /** The service's preview of the same steps, without the chain. */
  simulated: Simulated;
  deployedInMs: number;
  /** The service's answer to an input of the wrong party. */
  refusal: string;
  steps: PlayedStep[];
  served: Served;
  contract: ContractAccount;
  payment: { moved: bigint; agreed: bigint } | null;
};

/** Plays a scenario from preflight to its last state, each step once the previous one is served. */
export async function playScenario(options: {
  scenario: Scenario;
  stack: DevStack;
  service: AgreementsClient;
  parties: Parties;
}): Promise<Played> {
  const { scenario, stack, service, parties } = options;
  const chain = stack.chains.find(({ chainId }) => chainId === scenario.chainId);
  if (!chain) throw new Error(`the stack has no chain ${scenario.chainId}`);
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0, pollingInterval: pollMs });
  const agreement = readExample(scenario.file);
  const payment = await preparePayment({ scenario, rpcUrl: chain.rpcUrl, client, parties });

  const startedAt = performance.now();
  const { record, warnings, simulated } = await deploy({ ...options, agreement, payment });
  const address = parseAddress(record.address);
  if (record.status !== 'Deployed' || !address) throw new Error(`${record.id} is still a Draft`);
  const deployedInMs = performance.now() - startedAt;
  await payment?.approve(address);

  const stage = { scenario, service, client, rpcUrl: chain.rpcUrl, parties, agreement, record, address };
  const refusal = await tryAsWrongParty(stage);
  const steps: PlayedStep[] = [];
  for (const step of scenario.steps) steps.push(await playStep(stage, step));
  return {
    scenario,
    address,
    warnings,
    simulated,
    deployedInMs,
    refusal,
    steps,
    served: await readServed(stage),
    contract: await readContractAccount({
      client,
      address,
      agreement,
      signers: Object.values(parties).map((account) => account.address),
    }),
    payment: payment && { agreed: payment.amount, moved: await payment.countMoved() },
  };
}

async function deploy(options: {
  scenario: Scenario;
  service: AgreementsClient;
  parties: Parties;
  agreement: Record<string, unknown>;
  payment: Payment | null;
}): Promise<{ record: AgreementRecord; warnings: number; simulated: Simulated }> {
  const { scenario, service, parties, agreement, payment } = options;
  const request = {
    agreement,
    chainId: scenario.chainId,
    initValues: { ...scenario.initValues, ...payment?.values },
    participants: [
      { variableKey: scenario.parties.author, walletAddress: parties.author.address },
      { variableKey: scenario.parties.partner, walletAddress: parties.partner.address },
    ],
  };
  const { warnings } = await service.agreements.validate(request);
  const deployment = { client: service, account: parties.author, displayName: scenario.title };
  const steps = scenario.steps.map(({ inputId, values, by }) => ({
    inputId,
    values,
    by: scenario.parties[by],
  }));
  const simulated = await service.agreements.simulate({ ...request, steps });
  const record = await deployAgreement({ ...request, ...deployment });
  return { record, warnings: warnings.length, simulated };
}
