import type pg from 'pg';
import { type Hex, size } from 'viem';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { intrinsicGas } from '../../protocol/intrinsicGas.ts';
import { keccak256Text } from '../../protocol/keccak.ts';

/** The most gas that inputs of a kind have used, without the cost of their call data. */
export type GasBound = { readonly executionGas: bigint; readonly callBytes: number };

/**
 * The kind of a call: of one definition, with one input, and of a similar length. A long payload may use far more gas, and
 * whoever sends one must not raise the bound of everybody's short ones. Calls of one kind differ in length by less than
 * a factor of two.
 */
export function buildGasKind(call: { definitionHash: Hex; inputHash: Hex; callData: Hex }): string {
  const magnitude = Math.ceil(Math.log2(size(call.callData)));
  return keccak256Text(`${call.definitionHash} ${call.inputHash} ${magnitude}`);
}

/** The most gas for reading and checking one more byte of a payload. */
const byteGas = 44n;
/** The extra cost of writing a storage slot for the first time. */
const coldSlotGas = 17_100n;
/** A change of state, if the observed input kept the state. */
const changedSlotGas = 2_900n;
/** Slots of a stored field: its type, its length, and its data. */
const slotsOfField = 4n;

/**
 * The most gas that an input of the kind uses: its data at their exact price, and all written storage counted
 * as empty, as it is for a signer's first permit.
 *
 * @param storedFields how many fields the input makes the contract store.
 */
export function boundGas(
  { executionGas, callBytes }: GasBound,
  { callData, storedFields }: { callData: Hex; storedFields: number },
): bigint {
  const { gas, floor } = intrinsicGas(callData);
  const moreBytes = BigInt(Math.max(0, size(callData) - callBytes));
  const slots = 1n + slotsOfField * BigInt(storedFields);
  const bound = gas + executionGas + byteGas * moreBytes + coldSlotGas * slots + changedSlotGas;
  return bound > floor ? bound : floor;
}

/** Refunds are subtracted in a receipt; they are at most a fifth of the gas used. */
const refundedShare = 5n;

/**
 * Learns the gas of an input from an estimate or a receipt. A known value changes only if it was too low.
 * Rows without a kind teach nothing.
 */
export async function learnGas(
  pool: pg.Pool,
  seen: { transactionId: string; callData: Hex; gas: bigint; by: 'estimate' | 'receipt' },
): Promise<void> {
  const { transactionId, callData, by } = seen;
  const used = by === 'receipt' ? (seen.gas * refundedShare) / (refundedShare - 1n) : seen.gas;
  const { gas: dataGas } = intrinsicGas(callData);
  const executionGas = used > dataGas ? used - dataGas : 0n;
  await runPrepared(pool, learnStatement, [
    transactionId,
    String(executionGas),
    size(callData),
    by === 'receipt' ? 1 : 0,
  ]);
}

const isTooLittle = `excluded.execution_gas
  > known.execution_gas + ${byteGas} * greatest(0, excluded.call_bytes - known.call_bytes)`;

const learnStatement = `
  insert into service.gas_bounds as known (chain_id, kind, execution_gas, call_bytes, receipts)
  select chain_id, gas_kind, $2::numeric, $3::int, $4::int from service.transactions where id = $1 and gas_kind is not null
  on conflict (chain_id, kind) do update set
    execution_gas = case when ${isTooLittle} then excluded.execution_gas else known.execution_gas end,
    call_bytes = case when ${isTooLittle} then excluded.call_bytes else known.call_bytes end,
    receipts = known.receipts + excluded.receipts, updated_at = now()`;
