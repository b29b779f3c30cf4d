import { ponder } from 'ponder:registry';
import { setHead } from '../tables/blocks.ts';

ponder.on('heads:block', async ({ event, context }) => {
  await setHead(context, event.block);
});
