import { RefusedError } from '../../platform/errors/serviceError.ts';
import { decodeRevert } from '../../platform/nodes/decodeRevert.ts';
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
import { limitFirings } from './limitFirings.ts';
import { type FiredRule, passTransition, type RuleClock } from './ruleClock.ts';
import { type Announcement, type SimulatedMoment, type SimulatedStep, stateOf } from './simulateStep.ts';
import { indexNames, type SimulatedSteps, simulateSteps } from './simulateSteps.ts';

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
  const played = await simulateSteps(start, steps);
  const readCounts = async () => new Map<string, number>();
  const [begun = [], ...fired] = await limitFirings(
    [deployed.fired, ...played.steps.map((step) => step.rules)],
    { rules: clock.rules, readCounts },
  );
  return {
    deployment: { state, variables, announces, rules: begun },
    ...played,
    steps: played.steps.map((step, at) => ({ ...step, rules: fired[at] ?? [] })),
  };
}

function create(agreement: unknown, values: WireValues): Engine {
  try {
    return createEngine(compileAgreement(agreement, { values }));
  } catch (error) {
    if (!(error instanceof EngineRevert)) throw error;
    const revert = decodeRevert(encodeRevert(error.revert));
    throw new RefusedError('action_reverted', `The transaction would revert. ${revert.message}`, {
      facts: { revert },
    });
  }
}
