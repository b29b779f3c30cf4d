import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';

type Labelled = { readonly id: string; readonly describedBy: string; readonly isFaulty: boolean };
const FieldContext = createContext<Labelled | undefined>(undefined);

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
};

/** A control with its label above, and below it a hint or an error. */
export function Field({ label, hint, fault, wide, children }: FieldProps) {
  const id = useId();
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id} dir="auto">
        {label}
      </label>
      <FieldContext.Provider value={{ id, describedBy: `${id}-note`, isFaulty: fault !== undefined }}>
        {children}
      </FieldContext.Provider>
      <div id={`${id}-note`} class={fault === undefined ? 'hint' : 'fault'} dir="auto">
        {fault ?? hint}
      </div>
    </div>
  );
}

type TextProps = {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: string;
  readonly mono?: boolean;
  readonly rows?: number | undefined;
  readonly placeholder?: string | undefined;
  readonly required?: boolean | undefined;
  readonly inputMode?: 'numeric' | 'text' | undefined;
};

export function TextInput({ value, onInput, type = 'text', mono, rows, inputMode, ...rest }: TextProps) {
  const field = useContext(FieldContext);
  const shared = {
    id: field?.id,
    class: mono ? 'input mono' : 'input',
    dir: 'auto' as const,
    value,
    'aria-invalid': field?.isFaulty,
    'aria-describedby': field?.describedBy,
    autocomplete: 'off',
    spellcheck: false,
    ...rest,
  };
  if (rows !== undefined)
    return <textarea {...shared} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />;
  return (
    <input
      {...shared}
      type={type}
      inputMode={inputMode}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

/** Value and text of a choice. */
type Option = readonly [string, string];

type SelectProps = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options?: readonly Option[];
  /** Choices under headings, below those without. */
  readonly groups?: readonly { readonly label: string; readonly options: readonly Option[] }[];
};

export function Select({ value, onChange, options = [], groups = [] }: SelectProps) {
  const field = useContext(FieldContext);
  return (
    <select
      id={field?.id}
      class="input"
      value={value}
      aria-describedby={field?.describedBy}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {listOptions(options)}
      {groups
        .filter((group) => group.options.length > 0)
        .map((group) => (
          <optgroup key={group.label} label={group.label}>
            {listOptions(group.options)}
          </optgroup>
        ))}
    </select>
  );
}

function listOptions(options: readonly Option[]) {
  return options.map(([key, text]) => (
    <option key={key} value={key}>
      {text}
    </option>
  ));
}
