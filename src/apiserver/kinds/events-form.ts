/** Events in their two API forms: core/v1, in which they are stored, and events.k8s.io/v1. */
import type { ApiObject } from '../registry/object.ts';
import type { ServedForm } from '../registry/registration.ts';

/** Name in core/v1, name in events.k8s.io/v1. The rest is the same in both. */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const toEvents = new Map(renamed);
const toCore = new Map(renamed.map(([core, events]) => [events, core] as const));

export const eventsForm: ServedForm = {
  fromStored: (object) => rename(object, 'events.k8s.io/v1', toEvents),
  toStored: (object) => rename(object, 'v1', toCore),
};

function rename(object: ApiObject, apiVersion: string, names: ReadonlyMap<string, string>): ApiObject {
  const entries = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...(Object.fromEntries(entries) as ApiObject), apiVersion };
}
