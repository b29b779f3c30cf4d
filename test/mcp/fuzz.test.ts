import { expect, test } from 'vitest';
import { chainId, createAccount, stack } from '../client/support/stack.ts';
import { generateValue } from '../fuzz/support/generateValue.ts';
import { mutate } from '../fuzz/support/mutate.ts';
import { createRandom, pick } from '../support/random.ts';
import { type Agent, connectAgent } from './support/connectAgent.ts';
import { tasks } from './support/tasks.ts';
import { createTaskWorld } from './support/taskWorld.ts';

const requests = Number(process.env.FUZZ_REQUESTS ?? 150);
const seed = Number(process.env.FUZZ_SEED ?? 1);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Arguments that succeed, or that succeeded before a later step. */
async function listSamples(agent: Agent) {
  const world = await createTaskWorld(agent);
  const [search] = ((found) => [found.data])(
    await agent.call('find_agreements', { text: world.names.offered }),
  );
  const answered = [{ isError: false, text: '', data: search ?? {}, tokens: 0 }];
  const signed = {
    purpose: 'input',
    agreementId: 'agr_0',
    inputId: 'take',
    values: {},
    signer: createAccount().address,
    signature: `0x${'11'.repeat(64)}1b`,
    deadline: 4_102_444_800,
    chainId,
  };
  return [
    ...tasks.flatMap(({ calls }) => calls.map((call) => call(world, answered))),
    ['submit_signed', signed] as [string, Record<string, unknown>],
  ];
}

test(`every tool answers ${requests} calls by its schema, and damaged ones, with a result of its size`, async () => {
  const agents = {
    '2025': await connectAgent(stack, { revision: '2025' }),
    '2026': await connectAgent(stack),
    hosted: await connectAgent({ ...stack, path: '/mcp/compat' }),
  };
  const samples = await listSamples(agents['2026']);
  const tools = {
    own: (await agents['2026'].client.listTools()).tools,
    hosted: (await agents.hosted.client.listTools()).tools,
  };
  const random = createRandom(seed);
  let answered = 0;
  for (let number = 0; number < requests; number++) {
    const isHosted = random() < 0.25;
    const tool = pick(random, isHosted ? tools.hosted : tools.own);
    const [sampled, sample] = pick(random, samples);
    const isMade = isHosted || random() < 0.5;
    const name = isMade ? tool.name : sampled;
    const args = isMade ? generateValue(tool.inputSchema, random) : mutate(sample, random);
    const agent = isHosted ? agents.hosted : pick(random, [agents['2025'], agents['2026']]);
    const answer = await agent.call(name, isObject(args) ? args : { args });
    const what = `${number}: ${name} ${JSON.stringify(args).slice(0, 500)}\n${answer.text.slice(0, 500)}`;
    expect(answer.text, what).not.toContain('internal_error');
    const isBounded = !isHosted && name !== 'prepare_signature' && isObject(args);
    if (isBounded && args.maxTokens === undefined && args.include === undefined)
      expect(answer.tokens, what).toBeLessThanOrEqual(2_000);
    if (!answer.isError) answered += 1;
  }
  expect(answered).toBeGreaterThan(requests / 20);
  for (const agent of Object.values(agents)) await agent.close();
});
