import { Argument, type Command } from 'commander';
import { writeBash } from '../completion/writeBash.ts';
import { writeFish } from '../completion/writeFish.ts';
import type { Context } from '../context.ts';
import { writeExamples } from '../writeExamples.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Completion of commands, options and their values, as a script for a shell. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText(
      'after',
      writeExamples(
        'completion bash > ~/.local/share/bash-completion/completions/agreements',
        'completion fish | source',
      ),
    )
    .action((shell: (typeof shells)[number]) => {
      const text = shell === 'fish' ? writeFish(program) : writeBash(program, shell);
      context.answer({ value: { shell, script: text }, text });
    });
}
