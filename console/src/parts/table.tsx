import type { ComponentChildren, VNode } from 'preact';
import { texts } from '../texts/texts.ts';

export type Column<Row> = {
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** What the row is called: it needs no label beside it. */
  readonly isTitle?: boolean;
  /** The actions of a row: a button needs no label beside it. */
  readonly isAction?: boolean;
};

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Number of placeholder lines. */
  readonly expected?: number;
};

/** Rows of one kind; on narrow screens each row is a block of its own. */
export function Table<Row>({ caption, columns, rows, keyOf, expected = 6 }: TableProps<Row>): VNode {
  return (
    <table class="folding" aria-busy={rows === undefined}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isAction }) => (
            <th key={title} scope="col">
              <span class={isAction ? 'hidden' : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows?.map((row) => (
          <tr key={keyOf(row)} class="item">
            {columns.map(({ title, show, isNumber, isTitle, isAction }) => (
              <td
                key={title}
                data-label={isAction ? undefined : title}
                class={isTitle ? 'title' : isNumber ? 'number' : undefined}
              >
                <div>{show(row)}</div>
              </td>
            ))}
          </tr>
        )) ??
          Array.from({ length: expected }, (_, at) => (
            <tr key={at}>
              {columns.map(({ title }) => (
                <td key={title} data-label={title}>
                  <div class="bar" />
                  <span class="hidden">{texts.loading}</span>
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  );
}
