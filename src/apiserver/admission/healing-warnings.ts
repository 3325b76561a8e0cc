/**
 * Warnings about invalid annotations of ours on a pod or in a pod template. They are warnings because another server would
 * accept any text, and the agent reports the problem later. Only text that this request wrote is checked. Pure.
 */
import {
  DEPENDS_ON,
  HEALING_POLICY,
  key,
  MAX_POLICY_BYTES,
  printFieldErrors,
  readDependsOn,
  readHealingPolicy,
  readRestartRequest,
  RESTART_REQUEST,
} from '../../api/index.ts';
import { encodeText, errorMessage, parseDocument } from '../../lib/index.ts';
import { type ApiObject, recordOf } from '../registry/object.ts';

type Annotations = Readonly<Record<string, unknown>>;

/** @param old of a change */
export function healingWarnings(object: ApiObject, old: ApiObject | undefined): readonly string[] {
  return PLACES.flatMap((place) => {
    const annotations = annotationsAt(object, place);
    if (annotations === undefined) return [];
    const before = (old === undefined ? undefined : annotationsAt(old, place)) ?? {};
    const namespace = object.metadata.namespace ?? '';
    return Object.entries(READERS).flatMap(([name, problemOf]) => {
      const text = annotations[name];
      if (typeof text !== 'string' || text === before[name]) return [];
      const problem = problemOf(text, namespace);
      return problem === undefined ? [] : [`${key(place.join('.'), name)}: not heeded: ${problem}`];
    });
  });
}

/** Of pods, of workloads, of cron jobs. */
const PLACES = [[], ['spec', 'template'], ['spec', 'jobTemplate', 'spec', 'template']].map((place) => [
  ...place,
  'metadata',
  'annotations',
]);

function annotationsAt(object: ApiObject, place: readonly string[]): Annotations | undefined {
  let value: unknown = object;
  for (const name of place) {
    value = recordOf(value)[name];
    if (value === undefined || value === null) return undefined;
  }
  return recordOf(value);
}

const READERS: Readonly<Record<string, (text: string, namespace: string) => string | undefined>> = {
  [HEALING_POLICY]: problemOfPolicy,
  [RESTART_REQUEST]: (text) => {
    const read = readRestartRequest(text);
    return read.ok ? undefined : read.problem;
  },
  [DEPENDS_ON]: (text, namespace) => readDependsOn(text, namespace).problems[0],
};

function problemOfPolicy(text: string): string | undefined {
  if (encodeText(text).length > MAX_POLICY_BYTES) return `it is longer than ${MAX_POLICY_BYTES} bytes`;
  try {
    const read = readHealingPolicy(parseDocument({ text, line: 1 }));
    return read.ok ? undefined : printFieldErrors(read.errors.slice(0, 3));
  } catch (error) {
    return `it is neither JSON nor YAML: ${errorMessage(error).split('\n')[0] ?? ''}`;
  }
}
