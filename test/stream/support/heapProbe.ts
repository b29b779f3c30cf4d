import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Preloaded into a process under test: on request, collects garbage and answers with the remaining bytes on
 * the heap.
 */
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

createServer((_request, response) => {
  if (typeof collect === 'function') collect();
  response.end(String(process.memoryUsage().heapUsed));
})
  .listen(Number(process.env.HEAP_PROBE_PORT), '127.0.0.1')
  .unref();
