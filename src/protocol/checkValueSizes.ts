import { fixedLimits, type ValueLimits } from './documentLimits.ts';
import type { Issue } from './errors.ts';
import { IssueList } from './issueList.ts';
import { isJsonObject } from './jsonCursor.ts';
import { utf8Length } from './utf8.ts';

type Given = {
  /** The path of the values in the request. */
  readonly root: string;
  /** By name, as received; anything but an object has no sizes. */
  readonly values: unknown;
  readonly limits: ValueLimits;
};

/** Values that are too long, alone or together: documents and messages repeat them. */
export function checkValueSizes({ root, values, limits }: Given): readonly Issue[] {
  const issues = new IssueList();
  if (!isJsonObject(values)) return issues.items;
  const count = Object.keys(values).length;
  if (count > fixedLimits.values) {
    issues.add({ path: root, message: `must not have more than ${fixedLimits.values} members` });
    return issues.items;
  }
  let sum = 0;
  for (const [name, value] of Object.entries(values)) {
    const bytes = typeof value === 'string' ? utf8Length(value) : 0;
    sum += bytes;
    if (bytes > limits.valueBytes)
      issues.add({
        path: `${root}.${name}`,
        message: `must not exceed ${limits.valueBytes} bytes, it has ${bytes}`,
      });
  }
  if (sum > limits.allValuesBytes)
    issues.add({
      path: root,
      message: `must not exceed ${limits.allValuesBytes} bytes together, they have ${sum}`,
    });
  return issues.items;
}
