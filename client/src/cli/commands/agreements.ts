import type { Command } from 'commander';
import { findTitle } from '../../../../src/protocol/findTitle.ts';
import type { AgreementState, InputRecord } from '../../types.ts';
import { submitInput } from '../../viem/submitInput.ts';
import { CliError } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { handOutLink } from '../handOutLink.ts';
import { openSigner, type SignerOptions } from '../openSigner.ts';
import { readCount } from '../readCount.ts';
import { readDocument, readPairs } from '../readDocument.ts';
import { type ChainChoice, readChain, takeRecord } from '../recordReference.ts';
import { sayWaiting } from '../sayWaiting.ts';
import { drawFacts, drawTable } from '../table.ts';
import { describeRest, takeFirst } from '../takeFirst.ts';
import { paint, plainLines, type Terminal } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

export function addAgreementCommands(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('list')
    .description('list agreements, the newest first')
    .option('--name <text>', 'only names that begin with this')
    .option('--state <state>', 'only this state')
    .option('--chain <id>', 'only this chain')
    .option('--limit <count>', 'at most this many', '25')
    .addHelpText('after', writeExamples('list --state OPEN --limit 100'))
    .action(async (options: { name?: string; state?: string; chain?: string; limit: string }) => {
      const limit = readCount(options.limit, '--limit');
      const query = {
        displayName: { startsWith: options.name },
        state: options.state,
        chainId: options.chain === undefined ? undefined : readCount(options.chain, '--chain'),
        sort: { createdAt: 'desc' },
      } as const;
      const client = context.client();
      const found = await takeFirst(limit, (pageSize) =>
        client.agreements.list({ ...query, limit: pageSize }, { signal: terminal.stopped }),
      );
      const { items } = found;
      const rows = items.map((one) => [
        one.id,
        one.displayName,
        one.state ?? one.status,
        String(one.chainId),
        one.createdAt,
      ]);
      const table = drawTable(terminal, ['id', 'name', 'state', 'chain', 'created'], rows);
      const text = `${table}${describeRest(terminal, found)}`;
      context.answer({ value: items, text: items.length > 0 ? text : 'There are no agreements.' });
    });

  takeRecord(program.command('show'))
    .description('show an agreement: its state, who can do what now, and what has happened')
    .addHelpText('after', writeExamples('show agr_…', 'show 0x… --chain 59141'))
    .action(async (id: string, options: ChainChoice) => {
      const client = context.client();
      const call = { signal: terminal.stopped };
      const record = await client.agreements.get(id, { ...call, ...readChain(options) });
      const query = { limit: 100, sort: { createdAt: 'asc' } } as const;
      const state = await client.agreements.getState(record.id, call);
      const inputs: InputRecord[] = [];
      for await (const input of client.agreements.listInputs(record.id, query, call)) inputs.push(input);
      const title = findTitle(record.json);
      const facts = drawFacts(terminal, [
        ['id', record.id],
        ['name', record.displayName],
        ['name in its document', title === record.displayName ? undefined : title],
        ['status', record.status],
        ['state', state.state === null ? undefined : describeState(state)],
        ['address', record.address],
        ['chain', String(record.chainId)],
        ['owner', record.owner],
        ['not as its document says', record.onChain.differsFromDocument?.join(', ') || undefined],
        ...Object.entries(record.variables).map(([name, value]) => [`  ${name}`, String(value)] as const),
      ]);
      const text = [facts, '', describeAccepted(terminal, state), '', describeInputs(terminal, inputs)].join(
        '\n',
      );
      context.answer({ value: { agreement: record, state, inputs }, text });
    });

  addAct(program, context);

  takeRecord(program.command('document'))
    .description('print the text of an agreement, with its present values filled in')
    .option('--html', 'the whole page instead of Markdown')
    .addHelpText('after', writeExamples('document agr_…', 'document agr_… --html > mural.html'))
    .action(async (id: string, { html, ...options }: ChainChoice & { html?: true }) => {
      const client = context.client();
      const call = { signal: terminal.stopped, ...readChain(options) };
      const { documentId } = await client.agreements.get(id, call);
      if (documentId === undefined) throw new CliError('The agreement has no hosted document.');
      const text = await client.documents.getText(documentId, html ? 'html' : 'markdown', {
        signal: terminal.stopped,
      });
      context.answer({ value: { documentId, text }, text: plainLines(text) });
    });
}

type ActOptions = SignerOptions &
  ChainChoice & {
    value: readonly string[];
    values?: string;
    link?: string;
    despiteDifferences?: boolean;
  };

function addAct(program: Command, context: Context): void {
  const { terminal } = context;
  takeRecord(program.command('act'))
    .description(
      'sign an input, submit it, and wait until it is mined; without an input, list the inputs accepted now; with --link, let somebody else sign',
    )
    .argument('[input]', 'what to do, such as acceptCommission')
    .option('--value <field=value>', 'a value; repeatable', collect, [])
    .option('--values <file>', 'all values as a JSON object in a file, or - for the standard input')
    .option('--keystore <file>', 'sign with this keystore instead of AGREEMENTS_PRIVATE_KEY')
    .option('--password-file <file>', "the keystore's password instead of AGREEMENTS_KEYSTORE_PASSWORD")
    .option('--despite-differences', 'sign although the contract has other rules than its document')
    .option('--link <participant>', 'make a link with which this participant signs in a browser')
    .addHelpText(
      'after',
      writeExamples(
        'act agr_…',
        "act agr_… acceptCommission --value artistSignature='M. Tamm'",
        'act agr_… --link artist',
      ),
    )
    .action(async (id: string, inputId: string | undefined, options: ActOptions) => {
      const chain = readChain(options);
      if (options.link !== undefined) {
        if (inputId !== undefined)
          throw new CliError('With --link the participant chooses the input: leave the input out.');
        return handOutLink(context, { id, participant: options.link, ...chain });
      }
      const client = context.client();
      if (inputId === undefined) {
        const state = await client.agreements.getState(id, { signal: terminal.stopped, ...chain });
        return context.answer({ value: state, text: describeAccepted(terminal, state) });
      }
      const account = await openSigner(terminal, options);
      const file = options.values === undefined ? {} : await readDocument(terminal, options.values);
      const values = { ...file, ...readPairs(options.value, '--value') };
      const signal = terminal.stopped;
      const { despiteDifferences } = options;
      const input = { ...chain, agreementId: id, inputId, values, despiteDifferences };
      const mined = submitInput({ client, account, ...input, signal });
      const done = await sayWaiting(context, mined);
      const facts = drawFacts(terminal, [
        ['input', done.id],
        ['state', `${done.fromState ?? ''} → ${done.toState ?? ''}`],
        ['transaction', done.txHash ?? undefined],
      ]);
      context.answer({ value: done, text: `${paint(terminal, 'green', 'mined')}\n${facts}` });
    });
}

function describeState({ state, description }: AgreementState): string {
  return description === undefined ? `${state}` : `${state}: ${description}`;
}

function describeAccepted(terminal: Terminal, { state, acceptedInputs }: AgreementState): string {
  if (state === null) return 'Nothing can be done before it is deployed.';
  if (acceptedInputs.length === 0) return 'Nothing can be done any more.';
  const rows = acceptedInputs.map(({ inputId, issuers, anyone, fields }) => [
    inputId,
    anyone ? 'anyone' : issuers.join(', '),
    fields.map(({ name, type, required }) => `${name}${required ? '' : '?'}: ${type}`).join(', '),
  ]);
  return drawTable(terminal, ['can be done', 'by', 'with'], rows);
}

function describeInputs(terminal: Terminal, inputs: readonly InputRecord[]): string {
  if (inputs.length === 0) return 'Nothing has happened yet.';
  // Not by time: an input that was not sent through the service has its block's time, in whole seconds.
  const rows = inputs
    .toSorted(byBlock)
    .map((input) => [
      input.inputId,
      input.status,
      `${input.fromState ?? ''} → ${input.toState ?? ''}`,
      input.signer ?? '',
      input.createdAt,
    ]);
  return drawTable(terminal, ['has happened', 'status', 'state', 'by', 'at'], rows);
}

/** Inputs that are not mined come last. */
function byBlock(one: InputRecord, other: InputRecord): number {
  if (one.blockNumber === other.blockNumber) return 0;
  return (one.blockNumber ?? Number.POSITIVE_INFINITY) - (other.blockNumber ?? Number.POSITIVE_INFINITY);
}
