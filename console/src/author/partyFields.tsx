import { nameOfVariable } from '../agreements/naming.ts';
import { Field, TextInput } from '../parts/field.tsx';
import { YesOrNo } from '../parts/yesOrNo.tsx';
import { texts } from '../texts/texts.ts';
import type { Party, Values } from './partyValues.ts';

const words = texts.author;

type PartyFieldsProps = {
  readonly json: unknown;
  readonly parties: readonly Party[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
};

/** The participants' wallets and the initial values of an agreement. */
export function PartyFields({ json, parties, values, onChange }: PartyFieldsProps) {
  return (
    <div class="stack">
      {parties.map(({ name, type, isParticipant }) => (
        <Field
          key={name}
          label={isParticipant ? words.walletOf(nameOfVariable(json, name)) : nameOfVariable(json, name)}
          hint={isParticipant ? undefined : words.typeNames[type]}
        >
          {type === 'bool' ? (
            <YesOrNo value={values[name] ?? ''} onChange={(text) => onChange({ ...values, [name]: text })} />
          ) : (
            <TextInput
              value={values[name] ?? ''}
              onInput={(text) => onChange({ ...values, [name]: text })}
              mono={type === 'address' || type === 'bytes32'}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
