import { Button } from '../parts/button.tsx';
import { Field, Select, TextInput } from '../parts/field.tsx';
import { useSettings } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';

const words = texts.agreements;

type ListFiltersProps = {
  readonly query: Readonly<Record<string, string>>;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onSubmit: (event: Event) => void;
};

/** The default order of a list; by name when searching for names. */
export function usualOrder(name: string | undefined): 'displayName.asc' | 'createdAt.desc' {
  return name ? 'displayName.asc' : 'createdAt.desc';
}

/** The list's filters and order, from the address bar. */
export function ListFilters({ query, set, search, onSearch, onSubmit }: ListFiltersProps) {
  const settings = useSettings();
  const chains = (settings.data?.chains ?? []).map(({ chainId, name }) => [String(chainId), name] as const);
  const change = (name: string) => (value: string) => set({ [name]: value, cursor: undefined });
  const isSet = ['name', 'state', 'chainId', 'since', 'sort'].some((name) => query[name]);
  const clear = () => {
    onSearch('');
    set({ name: '', state: '', chainId: '', since: '', sort: '', cursor: '' });
  };
  return (
    <form class="filters" onSubmit={onSubmit}>
      <Field label={words.search} hint={words.searchHint} wide>
        <TextInput type="search" value={search} onInput={onSearch} />
      </Field>
      <Field label={words.state}>
        <TextInput value={query.state ?? ''} onInput={change('state')} />
      </Field>
      <Field label={words.chain}>
        <Select
          value={query.chainId ?? ''}
          onChange={change('chainId')}
          options={[['', texts.all], ...chains]}
        />
      </Field>
      <Field label={words.since}>
        <TextInput type="date" value={query.since ?? ''} onInput={change('since')} />
      </Field>
      <Field label={words.sort}>
        <Select
          value={query.sort ?? usualOrder(query.name)}
          onChange={change('sort')}
          options={Object.entries(words.sorts)}
        />
      </Field>
      {isSet && (
        <Button kind="plain" onPress={clear}>
          {words.clear}
        </Button>
      )}
    </form>
  );
}
