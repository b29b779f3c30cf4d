import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** The protocol's revision that a client uses. */
export type Revision = '2025' | '2026-07-28';

/** The address and the API key of an agent's access. */
export type Door = { readonly baseUrl: string; readonly apiKey: string; readonly path?: string };

const resultShape = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

export type Answer = {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
  /** The size of the whole result, in tokens of four characters. */
  readonly tokens: number;
};

/** Connects the official client to a running service. The caller closes it. */
export async function connectAgent(
  { baseUrl, apiKey, path = '/mcp' }: Door,
  options: { revision?: Revision; client?: ClientOptions; headers?: Record<string, string> } = {},
) {
  const { revision = '2026-07-28', headers = { 'x-api-key': apiKey } } = options;
  const negotiation =
    revision === '2025' ? {} : { versionNegotiation: { mode: { pin: '2026-07-28' } } as const };
  const client = new Client({ name: 'test', version: '1' }, { ...negotiation, ...options.client });
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}${path}`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
      const result = resultShape.parse(await client.callTool({ name, arguments: args }));
      return {
        isError: result.isError ?? false,
        text: result.content.map(({ text = '' }) => text).join('\n'),
        data: result.structuredContent ?? {},
        tokens: JSON.stringify(result).length / 4,
      };
    },
    close: () => client.close(),
  };
}
export type Agent = Awaited<ReturnType<typeof connectAgent>>;
