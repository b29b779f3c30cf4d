import { randomUUID } from 'node:crypto';
import { type Address, createPublicClient, http, type PublicClient } from 'viem';
import type { DevStack } from '../dev/devStack.ts';
import { type ContractAccount, readContractAccount } from './contractAccount.ts';
import { type Payment, preparePayment } from './payment.ts';
import { signDeployPermit } from './permits.ts';
import { type PlayedStep, playStep, readServed, type Served, tryAsWrongParty } from './playStep.ts';
import { type Parties, readExample, type Scenario } from './scenarios.ts';
import { preflightShape, recordShape, type ServedRecord } from './served.ts';
import type { ServiceClient } from './serviceClient.ts';

const pollMs = 25;

/** A scenario after its last step, with what the service serves and what the contract says. */
export type Played = {
  scenario: Scenario;
  address: Address;
  warnings: number;
  deployedInMs: number;
  /** What the service said to an input of the wrong party. */
  refusal: string;
  steps: PlayedStep[];
  served: Served;
  contract: ContractAccount;
  payment: { moved: bigint; agreed: bigint } | null;
};

/** Plays a scenario from preflight to its last state, step after step, each once the one before is served. */
export async function playScenario(options: {
  scenario: Scenario;
  stack: DevStack;
  service: ServiceClient;
  parties: Parties;
}): Promise<Played> {
  const { scenario, stack, service, parties } = options;
  const chain = stack.chains.find(({ chainId }) => chainId === scenario.chainId);
  if (!chain) throw new Error(`the stack has no chain ${scenario.chainId}`);
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0, pollingInterval: pollMs });
  const agreement = readExample(scenario.file);
  const payment = await preparePayment({ scenario, rpcUrl: chain.rpcUrl, client, parties });

  const startedAt = performance.now();
  const { record, warnings } = await deploy({ ...options, chain, client, agreement, payment, stack });
  const { address } = record;
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
  stack: DevStack;
  service: ServiceClient;
  parties: Parties;
  chain: DevStack['chains'][number];
  client: PublicClient;
  agreement: unknown;
  payment: Payment | null;
}): Promise<{ record: ServedRecord; warnings: number }> {
  const { scenario, stack, service, parties, chain, client, agreement, payment } = options;
  const { chainId, factory } = chain;
  const request = {
    agreement,
    chainId,
    initValues: { ...scenario.initValues, ...payment?.values },
    participants: [
      { variableKey: scenario.parties.author, walletAddress: parties.author.address },
      { variableKey: scenario.parties.partner, walletAddress: parties.partner.address },
    ],
  };
  const preflight = await service.post('/agreements/validate', request, preflightShape);
  const documentId = randomUUID();
  const docUri = `${stack.baseUrl}/v0/agreements/documents/${documentId}`;
  const permit = await signDeployPermit({
    client,
    chainId,
    factory,
    agreement,
    docUri,
    values: preflight.variables,
    account: parties.author,
  });
  const body = { ...request, ...permit, docUri, documentId, displayName: scenario.title };
  const record = await service.post('/agreements/deploy-with-permit', body, recordShape);
  return { record, warnings: preflight.warnings.length };
}
