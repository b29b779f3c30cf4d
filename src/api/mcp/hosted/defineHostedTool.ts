import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Environment } from '../../../protocol/index.ts';
import type { AgentCall } from '../agentCall.ts';
import { compactSchema } from '../compactSchema.ts';
import { parseArguments, refuseArguments, type Tool } from '../defineTool.ts';
import { escapeUnseen } from '../escapeUnseen.ts';
import { environmentArgument } from './hostedArguments.ts';

/** A tool of the hosted service, before its installation is known. */
export type HostedTool = (environment: Environment) => Tool;

const read: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};
const write: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Builds a tool that answers like the hosted service's: with JSON as text, of any length. */
export function defineHostedTool<Input extends z.ZodObject>(definition: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly writes?: boolean;
  readonly input: Input;
  handle(args: z.output<Input>, call: AgentCall): Promise<unknown>;
}): HostedTool {
  const { name, title, description, writes = false, handle } = definition;
  const input = definition.input.extend({ environment: environmentArgument });
  const inputSchema = compactSchema(input, 'input');
  const annotations = writes ? write : read;
  return (environment) => ({
    description: { name, title, description, inputSchema, annotations },
    async run(args, call) {
      const { environment: meant } = parseArguments(input, args);
      if (meant !== undefined && meant !== environment) throw refuseEnvironment(environment);
      const { environment: _meant, ...own } = { ...(typeof args === 'object' && args), environment: meant };
      const answer = await handle(parseArguments(definition.input, own), call);
      return { text: escapeUnseen(JSON.stringify(answer, null, 2)), data: undefined };
    },
  });
}

function refuseEnvironment(environment: Environment): Error {
  const message = `must be ${environment}: this installation serves no other`;
  return refuseArguments([{ path: 'environment', message }]);
}
