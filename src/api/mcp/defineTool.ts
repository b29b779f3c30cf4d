import type { InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { parseShape, unknownMember } from '../../platform/errors/parseShape.ts';
import { MalformedError } from '../../platform/errors/serviceError.ts';
import type { Issue } from '../../protocol/errors.ts';
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

/** For tools that change nothing. */
export const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export type AnswerData = Readonly<Record<string, unknown>>;

/** A tool's answer: in a few words, and for programs. */
export type ToolAnswer<Data extends AnswerData | undefined = AnswerData | undefined> = {
  readonly text: string;
  readonly data: Data;
  /** The most that the answer may take, in tokens of four characters. */
  readonly maxTokens?: number | undefined;
  /** Present if the answer has a page of a list. */
  readonly page?: AnswerPage | undefined;
};

export type AnswerPage = {
  count(data: AnswerData): number;
  /** Builds the answer with a shorter page from the same place. */
  read(limit: number): Promise<ToolAnswer>;
};

export type Tool = {
  readonly description: ToolDescription;
  /** @throws ServiceError for what cannot be done, MalformedError for arguments that do not fit. */
  run(args: unknown, call: AgentCall): Promise<ToolAnswer | InputRequiredResult>;
};

export function countItems(member: unknown): number {
  return Array.isArray(member) ? member.length : 0;
}

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

/** @param known the names of all arguments, for callers who guessed. */
export function refuseArguments(issues: readonly Issue[], known: readonly string[] = []): MalformedError {
  const isUnknown = ({ path, message }: Issue) => message === unknownMember.body && !known.includes(path);
  const named = issues.map((issue) =>
    known.length > 0 && isUnknown(issue)
      ? { ...issue, message: `${issue.message}; the arguments are ${known.join(', ')}` }
      : issue,
  );
  return new MalformedError('The arguments are not valid.', { issues: named });
}

/** @throws MalformedError with every fault at once. */
export function parseArguments<Shape extends z.ZodObject>(shape: Shape, args: unknown): z.output<Shape> {
  const parsed = parseShape(shape, args ?? {}, 'body');
  if (parsed.ok) return parsed.data;
  throw refuseArguments(parsed.issues, Object.keys(shape.shape));
}
