import { Button } from '../parts/button.tsx';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { Table } from '../parts/table.tsx';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';
import { useWaitingTransactions } from './facts.ts';

const words = texts.operators;
/** Most are mined within a few blocks. */
const longSeconds = 120;

type WaitingTransactionsProps = { readonly onFollow: (thing: { readonly id: string }) => void };

/** Outbox transactions that are in no block, oldest first; each links to its trace. */
export function WaitingTransactions({ onFollow }: WaitingTransactionsProps) {
  const { data: rows, error } = useWaitingTransactions();
  return (
    <section class="section">
      <h2>{words.waitingTitle}</h2>
      {error && <Note kind="bad">{words.away}</Note>}
      {rows?.length === 0 && <p class="soft">{words.waitingNone}</p>}
      {rows && rows.length > 0 && (
        <Table
          caption={words.waitingTitle}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.transaction,
              show: ({ id, kind }) => (
                <>
                  <Button kind="plain" label={words.follow(id)} onPress={() => onFollow({ id })}>
                    <code class="copy">{id}</code>
                  </Button>
                  <div class="small soft">{words.kinds[kind]}</div>
                </>
              ),
            },
            { title: words.chain, show: ({ chainId }) => chainName(chainId) },
            {
              title: words.status,
              show: ({ state, attempts, lastError }) => (
                <>
                  {state}
                  {attempts > 0 && <div class="small soft">{words.attempts(attempts)}</div>}
                  {lastError !== null && <div class="small">{lastError}</div>}
                </>
              ),
            },
            {
              title: words.age,
              show: ({ ageSeconds }) => (
                <span class={ageSeconds > longSeconds ? 'tag bad' : undefined}>
                  {words.seconds(ageSeconds)}
                </span>
              ),
            },
            {
              title: words.validFor,
              show: ({ validForSeconds }) =>
                validForSeconds > 0 ? (
                  words.seconds(validForSeconds)
                ) : (
                  <span class="tag bad">{words.expired}</span>
                ),
            },
            {
              title: words.sentBy,
              show: ({ wallet, walletNonce }) =>
                wallet === null ? (
                  <span class="soft">{words.unsigned}</span>
                ) : (
                  <>
                    <Hex value={wallet} /> {walletNonce}
                  </>
                ),
            },
          ]}
        />
      )}
    </section>
  );
}
