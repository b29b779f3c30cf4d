import { z } from '@hono/zod-openapi';
import { participantAccesses } from '../../platform/database/tables/records.ts';
import { creationParts } from '../../protocol/index.ts';
import { agreementShape, participantShape } from './shapes.ts';
import { analysisShape } from './simulationShapes.ts';
import { warningMembers } from './warnings.ts';

/** The documented shapes of resources. Answers are written without them; tests compare answers with them. */

const instant = z.iso.datetime({ precision: 3 });
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const failure = z.object({ reason: z.string(), message: z.string() });
const variables = z.record(z.string(), z.union([z.string(), z.boolean()])).openapi({
  description:
    'Effective values by variable name. `uint256` is decimal text, `bool` a boolean; all other types are text.',
});
/**
 * A shape of its own: an extension would be documented as both shapes at once, and the base shape refuses the
 * extension's members.
 */
const participants = z.array(
  z
    .object({ ...participantShape.shape, walletAddress: address })
    .openapi('AgreementParticipant', { description: 'A party and its checksummed wallet address.' }),
);

export const templateReportShape = z
  .object({
    templateId: z.string().nullable().openapi({ description: 'Null if the document has none.' }),
    participantVariableKeys: z.array(z.string()),
    inputIds: z.array(z.string()),
    stateIds: z.array(z.string()),
    ...warningMembers,
    analysis: analysisShape,
  })
  .openapi('TemplateReport');

export const preflightShape = z
  .object({
    chainId: z.int().optional().openapi({ description: 'Present if the request named no chain.' }),
    templateId: z.string(),
    participantVariableKeys: z.array(z.string()),
    participants,
    observers: z.array(z.string()),
    variables,
    contributors: z.array(address),
    ...warningMembers,
    analysis: analysisShape,
  })
  .openapi('Preflight');

export const recordShape = z
  .object({
    id: z.string(),
    address: address.optional(),
    chainId: z.int(),
    displayName: z.string(),
    status: z.enum(['Draft', 'Deployed']),
    json: agreementShape,
    state: z.string().optional(),
    variables,
    owner: address.optional(),
    awaitsOwner: z.literal(true).optional().openapi({
      description: 'Present on a prepared deployment, which is deployed once its `owner` signs.',
    }),
    participantAccess: z.enum(participantAccesses).openapi({
      description: 'What participant wallets may do after signing in.',
    }),
    documentId: z.string().optional(),
    docUri: z.string(),
    contributors: z.array(address),
    participants,
    observers: z.array(z.string()),
    createdAt: instant,
    updatedAt: instant,
    lastInputId: z.string().optional(),
    lastInputAt: instant.optional(),
    onChain: z.object({
      owner: address.optional(),
      docHash: hash,
      differsFromDocument: z.array(z.enum(creationParts)).optional().openapi({
        description:
          'The parts of the contract that are not as the document has them: whoever created it chose its rules. Empty if it does as the document says. Parts that cannot be read are not among them. Absent for a Draft, and if that cannot be told.',
      }),
      initialState: hash.optional(),
      currentState: hash.optional(),
      deployTxHash: hash.optional(),
      deployBlockNumber: z.int().optional(),
      deployedAt: instant.optional().openapi({ description: 'The time of that block.' }),
      updatedBlockNumber: z.int().optional(),
      error: failure.optional().openapi({ description: 'Why this Draft will not be deployed.' }),
    }),
  })
  .openapi('AgreementRecord');

export const summaryShape = recordShape
  .pick({
    id: true,
    address: true,
    chainId: true,
    displayName: true,
    status: true,
    state: true,
    lastInputId: true,
    lastInputAt: true,
    owner: true,
    documentId: true,
    docUri: true,
    createdAt: true,
    updatedAt: true,
  })
  .extend({ templateId: z.string().optional() })
  .openapi('AgreementSummary');

export const stateShape = z
  .object({
    status: z.enum(['Draft', 'Deployed']),
    state: z.string().nullable(),
    description: z.string().optional(),
    blockNumber: z.int().nullable(),
    headBlockNumber: z.int().nullable().openapi({
      description:
        "The chain's newest block that is taken into account. A mined input has `headBlockNumber - blockNumber + 1` confirmations, with its own `blockNumber`. Null before the first block.",
    }),
    updatedAt: instant,
    acceptedInputs: z.array(
      z.object({
        inputId: z.string(),
        displayName: z
          .string()
          .openapi({ description: "The document's name for the input, or else its id." }),
        issuers: z.array(address),
        anyone: z.boolean(),
        fields: z.array(
          z.object({
            name: z.string(),
            type: z.string(),
            required: z.boolean(),
            validation: z.record(z.string(), z.unknown()).optional(),
          }),
        ),
      }),
    ),
    participants: z
      .array(z.object({ variableKey: z.string(), displayName: z.string(), walletAddress: address }))
      .openapi({
        description:
          'The participants among the issuers, by the variables that hold their wallets. A name is that of the document, or else the variable.',
      }),
  })
  .openapi('AgreementState');

export const inputRecordShape = z
  .object({
    id: z.string(),
    agreementId: z.string(),
    agreementAddress: address,
    chainId: z.int(),
    inputId: z.string(),
    userId: z.string().optional(),
    signer: address.optional(),
    submitter: address.optional(),
    fromState: z.string().optional(),
    toState: z.string().optional(),
    status: z.enum(['PENDING', 'MINED', 'FAILED']),
    payload: z.string(),
    values: z.record(z.string(), z.unknown()),
    txHash: hash.nullable(),
    blockNumber: z.int().optional(),
    error: failure.optional(),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('InputRecord');
