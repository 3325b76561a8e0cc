/** Tells that a server has the value that a Secret had before it was written: variables are read at a start, or when data are made. Pure. */
import { parseTime } from '../../../lib/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { usedBy, variableSecrets } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';
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
    const since = `runs since before Secret ${name} was written (${formatAge(now - writtenMs)} ago)`;
    const change = keptIn(server.pod);
    if (change !== undefined)
      return `${since}, and its data keep the password that they were made with: only ${change} changes that`;
    const why = asVariables.has(name) ? '' : ' (it mounts that with subPath, which is never updated)';
    return `${since}, so that it has its old value${why}: it has to be restarted`;
  }
  return undefined;
}

/** Servers that take a password from their variables once, when their data are made, and what changes it later. */
const KEEPING: readonly (readonly [server: RegExp, change: string])[] = [
  [/postgres|postgis|timescale|pgvector/i, 'ALTER ROLE … PASSWORD'],
  [/maria|mysql|percona/i, 'ALTER USER … IDENTIFIED BY'],
  [/mongo/i, 'changeUserPassword'],
];

/** What changes the password of such a server; undefined: it is none, as far as images and commands tell. */
function keptIn({ spec }: Pod): string | undefined {
  const text = (spec?.containers ?? []).map((each) => `${each.image ?? ''} ${commandText(each)}`).join(' ');
  return KEEPING.find(([server]) => server.test(text))?.[1];
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
