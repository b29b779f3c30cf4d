import type { Hex } from 'viem';
import { AbiWriter } from './abiWriter.ts';
import { bytesToHex } from './hex.ts';
import { keccak256Bytes } from './keccak.ts';
import type { ActionInit, Condition, DataField, InputDef, Transition, VerifierInit } from './onChain.ts';

/** keccak256 of `abi.encode(InputDef[])`. */
export function hashInputDefs(inputDefs: readonly InputDef[]): Hex {
  return hashArray((writer) => writer.dynamicArray(inputDefs, (inputDef) => writeInputDef(writer, inputDef)));
}

/** keccak256 of `abi.encode(Transition[])`. */
export function hashTransitions(transitions: readonly Transition[]): Hex {
  return hashArray((writer) =>
    writer.staticArray(transitions, ({ fromState, toState, inputId }) => {
      writer.word(fromState);
      writer.word(toState);
      writer.word(inputId);
    }),
  );
}

/** keccak256 of `abi.encode(DataField[])`. */
export function hashInitVars(initVars: readonly DataField[]): Hex {
  return hashArray((writer) => writeDataFields(writer, initVars));
}

/** keccak256 of `abi.encode(VerifierInit[])`. */
export function hashVerifiers(verifiers: readonly VerifierInit[]): Hex {
  return hashArray((writer) =>
    writer.staticArray(verifiers, ({ key, verifier }) => {
      writer.word(key);
      writer.word(verifier);
    }),
  );
}

/** keccak256 of `abi.encode(ActionInit[])`. */
export function hashActions(actions: readonly ActionInit[]): Hex {
  return hashArray((writer) => writer.dynamicArray(actions, (action) => writeAction(writer, action)));
}

/** `abi.encode(DataField[])`: the form of an input's payload. */
export function encodeDataFields(fields: readonly DataField[]): Hex {
  return bytesToHex(encodeArray((writer) => writeDataFields(writer, fields)));
}

function hashArray(write: (writer: AbiWriter) => void): Hex {
  return keccak256Bytes(encodeArray(write));
}

function encodeArray(write: (writer: AbiWriter) => void): Uint8Array {
  const writer = new AbiWriter();
  writer.struct((tail) => tail(() => write(writer)));
  return writer.bytes;
}

function writeDataFields(writer: AbiWriter, fields: readonly DataField[]): void {
  writer.dynamicArray(fields, ({ id, fType, data }) =>
    writer.struct((tail) => {
      writer.word(id);
      writer.number(fType);
      tail(() => writer.hexString(data));
    }),
  );
}

function writeInputDef(writer: AbiWriter, { id, fields, conditions, verifierKeys }: InputDef): void {
  writer.struct((tail) => {
    writer.word(id);
    tail(() =>
      writer.staticArray(fields, ({ fieldId, fType, required, persist }) => {
        writer.word(fieldId);
        writer.number(fType);
        writer.boolean(required);
        writer.boolean(persist);
      }),
    );
    tail(() => writer.dynamicArray(conditions, (condition) => writeCondition(writer, condition)));
    tail(() => writer.staticArray(verifierKeys, (key) => writer.word(key)));
  });
}

function writeCondition(writer: AbiWriter, { op, fieldId, bytesArg }: Condition): void {
  writer.struct((tail) => {
    writer.number(op);
    writer.word(fieldId);
    tail(() => writer.hexString(bytesArg));
  });
}

function writeAction(writer: AbiWriter, { fromState, inputId, target, value, data }: ActionInit): void {
  writer.struct((tail) => {
    writer.word(fromState);
    writer.word(inputId);
    writer.word(target);
    writer.uint(value);
    tail(() => writer.hexString(data));
  });
}
