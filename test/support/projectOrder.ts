import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The client's tests wait for the service that starts beside the tests of the contracts. The small files of `unit` come
 * last, so that no process works alone at the end.
 */
const order = ['contracts', 'e2e', 'client', 'index', 'service', 'fuzz', 'unit'];

/**
 * Runs the projects in this order. Within a project, the slower half and the faster half alternate: the slowest files mostly
 * wait, and side by side they would leave the processors idle.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowestFirst = await super.sort(files);
    const groups = Map.groupBy(slowestFirst, ({ project }) => project.name);
    const rank = (name: string) => order.indexOf(name);
    return [...groups]
      .toSorted(([one], [other]) => rank(one) - rank(other))
      .flatMap(([, group]) => alternate(group));
  }
}

function alternate<File>(files: readonly File[]): File[] {
  const middle = Math.ceil(files.length / 2);
  const faster = files.slice(middle);
  return files.slice(0, middle).flatMap((file, at) => [file, ...faster.slice(at, at + 1)]);
}
