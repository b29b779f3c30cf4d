import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };
let dieWithParent: readonly string[] | undefined;

/**
 * Returns the command that runs Anvil's own binary with these arguments, without the launcher of its npm
 * package, so that a signal to the process reaches Anvil. If util-linux is available, the kernel ends Anvil
 * (SIGTERM, so that the state is saved) when its parent dies, however it dies. Throws if the package has no
 * binary for this platform.
 */
export function buildAnvilCommand(anvilArguments: readonly string[]): { file: string; args: string[] } {
  const [file = '', ...args] = [...findDeathSignalPrefix(), findAnvilBinary(), ...anvilArguments];
  return { file, args };
}

function findAnvilBinary(): string {
  const binary = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch]}/bin/anvil`;
  try {
    return require.resolve(binary);
  } catch (cause) {
    throw new Error('Anvil is not installed for this platform: run npm ci with its optional packages.', {
      cause,
    });
  }
}

function findDeathSignalPrefix(): readonly string[] {
  if (dieWithParent === undefined) {
    const prefix = ['setpriv', '--pdeathsig', 'TERM'];
    const isOffered =
      process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
    dieWithParent = isOffered ? prefix : [];
  }
  return dieWithParent;
}
