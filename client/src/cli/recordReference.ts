import type { Command } from 'commander';
import { readCount } from './readCount.ts';

/** The option that tells apart records of one address. */
export type ChainChoice = { readonly chain?: string };

/** Lets a command name a record by id, or by address and chain. */
export function takeRecord(command: Command): Command {
  return command
    .argument('<id>', "the record's id, or the address of its contract")
    .option('--chain <id>', 'the chain, if the address is known on several');
}

/** @throws CliError if the chain is not a number. */
export function readChain({ chain }: ChainChoice): { readonly chainId: number | undefined } {
  return { chainId: chain === undefined ? undefined : readCount(chain, '--chain') };
}
