import { z } from 'zod';
import { recordShape } from '../../shapes/resources.ts';
import { recordSimulationShape, simulationShape } from '../../shapes/simulationShapes.ts';
import {
  agreementIdArgument,
  chainIdArgument,
  chainQuery,
  consistencyArgument,
  deploymentArguments,
  documentArgument,
  valuesArgument,
} from '../agentArguments.ts';
import type { AgentCall } from '../agentCall.ts';
import { maxTokensArgument, omittedMember } from '../answerSize.ts';
import { checkedData } from '../checkedData.ts';
import { defineTool, readOnly, refuseArguments } from '../defineTool.ts';
import { describeState, lookAhead, tellNext } from '../lookAhead.ts';
import { tellOtherRules } from '../meaning/tellOtherRules.ts';
import { nextShape } from '../nextShape.ts';
import { quoteName } from '../quotedData.ts';

const input = z.strictObject({
  agreementId: agreementIdArgument.optional(),
  agreement: documentArgument.optional(),
  chainId: chainIdArgument,
  ...deploymentArguments,
  notificationTemplate: valuesArgument
    .optional()
    .describe('Notification rules to simulate; only with agreement'),
  steps: z
    .array(
      z.strictObject({
        inputId: z.string(),
        values: valuesArgument.optional(),
        by: z.string().describe('A participant variable, or a wallet'),
        at: z.string().optional().describe('RFC 3339, for rules of time'),
      }),
    )
    .max(200)
    .default([])
    .describe('Played in order'),
  consistency: consistencyArgument,
  maxTokens: maxTokensArgument,
});

const rules = z
  .array(z.object({ ruleId: z.string(), triggerType: z.string(), recipients: z.array(z.string()) }))
  .describe('Notification rules that fire');

const output = z.object({
  differsFromDocument: recordSimulationShape.shape.differsFromDocument,
  steps: z.array(
    z.object({
      inputId: z.string(),
      outcome: z.string().describe('accepted, refused or undecided'),
      by: z.string().nullable(),
      fromState: z.string(),
      toState: z.string(),
      reason: z.string().optional(),
      message: z.string().optional(),
      quotedChanges: z.record(z.string(), z.unknown()),
      rules,
      externalCalls: z.int().describe('Calls of other contracts, which are not simulated'),
    }),
  ),
  state: z.string().describe('After the last step'),
  quotedState: z.string().optional(),
  isFinal: z.boolean(),
  next: nextShape,
  quotedValues: z.record(z.string(), z.unknown()),
  rulesAtDeployment: rules.optional(),
  deadEnds: z.array(z.string()).describe('States from which no final state can be reached'),
  stoppedAt: z.string().nullable(),
  omitted: omittedMember,
});

type Args = z.output<typeof input>;

/** A deployed agreement has them already. */
const draftArguments = ['initValues', 'participants', 'observers', 'notificationTemplate'] as const;

export const simulateAgreement = defineTool({
  name: 'simulate_agreement',
  title: 'Play an agreement without a chain',
  description:
    'Answers "what if": plays steps on a draft (agreement, with participants and initValues) or from the present state of a deployed one (agreementId). Says of each step whether it would be accepted or why not, then where things stand and who could act. If nobody acts the state stays: no input, no change. Nothing is stored or sent.',
  annotations: readOnly,
  input,
  output,
  async handle(args, call) {
    const { json, played, rulesAtDeployment, differsFromDocument, caution } = await play(args, call);
    const { state, variables, analysis } = played;
    const next = lookAhead(json, { state, values: variables });
    const quotedState = describeState(json, state);
    return {
      text: [...caution, ...tell(played.steps, { state, next: tellNext(next) })].join('\n'),
      data: {
        ...(differsFromDocument && { differsFromDocument }),
        steps: played.steps.map(describeStep),
        state,
        ...(quotedState !== undefined && { quotedState }),
        isFinal: next.length === 0,
        next,
        quotedValues: variables,
        ...(rulesAtDeployment && { rulesAtDeployment: rulesAtDeployment.map(describeRule) }),
        deadEnds: analysis.endlessStates.flatMap((finding) => finding.state ?? []),
        stoppedAt: played.stoppedAt,
      },
      maxTokens: args.maxTokens,
    };
  },
});

type RecordPlayed = z.output<typeof recordSimulationShape>;
type Step = RecordPlayed['steps'][number];
type Rule = Step['rules'][number];

type Played = {
  readonly json: unknown;
  readonly played: Omit<RecordPlayed, 'differsFromDocument' | 'rulesFrom'>;
  readonly rulesAtDeployment?: readonly Rule[];
  readonly differsFromDocument?: RecordPlayed['differsFromDocument'];
  /** Lines. */
  readonly caution: readonly string[];
};

async function play(args: Args, call: AgentCall): Promise<Played> {
  const { agreementId: id, agreement, chainId, consistency, maxTokens: _room, ...rest } = args;
  const steps = args.steps.map(({ values = {}, ...step }) => ({ ...step, values }));
  if (id !== undefined && agreement === undefined) {
    const unplayed = draftArguments.filter((name) => args[name] !== undefined);
    if (unplayed.length > 0)
      throw refuseArguments(
        unplayed.map((path) => ({ path, message: 'is only for agreement: agreementId has its own' })),
      );
    const request = { params: { id }, query: chainQuery(chainId), consistency };
    const { data } = await call.ask('simulateRecord', { ...request, body: { steps } });
    const record = checkedData(recordShape, (await call.ask('getAgreement', request)).data);
    const { differsFromDocument, rulesFrom, ...played } = checkedData(recordSimulationShape, data);
    const caution = tellPlayedRules({ differsFromDocument, rulesFrom });
    return { json: record.json, played, differsFromDocument, caution };
  }
  if (id !== undefined || agreement === undefined)
    throw refuseArguments([{ path: 'agreementId', message: 'is needed, or agreement, and not both' }]);
  const body = { ...rest, agreement, steps, ...(chainId !== undefined && { chainId }) };
  const played = checkedData(simulationShape, (await call.ask('simulateAgreement', { body })).data);
  return { json: agreement, played, rulesAtDeployment: played.deployment.rules, caution: [] };
}

function tellPlayedRules({
  differsFromDocument,
  rulesFrom,
}: Pick<RecordPlayed, 'differsFromDocument' | 'rulesFrom'>): string[] {
  const caution = tellOtherRules({ status: 'Deployed', onChain: { differsFromDocument } });
  if (caution === undefined) return [];
  if (rulesFrom === 'contract') return [caution];
  return [`${caution} Rules of the contract that cannot be read were played as the document has them.`];
}

function describeStep({ inputId, outcome, by, fromState, toState, refusal, ...rest }: Step) {
  return {
    inputId,
    outcome,
    by,
    fromState,
    toState,
    ...(refusal && { reason: refusal.reason, message: refusal.message }),
    quotedChanges: rest.variables,
    rules: rest.rules.map(describeRule),
    externalCalls: rest.external.length,
  };
}

function describeRule({ ruleId, triggerType, recipients }: Rule) {
  return { ruleId, triggerType, recipients };
}

const mostLines = 10;

function tell(steps: readonly Step[], { state, next }: { state: string; next: string }): string[] {
  const lines = steps.slice(0, mostLines).map(({ inputId, outcome, fromState, toState, refusal }, index) => {
    const moved = fromState === toState ? `stays in ${quoteName(toState)}` : `goes to ${quoteName(toState)}`;
    const how = refusal ? `${outcome}, ${refusal.reason}` : `${outcome}, ${moved}`;
    return `${index + 1}. ${quoteName(inputId)}: ${how}`;
  });
  const more = steps.length > mostLines ? [`… ${steps.length - mostLines} more steps are in the data.`] : [];
  return [...lines, ...more, `It stands in ${quoteName(state)}. ${next}`];
}
