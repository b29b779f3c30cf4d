import type { InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { parseShape } from '../../platform/errors/parseShape.ts';
import { MalformedError } from '../../platform/errors/serviceError.ts';
import type { AgentCall } from './agentCall.ts';
import { compactSchema, type JsonSchema } from './compactSchema.ts';

/** A tool in the form for agents. */
export type ToolDescription = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
};

/** A tool's answer: for programs, and in a few words. */
export type ToolAnswer<Data extends object | undefined = object | undefined> = {
  readonly text: string;
  readonly data: Data;
  /** The most that the answer may take, in tokens of four characters. */
  readonly maxTokens?: number | undefined;
};

export type Tool = {
  readonly description: ToolDescription;
  /** @throws ServiceError for what cannot be done, MalformedError for arguments that do not fit. */
  run(args: unknown, call: AgentCall): Promise<ToolAnswer | InputRequiredResult>;
};

/** Builds a tool from its declaration: the shape that describes its arguments also checks them. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(definition: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  handle(args: z.output<Input>, call: AgentCall): Promise<ToolAnswer<z.input<Output>> | InputRequiredResult>;
}): Tool {
  const { name, title, description, annotations, input, output, handle } = definition;
  return {
    description: {
      name,
      title,
      description,
      inputSchema: compactSchema(input, 'input'),
      outputSchema: compactSchema(output, 'output'),
      annotations,
    },
    run: (args, call) => handle(parseArguments(input, args), call),
  };
}

/** @throws MalformedError with every fault at once. */
export function parseArguments<Shape extends z.ZodObject>(shape: Shape, args: unknown): z.output<Shape> {
  const parsed = parseShape(shape, args ?? {}, 'body');
  if (parsed.ok) return parsed.data;
  throw new MalformedError('The arguments are not as expected.', { issues: parsed.issues });
}
