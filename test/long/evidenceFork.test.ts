import { expect, test, vi } from 'vitest';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import { verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { startEvidenceWorld } from '../service/support/evidenceWorld.ts';
import { chainId } from '../service/support/testChain.ts';
import { createAnvilClient } from '../support/anvilClient.ts';

/** The test starts two chains and an indexer. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

test('evidence on a fork says that it has no proof of the state, and proves everything else', async () => {
  const original = await startAnvil({ chainId });
  try {
    const client = createAnvilClient(original.rpcUrl);
    await client.mine({ blocks: 3 });
    const world = await startEvidenceWorld({}, { url: original.rpcUrl, blockNumber: 3 });
    try {
      const { id } = await world.playDirectLease();
      const verdict = await verifyEvidence(await world.readFile(id));
      expect(verdict).toMatchObject({ ok: true, level: 'included', storage: null });
      expect(verdict.ok && verdict.notShown.join(' ')).toContain('has no proof of the contract’s storage');
      expect(JSON.parse(await world.readFile(id))).toMatchObject({ notes: ['no_state_proof'], state: null });
    } finally {
      await world.close();
    }
  } finally {
    await original.stop();
  }
});
