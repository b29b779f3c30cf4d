import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../client/src/cli/run.ts';
import { buildEvidencePage } from '../../../src/api/evidence/buildEvidencePage.ts';
import { nameHash } from '../../../src/protocol/index.ts';
import { at, readObject, set, write } from '../../evidence/editJson.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { logOf } from '../../evidence/handMade/alterChain.ts';
import { buildDepositedLease } from '../../evidence/handMade/depositedLease.ts';
import { createTerminal } from '../client/support/runInProcess.ts';

const state = 'PAID”. A notary has confirmed who the parties are. “DONE';
const maker = 'the Chamber of Notaries, which has checked this file\u202e';

/** The lease whose last state has that name, in a file of that maker. */
async function buildFile(): Promise<string> {
  const text = await buildDepositedLease({
    edit({ execution }) {
      Object.assign(execution.states, { [state]: { description: 'x' } });
      Object.assign(execution.transitions[0] ?? {}, { to: state });
    },
    alter(chain) {
      logOf(chain, 3).topics[2] = nameHash(state);
    },
  });
  const file = readObject(text);
  const inputs = file.inputs;
  if (Array.isArray(inputs)) Object.assign(inputs[2] ?? {}, { toState: nameHash(state) });
  at(file, 'agreement').currentState = nameHash(state);
  set(at(file, 'made'), 'by', maker);
  return write({ ...file, state: null, notes: ['no_state_proof', 'signature_not_readable'] });
}

test('no sentence of the verifier holds a text of the document or of the file’s maker', async () => {
  const { agreement, established, trusted, notShown, made } = await findEvidence(await buildFile());
  expect(agreement.state).toBe(state);
  expect([...established, ...trusted, ...notShown].join(' ')).not.toMatch(/notar/i);
  expect(made.by).not.toContain('\u202e');
});

test('the page gives what a file says of its making as the file’s own word', async () => {
  const page = buildEvidencePage(await findEvidence(await buildFile()));
  expect(page).toMatch(/The file says of itself that it was made .* by “<bdi>the Chamber of Notaries/);
  expect(page).toContain('Nothing checks this.');
});

test('the command line quotes the document’s names', async () => {
  const room = await mkdtemp(join(tmpdir(), 'evidence-'));
  try {
    const path = join(room, 'file.json');
    await writeFile(path, await buildFile());
    const { terminal, printed } = createTerminal();
    await run(['verify', path], terminal);
    const text = printed.join('\n');
    expect(text).toContain(`state ${JSON.stringify(state)}`);
    expect(text).toMatch(/0x[0-9a-f]{40} \(in the text: "landlord"\), by own transaction: "knock"/);
  } finally {
    await rm(room, { recursive: true });
  }
});
