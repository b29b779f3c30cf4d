import { z } from 'zod';
import type { Schema } from './apiOperations.ts';
import type { GenerationScene } from './generateRequests.ts';
import { buildLargest } from './largestValue.ts';
import { sendRequest } from './sendRequest.ts';
import type { WorstRequest } from './worstRequests.ts';

const paths = ['/mcp', '/mcp/compat'] as const;
const listShape = z.object({
  result: z.object({
    tools: z.array(
      z.object({ name: z.string(), inputSchema: z.custom<Schema>((value) => typeof value === 'object') }),
    ),
  }),
});

/** A call of an agent. */
export function buildAgentRequest(options: {
  path: string;
  name: string;
  method: string;
  params?: unknown;
  tool?: string;
}): WorstRequest {
  const { path, name, method, params = {}, tool } = options;
  return {
    name: `${path} ${name}`,
    method: 'POST',
    path,
    tool,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  };
}

/**
 * The tools offered to agents, and calls of each. The calls are built from the tools' schemas in the same way
 * as requests from the routes' schemas.
 */
export async function generateToolCalls(
  access: { baseUrl: string; apiKey: string },
  scene: GenerationScene,
): Promise<{ tools: string[]; requests: WorstRequest[] }> {
  const tools: string[] = [];
  const requests: WorstRequest[] = [];
  for (const path of paths) {
    const listing = buildAgentRequest({ path, name: 'lists its tools', method: 'tools/list' });
    const { text } = await sendRequest(access, listing);
    const { result } = listShape.parse(JSON.parse(text.replace(/^(?:event:.*\n)?data: /, '')));
    requests.push(listing, ...listOthers(path));
    for (const { name, inputSchema } of result.tools) {
      const tool = `${path} ${name}`;
      tools.push(tool);
      const call = (what: string, args: unknown) =>
        buildAgentRequest({
          ...{ path, tool, name: `${name}: ${what}` },
          method: 'tools/call',
          params: { name, arguments: args },
        });
      const plain = buildLargest(inputSchema, { ...scene, isPlain: true });
      requests.push(
        call('what it needs', plain),
        call('everything that may be', buildLargest(inputSchema, { ...scene, isPlain: false })),
        call('zeros', {
          ...(typeof plain === 'object' && plain),
          x: new Array(scene.bodyValues / 2).fill(0),
        }),
      );
    }
  }
  return { tools, requests };
}

function listOthers(path: string): WorstRequest[] {
  const long = 'x'.repeat(100_000);
  const ask = (method: string, params: unknown) => buildAgentRequest({ path, name: method, method, params });
  return [
    ask('resources/list', {}),
    ask('resources/read', { uri: `agreements://${long}` }),
    ask('prompts/list', {}),
    ask('prompts/get', { name: long, arguments: { [long]: long } }),
    ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'agreements://{id}' },
      argument: { name: 'id', value: long },
    }),
    ask(long, {}),
    {
      ...ask('many at once', {}),
      body: Array.from({ length: 1_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
    },
  ];
}
