import type { Command } from 'commander';
import type { AgreementState, InputRecord } from '../../types.ts';
import { submitInput } from '../../viem/submitInput.ts';
import { CliError } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { handOutLink } from '../handOutLink.ts';
import { openSigner, type SignerOptions } from '../openSigner.ts';
import { readDocument, readPairs } from '../readDocument.ts';
import { drawFacts, drawTable } from '../table.ts';
import { paint, type Terminal } from '../terminal.ts';

const mostRows = 1_000;

export function addAgreementCommands(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('list')
    .description('list agreements, the newest first')
    .option('--name <text>', 'whose name begins with this')
    .option('--state <state>', 'exactly this state')
    .option('--chain <id>', 'on this chain')
    .option('--limit <count>', `at most so many, up to ${mostRows}`, '25')
    .action(async (options: { name?: string; state?: string; chain?: string; limit: string }) => {
      const limit = readCount(options.limit, '--limit');
      const query = {
        displayName: { startsWith: options.name },
        state: options.state,
        chainId: options.chain === undefined ? undefined : readCount(options.chain, '--chain'),
        limit: Math.min(limit, 100),
        sort: { createdAt: 'desc' },
      } as const;
      const found = [];
      for await (const agreement of context.client().agreements.list(query, { signal: terminal.stopped })) {
        found.push(agreement);
        if (found.length === limit) break;
      }
      const rows = found.map((one) => [
        one.id,
        one.displayName,
        one.state ?? one.status,
        String(one.chainId),
        one.createdAt,
      ]);
      const table = drawTable(terminal, ['id', 'name', 'state', 'chain', 'created'], rows);
      context.answer({ value: found, text: found.length > 0 ? table : 'There are no agreements.' });
    });

  program
    .command('show')
    .description('show an agreement: its state, who can do what now, and what has happened')
    .argument('<id>', "the record's id, or the address of its contract")
    .action(async (id: string) => {
      const client = context.client();
      const call = { signal: terminal.stopped };
      const record = await client.agreements.get(id, call);
      const query = { limit: 100, sort: { createdAt: 'asc' } } as const;
      const state = await client.agreements.getState(record.id, call);
      const inputs: InputRecord[] = [];
      for await (const input of client.agreements.listInputs(record.id, query, call)) inputs.push(input);
      const facts = drawFacts(terminal, [
        ['id', record.id],
        ['name', record.displayName],
        ['status', record.status],
        ['state', state.state === null ? undefined : describeState(state)],
        ['address', record.address],
        ['chain', String(record.chainId)],
        ['owner', record.owner],
        ...Object.entries(record.variables).map(([name, value]) => [`  ${name}`, String(value)] as const),
      ]);
      const text = [facts, '', describeAccepted(terminal, state), '', describeInputs(terminal, inputs)].join(
        '\n',
      );
      context.answer({ value: { agreement: record, state, inputs }, text });
    });

  addAct(program, context);

  program
    .command('document')
    .description('print the text of an agreement, with its present values filled in')
    .argument('<id>', "the record's id, or the address of its contract")
    .option('--html', 'the whole page instead of Markdown')
    .action(async (id: string, { html }: { html?: true }) => {
      const client = context.client();
      const { documentId } = await client.agreements.get(id, { signal: terminal.stopped });
      if (documentId === undefined) throw new CliError('The agreement has no hosted document.');
      const text = await client.documents.getText(documentId, html ? 'html' : 'markdown', {
        signal: terminal.stopped,
      });
      context.answer({ value: { documentId, text }, text });
    });
}

type ActOptions = SignerOptions & { value: readonly string[]; values?: string; link?: string };

function addAct(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('act')
    .description(
      'sign an input, submit it, and wait until it is mined; without an input, say which are accepted now; with --link, let somebody else sign',
    )
    .argument('<id>', "the record's id, or the address of its contract")
    .argument('[input]', 'what to do, such as acceptCommission')
    .option('--value <field=value>', 'a value; again for each', collect, [])
    .option('--values <file>', 'all values as a JSON object in a file, or - for the standard input')
    .option('--keystore <file>', 'sign with this keystore instead of AGREEMENTS_PRIVATE_KEY')
    .option('--password-file <file>', "the keystore's password instead of AGREEMENTS_KEYSTORE_PASSWORD")
    .option('--link <participant>', 'make an address at which this participant signs in a browser')
    .action(async (id: string, inputId: string | undefined, options: ActOptions) => {
      if (options.link !== undefined) {
        if (inputId !== undefined)
          throw new CliError('With --link the participant chooses the input: leave it out.');
        return handOutLink(context, { id, participant: options.link });
      }
      const client = context.client();
      if (inputId === undefined) {
        const state = await client.agreements.getState(id, { signal: terminal.stopped });
        return context.answer({ value: state, text: describeAccepted(terminal, state) });
      }
      const account = await openSigner(terminal.env, options);
      const file = options.values === undefined ? {} : await readDocument(terminal, options.values);
      const values = { ...file, ...readPairs(options.value, '--value') };
      const input = await submitInput({
        client,
        account,
        agreementId: id,
        inputId,
        values,
        signal: terminal.stopped,
      });
      const facts = drawFacts(terminal, [
        ['input', input.id],
        ['state', `${input.fromState ?? ''} → ${input.toState ?? ''}`],
        ['transaction', input.txHash ?? undefined],
      ]);
      context.answer({ value: input, text: `${paint(terminal, 'green', 'mined')}\n${facts}` });
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
  const rows = inputs.map((input) => [
    input.inputId,
    input.status,
    `${input.fromState ?? ''} → ${input.toState ?? ''}`,
    input.signer ?? '',
    input.createdAt,
  ]);
  return drawTable(terminal, ['has happened', 'status', 'state', 'by', 'at'], rows);
}

/** @throws CliError for what is no whole number above zero. */
export function readCount(text: string, option: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new CliError(`${option} takes a number above 0.`);
}
