import { z } from '@hono/zod-openapi';
import { maxSteps } from '../simulation/simulateSteps.ts';
import { instantShape } from './listParameters.ts';
import { valuesShape } from './shapes.ts';

const maxName = 1_000;

/** The steps of a simulation. */
export const stepsShape = z
  .array(
    z
      .strictObject({
        inputId: z.string().max(maxName),
        values: valuesShape,
        by: z.string().max(maxName).openapi({
          description: 'Who submits it: a variable that holds an address, or an address.',
        }),
        at: instantShape.optional().openapi({
          description: 'When; never before the step before. Decides which rules of time are due.',
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
    always: z.boolean().optional().openapi({ description: 'Whether it is so however one comes there.' }),
    example: names.optional().openapi({
      description:
        'Inputs, in order from the deployment, that show it. Absent where there was no room for it.',
    }),
  })
  .openapi('Finding');
const findings = (description: string) => z.array(findingShape).openapi({ description });

export const analysisShape = z
  .object({
    moments: z.int().openapi({ description: 'States, each with a set of stored variables, looked at.' }),
    stoppedAt: z.enum(['moments', 'steps', 'optional_fields']).nullable().openapi({
      description: 'The limit at which the search ended early; null where it was exhaustive.',
    }),
    shortened: z.boolean().openapi({ description: 'Whether findings or examples were left out for length.' }),
    reachableStates: findings('States that inputs can lead to.'),
    finalStates: findings('Reachable states that no transition leads out of.'),
    endlessStates: findings('Reachable states from which no final state can be reached any more.'),
    unsendableInputs: findings('Inputs that nobody can ever send with success.'),
    unsetVariables: findings('Steps that revert because a variable of the issuer is not stored.'),
    contradictoryBounds: findings('Fields that no value fits.'),
    shadowedTransitions: findings(
      'Transitions that never happen, as an earlier one has the same state and input.',
    ),
  })
  .openapi('Analysis', { description: 'What the document as a whole can and cannot do.' });

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
      dueAt: z.string().optional().openapi({ description: 'Of a rule of time: when it is due.' }),
      times: z.int().optional().openapi({ description: 'Of a rule of time: how often up to the step.' }),
    }),
  )
  .openapi({ description: 'Notification rules that fire, and for whom.' });

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
      description: 'Undecided where it hangs on a stored variable that is not known here.',
    }),
    refusal: z
      .object({
        reason: z.string().openapi({ description: 'As the input itself would be refused.' }),
        message: z.string(),
        field: z.string().optional(),
        issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      })
      .optional(),
    fromState: z.string(),
    toState: z.string(),
    stored: values.openapi({ description: 'Variables that the contract itself stores by this step.' }),
    variables: values.openapi({ description: 'Effective values that change.' }),
    announces: announcement.nullable().openapi({
      description: 'The `agreement.transitioned` event that would follow; null where the state stays.',
    }),
    rules: firedRules,
    external: z.array(externalCall).openapi({
      description: 'Calls that are not made here: where one fails, the input is refused.',
    }),
  })
  .openapi('SimulatedStep');

const played = {
  steps: z.array(stepOutcome),
  state: z.string().openapi({ description: 'After the last step.' }),
  variables: values.openapi({ description: 'Effective values after the last step.' }),
  stoppedAt: z.enum(['time']).nullable().openapi({
    description: 'Why there are fewer steps than asked for; null where all were played.',
  }),
  analysis: analysisShape,
};

export const recordSimulationShape = z.object(played).openapi('RecordSimulation');

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
