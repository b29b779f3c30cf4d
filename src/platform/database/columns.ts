import { bigint, customType, text, timestamp } from 'drizzle-orm/pg-core';

/** Column types that many tables share. Addresses are stored checksummed, hashes in lower case, both as text. */
export const address = () => text().$type<`0x${string}`>();
export const hash = () => text().$type<`0x${string}`>();
export const bytes = () => text().$type<`0x${string}`>();
/** A point in time with milliseconds, the precision of the wire format. A cursor made from it is exact. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' });
export const blockNumber = () => bigint({ mode: 'bigint' });
/** Up to 2^256 - 1, as bigint in code. */
export const uint256 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'numeric(78, 0)',
  fromDriver: BigInt,
  toDriver: String,
});
