import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import solc from 'solc';
import { z } from 'zod';

const sourceDirectory = new URL('src/', import.meta.url);
const { resolve: resolvePackagePath } = createRequire(import.meta.url);

/**
 * Parameters with the names of getters come from the public ABI, so these two warnings are unavoidable: 2519
 * (a declaration shadows another), 8760 (a declaration has another's name).
 */
const acceptedWarnings = new Set(['2519', '8760']);

const compilerSettings = {
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without metadata the bytecode depends only on the code, not on comments or paths.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

const bytecodeSchema = z.object({ object: z.string().transform((digits) => `0x${digits}`) });

const compilerOutputSchema = z.object({
  errors: z
    .array(z.object({ severity: z.string(), errorCode: z.string().optional(), formattedMessage: z.string() }))
    .default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.looseObject({})),
          evm: z.object({ bytecode: bytecodeSchema, deployedBytecode: bytecodeSchema }),
        }),
      ),
    )
    .default({}),
});

/** The compiled form of one contract. */
export interface CompiledContract {
  abi: unknown;
  /** Creation code, without constructor arguments. */
  bytecode: string;
  /** Runtime code with its immutables still zero. */
  deployedBytecode: string;
}

/**
 * Compiles `contracts-test/src` with the installed compiler and returns the contracts of the given names. The
 * same sources give the same bytes on every machine. Throws with the compiler's own text for an error or an
 * unexpected warning, and for a name that no source defines.
 */
export function compileContracts<Name extends string>(names: readonly Name[]): Map<Name, CompiledContract> {
  const sources = Object.fromEntries(
    readdirSync(sourceDirectory)
      .filter((file) => file.endsWith('.sol'))
      .sort()
      .map((file) => [file, { content: readFileSync(new URL(file, sourceDirectory), 'utf8') }]),
  );
  const input = JSON.stringify({ language: 'Solidity', sources, settings: compilerSettings });
  const output = compilerOutputSchema.parse(JSON.parse(solc.compile(input, { import: readImport })));

  const complaints = output.errors.filter((error) => !acceptedWarnings.has(error.errorCode ?? ''));
  if (complaints.length > 0) throw new Error(complaints.map((error) => error.formattedMessage).join('\n'));

  return new Map(
    names.map((name) => {
      const contract = output.contracts[`${name}.sol`]?.[name];
      if (!contract) throw new Error(`contracts-test/src/${name}.sol defines no contract of that name`);
      const { bytecode, deployedBytecode } = contract.evm;
      return [
        name,
        {
          abi: contract.abi.map(withoutInternalTypes),
          bytecode: bytecode.object,
          deployedBytecode: deployedBytecode.object,
        },
      ];
    }),
  );
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(resolvePackagePath(path), 'utf8') };
  } catch (cause) {
    return { error: `${path} cannot be read (from ${fileURLToPath(sourceDirectory)}): ${String(cause)}` };
  }
}

/** The Solidity names of structs and enums are not part of the ABI. */
function withoutInternalTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInternalTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'internalType')
      .map(([key, inner]) => [key, withoutInternalTypes(inner)]),
  );
}
