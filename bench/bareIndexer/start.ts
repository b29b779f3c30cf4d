import { fileURLToPath } from 'node:url';
import { runPonder } from '../../src/indexer/runtime/runPonder.ts';

/** Runs the bare indexer in the same way as the service runs its indexer. */
await runPonder({
  root: fileURLToPath(new URL('./', import.meta.url)),
  schema: 'bare_index',
  viewsSchema: 'bare_views',
  host: '127.0.0.1',
  port: Number(process.env.INDEXER_PORT),
  logLevel: 'warn',
});
