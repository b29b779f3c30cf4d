/** Another start may help; supervisors know this code as EX_TEMPFAIL. */
const temporaryFailure = 75;

/**
 * Ends the indexer before anything of the block is stored. Its next start drops all rows that are not final,
 * and asks the nodes again. An error would not work: Ponder then exits with a code for permanent failures.
 */
export function refuseBlock(block: { chainId: number; number: bigint; head: bigint }): never {
  const { chainId, number, head } = block;
  console.error(
    `The nodes of chain ${chainId} sent block ${number} after block ${head} without a reorganisation in between: ` +
      'they are on different forks. The indexer must restart.',
  );
  process.exit(temporaryFailure);
}
