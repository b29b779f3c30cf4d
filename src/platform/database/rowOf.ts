import type { Column, Table } from 'drizzle-orm';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** PostgreSQL's bigint and numeric arrive as text. Everything else arrives as Drizzle declares it. */
type DriverValue<Of extends Column> = Of['_']['data'] extends bigint
  ? string
  : Of['_']['columnType'] extends 'PgBigInt53' | 'PgBigSerial53'
    ? string
    : Of['_']['data'];

type ValueOf<Of extends Column> = Of['_']['notNull'] extends true ? DriverValue<Of> : DriverValue<Of> | null;

/**
 * A table's columns by their names in the database. Timestamps and dates are left out, because they arrive
 * as `Date` from `pg` and as text from Drizzle's `execute`.
 */
type Columns<Of extends Table> = {
  [Key in keyof Of['_']['columns'] & string as Of['_']['columns'][Key]['_']['columnType'] extends
    | 'PgTimestamp'
    | 'PgDateString'
    ? never
    : SnakeCase<Key>]: ValueOf<Of['_']['columns'][Key]>;
};

/** A row of SQL text: columns of a table under their own names, as the driver returns them. */
export type RowOf<Of extends Table, Names extends keyof Columns<Of>> = Pick<Columns<Of>, Names>;

/**
 * A row of SQL text whose columns have other names. `permit_nonce as nonce` has the type `RowAs<typeof transactions, {
 * nonce: 'permit_nonce' }>`.
 */
export type RowAs<Of extends Table, Names extends Readonly<Record<string, keyof Columns<Of>>>> = {
  [Name in keyof Names]: Columns<Of>[Names[Name]];
};

/** Columns of an outer join, which are all null if nothing was joined. */
export type OrNull<Row> = { [Name in keyof Row]: Row[Name] | null };

/** Columns that the query's condition keeps from being null. */
export type NotNull<Row> = { [Name in keyof Row]: NonNullable<Row[Name]> };
