import { type Address, encodeFunctionData, type Hex, numberToHex, toEventSelector } from 'viem';
import { z } from 'zod';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { deployProtocol } from '../../../contracts-test/deploy.ts';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { type Agreement, encodeCreation, encodeStep, hashEngineDomain } from './encodeCalls.ts';
import { actors, factory, funds, implementation, type ModelCase, outside } from './modelCase.ts';
import type { CallResult, CaseResult, PreparedStep } from './runInModel.ts';

const chainId = 11155111;

/** The number of cases in one request. Each is created at its own address. */
export const batchSize = 100;
/** More than a transaction may use on the chains of the deployed contracts. */
const callGas = numberToHex(60_000_000);
const blockGas = numberToHex(2n ** 50n);
/** Puts the block's time ahead of the chain's clock. */
const leadSeconds = 1_000n;
const acceptedTopic = toEventSelector('InputAccepted(bytes32,bytes32,bytes32,bytes)');

export type ContractChain = {
  /** The time of the block in which all cases run, in Unix seconds. */
  readonly time: bigint;
  /** The address of the agreement of the case with this number in a batch. */
  addressOf(index: number): Address;
  /** Runs up to `batchSize` cases on the compiled contracts. The chain keeps nothing of them. */
  run(cases: readonly PreparedCase[]): Promise<CaseResult[]>;
  stop(): Promise<void>;
};

/** A case with the final nonces and deadlines of its permits. */
export type PreparedCase = {
  readonly parameters: ModelCase['parameters'];
  readonly steps: readonly PreparedStep[];
};

type Call = { from: Address; to: Address; data: Hex; gas: Hex };

const hexSchema = z.templateLiteral(['0x', z.string()]);
const callSchema = z.object({
  status: z.enum(['0x0', '0x1']),
  returnData: hexSchema,
  logs: z.array(z.object({ address: hexSchema, topics: z.array(hexSchema) })),
});
const answerSchema = z.object({
  result: z.tuple([z.object({ calls: z.array(callSchema) })]).optional(),
  error: z.object({ message: z.string() }).optional(),
});
type CallAnswer = z.infer<typeof callSchema>;

/** Starts an Anvil with the compiled contracts. The caller stops it. */
export async function startContractChain(): Promise<ContractChain> {
  const anvil = await startAnvil({ chainId, extraArgs: ['--no-request-size-limit'] });
  const { rpcUrl } = anvil;
  await deployProtocol({ rpcUrl, chainId, factory, implementation });
  const client = createAnvilClient(rpcUrl);
  const time = (await client.getBlock()).timestamp + leadSeconds;
  const agreements = await Promise.all(
    Array.from({ length: batchSize }, async (_, index) => {
      const address = await client.readContract({
        address: factory,
        abi: agreementFactoryAbi,
        functionName: 'predictAddress',
        args: [saltOf(index)],
      });
      return { address, domain: hashEngineDomain(BigInt(chainId), address) };
    }),
  );
  const overrides = Object.fromEntries<{ code: Hex } | { balance: Hex }>([
    ...[...outside].flatMap(([address, { code }]) => (code ? [[address, { code }] as const] : [])),
    ...agreements.map(({ address }) => [address, { balance: numberToHex(funds) }] as const),
  ]);

  function addressOf(index: number): Address {
    const agreement = agreements[index];
    if (agreement === undefined) throw new Error(`there is no agreement ${index}`);
    return agreement.address;
  }

  async function run(cases: readonly PreparedCase[]): Promise<CaseResult[]> {
    const plans = agreements
      .slice(0, cases.length)
      .flatMap((agreement, index) =>
        cases.slice(index, index + 1).map((one) => planCalls(one, saltOf(index), agreement)),
      );
    const block = {
      blockOverrides: { time: numberToHex(time), gasLimit: blockGas },
      stateOverrides: overrides,
      calls: plans.flat(),
    };
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_simulateV1',
        params: [{ blockStateCalls: [block], validation: false }, 'latest'],
      }),
    });
    const { result, error } = answerSchema.parse(await response.json());
    if (result === undefined) throw new Error(`the node refuses the request: ${error?.message}`);
    const [{ calls }] = result;
    let start = 0;
    return plans.map((plan, index) => {
      const answers = calls.slice(start, start + plan.length);
      start += plan.length;
      return readResult(answers, cases[index]?.steps.length ?? 0);
    });
  }

  return { time, addressOf, run, stop: () => anvil.stop() };
}

function saltOf(index: number): Hex {
  return numberToHex(index, { size: 32 });
}

/** The calls of a case: the creation, the steps, and then the reads of the agreement. */
function planCalls({ parameters, steps }: PreparedCase, salt: Hex, agreement: Agreement): Call[] {
  const toAgreement = (from: Address, data: Hex): Call => ({
    from,
    to: agreement.address,
    data,
    gas: callGas,
  });
  return [
    { from: parameters.owner, to: factory, data: encodeCreation(salt, parameters), gas: callGas },
    ...steps.map((step) => toAgreement(step.sender, encodeStep(step, agreement))),
    ...reads.map((data) => toAgreement(factory, data)),
  ];
}

/** The reads of an agreement at the end. */
const reads = [
  encodeFunctionData({ abi: agreementEngineAbi, functionName: 'currentState' }),
  ...actors.map(({ address }) =>
    encodeFunctionData({ abi: agreementEngineAbi, functionName: 'nonces', args: [address] }),
  ),
];

function readResult([creation, ...answers]: readonly CallAnswer[], stepCount: number): CaseResult {
  if (creation === undefined) throw new Error('the node has not answered');
  if (creation.status === '0x0') return { creation: creation.returnData, steps: [], state: null, nonces: [] };
  const [state, ...nonces] = answers.slice(stepCount);
  return {
    creation: null,
    steps: answers.slice(0, stepCount).map(readStep),
    state: state?.returnData ?? null,
    nonces: nonces.map(({ returnData }) => BigInt(returnData)),
  };
}

function readStep({ status, returnData, logs }: CallAnswer): CallResult {
  if (status === '0x0') return { revert: returnData };
  const [, fromState, toState] = logs.find(({ topics }) => topics[0] === acceptedTopic)?.topics ?? [];
  if (fromState === undefined || toState === undefined) throw new Error('an accepted input is not announced');
  return { fromState, toState };
}
