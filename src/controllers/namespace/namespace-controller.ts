/** Empties namespaces that are being deleted, and lets them go. */
import {
  type KubeObject,
  NAMESPACES,
  type Namespace,
  PODS,
  type Resource,
  type ResourceRow,
  isNotFound,
} from '../../api/index.ts';
import { type KubeClient, isRetryable, type Informers, type ListQuery } from '../../client/index.ts';
import { type Clock, errorMessage, formatTime, mapLimit } from '../../lib/index.ts';
import { NAMESPACE_DELETE_CONCURRENCY } from '../limits.ts';
import { type Operation, perform } from '../operation.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { type NamespaceContent, planNamespaceDeletion } from './plan-namespace-deletion.ts';

const LIST_LIMIT = 500;

export interface NamespaceParts {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** Keys are namespace names. The content of a namespace that is being deleted is read from the server, not from a cache. */
export function namespaceController({ informers, client, clock }: NamespaceParts): Controller {
  const namespaces = informers.lister(NAMESPACES);
  informers.lister(PODS);
  return {
    name: 'namespace',
    sources: [
      source(NAMESPACES, ({ key, object }) => (object.metadata?.deletionTimestamp === undefined ? [] : [key])),
      // The end of a pod may be all that its namespace waits for.
      source(PODS, ({ type, object }) => (type === 'delete' ? [object.metadata?.namespace ?? ''] : [])),
    ],
    reconcile: async (key, context) => {
      if (namespaces.getByKey(key)?.metadata?.deletionTimestamp === undefined) return undefined;
      const resources = deletable(await informers.kinds.refresh());
      return reconcileNamespace(client, clock, resources, key, context);
    },
  };
}

/** Every kind with objects in namespaces, in one of its versions; events of the newer group are those of the core group. */
function deletable(rows: readonly ResourceRow[]): readonly ResourceRow[] {
  const kinds = new Map<string, ResourceRow>();
  for (const row of rows) {
    const { group, resource, namespaced, verbs } = row;
    const key = `${group}/${resource}`;
    if (namespaced && verbs.includes('list') && verbs.includes('delete') && !kinds.has(key)) kinds.set(key, row);
  }
  return [...kinds.values()];
}

async function reconcileNamespace(
  client: KubeClient,
  clock: Clock,
  resources: readonly Resource<KubeObject>[],
  name: string,
  context: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const namespace = await liveNamespace(client, name, context.signal);
  if (namespace?.metadata?.deletionTimestamp === undefined) return undefined;
  const contents = await readContents(client, resources, name, context.signal);
  const now = formatTime(clock.now().wall);
  const plan = planNamespaceDeletion(namespace, contents, [], now);
  const failures = await deleteAll(client, plan.deletes, context.signal);
  const final = failures.length === 0 ? plan : planNamespaceDeletion(namespace, contents, failures, now);
  if (final.status !== undefined && final.finalize === undefined) await context.perform([final.status]);
  if (final.finalize !== undefined) await context.perform([final.finalize]);
  // Most things are gone as soon as they are deleted: look again at once, then as often as what is left needs.
  const deleted = plan.deletes.length > 0;
  if (deleted && failures.length === 0 && plan.deletes[0]?.resource.resource !== PODS.resource)
    return { requeueAfterMs: 0 };
  return final.requeueAfterMs === undefined ? undefined : { requeueAfterMs: final.requeueAfterMs };
}

async function liveNamespace(client: KubeClient, name: string, signal: AbortSignal): Promise<Namespace | undefined> {
  try {
    return await client.get(NAMESPACES, undefined, name, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function readContents(
  client: KubeClient,
  resources: readonly Resource<KubeObject>[],
  namespace: string,
  signal: AbortSignal,
): Promise<readonly NamespaceContent[]> {
  const contents: NamespaceContent[] = [];
  for (const resource of resources) {
    // Pods say in their spec how long they may take; of all else it counts that it is there.
    const metadataOnly = !(resource.group === PODS.group && resource.resource === PODS.resource);
    const items = await itemsOf(client, resource, { namespace, limit: LIST_LIMIT, metadataOnly }, signal);
    contents.push({ resource, items });
  }
  return contents;
}

/** A kind that is not served any more has no objects. */
async function itemsOf(
  client: KubeClient,
  resource: Resource<KubeObject>,
  query: ListQuery,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(resource, query, signal)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** One sentence per delete that the server refused. No answer at all ends the round. */
async function deleteAll(
  client: KubeClient,
  operations: readonly Operation[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failures: string[] = [];
  await mapLimit(operations, NAMESPACE_DELETE_CONCURRENCY, async (operation) => {
    try {
      await perform(client, operation, signal);
    } catch (error) {
      if (isRetryable(error)) throw error;
      failures.push(errorMessage(error));
    }
  });
  return failures;
}
