import pino from 'pino';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createJobs } from '../../../src/platform/jobs/createJobs.ts';

/** A separate process whose job never ends. It reports when the job has begun, and waits to be killed. */
const [url = ''] = process.argv.slice(2);
const logger = pino({ level: 'silent' });
const { pool } = createDatabase({ url, applicationName: 'stuck', maxConnections: 4, logger });
const stuck = () => {
  process.send?.('begun');
  return new Promise<void>(() => {});
};
createJobs({ pool, tasks: { stuck }, concurrency: 1, logger, leaseMs: 1_000 });
