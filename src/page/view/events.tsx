/** The events of a workload and its pods. */
import type { VNode } from 'preact';
import type { LifeEvent } from '../contract.ts';
import { Ago } from './clock.tsx';
import { Glyph, Text } from './parts.tsx';

export function Events({ events }: { readonly events: readonly LifeEvent[] }): VNode {
  if (events.length === 0) return <p class="none">No events are kept.</p>;
  return (
    <ul class="events">
      {events.map((event, index) => (
        <li key={`${event.at} ${event.object} ${event.reason} ${index}`} class={`is-${event.type}`}>
          <p>
            <Glyph mark={event.type === 'Warning' ? 'troubled' : 'note'} />
            <span class="unseen">{event.type}: </span>
            <b>
              <Text text={event.reason} />
            </b>{' '}
            <Text text={event.words} />
          </p>
          <small>
            <Ago at={event.at} /> · <Text text={event.object} />
            {event.count > 1 ? ` · ${event.count} times` : ''}
          </small>
        </li>
      ))}
    </ul>
  );
}
