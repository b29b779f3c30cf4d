import { loadEnvironmentFile } from '../config/environmentFile.ts';
import { runAdmin } from './runAdmin.ts';

loadEnvironmentFile();
process.exitCode = await runAdmin({
  words: process.argv.slice(2),
  env: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  printError: (text) => process.stderr.write(`${text}\n`),
});
