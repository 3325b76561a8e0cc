/** Tells of a Redis or Valkey Sentinel that looks up no names, because its configuration does not let it. Pure. */
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

const MONITORS = /\bsentinel monitor\b/i;
const LOOKS_UP = /\bsentinel resolve-hostnames yes\b/i;

/** ': a sentinel looks up names only after "sentinel resolve-hostnames yes"'; empty: it is none, or its configuration has that. */
export function sentinelText(
  { evidence }: PodFacts,
  { lines }: ContainerFacts,
  [service]: readonly ServiceEvidence[],
): string {
  if (!lines.some((line) => MONITORS.test(line))) return '';
  const texts = evidence.configs.flatMap((config) => Object.values(config.texts ?? {}));
  const own = texts.filter((text) => MONITORS.test(text));
  if (own.some((text) => LOOKS_UP.test(text))) return '';
  const lacks = own.length > 0 ? ', which its configuration lacks before "sentinel monitor"' : '';
  const isThere = service !== undefined && !service.missing ? ` (service ${service.name} is there)` : '';
  return `: a sentinel looks up names only after "sentinel resolve-hostnames yes"${lacks}${isThere}`;
}
