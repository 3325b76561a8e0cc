/** Tells that a server runs with the value that a Secret had before it was written: variables are read at a start. Pure. */
import { parseTime } from '../../../lib/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { usedBy, variableSecrets } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { formatAge } from '../words/text.ts';
import { ROUNDING_MS } from '../../limits.ts';

/** "runs since before Secret cache-auth was written (78s ago), and has its old value"; undefined: it is not known to. */
export function olderSecretText(
  { evidence, pod, now }: PodFacts,
  container: ContainerFacts,
  { namespace, server }: ServiceEvidence,
): string | undefined {
  if (server === undefined || namespace !== (pod.metadata?.namespace ?? 'default')) return undefined;
  const own = usedBy(pod, container.spec).filter(({ kind, asVariable }) => kind === 'Secret' && asVariable);
  const asVariables = new Set(variableSecrets(server.pod).map(({ name }) => name));
  const bySubPath = new Set(subPathSecrets(server.pod));
  const starts = (server.pod.status?.containerStatuses ?? []).flatMap(
    ({ state }) => parseTime(state?.running?.startedAt ?? undefined) ?? [],
  );
  if (starts.length === 0) return undefined;
  const startedMs = Math.min(...starts);
  const ownMs = parseTime(container.status?.state?.running?.startedAt ?? container.death?.startedAt);
  for (const { name } of own.filter((each) => asVariables.has(each.name) || bySubPath.has(each.name))) {
    const known = evidence.configs.find((config) => config.kind === 'Secret' && config.name === name);
    const writtenMs = parseTime(known?.writtenAt);
    if (writtenMs === undefined || startedMs >= writtenMs - ROUNDING_MS) continue;
    // Both have the old one.
    if (ownMs !== undefined && ownMs < writtenMs) continue;
    const why = asVariables.has(name) ? '' : ' (it mounts that with subPath, which is never updated)';
    return `runs since before Secret ${name} was written (${formatAge(now - writtenMs)} ago), so that it has its old value${why}: it has to be restarted`;
  }
  return undefined;
}

/** The Secrets of which a pod mounts single keys. */
function subPathSecrets({ spec }: Pod): readonly string[] {
  const mounts = (spec?.containers ?? []).flatMap(({ volumeMounts = [] }) => volumeMounts);
  return (spec?.volumes ?? []).flatMap(({ name, secret }) =>
    secret?.secretName !== undefined && mounts.some((mount) => mount.name === name && mount.subPath !== undefined)
      ? [secret.secretName]
      : [],
  );
}
