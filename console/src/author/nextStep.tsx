import { useState } from 'preact/hooks';
import type { BodyOf } from '../../../client/src/types.ts';
import { InputFields, readValues, type Typed } from '../agreements/inputFields.tsx';
import { nameOfInput, nameOfVariable } from '../agreements/naming.ts';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { texts } from '../texts/texts.ts';
import { listFields } from './listFields.ts';
import { listSenders } from './listSenders.ts';

const words = texts.author;
export type Step = BodyOf<'simulateAgreement'>['steps'][number];

type NextStepProps = {
  readonly json: unknown;
  /** The inputs of the present state. */
  readonly possible: readonly string[];
  readonly inputs: readonly string[];
  readonly parties: readonly string[];
  readonly onPlay: (step: Step) => void;
};

/** The next input of a simulation: at first one that is possible now, by somebody who may send it. */
export function NextStep({ json, possible, inputs, parties, onPlay }: NextStepProps) {
  const [inputId, setInputId] = useState(possible[0] ?? inputs[0] ?? '');
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<Typed>({});
  const fields = listFields(json, inputId);
  const senders = listSenders(json, inputId);
  const may = parties.filter((party) => senders?.has(party) ?? true);
  const by = chosen ?? may[0] ?? parties[0] ?? '';
  const inputOptions = (ids: readonly string[]) => ids.map((id) => [id, nameOfInput(json, id)] as const);
  const partyOptions = (names: readonly string[]) =>
    names.map((name) => [name, nameOfVariable(json, name)] as const);
  return (
    <form
      class="panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        onPlay({ inputId, by, values: readValues(fields, typed) });
      }}
    >
      <h3>{words.play}</h3>
      <Field label={words.input}>
        <Select
          value={inputId}
          onChange={setInputId}
          groups={[
            { label: words.possibleNow, options: inputOptions(possible) },
            {
              label: words.impossibleNow,
              options: inputOptions(inputs.filter((id) => !possible.includes(id))),
            },
          ]}
        />
      </Field>
      <Field label={words.by}>
        <Select
          value={by}
          onChange={setChosen}
          groups={[
            { label: words.mayPlay, options: partyOptions(may) },
            {
              label: words.mayNotPlay,
              options: partyOptions(parties.filter((party) => !may.includes(party))),
            },
          ]}
        />
      </Field>
      <InputFields json={json} input={{ inputId, fields }} typed={typed} onType={setTyped} faults={{}} />
      <p>
        <Button submit kind="primary" disabled={inputId === '' || by === ''}>
          {words.add}
        </Button>
      </p>
    </form>
  );
}
