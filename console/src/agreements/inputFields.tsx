import { Field, TextInput } from '../parts/field.tsx';
import { YesOrNo } from '../parts/yesOrNo.tsx';
import { texts } from '../texts/texts.ts';
import { describeField } from './naming.ts';
import type { Accepted } from './source.ts';

const words = texts.act;
type FieldOf = Accepted['fields'][number];
/** As typed; an empty text means no value. */
export type Typed = Readonly<Record<string, string>>;

type InputFieldsProps = {
  readonly json: unknown;
  readonly input: Pick<Accepted, 'inputId' | 'fields'>;
  readonly typed: Typed;
  readonly onType: (typed: Typed) => void;
  /** The service's issues for each field. */
  readonly faults: Readonly<Record<string, string>>;
};

/** A form for the fields of an input, by the document's own rules. */
export function InputFields({ json, input, typed, onType, faults }: InputFieldsProps) {
  if (input.fields.length === 0) return <p class="soft">{words.noFields}</p>;
  return (
    <div class="stack">
      {input.fields.map((field) => {
        const { name, hint } = describeField(json, input.inputId, field.name);
        const value = typed[field.name] ?? '';
        const fault = value === '' ? undefined : (findFault(field, value) ?? faults[field.name]);
        const notes = [hint, describeRules(field)].filter((note) => note !== undefined && note !== '');
        const set = (text: string) => onType({ ...typed, [field.name]: text });
        return (
          <Field
            key={field.name}
            label={field.required ? name : `${name} (${words.optional})`}
            hint={notes.join(' · ')}
            fault={fault}
          >
            {field.type === 'bool' ? (
              <YesOrNo value={value} onChange={set} />
            ) : (
              <TextInput
                value={value}
                onInput={set}
                mono={['address', 'bytes32', 'txHash'].includes(field.type)}
                inputMode={field.type === 'uint256' ? 'numeric' : undefined}
                rows={isLong(field) ? 4 : undefined}
                required={field.required}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}

const numberOf = (field: FieldOf, rule: string): bigint | undefined => {
  const bound = field.validation?.[rule];
  return (typeof bound === 'number' && Number.isSafeInteger(bound)) ||
    (typeof bound === 'string' && /^\d+$/.test(bound))
    ? BigInt(bound)
    : undefined;
};

function isLong(field: FieldOf): boolean {
  const longest = numberOf(field, 'maxLength');
  return field.type === 'string' && longest !== undefined && longest > 300n;
}

function describeRules(field: FieldOf): string | undefined {
  if (field.type === 'dateTime') return words.rules.date;
  const isText = field.type === 'string' || field.type === 'signature';
  const [low, high] = (isText ? ['minLength', 'maxLength'] : ['min', 'max']).map((rule) =>
    numberOf(field, rule)?.toLocaleString(),
  );
  const range =
    low !== undefined && high !== undefined
      ? words.rules.between(low, high)
      : low !== undefined
        ? words.rules.min(low)
        : high !== undefined
          ? words.rules.max(high)
          : undefined;
  return range !== undefined && isText ? words.rules.characters(range) : range;
}

const bytes = new TextEncoder();

/** Checks that need no service. */
export function findFault(field: FieldOf, value: string): string | undefined {
  const { invalid } = words;
  const bound = (rule: string) => numberOf(field, rule);
  if (field.type === 'uint256') {
    if (!/^(\d+|0x[0-9a-fA-F]+)$/.test(value)) return invalid.number;
    const [min, max] = [bound('min'), bound('max')];
    if (min !== undefined && BigInt(value) < min) return invalid.min(String(min));
    if (max !== undefined && BigInt(value) > max) return invalid.max(String(max));
  }
  if (field.type === 'address' && !/^0x[0-9a-fA-F]{40}$/.test(value)) return invalid.address;
  if ((field.type === 'bytes32' || field.type === 'txHash') && !/^0x[0-9a-fA-F]{64}$/.test(value))
    return invalid.word;
  if (field.type === 'string' || field.type === 'signature') {
    const length = BigInt(bytes.encode(value).length);
    const [min, max] = [bound('minLength'), bound('maxLength')];
    if (min !== undefined && length < min) return invalid.minLength(String(min));
    if (max !== undefined && length > max) return invalid.maxLength(String(max));
  }
  return undefined;
}

/** The values to sign, in the order of the fields, without empty optional ones. */
export function readValues(fields: readonly FieldOf[], typed: Typed): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const value = typed[field.name] ?? '';
      return value === '' ? [] : [[field.name, field.type === 'bool' ? value === 'true' : value]];
    }),
  );
}

/** Whether all required fields are filled in. */
export function isComplete(fields: readonly FieldOf[], typed: Typed): boolean {
  return fields.every(
    (field) =>
      ((typed[field.name] ?? '') !== '' && findFault(field, typed[field.name] ?? '') === undefined) ||
      (!field.required && (typed[field.name] ?? '') === ''),
  );
}
