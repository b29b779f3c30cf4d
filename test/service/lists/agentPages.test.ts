import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, connectAgent } from '../../mcp/support/connectAgent.ts';
import { insertRecords } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
const agents: Agent[] = [];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  for (const agent of agents) await agent.close();
  await service?.close();
});

const answerShape = z.object({
  agreements: z.array(z.object({ agreementId: z.string() })),
  nextCursor: z.string().nullable(),
});

test.each([
  ['Chinese', '合'],
  ['control', '\u0001'],
])('pages by name keep their bound of tokens with names of 500 %s characters', async (word, character) => {
  const principal = await service.createPrincipal();
  const ids = [0, 1, 2].map((at) => `agr_${word.toLowerCase()}${at}`);
  const records = ids.map((id) => ({ id, display_name: character.repeat(500) }));
  await insertRecords(service.handle.pool, principal, records);
  const agent = await connectAgent({ baseUrl: service.baseUrl, apiKey: principal.key });
  agents.push(agent);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = { sort: 'name', limit: 1, maxTokens: 500, ...(cursor && { cursor }) };
    const { data, tokens } = await agent.call('find_agreements', asked);
    expect(tokens).toBeLessThanOrEqual(500);
    const { agreements, nextCursor } = answerShape.parse(data);
    seen.push(...agreements.map(({ agreementId }) => agreementId));
    cursor = nextCursor;
  }
  expect(seen).toEqual(ids);
});
