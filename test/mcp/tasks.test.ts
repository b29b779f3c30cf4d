import { afterAll, beforeAll, expect, test } from 'vitest';
import { stack } from '../client/support/stack.ts';
import { type Agent, type Answer, connectAgent } from './support/connectAgent.ts';
import { tasks } from './support/tasks.ts';
import { createTaskWorld, type TaskWorld } from './support/taskWorld.ts';

const mostCalls = 4;

let agent: Agent;
let world: TaskWorld;
beforeAll(async () => {
  agent = await connectAgent(stack);
  world = await createTaskWorld(agent);
});
afterAll(() => agent.close());

/** Each call knows only the task's words and the earlier answers. */
test.each(tasks)('$words', async ({ calls, expects }) => {
  expect(calls.length).toBeLessThanOrEqual(mostCalls);
  const answers: Answer[] = [];
  for (const next of calls) {
    const [name, args] = next(world, answers);
    const answer = await agent.call(name, args);
    expect(answer.tokens, name).toBeLessThanOrEqual(args.include === undefined ? 2_000 : 8_000);
    answers.push(answer);
  }
  const last = answers.at(-1);
  expect(last?.data, last?.text).toMatchObject(expects(world));
});

test('there are twenty tasks', () => {
  expect(tasks).toHaveLength(20);
});
