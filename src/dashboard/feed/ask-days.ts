/**
 * Asks what the nodes remember of the last day of workloads: mendlet's own server asks all of them; with another server each node is
 * asked through it.
 */
import { readDayList, type ReadDays } from '../../api/index.ts';
import { type Clock, decodeText, mapLimit, readAll, withDeadline } from '../../lib/index.ts';
import { DAYS_MS, HISTORIES_AT_ONCE, MAX_DAYS_BYTES, MAX_DAYS_NODES } from '../limits.ts';
import type { Viewer } from '../ports.ts';

export interface DaysWish {
  /** undefined: all */
  readonly namespace: string | undefined;
  /** With figures for charts, of workloads of this name. */
  readonly seriesOf?: string;
  /** Names of the nodes that there are, as far as the viewer sees them. */
  readonly nodes: readonly string[];
}

type Asked = { readonly clock: Clock; readonly signal: AbortSignal };

/** What the nodes have told. */
export type ToldDays = Pick<ReadDays, 'items' | 'nodes' | 'next'>;

/** Undefined: nobody told. */
export async function askDays(
  viewer: Viewer,
  { namespace, seriesOf, nodes }: DaysWish,
  asked: Asked,
): Promise<ToldDays | undefined> {
  const query = new URLSearchParams(seriesOf === undefined ? {} : { name: seriesOf, series: 'true' });
  const where = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const own = await get(viewer, `/apis/mendlet.dev/v1alpha1${where}/workloaddays?${query.toString()}`, asked);
  if (own !== undefined) return own;
  if (namespace !== undefined) query.set('namespace', namespace);
  const told = await mapLimit(nodes.slice(0, MAX_DAYS_NODES), HISTORIES_AT_ONCE, (node) =>
    get(viewer, `/api/v1/nodes/${encodeURIComponent(node)}/proxy/mendlet/v1/days?${query.toString()}`, asked),
  );
  const answers = told.flatMap((each) => each ?? []);
  if (answers.length === 0) return undefined;
  return {
    items: answers.flatMap(({ items }) => items),
    nodes: answers.flatMap((answer) => answer.nodes),
    next: answers.flatMap(({ next }) => next),
  };
}

async function get({ connection }: Viewer, url: string, { clock, signal }: Asked): Promise<ReadDays | undefined> {
  try {
    const result = await withDeadline({ clock, timeoutMs: DAYS_MS, signal }, async (within) => {
      const headers = { accept: 'application/json' };
      const { status, body } = await connection.request({ method: 'GET', url, headers, signal: within });
      const text = decodeText(await readAll(body, MAX_DAYS_BYTES));
      return status === 200 ? readDayList(JSON.parse(text) as unknown) : undefined;
    });
    return result.kind === 'done' ? result.value : undefined;
  } catch {
    // The bars say what is not known.
    return undefined;
  }
}
