import { parseArgs } from 'node:util';
import { createLocalStacks } from '../e2e/support/localStack.ts';
import { connectAgent } from './support/connectAgent.ts';
import { measureHeap } from './support/measureHeap.ts';

const help = `npm run test:mcp -- [--calls 10000]

Calls tools of a whole service over and over, in both revisions of the protocol, and compares the memory of the API after a
fifth of the calls with that after all of them.

  --calls   how many calls
  --help    show this`;

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '10000' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const calls = Number(values.calls);
/** The heap's usual difference from one collection to the next. */
const slackBytes = 12_000_000;
const atOnce = 4;

const stacks = await createLocalStacks();
try {
  const { stack } = await stacks.start();
  const agents = [await connectAgent(stack), await connectAgent(stack, { revision: '2025' })];
  const { contents } = await (agents[0] ?? fail()).client.readResource({
    uri: 'agreements://examples/complex-agreement.json',
  });
  const [first] = contents;
  const agreement: unknown = JSON.parse(first && 'text' in first ? first.text : '{}');
  const asked = [
    ['find_agreements', { text: 'nothing' }],
    ['draft_agreement', { agreement }],
    ['read_events', {}],
    ['read_agreement', { agreementId: `agr_${'0'.repeat(32)}` }],
    ['no_such_tool', {}],
  ] as const;
  let sent = 0;
  const play = async (until: number) => {
    const run = async () => {
      while (sent < until) {
        const [name, args] = asked[sent % asked.length] ?? fail();
        const agent = agents[Math.floor(sent / asked.length) % agents.length] ?? fail();
        sent += 1;
        const { text } = await agent.call(name, args);
        if (text.includes('internal_error')) throw new Error(`${name}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, run));
    return measureHeap(stack.internalUrls.api);
  };
  const early = await play(Math.ceil(calls / 5));
  const startedAt = performance.now();
  const late = await play(calls);
  const perSecond = (calls * 0.8) / ((performance.now() - startedAt) / 1_000);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `${sent} calls, ${perSecond.toFixed(0)} a second; heap ${megabytes(early)} after a fifth, ${megabytes(late)} after all`,
  );
  for (const agent of agents) await agent.close();
  if (late > early + slackBytes) throw new Error('The memory of the API has grown.');
} finally {
  await stacks.dispose();
}

function fail(): never {
  throw new Error('there is nothing to call');
}
