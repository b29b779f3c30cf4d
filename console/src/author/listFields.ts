import { isObject, member } from '../agreements/member.ts';

type Field = {
  name: string;
  type: string;
  required: boolean;
  validation?: Record<string, unknown>;
};

const reference = /\$\{variables\.(\w+)/;

/** The fields of an input of an undeployed document, for a form; the service decides in the end. */
export function listFields(json: unknown, inputId: string): Field[] {
  const input = member(json, 'execution', 'inputs', inputId);
  const data = member(input, 'data') ?? member(input, 'schema');
  return Object.entries(isObject(data) ? data : {}).map(([key, definition]) => {
    const [, variable] = typeof definition === 'string' ? (reference.exec(definition) ?? []) : [];
    const own = variable === undefined ? definition : member(json, 'variables', variable);
    const validation = member(own, 'validation');
    return {
      name: variable ?? key,
      type: String(member(own, 'type') ?? 'string'),
      required: member(validation, 'required') !== false,
      ...(isObject(validation) && { validation: { ...validation } }),
    };
  });
}
