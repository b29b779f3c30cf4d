import { z } from '@hono/zod-openapi';
import { creationParts } from '../../protocol/index.ts';
import { maxSteps } from '../simulation/simulateSteps.ts';
import { instantShape } from './listParameters.ts';
import { inputNameShape, longestName, valuesShape } from './shapes.ts';

export const stepsShape = z
  .array(
    z
      .strictObject({
        inputId: inputNameShape,
        values: valuesShape,
        by: z.string().max(longestName).openapi({
          description: 'The sender: a variable that holds an address, or an address.',
        }),
        at: instantShape.optional().openapi({
          description:
            'The time of the step. Must not be before the previous step. Decides which temporal rules are due.',
        }),
      })
      .openapi('SimulationStep'),
  )
  .max(maxSteps);

const names = z.array(z.string());
const values = z.record(z.string(), z.union([z.string(), z.boolean()]));

const findingShape = z
  .object({
    path: z.string().openapi({ description: 'Where in the document.' }),
    message: z.string().optional(),
    state: z.string().optional(),
    inputId: z.string().optional(),
    variable: z.string().optional(),
    always: z.boolean().optional().openapi({ description: 'Whether the finding holds on every path.' }),
    example: names.optional().openapi({
      description:
        'Inputs that lead to the finding, in order from the deployment. Absent if left out for length.',
    }),
  })
  .openapi('Finding');
const findings = (description: string) => z.array(findingShape).openapi({ description });

export const analysisShape = z
  .object({
    moments: z
      .int()
      .openapi({ description: 'The number of examined combinations of state and stored variables.' }),
    stoppedAt: z.enum(['moments', 'steps', 'optional_fields']).nullable().openapi({
      description: 'The limit that stopped the search. Null if the search was exhaustive.',
    }),
    shortened: z.boolean().openapi({ description: 'Whether findings or examples were left out for length.' }),
    reachableStates: findings('States that inputs can reach.'),
    finalStates: findings('Reachable states without an outgoing transition.'),
    endlessStates: findings('Reachable states from which no final state can be reached.'),
    unsendableInputs: findings('Inputs that can never succeed.'),
    unsetVariables: findings('Steps that revert because a variable of the issuer is not stored.'),
    contradictoryBounds: findings('Fields that no value can satisfy.'),
    shadowedTransitions: findings(
      'Transitions that never happen because an earlier one has the same state and input.',
    ),
  })
  .openapi('Analysis', { description: 'An analysis of what the document can and cannot do.' });

const announcement = z.object({
  fromState: z.string(),
  toState: z.string(),
  inputId: z.string(),
  sequence: z.int(),
});

const firedRules = z
  .array(
    z.object({
      ruleId: z.string(),
      triggerType: z.enum(['onTransition', 'temporal']),
      channel: z.enum(['external_webhook', 'email']),
      recipients: names,
      dueAt: z.string().optional().openapi({ description: 'For a temporal rule: when it is due.' }),
      times: z
        .int()
        .optional()
        .openapi({ description: 'For a temporal rule: how often it fires up to this step.' }),
    }),
  )
  .openapi({ description: 'The notification rules that fire, and their recipients.' });

const externalCall = z.object({
  type: z.enum(['verifier', 'action']),
  address: z.string(),
  key: z.string().optional(),
  value: z.string().optional(),
  data: z.string().optional(),
});

const stepOutcome = z
  .object({
    inputId: z.string(),
    by: z.string().nullable(),
    outcome: z.enum(['accepted', 'refused', 'undecided']).openapi({
      description:
        '`undecided` if the result depends on a stored variable that the simulation does not know.',
    }),
    refusal: z
      .object({
        reason: z.string().openapi({ description: 'The reason with which the input would be refused.' }),
        message: z.string(),
        field: z.string().optional(),
        issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      })
      .optional(),
    fromState: z.string(),
    toState: z.string(),
    stored: values.openapi({ description: 'Variables that the contract stores in this step.' }),
    variables: values.openapi({ description: 'Effective values that this step changes.' }),
    announces: announcement.nullable().openapi({
      description: 'The `agreement.transitioned` event that would follow. Null if the state does not change.',
    }),
    rules: firedRules,
    external: z.array(externalCall).openapi({
      description: 'Calls that are not simulated. If one fails, the input is refused.',
    }),
  })
  .openapi('SimulatedStep');

const played = {
  steps: z.array(stepOutcome),
  state: z.string().openapi({ description: 'The state after the last step.' }),
  variables: values.openapi({ description: 'Effective values after the last step.' }),
  stoppedAt: z.enum(['time', 'output']).nullable().openapi({
    description:
      'Why the simulation stopped early: it took too long, or its outcomes are too large. Null if all steps ran.',
  }),
  analysis: analysisShape,
};

export const recordSimulationShape = z
  .object({
    differsFromDocument: z.array(z.enum(creationParts)).optional().openapi({
      description:
        'The parts of the contract that are not as the document has them: the simulation plays them as the contract has them. Empty if the contract does as the document says. Absent if that cannot be told.',
    }),
    rulesFrom: z.enum(['contract', 'document']).openapi({
      description:
        'Whose states, inputs and transitions are played. `document` if those of the contract cannot be read: it may have others. Calls of other contracts are those of the contract in either case.',
    }),
    ...played,
  })
  .openapi('RecordSimulation');

export const simulationShape = z
  .object({
    deployment: z.object({
      state: z.string(),
      variables: values,
      announces: announcement,
      rules: firedRules,
    }),
    ...played,
  })
  .openapi('Simulation');
