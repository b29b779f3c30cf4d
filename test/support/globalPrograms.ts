import type { TestProject } from 'vitest/node';
import { findProgram } from '../../src/cli/build/builtPrograms.ts';

/** Projects that start no program of the service. */
const withoutPrograms = ['unit', 'contracts'];

/** Builds the programs once, before several tests start them. */
export default function setup({ vitest }: TestProject): void {
  if (vitest.projects.some(({ name }) => !withoutPrograms.includes(name))) findProgram('all');
}
