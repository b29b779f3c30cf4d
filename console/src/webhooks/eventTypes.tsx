import type { Webhook } from '../../../client/src/types.ts';
import { texts } from '../texts/texts.ts';

const words = texts.webhooks;
export type EventType = Webhook['eventTypes'][number];
const types: readonly EventType[] = ['agreement.transitioned', 'agreement.notification.triggered'];

type EventTypesProps = {
  readonly chosen: readonly EventType[];
  readonly onChange: (types: readonly EventType[]) => void;
};

export function EventTypes({ chosen, onChange }: EventTypesProps) {
  return (
    <fieldset class="row">
      <legend>{words.types}</legend>
      {types.map((type) => (
        <label key={type} class="row">
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...chosen, type] : chosen.filter((other) => other !== type),
              )
            }
          />
          {words.typeNames[type]}
        </label>
      ))}
    </fieldset>
  );
}
