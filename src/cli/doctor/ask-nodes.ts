/** Asks nodes to try the way to a service. */
import {
  isConditionTrue,
  type Node,
  NODES,
  type PathStep,
  type ServicePath,
  type Status,
  StatusError,
} from '../../api/index.ts';
import { ConnectionError, decodeText, mapLimit, readAll, withDeadline } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { MAX_ANSWER_BYTES, MAX_STEPS, NODE_TIMEOUT_MS, NODES_AT_ONCE, UNREADY_NODE_TIMEOUT_MS } from './limits.ts';

export type NodeAnswer =
  | { readonly node: string; readonly path: ServicePath }
  /** `isForeign`: nothing is wrong for that. */
  | { readonly node: string; readonly problem: string; readonly isForeign: boolean };

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

type Session = Pick<ClusterSession, 'client' | 'connection' | 'signal' | 'clock'>;

/** Where the way is tried from. */
export interface AskedFrom {
  /** One node, by name; absent: all. */
  readonly node?: string;
  /** One pod, on its node; absent: the best of each node. */
  readonly pod?: ServiceName;
}

/**
 * @throws StatusError when the nodes may not be listed or asked, or there is no such node
 * @throws ConnectionError
 */
export async function askNodes(
  session: Session,
  service: ServiceName,
  { node: only, pod }: AskedFrom,
): Promise<readonly NodeAnswer[]> {
  const { client, signal } = session;
  const nodes: readonly Node[] =
    only === undefined
      ? (await client.list(NODES, {}, signal)).items
      : [await client.get(NODES, undefined, only, signal)];
  const sorted = nodes.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  return await mapLimit(sorted, NODES_AT_ONCE, (node) => boundedAsk(session, node, { service, pod }));
}

interface Asked {
  readonly service: ServiceName;
  readonly pod: ServiceName | undefined;
}

async function boundedAsk(session: Session, { metadata, status }: Node, asked: Asked): Promise<NodeAnswer> {
  const node = metadata?.name ?? '';
  const isReady = isConditionTrue(status?.conditions, 'Ready');
  const timeoutMs = isReady ? NODE_TIMEOUT_MS : UNREADY_NODE_TIMEOUT_MS;
  const { clock, signal: given } = session;
  const told = (problem: string): NodeAnswer => ({
    node,
    problem: isReady ? problem : `it is not ready: ${problem}`,
    isForeign: false,
  });
  try {
    const result = await withDeadline({ clock, timeoutMs, signal: given }, (signal) =>
      ask({ ...session, signal }, node, asked),
    );
    return result.kind === 'done' ? result.value : told('it does not answer in time');
  } catch (error) {
    if (given.aborted || !(error instanceof ConnectionError)) throw error;
    return told(error.message);
  }
}

async function ask({ connection, signal }: Session, node: string, { service, pod }: Asked): Promise<NodeAnswer> {
  const params = new URLSearchParams({
    namespace: service.namespace,
    service: service.name,
    ...(pod && { fromNamespace: pod.namespace, fromPod: pod.name }),
  });
  const url = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/mendlet/v1/path?${params.toString()}`;
  const headers = { accept: 'application/json' };
  const { status, body } = await connection.request({ method: 'GET', url, headers, signal });
  const text = decodeText(await readAll(body, MAX_ANSWER_BYTES));
  const value = parsed(text);
  const steps = status === 200 ? stepsOf(value) : undefined;
  if (steps !== undefined) return { node, path: { ...(value as ServicePath), nodeName: node, steps } };
  const said = (value as Status | undefined)?.message ?? text.trim().slice(0, 300);
  if (status === 403) throw new StatusError((value as Status | undefined) ?? { code: status, message: said });
  if (status === 404 || status === 200)
    return { node, problem: 'its agent is none of mendlet’s, or an older one: it tries nothing', isForeign: true };
  return { node, problem: said === '' ? `it answers ${status}` : said, isForeign: false };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Another agent may answer anything at this path. */
function stepsOf(value: unknown): readonly PathStep[] | undefined {
  const { kind, steps } = (value ?? {}) as Partial<ServicePath>;
  if (kind !== 'ServicePath' || !Array.isArray(steps)) return undefined;
  return steps.slice(0, MAX_STEPS).filter(isStep);
}

function isStep(step: unknown): step is PathStep {
  const { stage, result, says, help } = (step ?? {}) as Record<string, unknown>;
  const isText = typeof stage === 'string' && typeof says === 'string';
  return (
    isText && ['ok', 'broken', 'skipped'].includes(String(result)) && (help === undefined || typeof help === 'string')
  );
}
