import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { useDebounced } from '../parts/debounced.ts';
import { Heading } from '../parts/heading.tsx';
import { Hex } from '../parts/hex.tsx';
import { Note } from '../parts/note.tsx';
import { texts } from '../texts/texts.ts';
import { type Connected, WalletChoice } from '../wallet/walletChoice.tsx';
import { InputFields, isComplete, readValues } from './inputFields.tsx';
import { knowsRules } from './knowsRules.ts';
import { findParty, isSame, nameOfInput } from './naming.ts';
import { SignPanel } from './signPanel.tsx';
import type { Accepted, AgreementSource, Shown, Verdict } from './source.ts';
import { Trial } from './trial.tsx';
import { useTyped } from './useTyped.ts';

const words = texts.act;
const typingMs = 250;

type ActFormProps = {
  readonly shown: Shown;
  readonly source: AgreementSource;
  readonly input: Accepted;
  readonly onClose: () => void;
};

/** One input: fill it in, check it while typing, then sign it with an allowed wallet. */
export function ActForm({ shown, source, input, onClose }: ActFormProps) {
  const { typed, setTyped, forget } = useTyped(source, input.inputId);
  const [wallet, setWallet] = useState<Connected>();
  const [isSigning, setSigning] = useState(false);
  const values = readValues(input.fields, typed);
  const isReady = isComplete(input.fields, typed);
  const allowed = shown.onlyWallet === undefined ? input.issuers : [shown.onlyWallet];
  const isUnknown = allowed.length === 0 && !input.anyone && !knowsRules(shown);
  const isAnyones = input.anyone && shown.onlyWallet === undefined;
  const mayAct =
    wallet !== undefined &&
    (isAnyones || isUnknown || allowed.some((issuer) => isSame(issuer, wallet.account)));
  const by = mayAct ? wallet.account : (allowed[0] ?? wallet?.account);
  const trial = useTrial({ source, inputId: input.inputId, values, by, isReady: isReady && !isSigning });
  const name = nameOfInput(shown.json, input.inputId);
  if (isSigning && wallet)
    return (
      <SignPanel
        shown={shown}
        source={source}
        act={{ inputId: input.inputId, values }}
        wallet={wallet}
        onBack={() => setSigning(false)}
        onSent={forget}
        onDone={onClose}
      />
    );
  return (
    <form
      class="panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        setSigning(true);
      }}
    >
      <div class="section-head">
        <Heading>{name}</Heading>
        <Button kind="plain" onPress={onClose}>
          {words.chooseAnother}
        </Button>
      </div>
      <InputFields
        json={shown.json}
        input={input}
        typed={typed}
        onType={setTyped}
        faults={faultsOf(trial.data)}
      />
      <Trial
        isPossible={source.simulate !== undefined}
        isReady={isReady}
        verdict={trial.data}
        error={trial.error}
      />
      <WalletChoice connected={wallet} onChange={setWallet} />
      {allowed.length === 0 && !isAnyones && (
        <Note kind="warn">{isUnknown ? words.unknownIssuer : words.noIssuer}</Note>
      )}
      {wallet && !mayAct && allowed.length > 0 && (
        <Note kind="warn">
          <p>{shown.onlyWallet === undefined ? words.wrongWallet : words.wrongLinkWallet}</p>
          <ul>
            {allowed.map((issuer) => (
              <li key={issuer}>
                <bdi>{findParty(shown, issuer)}</bdi> <Hex value={issuer} whole />
              </li>
            ))}
          </ul>
        </Note>
      )}
      <p>
        <Button submit kind="primary" disabled={!isReady || !mayAct}>
          {words.review}
        </Button>
      </p>
    </form>
  );
}

type Tried = {
  readonly source: AgreementSource;
  readonly inputId: string;
  readonly values: Record<string, unknown>;
  readonly by: string | undefined;
  readonly isReady: boolean;
};

/** The preview of the input, requested again a moment after each change. */
function useTrial({ source, inputId, values, by, isReady }: Tried) {
  const settled = useDebounced(JSON.stringify([values, by]), typingMs);
  return useQuery({
    queryKey: [...source.key, 'trial', inputId, settled],
    enabled:
      isReady &&
      by !== undefined &&
      settled === JSON.stringify([values, by]) &&
      source.simulate !== undefined,
    queryFn: async ({ signal }): Promise<Verdict | null> =>
      (by !== undefined && (await source.simulate?.({ inputId, values, by }, signal))) || null,
    staleTime: 5_000,
    gcTime: 30_000,
  });
}

function faultsOf(verdict: Verdict | null | undefined): Record<string, string> {
  return Object.fromEntries(
    (verdict?.issues ?? []).map(({ path, message }) => [path.split('.').at(-1) ?? '', message]),
  );
}
