import { buildAgentRequest } from '../support/generateToolCalls.ts';
import type { WorstRequest } from '../support/worstRequests.ts';
import { type Attack, long, times, withRequests } from './attack.ts';
import { buildDocument } from './document.ts';

function agentRequest(method: string, params: unknown): WorstRequest {
  return buildAgentRequest({ path: '/mcp', name: method.slice(0, 50), method, params });
}

export const agents: readonly Attack[] = [
  withRequests('calls of agents by the thousand', () => [
    {
      ...agentRequest('many', {}),
      body: times(1_000, (id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
    },
    {
      ...agentRequest('many', {}),
      body: times(1_000, (id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'find_agreements', arguments: {} },
      })),
    },
    agentRequest('tools/call', {
      name: 'draft_agreement',
      arguments: { agreement: buildDocument({ data: long('x', 400_000) }) },
    }),
    agentRequest('tools/call', { name: long('x', 500_000), arguments: {} }),
    { ...agentRequest('x', {}), method: 'GET', body: undefined },
  ]),
  withRequests('agents that search and wait', () => [
    agentRequest('tools/call', { name: 'find_agreements', arguments: { text: long('\u0130', 200) } }),
    agentRequest('tools/call', { name: 'follow_events', arguments: { waitSeconds: 30 } }),
  ]),
];
