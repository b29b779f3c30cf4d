import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The client's tests wait for the service that starts beside the tests of the contracts. The small files of `unit` come
 * last, so that no process works alone at the end.
 */
const order = ['contracts', 'e2e', 'client', 'index', 'service', 'fuzz', 'unit'];

/** Runs the projects in this order; within a project, as Vitest does: the slowest files first. */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
