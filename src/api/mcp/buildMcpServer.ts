import {
  CLIENT_CAPABILITIES_META_KEY,
  type CompleteRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ServiceError } from '../../platform/errors/serviceError.ts';
import { describeError } from '../../platform/http/errorResponse.ts';
import type { AgentCall } from './agentCall.ts';
import type { ToolDescription } from './defineTool.ts';
import { type AgentPrompt, writePrompt } from './prompts/agentPrompts.ts';
import {
  agreementTemplates,
  completeAgreementId,
  readAgreementResource,
} from './resources/agreementResources.ts';
import type { StaticResource } from './resources/staticResources.ts';
import type { ToolRunner } from './runTool.ts';

/** The parts of an endpoint for agents, the same for all of its requests. */
export type McpSurface = {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly tools: readonly ToolDescription[];
  readonly runTool: ToolRunner;
  readonly prompts: readonly AgentPrompt[];
  /** The resources that are the same for everybody. */
  readonly resources: readonly StaticResource[];
  readonly maxNesting: number;
  readonly logger: Logger;
};

/** One request, before its content is known. */
export type McpRequest = Omit<AgentCall, 'canShowUrls' | 'resumed'> & { readonly requestId: string };

const version = '1.0.0';
/** Lists stay the same until the next release. */
const lists = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** Creates the server of one request. Nothing of it outlives the answer. */
export function buildMcpServer(surface: McpSurface, request: McpRequest): Server {
  const { name, title, instructions, tools, runTool, prompts, resources, maxNesting } = surface;
  const server = new Server(
    { name, title, version },
    {
      instructions,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      cacheHints: {
        'tools/list': lists,
        'prompts/list': lists,
        'resources/list': lists,
        'resources/templates/list': lists,
        'server/discover': lists,
      },
    },
  );
  const guard = <Result>(work: () => Promise<Result> | Result) => guarded(work, { surface, request });

  server.setRequestHandler('tools/list', () => ({ tools: tools.map((tool) => ({ ...tool })) }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    runTool(
      { name: params.name, args: params.arguments, requestId: request.requestId, maxNesting },
      callOf(request, context),
    ),
  );
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ text: _text, ...resource }) => resource),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: agreementTemplates.map((template) => ({ ...template })),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    const known = resources.find((resource) => resource.uri === uri);
    if (known) return { contents: [{ uri, mimeType: known.mimeType, text: known.text }] };
    return guard(() => readAgreementResource(uri, callOf(request, context)));
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ write: _write, ...prompt }) => ({
      ...prompt,
      arguments: [...prompt.arguments],
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => writePrompt(prompts, params));
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const { argument, ref } = params;
    if (!isCompleted(ref, prompts))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'There is no such prompt or resource template.',
      );
    const values =
      argument.name === 'id'
        ? await guard(() => completeAgreementId(argument.value, callOf(request, context)))
        : [];
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

function isCompleted(ref: CompleteRequest['params']['ref'], prompts: readonly AgentPrompt[]): boolean {
  return ref.type === 'ref/prompt'
    ? prompts.some(({ name }) => name === ref.name)
    : agreementTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri);
}

/** A client that declares that it can show a link to a person. */
const clientShape = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: z.object({ url: z.looseObject({}) }) }),
});

function callOf(request: McpRequest, { mcpReq }: ServerContext): AgentCall {
  const client = clientShape.safeParse(mcpReq.envelope);
  const state = mcpReq.requestState();
  return {
    ...request,
    canShowUrls: client.success,
    resumed: typeof state === 'string' ? { state, responses: mcpReq.inputResponses } : undefined,
  };
}

/** Errors of resources become protocol errors that reveal no more than an answer of the API. */
async function guarded<Result>(
  work: () => Promise<Result> | Result,
  { surface, request }: { surface: McpSurface; request: McpRequest },
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { requestId } = request;
    const { message, details, status } = describeError(error);
    const isOwn = error instanceof ServiceError;
    if (!isOwn) surface.logger.error({ requestId, err: error }, 'a request of an agent failed');
    const code = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, message, { status, reason: details?.reason, requestId });
  }
}
