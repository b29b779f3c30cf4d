import type { Logger } from 'pino';
import type { Limits } from '../../platform/config/limits.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import type { McpSurface } from './buildMcpServer.ts';
import { agentWords } from './content/toolWords.ts';
import { createLinkSealer } from './handOutLink.ts';
import { buildAgentPrompts } from './prompts/agentPrompts.ts';
import { quotingRule } from './quotedData.ts';
import { agentRemedies } from './remedies.ts';
import { buildStaticResources } from './resources/staticResources.ts';
import { createToolRunner, type ToolOutcome } from './runTool.ts';
import { draftAgreement } from './tools/draftAgreement.ts';
import { findAgreements } from './tools/findAgreements.ts';
import { followEvents } from './tools/followEvents.ts';
import { prepareSignature } from './tools/prepareSignature.ts';
import { readAgreement } from './tools/readAgreement.ts';
import { simulateAgreement } from './tools/simulateAgreement.ts';
import { submitSigned } from './tools/submitSigned.ts';

export type SurfaceParts = {
  readonly limits: Limits;
  readonly cipher: Cipher;
  readonly logger: Logger;
  readonly onOutcome?: ((outcome: ToolOutcome) => void) | undefined;
};

/** Arguments contain a document one level below themselves. */
export const levelsAboveDocument = 2;

const instructions = [
  'Agreements are documents that run as state machines on EVM chains. Find one with find_agreements, see what can happen with read_agreement, try it with simulate_agreement, then prepare_signature, have a wallet sign, and submit_signed. Write new ones with draft_agreement and the resources under agreements://docs.',
  'This service holds no keys: a wallet of the user signs. Ask the user before anything is signed or submitted: it cannot be undone.',
  quotingRule,
].join('\n');

/** The seven tools, each for a whole task. */
export function buildAgentSurface({ limits, cipher, logger, onOutcome }: SurfaceParts): McpSurface {
  const tools = [
    findAgreements,
    readAgreement,
    draftAgreement,
    simulateAgreement,
    prepareSignature(createLinkSealer(cipher)),
    submitSigned,
    followEvents,
  ];
  return {
    name: 'agreements',
    title: 'Agreements',
    instructions,
    tools: tools.map(({ description }) => description),
    runTool: createToolRunner(tools, { remedies: agentRemedies, logger, onOutcome }),
    prompts: buildAgentPrompts(agentWords),
    resources: buildStaticResources(agentWords),
    maxNesting: limits.agreementNesting + levelsAboveDocument,
    logger,
  };
}
