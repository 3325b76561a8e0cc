/** /mendlet/v1/days: what the node remembers of the last day of its workloads. */
import { MAX_POD_STEPS, type PodStep, type WorkloadDayList } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { DayKeeper } from '../day-ring/day-keeper.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

const DAYS_PATH = '/mendlet/v1/days';

/** What is told beside the days: how the node and its pods are now. */
export interface PresentFacts {
  /** 0 to 100; undefined: not looked at yet. */
  readonly diskUsedPercent: () => number | undefined;
  readonly nextSteps: () => readonly PodStep[];
}

export function dayRoutes(days: Pick<DayKeeper, 'answer'>, present: PresentFacts): readonly Route[] {
  return [{ path: DAYS_PATH, methods: ['GET'], answer: (call) => answer(days, present, call) }];
}

/** Series are many numbers: they are given for workloads of one name. */
function answer(days: Pick<DayKeeper, 'answer'>, present: PresentFacts, { query }: RouteCall): HttpResponse {
  const [namespace, kind, name] = ['namespace', 'kind', 'name'].map((field) => query.get(field) || undefined);
  const series = query.get('series') ?? 'false';
  if (series !== 'true' && series !== 'false') throw new RequestError(400, `invalid series: ${series}: true or false`);
  if (series === 'true' && name === undefined) {
    throw new RequestError(400, 'series need the name of a workload: ?namespace=NS&kind=KIND&name=NAME&series=true');
  }
  const list = days.answer({ namespace, kind, name, series: series === 'true' });
  return jsonResponse(kind === undefined && name === undefined ? withPresent(list, present, namespace) : list);
}

/** The node itself is no business of one namespace. */
function withPresent(
  list: WorkloadDayList,
  { diskUsedPercent, nextSteps }: PresentFacts,
  namespace: string | undefined,
): WorkloadDayList {
  const used = namespace === undefined ? diskUsedPercent() : undefined;
  const next = nextSteps().filter((step) => namespace === undefined || step.namespace === namespace);
  return {
    ...list,
    ...(used === undefined ? {} : { nodes: [{ name: list.nodeName ?? '', diskUsedPercent: used }] }),
    ...(next.length === 0 ? {} : { next: next.slice(0, MAX_POD_STEPS) }),
  };
}
