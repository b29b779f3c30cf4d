import { texts } from '../texts/texts.ts';
import { Select } from './field.tsx';

type YesOrNoProps = {
  /** `true`, `false`, or empty if nothing is chosen. */
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** A truth value to choose: no other text could be taken for one of the two. */
export function YesOrNo({ value, onChange }: YesOrNoProps) {
  return (
    <Select
      value={value}
      onChange={onChange}
      options={[
        ['', '–'],
        ['true', texts.yes],
        ['false', texts.no],
      ]}
    />
  );
}
