import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { useKeptFocus } from '../parts/keptFocus.ts';
import { Loading } from '../parts/loading.tsx';
import { texts } from '../texts/texts.ts';
import { ActForm } from './actForm.tsx';
import { mayChoose } from './mayChoose.ts';
import { nameOfInput, writeIssuers } from './naming.ts';
import type { Accepted, AgreementSource, Shown } from './source.ts';

const words = texts.agreement;
type ActPanelProps = {
  readonly shown: Shown;
  readonly source: AgreementSource;
  readonly accepted: readonly Accepted[];
  readonly isKnown: boolean;
};

/** The possible inputs and who may send them; and a form to fill in, check and sign one. */
export function ActPanel({ shown, source, accepted, isKnown }: ActPanelProps) {
  // The chosen input stays open while it is under way, even once the agreement has moved on.
  const [chosen, setChosen] = useState<Accepted>();
  const keptFocus = useKeptFocus([chosen]);
  return (
    <section class="stack" aria-label={words.now} {...keptFocus}>
      <h2>{words.now}</h2>
      {chosen ? (
        <ActForm
          key={chosen.inputId}
          shown={shown}
          source={source}
          input={chosen}
          onClose={() => setChosen(undefined)}
        />
      ) : !isKnown ? (
        <Loading />
      ) : accepted.length === 0 ? (
        <p class="soft">{shown.status === 'Draft' ? words.noneNow : words.final}</p>
      ) : (
        <ul class="choices">
          {accepted.map((input) => (
            <li key={input.inputId}>
              <div>
                <div dir="auto">
                  <strong>{nameOfInput(shown.json, input.inputId)}</strong>
                </div>
                <div class="small soft" dir="auto">
                  {words.by(writeIssuers(shown, input))}
                </div>
              </div>
              {mayChoose(shown, input) && (
                <Button
                  kind="primary"
                  onPress={() => setChosen(input)}
                  label={`${texts.act.choose}: ${nameOfInput(shown.json, input.inputId)}`}
                >
                  {texts.act.choose}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
