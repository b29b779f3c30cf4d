import { RefusedError } from '../../platform/errors/serviceError.ts';
import { decodeRevert } from '../../platform/nodes/decodeRevert.ts';
import { tellRevert } from '../../platform/nodes/tellRevert.ts';
import {
  compileAgreement,
  createEngine,
  type Engine,
  EngineRevert,
  encodeRevert,
  type WireValues,
} from '../../protocol/index.ts';
import { deployInputId } from '../../records/events/transitionFact.ts';
import { readRules } from '../../records/rules/notificationTemplate.ts';
import {
  checkDeployment,
  type DeploymentRequest,
  type DeploymentRules,
} from '../agreements/checkDeployment.ts';
import { type FiredRule, passTransition, type RuleClock } from './ruleClock.ts';
import { type Announcement, type SimulatedMoment, type SimulatedStep, stateOf } from './simulateStep.ts';
import { indexNames, playWithLimits, type SimulatedSteps } from './simulateSteps.ts';

export type DeploymentSimulation = SimulatedSteps & {
  readonly deployment: {
    readonly state: string;
    readonly variables: WireValues;
    readonly announces: Announcement;
    readonly rules: readonly FiredRule[];
  };
};

/**
 * The effects of a deployment and its inputs, without a node: stores nothing, sends nothing and notifies
 * nobody.
 *
 * @throws RefusedError as `checkDeployment` does, and `action_reverted` for a creation that the contracts would refuse.
 */
export async function simulateDeployment(
  request: DeploymentRequest & { readonly steps: readonly SimulatedStep[]; readonly atMs: number },
  rules: DeploymentRules,
): Promise<DeploymentSimulation> {
  const { agreement, notificationTemplate, steps, atMs } = request;
  const { values: variables, participants, observers } = await checkDeployment(request, rules);
  const engine = create(agreement, variables);
  const names = indexNames(agreement);
  const parties = { participants, observers, variables };
  const clock: RuleClock = {
    rules: notificationTemplate === undefined ? [] : readRules(JSON.stringify(notificationTemplate)).rules,
    enteredMs: atMs,
    spans: new Map(),
    firedOnce: new Set(),
  };
  const state = stateOf({ names }, engine);
  const transition = { fromState: '', toState: state, inputId: deployInputId };
  const deployed = passTransition(clock, { transition, atMs, parties });
  const start: SimulatedMoment = {
    agreement,
    limits: rules.limits,
    names,
    engine,
    parties,
    clock: deployed.clock,
    sequence: 0,
    atMs,
  };
  const announces = { ...transition, sequence: 0 };
  const { played, fired } = await playWithLimits(start, {
    steps,
    before: deployed.fired,
    readCounts: async () => new Map(),
  });
  return { deployment: { state, variables, announces, rules: fired }, ...played };
}

function create(agreement: unknown, values: WireValues): Engine {
  try {
    return createEngine(compileAgreement(agreement, { docUri: 'simulation:', values }));
  } catch (error) {
    if (!(error instanceof EngineRevert)) throw error;
    const revert = decodeRevert(encodeRevert(error.revert));
    throw new RefusedError('action_reverted', `The transaction would revert. ${tellRevert(revert)}`, {
      facts: { revert },
    });
  }
}
