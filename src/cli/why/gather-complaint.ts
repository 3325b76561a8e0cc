/** Gathers what a pod that is ready says of its own trouble, for another one that gets no answer from its service. */
import { isConditionTrue, PODS } from '../../api/index.ts';
import type { PodEvidence, ServiceEvidence } from '../../diagnosis/index.ts';
import { lastFailure } from '../../log-analysis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_SERVICES } from './limits.ts';

type LinesOf = (pod: PodEvidence['pod'], container: string) => Promise<readonly string[] | undefined>;

/** The service, with what the log of a ready pod behind it complains of again and again; undefined: of nothing. */
export async function gatherComplaint(
  asker: Asker,
  { namespace, selector = {} }: ServiceEvidence,
  linesOf: LinesOf,
): Promise<ServiceEvidence['complaint']> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  const [container] = pod?.spec?.containers ?? [];
  if (pod === undefined || container === undefined) return undefined;
  const lines = (await linesOf(pod, container.name)) ?? [];
  // The trouble of the one who asks is no cause.
  const said = lastFailure(lines.filter((line) => !OF_CLIENT.test(line)))?.line;
  if (said === undefined) return undefined;
  const times = lines.filter((line) => shape(line).includes(shape(said))).length;
  return times < OFTEN ? undefined : { pod: pod.metadata?.name ?? '', says: said };
}

/** The address of a client, by its port. */
const OF_CLIENT = /\b(?:\d{1,3}\.){3}\d{1,3}:(?:3[2-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b/;

/** What is said so often is no matter of one request. */
const OFTEN = 2;

/** Without what differs from one time to the next. */
function shape(line: string): string {
  return line.replaceAll(/[\d\W]+/g, ' ').trim();
}
