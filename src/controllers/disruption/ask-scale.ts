/** Asks the server for the scales of controllers of any kind (upstream: DisruptionController.getScaleController). */
import { isNotFound, type OwnerReference, parseApiVersion, type ResourceRow, type Scale } from '../../api/index.ts';
import type { Informers, KubeClient } from '../../client/index.ts';
import { errorMessage, mapLimit } from '../../lib/index.ts';
import { SCALES_AT_ONCE } from '../limits.ts';
import type { AskedScale } from './expected-pods.ts';

/** By UID. Rejects only when the signal is aborted. */
export async function askScales(
  { client, informers }: { readonly client: KubeClient; readonly informers: Informers },
  namespace: string,
  owners: readonly OwnerReference[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AskedScale>> {
  if (owners.length === 0) return new Map();
  const { kinds } = informers;
  const rows = kinds.rows.length === 0 ? await kinds.refresh() : kinds.rows;
  const answers = await mapLimit(owners, SCALES_AT_ONCE, async (owner) => {
    const row = rowOf(rows, owner);
    if (row === undefined) kinds.refreshSoon();
    return [owner.uid, await askScale(client, { row, namespace, owner }, signal)] as const;
  });
  return new Map(answers);
}

function rowOf(rows: readonly ResourceRow[], { apiVersion, kind }: OwnerReference): ResourceRow | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return rows.find((each) => each.group === group && each.version === version && each.kind === kind);
}

interface Question {
  readonly row: ResourceRow | undefined;
  readonly namespace: string;
  readonly owner: OwnerReference;
}

async function askScale(
  client: KubeClient,
  { row, namespace, owner: { apiVersion, kind, name, uid } }: Question,
  signal: AbortSignal,
): Promise<AskedScale> {
  const problem = (text: string): AskedScale => ({ ok: false, problem: text });
  if (row === undefined)
    return problem(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  const { group, resource } = row;
  if (!row.subresources.some((each) => each.name === 'scale'))
    return problem(`${group === '' ? resource : `${resource}.${group}`} does not implement the scale subresource`);
  try {
    const scale = (await client.get(row, namespace, name, signal, { subresource: 'scale' })) as Scale;
    return scale.metadata?.uid === uid ? { ok: true, replicas: scale.spec?.replicas ?? 0 } : { ok: false };
  } catch (error) {
    if (signal.aborted) throw error;
    return isNotFound(error) ? { ok: false } : problem(errorMessage(error));
  }
}
