import { findProgram } from './build/builtPrograms.ts';
import { isProgramName, programs } from './build/programs.ts';

/** `node src/cli/run.ts <program> …` builds the programs if their sources have changed, and runs one of them in this process. */
const [node = '', , name, ...words] = process.argv;
if (isProgramName(name)) {
  const program = findProgram(name);
  process.argv = [node, program, ...words];
  await import(program);
} else {
  console.error(`The programs are ${Object.keys(programs).join(', ')}.`);
  process.exitCode = 1;
}
