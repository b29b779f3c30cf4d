import { loadEnvironmentFile } from '../../platform/config/environmentFile.ts';
import { onStopRequest } from '../../platform/supervision/stopSignals.ts';
import { runAdmin } from './runAdmin.ts';

// A reader such as `head` may close the output early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
loadEnvironmentFile();
process.exitCode = await runAdmin({
  words: process.argv.slice(2),
  env: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  printError: (text) => process.stderr.write(`${text}\n`),
  awaitStop: () => new Promise((resolve) => onStopRequest({ stop: resolve, force: () => process.exit(1) })),
});
