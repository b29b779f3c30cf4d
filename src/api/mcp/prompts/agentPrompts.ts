import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ToolWords } from '../content/toolWords.ts';
import { fenceText } from '../quotedData.ts';
import { annotatedUri, guideUri, schemaUri } from '../resources/staticResources.ts';

/** A request to a model that a person can choose. */
export type AgentPrompt = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: true;
  }[];
  write(args: Readonly<Record<string, string>>): string;
};

export const buildAgentPrompts = ({ check, passed, play, read }: ToolWords): readonly AgentPrompt[] => [
  {
    name: 'author_agreement',
    title: 'Write an agreement',
    description: 'Turns a description of a business into an agreement document that can be deployed.',
    arguments: [argument('businessDescription', 'Who does what for whom, until when, and what if not')],
    write: ({ businessDescription = '' }) =>
      [
        `Write an agreement document for the business described below. First read the resources ${guideUri} and ${annotatedUri}; ${schemaUri} has the shape.`,
        'Decide the parties, the states (each a fact that both can agree on), who may send which input, and what happens if somebody does nothing.',
        `Then call ${check}, fix what it reports, and repeat until ${passed}. Play the usual course and two unhappy ones ${play}. Show the document, its states in a sentence each, and what you assumed. Deploy nothing.`,
        fenceText(businessDescription),
      ].join('\n\n'),
  },
  {
    name: 'explain_agreement',
    title: 'Explain an agreement',
    description: 'Explains in plain words the state of an agreement and what can happen next.',
    arguments: [argument('id', 'agr_…, or the address of the contract')],
    write: ({ id = '' }) =>
      [
        `Explain the agreement with the id below to somebody who is no lawyer. ${read}`,
        'Say who the parties are, what has happened so far, what the state is, who can do what next and where that leads, and what nobody can undo. Say what you do not know.',
        `The id: ${JSON.stringify(id.slice(0, 200))}`,
      ].join('\n\n'),
  },
  {
    name: 'review_agreement',
    title: 'Review a draft',
    description: 'Looks for what can go wrong in a document before anybody signs it.',
    arguments: [argument('document', 'The agreement document as JSON')],
    write: ({ document = '' }) =>
      [
        `Review the agreement document below before it is signed. Call ${check} with it, then play it ${play}: the usual course, each party doing nothing, each party acting out of turn.`,
        'Report, the most serious first: mistakes, dead ends, inputs that nobody or anybody can send, values without bounds, promises in the text that no state keeps. Quote the path of each.',
        fenceText(document),
      ].join('\n\n'),
  },
];

function argument(name: string, description: string) {
  return { name, description, required: true } as const;
}

/** @throws ProtocolError for a prompt that is not there, or arguments that are missing. */
export function writePrompt(
  prompts: readonly AgentPrompt[],
  { name, arguments: args = {} }: { name: string; arguments?: Readonly<Record<string, string>> | undefined },
): GetPromptResult {
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${JSON.stringify(name.slice(0, 100))}.`,
    );
  const missing = prompt.arguments.find((one) => args[one.name] === undefined);
  if (missing)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${missing.name} is missing.`);
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.write(args) } }],
  };
}
