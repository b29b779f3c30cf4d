import type { ComponentChildren } from 'preact';

type TabsProps<Name extends string> = {
  readonly label: string;
  readonly names: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** The chosen view. */
  readonly children: ComponentChildren;
};

/** One of several views; arrow keys switch between them. */
export function Tabs<Name extends string>({ label, names, chosen, onChoose, children }: TabsProps<Name>) {
  const keys = Object.keys(names).filter((name): name is Name => name in names);
  const move = (event: KeyboardEvent, by: number) => {
    const next = keys[(keys.indexOf(chosen) + by + keys.length) % keys.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next);
    const list = event.currentTarget instanceof HTMLElement ? event.currentTarget : undefined;
    list?.querySelectorAll('button')[keys.indexOf(next)]?.focus();
  };
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') move(event, 1);
          if (event.key === 'ArrowLeft') move(event, -1);
        }}
      >
        {keys.map((name) => (
          <button
            key={name}
            type="button"
            id={`tab-${name}`}
            role="tab"
            aria-controls="tab-view"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {names[name]}
          </button>
        ))}
      </div>
      <div id="tab-view" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}
